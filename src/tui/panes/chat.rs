//! The conversation pane: prompts, replies with their blocks as rows, notes, the streaming reply.
//!
//! Items are laid out when they scroll into view and cached for the current width; a transcript of any length opens at
//! its end.

mod cached_items;
mod head;
mod item;
mod live;
mod opening;
mod recipe;
mod visible_items;

use crate::domain::BlockId;
use crate::driver::SearchWords;
use crate::engine::State;
use crate::tui::paint::canvas::Canvas;
use crate::tui::setup::Opening;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::hits::ClickTarget;
use crate::tui::widgets::passage::screen_text::ScreenText;
use crate::tui::widgets::passage::{FoundText, WrappedLine};
use crate::tui::widgets::virtual_list::{Anchor, EndKeys, VirtualList};
use cached_items::{CachedRows, ChatItems};
use live::Live;
use opening::OpeningRows;
pub(in crate::tui) use opening::is_open;
use ratatui::layout::{Position, Rect};
pub(in crate::tui) use recipe::verdict;
use std::collections::HashMap;
use std::ops::Range;
pub(in crate::tui) use visible_items::{is_away, is_wanted};

#[derive(Debug, Default)]
pub(crate) struct ChatPane {
    list: VirtualList,
    kept: HashMap<usize, CachedRows>,
    live: Live,
    /// What is shown while nothing was said yet.
    opening: Option<OpeningRows>,
    theme: String,
    area: Rect,
    /// The blocks whose rows are on screen, each with its screen row; `marked` is the index of the marked one.
    blocks: Vec<(u16, BlockId)>,
    marked: Option<usize>,
    /// A text to scroll to as soon as its item is in memory.
    pending_hit: Option<FoundText>,
    /// An item and words: scroll to its first line with one of them as soon as the item is in memory.
    pending_words: Option<(usize, SearchWords)>,
    /// The waiting block that was last considered for scrolling into view, and the pane's height then.
    last_wait: Option<(BlockId, u16)>,
    /// Whether the pane was scrolled there; once that block is decided, it follows the end again.
    moved_to_wait: bool,
}

impl ChatPane {
    /// Scrolls to the end and follows it.
    pub(crate) fn follow(&mut self) {
        self.person_moved();
        self.list.follow();
    }

    /// The person scrolls elsewhere: drops what was still waiting to be scrolled to.
    fn person_moved(&mut self) {
        (self.pending_words, self.pending_hit, self.moved_to_wait) = (None, None, false);
    }

    /// Scrolls to the row of the waiting block if the pane follows the end and that row is above it: of blocks proposed
    /// together the first is decided first.
    fn show_wait(&mut self, state: &State, draw: DrawContext<'_>) {
        let wait = state.waiting().map(|item| (item.block.id, self.area.height));
        if self.last_wait == wait {
            return;
        }
        let block = |wait: Option<(BlockId, u16)>| wait.map(|(block, _)| block);
        let is_other = block(self.last_wait) != block(wait);
        self.last_wait = wait;
        if std::mem::take(&mut self.moved_to_wait) {
            self.list.follow();
        } else if !is_other {
            // The person has gone to the end since; a new height leaves them there.
            return;
        }
        let Some((block, height)) = wait.filter(|_| self.list.follows()) else { return };
        let Some(item) = state.transcript.items.iter().rposition(|item| item.holds(block)) else { return };
        let rows = self.with(state, draw, |list, talk| {
            list.arrange(talk, height.into());
            talk.item_rows(item);
            talk.kept.get(&item).map(|kept| kept.blocks.clone()).unwrap_or_default()
        });
        let Some((row, _)) = rows.iter().find(|(_, of)| *of == block) else { return };
        let at = Anchor { item, row: *row };
        if !self.list.visible.contains(&at) {
            let above = usize::from(height).saturating_sub(1).min(2);
            self.with(state, draw, |list, talk| list.scroll_to(talk, at, above));
            self.moved_to_wait = true;
        }
    }

