//! One line of output: text with runs of ink, written at a column.

use super::super::plain::{self, Strictness};
use super::TAB;
use super::ink::Ink;

/// So many bytes at the end of a line can make one character with what comes.
const SEAM: usize = 64;

/// A line. Its text holds no control characters; what else must not be drawn is made safe when it is shown.
#[derive(Clone, Debug, Default)]
pub struct Row {
    text: String,
    /// Runs as (end byte, ink).
    inks: Vec<(u32, Ink)>,
    columns: usize,
}

/// One character of a line that is taken apart to be written over.
struct Cell {
    text: String,
    width: usize,
    ink: Ink,
}

impl Row {
    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its runs of ink.
    pub fn inks(&self) -> &[(u32, Ink)] {
        &self.inks
    }

    /// Writes at a column; returns the column behind it.
    pub fn write(&mut self, column: usize, text: &str, ink: Ink) -> usize {
        if column == self.columns {
            self.append(text, self.added_columns(text), ink);
            return self.columns;
        }
        let width = text.len();
        if column + width <= self.columns && plain::is_plain(text) && plain::is_plain(&self.text) {
            self.overwrite_ascii(column, text, ink);
            return column + width;
        }
        let mut cells = self.take_apart();
        if column > self.columns {
            for _ in self.columns..column {
                cells.push(Cell { text: " ".into(), width: 1, ink: Ink::default() });
            }
        }
        let new: Vec<Cell> = cells_of(text, |_| ink);
        let width: usize = new.iter().map(|cell| cell.width).sum();
        self.replace(cells, column, column + width, new);
        column + width
    }

    /// Plain characters over plain characters, as progress bars write: columns are bytes.
    fn overwrite_ascii(&mut self, at: usize, text: &str, ink: Ink) {
        let end = at + text.len();
        self.text.replace_range(at..end, text);
        let (Ok(at), Ok(end)) = (u32::try_from(at), u32::try_from(end)) else { return };
        let mut inks: Vec<(u32, Ink)> = Vec::with_capacity(self.inks.len() + 2);
        let mut add = |end: u32, ink: Ink| match inks.last_mut() {
            Some((last, same)) if *same == ink => *last = end,
            Some((last, _)) if *last >= end => {}
            _ if end == 0 => {}
            _ => inks.push((end, ink)),
        };
        for (to, old) in self.inks.iter().filter(|(to, _)| *to <= at) {
            add(*to, *old);
        }
        if let Some((_, old)) = self.inks.iter().find(|(to, _)| *to > at) {
            add(at, *old);
        }
        add(end, ink);
        for (to, old) in self.inks.iter().filter(|(to, _)| *to > end) {
            add(*to, *old);
        }
        self.inks = inks;
    }

    /// Erases from a column to the end.
    pub fn erase_from(&mut self, column: usize) {
        if column < self.columns {
            let cells = self.take_apart();
            let end = self.columns;
            self.replace(cells, column, end, Vec::new());
        }
    }

    /// Erases from the start to a column.
    pub fn erase_to(&mut self, column: usize) {
        let blank = (0..=column.min(self.columns.saturating_sub(1)))
            .map(|_| Cell { text: " ".into(), width: 1, ink: Ink::default() })
            .collect::<Vec<_>>();
        let (cells, end) = (self.take_apart(), blank.len());
        self.replace(cells, 0, end, blank);
    }

    /// Erases all.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// How many columns a text adds at the end: its first character may belong to the last one.
    fn added_columns(&self, text: &str) -> usize {
        if text.as_bytes().first().is_none_or(u8::is_ascii) {
            return plain::columns(text);
        }
        let mut from = self.text.len().saturating_sub(SEAM);
        while !self.text.is_char_boundary(from) {
            from += 1;
        }
        let last = self.text.get(from..).unwrap_or_default();
        plain::columns(&[last, text].concat()).saturating_sub(plain::columns(last))
    }

    fn append(&mut self, text: &str, columns: usize, ink: Ink) {
        if text.is_empty() {
            return;
        }
        self.text.push_str(text);
        self.columns += columns;
        let end = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        match self.inks.last_mut() {
            Some((last, same)) if *same == ink => *last = end,
            _ => self.inks.push((end, ink)),
        }
    }

    fn take_apart(&self) -> Vec<Cell> {
        let mut inks = self.inks.iter().peekable();
        cells_of(&self.text, |start| {
            while inks.peek().is_some_and(|(end, _)| (*end as usize) <= start) {
                inks.next();
            }
            inks.peek().map(|(_, ink)| *ink).unwrap_or_default()
        })
    }

    /// Puts `new` where the columns from `from` to `to` were. Half of a wide character becomes a space.
    fn replace(&mut self, cells: Vec<Cell>, from: usize, to: usize, new: Vec<Cell>) {
        self.clear();
        let mut new = Some(new);
        let mut at = 0;
        for cell in cells {
            let end = at + cell.width;
            if end <= from {
                self.append(&cell.text, cell.width, cell.ink);
            } else if at >= to {
                self.put(&mut new);
                self.append(&cell.text, cell.width, cell.ink);
            } else {
                self.append(&" ".repeat(from.saturating_sub(at)), from.saturating_sub(at), cell.ink);
                if end > to {
                    self.put(&mut new);
                    self.append(&" ".repeat(end - to), end - to, cell.ink);
                }
            }
            at = end;
        }
        self.put(&mut new);
    }

    fn put(&mut self, new: &mut Option<Vec<Cell>>) {
        for cell in new.take().into_iter().flatten() {
            self.append(&cell.text, cell.width, cell.ink);
        }
    }
}

fn cells_of(text: &str, mut ink: impl FnMut(usize) -> Ink) -> Vec<Cell> {
    plain::glyphs(text, Strictness::Text, TAB)
        .map(|glyph| Cell {
            // The source, not what is shown: it is made safe when it is drawn.
            text: text.get(glyph.start..glyph.end).unwrap_or_default().to_string(),
            width: glyph.width,
            ink: ink(glyph.start),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Stream;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_short_way_over_plain_characters_gives_the_same(
            writes in proptest::collection::vec((0usize..30, "[a-z ]{1,12}", any::<bool>()), 1..8),
        ) {
            let (mut short, mut long) = (Row::default(), Row::default());
            for (column, text, red) in writes {
                let ink = Ink::default().on(if red { Stream::Stderr } else { Stream::Stdout });
                short.write(column, &text, ink);
                let mut cells = long.take_apart();
                while cells.len() < column {
                    cells.push(Cell { text: " ".into(), width: 1, ink: Ink::default() });
                }
                long.replace(cells, column, column + text.len(), cells_of(&text, |_| ink));
            }
            prop_assert_eq!(&short.text, &long.text);
            prop_assert_eq!(&short.inks, &long.inks);
            prop_assert_eq!(short.columns, long.columns);
        }
    }
}
