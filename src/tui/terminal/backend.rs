//! Compares the screen that the terminal shows with the next frame, and makes bytes of the difference. It
//! writes nothing itself, so that frames can be tested without a terminal; the owner of the terminal writes the
//! bytes.
//!
//! The terminal's cursor position and style are tracked from frame to frame, so a typed letter costs a few
//! bytes. The screen is never cleared as a whole: where its content is unknown (start, resize, redraw), each
//! row is erased right before it is drawn, in the same write. Most rows don't change between frames: rows that
//! are drawn as in the frame before are passed over, and expensive checks are only made for changed rows.

mod row;

use super::sgr::SgrPen;
use crate::tui::graphics::{Graphics, PictureNumber, PlacedPicture};
use crate::tui::paint::canvas::Canvas;
use crate::tui::paint::hyperlinks::Hyperlinks;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::collections::BTreeSet;
use std::io::Write as _;

/// Larger frames are sent as synchronized updates if the terminal supports mode 2026; smaller ones don't need
/// it.
const MIN_SYNC_BYTES: usize = 256;

/// Makes the bytes of each frame.
#[derive(Debug, Default)]
pub(crate) struct CellDiff {
    /// What the terminal shows, as far as known.
    shown: Buffer,
    /// The cells of the frame that was drawn last.
    next: Buffer,
    /// What the last frame drew; `next` has its cells.
    drawn: Canvas,
    /// The canvas for the next frame.
    canvas: Canvas,
    out: Vec<u8>,
    /// Bytes to send before and after the cells of the next frame.
    before: Vec<u8>,
    after: Vec<u8>,
    /// Columns and rows.
    size: (u16, u16),
    pen: SgrPen,
    /// Where the terminal will put the next character, if that is certain.
    at: Option<Position>,
    /// Whether the cursor is visible, if known.
    cursor_shown: Option<bool>,
    unknown: bool,
    /// Whether the terminal supports synchronized updates.
    pub(super) sync: bool,
    /// The addresses that cells refer to.
    pub(super) links: Hyperlinks,
    /// The pictures that cells refer to.
    pub(super) graphics: Graphics,
    /// The pictures that the terminal now shows.
    placed: Vec<PlacedPicture>,
    /// The pictures that the terminal stores.
    sent: BTreeSet<PictureNumber>,
}

impl CellDiff {
    /// Starts for a terminal of this size with unknown content.
    pub(crate) fn new(size: (u16, u16)) -> Self {
        let blank = Buffer::empty(Rect::new(0, 0, size.0, size.1));
        Self {
            shown: blank.clone(),
            next: blank,
            drawn: Canvas::new(size),
            canvas: Canvas::new(size),
            out: Vec::with_capacity(16 << 10),
            size,
            unknown: true,
            ..Self::default()
        }
    }

    pub(crate) fn size(&self) -> (u16, u16) {
        self.size
    }

    pub(crate) fn set_size(&mut self, size: (u16, u16)) {
        self.size = size;
        let blank = Buffer::empty(Rect::new(0, 0, size.0, size.1));
        (self.shown, self.next) = (blank.clone(), blank);
        (self.drawn, self.canvas) = (Canvas::new(size), Canvas::new(size));
        self.forget();
    }

    /// Forgets what the terminal shows.
    pub(crate) fn forget(&mut self) {
        self.sent.clear();
        self.unknown = true;
        self.at = None;
        self.cursor_shown = None;
    }

    /// Sends these bytes before the next frame.
    pub(crate) fn before(&mut self, bytes: &[u8]) {
        self.before.extend_from_slice(bytes);
    }

    /// Sends these bytes after the next frame.
    pub(crate) fn after(&mut self, bytes: &[u8]) {
        self.after.extend_from_slice(bytes);
    }

    /// Draws the next frame onto an empty canvas; `render` returns the position of the cursor, if it is
    /// visible.
    pub(crate) fn draw(&mut self, render: impl FnOnce(&mut Canvas) -> Option<Position>) {
        self.canvas.clear();
        let cursor = render(&mut self.canvas);
        let (mut shown, mut next) = (std::mem::take(&mut self.shown), std::mem::take(&mut self.next));
        for y in (0..self.size.1).filter(|y| !self.canvas.has_same_row(*y, &self.drawn)) {
            self.canvas.paint_row(y, &mut next);
        }
        debug_assert_eq!(next, self.canvas.to_buffer());
        if self.unknown {
            shown.reset();
            self.out.extend_from_slice(b"\x1b[m");
            self.pen = SgrPen::RESET;
            self.at = None;
        }
        let placed = self.graphics.placed(&next);
        self.take_away(&placed, &mut shown);
        // A picture can make a row differ from what was drawn there.
        let compares_all = self.unknown || !self.placed.is_empty() || !placed.is_empty();
        let mut over = Vec::new();
        let width = usize::from(self.size.0).max(1);
        let rows = shown.content.chunks_mut(width).zip(next.content.chunks(width));
        for (y, (shown, next)) in (0u16..).zip(rows) {
            if !compares_all && self.canvas.has_same_row(y, &self.drawn) {
                continue;
            }
            if self.unknown {
                self.erase_row(y);
            }
            if let Some(first) = shown.iter().zip(next).position(|(shown, next)| shown != next) {
                let all = self.row(y, first, shown, next);
                let is_over = |place: &&PlacedPicture| place.is_written_over(y, all, shown, next);
                over.extend(placed.iter().filter(is_over).map(|place| place.number));
                shown.clone_from_slice(next);
            }
        }
        // No link stays open after a frame: other programs may write there.
        let mut without_link = self.pen;
        without_link.link = None;
        self.change_pen(without_link);
        self.place_pictures(placed, &over);
        self.unknown = false;
        self.place_cursor(cursor);
        (self.shown, self.next) = (shown, next);
        std::mem::swap(&mut self.drawn, &mut self.canvas);
    }

