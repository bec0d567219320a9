//! Scripted sessions about rebuilding a kernel.

use super::*;
use crate::domain::{
    Effects, ExecutorKind, FileChange, KernelRef, OutputBuffer, Review, RunError, RunEvent, RunReport,
    Stream, Terms, Variable,
};
use crate::engine::Command;
use crate::engine::dialogue::{Dialogue, TextChecks as _, in_kernel, report, terms};
use std::sync::Arc;

/// A block that ran in the previous kernel.
#[derive(Clone)]
struct EarlierBlock {
    text: String,
    /// A file that it wrote.
    wrote: Option<&'static str>,
    value: Option<&'static str>,
    outcome: Outcome,
}

fn pure(text: &str) -> EarlierBlock {
    EarlierBlock { text: text.into(), wrote: None, value: None, outcome: Outcome::Ok }
}

fn writes(text: &str) -> EarlierBlock {
    EarlierBlock { wrote: Some("out.csv"), ..pure(text) }
}

/// The report of a run that wrote this file and showed this value.
fn ended(wrote: Option<&str>, value: Option<&str>, outcome: Outcome) -> RunReport {
    let mut report = report(outcome);
    let file = |path: &str| FileChange::new(path, "created", 3);
    report.receipt.files = wrote.map(file).into_iter().collect();
    report.value = value.map(str::to_owned);
    report
}

/// A session in which these blocks ran in a kernel that is now gone.
fn worked(blocks: &[EarlierBlock]) -> Dialogue {
    let mut d = Dialogue::after_prompt("go");
    for (number, block) in (1..).zip(blocks) {
        d.reply(&format!("```python\n{}\n```\n", block.text));
        let writes = block.wrote.map(str::to_owned).into_iter().collect();
        let review = Review { effects: Effects { writes, ..Effects::default() }, ..Review::default() };
        d.inspected(number, review, Ok(terms()));
        d.type_run(number);
        d.started(number);
        d.ended_as(number, ended(block.wrote, block.value, block.outcome.clone()));
    }
    d.reply("Done.");
    d.reopen();
    d
}

fn plan(d: &Dialogue) -> RebuildPlan {
    RebuildPlan::of(d.state())
}

/// How many blocks each decision has.
fn decisions(d: &Dialogue) -> Vec<usize> {
    let plan = plan(d);
    plan.decisions(&plan.offered_runs()).iter().map(Vec::len).collect()
}

/// Starts the whole plan.
fn rebuild(d: &mut Dialogue) -> String {
    let runs = plan(d).offered_runs();
    d.command(Command::Rebuild(runs))
}

/// `1 restorable; 3 again; 4 left out`
fn told(plan: &RebuildPlan) -> String {
    let step = |step: &RebuildStep| {
        let state = match step.state {
            StepState::Live => "live",
            StepState::Restorable => "restorable",
            StepState::RunAgain(_) => "again",
            StepState::LeftOut(_) => "left out",
        };
        format!("{} {state}", step.block)
    };
    plan.steps.iter().map(step).collect::<Vec<_>>().join("; ")
}

#[test]
fn a_plan_names_what_made_the_kernel_before_and_what_each_block_took_and_touched() {
    let failed = EarlierBlock { outcome: Outcome::Failed, ..pure("1/0") };
    let d = worked(&[pure("x = 1"), failed, writes("y = x + 1\nsave(y)"), pure("z = y")]);
    let plan = plan(&d);
    assert_eq!(told(&plan), "1 restorable; 3 again; 4 restorable");
    assert_eq!(plan.steps[1].touched, ["wrote out.csv"]);
    assert!(plan.steps.iter().all(|step| step.wall_us == 800_000));
    let variables = plan.variables();
    assert_eq!((variables.restorable, variables.again), (vec!["x".into()], vec!["y".into(), "z".into()]));
    assert_eq!(RebuildPlan::of(Dialogue::new().state()), RebuildPlan::default());
}

