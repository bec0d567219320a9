//! The hunks of a block that replaces another text: which of them the person dropped, and which one is chosen.
//!
//! Nothing is stored besides the block: the dropped hunks are derived from its versions, so they are known after a
//! resume too.

use super::{CodePane, Mode};
use crate::domain::file_texts::{self, FilePart};
use crate::domain::visible::visible_line;
use crate::engine::transcript::BlockItem;
use crate::tui::action::Action;
use crate::tui::keymap::Context;
use crate::tui::panes::hunks::Hunks;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::safe;
use ratatui::text::{Line, Span};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use unicode_width::UnicodeWidthStr as _;

/// How many of a block's newest versions are tried as the one from which hunks were dropped.
const MAX_VERSIONS: usize = 4;

/// A change, split into hunks.
#[derive(Debug)]
pub(super) struct HunkSelection {
    hunks: Hunks,
    dropped: BTreeSet<usize>,
    /// The lines of each hunk in the text on screen, from 0.
    places: Vec<Range<usize>>,
    files: Vec<FilePart>,
}

/// A dropped hunk, as the code shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DroppedHunk {
    /// Which hunk, from 0.
    pub(crate) hunk: u32,
    /// The line of the text on screen before which it is shown.
    pub(crate) at: u32,
    /// How many lines it would remove, and add.
    pub(crate) lines: (u32, u32),
}

/// What to highlight for the chosen hunk.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct HunkChoice {
    /// The lines of the text on screen that it added.
    pub(crate) added: Range<usize>,
    /// The lines of the old text that it removed.
    pub(crate) removed: Range<usize>,
    /// The hunk, from 0, if it was dropped; then the ranges are empty.
    pub(crate) dropped: Option<u32>,
}

impl HunkSelection {
    /// Splits the newest version of a block into its changes against the text that it replaces; `None` if there is
    /// nothing to decide piece by piece.
    pub(super) fn new(item: &BlockItem, before: &Arc<str>) -> Option<Self> {
        let current = &item.block.current().source;
        let newest = item.block.versions.iter().rev().take(MAX_VERSIONS).rev();
        let versions = std::iter::once(item.block.original()).chain(newest);
        // The oldest version from which dropping hunks makes the current one: an edit made a version of its own.
        let found = versions.filter(|version| version.source != *before).find_map(|version| {
            let files = file_texts::pairs_of(&item.block.kind, before, &version.source);
            let hunks = Hunks::of(before, &version.source, &files)?;
            let dropped = hunks.dropped_in(current)?;
            Some((hunks, dropped))
        });
        // A single change is approved or rejected as a whole.
        let (hunks, dropped) = found.filter(|(hunks, _)| hunks.list().len() > 1)?;
        let places = hunks.places(&dropped);
        let files = file_texts::parts_of(&item.block.kind, current);
        Some(Self { hunks, dropped, places, files })
    }

    /// How many hunks there are.
    pub(super) fn len(&self) -> usize {
        self.hunks.list().len()
    }

    /// The text with this hunk dropped if it was kept, or restored if it was dropped.
    pub(super) fn toggled(&self, hunk: usize) -> Option<String> {
        (hunk < self.len()).then(|| {
            let mut dropped = self.dropped.clone();
            if !dropped.remove(&hunk) {
                dropped.insert(hunk);
            }
            self.hunks.text(&dropped)
        })
    }

    /// The first line of a hunk in the text on screen.
    pub(super) fn line(&self, hunk: usize) -> usize {
        self.places.get(hunk).map_or(0, |place| place.start)
    }

    /// The position of a hunk in words, with its file and the line in it if there are several files.
    fn place(&self, hunk: usize, width: u16) -> String {
        let line = self.line(hunk);
        // The line after the last one of a file is the head of the next file.
        let above = file_texts::part_of(&self.files, line.saturating_sub(1));
        let part = file_texts::part_of(&self.files, line).filter(|part| part.lines.start < line).or(above);
        match part.and_then(|part| Some((part.path.as_ref()?, line + 1 - part.first()))) {
            Some((path, number)) => {
                format!("{}, line {number}", safe::cut(&visible_line(path), usize::from(width) / 3))
            }
            None => format!("line {}", line + 1),
        }
    }