    /// Removes the pictures that are not in the next frame at the same position. Their cells have to be
    /// redrawn.
    fn take_away(&mut self, placed: &[PlacedPicture], shown: &mut Buffer) {
        for gone in self.placed.iter().filter(|gone| !placed.iter().any(|place| place.is_same(gone))) {
            if !placed.iter().any(|place| place.number == gone.number) {
                gone.picture.take_away(gone.number, &mut self.out);
                self.sent.remove(&gone.number);
            }
            for at in gone.area.positions() {
                if let Some(cell) = shown.cell_mut(at) {
                    // A symbol that no frame contains, so that the cell counts as changed.
                    cell.set_symbol("\0");
                }
            }
        }
    }

    /// Draws the pictures that are new or were overwritten.
    fn place_pictures(&mut self, placed: Vec<PlacedPicture>, over: &[PictureNumber]) {
        for place in &placed {
            let is_shown = !self.unknown && self.placed.iter().any(|before| before.is_same(place));
            if is_shown && !over.contains(&place.number) {
                continue;
            }
            if place.picture.is_kept() && self.sent.insert(place.number) {
                place.picture.send(place.number, &mut self.out);
            }
            self.change_pen(SgrPen::RESET);
            self.go_to(place.area.x, place.area.y);
            place.picture.place(place.number, &place.rows, &mut self.out);
            self.at = None;
        }
        self.placed = placed;
    }

    fn place_cursor(&mut self, cursor: Option<Position>) {
        if self.cursor_shown != Some(cursor.is_some()) {
            self.out.extend_from_slice(if cursor.is_some() { b"\x1b[?25h" } else { b"\x1b[?25l" });
            self.cursor_shown = Some(cursor.is_some());
        }
        if let Some(Position { x, y }) = cursor {
            self.go_to(x, y);
        }
    }

    /// Returns all bytes to write now; the vector may be returned with [`CellDiff::recycle`].
    pub(crate) fn take(&mut self) -> Vec<u8> {
        let frame = std::mem::take(&mut self.out);
        let sync = self.sync && frame.len() >= MIN_SYNC_BYTES;
        if self.before.is_empty() && self.after.is_empty() && !sync {
            return frame;
        }
        let mut bytes = std::mem::take(&mut self.before);
        if sync {
            bytes.extend_from_slice(b"\x1b[?2026h");
        }
        bytes.extend_from_slice(&frame);
        if sync {
            bytes.extend_from_slice(b"\x1b[?2026l");
        }
        bytes.append(&mut self.after);
        self.recycle(frame);
        bytes
    }

    /// Takes back a written vector to reuse its memory.
    pub(crate) fn recycle(&mut self, mut bytes: Vec<u8>) {
        if self.out.is_empty() && self.out.capacity() < bytes.capacity() && bytes.capacity() <= 256 << 10 {
            bytes.clear();
            self.out = bytes;
        }
    }

    fn go_to(&mut self, x: u16, y: u16) {
        if self.at == Some(Position { x, y }) {
            return;
        }
        // Writing to a vector can't fail.
        if let Some(at) = self.at
            && at.y == y
            && at.x < x
        {
            let gap = usize::from(x - at.x);
            let _ = match gap {
                // The row was just erased: spaces are shorter than a cursor move.
                1..=3 if self.unknown && self.pen.leaves_spaces_blank() => {
                    write!(self.out, "{:gap$}", "")
                }
                1 => write!(self.out, "\x1b[C"),
                _ => write!(self.out, "\x1b[{gap}C"),
            };
            self.at = Some(Position { x, y });
            return;
        }
        let _ = if x == 0 {
            write!(self.out, "\x1b[{}H", y + 1)
        } else {
            write!(self.out, "\x1b[{};{}H", y + 1, x + 1)
        };
        self.at = Some(Position { x, y });
    }

    /// Closes and opens links, then changes the style.
    fn change_pen(&mut self, to: SgrPen) {
        if self.pen.link != to.link {
            let address = to.link.and_then(|number| Some((number, self.links.address(number)?)));
            // Writing to a vector can't fail.
            let _ = match address {
                // The id joins the rows of one link.
                Some((number, address)) => write!(self.out, "\x1b]8;id={number};{address}\x1b\\"),
                None => write!(self.out, "\x1b]8;;\x1b\\"),
            };
        }
        self.pen.change(to, &mut self.out);
    }
}

#[cfg(test)]
mod tests;
