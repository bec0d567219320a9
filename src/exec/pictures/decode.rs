//! Decodes a picture to pixels, inside the confined process. Checks sizes before decoding, never enlarges a picture,
//! and keeps its proportions. Pure.

mod svg;

use crate::domain::{Pixels, UndrawnReason};
use image::imageops::FilterType;
use image::{DynamicImage, ImageError, ImageFormat, ImageReader, Limits, Rgba, RgbaImage};
use std::io::Cursor;

pub(super) const MAX_BYTES: usize = 4 << 20;
/// The longest side of a picture that is decoded, in pixels.
const MAX_SOURCE_SIDE: u32 = 4096;
/// How many bytes decoding may allocate: enough for a picture of the largest size with 16 bits per channel.
const MAX_MEMORY: u64 = 8 * (MAX_SOURCE_SIDE as u64) * (MAX_SOURCE_SIDE as u64) + (16 << 20);

/// Decodes a PNG, JPEG or SVG to at most this many pixels.
///
/// # Errors
/// Why it can't be decoded.
pub(super) fn pixels(bytes: &[u8], width: u32, height: u32) -> Result<Pixels, UndrawnReason> {
    if bytes.len() > MAX_BYTES {
        return Err(UndrawnReason::TooLarge);
    }
    if is_svg(bytes) {
        return svg::pixels(bytes, width.max(1), height.max(1));
    }
    let picture = fit(decode_image(bytes)?, width.max(1), height.max(1));
    let (width, height) = picture.dimensions();
    Pixels::new(width, height, picture.into_raw()).ok_or(UndrawnReason::Unknown)
}

/// Whether it is XML, which is decoded as an SVG.
pub(super) fn is_svg(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().first() == Some(&b'<')
}

fn decode_image(bytes: &[u8]) -> Result<DynamicImage, UndrawnReason> {
    let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format();
    let mut reader = reader.map_err(|_| UndrawnReason::Unknown)?;
    if !matches!(reader.format(), Some(ImageFormat::Png | ImageFormat::Jpeg)) {
        return Err(UndrawnReason::Unknown);
    }
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SOURCE_SIDE);
    limits.max_image_height = Some(MAX_SOURCE_SIDE);
    limits.max_alloc = Some(MAX_MEMORY);
    reader.limits(limits);
    reader.decode().map_err(|error| match error {
        ImageError::Limits(_) => UndrawnReason::TooLarge,
        ImageError::Decoding(_) | ImageError::IoError(_) => UndrawnReason::Broken,
        _ => UndrawnReason::Unknown,
    })
}

/// Scales the picture down to at most this many pixels.
fn fit(picture: DynamicImage, width: u32, height: u32) -> RgbaImage {
    let (w, h) = (picture.width().max(1), picture.height().max(1));
    if w <= width && h <= height {
        return picture.into_rgba8();
    }
    let scale = (f64::from(width) / f64::from(w)).min(f64::from(height) / f64::from(h));
    let side = |pixels: u32, most: u32| ((f64::from(pixels) * scale).round() as u32).clamp(1, most);
    let mut picture = picture.into_rgba8();
    // The colour of transparent pixels must not bleed into their neighbours.
    picture.pixels_mut().filter(|p| p.0[3] < 255).for_each(premultiply);
    // A large picture is first reduced by averaging blocks: a wide filter over all its pixels would take seconds.
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

#[cfg(test)]
mod tests {
    use super::*;

    const CLEAR: Rgba<u8> = Rgba([255, 0, 0, 0]);

    fn png(width: u32, height: u32, pixel: impl Fn(u32, u32) -> Rgba<u8>) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        RgbaImage::from_fn(width, height, pixel).write_to(&mut bytes, ImageFormat::Png).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn sides_keep_their_proportion() {
        let bytes = png(400, 200, |x, _| Rgba([(x / 2) as u8, 0, 0, 255]));
        for (width, height) in [(80, 80), (40, 80), (80, 10), (1, 2)] {
            let made = pixels(&bytes, width, height).unwrap();
            assert!(made.width() <= width && made.height() <= height);
            if width > 1 {
                assert!(
                    made.width().abs_diff(made.height() * 2) <= 3,
                    "{} x {}",
                    made.width(),
                    made.height()
                );
            }
        }
    }

    #[test]
    fn transparent_colours_do_not_bleed() {
        let bytes = png(64, 64, |x, _| if x < 32 { CLEAR } else { Rgba([0, 255, 0, 255]) });
        let made = pixels(&bytes, 7, 14).unwrap();
        for pixel in (0..14).flat_map(|y| (0..7).map(move |x| (x, y))).filter_map(|(x, y)| made.at(x, y)) {
            let [r, g, _, a] = pixel;
            assert!(a < 128 || r < 10 && g > 200, "{pixel:?}");
        }
    }

    #[test]
    fn hostile_files_are_refused() {
        let refused = |bytes: &[u8]| pixels(bytes, 8, 8).err();
        for bytes in [&b""[..], b"GIF89a....", b"<html><body/></html>"] {
            assert_eq!(refused(bytes), Some(UndrawnReason::Unknown));
        }
        let mut long = png(9, 7, |_, _| CLEAR);
        long.resize(MAX_BYTES, 0);
        assert_eq!(refused(&long), None);
        long.push(0);
        assert_eq!(refused(&long), Some(UndrawnReason::TooLarge));
        let mut broken = png(32, 32, |_, _| CLEAR);
        broken.truncate(60);
        assert_eq!(refused(&broken), Some(UndrawnReason::Broken));
        // A header that declares more pixels than memory can hold.
        assert_eq!(refused(&png(MAX_SOURCE_SIDE + 1, 1, |_, _| CLEAR)), Some(UndrawnReason::TooLarge));
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_panic(at in 8usize..120, byte: u8) {
            let mut bytes = png(9, 7, |x, y| Rgba([x as u8, y as u8, 3, 200]));
            if let Some(b) = bytes.get_mut(at) {
                *b = byte;
            }
            let _ = pixels(&bytes, 8, 8);
        }
    }
}
