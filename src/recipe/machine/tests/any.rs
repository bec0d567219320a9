//! With any definition and any events, the machine never panics, never loops without asking, and decides the same after
//! a resume.

use super::*;
use crate::domain::Decision;
use crate::engine::Phase;
use crate::engine::state::Question;
use proptest::prelude::*;
use std::fmt::Write as _;

const CHECKS: [(&str, &[&str]); 4] = [
    ("run", &["ok", "failed", "timed_out", "nothing_shown", "nothing"]),
    ("reply", &["answered", "nothing"]),
    ("written", &["written", "nothing"]),
    ("tests", &["green", "red", "broken", "unclear", "nothing"]),
];

/// A step as numbers: its check, its round limit, where each verdict leads, and whether it protects files.
type StepNumbers = (usize, u32, Vec<usize>, bool);

/// A definition in which any verdict may lead anywhere.
fn definition(steps: &[StepNumbers]) -> String {
    let mut text =
        "name = \"any\"\ntitle = \"Any\"\nwhen = \"W\"\nprompt = \"P\"\n[limits]\nreplies = 3\n".to_owned();
    for (at, (check, rounds, ways, protects)) in steps.iter().enumerate() {
        let (check, verdicts) = CHECKS[check % CHECKS.len()];
        // A step whose check is `alone` may have no text.
        let say = if check == "tests" && rounds % 2 == 0 { "" } else { "say = \"Do it. {note}\"\n" };
        let protects = if *protects { "protects = [\"s0\"]\n" } else { "" };
        write!(text, "[[step]]\nname = \"s{at}\"\ntitle = \"S\"\ncheck = \"{check}\"\nrounds = {rounds}\n{say}{protects}").unwrap();
        for (verdict, way) in verdicts.iter().chain(&["rounds"]).zip(ways) {
            let targets = steps.len() + 4;
            let then = match way % targets {
                // So that every step can be reached and left.
                _ if *verdict == verdicts[0] => "next".into(),
                0 => "next".into(),
                1 if *verdict != "rounds" => "again".into(),
                2 => "end".into(),
                3 => "stop".into(),
                step => format!("s{}", step % steps.len()),
            };
            write!(text, "[step.on.{verdict}]\nthen = \"{then}\"\n").unwrap();
        }
    }
    text + "[end]\nsummary = \"{steps}\"\n"
}

fn any_step() -> impl Strategy<Value = StepNumbers> {
    (0..4usize, 1..4u32, prop::collection::vec(0..9usize, 6), any::<bool>())
}

/// Does whatever the current phase allows, chosen by a number.
fn happens(t: &mut RecipeDialogue, what: usize) {
    let phase = t.d.state().phase.clone();
    match phase {
        Phase::Replying(_) => {
            match what % 4 {
                0 => t.d.reply("Words."),
                1 => t.codes(),
                2 => t.d.reply(""),
                _ => {
                    let path = ["tests/test_slug.py", "slug.py", "../x"][what % 3];
                    t.calls(&[write(path, "x\n")])
                }
            };
        }
        Phase::Deciding(block) => {
            t.look();
            match what % 5 {
                0 => drop(t.d.skip(block.0)),
                1 => drop(t.d.reject(block.0, "no")),
                2 => drop(t.d.decide(block.0, Decision::Edit("print(2)\n".into()))),
                _ => drop(t.d.type_run(block.0)),
            }
        }
        Phase::Running(run) => {
            let names = ["pytest/green", "pytest/wrong", "pytest/syntax", "pytest/missing-module"];
            let report = match what % 7 {
                0 => changed(Outcome::Ok, &["tests/test_slug.py", "slug.py"]),
                1 => report(Outcome::Failed),
                2 => report(Outcome::TimedOut),
                at => printed(names[at - 3]),
            };
            t.d.ended_as(run.0, report);
        }
        Phase::Asking(Question::Form(_)) => {
            let choice = ["keep the change", "go on without it", "stop", "?"][what % 4];
            t.choose(choice);
        }
        Phase::Asking(_) => drop(t.d.command(Command::Continue)),
        Phase::Stuck(_) => drop(t.d.command(Command::Retry)),
        Phase::Idle | Phase::Compacting(_) => {}
    }
}

/// The phase of a session, without details that do not survive a resume.
fn place(t: &RecipeDialogue) -> String {
    match &t.d.state().phase {
        Phase::Replying(_) | Phase::Stuck(_) => "asked".into(),
        Phase::Deciding(block) => format!("deciding {block}"),
        Phase::Asking(Question::Form(form)) => format!("form {}", form.name),
        Phase::Asking(_) => "asked".into(),
        other => format!("{other:?}"),
    }
}

proptest! {
    #![proptest_config(crate::test_cases::cases(96))]

    #[test]
    fn any_recipe_goes_on_or_ends(
        steps in prop::collection::vec(any_step(), 1..4),
        events in prop::collection::vec(0..420usize, 1..60),
    ) {
        let text = definition(&steps);
        let recipe = Recipe::read(&text, None).unwrap();
        let settings = Settings { workflows: workflows(), dialect: Some(Dialect::Tools), step_limit: 50, repeat_limit: 50, ..Settings::default() };
        let mut t = RecipeDialogue::with(Dialogue::with(settings));
        begin(&mut t.d, &recipe, &[], &[("runners", "pytest")]);
        for what in events {
            happens(&mut t, what);
            let before = (place(&t), t.d.state().transcript.items.len());
            if before.0 == "Idle" {
                break;
            }
            if what % 11 == 0 && !before.0.starts_with("Running") {
                t.d.reopen();
                // Resuming adds one item, and the session waits for the same.
                prop_assert_eq!(&before.0, &place(&t), "{}", text);
                prop_assert_eq!(before.1 + 1, t.d.state().transcript.items.len());
            }
        }
    }

    #[test]
    fn rounds_come_to_an_end(steps in prop::collection::vec(any_step(), 1..4), what in 0..4usize) {
        let text = definition(&steps);
        let recipe = Recipe::read(&text, None).unwrap();
        let limit: u32 = steps.iter().map(|step| step.1).sum();
        let mut d = dialogue();
        begin(&mut d, &recipe, &[], &[]);
        // A model that never does anything is asked once for each round, and no more.
        for _ in 0..limit {
            d.reply(["Words.", "", "…", "No."][what]);
        }
        prop_assert_eq!(place(&RecipeDialogue::with(d)), "Idle", "{}", text);
    }
}
