//! Determines which block the code pane draws.

use super::CodePane;
use crate::domain::BlockId;
use crate::engine::State;
use crate::engine::reply::{Proposal, Segment};
use crate::engine::transcript::BlockItem;

/// The block that the pane draws: the one being written comes first, unless another was chosen.
pub(crate) enum PaneSubject<'a> {
    Nothing,
    Writing(BlockId, &'a Proposal),
    Block(&'a BlockItem),
}

pub(crate) fn subject<'a>(pane: &CodePane, state: &'a State) -> PaneSubject<'a> {
    if let Some((id, proposed)) = being_written(state).filter(|_| !pane.edits()) {
        return PaneSubject::Writing(id, proposed);
    }
    match pane.subject().and_then(|id| state.transcript.blocks.get(&id)) {
        Some(item) => PaneSubject::Block(item),
        None => PaneSubject::Nothing,
    }
}

/// The block being written, with the number that it will have.
pub(crate) fn being_written(state: &State) -> Option<(BlockId, &Proposal)> {
    let reply = state.live.reply.as_ref()?;
    let blocks = || {
        reply.segments.iter().filter_map(|s| match s {
            Segment::Block(proposed) => Some(proposed),
            Segment::Prose(_) => None,
        })
    };
    let last = blocks().next_back()?;
    let known = state.transcript.blocks.keys().next_back().map_or(0, |id| id.0);
    let number = known.saturating_add(u32::try_from(blocks().count()).unwrap_or(1));
    Some((BlockId(number), last))
}
