//! The sessions: what is in them, with the end of the chosen one.

use super::Sheet;
use super::lists::entry;
use crate::driver::Summary;
use crate::tui::screen::layer::Sessions;
use crate::tui::view::look::Look;
use crate::tui::view::{safe, words};
use ratatui::text::Line;

/// The sheet.
pub(super) fn sheet(list: &Sessions, width: u16, height: u16, look: Look<'_>) -> Sheet {
    let mut sheet = Sheet::new("Sessions");
    let shown = list.shown();
    let all = list.all.as_ref().map_or(0, Vec::len);
    match &list.rename {
        Some(field) => sheet.field("new name: ", field, width, look),
        None => sheet.field("> ", &list.filter, width, look),
    };
    let scope = if list.here.is_some() { "this folder (Tab: all)" } else { "all folders (Tab: this one)" };
    let count = match list.all {
        Some(_) => format!("{} of {all}   {scope}", shown.len()),
        None => scope.to_owned(),
    };
    sheet.row(Line::styled(safe::cut(&count, width.into()), look.dim()));
    sheet.rule(width, look);
    let preview = usize::from(height >= 18) * 8;
    let rows = usize::from(height).saturating_sub(5 + preview).clamp(1, 12);
    let first = list.cursor.window(rows);
    for (at, summary) in shown.iter().enumerate().skip(first).take(rows) {
        sheet.row(entry(&row(summary, list.here.is_none(), look), at == list.cursor.0, width, look));
    }
    if shown.len() < first + rows {
        sheet.row(entry("+ new session", list.cursor.0 >= shown.len(), width, look));
    }
    if list.all.is_none() {
        sheet.row(Line::styled("  Looking for sessions.", look.dim()));
    } else if shown.is_empty() && !list.filter.is_empty() {
        sheet.row(Line::styled("  No session matches. Esc clears.", look.dim()));
    }
    if preview > 0 {
        preview_rows(list, width, preview - 1, look, &mut sheet);
    }
    sheet.row(Line::styled("Enter open   Ctrl-R rename   Del delete (asks)   Esc back", look.dim()));
    sheet
}

/// `12 min  sales-q3       9 msgs   3 blocks   1 waiting`
fn row(summary: &Summary, with_folder: bool, look: Look<'_>) -> String {
    let name = if summary.name.is_empty() { &summary.id } else { &summary.name };
    let state = if summary.waiting > 0 {
        format!("{} waiting", summary.waiting)
    } else if summary.failed {
        "failed".into()
    } else if summary.unended {
        "LOST".into()
    } else {
        String::new()
    };
    let folder = if with_folder { format!("  {}", look.place.path(&summary.cwd)) } else { String::new() };
    safe::one_line(&format!(
        "{:<7} {:<18} {:>3} msgs  {:>3} blocks  {state:<10}{folder}",
        words::ago(look.now, summary.modified),
        safe::cut(&safe::one_line(name), 18),
        summary.messages,
        summary.blocks,
    ))
}

fn preview_rows(list: &Sessions, width: u16, rows: usize, look: Look<'_>, sheet: &mut Sheet) {
    let Some(chosen) = list.chosen() else {
        sheet.gap();
        return;
    };
    let name = if chosen.name.is_empty() { &chosen.id } else { &chosen.name };
    let head = format!("{0}{0} preview: {1} ", look.glyphs.horizontal, safe::one_line(name));
    let rule = look.glyphs.horizontal.repeat(usize::from(width).saturating_sub(head.chars().count()));
    sheet.row(Line::styled(format!("{head}{rule}"), look.style(crate::tui::theme::Slot::UiBorder)));
    let mut lines: Vec<Line<'static>> = Vec::new();
    match list.preview.as_ref().filter(|(path, _)| *path == chosen.path) {
        Some((_, preview)) => {
            for line in preview {
                lines.push(Line::styled(safe::cut(&safe::one_line(line), width.into()), look.text()));
            }
        }
        None => {
            for (who, text) in [("you    ", &chosen.first_prompt), ("model  ", &chosen.last_reply)] {
                if !text.trim().is_empty() {
                    let text = format!("{who}{}", safe::one_line(words::first_line(text)));
                    lines.push(Line::styled(safe::cut(&text, width.into()), look.text()));
                }
            }
        }
    }
    if chosen.waiting > 0 {
        let text = "A block was not decided: it will wait for you again.";
        lines.push(Line::styled(text, look.style(crate::tui::theme::Slot::BlockPending)));
    }
    lines.push(Line::styled(format!("{}.", crate::domain::sentences::saving::not_kept(0)), look.dim()));
    let skip = lines.len().saturating_sub(rows);
    for line in lines.into_iter().skip(skip) {
        sheet.row(line);
    }
}