    /// The dropped hunks, in their order.
    pub(super) fn dropped(&self) -> Vec<DroppedHunk> {
        let of = |at: &usize| {
            let hunk = self.hunks.list().get(*at)?;
            let lines = (number(hunk.old.len()), number(hunk.new.len()));
            Some(DroppedHunk { hunk: number(*at), at: number(self.line(*at)), lines })
        };
        self.dropped.iter().filter_map(of).collect()
    }

    pub(super) fn chosen(&self, hunk: usize) -> HunkChoice {
        let (Some(found), Some(place)) = (self.hunks.list().get(hunk), self.places.get(hunk)) else {
            return HunkChoice::default();
        };
        if self.dropped.contains(&hunk) {
            return HunkChoice { dropped: u32::try_from(hunk).ok(), ..HunkChoice::default() };
        }
        HunkChoice { added: place.clone(), removed: found.old.clone(), dropped: None }
    }

    /// The row below the code: `Hunk 2 of 3, line 10: kept   dropped: 1   h next  x drop it`.
    pub(super) fn row(&self, hunk: usize, width: u16, draw: DrawContext<'_>) -> Line<'static> {
        let is_dropped = self.dropped.contains(&hunk);
        let (word, verb) = if is_dropped { ("dropped", "take it back") } else { ("kept", "drop it") };
        let place = format!("Hunk {} of {}, {}: ", hunk + 1, self.len(), self.place(hunk, width));
        let count = format!("   dropped: {}", self.dropped.len());
        let keys = [(Action::HunkNext, "next"), (Action::HunkDrop, verb)];
        let keys = draw.keymap.hints(Context::Review, ("   ", "  ", ""), &keys);
        let style = draw.style(if is_dropped { Slot::DiffDel } else { Slot::DiffAdd });
        let room = usize::from(width).saturating_sub(place.width() + word.len());
        let rest = if count.len() + keys.len() <= room { count + &keys } else { count };
        Line::from(vec![
            Span::styled(place, draw.style(Slot::UiTitle)),
            Span::styled(word, style),
            Span::styled(safe::cut(&rest, room), draw.dim()),
        ])
    }
}

/// A number of lines or rows as the rows store it.
pub(super) fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl CodePane {
    /// Adds the row for the chosen hunk below the code, and marks the hunk in the code.
    pub(super) fn lay_out_hunks(&mut self, draw: DrawContext<'_>) {
        let Some(laid) = &mut self.layout else { return };
        let Some(hunks) = laid.hunks.as_ref().filter(|_| matches!(self.mode, Mode::View)) else { return };
        self.hunk = self.hunk.min(hunks.len().saturating_sub(1));
        laid.doc.choose(hunks.chosen(self.hunk));
        self.footer.push(hunks.row(self.hunk, self.area.width, draw));
        let line = hunks.line(self.hunk);
        if std::mem::take(&mut self.show_hunk) {
            self.aim_at_line(line);
        }
    }

    /// The hunks of the block on screen, if it is a change that can be decided hunk by hunk.
    fn hunks(&self) -> Option<&HunkSelection> {
        self.layout.as_ref()?.hunks.as_ref()
    }

    /// Whether the block on screen is a single change, which is approved or rejected as a whole.
    pub(crate) fn has_one_hunk(&self) -> bool {
        self.layout.as_ref().is_some_and(|laid| laid.one_hunk)
    }

    /// Whether the chosen hunk is dropped; `None` if the block on screen is no such change.
    pub(crate) fn is_hunk_dropped(&self) -> Option<bool> {
        Some(self.hunks()?.dropped.contains(&self.hunk))
    }

    /// Scrolls to the next hunk, or the one before. Returns whether there is one.
    pub(crate) fn next_hunk(&mut self, back: bool) -> bool {
        let Some(hunks) = self.hunks() else { return false };
        let count = hunks.len().max(1);
        let next = (self.hunk + if back { count - 1 } else { 1 }) % count;
        let line = hunks.line(next);
        self.hunk = next;
        self.show_line(line);
        true
    }

    /// The text with the chosen hunk dropped or restored. Once that text is shown, the pane scrolls to the hunk.
    pub(crate) fn toggle_hunk(&mut self) -> Option<String> {
        let text = self.hunks()?.toggled(self.hunk);
        self.show_hunk = text.is_some();
        text
    }
}
