//! Decodes a picture to pixels, inside the confined process. Checks sizes before decoding, never enlarges a picture,
//! and keeps its proportions. Pure.

mod raster;
mod svg;

use crate::domain::{Pixels, UndrawnReason};

pub(super) const MAX_BYTES: usize = 4 << 20;
/// The longest side of a picture that is decoded, in pixels.
const MAX_SOURCE_SIDE: u32 = 4096;

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
    raster::pixels(bytes).map(|picture| fit(picture, width.max(1), height.max(1)))
}

/// Whether it is XML, which is decoded as an SVG.
pub(super) fn is_svg(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().first() == Some(&b'<')
}

/// Scales the picture down to at most this many pixels.
fn fit(picture: Pixels, width: u32, height: u32) -> Pixels {
    let (w, h) = (picture.width().max(1), picture.height().max(1));
    if w <= width && h <= height {
        return picture;
    }
    let scale = (f64::from(width) / f64::from(w)).min(f64::from(height) / f64::from(h));
    let side = |pixels: u32, most: u32| ((f64::from(pixels) * scale).round() as u32).clamp(1, most);
    picture.resized(side(w, width), side(h, height))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;

    const CLEAR: [u8; 4] = [255, 0, 0, 0];

    fn encode((w, h): (u32, u32), colour: png::ColorType, depth: png::BitDepth, samples: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, w, h);
        encoder.set_color(colour);
        encoder.set_depth(depth);
        if colour == png::ColorType::Indexed {
            encoder.set_palette(&[255, 0, 0, 0, 0, 255][..]);
            encoder.set_trns(&[255, 0][..]);
        }
        encoder.write_header().unwrap().write_image_data(samples).unwrap();
        bytes
    }

    fn png(width: u32, height: u32, pixel: impl Fn(u32, u32) -> [u8; 4]) -> Vec<u8> {
        let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let rgba: Vec<u8> = places.flat_map(|(x, y)| pixel(x, y)).collect();
        encode((width, height), png::ColorType::Rgba, png::BitDepth::Eight, &rgba)
    }

    #[test]
    fn sides_keep_their_proportion() {
        let bytes = png(400, 200, |x, _| [(x / 2) as u8, 0, 0, 255]);
        for (width, height) in [(80, 80), (40, 80), (80, 10), (1, 2)] {
            let made = pixels(&bytes, width, height).unwrap();
            assert!(made.width() <= width && made.height() <= height);
            if width > 1 {
                let (width, height) = (made.width(), made.height());
                assert!(width.abs_diff(height * 2) <= 3, "{width} x {height}");
            }
        }
    }

    #[test]
    fn transparent_colours_do_not_bleed() {
        let bytes = png(64, 64, |x, _| if x < 32 { CLEAR } else { [0, 255, 0, 255] });
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
        // A header that promises more pixels than memory holds.
        assert_eq!(refused(&png(MAX_SOURCE_SIDE + 1, 1, |_, _| CLEAR)), Some(UndrawnReason::TooLarge));
    }

    #[test]
    fn every_kind_of_png_becomes_colours_and_opacity() {
        use png::{BitDepth, ColorType};
        let two = |colour, depth, samples: &[u8]| {
            let made = pixels(&encode((2, 1), colour, depth, samples), 8, 8).unwrap();
            [made.at(0, 0).unwrap(), made.at(1, 0).unwrap()]
        };
        let grey = |v, a| [v, v, v, a];
        assert_eq!(two(ColorType::Grayscale, BitDepth::One, &[0b0100_0000]), [grey(0, 255), grey(255, 255)]);
        let expected = [grey(9, 255), grey(200, 255)];
        assert_eq!(two(ColorType::Grayscale, BitDepth::Sixteen, &[9, 1, 200, 7]), expected);
        assert_eq!(two(ColorType::GrayscaleAlpha, BitDepth::Eight, &[5, 6, 7, 8]), [grey(5, 6), grey(7, 8)]);
        let expected = [[1, 2, 3, 255], [4, 5, 6, 255]];
        assert_eq!(two(ColorType::Rgb, BitDepth::Eight, &[1, 2, 3, 4, 5, 6]), expected);
        let expected = [[255, 0, 0, 255], [0, 0, 255, 0]];
        assert_eq!(two(ColorType::Indexed, BitDepth::Two, &[0b0001_0000]), expected);
    }

    /// JPEGs of one colour, 9 x 5: 200 as grey, (250, 10, 10) as red, green and blue, (0, 255, 255, 0) in inks.
    const GREY_JPEG: &str = "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAIBAQEBAQIBAQECAgICAgQDAgICAgUEBAMEBgUGBgYFBgYGBwkIBgcJBw\
        YGCAsICQoKCgoKBggLDAsKDAkKCgr/wAALCAAFAAkBAREA/8QAFQABAQAAAAAAAAAAAAAAAAAAAAn/xAAUEAEAAAAA\
        AAAAAAAAAAAAAAAA/9oACAEBAAA/AKQD/9k=";
    const RED_JPEG: &str = "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAIBAQEBAQIBAQECAgICAgQDAgICAgUEBAMEBgUGBgYFBgYGBwkIBgcJBw\
        YGCAsICQoKCgoKBggLDAsKDAkKCgr/2wBDAQICAgICAgUDAwUKBwYHCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoK\
        CgoKCgoKCgoKCgoKCgoKCgoKCgoKCgr/wAARCAAFAAkDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAj/xA\
        AUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAACAn/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oA\
        DAMBAAIRAxEAPwCRwBfXgf/Z";
    const INK_JPEG: &str = "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwACAQEBAQECAQEBAgICAgIEAwICAgIFBAQDBAYFBgYGBQYGBgcJCAYHCQcGBg\
        gLCAkKCgoKCgYICwwLCgwJCgoK/8AAFAgABQAJBEMRAE0RAFkRAEsRAP/EABYAAQEBAAAAAAAAAAAAAAAAAAAJCv/E\
        ABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAOBEMATQBZAEsAAD8Av4z/ALP+v4AP/9k=";

    #[test]
    fn jpegs_are_decoded_in_their_kinds_of_colour() {
        let near = |[a, b, c, opacity]: [u8; 4], wanted: [u8; 3]| {
            opacity == 255 && [a, b, c].iter().zip(wanted).all(|(made, wanted)| made.abs_diff(wanted) < 6)
        };
        for (file, colour) in [(GREY_JPEG, [200; 3]), (RED_JPEG, [250, 10, 10]), (INK_JPEG, [255, 0, 0])] {
            let bytes = base64::engine::general_purpose::STANDARD.decode(file).unwrap();
            let made = pixels(&bytes, 8, 8).unwrap();
            assert_eq!((made.width(), made.height()), (8, 4));
            assert!(near(made.at(7, 3).unwrap(), colour), "{:?} {colour:?}", made.at(7, 3));
            let broken = pixels(&bytes[..40], 8, 8);
            assert_eq!(broken, Err(UndrawnReason::Broken));
        }
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_panic(at in 8usize..120, byte: u8) {
            let mut bytes = png(9, 7, |x, y| [x as u8, y as u8, 3, 200]);
            if let Some(b) = bytes.get_mut(at) {
                *b = byte;
            }
            let _ = pixels(&bytes, 8, 8);
        }
    }
}
