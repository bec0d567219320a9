//! Scripted sessions about files of functions.

use super::super::dialogue::{Dialogue, TextChecks as _, confined, in_kernel};
use super::*;
use crate::domain::{Limits, OnDisk, Parameter, ParameterKind, Review, RunEvent, Target};
use crate::engine::{Command, Event, Settings};

/// A function that takes a number.
pub(super) fn function(name: &str) -> Function {
    let parameter = Parameter {
        name: "r".into(),
        kind: ParameterKind::Named,
        annotation: "float".into(),
        required: true,
        default: None,
    };
    Function {
        name: name.into(),
        signature: format!("{name}(r: float)"),
        doc: "Its area.\n\nIn cm.".into(),
        parameters: vec![parameter],
    }
}

fn dialogue() -> Dialogue {
    let file = FunctionFile { path: "/home/ann/tools.py".into(), source: "def area(r): ...\n".into() };
    Dialogue::with(Settings { functions: vec![file], system_prompt: "Base.".into(), ..Settings::default() })
}

fn load_terms(generation: u32) -> Terms {
    let target = Target { bytes: 1, outside: true, ..Target::at("/home/ann/tools.py", OnDisk::File(None)) };
    let kernel = in_kernel(generation).kernel;
    Terms { target: Some(target), kernel, ..confined() }
}

fn inspected(dialogue: &mut Dialogue, block: u32, generation: u32) -> String {
    dialogue.inspected(block, Review::default(), Ok(load_terms(generation)))
}

fn loaded(dialogue: &mut Dialogue) -> String {
    let run = dialogue.state().live.run.as_ref().unwrap().run;
    dialogue.send(Event::Run(run, RunEvent::Functions(vec![function("area")])));
    dialogue.ended(run.0, Outcome::Ok)
}

fn system(dialogue: &Dialogue) -> String {
    dialogue.request()[0].text.clone()
}

#[test]
fn a_file_waits_before_the_first_step_and_is_told_after_it_was_loaded() {
    let mut d = dialogue();
    d.user("go").has("+block 1").ends("deciding 1").lacks("ask s");
    inspected(&mut d, 1, 1);
    assert!(d.type_run(1).contains("start r1"));
    loaded(&mut d).has("ask s1");
    system(&d).has("- area(r: float)\n    Its area.\n    In cm.");
    // The result of the file is not sent as a result of the model's blocks.
    assert_eq!(d.request().len(), 2);
}

#[test]
fn a_file_that_is_skipped_is_not_asked_for_again() {
    let mut d = dialogue();
    d.user("go");
    inspected(&mut d, 1, 1);
    d.command(Command::SkipAll).has("ask s1");
    assert!(system(&d).ends_with("Base."));
    d.reply("Done.");
    d.user("more").has("ask s2");
}

#[test]
fn a_new_kernel_gets_the_same_bytes_without_a_question_and_other_terms_with_one() {
    let mut d = dialogue();
    d.user("go");
    inspected(&mut d, 1, 1);
    d.type_run(1);
    loaded(&mut d);
    d.reply("Done.");
    d.command(Command::RestartKernel);
    assert!(d.state().live.functions.is_empty());
    d.user("again").has("deciding 2").lacks("ask");
    inspected(&mut d, 2, 2).has("+approved r2 2.1 before").has("start r2");
    loaded(&mut d);
    assert_eq!(d.state().live.functions.len(), 1);
    d.reply("Done.");

    d.command(Command::RestartKernel);
    d.user("and again");
    let other = Terms { limits: Limits { wall_ms: 1, ..Limits::default() }, ..load_terms(3) };
    d.inspected(3, Review::default(), Ok(other)).lacks("start");
    assert!(matches!(d.state().phase, Phase::Deciding(BlockId(3))));
}

#[test]
fn after_a_resume_it_is_asked_again() {
    let mut d = dialogue();
    d.user("go");
    inspected(&mut d, 1, 1);
    d.type_run(1);
    loaded(&mut d);
    d.reply("Done.");
    d.reopen();
    assert!(d.state().live.functions.is_empty());
    d.user("more");
    inspected(&mut d, 2, 1).lacks("start");
    assert!(matches!(d.state().phase, Phase::Deciding(BlockId(2))));
}

#[test]
fn a_session_that_was_closed_while_a_file_waited_goes_on_there() {
    let mut d = dialogue();
    d.user("go");
    d.reopen().ends("deciding 1");
    d.command(Command::SkipAll).has("ask s1");
}

#[test]
fn a_file_that_changed_while_its_block_waited_is_proposed_with_its_new_text() {
    let mut d = dialogue();
    d.user("go");
    d.watched.engine.settings.functions[0].source = "def area(r, h): ...\n".into();
    d.reopen().ends("deciding 1");
    d.command(Command::SkipAll);
    let block = d.block(2);
    assert_eq!(&*block.current().source, "def area(r, h): ...\n");
    d.command(Command::SkipAll).has("ask s1");
}

#[test]
fn a_load_error_leaves_the_turn_going() {
    let mut d = dialogue();
    d.user("go");
    inspected(&mut d, 1, 1);
    d.type_run(1);
    d.ended(1, Outcome::Failed).has("ask s1");
    assert!(system(&d).ends_with("Base."));
}
