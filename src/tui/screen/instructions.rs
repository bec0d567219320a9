//! Handles instruction files that changed since the run began: shows the whole difference, then asks the
//! person.

use super::{Ctx, Note, Screen};
use crate::domain::visible::{visible, visible_line};
use crate::driver::HeldFile;
use crate::driver::Job;
use crate::text::diff::{LineComparison, is_change};
use crate::tui::overlays::ask::Ask;
use crate::tui::ui_command::{PagerText, UiCommand};

impl Screen {
    /// Shows what changed, and asks whether to send it to the model.
    pub(super) fn ask_instructions(&mut self, held: Vec<HeldFile>, ctx: Ctx<'_>) {
        if held.is_empty() {
            return self.show_note(Note::info("No file of instructions was changed by a run."));
        }
        let lines = held.iter().map(|held| {
            let (added, gone) = count(held);
            format!("{}: +{added} -{gone} lines since a run began.", ctx.look.place.path(&held.path))
        });
        let text: String = held.iter().map(difference).collect();
        let ask = Ask::new("Tell the model?", lines.collect(), 'w', "leave it as it was told");
        let take = UiCommand::Job(Job::TakeInstructions(held));
        self.open(ask.or_command('t', "tell the model the new text", take));
        self.open_pager("What changed".into(), PagerText::Text(text));
    }
}

/// Counts added and removed lines.
fn count(held: &HeldFile) -> (usize, usize) {
    let before = held.before.as_deref().unwrap_or_default();
    let compared = LineComparison::new(before, &held.now, None);
    let changed = compared.ops.iter().filter(|op| is_change(op));
    changed.fold((0, 0), |(came, gone), op| (came + op.new_range().len(), gone + op.old_range().len()))
}

/// Formats every line, with a sign before added and removed ones; control characters are escaped.
fn difference(held: &HeldFile) -> String {
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
