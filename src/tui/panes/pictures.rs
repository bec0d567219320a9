//! Pictures, as they were painted off the drawing thread. What is not there yet is asked for and comes
//! with a later frame.

use crate::domain::pixels::MAX_SIDE;
use crate::domain::{ImageRef, UndrawnReason};
use ratatui::text::{Line, Span};
use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};

/// A picture that is wanted: its file and the cells that it may fill.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PictureRequest {
    pub path: PathBuf,
    pub width: u16,
    pub height: u16,
    /// Pixels of a cell, where the terminal draws the picture itself; `None`: half blocks.
    pub(crate) cell: Option<(u16, u16)>,
}

/// Pixels in a cell of half blocks: one above the other.
const HALF_BLOCK_PIXELS: (u16, u16) = (1, 2);

impl PictureRequest {
    /// Pixels that all of its cells show, no side longer than is decoded.
    pub(crate) fn pixels(&self) -> (u32, u32) {
        let cell = self.cell.unwrap_or(HALF_BLOCK_PIXELS);
        let side = |cells: u16, pixels: u16| f64::from(cells) * f64::from(pixels);
        let (width, height) = (side(self.width, cell.0), side(self.height, cell.1));
        let part = (f64::from(MAX_SIDE) / width.max(height).max(1.0)).min(1.0);
        ((width * part) as u32, (height * part) as u32)
    }

    /// Columns and rows that a picture of so many pixels fills.
    pub(crate) fn cells(&self, (width, height): (u32, u32)) -> (u16, u16) {
        let (most_wide, most_high) = self.pixels();
        let cells = |pixels: u32, most: u32, all: u16| {
            let cells = (f64::from(pixels) * f64::from(all) / f64::from(most.max(1))).round() as u16;
            cells.clamp(1, all.max(1))
        };
        (cells(width, most_wide, self.width), cells(height, most_high, self.height))
    }
}

/// How one picture stands.
#[derive(Debug)]
enum PictureState {
    Asked,
    Painted(Vec<Line<'static>>),
}

/// A picture that was asked for.
#[derive(Debug)]
struct KnownPicture {
    state: PictureState,
    /// The frame that wanted it last.
    frame: u64,
    /// What it takes in memory, or may take once it is painted.
    bytes: usize,
}

/// All pictures that were asked for.
#[derive(Debug, Default)]
pub struct Pictures {
    known: HashMap<PictureRequest, KnownPicture>,
    /// What all of them take.
    bytes: usize,
    /// Frames that were begun.
    frame: u64,
    wanted: VecDeque<PictureRequest>,
    /// The one that is being painted: one at a time, so that a window whose size changes asks for the last size alone.
    at_work: Option<PictureRequest>,
    /// Files that can't be painted, in whatever size.
    failed: HashMap<PathBuf, UndrawnReason>,
    off: bool,
    /// Pixels of a cell, where the terminal draws pictures itself.
    cell: Option<(u16, u16)>,
}

/// Bytes that are kept; beyond, those are let go that no frame wants any more.
const MAX_KEPT_BYTES: usize = 32 << 20;
/// What a picture takes besides its cells, and what a cell takes at the most: it may have a look of its own.
const PICTURE_BYTES: usize = 512;
const CELL_BYTES: usize = size_of::<Span<'static>>() + 16;
/// So many files that can't be painted are remembered; beyond, all are forgotten.
const MAX_FAILED_FILES: usize = 256;

impl Pictures {
    /// Draws none (`images = off`).
    pub fn turn_off(&mut self) {
        self.off = true;
    }

    /// From now on a cell shows so many pixels; `None`: half blocks. What was painted is painted anew.
    pub(crate) fn set_cell(&mut self, cell: Option<(u16, u16)>) {
        if self.cell != cell {
            (self.cell, self.at_work) = (cell, None);
            self.known.clear();
            self.bytes = 0;
            self.wanted.clear();
        }
    }

    /// What is wanted from now on is wanted by another frame.
    pub(crate) fn begin_frame(&mut self) {
        self.frame += 1;
    }

    fn request(&self, image: &ImageRef, (width, height): (u16, u16)) -> PictureRequest {
        PictureRequest { path: image.path.clone(), width, height, cell: self.cell }
    }

    /// The one that is being painted from this file, in so many pixels.
    pub(crate) fn at_work(&self, path: &Path, pixels: (u32, u32)) -> Option<&PictureRequest> {
        self.at_work.as_ref().filter(|at_work| at_work.path == path && at_work.pixels() == pixels)
    }

