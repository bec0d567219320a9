//! Handles the mouse: a click moves the focus, a click on a block's line opens the block, the wheel scrolls the
//! pane under it, a drag moves a border or selects text, a key hint counts if the button is pressed and
//! released on it. Neither the wheel nor a drag ever decides.

use super::{Ctx, Screen};
use crate::tui::action::Action;
use crate::tui::guard::KeyOutcome;
use crate::tui::overlays::keys_test::KeySample;
use crate::tui::widgets::hits::hit;
use crate::tui::widgets::layout::{Border, Pane, SizeClass};
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use std::time::{Duration, Instant};

/// Rows that one step of the wheel scrolls.
const WHEEL_ROWS: isize = 3;

/// Presses at the same position within this time belong together.
const DOUBLE_CLICK_INTERVAL: Duration = Duration::from_millis(400);

/// Counts presses at the same position: a double press selects a word, a triple press a line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clicks {
    last: Option<((u16, u16), Instant)>,
    count: u8,
}

impl Clicks {
    /// Counts a press at a column and a row: 1, 2 or 3.
    pub(super) fn press(&mut self, at: (u16, u16), now: Instant) -> u8 {
        let goes_on = self.last.is_some_and(|(place, then)| {
            place == at && now.saturating_duration_since(then) <= DOUBLE_CLICK_INTERVAL
        });
        self.count = if goes_on { self.count % 3 + 1 } else { 1 };
        self.last = Some((at, now));
        self.count
    }
}

impl Screen {
    /// Handles a mouse event.
    pub fn mouse(&mut self, event: MouseEvent, ctx: Ctx<'_>) {
        let (column, row) = (event.column, event.row);
        let sample = |_: &Self| KeySample::other(format!("the mouse, column {column}, row {row}"));
        if self.show_in_key_test(None, sample, ctx.at) || self.forwarded_mouse(event, ctx) {
            return;
        }
        match event.kind {
            MouseEventKind::ScrollDown => self.wheel(column, row, WHEEL_ROWS, ctx),
            MouseEventKind::ScrollUp => self.wheel(column, row, -WHEEL_ROWS, ctx),
            MouseEventKind::Down(MouseButton::Left) => {
                (self.note, self.repeated_find) = (None, None);
                self.pressed = hit(&self.hits.buttons, column, row);
                self.guard.pressed(self.pressed.is_some(), ctx.at);
                self.clear_selection();
                if self.pressed.is_none() {
                    self.press_at(column, row, ctx);
                }
            }
            MouseEventKind::Drag(MouseButton::Left) => {
                if let Some(border) = self.held_border {
                    let wide = self.arrangement.class == SizeClass::Wide && border == Border::Chat;
                    self.move_border_to(border, if wide { column } else { row }, ctx.state);
                } else if !self.drag_in_text(column, row) {
                    self.drag_to(column, row, ctx);
                }
            }
            MouseEventKind::Up(MouseButton::Left) => {
                self.held_border = None;
                self.held_text = None;
                if self.end_selection(ctx) {
                    return;
                }
                let released = hit(&self.hits.buttons, column, row);
                if let (Some(pressed), Some(released)) = (self.pressed.take(), released)
                    && pressed == released
                {
                    self.press(pressed.what, ctx);
                }
            }
            _ => {}
        }
    }

    /// Handles a press outside the key hints.
    fn press_at(&mut self, column: u16, row: u16, ctx: Ctx<'_>) {
        let count = self.clicks.press((column, row), ctx.at);
        let is_free = self.overlays.is_empty();
        self.held_border = self.arrangement.border_at(column, row).filter(|_| is_free);
        let is_taken = self.held_border.is_some() || self.click_in_text(column, row, count);
        if is_free && !is_taken && !self.start_selection(column, row, count, ctx) {
            self.click(column, row);
        }
    }

    fn wheel(&mut self, column: u16, row: u16, rows: isize, ctx: Ctx<'_>) {
        self.repeated_find = None;
        if !self.overlays.is_empty() {
            // In a list a step would choose something else.
            self.pass(ctx, |top, ctx, panes| {
                if top.properties().is_only_read { top.step(rows, ctx, panes) } else { Vec::new() }
            });
        } else if let Some(pane) = self.arrangement.pane_at(column, row) {
            self.scroll(pane, rows, ctx);
        }
    }

    pub(super) fn click(&mut self, column: u16, row: u16) {
        if let Some(tab) = hit(&self.hits.tabs, column, row) {
            self.tab(tab.what);
        } else if let Some(prompt) = hit(&self.hits.prompts, column, row) {
            self.suggested = prompt.what;
            self.take_suggestion();
        } else if let Some(pane) = self.arrangement.pane_at(column, row) {
            self.panes.focus = pane;
            // A click on a block's line in the conversation opens the block.
            if let Some(block) = self.panes.chat.block_at(column, row).filter(|_| pane == Pane::Chat) {
                self.open_block(block);
            }
        }
    }

    /// Carries out a clicked key hint; it passes the same guard as its key.
    fn press(&mut self, action: Action, ctx: Ctx<'_>) {
        self.follow.key(ctx.at);
        let class = self.class(ctx.state, action);
        match self.guard.click(class, ctx.at) {
            KeyOutcome::Pass => self.act(action, ctx),
            KeyOutcome::Refused(why) => self.tell_of_block(why.to_string()),
            KeyOutcome::Held | KeyOutcome::Word { .. } => {}
        }
    }
}
