use super::*;

const OLD: &str = "def first(n):\n    return n\n\n\ndef second(n):\n    return n + 1\n\n\ndef third(n):\n    return n * 3\n";
const FACTS: &[(&str, &str)] = &[("file:file", OLD), ("tests", "python3 -m pytest -q")];

fn new() -> String {
    OLD.replace("return n\n", "return int(n)\n").replace("n + 1", "n + 2").replace("n * 3", "3 * n")
}

fn green() -> RunReport {
    printed(Outcome::Ok, "...\n3 passed in 0.01s\n", "")
}

fn red() -> RunReport {
    printed(Outcome::Failed, "..F\n1 failed, 2 passed in 0.02s\n", "")
}

fn begun(goal: &str, facts: &[(&str, &str)]) -> (RecipeDialogue, String) {
    RecipeDialogue::begin("refactor", &[("file", "work.py"), ("goal", goal)], facts)
}

#[test]
fn a_net_holds_before_and_after() {
    let (mut talk, line) = begun("types", FACTS);
    assert!(line.ends_with("deciding 1"), "{line}");
    assert_eq!(talk.waits().2, "python3 -m pytest -q\n");
    let line = talk.ends(green());
    assert!(line.contains("+judged net.1 green, +said change.1, ask"), "{line}");
    talk.hears(&["The goal: types.", "def second"]);
    talk.writes("work.py", &new());
    talk.ok();
    assert_eq!(talk.waits().2, "python3 -m pytest -q\n");
    let line = talk.ends(green());
    assert!(line.contains("+judged change.1 green, +recipe done"), "{line}");
    talk.sums_up(&["3 passed in 0.01s", "`work.py`"]);
}

#[test]
fn tests_that_fail_before_keep_everything_as_it_is() {
    let (mut talk, _) = begun("types", FACTS);
    let line = talk.ends(red());
    assert!(line.contains("+judged net.1 red, +recipe gave_up"), "{line}");
    assert!(talk.summary().contains("1 failed, 2 passed"), "{}", talk.summary());
}

#[test]
fn the_hunk_that_breaks_the_net_is_named_to_the_model() {
    let (mut talk, _) = begun("types", FACTS);
    talk.ends(green());
    talk.writes("work.py", &new());
    talk.ok();
    let line = talk.ends(red());
    assert!(line.contains("+block 4") && line.ends_with("deciding 4"), "{line}");
    let (_, _, script, language) = talk.waits();
    assert_eq!(language, Some(Language::python()));
    assert!(
        script.contains("net='python3 -m pytest -q'") && script.matches("# hunk ").count() == 3,
        "{script}"
    );
    let said = "hunk 2 of 3 (line 6): without it the net holds\n=> hunk 2 of 3 (line 6) breaks the net\n";
    let line = talk.ends(printed(Outcome::Ok, said, ""));
    assert!(line.contains("+judged change.1 red, +said change.2, ask"), "{line}");
    talk.hears(&["breaks with it: hunk 2 of 3 (line 6) breaks the net; 1 failed, 2 passed"]);
    talk.writes("work.py", &new().replace("n + 2", "1 + n"));
    talk.ok();
    let line = talk.ends(green());
    assert!(line.contains("+judged change.2 green, +recipe done"), "{line}");
    assert!(talk.summary().contains("hunk 2 of 3 (line 6) breaks the net"), "{}", talk.summary());
}

#[test]
fn one_hunk_needs_no_search_and_a_search_can_be_skipped() {
    let (mut talk, _) = begun("types", FACTS);
    talk.ends(green());
    talk.writes("work.py", &OLD.replace("n + 1", "n + 2"));
    talk.ok();
    let line = talk.ends(red());
    assert!(line.contains("+judged change.1 red, +said change.2"), "{line}");
    talk.writes("work.py", &new());
    talk.ok();
    talk.ends(red());
    let (block, ..) = talk.waits();
    let line = talk.d.skip(block.0);
    assert!(line.contains("+judged change.2 red, +said change.3"), "{line}");
}

#[test]
fn without_tests_behaviour_is_recorded_and_protected() {
    let (mut talk, line) = begun("readability", &[("file:file", OLD)]);
    assert!(line.contains("+judged net.1 none, +said record.1, ask"), "{line}");
    let line = talk.writes("work.py", "x\n");
    assert!(line.contains("+declined 1"), "{line}");
    assert!(talk.declined().contains("work.py stays as it is"), "{}", talk.declined());
    talk.writes("behaviour.py", "assert False\n");
    talk.ok();
    assert_eq!(talk.waits().2, "python3 behaviour.py\n");
    let line = talk.ends(printed(Outcome::Failed, "", "AssertionError\n"));
    assert!(line.contains("+judged record.1 red, +said record.2"), "{line}");
    talk.writes("behaviour.py", "assert True\n");
    talk.ok();
    let line = talk.ok();
    assert!(line.contains("+judged record.2 green, +said change.1"), "{line}");
    talk.writes("behaviour.py", "pass\n");
    let (block, ..) = talk.waits();
    talk.d.inspected(block.0, Review::default(), Ok(file_terms("behaviour.py")));
    assert_eq!(talk.gravest(block), Some(Severity::High), "the net is protected");
    talk.d.reject(block.0, "leave the net alone");
    talk.writes("work.py", &new());
    talk.ok();
    assert_eq!(talk.waits().2, "python3 behaviour.py\n");
    let line = talk.ok();
    assert!(line.contains("+judged change.1 green, +recipe done"), "{line}");
}

