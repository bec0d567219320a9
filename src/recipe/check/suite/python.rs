//! Reads what pytest and unittest print.

use super::runner_output::{Expectation, Problem, RunnerOutput, TestCounts, between, number};

/// Reads pytest's output with `-q --tb=short -rfE`.
pub(super) fn pytest(seen: &mut TestCounts, printed: &RunnerOutput, expected: &Expectation<'_>) {
    let mut place = ExceptionPlace::default();
    for line in printed.out.lines() {
        match line.strip_prefix("E   ") {
            Some(error) => raised(seen, &place, error.trim_start(), expected),
            None => place.follow(line),
        }
        if let Some(error) = line.strip_prefix("E ") {
            place.file_line(error.trim());
            if error.contains("fixture '") && error.trim_end().ends_with("not found") {
                seen.problem(Problem::Other(error.trim().to_owned()));
            }
        }
    }
    let summaries: Vec<&str> = printed.out.lines().filter(|line| is_summary(line)).collect();
    let last = printed.out.lines().rev().find(|line| !line.trim().is_empty());
    let Some(last) = last.filter(|line| is_summary(line)) else { return };
    let last = last.trim_matches(['=', ' ']);
    let count = |word| number(last.split(" in ").next().unwrap_or_default(), word).unwrap_or_default();
    seen.expected = count("xfailed");
    seen.passed = count("passed") + seen.expected + count("xpassed");
    (seen.failed, seen.errors, seen.skipped) = (count("failed"), count("error"), count("skipped"));
    seen.counted = true;
    // A second summary line was printed by a test, perhaps to imitate the runner.
    seen.listed = Some(if summaries.len() == 1 { count_passed(&printed.out) } else { u32::MAX });
    if last.starts_with("no tests ran") || printed.exit == Some(5) {
        seen.problem(Problem::NoTests);
    }
}

/// The number of passed tests, by the lines of dots or the words of `-v`.
fn count_passed(out: &str) -> u32 {
    let mut passed = 0;
    for line in out.lines().take_while(|line| !line.starts_with("====")) {
        let marks = line.split(" [").next().unwrap_or_default().trim_end();
        let marks = marks.rsplit(' ').next().unwrap_or_default();
        let dots = marks.chars().filter(|c| matches!(c, '.' | 'x' | 'X')).count();
        if !marks.is_empty() && marks.chars().all(|c| ".FEsxX".contains(c)) {
            passed += u32::try_from(dots).unwrap_or(u32::MAX);
        } else if ["PASSED", "XFAIL", "XPASS"].contains(&marks) {
            passed += 1;
        }
    }
    passed
}

fn is_summary(line: &str) -> bool {
    let line = line.trim_matches(['=', ' ']);
    let Some((counts, time)) = line.split_once(" in ") else { return false };
    let counted = |part: &str| part.split_once(' ').is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    let time = time.split(' ').next().unwrap_or_default();
    let timed = time.strip_suffix('s').is_some_and(|time| time.parse::<f64>().is_ok());
    timed && (counts == "no tests ran" || counts.split(", ").all(counted))
}

/// Reads unittest's output with `-v`.
pub(super) fn unittest(seen: &mut TestCounts, printed: &RunnerOutput, expected: &Expectation<'_>) {
    let mut place = ExceptionPlace::default();
    for line in printed.err.lines() {
        place.file_line(line.trim());
        raised(seen, &place, line, expected);
    }
    let ran: Vec<&str> = printed.err.lines().filter_map(|line| line.strip_prefix("Ran ")).collect();
    let Some(ran_tests) =
        ran.last().and_then(|line| line.split(' ').next()).and_then(|n| n.parse::<u32>().ok())
    else {
        return;
    };
    let result = printed.err.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let count = |word: &str| {
        between(result, &format!("{word}="), ")")
            .and_then(|n| n.split(',').next())
            .and_then(|n| n.parse::<u32>().ok())
    };
    seen.skipped = count("skipped").unwrap_or_default();
    seen.expected = count("expected failures").unwrap_or_default();
    // A test that raises counts as failed.
    seen.failed = count("failures").unwrap_or_default() + count("errors").unwrap_or_default();
    seen.failed += count("unexpected successes").unwrap_or_default();
    seen.counted =
        result.starts_with("OK") || result.starts_with("FAILED") || result.starts_with("NO TESTS RAN");
    seen.passed = ran_tests.saturating_sub(seen.failed).saturating_sub(seen.skipped);
    let ok = |line: &&str| *line == "ok" || line.ends_with(" ... ok") || line.ends_with("expected failure");
    let listed = u32::try_from(printed.err.lines().filter(ok).count()).unwrap_or(u32::MAX);
    seen.listed = Some(if ran.len() == 1 { listed } else { u32::MAX });
    if ran_tests == 0 {
        seen.problem(Problem::NoTests);
    }
}

/// Where an exception was raised, read from the lines above it.
#[derive(Default)]
struct ExceptionPlace {
    file: String,
    line: String,
}

impl ExceptionPlace {
    /// Reads a line of pytest: `tests/test_slug.py:2: in test_blanks`.
    fn follow(&mut self, line: &str) {
        let Some((place, _)) = line.split_once(": in ") else { return };
        if let Some((file, number)) = place.rsplit_once(':').filter(|_| !line.starts_with(' ')) {
            (self.file, self.line) = (file.to_owned(), number.to_owned());
        }
    }

    /// Reads a line of a traceback: `File "/work/slug.py", line 8`.
    fn file_line(&mut self, line: &str) {
        if let Some((file, rest)) = line.strip_prefix("File \"").and_then(|rest| rest.split_once("\", line "))
        {
            let number = rest.split(',').next().unwrap_or_default();
            (self.file, self.line) = (file.to_owned(), number.to_owned());
        }
    }

    fn describe(&self) -> String {
        let name = self.file.rsplit('/').next().unwrap_or_default();
        format!("{name}, line {}", self.line)
    }
}

/// Reads from an exception why tests could not run.
fn raised(seen: &mut TestCounts, place: &ExceptionPlace, error: &str, expected: &Expectation<'_>) {
    let Some((kind, message)) = error.split_once(": ") else { return };
    match kind {
        "ModuleNotFoundError" => {
            let Some(module) = between(message, "No module named '", "'") else { return };
            seen.problem(if expected.module(module) {
                Problem::Missing(format!("the module {module} is missing"))
            } else {
                Problem::Other(format!("no module named {module} ({})", place.describe()))
            });
        }
        "ImportError" => {
            let Some(name) = between(message, "cannot import name '", "'") else { return };
            let from = between(message, "from '", "'").unwrap_or_default();
            let foreign = message.contains("site-packages") || message.contains("/lib/python");
            seen.problem(if foreign {
                Problem::Other(format!("{from} has no {name}"))
            } else {
                Problem::Missing(format!("{name} is missing in {from}"))
            });
        }
        "SyntaxError" | "IndentationError" | "TabError" => {
            seen.problem(Problem::Syntax(format!("{kind} in {}: {message}", place.describe())));
        }
        "NameError" if expected.is_test(&place.file) => {
            let name = between(message, "name '", "'").unwrap_or(message);
            seen.problem(Problem::Other(format!("the tests don't import {name} ({})", place.describe())));
        }
        _ => {}
    }
}
