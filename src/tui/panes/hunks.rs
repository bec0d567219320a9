//! Hunks: the places in which two texts differ, and the text in which some of them are dropped. Bytes are preserved,
//! including line ends and a missing final newline. It shows nothing and decides nothing.

use crate::domain::file_texts::FilePart;
use crate::text::diff::{diff_ops, is_change};
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Texts with more lines are not compared.
const MAX_LINES: usize = 100_000;
/// With more hunks than this, nobody would decide about them one by one.
const MAX_HUNKS: usize = 400;
/// How long the comparison may look for the shortest changes.
const DIFF_TIMEOUT: Duration = Duration::from_millis(50);
/// Changes with at most this many equal lines between them are one hunk.
const MAX_EQUAL_LINES: usize = 1;

/// A place in which the texts differ; lines count from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LineHunk {
    /// The lines of the old text that are removed.
    pub(crate) old: Range<usize>,
    /// The lines of the new text that replace them.
    pub(crate) new: Range<usize>,
}

/// Two texts, split into equal parts and hunks.
#[derive(Clone, Debug)]
pub(super) struct Hunks {
    old: Arc<str>,
    new: Arc<str>,
    old_lines: Vec<Range<usize>>,
    new_lines: Vec<Range<usize>>,
    list: Vec<LineHunk>,
}

/// The byte range of each line, including its end.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut from = 0;
    text.split_inclusive('\n')
        .map(|line| {
            let range = from..from + line.len();
            from = range.end;
            range
        })
        .collect()
}

fn texts<'a>(text: &'a str, lines: &[Range<usize>]) -> Vec<&'a str> {
    lines.iter().map(|range| text.get(range.clone()).unwrap_or_default()).collect()
}

fn part_lines<'a, 'b>(lines: &'a [&'b str], part: &FilePart) -> &'a [&'b str] {
    lines.get(part.lines.start..part.lines.end.min(lines.len())).unwrap_or_default()
}

impl Hunks {
    /// Compares file by file; `None` if the texts are equal, or too long or too different for decisions hunk by hunk.
    pub(super) fn of(old: &Arc<str>, new: &Arc<str>, files: &[(FilePart, FilePart)]) -> Option<Self> {
        let (old_lines, new_lines) = (lines(old), lines(new));
        if old == new || old_lines.len().max(new_lines.len()) > MAX_LINES {
            return None;
        }
        let until = Instant::now() + DIFF_TIMEOUT;
        let (before, after) = (texts(old, &old_lines), texts(new, &new_lines));
        let mut list: Vec<LineHunk> = Vec::new();
        for (gone, came) in files {
            let (from, to) = (gone.lines.start, came.lines.start);
            let (before, after) = (part_lines(&before, gone), part_lines(&after, came));
            let ops = diff_ops(before, after, Some(until));
            let first = list.len();
            for op in ops.iter().filter(|op| is_change(op)) {
                let moved = |range: Range<usize>, by: usize| range.start + by..range.end + by;
                let (gone, came) = (moved(op.old_range(), from), moved(op.new_range(), to));
                match list.get_mut(first..).and_then(<[LineHunk]>::last_mut) {
                    Some(last) if gone.start.saturating_sub(last.old.end) <= MAX_EQUAL_LINES => {
                        last.old.end = gone.end;
                        last.new.end = came.end;
                    }
                    _ => list.push(LineHunk { old: gone, new: came }),
                }
            }
        }
        (list.len() <= MAX_HUNKS).then(|| Self {
            old: old.clone(),
            new: new.clone(),
            old_lines,
            new_lines,
            list,
        })
    }

    /// All hunks, in their order.
    pub(super) fn list(&self) -> &[LineHunk] {
        &self.list
    }

    /// A range of lines of the old text.
    fn old_text(&self, lines: Range<usize>) -> &str {
        slice(&self.old, &self.old_lines, lines)
    }

