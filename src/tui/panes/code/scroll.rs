//! The scroll position of the code pane, and moving it: by rows, by pages, to unseen rows, to findings.

use super::layout::leaves_too_few_rows;
use super::{CodePane, Mode};
use crate::domain::BlockId;
use crate::tui::guard;

/// How the pane is divided: rows of rights that stay in place, and rows that scroll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Division {
    /// Rows at the top that don't scroll.
    pub(super) pinned: usize,
    pub(super) height: usize,
}

/// Where to scroll.
#[derive(Clone, Copy, Debug)]
pub(super) enum ScrollTarget {
    /// A line, counted from 0, that has to be visible.
    Line(usize),
    /// The row that has to be the first.
    Top(usize),
}

/// Which code is at the top of the pane, recorded before the rows or the room for them change.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldPlace {
    block: BlockId,
    width: u16,
    /// The rows above the code that scrolled with it.
    above: usize,
    /// The line, from 0, and how many rows of it and of the remarks below it are scrolled out.
    line: usize,
    passed: usize,
}

/// The scroll position and mode of the pane.
#[derive(Debug)]
pub(crate) struct CodePlace {
    pub(crate) subject: Option<BlockId>,
    top: usize,
    full_rights: bool,
    mode: Mode,
}

impl CodePane {
    pub(super) fn division(&self) -> Division {
        let all = self.height();
        let rights = self.rights_len();
        // Rights stay in place if they leave at least half of the pane and enough rows to the code; else they scroll
        // with it.
        let leave_enough = self.layout.as_ref().is_none_or(|l| !leaves_too_few_rows(rights, &l.doc, all));
        let pinned = if rights * 2 <= all && leave_enough { rights } else { 0 };
        let summary = usize::from(rights == 0);
        Division { pinned, height: all.saturating_sub(pinned + summary) }
    }

    /// The rows that all of a block in review would take: rights, code, and what is below the code.
    pub(crate) fn rows_needed(&self) -> Option<usize> {
        let laid = self.layout.as_ref().filter(|_| matches!(self.mode, Mode::View))?;
        Some(laid.wide_rights + laid.doc.len() + self.footer.len())
    }

    /// The number of rows that scroll, including the rights if they don't stay in place.
    pub(super) fn scrolling(&self) -> usize {
        match &self.mode {
            Mode::Diff(_) => self.diff.as_ref().map_or(0, |(_, rows)| rows.len()),
            _ => self.layout.as_ref().map_or(0, |l| l.doc.len() + self.above_code()),
        }
    }

    pub(super) fn clamp(&mut self) {
        let most = self.scrolling().saturating_sub(self.division().height.max(1));
        self.top = self.top.min(most);
    }

    /// Scrolls by rows.
    pub fn scroll(&mut self, rows: isize) {
        self.top = self.top.saturating_add_signed(rows);
        self.clamp();
    }

    /// The rows that a page scrolls by; one row remains visible.
    pub(crate) fn page(&self) -> isize {
        isize::try_from(self.division().height.saturating_sub(1).max(1)).unwrap_or(1)
    }

    /// Whether there are more rows than those on screen.
    pub(crate) fn scrolls(&self) -> bool {
        self.scrolling() > self.division().height
    }

    /// Scrolls to the first row.
    pub(crate) fn to_top(&mut self) {
        self.top = 0;
    }

    /// Scrolls to the last row.
    pub(crate) fn to_end(&mut self) {
        self.top = usize::MAX;
        self.clamp();
    }

    /// Scrolls to the next page with unseen rows; if all were seen, to the next page.
    pub(crate) fn next_unseen(&mut self, seen: &guard::SeenRows) {
        let shown = self.on_screen();
        let below = shown.last().map_or(0, |r| r.end);
        let next = seen
            .first_unseen(below)
            .or_else(|| seen.first_unseen(0).filter(|row| !shown.iter().any(|range| range.contains(row))));
        match next {
            Some(row) => {
                let pinned = self.rights_len() - self.above_code();
                self.top = row.saturating_sub(pinned + 1);
                self.clamp();
            }
            None if seen.is_all_seen() => self.scroll(self.page()),
            // The visible rows have not been shown long enough to count as seen: scrolling would interrupt that.
            None => {}
        }
    }

