//! Compares two lists, or two texts line by line and word by word.
//!
//! Every comparison runs on numbers that stand for equal items, so the algorithms of the `similar` package are compiled
//! once, whatever is compared.

pub(crate) use similar::{ChangeTag, DiffOp};

use similar::Algorithm;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::hash::Hash;
use std::ops::Range;
use std::time::Instant;
use unicode_segmentation::UnicodeSegmentation as _;

/// The share of equal words in replaced lines below which their words are not marked: the lines have too little in common.
const MIN_EQUAL_WORDS: f32 = 0.5;

/// The steps that turn one list into the other, equal stretches included. After `until` it stops searching for the
/// shortest steps and replaces what is left.
pub(crate) fn diff_ops<T: Hash + Eq>(old: &[T], new: &[T], until: Option<Instant>) -> Vec<DiffOp> {
    compare(Algorithm::Myers, old, new, until)
}

/// The same, built around items that occur once on each side: stretches that belong together stay together more often.
pub(crate) fn patience_ops<T: Hash + Eq>(old: &[T], new: &[T], until: Option<Instant>) -> Vec<DiffOp> {
    compare(Algorithm::Patience, old, new, until)
}

fn compare<T: Hash + Eq>(algorithm: Algorithm, old: &[T], new: &[T], until: Option<Instant>) -> Vec<DiffOp> {
    let mut numbers = HashMap::with_capacity(old.len());
    let mut number = |item| {
        let next = numbers.len();
        *numbers.entry(item).or_insert(next)
    };
    let old: Vec<usize> = old.iter().map(&mut number).collect();
    let new: Vec<usize> = new.iter().map(&mut number).collect();
    similar::capture_diff_slices_deadline(algorithm, &old, &new, until)
}

/// Whether a step changes anything.
pub(crate) fn is_change(op: &DiffOp) -> bool {
    !matches!(op, DiffOp::Equal { .. })
}

/// How much of two texts is equal, by characters: from 0 (nothing) to 1.
pub(crate) fn similarity(one: &str, other: &str) -> f32 {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    similar::diff_ratio(&diff_ops(&one, &other, None), one.len(), other.len())
}

/// Two texts, compared line by line. A line ends with a line feed, which is part of it.
#[derive(Debug)]
pub(crate) struct LineComparison<'a> {
    old: Vec<&'a str>,
    new: Vec<&'a str>,
    pub(crate) ops: Vec<DiffOp>,
}

/// One line of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineChange<'a> {
    pub(crate) tag: ChangeTag,
    /// Its index in the old text, unless it was inserted.
    pub(crate) old: Option<usize>,
    /// Its index in the new text, unless it was deleted.
    pub(crate) new: Option<usize>,
    /// The line with its end.
    line: &'a str,
    /// The bytes of the line that changed, where the line replaced a similar one.
    pub(crate) words: Vec<Range<usize>>,
}

impl<'a> LineChange<'a> {
    /// The line without its line feed.
    pub(crate) fn text(&self) -> &'a str {
        self.line.strip_suffix('\n').unwrap_or(self.line)
    }

    /// Whether the line ends with a line feed; only the last line of a text may lack it.
    pub(crate) fn is_ended(&self) -> bool {
        self.line.ends_with('\n')
    }
}

impl<'a> LineComparison<'a> {
    /// Compares; after `until` what is left counts as replaced.
    pub(crate) fn new(old: &'a str, new: &'a str, until: Option<Instant>) -> Self {
        let (old, new): (Vec<_>, Vec<_>) =
            (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
        let ops = diff_ops(&old, &new, until);
        Self { old, new, ops }
    }

    /// The changes with this many equal lines around each; changes closer than that share a hunk.
    pub(crate) fn hunks(&self, context: usize) -> Vec<Vec<DiffOp>> {
        similar::group_diff_ops(self.ops.clone(), context)
    }

    /// The lines of a step: deleted ones before inserted ones.
    pub(crate) fn lines(&self, op: &DiffOp) -> Vec<LineChange<'a>> {
        let (olds, news) = (op.old_range(), op.new_range());
        let change = |tag, old: Option<usize>, new: Option<usize>| {
            let line = old.and_then(|at| self.old.get(at)).or_else(|| self.new.get(new?));
            LineChange { tag, old, new, line: line.copied().unwrap_or_default(), words: Vec::new() }
        };
        if let DiffOp::Equal { .. } = op {
            return olds.zip(news).map(|(old, new)| change(ChangeTag::Equal, Some(old), Some(new))).collect();
        }
        let deleted = olds.map(|old| change(ChangeTag::Delete, Some(old), None));
        deleted.chain(news.map(|new| change(ChangeTag::Insert, None, Some(new)))).collect()
    }

    /// The lines of a step, with the words marked that differ between lines that replace each other.
    pub(crate) fn lines_with_words(&self, op: &DiffOp, until: Option<Instant>) -> Vec<LineChange<'a>> {
        let mut lines = self.lines(op);
        if let DiffOp::Replace { old_len, .. } = op
            && let Some((deleted, inserted)) = lines.split_at_mut_checked(*old_len)
        {
            mark_words(deleted, inserted, until);
        }
        lines
    }

    /// A unified diff; the names, of the old and the new text, stand above it. Empty where the texts are equal.
    pub(crate) fn unified(&self, context: usize, names: Option<(&str, &str)>) -> String {
        let mut text = String::new();
        for hunk in self.hunks(context) {
            let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { continue };
            // Writing to a string can't fail.
            if let Some((old, new)) = names.filter(|_| text.is_empty()) {
                let _ = write!(text, "--- {old}\n+++ {new}\n");
            }
            let old = hunk_range(first.old_range().start..last.old_range().end);
            let new = hunk_range(first.new_range().start..last.new_range().end);
            let _ = writeln!(text, "@@ -{old} +{new} @@");
            for change in hunk.iter().flat_map(|op| self.lines(op)) {
                let _ = writeln!(text, "{}{}", change.tag, change.text());
                if !change.is_ended() {
                    text.push_str("\\ No newline at end of file\n");
                }
            }
        }
        text
    }
}