#[test]
fn a_net_without_a_test_is_none() {
    for output in ["\nno tests ran in 0.01s\n", "sss\n3 skipped in 0.01s\n"] {
        let (mut talk, _) = begun("types", FACTS);
        let exit = if output.contains("skipped") { 0 } else { 5 };
        let mut report = printed(if exit == 0 { Outcome::Ok } else { Outcome::Failed }, output, "");
        report.receipt.exit_code = Some(exit);
        let line = talk.ends(report);
        assert!(line.contains("+judged net.1 none, +said record.1"), "{line}");
    }
    let (mut talk, _) = begun("types", FACTS);
    let mut report = printed(Outcome::Failed, "", "/usr/bin/python3: No module named pytest\n");
    report.receipt.exit_code = Some(1);
    let line = talk.ends(report);
    assert!(line.contains("+recipe gave_up") && !line.contains("judged"), "{line}");
    assert!(talk.summary().contains("pytest can't be started"), "{}", talk.summary());
}

#[test]
fn what_is_written_beside_the_file_is_no_change_of_it() {
    let (mut talk, _) = begun("types", FACTS);
    talk.ends(green());
    talk.writes("other.py", "pass\n");
    let line = talk.ok();
    assert!(!line.contains("+block") && line.contains("ask s"), "{line}");
    talk.writes("work.py", &new());
    let line = talk.ok();
    assert!(line.contains("+block"), "{line}");
    // After the change no test runs any more, so the net does not hold.
    let line = talk.ends(printed(Outcome::Ok, "sss\n3 skipped in 0.01s\n", ""));
    assert!(!line.contains("green"), "{line}");
}

fn seconds(all: &str) -> RunReport {
    printed(Outcome::Ok, &format!("run 1: 1 s\n=> seconds: {all}\n"), "")
}

#[test]
fn speed_is_measured_before_and_after() {
    let (mut talk, _) = begun("speed", FACTS);
    let line = talk.ends(green());
    assert!(line.contains("+said workload.1, ask"), "{line}");
    talk.writes("load.py", "import work\n");
    talk.ok();
    let script = talk.waits().2;
    assert!(script.contains("command=['python3', 'load.py']") && script.contains("before=[]"), "{script}");
    let line = talk.ends(seconds("1.0 1.1 1.2"));
    assert!(line.contains("+judged workload.1 measured, +said change.1"), "{line}");
    talk.writes("work.py", &new());
    talk.ok();
    let line = talk.ends(green());
    assert!(line.contains("+judged change.1 green") && line.contains("+block"), "{line}");
    assert!(talk.waits().2.contains("before=[1.000000, 1.100000, 1.200000]"));
    let line = talk.ends(seconds("1.05 1.1 1.15"));
    assert!(line.contains("+judged after.1 same, +said change.2"), "{line}");
    talk.writes("work.py", &new().replace("3 * n", "n + n + n"));
    talk.ok();
    talk.ends(green());
    let line = talk.ends(seconds("0.5 0.55 0.6"));
    assert!(line.contains("+judged after.2 faster, +recipe done"), "{line}");
    talk.sums_up(&["before 1.1000 s (1.0000 to 1.2000), after 0.5500 s", "2.0 times as fast"]);
}

#[test]
fn the_base_of_hunks_is_what_held_last() {
    let (mut talk, _) = begun("speed", FACTS);
    talk.ends(green());
    talk.writes("load.py", "import work\n");
    talk.ok();
    talk.ends(seconds("1.0 1.1 1.2"));
    let held = OLD.replace("return n\n", "return int(n)\n");
    talk.writes("work.py", &held);
    talk.ok();
    talk.ends(green());
    talk.ends(seconds("1.0 1.1 1.2"));
    talk.writes("work.py", &new());
    talk.ok();
    talk.ends(red());
    let script = talk.waits().2;
    assert_eq!(script.matches("# hunk ").count(), 2, "{script}");
}

#[test]
fn a_change_of_the_tests_takes_the_typed_word() {
    for (path, severity) in [("tests/test_work.py", Severity::High), ("other.py", Severity::Medium)] {
        let (mut talk, _) = begun("types", FACTS);
        talk.ends(green());
        talk.writes(path, "pass\n");
        talk.d.inspected(2, Review::default(), Ok(file_terms(path)));
        assert_eq!(talk.gravest(BlockId(2)), Some(severity), "{path}");
    }
}

#[test]
fn what_can_t_be_run_is_no_net() {
    let (mut talk, _) = begun("readability", &[("file:file", OLD)]);
    talk.writes("behaviour.txt", "x\n");
    let line = talk.ok();
    assert!(line.contains("+judged record.1 nothing, +said record.2"), "{line}");
}

#[test]
fn it_goes_on_after_the_session_was_opened_again() {
    let (mut talk, _) = begun("types", FACTS);
    talk.ends(green());
    assert!(talk.d.reopen().ends_with("stuck cut"));
    talk.d.command(Command::Retry);
    talk.writes("work.py", &new());
    talk.ok();
    talk.ends(red());
    assert!(talk.d.reopen().ends_with("deciding 4"));
    let line = talk.ends(printed(Outcome::Ok, "=> hunk 2 of 3 (line 6) breaks the net\n", ""));
    assert!(line.contains("+judged change.1 red, +said change.2"), "{line}");
}
