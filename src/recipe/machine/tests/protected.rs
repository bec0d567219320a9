//! Protected files are judged by their content, whatever a receipt says.

use super::*;
use crate::domain::{ProtectedFile, Sha256};

const FILE: &str = "tests/test_slug.py";

/// A run with these contents of the file before and after it, whatever its receipt lists.
fn around(report: RunReport, before: &str, after: &str) -> RunReport {
    let hash = |text: &str| Some(Sha256::of(text.as_bytes()));
    let file = ProtectedFile { path: FILE.into(), before: hash(before), after: hash(after) };
    let mut report = report;
    report.receipt.protected = vec![file];
    report
}

/// Tests that were agreed on and fail as they should; returns their text, too.
fn agreed() -> (RecipeDialogue, String) {
    let mut t = tdd();
    t.wrote(FILE);
    let text = t.line_of(1);
    t.tests(around(printed("pytest/missing-module"), &text, &text));
    assert_eq!(t.d.watched.protected, [FILE]);
    (t, text)
}

#[test]
fn a_change_that_no_receipt_lists_is_asked_about() {
    let (mut t, text) = agreed();
    assert_ends(&t.ran(around(changed(Outcome::Ok, &["slug.py"]), &text, "pass")), "asking: form protected");
    assert_eq!(t.d.watched.protected, [FILE]);
    assert!(t.d.reopen().ends_with("asking: form protected"));
    // The person keeps the change: from here on this is what was agreed on.
    assert_has(&t.choose("keep the change"), "+block 4");
    assert_has(&t.tests(around(printed("pytest/green"), "pass", "pass")), "+judged code.1 green");
}

#[test]
fn a_file_that_only_a_receipt_lists_is_as_agreed() {
    let (mut t, text) = agreed();
    assert_ends(&t.ran(around(changed(Outcome::Ok, &["slug.py", FILE]), &text, &text)), "deciding 4");
}

#[test]
fn a_change_while_the_tests_run_is_no_green() {
    let (mut t, text) = agreed();
    t.ran(around(changed(Outcome::Ok, &["slug.py"]), &text, &text));
    assert_ends(&t.tests(around(printed("pytest/green"), &text, "pass")), "asking: form protected");
    // A change that was already there when the runs began, and was reverted.
    let (mut t, text) = agreed();
    t.ran(around(changed(Outcome::Ok, &["slug.py"]), &text, &text));
    assert_ends(&t.tests(around(printed("pytest/green"), "pass", &text)), "asking: form protected");
}

#[test]
fn what_is_put_back_is_as_agreed_again() {
    let (mut t, text) = agreed();
    t.ran(around(changed(Outcome::Ok, &["slug.py"]), &text, "pass"));
    assert_has(&t.choose("go on without it"), "+judged code.1 protected_changed");
    // Another file is written; the protected one still differs.
    t.calls(&[write("slug.py", "x\n")]);
    let line = t.ends(around(changed(Outcome::Ok, &["slug.py"]), "pass", "pass"));
    assert!(line.ends_with("asking: form protected"), "{line}");
    t.choose("go on without it");
    let line = t.ran(around(changed(Outcome::Ok, &["slug.py"]), "pass", &text));
    assert!(line.contains("+block") && !line.contains("asking"), "{line}");
}

#[test]
fn what_nobody_was_shown_is_not_agreed_to_in_the_step_that_makes_the_file_either() {
    let mut t = tdd();
    t.calls(&[
        write(FILE, "a\n"),
        ("run_code", serde_json::json!({"language": "python", "code": "hidden()"})),
    ]);
    t.ends(changed(Outcome::Ok, &[FILE]));
    t.ends(around(changed(Outcome::Ok, &[]), "a\n", "pass"));
    t.tests(around(printed("pytest/missing-module"), "pass", "pass"));
    t.calls(&[write("slug.py", "x\n")]);
    let line = t.ends(around(changed(Outcome::Ok, &["slug.py"]), "pass", "pass"));
    assert!(line.ends_with("asking: form protected"), "{line}");
}
