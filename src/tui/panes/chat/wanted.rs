//! Which items of a large conversation have to come into memory, because they are on screen or near it.

use crate::engine::State;
use crate::engine::transcript::LoadState;
use crate::tui::widgets::virtual_list::Anchor;
use std::ops::Range;

/// So many items above and below the screen come along: who scrolls finds them there. Of long ones fewer do.
const ITEMS_AROUND: usize = 60;
/// Bytes of messages on each side from which on no more come along.
const MAX_BYTES_AROUND: usize = 2 << 20;
/// So many come along however long they are.
const MIN_ITEMS_AROUND: usize = 8;

/// Whether the text of an item is in the file alone, and can be read.
pub(in crate::tui) fn is_away(state: &State, item: usize) -> bool {
    load_state(state, item).is_some_and(|load| load != LoadState::Lost)
}

/// Whether it has to be asked for besides.
pub(in crate::tui) fn is_wanted(state: &State, item: usize) -> bool {
    load_state(state, item) == Some(LoadState::Away)
}

fn load_state(state: &State, item: usize) -> Option<LoadState> {
    state.transcript.message_away(item).map(|(_, out)| out.load)
}

/// The items of rows on screen, and those around them.
pub(super) fn around(state: &State, rows: &[Anchor]) -> Range<usize> {
    let (first, last) = (rows.first().map_or(0, |row| row.item), rows.last().map_or(0, |row| row.item));
    let many = |items: &mut dyn Iterator<Item = usize>| {
        let mut bytes = 0;
        let near = items.take(ITEMS_AROUND).enumerate().take_while(|(number, item)| {
            bytes += state.transcript.bytes_of(*item);
            *number < MIN_ITEMS_AROUND || bytes < MAX_BYTES_AROUND
        });
        near.count()
    };
    let (above, below) = (many(&mut (0..first).rev()), many(&mut (last.saturating_add(1)..usize::MAX)));
    first - above..last.saturating_add(below + 1)
}
