//! Redraws one row of the terminal that differs from the next frame: its changed cells, all of them, or the row after it
//! was erased.

use super::super::sgr::SgrPen;
use super::CellDiff;
use crate::tui::paint::glyphs;
use ratatui::buffer::Cell;
use ratatui::layout::Position;

/// How a changed row is redrawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowUpdate {
    /// Only the changed cells.
    Cells,
    /// All cells: what a terminal leaves of a half-overwritten wide character is undefined.
    AllCells,
    /// All cells, after erasing the row: only that removes characters that the terminal drew at other columns
    /// than assumed.
    Erased,
}

impl RowUpdate {
    /// Chooses the update for a row, from its old and new cells.
    fn of(shown: &[Cell], next: &[Cell]) -> Self {
        let mut update = Self::Cells;
        for symbol in shown.iter().chain(next).map(Cell::symbol).filter(|symbol| symbol.len() > 2) {
            if is_uncertain(symbol) {
                return Self::Erased;
            }
            if glyphs::width(symbol) > 1 {
                update = Self::AllCells;
            }
        }
        update
    }
}

/// Whether terminals may disagree about the width of a character: clusters of several code points, and emoji or
/// symbols.
fn is_uncertain(symbol: &str) -> bool {
    let mut chars = symbol.chars();
    let first = chars.next().unwrap_or(' ');
    chars.next().is_some() || matches!(u32::from(first), 0x2190..0x2500 | 0x25a0..0x2c00 | 0x1f000..)
}

impl CellDiff {
    /// Redraws a row that differs from column `first` on. Returns whether all of its cells were written.
    pub(super) fn row(&mut self, y: u16, first: usize, shown: &[Cell], next: &[Cell]) -> bool {
        let update = RowUpdate::of(shown, next);
        if update == RowUpdate::Erased && !self.unknown {
            self.erase_row(y);
        }
        let first = if update == RowUpdate::Cells { first } else { 0 };
        let mut hidden = 0;
        for (x, (shown, next)) in (0u16..).zip(shown.iter().zip(next)).skip(first) {
            if hidden > 0 {
                hidden -= 1;
                continue;
            }
            if update != RowUpdate::Cells {
                hidden = glyphs::width(next.symbol()).saturating_sub(1);
            } else if shown == next {
                continue;
            }
            self.cell(x, y, next);
        }
        update != RowUpdate::Cells
    }

    fn cell(&mut self, x: u16, y: u16, cell: &Cell) {
        self.go_to(x, y);
        self.change_pen(SgrPen::of(cell));
        let symbol = cell.symbol();
        self.out.extend_from_slice(symbol.as_bytes());
        // Only the width of ASCII characters is certain, and not in the last column.
        let certain = symbol.len() == 1 && x + 1 < self.size.0;
        self.at = certain.then_some(Position { x: x + 1, y });
    }

    pub(super) fn erase_row(&mut self, y: u16) {
        self.change_pen(SgrPen::RESET);
        self.go_to(0, y);
        self.out.extend_from_slice(b"\x1b[K");
    }
}
