//! A recipe as data: its inputs, its steps, the check that ends each step, and the texts for the model and the person.
//! `read` parses it from TOML; `validate` checks that its parts fit together.
//!
//! ```toml
//! name = "tdd"                  # /recipe tdd
//! title = "Test-driven"
//! when = "…"                    # its description in the list
//! prompt = "Test-driven: {spec}"  # what the person asks with it
//! say = "…"                     # sent to the model once, with the first step
//! either = ["file", "code"]     # one of these inputs has to be answered
//!
//! [[input]]
//! name = "spec"
//! ask = "What should it do?"
//! kind = "lines"                # text | lines | choice | file | files | number
//! required = true               # unless there is a default
//! help = "…"
//! default = "…"
//! choices = ["…"]               # of a choice
//! min = 1                       # of a number, as max and whole
//!
//! [limits]
//! rounds = 5                    # of each step; once used up, the step's `rounds` says what comes next
//! replies = 8                   # of each round; past them, the check's last verdict counts
//!
//! [[step]]
//! name = "tests"
//! title = "Tests first"
//! only_if = { goal = "speed" }  # the step is taken only with these answers
//! say = "…"                     # sent to the model when the step begins; without it, the check begins at once
//! blocks = ["write", "code"]    # what the model may propose: code, write, read, list, call; [] nothing
//! check = "tests"               # judges a round; further keys belong to the check
//! protects = ["tests"]          # changing what these steps wrote takes the typed word
//! strict = false                # whether the strict list of forbidden names applies
//! rounds = 3
//! [step.on.red]                 # a verdict of the check, `rounds` or `protected_changed`; default: another round
//! then = "next"                 # next | again | stop | end | the name of a step
//! how = "done"                  # of an end: done | gave_up | limit
//! say = "…"                     # sent to the model, or shown to the person if the recipe ends
//!
//! [end]
//! summary = "…"
//! ```
//!
//! A text may have places for values: `{spec}` an input, `{data:INPUT}` the same in a fence, `{file:INPUT}` the text of
//! the file that an input names, `{fact:tests}`, `{runner}` the test runners, `{verdict}` and `{note}` of the last
//! round, `{round}`, `{rounds}`, `{step}`, `{files}`; for the model also `{write}`, how to write a file, and
//! `{protected}`; at the end also `{images}` and `{steps}`. A doubled brace stands for one.

mod read;
mod source;
mod steps;
mod validate;

use super::check::{Check, OptionKind};
use super::text::Text;
use super::value_of;
use crate::domain::{BlockKind, Field, FieldKind, Form, RecipeEnd};

pub(super) use read::read;

const MAX_BYTES: usize = 64 << 10;
/// Rounds of a step that sets no limit.
const DEFAULT_ROUNDS: u32 = 5;
/// Replies of a round, if the recipe sets no limit.
const DEFAULT_REPLIES: u32 = 8;

/// A verdict of the machine itself: a block changed a protected file, and the person wants it restored.
pub(super) const PROTECTED_CHANGED: &str = "protected_changed";
/// The key that stands in place of a verdict once a step has used up its rounds.
pub(super) const ROUNDS_USED: &str = "rounds";

#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) when: String,
    /// The prompt of its turn, in the person's words.
    pub(crate) prompt: Text,
    /// The text for the model at the first step, sent once.
    pub(crate) say: Text,
    pub(crate) inputs: Vec<Field>,
    /// Inputs of which at least one has to be answered; empty if there is no such rule.
    pub(crate) either: Vec<String>,
    /// The most replies of the model in a round.
    pub(crate) replies: u32,
    pub(crate) steps: Vec<RecipeStep>,
    /// The text shown at the end.
    pub(crate) summary: Text,
}

