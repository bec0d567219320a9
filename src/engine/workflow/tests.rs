//! A small recipe in scripted sessions: it declines, proposes, asks, ends; and continues after a resume.

use super::*;
use crate::domain::{Decision, Field, FieldKind, Finding, RecipeStart, Severity};
use crate::domain::{Outcome, Revision};
use crate::engine::dialogue::{Dialogue, TextChecks as _, report};
use crate::engine::{Command, Event, Settings};

/// A recipe that wants one block, checks it with a block of its own, asks for a name, and ends.
#[derive(Debug)]
struct Small;

impl WorkflowOpener for Small {
    fn open(&self, start: &RecipeStart) -> Result<Arc<dyn Workflow>, WorkflowError> {
        let unknown =
            || WorkflowError::Definition { name: start.name.clone(), fault: "nobody knows it".into() };
        if start.name == "small" { Ok(Arc::new(Small)) } else { Err(unknown()) }
    }
}

impl Workflow for Small {
    fn next(&self, context: &WorkflowContext<'_>) -> Vec<WorkflowStep> {
        let said = |round| WorkflowStep::Say {
            step: "one".into(),
            title: "One".into(),
            round,
            text: format!("Round {round} of {}.", context.input("what")),
        };
        let last = context.items().rev().find_map(|(at, item)| match item {
            Item::Recipe { fact, .. } => Some((at, fact.as_ref())),
            _ => None,
        });
        let Some((at, fact)) = last else { return vec![said(1), WorkflowStep::Ask] };
        let ran = |own| {
            let mut settled = context.settled_since(at).filter_map(|settled| context.block(settled.block));
            settled.any(|item| item.block.is_own() == own && !item.runs.is_empty())
        };
        match fact {
            RecipeFact::Said { round, .. } if ran(true) => {
                let (step, verdict) = ("one".into(), "good".into());
                let outcome = RoundOutcome { step, round: *round, verdict, note: String::new() };
                vec![WorkflowStep::Judge(outcome), WorkflowStep::Form(form())]
            }
            RecipeFact::Said { .. } if ran(false) => vec![WorkflowStep::Propose {
                kind: BlockKind::Code { language: Some(Language::bash()) },
                language: Language::bash(),
                source: "true\n".into(),
                note: "check it".into(),
            }],
            RecipeFact::Said { round: 1, .. }
                if matches!(context.items().next_back(), Some((_, Item::Reply(_)))) =>
            {
                vec![said(2), WorkflowStep::Ask]
            }
            RecipeFact::Said { round: 1, .. } => vec![WorkflowStep::Ask],
            RecipeFact::Judged(_) => vec![WorkflowStep::Form(form())],
            RecipeFact::Answered { answers, .. } => {
                vec![WorkflowStep::End { end: RecipeEnd::Done, summary: format!("{answers:?}") }]
            }
            _ => Vec::new(),
        }
    }

    fn declines(&self, _: &WorkflowContext<'_>, block: &Block) -> Option<String> {
        block.current().source.contains("bad").then(|| "it is\nbad".into())
    }

    fn remarks(&self, _: &WorkflowContext<'_>, block: &Block, _: &Review) -> Vec<Finding> {
        let finding = |message: &str| Finding::new("recipe.small", Severity::High, message);
        if block.current().source.contains("grave") { vec![finding("is grave")] } else { Vec::new() }
    }

    fn before(&self, _: &WorkflowContext<'_>, _: &Block) -> Option<Arc<str>> {
        Some("old\n".into())
    }

    fn strict(&self, _: &WorkflowContext<'_>, block: &Block) -> bool {
        !block.is_own()
    }
}

fn form() -> Form {
    let field = Field {
        name: "n".into(),
        label: "How many?".into(),
        help: String::new(),
        kind: FieldKind::Number { min: Some(1), max: None, whole: true },
        required: true,
        default: None,
    };
    Form { name: "count".into(), title: "Count".into(), note: String::new(), fields: vec![field] }
}

