//! Reads what `cargo test` prints.

use super::runner_output::{Expectation, Problem, RunnerOutput, TestCounts, between, number};

pub(super) fn read(seen: &mut TestCounts, printed: &RunnerOutput, expected: &Expectation<'_>) {
    errors(seen, printed, expected);
    let results: Vec<&str> =
        printed.out.lines().filter_map(|line| line.strip_prefix("test result: ")).collect();
    let running: Vec<u32> =
        printed.out.lines().filter_map(|line| between(line, "running ", " test")?.parse().ok()).collect();
    for result in &results {
        let counts = result.split_once(". ").map_or("", |(_, counts)| counts);
        seen.passed += number(counts, "passed").unwrap_or_default();
        seen.failed += number(counts, "failed").unwrap_or_default();
        seen.skipped += number(counts, "ignored").unwrap_or_default();
    }
    let total = seen.passed + seen.failed + seen.skipped;
    // A test process that exits early prints how many tests it runs, but no result.
    seen.counted =
        !results.is_empty() && results.len() == running.len() && total == running.iter().sum::<u32>();
    let ok = |line: &&str| {
        line.starts_with("test ") && (line.ends_with(" ... ok") || line.ends_with("should panic ... ok"))
    };
    seen.listed = u32::try_from(printed.out.lines().filter(ok).count()).ok();
    if seen.counted && total == 0 && seen.problems.is_empty() {
        seen.problem(Problem::NoTests);
    }
}

/// Reads the compiler's errors, each with the place printed below it.
fn errors(seen: &mut TestCounts, printed: &RunnerOutput, expected: &Expectation<'_>) {
    let own = between(&printed.err, "could not compile `", "`")
        .map(|name| name.replace('-', "_"))
        .unwrap_or_default();
    let mut lines = printed.err.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((code, message)) = line.strip_prefix("error").and_then(|rest| rest.split_once(": ")) else {
            continue;
        };
        let place = lines.peek().and_then(|next| next.trim_start().strip_prefix("--> ")).unwrap_or_default();
        let told = |text: &str| if place.is_empty() { text.to_owned() } else { format!("{text} ({place})") };
        match code.trim_matches(['[', ']']) {
            "" if ["could not compile", "test failed", "aborting due", "could not document"]
                .iter()
                .any(|start| message.starts_with(start)) => {}
            "" if place.is_empty() => seen.problem(Problem::Other(message.to_owned())),
            "" => seen.problem(Problem::Syntax(told(message))),
            "E0432" | "E0433" => {
                let path = between(message, "`", "`").unwrap_or_default();
                let first = path.split("::").next().unwrap_or_default();
                let in_own = message.contains(&format!("in `{own}`"));
                let to_write = in_own
                    || first == own
                    || ["crate", "super", "self"].contains(&first)
                    || expected.module(first);
                seen.problem(if to_write {
                    Problem::Missing(format!("{path} is missing"))
                } else {
                    Problem::Other(told(message))
                });
            }
            "E0425" | "E0412" | "E0405" | "E0423" => {
                let forgotten = message.ends_with("in this scope") && place.starts_with("tests/");
                let kind = if forgotten { Problem::Other } else { Problem::Missing };
                seen.problem(kind(told(message)));
            }
            "E0599" | "E0609" | "E0560" | "E0407" | "E0437" => seen.problem(Problem::Missing(told(message))),
            _ => seen.problem(Problem::Other(told(message))),
        }
    }
}
