//! Paints the rows of a laid out text: code with its gutter, removed lines, findings, dropped hunks.

use super::changed_words::{DiffLook, marked};
use super::remark::Remark;
use super::{CodeRow, Doc, LineStyles, TRACE_SIGN, gutter_width};
use crate::domain::Severity;
use crate::domain::file_texts::{self, FilePart};
use crate::tui::paint::wrap;
use crate::tui::panes::code::doc::line_diff::LineDiff;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::{DrawContext, severity_slot};
use crate::tui::widgets::{safe, words};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::ops::Range;

impl Doc {
    /// Paints rows. `styles` returns the colours of a line; `changed` tells whether the person changed a line.
    pub(crate) fn paint(
        &self,
        rows: Range<usize>,
        draw: DrawContext<'_>,
        styles: &dyn Fn(usize) -> Option<LineStyles>,
        changed: &dyn Fn(usize) -> bool,
    ) -> Vec<Line<'static>> {
        let mut last_line: Option<(u32, Vec<wrap::WrappedRow>)> = None;
        let mut out = Vec::new();
        for (row, _) in self.rows.iter().take(rows.end).skip(rows.start) {
            match *row {
                CodeRow::Finding { finding, part } => out.push(self.paint_finding(finding, part, draw)),
                CodeRow::Old { line, part, .. } => out.push(self.paint_old(line, part, draw)),
                CodeRow::Dropped { number, .. } => out.push(self.paint_dropped(number, draw)),
                CodeRow::Same { at, count } => {
                    out.push(Line::styled(self.same_text(at, count), draw.dim()));
                }
                CodeRow::Code { line, part } => {
                    let rows = match last_line.take() {
                        Some((last, rows)) if last == line => rows,
                        _ => self.paint_line(line, styles(line as usize).unwrap_or_default(), draw),
                    };
                    let mut spans = self.gutter_spans(line as usize, part > 0, changed(line as usize), draw);
                    spans.extend(rows.get(part as usize).map(|r| r.line.spans.clone()).unwrap_or_default());
                    out.push(tinted(spans, self.tint(line, draw), self.width));
                    last_line = Some((line, rows));
                }
            }
        }
        out
    }

    /// Paints all rows of a line, without the gutter.
    fn paint_line(&self, line: u32, colours: LineStyles, draw: DrawContext<'_>) -> Vec<wrap::WrappedRow> {
        let text = self.line(line as usize);
        let colours = if self.is_head(line as usize) {
            vec![(0..text.len(), draw.style(Slot::UiTitle))]
        } else {
            colours
        };
        let inserted = self.against.as_ref().map(|against| against.inserted_words(line)).unwrap_or_default();
        let colours = if inserted.is_empty() {
            colours
        } else {
            marked(&colours, inserted, DiffLook::of(Slot::DiffAdd, draw).word)
        };
        safe::code(text, &colours, draw.text(), self.code_width(), draw.theme.mark())
    }

    /// `... 4 lines stay as they are`. The mark of a missing last line end is a row of its own, but no line of the file.
    fn same_text(&self, at: u32, count: u32) -> String {
        let last = (at as usize + count as usize).saturating_sub(1);
        let has_mark =
            file_texts::part_of(&self.files.1, last).is_some_and(|part| part.number(last).is_none());
        match (count as usize).saturating_sub(usize::from(has_mark)) {
            0 => "... the missing last line end stays as it is".to_owned(),
            1 => "... 1 line stays as it is".to_owned(),
            count => format!("... {} stay as they are", words::count(count, "line")),
        }
    }

    fn gutter_spans(
        &self,
        line: usize,
        goes_on: bool,
        changed: bool,
        draw: DrawContext<'_>,
    ) -> Vec<Span<'static>> {
        let gravest = self.gravest(line).filter(|_| !goes_on);
        let from = !goes_on && self.remarks.iter().any(|f| f.line as usize == line + 1);
        let gutter = Gutter { goes_on, gravest, changed, ..Gutter::new(line, self.most_lines()) };
        let mut spans = self.numbered(&self.files.1, gutter, draw);
        if let (true, None, Some(sign)) = (from, gravest, spans.first_mut()) {
            *sign = Span::styled(TRACE_SIGN, draw.style(Slot::ChatNote));
            return spans;
        }
        let added = self.against.as_ref().is_some_and(|against| against.is_added(line));
        if let (true, None, false, Some(sign)) = (added, gravest, changed, spans.first_mut()) {
            let mark = if self.chosen.added.contains(&line) { "+>" } else { "+ " };
            *sign = Span::styled(mark, draw.style(Slot::DiffAdd));
        }
        spans
    }

    /// The gutter of a line with its number in its file; a line outside of all files has no number.
    fn numbered(&self, files: &[FilePart], gutter: Gutter, draw: DrawContext<'_>) -> Vec<Span<'static>> {
        let number = file_texts::part_of(files, gutter.line).and_then(|part| part.number(gutter.line));
        let mut spans = Gutter { line: number.unwrap_or(1) - 1, ..gutter }.spans(draw);
        if let (None, false, Some(shown)) = (number, gutter.goes_on, spans.last_mut()) {
            let blank = " ".repeat(gutter_width(self.most_lines()) - 5);
            *shown = Span::styled(format!("{blank} {} ", draw.glyphs.border.vertical), draw.dim());
        }
        spans
    }

    /// Whether a line is the first one of a file.
    fn is_head(&self, line: usize) -> bool {
        let part = file_texts::part_of(&self.files.1, line);
        part.is_some_and(|part| part.path.is_some() && part.lines.start == line)
    }

    /// The background of a line: a little of the colour of the most severe remark on it.
    fn tint(&self, line: u32, draw: DrawContext<'_>) -> Style {
        match self.gravest(line as usize) {
            Some(severity @ (Severity::High | Severity::Medium)) => draw.theme.tint(severity_slot(severity)),
            _ if self.against.as_ref().is_some_and(|against| against.is_added(line as usize)) => {
                draw.theme.tint(Slot::DiffAdd)
            }
            Some(Severity::Info) | None => Style::new(),
        }
    }

    fn gravest(&self, line: usize) -> Option<Severity> {
        self.remarks.iter().filter(|f| f.line as usize == line + 1).filter_map(Remark::severity).max()
    }

    /// The line count of the longer text, which determines the width of the numbers.
    fn most_lines(&self) -> usize {
        self.lines.len().max(self.against.as_ref().map_or(0, LineDiff::lines))
    }

    fn paint_old(&self, line: u32, part: u32, draw: DrawContext<'_>) -> Line<'static> {
        let Some(against) = &self.against else { return Line::default() };
        let DiffLook { sign: style, text, tint, word } = DiffLook::of(Slot::DiffDel, draw);
        let words = marked(&LineStyles::new(), against.removed_words(line), word);
        let rows = safe::code(against.line(line), &words, text, self.code_width(), draw.theme.mark());
        let gutter = Gutter { goes_on: part > 0, ..Gutter::new(line as usize, self.most_lines()) };
        let mut spans = self.numbered(&self.files.0, gutter, draw);
        if let Some(sign) = spans.first_mut() {
            let mark = if self.chosen.removed.contains(&(line as usize)) { "->" } else { "- " };
            *sign = Span::styled(mark, style);
        }
        spans.extend(rows.get(part as usize).map(|row| row.line.spans.clone()).unwrap_or_default());
        tinted(spans, tint, self.width)
    }

    fn paint_dropped(&self, number: u32, draw: DrawContext<'_>) -> Line<'static> {
        let Some(dropped) = self.dropped.get(number as usize) else { return Line::default() };
        let mark = if self.chosen.dropped == Some(dropped.hunk) { "x>" } else { "x " };
        let (gone, came) = dropped.lines;
        let text = format!("{:>4}hunk {} dropped: -{gone} +{came} lines", "", dropped.hunk + 1);
        Line::from(vec![Span::styled(mark, draw.style(Slot::DiffDel)), Span::styled(text, draw.dim())])
    }

    /// Paints a row of a finding: a short sign of its severity, the words in the ordinary colour.
    fn paint_finding(&self, finding: u32, part: u32, draw: DrawContext<'_>) -> Line<'static> {
        let Some(finding) = self.remarks.get(finding as usize) else { return Line::default() };
        let style = finding.style(draw);
        let mut row = finding.rows(self.width).into_iter().nth(part as usize).unwrap_or_default();
        let words = if finding.severity().is_some() { draw.text() } else { style };
        row.spans.iter_mut().for_each(|s| s.style = words);
        if part > 0 {
            row.spans.insert(0, Span::raw(" ".repeat(self.gutter + finding.label())));
            return row;
        }
        let hook = format!("{}{} ", " ".repeat(self.gutter - 2), draw.glyphs.hook);
        let behind = " ".repeat(finding.label() - finding.word().len());
        let head = [Span::styled(hook, draw.dim()), Span::styled(finding.word(), style), Span::raw(behind)];
        row.spans.splice(0..0, head);
        row
    }
}

/// A row with a background across the whole pane.
pub(crate) fn tinted(spans: Vec<Span<'static>>, tint: Style, width: u16) -> Line<'static> {
    let mut line = Line::from(spans);
    if tint == Style::new() {
        return line;
    }
    let behind = usize::from(width).saturating_sub(line.width());
    line.spans.push(Span::raw(" ".repeat(behind)));
    // Spans with a background of their own (a sign, a match) keep it.
    line.spans.iter_mut().for_each(|span| span.style = tint.patch(span.style));
    line
}

/// The gutter of a row of code: the sign of its line, the line's number, the rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gutter {
    /// The line, from 0.
    pub(crate) line: usize,
    /// How many lines there are, which determines the width of the numbers.
    pub(crate) lines: usize,
    /// Whether the row continues the line of the row above it.
    pub(crate) goes_on: bool,
    /// The gravest finding on the line.
    pub(crate) gravest: Option<Severity>,
    /// Whether the person changed the line.
    pub(crate) changed: bool,
}

impl Gutter {
    /// The gutter of the first row of a line, from 0, that has nothing to say besides its number.
    pub(crate) fn new(line: usize, lines: usize) -> Self {
        Self { line, lines, goes_on: false, gravest: None, changed: false }
    }

    /// Paints the gutter: first the sign, then number and rule.
    pub(crate) fn spans(self, draw: DrawContext<'_>) -> Vec<Span<'static>> {
        let number_width = gutter_width(self.lines) - 5;
        let (sign, style) = match self.gravest {
            Some(severity @ Severity::High) => ("!!", draw.severity(severity)),
            Some(severity @ Severity::Medium) => ("! ", draw.severity(severity)),
            Some(severity @ Severity::Info) => ("i ", draw.severity(severity)),
            None if self.changed => ("~ ", draw.style(Slot::BlockEdited)),
            None => ("  ", draw.dim()),
        };
        let (number, rule) = if self.goes_on {
            (" ".repeat(number_width), draw.glyphs.goes_on)
        } else {
            (format!("{:>number_width$}", self.line + 1), draw.glyphs.border.vertical)
        };
        vec![Span::styled(sign, style), Span::styled(format!("{number} {rule} "), draw.dim())]
    }
}