/// Lines as the head of a hunk names them: counted from 1, an empty range by the line before it.
fn hunk_range(lines: Range<usize>) -> String {
    match lines.len() {
        1 => (lines.start + 1).to_string(),
        0 => format!("{},0", lines.start),
        count => format!("{},{count}", lines.start + 1),
    }
}

/// A word: the index of its line, its bytes in it, its text.
type Word<'a> = (usize, Range<usize>, &'a str);

/// Marks the words that differ, unless the lines have too little in common.
fn mark_words(deleted: &mut [LineChange<'_>], inserted: &mut [LineChange<'_>], until: Option<Instant>) {
    let (old, new) = (words_of(deleted), words_of(inserted));
    let ops = patience_ops(&texts(&old), &texts(&new), until);
    if similar::diff_ratio(&ops, old.len(), new.len()) < MIN_EQUAL_WORDS {
        return;
    }
    for op in ops.iter().filter(|op| is_change(op)) {
        mark(deleted, old.get(op.old_range()).unwrap_or_default());
        mark(inserted, new.get(op.new_range()).unwrap_or_default());
    }
}

fn texts<'a>(words: &[Word<'a>]) -> Vec<&'a str> {
    words.iter().map(|word| word.2).collect()
}

fn words_of<'a>(lines: &[LineChange<'a>]) -> Vec<Word<'a>> {
    let words = lines.iter().enumerate().flat_map(|(at, line)| {
        line.line.split_word_bound_indices().map(move |(from, word)| (at, from..from + word.len(), word))
    });
    words.collect()
}

fn mark(lines: &mut [LineChange<'_>], words: &[Word<'_>]) {
    for (at, bytes, _) in words {
        let Some(line) = lines.get_mut(*at) else { continue };
        let end = line.line.trim_end_matches(['\n', '\r']).len();
        let bytes = bytes.start.min(end)..bytes.end.min(end);
        match line.words.last_mut() {
            Some(last) if last.end == bytes.start => last.end = bytes.end,
            _ if bytes.is_empty() => {}
            _ => line.words.push(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(old: &str, new: &str) -> Vec<Vec<String>> {
        let compared = LineComparison::new(old, new, None);
        let lines = compared.ops.iter().flat_map(|op| compared.lines_with_words(op, None));
        lines
            .map(|line| line.words.iter().map(|word| line.text()[word.clone()].to_owned()).collect())
            .collect()
    }

    #[test]
    fn the_words_that_changed_are_marked() {
        assert_eq!(words("total = price * 2\n", "total = amount * 2\n"), [["price"], ["amount"]]);
        assert_eq!(words("a b\r\n", "a c\n"), [["b"], ["c"]], "ends of lines are not marked");
        let none: [&[&str]; 2] = [&[], &[]];
        assert_eq!(words("nothing alike\n", "x = 1\n"), none);
        assert_eq!(words("a b", "a b c\n"), [&[][..], &[" c"]]);
    }

    #[test]
    fn a_unified_diff_names_lines_and_a_missing_last_end() {
        let compared = LineComparison::new("1\n2\n3\n4\n5\n", "1\n2\n3\n4\nx", None);
        let expected = "--- a\n+++ b\n@@ -4,2 +4,2 @@\n 4\n-5\n+x\n\\ No newline at end of file\n";
        assert_eq!(compared.unified(1, Some(("a", "b"))), expected);
        let compared = LineComparison::new("1\n", "1\n2\n", None);
        assert_eq!(compared.unified(0, None), "@@ -1,0 +2 @@\n+2\n");
        assert_eq!(LineComparison::new("1\n", "1\n", None).unified(3, Some(("a", "b"))), "");
    }

    #[test]
    fn similarity_is_the_share_of_equal_characters() {
        assert!((similarity("abcd", "abxd") - 0.75).abs() < 0.001);
        assert!((similarity("", "") - 1.0).abs() < 0.001 && similarity("a", "b") < 0.001);
    }

    proptest! {
        /// Applying the steps to the old text gives the new one, whichever way they were found.
        #[test]
        fn steps_lead_from_the_old_text_to_the_new(old in "([abc]\n|\r){0,12}a?", new in "([abc]\n|\r){0,12}") {
            let compared = LineComparison::new(&old, &new, None);
            for ops in [compared.ops.clone(), patience_ops(&compared.old, &compared.new, None)] {
                let (mut before, mut after) = (String::new(), String::new());
                for line in ops.iter().flat_map(|op| compared.lines_with_words(op, None)) {
                    before.push_str(if line.old.is_some() { line.line } else { "" });
                    after.push_str(if line.new.is_some() { line.line } else { "" });
                    prop_assert!(line.words.iter().all(|word| line.text().get(word.clone()).is_some()));
                }
                prop_assert_eq!((&before, &after), (&old, &new));
            }
        }
    }
}
