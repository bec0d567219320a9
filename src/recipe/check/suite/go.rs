//! Reads what `go test -v` prints.

use super::runner_output::{Expectation, Problem, RunnerOutput, TestCounts, between};

pub(super) fn read(seen: &mut TestCounts, printed: &RunnerOutput, expected: &Expectation<'_>) {
    // Build errors appear on stdout or stderr, depending on go's version.
    let mut package = "";
    for line in printed.lines() {
        if let Some(name) = line.strip_prefix("# ") {
            package = name.split([' ', '/']).next().unwrap_or_default();
        }
        built(seen, line, package, expected);
    }
    let count = |start: &str| printed.out.lines().filter(|line| line.starts_with(start)).count();
    let whole = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    seen.passed = whole(count("--- PASS: "));
    seen.failed = whole(count("--- FAIL: "));
    seen.skipped = whole(count("--- SKIP: "));
    let run = printed.out.lines().filter(|line| line.starts_with("=== RUN ") && !line.contains('/')).count();
    let last = printed.out.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    seen.counted = last.starts_with("ok  \t") || last == "FAIL" || last.starts_with("?   \t");
    // A test passed if it began and neither failed nor was skipped.
    seen.listed = Some(whole(run).saturating_sub(seen.failed + seen.skipped));
    if seen.counted && run == 0 && seen.problems.is_empty() {
        seen.problem(Problem::NoTests);
    }
}

/// Reads one line of a build error.
fn built(seen: &mut TestCounts, line: &str, package: &str, expected: &Expectation<'_>) {
    if line.contains("does not contain main module") || line.contains("go.mod file not found") {
        return seen.problem(Problem::Other("there is no go.mod here".into()));
    }
    let Some((place, message)) = line.split_once(": ") else { return };
    let is_place =
        place.split_once(".go:").is_some_and(|(_, at)| at.split(':').all(|n| n.parse::<u32>().is_ok()));
    if !is_place || line.starts_with(char::is_whitespace) {
        return;
    }
    let place = place.trim_start_matches("./");
    let of_package = between(message, "package ", " is not in")
        .or_else(|| message.split_once("providing package ").map(|(_, p)| p));
    let of_package = of_package.or_else(|| message.split_once("provides package ").map(|(_, p)| p));
    if let Some(path) = of_package {
        let path = path.split([' ', ':', ';']).next().unwrap_or_default();
        let first = path.split('/').next().unwrap_or_default();
        let last = path.rsplit('/').next().unwrap_or_default();
        let to_write = first == package || (!first.contains('.') && expected.module(last));
        return seen.problem(if to_write {
            Problem::Missing(format!("the package {path} is missing"))
        } else {
            Problem::Other(format!("no package {path} ({place})"))
        });
    }
    let is_syntax = ["syntax error", "missing ", "expected "].iter().any(|start| message.starts_with(start));
    let kind = if message.starts_with("undefined: ") || message.contains("has no field or method") {
        Problem::Missing
    } else if is_syntax {
        Problem::Syntax
    } else {
        // Messages of tests look the same but are indented, so they do not get here.
        Problem::Other
    };
    seen.problem(kind(format!("{message} ({place})")));
}

/// Whether no package had test files, as go prints it without `-v`.
pub(super) fn has_no_files(printed: &RunnerOutput) -> bool {
    let ok = |line: &str| line.starts_with("ok ") || line.starts_with("ok\t");
    printed.out.contains("[no test files]") && !printed.out.lines().any(ok)
}
