//! Puts the end of a run into words for people: how it ended, and what it changed that programs obey.

use crate::domain::visible::visible_line;
use crate::domain::{FileChange, RunReport};
use crate::text::number::duration;

/// The changes of a run to names that programs obey by themselves, one line each: `created .envrc: what a shell reads
/// when it starts`.
pub(crate) fn change_lines(report: &RunReport) -> Vec<String> {
    let line = |file: &FileChange| {
        let name = file.obeyed().or_else(|| file.run_by_tools())?;
        Some(format!("{} {}: {}", file.change, visible_line(&file.path), name.what))
    };
    let unknown = report.receipt.not_looked_at.unknown_names();
    let unknown = unknown.into_iter().map(|told| format!("was not looked at for {told}"));
    report.receipt.files.iter().filter_map(line).chain(unknown).collect()
}

/// How a run ended, on one line: `failed, exit 1, 0.4 s`.
pub(crate) fn end_text(report: &RunReport) -> String {
    let mut parts = report.end_words();
    parts.push(duration(report.receipt.wall_us / 1000));
    parts.join(", ")
}
