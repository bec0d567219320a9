//! Asks for a provider's key, which is only kept in memory.

use super::{Overlay, OverlayContext, OverlayResponse};
use crate::domain::sentences::saving;
use crate::tui::keymap::Context;
use crate::tui::panes::Panes;
use crate::tui::ui_command::{Choice, Exit, UiCommand};
use crate::tui::widgets::field::Field;
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::safe;
use crate::tui::widgets::sheet::Sheet;
use ratatui::layout::Rect;
use secrecy::SecretString;

/// The box for a provider's key.
#[derive(Debug)]
pub struct KeyBox {
    /// The provider.
    pub provider: String,
    field: Field,
}

impl KeyBox {
    pub(crate) fn new(provider: String) -> Self {
        Self { provider, field: Field::secret() }
    }
}

impl Overlay for KeyBox {
    fn keymap_context(&self) -> Context {
        Context::Text
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.field)
    }

    fn accept(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        let mut then = vec![OverlayResponse::Close];
        if !self.field.is_empty() {
            let key = Some(SecretString::from(self.field.take().trim().to_owned()));
            let choice = Choice::Cloud { provider: self.provider.clone(), key };
            then.push(OverlayResponse::UiCommand(UiCommand::Leave(Exit::UseProvider(choice))));
        }
        then
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        hints.plain("Enter", "take it", 0).plain("Esc", "back", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some(saving::KEY_OPEN.into())
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let provider = safe::one_line(&self.provider);
        let text =
            format!("Paste a key for {provider}. It stays in memory; /key store keeps it for the next time.");
        Some(Sheet::with_field("Key", &text, &self.field, room.width, ctx.look))
    }
}