    /// Whether a line of the block has a finding.
    pub(crate) fn has_findings(&self) -> bool {
        self.layout.as_ref().is_some_and(|laid| laid.doc.finding_rows().next().is_some())
    }

    /// Scrolls to the next finding, or the one before; its line is a little below the top. Returns whether there is
    /// one.
    pub(crate) fn next_finding(&mut self, back: bool) -> bool {
        let Some(laid) = &self.layout else { return false };
        let offset = self.above_code();
        let target = |row: usize| (row + offset).saturating_sub(3);
        let rows: Vec<usize> = laid.doc.finding_rows().map(target).collect();
        let next = if back {
            rows.iter().rev().find(|r| **r < self.top).or(rows.last())
        } else {
            rows.iter().find(|r| **r > self.top).or(rows.first())
        };
        let Some(next) = next.copied() else { return false };
        self.top = next;
        self.clamp();
        true
    }

    /// The scroll position and mode, for [`CodePane::restore`].
    pub(crate) fn place(&self) -> CodePlace {
        let mode = self.mode.without_editor();
        CodePlace { subject: self.subject, top: self.top, full_rights: self.full_rights, mode }
    }

    /// Goes back to a position. Does nothing while a text is edited.
    pub(crate) fn restore(&mut self, place: &CodePlace) {
        if self.edits() {
            return;
        }
        self.subject = place.subject;
        self.full_rights = place.full_rights;
        self.mode = place.mode.without_editor();
        self.target = Some(ScrollTarget::Top(place.top));
    }

    /// Scrolls to the target that was set before the block was laid out.
    pub(super) fn reach_target(&mut self) {
        match self.target.take() {
            Some(ScrollTarget::Top(top)) => self.top = top,
            Some(ScrollTarget::Line(line)) => self.show_line(line),
            None => {}
        }
    }

    /// Scrolls so that a line (from 0) is visible.
    pub(crate) fn show_line(&mut self, line: usize) {
        let Some(laid) = self.layout.as_ref().filter(|laid| Some(laid.block()) == self.subject) else {
            self.target = Some(ScrollTarget::Line(line));
            return;
        };
        let offset = self.above_code();
        self.top = (laid.doc.row_of_line(line) + offset).saturating_sub(3);
        self.clamp();
    }

    /// Scrolls to a line as soon as the rows are laid out.
    pub(super) fn aim_at_line(&mut self, line: usize) {
        self.target = Some(ScrollTarget::Line(line));
    }

    /// Which code is at the top of the pane.
    pub(super) fn held_place(&self) -> Option<HeldPlace> {
        let laid = self.layout.as_ref()?;
        let (above, line) = (self.above_code(), self.first_line());
        let passed = self.top.saturating_sub(above).saturating_sub(laid.doc.row_of_line(line));
        Some(HeldPlace { block: laid.block(), width: laid.stamp.width, above, line, passed })
    }

    /// Scrolls so that the same code is at the top as before, whatever happened to its rows and to those above. A block
    /// that was at its start, or that was laid out `anew` after another one, is shown from its start.
    pub(super) fn hold_place(&mut self, held: Option<HeldPlace>, anew: bool) {
        let above = self.above_code();
        let Some(laid) = self.layout.as_ref().filter(|_| !matches!(self.mode, Mode::Diff(_))) else { return };
        match held.filter(|held| held.block == laid.block()) {
            Some(held) if !anew && held.above == above => {}
            Some(held) => {
                let passed = if held.width == laid.stamp.width { held.passed } else { 0 };
                let row = laid.doc.row_of_line(held.line) + passed;
                self.top = if row == 0 { 0 } else { row + above };
            }
            None if anew => self.top = 0,
            None => {}
        }
    }

    /// The first line on screen, from 0; the editor opens there.
    pub(crate) fn first_line(&self) -> usize {
        self.layout.as_ref().map_or(0, |l| {
            let offset = self.above_code();
            if self.top <= offset { 0 } else { l.doc.line_of(self.top - offset) }
        })
    }

    /// The rows above the code that scroll with it.
    pub(super) fn above_code(&self) -> usize {
        if self.division().pinned == 0 { self.rights_len() } else { 0 }
    }

    pub(super) fn rights_len(&self) -> usize {
        self.layout.as_ref().map_or(0, |l| l.rights.rows().len())
    }
}
