//! Compares a new text with the one that it would replace: which lines are shown, which stay unchanged.

use super::changed_words::WORDS_TIMEOUT;
use super::split;
use crate::domain::file_texts::FilePart;
use crate::text::diff::{ChangeTag, LineComparison};
use crate::tui::panes::code::hunks::{DroppedHunk, number};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How many unchanged lines around a change are shown.
const CONTEXT_LINES: usize = 3;
/// Texts with more lines are not compared: the whole new text is shown instead.
const MAX_LINES: usize = 100_000;
/// How long the comparison of all files may look for the shortest changes.
pub(in crate::tui::panes::code) const DIFF_TIMEOUT: Duration = Duration::from_millis(100);

/// A step of the comparison, in the order of display. Lines count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DiffStep {
    /// A line of the new text.
    New(u32),
    /// A line of the old text that is removed; `at` is the line of the new text that follows.
    Old { line: u32, at: u32 },
    /// A dropped hunk: its index among the dropped ones, and the line of the new text that follows.
    Dropped { number: u32, at: u32 },
    /// `count` unchanged lines, from `at` on.
    Same { at: u32, count: u32 },
}

#[derive(Debug)]
pub(super) struct LineDiff {
    old: Arc<str>,
    lines: Vec<Range<usize>>,
    pub(super) steps: Vec<DiffStep>,
    /// The lines that were added and those that were removed, each with the byte ranges that changed inside it.
    added: HashMap<u32, Vec<Range<usize>>>,
    removed: HashMap<u32, Vec<Range<usize>>>,
}

impl LineDiff {
    /// Compares file by file; `None` if the texts are too long for that. The first line of each file is always shown.
    pub(super) fn new(old: Arc<str>, new: &str, files: &[(FilePart, FilePart)]) -> Option<Self> {
        Self::within(old, new, files, Instant::now() + DIFF_TIMEOUT)
    }

    /// The same; after `until`, no more time is spent on looking for shorter changes.
    fn within(old: Arc<str>, new: &str, files: &[(FilePart, FilePart)], until: Instant) -> Option<Self> {
        let lines = split(&old);
        if lines.len().max(split(new).len()) > MAX_LINES {
            return None;
        }
        let (added, removed) = (HashMap::new(), HashMap::new());
        let mut diff = Self { old, lines, steps: Vec::new(), added, removed };
        for (before, after) in files {
            diff.add_file(before, after, new, until);
        }
        if diff.steps.is_empty() {
            diff.steps.push(DiffStep::New(0));
        }
        Some(diff)
    }

    fn add_file(&mut self, before: &FilePart, after: &FilePart, new: &str, until: Instant) {
        let old = self.old.clone();
        let text = old.get(before.body..before.bytes.end).unwrap_or_default();
        let changed = new.get(after.body..after.bytes.end).unwrap_or_default();
        let (old_from, from) = (before.first(), after.first());
        if after.path.is_some() {
            self.steps.push(DiffStep::New(number(after.lines.start)));
        }
        let compared = LineComparison::new(text, changed, Some(until));
        let mut next = from;
        for op in compared.hunks(CONTEXT_LINES).iter().flatten() {
            let at = from + op.new_range().start;
            same(&mut self.steps, next, at);
            next = from + op.new_range().end;
            for change in compared.lines_with_words(op, Some(Instant::now() + WORDS_TIMEOUT)) {
                match (change.tag, change.old, change.new) {
                    (ChangeTag::Delete, Some(line), _) => {
                        let line = number(old_from + line);
                        self.steps.push(DiffStep::Old { line, at: number(at) });
                        self.removed.insert(line, change.words);
                    }
                    (tag, _, Some(line)) => {
                        let line = number(from + line);
                        self.steps.push(DiffStep::New(line));
                        if tag == ChangeTag::Insert {
                            self.added.insert(line, change.words);
                        }
                    }
                    _ => {}
                }
            }
        }
        same(&mut self.steps, next, if changed.is_empty() { next } else { after.lines.end });
    }

    /// Inserts dropped hunks, which must be sorted by line.
    pub(super) fn insert_dropped(&mut self, dropped: &[DroppedHunk]) {
        let mut left = dropped.iter().zip(0u32..).peekable();
        let mut steps = Vec::with_capacity(self.steps.len() + dropped.len());
        for step in std::mem::take(&mut self.steps) {
            let (mut from, to) = match step {
                DiffStep::New(line) => (line, line),
                DiffStep::Old { at, .. } | DiffStep::Dropped { at, .. } => (at, at),
                DiffStep::Same { at, count } => (at, at + count.saturating_sub(1)),
            };
            while let Some((mark, number)) = left.next_if(|(mark, _)| mark.at <= to) {
                let at = mark.at.max(from);
                if let DiffStep::Same { .. } = step {
                    same(&mut steps, from as usize, at as usize);
                    from = at;
                }
                steps.push(DiffStep::Dropped { number, at });
            }
            match step {
                DiffStep::Same { at, count } => same(&mut steps, from as usize, (at + count) as usize),
                other => steps.push(other),
            }
        }
        steps.extend(left.map(|(mark, number)| DiffStep::Dropped { number, at: mark.at }));
        self.steps = steps;
    }

    pub(super) fn lines(&self) -> usize {
        self.lines.len()
    }

    /// The text of an old line.
    pub(super) fn line(&self, line: u32) -> &str {
        self.range(line).and_then(|range| self.old.get(range)).unwrap_or_default()
    }

    /// The byte ranges that changed inside a line of the new text.
    pub(super) fn inserted_words(&self, line: u32) -> &[Range<usize>] {
        self.added.get(&line).map_or(&[], Vec::as_slice)
    }

