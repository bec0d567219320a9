//! A picture as plain pixels, or why there are none. Pure.

use std::fmt;
use std::ops::Range;

/// The longest side of a picture that is decoded for drawing, in pixels.
pub(crate) const LONGEST_SIDE: u32 = 1024;

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

    /// The same with other sides: the mean of what falls into a pixel, of which what is transparent has no colour; or pixels
    /// repeated.
    #[must_use]
    pub fn resized(&self, width: u32, height: u32) -> Self {
        let from = |at: u32, to: u32, of: u32| (u64::from(at) * u64::from(of) / u64::from(to.max(1))) as u32;
        let mut rgba = Vec::with_capacity(4 * width as usize * height as usize);
        for y in 0..height {
            let rows = from(y, height, self.height)..from(y + 1, height, self.height);
            for x in 0..width {
                let columns = from(x, width, self.width)..from(x + 1, width, self.width);
                rgba.extend(self.mean(columns, rows.clone()));
            }
        }
        Self { width, height, rgba }
    }

    /// The mean of a part; of an empty one, its first pixel.
    fn mean(&self, columns: Range<u32>, rows: Range<u32>) -> [u8; 4] {
        let columns = columns.start..columns.end.max(columns.start + 1);
        let rows = rows.start..rows.end.max(rows.start + 1);
        let (mut sums, mut opacity, mut count) = ([0u64; 3], 0u64, 0u64);
        for [r, g, b, a] in rows.flat_map(|y| columns.clone().filter_map(move |x| self.at(x, y))) {
            for (sum, part) in sums.iter_mut().zip([r, g, b]) {
                *sum += u64::from(part) * u64::from(a);
            }
            opacity += u64::from(a);
            count += 1;
        }
        let [r, g, b] = sums.map(|sum| sum.checked_div(opacity).unwrap_or(0) as u8);
        [r, g, b, opacity.checked_div(count).unwrap_or(0) as u8]
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
    /// Its bytes break off, or are none of a picture of its kind.
    Broken,
    /// It is gone, or nothing is known of it.
    Unknown,
}

impl fmt::Display for UndrawnReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UndrawnReason::Off => "not drawn: images are off",
            UndrawnReason::TooLarge => "not drawn: it is too large",
            UndrawnReason::MoreThanShapes => "not drawn: it holds more than shapes",
            UndrawnReason::TooSlow => "not drawn: it took too long",
            UndrawnReason::Broken => "not drawn: it is broken or cut off",
            UndrawnReason::Unknown => "not drawn",
        })
    }
}
