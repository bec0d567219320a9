//! Colours as themes write them, and how a terminal of a given colour depth shows them.

use ratatui::style::Color;

/// How many colours the terminal shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Depth {
    /// None: bold, underline and reverse only.
    Mono,
    /// The 16 colours of the user's palette.
    Ansi16,
    /// The 256 of xterm.
    Ansi256,
    /// 24 bit.
    #[default]
    True,
}

impl Depth {
    /// The depth that the environment variables promise.
    pub(crate) fn of(env: impl Fn(&str) -> Option<String>) -> Self {
        let value = |name: &str| env(name).unwrap_or_default();
        let (term, colorterm) = (value("TERM"), value("COLORTERM"));
        let has_none =
            matches!(&*term, "" | "dumb" | "unknown") || term.starts_with("vt") || term.ends_with("-m");
        if has_none || !value("NO_COLOR").is_empty() {
            return Depth::Mono;
        }
        if value("TERM_PROGRAM") == "Apple_Terminal" {
            return Depth::Ansi256;
        }
        let direct = ["kitty", "ghostty", "alacritty", "foot", "wezterm", "-direct"];
        if ["truecolor", "24bit"].iter().any(|promise| colorterm.eq_ignore_ascii_case(promise))
            || direct.iter().any(|name| term.contains(name))
        {
            return Depth::True;
        }
        if term.contains("256color") { Depth::Ansi256 } else { Depth::Ansi16 }
    }
}

/// A colour with its substitutes in smaller palettes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    /// The terminal's own foreground or background.
    Default,
    /// One of the 16 colours of the user's palette, at every depth.
    Ansi(u8),
    /// A colour of the 256, with its substitute among the 16.
    Indexed(u8, u8),
    /// A full colour, with its substitutes among the 256 and the 16.
    Rgb(Rgb, u8, u8),
}

/// Red, green, blue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rgb(pub u8, pub u8, pub u8);

/// The 16 colours in their order: the name in theme files, the value on xterm (for contrast computations and images), and
/// the colour to send.
pub(crate) const ANSI: [(&str, Rgb, Color); 16] = [
    ("black", Rgb(0, 0, 0), Color::Black),
    ("red", Rgb(205, 0, 0), Color::Red),
    ("green", Rgb(0, 205, 0), Color::Green),
    ("yellow", Rgb(205, 205, 0), Color::Yellow),
    ("blue", Rgb(0, 0, 238), Color::Blue),
    ("magenta", Rgb(205, 0, 205), Color::Magenta),
    ("cyan", Rgb(0, 205, 205), Color::Cyan),
    ("white", Rgb(229, 229, 229), Color::Gray),
    ("bright-black", Rgb(127, 127, 127), Color::DarkGray),
    ("bright-red", Rgb(255, 0, 0), Color::LightRed),
    ("bright-green", Rgb(0, 255, 0), Color::LightGreen),
    ("bright-yellow", Rgb(255, 255, 0), Color::LightYellow),
    ("bright-blue", Rgb(92, 92, 255), Color::LightBlue),
    ("bright-magenta", Rgb(255, 0, 255), Color::LightMagenta),
    ("bright-cyan", Rgb(0, 255, 255), Color::LightCyan),
    ("bright-white", Rgb(255, 255, 255), Color::White),
];