#[test]
fn blocks_that_touch_nothing_come_together_and_take_one_decision() {
    let mut d = worked(&[pure("x = 1"), pure("y = x + 1"), writes("save(y)"), pure("z = 3")]);
    assert_eq!(decisions(&d), [2, 1, 1]);
    let line = rebuild(&mut d);
    assert!(line.contains("+block 5, look 5.1") && line.ends_with("| deciding 5"), "{line}");
    let item = &d.state().transcript.blocks[&BlockId(5)];
    assert_eq!(
        &*item.block.current().source,
        "# Blocks that come back together: each tells its end.\n# block 1\nx = 1\n\n# block 2\ny = x + 1\n"
    );
    // The kernel recognises the text by this line.
    let kernel = include_str!("../../../assets/kernel.py");
    assert!(kernel.contains("\nTOGETHER = \"# Blocks that come back together: each tells its end.\"\n"));
    assert!(item.block.is_own());
    // It is decided about like every block, and is one run.
    d.inspected_ok(5).lacks("start");
    d.type_run(5).has("+approved r5 5.1 person").has("start r5");
    d.passes(5, Outcome::Ok).has("+back 3").lacks("ask");
    // The approval was for the first decision only.
    d.inspected_ok(3).lacks("start");
    d.type_run(3).has("start r6");
    d.started(6);
    assert!(d.ended_as(6, ended(Some("out.csv"), None, Outcome::Ok)).contains("+back 4"));
    d.runs(4, 7, Outcome::Ok).has("4 blocks").ends("| idle");
}

#[test]
fn a_block_that_is_skipped_leaves_the_others_to_be_decided() {
    let mut d = worked(&[writes("save(1)"), writes("save(2)")]);
    rebuild(&mut d);
    d.inspected_ok(1);
    d.skip(1).has("+back 2").ends("deciding 2");
    d.inspected_ok(2);
    d.skip(2).has("0 blocks").ends("| idle");
}

/// A session with three steps that are decided one by one, the first of which ran.
fn begun() -> Dialogue {
    let mut d = worked(&[writes("a = 1"), writes("b = 2"), writes("c = 3")]);
    rebuild(&mut d);
    d.runs_into(1, 4, ended(Some("out.csv"), None, Outcome::Ok)).has("+back 2");
    d
}

#[test]
fn a_plan_goes_on_only_in_the_kernel_that_it_was_begun_in() {
    let mut d = begun();
    d.accepts_under(2, in_kernel(2));
    d.started(5);
    let line = d.ended_as(5, ended(Some("out.csv"), None, Outcome::Ok));
    let told = "Block 2 ran in another kernel than those before it: 1 block not run again.";
    assert!(line.contains(told) && !line.contains("+back"), "{line}");

    let mut d = begun();
    let lost = KernelFate::Lost(KernelRef { generation: 1, variables: 14, keeps_running: false });
    let line = d.runs_into(2, 5, RunReport { kernel: lost, ..ended(Some("out.csv"), None, Outcome::Ok) });
    assert!(line.contains("Block 2 done: exit 0, 0.8 s. Kernel k1 is gone: 14 variables lost."), "{line}");
    assert!(line.contains("1 block not run again") && !line.contains("+back"), "{line}");

    let mut d = begun();
    d.command(Command::RestartKernel);
    d.runs_into(2, 5, ended(Some("out.csv"), None, Outcome::Ok)).lacks("+back").lacks("again");
}

#[test]
fn the_first_that_does_something_else_ends_the_plan() {
    let mut d = worked(&[writes("x = f()"), EarlierBlock { value: Some("7"), ..writes("x") }, pure("y = x")]);
    rebuild(&mut d);
    d.runs_into(1, 4, ended(Some("out.csv"), None, Outcome::Ok)).has("+back 2");
    let line = d.runs_into(2, 5, ended(Some("out.csv"), Some("8"), Outcome::Ok));
    line.has("differs in value, line 1: then 7; now 8").has("1 block not run again");
    assert!(!line.contains("+back") && line.ends_with("| idle"), "{line}");
    // It continues there when the person starts it again.
    assert_eq!(told(&plan(&d)), "1 live; 2 live; 3 restorable");
    assert!(rebuild(&mut d).contains("+back 3"));
    assert!(d.runs(3, 6, Outcome::Ok).contains("1 block"));
    assert_eq!(told(&plan(&d)), "1 live; 2 live; 3 live");
    assert!(plan(&d).offered_runs().is_empty());
}

/// The report of a run with this output and value.
fn printing(stdout: &str, stderr: &str, value: Option<&str>) -> RunReport {
    let mut ran = report(Outcome::Ok);
    ran.output.push(Stream::Stdout, stdout.as_bytes());
    ran.output.push(Stream::Stderr, stderr.as_bytes());
    ran.value = value.map(str::to_owned);
    ran
}

