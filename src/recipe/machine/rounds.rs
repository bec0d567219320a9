//! Where a recipe is: its rounds so far, folded from the facts that the session recorded. No other state exists.

use super::super::definition::{
    Definition, Destination, PROTECTED_CHANGED, ROUNDS_USED, RecipeStep, VerdictAction,
};
use super::super::text::Text;
use super::super::view::{Span, View};
use crate::domain::{RecipeEnd, RecipeFact, RoundOutcome};
use crate::engine::WorkflowContext;

/// One round of a step.
#[derive(Clone, Debug)]
pub(super) struct Round {
    pub(super) step: usize,
    /// The number of the round within its step, from 1.
    pub(super) round: u32,
    /// The index of the item with which it began; `None` if that is not recorded yet, so nothing can have come of it.
    pub(super) from: Option<usize>,
    /// Whether the model was told something in it.
    pub(super) prompted: bool,
    /// What led to it.
    pub(super) cause: RoundCause,
}

/// What led to a round.
#[derive(Clone, Debug)]
pub(super) enum RoundCause {
    First,
    /// A verdict: the text to send about it, and whether it leads to the same step again.
    Verdict {
        say: Option<Text>,
        again: bool,
    },
}

/// How a recipe ends.
#[derive(Clone, Debug)]
pub(super) struct Ending {
    pub(super) end: RecipeEnd,
    /// The first part of the text at the end, before the summary.
    pub(super) say: Text,
}

impl Ending {
    pub(super) fn with_words(end: RecipeEnd, words: &str) -> Self {
        Self { end, say: Text::words(words) }
    }
}

/// The rounds so far.
pub(super) struct Rounds<'a> {
    pub(super) definition: &'a Definition,
    pub(super) context: WorkflowContext<'a>,
    /// Oldest first; the last is the current one. Never empty.
    pub(super) rounds: Vec<Round>,
    /// How many rounds of each step began.
    begun: Vec<u32>,
    /// All verdicts, oldest first.
    pub(super) judged: Vec<RoundOutcome>,
    pub(super) over: Option<Ending>,
}

impl<'a> Rounds<'a> {
    pub(super) fn of(definition: &'a Definition, context: WorkflowContext<'a>) -> Self {
        let begun = vec![0; definition.steps.len()];
        let mut rounds =
            Self { definition, context, rounds: Vec::new(), begun, judged: Vec::new(), over: None };
        match rounds.next_taken(0) {
            Some(step) => rounds.enter(step, Some(context.from.saturating_sub(1)), RoundCause::First),
            None => {
                rounds.enter(0, None, RoundCause::First);
                rounds.over = Some(Ending::with_words(
                    RecipeEnd::Done,
                    "None of its steps is taken with these answers.",
                ));
            }
        }
        for (at, item) in context.items() {
            match item.fact() {
                Some(RecipeFact::Said { step, round, .. }) => rounds.note_prompt(step, *round, at),
                Some(RecipeFact::Judged(outcome)) => rounds.judge(outcome, Some(at)),
                _ => {}
            }
        }
        rounds
    }

    /// The current round.
    fn current(&self) -> &Round {
        static NONE: Round =
            Round { step: 0, round: 0, from: None, prompted: false, cause: RoundCause::First };
        self.rounds.last().unwrap_or(&NONE)
    }

    pub(super) fn cause(&self) -> &RoundCause {
        &self.current().cause
    }

