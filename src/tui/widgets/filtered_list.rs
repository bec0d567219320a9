//! A list with a fuzzy filter: the typed filter, the entries that match it, and the cursor.

use super::draw_context::DrawContext;
use super::field::Field;
use super::filter::{Cursor, rank};
use super::sheet::{Sheet, entry, scrolled};
use ratatui::layout::Rect;

/// The filter, the texts that it searches, and the cursor in what matches.
#[derive(Debug, Default)]
pub struct Matches {
    pub(crate) filter: Field,
    texts: Vec<String>,
    /// The indexes of the texts that match the filter, best first.
    shown: Vec<usize>,
    cursor: Cursor,
}

impl Matches {
    /// The cursor, and the number of rows that it moves in.
    pub(crate) fn list(&mut self) -> (&mut Cursor, usize) {
        (&mut self.cursor, self.shown.len())
    }

    /// Applies a changed filter: the best match is chosen.
    pub(crate) fn changed(&mut self) {
        self.cursor.0 = 0;
        self.shown = rank(&self.filter.text(), &self.texts);
    }
}

/// The room of a sheet with a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListRoom {
    pub(crate) area: Rect,
    /// The rows for what is around the entries.
    pub(crate) others: u16,
    /// The most rows for the entries.
    pub(crate) most: u16,
}

/// Entries, each with the text that is searched for it.
#[derive(Debug)]
pub(crate) struct FilteredList<T> {
    entries: Vec<T>,
    pub(crate) matches: Matches,
}

impl<T> FilteredList<T> {
    /// Holds all entries in this order; the cursor is on the first one for which `is_meant` is true, else on
    /// the first of all.
    pub(crate) fn new(entries: impl IntoIterator<Item = (T, String)>, is_meant: impl Fn(&T) -> bool) -> Self {
        let mut list = Self { entries: Vec::new(), matches: Matches::default() };
        list.replace(entries, is_meant);
        list
    }

    /// Replaces the entries under the present filter, and sets the cursor as for a new list.
    pub(crate) fn replace(
        &mut self,
        entries: impl IntoIterator<Item = (T, String)>,
        is_meant: impl Fn(&T) -> bool,
    ) {
        (self.entries, self.matches.texts) = entries.into_iter().unzip();
        self.matches.changed();
        let at = self.shown().position(|(entry, _)| is_meant(entry));
        self.matches.cursor.0 = at.unwrap_or_default();
    }

    /// How many entries there are, and how many of them match the filter.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.entries.len(), self.matches.shown.len())
    }

    /// The entries that match the filter, best first, with their texts.
    pub(crate) fn shown(&self) -> impl Iterator<Item = (&T, &str)> {
        let at = |at: &usize| Some((self.entries.get(*at)?, self.matches.texts.get(*at)?.as_str()));
        self.matches.shown.iter().filter_map(at)
    }

    /// The entry under the cursor, with its text.
    pub(crate) fn chosen(&self) -> Option<(&T, &str)> {
        self.shown().nth(self.matches.cursor.0)
    }

    /// A sheet with the filter and the entries around the cursor that there is room for; `row` makes a row of an entry
    /// and its text.
    pub(crate) fn sheet(
        &self,
        title: &str,
        room: ListRoom,
        draw: DrawContext<'_>,
        row: impl Fn(&T, &str) -> String,
    ) -> Sheet {
        let (width, mut sheet) = (room.area.width, Sheet::new(title));
        let rows = usize::from(room.area.height.saturating_sub(room.others).clamp(1, room.most));
        sheet.field("> ", &self.matches.filter, width, draw).rule(width, draw);
        let (cursor, all) = (self.matches.cursor.0, self.matches.shown.len());
        sheet.rows.extend(scrolled(all, cursor..cursor + 1, rows, draw, |at| {
            let (chosen, text) = self.shown().nth(at)?;
            Some(entry(&row(chosen, text), at == cursor, width, draw))
        }));
        sheet
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_that_is_meant_is_chosen_and_typing_chooses_the_best() {
        let entries = || ["sales", "notes", "sum"].map(|name| (name.len(), name.to_owned()));
        assert_eq!(FilteredList::new(entries(), |len| *len == 3).chosen(), Some((&3, "sum")));
        assert_eq!(FilteredList::new(entries(), |_| false).chosen(), Some((&5, "sales")));
        let mut list = FilteredList::new(entries(), |len| *len == 3);
        list.matches.filter.set("no");
        list.matches.changed();
        assert_eq!((list.counts(), list.chosen()), ((3, 1), Some((&5, "notes"))));
        list.matches.filter.set("zzz");
        list.matches.changed();
        assert_eq!((list.counts(), list.chosen()), ((3, 0), None));
        list.matches.filter.set("s");
        list.replace(entries(), |len| *len == 3);
        assert_eq!(list.chosen(), Some((&3, "sum")));
    }
}
