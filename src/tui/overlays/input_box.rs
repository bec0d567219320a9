//! Asks for one line: a provider's key, another name of the session, the number of a line.

use super::{Overlay, OverlayContext, OverlayProperties, OverlayResponse};
use crate::domain::sentences::saving;
use crate::engine::{Command, State};
use crate::tui::editing::Pos;
use crate::tui::keymap::Context;
use crate::tui::panes::Panes;
use crate::tui::ui_command::{Choice, Exit, UiCommand};
use crate::tui::widgets::field::Field;
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::safe;
use crate::tui::widgets::sheet::Sheet;
use ratatui::layout::Rect;
use secrecy::SecretString;

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// The key of this provider. It is only kept in memory.
    Key(String),
    /// Another name of the session.
    Name,
    /// A line of the editor. The cursor moves there.
    Line,
}

/// The box for one line.
#[derive(Debug)]
pub struct InputBox {
    /// What is asked for.
    pub kind: InputKind,
    field: Field,
}

impl InputBox {
    pub(crate) fn for_key(provider: String) -> Self {
        Self { kind: InputKind::Key(provider), field: Field::secret() }
    }

    /// The box for another name, in a field with the present one.
    pub(crate) fn for_name(name: &str) -> Self {
        Self { kind: InputKind::Name, field: Field::offering(name) }
    }

    pub(crate) fn for_line() -> Self {
        Self { kind: InputKind::Line, field: Field::default() }
    }
}

impl Overlay for InputBox {
    fn properties(&self) -> OverlayProperties {
        OverlayProperties { context: Context::Text, ..OverlayProperties::default() }
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.field)
    }

    fn accept(&mut self, _: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        let command = match &self.kind {
            _ if self.field.is_empty() => None,
            InputKind::Line if self.field.text().trim().is_empty() => None,
            InputKind::Line => match (self.field.text().trim().parse::<usize>(), panes.code.editor()) {
                (Ok(number), Some(editor)) => {
                    editor.jump(Pos::new(number.saturating_sub(1), 0));
                    None
                }
                _ => return vec![OverlayResponse::info("A number of a line goes here, nothing else.")],
            },
            InputKind::Name => Some(UiCommand::Send(Command::Rename(self.field.text().trim().to_owned()))),
            InputKind::Key(provider) => {
                let provider = provider.clone();
                let key = Some(SecretString::from(self.field.take().trim().to_owned()));
                Some(UiCommand::Leave(Exit::UseProvider(Choice::Cloud { provider, key })))
            }
        };
        let command = command.map(OverlayResponse::UiCommand);
        std::iter::once(OverlayResponse::Close).chain(command).collect()
    }

    fn is_stale(&self, state: &State) -> bool {
        self.kind == InputKind::Line && state.waiting().is_none()
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        let does = if self.kind == InputKind::Line { "go there" } else { "take it" };
        hints.plain("Enter", does, 0).plain("Esc", "back", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        let status = match self.kind {
            InputKind::Key(_) => saving::KEY_OPEN,
            InputKind::Name => "Another name for this session.",
            InputKind::Line => "Go to a line of this block.",
        };
        Some(status.into())
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let (title, text) = match &self.kind {
            InputKind::Key(provider) => {
                let provider = safe::one_line(provider);
                let kept = "It stays in memory; /key store keeps it for the next time.";
                ("Key", format!("Paste a key for {provider}. {kept}"))
            }
            InputKind::Name => ("Rename", "Another name for this session:".to_owned()),
            InputKind::Line => ("Go to line", "Number of the line:".to_owned()),
        };
        let (width, draw) = (room.width, ctx.draw);
        let mut sheet = Sheet::new(title);
        sheet.words(&text, width, draw.text()).gap().field("> ", &self.field, width, draw);
        sheet.gap().dim("Enter take it   Esc back", draw);
        Some(sheet)
    }
}
