//! A text being edited: its lines, its cursor and its selection.
//!
//! The cursor and the ends of a selection are always at cluster boundaries.

mod changes;
mod finding;
mod lines;
mod moves;

use super::buffer::{Buffer, Pos};
use super::cluster;
use super::history::History;
use super::search::Needle;
use super::syntax::Syntax;
use crate::tui::paint::wrap::WrapOptions;

/// How far a selection reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SelectionShape {
    /// Up to the cursor.
    #[default]
    Between,
    /// Up to and including the character under the cursor.
    Inclusive,
    Lines,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct YankedText {
    pub(crate) text: String,
    /// Whether it consists of whole lines.
    pub(crate) lines: bool,
}

/// The column that moves up and down return to after shorter lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct KeptColumn {
    /// Whether it is counted from the start of the wrapped row instead of the line.
    of_row: bool,
    at: usize,
}

/// A text that is being edited.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    buffer: Buffer,
    history: History,
    cursor: Pos,
    /// The column that moves up and down return to.
    column: Option<KeptColumn>,
    /// How its lines are wrapped, once it was shown: moves up and down go by these rows.
    rows: Option<WrapOptions>,
    /// Where the selection began.
    anchor: Option<Pos>,
    /// Whether every move selects.
    marking: bool,
    shape: SelectionShape,
    /// What was cut or copied last.
    yanked: YankedText,
    pub(crate) generation: u64,
    /// Whether it may have only one line.
    one_line: bool,
    /// The language of the text: how lines are indented and commented out.
    syntax: Syntax,
    /// One step of indent.
    unit: String,
    /// The last search term.
    needle: Option<Needle>,
    /// Whether the search term is sought backward, as after vim's `#`.
    pub(crate) seeks_back: bool,
}

impl Text {
    /// A text with the cursor at its start.
    pub(crate) fn of(text: &str) -> Self {
        let buffer = Buffer::of(text);
        let tabs = buffer.lines().iter().any(|line| line.starts_with('\t'));
        let unit = if tabs { "\t" } else { "    " }.to_owned();
        Self { buffer, unit, ..Self::default() }
    }

    /// An empty text that stays on one line.
    pub(crate) fn single_line() -> Self {
        Self { one_line: true, ..Self::of("") }
    }

    /// Sets the language. Its usual indent is used if the text has none.
    pub(crate) fn written_in(&mut self, syntax: Syntax) {
        self.unit = syntax.unit(self.buffer.lines()).to_owned();
        self.syntax = syntax;
    }

    /// Sets how the lines are wrapped.
    pub(crate) fn lay_out(&mut self, rows: WrapOptions) {
        self.rows = Some(rows);
    }

    /// The lines without their ends; there is at least one.
    pub(crate) fn lines(&self) -> &[String] {
        self.buffer.lines()
    }

    pub(crate) fn line(&self, index: usize) -> &str {
        self.buffer.line(index)
    }

    /// The whole text with its own line ends.
    pub(crate) fn text(&self) -> String {
        self.buffer.text()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lines().iter().all(String::is_empty)
    }

    pub(crate) fn cursor(&self) -> Pos {
        self.cursor
    }

    pub(crate) fn last_line(&self) -> usize {
        self.buffer.last_line()
    }

    /// How many lines at the start and at the end were never changed.
    pub(crate) fn unchanged_ends(&self) -> (usize, usize) {
        self.buffer.untouched
    }

    /// The text of the line before the cursor.
    pub(crate) fn before_cursor(&self) -> &str {
        self.line(self.cursor.line).get(..self.cursor.byte).unwrap_or_default()
    }

    /// The nearest valid cursor position at or before this one: on a line, at a cluster boundary.
    pub(crate) fn nearest_place(&self, at: Pos) -> Pos {
        let index = at.line.min(self.last_line());
        Pos::new(index, cluster::at_or_before(self.line(index), at.byte))
    }

    /// The selected range, end excluded.
    pub(crate) fn selection(&self) -> Option<(Pos, Pos)> {
        let anchor = self.anchor?;
        let (from, to) = (anchor.min(self.cursor), anchor.max(self.cursor));
        match self.shape {
            SelectionShape::Between => (from < to).then_some((from, to)),
            SelectionShape::Inclusive => {
                Some((from, Pos::new(to.line, cluster::next(self.line(to.line), to.byte))))
            }
            SelectionShape::Lines => {
                Some((Pos::new(from.line, 0), Pos::new(to.line, self.line(to.line).len())))
            }
        }
    }

    pub(crate) fn selected(&self) -> Option<String> {
        self.selection().map(|(from, to)| self.between(from, to))
    }

    /// The text between two positions.
    pub(crate) fn between(&self, from: Pos, to: Pos) -> String {
        self.buffer.slice(self.nearest_place(from), self.nearest_place(to)).text()
    }

    pub(crate) fn anchor(&self) -> Option<Pos> {
        self.anchor
    }

    /// Selects from a position to the cursor; `None` ends the selection.
    pub(crate) fn select_from(&mut self, anchor: Option<Pos>, shape: SelectionShape) {
        self.anchor = anchor.map(|at| self.nearest_place(at));
        self.shape = shape;
        self.marking = false;
    }

    /// Selects a range, with the cursor at its end.
    pub(crate) fn select(&mut self, from: Pos, to: Pos) {
        self.put_cursor(to);
        self.select_from(Some(from), SelectionShape::Between);
    }

    /// Moves the cursor and ends the selection.
    pub(crate) fn put_cursor(&mut self, at: Pos) {
        self.select_from(None, SelectionShape::Between);
        self.extend_selection(at);
    }

    /// Moves the cursor and keeps the start of the selection.
    pub(crate) fn extend_selection(&mut self, at: Pos) {
        self.history.seal();
        self.column = None;
        self.cursor = self.nearest_place(at);
    }

    /// Moves the cursor without forgetting the column for moves up and down.
    pub(crate) fn step_onto(&mut self, at: Pos) {
        self.cursor = self.nearest_place(at);
    }

    /// Makes the end of the line the column for moves up and down.
    pub(crate) fn keep_line_end(&mut self) {
        self.column = Some(KeptColumn { of_row: false, at: usize::MAX });
    }

    /// The last search term.
    pub(crate) fn needle(&self) -> Option<&Needle> {
        self.needle.as_ref()
    }

    /// Sets the search term, which is then sought forward.
    pub(crate) fn set_needle(&mut self, needle: Option<Needle>) {
        self.needle = needle;
        self.seeks_back = false;
    }
}