    fn new_text(&self, lines: Range<usize>) -> &str {
        slice(&self.new, &self.new_lines, lines)
    }

    /// The pieces that make up either text: a part equal in both, and the hunk that follows it.
    fn pieces(&self) -> impl Iterator<Item = (&str, Option<(usize, &LineHunk)>)> {
        let mut from = 0;
        let hunks = self.list.iter().enumerate().map(Some).chain([None]);
        hunks.map(move |next| match next {
            Some((number, hunk)) => {
                let same = self.old_text(from..hunk.old.start);
                from = hunk.old.end;
                (same, Some((number, hunk)))
            }
            None => (self.old_text(from..self.old_lines.len()), None),
        })
    }

    /// The new text, with the old lines in place of these hunks.
    pub(super) fn text(&self, dropped: &BTreeSet<usize>) -> String {
        let mut text = String::with_capacity(self.old.len().max(self.new.len()));
        for (same, hunk) in self.pieces() {
            text.push_str(same);
            if let Some((number, hunk)) = hunk {
                let drop = dropped.contains(&number);
                let piece =
                    if drop { self.old_text(hunk.old.clone()) } else { self.new_text(hunk.new.clone()) };
                text.push_str(piece);
            }
        }
        text
    }

    /// The lines of each hunk in that text; for a dropped hunk those of the old text.
    pub(super) fn places(&self, dropped: &BTreeSet<usize>) -> Vec<Range<usize>> {
        let (mut line, mut from) = (0, 0);
        let mut places = Vec::with_capacity(self.list.len());
        for (number, hunk) in self.list.iter().enumerate() {
            line += hunk.old.start - from;
            from = hunk.old.end;
            let rows = if dropped.contains(&number) { hunk.old.len() } else { hunk.new.len() };
            places.push(line..line + rows);
            line += rows;
        }
        places
    }

    /// Which hunks are dropped in a text; `None` if the text can't be made from these two. If several choices make it,
    /// the one in which the earliest hunks are kept.
    pub(super) fn dropped_in(&self, text: &str) -> Option<BTreeSet<usize>> {
        let pieces: Vec<_> = self.pieces().collect();
        let mut dead = HashSet::new();
        let mut dropped = BTreeSet::new();
        self.read(&pieces, 0, text, &mut dead, &mut dropped).then_some(dropped)
    }

    /// Matches the rest of a text, starting at a piece. `dead`: pairs of piece and rest that failed before.
    fn read(
        &self,
        pieces: &[(&str, Option<(usize, &LineHunk)>)],
        at: usize,
        rest: &str,
        dead: &mut HashSet<(usize, usize)>,
        dropped: &mut BTreeSet<usize>,
    ) -> bool {
        let Some((same, hunk)) = pieces.get(at) else { return rest.is_empty() };
        if dead.contains(&(at, rest.len())) {
            return false;
        }
        let found = rest.strip_prefix(same).is_some_and(|rest| {
            let Some((number, hunk)) = hunk else { return self.read(pieces, at + 1, rest, dead, dropped) };
            let kept = rest.strip_prefix(self.new_text(hunk.new.clone()));
            if kept.is_some_and(|rest| self.read(pieces, at + 1, rest, dead, dropped)) {
                return true;
            }
            let old = rest.strip_prefix(self.old_text(hunk.old.clone()));
            dropped.insert(*number);
            let found = old.is_some_and(|rest| self.read(pieces, at + 1, rest, dead, dropped));
            if !found {
                dropped.remove(number);
            }
            found
        });
        if !found {
            dead.insert((at, rest.len()));
        }
        found
    }
}

