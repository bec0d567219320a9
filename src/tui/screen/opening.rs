//! The prompt that an empty session suggests in the message box: the next one, the one before, taken as text.

use super::Screen;
use crate::engine::State;
use crate::tui::panes::chat;
use crate::tui::widgets::layout::Pane;

impl Screen {
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
