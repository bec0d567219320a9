//! The look of printed characters: interprets the sequences by which programs choose colours and marks (SGR).
//!
//! Blinking and hidden text are ignored. The drawing code decides what of a look it can show.

/// A colour as a program requested it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum PenColor {
    /// The terminal's default.
    #[default]
    Default,
    /// One of 256: the 16 of the terminal, a cube, greys.
    Indexed(u8),
    /// Red, green and blue.
    Rgb(u8, u8, u8),
}

/// An attribute of a character other than its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PenMark {
    /// Bold, or brighter.
    Bold = 1,
    /// Fainter.
    Dim = 2,
    /// Slanted.
    Italic = 4,
    Underlined = 8,
    /// Foreground and background swapped.
    Reversed = 16,
    CrossedOut = 32,
}

/// The look of the characters that are printed next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pen {
    pub(crate) fg: PenColor,
    pub(crate) bg: PenColor,
    marks: u8,
}

impl Pen {
    /// Whether characters get this mark.
    pub(crate) fn has(self, mark: PenMark) -> bool {
        self.marks & mark as u8 != 0
    }

    /// The look of erased cells: the background colour alone.
    #[must_use]
    pub(crate) fn erased(self) -> Self {
        Self { bg: self.bg, ..Self::default() }
    }

    /// Applies the parameters of an SGR sequence: numbers separated by `;`, and by `:` within one colour.
    pub fn obey(&mut self, parameters: &[u8]) {
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
            1 => self.mark(PenMark::Bold),
            2 => self.mark(PenMark::Dim),
            3 => self.mark(PenMark::Italic),
            4 if part == Some(0) => self.unmark(PenMark::Underlined),
            4 | 21 => self.mark(PenMark::Underlined),
            7 => self.mark(PenMark::Reversed),
            9 => self.mark(PenMark::CrossedOut),
            22 => {
                self.unmark(PenMark::Bold);
                self.unmark(PenMark::Dim);
            }
            23 => self.unmark(PenMark::Italic),
            24 => self.unmark(PenMark::Underlined),
            27 => self.unmark(PenMark::Reversed),
            29 => self.unmark(PenMark::CrossedOut),
            30..=37 => self.fg = PenColor::Indexed(low(30)),
            39 => self.fg = PenColor::Default,
            40..=47 => self.bg = PenColor::Indexed(low(40)),
            49 => self.bg = PenColor::Default,
            90..=97 => self.fg = PenColor::Indexed(low(82)),
            100..=107 => self.bg = PenColor::Indexed(low(92)),
            _ => {}
        }
    }

    fn mark(&mut self, mark: PenMark) {
        self.marks |= mark as u8;
    }

    fn unmark(&mut self, mark: PenMark) {
        self.marks &= !(mark as u8);
    }
}

/// Parses a number of a sequence; `None` if there is none. A number that is too large saturates.
pub(crate) fn number(digits: &[u8]) -> Option<u16> {
    if digits.is_empty() {
        return None;
    }
    let value = digits.iter().try_fold(0u16, |value, digit| {
        let digit = digit.checked_sub(b'0').filter(|d| *d < 10)?;
        value.checked_mul(10)?.checked_add(digit.into())
    });
    Some(value.unwrap_or(u16::MAX))
}

/// Parses `5;n` or `2;r;g;b` behind a 38.
fn semicolon_ink<'a>(groups: &mut impl Iterator<Item = &'a [u8]>) -> Option<PenColor> {
    let kind = groups.next().and_then(number);
    let mut next = || u8::try_from(groups.next().and_then(number).unwrap_or(0)).ok();
    match kind {
        Some(5) => next().map(PenColor::Indexed),
        Some(2) => {
            let (r, g, b) = (next(), next(), next());
            Some(PenColor::Rgb(r?, g?, b?))
        }
        _ => None,
    }
}

/// Parses `5:n`, `2:r:g:b` or `2:space:r:g:b` behind a 38.
fn colon_ink(parts: &[Option<u16>]) -> Option<PenColor> {
    let byte = |part: &Option<u16>| u8::try_from(part.unwrap_or(0)).ok();
    match parts {
        [Some(5), index, ..] => byte(index).map(PenColor::Indexed),
        [Some(2), r, g, b] | [Some(2), _, r, g, b, ..] => Some(PenColor::Rgb(byte(r)?, byte(g)?, byte(b)?)),
        _ => None,
    }
}
