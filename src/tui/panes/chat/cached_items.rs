//! The conversation as a list of items. Each is laid out when its rows are asked for, and cached for the width and the
//! theme of the pane.

use super::item;
use super::live::Live;
use super::opening::OpeningRows;
use crate::engine::State;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::passage::WrappedLine;
use crate::tui::widgets::virtual_list::{Anchor, Items};
use ratatui::text::Line;
use std::collections::HashMap;
use std::rc::Rc;

/// The rows of an item, and the stamp of what they were laid out from.
#[derive(Debug)]
pub(super) struct CachedRows {
    pub(super) stamp: u64,
    pub(super) rows: Rc<[Line<'static>]>,
    /// Which of the rows show blocks.
    pub(super) blocks: item::BlockPlaces,
}

/// How many laid out items are cached; when there are more, the whole cache is dropped.
const MAX_KEPT_ITEMS: usize = 600;

/// The conversation as a list of items: those of the transcript, and the live end after them.
pub(super) struct ChatItems<'a> {
    pub(super) kept: &'a mut HashMap<usize, CachedRows>,
    pub(super) live: &'a Live,
    pub(super) opening: Option<&'a OpeningRows>,
    pub(super) state: &'a State,
    pub(super) width: u16,
    pub(super) draw: DrawContext<'a>,
}

impl ChatItems<'_> {
    /// The rows of an item of the transcript; none for the live end.
    pub(super) fn item_rows(&mut self, at: usize) -> Rc<[Line<'static>]> {
        if at >= self.state.transcript.items.len() {
            return Rc::from([]);
        }
        let stamp = item::stamp(self.state, at, self.draw);
        if let Some(kept) = self.kept.get(&at).filter(|k| k.stamp == stamp) {
            return kept.rows.clone();
        }
        let (rows, blocks) = item::rows(self.state, at, self.width, self.draw);
        let rows: Rc<[Line<'static>]> = rows.into();
        if self.kept.len() >= MAX_KEPT_ITEMS {
            self.kept.clear();
        }
        self.kept.insert(at, CachedRows { stamp, rows: rows.clone(), blocks });
        rows
    }

    /// The lines of an item, with its rows; the live end is an item too.
    pub(super) fn lines(&mut self, at: usize) -> Vec<WrappedLine> {
        if at < self.state.transcript.items.len() {
            return WrappedLine::of_rows(&self.item_rows(at));
        }
        let rows = (0..self.rows(at)).filter_map(|row| self.line(Anchor { item: at, row }));
        WrappedLine::of_rows(&rows.collect::<Vec<_>>())
    }
}

impl Items for ChatItems<'_> {
    fn count(&mut self) -> usize {
        self.state.transcript.items.len() + 1
    }

    fn rows(&mut self, item: usize) -> usize {
        if item < self.state.transcript.items.len() {
            return self.item_rows(item).len();
        }
        self.opening.map_or(0, |opening| opening.rows.len()) + self.live.len()
    }

    fn width(&self) -> usize {
        self.width.into()
    }

    fn line(&mut self, Anchor { item, row }: Anchor) -> Option<Line<'static>> {
        if item < self.state.transcript.items.len() {
            return self.item_rows(item).get(row).cloned();
        }
        let opening = self.opening.map_or(&[][..], |opening| opening.rows.as_slice());
        opening.get(row).or_else(|| self.live.line(row.checked_sub(opening.len())?)).cloned()
    }
}
