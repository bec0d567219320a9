//! Recorded outputs of real test runners, for tests: the command, its exit status, and both streams.

use crate::domain::{Outcome, OutputBuffer, RunReport, Stream};
use crate::engine::dialogue::report;

macro_rules! kept {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../tests/fixtures/recipes/", $name, ".txt")))),*]
    };
}

/// All recordings, by name.
pub(crate) const ALL: &[(&str, &str)] = kept![
    "pytest/assertion",
    "pytest/attribute",
    "pytest/fixture",
    "pytest/green",
    "pytest/hostile",
    "pytest/inside",
    "pytest/missing-function",
    "pytest/missing-module",
    "pytest/missing-modules",
    "pytest/name-error",
    "pytest/no-runner",
    "pytest/none",
    "pytest/other-import",
    "pytest/prints",
    "pytest/skipped",
    "pytest/syntax-code",
    "pytest/syntax",
    "pytest/wrong",
    "unittest/attribute",
    "unittest/green",
    "unittest/hostile",
    "unittest/missing-function",
    "unittest/missing-module",
    "unittest/name-error",
    "unittest/none",
    "unittest/other-import",
    "unittest/skipped",
    "unittest/syntax-code",
    "unittest/syntax",
    "unittest/wrong",
    "node/commonjs-function",
    "node/commonjs-missing",
    "node/green",
    "node/hostile",
    "node/missing-function",
    "node/missing-module",
    "node/name-error",
    "node/no-runner",
    "node/none",
    "node/other-import",
    "node/plain-assert",
    "node/syntax-code",
    "node/syntax",
    "node/wrong",
    "cargo/green",
    "cargo/hostile",
    "cargo/macro",
    "cargo/missing-function",
    "cargo/missing-module",
    "cargo/no-manifest",
    "cargo/no-runner",
    "cargo/none",
    "cargo/other-import",
    "cargo/syntax-code",
    "cargo/syntax",
    "cargo/types",
    "cargo/wrong",
    "go/green",
    "go/hostile",
    "go/missing-function",
    "go/missing-package",
    "go/no-manifest",
    "go/no-runner",
    "go/none",
    "go/other-import",
    "go/panic",
    "go/syntax-code",
    "go/syntax",
    "go/wrong",
];

pub(crate) struct RecordedOutput {
    pub(crate) command: &'static str,
    pub(crate) exit: i32,
    pub(crate) out: &'static str,
    pub(crate) err: &'static str,
}

/// The recording with this name, such as `pytest/green`.
pub(crate) fn output(name: &str) -> RecordedOutput {
    let (_, text) = ALL.iter().find(|(known, _)| *known == name).unwrap();
    let (head, rest) = text.split_once("\n--- stdout\n").unwrap();
    let (out, err) = rest.split_once("\n--- stderr\n").unwrap();
    let (command, exit) = head.split_once("\nexit ").unwrap();
    RecordedOutput { command: command.trim_start_matches("$ "), exit: exit.parse().unwrap(), out, err }
}

/// The report of a run with this recorded output.
pub(crate) fn printed(name: &str) -> RunReport {
    let RecordedOutput { exit, out, err, .. } = output(name);
    let mut output = OutputBuffer::new(1 << 20);
    output.push(Stream::Stdout, out.as_bytes());
    output.push(Stream::Stderr, err.as_bytes());
    let outcome = if exit == 0 { Outcome::Ok } else { Outcome::Failed };
    let mut report = report(outcome);
    (report.output, report.error, report.receipt.exit_code) = (output, None, Some(exit));
    report
}
