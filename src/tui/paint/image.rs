//! Pictures → half blocks: two pixels to a cell, in the colours that the terminal has.
//!
//! Takes the bytes of a PNG or JPEG file, which may be anything: size and memory are bounded before anything is decoded.
//! It takes tens of milliseconds; call it on a worker. It reads no files and remembers nothing.

use super::plain::Spans;
use crate::tui::theme::Depth;
use crate::tui::theme::colour::{Rgb, ansi_color};
use image::imageops::FilterType;
use image::{ImageFormat, ImageReader, Limits, Rgba, RgbaImage};
use ratatui::style::{Color, Style};
use ratatui::text::Line;
use std::io::Cursor;

/// Larger files are not decoded, bytes.
pub const LARGEST_FILE: usize = 4 << 20;
/// Larger pictures are not decoded, pixels along a side.
pub const LARGEST_SIDE: u32 = 4096;
/// Memory that decoding may take, bytes.
const MEMORY: u64 = 128 << 20;

/// Why a picture is not drawn.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// The file is too large.
    #[error("the image is larger than 4 MB ({0} bytes)")]
    File(usize),
    /// It is neither PNG nor JPEG.
    #[error("not a PNG or JPEG image")]
    Format,
    /// The terminal has no colours.
    #[error("the terminal has no colours")]
    NoColours,
    /// It can't be decoded, or is larger than 4096 pixels along a side.
    #[error("the image can't be decoded: {0}")]
    Decode(#[source] image::ImageError),
}

/// Draws a picture into at most so many columns and rows, its proportions kept, never larger than it is. Transparent
/// parts show `background`.
///
/// # Errors
/// When it is too large, no PNG or JPEG, damaged, or the terminal has no colours.
pub fn half_blocks(
    bytes: &[u8],
    (width, height): (u16, u16),
    depth: Depth,
    background: Rgb,
) -> Result<Vec<Line<'static>>, ImageError> {
    if depth == Depth::Mono {
        return Err(ImageError::NoColours);
    }
    if bytes.len() > LARGEST_FILE {
        return Err(ImageError::File(bytes.len()));
    }
    let picture = decode(bytes)?;
    let (columns, pixels) = fit(picture.dimensions(), (width, height));
    let small = image::imageops::resize(&picture, columns, pixels, FilterType::Triangle);
    Ok(rows(&small, depth, background))
}

fn decode(bytes: &[u8]) -> Result<RgbaImage, ImageError> {
    let format = image::guess_format(bytes).map_err(|_| ImageError::Format)?;
    if !matches!(format, ImageFormat::Png | ImageFormat::Jpeg) {
        return Err(ImageError::Format);
    }
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_image_width = Some(LARGEST_SIDE);
    limits.max_image_height = Some(LARGEST_SIDE);
    limits.max_alloc = Some(MEMORY);
    reader.limits(limits);
    Ok(reader.decode().map_err(ImageError::Decode)?.into_rgba8())
}

/// Columns and rows of pixels (two to a cell) that keep the proportions; at least one each.
fn fit((w, h): (u32, u32), (width, height): (u16, u16)) -> (u32, u32) {
    let (w, h) = (u64::from(w.max(1)), u64::from(h.max(1)));
    let (room_w, room_h) = (u64::from(width.max(1)), 2 * u64::from(height.max(1)));
    let by_width = (w.min(room_w), (w.min(room_w) * h).div_ceil(w));
    let (columns, pixels) = if by_width.1 <= room_h {
        by_width
    } else {
        ((room_h.min(h) * w / h).clamp(1, room_w), room_h.min(h))
    };
    (u32::try_from(columns.max(1)).unwrap_or(1), u32::try_from(pixels.max(1)).unwrap_or(1))
}

fn rows(picture: &RgbaImage, depth: Depth, background: Rgb) -> Vec<Line<'static>> {
    let height = picture.height();
    (0..height)
        .step_by(2)
        .map(|y| {
            let mut spans = Spans::default();
            for x in 0..picture.width() {
                let upper = shown(picture.get_pixel_checked(x, y), depth, background);
                let lower =
                    (y + 1 < height).then(|| shown(picture.get_pixel_checked(x, y + 1), depth, background));
                let style = Style::new().fg(upper);
                spans.push("\u{2580}", lower.map_or(style, |lower| style.bg(lower)));
            }
            spans.finish()
        })
        .collect()
}

