//! The output pane: what a run printed, its receipt and its images.
//!
//! Lines are wrapped when they scroll into view. The pane follows the end of a run until the person scrolls up. Tables
//! in the output of an ended run are not wrapped but cut, keep their header visible, and scroll sideways by columns.

mod draw;
mod ends;
mod first_error;
mod layout;
mod output_rows;
mod receipt;
mod scroll;
mod single_image;
mod tables;
mod text;

use crate::domain::{BlockId, ImageRef, OutputBuffer, RunId, Stream, TerminalScreen};
use crate::driver::SearchWords;
use crate::engine::State;
use crate::engine::transcript::{BlockItem, BlockStatus, LoadState, OutputAway, RunItem};
use crate::tui::paint::output::{LineChange, Output};
use crate::tui::pattern::Pattern;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::virtual_list::{Anchor, Items as _, VirtualList};
use output_rows::PrintedRows;
use ratatui::layout::Rect;
use ratatui::text::Line;
pub(in crate::tui) use receipt::{SVG, end_lines};
use single_image::SingleImage;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use tables::Table;

/// The item number of the rows after the output.
const TAIL_ITEM: usize = usize::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    Nothing,
    Run(BlockId, RunId),
    /// A block that did not run.
    NotRun(BlockId),
}

/// What the rows about an ended run depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
struct EndedStamp {
    run: RunId,
    width: u16,
    theme: String,
    /// Output of the run that is only in the file.
    away: Option<OutputAway>,
    output_loaded: bool,
    /// Whether its block waits again.
    waits: bool,
}

/// The scroll position of the pane.
#[derive(Clone, Debug)]
pub(crate) struct OutputPlace {
    at: Option<Anchor>,
    /// How many columns of tables are scrolled out at the left.
    skipped: usize,
}

/// A text to scroll to once the output is loaded.
#[derive(Clone, Debug)]
pub(crate) enum PendingTarget {
    Pattern(Pattern),
    /// Any of the words of a search over sessions.
    Words(SearchWords),
}

impl PendingTarget {
    fn first_in(&self, line: &str) -> Option<Range<usize>> {
        match self {
            PendingTarget::Pattern(pattern) => pattern.find_in(line).next(),
            PendingTarget::Words(words) => words.first_in(line),
        }
    }
}

