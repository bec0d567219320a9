//! Moves the borders between panes, by keys and by the mouse.

use super::Screen;
use crate::engine::State;
use crate::tui::action::Action;
use crate::tui::widgets::layout::{Border, SizeClass};

impl Screen {
    /// Moves a border by one step of its key.
    pub(super) fn move_border(&mut self, action: Action, state: &State) {
        let (border, more) = match action {
            Action::ChatLess => (Border::Chat, false),
            Action::ChatMore => (Border::Chat, true),
            Action::CodeLess => (Border::Code, false),
            _ => (Border::Code, true),
        };
        let columns = border == Border::Chat && self.arrangement.class == SizeClass::Wide;
        let step = if columns { 2 } else { 1 };
        match self.arrangement.border(border) {
            Some(at) if more => self.move_border_to(border, at.saturating_add(step), state),
            Some(at) => self.move_border_to(border, at.saturating_sub(step), state),
            None => self.inform("That border is not on screen now."),
        }
    }

    /// Moves a border to a column or row of the screen, or as near as possible.
    pub(super) fn move_border_to(&mut self, border: Border, at: u16, state: &State) {
        self.borders = self.borders.move_to(border, at, self.activity(state), &self.arrangement);
    }
}