/// A session with two blocks that printed and showed something, whose merged text waits.
fn together() -> Dialogue {
    let mut d = Dialogue::after_prompt("go");
    let first = printing("a\n", "hm\n", Some("7"));
    for (number, ran) in [(1, first), (2, printing("b\n", "", Some("8")))] {
        d.reply("```python\nprint('a')\n```\n");
        d.runs_into(number, number, ran);
    }
    d.reply("Done.");
    d.reopen();
    rebuild(&mut d);
    d
}

/// Reports the end of a part of a run, and everything printed so far.
fn tells_end(d: &mut Dialogue, run: u32, part: u32, stdout: &str) -> String {
    let printed = Box::new(printing(stdout, "", None).output);
    d.ran(run, RunEvent::PartEnded { part, printed })
}

/// Runs block 3, the merged text of two: it waits at the end of its first part, and ends there if it is told to.
fn goes_through(d: &mut Dialogue, ran: RunReport) -> String {
    d.started(3);
    let stdout = String::from_utf8(ran.output.bytes(Stream::Stdout)).unwrap();
    let end = "\n[end of block 1]\n";
    if let Some(at) = stdout.rfind(end) {
        let first = &stdout[..at + end.len()];
        let line = tells_end(d, 3, 1, first);
        if line.contains("end r3 1 'Block 1 differs") {
            return d.ended_as(3, printing(first, "hm\n", None));
        }
        assert!(line.contains("go on r3 1"), "{line}");
    }
    d.ended_as(3, ran)
}

fn runs_together(d: &mut Dialogue, ran: RunReport) -> String {
    d.accepts(3);
    goes_through(d, ran)
}

#[test]
fn of_blocks_that_came_back_together_each_is_compared_with_its_own_end() {
    let first = "a\n\n[value of block 1]\n7\n[end of block 1]\n";
    for (stdout, stderr, value, wanted) in [
        (format!("{first}b\n"), "hm\n", "8", "2 blocks ran again"),
        (format!("{first}b\n"), "hm\n", "9", "Block 2 differs in value, line 1: then 8; now 9"),
        (format!("{first}c\n"), "hm\n", "8", "Block 2 differs in stdout, line 1: then b; now c"),
        (first.replace('7', "6"), "", "9", "then 7; now 6. 1 block not run again."),
        (first.replace("a\n\n", "x\n\n"), "hm\n", "9", "Block 1 differs in stdout, line 1: then a; now x"),
        // Marks that a block itself prints count as its output and hide nothing.
        (format!("{first}{first}b\n"), "hm\n", "8", "Block 1 differs in stdout, line 2"),
        (format!("{first}b\n\n[end of block 2]\n"), "hm\n", "8", "Block 2 differs in stdout, line 2"),
        (format!("{first}b\n"), "", "8", "Block 3 differs in stderr"),
        ("a\n\n[end of block 1]\nb\n".into(), "hm\n", "8", "Block 1 differs in value: then 7; now nothing"),
        // If no end is marked, the outputs are compared as a whole.
        ("a\nb\n".into(), "hm\n", "8", "2 blocks ran again"),
        ("a\nc\n".into(), "hm\n", "8", "Block 3 differs in stdout, line 2: then b; now c"),
    ] {
        let mut d = together();
        let line = runs_together(&mut d, printing(&stdout, stderr, Some(value)));
        assert!(line.contains(wanted) && !line.contains("ran behind"), "{wanted}: {line}");
    }
}

fn shows(text: &str, value: &'static str) -> EarlierBlock {
    EarlierBlock { value: Some(value), ..pure(text) }
}

#[test]
fn of_three_that_came_back_together_the_third_does_not_run_behind_a_difference() {
    let mut d = worked(&[shows("x = 1\nx", "1"), shows("y = f()\ny", "2"), shows("z = 3\nz", "3")]);
    rebuild(&mut d);
    d.begins(4, 4);
    let one = "\n[value of block 1]\n1\n[end of block 1]\n";
    assert!(tells_end(&mut d, 4, 1, one).contains("go on r4 1"));
    let two = format!("{one}\n[value of block 2]\n5\n[end of block 2]\n");
    let line = tells_end(&mut d, 4, 2, &two);
    let why = "Block 2 differs in value, line 1: then 2; now 5.";
    assert!(line.contains(&format!("end r4 2 '{why} The run was ended here.'")), "{line}");
    d.ended_as(4, printing(&two, "", None)).has(&format!("{why} 1 block not run again.")).ends("| idle");
    // The part that did not run is missing, and comes back as a block of its own.
    assert_eq!(told(&plan(&d)), "1 live; 2 live; 3 restorable");
    assert!(rebuild(&mut d).contains("+back 3"));
    assert!(d.runs_into(3, 5, ended(None, Some("3"), Outcome::Ok)).contains("1 block"));
    assert_eq!(told(&plan(&d)), "1 live; 2 live; 3 live");
}

