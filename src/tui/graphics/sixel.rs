//! Encodes a picture in sixels: 216 fixed colours, dithered. Pixels that are not opaque are left out.
//!
//! It is hand-written because the maintained encoders each bring a colour quantizer that is larger than this
//! module; for charts the fixed colours are enough. The format: DEC, "VT330/VT340 Programmer Reference Manual",
//! chapter 14.

use crate::domain::Pixels;
use crate::tui::paint::image::dither;
use std::io::Write as _;

/// Levels of each of red, green and blue.
const STEPS: u32 = 6;
const COLOURS: usize = 216;
/// Rows of a band.
const BAND_ROWS: u32 = 6;

pub(super) fn encode(picture: &Pixels) -> Vec<u8> {
    let (width, height) = (picture.width(), picture.height());
    let mut out = Vec::new();
    // Writing to a vector can't fail.
    let _ = write!(out, "\x1bP0;1;0q\"1;1;{width};{height}");
    for colour in 0..COLOURS as u32 {
        let part = |of: u32| of % STEPS * 100 / (STEPS - 1);
        let (red, green, blue) = (part(colour / (STEPS * STEPS)), part(colour / STEPS), part(colour));
        let _ = write!(out, "#{colour};2;{red};{green};{blue}");
    }
    for top in (0..height).step_by(BAND_ROWS as usize) {
        band(picture, top, &mut out);
    }
    out.extend_from_slice(b"\x1b\\");
    out
}

/// Encodes six rows: one colour after the other, each column as the bits of its rows.
fn band(picture: &Pixels, top: u32, out: &mut Vec<u8>) {
    let width = picture.width() as usize;
    let mut bits: Vec<Option<Vec<u8>>> = vec![None; COLOURS];
    for (row, y) in (top..(top + BAND_ROWS).min(picture.height())).enumerate() {
        for x in 0..picture.width() {
            let Some(colour) = picture.at(x, y).and_then(|pixel| colour(pixel, x, y)) else { continue };
            if let Some(bits) = bits.get_mut(colour).map(|bits| bits.get_or_insert_with(|| vec![0; width]))
                && let Some(column) = bits.get_mut(x as usize)
            {
                *column |= 1 << row;
            }
        }
    }
    for (colour, bits) in bits.iter().enumerate().filter_map(|(colour, bits)| Some((colour, bits.as_ref()?)))
    {
        let _ = write!(out, "#{colour}");
        for run in bits.chunk_by(|one, other| one == other) {
            let sign = char::from(b'?' + run.first().copied().unwrap_or_default());
            let _ = match run.len() {
                1..=3 => run.iter().try_for_each(|_| write!(out, "{sign}")),
                many => write!(out, "!{many}{sign}"),
            };
        }
        out.push(b'$');
    }
    out.push(b'-');
}

/// The nearest colour, dithered; `None`: the pixel is not opaque.
fn colour([red, green, blue, opacity]: [u8; 4], x: u32, y: u32) -> Option<usize> {
    let threshold = u32::from(dither(x, y));
    // In sixteenths of a level.
    let step = |part: u8| (u32::from(part) * (STEPS - 1) * 16 / 255 + threshold) / 16;
    let step = |part: u8| step(part).min(STEPS - 1) as usize;
    (opacity >= 128).then(|| (step(red) * STEPS as usize + step(green)) * STEPS as usize + step(blue))
}
