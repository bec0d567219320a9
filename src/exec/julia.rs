//! Blocks of Julia: what starts them, what their errors call them, and the pictures that they display. Pure.

use super::backend::BackendEvent;
use super::frames::FrameDecoder;
use super::helper_wire::FIRST_GIVEN_FD;
use super::kernel_wire::{self, KernelMessage, MAX_MESSAGE_BYTES};
use super::own_names::OwnNames;
use super::plan::GivenFile;
use std::path::Path;

/// What Julia reads in place of the block's text.
pub(super) const START: &str = include_str!("../../assets/start.jl");
/// What a program of Julia is given, in order.
pub(super) const GIVEN_FILES: [GivenFile; 3] = [GivenFile::Source, GivenFile::Profile, GivenFile::State];
/// Bytes of pictures that a block may display.
pub(super) const MAX_TOTAL_IMAGE_BYTES: usize = 64 << 20;
/// So many pictures of a block are kept.
const MAX_IMAGES: usize = 50;

/// The file that Julia is started with.
pub(super) fn start() -> String {
    format!("/dev/fd/{}", FIRST_GIVEN_FD + 1)
}

/// The names under which Julia knows a text in this folder.
pub(super) fn names(label: &str, cwd: &Path, home: Option<&Path>) -> OwnNames {
    let file = cwd.join(label);
    let names = OwnNames::of_descriptor(label).with(&file.to_string_lossy(), label);
    match home.and_then(|home| file.strip_prefix(home).ok()) {
        Some(below) => names.with(&format!("~/{}", below.display()), label),
        None => names,
    }
}

/// The pictures that a block displayed, from what `assets/start.jl` wrote. What is none is left out, and counts: code can
/// write there itself.
pub(super) fn pictures(written: &[u8]) -> Vec<BackendEvent> {
    let mut decoder = FrameDecoder::new(MAX_MESSAGE_BYTES);
    decoder.push(written);
    let frames = std::iter::from_fn(|| decoder.next_frame().ok().flatten());
    let pictures = frames.take(MAX_IMAGES).filter_map(|frame| match kernel_wire::decode(frame) {
        Ok((_, KernelMessage::Image { name, mime, bytes })) => Some(BackendEvent::Image(name, mime, bytes)),
        _ => None,
    });
    pictures.collect()
}

#[cfg(test)]
mod tests {
    use super::super::frames::encode;
    use super::*;

    #[test]
    fn pictures_are_those_that_are_whole_and_no_more_than_are_shown() {
        let one = encode(b'I', [&[0; 16][..], b"figure-1.png", b"bytes"]);
        let other = encode(b'P', [&[0; 16][..], b"1"]);
        let torn = one.get(..one.len() - 1).unwrap();
        let written = [&one[..], &other, &one, torn].concat();
        let found = pictures(&written);
        assert_eq!(found.len(), 2);
        assert!(
            matches!(&found[0], BackendEvent::Image(name, "image/png", bytes) if name == "figure-1.png" && bytes == b"bytes")
        );
        assert_eq!(pictures(&one.repeat(100)).len(), MAX_IMAGES);
        assert!(pictures(&[other.repeat(MAX_IMAGES), one].concat()).is_empty());
        assert!(pictures(b"anything else").is_empty());
    }
}
