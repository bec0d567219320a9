//! Instructions in words: whether the project's are told to the model, and what a run changed in those that are held
//! back from it.

use crate::domain::visible::{visible, visible_line};
use crate::driver::HeldFile;
use crate::engine::State;
use crate::text::diff::{LineComparison, is_change};

/// What `/instructions` takes.
pub(super) const USAGE: &str = "/instructions on|off|changes.";

/// Whether the project's instructions are told to the model, and what `/instructions` takes.
pub(super) fn sentence(state: &State) -> String {
    let is_used = state.live.use_instructions;
    let is_there = state.live.instructions.iter().any(|file| !file.own);
    let text = match (is_there, is_used) {
        (true, true) => "The project's AGENTS.md is told to the model.",
        (true, false) => "The project's AGENTS.md is not told to the model.",
        (false, true) if state.live.holds_project_instructions() => {
            "No AGENTS.md is told: it changed since a run began, and you have not accepted it."
        }
        (false, true) => "No AGENTS.md of the project is told. One that comes would be.",
        (false, false) => "No AGENTS.md of the project is told. One that comes would not be.",
    };
    format!("{text} {USAGE}")
}

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
