//! Encodes a picture for a protocol. The result contains nothing but the picture's pixels and size.
//!
//! - kitty: <https://sw.kovidgoyal.net/kitty/graphics-protocol/>; sent once, then drawn (in whole or in part)
//!   and removed by its number. It is scaled to the pixels of its cells beforehand, because terminals that
//!   enlarge a picture repeat some of its columns. If that would be too many pixels or bytes, it is sent
//!   unscaled, and the terminal scales it.
//! - iTerm2: <https://iterm2.com/documentation-images.html>; sent each time it is drawn, gone where text is
//!   written over it.
//! - sixel: like iTerm2.

use super::{GraphicsProtocol, PictureNumber, sixel};
use crate::domain::Pixels;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::io::Write as _;
use std::ops::Range;

/// Bytes of a chunk in kitty's protocol.
const PIECE_BYTES: usize = 4096;
/// The most pixels that a picture is scaled to; beyond, the terminal scales it.
const MAX_PIXELS: u64 = 4 << 20;

/// A picture encoded for the terminal.
#[derive(Debug)]
pub(crate) struct EncodedPicture {
    protocol: GraphicsProtocol,
    cells: (u16, u16),
    /// The size of the encoded picture in pixels.
    sides: (u32, u32),
    /// The picture's data, without the protocol's head and end.
    body: Vec<u8>,
}

impl EncodedPicture {
    /// Encodes a picture that fills so many cells, each of so many pixels; `None`: it can't be encoded.
    pub(super) fn new(
        protocol: GraphicsProtocol,
        picture: &Pixels,
        (cells, cell): ((u16, u16), (u16, u16)),
    ) -> Option<Self> {
        let side = |cells: u16, pixels: u16| u32::from(cells) * u32::from(pixels);
        let (width, height) = (side(cells.0, cell.0), side(cells.1, cell.1));
        let (sides, body) = match protocol {
            GraphicsProtocol::Sixel => ((width, height), sixel::encode(&picture.resized(width, height))),
            GraphicsProtocol::Kitty => {
                let has_room = u64::from(width) * u64::from(height) <= MAX_PIXELS;
                let fitted = has_room.then(|| picture.resized(width, height)).and_then(|fitted| png(&fitted));
                fitted
                    .filter(|(_, body)| body.len() <= super::MAX_PICTURE_BYTES.0)
                    .or_else(|| png(picture))?
            }
            GraphicsProtocol::Iterm2 => png(picture)?,
        };
        Some(Self { protocol, cells, sides, body })
    }

    pub(crate) fn cells(&self) -> (u16, u16) {
        self.cells
    }

    /// The bytes of the encoded picture.
    pub(super) fn len(&self) -> usize {
        self.body.len()
    }

    /// Whether the terminal stores it once it was sent.
    pub(crate) fn is_kept(&self) -> bool {
        self.protocol == GraphicsProtocol::Kitty
    }

    /// Sends the picture to a terminal that stores it.
    pub(crate) fn send(&self, PictureNumber(number): PictureNumber, out: &mut Vec<u8>) {
        let mut pieces = self.body.chunks(PIECE_BYTES).peekable();
        let mut head = format!("a=t,f=100,i={number},q=2,");
        while let Some(piece) = pieces.next() {
            // Writing to a vector can't fail.
            let _ = write!(out, "\x1b_G{head}m={};", u8::from(pieces.peek().is_some()));
            out.extend_from_slice(piece);
            out.extend_from_slice(b"\x1b\\");
            head.clear();
        }
    }

    /// Whether single rows of it can be drawn.
    pub(super) fn can_be_cut(&self) -> bool {
        self.protocol == GraphicsProtocol::Kitty
    }

    /// Draws these rows of it at the cursor, or the whole picture if it can't be cropped. The cursor's position
    /// is undefined afterwards.
    pub(crate) fn place(&self, PictureNumber(number): PictureNumber, rows: &Range<u16>, out: &mut Vec<u8>) {
        let (columns, all) = self.cells;
        // Writing to a vector can't fail.
        let _ = match self.protocol {
            GraphicsProtocol::Kitty => {
                let (width, height) = self.sides;
                let pixel = |row: u16| u32::from(row) * height / u32::from(all.max(1));
                let (top, bottom) = (pixel(rows.start), pixel(rows.end));
                let (part, shown) = (bottom - top, rows.len());
                write!(
                    out,
                    "\x1b_Ga=p,i={number},p=1,x=0,y={top},w={width},h={part},c={columns},r={shown},C=1,q=2\x1b\\"
                )
            }
            GraphicsProtocol::Iterm2 => {
                let head = format!("width={columns};height={all};preserveAspectRatio=0;doNotMoveCursor=1");
                write!(out, "\x1b]1337;File=inline=1;{head}:")
                    .and_then(|()| out.write_all(&self.body))
                    .and_then(|()| out.write_all(b"\x07"))
            }
            GraphicsProtocol::Sixel => out.write_all(&self.body),
        };
    }

    /// Removes it from a terminal that stores it. Pictures of other protocols vanish where text is written.
    pub(crate) fn take_away(&self, PictureNumber(number): PictureNumber, out: &mut Vec<u8>) {
        if self.is_kept() {
            let _ = write!(out, "\x1b_Ga=d,d=I,i={number},q=2\x1b\\");
        }
    }
}

/// The size of a picture, and its PNG in base64.
fn png(picture: &Pixels) -> Option<((u32, u32), Vec<u8>)> {
    let sides = (picture.width(), picture.height());
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, sides.0, sides.1);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    encoder.write_header().and_then(|mut writer| writer.write_image_data(picture.bytes())).ok()?;
    Some((sides, STANDARD.encode(png).into_bytes()))
}
