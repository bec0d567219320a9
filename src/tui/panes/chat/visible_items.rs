//! Determines which items of a large conversation have to be loaded into memory because they are on screen or near it.

use crate::engine::State;
use crate::engine::transcript::LoadState;
use crate::tui::widgets::virtual_list::Anchor;
use std::ops::Range;

/// How many items above and below the screen are loaded, so that scrolling finds them. Fewer if they are long.
const ITEMS_AROUND: usize = 60;
/// How many bytes of messages on each side stop the loading of more.
const MAX_BYTES_AROUND: usize = 2 << 20;
/// How many are loaded however long they are.
const MIN_ITEMS_AROUND: usize = 8;

/// Whether the text of an item is only in the file, and can be read.
pub(in crate::tui) fn is_away(state: &State, item: usize) -> bool {
    load_state(state, item).is_some_and(|load| load != LoadState::Lost)
}

/// Whether it also still has to be requested.
pub(in crate::tui) fn is_wanted(state: &State, item: usize) -> bool {
    load_state(state, item) == Some(LoadState::Away)
}

fn load_state(state: &State, item: usize) -> Option<LoadState> {
    state.transcript.message_away(item).map(|(_, out)| out.load)
}

/// The items of the rows on screen, and those near them.
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
