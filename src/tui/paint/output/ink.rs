//! The colours of a program, as it set them, and what becomes of them on screen.

use crate::domain::Stream;
use crate::tui::theme::colour::{ansi_color, approximate};
use crate::tui::theme::{Depth, Slot, Theme};
use ratatui::style::{Color, Modifier, Style};

/// How a piece of output looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ink {
    fg: Color,
    bg: Color,
    modifier: Modifier,
    source: Source,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Stdout,
    Stderr,
    /// Shown in place of what a terminal would obey.
    Shown,
    /// Words of our own.
    Note,
}

impl Default for Ink {
    fn default() -> Self {
        Self { fg: Color::Reset, bg: Color::Reset, modifier: Modifier::empty(), source: Source::Stdout }
    }
}

impl Ink {
    /// For words of our own between the lines.
    pub fn note() -> Self {
        Self { source: Source::Note, ..Self::default() }
    }

    /// The same on this stream.
    pub fn on(self, stream: Stream) -> Self {
        let source = if stream == Stream::Stderr { Source::Stderr } else { Source::Stdout };
        Self { source, ..self }
    }

    /// For what is shown in place of something that may not be drawn.
    pub fn shown(self) -> Self {
        Self { source: Source::Shown, ..self }
    }

    /// The style on screen.
    pub fn style(self, theme: &Theme) -> Style {
        let base = match self.source {
            Source::Stdout => theme.style(Slot::UiText),
            Source::Stderr => theme.style(Slot::OutputStderr),
            Source::Shown => return theme.mark(),
            Source::Note => return theme.style(Slot::OutputTruncated),
        };
        let mut style = base.add_modifier(self.modifier);
        if theme.depth() == Depth::Mono {
            let kept = Modifier::BOLD | Modifier::UNDERLINED | Modifier::REVERSED;
            return Style::new().add_modifier(style.add_modifier & kept);
        }
        if self.fg != Color::Reset {
            style.fg = Some(fit(self.fg, theme.depth()));
        }
        // Text in the colour of its background would hide.
        if self.bg != Color::Reset && self.bg != self.fg {
            style.bg = Some(fit(self.bg, theme.depth()));
        }
        style
    }

    /// Takes the numbers of an SGR sequence.
    pub fn set(&mut self, params: &[u8]) {
        let mut numbers = params.split(|b| *b == b';' || *b == b':').map(|part| {
            part.iter()
                .fold(0u16, |n, b| n.saturating_mul(10).saturating_add(u16::from(b.wrapping_sub(b'0'))))
        });
        while let Some(number) = numbers.next() {
            match number {
                0 => *self = Self { source: self.source, ..Self::default() },
                1 => self.modifier |= Modifier::BOLD,
                2 => self.modifier |= Modifier::DIM,
                3 => self.modifier |= Modifier::ITALIC,
                4 => self.modifier |= Modifier::UNDERLINED,
                7 => self.modifier |= Modifier::REVERSED,
                9 => self.modifier |= Modifier::CROSSED_OUT,
                22 => self.modifier -= Modifier::BOLD | Modifier::DIM,
                23 => self.modifier -= Modifier::ITALIC,
                24 => self.modifier -= Modifier::UNDERLINED,
                27 => self.modifier -= Modifier::REVERSED,
                29 => self.modifier -= Modifier::CROSSED_OUT,
                30..=37 => self.fg = ansi(number - 30),
                38 => self.fg = extended(&mut numbers).unwrap_or(self.fg),
                39 => self.fg = Color::Reset,
                40..=47 => self.bg = ansi(number - 40),
                48 => self.bg = extended(&mut numbers).unwrap_or(self.bg),
                49 => self.bg = Color::Reset,
                90..=97 => self.fg = ansi(number - 82),
                100..=107 => self.bg = ansi(number - 92),
                // Blinking and hiding are not taken over.
                _ => {}
            }
        }
    }
}

fn ansi(index: u16) -> Color {
    ansi_color(u8::try_from(index).unwrap_or(7))
}

fn extended(numbers: &mut impl Iterator<Item = u16>) -> Option<Color> {
    let byte = |n: Option<u16>| n.and_then(|n| u8::try_from(n).ok());
    match numbers.next()? {
        5 => {
            let index = byte(numbers.next())?;
            Some(if index < 16 { ansi_color(index) } else { Color::Indexed(index) })
        }
        2 => Some(Color::Rgb(byte(numbers.next())?, byte(numbers.next())?, byte(numbers.next())?)),
        _ => None,
    }
}

/// The nearest colour that the terminal has.
fn fit(color: Color, depth: Depth) -> Color {
    match (depth, color) {
        (Depth::Ansi256, Color::Rgb(..)) => {
            approximate(color).map_or(color, |rgb| Color::Indexed(rgb.nearest256()))
        }
        (Depth::Ansi16, Color::Rgb(..) | Color::Indexed(_)) => {
            approximate(color).map_or(color, |rgb| ansi_color(rgb.nearest16()))
        }
        _ => color,
    }
}
