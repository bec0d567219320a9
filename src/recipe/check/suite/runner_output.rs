//! The output of a test runner, the counts read from it, and the verdict. Output alone proves nothing: the exit status
//! and the runner's own list of tests have to agree.

use crate::domain::{Outcome, RunReport, Stream, paths};
use crate::recipe::text::printable;

pub(super) const GREEN: &str = "green";
pub(super) const RED: &str = "red";
/// The tests can't run.
pub(super) const BROKEN: &str = "broken";
/// It is not clear whether the tests pass.
pub(super) const UNCLEAR: &str = "unclear";

pub(super) struct RunnerOutput {
    pub(super) out: String,
    pub(super) err: String,
    pub(super) exit: Option<i32>,
    /// Whether the run ended by itself.
    pub(super) ended: bool,
    /// How the run ended.
    why: String,
    /// Whether part of the output was dropped.
    cut: bool,
}

impl RunnerOutput {
    pub(super) fn of(report: &RunReport) -> Self {
        let text = |stream| String::from_utf8_lossy(&report.output.bytes(stream)).replace("\r\n", "\n");
        let word = report.outcome.as_str().replace('_', " ");
        Self {
            out: text(Stream::Stdout),
            err: text(Stream::Stderr),
            exit: report.receipt.exit_code,
            ended: matches!(report.outcome, Outcome::Ok | Outcome::Failed),
            why: report.outcome.detail().map_or(word.clone(), |detail| format!("{word}, {detail}")),
            cut: report.output.dropped(Stream::Stdout) > 0 || report.output.dropped(Stream::Stderr) > 0,
        }
    }

    #[cfg(test)]
    pub(super) fn parts(out: &str, err: &str, exit: i32) -> Self {
        let (out, err) = (out.to_owned(), err.to_owned());
        Self { out, err, exit: Some(exit), ended: true, why: String::new(), cut: false }
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        self.out.lines().chain(self.err.lines())
    }
}

/// What is still to be written: a test that fails because it is missing fails for the right reason.
#[derive(Default)]
pub(super) struct Expectation<'a> {
    /// The files that the person named, separated by commas; may be empty.
    pub(super) target: &'a str,
    /// The test files.
    pub(super) files: &'a [String],
    /// What the person wrote in the recipe's inputs.
    pub(super) said: Vec<&'a str>,
}

impl Expectation<'_> {
    /// Whether a module of this name is still to be written: the person named its file or mentioned it, or a test file
    /// is named after it.
    pub(super) fn module(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        let parts: Vec<&str> =
            name.split(['.', '/', ':']).filter(|part| !part.is_empty() && *part != "src").collect();
        let target = self.target.to_lowercase();
        let of_target: Vec<&str> =
            paths(&target).flat_map(|path| path.split(['.', '/'])).filter(|part| *part != "src").collect();
        let stem = |file: &String| {
            let name = file_name(file).to_lowercase();
            let stem = name.split('.').next().unwrap_or_default();
            stem.trim_start_matches("test").trim_end_matches("test").trim_matches(['_', '-']).to_owned()
        };
        let stems: Vec<String> = self.files.iter().map(stem).filter(|stem| !stem.is_empty()).collect();
        parts.iter().any(|part| {
            of_target.contains(part)
                || stems.iter().any(|stem| stem == part)
                || self.said.iter().any(|said| has_word(said, part))
        })
    }

    /// Whether a path in the runner's output is a test file.
    pub(super) fn is_test(&self, path: &str) -> bool {
        self.files.iter().any(|file| path == file || path.ends_with(&format!("/{file}")))
    }
}

fn has_word(text: &str, word: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    word.chars().count() > 2 && text.to_lowercase().split(|c| !inside(c)).any(|known| known == word)
}

/// What was read from the output.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TestCounts {
    pub(super) passed: u32,
    pub(super) failed: u32,
    /// Errors outside of tests: in collection, setup or build.
    pub(super) errors: u32,
    pub(super) skipped: u32,
    /// How many of the passed ones were expected to fail, if the runner says so.
    pub(super) expected: u32,
    /// Whether the runner printed a complete summary.
    pub(super) counted: bool,
    /// How many passed according to the runner's list of single tests, if it prints one.
    pub(super) listed: Option<u32>,
    pub(super) problems: Vec<Problem>,
}

