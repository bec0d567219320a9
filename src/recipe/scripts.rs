//! Builds the scripts that recipes propose as blocks of sayso's own: readable Python (`assets/recipes/*.py`) followed
//! by a call with its arguments as literals. They run after approval, like every block.

use super::hunks::ReplacedLines;
use crate::python::Literal;
use std::fmt::Write as _;

const WHICH_HUNK: &str = include_str!("../../assets/recipes/which_hunk.py");
const MEASURE: &str = include_str!("../../assets/recipes/measure.py");
const COLUMNS: &str = include_str!("../../assets/recipes/columns.py");

/// The beginning of output lines that hold a script's result.
const RESULT_PREFIX: &str = "=> ";

/// A script that finds which of these hunks of a file breaks the net.
pub(super) fn which_hunk(
    folder: &str,
    file: &str,
    net: &str,
    hunks: &[ReplacedLines],
    seconds: u64,
) -> String {
    let mut all = String::new();
    for (at, hunk) in hunks.iter().enumerate() {
        let _ = writeln!(
            all,
            "        # hunk {}: the place of its lines in the file, and the lines that were there before",
            at + 1
        );
        if hunk.before.is_empty() {
            let _ = writeln!(all, "        ({}, {}, []),", hunk.new.start, hunk.new.end);
            continue;
        }
        let _ = writeln!(all, "        ({}, {}, [", hunk.new.start, hunk.new.end);
        for line in &hunk.before {
            let _ = writeln!(all, "            {},", text(line));
        }
        all.push_str("        ]),\n");
    }
    let (folder, file, net) = (text(folder), text(file), text(net));
    format!(
        "{WHICH_HUNK}_which_hunk(\n    folder={folder},\n    file={file},\n    net={net},\n    hunks=[\n{all}    ],\n    \
         seconds={seconds},\n)\ndel _which_hunk\n"
    )
}

/// A script that measures how long a command takes; `before` are the seconds of earlier runs, which it prints for
/// comparison.
pub(super) fn measure(folder: &str, command: &[String], before: &[f64], seconds: u64) -> String {
    let command = Literal::List(command.iter().cloned().map(Literal::Text).collect());
    let before: Vec<String> = before.iter().map(|second| format!("{second:.6}")).collect();
    let (folder, before) = (text(folder), before.join(", "));
    format!(
        "{MEASURE}_measure(\n    folder={folder},\n    command={command},\n    before=[{before}],\n    \
         seconds={seconds},\n)\ndel _measure\n"
    )
}

/// A script that prints the columns of a table: counts of empty cells, numbers and texts.
pub(super) fn columns(folder: &str, file: &str) -> String {
    format!("{COLUMNS}_columns({}, {})\ndel _columns\n", text(folder), text(file))
}

fn text(text: &str) -> String {
    Literal::Text(text.to_owned()).to_string()
}

/// The lines of a script's output that hold its result, at most 20.
pub(super) fn results(output: &str) -> Vec<&str> {
    let lines = output.lines().filter_map(|line| line.strip_prefix(RESULT_PREFIX));
    lines.filter(|line| line.len() < 4_000).take(20).collect()
}

/// The seconds that a script measured; none if it failed. Only the last line counts, because the script prints its
/// result last and the measured program can print anything before.
pub(super) fn seconds(output: &str) -> Vec<f64> {
    let last = output.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let found = results(last).pop().and_then(|line| line.strip_prefix("seconds: "));
    let numbers = found.unwrap_or_default().split_whitespace().take(100).map(str::parse::<f64>);
    let seconds: Result<Vec<f64>, _> = numbers.collect();
    seconds.unwrap_or_default().into_iter().filter(|second| second.is_finite() && *second >= 0.0).collect()
}

/// Statistics of several runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Figures {
    pub(super) median: f64,
    pub(super) least: f64,
    pub(super) most: f64,
}

impl Figures {
    pub(super) fn of(seconds: &[f64]) -> Option<Self> {
        let mut sorted = seconds.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (least, most) = (*sorted.first()?, *sorted.last()?);
        let (half, odd) = (sorted.len() / 2, sorted.len() % 2 == 1);
        let upper = *sorted.get(half)?;
        let lower = if odd { upper } else { *sorted.get(half.checked_sub(1)?)? };
        Some(Self { median: f64::midpoint(lower, upper), least, most })
    }

    /// `0.1234 s (0.1200 to 0.1300)`.
    pub(super) fn describe(&self) -> String {
        format!("{:.4} s ({:.4} to {:.4})", self.median, self.least, self.most)
    }
}

#[cfg(test)]
mod tests;
