//! Pictures of images, which a worker paints off the drawing thread. A missing one is requested and appears in a later
//! frame.

use crate::domain::pixels::MAX_SIDE;
use crate::domain::{ImageRef, UndrawnReason};
use ratatui::text::{Line, Span};
use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};

/// A picture to paint: its file and the cells that it may fill.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PictureRequest {
    pub path: PathBuf,
    pub width: u16,
    pub height: u16,
    /// The pixels of a cell if the terminal draws the picture itself; `None` for half blocks.
    pub(crate) cell: Option<(u16, u16)>,
}

/// The pixels in a cell of half blocks: one above the other.
const HALF_BLOCK_PIXELS: (u16, u16) = (1, 2);

impl PictureRequest {
    /// The pixels that all of its cells show, with no side longer than is decoded.
    pub(crate) fn pixels(&self) -> (u32, u32) {
        let cell = self.cell.unwrap_or(HALF_BLOCK_PIXELS);
        let side = |cells: u16, pixels: u16| f64::from(cells) * f64::from(pixels);
        let (width, height) = (side(self.width, cell.0), side(self.height, cell.1));
        let part = (f64::from(MAX_SIDE) / width.max(height).max(1.0)).min(1.0);
        ((width * part) as u32, (height * part) as u32)
    }

    /// The columns and rows that a picture of this many pixels fills.
    pub(crate) fn cells(&self, (width, height): (u32, u32)) -> (u16, u16) {
        let (most_wide, most_high) = self.pixels();
        let cells = |pixels: u32, most: u32, all: u16| {
            let cells = (f64::from(pixels) * f64::from(all) / f64::from(most.max(1))).round() as u16;
            cells.clamp(1, all.max(1))
        };
        (cells(width, most_wide, self.width), cells(height, most_high, self.height))
    }
}

/// A picture that was requested.
#[derive(Debug)]
struct KnownPicture {
    /// Its rows, once it is painted.
    rows: Option<Vec<Line<'static>>>,
    /// The last frame that wanted it.
    frame: u64,
    /// The memory that it takes, or may take once it is painted.
    bytes: usize,
}

/// All pictures that were requested.
#[derive(Debug, Default)]
pub struct Pictures {
    known: HashMap<PictureRequest, KnownPicture>,
    /// How many frames were begun.
    frame: u64,
    wanted: VecDeque<PictureRequest>,
    /// The picture being painted. Only one at a time, so that while the window is resized only the last size is
    /// painted.
    at_work: Option<PictureRequest>,
    /// Files that can't be painted in any size.
    failed: HashMap<PathBuf, UndrawnReason>,
    /// Whether pictures are turned off (`images = off`).
    pub off: bool,
    /// The pixels of a cell if the terminal draws pictures itself.
    cell: Option<(u16, u16)>,
}

/// How many bytes are kept; beyond that, pictures that no frame wants any more are dropped.
const MAX_KEPT_BYTES: usize = 32 << 20;
/// What a picture takes besides its cells, and what a cell takes at most, since it may have a style of its own.
const PICTURE_BYTES: usize = 512;
const CELL_BYTES: usize = size_of::<Span<'static>>() + 16;
/// How many files that can't be painted are remembered; beyond that, all are forgotten.
const MAX_FAILED_FILES: usize = 256;

impl Pictures {
    /// Sets the pixels of a cell; `None` for half blocks. All pictures are painted anew.
    pub(crate) fn set_cell(&mut self, cell: Option<(u16, u16)>) {
        if self.cell != cell {
            (self.cell, self.at_work) = (cell, None);
            self.known.clear();
            self.wanted.clear();
        }
    }

    /// The memory that all pictures take.
    fn bytes(&self) -> usize {
        self.known.values().map(|known| known.bytes).sum()
    }

    /// Begins a frame: what is wanted from now on is wanted by it.
    pub(crate) fn begin_frame(&mut self) {
        self.frame += 1;
    }

    fn request(&self, image: &ImageRef, (width, height): (u16, u16)) -> PictureRequest {
        PictureRequest { path: image.path.clone(), width, height, cell: self.cell }
    }