fn slice<'a>(text: &'a str, lines: &[Range<usize>], wanted: Range<usize>) -> &'a str {
    let end = |line: usize| lines.get(line).map_or(text.len(), |range| range.start);
    text.get(end(wanted.start)..end(wanted.end)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{BlockKind, file_texts};
    use proptest::prelude::*;

    fn of(old: &str, new: &str) -> Option<Hunks> {
        Hunks::of(&old.into(), &new.into(), &[(FilePart::whole(old), FilePart::whole(new))])
    }

    #[test]
    fn no_hunk_goes_over_two_files() {
        let kind = BlockKind::Edit { paths: vec!["a".into(), "b".into()] };
        let (old, new) = ("==> a <==\n1\n==> b <==\n1\n", "==> a <==\n2\n==> b <==\n2\n");
        let files = file_texts::pairs_of(&kind, old, new);
        let hunks = Hunks::of(&old.into(), &new.into(), &files).expect("they differ");
        assert_eq!(hunks.list(), [LineHunk { old: 1..2, new: 1..2 }, LineHunk { old: 3..4, new: 3..4 }]);
        assert_eq!(hunks.text(&BTreeSet::from([0])), "==> a <==\n1\n==> b <==\n2\n");
    }

    fn hunks(old: &str, new: &str) -> Hunks {
        of(old, new).expect("they differ")
    }

    fn all(hunks: &Hunks) -> BTreeSet<usize> {
        (0..hunks.list().len()).collect()
    }

    #[test]
    fn the_same_text_has_no_hunks() {
        assert!(of("a\n", "a\n").is_none());
        assert!(of("", "").is_none());
    }

    #[test]
    fn changes_far_apart_are_hunks_and_those_beside_each_other_one() {
        let old = "a\nb\nc\nd\ne\nf\n";
        let hunks = hunks(old, "A\nb\nC\nd\ne\nF\n");
        assert_eq!(hunks.list(), [LineHunk { old: 0..3, new: 0..3 }, LineHunk { old: 5..6, new: 5..6 }]);
        assert_eq!(hunks.text(&BTreeSet::from([0])), "a\nb\nc\nd\ne\nF\n");
        assert_eq!(hunks.text(&BTreeSet::from([1])), "A\nb\nC\nd\ne\nf\n");
    }

    #[test]
    fn a_long_chain_of_equal_choices_is_read_at_once() {
        let old: String = (0..200).map(|n| format!("same\nsame\n{n}\n")).collect();
        let new = old.replace("same\nsame\n", "same\n");
        let hunks = hunks(&old, &new);
        assert_eq!(hunks.dropped_in("something else\n"), None);
        assert_eq!(hunks.dropped_in(&old), Some(all(&hunks)));
    }

    fn text() -> impl Strategy<Value = String> {
        "((a|b|c|\u{e9})(\n|\r\n|\r)){0,14}(a|b)?"
    }

    proptest! {
        #[test]
        fn nothing_dropped_is_the_new_text_and_all_dropped_the_old(old in text(), new in text()) {
            prop_assume!(old != new);
            let hunks = hunks(&old, &new);
            prop_assert!(!hunks.list().is_empty());
            prop_assert_eq!(hunks.text(&BTreeSet::new()), new);
            prop_assert_eq!(hunks.text(&all(&hunks)), old);
        }

        /// Which hunks were dropped can be read off the text, except for hunks that make no difference in it, and each
        /// hunk is where its place says.
        #[test]
        fn a_text_tells_what_was_dropped_and_where(old in text(), new in text(), choice in 0u32..65_536) {
            prop_assume!(old != new);
            let hunks = hunks(&old, &new);
            let dropped = all(&hunks).into_iter().filter(|n| choice >> (n % 16) & 1 == 1).collect();
            let text = hunks.text(&dropped);
            let found = hunks.dropped_in(&text).expect("it is one of them");
            prop_assert_eq!(hunks.text(&found), text.as_str());
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            for (number, place) in hunks.places(&dropped).into_iter().enumerate() {
                let hunk = &hunks.list()[number];
                let piece = if dropped.contains(&number) {
                    hunks.old_text(hunk.old.clone())
                } else {
                    hunks.new_text(hunk.new.clone())
                };
                prop_assert_eq!(lines[place].concat(), piece);
            }
        }
    }
}
