//! The screen as the terminal shows it and as it is drawn next: what differs becomes bytes. It writes nothing itself, so
//! that frames can be tested without a terminal; the terminal's owner writes the bytes.
//!
//! The position and style of the terminal are kept from frame to frame, so a typed letter costs a few bytes. The whole
//! screen is never cleared: where its contents are unknown (start, another size, redraw), each row is erased right
//! before it is drawn, in the same write. Most rows of a frame are those of the frame before, so rows are compared first,
//! and whatever is dear is asked of rows that differ only.

use super::sgr::SgrPen;
use crate::tui::graphics::{Graphics, PictureNumber, PlacedPicture};
use crate::tui::paint::hyperlinks::Hyperlinks;
use crate::tui::paint::plain;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect};
use std::collections::BTreeSet;
use std::io::Write as _;

/// Frames larger than this are shown at once by terminals that can (mode 2026); smaller ones need no help.
const MIN_SYNC_BYTES: usize = 256;

/// Collects the bytes of a frame.
#[derive(Debug)]
pub(crate) struct CellDiff {
    /// What the terminal shows, as far as it is known.
    shown: Buffer,
    /// What is drawn on.
    next: Buffer,
    out: Vec<u8>,
    /// Bytes to be sent in front of and behind the cells of the next frame.
    before: Vec<u8>,
    after: Vec<u8>,
    /// Columns and rows.
    size: (u16, u16),
    pen: SgrPen,
    /// Where the terminal will put the next character, as far as that is certain.
    at: Option<Position>,
    /// Whether the cursor is shown, as far as it is known.
    cursor_shown: Option<bool>,
    unknown: bool,
    sync: bool,
    links: Hyperlinks,
    graphics: Graphics,
    /// The pictures that the terminal shows.
    placed: Vec<PlacedPicture>,
    /// Those that it keeps.
    sent: BTreeSet<PictureNumber>,
}

/// How a row that changed is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowUpdate {
    /// The cells that changed.
    Cells,
    /// All cells: what is left of a wide character that is half written over is up to the terminal.
    AllCells,
    /// All cells, behind erasing the row: what a terminal put elsewhere than we think can be removed with the row only.
    Erased,
}

impl RowUpdate {
    /// For a row of the frame before and of this one.
    fn of(shown: &[Cell], next: &[Cell]) -> Self {
        let mut update = Self::Cells;
        for symbol in shown.iter().chain(next).map(Cell::symbol).filter(|symbol| symbol.len() > 2) {
            if is_uncertain(symbol) {
                return Self::Erased;
            }
            if plain::width(symbol) > 1 {
                update = Self::AllCells;
            }
        }
        update
    }
}

/// Whether terminals may disagree about the columns of a character: clusters of several, and pictures.
fn is_uncertain(symbol: &str) -> bool {
    let mut chars = symbol.chars();
    let first = chars.next().unwrap_or(' ');
    chars.next().is_some() || matches!(u32::from(first), 0x2190..0x2500 | 0x25a0..0x2c00 | 0x1f000..)
}

impl CellDiff {
    /// For a terminal of this size of which nothing is known.
    pub(crate) fn new(size: (u16, u16)) -> Self {
        let blank = Buffer::empty(Rect::new(0, 0, size.0, size.1));
        Self {
            shown: blank.clone(),
            next: blank,
            out: Vec::with_capacity(16 << 10),
            before: Vec::new(),
            after: Vec::new(),
            size,
            pen: SgrPen::RESET,
            at: None,
            cursor_shown: None,
            unknown: true,
            sync: false,
            links: Hyperlinks::default(),
            graphics: Graphics::default(),
            placed: Vec::new(),
            sent: BTreeSet::new(),
        }
    }

    pub(crate) fn size(&self) -> (u16, u16) {
        self.size
    }

    /// The size from now on.
    pub(crate) fn set_size(&mut self, size: (u16, u16)) {
        self.size = size;
        let area = Rect::new(0, 0, size.0, size.1);
        self.shown.resize(area);
        self.next.resize(area);
        self.forget();
    }

    /// Whether the terminal knows synchronized updates.
    pub(crate) fn set_sync(&mut self, sync: bool) {
        self.sync = sync;
    }

    /// Where the addresses of links are found.
    pub(crate) fn set_links(&mut self, links: Hyperlinks) {
        self.links = links;
    }

    /// Where the pictures are found that cells carry.
    pub(crate) fn set_graphics(&mut self, graphics: Graphics) {
        self.graphics = graphics;
    }

    /// Nothing is known of the screen any more.
    pub(crate) fn forget(&mut self) {
        self.sent.clear();
        self.unknown = true;
        self.at = None;
        self.cursor_shown = None;
    }

    /// These bytes go out in front of the next frame.
    pub(crate) fn before(&mut self, bytes: &[u8]) {
        self.before.extend_from_slice(bytes);
    }

    /// These bytes go out behind the next frame.
    pub(crate) fn after(&mut self, bytes: &[u8]) {
        self.after.extend_from_slice(bytes);
    }