    /// The picture being painted from this file in this size.
    pub(crate) fn at_work(&self, path: &Path, pixels: (u32, u32)) -> Option<&PictureRequest> {
        self.at_work.as_ref().filter(|at_work| at_work.path == path && at_work.pixels() == pixels)
    }

    /// The rows of a picture; none while it is being painted.
    pub(crate) fn rows(&mut self, image: &ImageRef, width: u16, height: u16) -> Vec<Line<'static>> {
        if self.off || width == 0 || height == 0 {
            return Vec::new();
        }
        let key = self.request(image, (width, height));
        if let Some(known) = self.known.get_mut(&key) {
            known.frame = self.frame;
            return known.rows.clone().unwrap_or_default();
        }
        if !self.failed.contains_key(&key.path) {
            self.ask(key);
        }
        Vec::new()
    }

    /// Requests a picture. A new size of a file replaces one that is still queued. If a frame wants more than fits, the
    /// last pictures are left out: otherwise they would push out the first ones and be pushed out by them forever.
    fn ask(&mut self, wanted: PictureRequest) {
        let bytes = PICTURE_BYTES + CELL_BYTES * usize::from(wanted.width) * usize::from(wanted.height);
        if self.bytes() + bytes > MAX_KEPT_BYTES {
            // This frame may still want what the one before wanted.
            let before = self.frame.saturating_sub(1);
            self.known.retain(|_, known| known.frame >= before);
            self.wanted.retain(|waiting| self.known.contains_key(waiting));
        }
        if self.bytes() + bytes > MAX_KEPT_BYTES && !self.known.is_empty() {
            return;
        }
        match self.wanted.iter_mut().find(|waiting| waiting.path == wanted.path) {
            Some(waiting) => {
                self.known.remove(waiting);
                *waiting = wanted.clone();
            }
            None if self.at_work.as_ref() == Some(&wanted) => {}
            None => self.wanted.push_back(wanted.clone()),
        }
        self.known.insert(wanted, KnownPicture { rows: None, frame: self.frame, bytes });
    }

    /// Why a picture can't be shown; `None` if it is shown, or may be later.
    pub(crate) fn undrawn(&self, image: &ImageRef, (width, height): (u16, u16)) -> Option<UndrawnReason> {
        if self.off {
            return Some(UndrawnReason::Off);
        }
        let key = self.request(image, (width, height));
        let is_painted = self.known.get(&key).is_some_and(|known| known.rows.is_some());
        self.failed.get(&image.path).copied().filter(|_| !is_painted)
    }

    /// The picture to paint next; `None` while one is being painted or none is wanted.
    pub fn next_wanted(&mut self) -> Option<PictureRequest> {
        if self.at_work.is_none() {
            self.at_work = self.wanted.pop_front();
            return self.at_work.clone();
        }
        None
    }

    /// Takes the result of painting a picture.
    pub fn painted(&mut self, which: PictureRequest, rows: Result<Vec<Line<'static>>, UndrawnReason>) {
        self.at_work.take_if(|at_work| *at_work == which);
        match rows {
            // A picture that no frame wants any more is not kept.
            Ok(rows) => {
                if let Some(known) = self.known.get_mut(&which) {
                    known.bytes = bytes_of(&rows);
                    known.rows = Some(rows);
                }
            }
            Err(reason) => {
                if self.failed.len() >= MAX_FAILED_FILES {
                    self.failed.clear();
                }
                self.known.remove(&which);
                self.failed.insert(which.path, reason);
            }
        }
    }
}

