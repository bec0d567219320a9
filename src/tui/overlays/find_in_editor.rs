//! A text that is looked for in the block that is edited.

use super::{Overlay, OverlayContext, Then};
use crate::tui::keymap::Context;
use crate::tui::note::Note;
use crate::tui::panes::Panes;
use crate::tui::widgets::field::Field;
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::sheet::Sheet;
use ratatui::layout::Rect;

#[derive(Debug, Default)]
pub(crate) struct FindInEditor {
    pub field: Field,
}

impl Overlay for FindInEditor {
    fn context(&self) -> Context {
        Context::Text
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.field)
    }

    fn accept(&mut self, _: OverlayContext<'_>, panes: &mut Panes) -> Vec<Then> {
        let needle = self.field.text();
        let mut then = vec![Then::Close];
        if panes.code.editor().is_some_and(|editor| !editor.find(&needle, false, true)) {
            then.push(Then::Say(Note::info(format!("No matches for {needle}."))));
        }
        then
    }

    fn hints(&self, hints: &mut Hints<'_>) {
        hints.plain("Enter", "take it", 0).plain("Esc", "back", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some("Find in this block.".into())
    }

    fn sheet(&self, around: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        Some(Sheet::with_field(
            "Find",
            "Text to look for in this block:",
            &self.field,
            room.width,
            around.look,
        ))
    }
}