    /// Draws the next frame on an empty screen; what draws it tells where the cursor stands, if it is to be seen.
    pub(crate) fn draw(&mut self, render: impl FnOnce(&mut Buffer) -> Option<Position>) {
        let (mut shown, mut next) = (std::mem::take(&mut self.shown), std::mem::take(&mut self.next));
        next.reset();
        let cursor = render(&mut next);
        if self.unknown {
            shown.reset();
            self.out.extend_from_slice(b"\x1b[m");
            self.pen = SgrPen::RESET;
            self.at = None;
        }
        let placed = self.graphics.placed(&next);
        self.take_away(&placed, &mut shown);
        let mut over = Vec::new();
        let width = usize::from(shown.area.width).max(1);
        let rows = shown.content.chunks(width).zip(next.content.chunks(width));
        for (y, (shown, next)) in (0u16..).zip(rows) {
            if self.unknown {
                self.erase_row(y);
            }
            if let Some(first) = shown.iter().zip(next).position(|(shown, next)| shown != next) {
                let all = self.row(y, first, shown, next);
                let is_over = |place: &&PlacedPicture| place.is_written_over(y, all, shown, next);
                over.extend(placed.iter().filter(is_over).map(|place| place.number));
            }
        }
        // No link stays open behind a frame: others may write there.
        self.close_link();
        self.place_pictures(placed, &over);
        self.unknown = false;
        self.place_cursor(cursor);
        (self.shown, self.next) = (next, shown);
    }

    /// Takes the pictures away that are not where they were. What is under them has to be written anew.
    fn take_away(&mut self, placed: &[PlacedPicture], shown: &mut Buffer) {
        for gone in self.placed.iter().filter(|gone| !placed.iter().any(|place| place.is_same(gone))) {
            if !placed.iter().any(|place| place.number == gone.number) {
                gone.picture.take_away(gone.number, &mut self.out);
                self.sent.remove(&gone.number);
            }
            for at in gone.area.positions() {
                if let Some(cell) = shown.cell_mut(at) {
                    // No cell of a frame is like it.
                    cell.set_symbol("\0");
                }
            }
        }
    }

    /// Draws the pictures that are new, or were written over.
    fn place_pictures(&mut self, placed: Vec<PlacedPicture>, over: &[PictureNumber]) {
        for place in &placed {
            let stands = !self.unknown && self.placed.iter().any(|before| before.is_same(place));
            if stands && !over.contains(&place.number) {
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

    /// Everything that is to be written now, in one piece; the vector may be given back with [`CellDiff::recycle`].
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

    /// Gives a written buffer back, to be used again.
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
                // Just erased: a space is shorter than a move, and the text stays one piece.
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

    /// Closes and opens links before the looks change.
    fn change_pen(&mut self, to: SgrPen) {
        if self.pen.link != to.link {
            let address = to.link.and_then(|number| Some((number, self.links.address(number)?)));
            // Writing to a vector can't fail.
            let _ = match address {
                // The number makes one of the rows of a link.
                Some((number, address)) => write!(self.out, "\x1b]8;id={};{address}\x1b\\", number.0),
                None => write!(self.out, "\x1b]8;;\x1b\\"),
            };
        }
        self.pen.change(to, &mut self.out);
    }

    fn close_link(&mut self) {
        let mut open = self.pen;
        open.link = None;
        self.change_pen(open);
    }

    fn erase_row(&mut self, y: u16) {
        self.change_pen(SgrPen::RESET);
        self.go_to(0, y);
        self.out.extend_from_slice(b"\x1b[K");
    }

    /// A row that differs from this column on. Whether all of its cells were written.
    fn row(&mut self, y: u16, first: usize, shown: &[Cell], next: &[Cell]) -> bool {
        let update = RowUpdate::of(shown, next);
        if update == RowUpdate::Erased && !self.unknown {
            self.erase_row(y);
        }
        let first = if update == RowUpdate::Cells { first } else { 0 };
        let mut hidden = 0;
        for (x, (shown, next)) in (0u16..).zip(shown.iter().zip(next)).skip(first) {
            if hidden > 0 {
                hidden -= 1;
                continue;
            }
            if update != RowUpdate::Cells {
                hidden = plain::width(next.symbol()).saturating_sub(1);
            } else if shown == next {
                continue;
            }
            self.cell(x, y, next);
        }
        update != RowUpdate::Cells
    }

    fn cell(&mut self, x: u16, y: u16, cell: &Cell) {
        self.go_to(x, y);
        self.change_pen(SgrPen::of(cell));
        let symbol = cell.symbol();
        self.out.extend_from_slice(symbol.as_bytes());
        // Terminals disagree on the width of everything but plain characters, and at the edge of the screen.
        let certain = symbol.len() == 1 && x + 1 < self.size.0;
        self.at = certain.then_some(Position { x: x + 1, y });
    }
}

#[cfg(test)]
mod tests;
