//! A comparison as lines of a width: two columns, or one where two would be too narrow to be read.

use super::{Comparison, ComparisonRow};
use unicode_width::UnicodeWidthChar as _;

/// Where fewer columns are, what differs stands beneath each other.
const NARROW: usize = 60;

/// More columns than that are not filled.
const WIDEST: usize = 400;

/// A line of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ComparedLine {
    pub text: String,
    pub standing: LineStanding,
}

/// How its two sides stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineStanding {
    /// It is told of both.
    Alone,
    Same,
    Differs,
    /// It points at the first difference in the line above.
    Mark,
}

impl Comparison {
    /// All of it in so many columns.
    pub(crate) fn lines(&self, width: usize) -> Vec<ComparedLine> {
        self.first_lines(width, usize::MAX).0
    }

    /// The rows that fill so many lines of this width, and how many others there are.
    pub(crate) fn first_lines(&self, width: usize, most: usize) -> (Vec<ComparedLine>, usize) {
        let width = width.min(WIDEST);
        let mut lines = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            if lines.len() >= most {
                return (lines, self.rows.len() - at);
            }
            let (left, right, standing) = match row {
                ComparisonRow::Alone(text) => {
                    let parts = wrapped(text, width.max(2)).into_iter();
                    lines.extend(parts.map(|text| ComparedLine { text, standing: LineStanding::Alone }));
                    continue;
                }
                ComparisonRow::Head(left, right) => (left, right, LineStanding::Alone),
                ComparisonRow::Pair(left, right, true) => (left, right, LineStanding::Same),
                ComparisonRow::Pair(left, right, false) => (left, right, LineStanding::Differs),
            };
            if width < NARROW {
                beneath((left, right), standing, width.saturating_sub(2).max(2), &mut lines);
            } else {
                beside((left, right), standing, width.saturating_sub(3) / 2, &mut lines);
            }
        }
        (lines, 0)
    }
}

/// Two columns of so many cells. What does not fit goes on in the next line, and beneath two lines that differ in part
/// (`≠`) the first difference is marked (`^`).
fn beside((left, right): (&str, &str), standing: LineStanding, width: usize, lines: &mut Vec<ComparedLine>) {
    let differs = standing == LineStanding::Differs;
    let both = !left.is_empty() && !right.is_empty();
    let mut line = |left: &str, between: char, right: &str, standing: LineStanding| {
        let room = width.saturating_sub(width_of(left));
        let text = format!("{left}{} {between} {right}", " ".repeat(room)).trim_end().to_owned();
        lines.push(ComparedLine { text, standing });
    };
    let (lefts, rights) = (wrapped(left, width), wrapped(right, width));
    let mark = (differs && both).then(|| first_difference(&lefts, &rights)).flatten();
    for at in 0..lefts.len().max(rights.len()) {
        let part = |parts: &[String]| parts.get(at).cloned().unwrap_or_default();
        line(&part(&lefts), if differs { '≠' } else { '│' }, &part(&rights), standing);
        // Short lines are seen at once.
        if let Some((_, columns)) = mark.filter(|(row, _)| *row == at && (at > 0 || lefts.len() > 1)) {
            let pointer = format!("{}^", " ".repeat(columns));
            line(&pointer, ' ', &pointer, LineStanding::Mark);
        }
    }
}

/// One column: what is the same once, else the left side (`<`) and beneath it the right one (`>`).
fn beneath((left, right): (&str, &str), standing: LineStanding, width: usize, lines: &mut Vec<ComparedLine>) {
    let both = [("<", left), (">", right)];
    let sides = if standing == LineStanding::Same { &[(" ", left)][..] } else { &both[..] };
    for (lead, text) in sides.iter().filter(|(_, text)| standing == LineStanding::Same || !text.is_empty()) {
        let parts = wrapped(text, width).into_iter().map(|part| format!("{lead} {part}"));
        lines.extend(parts.map(|text| ComparedLine { text: text.trim_end().to_owned(), standing }));
    }
}

fn width_of(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// A line in parts that fit; an empty one is one part.
fn wrapped(line: &str, width: usize) -> Vec<String> {
    let (mut parts, mut left) = (vec![String::new()], width);
    for c in line.chars() {
        let cells = c.width().unwrap_or(0);
        if cells > left {
            parts.push(String::new());
            left = width;
        }
        left = left.saturating_sub(cells);
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts
}

/// The row and the column at which the two are not the same any more.
fn first_difference(left: &[String], right: &[String]) -> Option<(usize, usize)> {
    let row = left.iter().zip(right).position(|(left, right)| left != right)?;
    let (left, right) = (left.get(row)?, right.get(row)?);
    let same: String = left
        .chars()
        .zip(right.chars())
        .take_while(|(left, right)| left == right)
        .map(|both| both.0)
        .collect();
    Some((row, width_of(&same)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(left: &str, right: &str, width: usize) -> Vec<String> {
        let mut told = Comparison::default();
        told.row(left, right);
        told.lines(width).into_iter().map(|line| line.text).collect()
    }

    /// In columns that are narrower than they ever are.
    fn columns(left: &str, right: &str, width: usize) -> Vec<String> {
        let mut lines = Vec::new();
        let standing = if left == right { LineStanding::Same } else { LineStanding::Differs };
        beside((left, right), standing, width, &mut lines);
        lines.into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn what_is_alike_stands_side_by_side() {
        let mut told = Comparison::default();
        let lines = |text: &[&str]| text.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        told.rows(&lines(&["a = 1", "print(a)", "same"]), &lines(&["a = 2", "same"]), 9);
        let lines: Vec<(String, LineStanding)> =
            told.lines(61).into_iter().map(|line| (line.text, line.standing)).collect();
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
    fn what_is_wide_or_hostile_keeps_its_column() {
        for width in [60, 20] {
            for line in pair("日本語の列", "\u{1b}[2J", width) {
                assert!(!line.contains('\u{1b}'), "{line}");
                let left = line.split_once('≠').map(|(left, _)| width_of(left));
                assert!(left.is_none_or(|left| left == 29), "{line}");
            }
        }
    }
}