impl Colour {
    /// Reads `default`, a name of the 16 (`bright-red`), `#rrggbb`, or a number of the 256.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if text == "default" {
            return Some(Colour::Default);
        }
        if let Some(index) = ansi_index(text) {
            return Some(Colour::Ansi(index));
        }
        if let Some(rgb) = Rgb::parse(text) {
            return Some(Colour::Rgb(rgb, rgb.nearest256(), rgb.nearest16()));
        }
        let index: u8 = text.parse().ok()?;
        Some(Colour::Indexed(index, rgb_of(index).nearest16()))
    }

    /// The colour to send to a terminal of this depth; `None` where it has no colours.
    pub(crate) fn at(self, depth: Depth) -> Option<Color> {
        Some(match (self, depth) {
            (_, Depth::Mono) => return None,
            (Colour::Default, _) => Color::Reset,
            (Colour::Ansi(i), _) | (Colour::Rgb(_, _, i) | Colour::Indexed(_, i), Depth::Ansi16) => {
                ansi_color(i)
            }
            (Colour::Indexed(i, _), _) | (Colour::Rgb(_, i, _), Depth::Ansi256) => Color::Indexed(i),
            (Colour::Rgb(Rgb(r, g, b), _, _), Depth::True) => Color::Rgb(r, g, b),
        })
    }
}

/// The number of one of the 16 colours by its name.
pub(crate) fn ansi_index(name: &str) -> Option<u8> {
    let name = if name == "gray" { "bright-black" } else { name };
    ANSI.iter().position(|(known, ..)| *known == name).and_then(|i| u8::try_from(i).ok())
}

/// One of the 16 colours by its number.
pub(crate) fn ansi_color(index: u8) -> Color {
    ANSI.get(usize::from(index & 15)).map_or(Color::White, |(_, _, color)| *color)
}

/// The RGB value of one of the 256 colours on xterm.
pub(crate) fn rgb_of(index: u8) -> Rgb {
    match index {
        0..=15 => ANSI.get(usize::from(index)).map_or(Rgb(0, 0, 0), |(_, rgb, _)| *rgb),
        16..=231 => {
            let n = index - 16;
            let level = |v: u8| if v == 0 { 0 } else { 55 + v * 40 };
            Rgb(level(n / 36), level(n / 6 % 6), level(n % 6))
        }
        232.. => {
            let v = 8 + (index - 232) * 10;
            Rgb(v, v, v)
        }
    }
}

impl Rgb {
    /// Reads `#rrggbb`.
    pub fn parse(text: &str) -> Option<Self> {
        let hex = text.strip_prefix('#').filter(|h| h.len() == 6 && h.is_ascii())?;
        let part = |at: usize| hex.get(at..at + 2).and_then(|h| u8::from_str_radix(h, 16).ok());
        Some(Rgb(part(0)?, part(2)?, part(4)?))
    }

    /// The closest colour to send to a terminal of this depth; `None` where it has no colours.
    pub(crate) fn at(self, depth: Depth) -> Option<Color> {
        match depth {
            Depth::Mono => None,
            Depth::Ansi16 => Some(ansi_color(self.nearest16())),
            Depth::Ansi256 => Some(Color::Indexed(self.nearest256())),
            Depth::True => Some(Color::Rgb(self.0, self.1, self.2)),
        }
    }

    /// The closest of the 240 fixed colours of xterm (the 16 are the user's own).
    pub(crate) fn nearest256(self) -> u8 {
        let step = |v: u8| match v {
            0..=47 => 0,
            48..=114 => 1,
            _ => (v - 35) / 40,
        };
        let cube = 16 + 36 * step(self.0) + 6 * step(self.1) + step(self.2);
        let mean = (u16::from(self.0) + u16::from(self.1) + u16::from(self.2)) / 3;
        let gray = 232 + u8::try_from(mean.saturating_sub(3) / 10).unwrap_or(23).min(23);
        if self.distance(rgb_of(gray)) < self.distance(rgb_of(cube)) { gray } else { cube }
    }

    /// The closest of the 16 colours as xterm has them.
    pub(crate) fn nearest16(self) -> u8 {
        (0u8..16).min_by_key(|i| self.distance(rgb_of(*i))).unwrap_or(7)
    }

    fn distance(self, other: Rgb) -> u32 {
        let square = |a: u8, b: u8, weight: u32| weight * u32::from(a.abs_diff(b)).pow(2);
        square(self.0, other.0, 3) + square(self.1, other.1, 6) + square(self.2, other.2, 1)
    }

