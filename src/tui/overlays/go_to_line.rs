//! Asks for the number of a line and moves the editor's cursor there.

use super::{Overlay, OverlayContext, OverlayResponse};
use crate::tui::editing::Pos;
use crate::tui::keymap::Context;
use crate::tui::panes::Panes;
use crate::tui::widgets::field::Field;
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::sheet::Sheet;
use ratatui::layout::Rect;

#[derive(Debug, Default)]
pub(crate) struct GoToLine {
    field: Field,
}

impl Overlay for GoToLine {
    fn context(&self) -> Context {
        Context::Text
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.field)
    }

    fn accept(&mut self, _: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        let typed = self.field.text();
        if typed.trim().is_empty() {
            return vec![OverlayResponse::Close];
        }
        match (typed.trim().parse::<usize>(), panes.code.editor()) {
            (Ok(number), Some(editor)) => {
                editor.jump(Pos::new(number.saturating_sub(1), 0));
                vec![OverlayResponse::Close]
            }
            _ => vec![OverlayResponse::info("A number of a line goes here, nothing else.")],
        }
    }

    fn is_stale(&self, state: &crate::engine::State) -> bool {
        state.waiting().is_none()
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        hints.plain("Enter", "go there", 0).plain("Esc", "back", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some("Go to a line of this block.".into())
    }

    fn sheet(&self, around: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        Some(Sheet::with_field("Go to line", "Number of the line:", &self.field, room.width, around.look))
    }
}
