//! The screen of a run's own terminal at one moment: what its program painted, and how it wants its keys.
//!
//! Everything in it came from the program: cells are text from outside, to be made safe by whoever draws them.

use super::Pen;
use std::sync::Arc;

/// One cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScreenCell {
    /// Its character; a space where there is none.
    pub character: char,
    /// Marks on it, few.
    pub marks: Option<Box<str>>,
    /// Its columns, 1 or 2; 0 in the cell behind a wide one, which belongs to that.
    pub width: u8,
    /// Its look.
    pub pen: Pen,
}

impl ScreenCell {
    /// Nothing, on what is behind this pen.
    pub fn blank(pen: Pen) -> Self {
        Self { character: ' ', marks: None, width: 1, pen: pen.erased() }
    }
}

/// One row, shared with later screens on which it is the same.
pub type ScreenRow = Arc<Vec<ScreenCell>>;

/// Which events of the mouse a program wants to be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum MouseReports {
    /// None: they are not its own.
    #[default]
    None,
    /// A button that goes down.
    Presses,
    /// Also one that goes up, and the wheel.
    Buttons,
    /// Also where the mouse goes with a button down.
    Drags,
    /// Also where it goes without one.
    Moves,
}

/// The screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TerminalScreen {
    /// Its rows, all of the same length, from the top.
    pub rows: Vec<ScreenRow>,
    /// Row and column of the cursor; `None` where the program hides it.
    pub cursor: Option<(u16, u16)>,
    /// Whether it is the screen of a program that paints all of it, behind which the lines wait.
    pub is_alternate: bool,
    /// Whether the program wants the arrows as those of an application.
    pub application_cursor: bool,
    /// Whether the program wants to be told where a paste begins and ends.
    pub bracketed_paste: bool,
    /// What of the mouse it wants to be told.
    pub mouse: MouseReports,
    /// Whether it wants that in numbers, and not in single bytes, in which far columns have no room.
    pub mouse_in_numbers: bool,
}
