//! Recorded outputs of real runners, and the verdict on each.

use super::runner::{self, Runner};
use super::runner_output::{self, Expectation, GREEN, RunnerOutput};
use crate::recipe::tests::{RECORDINGS, RecordedOutput, Recording, recording};
use proptest::prelude::*;

/// The verdict on an output of this runner where the tests are these of a function that makes slugs.
fn judged(runner: &Runner, printed: &RunnerOutput) -> (&'static str, String) {
    let files = match runner.name {
        "pytest" | "unittest" => vec!["tests/test_slug.py"],
        "node" => vec!["tests/slug.test.mjs", "tests/slug.test.js"],
        "cargo" => vec!["tests/slug.rs"],
        _ => vec!["slug_test.go", "tests/slug_test.go"],
    };
    let files: Vec<String> = files.into_iter().map(str::to_owned).collect();
    let expected = Expectation { target: "", files: &files, said: vec!["slugify makes addresses"] };
    runner_output::verdict(runner.name, runner.style, &runner.counts(printed, &expected), printed)
}

#[test]
fn real_outputs_are_understood() {
    for Recording { name, verdict, note, .. } in RECORDINGS {
        let (folder, _) = name.split_once('/').unwrap();
        let runner = runner::named(folder).unwrap();
        let RecordedOutput { command, exit, out, err } = recording(name);
        assert!(exit == 127 || (runner.reads_output_of)(command), "{command}");
        let printed = RunnerOutput::parts(out, err, exit);
        assert_eq!(judged(runner, &printed), (*verdict, (*note).to_owned()), "{name}");
    }
}

proptest! {
    /// Cut, mixed or hostile output never gets the verdict green, and no reader panics.
    #[test]
    fn a_damaged_output_is_never_green(which in 0..5usize, from in 0..2000usize, length in 1..400usize, noise in ".{0,40}") {
        let runner = runner::ALL.get(which).unwrap();
        let RecordedOutput { exit, out, err, .. } = recording(&format!("{}/wrong", runner.name));
        let damaged = |text: &str| -> String {
            let chars: Vec<char> = text.chars().collect();
            let rest = chars.iter().take(from).chain(chars.iter().skip(from + length));
            rest.chain(noise.chars().collect::<Vec<_>>().iter()).collect()
        };
        let (verdict, note) = judged(runner, &RunnerOutput::parts(&damaged(out), &damaged(err), exit));
        prop_assert!(verdict != GREEN && !note.contains('\n'));
    }
}