/// The colour of a pixel on its background, as near as the terminal comes to it.
fn shown(pixel: Option<&Rgba<u8>>, depth: Depth, background: Rgb) -> Color {
    let Rgba([r, g, b, a]) = pixel.copied().unwrap_or(Rgba([0; 4]));
    let over = |value: u8, below: u8| {
        let mixed = (u32::from(value) * u32::from(a) + u32::from(below) * (255 - u32::from(a))) / 255;
        u8::try_from(mixed).unwrap_or(255)
    };
    let rgb = Rgb(over(r, background.0), over(g, background.1), over(b, background.2));
    match depth {
        Depth::True => Color::Rgb(rgb.0, rgb.1, rgb.2),
        Depth::Ansi256 => Color::Indexed(rgb.nearest256()),
        Depth::Ansi16 | Depth::Mono => ansi_color(rgb.nearest16()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLACK: Rgb = Rgb(0, 0, 0);

    fn png(width: u32, height: u32, pixel: impl Fn(u32, u32) -> [u8; 4]) -> Vec<u8> {
        let picture = RgbaImage::from_fn(width, height, |x, y| Rgba(pixel(x, y)));
        let mut bytes = Cursor::new(Vec::new());
        picture.write_to(&mut bytes, ImageFormat::Png).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn two_pixels_to_a_cell() {
        let bytes = png(2, 4, |_, y| if y % 2 == 0 { [255, 0, 0, 255] } else { [0, 0, 255, 255] });
        let lines = half_blocks(&bytes, (10, 10), Depth::True, BLACK).unwrap();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0].spans[0].content, "▀▀");
        assert_eq!(lines[0].spans[0].style, Style::new().fg(Color::Rgb(255, 0, 0)).bg(Color::Rgb(0, 0, 255)));
    }

    #[test]
    fn it_fits_and_keeps_its_proportions() {
        for (size, room, expected) in [
            ((640, 480), (40, 12), (32, 24)),
            ((1000, 10), (40, 12), (40, 1)),
            ((10, 1000), (40, 12), (1, 24)),
            ((8, 8), (40, 12), (8, 8)),
            ((4096, 4096), (1, 1), (1, 1)),
            ((1350, 600), (78, 20), (78, 35)),
        ] {
            assert_eq!(fit(size, room), expected, "{size:?} in {room:?}");
        }
        for (w, h) in [(1, 1), (3, 7), (17, 5), (200, 50)] {
            let bytes = png(w, h, |_, _| [9, 9, 9, 255]);
            let lines = half_blocks(&bytes, (20, 6), Depth::Ansi256, BLACK).unwrap();
            assert!(lines.len() <= 6 && lines.iter().all(|l| l.width() <= 20), "{w}x{h}");
        }
    }

    #[test]
    fn transparent_parts_show_the_background() {
        let bytes = png(1, 2, |_, _| [255, 255, 255, 0]);
        let lines = half_blocks(&bytes, (4, 4), Depth::True, Rgb(1, 2, 3)).unwrap();
        assert_eq!(lines[0].spans[0].style.fg, Some(Color::Rgb(1, 2, 3)));
    }

    #[test]
    fn what_can_not_be_drawn_is_refused() {
        let room = (10, 10);
        let good = png(4, 4, |_, _| [0; 4]);
        assert!(matches!(half_blocks(&good, room, Depth::Mono, BLACK), Err(ImageError::NoColours)));
        assert!(matches!(half_blocks(b"GIF89a...", room, Depth::True, BLACK), Err(ImageError::Format)));
        assert!(matches!(half_blocks(b"", room, Depth::True, BLACK), Err(ImageError::Format)));
        assert!(matches!(half_blocks(&good[..40], room, Depth::True, BLACK), Err(ImageError::Decode(_))));
        let large = vec![0; LARGEST_FILE + 1];
        assert!(matches!(half_blocks(&large, room, Depth::True, BLACK), Err(ImageError::File(_))));
        let wide = png(4097, 1, |_, _| [0; 4]);
        assert!(matches!(half_blocks(&wide, room, Depth::True, BLACK), Err(ImageError::Decode(_))));
    }
}