    /// The view of the current round.
    pub(super) fn view(&self) -> View<'a> {
        self.view_of(self.rounds.len().saturating_sub(1))
    }

    /// The view of the round with this index.
    pub(super) fn view_of(&self, at: usize) -> View<'a> {
        let round = self.rounds.get(at).unwrap_or(self.current());
        let step = self.step_of(round);
        let begins = |at: usize| self.rounds.get(at).and_then(|round| round.from);
        let span = |(at, round): (usize, &Round)| {
            let (step, until) = (&self.step_of(round).name, begins(at + 1).unwrap_or(usize::MAX));
            Some(Span { step, from: round.from?, until })
        };
        View {
            context: self.context,
            step: &step.name,
            protects: &step.protects,
            options: &step.options,
            round: round.round,
            from: round.from,
            until: begins(at + 1),
            was_prompted: round.prompted,
            spans: self.rounds.iter().enumerate().filter_map(span).collect(),
        }
    }

    /// The step of the current round.
    pub(super) fn step(&self) -> &'a RecipeStep {
        self.step_of(self.current())
    }

    fn step_of(&self, round: &Round) -> &'a RecipeStep {
        // Rounds only refer to existing steps, and there is at least one.
        static NONE: std::sync::LazyLock<RecipeStep> = std::sync::LazyLock::new(RecipeStep::none);
        self.definition.steps.get(round.step).unwrap_or(&NONE)
    }

    /// A round was judged; `at` is the index of the verdict's item once it is recorded.
    pub(super) fn judge(&mut self, outcome: &RoundOutcome, at: Option<usize>) {
        let Some(step) = self.definition.step(&outcome.step) else { return };
        self.judged.push(outcome.clone());
        self.count(step, outcome.round);
        let known = self.definition.steps.get(step).and_then(|known| known.action_for(&outcome.verdict));
        let mut action = match known {
            Some(action) => action.clone(),
            None => VerdictAction { then: Destination::Again, how: RecipeEnd::Done, say: Text::default() },
        };
        let mut from = step;
        // Bounded, because steps whose rounds are used up may point at each other.
        for _ in 0..=self.definition.steps.len() {
            let target = match &action.then {
                Destination::End | Destination::Stop => {
                    self.over = Some(Ending { end: action.how, say: action.say });
                    return;
                }
                Destination::Again => Some(from),
                Destination::Next => self.next_taken(from + 1),
                Destination::Step(name) => self.definition.step(name).and_then(|step| self.next_taken(step)),
            };
            let Some(target) = target else {
                self.over = Some(Ending { end: RecipeEnd::Done, say: action.say });
                return;
            };
            let begun = self.begun.get(target).copied().unwrap_or_default();
            let Some(next) = self.definition.steps.get(target).filter(|next| begun >= next.rounds) else {
                let say = (!action.say.is_empty()).then_some(action.say);
                let again = target == step && action.then == Destination::Again;
                return self.enter(target, at, RoundCause::Verdict { say, again });
            };
            match next.action_for(ROUNDS_USED) {
                Some(used) => action = used.clone(),
                None => break,
            }
            from = target;
        }
        let words = "The rounds of this step are used up.";
        self.over = Some(Ending::with_words(RecipeEnd::Limit, words));
    }

    fn note_prompt(&mut self, step: &str, round: u32, at: usize) {
        let Some(step) = self.definition.step(step) else { return };
        self.count(step, round);
        self.over = None;
        match self.rounds.last_mut() {
            Some(last) if (last.step, last.round, last.prompted) == (step, round, false) => {
                (last.from, last.prompted) = (Some(at), true);
            }
            _ => self.rounds.push(Round {
                step,
                round,
                from: Some(at),
                prompted: true,
                cause: RoundCause::First,
            }),
        }
    }

    fn enter(&mut self, step: usize, from: Option<usize>, cause: RoundCause) {
        let round = self.begun.get(step).copied().unwrap_or_default().saturating_add(1);
        self.rounds.push(Round { step, round, from, prompted: false, cause });
    }

    fn count(&mut self, step: usize, round: u32) {
        if let Some(begun) = self.begun.get_mut(step) {
            *begun = (*begun).max(round);
        }
    }

    /// The first step from this one on whose `only_if` fits the answers.
    fn next_taken(&self, from: usize) -> Option<usize> {
        let fits =
            |step: &RecipeStep| step.only_if.iter().all(|(name, value)| self.context.input(name) == value);
        let mut steps = self.definition.steps.iter().enumerate().skip(from);
        steps.find(|(_, step)| fits(step)).map(|(at, _)| at)
    }

    /// Whether the last verdict was that a protected file was changed.
    pub(super) fn is_restoring(&self) -> bool {
        self.judged.last().is_some_and(|outcome| outcome.verdict == PROTECTED_CHANGED)
    }
}
