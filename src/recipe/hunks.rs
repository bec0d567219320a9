//! Finds the changes between two texts, as hunks of replaced lines.

use crate::text::diff::{is_change, patience_ops};
use std::ops::Range;

/// Hunks of longer texts are not computed.
const MAX_LINES: usize = 5_000;

/// A stretch of lines that was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReplacedLines {
    /// The lines in the old text, counted from 0.
    pub(super) old: Range<usize>,
    /// The lines in the new text, counted from 0.
    pub(super) new: Range<usize>,
    /// The replaced lines, with their line ends.
    pub(super) before: Vec<String>,
}

/// The hunks between two texts; neighbours are joined until there are at most `most`. Empty if the texts are equal or
/// too long.
pub(super) fn hunks(old: &str, new: &str, most: usize) -> Vec<ReplacedLines> {
    // Lines end with a line feed only, because the script that reverts hunks counts them the same way.
    let (before, after): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    if before.len().max(after.len()) > MAX_LINES {
        return Vec::new();
    }
    // Without a deadline, so that the same texts always give the same hunks.
    let ops = patience_ops(&before, &after, None);
    let mut spans: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for op in ops.iter().filter(|op| is_change(op)) {
        match spans.last_mut() {
            Some((old, new)) if old.end == op.old_range().start && new.end == op.new_range().start => {
                (old.end, new.end) = (op.old_range().end, op.new_range().end);
            }
            _ => spans.push((op.old_range(), op.new_range())),
        }
    }
    while spans.len() > most.max(1) {
        join_nearest(&mut spans);
    }
    let taken = |old: Range<usize>| {
        before.get(old).unwrap_or_default().iter().map(|line| (*line).to_owned()).collect()
    };
    spans.into_iter().map(|(old, new)| ReplacedLines { before: taken(old.clone()), old, new }).collect()
}

/// Joins the two neighbouring hunks with the fewest lines between them.
fn join_nearest(spans: &mut Vec<(Range<usize>, Range<usize>)>) {
    let gaps = spans.windows(2).enumerate().filter_map(|(at, pair)| match pair {
        [(_, first), (_, second)] => Some((second.start.saturating_sub(first.end), at)),
        _ => None,
    });
    let Some((_, at)) = gaps.min() else { return };
    if at + 1 < spans.len() {
        let (old, new) = spans.remove(at + 1);
        if let Some(first) = spans.get_mut(at) {
            (first.0.end, first.1.end) = (old.end, new.end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Reverts these hunks in the new text, as the script does.
    fn without(new: &str, hunks: &[ReplacedLines], undone: impl Fn(usize) -> bool) -> String {
        let mut lines: Vec<String> = new.split_inclusive('\n').map(str::to_owned).collect();
        for (_, hunk) in hunks.iter().enumerate().rev().filter(|(at, _)| undone(*at)) {
            lines.splice(hunk.new.clone(), hunk.before.clone());
        }
        lines.concat()
    }

    #[test]
    fn changes_are_told_apart() {
        let (old, new) = ("a\nb\nc\nd\ne\n", "a\nB\nc\nd\ne\nf");
        let found = hunks(old, new, 9);
        let spans: Vec<_> = found.iter().map(|hunk| (hunk.old.clone(), hunk.new.clone())).collect();
        assert_eq!(spans, [(1..2, 1..2), (5..5, 5..6)]);
        assert_eq!(without(new, &found, |at| at == 0), "a\nb\nc\nd\ne\nf");
        assert_eq!(without(new, &found, |at| at == 1), "a\nB\nc\nd\ne\n");
        assert_eq!(hunks(old, new, 1).len(), 1);
        assert_eq!(
            (hunks("a\n", "a\n", 9), hunks(&"x\n".repeat(MAX_LINES + 1), "", 9)),
            (Vec::new(), Vec::new())
        );
    }

    proptest! {
        #[test]
        fn taking_all_back_gives_the_old_text(old in "[ab\r\n]{0,40}", new in "[ab\r\n]{0,40}", most in 1usize..5) {
            let found = hunks(&old, &new, most);
            prop_assert!(found.len() <= most);
            prop_assert_eq!(without(&new, &found, |_| true), old);
        }
    }
}
