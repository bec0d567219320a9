//! A list with a fuzzy filter: the typed filter, the entries that match it, and the cursor.

use super::field::Field;
use super::filter::{Cursor, rank};
use super::look::DrawStyle;
use super::sheet::{Sheet, entry};

/// Entries, each with the row that is shown for it and searched.
#[derive(Debug)]
pub(crate) struct FilteredList<T> {
    filter: Field,
    entries: Vec<T>,
    rows: Vec<String>,
    /// The indexes of the entries that match the filter, best first.
    shown: Vec<usize>,
    cursor: Cursor,
}

impl<T> FilteredList<T> {
    /// Holds all entries in this order; the cursor is on the first one for which `is_meant` is true, else on
    /// the first of all.
    pub(crate) fn new(entries: impl IntoIterator<Item = (T, String)>, is_meant: impl Fn(&T) -> bool) -> Self {
        let (entries, rows): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
        let cursor = Cursor(entries.iter().position(is_meant).unwrap_or_default());
        Self { filter: Field::line(), shown: (0..entries.len()).collect(), entries, rows, cursor }
    }

    /// How many entries there are, and how many of them match the filter.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.entries.len(), self.shown.len())
    }

    /// The entry under the cursor.
    pub(crate) fn chosen(&self) -> Option<&T> {
        self.shown.get(self.cursor.0).and_then(|at| self.entries.get(*at))
    }

    pub(crate) fn field(&mut self) -> &mut Field {
        &mut self.filter
    }

    /// The cursor, and the number of rows that it moves in.
    pub(crate) fn list(&mut self) -> (&mut Cursor, usize) {
        (&mut self.cursor, self.shown.len())
    }

    /// Applies a changed filter: the best match is chosen.
    pub(crate) fn changed(&mut self) {
        self.cursor.0 = 0;
        self.shown = rank(&self.filter.text(), &self.rows);
    }

    /// Draws the filter, and so many of the rows around the cursor.
    pub(crate) fn draw(&self, sheet: &mut Sheet, rows: usize, width: u16, look: DrawStyle<'_>) {
        sheet.field("> ", &self.filter, width, look).rule(width, look);
        let first = self.cursor.window(rows);
        for (at, row) in self.shown.iter().enumerate().skip(first).take(rows) {
            let text = self.rows.get(*row).map(String::as_str).unwrap_or_default();
            sheet.row(entry(text, at == self.cursor.0, width, look));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_that_is_meant_is_chosen_and_typing_chooses_the_best() {
        let entries = || ["sales", "notes", "sum"].map(|name| (name.len(), name.to_owned()));
        assert_eq!(FilteredList::new(entries(), |len| *len == 3).chosen(), Some(&3));
        assert_eq!(FilteredList::new(entries(), |_| false).chosen(), Some(&5));
        let mut list = FilteredList::new(entries(), |len| *len == 3);
        list.field().set("no");
        list.changed();
        assert_eq!((list.counts(), list.chosen()), ((3, 1), Some(&5)));
        list.field().set("zzz");
        list.changed();
        assert_eq!((list.counts(), list.chosen()), ((3, 0), None));
    }
}
