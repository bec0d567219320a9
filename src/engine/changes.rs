//! Computes what changed between two versions of a block's text, for the person and for the model.

use crate::domain::{BlockKind, file_texts};
use crate::text::diff::{LineComparison, is_change};

/// Longer texts are not compared: it would take too long.
pub(crate) const MAX_LINES: usize = 5_000;

/// How many lines differ; `None` where the texts are too long to compare.
pub(crate) fn count_changed_lines(old: &str, new: &str) -> Option<usize> {
    comparable(old, new).then(|| {
        let compared = LineComparison::new(old, new, None);
        let changed = compared.ops.iter().filter(|op| is_change(op));
        changed.map(|op| op.old_range().len().max(op.new_range().len())).sum()
    })
}

/// Unified diffs of two texts of a block, one per file, with the file's name and line numbers; `None` where the texts
/// are too long to compare.
pub(crate) fn diff(kind: &BlockKind, old: &str, new: &str, names: (&str, &str)) -> Option<String> {
    if !comparable(old, new) {
        return None;
    }
    let mut diffs = String::new();
    for (before, after) in file_texts::pairs_of(kind, old, new) {
        let name =
            |of: &str| after.path.as_ref().map_or_else(|| of.to_owned(), |path| format!("{path} ({of})"));
        let compared = LineComparison::new(before.text(old), after.text(new), None);
        diffs += &compared.unified(3, Some((&name(names.0), &name(names.1))));
    }
    Some(diffs)
}

/// Whether the texts are short enough to compare. Equal lines at both ends don't count, as they cost nothing.
fn comparable(old: &str, new: &str) -> bool {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same = |(a, b): &(&&str, &&str)| a == b;
    let head = old.iter().zip(&new).take_while(same).count();
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
    old.len().max(new.len()).saturating_sub(head + tail) <= MAX_LINES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_added_and_deleted_lines_are_counted() {
        assert_eq!(count_changed_lines("a\nb\nc\n", "a\nb\nc\n"), Some(0));
        assert_eq!(count_changed_lines("a\nb\nc\n", "a\nx\nc\n"), Some(1));
        assert_eq!(count_changed_lines("a\nb\n", "a\nb\nc\nd\n"), Some(2));
        assert_eq!(count_changed_lines("a\nb\nc\n", "c\n"), Some(2));
        assert_eq!(count_changed_lines("a\n", "a"), Some(1), "a final newline is a change");
        assert_eq!(count_changed_lines("a\n", "a\r\n"), Some(1), "so are other line ends");
    }

    #[test]
    fn each_file_has_its_name_and_its_own_numbers() {
        let kind = BlockKind::Edit { paths: vec!["a".into(), "b".into()] };
        let both = |of: &str| format!("==> a <==\n1\n==> b <==\n1\n{of}\n");
        let told = diff(&kind, &both("2"), &both("3"), ("yours", "ran"));
        assert_eq!(told.as_deref(), Some("--- b (yours)\n+++ b (ran)\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n"));
    }

    #[test]
    fn a_missing_last_line_end_is_no_line() {
        let kind = BlockKind::Edit { paths: vec!["a".into(), "b".into()] };
        let both = |of: &str| file_texts::join(&[("a", of), ("b", "1\n")]).expect("joined");
        let told = diff(&kind, &both("m1\nm2\nm3"), &both("M1\nm2\nm3"), ("yours", "ran"));
        let expected = "--- a (yours)\n+++ a (ran)\n@@ -1,3 +1,3 @@\n-m1\n+M1\n m2\n m3\n\
                        \\ No newline at end of file\n";
        assert_eq!(told.as_deref(), Some(expected));
        // In a file that is alone, such a line is text.
        let text = "x\n\\ No newline at end of file\n";
        let told = diff(&BlockKind::Write { path: "a".into() }, text, "x", ("yours", "ran"));
        assert!(told.is_some_and(|told| told.contains("-\\ No newline at end of file\n")));
    }

    #[test]
    fn texts_that_are_too_long_are_not_compared() {
        let long = "x\n".repeat(MAX_LINES + 1);
        let compared = diff(&BlockKind::Read, "y\n", &long, ("yours", "ran"));
        assert_eq!((count_changed_lines(&long, "y\n"), compared), (None, None));
    }
}
