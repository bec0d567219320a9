//! The list of commands: finds one by some of its letters, and runs it.

use super::{Overlay, OverlayContext, OverlayProperties, OverlayResponse};
use crate::tui::action::Action;
use crate::tui::keymap::{Context, Keymap};
use crate::tui::panes::Panes;
use crate::tui::slash::{self, Slash, SlashEntry};
use crate::tui::widgets::field::{Edit, Field};
use crate::tui::widgets::filter::Cursor;
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::layout::Pane;
use crate::tui::widgets::safe;
use crate::tui::widgets::sheet::{Sheet, entry, scrolled};
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

/// The least columns of the names with their arguments, of the descriptions, and of the keys.
const NAME_COLUMNS: usize = 22;
const DESCRIPTION_COLUMNS: usize = 38;
const KEY_COLUMNS: usize = 8;
/// The columns of the mark and the gaps.
const GAP_COLUMNS: usize = 4;

#[derive(Debug, Default)]
pub(crate) struct CommandList {
    /// What was typed after the slash.
    filter: Field,
    cursor: Cursor,
}

impl CommandList {
    fn matching_commands(&self) -> Vec<&'static SlashEntry> {
        let text = self.filter.text();
        slash::matching(text.split_whitespace().next().unwrap_or(""))
    }

    /// The chosen command and the argument typed after its name.
    fn chosen(&self) -> Option<(&'static SlashEntry, String)> {
        let text = self.filter.text();
        let argument = text.trim_start().split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim());
        self.matching_commands().get(self.cursor.0).map(|entry| (*entry, argument.to_owned()))
    }
}

/// The columns of the names and of the descriptions; if there is room, both are wide enough for all commands.
fn columns(width: usize) -> (usize, usize) {
    let (names, does) = widest();
    let room = width.saturating_sub(GAP_COLUMNS + KEY_COLUMNS);
    let does = does.min(room.saturating_sub(NAME_COLUMNS)).max(DESCRIPTION_COLUMNS);
    (names.min(room.saturating_sub(does)).max(NAME_COLUMNS), does)
}

/// The columns of the longest name and of the longest description.
fn widest() -> (usize, usize) {
    let columns =
        |of: &dyn Fn(&SlashEntry) -> usize| slash::COMMANDS.iter().map(of).max().unwrap_or_default();
    (columns(&|command| usage(command).len()), columns(&|command| command.does.len()))
}

/// The name of a command and its arguments.
fn usage(command: &SlashEntry) -> String {
    format!("/{} {}", command.name, command.takes)
}

impl Overlay for CommandList {
    fn properties(&self) -> OverlayProperties {
        let (names, does) = widest();
        let width = u16::try_from(names + does + GAP_COLUMNS + KEY_COLUMNS).unwrap_or(u16::MAX);
        OverlayProperties { width, list_actions: &[Action::ListScope], ..OverlayProperties::default() }
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.filter)
    }

    fn list(&mut self) -> Option<(&mut Cursor, usize)> {
        let rows = self.matching_commands().len();
        Some((&mut self.cursor, rows))
    }

    fn action(&mut self, action: Action, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        if !matches!(action, Action::ListScope | Action::PaneNext) {
            return self.common(action, ctx, panes);
        }
        if let Some((entry, argument)) = self.chosen() {
            self.filter.set(&format!("{} {argument}", entry.name));
            self.cursor.0 = 0;
        }
        Vec::new()
    }

    /// Backspace in an empty field closes the list.
    fn edit(&mut self, edit: Edit, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        if edit == Edit::Backspace && self.filter.is_empty() {
            return vec![OverlayResponse::Close];
        }
        if self.filter.apply(edit) { self.changed(ctx, panes) } else { Vec::new() }
    }

    fn accept(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        let then = match self.chosen() {
            Some((entry, argument)) => OverlayResponse::Run(entry.slash, argument),
            None => OverlayResponse::warn(format!("There is no command /{}.", self.filter.text())),
        };
        vec![OverlayResponse::Close, then]
    }

    /// What was typed is moved to the message box.
    fn back(&mut self, _: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        if !self.filter.is_empty() && panes.composer.is_empty() && panes.focus == Pane::Message {
            panes.composer.set(&format!("/{}", self.filter.text()));
        }
        vec![OverlayResponse::Close]
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        hints.plain("type to filter", "", 3).plain("Up/Down", "", 2).plain("Enter", "run", 0);
        hints.plain("Tab", "complete", 1).plain("Esc", "close", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some(format!("{} of {} commands.", self.matching_commands().len(), slash::COMMANDS.len()))
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let (width, height, draw) = (room.width, room.height, ctx.draw);
        let mut sheet = Sheet::new("Commands");
        sheet.field("> /", &self.filter, width, draw).rule(width, draw);
        let shown = self.matching_commands();
        let rows = usize::from(height.saturating_sub(4).clamp(1, 20));
        let (columns, cursor) = (columns(width.into()), self.cursor.0);
        sheet.rows.extend(scrolled(shown.len(), cursor..cursor + 1, rows, draw, |at| {
            let command = shown.get(at)?;
            let text = row(command, &key_of(draw.keymap, command.slash), columns, width.into());
            Some(entry(text.trim_end(), at == cursor, width, draw))
        }));
        if shown.is_empty() {
            sheet.dim("  No such command.", draw);
        }
        sheet.gap().dim("Enter run   Tab complete   Esc close", draw);
        Some(sheet)
    }
}

/// The row of a command: name, description, key. A name longer than its column uses blank room of its row.
fn row(command: &SlashEntry, key: &str, (names, does): (usize, usize), width: usize) -> String {
    let behind = width.saturating_sub(names + GAP_COLUMNS - 1);
    let seen = if key.is_empty() { behind } else { does.min(behind) };
    let name = safe::cut(&usage(command), names + seen.saturating_sub(command.does.len()));
    let does = does.saturating_sub(name.width().saturating_sub(names));
    format!("{name:<names$} {:<does$} {key}", command.does)
}

fn key_of(keymap: &Keymap, slash: Slash) -> String {
    let (context, action) = match slash {
        Slash::Help => (Context::Everywhere, Action::Help),
        Slash::Queue => (Context::Pane, Action::Queue),
        Slash::Vars => (Context::Pane, Action::Vars),
        Slash::Undo => (Context::Done, Action::TakeBack),
        Slash::Rerun => (Context::Done, Action::ReopenBlock),
        Slash::Fork => (Context::Done, Action::BlockBranch),
        Slash::Restart => (Context::Done, Action::KernelNew),
        Slash::Find => (Context::Everywhere, Action::Find),
        Slash::Copy => (Context::Pane, Action::Copy),
        Slash::Limits => (Context::Review, Action::Limits),
        _ => return String::new(),
    };
    let key = keymap.hint(context, action);
    if key.is_empty() { key } else { format!("({key})") }
}
