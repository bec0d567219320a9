//! Cuts out the lines of code of findings, with the place of each marked under its line.

use crate::domain::visible::visible;
use crate::domain::{Finding, Review};
use unicode_width::UnicodeWidthStr as _;

/// The most characters of a line that are shown.
const MAX_CHARS_SHOWN: usize = 100;

/// The least characters shown in front of the place if the line is cut.
const MIN_CHARS_BEFORE: usize = 30;

/// The line of code of each finding, with its place marked under it.
pub(super) fn lines(source: &str, review: &Review) -> Vec<String> {
    let mut number = 0;
    let mut rest = source.split('\n');
    let mut line = "";
    // Findings are sorted by place, so one pass over the text is enough.
    review
        .findings
        .iter()
        .map(|finding| {
            while number < finding.place.line {
                line = rest.next().unwrap_or_default();
                number += 1;
            }
            mark_place(line, finding)
        })
        .collect()
}

/// The line of each finding, from its cell of the notebook.
pub(super) fn cell_lines(texts: &[String], review: &Review, cells: &[Option<u32>]) -> Vec<String> {
    let line_of = |(finding, cell): (&Finding, &Option<u32>)| {
        let cell = usize::try_from(cell.unwrap_or(0)).ok()?.checked_sub(1)?;
        let line = usize::try_from(finding.place.line).ok()?.checked_sub(1)?;
        Some(mark_place(texts.get(cell)?.lines().nth(line)?, finding))
    };
    review.findings.iter().zip(cells).map(|pair| line_of(pair).unwrap_or_default()).collect()
}

fn mark_place(line: &str, finding: &Finding) -> String {
    let place = finding.place;
    let column = usize::try_from(place.column.saturating_sub(1)).unwrap_or(0);
    let end = if place.end_line == place.line { place.end_column.saturating_sub(1) } else { u32::MAX };
    let from = if column > MAX_CHARS_SHOWN - MIN_CHARS_BEFORE { column - MIN_CHARS_BEFORE } else { 0 };
    let mut pieces = line.chars().skip(from);
    let piece = |count: usize, chars: &mut dyn Iterator<Item = char>| -> String {
        visible(&chars.take(count).collect::<String>()).replace('\t', "    ")
    };
    let before = piece(column - from, &mut pieces);
    let length = usize::try_from(end).unwrap_or(usize::MAX).saturating_sub(column);
    let inside = piece(length.min(MAX_CHARS_SHOWN - (column - from).min(MAX_CHARS_SHOWN - 1)), &mut pieces);
    let after = piece(MAX_CHARS_SHOWN.saturating_sub(before.len() + inside.len()), &mut pieces);
    let (head, tail) = (if from > 0 { "…" } else { "" }, if pieces.next().is_some() { "…" } else { "" });
    let number = place.line.to_string();
    let gap = " ".repeat(number.len());
    let carets = "^".repeat(inside.trim_end().width().max(1));
    let indent = " ".repeat(head.width() + before.width());
    format!("  {number} | {head}{before}{inside}{after}{tail}\n  {gap} | {indent}{carets}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Severity, TextRange};

    fn at(line: u32, column: u32, end_line: u32, end_column: u32) -> Review {
        let finding = Finding {
            rule: "t.x".into(),
            severity: Severity::High,
            place: TextRange { line, column, end_line, end_column },
            message: "x".into(),
            forbidden: false,
        };
        Review { findings: vec![finding], ..Review::default() }
    }

    #[test]
    fn the_place_is_marked_under_its_line() {
        let shown = lines("a\n\tx = evil()\n", &at(2, 6, 2, 12));
        assert_eq!(shown, ["  2 |     x = evil()\n    |         ^^^^^^"]);
        let wide = lines("漢字 = evil()", &at(1, 6, 1, 12));
        assert_eq!(wide, ["  1 | 漢字 = evil()\n    |        ^^^^^^"]);
    }

    #[test]
    fn long_and_hostile_lines_are_cut_and_written_out() {
        let line = format!("{}evil(){}", " ".repeat(500), "y".repeat(500));
        let shown = lines(&line, &at(1, 501, 1, 507)).remove(0);
        assert!(shown.contains("evil()") && shown.lines().all(|l| l.width() < 130), "{shown}");
        let hidden = lines("a\u{202e}b", &at(1, 2, 1, 3)).remove(0);
        assert_eq!(hidden, "  1 | a<U+202E>b\n    |  ^^^^^^^^");
    }

    #[test]
    fn a_place_over_several_lines_is_marked_on_the_first() {
        assert_eq!(lines("f(\n  1)", &at(1, 1, 2, 5)), ["  1 | f(\n    | ^^"]);
        assert_eq!(lines("", &at(1, 1, 1, 1)), ["  1 | \n    | ^"]);
    }
}
