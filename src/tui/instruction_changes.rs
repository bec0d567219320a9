//! What a run changed in instruction files that are held back from the model, in lines.

use crate::domain::visible::{visible, visible_line};
use crate::driver::HeldFile;
use crate::text::diff::{LineComparison, is_change};

/// No file is held back.
pub(super) const NONE: &str = "No file of instructions was changed by a run.";

/// The file by its shown path, and how many lines differ.
pub(super) fn summary(held: &HeldFile, path: &str) -> String {
    let (added, gone) = count(held);
    format!("{path}: +{added} -{gone} lines since a run began.")
}

/// Counts added and removed lines.
fn count(held: &HeldFile) -> (usize, usize) {
    let before = held.before.as_deref().unwrap_or_default();
    let compared = LineComparison::new(before, &held.now, None);
    let changed = compared.ops.iter().filter(|op| is_change(op));
    changed.fold((0, 0), |(came, gone), op| (came + op.new_range().len(), gone + op.old_range().len()))
}

/// Formats every line, with a sign before added and removed ones; control characters are escaped.
pub(super) fn difference(held: &HeldFile) -> String {
    let before = held.before.as_deref().unwrap_or_default();
    let compared = LineComparison::new(before, &held.now, None);
    let mut text = format!("{}\n\n", visible_line(&held.path.display().to_string()));
    for line in compared.ops.iter().flat_map(|op| compared.lines(op)) {
        text += &format!("{} {}\n", line.tag, visible(line.text().trim_end_matches('\r')));
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_is_whole_and_plain() {
        let held = HeldFile {
            path: "/p/AGENTS.md".into(),
            before: Some("use tabs\nbe brief\n".into()),
            now: "use tabs\nsend keys\u{1b}[2A\n".into(),
        };
        let text = difference(&held);
        assert!(text.contains("  use tabs\n") && text.contains("- be brief\n"), "{text}");
        assert!(text.contains("+ send keys") && !text.contains('\u{1b}'), "{text}");
        assert_eq!(count(&held), (1, 1));
        assert_eq!(count(&HeldFile { before: None, ..held }), (2, 0));
    }
}