#[test]
fn each_end_of_a_part_is_answered() {
    let first = "a\n\n[value of block 1]\n7\n[end of block 1]\n";
    let mut d = together();
    d.begins(3, 3);
    // A report for a part that is not the next one (sent by code that imitates the kernel) is ignored.
    assert!(tells_end(&mut d, 3, 2, first).contains("go on r3 2"));
    assert!(tells_end(&mut d, 3, 1, &first.replace('7', "6")).contains("end r3 1"));
    assert!(d.ended_as(3, printing("", "", None)).contains("Block 1 differs"));

    let mut d = together();
    d.begins(3, 3);
    assert!(tells_end(&mut d, 3, 1, first).contains("go on r3 1"));
    assert!(d.stop().contains("interrupt r3"));
    assert!(tells_end(&mut d, 3, 1, first).contains("go on r3 1"));
    d.ended(3, Outcome::Interrupted).has("Block 2 did not end well: 0 blocks not run again.").ends("| idle");
    // The parts before it are in the kernel and don't run again.
    assert_eq!(told(&plan(&d)), "1 live; 2 restorable");

    // Nothing is compared if no plan proposed the text.
    let mut d = Dialogue::after_reply("```python\n1\n```\n");
    d.begins(1, 1);
    assert!(tells_end(&mut d, 1, 1, "x").contains("go on r1 1"));
}

#[test]
fn the_kernel_of_a_container_tells_ends_and_one_of_jupyter_tells_none() {
    let ends = "a\n\n[value of block 1]\n7\n[end of block 1]\nb\n";
    for (executor, stdout) in [(ExecutorKind::Container, ends), (ExecutorKind::Jupyter, "a\nb\n")] {
        let mut d = together();
        d.accepts_under(3, Terms { executor, ..terms() });
        let line = goes_through(&mut d, printing(stdout, "hm\n", Some("8")));
        assert!(line.contains("2 blocks ran again"), "{executor:?}: {line}");
    }
}

#[test]
fn the_block_that_fails_is_named_where_several_came_back_together() {
    for (stdout, block) in [("a\n\n[value of block 1]\n7\n[end of block 1]\n", 2), ("a\n", 1)] {
        let mut d = together();
        let ran = RunReport { outcome: Outcome::Failed, ..printing(stdout, "", None) };
        runs_together(&mut d, ran).has(&format!("Block {block} did not end well"));
    }
}

#[test]
fn of_what_is_too_long_to_be_kept_the_ends_are_no_difference() {
    let mut d = together();
    let mut ran = printing("", "hm\n", Some("8"));
    ran.output = OutputBuffer::new(200);
    ran.output.push(Stream::Stdout, b"a\n\n[value of block 1]\n7\n[end of block 1]\n");
    ran.output.push(Stream::Stdout, &b"b\n".repeat(200));
    ran.output.push(Stream::Stderr, b"hm\n");
    runs_together(&mut d, ran).has("2 blocks ran again").has("Not all was compared");
}

#[test]
fn what_is_no_python_is_blamed_on_no_block_of_several() {
    let end = "a\n\n[value of block 1]\n7\n[end of block 1]\n";
    for (kind, stdout, block) in
        [("SyntaxError", "", 3), ("IndentationError", "", 3), ("NameError", "", 1), ("SyntaxError", end, 2)]
    {
        let mut d = together();
        let error = RunError { kind: kind.into(), message: "x".into(), traceback: String::new() };
        let ran = RunReport { outcome: Outcome::Failed, error: Some(error), ..printing(stdout, "", None) };
        let line = runs_together(&mut d, ran);
        assert!(line.contains(&format!("Block {block} did not end well")), "{kind}: {line}");
    }
}

#[test]
fn what_looks_like_the_beginning_of_another_block_stands_alone() {
    let d = worked(&[pure("a = 1"), pure("t = \"\"\"\n# block 3\n\"\"\""), pure("b = 2")]);
    assert_eq!(decisions(&d), [1, 1, 1]);
}