/// Why tests could not run, or failed before they tested anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    /// The runner is not on this machine.
    NoRunner,
    NoTests,
    /// The code that is still to be written is missing.
    Missing(String),
    /// Something else is missing: a library, or an import in the tests.
    Other(String),
    /// A syntax error.
    Syntax(String),
}

impl TestCounts {
    pub(super) fn problem(&mut self, problem: Problem) {
        if !self.problems.contains(&problem) && self.problems.len() < 20 {
            self.problems.push(problem);
        }
    }

    /// All tests that were counted.
    pub(super) fn all(&self) -> u32 {
        self.passed + self.failed + self.errors + self.skipped
    }

    fn counts(&self) -> String {
        let counts = [
            (self.failed, "failed"),
            (self.errors, "errors"),
            (self.passed, "passed"),
            (self.skipped, "skipped"),
        ];
        let told: Vec<String> =
            counts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
        if told.is_empty() { "no tests".into() } else { told.join(", ") }
    }
}

/// The verdict, and a note for the person. `runner` and `style` name the runner and the form of its tests in that note.
pub(super) fn verdict(
    runner: &str,
    style: &str,
    seen: &TestCounts,
    printed: &RunnerOutput,
) -> (&'static str, String) {
    if !printed.ended {
        return (UNCLEAR, format!("the run ended otherwise: {}", printed.why));
    }
    if seen.problems.contains(&Problem::NoRunner) {
        return (BROKEN, format!("{runner} is not on this machine"));
    }
    let text = |of: fn(&Problem) -> Option<&String>| seen.problems.iter().find_map(of).map(|text| line(text));
    let syntax = text(|p| if let Problem::Syntax(text) = p { Some(text) } else { None });
    let other = || text(|p| if let Problem::Other(text) = p { Some(text) } else { None });
    if let Some(text) = syntax.or_else(other) {
        return (BROKEN, text);
    }
    if let Some(text) = text(|p| if let Problem::Missing(text) = p { Some(text) } else { None }) {
        return (if printed.exit == Some(0) { UNCLEAR } else { RED }, text);
    }
    if printed.cut {
        return (UNCLEAR, crate::domain::sentences::saving::TOO_MUCH_PRINTED.into());
    }
    if seen.problems.contains(&Problem::NoTests) {
        return (BROKEN, format!("{runner} found no tests: it takes {style}"));
    }
    judge_counts(seen, printed)
}

fn judge_counts(seen: &TestCounts, printed: &RunnerOutput) -> (&'static str, String) {
    let counts = seen.counts();
    let bad = seen.failed > 0 || seen.errors > 0;
    match printed.exit {
        _ if !seen.counted => (UNCLEAR, "the runner did not say how many tests passed".into()),
        Some(0) if bad => (UNCLEAR, format!("{counts}, but the exit status is 0")),
        Some(0) if seen.passed == 0 => (BROKEN, format!("no test passed or failed: {counts}")),
        Some(0) if seen.listed.is_some_and(|listed| listed != seen.passed) => {
            (UNCLEAR, format!("{counts} by the summary, but the list of tests says otherwise"))
        }
        Some(0) => (GREEN, counts),
        _ if seen.failed > 0 && seen.errors == 0 => (RED, counts),
        _ if seen.errors > 0 => (BROKEN, format!("{counts}, outside of the tests themselves")),
        _ => (UNCLEAR, format!("{counts}, but the exit status is {}", printed.exit.unwrap_or(-1))),
    }
}

fn line(text: &str) -> String {
    printable(text.lines().next().unwrap_or_default(), 200)
}

pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The text between two others.
pub(super) fn between<'t>(text: &'t str, start: &str, end: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(inside, _)| inside)
}

/// The number before a word: `2 passed`.
pub(super) fn number(text: &str, word: &str) -> Option<u32> {
    text.split([',', ';']).find_map(|part| {
        let (number, behind) = part.trim().split_once(' ')?;
        behind.trim_start().starts_with(word).then(|| number.parse().ok()).flatten()
    })
}
