//! Records which rows of a block were on screen long enough to count as seen.
//!
//! Rows are wrapped rows; each shows an extent of the content. What was seen is stored as extents, so that after a
//! change of width only those rows are unseen that show something new.

use std::ops::Range;
use std::time::{Duration, Instant};

/// A wrapped row that has to be seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SubjectRow {
    /// What it shows, as a range of the whole content (in any measure that does not depend on the width, such as the
    /// running count of characters); ranges of different rows do not overlap.
    pub(crate) extent: Range<u64>,
    /// Further ranges that it shows, where several texts share one row.
    pub(crate) beside: Vec<Range<u64>>,
    /// The line of code that it belongs to, counted from 0; `None` for rights and findings.
    pub(crate) line: Option<u32>,
}

impl SubjectRow {
    fn extents(&self) -> impl Iterator<Item = Range<u64>> {
        std::iter::once(&self.extent).chain(&self.beside).map(full)
    }
}

/// The rows of one subject, and which were seen. A new subject begins with the default: nothing is seen.
#[derive(Clone, Debug, Default)]
pub struct SeenRows {
    rows: Vec<SubjectRow>,
    flags: Vec<bool>,
    unseen: usize,
    /// Extents that were seen: sorted, disjoint, none touching the next.
    extents: Vec<Range<u64>>,
    /// Rows on screen now that were not seen yet, and since when they are visible.
    visible: Vec<(usize, Instant)>,
}

impl SeenRows {
    /// Sets the rows in their order at the present width. Returns by how many the number of unseen rows grew.
    pub(crate) fn layout(&mut self, rows: Vec<SubjectRow>) -> usize {
        if rows == self.rows {
            return 0;
        }
        let before = self.unseen;
        self.flags = rows.iter().map(|row| row.extents().all(|extent| self.covers(&extent))).collect();
        self.unseen = self.flags.iter().filter(|seen| !**seen).count();
        self.rows = rows;
        // The row numbers are no longer valid; the next frame reports what is on screen.
        self.visible.clear();
        self.unseen.saturating_sub(before)
    }

    /// Sets the rows that the frame drawn at `now` shows; replaces those of the frame before.
    pub(crate) fn show(&mut self, ranges: &[Range<usize>], now: Instant) {
        let mut visible = Vec::new();
        for range in ranges {
            for row in range.start..range.end.min(self.rows.len()) {
                if self.flags.get(row) == Some(&false) {
                    let since = self.visible.iter().find(|(r, _)| *r == row).map_or(now, |(_, at)| *at);
                    visible.push((row, since));
                }
            }
        }
        self.visible = visible;
    }

    /// Starts the time of all rows on screen at `now`: only now has the terminal drawn the frame.
    pub(crate) fn restart(&mut self, now: Instant) {
        for (_, since) in &mut self.visible {
            *since = now;
        }
    }

    /// Marks the rows as seen that have been on screen for `need`. Returns whether there were any.
    pub(crate) fn settle(&mut self, now: Instant, need: Duration) -> bool {
        let is_done = |(_, since): &mut (usize, Instant)| now.saturating_duration_since(*since) >= need;
        let done: Vec<_> = self.visible.extract_if(.., is_done).collect();
        for (row, _) in &done {
            if let (Some(flag), Some(content)) = (self.flags.get_mut(*row), self.rows.get(*row)) {
                if !*flag {
                    *flag = true;
                    self.unseen -= 1;
                }
                let extents: Vec<_> = content.extents().collect();
                for extent in extents {
                    self.cover(extent);
                }
            }
        }
        !done.is_empty()
    }

    pub(crate) fn deadline(&self, need: Duration) -> Option<Instant> {
        self.visible.iter().map(|(_, since)| *since + need).min()
    }

    /// Whether there are rows that were not seen and are not on screen now.
    pub(crate) fn has_hidden(&self) -> bool {
        self.unseen > self.visible.len()
    }

    /// How many rows were seen, and how many there are.
    pub(crate) fn rows(&self) -> (usize, usize) {
        (self.rows.len() - self.unseen, self.rows.len())
    }

    /// How many lines of code were seen to their last row, and how many there are.
    pub(crate) fn lines(&self) -> (usize, usize) {
        let (mut seen, mut of, mut last, mut whole) = (0, 0, None, true);
        for (row, flag) in self.rows.iter().zip(&self.flags) {
            let Some(line) = row.line else { continue };
            if last != Some(line) {
                seen += usize::from(last.is_some() && whole);
                of += 1;
                last = Some(line);
                whole = true;
            }
            whole &= *flag;
        }
        (seen + usize::from(last.is_some() && whole), of)
    }

    /// How many unseen items are left: lines of code, and rows of rights and findings.
    pub(crate) fn unseen_count(&self) -> usize {
        if self.unseen == 0 {
            return 0;
        }
        let (seen, of) = self.lines();
        let others =
            self.rows.iter().zip(&self.flags).filter(|(row, flag)| row.line.is_none() && !**flag).count();
        of - seen + others
    }

    /// The first unseen row at or after this one.
    pub(crate) fn first_unseen(&self, from: usize) -> Option<usize> {
        self.flags.iter().skip(from).position(|seen| !seen).map(|at| at + from)
    }

    /// Whether every row was seen; false while there are no rows.
    pub fn is_all_seen(&self) -> bool {
        self.unseen == 0 && !self.rows.is_empty()
    }

    /// Whether these rows were seen; false for an empty range.
    pub(crate) fn are_rows_seen(&self, rows: Range<usize>) -> bool {
        !rows.is_empty() && self.flags.get(rows).is_some_and(|flags| flags.iter().all(|seen| *seen))
    }

