//! Asks for a new name of the session.

use super::{Overlay, OverlayContext, OverlayResponse};
use crate::engine::Command;
use crate::tui::keymap::Context;
use crate::tui::panes::Panes;
use crate::tui::ui_command::UiCommand;
use crate::tui::widgets::field::Field;
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::sheet::Sheet;
use ratatui::layout::Rect;

#[derive(Debug, Default)]
pub(crate) struct Rename {
    pub(crate) field: Field,
}

impl Overlay for Rename {
    fn keymap_context(&self) -> Context {
        Context::Text
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.field)
    }

    fn accept(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        let mut then = vec![OverlayResponse::Close];
        if !self.field.is_empty() {
            then.push(OverlayResponse::UiCommand(UiCommand::Send(Command::Rename(
                self.field.text().trim().to_owned(),
            ))));
        }
        then
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        hints.plain("Enter", "take it", 0).plain("Esc", "back", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some("Another name for this session.".into())
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        Some(Sheet::with_field("Rename", "Another name for this session:", &self.field, room.width, ctx.look))
    }
}
