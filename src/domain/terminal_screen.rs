//! The screen of a run's own terminal at one moment: its cells, and which kinds of input the program wants.
//!
//! All of it came from the program: cells are text from outside, which the drawing code has to make safe.

use super::Pen;
use std::sync::Arc;

/// One cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScreenCell {
    /// Its character; a space where there is none.
    pub character: char,
    /// Combining marks on it, a bounded number.
    pub marks: Option<Box<str>>,
    /// Its columns: 1 or 2; 0 for the cell covered by the wide character before it.
    pub width: u8,
    /// Its look.
    pub pen: Pen,
}

impl ScreenCell {
    /// An empty cell with the background of this pen.
    pub fn blank(pen: Pen) -> Self {
        Self { character: ' ', marks: None, width: 1, pen: pen.erased() }
    }
}

/// One row, shared with later screens as long as it does not change.
pub type ScreenRow = Arc<Vec<ScreenCell>>;

/// Which mouse events a program wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum MouseReports {
    /// None.
    #[default]
    None,
    /// Button presses.
    Presses,
    /// Also button releases, and the wheel.
    Buttons,
    /// Also movements with a button pressed.
    Drags,
    /// Also movements without a button.
    Moves,
}

/// The content of the terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TerminalScreen {
    /// Its rows, all of the same length, from the top.
    pub rows: Vec<ScreenRow>,
    /// Row and column of the cursor; `None` where the program hides it.
    pub cursor: Option<(u16, u16)>,
    /// Whether this is the alternate screen, as used by full-screen programs.
    pub is_alternate: bool,
    /// Whether the program wants the arrow keys in application mode.
    pub application_cursor: bool,
    /// Whether the program wants pastes to be marked (bracketed paste).
    pub bracketed_paste: bool,
    /// Which mouse events the program wants.
    pub mouse: MouseReports,
    /// Whether it wants mouse positions as decimal numbers. In the other format, single bytes, far columns can't be
    /// expressed.
    pub mouse_in_numbers: bool,
}
