//! Pictures that runs made: their bytes are decoded by a process of their own, which is given nothing but them and gives
//! back nothing but pixels. A fault in a decoder is that process's, not sayso's.
//!
//! It is the helper's own program, inside of the sandbox that questions are asked in where there is one; before it looks
//! at the first byte it gives up every system call that it does not need for computing. Where it can't, nothing is drawn.

mod decode;
mod decoder;

use super::helper_file::ITSELF;
use super::helper_part::DECODE;
use super::helper_wire::{FIRST_GIVEN, ProgramSpec};
use super::memory_file;
use super::sandbox::{self, Enclosure};
use crate::domain::{Limits, Pixels};
pub(super) use decoder::Decoder;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::time::Duration;

/// How long it may take. Shapes of a chart take milliseconds; how long others take is for who wrote them to say.
const PATIENCE: Duration = Duration::from_secs(10);
const PATIENCE_FOR_SHAPES: Duration = Duration::from_secs(3);
/// The longest side of what is asked for, in pixels.
const SIDE: u32 = 1024;
/// Bytes of memory that it may use.
const MEMORY: u64 = 512 << 20;

/// Decodes a picture in a process of its own, in at most so many pixels; `None` when it can't be decoded, or there is no
/// process for it.
pub(super) fn decode(cell: &Enclosure, bytes: &[u8], width: u32, height: u32) -> Option<Pixels> {
    let (width, height) = (width.clamp(1, SIDE), height.clamp(1, SIDE));
    if bytes.len() > decode::BYTES {
        return None;
    }
    let given = memory_file::sealed(bytes).ok()?;
    let limits = Limits { memory_bytes: MEMORY, ..Limits::default() };
    let mut confinement = cell.confinement(&limits);
    if let Some(walls) = confinement.walls.as_mut().filter(|_| !cell.entry.helper.is_copy()) {
        walls.read.push(ITSELF.into());
    }
    let words = ["__run".to_owned(), DECODE.to_owned(), width.to_string(), height.to_string()];
    let program = ProgramSpec {
        executable: ITSELF.into(),
        args: words.map(OsString::from).into(),
        env: Vec::new(),
        cwd: "/".into(),
        confinement,
        terminal: false,
    };
    let largest = 8 + 4 * (width as usize) * (height as usize);
    let said = sandbox::said(&cell.entry, &program, &[given.as_fd()], (patience(bytes), largest));
    let said = said.ok().filter(|said| said.well)?;
    parse(&said.text).filter(|p| p.width() <= width && p.height() <= height)
}

fn patience(bytes: &[u8]) -> Duration {
    if decode::is_svg(bytes) { PATIENCE_FOR_SHAPES } else { PATIENCE }
}

/// The other side: decodes what it was given, and writes the pixels. False when there are none.
pub(super) fn main(args: impl Iterator<Item = OsString>) -> bool {
    let sides: Vec<u32> = args.filter_map(|arg| arg.to_str()?.parse().ok()).collect();
    let [width, height] = sides[..] else { return false };
    let mut bytes = Vec::new();
    let read = File::open(format!("/proc/self/fd/{FIRST_GIVEN}"))
        .and_then(|file| file.take(decode::BYTES as u64 + 1).read_to_end(&mut bytes));
    let mut out = std::io::stdout();
    if read.is_err() || sandbox::only_compute().is_err() {
        return false;
    }
    let Some(pixels) = decode::pixels(&bytes, width.min(SIDE), height.min(SIDE)) else { return false };
    let sides = [pixels.width().to_le_bytes(), pixels.height().to_le_bytes()].concat();
    out.write_all(&sides).and_then(|()| out.write_all(pixels.bytes())).and_then(|()| out.flush()).is_ok()
}

fn parse(text: &[u8]) -> Option<Pixels> {
    let (sides, rgba) = text.split_at_checked(8)?;
    let (width, height) = sides.split_at_checked(4)?;
    let side = |bytes: &[u8]| Some(u32::from_le_bytes(bytes.try_into().ok()?));
    Pixels::new(side(width)?, side(height)?, rgba.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_get_less_time() {
        assert!(patience(b"\n<svg/>") <= Duration::from_secs(3));
        assert_eq!(patience(b"\x89PNG"), PATIENCE);
    }

    #[test]
    fn what_comes_back_is_believed_as_far_as_it_fits() {
        let message =
            |w: u32, h: u32, bytes: usize| [&w.to_le_bytes()[..], &h.to_le_bytes(), &vec![7; bytes]].concat();
        assert_eq!(parse(&message(2, 1, 8)).unwrap().at(1, 0), Some([7; 4]));
        for bad in [message(2, 1, 7), message(u32::MAX, u32::MAX, 4), message(0, 0, 4), vec![1, 2]] {
            assert_eq!(parse(&bad), None);
        }
    }
}
