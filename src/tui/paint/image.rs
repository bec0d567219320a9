//! Draws pictures as rows of half blocks: each cell shows two pixels, one above the other. Called on a worker.
//!
//! A confined process decoded and scaled the pixels before; transparent pixels show the background of the
//! terminal.

use crate::domain::Pixels;
use crate::tui::theme::{Depth, Rgb};
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};

/// Thresholds of an ordered dither.
const DITHER: [[u8; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];

/// Draws pixels, two in a cell.
pub(crate) fn half_blocks(picture: &Pixels, depth: Depth) -> Vec<Line<'static>> {
    let dark_on_light = depth == Depth::Mono && mean(picture) > 0.5;
    (0..picture.height()).step_by(2).map(|y| row(picture, y, depth, dark_on_light)).collect()
}

/// The mean luminance of the pixels that are not transparent.
fn mean(picture: &Pixels) -> f64 {
    let (sum, count) = picture
        .bytes()
        .chunks_exact(4)
        .filter_map(|pixel| opaque(pixel.try_into().ok()?))
        .fold((0.0, 0u32), |(sum, count), rgb| (sum + rgb.luminance(), count + 1));
    sum / f64::from(count.max(1))
}

fn opaque([r, g, b, a]: [u8; 4]) -> Option<Rgb> {
    (a >= 128).then_some(Rgb(r, g, b))
}

fn row(picture: &Pixels, y: u32, depth: Depth, dark_on_light: bool) -> Line<'static> {
    let mut spans: Vec<Span<'static>> = Vec::new();
    for x in 0..picture.width() {
        let at = |y: u32| picture.at(x, y).and_then(opaque);
        let (upper, lower) = (at(y), at(y + 1));
        let (glyph, style) = if depth == Depth::Mono {
            let ink = |rgb: Option<Rgb>, y: u32| rgb.is_some_and(|rgb| has_ink(rgb, x, y, dark_on_light));
            (half_block(ink(upper, y), ink(lower, y + 1)), Style::new())
        } else {
            cell(upper.and_then(|rgb| rgb.at(depth)), lower.and_then(|rgb| rgb.at(depth)))
        };
        match spans.last_mut() {
            Some(last) if last.style == style => last.content.to_mut().push(glyph),
            _ => spans.push(Span::styled(glyph.to_string(), style)),
        }
    }
    Line::from(spans)
}

/// Whether a pixel is drawn on a terminal without colours.
fn has_ink(rgb: Rgb, x: u32, y: u32, dark_on_light: bool) -> bool {
    let luminance = rgb.luminance().sqrt();
    let amount = if dark_on_light { 1.0 - luminance } else { luminance };
    amount > (f64::from(dither(x, y)) + 0.5) / 16.0
}

/// The threshold of a pixel in an ordered dither, in sixteenths.
pub(crate) fn dither(x: u32, y: u32) -> u8 {
    DITHER.get(y as usize % 4).and_then(|row| row.get(x as usize % 4)).copied().unwrap_or_default()
}

fn half_block(upper: bool, lower: bool) -> char {
    match (upper, lower) {
        (true, true) => '█',
        (true, false) => '▀',
        (false, true) => '▄',
        (false, false) => ' ',
    }
}

fn cell(upper: Option<Color>, lower: Option<Color>) -> (char, Style) {
    match (upper, lower) {
        (None, None) => (' ', Style::new()),
        (Some(one), Some(other)) if one == other => ('█', Style::new().fg(one)),
        (Some(upper), Some(lower)) => ('▀', Style::new().fg(upper).bg(lower)),
        (Some(upper), None) => ('▀', Style::new().fg(upper)),
        (None, Some(lower)) => ('▄', Style::new().fg(lower)),
    }
}

#[cfg(test)]
mod tests;
