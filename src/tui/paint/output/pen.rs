//! How printed characters look: what SGR sequences say, kept small, and what a terminal of a given depth is told of it.
//!
//! Blinking and hidden text are not obeyed, and text in the colour of its own background is drawn without colours.

use crate::tui::theme::colour::{Colour, rgb_of};
use crate::tui::theme::{Depth, Rgb};
use ratatui::style::{Color, Modifier, Style};

/// A colour as a program asked for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Ink {
    #[default]
    Default,
    Indexed(u8),
    Rgb(u8, u8, u8),
}

/// The look of the characters that are printed next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pen {
    fg: Ink,
    bg: Ink,
    modifiers: Modifier,
}

impl Ink {
    fn at(self, depth: Depth) -> Option<Color> {
        match self {
            Ink::Default => None,
            Ink::Indexed(i @ 0..=15) => Colour::Ansi(i).at(depth),
            Ink::Indexed(i) => Colour::Indexed(i, rgb_of(i).nearest16()).at(depth),
            Ink::Rgb(r, g, b) => {
                let rgb = Rgb(r, g, b);
                Colour::Rgb(rgb, rgb.nearest256(), rgb.nearest16()).at(depth)
            }
        }
    }
}

impl Pen {
    /// Obeys the parameters of an SGR sequence.
    pub(super) fn obey(&mut self, parameters: &[u8]) {
        let mut groups = parameters.split(|b| *b == b';');
        while let Some(group) = groups.next() {
            let mut parts = group.split(|b| *b == b':').map(number);
            let code = parts.next().flatten().unwrap_or(0);
            if !matches!(code, 38 | 48 | 58) {
                self.obey_one(code, parts.next().flatten());
                continue;
            }
            let ink = if group.contains(&b':') {
                colon_ink(&parts.collect::<Vec<_>>())
            } else {
                semicolon_ink(&mut groups)
            };
            match (code, ink) {
                (38, Some(ink)) => self.fg = ink,
                (48, Some(ink)) => self.bg = ink,
                _ => {}
            }
        }
    }

    fn obey_one(&mut self, code: u16, part: Option<u16>) {
        let low = |base: u16| u8::try_from(code - base).unwrap_or(0);
        match code {
            0 => *self = Self::default(),
            1 => self.modifiers |= Modifier::BOLD,
            2 => self.modifiers |= Modifier::DIM,
            3 => self.modifiers |= Modifier::ITALIC,
            4 if part == Some(0) => self.modifiers -= Modifier::UNDERLINED,
            4 | 21 => self.modifiers |= Modifier::UNDERLINED,
            7 => self.modifiers |= Modifier::REVERSED,
            9 => self.modifiers |= Modifier::CROSSED_OUT,
            22 => self.modifiers -= Modifier::BOLD | Modifier::DIM,
            23 => self.modifiers -= Modifier::ITALIC,
            24 => self.modifiers -= Modifier::UNDERLINED,
            27 => self.modifiers -= Modifier::REVERSED,
            29 => self.modifiers -= Modifier::CROSSED_OUT,
            30..=37 => self.fg = Ink::Indexed(low(30)),
            39 => self.fg = Ink::Default,
            40..=47 => self.bg = Ink::Indexed(low(40)),
            49 => self.bg = Ink::Default,
            90..=97 => self.fg = Ink::Indexed(low(82)),
            100..=107 => self.bg = Ink::Indexed(low(92)),
            _ => {}
        }
    }

    /// The style that a terminal of this depth shows.
    pub(super) fn style(self, depth: Depth) -> Style {
        let mono = Modifier::BOLD | Modifier::UNDERLINED | Modifier::REVERSED;
        let modifiers = if depth == Depth::Mono { self.modifiers & mono } else { self.modifiers };
        let mut style = Style::new().add_modifier(modifiers);
        let (fg, bg) = (self.fg.at(depth), self.bg.at(depth));
        if fg.is_none() || fg != bg {
            style.fg = fg;
            style.bg = bg;
        }
        style
    }
}

/// A number; `None` when there is none. What is too large stays too large.
pub(super) fn number(digits: &[u8]) -> Option<u16> {
    if digits.is_empty() {
        return None;
    }
    let value = digits.iter().try_fold(0u16, |value, digit| {
        let digit = digit.checked_sub(b'0').filter(|d| *d < 10)?;
        value.checked_mul(10)?.checked_add(digit.into())
    });
    Some(value.unwrap_or(u16::MAX))
}

/// `5;n` or `2;r;g;b` behind a 38.
fn semicolon_ink<'a>(groups: &mut impl Iterator<Item = &'a [u8]>) -> Option<Ink> {
    let kind = groups.next().and_then(number);
    let mut next = || u8::try_from(groups.next().and_then(number).unwrap_or(0)).ok();
    match kind {
        Some(5) => next().map(Ink::Indexed),
        Some(2) => {
            let (r, g, b) = (next(), next(), next());
            Some(Ink::Rgb(r?, g?, b?))
        }
        _ => None,
    }
}

/// `5:n`, `2:r:g:b` or `2:space:r:g:b` behind a 38.
fn colon_ink(parts: &[Option<u16>]) -> Option<Ink> {
    let byte = |part: &Option<u16>| u8::try_from(part.unwrap_or(0)).ok();
    match parts {
        [Some(5), index, ..] => byte(index).map(Ink::Indexed),
        [Some(2), r, g, b] | [Some(2), _, r, g, b, ..] => Some(Ink::Rgb(byte(r)?, byte(g)?, byte(b)?)),
        _ => None,
    }
}
