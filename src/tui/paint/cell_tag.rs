//! Tags a cell with the number of its link, or of its picture's row, for the writer.
//!
//! A cell has no field for such a number. It is in the underline colour, which nothing else uses and which is never
//! written to the terminal.

use ratatui::style::{Color, Style};

/// The number that a cell carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CellTag(u32);

impl CellTag {
    /// Numbers below this one belong to links, all others to rows of pictures.
    pub(crate) const FIRST_PICTURE: u32 = 1 << 23;

    pub(crate) fn new(number: u32) -> Self {
        Self(number)
    }

    /// The tag of a cell with this underline colour.
    pub(crate) fn of(underline: Color) -> Option<Self> {
        match underline {
            Color::Rgb(r, g, b) => Some(Self(u32::from_be_bytes([0, r, g, b]))),
            _ => None,
        }
    }

    /// The style that puts the tag on a cell.
    pub(crate) fn style(self) -> Style {
        let [_, r, g, b] = self.0.to_be_bytes();
        Style::new().underline_color(Color::Rgb(r, g, b))
    }

    pub(crate) fn link(self) -> Option<u32> {
        Some(self.0).filter(|number| *number < Self::FIRST_PICTURE)
    }

    /// The number of the picture's row.
    pub(crate) fn picture(self) -> Option<u32> {
        Some(self.0).filter(|number| *number >= Self::FIRST_PICTURE)
    }
}
