//! Runs work that takes longer than a frame may: copying through other programs, painting pictures. Results
//! come back through one bounded channel.

use super::clipboard::{self, CopyMethod, CopyResult};
use super::graphics::Graphics;
use super::paint::image;
use super::panes::pictures::PictureRequest;
use super::theme::Depth;
use crate::domain::{Pixels, UndrawnReason};
use crate::launch::Launcher;
use ratatui::text::Line;
use tokio::sync::mpsc;

/// The result of a worker.
#[derive(Debug)]
pub(super) enum WorkerResult {
    /// A copy is finished; the result says whether it worked.
    Copied(CopyResult),
    /// Colours of code are ready; the highlighter has them.
    Coloured,
    /// A picture was painted, or the reason why it can't be.
    Painted(PictureRequest, Result<Vec<Line<'static>>, UndrawnReason>),
}

pub(super) struct Workers {
    results: mpsc::Receiver<WorkerResult>,
    sender: mpsc::Sender<WorkerResult>,
}

impl Workers {
    /// Starts with no work.
    pub(super) fn start() -> Self {
        let (sender, results) = mpsc::channel(16);
        Self { results, sender }
    }

    /// Waits for the next result; cancel-safe.
    pub(super) async fn next(&mut self) -> WorkerResult {
        match self.results.recv().await {
            Some(done) => done,
            // `self` owns a sender, so the channel never closes.
            None => std::future::pending().await,
        }
    }

    /// Copies a text with the first method that works.
    pub(super) fn copy(&self, text: String, ways: Vec<CopyMethod>, programs: Launcher) {
        let to = self.sender.clone();
        tokio::task::spawn_blocking(move || {
            let _ = to.blocking_send(WorkerResult::Copied(clipboard::copy(&text, &ways, &programs)));
        });
    }

    /// Returns a function that tells the loop, from any thread, that colours are ready.
    pub(super) fn colour_waker(&self) -> impl Fn() + Send + 'static {
        let to = self.sender.clone();
        // A full channel wakes the loop anyway.
        move || drop(to.try_send(WorkerResult::Coloured))
    }

    /// Paints a picture, given its pixels or the reason why there are none.
    pub(super) fn paint(
        &self,
        wanted: PictureRequest,
        pixels: Result<Pixels, UndrawnReason>,
        (depth, graphics): (Depth, Graphics),
    ) {
        let to = self.sender.clone();
        tokio::task::spawn_blocking(move || {
            let rows = pixels.map(|pixels| painted(&wanted, &pixels, depth, &graphics));
            let _ = to.blocking_send(WorkerResult::Painted(wanted, rows));
        });
    }
}

/// Paints a picture in half blocks; where the terminal can draw pictures, each cell also carries the terminal's
/// picture.
fn painted(
    wanted: &PictureRequest,
    pixels: &Pixels,
    depth: Depth,
    graphics: &Graphics,
) -> Vec<Line<'static>> {
    let Some(cell) = wanted.cell else { return image::half_blocks(pixels, depth) };
    let cells = wanted.cells((pixels.width(), pixels.height()));
    let small = pixels.resized(cells.0.into(), 2 * u32::from(cells.1));
    let mut rows = image::half_blocks(&small, depth);
    if let Some(number) = graphics.keep(pixels, (cells, cell)) {
        for (at, row) in (0..).zip(&mut rows) {
            row.spans.iter_mut().for_each(|span| span.style = span.style.patch(number.row(at)));
        }
    }
    rows
}
