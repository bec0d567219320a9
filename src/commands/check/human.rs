//! Prints findings for people: place, severity, message, and the line of code with the place marked under it.

use super::work::{CheckOutcome, CheckedFile};
use crate::commands::input;
use crate::domain::Finding;
use crate::domain::visible::visible_line;
use std::io::{self, Write};
use std::path::Path;

/// Prints a file: each finding with its line of code, then what was not checked.
pub(super) fn write_file(checked: &CheckedFile, out: &mut dyn Write) -> io::Result<()> {
    let CheckOutcome::Reviewed { review, lines, cells, .. } = &checked.outcome else { return Ok(()) };
    for (index, finding) in review.findings.iter().enumerate() {
        let cell = cells.get(index).copied().flatten();
        writeln!(out, "{}", placed_line(&checked.path, cell, finding))?;
        if let Some(line) = lines.get(index).filter(|line| !line.is_empty()) {
            writeln!(out, "{line}")?;
        }
    }
    if let Some(why) = &review.unchecked {
        writeln!(out, "{}: not checked: {}", display_path(&checked.path), visible_line(why))?;
    }
    if review.findings.is_empty() && review.unchecked.is_none() {
        writeln!(out, "{}: no findings", display_path(&checked.path))?;
    }
    Ok(())
}

/// Prints the number of files and findings.
pub(super) fn summary(
    files: usize,
    [high, medium, info]: [usize; 3],
    unchecked: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let unchecked = if unchecked > 0 { format!(", {unchecked} not checked in full") } else { String::new() };
    writeln!(out, "{files} files: {high} high, {medium} medium, {info} info{unchecked}")
}

/// A finding on one line: `a.py:3:1: HIGH py.delete-tree: deletes a folder: out`.
pub(in crate::commands) fn finding_line(path: &Path, finding: &Finding) -> String {
    placed_line(path, None, finding)
}

/// A finding on one line, for a notebook with the cell before the line: `a.ipynb:cell 3:1:1: …`.
fn placed_line(path: &Path, cell: Option<u32>, finding: &Finding) -> String {
    let (place, severity) = (finding.place, finding.severity.as_str().to_uppercase());
    let message = visible_line(&finding.message);
    let cell = cell.map(|cell| format!("cell {cell}:")).unwrap_or_default();
    format!(
        "{}:{cell}{}:{}: {severity} {}: {message}",
        display_path(path),
        place.line,
        place.column,
        finding.rule
    )
}

fn display_path(path: &Path) -> String {
    visible_line(&input::display_path(path))
}
