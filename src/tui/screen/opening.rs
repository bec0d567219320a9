//! What a session opens with: the prompt that an empty one suggests in the message box, and the place that one was found
//! by.

use super::{Ctx, Screen};
use crate::domain::BlockId;
use crate::driver::SessionPlace;
use crate::engine::State;
use crate::engine::transcript::Item;
use crate::tui::panes::chat;
use crate::tui::widgets::layout::Pane;

impl Screen {
    /// Puts a place of the session on screen: its message, and its block where it is part of one.
    pub(in crate::tui) fn show_place(&mut self, place: SessionPlace, ctx: Ctx<'_>) {
        let items = &ctx.state.transcript.items;
        let at = match place.block {
            Some(block) => items.iter().position(|item| holds(item, block)),
            None => {
                let messages = (0..).zip(items).filter(|(_, item)| is_message(item));
                let before = usize::try_from(place.message).unwrap_or(usize::MAX).saturating_sub(1);
                messages.map(|(at, _)| at).nth(before)
            }
        };
        if let Some(at) = at {
            self.panes.chat.show_item(ctx.state, at, ctx.look);
        }
        if let Some(block) = place.block {
            self.panes.code.show_in(block, 0);
        }
    }

    /// The prompt that stands in the empty message box, where one does.
    pub(in crate::tui) fn suggestion(&self, state: &State) -> Option<&str> {
        let free = self.panes.composer.is_empty() && !self.setup.welcome && chat::is_open(state);
        let prompts = &self.setup.opening.prompts;
        prompts.get(self.suggested).filter(|_| free && self.panes.focus == Pane::Message).map(String::as_str)
    }

    /// Suggests the next prompt, or the one before.
    pub(super) fn suggest(&mut self, by: isize) {
        let last = self.setup.opening.prompts.len().saturating_sub(1);
        self.suggested = self.suggested.saturating_add_signed(by).min(last);
    }

    /// Puts the suggested prompt into the message, behind what is written there.
    pub(super) fn take_suggestion(&mut self) {
        let Some(prompt) = self.setup.opening.prompts.get(self.suggested).cloned() else { return };
        if self.panes.composer.is_empty() {
            self.panes.composer.set(&prompt);
        }
        self.panes.focus = Pane::Message;
    }
}

/// Whether an item of the conversation has this block.
fn holds(item: &Item, block: BlockId) -> bool {
    match item {
        Item::Reply(reply) => reply.blocks.contains(&block),
        Item::Own { block: own, .. } => *own == block,
        _ => false,
    }
}

fn is_message(item: &Item) -> bool {
    matches!(item, Item::Prompt { .. } | Item::Reply(_))
}
