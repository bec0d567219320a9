//! Determines which lines of a text are new or changed. Untouched lines at its start and end are not compared.

use crate::text::diff::{DiffOp, diff_ops};

/// With more lines than this between the first and the last change, lines are compared by their index.
const MAX_LINES: usize = 4_000;

/// For each line of `now`, whether it is new or changed against `before`.
pub(super) fn lines(before: &[String], now: &[String], untouched: (usize, usize)) -> Vec<bool> {
    let shorter = before.len().min(now.len());
    let mut head = untouched.0.min(shorter);
    let mut tail = untouched.1.min(shorter - head);
    // Excludes lines that were changed back.
    let middle = |head: usize, tail: usize| {
        (
            before.get(head..before.len() - tail).unwrap_or_default(),
            now.get(head..now.len() - tail).unwrap_or_default(),
        )
    };
    let (old, new) = middle(head, tail);
    head += old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old, new) = middle(head, tail);
    tail += old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let (old, new) = middle(head, tail);
    let mut marks = vec![false; now.len()];
    if old.len() + new.len() > 2 * MAX_LINES {
        let by_place = old.iter().map(Some).chain(std::iter::repeat(None));
        for ((mark, new), old) in marks.iter_mut().skip(head).zip(new).zip(by_place) {
            *mark = Some(new) != old;
        }
        return marks;
    }
    for op in diff_ops(old, new, None) {
        if let DiffOp::Insert { new_index, new_len, .. } | DiffOp::Replace { new_index, new_len, .. } = op {
            marks.iter_mut().skip(head + new_index).take(new_len).for_each(|mark| *mark = true);
        }
    }
    marks
}
