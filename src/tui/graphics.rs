//! Pictures drawn by the terminal itself: the protocol, the table of pictures, and how a cell carries its
//! picture to the writer.
//!
//! Each picture is also drawn in half blocks. The terminal draws the picture over them if all of its cells are
//! visible and nothing covers them (or whole rows of it, if the protocol can crop); otherwise the half blocks
//! are seen. A cell carries the number of its picture's row like that of a link (`cell_tag`).

mod encode;
mod sixel;

use super::paint::cell_tag::CellTag;
use crate::domain::Pixels;
use encode::EncodedPicture;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use std::collections::{BTreeMap, btree_map::Entry};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// The most bytes of pictures in the table; beyond, the oldest are dropped and drawn in half blocks.
const MAX_KEPT_BYTES: usize = 16 << 20;
/// The largest picture in bytes: for protocols where the terminal stores it, and for those where it is sent
/// again whenever its rows are redrawn.
const MAX_PICTURE_BYTES: (usize, usize) = (4 << 20, 512 << 10);

/// The protocol by which a terminal draws pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GraphicsProtocol {
    /// kitty's graphics protocol.
    Kitty,
    /// iTerm2's inline images.
    Iterm2,
    /// DEC's sixels.
    Sixel,
}

/// How pictures are drawn, from the person's setting and the environment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ImageMode {
    /// Not at all.
    Off,
    /// Only in half blocks.
    #[default]
    HalfBlocks,
    /// By this protocol, whatever the terminal answers.
    By(GraphicsProtocol),
    /// By the best protocol that the terminal says it supports.
    Best {
        /// The protocol that terminals of this name are known to support.
        brand: Option<GraphicsProtocol>,
        /// Whether to ask the terminal for kitty's protocol: some terminals print that question.
        asks_kitty: bool,
    },
}

impl ImageMode {
    /// The best mode for the terminal of this environment. A program in between that keeps its own screen
    /// passes no pictures on.
    pub(crate) fn best(env: impl Fn(&str) -> Option<String>) -> Self {
        let value = |name: &str| env(name).unwrap_or_default();
        let (term, program) = (value("TERM"), value("TERM_PROGRAM"));
        let has = |name: &str| env(name).is_some_and(|value| !value.is_empty());
        let between = ["TMUX", "STY", "ZELLIJ"].into_iter().any(has)
            || ["screen", "tmux", "dumb"].iter().any(|start| term.starts_with(start));
        if between {
            return Self::HalfBlocks;
        }
        let is_iterm2 = ["iTerm.app", "WezTerm", "mintty"].contains(&program.as_str());
        let asks_kitty = ["xterm-kitty", "xterm-ghostty"].contains(&term.as_str())
            || program == "ghostty"
            || has("KONSOLE_VERSION");
        Self::Best { brand: is_iterm2.then_some(GraphicsProtocol::Iterm2), asks_kitty }
    }

    /// Whether to ask the terminal for kitty's protocol.
    pub(super) fn asks_kitty(self) -> bool {
        matches!(self, Self::Best { asks_kitty: true, .. })
    }

    /// The protocol that can be used without an answer of the terminal.
    pub(super) fn fixed(self) -> Option<GraphicsProtocol> {
        match self {
            Self::By(protocol) => Some(protocol),
            _ => None,
        }
    }

    /// The protocol for a terminal that has answered all questions.
    pub(super) fn protocol_for(self, kitty: bool, sixel: bool) -> Option<GraphicsProtocol> {
        match self {
            Self::Best { .. } if kitty => Some(GraphicsProtocol::Kitty),
            Self::Best { brand: Some(brand), .. } => Some(brand),
            Self::Best { .. } => sixel.then_some(GraphicsProtocol::Sixel),
            _ => self.fixed(),
        }
    }
}

/// The table of pictures that the terminal may draw, shared by the painters and the writer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graphics(Arc<Mutex<PictureTable>>);

#[derive(Debug, Default)]
struct PictureTable {
    /// `None`: pictures are drawn in half blocks.
    protocol: Option<GraphicsProtocol>,
    pictures: BTreeMap<PictureNumber, Arc<EncodedPicture>>,
    /// How many rows all pictures ever added have.
    rows: u32,
}

impl PictureTable {
    /// Finds the picture and the row that these cells refer to.
    fn row(&self, PictureNumber(carried): PictureNumber, area: Rect) -> Option<PlacedPicture> {
        let (number, picture) = self.pictures.range(..=PictureNumber(carried)).next_back()?;
        let row = u16::try_from(carried - number.0).ok().filter(|row| *row < picture.cells().1)?;
        Some(PlacedPicture { number: *number, area, rows: row..row + 1, picture: picture.clone() })
    }
}

/// The number of a picture and of its first row; the rows below have the following numbers. A number keeps its
/// picture for the whole life of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PictureNumber(u32);

impl PictureNumber {
    fn carried(underline: Color) -> Option<Self> {
        CellTag::of(underline)?.picture().map(Self)
    }

    /// The style that the cells of a row of the picture carry.
    pub(crate) fn row(self, row: u16) -> Style {
        CellTag::new(self.0 + u32::from(row)).style()
    }
}

