//! Recorded outputs of real runners, and the verdict on each.

use super::runner::{self, Runner};
use super::runner_output::{self, Expectation, RunnerOutput};
use super::runner_output::{BROKEN, GREEN, RED, UNCLEAR};
use crate::recipe::recorded_output::{self, RecordedOutput};
use proptest::prelude::*;

/// A recorded output: its command, and what it printed.
fn kept(name: &str) -> (&'static str, RunnerOutput) {
    let RecordedOutput { command, exit, out, err } = recorded_output::output(name);
    (command, RunnerOutput::parts(out, err, exit))
}

fn expected<'a>(runner: &str, files: &'a mut Vec<String>) -> Expectation<'a> {
    files.extend(
        match runner {
            "pytest" | "unittest" => vec!["tests/test_slug.py"],
            "node" => vec!["tests/slug.test.mjs", "tests/slug.test.js"],
            "cargo" => vec!["tests/slug.rs"],
            _ => vec!["slug_test.go", "tests/slug_test.go"],
        }
        .into_iter()
        .map(str::to_owned),
    );
    Expectation { target: "", files, said: vec!["slugify makes addresses"] }
}

fn judged(name: &str) -> (&'static str, String) {
    let (folder, _) = name.split_once('/').unwrap();
    let runner: &Runner = runner::ALL.iter().find(|runner| runner.name == folder).unwrap();
    let (command, printed) = kept(name);
    if printed.exit != Some(127) {
        assert!((runner.reads_output_of)(command), "{command}");
    }
    let mut files = Vec::new();
    let expected = expected(folder, &mut files);
    runner_output::verdict(runner.name, runner.style, &(runner.read)(&printed, &expected), &printed)
}