    fn covers(&self, extent: &Range<u64>) -> bool {
        let i = self.extents.partition_point(|e| e.end < extent.end);
        self.extents.get(i).is_some_and(|e| e.start <= extent.start)
    }

    fn cover(&mut self, extent: Range<u64>) {
        let from = self.extents.partition_point(|e| e.end < extent.start);
        let to = self.extents.partition_point(|e| e.start <= extent.end);
        let start = self.extents.get(from).map_or(extent.start, |e| e.start.min(extent.start));
        let end =
            to.checked_sub(1).and_then(|i| self.extents.get(i)).map_or(extent.end, |e| e.end.max(extent.end));
        self.extents.splice(from..to.max(from), std::iter::once(start..end));
    }
}

/// An empty row (a blank line) still has to be seen: it takes one unit.
fn full(extent: &Range<u64>) -> Range<u64> {
    extent.start..extent.end.max(extent.start + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NEED: Duration = Duration::from_millis(300);

    fn row(extent: Range<u64>, line: Option<u32>) -> SubjectRow {
        SubjectRow { extent, line, ..SubjectRow::default() }
    }

    fn code(rows: &[Range<u64>]) -> Vec<SubjectRow> {
        (0..).zip(rows).map(|(line, extent)| row(extent.clone(), Some(line))).collect()
    }

    /// A guard's rows, laid out.
    fn laid_out(rows: Vec<SubjectRow>) -> SeenRows {
        let mut s = SeenRows::default();
        s.layout(rows);
        s
    }

    /// These rows stay on screen until they are seen.
    fn see(s: &mut SeenRows, rows: Range<usize>, t: Instant) {
        s.show(&[rows], t);
        s.settle(t + NEED, NEED);
    }

    #[test]
    fn rows_passed_in_a_hurry_do_not_count() {
        let t = Instant::now();
        let mut s = laid_out(code(&[0..5, 5..9, 9..12]));
        s.show(&[0..1], t);
        s.show(&[2..3], t + Duration::from_millis(100));
        s.settle(t + Duration::from_secs(9), NEED);
        assert_eq!(s.rows(), (1, 3));
    }

    #[test]
    fn staying_on_screen_while_others_scroll_keeps_the_time() {
        let t = Instant::now();
        let mut s = laid_out(code(&[0..5, 5..9, 9..12]));
        s.show(&[0..2], t);
        s.show(&[1..3], t + Duration::from_millis(200));
        assert!(!s.settle(t + Duration::from_millis(299), NEED));
        assert!(s.settle(t + NEED, NEED), "the title is drawn again");
        assert_eq!(s.rows(), (1, 3));
        assert_eq!(s.deadline(NEED), Some(t + Duration::from_millis(500)));
    }

    #[test]
    fn another_width_makes_only_new_rows_unseen() {
        let t = Instant::now();
        let mut s = laid_out(code(&[0..10, 10..20, 20..30]));
        see(&mut s, 0..2, t);
        assert_eq!(s.rows(), (2, 3));
        s.layout((0..6).map(|i| row(i * 5..i * 5 + 5, Some(i as u32 / 2))).collect());
        assert_eq!(s.rows(), (4, 6));
        assert_eq!(s.lines(), (2, 3));
        let added = s.layout(code(&[0..10, 10..25, 25..30]));
        assert_eq!((added, s.rows()), (0, (1, 3)), "a row that is partly new is new");
    }

    #[test]
    fn a_line_is_seen_with_its_last_row_and_blank_lines_count() {
        let t = Instant::now();
        let mut s =
            laid_out(vec![row(0..5, Some(0)), row(5..9, Some(0)), row(9..9, Some(1)), row(10..14, None)]);
        see(&mut s, 0..1, t);
        assert_eq!((s.lines(), s.unseen_count()), ((0, 2), 3));
        see(&mut s, 1..3, t);
        assert_eq!((s.lines(), s.unseen_count(), s.is_all_seen()), ((2, 2), 1, false));
        see(&mut s, 3..4, t);
        assert!(s.is_all_seen());
    }

    #[test]
    fn what_stands_beside_another_is_the_same_alone() {
        let t = Instant::now();
        let beside = SubjectRow { extent: 0..5, beside: vec![40..44, 80..81], line: None };
        let mut s = laid_out(vec![beside.clone()]);
        see(&mut s, 0..1, t);
        assert_eq!(s.layout(code(&[0..5, 40..44, 80..81])), 0, "each of them was seen");
        assert_eq!(s.layout(code(&[0..5, 40..45])), 1, "what is longer was not");
        let mut s = laid_out(code(&[0..5, 40..44, 80..81]));
        see(&mut s, 0..1, t);
        s.layout(vec![beside]);
        assert!(!s.is_all_seen(), "a row counts once all of it was seen");
    }

    #[test]
    fn nothing_laid_out_is_not_seen() {
        assert!(!SeenRows::default().is_all_seen());
    }

    proptest! {
        #[test]
        fn the_union_is_the_set(extents in proptest::collection::vec((0u64..60, 1u64..9), 0..40)) {
            let mut s = SeenRows::default();
            let mut set = [false; 80];
            for (start, len) in extents {
                s.cover(start..start + len);
                for i in start..start + len { set[i as usize] = true; }
                for e in s.extents.windows(2) { prop_assert!(e[0].end < e[1].start); }
                for i in 0..80u64 { prop_assert_eq!(s.covers(&(i..i + 1)), set[i as usize]); }
                for i in 0..70u64 { prop_assert_eq!(s.covers(&(i..i + 8)), set[i as usize..i as usize + 8].iter().all(|b| *b)); }
            }
        }
    }
}
