//! Carries out what a program sends to its terminal, as xterm would: text, cursor movement, colours, the alternate
//! screen, modes. Pure.
//!
//! Sequences for titles, the clipboard, links, notifications and images are ignored. Requests for mouse reports are
//! stored, for the front end. What a program asks the terminal is answered with a few fixed texts that contain nothing
//! the program wrote.

use super::grid::erasure::EraseRange;
use super::state::TerminalState;
use crate::domain::{MouseReports, Pen};
use vte::{Params, Perform};

/// The characters from `_` on in the line-drawing set.
const LINE_DRAWING: &str = " ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·";

impl TerminalState {
    /// Sets a private mode (a sequence with `?`).
    fn private_mode(&mut self, mode: u16, on: bool) {
        match mode {
            1 => self.application_cursor = on,
            6 => {
                self.from_region = on;
                self.grid().address(0, 0, on);
            }
            7 => self.wraps = on,
            9 | 1000 | 1002 | 1003 => {
                let wanted = match mode {
                    9 => MouseReports::Presses,
                    1000 => MouseReports::Buttons,
                    1002 => MouseReports::Drags,
                    _ => MouseReports::Moves,
                };
                self.mouse = if on { wanted } else { MouseReports::None };
            }
            25 => self.hides_cursor = !on,
            47 => self.switch(on),
            1006 => self.mouse_in_numbers = on,
            1047 if on => self.enter(),
            1047 => self.switch(false),
            1048 if on => self.save_cursor(),
            1048 => self.restore_cursor(),
            1049 if on => {
                if !self.is_alternate {
                    self.save_cursor();
                }
                self.enter();
            }
            1049 => {
                let was_alternate = self.is_alternate;
                self.switch(false);
                if was_alternate {
                    self.restore_cursor();
                }
            }
            2004 => self.bracketed_paste = on,
            _ => {}
        }
    }

    /// Carries out a sequence that moves, writes or erases, given its last byte and its first two parameters.
    fn edit(&mut self, action: char, (first, second): (u16, u16)) {
        let (pen, alike) = (self.pen, usize::from(first.max(1)));
        let by = isize::from(i16::try_from(first.max(1)).unwrap_or(i16::MAX));
        let (last, from_region) = (self.last, self.from_region);
        if let 'I' | 'Z' | 'g' = action {
            return self.tab_stop(action, first);
        }
        let grid = self.grid();
        let (row, column) = grid.cursor();
        match action {
            '@' | 'P' => grid.shift_cells(alike, pen, action == 'P'),
            'A' => grid.go_down(-by),
            'B' | 'e' => grid.go_down(by),
            'C' | 'a' => grid.go_right(by),
            'D' => grid.go_right(-by),
            'E' | 'F' => {
                grid.go_down(if action == 'E' { by } else { -by });
                let (row, _) = grid.cursor();
                grid.go_to(row, 0);
            }
            'G' | '`' => grid.go_to(row, alike - 1),
            'H' | 'f' => grid.address(alike - 1, usize::from(second.max(1)) - 1, from_region),
            'J' => {
                if let Some(part) = EraseRange::of(first) {
                    grid.erase_on_screen(part, pen);
                }
            }
            'K' => {
                if let Some(part) = EraseRange::of(first) {
                    grid.erase_in_row(part, pen);
                }
            }
            'L' | 'M' => grid.shift_rows(alike, pen, action == 'M'),
            'S' | 'T' => grid.scroll(alike, pen, action == 'S'),
            'X' => grid.erase_cells(alike, pen),
            // Repetitions beyond the width of a row are cut.
            'b' => {
                let most = grid.rows().first().map_or(0, |row| row.len());
                let again = last.into_iter().cycle().take(alike.min(most));
                again.for_each(|c| self.write(c));
            }
            'd' => grid.address(alike - 1, column, from_region),
            'r' => {
                let bottom = if second == 0 { usize::MAX } else { usize::from(second) };
                if grid.set_region(alike - 1, bottom - 1) {
                    grid.address(0, 0, from_region);
                }
            }
            _ => {}
        }
    }

