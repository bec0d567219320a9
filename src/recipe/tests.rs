//! What the tests of recipes share: recorded outputs of real test runners.

use crate::domain::{Outcome, OutputBuffer, RunReport, Stream};
use crate::engine::dialogue::report;

/// A recorded output of a runner, with the verdict on it.
pub(super) struct Recording {
    pub(super) name: &'static str,
    text: &'static str,
    pub(super) verdict: &'static str,
    pub(super) note: &'static str,
}

macro_rules! recordings {
    ($(($name:literal, $verdict:literal, $note:literal $(,)?)),* $(,)?) => {
        &[$(Recording {
            name: $name,
            text: include_str!(concat!("../../tests/fixtures/recipes/", $name, ".txt")),
            verdict: $verdict,
            note: $note,
        }),*]
    };
}

/// All recordings: the name, the verdict and its note.
pub(super) const RECORDINGS: &[Recording] = recordings![
    ("pytest/green", "green", "2 passed"),
    ("pytest/missing-module", "red", "the module slug is missing"),
    ("pytest/missing-modules", "broken", "no module named lib (test_b.py, line 1)"),
    ("pytest/missing-function", "red", "slugify is missing in slug"),
    ("pytest/wrong", "red", "1 failed, 1 passed"),
    ("pytest/attribute", "red", "1 failed"),
    ("pytest/inside", "red", "2 failed"),
    ("pytest/prints", "red", "1 failed, 1 passed"),
    ("pytest/assertion", "red", "1 failed"),
    ("pytest/skipped", "green", "1 passed, 1 skipped"),
    ("pytest/syntax", "broken", "SyntaxError in test_slug.py, line 8: invalid syntax"),
    ("pytest/syntax-code", "broken", "SyntaxError in slug.py, line 1: '(' was never closed"),
    ("pytest/other-import", "broken", "no module named no_such_library (test_slug.py, line 1)"),
    ("pytest/name-error", "broken", "the tests don't import slugify (test_slug.py, line 2)"),
    ("pytest/fixture", "broken", "fixture 'text' not found"),
    ("pytest/none", "broken", "pytest found no tests: it takes functions test_…"),
    ("pytest/no-runner", "broken", "pytest is not on this machine"),
    ("pytest/hostile", "unclear", "the runner did not say how many tests passed"),
    ("unittest/green", "green", "2 passed"),
    ("unittest/missing-module", "red", "the module slug is missing"),
    ("unittest/missing-function", "red", "slugify is missing in slug"),
    ("unittest/wrong", "red", "1 failed, 1 passed"),
    ("unittest/attribute", "red", "2 failed"),
    ("unittest/skipped", "green", "1 passed, 1 skipped"),
    ("unittest/syntax", "broken", "SyntaxError in test_slug.py, line 10: '(' was never closed"),
    ("unittest/syntax-code", "broken", "SyntaxError in slug.py, line 1: '(' was never closed"),
    ("unittest/other-import", "broken", "no module named no_such_library (test_slug.py, line 1)"),
    ("unittest/name-error", "broken", "the tests don't import slugify (test_slug.py, line 7)"),
    (
        "unittest/none",
        "broken",
        "unittest found no tests: it takes methods test_… of a class of unittest.TestCase",
    ),
    ("unittest/hostile", "unclear", "2 passed by the summary, but the list of tests says otherwise"),
    ("node/green", "green", "2 passed"),
    ("node/missing-module", "red", "the module slug.mjs is missing"),
    ("node/commonjs-missing", "red", "the module slug is missing"),
    ("node/missing-function", "red", "slugify is missing in ../slug.mjs"),
    ("node/commonjs-function", "red", "1 failed"),
    ("node/wrong", "red", "1 failed, 1 passed"),
    ("node/plain-assert", "red", "1 failed"),
    ("node/syntax", "broken", "SyntaxError in slug.test.mjs, line 11: Unexpected token ')'"),
    ("node/syntax-code", "broken", "SyntaxError in slug.mjs, line 1: Unexpected token '{'"),
    ("node/other-import", "broken", "no module no-such-library"),
    ("node/name-error", "broken", "the tests don't import slugify"),
    ("node/none", "broken", "node found no tests: it takes calls of test from node:test"),
    ("node/hostile", "broken", "node found no tests: it takes calls of test from node:test"),
    ("node/no-runner", "broken", "node is not on this machine"),
    ("cargo/green", "green", "2 passed"),
    ("cargo/missing-module", "red", "slug is missing"),
    ("cargo/missing-function", "red", "slug::slugify is missing"),
    ("cargo/wrong", "red", "1 failed, 1 passed"),
    ("cargo/syntax", "broken", "this file contains an unclosed delimiter (tests/slug.rs:11:3)"),
    ("cargo/syntax-code", "broken", "this file contains an unclosed delimiter (src/lib.rs:1:40)"),
    ("cargo/other-import", "broken", "unresolved import `no_such_library` (tests/slug.rs:1:5)"),
    ("cargo/types", "broken", "mismatched types (tests/slug.rs:5:32)"),
    ("cargo/macro", "broken", "cannot find macro `assert_eqs` in this scope (tests/slug.rs:10:5)"),
    ("cargo/none", "broken", "cargo found no tests: it takes functions with #[test]"),
    ("cargo/no-manifest", "broken", "could not find `Cargo.toml` in `/work` or any parent directory"),
    ("cargo/no-runner", "broken", "cargo is not on this machine"),
    ("cargo/hostile", "unclear", "the runner did not say how many tests passed"),
    ("go/green", "green", "2 passed"),
    ("go/missing-function", "red", "undefined: Slugify (slug_test.go:6:12)"),
    ("go/missing-package", "red", "the package slug/text is missing"),
    ("go/wrong", "red", "1 failed, 1 passed"),
    ("go/panic", "red", "1 failed"),
    ("go/syntax", "broken", "missing ',' in parameter list (slug_test.go:11:28)"),
    (
        "go/syntax-code",
        "broken",
        "syntax error: unexpected string in parameter list; possibly missing comma or ) (slug.go:3:26)",
    ),
    ("go/other-import", "broken", "no package example.com/no/such (slug_test.go:6:2)"),
    ("go/none", "broken", "go found no tests: it takes functions Test…(t *testing.T)"),
    ("go/no-manifest", "broken", "there is no go.mod here"),
    ("go/no-runner", "broken", "go is not on this machine"),
    ("go/hostile", "red", "1 failed, 2 passed"),
];

