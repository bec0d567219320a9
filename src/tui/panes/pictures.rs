//! Pictures in half blocks, as they were painted off the drawing thread. What is not there yet is asked for and comes
//! with a later frame.

use crate::domain::ImageRef;
use ratatui::text::Line;
use std::collections::HashMap;
use std::path::PathBuf;

/// A picture that is wanted: its file and the cells that it may fill.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PictureRequest {
    pub path: PathBuf,
    pub width: u16,
    pub height: u16,
}

/// How one picture stands.
#[derive(Debug)]
enum PictureState {
    Asked,
    Painted(Vec<Line<'static>>),
    Failed,
}

/// All pictures that were asked for.
#[derive(Debug, Default)]
pub struct Pictures {
    known: HashMap<PictureRequest, PictureState>,
    wanted: Vec<PictureRequest>,
    off: bool,
}

/// So many are kept; beyond, all are let go.
const KEPT: usize = 32;

impl Pictures {
    /// Draws none (`images = off`).
    pub fn turn_off(&mut self) {
        self.off = true;
    }

    /// The rows of a picture, or none while it is being painted.
    pub fn rows(&mut self, image: &ImageRef, width: u16, height: u16) -> Vec<Line<'static>> {
        if self.off || width == 0 || height == 0 {
            return Vec::new();
        }
        let key = PictureRequest { path: image.path.clone(), width, height };
        match self.known.get(&key) {
            Some(PictureState::Painted(rows)) => rows.clone(),
            Some(_) => Vec::new(),
            None => {
                if self.known.len() >= KEPT {
                    self.known.clear();
                }
                self.known.insert(key.clone(), PictureState::Asked);
                self.wanted.push(key);
                Vec::new()
            }
        }
    }

    /// Whether a picture will not be there: it can't be painted, or none are.
    pub(crate) fn gave_up(&self, image: &ImageRef, (width, height): (u16, u16)) -> bool {
        let key = PictureRequest { path: image.path.clone(), width, height };
        self.off || matches!(self.known.get(&key), Some(PictureState::Failed))
    }

    /// What has to be painted, asked for since the last time.
    pub fn take_wanted(&mut self) -> Vec<PictureRequest> {
        std::mem::take(&mut self.wanted)
    }

    /// A picture was painted, or can't be.
    pub fn painted(&mut self, which: PictureRequest, rows: Option<Vec<Line<'static>>>) {
        self.known.insert(which, rows.map_or(PictureState::Failed, PictureState::Painted));
    }
}