    /// The rows of a picture, or none while it is being painted.
    pub(crate) fn rows(&mut self, image: &ImageRef, width: u16, height: u16) -> Vec<Line<'static>> {
        if self.off || width == 0 || height == 0 {
            return Vec::new();
        }
        let key = self.request(image, (width, height));
        let frame = self.frame;
        let known = self.known.get_mut(&key).map(|known| {
            known.frame = frame;
            &known.state
        });
        match known {
            Some(PictureState::Painted(rows)) => rows.clone(),
            None if !self.failed.contains_key(&key.path) => {
                self.ask(key);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// Asks for a picture. A newer size of a file takes the place of an older one that still waits. Where a frame wants more
    /// than are kept, it goes without the last ones: they would push the first ones out, and those them, without an end.
    fn ask(&mut self, wanted: PictureRequest) {
        let bytes = PICTURE_BYTES + CELL_BYTES * usize::from(wanted.width) * usize::from(wanted.height);
        if self.bytes + bytes > MAX_KEPT_BYTES {
            // This frame may still come to what the one before wanted.
            let before = self.frame.saturating_sub(1);
            self.known.retain(|_, known| known.frame >= before);
            self.bytes = self.known.values().map(|known| known.bytes).sum();
            self.wanted.retain(|waiting| self.known.contains_key(waiting));
        }
        if self.bytes + bytes > MAX_KEPT_BYTES && !self.known.is_empty() {
            return;
        }
        match self.wanted.iter_mut().find(|waiting| waiting.path == wanted.path) {
            Some(waiting) => {
                self.bytes -= self.known.remove(waiting).map_or(0, |known| known.bytes);
                *waiting = wanted.clone();
            }
            None if self.at_work.as_ref() == Some(&wanted) => {}
            None => self.wanted.push_back(wanted.clone()),
        }
        self.bytes += bytes;
        self.known.insert(wanted, KnownPicture { state: PictureState::Asked, frame: self.frame, bytes });
    }

    /// Why a picture will not be there; `None`: it is, or may come.
    pub(crate) fn undrawn(&self, image: &ImageRef, (width, height): (u16, u16)) -> Option<UndrawnReason> {
        if self.off {
            return Some(UndrawnReason::Off);
        }
        let key = self.request(image, (width, height));
        let is_painted =
            self.known.get(&key).is_some_and(|known| matches!(known.state, PictureState::Painted(_)));
        self.failed.get(&image.path).copied().filter(|_| !is_painted)
    }

    /// What has to be painted next; `None` while one is at work, and when nothing is wanted.
    pub fn next_wanted(&mut self) -> Option<PictureRequest> {
        if self.at_work.is_none() {
            self.at_work = self.wanted.pop_front();
            return self.at_work.clone();
        }
        None
    }

    /// A picture was painted, or can't be.
    pub fn painted(&mut self, which: PictureRequest, rows: Result<Vec<Line<'static>>, UndrawnReason>) {
        self.at_work.take_if(|at_work| *at_work == which);
        match rows {
            // One that nobody wants any more is not kept.
            Ok(rows) => {
                if let Some(known) = self.known.get_mut(&which) {
                    let before = std::mem::replace(&mut known.bytes, bytes_of(&rows));
                    self.bytes = self.bytes - before + known.bytes;
                    known.state = PictureState::Painted(rows);
                }
            }
            Err(reason) => {
                if self.failed.len() >= MAX_FAILED_FILES {
                    self.failed.clear();
                }
                self.bytes -= self.known.remove(&which).map_or(0, |known| known.bytes);
                self.failed.insert(which.path, reason);
            }
        }
    }
}

/// What the rows of a picture take in memory.
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
        // A size that gave way is asked for again when it is looked at again.
        assert!(pictures.rows(&image("a.svg"), 5, 9).is_empty());
        assert_eq!(pictures.next_wanted().map(|wanted| wanted.width), Some(5));
    }

    /// Draws frames of so many images until nothing is wanted, each of so many bytes; how many were painted by then.
    fn at_rest(pictures: &mut Pictures, count: usize, (width, bytes): (u16, usize)) -> usize {
        let images: Vec<ImageRef> = (0..count).map(|number| image(&format!("{number}.svg"))).collect();
        for painted in 0..=count {
            pictures.begin_frame();
            for image in &images {
                pictures.rows(image, width, 9);
            }
            let known: usize = pictures.known.values().map(|known| known.bytes).sum();
            assert_eq!(pictures.bytes, known);
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
        // Another size does not push out what it needs itself, however often it changes.
        for width in 600..620 {
            assert_eq!(at_rest(&mut pictures, 40, (width, 250 << 10)), 40, "{width}");
            assert!(pictures.bytes <= MAX_KEPT_BYTES);
        }
        // What they take counts, and not how many they are; one that takes more than all may is shown alone.
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
        pictures.turn_off();
        assert_eq!(pictures.undrawn(&image("b.svg"), (9, 9)), Some(UndrawnReason::Off));
    }
}