/// A picture in a frame.
#[derive(Clone, Debug)]
pub(crate) struct PlacedPicture {
    pub(crate) number: PictureNumber,
    /// Its visible cells.
    pub(crate) area: Rect,
    /// The rows of the picture that these cells show.
    pub(crate) rows: Range<u16>,
    pub(crate) picture: Arc<EncodedPicture>,
}

impl PlacedPicture {
    /// Whether this is the same part of the same picture at the same position.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (self.number, self.area, &self.rows) == (other.number, other.area, &other.rows)
    }

    /// Adds the next row; `None`: `row` does not follow.
    fn extended_by(mut self, row: &Self) -> Option<Self> {
        let follows = row.area.y == self.area.bottom() && row.area.x == self.area.x;
        self.area.height += 1;
        self.rows.end += 1;
        follows.then_some(self)
    }

    /// Whether drawing row `y` overwrites the picture: the whole row (`all`), or its changed cells.
    pub(crate) fn is_written_over(&self, y: u16, all: bool, shown: &[Cell], next: &[Cell]) -> bool {
        let columns = usize::from(self.area.left())..usize::from(self.area.right());
        (self.area.top()..self.area.bottom()).contains(&y)
            && (all || shown.get(columns.clone()) != next.get(columns))
    }
}

impl Graphics {
    /// Sets the protocol and drops all pictures.
    pub(crate) fn set_protocol(&self, protocol: Option<GraphicsProtocol>) {
        let mut table = self.lock();
        table.protocol = protocol;
        table.pictures.clear();
    }

    /// The protocol; `None`: half blocks.
    pub(crate) fn protocol(&self) -> Option<GraphicsProtocol> {
        self.lock().protocol
    }

    /// Adds a picture that fills so many cells, each of so many pixels; returns the number that its cells have
    /// to carry. `None`: the picture is only drawn in half blocks.
    pub(crate) fn keep(
        &self,
        picture: &Pixels,
        (cells, cell): ((u16, u16), (u16, u16)),
    ) -> Option<PictureNumber> {
        let protocol = self.protocol()?;
        let encoded = EncodedPicture::new(protocol, picture, (cells, cell))?;
        let most = if encoded.is_kept() { MAX_PICTURE_BYTES.0 } else { MAX_PICTURE_BYTES.1 };
        let mut table = self.lock();
        let rows = table.rows + u32::from(cells.1);
        if encoded.len() > most || rows > CellTag::FIRST_PICTURE {
            return None;
        }
        let number = PictureNumber(CellTag::FIRST_PICTURE + table.rows);
        table.rows = rows;
        table.pictures.insert(number, Arc::new(encoded));
        let mut bytes: usize = table.pictures.values().map(|picture| picture.len()).sum();
        while bytes > MAX_KEPT_BYTES
            && let Some((_, oldest)) = table.pictures.pop_first()
        {
            bytes -= oldest.len();
        }
        Some(number)
    }

    /// The pictures to draw in a frame, each at one position. A picture that reaches the last row is left out:
    /// terminals scroll after drawing it.
    pub(crate) fn placed(&self, frame: &Buffer) -> Vec<PlacedPicture> {
        let table = self.lock();
        if table.pictures.is_empty() {
            return Vec::new();
        }
        // By number and by where the first row would be; `None`: something covers the picture.
        let mut views: BTreeMap<(PictureNumber, i32), Option<PlacedPicture>> = BTreeMap::new();
        let width = usize::from(frame.area.width).max(1);
        for (y, cells) in (0u16..).zip(frame.content.chunks(width)) {
            let mut x = 0;
            for run in cells.chunk_by(|one, next| one.underline_color == next.underline_color) {
                let area = Rect { x, y, width: run.len() as u16, height: 1 };
                x = area.right();
                let carried = run.first().and_then(|cell| PictureNumber::carried(cell.underline_color));
                let Some(place) = carried.and_then(|carried| table.row(carried, area)) else { continue };
                let origin = i32::from(y) - i32::from(place.rows.start);
                let number = place.number;
                let is_whole = area.width == place.picture.cells().0 && area.bottom() < frame.area.height;
                let place = Some(place).filter(|_| is_whole);
                match views.entry((number, origin)) {
                    Entry::Vacant(view) => drop(view.insert(place)),
                    Entry::Occupied(mut view) => {
                        let before = view.get_mut().take();
                        *view.get_mut() =
                            before.zip(place).and_then(|(before, row)| before.extended_by(&row));
                    }
                }
            }
        }
        let mut placed: Vec<PlacedPicture> = Vec::new();
        for view in views.into_values().flatten() {
            let is_whole = view.area.height == view.picture.cells().1;
            let is_other = placed.last().is_none_or(|last| last.number != view.number);
            if is_other && (is_whole || view.picture.can_be_cut()) {
                placed.push(view);
            }
        }
        placed
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, PictureTable> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes all pictures from a terminal that stores them.
pub(crate) const FORGET_ALL: &str = "\x1b_Ga=d,d=A,q=2\x1b\\";
/// Asks whether the terminal supports kitty's protocol, with a picture of one pixel that is not stored.
pub(crate) const QUESTION: &str = "\x1b_Gi=1,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\";

/// Parses the answer to [`QUESTION`]; `None`: this is no answer to it.
pub(crate) fn parse_answer(text: &[u8]) -> Option<bool> {
    text.strip_prefix(b"Gi=1;").map(|said| said == b"OK")
}

#[cfg(test)]
mod tests;