    /// A mix of two colours: this many hundredths of the other one.
    #[must_use]
    pub(crate) fn towards(self, other: Rgb, hundredths: u16) -> Rgb {
        let part = |from: u8, to: u8| {
            let mixed = u16::from(from) * (100 - hundredths.min(100)) + u16::from(to) * hundredths.min(100);
            u8::try_from(mixed / 100).unwrap_or(u8::MAX)
        };
        Rgb(part(self.0, other.0), part(self.1, other.1), part(self.2, other.2))
    }

    /// Relative luminance as WCAG 2 defines it, 0 to 1.
    pub(crate) fn luminance(self) -> f64 {
        let linear = |v: u8| {
            let v = f64::from(v) / 255.0;
            if v <= 0.040_45 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }

    /// The contrast ratio of two colours as WCAG 2 defines it, 1 to 21.
    pub(crate) fn contrast(self, other: Rgb) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Whether text on this background should be dark.
    pub fn is_light(self) -> bool {
        self.luminance() > 0.18
    }
}

/// The RGB value of a terminal colour on xterm, for contrast computations; `None` for the terminal's default.
pub(crate) fn approximate(color: Color) -> Option<Rgb> {
    Some(match color {
        Color::Reset => return None,
        Color::Rgb(r, g, b) => Rgb(r, g, b),
        Color::Indexed(i) => rgb_of(i),
        named => ANSI.iter().find(|(_, _, color)| *color == named)?.1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(no_color: &str, colorterm: &str, term: &str, program: &str) -> Depth {
        let env =
            [("NO_COLOR", no_color), ("COLORTERM", colorterm), ("TERM", term), ("TERM_PROGRAM", program)];
        Depth::of(|name| env.into_iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_owned()))
    }

    #[test]
    fn depth_by_environment() {
        assert_eq!(depth("", "truecolor", "xterm-256color", ""), Depth::True);
        assert_eq!(depth("1", "truecolor", "xterm-256color", ""), Depth::Mono);
        assert_eq!(depth("", "", "xterm-256color", ""), Depth::Ansi256);
        assert_eq!(depth("", "", "tmux-256color", ""), Depth::Ansi256);
        assert_eq!(depth("", "truecolor", "xterm-256color", "Apple_Terminal"), Depth::Ansi256);
        assert_eq!(depth("", "", "xterm", ""), Depth::Ansi16);
        assert_eq!(depth("", "", "vt100", ""), Depth::Mono);
        assert_eq!(depth("", "", "linux", ""), Depth::Ansi16);
        assert_eq!(depth("", "", "xterm-kitty", ""), Depth::True);
        assert_eq!(Depth::of(|_| None), Depth::Mono);
    }

    #[test]
    fn colours_are_read() {
        assert_eq!(Colour::parse("default"), Some(Colour::Default));
        assert_eq!(Colour::parse("bright-red"), Some(Colour::Ansi(9)));
        assert_eq!(Colour::parse("178"), Some(Colour::Indexed(178, 3)));
        assert!(matches!(Colour::parse("#d7a100"), Some(Colour::Rgb(Rgb(0xd7, 0xa1, 0), 178, 3))));
        for bad in ["", "#12345", "#gggggg", "reddish", "256", "-1", "#äöü"] {
            assert_eq!(Colour::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn every_fixed_colour_is_its_own_nearest() {
        for i in 16..=255u8 {
            assert_eq!(rgb_of(rgb_of(i).nearest256()), rgb_of(i), "{i}");
        }
    }

    #[test]
    fn contrast_as_the_standard_says() {
        assert!((Rgb(0, 0, 0).contrast(Rgb(255, 255, 255)) - 21.0).abs() < 0.01);
        assert!((Rgb(0x77, 0x77, 0x77).contrast(Rgb(255, 255, 255)) - 4.48).abs() < 0.01);
    }
}
