//! Writes styles as SGR sequences: only the difference to the style before. Pure.

use crate::tui::paint::cell_tag::CellTag;
use crate::tui::theme::colour::ANSI;
use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};
use std::io::Write as _;

/// The terminal's present style. It includes the link, but the owner of the addresses writes that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SgrPen {
    pub(super) link: Option<u32>,
    fg: Color,
    bg: Color,
    modifier: Modifier,
}

impl SgrPen {
    /// The style after a reset.
    pub(super) const RESET: SgrPen =
        SgrPen { link: None, fg: Color::Reset, bg: Color::Reset, modifier: Modifier::empty() };

    pub(super) fn of(cell: &Cell) -> Self {
        SgrPen {
            link: CellTag::of(cell.underline_color).and_then(CellTag::link),
            fg: cell.fg,
            bg: cell.bg,
            modifier: cell.modifier,
        }
    }

    /// Whether a space looks like an erased cell.
    pub(super) fn leaves_spaces_blank(self) -> bool {
        self.link.is_none()
            && self.bg == Color::Reset
            && !self.modifier.intersects(Modifier::REVERSED | Modifier::UNDERLINED | Modifier::CROSSED_OUT)
    }

    /// Writes the sequence that changes the style from `self` to `to`.
    pub(super) fn change(&mut self, to: SgrPen, out: &mut Vec<u8>) {
        self.link = to.link;
        if *self == to {
            return;
        }
        if to == (SgrPen { link: to.link, ..SgrPen::RESET }) {
            out.extend_from_slice(b"\x1b[m");
            *self = to;
            return;
        }
        out.extend_from_slice(b"\x1b[");
        let start = out.len();
        self.modifiers(to.modifier, out);
        if self.fg != to.fg {
            color(to.fg, false, out);
        }
        if self.bg != to.bg {
            color(to.bg, true, out);
        }
        // Every parameter ended with `;`: turn the last one into the final byte.
        match out.last_mut() {
            Some(last) if *last == b';' => *last = b'm',
            _ => out.truncate(start.saturating_sub(2)),
        }
        *self = to;
    }

    fn modifiers(self, to: Modifier, out: &mut Vec<u8>) {
        const BOLD_DIM: Modifier = Modifier::BOLD.union(Modifier::DIM);
        // The codes that switch each one on and off; blinking is never used.
        const CODES: [(Modifier, &str, &str); 7] = [
            (Modifier::BOLD, "1;", ""),
            (Modifier::DIM, "2;", ""),
            (Modifier::ITALIC, "3;", "23;"),
            (Modifier::UNDERLINED, "4;", "24;"),
            (Modifier::REVERSED, "7;", "27;"),
            (Modifier::HIDDEN, "8;", "28;"),
            (Modifier::CROSSED_OUT, "9;", "29;"),
        ];
        let (removed, mut added) = (self.modifier - to, to - self.modifier);
        // Some terminals treat bold and dim as one: switch both off, and set them again when either changes.
        if self.modifier.intersects(BOLD_DIM) && (removed | added).intersects(BOLD_DIM) {
            out.extend_from_slice(b"22;");
            added |= to & BOLD_DIM;
        }
        for (_, _, off) in CODES.iter().filter(|(modifier, ..)| removed.contains(*modifier)) {
            out.extend_from_slice(off.as_bytes());
        }
        for (_, on, _) in CODES.iter().filter(|(modifier, ..)| added.contains(*modifier)) {
            out.extend_from_slice(on.as_bytes());
        }
    }
}

fn color(color: Color, background: bool, out: &mut Vec<u8>) {
    let offset = if background { 10 } else { 0 };
    // Writing to a vector can't fail.
    let _ = match color {
        Color::Reset => write!(out, "{};", 39 + offset),
        Color::Indexed(i) => write!(out, "{};5;{i};", 38 + offset),
        Color::Rgb(r, g, b) => write!(out, "{};2;{r};{g};{b};", 38 + offset),
        named => {
            let index = ANSI.iter().position(|(_, _, color)| *color == named).unwrap_or_default();
            // The eight bright ones have codes of their own, from 90 on.
            let code = if index < 8 { 30 + index } else { 90 + (index - 8) };
            write!(out, "{};", code + offset)
        }
    };
}
