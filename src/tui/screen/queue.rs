//! Carries out actions in the list of waiting blocks.

use super::{Ctx, Screen};
use crate::engine::Command;
use crate::tui::action::Action;
use crate::tui::note::NO_BLOCK_WAITS;
use crate::tui::overlays::OverlayResponse;
use crate::tui::overlays::ask::Ask;
use crate::tui::panes::code::Mode;
use crate::tui::widgets::words;

impl Screen {
    /// Carries out actions of the list of waiting blocks.
    pub(super) fn queue_action(&mut self, action: Action, ctx: Ctx<'_>) {
        let blocks: Vec<_> = ctx.state.queue().map(|item| item.block.id).collect();
        let Mode::Queue(chosen) = &mut self.panes.code.mode else { return };
        match action {
            Action::ListDown | Action::ScrollDown => {
                *chosen = (*chosen + 1).min(blocks.len().saturating_sub(1));
            }
            Action::ListUp | Action::ScrollUp => *chosen = chosen.saturating_sub(1),
            Action::ListAccept => {
                let block = blocks.get(*chosen).copied();
                self.panes.code.mode = Mode::View;
                if let Some(block) = block {
                    self.panes.code.show(block);
                }
            }
            Action::QueueSkipAll => {
                if blocks.is_empty() {
                    self.inform(NO_BLOCK_WAITS);
                } else {
                    let what = words::count(blocks.len(), "block");
                    let skip = vec![OverlayResponse::ViewBlock, OverlayResponse::send(Command::SkipAll)];
                    let lines = vec![format!("{what} wait for you.")];
                    let ask = Ask::new("Skip all?", lines, 'w', "keep them waiting");
                    self.open(ask.or('s', format!("skip {what}; nothing runs"), skip));
                }
            }
            other => self.pane_action(other, ctx),
        }
    }
}
