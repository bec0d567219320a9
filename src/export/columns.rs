//! Lays out two sessions side by side as lines of a given width: in two columns, or in one where two would be too
//! narrow.

use crate::engine::session_comparison::{Comparison, ComparisonRow};
use crate::text::cells;
use unicode_segmentation::UnicodeSegmentation as _;

/// In fewer columns than this, lines that differ are shown below each other.
const MIN_TWO_COLUMN_WIDTH: usize = 60;

/// Wider terminals are not filled.
const MAX_WIDTH: usize = 400;

#[derive(Clone, Copy, Debug)]
pub(crate) struct ColumnSigns {
    same: char,
    differs: char,
}

impl ColumnSigns {
    pub(crate) const LINES: Self = Self { same: '│', differs: '≠' };
    /// For terminals that show only ASCII.
    pub(crate) const ASCII: Self = Self { same: '|', differs: '!' };
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ComparedLine {
    pub(crate) text: String,
    pub(crate) standing: LineStanding,
}

/// How the two sides of a line compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineStanding {
    /// A line that concerns both sessions, such as a heading.
    Alone,
    Same,
    Differs,
    /// Marks the first difference in the line above.
    Mark,
}

/// Lays out the whole comparison in `width` columns.
pub(crate) fn lines(compared: &Comparison, width: usize) -> Vec<ComparedLine> {
    first_lines(compared.rows(), (width, usize::MAX), ColumnSigns::LINES, str::to_owned).0
}

/// Lays out the first rows, up to about `most` lines of `width` columns, and counts the rows left out. `drawn` turns a
/// text into what the terminal draws; widths are measured on its result.
pub(crate) fn first_lines(
    rows: &[ComparisonRow],
    (width, most): (usize, usize),
    signs: ColumnSigns,
    drawn: impl Fn(&str) -> String,
) -> (Vec<ComparedLine>, usize) {
    let width = width.min(MAX_WIDTH);
    let mut lines = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        if lines.len() >= most {
            return (lines, rows.len() - at);
        }
        let (left, right, standing) = match row {
            ComparisonRow::Alone(text) => {
                let parts = cells::parts(&drawn(text), width.max(2)).into_iter();
                lines.extend(parts.map(|text| ComparedLine { text, standing: LineStanding::Alone }));
                continue;
            }
            ComparisonRow::Head(left, right) => (left, right, LineStanding::Alone),
            ComparisonRow::Pair(left, right, true) => (left, right, LineStanding::Same),
            ComparisonRow::Pair(left, right, false) => (left, right, LineStanding::Differs),
        };
        let (left, right) = (drawn(left), drawn(right));
        if width < MIN_TWO_COLUMN_WIDTH {
            push_beneath((&left, &right), standing, width.saturating_sub(2).max(2), &mut lines);
        } else {
            push_beside((&left, &right), standing, (width.saturating_sub(3) / 2, signs), &mut lines);
        }
    }
    (lines, 0)
}

/// Adds one row in two columns of `width` cells each. Long text continues on the next line; where two long lines differ
/// (`≠`), a `^` below them marks the first difference.
fn push_beside(
    (left, right): (&str, &str),
    standing: LineStanding,
    (width, signs): (usize, ColumnSigns),
    lines: &mut Vec<ComparedLine>,
) {
    let differs = standing == LineStanding::Differs;
    let both = !left.is_empty() && !right.is_empty();
    let mut line = |left: &str, between: char, right: &str, standing: LineStanding| {
        let room = width.saturating_sub(cells::columns(left));
        let text = format!("{left}{} {between} {right}", " ".repeat(room)).trim_end().to_owned();
        lines.push(ComparedLine { text, standing });
    };
    let (lefts, rights) = (cells::parts(left, width), cells::parts(right, width));
    let mark = (differs && both).then(|| first_difference(&lefts, &rights)).flatten();
    for at in 0..lefts.len().max(rights.len()) {
        let part = |parts: &[String]| parts.get(at).cloned().unwrap_or_default();
        line(&part(&lefts), if differs { signs.differs } else { signs.same }, &part(&rights), standing);
        // In a short line the difference is easy to see, so only long lines get a mark.
        if let Some((_, columns)) = mark.filter(|(row, _)| *row == at && (at > 0 || lefts.len() > 1)) {
            let pointer = format!("{}^", " ".repeat(columns));
            line(&pointer, ' ', &pointer, LineStanding::Mark);
        }
    }
}

/// Adds one row in one column: equal text once, else the left side (`<`) and below it the right side (`>`).
fn push_beneath(
    (left, right): (&str, &str),
    standing: LineStanding,
    width: usize,
    lines: &mut Vec<ComparedLine>,
) {
    let both = [("<", left), (">", right)];
    let sides = if standing == LineStanding::Same { &[(" ", left)][..] } else { &both[..] };
    for (lead, text) in sides.iter().filter(|(_, text)| standing == LineStanding::Same || !text.is_empty()) {
        let parts = cells::parts(text, width).into_iter().map(|part| format!("{lead} {part}"));
        lines.extend(parts.map(|text| ComparedLine { text: text.trim_end().to_owned(), standing }));
    }
}