#[derive(Debug, Default)]
pub struct OutputPane {
    list: VirtualList,
    shown: Option<Subject>,
    /// Whether the output of the shown run is in memory.
    output_loaded: bool,
    /// The output of the shown run, split into lines.
    output: Output,
    /// The rows before the output (receipt, value or error, images), and those after it (the traceback).
    head: Vec<Line<'static>>,
    tail: Vec<Line<'static>>,
    /// The rows of the head that belong to each image, with the row that names it.
    image_rows: Vec<Range<usize>>,
    wrapped: HashMap<usize, Rc<[Line<'static>]>>,
    /// The rows about an ended run, and what they were made for: a long value takes long to lay out.
    ended: Option<(EndedStamp, receipt::RunRows)>,
    /// The tables in the head, and those in the output of an ended run.
    head_tables: Vec<Table>,
    tables: Vec<Table>,
    /// The width for which `tables` were found, and the value of `whole` then.
    tables_for: Option<(u16, bool)>,
    /// How many columns of tables are scrolled out at the left.
    skipped: usize,
    /// Whether tables are shown in full, wrapped like other lines, so that a terminal's own selection can copy all of
    /// them.
    pub(crate) whole: bool,
    /// The header of the table that continues above the top row.
    header: Vec<Line<'static>>,
    /// Whether the result of the run was scrolled to.
    result_shown: bool,
    theme: String,
    area: Rect,
    /// A text to scroll to as soon as the output of this block is laid out.
    seek: Option<(BlockId, PendingTarget)>,
    /// How often existing lines were changed.
    changes: u64,
    /// The image that is shown alone; meanwhile `no_output` takes the place of the output.
    single_image: Option<SingleImage>,
    no_output: Output,
    /// The screen of the program's own terminal, if it is shown instead of the lines.
    pub(crate) screen: Option<TerminalScreen>,
}

/// What to show: the current run; else the last run of the chosen block, or that it did not run; else the newest run.
fn subject(state: &State, chosen: Option<BlockId>) -> Subject {
    if let Some(run) = &state.live.run {
        return Subject::Run(run.block, run.run);
    }
    let last_run = |item: &BlockItem| item.runs.last().map(|r| Subject::Run(item.block.id, r.run));
    let item = chosen.and_then(|id| state.transcript.blocks.get(&id));
    if let Some(item) = item {
        if let Some(subject) = last_run(item) {
            return subject;
        }
        if matches!(item.status, BlockStatus::Rejected(_) | BlockStatus::Declined(_) | BlockStatus::Skipped) {
            return Subject::NotRun(item.block.id);
        }
    }
    // Runs are numbered in the order of their starts; a block that came later may have run earlier.
    let newest = state.transcript.blocks.values().max_by_key(|item| item.runs.last().map(|run| run.run));
    newest.and_then(last_run).unwrap_or(Subject::Nothing)
}

/// What is kept of the output of a run that has ended or goes on.
fn captured<'a>(run: &'a RunItem, state: &'a State) -> Option<&'a OutputBuffer> {
    match (&run.ended, &state.live.run) {
        (Some((_, report)), _) => Some(&report.output),
        (None, Some(live)) if live.run == run.run => Some(&live.output),
        _ => None,
    }
}

/// Whether there is something to show if this block is chosen.
pub(crate) fn has_any(state: &State, chosen: Option<BlockId>) -> bool {
    subject(state, chosen) != Subject::Nothing
}

impl OutputPane {
    /// Notes that a part of a run's output came faster than it could be passed on.
    pub(crate) fn note_gap(&mut self, run: RunId, stream: Stream, bytes: u64) {
        if self.shown_run() == Some(run) {
            let changed = self.output.note_gap(stream, bytes);
            // The line about left-out lines may be among these, and no longer tells a number.
            self.wrapped.clear();
            self.forget_wrapped(changed);
        }
    }

    /// Appends a piece of a run's output.
    pub fn push(&mut self, run: RunId, stream: Stream, bytes: &[u8]) {
        if self.shown_run() == Some(run) {
            let changed = self.output.push(stream, bytes);
            self.forget_wrapped(changed);
        }
    }

    /// Drops the cached rows of changed lines. A person who has scrolled up keeps the position, although lines in the
    /// middle were dropped.
    fn forget_wrapped(&mut self, changed: LineChange) {
        self.changes += u64::from(changed.from < self.output.len());
        self.wrapped.retain(|line, _| *line < changed.from);
        let Some(place) = self.list.anchor.filter(|_| changed.dropped > 0) else { return };
        let first_moved = self.head.len() + changed.from;
        if place.item > first_moved {
            let item = place.item.saturating_sub(changed.dropped).max(first_moved);
            self.list.anchor = Some(Anchor { item, ..place });
        }
    }

    fn shown_run(&self) -> Option<RunId> {
        match self.shown {
            Some(Subject::Run(_, run)) => Some(run),
            _ => None,
        }
    }

    /// The block and run on screen.
    pub(crate) fn run<'a>(&self, state: &'a State) -> Option<(&'a BlockItem, &'a RunItem)> {
        let Some(Subject::Run(block, run)) = self.shown else { return None };
        let item = state.transcript.blocks.get(&block)?;
        Some((item, item.runs.iter().find(|r| r.run == run)?))
    }

