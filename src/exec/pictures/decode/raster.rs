//! Decodes a PNG or JPEG to pixels in its own size, with one byte for each of red, green, blue and opacity. Pure.

use super::MAX_SOURCE_SIDE;
use crate::domain::{Pixels, UndrawnReason};
use png::{ColorType, DecodingError, Transformations};
use std::io::Cursor;
use zune_jpeg::JpegDecoder;
use zune_jpeg::errors::DecodeErrors;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Bytes that decoding a PNG may allocate: the pixels of the longest sides, in 16 bits a channel.
const MAX_MEMORY: usize = 8 * (MAX_SOURCE_SIDE as usize) * (MAX_SOURCE_SIDE as usize) + (16 << 20);

/// The pixels of a PNG or JPEG.
///
/// # Errors
/// It is neither, its sides are too long, or it is broken.
pub(super) fn pixels(bytes: &[u8]) -> Result<Pixels, UndrawnReason> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        png(bytes)
    } else if bytes.starts_with(b"\xff\xd8\xff") {
        jpeg(bytes)
    } else {
        Err(UndrawnReason::Unknown)
    }
}

fn png(bytes: &[u8]) -> Result<Pixels, UndrawnReason> {
    let reason = |error: DecodingError| match error {
        DecodingError::LimitsExceeded => UndrawnReason::TooLarge,
        DecodingError::Format(_) | DecodingError::IoError(_) => UndrawnReason::Broken,
        DecodingError::Parameter(_) => UndrawnReason::Unknown,
    };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: MAX_MEMORY });
    decoder.set_transformations(Transformations::normalize_to_color8());
    let (width, height) = decoder.read_header_info().map_err(reason)?.size();
    if width.max(height) > MAX_SOURCE_SIDE {
        return Err(UndrawnReason::TooLarge);
    }
    let mut reader = decoder.read_info().map_err(reason)?;
    let mut samples = vec![0; reader.output_buffer_size().ok_or(UndrawnReason::TooLarge)?];
    let frame = reader.next_frame(&mut samples).map_err(reason)?;
    samples.truncate(frame.buffer_size());
    let rgba = match frame.color_type {
        ColorType::Grayscale => expand(&samples, |&[v]: &[u8; 1]| [v, v, v, 255]),
        ColorType::GrayscaleAlpha => expand(&samples, |&[v, a]: &[u8; 2]| [v, v, v, a]),
        ColorType::Rgb => expand(&samples, |&[r, g, b]: &[u8; 3]| [r, g, b, 255]),
        ColorType::Rgba => samples,
        // The transformation expands it.
        ColorType::Indexed => return Err(UndrawnReason::Unknown),
    };
    Pixels::new(frame.width, frame.height, rgba).ok_or(UndrawnReason::Broken)
}

fn jpeg(bytes: &[u8]) -> Result<Pixels, UndrawnReason> {
    let reason = |error: DecodeErrors| match error {
        DecodeErrors::LargeDimensions(_) => UndrawnReason::TooLarge,
        DecodeErrors::Unsupported(_) => UndrawnReason::Unknown,
        _ => UndrawnReason::Broken,
    };
    let options = DecoderOptions::default()
        .set_strict_mode(false)
        .set_max_width(MAX_SOURCE_SIDE as usize)
        .set_max_height(MAX_SOURCE_SIDE as usize);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(reason)?;
    let is_grey = match decoder.input_colorspace() {
        Some(ColorSpace::Luma) => true,
        Some(ColorSpace::YCbCr | ColorSpace::RGB | ColorSpace::CMYK | ColorSpace::YCCK) => false,
        _ => return Err(UndrawnReason::Unknown),
    };
    let samples = if is_grey { ColorSpace::Luma } else { ColorSpace::RGB };
    decoder.set_options(options.jpeg_set_out_colorspace(samples));
    let samples = decoder.decode().map_err(reason)?;
    let (width, height) = decoder.dimensions().ok_or(UndrawnReason::Broken)?;
    let rgba = if is_grey {
        expand(&samples, |&[v]: &[u8; 1]| [v, v, v, 255])
    } else {
        expand(&samples, |&[r, g, b]: &[u8; 3]| [r, g, b, 255])
    };
    Pixels::new(width as u32, height as u32, rgba).ok_or(UndrawnReason::Broken)
}

/// Each pixel of `N` samples as red, green, blue and opacity.
fn expand<const N: usize>(samples: &[u8], rgba: impl Fn(&[u8; N]) -> [u8; 4]) -> Vec<u8> {
    samples.as_chunks().0.iter().flat_map(rgba).collect()
}
