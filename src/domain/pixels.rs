//! A picture as plain pixels. Pure.

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