fn dialogue() -> Dialogue {
    Dialogue::with(Settings { workflows: Workflows(Some(Arc::new(Small))), ..Settings::default() })
}

fn begin(d: &mut Dialogue, name: &str) -> String {
    let start = RecipeStart {
        name: name.into(),
        definition: "".into(),
        inputs: vec![("what".into(), "tea".into())],
        facts: Vec::new(),
        prompt: "small: tea".into(),
    };
    d.send(Event::RecipeReady(Box::new(start)))
}

fn answer(d: &mut Dialogue, text: &str) -> String {
    d.command(Command::Answer(vec![("n".into(), text.into())]))
}

#[test]
fn a_recipe_goes_its_workflow() {
    let mut d = dialogue();
    begin(&mut d, "small").is("+prompt, +named small-tea, +recipe small, +said one.1, ask s1 | replying s1");
    assert!(d.told().contains("Round 1 of tea."), "{}", d.told());
    d.reply("```python\nprint('bad')\n```\n").has("+declined 1").has("+said one.2, ask s2");
    assert!(d.told().contains("not offered to the person") && d.told().contains("it is bad"), "{}", d.told());
    d.reply("```python\nprint('good')\n```\n").ends("deciding 2");
    d.accepts(2);
    d.ended_as(1, report(Outcome::Ok)).has("+block 3").ends("deciding 3");
    let bash = crate::domain::samples::in_subprocess(Language::bash());
    d.accepts_under(3, bash);
    d.ended_as(2, report(Outcome::Ok)).has("+judged one.2 good").ends("asking: form count");
    answer(&mut d, "0").has("at least 1").ends("asking: form count");
    answer(&mut d, "3").has("+answered count, +recipe done, +end answered").ends("idle");
}

#[test]
fn a_look_is_strict_and_knows_what_the_recipe_says() {
    let mut d = dialogue();
    begin(&mut d, "small");
    let text = "```python\nprint('grave')\n```\n";
    d.reply(text);
    let looks = |d: &Dialogue| d.state().inspected(BlockId(1)).cloned();
    d.inspected_ok(1);
    let inspected = looks(&d).unwrap();
    assert_eq!(
        (inspected.before.as_deref(), inspected.review.gravest()),
        (Some("old\n"), Some(Severity::High))
    );
    let item = d.block(1).clone();
    assert!(d.watched.engine.is_strict(&item));
}

#[test]
fn it_ends_with_its_turn_and_begins_between_turns_only() {
    let mut d = dialogue();
    begin(&mut d, "small");
    assert!(begin(&mut d, "small").contains("between turns"));
    d.command(Command::Stop).has("+recipe stopped, +end stopped");
    assert!(begin(&mut d, "other").contains("nobody knows it"));
    begin(&mut d, "small");
    d.reply("```python\nprint('good')\n```\n");
    d.inspected_ok(1);
    let line = d.decide(1, Decision::Skip);
    // Nothing ran, so the recipe begins its second round.
    assert!(line.contains("+skipped 1") && !line.contains("+end"), "{line}");
    assert_eq!(d.block(1).current().revision, Revision(1));
}

#[test]
fn it_goes_on_after_the_session_was_opened_again() {
    let mut d = dialogue();
    begin(&mut d, "small");
    // The reply never arrived: no request is sent by itself.
    assert!(d.reopen().ends_with("stuck cut"));
    d.command(Command::Retry).has("ask s");
    d.reply("```python\nprint('good')\n```\n");
    assert!(d.reopen().ends_with("deciding 1"));
    d.accepts(1);
    d.ended_as(1, report(Outcome::Ok)).has("+block 2").ends("deciding 2");
    assert!(d.reopen().ends_with("deciding 2"));
    // In a foreign session nobody knows what was agreed.
    d.foreign();
    d.reopen().has("+recipe gave_up").has("foreign").ends("deciding 2");
}
