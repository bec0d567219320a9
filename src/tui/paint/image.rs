//! Pictures → rows of half blocks: each cell shows two pixels, one above the other. Slow: called on a worker.
//!
//! The sides of a picture keep their proportion (a cell is one wide and two high), it is never made larger, and what is
//! transparent shows the background of the terminal. Sizes are limited before anything is decoded.

use crate::tui::theme::colour::ansi_color;
use crate::tui::theme::{Depth, Rgb};
use image::imageops::FilterType;
use image::{DynamicImage, ImageFormat, ImageReader, Limits, Rgba, RgbaImage};
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};
use std::io::Cursor;

/// The largest file.
const BYTES: usize = 4 << 20;
/// The longest side, in pixels.
const SIDE: u32 = 4096;
/// What decoding may allocate: a picture of the longest sides in 16 bits a channel.
const MEMORY: u64 = 8 * (SIDE as u64) * (SIDE as u64) + (16 << 20);

/// Thresholds of an ordered dither, for terminals without colours.
const DITHER: [[u8; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];

/// Draws a PNG or JPEG into at most `width` columns and `height` rows.
///
/// # Errors
/// A sentence: too large, broken, or neither PNG nor JPEG.
pub fn half_blocks(
    bytes: &[u8],
    width: u16,
    height: u16,
    depth: Depth,
) -> Result<Vec<Line<'static>>, String> {
    if width == 0 || height == 0 {
        return Ok(Vec::new());
    }
    let picture = fitted(decoded(bytes)?, u32::from(width), 2 * u32::from(height));
    let dark_on_light = depth == Depth::Mono && mean(&picture) > 0.5;
    let rows = (0..picture.height()).step_by(2);
    Ok(rows.map(|y| row(&picture, y, depth, dark_on_light)).collect())
}

fn decoded(bytes: &[u8]) -> Result<DynamicImage, String> {
    if bytes.len() > BYTES {
        return Err("The image file is larger than 4 MB.".into());
    }
    let mut reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|e| format!("The image can't be read: {e}."))?;
    if !matches!(reader.format(), Some(ImageFormat::Png | ImageFormat::Jpeg)) {
        return Err("The file is neither a PNG nor a JPEG image.".into());
    }
    let mut limits = Limits::default();
    limits.max_image_width = Some(SIDE);
    limits.max_image_height = Some(SIDE);
    limits.max_alloc = Some(MEMORY);
    reader.limits(limits);
    reader.decode().map_err(|error| match error {
        image::ImageError::Limits(_) => "The image is larger than 4096 pixels a side.".into(),
        error => format!("The image can't be read: {error}."),
    })
}

/// The picture in at most so many pixels.
fn fitted(picture: DynamicImage, width: u32, height: u32) -> RgbaImage {
    let (w, h) = (picture.width().max(1), picture.height().max(1));
    if w <= width && h <= height {
        return picture.into_rgba8();
    }
    let scale = (f64::from(width) / f64::from(w)).min(f64::from(height) / f64::from(h));
    let side = |pixels: u32, most: u32| ((f64::from(pixels) * scale).round() as u32).clamp(1, most);
    let mut picture = picture.into_rgba8();
    // Colours of transparent pixels must not bleed into their neighbours.
    picture.pixels_mut().filter(|p| p.0[3] < 255).for_each(premultiply);
    // From large pictures a plain mean of blocks first: a wide filter over all pixels would take seconds.
    let (to_w, to_h) = (side(w, width), side(h, height));
    if w > to_w * 4 && h > to_h * 4 {
        picture = image::imageops::thumbnail(&picture, to_w * 2, to_h * 2);
    }
    let mut small = image::imageops::resize(&picture, to_w, to_h, FilterType::CatmullRom);
    small.pixels_mut().filter(|p| p.0[3] < 255).for_each(unmultiply);
    small
}

fn premultiply(pixel: &mut Rgba<u8>) {
    let [r, g, b, a] = pixel.0;
    let part = |v: u8| (u16::from(v) * u16::from(a) / 255) as u8;
    pixel.0 = [part(r), part(g), part(b), a];
}

fn unmultiply(pixel: &mut Rgba<u8>) {
    let [r, g, b, a] = pixel.0;
    let whole = |v: u8| (u16::from(v) * 255 / u16::from(a.max(1))).min(255) as u8;
    pixel.0 = [whole(r), whole(g), whole(b), a];
}

/// The mean luminance of what is not transparent.
fn mean(picture: &RgbaImage) -> f64 {
    let (sum, count) = picture
        .pixels()
        .filter_map(|pixel| opaque(*pixel))
        .fold((0.0, 0u32), |(sum, count), rgb| (sum + rgb.luminance(), count + 1));
    sum / f64::from(count.max(1))
}

fn opaque(pixel: Rgba<u8>) -> Option<Rgb> {
    let [r, g, b, a] = pixel.0;
    (a >= 128).then_some(Rgb(r, g, b))
}

fn row(picture: &RgbaImage, y: u32, depth: Depth, dark_on_light: bool) -> Line<'static> {
    let mut spans: Vec<Span<'static>> = Vec::new();
    for x in 0..picture.width() {
        let at = |y: u32| picture.get_pixel_checked(x, y).and_then(|pixel| opaque(*pixel));
        let (upper, lower) = (at(y), at(y + 1));
        let (glyph, style) = if depth == Depth::Mono {
            let ink = |rgb: Option<Rgb>, y: u32| rgb.is_some_and(|rgb| inked(rgb, x, y, dark_on_light));
            (block(ink(upper, y), ink(lower, y + 1)), Style::new())
        } else {
            cell(upper.map(|c| colour(c, depth)), lower.map(|c| colour(c, depth)))
        };
        match spans.last_mut() {
            Some(last) if last.style == style => last.content.to_mut().push(glyph),
            _ => spans.push(Span::styled(glyph.to_string(), style)),
        }
    }
    Line::from(spans)
}

/// Whether a pixel is drawn where there are no colours.
fn inked(rgb: Rgb, x: u32, y: u32, dark_on_light: bool) -> bool {
    let luminance = rgb.luminance().sqrt();
    let amount = if dark_on_light { 1.0 - luminance } else { luminance };
    let threshold = DITHER
        .get(y as usize % 4)
        .and_then(|row| row.get(x as usize % 4))
        .map_or(0.5, |step| (f64::from(*step) + 0.5) / 16.0);
    amount > threshold
}

fn block(upper: bool, lower: bool) -> char {
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

fn colour(rgb: Rgb, depth: Depth) -> Color {
    match depth {
        Depth::True => Color::Rgb(rgb.0, rgb.1, rgb.2),
        Depth::Ansi256 => Color::Indexed(rgb.nearest256()),
        Depth::Ansi16 | Depth::Mono => ansi_color(rgb.nearest16()),
    }
}

#[cfg(test)]
mod tests;
