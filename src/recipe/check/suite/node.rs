//! Reads the TAP output of node's test runner. It prefixes what tests print with `# ` and escapes every `#` in it, so
//! tests can't imitate the runner.

use super::runner_output::{Expectation, Problem, RunnerOutput, TestCounts, between, file_name};

pub(super) fn read(seen: &mut TestCounts, printed: &RunnerOutput, expected: &Expectation<'_>) {
    let mut file = String::new();
    for line in printed.out.lines() {
        if let Some(said) = line.strip_prefix("# ") {
            file = place(said).unwrap_or(file);
            thrown(seen, &file, said, expected);
        }
        if let Some(error) = line.trim_start().strip_prefix("error: ") {
            note_inner_error(seen, error.trim_matches('\''), &printed.out, expected);
        }
    }
    if printed.err.lines().any(|line| line.starts_with("Could not find '")) {
        seen.problem(Problem::NoTests);
    }
    let count = |word: &str| {
        let start = format!("# {word} ");
        printed.out.lines().rev().find_map(|line| line.strip_prefix(&start)?.parse::<u32>().ok())
    };
    let (Some(passed), Some(failed)) = (count("pass"), count("fail")) else { return };
    seen.counted = true;
    seen.failed = failed + count("cancelled").unwrap_or_default();
    seen.skipped = count("skipped").unwrap_or_default() + count("todo").unwrap_or_default();
    // A file without tests of its own is counted as one test.
    let files = printed.out.lines().filter(|line| is_file(line)).count();
    seen.passed = passed.saturating_sub(u32::try_from(files).unwrap_or(u32::MAX));
    if seen.passed == 0 && seen.failed == 0 && seen.problems.is_empty() {
        seen.problem(Problem::NoTests);
    }
    let broke = printed.out.lines().any(|line| line.starts_with("not ok ") && names_file(line));
    if broke && seen.problems.is_empty() && !printed.out.contains("ERR_ASSERTION") {
        seen.errors = 1;
    }
}

/// Whether a line reports that a whole file passed.
fn is_file(line: &str) -> bool {
    line.starts_with("ok ") && names_file(line)
}

fn names_file(line: &str) -> bool {
    let name = line.split_once(" - ").map_or("", |(_, name)| name);
    [".js", ".mjs", ".cjs", ".ts"].iter().any(|end| name.ends_with(end))
}

/// Parses `file:///work/tests/slug.test.mjs:11`.
fn place(line: &str) -> Option<String> {
    let (path, number) = line.rsplit_once(':')?;
    let path = path.strip_prefix("file://").unwrap_or(path);
    (path.starts_with('/') && number.parse::<u32>().is_ok())
        .then(|| format!("{}, line {number}", file_name(path)))
}

/// Reads an error that ended a test file.
fn thrown(seen: &mut TestCounts, file: &str, said: &str, expected: &Expectation<'_>) {
    let Some((kind, message)) = said.split_once(": ") else { return };
    match kind {
        "SyntaxError" => match between(message, "The requested module '", "'") {
            Some(module) => {
                let name = between(message, "export named '", "'").unwrap_or("an export");
                seen.problem(if is_local(module) {
                    Problem::Missing(format!("{name} is missing in {module}"))
                } else {
                    Problem::Other(format!("{module} has no {name}"))
                });
            }
            None => seen.problem(Problem::Syntax(format!("SyntaxError in {file}: {message}"))),
        },
        "Error" | "Error [ERR_MODULE_NOT_FOUND]" => missing(seen, message, expected),
        "ReferenceError" => seen.problem(Problem::Other(format!("{message} ({file})"))),
        _ => {}
    }
}

fn missing(seen: &mut TestCounts, message: &str, expected: &Expectation<'_>) {
    let found =
        between(message, "Cannot find module '", "'").or(between(message, "Cannot find package '", "'"));
    let Some(module) = found else { return };
    let name = file_name(module);
    let stem = name.split('.').next().unwrap_or_default();
    seen.problem(if is_local(module) && expected.module(stem) {
        Problem::Missing(format!("the module {name} is missing"))
    } else {
        Problem::Other(format!("no module {name}"))
    });
}

fn is_local(module: &str) -> bool {
    module.starts_with(['.', '/'])
}

/// Reads an error within a test: a name that the tests forgot to import.
fn note_inner_error(seen: &mut TestCounts, error: &str, out: &str, expected: &Expectation<'_>) {
    missing(seen, error, expected);
    let Some(name) = error.strip_suffix(" is not defined").filter(|name| !name.contains(' ')) else { return };
    let Some((_, behind)) = out.split_once(error) else { return };
    // The first line of the stack trace says where.
    let place =
        behind.lines().skip_while(|line| !line.trim_start().starts_with("stack:")).nth(1).unwrap_or_default();
    let file = place.rsplit(['(', ' ']).next().unwrap_or_default().trim_end_matches(')');
    let file = file.strip_prefix("file://").unwrap_or(file).split(':').next().unwrap_or_default();
    if expected.is_test(file) {
        seen.problem(Problem::Other(format!("the tests don't import {name}")));
    }
}
