//! Lays out a block's text for a width: which rows there are, and what each shows. Rows are only counted here; they are
//! painted when they scroll into view.

pub(crate) mod changed_words;
mod line_diff;
mod paint;
pub(crate) mod remark;

use super::hunks::{DroppedHunk, HunkChoice, number};
use crate::domain::file_texts::FilePart;
use crate::tui::guard;
use crate::tui::paint::glyphs::Strictness;
use crate::tui::widgets::passage::WrappedLine;
use crate::tui::widgets::safe;
pub(super) use line_diff::DIFF_TIMEOUT;
use line_diff::{DiffStep, LineDiff};
pub(crate) use paint::{Gutter, tinted};
use ratatui::style::Style;
use remark::Remark;
use std::ops::Range;
use std::sync::Arc;

/// What a row shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeRow {
    /// Part of a line of code; lines count from 0.
    Code {
        line: u32,
        /// Which row of the line.
        part: u32,
    },
    /// Part of a line that a write would remove from its file; lines of the old text count from 0.
    Old {
        line: u32,
        /// Which row of the line.
        part: u32,
        /// The line of the code that follows.
        at: u32,
    },
    Dropped {
        /// Its index among the dropped hunks.
        number: u32,
        /// The line of the code that follows.
        at: u32,
    },
    /// Unchanged lines of a file.
    Same {
        /// The first of them.
        at: u32,
        count: u32,
    },
    /// Part of a finding, below the line it is about.
    Finding {
        /// Its index among the findings.
        finding: u32,
        /// Which row of the finding.
        part: u32,
    },
}

/// Colours of a line: byte ranges and their styles.
pub(crate) type LineStyles = Vec<(Range<usize>, Style)>;

/// A laid out text.
#[derive(Debug, Default)]
pub(crate) struct Doc {
    source: Arc<str>,
    lines: Vec<Range<usize>>,
    remarks: Vec<Remark>,
    /// Each row with the extent that it shows, for the guard's record of seen rows; that does not depend on the width.
    rows: Vec<(CodeRow, Range<u64>)>,
    width: u16,
    gutter: usize,
    /// The comparison with the text that a write would replace.
    against: Option<LineDiff>,
    /// The files of the replaced text, and those of the new text.
    files: (Vec<FilePart>, Vec<FilePart>),
    dropped: Vec<DroppedHunk>,
    chosen: HunkChoice,
}

/// The sign of a line with words from outside, if it has no finding of high or medium severity.
const TRACE_SIGN: &str = "<-";

/// Extents of findings start here, beyond those of any code.
const FINDINGS_FROM: u64 = 1 << 40;
/// Likewise those of old lines, unchanged lines and dropped hunks.
const OLD_FROM: u64 = 1 << 44;
const SAME_FROM: u64 = 1 << 45;
const DROPPED_FROM: u64 = 1 << 46;

/// The byte ranges of a text's lines, without their ends. A final newline begins no line; a carriage return stays part
/// of its line, where it is visible.
pub(crate) fn split(source: &str) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut from = 0;
    for line in source.split_inclusive('\n') {
        let text = line.strip_suffix('\n').unwrap_or(line);
        let text = text.strip_suffix('\r').filter(|_| line.ends_with('\n')).unwrap_or(text);
        lines.push(from..from + text.len());
        from += line.len();
    }
    if lines.is_empty() {
        lines.push(0..0);
    }
    lines
}

/// The columns of the gutter for this many lines: sign, number, rule.
pub(crate) fn gutter_width(lines: usize) -> usize {
    2 + (lines.to_string().len() + 1).max(3) + 3
}

impl Doc {
    /// Lays a text out for a width that includes the gutter.
    pub(crate) fn new(source: Arc<str>, remarks: Vec<Remark>, width: u16) -> Self {
        let lines = split(&source);
        let gutter = gutter_width(lines.len());
        let mut doc = Self {
            lines,
            remarks,
            width,
            gutter,
            files: (Vec::new(), vec![FilePart::whole(&source)]),
            source,
            ..Self::default()
        };
        doc.lay_out();
        doc
    }