/// A recorded output: the command, its exit status, and both streams.
pub(super) struct RecordedOutput {
    pub(super) command: &'static str,
    pub(super) exit: i32,
    pub(super) out: &'static str,
    pub(super) err: &'static str,
}

/// The recording with this name, such as `pytest/green`.
pub(super) fn recording(name: &str) -> RecordedOutput {
    let known = RECORDINGS.iter().find(|recording| recording.name == name).unwrap();
    let (head, rest) = known.text.split_once("\n--- stdout\n").unwrap();
    let (out, err) = rest.split_once("\n--- stderr\n").unwrap();
    let (command, exit) = head.split_once("\nexit ").unwrap();
    RecordedOutput { command: command.trim_start_matches("$ "), exit: exit.parse().unwrap(), out, err }
}

/// The report of a run with this recorded output.
pub(super) fn printed(name: &str) -> RunReport {
    let RecordedOutput { exit, out, err, .. } = recording(name);
    let mut output = OutputBuffer::new(1 << 20);
    output.push(Stream::Stdout, out.as_bytes());
    output.push(Stream::Stderr, err.as_bytes());
    let outcome = if exit == 0 { Outcome::Ok } else { Outcome::Failed };
    let mut report = report(outcome);
    (report.output, report.error, report.receipt.exit_code) = (output, None, Some(exit));
    report
}
