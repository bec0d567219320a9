//! Lists with a filter: commands, recipes, older messages, languages.

use super::Sheet;
use crate::domain::{BlockId, Language, RecipeCard};
use crate::tui::action::Action;
use crate::tui::keymap::Context;
use crate::tui::screen::Screen;
use crate::tui::screen::commands::Slash;
use crate::tui::screen::filter::Cursor;
use crate::tui::screen::layer::{CommandList, OldMessages, Recipes};
use crate::tui::theme::Slot;
use crate::tui::view::look::Look;
use crate::tui::view::{safe, words};
use ratatui::text::Line;

/// A row of a list.
pub(super) fn entry(text: &str, chosen: bool, width: u16, look: Look<'_>) -> Line<'static> {
    let mark = if chosen { "> " } else { "  " };
    let style = if chosen { look.style(Slot::UiSelection) } else { look.text() };
    Line::styled(safe::cut(&format!("{mark}{text}"), width.into()), style)
}

/// Rows that are left for entries, where so many others are needed.
fn room(height: u16, others: u16) -> usize {
    usize::from(height.saturating_sub(others).clamp(1, 12))
}

/// The commands.
pub(super) fn commands(
    screen: &Screen,
    list: &CommandList,
    width: u16,
    height: u16,
    look: Look<'_>,
) -> Sheet {
    let mut sheet = Sheet::new("Commands");
    sheet.field("> /", &list.filter, width, look).rule(width, look);
    let shown = list.shown();
    let rows = usize::from(height.saturating_sub(4).clamp(1, 20));
    let first = list.cursor.window(rows);
    for (at, command) in shown.iter().enumerate().skip(first).take(rows) {
        let name = format!("/{} {}", command.name, command.takes);
        let key = key_of(screen, command.slash);
        let text = format!("{name:<22} {:<38} {key}", command.does);
        sheet.row(entry(text.trim_end(), at == list.cursor.0, width, look));
    }
    if shown.is_empty() {
        sheet.row(Line::styled("  No such command.", look.dim()));
    }
    sheet.gap().row(Line::styled("Enter run   Tab complete   Esc close", look.dim()));
    sheet
}

fn key_of(screen: &Screen, slash: Slash) -> String {
    let (context, action) = match slash {
        Slash::Recipe | Slash::Steps => return String::new(),
        Slash::Help => (Context::Everywhere, Action::Help),
        Slash::Queue => (Context::Pane, Action::Queue),
        Slash::Vars => (Context::Pane, Action::Vars),
        Slash::Rerun => (Context::Done, Action::BlockAgain),
        Slash::Restart => (Context::Done, Action::KernelNew),
        Slash::Find => (Context::Everywhere, Action::Find),
        Slash::Copy => (Context::Pane, Action::Copy),
        Slash::Limits => (Context::Review, Action::Limits),
        _ => return String::new(),
    };
    let key = screen.keymap.hint(context, action);
    if key.is_empty() { key } else { format!("({key})") }
}

/// Columns of a recipe's title.
const TITLE: usize = 20;

/// The title of a recipe; those of the person say so.
fn title(card: &RecipeCard) -> String {
    let own = if card.file.is_some() { " (yours)" } else { "" };
    format!("{}{own}", safe::one_line(&card.title))
}

/// The recipes: name, title, when each fits; those of the person say so.
pub(super) fn recipes(list: &Recipes, width: u16, height: u16, look: Look<'_>) -> Sheet {
    let mut sheet = Sheet::new("Recipes");
    sheet.field("> ", &list.filter, width, look).rule(width, look);
    let shown = list.shown();
    let rows = usize::from(height.saturating_sub(8).clamp(1, 14));
    let first = list.cursor.window(rows);
    let column = shown.iter().map(|card| card.name.chars().count()).max().unwrap_or(0).clamp(8, 20);
    for (at, card) in shown.iter().enumerate().skip(first).take(rows) {
        let name = safe::cut(&safe::one_line(&card.name), column);
        let title = safe::cut(&title(card), TITLE);
        let text = format!("{name:<column$}  {title:<TITLE$}  {}", safe::one_line(&card.when));
        sheet.row(entry(&text, at == list.cursor.0, width, look));
    }
    if shown.is_empty() {
        let text = if list.all.is_empty() { "There are no recipes." } else { "No recipe matches." };
        sheet.row(Line::styled(format!("  {text}"), look.dim()));
    }
    if let Some(card) = list.chosen() {
        sheet.gap().words(&safe::one_line(&card.when), width, look.text());
        if let Some(file) = &card.file {
            let file = safe::one_line(&look.place.path(file));
            sheet.row(Line::styled(safe::cut(&file, width.into()), look.dim()));
        }
    }
    sheet.gap().row(Line::styled("Enter open its form   Esc close", look.dim()));
    sheet
}

/// Messages sent before.
pub(super) fn old_messages(list: &OldMessages, width: u16, height: u16, look: Look<'_>) -> Sheet {
    let mut sheet = Sheet::new("Old messages");
    sheet.field("> ", &list.filter, width, look).rule(width, look);
    let shown = list.shown();
    let rows = room(height, 4);
    let first = list.cursor.window(rows);
    for (at, text) in shown.iter().enumerate().skip(first).take(rows) {
        let lines = words::line_count(text);
        let more = if lines > 1 { format!("  ({lines} lines)") } else { String::new() };
        let text = format!("{}{more}", safe::one_line(words::first_line(text)));
        sheet.row(entry(&text, at == list.cursor.0, width, look));
    }
    if shown.is_empty() {
        sheet.row(Line::styled("  No message matches.", look.dim()));
    }
    sheet
}

/// The languages that a block could be in.
pub(super) fn languages(block: BlockId, list: &[Language], cursor: Cursor, look: Look<'_>) -> Sheet {
    let mut sheet = Sheet::new(format!("Language of block {block}"));
    sheet
        .row(Line::styled("It names none, and none is guessed. In which language is it?", look.text()))
        .gap();
    for (at, language) in list.iter().enumerate() {
        let text = format!("{}  {}", at + 1, safe::one_line(language.as_str()));
        sheet.row(entry(&text, at == cursor.0, 50, look));
    }
    sheet.gap().row(Line::styled("Enter choose   Esc back, nothing decided", look.dim()));
    sheet
}