    /// Lays the text out as a change of the text that it would replace; dropped hunks are marked.
    pub(crate) fn with_diff(
        mut self,
        old: Arc<str>,
        dropped: &[DroppedHunk],
        files: Vec<(FilePart, FilePart)>,
    ) -> Self {
        self.against = LineDiff::new(old, &self.source, &files);
        self.files = files.into_iter().unzip();
        if let Some(against) = &mut self.against {
            against.insert_dropped(dropped);
            self.dropped = dropped.to_vec();
            self.gutter = self.gutter.max(gutter_width(against.lines()));
            self.rows.clear();
            self.lay_out();
        }
        self
    }

    /// Numbers the lines per file.
    pub(crate) fn with_files(mut self, files: Vec<FilePart>) -> Self {
        self.files.1 = files;
        self
    }

    fn lay_out(&mut self) {
        let steps = match &self.against {
            Some(against) => against.steps.clone(),
            None => (0..self.lines.len()).map(|line| DiffStep::New(number(line))).collect(),
        };
        let mut finding = 0;
        for (nth, step) in steps.iter().enumerate() {
            let shown = match *step {
                DiffStep::New(line) => self.lay_line(line),
                DiffStep::Old { line, at } => self.lay_old(line, at),
                DiffStep::Dropped { number, at } => {
                    let from = DROPPED_FROM + u64::from(number);
                    self.rows.push((CodeRow::Dropped { number, at }, from..from + 1));
                    at
                }
                DiffStep::Same { at, count } => {
                    let from = SAME_FROM + u64::from(at);
                    self.rows.push((CodeRow::Same { at, count }, from..from + 1));
                    at + count
                }
            };
            let last = nth + 1 == steps.len();
            while self.remarks.get(finding).is_some_and(|f| last || f.line <= shown) {
                self.lay_finding(finding);
                finding += 1;
            }
        }
    }

    /// Adds the rows of a line and its findings. Returns the number of the next line.
    fn lay_line(&mut self, line: u32) -> u32 {
        let range = self.lines.get(line as usize).cloned().unwrap_or_default();
        let text = self.source.get(range.clone()).unwrap_or_default();
        for (part, shown) in safe::code_ranges(text, self.code_width()).into_iter().enumerate() {
            let at = |offset: usize| (range.start + offset) as u64;
            self.rows.push((CodeRow::Code { line, part: number(part) }, at(shown.start)..at(shown.end)));
        }
        line + 1
    }

    fn lay_old(&mut self, line: u32, at: u32) -> u32 {
        let Some(against) = &self.against else { return at };
        let start = against.range(line).map_or(0, |range| range.start);
        for (part, shown) in safe::code_ranges(against.line(line), self.code_width()).into_iter().enumerate()
        {
            let extent = |offset: usize| OLD_FROM + (start + offset) as u64;
            let row = CodeRow::Old { line, part: number(part), at };
            self.rows.push((row, extent(shown.start)..extent(shown.end)));
        }
        at
    }

    fn lay_finding(&mut self, finding: usize) {
        let rows = self.remarks.get(finding).map_or(0, |f| f.rows(self.width).len());
        for part in 0..rows {
            // A finding is short: its rows are identified by their index, at any width.
            let at = FINDINGS_FROM + (finding as u64) * 1024 + part as u64;
            self.rows.push((CodeRow::Finding { finding: number(finding), part: number(part) }, at..at + 1));
        }
    }

