//! Saves the images of a run to files beside the session. Each keeps the name that the code gave it.

use crate::domain::{ImageRef, RunId};
use crate::exec::blob;
use std::path::{Path, PathBuf};

/// How long a name may be: the kernel cuts names at 80 characters and appends the extension.
const MAX_NAME_LENGTH: usize = 84;

/// The images of a run so far.
#[derive(Debug)]
pub(crate) struct Images {
    run: RunId,
    folder: PathBuf,
    most: usize,
    kept: Vec<ImageRef>,
}

impl Images {
    /// No images yet. At most `most` are kept, in this folder.
    pub(crate) fn new(run: RunId, folder: &Path, most: usize) -> Self {
        Self { run, folder: folder.into(), most, kept: Vec::new() }
    }

    /// Saves an image. Returns `None` if it is not an image or can't be written.
    pub(crate) fn keep(&mut self, name: &str, mime: &str, bytes: &[u8]) -> Option<ImageRef> {
        let (extension, (width, height)) = match mime {
            "image/png" => ("png", png_size(bytes)?),
            "image/svg+xml" => ("svg", svg_size(bytes)),
            "image/jpeg" => ("jpg", jpeg_size(bytes).unwrap_or_default()),
            _ => return None,
        };
        if self.kept.len() >= self.most {
            return None;
        }
        let number = self.kept.len() + 1;
        let file = format!("run-{}-figure-{number}.{extension}", self.run);
        let path = blob::keep_image(&self.folder, &file, bytes).ok()?;
        let name = plain_name(name).unwrap_or_else(|| format!("figure-{number}.{extension}"));
        let image = ImageRef { path, name, mime: mime.into(), width, height, bytes: bytes.len() as u64 };
        self.kept.push(image.clone());
        Some(image)
    }

    /// All images, in the order in which they were made.
    pub(crate) fn all(self) -> Vec<ImageRef> {
        self.kept
    }
}

/// Saves a copy of a picture that a run wrote to the working folder, under the name of that file. `None` if it is not a
/// picture or can't be written.
pub(crate) fn keep_written(run: RunId, folder: &Path, name: &str, bytes: &[u8]) -> Option<ImageRef> {
    let (mime, extension, (width, height)) = match png_size(bytes) {
        Some(size) => ("image/png", "png", size),
        None if is_svg(bytes) => ("image/svg+xml", "svg", svg_size(bytes)),
        None => ("image/jpeg", "jpg", jpeg_size(bytes)?),
    };
    let path = blob::keep_image(folder, &format!("run-{run}-file.{extension}"), bytes).ok()?;
    Some(ImageRef { path, name: name.into(), mime: mime.into(), width, height, bytes: bytes.len() as u64 })
}

/// Makes a name that the code chose safe as a file name, without separators or control characters. `None` if it is
/// empty.
fn plain_name(name: &str) -> Option<String> {
    let name: String = name
        .chars()
        .take(MAX_NAME_LENGTH)
        .map(|c| if c == '/' || c == '\\' || c.is_control() { '_' } else { c })
        .collect();
    match name.chars().next()? {
        '.' => Some(format!("figure{name}")),
        _ => Some(name),
    }
}

/// Width and height of a PNG file, read from its first bytes; `None` if it is not one.
fn png_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let rest = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR")?;
    let number = |at: usize| Some(u32::from_be_bytes(rest.get(at..at + 4)?.try_into().ok()?));
    Some((number(0)?, number(4)?))
}

/// Width and height of a JPEG file, read from the header of its first frame (ITU T.81, B.2.2); `None` if it is not one.
fn jpeg_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut rest = bytes.strip_prefix(b"\xff\xd8")?;
    loop {
        let [0xff, marker, high, low, after @ ..] = rest else { return None };
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        if matches!(marker, 0xc0..=0xcf) && !matches!(marker, 0xc4 | 0xc8 | 0xcc) {
            let [_, y1, y0, x1, x0, ..] = after else { return None };
            let side = |high, low| u32::from(u16::from_be_bytes([high, low]));
            return Some((side(*x1, *x0), side(*y1, *y0)));
        }
        rest = after.get(length.checked_sub(2)?..)?;
    }
}

/// Whether this begins like an SVG file.
fn is_svg(bytes: &[u8]) -> bool {
    let head = bytes.get(..bytes.len().min(4096)).unwrap_or_default();
    head.trim_ascii_start().starts_with(b"<") && head.windows(4).any(|part| part == b"<svg")
}

/// Width and height from the first tag of an SVG file; 0 if missing.
fn svg_size(bytes: &[u8]) -> (u32, u32) {
    let text = String::from_utf8_lossy(bytes.get(..bytes.len().min(4096)).unwrap_or_default()).into_owned();
    let tag = text.find("<svg").and_then(|at| text.get(at..)).unwrap_or_default();
    let tag = tag.find('>').and_then(|end| tag.get(..end)).unwrap_or(tag);
    let number = |name: &str| {
        let value = tag.split_once(name)?.1;
        let digits: String = value.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        let number: f64 = digits.parse().ok()?;
        Some(number.round().clamp(0.0, 100_000.0) as u32)
    };
    let side = |name: &str| ["\"", "'"].iter().find_map(|quote| number(&format!(" {name}={quote}")));
    (side("width").unwrap_or(0), side("height").unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x06";

    #[test]
    fn the_size_of_a_png() {
        assert_eq!(png_size(PNG), Some((640, 480)));
        assert_eq!(png_size(b"<svg/>"), None);
        assert_eq!(png_size(&PNG[..18]), None);
    }

    #[test]
    fn the_size_of_a_jpeg() {
        let mut jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x0b\x08\x01\xe0\x02\x80".to_vec();
        assert_eq!(jpeg_size(&jpeg), Some((640, 480)));
        for end in 0..jpeg.len() {
            assert_eq!(jpeg_size(&jpeg[..end]), None, "{end}");
        }
        // A segment whose length is smaller than its own header.
        jpeg[5] = 0;
        assert_eq!(jpeg_size(&jpeg), None);
    }

    #[test]
    fn the_size_of_an_svg() {
        let svg = br#"<?xml version="1.0"?><svg xmlns="x" width="640pt" height="479.6" viewBox="0 0 1 1"><g/></svg>"#;
        assert_eq!(svg_size(svg), (640, 480));
        assert_eq!(svg_size(b"<svg>"), (0, 0));
        assert_eq!(svg_size(b"no"), (0, 0));
        assert_eq!(svg_size(br#"<svg width="1e9" height="99999999999">"#), (1, 100_000));
    }

    #[test]
    fn names_lead_nowhere_and_no_more_are_kept_than_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let mut images = Images::new(RunId(3), folder.path(), 4);
        for (given, told) in [
            ("../a\nb.png", "figure.._a_b.png"),
            ("", "figure-2.png"),
            (".png", "figure.png"),
            ("sales.png", "sales.png"),
        ] {
            assert_eq!(images.keep(given, "image/png", PNG).unwrap().name, told);
        }
        assert_eq!(images.keep("one-more.png", "image/png", PNG), None);
        assert_eq!(images.keep("none.png", "image/png", b"no"), None);
        assert_eq!(images.all().len(), 4);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4);
    }
}
