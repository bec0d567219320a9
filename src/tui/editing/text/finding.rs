//! Moves to search matches and replaces them.

use super::{Pos, Text};
use crate::tui::editing::search::Needle;
use crate::tui::editing::{Motion, cluster};
use std::ops::Range;

impl Text {
    /// Selects the next match of the search term (`back`: the previous one); returns whether there is one. With
    /// `here`, a match that begins at the cursor or the selection counts as the next.
    pub(crate) fn find(&mut self, back: bool, here: bool) -> bool {
        let Some(needle) = self.needle.clone() else { return false };
        let (from, to) = self.selection().unwrap_or((self.cursor, self.cursor));
        let start = match (back || here, from == to) {
            (true, _) => from,
            (false, true) => self.target(Motion::Right, from),
            (false, false) => to,
        };
        let found = needle.next(self.lines(), start, back);
        if let Some((from, to)) = found {
            let (from, to) = self.match_places(from.line, from.byte..to.byte);
            self.select(from, to);
        }
        found.is_some()
    }

    /// The cluster boundaries around a match: a match may begin and end inside a cluster, a selection may not.
    fn match_places(&self, index: usize, found: Range<usize>) -> (Pos, Pos) {
        let line = self.line(index);
        let (from, to) = (cluster::at_or_before(line, found.start), cluster::at_or_after(line, found.end));
        (Pos::new(index, from), Pos::new(index, to))
    }

    /// Replaces the selected match; returns `false` if the selection is no match.
    pub(crate) fn replace_match(&mut self, by: &str) -> bool {
        let Some(needle) = self.needle.clone() else { return false };
        let Some((from, to)) = self.selection().filter(|(from, to)| from.line == to.line) else {
            return false;
        };
        let (index, line) = (from.line, self.line(from.line));
        let near = needle.in_line(line).skip_while(|found| found.end <= from.byte);
        let Some(found) = near
            .take_while(|found| found.start < to.byte)
            .find(|found| self.match_places(index, found.clone()) == (from, to))
        else {
            return false;
        };
        let new = needle.replaced(line, &found, by);
        self.replace_bytes(Pos::new(index, found.start), Pos::new(index, found.end), &new);
        true
    }

    /// Replaces all matches in one step; returns how many there were.
    pub(crate) fn replace_matches(&mut self, by: &str) -> usize {
        let Some(needle) = self.needle.clone() else { return 0 };
        let mut count = 0;
        self.group_changes(|text| {
            // From the bottom up, so that replacements don't move the remaining lines.
            for index in (0..text.lines().len()).rev() {
                count += text.replace_in_line(&needle, index, by);
            }
        });
        count
    }

    /// Replaces all matches of a line in one change: exactly their bytes, and the line is copied only once.
    fn replace_in_line(&mut self, needle: &Needle, index: usize, by: &str) -> usize {
        let line = self.line(index);
        let (mut new, mut count, mut from, mut to) = (String::new(), 0, 0, 0);
        for found in needle.in_line(line) {
            if count == 0 {
                from = found.start;
            } else {
                new.push_str(line.get(to..found.start).unwrap_or_default());
            }
            new.push_str(&needle.replaced(line, &found, by));
            to = found.end;
            count += 1;
        }
        if count > 0 {
            self.replace_bytes(Pos::new(index, from), Pos::new(index, to), &new);
        }
        count
    }
}
