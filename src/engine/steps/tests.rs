//! Tests of the log made from folded transcripts.

use super::*;
use crate::domain::*;

struct Session {
    transcript: Transcript,
    now: Timestamp,
}

impl Session {
    fn new() -> Self {
        Self { transcript: Transcript::default(), now: Timestamp(0) }
    }

    /// Applies an entry one second later.
    fn then(&mut self, entry: Entry) -> &mut Self {
        self.now = self.now.plus(1_000);
        self.transcript.apply(entry, self.now);
        self
    }

    fn reply(&mut self, step: u32, blocks: &[u32]) -> &mut Self {
        let usage = Usage { input: Some(100), output: Some(10), ..Usage::default() };
        let finish = Finish { reason: FinishReason::Stop, word: None };
        self.then(samples::reply_ended(step, ("", ""), finish, usage));
        for id in blocks {
            self.block(step, *id, None);
        }
        self
    }

    fn block(&mut self, step: u32, id: u32, note: Option<&str>) -> &mut Self {
        let origin = note.map_or_else(|| Origin::fence("", 0..0), Origin::own);
        let code = samples::code(id, Language::bash(), "true\n");
        self.then(Entry::Block(Block { step: StepId(step), origin, ..code }))
    }

    fn ran(&mut self, block: u32) -> &mut Self {
        self.then(samples::approved(block, (block, 1), "true\n", samples::terms(), samples::BY_PERSON));
        self.then(samples::ran(block, block, crate::engine::dialogue::report(Outcome::Failed)))
    }

    fn said(&mut self, step: &str, round: u32) -> &mut Self {
        let (step, title, text) = (step.to_owned(), step.to_uppercase(), String::new());
        self.then(Entry::Recipe(RecipeFact::Said { step, title, round, text }))
    }
}

#[test]
fn nothing_is_no_turn_and_a_question_is_one_without_steps() {
    assert!(turns(&Transcript::default(), &BTreeMap::new()).is_empty());
    let mut session = Session::new();
    session.then(Entry::Prompt("hello".into()));
    let log = turns(&session.transcript, &BTreeMap::new());
    let [turn] = log.as_slice() else { panic!("{log:?}") };
    assert_eq!((turn.number, turn.prompt, turn.steps.len(), turn.end), (1, "hello", 0, None));
}

#[test]
fn a_step_has_its_reply_its_blocks_and_their_outcomes() {
    let mut session = Session::new();
    session.then(Entry::Prompt("a".into())).reply(1, &[1, 2]).ran(1);
    session.then(Entry::Skipped { block: BlockId(2), revision: Revision(1) });
    session.reply(2, &[]).then(Entry::TurnEnd(TurnEnd::Answered));
    session.then(Entry::Prompt("b".into())).reply(3, &[3]);
    let costs = BTreeMap::from([(StepId(1), 7), (StepId(3), 5)]);
    let log = turns(&session.transcript, &costs);
    let [first, second] = log.as_slice() else { panic!("{log:?}") };
    assert_eq!(first.end, Some(&TurnEnd::Answered));
    let [one, two] = first.steps.as_slice() else { panic!("{first:?}") };
    let decided: Vec<_> = one.blocks.iter().map(|block| block.decided().as_str()).collect();
    assert_eq!(decided, ["approved", "skipped"]);
    let states: Vec<_> =
        one.blocks.iter().flat_map(|block| block.runs()).map(|(_, state, _)| state).collect();
    assert!(matches!(states.as_slice(), [BlockState::Failed(_)]), "{states:?}");
    // Prompt at 1 s, reply at 2 s; the blocks are settled at 7 s, the next reply comes at 8 s.
    assert_eq!((one.reply_ms(), two.reply_ms()), (Some(1_000), Some(1_000)));
    let sum = first.sum();
    assert_eq!((sum.input, sum.output, sum.cost, sum.unknown, sum.runs), (200, 20, 7, 1, 1));
    assert_eq!((second.number, second.steps.len(), second.sum().cost), (2, 1, 5));
    assert_eq!(second.steps.first().map(|step| step.number), Some(1));
}

#[test]
fn a_run_much_later_does_not_stretch_the_step_behind_it() {
    let mut session = Session::new();
    session.then(Entry::Prompt("a".into())).reply(1, &[1]).ran(1).reply(2, &[]);
    session.then(Entry::TurnEnd(TurnEnd::Answered)).then(Entry::Reopened(BlockId(1))).ran(1);
    let log = turns(&session.transcript, &BTreeMap::new());
    let waited: Vec<_> = log.iter().flat_map(|turn| &turn.steps).map(ModelStep::reply_ms).collect();
    assert_eq!(waited, [Some(1_000), Some(1_000)]);
}

#[test]
fn rounds_of_a_recipe_are_steps_with_its_own_blocks() {
    let mut session = Session::new();
    let start = RecipeStart {
        name: "tidy".into(),
        definition: "".into(),
        inputs: Vec::new(),
        facts: Vec::new(),
        prompt: "Tidy up".into(),
    };
    session.then(Entry::Prompt("Tidy up".into())).then(Entry::Recipe(RecipeFact::Began(Box::new(start))));
    session.said("net", 1).block(0, 1, Some("run the tests")).ran(1);
    let outcome = |step: &str, verdict: &str| RoundOutcome {
        step: step.into(),
        round: 1,
        verdict: verdict.into(),
        note: String::new(),
    };
    session.then(Entry::Recipe(RecipeFact::Judged(outcome("net", "green"))));
    session.said("change", 1).reply(1, &[2]).block(1, 3, Some("run the tests again"));
    session.then(Entry::Recipe(RecipeFact::Judged(outcome("change", "red"))));
    let ended = RecipeFact::Ended { end: RecipeEnd::Limit, summary: String::new() };
    session.then(Entry::Recipe(ended)).then(Entry::TurnEnd(TurnEnd::Answered));
    let log = turns(&session.transcript, &BTreeMap::new());
    let [turn] = log.as_slice() else { panic!("{log:?}") };
    assert_eq!((turn.recipe, turn.recipe_end), (Some("tidy"), Some(RecipeEnd::Limit)));
    let [net, change] = turn.steps.as_slice() else { panic!("{turn:?}") };
    assert!(net.reply.is_none());
    assert_eq!(net.round.map(|round| (round.step, round.title, round.round)), Some(("net", "NET", 1)));
    assert_eq!(net.judged.map(|judged| judged.verdict.as_str()), Some("green"));
    assert_eq!(net.blocks.first().and_then(|block| block.note()), Some("run the tests"));
    let ids: Vec<_> = change.blocks.iter().map(|block| (block.id().0, block.note().is_some())).collect();
    assert_eq!(ids, [(2, false), (3, true)]);
    assert_eq!(change.judged.map(|judged| judged.verdict.as_str()), Some("red"));
}