/// The row and the column of the first difference.
fn first_difference(left: &[String], right: &[String]) -> Option<(usize, usize)> {
    let row = left.iter().zip(right).position(|(left, right)| left != right)?;
    let (left, right) = (left.get(row)?, right.get(row)?);
    let same: String = left
        .graphemes(true)
        .zip(right.graphemes(true))
        .take_while(|(left, right)| left == right)
        .map(|both| both.0)
        .collect();
    Some((row, cells::columns(&same)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(left: &str, right: &str) -> ComparisonRow {
        ComparisonRow::Pair(left.to_owned(), right.to_owned(), left == right)
    }

    fn laid_out(rows: &[ComparisonRow], width: usize) -> Vec<ComparedLine> {
        first_lines(rows, (width, usize::MAX), ColumnSigns::LINES, str::to_owned).0
    }

    fn pair(left: &str, right: &str, width: usize) -> Vec<String> {
        laid_out(&[row(left, right)], width).into_iter().map(|line| line.text).collect()
    }

    /// Lays out one pair in columns narrower than `first_lines` would ever use.
    fn columns(left: &str, right: &str, width: usize) -> Vec<String> {
        let mut lines = Vec::new();
        let standing = if left == right { LineStanding::Same } else { LineStanding::Differs };
        push_beside((left, right), standing, (width, ColumnSigns::LINES), &mut lines);
        lines.into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn what_is_alike_stands_side_by_side() {
        let rows = [row("a = 1", "a = 2"), row("print(a)", ""), row("same", "same")];
        let lines: Vec<(String, LineStanding)> =
            laid_out(&rows, 61).into_iter().map(|line| (line.text, line.standing)).collect();
        let line = |left: &str, right: &str| format!("{left:<29} {right}");
        assert_eq!(
            lines,
            [
                (line("a = 1", "≠ a = 2"), LineStanding::Differs),
                (line("print(a)", "≠"), LineStanding::Differs),
                (line("same", "│ same"), LineStanding::Same),
            ]
        );
    }

    #[test]
    fn where_two_columns_are_too_narrow_what_differs_stands_beneath_each_other() {
        assert_eq!(pair("a = 1", "a = 2", 40), ["< a = 1", "> a = 2"]);
        assert_eq!(pair("a = 1", "", 40), ["< a = 1"]);
        assert_eq!(pair("same", "same", 40), ["  same"]);
        assert_eq!(pair("", "", 40), [""]);
        assert_eq!(pair("abcdefghij", "", 10), ["< abcdefgh", "< ij"]);
        assert_eq!(pair("ab", "", 0), ["< ab"], "a window without columns holds nobody up");
    }

    #[test]
    fn a_long_line_goes_on_in_the_next_and_its_difference_is_marked() {
        let lines = columns("abcdefghij = 1", "abcdefghij = 2", 8);
        assert_eq!(lines, ["abcdefgh ≠ abcdefgh", "ij = 1   ≠ ij = 2", "     ^          ^"]);
        let lines = columns("abcdefghij", "abcdefghij", 8);
        assert_eq!(lines, ["abcdefgh │ abcdefgh", "ij       │ ij"]);
        assert_eq!(columns("", "abcdefghij", 8), ["         ≠ abcdefgh", "         ≠ ij"]);
    }

    #[test]
    fn what_is_wide_or_drawn_as_text_keeps_its_column() {
        let hostile = "\u{1b}[2J 👨\u{200d}👩\u{200d}👧 ｶﾞ e\u{301}";
        for (left, right) in [("日本語の列", hostile), (hostile, "日本語の列")] {
            for width in [61, 20] {
                let rows = [row(left, right)];
                let drawn = |text: &str| text.replace('\u{1b}', "\\x1b");
                let (lines, _) = first_lines(&rows, (width, 9), ColumnSigns::LINES, drawn);
                for ComparedLine { text, .. } in lines {
                    assert!(!text.contains('\u{1b}') && cells::columns(&text) <= width, "{text}");
                    let before = text.split_once('≠').map(|(before, _)| cells::columns(before));
                    assert!(before.is_none_or(|before| before == 30), "{text}");
                }
            }
        }
    }

    #[test]
    fn of_many_rows_the_first_lines_are_laid_out_and_the_others_are_counted() {
        let rows: Vec<_> =
            (1..=500).map(|n| row(&format!("line {n}"), &format!("line {}", n % 500))).collect();
        let laid = |size| {
            let (lines, others) = first_lines(&rows, size, ColumnSigns::ASCII, str::to_owned);
            (lines.len(), others)
        };
        assert_eq!(laid((100, 200)), (200, 300));
        assert_eq!(laid((100, 500)), (500, 0));
        // A row that takes several lines is never cut.
        assert_eq!(laid((40, 500)), (501, 0));
    }
}