#[test]
fn a_kernel_that_was_rebuilt_in_part_and_lost_leaves_the_whole_plan() {
    let mut d = worked(&[pure("x = 1"), pure("y = 2"), writes("save(x)")]);
    rebuild(&mut d);
    d.runs(4, 4, Outcome::Ok);
    assert_eq!(told(&plan(&d)), "1 live; 2 live; 3 left out");
    d.skip(3);
    assert_eq!(told(&plan(&d)), "1 live; 2 live; 3 again");
    d.reopen();
    assert_eq!(told(&plan(&d)), "1 restorable; 2 restorable; 3 again");
}

#[test]
fn what_other_blocks_set_in_the_new_kernel_stays_as_it_is() {
    let mut d = worked(&[pure("x = 1"), pure("y = 2")]);
    d.user("more");
    d.reply("```python\nx = 5\n```\n");
    d.runs(3, 3, Outcome::Ok);
    d.reply("Done.");
    let plan = plan(&d);
    assert_eq!(told(&plan), "1 left out; 2 restorable");
    assert_eq!(plan.variables().lost, ["x"]);
    assert_eq!(plan.steps[0].state, StepState::LeftOut("it would set x anew".into()));
}

#[test]
fn what_is_there_is_told_as_live() {
    let mut d = worked(&[pure("x = 1"), pure("y = 2")]);
    let variable = |name: &str| Variable {
        name: name.into(),
        kind: "int".into(),
        size: String::new(),
        value: "1".into(),
        change: None,
    };
    rebuild(&mut d);
    d.begins(3, 3);
    d.ran(3, RunEvent::Variables(vec![variable("x"), variable("y")]));
    d.ended(3, Outcome::Ok);
    assert_eq!(plan(&d).variables().live, ["x", "y"]);
    assert!(plan(&d).variables().restorable.is_empty());
}

#[test]
fn a_text_that_is_not_the_approved_one_is_named_and_not_offered() {
    let d = worked(&[pure("x = 1"), pure("z = x")]);
    let mut state = d.state().clone();
    let item = state.transcript.blocks.get_mut(&BlockId(2)).unwrap();
    item.block.versions[0].source = Arc::from("z = x\n__import__('os').system('id')");
    let plan = RebuildPlan::of(&state);
    assert_eq!(told(&plan), "1 restorable; 2 left out");
    let why = StepState::LeftOut("its text is not the one that was approved".into());
    assert_eq!(plan.steps[1].state, why);
}

#[test]
fn texts_that_have_to_stand_first_or_are_too_long_stand_alone() {
    let future = "from __future__ import annotations\nx = 1";
    let d = worked(&[pure("a = 1"), pure(future), pure("b = 2"), pure("%time c = 3")]);
    let steps = plan(&d).steps;
    let alone = steps.iter().filter(|step| matches!(step.state, StepState::RunAgain(_)));
    assert_eq!(alone.map(|step| step.block.0).collect::<Vec<_>>(), [2, 4]);
    let long = pure(&format!("t = [{}]", "1,\n".repeat(4_000)));
    let d = worked(&[pure("a = 1"), long.clone(), long, pure("b = 2")]);
    assert_eq!(decisions(&d), [2, 2]);
}

#[test]
fn a_prompt_that_was_queued_waits_for_the_end_of_the_plan() {
    let mut d = worked(&[pure("x = 1"), writes("save(x)")]);
    rebuild(&mut d);
    d.begins(1, 3);
    assert!(d.user("what now?").contains("Queued"));
    d.ended(3, Outcome::Ok).has("+back 2").lacks("ask").lacks("+prompt");
    d.inspected_ok(2);
    d.skip(2).has("1 block").has("+prompt").has("ask ");
}

#[test]
fn what_fails_ends_the_plan() {
    let mut d = worked(&[pure("x = 1"), writes("save(x)")]);
    rebuild(&mut d);
    d.runs(1, 3, Outcome::Failed).has("did not end well").lacks("+back").ends("| idle");
}

#[test]
fn where_no_kernel_was_lost_nothing_is_rebuilt() {
    let mut d = Dialogue::after_reply("```python\nx = 1\n```\n");
    d.runs(1, 1, Outcome::Ok);
    d.reply("Done.");
    d.command(Command::Rebuild(vec![RunId(1)])).lacks("+back");
    assert!(d.command(Command::Rebuild(vec![RunId(77)])).ends_with("| idle"));
}
