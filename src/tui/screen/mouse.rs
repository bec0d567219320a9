//! The mouse: a click focuses, the wheel scrolls the pane under it, a button of the key bar counts when it is pressed
//! and released in the same place. The wheel never decides.

use super::{Ctx, Note, Screen, Wish};
use crate::tui::guard::Admit;
use crate::tui::view::keybar::Button;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

/// Rows that one step of the wheel scrolls.
const WHEEL: isize = 3;

impl Screen {
    /// Takes an event of the mouse.
    pub fn mouse(&mut self, event: MouseEvent, ctx: Ctx<'_>) -> Vec<Wish> {
        let (column, row) = (event.column, event.row);
        match event.kind {
            MouseEventKind::ScrollDown => self.wheel(column, row, WHEEL, ctx),
            MouseEventKind::ScrollUp => self.wheel(column, row, -WHEEL, ctx),
            MouseEventKind::Down(MouseButton::Left) => {
                self.note = None;
                self.pressed = self.button_at(column, row);
                self.guard.pressed(self.pressed.is_some(), ctx.at);
                if self.pressed.is_none() && self.layers.is_empty() {
                    self.click(column, row);
                }
            }
            MouseEventKind::Up(MouseButton::Left) => {
                let released = self.button_at(column, row);
                if let (Some(pressed), Some(released)) = (self.pressed.take(), released)
                    && pressed == released
                {
                    return self.press(&pressed, ctx);
                }
            }
            _ => {}
        }
        Vec::new()
    }

    fn wheel(&mut self, column: u16, row: u16, rows: isize, ctx: Ctx<'_>) {
        if let Some(super::layer::Layer::Help(help)) = self.layers.last_mut() {
            help.top = help.top.saturating_add_signed(rows);
        } else if let Some(super::layer::Layer::Steps(_)) = self.layers.last() {
            self.scroll_steps(rows, ctx);
        } else if self.layers.is_empty()
            && let Some(pane) = self.arrangement.pane_at(column, row, self.shows_vars())
        {
            self.scroll(pane, rows, ctx);
        }
    }

    fn click(&mut self, column: u16, row: u16) {
        if let Some(pane) = crate::tui::view::header::tab_at(self, column, row) {
            self.focus = pane;
        } else if let Some(pane) = self.arrangement.pane_at(column, row, self.shows_vars()) {
            self.focus = pane;
        }
    }

    fn button_at(&self, column: u16, row: u16) -> Option<Button> {
        self.buttons.iter().find(|b| b.row == row && b.columns.contains(&column)).cloned()
    }

    /// A button was pressed and released: the same gate as its key.
    fn press(&mut self, button: &Button, ctx: Ctx<'_>) -> Vec<Wish> {
        self.follow.key(ctx.at);
        let class = self.class(ctx.state, button.action);
        match self.guard.click(class, ctx.at) {
            Admit::Pass => self.act(button.action, ctx),
            Admit::Refused(why) => {
                self.say(Note::of_wait(why.to_string()));
                Vec::new()
            }
            Admit::Held | Admit::Word { .. } => Vec::new(),
        }
    }
}