    pub(crate) fn source(&self) -> &Arc<str> {
        &self.source
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    fn row(&self, row: usize) -> Option<CodeRow> {
        self.rows.get(row).map(|(row, _)| *row)
    }

    /// The line that a row belongs to, from 0.
    pub(crate) fn line_of(&self, row: usize) -> usize {
        self.row(row).map_or(self.lines.len(), |row| self.line_shown_by(row))
    }

    fn line_shown_by(&self, row: CodeRow) -> usize {
        match row {
            CodeRow::Code { line: at, .. }
            | CodeRow::Old { at, .. }
            | CodeRow::Same { at, .. }
            | CodeRow::Dropped { at, .. } => at as usize,
            CodeRow::Finding { finding, .. } => {
                self.remarks.get(finding as usize).map_or(0, |f| (f.line as usize).saturating_sub(1))
            }
        }
    }

    /// The first row of a line, from 0.
    pub(crate) fn row_of_line(&self, line: usize) -> usize {
        self.rows.partition_point(|(row, _)| self.line_shown_by(*row) < line)
    }

    /// The rows at which findings begin.
    pub(crate) fn finding_rows(&self) -> impl Iterator<Item = usize> {
        self.rows
            .iter()
            .enumerate()
            .filter(|(_, (row, _))| matches!(row, CodeRow::Finding { part: 0, .. }))
            .map(|(at, _)| at)
    }

    /// The rows that have to be seen.
    pub(crate) fn subject_rows(&self) -> impl Iterator<Item = guard::SubjectRow> {
        self.rows.iter().map(|(row, extent)| guard::SubjectRow {
            extent: extent.clone(),
            beside: Vec::new(),
            line: match row {
                CodeRow::Code { line, .. } => Some(*line),
                _ => None,
            },
        })
    }

    /// The line of code that a row shows, and which row of that line it is; `None` for other rows.
    pub(crate) fn code_row(&self, row: usize) -> Option<(usize, usize)> {
        match self.row(row) {
            Some(CodeRow::Code { line, part }) => Some((line as usize, part as usize)),
            _ => None,
        }
    }

    /// A line of code with its rows, from 0.
    pub(crate) fn passage(&self, line: usize) -> WrappedLine {
        let text = self.line(line);
        let rows = safe::code_ranges(text, self.code_width());
        WrappedLine::from_rows(text.to_owned(), rows, self.gutter, Strictness::Code)
    }

    fn code_width(&self) -> usize {
        usize::from(self.width).saturating_sub(self.gutter).max(1)
    }

    /// The text of a line, from 0.
    pub(crate) fn line(&self, line: usize) -> &str {
        self.lines.get(line).and_then(|range| self.source.get(range.clone())).unwrap_or_default()
    }

    pub(crate) fn choose(&mut self, chosen: HunkChoice) {
        self.chosen = chosen;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Finding, Severity, TextRange};

    fn finding(line: u32, message: &str) -> Vec<Remark> {
        let place = TextRange { line, column: 1, end_line: line, end_column: 2 };
        remark::all(&[Finding { place, ..Finding::new("x", Severity::High, message) }], &[])
    }

    #[test]
    fn lines_are_what_editors_call_lines() {
        let texts = |s: &'static str| split(s).into_iter().map(|r| s.get(r).unwrap()).collect::<Vec<_>>();
        assert_eq!(texts("a\nb\n"), ["a", "b"]);
        assert_eq!(texts("a\r\n\r\nb"), ["a", "", "b"]);
        assert_eq!(texts("a\r"), ["a\r"]);
        assert_eq!(texts(""), [""]);
    }

    #[test]
    fn a_long_line_wraps_and_nothing_is_lost() {
        let doc = Doc::new(Arc::from("x".repeat(25)), Vec::new(), 8 + 10);
        assert_eq!(doc.len(), 3);
        let see: Vec<_> = doc.subject_rows().map(|r| r.extent).collect();
        assert_eq!(see, [0..10, 10..20, 20..25]);
    }

    #[test]
    fn a_finding_stands_under_its_line() {
        let doc = Doc::new(Arc::from("a\nb\nc\n"), finding(2, "deletes a folder"), 60);
        assert_eq!(doc.len(), 4);
        assert_eq!(doc.row(2), Some(CodeRow::Finding { finding: 0, part: 0 }));
        assert_eq!(doc.row_of_line(2), 3);
        assert_eq!(doc.finding_rows().collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn a_finding_behind_the_last_line_is_not_lost() {
        let doc = Doc::new(Arc::from("a\n"), finding(9, "ends inside a text"), 60);
        assert!(doc.finding_rows().next().is_some());
    }

    #[test]
    fn another_width_shows_the_same_extents() {
        let text: Arc<str> = Arc::from("abc\u{202e}def\tghi\n\nlong ".repeat(9));
        let end =
            |width| Doc::new(text.clone(), Vec::new(), width).subject_rows().map(|r| r.extent.end).max();
        assert_eq!(end(30), end(97));
    }
}
