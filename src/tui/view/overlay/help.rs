//! The keys of the place that the person came from, then those that count everywhere: from the keymap itself.

use super::Sheet;
use crate::tui::keymap::{Binding, Context};
use crate::tui::screen::Screen;
use crate::tui::screen::layer::Help;
use crate::tui::theme::Slot;
use crate::tui::view::look::Look;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// What the contexts are called on this page.
fn heading(context: Context) -> &'static str {
    match context {
        Context::Everywhere => "Everywhere",
        Context::Text => "Writing",
        Context::Message => "Message box",
        Context::Edit => "Editing a block",
        Context::Pane => "Any pane",
        Context::Review => "A block that waits",
        Context::Done => "Code and output of a block that is over",
        Context::Vars => "Variables",
        Context::Queue => "Blocks that wait",
        Context::Picker => "Lists",
        Context::Form => "Forms",
        Context::Problems => "Problems",
    }
}

/// The page.
pub(super) fn sheet(screen: &Screen, help: &Help, width: u16, height: u16, look: Look<'_>) -> Sheet {
    let mut rows: Vec<Line<'static>> = Vec::new();
    rows.push(Line::styled(format!("Here: {}", help.place), look.style(Slot::UiTitle)));
    let mut told = Vec::new();
    let mut at = Some(help.context);
    while let Some(context) = at.filter(|c| *c != Context::Everywhere) {
        section(screen, context, at != Some(help.context), width, look, &mut rows);
        told.push(context);
        at = context.parent();
    }
    for context in [Context::Everywhere, Context::Message, Context::Pane, Context::Review, Context::Done] {
        if !told.contains(&context) {
            section(screen, context, true, width, look, &mut rows);
        }
    }
    rows.push(Line::default());
    rows.push(Line::styled("Keys are changed in keymap.toml in the configuration folder.", look.dim()));
    let height = usize::from(height).max(1);
    let first = help.top.min(rows.len().saturating_sub(height));
    let mut sheet = Sheet::new("Help");
    for row in rows.into_iter().skip(first).take(height) {
        sheet.row(row);
    }
    sheet
}

fn section(
    screen: &Screen,
    context: Context,
    headed: bool,
    width: u16,
    look: Look<'_>,
    rows: &mut Vec<Line<'static>>,
) {
    let list: Vec<&Binding> = screen.keymap.rows(context).collect();
    if list.is_empty() {
        return;
    }
    if headed {
        rows.push(Line::default());
        rows.push(Line::styled(heading(context), look.style(Slot::UiTitle)));
    }
    // Two columns where there is room.
    let columns = if width >= 64 { 2 } else { 1 };
    let cell = usize::from(width) / columns - 1;
    for pair in list.chunks(columns) {
        let mut spans = vec![Span::raw("  ")];
        for binding in pair {
            let keys: Vec<String> = binding.keys.iter().map(ToString::to_string).collect();
            let keys = format!("{:<11} ", keys.join(" "));
            let text = format!("{} ", binding.help);
            let used = keys.width() + text.width();
            spans.push(Span::styled(keys, look.style(Slot::UiKeybarKey)));
            spans.push(Span::styled(text, look.text()));
            spans.push(Span::raw(" ".repeat(cell.saturating_sub(used))));
        }
        rows.push(Line::from(spans));
    }
}