/// Each recorded output with its verdict and note.
const MEANT: &[(&str, &str, &str)] = &[
    ("pytest/green", GREEN, "2 passed"),
    ("pytest/missing-module", RED, "the module slug is missing"),
    ("pytest/missing-modules", BROKEN, "no module named lib (test_b.py, line 1)"),
    ("pytest/missing-function", RED, "slugify is missing in slug"),
    ("pytest/wrong", RED, "1 failed, 1 passed"),
    ("pytest/attribute", RED, "1 failed"),
    ("pytest/inside", RED, "2 failed"),
    ("pytest/prints", RED, "1 failed, 1 passed"),
    ("pytest/assertion", RED, "1 failed"),
    ("pytest/skipped", GREEN, "1 passed, 1 skipped"),
    ("pytest/syntax", BROKEN, "SyntaxError in test_slug.py, line 8: invalid syntax"),
    ("pytest/syntax-code", BROKEN, "SyntaxError in slug.py, line 1: '(' was never closed"),
    ("pytest/other-import", BROKEN, "no module named no_such_library (test_slug.py, line 1)"),
    ("pytest/name-error", BROKEN, "the tests don't import slugify (test_slug.py, line 2)"),
    ("pytest/fixture", BROKEN, "fixture 'text' not found"),
    ("pytest/none", BROKEN, "pytest found no tests: it takes functions test_…"),
    ("pytest/no-runner", BROKEN, "pytest is not on this machine"),
    ("pytest/hostile", UNCLEAR, "the runner did not say how many tests passed"),
    ("unittest/green", GREEN, "2 passed"),
    ("unittest/missing-module", RED, "the module slug is missing"),
    ("unittest/missing-function", RED, "slugify is missing in slug"),
    ("unittest/wrong", RED, "1 failed, 1 passed"),
    ("unittest/attribute", RED, "2 failed"),
    ("unittest/skipped", GREEN, "1 passed, 1 skipped"),
    ("unittest/syntax", BROKEN, "SyntaxError in test_slug.py, line 10: '(' was never closed"),
    ("unittest/syntax-code", BROKEN, "SyntaxError in slug.py, line 1: '(' was never closed"),
    ("unittest/other-import", BROKEN, "no module named no_such_library (test_slug.py, line 1)"),
    ("unittest/name-error", BROKEN, "the tests don't import slugify (test_slug.py, line 7)"),
    (
        "unittest/none",
        BROKEN,
        "unittest found no tests: it takes methods test_… of a class of unittest.TestCase",
    ),
    ("unittest/hostile", UNCLEAR, "2 passed by the summary, but the list of tests says otherwise"),
    ("node/green", GREEN, "2 passed"),
    ("node/missing-module", RED, "the module slug.mjs is missing"),
    ("node/commonjs-missing", RED, "the module slug is missing"),
    ("node/missing-function", RED, "slugify is missing in ../slug.mjs"),
    ("node/commonjs-function", RED, "1 failed"),
    ("node/wrong", RED, "1 failed, 1 passed"),
    ("node/plain-assert", RED, "1 failed"),
    ("node/syntax", BROKEN, "SyntaxError in slug.test.mjs, line 11: Unexpected token ')'"),
    ("node/syntax-code", BROKEN, "SyntaxError in slug.mjs, line 1: Unexpected token '{'"),
    ("node/other-import", BROKEN, "no module no-such-library"),
    ("node/name-error", BROKEN, "the tests don't import slugify"),
    ("node/none", BROKEN, "node found no tests: it takes calls of test from node:test"),
    ("node/hostile", BROKEN, "node found no tests: it takes calls of test from node:test"),
    ("node/no-runner", BROKEN, "node is not on this machine"),
    ("cargo/green", GREEN, "2 passed"),
    ("cargo/missing-module", RED, "slug is missing"),
    ("cargo/missing-function", RED, "slug::slugify is missing"),
    ("cargo/wrong", RED, "1 failed, 1 passed"),
    ("cargo/syntax", BROKEN, "this file contains an unclosed delimiter (tests/slug.rs:11:3)"),
    ("cargo/syntax-code", BROKEN, "this file contains an unclosed delimiter (src/lib.rs:1:40)"),
    ("cargo/other-import", BROKEN, "unresolved import `no_such_library` (tests/slug.rs:1:5)"),
    ("cargo/types", BROKEN, "mismatched types (tests/slug.rs:5:32)"),
    ("cargo/macro", BROKEN, "cannot find macro `assert_eqs` in this scope (tests/slug.rs:10:5)"),
    ("cargo/none", BROKEN, "cargo found no tests: it takes functions with #[test]"),
    ("cargo/no-manifest", BROKEN, "could not find `Cargo.toml` in `/work` or any parent directory"),
    ("cargo/no-runner", BROKEN, "cargo is not on this machine"),
    ("cargo/hostile", UNCLEAR, "the runner did not say how many tests passed"),
    ("go/green", GREEN, "2 passed"),
    ("go/missing-function", RED, "undefined: Slugify (slug_test.go:6:12)"),
    ("go/missing-package", RED, "the package slug/text is missing"),
    ("go/wrong", RED, "1 failed, 1 passed"),
    ("go/panic", RED, "1 failed"),
    ("go/syntax", BROKEN, "missing ',' in parameter list (slug_test.go:11:28)"),
    (
        "go/syntax-code",
        BROKEN,
        "syntax error: unexpected string in parameter list; possibly missing comma or ) (slug.go:3:26)",
    ),
    ("go/other-import", BROKEN, "no package example.com/no/such (slug_test.go:6:2)"),
    ("go/none", BROKEN, "go found no tests: it takes functions Test…(t *testing.T)"),
    ("go/no-manifest", BROKEN, "there is no go.mod here"),
    ("go/no-runner", BROKEN, "go is not on this machine"),
    ("go/hostile", RED, "1 failed, 2 passed"),
];

#[test]
fn real_outputs_are_understood() {
    for (name, verdict, note) in MEANT {
        assert_eq!(judged(name), (*verdict, (*note).to_owned()), "{name}");
    }
    for (name, _) in recorded_output::ALL {
        assert!(MEANT.iter().any(|(known, ..)| known == name), "{name} is not looked at");
    }
}

proptest! {
    /// Cut, mixed or hostile output never gets the verdict green, and no reader panics.
    #[test]
    fn a_damaged_output_is_never_green(which in 0..5usize, from in 0..2000usize, length in 1..400usize, noise in ".{0,40}") {
        let runner = runner::ALL.get(which).unwrap();
        let (_, mut printed) = kept(&format!("{}/wrong", runner.name));
        for text in [&mut printed.out, &mut printed.err] {
            let chars: Vec<char> = text.chars().collect();
            let rest = chars.iter().take(from).chain(chars.iter().skip(from + length));
            *text = rest.chain(noise.chars().collect::<Vec<_>>().iter()).collect();
        }
        let mut files = Vec::new();
        let expected = expected(runner.name, &mut files);
        let (verdict, note) = runner_output::verdict(runner.name, runner.style, &(runner.read)(&printed, &expected), &printed);
        prop_assert!(verdict != GREEN && !note.contains('\n'));
    }
}