impl Definition {
    pub(crate) fn form(&self) -> Form {
        Form {
            name: "inputs".into(),
            title: self.title.clone(),
            note: self.when.clone(),
            fields: self.inputs.clone(),
        }
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &Field> {
        self.inputs.iter().filter(|field| field.kind == FieldKind::File)
    }

    /// Whether the recipe needs the text of the file that this input names: a text has a place for it, or a check takes
    /// it.
    pub(crate) fn reads(&self, input: &str) -> bool {
        let place = format!("file:{input}");
        let texts = self.steps.iter().flat_map(|step| {
            let of_actions = step.actions.iter().map(|(_, action)| &action.say);
            of_actions.chain([&step.say])
        });
        let told = |step: &RecipeStep| {
            let mut options =
                step.check.spec().options.iter().filter(|option| option.kind == OptionKind::Input);
            options.any(|option| step.option(option.name) == input)
        };
        let mut texts = texts.chain([&self.say, &self.prompt, &self.summary]);
        texts.any(|text| text.names().any(|name| name == place)) || self.steps.iter().any(told)
    }

    /// The step with this name.
    pub(crate) fn step_named(&self, name: &str) -> Option<&RecipeStep> {
        self.steps.iter().find(|step| step.name == name)
    }

    /// The index of the step with this name.
    pub(crate) fn step(&self, name: &str) -> Option<usize> {
        self.steps.iter().position(|step| step.name == name)
    }
}

/// A step: what the model is told, what it may propose, and the check that judges the result.
#[derive(Clone, Debug)]
pub(crate) struct RecipeStep {
    pub(crate) name: String,
    pub(crate) title: String,
    /// The answers with which the step is taken; empty: always.
    pub(crate) only_if: Vec<(String, String)>,
    /// The text for the model when the step begins. If blank, the model is not asked and the check begins at once.
    pub(crate) say: Text,
    /// The kinds of blocks that the model may propose.
    pub(crate) blocks: Vec<StepKind>,
    pub(crate) check: &'static dyn Check,
    /// The values of the check's own options (`CheckSpec::options`).
    pub(crate) options: Vec<(String, String)>,
    /// The steps whose files this step may change only with the typed word.
    pub(crate) protects: Vec<String>,
    /// Whether the strict list of forbidden names applies to the model's code.
    pub(crate) strict: bool,
    /// The most rounds of the step.
    pub(crate) rounds: u32,
    pub(crate) actions: Vec<(String, VerdictAction)>,
}

impl RecipeStep {
    /// A step that asks nothing and allows no block.
    pub(crate) fn none() -> Self {
        Self {
            name: String::new(),
            title: String::new(),
            only_if: Vec::new(),
            say: Text::default(),
            blocks: Vec::new(),
            check: super::check::NO_CHECK,
            options: Vec::new(),
            protects: Vec::new(),
            strict: true,
            rounds: 1,
            actions: Vec::new(),
        }
    }

    /// What a verdict leads to, if the step says so.
    pub(crate) fn action_for(&self, verdict: &str) -> Option<&VerdictAction> {
        self.actions.iter().find(|(known, _)| known == verdict).map(|(_, action)| action)
    }

    /// The value of an option of the check; empty if not set.
    pub(crate) fn option(&self, name: &str) -> &str {
        value_of(&self.options, name).unwrap_or_default()
    }
}

/// What a verdict leads to.
#[derive(Clone, Debug)]
pub(crate) struct VerdictAction {
    pub(crate) then: Destination,
    /// How the recipe ends, if it ends here.
    pub(crate) how: RecipeEnd,
    /// The text for the model, or for the person if the recipe ends here.
    pub(crate) say: Text,
}

/// Where a verdict leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// To the next step that is taken; after the last one the recipe is done.
    Next,
    /// To another round of the same step.
    Again,
    Step(String),
    End,
    /// To the end, as if the person had stopped the recipe.
    Stop,
}

/// The kinds of blocks that a step may allow.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
    strum::VariantNames,
)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum StepKind {
    Code,
    Write,
    Read,
    List,
    Call,
}

impl StepKind {
    pub(crate) fn as_str(self) -> &'static str {
        self.into()
    }

    /// The kind of a block; `None` for kinds that only sayso itself proposes.
    pub(crate) fn of(kind: &BlockKind) -> Option<Self> {
        // An edit changes files, so it counts as a write.
        let word = if kind.writes().next().is_some() { "write" } else { kind.as_str() };
        word.parse().ok()
    }
}

#[cfg(test)]
mod tests;
