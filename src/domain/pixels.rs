//! A picture as plain pixels, or the reason why it is not drawn. Pure.

use std::fmt;

/// The longest side of a picture that is decoded for drawing, in pixels.
pub(crate) const MAX_SIDE: u32 = 1024;

/// A picture: red, green, blue and opacity of each pixel, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    width: u32,
    height: u32,
    rgba: Vec<u8>,
}

impl Pixels {
    /// `None` unless there are four bytes for each pixel.
    pub(crate) fn new(width: u32, height: u32, rgba: Vec<u8>) -> Option<Self> {
        let wanted = 4u64.checked_mul(width.into())?.checked_mul(height.into())?;
        (wanted == rgba.len() as u64).then_some(Self { width, height, rgba })
    }

    /// The width in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The height in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Red, green, blue and opacity of each pixel, line by line from the top.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.rgba
    }

    /// A copy of another size: each pixel is the mean of the area it covers, where transparent pixels have no colour.
    #[must_use]
    pub(crate) fn resized(&self, width: u32, height: u32) -> Self {
        let mut rgba = Vec::with_capacity(4 * width as usize * height as usize);
        for y in 0..height {
            for x in 0..width {
                rgba.extend(self.mean((x, width), (y, height)));
            }
        }
        Self { width, height, rgba }
    }

    /// The mean of one part, if the picture is divided into so many equal columns and rows.
    fn mean(&self, (column, columns): (u32, u32), (row, rows): (u32, u32)) -> [u8; 4] {
        let (mut sums, mut opacity, mut whole) = ([0u64; 3], 0u64, 0u64);
        for (y, height) in covered_pixels(row, rows, self.height) {
            for (x, width) in covered_pixels(column, columns, self.width) {
                let Some([colours @ .., own]) = self.at(x, y) else { continue };
                let seen = width * height * u64::from(own);
                for (sum, part) in sums.iter_mut().zip(colours) {
                    *sum += u64::from(part) * seen;
                }
                opacity += seen;
                whole += width * height;
            }
        }
        let [r, g, b] = sums.map(|sum| mean(sum, opacity));
        [r, g, b, mean(opacity, whole)]
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

/// The pixels that one of `parts` equal parts of a line covers, each with a weight.
fn covered_pixels(part: u32, parts: u32, pixels: u32) -> impl Iterator<Item = (u32, u64)> {
    let (parts, pixels) = (u64::from(parts.max(1)), u64::from(pixels));
    let (from, to) = (u64::from(part) * pixels, (u64::from(part) + 1) * pixels);
    (from / parts..to.div_ceil(parts)).map(move |pixel| {
        let seen = to.min((pixel + 1) * parts) - from.max(pixel * parts);
        (pixel as u32, seen)
    })
}

/// A sum of bytes over their weight, rounded.
fn mean(sum: u64, weight: u64) -> u8 {
    (sum + weight / 2).checked_div(weight).unwrap_or(0) as u8
}

/// Why a picture is not drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndrawnReason {
    /// Drawing is switched off (`images = off`).
    Off,
    /// Its file, its size or its number of parts exceeds what is decoded.
    TooLarge,
    /// A drawing that could only be drawn in part.
    MoreThanShapes,
    /// Decoding took too long.
    TooSlow,
    /// Its bytes are truncated, or don't form a picture of its kind.
    Broken,
    /// The file no longer exists, or nothing is known of it.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn line(pixels: &[[u8; 4]]) -> Pixels {
        Pixels::new(pixels.len() as u32, 1, pixels.concat()).unwrap()
    }

    #[test]
    fn a_larger_one_repeats_no_columns_and_a_smaller_one_leaves_none_out() {
        let grey = |value: u8| [value, value, value, 255];
        let three = line(&[grey(0), grey(120), grey(240)]);
        let values = |pixels: &Pixels| pixels.bytes().chunks(4).map(|pixel| pixel[0]).collect::<Vec<_>>();
        assert_eq!(values(&three.resized(4, 1)), [0, 80, 160, 240]);
        assert_eq!(values(&three.resized(2, 1)), [40, 200]);
        assert_eq!(values(&three.resized(1, 2)), [120, 120]);
        assert_eq!(three.resized(3, 1), three);
        assert_eq!(values(&three.resized(6, 1)), [0, 0, 120, 120, 240, 240]);
        // Transparent pixels have no colour.
        let half = line(&[[200, 0, 0, 0], [0, 100, 0, 255]]);
        assert_eq!(half.resized(1, 1).at(0, 0), Some([0, 100, 0, 128]));
    }

    #[test]
    fn all_of_it_is_covered_once() {
        for (parts, pixels) in [(1, 7), (7, 1), (5, 8), (8, 5), (1024, 1000), (3, 0)] {
            let mut seen = vec![0; pixels as usize];
            for (pixel, part) in (0..parts).flat_map(|part| covered_pixels(part, parts, pixels)) {
                seen[pixel as usize] += part;
            }
            assert!(seen.iter().all(|seen| *seen == u64::from(parts)), "{parts} {pixels}: {seen:?}");
        }
    }
}
