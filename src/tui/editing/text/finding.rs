//! Going to what is looked for, and putting another text in its place.

use super::{Pos, Text};
use crate::tui::editing::Motion;

impl Text {
    /// Selects the next match of what is looked for, or the one before; `false`: there is none. `here`: one that begins at
    /// the cursor, or at what is selected, is the next.
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
            self.select(from, to);
        }
        found.is_some()
    }

    /// Replaces the match that is selected; `false`: what is selected is none.
    pub(crate) fn replace_match(&mut self, by: &str) -> bool {
        let Some(needle) = self.needle.clone() else { return false };
        let Some((from, to)) = self.selection().filter(|(from, to)| from.row == to.row) else { return false };
        let line = self.row(from.row);
        let is_it = |range: &std::ops::Range<usize>| (range.start, range.end) == (from.byte, to.byte);
        let Some(range) = needle.in_line(line).find(is_it) else { return false };
        let new = needle.replaced(line, &range, by);
        self.replace(from, to, &new);
        true
    }

    /// Replaces all matches, as one step; how many there were.
    pub(crate) fn replace_matches(&mut self, by: &str) -> usize {
        let Some(needle) = self.needle.clone() else { return 0 };
        let mut count = 0;
        self.together(|text| {
            // From below, so that what is put in moves nothing that is still to come.
            for row in (0..text.lines().len()).rev() {
                let line = text.row(row).to_owned();
                let found: Vec<_> = needle.in_line(&line).collect();
                for range in found.iter().rev() {
                    count += 1;
                    let new = needle.replaced(&line, range, by);
                    text.replace(Pos::new(row, range.start), Pos::new(row, range.end), &new);
                }
            }
        });
        count
    }
}
