//! Decodes pictures that runs made in a process that gets nothing but their bytes and returns nothing but pixels, so
//! that a fault in a decoder does not affect sayso.
//!
//! That process is the helper, inside the sandbox for queries if there is one. Before it reads the first byte it gives
//! up every system call that it does not need for computing. If it can't, nothing is drawn.

mod decode;
mod decoder;

use super::helper_part::DECODE;
use super::helper_wire::FIRST_INHERITED_FD;
use super::memory_file;
use super::sandbox::{self, Enclosure};
use crate::domain::pixels::MAX_SIDE;
use crate::domain::{Limits, Pixels, UndrawnReason};
pub(super) use decoder::Decoder;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

/// How long decoding may take. The shapes of a chart take milliseconds; the time for others is up to whoever wrote
/// them.
const DECODE_TIMEOUT: Duration = Duration::from_secs(10);
const SHAPES_TIMEOUT: Duration = Duration::from_secs(3);
const MAX_MEMORY: u64 = 512 << 20;
/// The reasons that the process may report. Their index is sent.
const REASONS: [UndrawnReason; 4] =
    [UndrawnReason::Unknown, UndrawnReason::TooLarge, UndrawnReason::MoreThanShapes, UndrawnReason::Broken];

/// Decodes a picture to at most this many pixels, in a process of its own.
///
/// # Errors
/// Why it can't be decoded, as far as known.
pub(super) fn decode(
    cell: &Enclosure,
    bytes: &[u8],
    width: u32,
    height: u32,
) -> Result<Pixels, UndrawnReason> {
    let (width, height) = (width.clamp(1, MAX_SIDE), height.clamp(1, MAX_SIDE));
    if bytes.len() > decode::MAX_BYTES {
        return Err(UndrawnReason::TooLarge);
    }
    let inherited = memory_file::sealed(bytes).map_err(|_| UndrawnReason::Unknown)?;
    let limits = Limits { memory_bytes: MAX_MEMORY, ..Limits::default() };
    let args = [DECODE.to_owned(), width.to_string(), height.to_string()].map(OsString::from);
    let program = sandbox::helper_program(&cell.entry.helper, args.into(), cell.confinement(&limits));
    let largest = 8 + 4 * (width as usize) * (height as usize);
    let (began, patience) = (Instant::now(), decode_timeout(bytes));
    match sandbox::run_to_end(&cell.entry, &program, &[inherited.as_fd()], (patience, largest)) {
        Ok(said) if said.well => {
            parse(&said.text).and_then(|p| fits(&p, width, height).then_some(p).ok_or(UndrawnReason::Unknown))
        }
        Err(_) if began.elapsed() >= patience => Err(UndrawnReason::TooSlow),
        _ => Err(UndrawnReason::Unknown),
    }
}

fn fits(pixels: &Pixels, width: u32, height: u32) -> bool {
    pixels.width() <= width && pixels.height() <= height
}

fn decode_timeout(bytes: &[u8]) -> Duration {
    if decode::is_svg(bytes) { SHAPES_TIMEOUT } else { DECODE_TIMEOUT }
}

/// The decoding process: decodes the inherited picture, and writes the pixels or the reason why there are none. Returns
/// false if it fails.
pub(super) fn main(args: impl Iterator<Item = OsString>) -> bool {
    let sides: Vec<u32> = args.filter_map(|arg| arg.to_str()?.parse().ok()).collect();
    let [width, height] = sides[..] else { return false };
    let mut bytes = Vec::new();
    let read = File::open(format!("/proc/self/fd/{FIRST_INHERITED_FD}"))
        .and_then(|file| file.take(decode::MAX_BYTES as u64 + 1).read_to_end(&mut bytes));
    let mut out = std::io::stdout();
    if read.is_err() || sandbox::only_compute().is_err() {
        return false;
    }
    let made = decode::pixels(&bytes, width.min(MAX_SIDE), height.min(MAX_SIDE));
    let (sides, rgba) = message(&made);
    out.write_all(&sides).and_then(|()| out.write_all(rgba)).and_then(|()| out.flush()).is_ok()
}

/// Encodes the result: both sides and the pixels, or a width of 0 and the index of the reason.
fn message(made: &Result<Pixels, UndrawnReason>) -> ([u8; 8], &[u8]) {
    let (width, height, rgba) = match made {
        Ok(pixels) => (pixels.width(), pixels.height(), pixels.bytes()),
        Err(reason) => (0, REASONS.iter().position(|known| known == reason).unwrap_or(0) as u32, &[][..]),
    };
    ((u64::from(height) << 32 | u64::from(width)).to_le_bytes(), rgba)
}

/// Decodes the result. The process is not trusted: anything malformed counts as no picture, without a known reason.
fn parse(text: &[u8]) -> Result<Pixels, UndrawnReason> {
    let (sides, rgba) = text.split_first_chunk().ok_or(UndrawnReason::Unknown)?;
    let sides = u64::from_le_bytes(*sides);
    let (width, height) = (sides as u32, (sides >> 32) as u32);
    if width == 0 && rgba.is_empty() {
        return Err(REASONS.get(height as usize).copied().unwrap_or(UndrawnReason::Unknown));
    }
    Pixels::new(width, height, rgba.to_vec()).ok_or(UndrawnReason::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_get_less_time() {
        assert!(decode_timeout(b"\n<svg/>") <= Duration::from_secs(3));
        assert_eq!(decode_timeout(b"\x89PNG"), DECODE_TIMEOUT);
    }

    #[test]
    fn what_comes_back_is_believed_as_far_as_it_fits() {
        let written =
            |w: u32, h: u32, bytes: usize| [&w.to_le_bytes()[..], &h.to_le_bytes(), &vec![7; bytes]].concat();
        let pixels = parse(&written(2, 1, 8)).unwrap();
        assert_eq!(pixels.at(1, 0), Some([7; 4]));
        let sent = |made: Result<Pixels, UndrawnReason>| {
            let (sides, rgba) = message(&made);
            [&sides[..], rgba].concat()
        };
        assert_eq!(sent(Ok(pixels)), written(2, 1, 8));
        let bad = [
            written(2, 1, 7),
            written(u32::MAX, u32::MAX, 4),
            written(0, 1, 4),
            written(0, 9, 0),
            vec![1, 2],
        ];
        for bad in bad {
            assert_eq!(parse(&bad), Err(UndrawnReason::Unknown));
        }
        for reason in REASONS {
            assert_eq!(parse(&sent(Err(reason))), Err(reason));
        }
    }
}
