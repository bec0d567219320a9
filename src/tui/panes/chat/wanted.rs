//! Which items of a large conversation have to come into memory, because they are on screen or near it.

use crate::engine::State;
use crate::engine::transcript::{Item, LoadState};
use crate::tui::widgets::virtual_list::Anchor;
use std::ops::Range;

/// So many items above and below the screen come along: who scrolls finds them there.
const AROUND: usize = 8;

/// Whether the text of an item is in the file alone, and can be read.
pub(in crate::tui) fn is_away(state: &State, item: usize) -> bool {
    load_state(state, item).is_some_and(|load| load != LoadState::Lost)
}

/// Whether it has to be asked for besides.
pub(in crate::tui) fn is_wanted(state: &State, item: usize) -> bool {
    load_state(state, item) == Some(LoadState::Away)
}

fn load_state(state: &State, item: usize) -> Option<LoadState> {
    match state.transcript.items.get(item)? {
        Item::Reply(reply) => reply.paged_out.map(|out| out.load),
        _ => None,
    }
}

/// The items of rows on screen, and those around them.
pub(super) fn around(rows: &[Anchor]) -> Range<usize> {
    let (first, last) = (rows.first().map_or(0, |row| row.item), rows.last().map_or(0, |row| row.item));
    first.saturating_sub(AROUND)..last.saturating_add(AROUND + 1)
}