/// The memory that the rows of a picture take.
fn bytes_of(rows: &[Line<'_>]) -> usize {
    let spans = rows.iter().flat_map(|row| &row.spans);
    PICTURE_BYTES + spans.map(|span| CELL_BYTES + span.content.len()).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(name: &str) -> ImageRef {
        let (name, mime) = (name.to_owned(), "image/svg+xml".to_owned());
        ImageRef { path: PathBuf::from(&name), name, mime, width: 0, height: 0, bytes: 9 }
    }

    #[test]
    fn a_newer_size_takes_the_place_of_one_that_waits() {
        let mut pictures = Pictures::default();
        let mut asked = Vec::new();
        for width in 1..=16 {
            for name in ["a.svg", "b.svg"] {
                assert!(pictures.rows(&image(name), width, 9).is_empty());
            }
            asked.extend(pictures.next_wanted());
        }
        assert_eq!(asked.len(), 1, "one is at work");
        let mut sizes = Vec::new();
        while let Some(done) = asked.pop() {
            pictures.painted(done, Ok(vec![Line::from("x")]));
            asked.extend(pictures.next_wanted());
            sizes.extend(asked.last().map(|wanted| (wanted.path.clone(), wanted.width)));
        }
        assert_eq!(sizes, [("b.svg".into(), 16), ("a.svg".into(), 16)]);
        assert_eq!(pictures.rows(&image("a.svg"), 16, 9).len(), 1);
        // A size that was replaced is requested again when it is shown again.
        assert!(pictures.rows(&image("a.svg"), 5, 9).is_empty());
        assert_eq!(pictures.next_wanted().map(|wanted| wanted.width), Some(5));
    }

    /// Draws frames of `count` images, each of `bytes` when painted, until none is wanted; returns how many were
    /// painted by then.
    fn at_rest(pictures: &mut Pictures, count: usize, (width, bytes): (u16, usize)) -> usize {
        let images: Vec<ImageRef> = (0..count).map(|number| image(&format!("{number}.svg"))).collect();
        for painted in 0..=count {
            pictures.begin_frame();
            for image in &images {
                pictures.rows(image, width, 9);
            }
            let Some(wanted) = pictures.next_wanted() else { return painted };
            pictures.painted(wanted, Ok(vec![Line::from("x".repeat(bytes))]));
        }
        panic!("frames of {count} images ask without an end");
    }

    #[test]
    fn a_frame_of_many_images_comes_to_rest() {
        let mut pictures = Pictures::default();
        assert_eq!(at_rest(&mut pictures, 40, (9, 1)), 40);
        for number in 0..40 {
            assert_eq!(pictures.rows(&image(&format!("{number}.svg")), 9, 9).len(), 1, "{number}");
        }
        // Another size never pushes out pictures of its own frame, however often the size changes.
        for width in 600..620 {
            assert_eq!(at_rest(&mut pictures, 40, (width, 250 << 10)), 40, "{width}");
            assert!(pictures.bytes() <= MAX_KEPT_BYTES);
        }
        // The limit counts memory, not pictures; a picture larger than the limit is shown alone.
        assert_eq!(at_rest(&mut Pictures::default(), 300, (9, 1)), 300);
        let mut pictures = Pictures::default();
        let painted = at_rest(&mut pictures, 40, (8_000, 3 << 20));
        assert!((10..=11).contains(&painted), "{painted}");
        assert_eq!(at_rest(&mut Pictures::default(), 1, (u16::MAX, 1)), 1);
    }

    #[test]
    fn a_file_that_failed_is_not_asked_for_in_another_size() {
        let mut pictures = Pictures::default();
        pictures.rows(&image("a.svg"), 9, 9);
        let wanted = pictures.next_wanted().unwrap();
        pictures.painted(wanted, Err(UndrawnReason::TooSlow));
        for width in 1..=16 {
            assert!(pictures.rows(&image("a.svg"), width, 9).is_empty());
            assert!(pictures.next_wanted().is_none());
            assert_eq!(pictures.undrawn(&image("a.svg"), (width, 9)), Some(UndrawnReason::TooSlow));
        }
        pictures.rows(&image("b.svg"), 9, 9);
        assert!(pictures.next_wanted().is_some());
        assert_eq!(pictures.undrawn(&image("b.svg"), (9, 9)), None);
        pictures.off = true;
        assert_eq!(pictures.undrawn(&image("b.svg"), (9, 9)), Some(UndrawnReason::Off));
    }
}
