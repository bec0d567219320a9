//! The rows of the list of sessions, and the preview beneath them.

use super::{Choice, Sessions, is_open_here};
use crate::driver::{SessionHit, Summary};
use crate::tui::overlays::OverlayContext;
use crate::tui::theme::Slot;
use crate::tui::widgets::look::DrawStyle;
use crate::tui::widgets::sheet::Sheet;
use crate::tui::widgets::{safe, words};
use ratatui::text::Line;

/// `3 d     sales-q3       block 3            df = pd.read_csv("sales.csv")`
pub(super) fn hit(hit: &SessionHit, look: DrawStyle<'_>) -> String {
    let name = safe::cut(&safe::one_line(hit.session.label()), 14);
    let (ago, place) = (words::ago(look.now, hit.at), hit.place.to_string());
    safe::one_line(&format!("{ago:<7} {name:<14} {place:<18} {}", safe::one_line(&hit.line)))
}

/// `12 min  sales-q3       9 msgs   3 blocks   1 waiting   of sales`
pub(super) fn session(list: &Sessions, summary: &Summary, around: OverlayContext<'_>) -> String {
    let look = around.look;
    let state = if is_open_here(summary, around.state) {
        "open here".into()
    } else if summary.locked.is_some() {
        "open".into()
    } else if summary.waiting > 0 {
        format!("{} waiting", summary.waiting)
    } else if summary.failed {
        "failed".into()
    } else if summary.unended {
        "LOST".into()
    } else {
        String::new()
    };
    let origin = summary.branch_of.as_deref().map_or(String::new(), |id| match list.origin(id) {
        Some(of) => format!("  of {}", safe::cut(&safe::one_line(of.label()), 14)),
        None => "  a branch".to_owned(),
    });
    let with_folder = list.here.is_none();
    let folder = if with_folder { format!("  {}", look.place.path(&summary.cwd)) } else { String::new() };
    let messages = usize::try_from(summary.messages).unwrap_or(usize::MAX);
    safe::one_line(&format!(
        "{:<7} {:<18} {:>8} {:>10}  {state:<10}{origin}{folder}",
        words::ago(look.now, summary.modified),
        safe::cut(&safe::one_line(summary.label()), 18),
        words::count(messages, "msg"),
        words::count(summary.blocks as usize, "block"),
    ))
}

/// The end of the chosen session, or the line that was found in it.
pub(super) fn preview(list: &Sessions, width: u16, rows: usize, look: DrawStyle<'_>, sheet: &mut Sheet) {
    let Some(chosen) = list.chosen() else {
        sheet.gap();
        return;
    };
    let name = if chosen.name.is_empty() { &chosen.id } else { &chosen.name };
    let head = format!("{0}{0} preview: {1} ", look.glyphs.horizontal, safe::one_line(name));
    let rule = look.glyphs.horizontal.repeat(usize::from(width).saturating_sub(head.chars().count()));
    sheet.row(Line::styled(format!("{head}{rule}"), look.style(Slot::UiBorder)));
    let mut lines: Vec<Line<'static>> = Vec::new();
    if let Choice::Hit(hit) = list.choice() {
        let folder = look.place.path(&hit.session.cwd);
        let head = safe::one_line(&format!("{}, {}, {folder}:", hit.place, words::ago(look.now, hit.at)));
        lines.push(Line::styled(safe::cut(&head, width.into()), look.dim()));
        let line: Vec<char> = safe::one_line(&hit.line).chars().collect();
        let parts = line.chunks(usize::from(width).max(1)).take(rows.saturating_sub(1));
        lines.extend(
            parts.map(|part| Line::styled(safe::cut(&String::from_iter(part), width.into()), look.text())),
        );
        for line in lines {
            sheet.row(line);
        }
        return;
    }
    match list.preview_of(chosen) {
        Some(preview) => {
            for line in &preview.lines {
                lines.push(Line::styled(safe::cut(&safe::one_line(line), width.into()), look.text()));
            }
        }
        None => {
            for (who, text) in [("you    ", &chosen.first_prompt), ("model  ", &chosen.last_reply)] {
                // What begins with a fence is a block.
                if !text.trim().is_empty() && !text.trim_start().starts_with("```") {
                    let text = format!("{who}{}", safe::one_line(words::first_line(text)));
                    lines.push(Line::styled(safe::cut(&text, width.into()), look.text()));
                }
            }
        }
    }
    if let Some(id) = &chosen.branch_of {
        let text = match list.origin(id) {
            Some(of) => format!("A branch of {}.", safe::one_line(of.label())),
            None => "A branch of a session that is gone.".to_owned(),
        };
        lines.push(Line::styled(safe::cut(&text, width.into()), look.dim()));
    }
    if chosen.waiting > 0 {
        let text = match chosen.waiting {
            1 => "A block was not decided: it will wait for you again.".to_owned(),
            many => format!("{many} blocks were not decided: they will wait for you again."),
        };
        lines.push(Line::styled(text, look.style(Slot::BlockPending)));
    }
    lines.push(Line::styled(format!("{}.", crate::domain::sentences::saving::not_kept(0)), look.dim()));
    let skip = lines.len().saturating_sub(rows);
    for line in lines.into_iter().skip(skip) {
        sheet.row(line);
    }
}