    fn with<T>(
        &mut self,
        state: &State,
        draw: DrawContext<'_>,
        then: impl FnOnce(&mut VirtualList, &mut ChatItems<'_>) -> T,
    ) -> T {
        let (live, opening) = (&self.live, self.opening.as_ref());
        let mut talk = ChatItems { kept: &mut self.kept, live, opening, state, width: self.area.width, draw };
        then(&mut self.list, &mut talk)
    }

    /// Determines which rows the next frame shows. Of the opening's prompts, `suggested` is marked; of the blocks on
    /// screen, `chosen`, or the last one if that is not on screen.
    pub(crate) fn arrange(
        &mut self,
        state: &State,
        (opening, suggested): (&Opening, usize),
        chosen: Option<BlockId>,
        area: Rect,
        draw: DrawContext<'_>,
    ) {
        if self.area.width != area.width || self.theme != draw.theme.name() {
            self.kept.clear();
            self.live.clear();
            self.opening = None;
            draw.theme.name().clone_into(&mut self.theme);
        }
        self.area = area;
        self.live.update(state, area.width, draw);
        let size = (area.width, area.height);
        let kept = self.opening.take().filter(|kept| kept.is_for(suggested, size));
        self.opening =
            is_open(state).then(|| kept.unwrap_or_else(|| OpeningRows::new(opening, suggested, size, draw)));
        if let Some((item, words)) = self.pending_words.take_if(|(item, _)| !is_away(state, *item)) {
            let mut lines = (0..).zip(self.lines_of(state, item, draw));
            let found = lines.find_map(|(line, passage)| Some((line, words.first_in(passage.text())?)));
            self.pending_hit = found.map(|(line, bytes)| FoundText { item, line, bytes });
        }
        if let Some(found) = self.pending_hit.take_if(|found| !is_away(state, found.item)) {
            self.show(state, &found, draw);
        }
        self.show_wait(state, draw);
        self.with(state, draw, |list, talk| list.arrange(talk, area.height.into()));
        let on_screen = (area.y..).zip(&self.list.visible);
        let block = |at: &Anchor| {
            let blocks = &self.kept.get(&at.item)?.blocks;
            blocks.iter().find(|(row, _)| *row == at.row).map(|(_, block)| *block)
        };
        self.blocks = on_screen.filter_map(|(y, at)| Some((y, block(at)?))).collect();
        let of_chosen = self.blocks.iter().position(|(_, block)| Some(*block) == chosen);
        self.marked = of_chosen.or(self.blocks.len().checked_sub(1));
    }

    /// The items on screen and near it.
    pub(crate) fn wanted_items(&self, state: &State) -> Range<usize> {
        visible_items::around(state, &self.list.visible)
    }

    /// The block whose line is marked while the pane has the focus.
    pub(crate) fn marked_block(&self) -> Option<BlockId> {
        self.marked.and_then(|at| self.blocks.get(at)).map(|(_, block)| *block)
    }

    /// The block whose row is at this position of the screen.
    pub(crate) fn block_at(&self, column: u16, row: u16) -> Option<BlockId> {
        let inside = self.area.contains(Position { x: column, y: row });
        self.blocks.iter().find(|(y, _)| inside && *y == row).map(|(_, block)| *block)
    }

    /// Scrolls by rows; scrolling up stops following the end.
    pub(crate) fn scroll(&mut self, state: &State, rows: isize, draw: DrawContext<'_>) {
        self.person_moved();
        self.with(state, draw, |list, talk| list.scroll(talk, rows));
    }

    pub(crate) fn page(&mut self, state: &State, pages: isize, draw: DrawContext<'_>) {
        let rows = pages * self.list.page();
        self.scroll(state, rows, draw);
    }

    /// Scrolls to the first row.
    pub(crate) fn to_top(&mut self, state: &State, draw: DrawContext<'_>) {
        self.person_moved();
        self.with(state, draw, |list, talk| list.to_top(talk));
    }

    /// Scrolls to a text.
    pub(crate) fn show(&mut self, state: &State, found: &FoundText, draw: DrawContext<'_>) {
        self.moved_to_wait = false;
        self.pending_hit = is_away(state, found.item).then(|| found.clone());
        self.with(state, draw, |list, talk| {
            let lines = talk.lines(found.item);
            let above: usize = lines.iter().take(found.line).map(WrappedLine::rows).sum();
            let row = above + lines.get(found.line).map_or(0, |line| line.row_of(found.bytes.start));
            list.ensure_visible(talk, Anchor { item: found.item, row });
        });
    }

    /// Scrolls to an item.
    pub(crate) fn show_item(&mut self, state: &State, item: usize, draw: DrawContext<'_>) {
        self.moved_to_wait = false;
        self.with(state, draw, |list, talk| list.scroll_to(talk, Anchor { item, row: 0 }, 1));
    }

    /// Scrolls to an item, and to its first line with one of these words as soon as its text is in memory.
    pub(crate) fn seek(&mut self, state: &State, item: usize, words: SearchWords, draw: DrawContext<'_>) {
        self.show_item(state, item, draw);
        self.pending_words = Some((item, words));
    }

    /// The lines of an item. If it is not laid out for the screen, it is laid out anew and not cached.
    pub(crate) fn lines_of(&self, state: &State, item: usize, draw: DrawContext<'_>) -> Vec<WrappedLine> {
        let stamp = item::stamp(state, item, draw);
        match self.kept.get(&item).filter(|kept| kept.stamp == stamp) {
            Some(kept) => WrappedLine::of_rows(&kept.rows),
            None => WrappedLine::of_rows(&item::rows(state, item, self.width(), draw).0),
        }
    }

    /// What changes when the lines of an item do.
    pub(crate) fn stamp_of_lines(&self, state: &State, item: usize, draw: DrawContext<'_>) -> (u64, u16) {
        (item::stamp(state, item, draw), self.width())
    }

    fn width(&self) -> u16 {
        // Nothing was laid out yet if another pane has had the whole screen.
        if self.area.width == 0 { 78 } else { self.area.width }
    }

    pub(crate) fn screen_text(&mut self, state: &State, draw: DrawContext<'_>) -> ScreenText {
        let top = self.area.y;
        self.with(state, draw, |list, talk| {
            ScreenText::of_list(top, list.visible.iter().copied(), |item| talk.lines(item))
        })
    }

    /// The screen area of the text.
    pub(crate) fn area(&self) -> Rect {
        self.area
    }

    /// The scroll position, for [`ChatPane::restore`].
    pub(crate) fn place(&self) -> Option<Anchor> {
        self.list.anchor
    }

    /// Scrolls back to a position.
    pub(crate) fn restore(&mut self, place: Option<Anchor>) {
        self.person_moved();
        self.list.anchor = place;
    }

    /// What the title shows on the right: how much is below, and the key that goes there.
    pub(crate) fn position_text(&self, keys: &EndKeys) -> String {
        let standing = self.list.position_text(keys);
        // The pane may have been scrolled to the waiting block: the reader has to see that this is not the end.
        if standing.is_empty() && self.list.goes_on { "more below".into() } else { standing }
    }

    /// The text of the item at the top of the screen, for copying; while the end is followed, that of the newest item
    /// with a text.
    pub(crate) fn text(&self, state: &State) -> Option<String> {
        let at = match self.list.anchor {
            Some(anchor) => anchor.item,
            None => (0..state.transcript.items.len()).rev().find(|at| item::text(state, *at).is_some())?,
        };
        item::text(state, at).map(str::to_owned)
    }

    /// The screen rows of the opening's prompts, with their numbers.
    pub(crate) fn prompts(&self) -> impl Iterator<Item = ClickTarget<usize>> {
        let opening = self.opening.as_ref().filter(|_| self.list.follows());
        // At most the names of chosen models are above it.
        let above: usize = self.kept.values().map(|item| item.rows.len()).sum();
        let all = above + opening.map_or(0, |opening| opening.rows.len()) + self.live.len();
        let cut = all.saturating_sub(self.area.height.into());
        let prompts = opening.into_iter().flat_map(|opening| opening.prompts.iter().cloned().enumerate());
        let (top, columns) = (self.area.y, self.area.x..self.area.right());
        prompts.flat_map(move |(what, rows)| {
            let columns = columns.clone();
            rows.filter_map(move |row| {
                let row = top.checked_add(u16::try_from((above + row).checked_sub(cut)?).ok()?)?;
                Some(ClickTarget { row, columns: columns.clone(), what })
            })
        })
    }

    /// Draws the rows that [`ChatPane::arrange`] determined.
    pub(crate) fn draw(&self, focused: bool, buf: &mut Canvas, draw: DrawContext<'_>) {
        self.list.draw(self.area, buf);
        if let Some((row, _)) = self.marked.filter(|_| focused).and_then(|at| self.blocks.get(at)) {
            buf.set_stringn(self.area.x, *row, ">", 1, draw.style(Slot::UiFocus));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::dialogue::Dialogue;
    use crate::engine::{Engine, Settings};
    use crate::tui::theme::{Depth, Theme};
    use crate::tui::widgets::draw_context::with_draw_context;

    #[test]
    fn what_is_laid_out_for_the_screen_is_not_laid_out_again_to_be_searched() {
        let mut d = Dialogue::new();
        d.user("hello");
        with_draw_context(&Theme::terminal(Depth::Mono), |draw| {
            let now = item::stamp(d.state(), 0, draw);
            for (stamp, is_taken) in [(now, true), (now.wrapping_add(1), false)] {
                let rows = [ratatui::text::Line::raw("as laid out")].into();
                let kept = CachedRows { stamp, rows, blocks: Vec::new() };
                let pane = ChatPane { kept: [(0, kept)].into(), ..ChatPane::default() };
                let first = pane.lines_of(d.state(), 0, draw).first().map(|line| line.text().to_owned());
                assert_eq!(first.as_deref() == Some("as laid out"), is_taken, "{first:?}");
            }
        });
    }

    /// When the person scrolls, a position that is still being loaded is no longer scrolled to.
    #[test]
    fn a_person_who_scrolls_is_not_taken_to_a_place_that_comes_later() {
        let engine = Engine::new(Settings::default());
        let moves: [fn(&mut ChatPane, &State, DrawContext<'_>); 5] = [
            |pane, state, draw| pane.scroll(state, -1, draw),
            |pane, state, draw| pane.page(state, 1, draw),
            |pane, state, draw| pane.to_top(state, draw),
            |pane, _, _| pane.follow(),
            |pane, _, _| pane.restore(None),
        ];
        for moved in moves {
            let mut pane = ChatPane::default();
            with_draw_context(&Theme::terminal(Depth::Mono), |draw| {
                pane.seek(engine.state(), 0, SearchWords::read("region"), draw);
                pane.pending_hit = Some(FoundText { item: 0, line: 0, bytes: 0..1 });
                moved(&mut pane, engine.state(), draw);
            });
            assert!(pane.pending_words.is_none() && pane.pending_hit.is_none());
        }
    }
}