    /// Moves to tab stops, or clears them.
    fn tab_stop(&mut self, action: char, first: u16) {
        let (row, column) = self.grid().cursor();
        let count = usize::from(first.max(1));
        let to = match (action, first) {
            ('I', _) => self.stops.after(column, count),
            ('Z', _) => self.stops.before(column, count),
            (_, 0) => return self.stops.clear(column),
            (_, 3) => return self.stops.clear_all(),
            _ => return,
        };
        self.grid().go_to(row, to);
    }
}

impl Perform for TerminalState {
    fn print(&mut self, c: char) {
        let draws = self.draws_lines.get(self.set).copied().unwrap_or_default();
        let drawn = u32::from(c).checked_sub(u32::from('_')).filter(|_| draws);
        let drawn = drawn.and_then(|at| LINE_DRAWING.chars().nth(usize::try_from(at).ok()?));
        self.write(drawn.unwrap_or(c));
    }

    fn execute(&mut self, byte: u8) {
        let pen = self.pen;
        match byte {
            0x08 => self.grid().go_right(-1),
            0x09 => self.tab_stop('I', 1),
            0x0a..=0x0c => self.grid().line_feed(pen),
            0x0d => {
                let (row, _) = self.grid().cursor();
                self.grid().go_to(row, 0);
            }
            0x0e => self.set = 1,
            0x0f => self.set = 0,
            _ => {}
        }
    }

    fn esc_dispatch(&mut self, intermediates: &[u8], ignore: bool, byte: u8) {
        let pen = self.pen;
        match (intermediates, byte) {
            _ if ignore => {}
            ([b'('], byte) => self.draws_lines[0] = byte == b'0',
            ([b')'], byte) => self.draws_lines[1] = byte == b'0',
            ([], b'7') => self.save_cursor(),
            ([], b'8') => self.restore_cursor(),
            ([], b'D') => self.grid().line_feed(pen),
            ([], b'E') => {
                self.execute(b'\r');
                self.grid().line_feed(pen);
            }
            ([], b'H') => {
                let (_, column) = self.grid().cursor();
                self.stops.set(column);
            }
            ([], b'M') => self.grid().reverse_line_feed(pen),
            ([], b'c') => self.reset(),
            _ => {}
        }
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], ignore: bool, action: char) {
        if ignore {
            return;
        }
        let mut numbers = params.iter().map(|group| group.first().copied().unwrap_or(0));
        match (intermediates, action) {
            ([], 'm') => self.pen.obey(&parameters(params)),
            ([], 's') => self.save_cursor(),
            ([], 'u') => self.restore_cursor(),
            ([], 'h' | 'l') => {
                if numbers.any(|mode| mode == 4) {
                    self.inserts = action == 'h';
                }
            }
            ([], 'c') => self.answer("\x1b[?62;22c"),
            ([b'>'], 'c') => self.answer("\x1b[>0;0;0c"),
            ([], 'n') => match numbers.next() {
                Some(5) => self.answer("\x1b[0n"),
                Some(6) => {
                    let from_region = self.from_region;
                    let (row, column) = self.grid().addressed(from_region);
                    self.answer(&format!("\x1b[{};{}R", row + 1, column + 1));
                }
                _ => {}
            },
            ([b'?'], 'h' | 'l') => numbers.for_each(|mode| self.private_mode(mode, action == 'h')),
            ([b'!'], 'p') => {
                (self.inserts, self.wraps, self.hides_cursor) = (false, true, false);
                (self.application_cursor, self.pen, self.draws_lines) = (false, Pen::default(), [false; 2]);
                self.from_region = false;
            }
            ([], action) | ([b'?'], action @ ('J' | 'K')) => {
                let first = numbers.next().unwrap_or(0);
                self.edit(action, (first, numbers.next().unwrap_or(0)));
            }
            _ => {}
        }
    }

    fn terminated(&self) -> bool {
        self.switched
    }
}

/// The parameters as text.
fn parameters(params: &Params) -> Vec<u8> {
    let group = |group: &[u16]| group.iter().map(u16::to_string).collect::<Vec<_>>().join(":");
    params.iter().map(group).collect::<Vec<_>>().join(";").into_bytes()
}
