//! Converts the look of printed characters to a style for a terminal of a given colour depth. Text in the
//! colour of its own background is drawn without colours.

use crate::domain::{Pen, PenColor, PenMark};
use crate::tui::theme::colour::{Colour, rgb_of};
use crate::tui::theme::{Depth, Rgb};
use ratatui::style::{Color, Modifier, Style};

const MARKS: [(PenMark, Modifier); 6] = [
    (PenMark::Bold, Modifier::BOLD),
    (PenMark::Dim, Modifier::DIM),
    (PenMark::Italic, Modifier::ITALIC),
    (PenMark::Underlined, Modifier::UNDERLINED),
    (PenMark::Reversed, Modifier::REVERSED),
    (PenMark::CrossedOut, Modifier::CROSSED_OUT),
];

/// The style that a terminal of this depth can show.
pub(super) fn style(pen: Pen, depth: Depth) -> Style {
    let mono = Modifier::BOLD | Modifier::UNDERLINED | Modifier::REVERSED;
    let marked = MARKS.iter().filter(|(mark, _)| pen.has(*mark));
    let modifiers = marked.fold(Modifier::empty(), |all, (_, modifier)| all | *modifier);
    let modifiers = if depth == Depth::Mono { modifiers & mono } else { modifiers };
    let mut style = Style::new().add_modifier(modifiers);
    let (fg, bg) = (at(pen.fg, depth), at(pen.bg, depth));
    if fg.is_none() || fg != bg {
        style.fg = fg;
        style.bg = bg;
    }
    style
}

fn at(ink: PenColor, depth: Depth) -> Option<Color> {
    match ink {
        PenColor::Default => None,
        PenColor::Indexed(i @ 0..=15) => Colour::Ansi(i).at(depth),
        PenColor::Indexed(i) => Colour::Indexed(i, rgb_of(i).nearest16()).at(depth),
        PenColor::Rgb(r, g, b) => Rgb(r, g, b).at(depth),
    }
}
