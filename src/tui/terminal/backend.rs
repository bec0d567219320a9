//! The backend turns changed cells into bytes in a buffer. It writes nothing itself, so that frames can be tested without a
//! terminal; the terminal's owner writes the buffer.
//!
//! The position and style of the terminal are kept from frame to frame, so a typed letter costs a few bytes. The whole
//! screen is never cleared: where its contents are unknown (start, another size, redraw), each row is erased right
//! before it is drawn, in the same write.

use super::sgr::SgrPen;
use crate::tui::paint::hyperlinks::Hyperlinks;
use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Size};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

/// What can go wrong while drawing: nothing; the buffer takes everything.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoError {}

/// Frames larger than this are shown at once by terminals that can (mode 2026); smaller ones need no help.
const SYNC_FROM: usize = 256;

/// Collects the bytes of a frame.
#[derive(Debug)]
pub(crate) struct CellDiff {
    out: Vec<u8>,
    /// Bytes to be sent in front of and behind the cells of the next frame.
    before: Vec<u8>,
    after: Vec<u8>,
    size: Size,
    pen: SgrPen,
    /// Where the terminal will put the next character, as far as that is certain.
    at: Option<Position>,
    /// Whether the cursor is shown, as far as it is known.
    cursor_shown: Option<bool>,
    unknown: bool,
    sync: bool,
    whole: WholeRows,
    links: Hyperlinks,
}

/// Rows of the next frame, by their number, that are drawn whole if anything in them changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct WholeRows(Arc<Mutex<BTreeMap<u16, Vec<Cell>>>>);

impl WholeRows {
    fn take(&self) -> BTreeMap<u16, Vec<Cell>> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Picks the rows of a frame about whose columns terminals may disagree, in this frame or in the one before:
    /// what a terminal put elsewhere than we think can only be removed with the row. `before` tells which rows those
    /// were, and is told which they are now.
    pub(crate) fn pick(&self, buffer: &Buffer, before: &mut Vec<bool>) {
        let width = usize::from(buffer.area.width).max(1);
        let mut rows = BTreeMap::new();
        before.resize(usize::from(buffer.area.height), false);
        for ((y, cells), uncertain) in (0u16..).zip(buffer.content.chunks(width)).zip(before.iter_mut()) {
            let now = cells.iter().any(|cell| is_uncertain(cell.symbol()));
            if now || *uncertain {
                rows.insert(y, cells.to_vec());
            }
            *uncertain = now;
        }
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = rows;
    }
}

/// Whether terminals may disagree about the columns of a character: clusters of several, and pictures.
fn is_uncertain(symbol: &str) -> bool {
    if symbol.len() <= 2 {
        return false;
    }
    let mut chars = symbol.chars();
    let first = chars.next().unwrap_or(' ');
    chars.next().is_some() || matches!(u32::from(first), 0x2190..0x2500 | 0x25a0..0x2c00 | 0x1f000..)
}

impl CellDiff {
    /// For a terminal of this size of which nothing is known.
    pub(crate) fn new(size: (u16, u16)) -> Self {
        Self {
            out: Vec::with_capacity(16 << 10),
            before: Vec::new(),
            after: Vec::new(),
            size: Size::new(size.0, size.1),
            pen: SgrPen::RESET,
            at: None,
            cursor_shown: None,
            unknown: true,
            sync: false,
            whole: WholeRows::default(),
            links: Hyperlinks::default(),
        }
    }

    /// Where rows are put that have to be drawn whole.
    pub(crate) fn whole_rows(&self) -> WholeRows {
        self.whole.clone()
    }

    /// The size from now on.
    pub(crate) fn set_size(&mut self, (width, height): (u16, u16)) {
        self.size = Size::new(width, height);
    }

    /// Whether the terminal knows synchronized updates.
    pub(crate) fn set_sync(&mut self, sync: bool) {
        self.sync = sync;
    }

