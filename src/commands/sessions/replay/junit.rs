//! Writes a replay as a JUnit report with a test case for each run, which CI servers show.

use super::result::{ReportedRun, RunResult};
use crate::domain::visible::visible;
use std::fmt::Write as _;

/// The report of these runs; `name` is the name of the session.
pub(super) fn report(name: &str, runs: &[ReportedRun]) -> String {
    let count = |wanted: fn(&RunResult) -> bool| runs.iter().filter(|run| wanted(&run.result)).count();
    let failures = count(|result| matches!(result, RunResult::Differs(_)));
    let errors = count(|result| matches!(result, RunResult::Impossible(_)));
    let skipped = count(|result| matches!(result, RunResult::LeftOut(_)));
    let time: u64 = runs.iter().map(|run| run.wall_us).sum();
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    let _ = writeln!(
        text,
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{}\">",
        escaped(name),
        runs.len(),
        seconds(time)
    );
    for run in runs {
        write_case(name, run, &mut text);
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

fn write_case(suite: &str, run: &ReportedRun, text: &mut String) {
    let name = format!("block {} ({}): {}", run.block, run.what, run.first_line);
    let (suite, name, time) = (escaped(suite), escaped(&name), seconds(run.wall_us));
    let _ = write!(text, "    <testcase classname=\"{suite}\" name=\"{name}\" time=\"{time}\"");
    let inner = match &run.result {
        RunResult::Same => None,
        RunResult::Differs(differences) => {
            let all: String = differences.iter().map(|difference| difference.to_string() + "\n").collect();
            let first = differences.first().map(|difference| difference.describe_place()).unwrap_or_default();
            Some(("failure", first, all))
        }
        RunResult::Impossible(why) => Some(("error", why.clone(), String::new())),
        RunResult::LeftOut(why) => Some(("skipped", why.clone(), String::new())),
    };
    match inner {
        None => text.push_str("/>\n"),
        Some((kind, message, body)) => {
            let (message, body) = (escaped(&message), escaped(&body));
            let _ = writeln!(text, ">\n      <{kind} message=\"{message}\">{body}</{kind}>\n    </testcase>");
        }
    }
}

fn seconds(micros: u64) -> String {
    format!("{}.{:03}", micros / 1_000_000, micros / 1_000 % 1_000)
}

/// Escapes a text for XML: no markup, and no character that XML does not allow.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\n' => safe.push_str("&#10;"),
            '\t' => safe.push_str("&#9;"),
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}
