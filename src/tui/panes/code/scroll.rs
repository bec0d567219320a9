//! Where the code pane stands, and moving it: by rows, by pages, to what was not seen, to findings.

use super::diff::DiffBase;
use super::{CodePane, Mode, leaves_too_few_rows};
use crate::domain::BlockId;
use crate::tui::guard;

/// How a frame of the pane is divided: rows of rights that stay, and rows that scroll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Division {
    /// Rows at the top that don't scroll.
    pub(super) pinned: usize,
    pub(super) height: usize,
}

/// Where to scroll to.
#[derive(Clone, Copy, Debug)]
pub(super) enum ScrollTarget {
    /// So that a line, from 0, is on screen.
    Line(usize),
    /// So that a row is the first.
    Top(usize),
}

/// Which code is the first on screen, before rows or the room for them change.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldPlace {
    block: BlockId,
    width: u16,
    /// Rows that scrolled with the code above it.
    above: usize,
    /// The line, from 0, and how many rows of it and of what is told below it were passed.
    line: usize,
    passed: usize,
}

/// Where the pane stands.
#[derive(Clone, Debug)]
pub(crate) struct CodePlace {
    pub(crate) subject: Option<BlockId>,
    top: usize,
    full_rights: bool,
    other: Option<OtherUse>,
}

/// What it is used for beside looking at a block.
#[derive(Clone, Copy, Debug)]
enum OtherUse {
    Diff(DiffBase),
    Queue(usize),
}

impl CodePane {
    pub(super) fn division(&self) -> Division {
        let all = self.height();
        let rights = self.rights_len();
        // Rights stay on top where they leave most of the pane and enough rows to the code; else they scroll with it.
        let leave_enough = self.layout.as_ref().is_none_or(|l| !leaves_too_few_rows(rights, &l.doc, all));
        let pinned = if rights * 2 <= all && leave_enough { rights } else { 0 };
        let summary = usize::from(rights == 0);
        Division { pinned, height: all.saturating_sub(pinned + summary) }
    }

    /// Rows that all of a block in review would take: its rights, its code, what is told below.
    pub(crate) fn rows_needed(&self) -> Option<usize> {
        let laid = self.layout.as_ref().filter(|_| matches!(self.mode, Mode::View))?;
        Some(laid.wide_rights + laid.doc.len() + self.opinion.len())
    }

    /// Rows that scroll: the rights too, where they don't stay.
    pub(super) fn scrolling(&self) -> usize {
        match &self.mode {
            Mode::Diff(_) => self.diff.as_ref().map_or(0, |d| d.4.rows().len()),
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

    /// Rows that a page has; one row of the last page stays.
    pub(crate) fn page(&self) -> isize {
        isize::try_from(self.division().height.saturating_sub(1).max(1)).unwrap_or(1)
    }

    /// Whether there are rows beside those on screen.
    pub(crate) fn scrolls(&self) -> bool {
        self.scrolling() > self.division().height
    }

    /// To the first row.
    pub(crate) fn to_top(&mut self) {
        self.top = 0;
    }

    /// To the last row.
    pub(crate) fn to_end(&mut self) {
        self.top = usize::MAX;
        self.clamp();
    }

    /// The next page with rows that were not seen; where all were, the next page.
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
            // What is on screen still counts its time: going on would lose it.
            None => {}
        }
    }

    /// Whether a line of it has a finding.
    pub(crate) fn has_findings(&self) -> bool {
        self.layout.as_ref().is_some_and(|laid| laid.doc.finding_rows().next().is_some())
    }

    /// Scrolls so that the next finding (or the one before) is on screen; its line stands a little below the top.
    /// Returns whether there is one.
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

    /// Where the pane stands, to come back to it.
    pub(crate) fn place(&self) -> CodePlace {
        let other = match &self.mode {
            Mode::Diff(base) => Some(OtherUse::Diff(*base)),
            Mode::Queue(chosen) => Some(OtherUse::Queue(*chosen)),
            Mode::View | Mode::Edit(_) => None,
        };
        CodePlace { subject: self.subject, top: self.top, full_rights: self.full_rights, other }
    }

    /// Goes back to where it stood. A text that is edited stays.
    pub(crate) fn restore(&mut self, place: &CodePlace) {
        if self.edits() {
            return;
        }
        self.subject = place.subject;
        self.full_rights = place.full_rights;
        self.mode = match place.other {
            Some(OtherUse::Diff(base)) => Mode::Diff(base),
            Some(OtherUse::Queue(chosen)) => Mode::Queue(chosen),
            None => Mode::View,
        };
        self.target = Some(ScrollTarget::Top(place.top));
    }

    /// Scrolls to where it was asked for, now that the block is laid out.
    pub(super) fn reach_target(&mut self) {
        match self.target.take() {
            Some(ScrollTarget::Top(top)) => self.top = top,
            Some(ScrollTarget::Line(line)) => self.show_line(line),
            None => {}
        }
    }

    /// Scrolls so that a line (from 0) is on screen.
    pub(crate) fn show_line(&mut self, line: usize) {
        let Some(laid) = self.layout.as_ref().filter(|laid| Some(laid.block) == self.subject) else {
            self.target = Some(ScrollTarget::Line(line));
            return;
        };
        let offset = self.above_code();
        self.top = (laid.doc.row_of_line(line) + offset).saturating_sub(3);
        self.clamp();
    }

    /// Shows a line once the rows are laid out.
    pub(super) fn aim_at_line(&mut self, line: usize) {
        self.target = Some(ScrollTarget::Line(line));
    }

    /// Which code is the first on screen.
    pub(super) fn held_place(&self) -> Option<HeldPlace> {
        let laid = self.layout.as_ref()?;
        let (above, line) = (self.above_code(), self.first_line());
        let passed = self.top.saturating_sub(above).saturating_sub(laid.doc.row_of_line(line));
        Some(HeldPlace { block: laid.block, width: laid.width, above, line, passed })
    }

    /// The code that was the first on screen is so again, whatever became of its rows and of those above it. A block that
    /// stood at its start, and one that is shown `anew`, are shown from there.
    pub(super) fn hold_place(&mut self, held: Option<HeldPlace>, anew: bool) {
        let above = self.above_code();
        let Some(laid) = self.layout.as_ref().filter(|_| !matches!(self.mode, Mode::Diff(_))) else { return };
        match held.filter(|held| held.block == laid.block) {
            Some(held) if !anew && held.above == above => {}
            Some(held) => {
                let passed = if held.width == laid.width { held.passed } else { 0 };
                let row = laid.doc.row_of_line(held.line) + passed;
                self.top = if row == 0 { 0 } else { row + above };
            }
            None if anew => self.top = 0,
            None => {}
        }
    }

    /// The first line on screen, from 0: where the editor opens.
    pub(crate) fn first_line(&self) -> usize {
        self.layout.as_ref().map_or(0, |l| {
            let offset = self.above_code();
            if self.top <= offset { 0 } else { l.doc.line_of(self.top - offset) }
        })
    }

    /// Rows above the code that scroll with it.
    pub(super) fn above_code(&self) -> usize {
        if self.division().pinned == 0 { self.rights_len() } else { 0 }
    }

    pub(super) fn rights_len(&self) -> usize {
        self.layout.as_ref().map_or(0, |l| l.rights.rows().len())
    }
}
