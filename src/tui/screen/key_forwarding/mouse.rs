//! Passes mouse events on the screen of a program that has the keys and asked for the mouse, encoded as xterm
//! does. Everywhere else, and for all other programs, sayso handles the mouse.

use super::{Ctx, Screen};
use crate::domain::MouseReports;
use crate::tui::paint::screen;
use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

impl Screen {
    /// Handles a mouse event if it belongs to the program; returns whether it does, else it is for the screen.
    pub(in crate::tui::screen) fn forwarded_mouse(&mut self, event: MouseEvent, ctx: Ctx<'_>) -> bool {
        // A release ends what began on the program's screen, even if the program gets no more events.
        let held = self.forwarding.held_button;
        if matches!(event.kind, MouseEventKind::Up(button) if held == Some(button)) {
            self.forwarding.held_button = None;
        }
        let Some((run, _)) = self.forwarding.to else { return false };
        let runs = ctx.state.terminal().is_some_and(|(there, _)| there == run);
        let is_free = runs && self.overlays.is_empty() && !self.shows_vars();
        let shown = ctx.state.terminal_screen().filter(|shown| shown.mouse != MouseReports::None);
        let output = self.arrangement.output.filter(|_| is_free);
        let (Some(shown), Some(output)) = (shown, output) else { return false };
        let area = output.inner;
        let is_inside = area.contains(Position { x: event.column, y: event.row });
        match event.kind {
            MouseEventKind::Up(button) | MouseEventKind::Drag(button) if held != Some(button) => {
                return false;
            }
            MouseEventKind::Up(_) | MouseEventKind::Drag(_) => {}
            _ if !is_inside || area.is_empty() => return false,
            _ => {}
        }
        if let MouseEventKind::Down(button) = event.kind {
            self.guard.pressed(false, ctx.at);
            (self.note, self.forwarding.held_button) = (None, Some(button));
        }
        // A drag out of the program's screen is reported at its edge.
        let column = event.column.clamp(area.x, area.right().saturating_sub(1)) - area.x;
        let row = event.row.clamp(area.y, area.bottom().saturating_sub(1)) - area.y;
        let place = (column, row.saturating_add(screen::rows_above(shown, area.height)));
        let bytes = mouse_report(event, place, shown.mouse, shown.mouse_in_numbers);
        self.into_terminal(run, bytes, ctx.state);
        true
    }
}

/// Encodes a mouse event at this column and row; empty if the program did not ask for such events.
fn mouse_report(event: MouseEvent, place: (u16, u16), wanted: MouseReports, in_numbers: bool) -> Vec<u8> {
    let button = |button| match button {
        MouseButton::Left => 0,
        MouseButton::Middle => 1,
        MouseButton::Right => 2,
    };
    let (code, least) = match event.kind {
        MouseEventKind::Down(pressed) => (button(pressed), MouseReports::Presses),
        MouseEventKind::Up(released) => (button(released), MouseReports::Buttons),
        MouseEventKind::ScrollUp => (64, MouseReports::Buttons),
        MouseEventKind::ScrollDown => (65, MouseReports::Buttons),
        MouseEventKind::ScrollLeft => (66, MouseReports::Buttons),
        MouseEventKind::ScrollRight => (67, MouseReports::Buttons),
        MouseEventKind::Drag(held) => (32 + button(held), MouseReports::Drags),
        // Moves without a pressed button are never reported, even to programs that ask for all moves.
        MouseEventKind::Moved => return Vec::new(),
    };
    if wanted < least {
        return Vec::new();
    }
    let held = |modifier, bit: u8| u8::from(event.modifiers.contains(modifier)) * bit;
    let modifiers =
        held(KeyModifiers::SHIFT, 4) + held(KeyModifiers::ALT, 8) + held(KeyModifiers::CONTROL, 16);
    // The oldest protocol has no modifiers.
    let code = if wanted == MouseReports::Presses { code } else { code + modifiers };
    let (column, row) = (place.0.saturating_add(1), place.1.saturating_add(1));
    let is_up = matches!(event.kind, MouseEventKind::Up(_));
    if in_numbers {
        return format!("\x1b[<{code};{column};{row}{}", if is_up { 'm' } else { 'M' }).into_bytes();
    }
    // The byte encoding can't name the released button, nor positions that are too far right or down.
    let code = if is_up { 3 + modifiers } else { code };
    let byte = |number: u16| u8::try_from(number).ok().and_then(|number| number.checked_add(32));
    match (byte(column), byte(row)) {
        (Some(column), Some(row)) => vec![0x1b, b'[', b'M', code + 32, column, row],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEFT: MouseButton = MouseButton::Left;

    fn said(kind: MouseEventKind, place: (u16, u16), wanted: MouseReports, in_numbers: bool) -> String {
        let modifiers = KeyModifiers::CONTROL;
        let event = MouseEvent { kind, column: 0, row: 0, modifiers };
        String::from_utf8_lossy(&mouse_report(event, place, wanted, in_numbers)).into_owned()
    }

    #[test]
    fn events_are_told_as_xterm_tells_them() {
        use MouseReports::{Buttons, Drags, Moves, Presses};
        let (down, up, drag) =
            (MouseEventKind::Down(LEFT), MouseEventKind::Up(LEFT), MouseEventKind::Drag(LEFT));
        assert_eq!(said(down, (4, 2), Buttons, true), "\x1b[<16;5;3M");
        assert_eq!(said(up, (4, 2), Buttons, true), "\x1b[<16;5;3m");
        assert_eq!(said(drag, (300, 2), Drags, true), "\x1b[<48;301;3M");
        assert_eq!(said(MouseEventKind::ScrollDown, (0, 0), Buttons, true), "\x1b[<81;1;1M");
        assert_eq!(said(drag, (0, 0), Moves, true), "\x1b[<48;1;1M");
        assert_eq!(said(down, (4, 2), Presses, false), "\x1b[M %#");
        assert_eq!(said(down, (4, 2), Buttons, false), "\x1b[M0%#");
        assert_eq!(said(up, (4, 2), Buttons, false), "\x1b[M3%#");
    }

    #[test]
    fn nothing_is_told_that_was_not_asked_for_or_has_no_room() {
        use MouseReports::{Buttons, Drags, Moves, None, Presses};
        let (down, up, drag) =
            (MouseEventKind::Down(LEFT), MouseEventKind::Up(LEFT), MouseEventKind::Drag(LEFT));
        let moved = MouseEventKind::Moved;
        for (kind, wanted) in [(down, None), (up, Presses), (drag, Buttons), (moved, Drags), (moved, Moves)] {
            assert_eq!(said(kind, (0, 0), wanted, true), "");
        }
        assert_eq!(said(down, (222, 0), Buttons, false).chars().count(), 6);
        assert_eq!(said(down, (223, 0), Buttons, false), "");
    }
}
