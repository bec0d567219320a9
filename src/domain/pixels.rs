//! A picture as plain pixels, or why there are none. Pure.

use std::fmt;

/// A picture: red, green, blue and opacity of each pixel, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    width: u32,
    height: u32,
    rgba: Vec<u8>,
}

impl Pixels {
    /// A picture of these bytes; `None` where they are not four for each pixel.
    pub fn new(width: u32, height: u32, rgba: Vec<u8>) -> Option<Self> {
        let wanted = 4u64.checked_mul(width.into())?.checked_mul(height.into())?;
        (wanted == rgba.len() as u64).then_some(Self { width, height, rgba })
    }

    /// Pixels of a line.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Lines of the picture.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Red, green, blue and opacity of each pixel, line by line from the top.
    pub fn bytes(&self) -> &[u8] {
        &self.rgba
    }

    /// The bytes of one pixel; `None` outside.
    pub fn at(&self, x: u32, y: u32) -> Option<[u8; 4]> {
        if x >= self.width || y >= self.height {
            return None;
        }
        let at = 4 * (y as usize * self.width as usize + x as usize);
        self.rgba.get(at..at + 4)?.try_into().ok()
    }
}

/// Why a picture is not drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndrawnReason {
    /// None are (`images = off`).
    Off,
    /// Its file, its sides or its number of parts are beyond what is decoded.
    TooLarge,
    /// A drawing that would be drawn in part alone.
    MoreThanShapes,
    /// Decoding it did not end in time.
    TooSlow,
    /// It is broken, is gone, or nothing is known of it.
    Unknown,
}

impl fmt::Display for UndrawnReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UndrawnReason::Off => "not drawn: images are off",
            UndrawnReason::TooLarge => "not drawn: it is too large",
            UndrawnReason::MoreThanShapes => "not drawn: it holds more than shapes",
            UndrawnReason::TooSlow => "not drawn: it took too long",
            UndrawnReason::Unknown => "not drawn",
        })
    }
}
