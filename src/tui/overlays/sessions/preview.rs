//! The preview below the list: the end of the chosen session, or the line found in it.

use super::{Choice, Sessions};
use crate::domain::sentences::branches;
use crate::driver::{SessionHit, Summary};
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::sheet::Sheet;
use crate::tui::widgets::{safe, words};
use ratatui::style::Style;
use ratatui::text::Line;
use std::path::PathBuf;

/// The end of a session, and its size on disk.
#[derive(Debug)]
pub(super) struct SessionPreview {
    pub(crate) path: PathBuf,
    pub(crate) lines: Vec<String>,
    pub(crate) space: u64,
}

/// Draws the preview on this many rows.
pub(super) fn draw(list: &Sessions, width: u16, rows: usize, draw: DrawContext<'_>, sheet: &mut Sheet) {
    let choice = list.choice();
    let Some(chosen) = choice.session() else {
        sheet.gap();
        return;
    };
    let head = format!("{0}{0} preview: {1} ", draw.glyphs.border.horizontal, safe::one_line(chosen.label()));
    let rule = draw.glyphs.border.horizontal.repeat(usize::from(width).saturating_sub(head.chars().count()));
    sheet.row(Line::styled(format!("{head}{rule}"), draw.style(Slot::UiBorder)));
    if let Choice::Hit(hit) = choice {
        draw_hit(hit, width, rows, draw, sheet);
        return;
    }
    let lines = session_lines(list, chosen, width, draw);
    let skip = lines.len().saturating_sub(rows);
    sheet.rows.extend(lines.into_iter().skip(skip));
}

/// Draws where a line was found, and the line.
fn draw_hit(hit: &SessionHit, width: u16, rows: usize, draw: DrawContext<'_>, sheet: &mut Sheet) {
    let folder = draw.locale.path(&hit.session.cwd);
    let head = safe::one_line(&format!("{}, {}, {folder}:", hit.place, words::ago(draw.now, hit.at)));
    sheet.row(cut(&head, width, draw.dim()));
    let line: Vec<char> = safe::one_line(&hit.line).chars().collect();
    let parts = line.chunks(usize::from(width).max(1)).take(rows.saturating_sub(1));
    sheet.rows.extend(parts.map(|part| cut(&String::from_iter(part), width, draw.text())));
}

/// The end of a session, and what there is to know about it.
fn session_lines(list: &Sessions, chosen: &Summary, width: u16, draw: DrawContext<'_>) -> Vec<Line<'static>> {
    let mut lines: Vec<Line<'static>> = Vec::new();
    match list.preview_of(chosen) {
        Some(preview) => {
            lines.extend(preview.lines.iter().map(|line| cut(&safe::one_line(line), width, draw.text())));
        }
        None => {
            for (who, text) in [("you    ", &chosen.first_prompt), ("model  ", &chosen.last_reply)] {
                // A text that begins with a fence is a block.
                if !text.trim().is_empty() && !text.trim_start().starts_with("```") {
                    let text = format!("{who}{}", safe::one_line(words::first_line(text)));
                    lines.push(cut(&text, width, draw.text()));
                }
            }
        }
    }
    if let Some(id) = &chosen.branch_of {
        let of = list.listing.origin(id).map(|of| safe::name(of.label()));
        let text = format!("A {}.", branches::branch(of.as_deref(), chosen.branch_at));
        lines.push(cut(&text, width, draw.dim()));
    }
    if chosen.waiting > 0 {
        let text = match chosen.waiting {
            1 => "A block was not decided: it will wait for you again.".to_owned(),
            many => format!("{many} blocks were not decided: they will wait for you again."),
        };
        lines.push(Line::styled(text, draw.style(Slot::BlockPending)));
    }
    lines.push(Line::styled(format!("{}.", crate::domain::sentences::saving::not_kept(0)), draw.dim()));
    lines
}

fn cut(text: &str, width: u16, style: Style) -> Line<'static> {
    Line::styled(safe::cut(text, width.into()), style)
}