    /// Where the addresses of links are found.
    pub(crate) fn set_links(&mut self, links: Hyperlinks) {
        self.links = links;
    }

    /// Nothing is known of the screen any more.
    pub(crate) fn forget(&mut self) {
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

    /// Everything that is to be written now, in one piece; the vector may be given back with [`CellDiff::recycle`].
    pub(crate) fn take(&mut self) -> Vec<u8> {
        let frame = std::mem::take(&mut self.out);
        let sync = self.sync && frame.len() >= SYNC_FROM;
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

    /// A row from its first column to its last, whatever the terminal has there.
    fn whole_row(&mut self, y: u16, cells: &[Cell]) {
        if !self.unknown {
            self.erase_row(y);
        }
        let mut hidden = 0;
        for (x, cell) in (0u16..).zip(cells) {
            if hidden > 0 {
                hidden -= 1;
                continue;
            }
            hidden = super::super::paint::plain::width(cell.symbol()).saturating_sub(1);
            self.cell(x, y, cell);
        }
    }

    fn cell(&mut self, x: u16, y: u16, cell: &Cell) {
        self.go_to(x, y);
        self.change_pen(SgrPen::of(cell));
        let symbol = cell.symbol();
        self.out.extend_from_slice(symbol.as_bytes());
        // Terminals disagree on the width of everything but plain characters, and at the edge of the screen.
        let certain = symbol.len() == 1 && x + 1 < self.size.width;
        self.at = certain.then_some(Position { x: x + 1, y });
    }
}

impl Backend for CellDiff {
    type Error = NoError;

    fn draw<'a, I>(&mut self, content: I) -> Result<(), NoError>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut erased = 0;
        let mut whole = self.whole.take();
        let mut drawn = None;
        if self.unknown {
            self.out.extend_from_slice(b"\x1b[m");
            self.pen = SgrPen::RESET;
            self.at = None;
        }
        for (x, y, cell) in content {
            while self.unknown && erased <= y {
                self.erase_row(erased);
                erased += 1;
            }
            if let Some(cells) = whole.remove(&y) {
                self.whole_row(y, &cells);
                drawn = Some(y);
            }
            if drawn != Some(y) {
                self.cell(x, y, cell);
            }
        }
        while self.unknown && erased < self.size.height {
            self.erase_row(erased);
            erased += 1;
        }
        // No link stays open behind a frame: others may write there.
        self.close_link();
        self.unknown = false;
        Ok(())
    }

    fn hide_cursor(&mut self) -> Result<(), NoError> {
        if self.cursor_shown != Some(false) {
            self.out.extend_from_slice(b"\x1b[?25l");
            self.cursor_shown = Some(false);
        }
        Ok(())
    }

    fn show_cursor(&mut self) -> Result<(), NoError> {
        if self.cursor_shown != Some(true) {
            self.out.extend_from_slice(b"\x1b[?25h");
            self.cursor_shown = Some(true);
        }
        Ok(())
    }

    fn get_cursor_position(&mut self) -> Result<Position, NoError> {
        // Never asked of the terminal: its answer belongs to the input thread.
        Ok(self.at.unwrap_or_default())
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> Result<(), NoError> {
        let Position { x, y } = position.into();
        self.go_to(x, y);
        Ok(())
    }

    fn clear(&mut self) -> Result<(), NoError> {
        self.clear_region(ClearType::All)
    }

    fn clear_region(&mut self, _: ClearType) -> Result<(), NoError> {
        self.unknown = true;
        Ok(())
    }

    fn size(&self) -> Result<Size, NoError> {
        Ok(self.size)
    }

    fn window_size(&mut self) -> Result<WindowSize, NoError> {
        Ok(WindowSize { columns_rows: self.size, pixels: Size::new(0, 0) })
    }

    fn flush(&mut self) -> Result<(), NoError> {
        Ok(())
    }
}

#[cfg(test)]
#[path = "backend_tests.rs"]
mod tests;