    /// The byte ranges that changed inside an old line.
    pub(super) fn removed_words(&self, line: u32) -> &[Range<usize>] {
        self.removed.get(&line).map_or(&[], Vec::as_slice)
    }

    /// The byte range of an old line in the old text.
    pub(super) fn range(&self, line: u32) -> Option<Range<usize>> {
        self.lines.get(line as usize).cloned()
    }

    /// Whether a line of the new text was added.
    pub(super) fn is_added(&self, line: usize) -> bool {
        self.added.contains_key(&number(line))
    }
}

fn same(steps: &mut Vec<DiffStep>, from: usize, to: usize) {
    if to > from {
        steps.push(DiffStep::Same { at: number(from), count: number(to - from) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{BlockKind, file_texts};
    use proptest::prelude::*;

    fn compared(old: &str, new: &str) -> Option<LineDiff> {
        LineDiff::new(old.into(), new, &[(FilePart::whole(old), FilePart::whole(new))])
    }

    #[test]
    fn the_head_of_each_file_is_shown_above_its_changes() {
        let kind = BlockKind::Edit { paths: vec!["a".into(), "b".into()] };
        let text = |a: &str, b: &str| {
            let lines: String = (0..9).map(|n| format!("{n}\n")).collect();
            format!("==> a <==\n{a}{lines}==> b <==\n{lines}{b}")
        };
        let (old, new) = (text("x\n", "y\n"), text("", "z\n"));
        let files = file_texts::pairs_of(&kind, &old, &new);
        let against = LineDiff::new(old.as_str().into(), &new, &files).expect("short");
        let heads: Vec<usize> = [0, 10]
            .into_iter()
            .filter_map(|head| against.steps.iter().position(|step| *step == DiffStep::New(head)))
            .collect();
        assert_eq!(heads, [0, 6]);
        assert_eq!(against.steps.get(1), Some(&DiffStep::Old { line: 1, at: 1 }));
        assert_eq!(against.steps.get(7), Some(&DiffStep::Same { at: 11, count: 6 }));
    }

    #[test]
    fn the_time_of_a_comparison_is_that_of_all_files() {
        let kind = BlockKind::Edit { paths: vec!["a".into(), "b".into()] };
        let text = |ends: &str| {
            let lines: String = (0..9).map(|n| format!("{n}\n")).collect();
            format!("==> a <==\n{ends}{lines}{ends}==> b <==\n{ends}{lines}{ends}")
        };
        let (old, new) = (text("x\n"), text("y\n"));
        let files = file_texts::pairs_of(&kind, &old, &new);
        let added = |until: Instant| {
            let against = LineDiff::within(old.as_str().into(), &new, &files, until).expect("short");
            (0..24).filter(|line| against.is_added(*line)).count()
        };
        let now = Instant::now();
        assert_eq!(added(now + Duration::from_secs(60)), 4);
        assert_eq!(added(now), 22, "the time is over: neither file is looked into");
    }

    #[test]
    fn changes_are_shown_with_what_stands_around_them() {
        let old: String = (0..20).map(|n| format!("{n}\n")).collect();
        let new = old.replace("10\n", "ten\n");
        let against = compared(&old, &new).expect("short");
        let expected = [
            DiffStep::Same { at: 0, count: 7 },
            DiffStep::New(7),
            DiffStep::New(8),
            DiffStep::New(9),
            DiffStep::Old { line: 10, at: 10 },
            DiffStep::New(10),
            DiffStep::New(11),
            DiffStep::New(12),
            DiffStep::New(13),
            DiffStep::Same { at: 14, count: 6 },
        ];
        assert_eq!(against.steps, expected);
        assert!(against.is_added(10) && !against.is_added(9));
        assert_eq!(against.line(10), "10");
    }

    #[test]
    fn an_emptied_and_an_unchanged_file() {
        let gone = compared("a\n", "").expect("short");
        assert_eq!(gone.steps, [DiffStep::Old { line: 0, at: 0 }]);
        let same = compared("a\nb\n", "a\nb\n").expect("short");
        assert_eq!(same.steps, [DiffStep::Same { at: 0, count: 2 }]);
    }

    #[test]
    fn dropped_hunks_are_marked_where_they_stood() {
        let old: String = (0..6).map(|n| format!("{n}\n")).collect();
        let mut against = compared(&old, &old).expect("short");
        let dropped = |hunk, at| DroppedHunk { hunk, at, lines: (1, 1) };
        against.insert_dropped(&[dropped(0, 0), dropped(2, 4), dropped(3, 6)]);
        let expected = [
            DiffStep::Dropped { number: 0, at: 0 },
            DiffStep::Same { at: 0, count: 4 },
            DiffStep::Dropped { number: 1, at: 4 },
            DiffStep::Same { at: 4, count: 2 },
            DiffStep::Dropped { number: 2, at: 6 },
        ];
        assert_eq!(against.steps, expected);
    }

    proptest! {
        /// Every line of the new text is shown or counted, once; every line that differs is shown.
        #[test]
        fn nothing_new_is_left_out(old in "([ab]\n|c){0,20}", new in "([ab]\n|c){1,20}") {
            let against = compared(&old, &new).expect("short");
            let mut next = 0;
            for step in &against.steps {
                match *step {
                    DiffStep::New(line) => { prop_assert_eq!(line, next); next += 1; }
                    DiffStep::Same { at, count } => { prop_assert_eq!(at, next); next += count; }
                    DiffStep::Old { .. } | DiffStep::Dropped { .. } => {}
                }
            }
            prop_assert_eq!(next as usize, split(&new).len());
        }
    }
}
