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
    assert_has(&talk.ends(green()), "+judged net.1 green, +said change.1, ask");
    talk.hears(&["The goal: types.", "def second"]);
    talk.saves("work.py", &new());
    assert_eq!(talk.waits().2, "python3 -m pytest -q\n");
    assert_has(&talk.ends(green()), "+judged change.1 green, +recipe done");
    talk.sums_up(&["3 passed in 0.01s", "`work.py`"]);
}

#[test]
fn tests_that_fail_before_keep_everything_as_it_is() {
    let (mut talk, _) = begun("types", FACTS);
    assert_has(&talk.ends(red()), "+judged net.1 red, +recipe gave_up");
    assert!(talk.summary().contains("1 failed, 2 passed"), "{}", talk.summary());
}

#[test]
fn the_hunk_that_breaks_the_net_is_named_to_the_model() {
    let (mut talk, _) = begun("types", FACTS);
    talk.ends(green());
    talk.saves("work.py", &new());
    let line = talk.ends(red());
    assert!(line.contains("+block 4") && line.ends_with("deciding 4"), "{line}");
    let (_, _, script, language) = talk.waits();
    assert_eq!(language, Some(Language::python()));
    assert!(
        script.contains("net='python3 -m pytest -q'") && script.matches("# hunk ").count() == 3,
        "{script}"
    );
    let said = "hunk 2 of 3 (line 6): without it the net holds\n=> hunk 2 of 3 (line 6) breaks the net\n";
    assert_has(&talk.ends(printed(Outcome::Ok, said, "")), "+judged change.1 red, +said change.2, ask");
    talk.hears(&["breaks with it: hunk 2 of 3 (line 6) breaks the net; 1 failed, 2 passed"]);
    talk.saves("work.py", &new().replace("n + 2", "1 + n"));
    assert_has(&talk.ends(green()), "+judged change.2 green, +recipe done");
    assert!(talk.summary().contains("hunk 2 of 3 (line 6) breaks the net"), "{}", talk.summary());
}

#[test]
fn one_hunk_needs_no_search_and_a_search_can_be_skipped() {
    let (mut talk, _) = begun("types", FACTS);
    talk.ends(green());
    talk.saves("work.py", &OLD.replace("n + 1", "n + 2"));
    assert_has(&talk.ends(red()), "+judged change.1 red, +said change.2");
    talk.saves("work.py", &new());
    talk.ends(red());
    let (block, ..) = talk.waits();
    assert_has(&talk.d.skip(block.0), "+judged change.2 red, +said change.3");
}

#[test]
fn without_tests_behaviour_is_recorded_and_protected() {
    let (mut talk, line) = begun("readability", &[("file:file", OLD)]);
    assert!(line.contains("+judged net.1 none, +said record.1, ask"), "{line}");
    assert_has(&talk.writes("work.py", "x\n"), "+declined 1");
    assert!(talk.declined().contains("work.py stays as it is"), "{}", talk.declined());
    talk.saves("behaviour.py", "assert False\n");
    assert_eq!(talk.waits().2, "python3 behaviour.py\n");
    let line = talk.ends(printed(Outcome::Failed, "", "AssertionError\n"));
    assert!(line.contains("+judged record.1 red, +said record.2"), "{line}");
    talk.saves("behaviour.py", "assert True\n");
    assert_has(&talk.ok(), "+judged record.2 green, +said change.1");
    talk.writes("behaviour.py", "pass\n");
    let (block, ..) = talk.waits();
    talk.d.inspected(block.0, Review::default(), Ok(file_terms("behaviour.py")));
    assert_eq!(talk.gravest(block), Some(Severity::High), "the net is protected");
    talk.d.reject(block.0, "leave the net alone");
    talk.saves("work.py", &new());
    assert_eq!(talk.waits().2, "python3 behaviour.py\n");
    assert_has(&talk.ok(), "+judged change.1 green, +recipe done");
}

#[test]
fn a_net_without_a_test_is_none() {
    for output in ["\nno tests ran in 0.01s\n", "sss\n3 skipped in 0.01s\n"] {
        let (mut talk, _) = begun("types", FACTS);
        let exit = if output.contains("skipped") { 0 } else { 5 };
        let mut report = printed(if exit == 0 { Outcome::Ok } else { Outcome::Failed }, output, "");
        report.receipt.exit_code = Some(exit);
        assert_has(&talk.ends(report), "+judged net.1 none, +said record.1");
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
    let line = talk.saves("other.py", "pass\n");
    assert!(!line.contains("+block") && line.contains("ask s"), "{line}");
    assert_has(&talk.saves("work.py", &new()), "+block");
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
    assert_has(&talk.ends(green()), "+said workload.1, ask");
    talk.saves("load.py", "import work\n");
    let script = talk.waits().2;
    assert!(script.contains("command=['python3', 'load.py']") && script.contains("before=[]"), "{script}");
    assert_has(&talk.ends(seconds("1.0 1.1 1.2")), "+judged workload.1 measured, +said change.1");
    talk.saves("work.py", &new());
    let line = talk.ends(green());
    assert!(line.contains("+judged change.1 green") && line.contains("+block"), "{line}");
    assert!(talk.waits().2.contains("before=[1.000000, 1.100000, 1.200000]"));
    assert_has(&talk.ends(seconds("1.05 1.1 1.15")), "+judged after.1 same, +said change.2");
    talk.saves("work.py", &new().replace("3 * n", "n + n + n"));
    talk.ends(green());
    assert_has(&talk.ends(seconds("0.5 0.55 0.6")), "+judged after.2 faster, +recipe done");
    talk.sums_up(&["before 1.1000 s (1.0000 to 1.2000), after 0.5500 s", "2.0 times as fast"]);
}

#[test]
fn the_base_of_hunks_is_what_held_last() {
    let (mut talk, _) = begun("speed", FACTS);
    talk.ends(green());
    talk.saves("load.py", "import work\n");
    talk.ends(seconds("1.0 1.1 1.2"));
    let held = OLD.replace("return n\n", "return int(n)\n");
    talk.saves("work.py", &held);
    talk.ends(green());
    talk.ends(seconds("1.0 1.1 1.2"));
    talk.saves("work.py", &new());
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
    assert_has(&talk.saves("behaviour.txt", "x\n"), "+judged record.1 nothing, +said record.2");
}

#[test]
fn it_goes_on_after_the_session_was_opened_again() {
    let (mut talk, _) = begun("types", FACTS);
    talk.ends(green());
    assert!(talk.d.reopen().ends_with("stuck cut"));
    talk.d.command(Command::Retry);
    talk.saves("work.py", &new());
    talk.ends(red());
    assert!(talk.d.reopen().ends_with("deciding 4"));
    let line = talk.ends(printed(Outcome::Ok, "=> hunk 2 of 3 (line 6) breaks the net\n", ""));
    assert!(line.contains("+judged change.1 red, +said change.2"), "{line}");
}