    /// The images on screen.
    pub(crate) fn images<'a>(&self, state: &'a State) -> Vec<&'a ImageRef> {
        let Some((_, run)) = self.run(state) else { return Vec::new() };
        match (&run.ended, &state.live.run) {
            (Some((_, report)), _) => report.all_images().collect(),
            (None, Some(live)) if live.run == run.run => live.images.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// The first table on screen that is wider than the pane.
    fn table(&self) -> Option<&Table> {
        if self.single_image.is_some() {
            return None;
        }
        let mut visible = self.list.visible.iter();
        let of = |at: &Anchor| match at.item.checked_sub(self.head.len()) {
            None => tables::table_at(&self.head_tables, at.item),
            Some(line) => tables::table_at(&self.tables, line),
        };
        visible.find_map(of)
    }

    /// Whether the table on screen that is wider than the pane has more columns to the right, or only to the left.
    pub(crate) fn table_goes_on(&self) -> Option<bool> {
        let table = self.table().filter(|_| self.screen.is_none())?;
        Some(self.skipped < table.most_skipped(self.area.width.into()))
    }

    /// How many rows the content takes as it was laid out last; only its first items are counted. `None` if another run
    /// was laid out, or if images or a screen fill the pane.
    pub(crate) fn rows_needed(
        &mut self,
        state: &State,
        chosen: Option<BlockId>,
        draw: DrawContext<'_>,
    ) -> Option<usize> {
        const MAX_ITEMS: usize = 100;
        let is_other = self.shown != Some(subject(state, chosen));
        if is_other || self.screen.is_some() || self.single_image.is_some() || !self.images(state).is_empty()
        {
            return None;
        }
        Some(self.with(draw, |_, printed| {
            (0..printed.count()).take(MAX_ITEMS).map(|item| printed.rows(item)).sum()
        }))
    }

    /// Scrolls to the first line of a block's output with this text as soon as it is laid out.
    pub(crate) fn seek(&mut self, block: BlockId, text: PendingTarget) {
        self.seek = Some((block, text));
    }

    /// Whether the output on screen is only in the file and has to be requested.
    pub(crate) fn is_wanted(&self, state: &State) -> bool {
        let away = self.run(state).and_then(|(_, run)| run.unloaded_output());
        away.is_some_and(|(_, away)| away.load == LoadState::Away)
    }

    /// The output as far as it is in memory.
    fn load(&self, state: &State) -> Output {
        let run = self.run(state).map(|(_, run)| run).filter(|run| run.unloaded_output().is_none());
        run.and_then(|run| captured(run, state)).map(Output::of).unwrap_or_default()
    }

    fn with<T>(
        &mut self,
        draw: DrawContext<'_>,
        then: impl FnOnce(&mut VirtualList, &mut PrintedRows<'_>) -> T,
    ) -> T {
        let is_alone = self.single_image.is_some();
        let mut printed = PrintedRows {
            head: &self.head,
            output: if is_alone { &self.no_output } else { &self.output },
            tail: &self.tail,
            wrapped: &mut self.wrapped,
            head_tables: &self.head_tables,
            tables: if is_alone { &[] } else { &self.tables },
            skipped: self.skipped,
            width: self.area.width.into(),
            draw,
        };
        then(&mut self.list, &mut printed)
    }

    /// The screen area of the text.
    pub(crate) fn area(&self) -> Rect {
        self.area
    }

    /// The output as text, for copying, with a line where bytes are missing; if the run printed nothing, its value.
    pub(crate) fn text(&self, state: &State) -> Option<String> {
        let (_, run) = self.run(state).filter(|(_, run)| run.unloaded_output().is_none())?;
        match &run.ended {
            Some((_, report)) if report.output.is_empty() => report.value.clone(),
            _ => Some(String::from_utf8_lossy(&captured(run, state)?.in_order()).into_owned()),
        }
    }

    /// How many lines were printed so far, if that is known.
    pub(crate) fn printed_lines(&self) -> Option<usize> {
        self.output.printed_lines()
    }

    /// The last line that is not blank, among the last three.
    pub(crate) fn last_line(&self) -> Option<String> {
        let said = (0..self.output.len()).rev().take(3).map(|line| self.output.printed(line));
        said.map(Cow::into_owned).find(|line| !line.trim().is_empty())
    }
}
