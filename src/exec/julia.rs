//! Runs blocks of Julia: how it is started, under which names its errors show the source, and the pictures that it
//! displays. Pure.

use super::backend::BackendEvent;
use super::helper_wire::FIRST_INHERITED_FD;
use super::kernel_wire::{self, KernelMessage};
use super::own_names::OwnNames;
use super::plan::InheritedFd;
use std::path::Path;

/// The script that Julia runs; it reads the source of the block.
pub(super) const START: &str = include_str!("../../assets/start.jl");
/// The files that a Julia program gets, in order.
pub(super) const INHERITED_FDS: [InheritedFd; 3] =
    [InheritedFd::Source, InheritedFd::Profile, InheritedFd::State];
/// Limit on the pictures that a block displays, in bytes.
pub(super) const MAX_TOTAL_IMAGE_BYTES: usize = 64 << 20;
/// How many pictures of a block are kept.
const MAX_IMAGES: usize = 50;

/// The path of the script.
pub(super) fn start() -> String {
    format!("/dev/fd/{}", FIRST_INHERITED_FD + 1)
}

/// The paths under which Julia shows the source in this folder.
pub(super) fn names(label: &str, cwd: &Path, home: Option<&Path>) -> OwnNames {
    let file = cwd.join(label);
    let names = OwnNames::of_descriptor(label).with(&file.to_string_lossy(), label);
    match home.and_then(|home| file.strip_prefix(home).ok()) {
        Some(below) => names.with(&format!("~/{}", below.display()), label),
        None => names,
    }
}

/// The pictures that a block displayed, as `assets/start.jl` wrote them. Anything else is left out but counts towards
/// the limit, since the block's code can write there itself.
pub(super) fn pictures(written: &[u8]) -> Vec<BackendEvent> {
    let mut decoder = kernel_wire::decoder();
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
