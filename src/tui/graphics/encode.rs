//! A picture in the bytes of a protocol. Nothing but its pixels and sides is in them.
//!
//! - kitty: <https://sw.kovidgoyal.net/kitty/graphics-protocol/>; sent once, placed by its number, and taken away by it.
//! - iTerm2: <https://iterm2.com/documentation-images.html>; sent each time, gone where text is written over it.
//! - sixel: as iTerm2's.

use super::{GraphicsProtocol, PictureNumber, sixel};
use crate::domain::Pixels;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder as _};
use std::io::Write as _;

/// Bytes of a piece in kitty's protocol.
const PIECE: usize = 4096;

/// A picture as the terminal is sent it.
#[derive(Debug)]
pub(crate) struct EncodedPicture {
    protocol: GraphicsProtocol,
    cells: (u16, u16),
    /// What is between the protocol's own words.
    body: Vec<u8>,
}

impl EncodedPicture {
    /// A picture that fills so many columns and rows, of so many pixels each; `None`: it can't be written so.
    pub(super) fn new(
        protocol: GraphicsProtocol,
        picture: &Pixels,
        (cells, cell): ((u16, u16), (u16, u16)),
    ) -> Option<Self> {
        let body = match protocol {
            // Its pixels are those of the screen.
            GraphicsProtocol::Sixel => {
                let side = |cells: u16, pixels: u16| u32::from(cells) * u32::from(pixels);
                sixel::encode(&picture.resized(side(cells.0, cell.0), side(cells.1, cell.1)))
            }
            GraphicsProtocol::Kitty | GraphicsProtocol::Iterm2 => {
                let mut png = Vec::new();
                PngEncoder::new(&mut png)
                    .write_image(picture.bytes(), picture.width(), picture.height(), ExtendedColorType::Rgba8)
                    .ok()?;
                STANDARD.encode(png).into_bytes()
            }
        };
        Some(Self { protocol, cells, body })
    }

    /// Columns and rows.
    pub(crate) fn cells(&self) -> (u16, u16) {
        self.cells
    }

    /// Bytes of the picture.
    pub(super) fn len(&self) -> usize {
        self.body.len()
    }

    /// Whether the terminal keeps it once it was sent.
    pub(crate) fn is_kept(&self) -> bool {
        self.protocol == GraphicsProtocol::Kitty
    }

    /// Sends it, where the terminal keeps it.
    pub(crate) fn send(&self, PictureNumber(number): PictureNumber, out: &mut Vec<u8>) {
        let mut pieces = self.body.chunks(PIECE).peekable();
        let mut head = format!("a=t,f=100,i={number},q=2,");
        while let Some(piece) = pieces.next() {
            // Writing to a vector can't fail.
            let _ = write!(out, "\x1b_G{head}m={};", u8::from(pieces.peek().is_some()));
            out.extend_from_slice(piece);
            out.extend_from_slice(b"\x1b\\");
            head.clear();
        }
    }

    /// Draws it where the cursor stands. The cursor may stand anywhere then.
    pub(crate) fn place(&self, PictureNumber(number): PictureNumber, out: &mut Vec<u8>) {
        let (columns, rows) = self.cells;
        // Writing to a vector can't fail.
        let _ = match self.protocol {
            GraphicsProtocol::Kitty => {
                write!(out, "\x1b_Ga=p,i={number},p=1,c={columns},r={rows},C=1,q=2\x1b\\")
            }
            GraphicsProtocol::Iterm2 => {
                let head = format!("width={columns};height={rows};preserveAspectRatio=0;doNotMoveCursor=1");
                write!(out, "\x1b]1337;File=inline=1;{head}:")
                    .and_then(|()| out.write_all(&self.body))
                    .and_then(|()| out.write_all(b"\x07"))
            }
            GraphicsProtocol::Sixel => out.write_all(&self.body),
        };
    }

    /// Takes it away, with what the terminal keeps of it. Others are gone where text is written.
    pub(crate) fn take_away(&self, PictureNumber(number): PictureNumber, out: &mut Vec<u8>) {
        if self.is_kept() {
            let _ = write!(out, "\x1b_Ga=d,d=I,i={number},q=2\x1b\\");
        }
    }
}
