//! Makes the rows about the result of a run: its value, or its error with the traceback.

use super::super::tables::{self, Table};
use crate::domain::{RunError, RunReport};
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::safe;
use ratatui::text::{Line, Span};

/// The result of the run, before its output: its error in short, its value. A value of several lines starts on the row
/// after its label, unless every line fits beside the label; tables in it are not wrapped.
pub(super) fn result_rows(
    report: &RunReport,
    width: u16,
    draw: DrawContext<'_>,
    rows: &mut Vec<Line<'static>>,
    tables: &mut Vec<Table>,
) {
    if let Some(error) = &report.error {
        rows.extend(safe::wrap_words(&error_summary(error), width.into(), draw.style(Slot::OutputStderr)));
    }
    let Some(value) = &report.value else { return };
    let (head, width) = (Span::styled("value  ", draw.dim()), usize::from(width));
    // One row per line, safe to draw.
    let lines = safe::wrap_words(value, usize::MAX, draw.text());
    let beside = width.saturating_sub(head.width());
    if lines.len() < 2 || lines.iter().all(|line| line.width() <= beside) {
        rows.extend(safe::hanging(head, value, width, draw.text()));
        return;
    }
    rows.push(Line::from(head));
    let texts: Vec<String> = lines.iter().map(Line::to_string).collect();
    let found = tables::find(texts.len(), width, |at| texts.get(at).map_or("", String::as_str).into());
    for (at, line) in lines.into_iter().enumerate() {
        match tables::table_at(&found, at) {
            Some(table) => {
                if table.lines.start == at {
                    tables.push(table.starting_at(rows.len()));
                }
                rows.push(line);
            }
            None => {
                rows.extend(safe::wrap_words(texts.get(at).map_or("", String::as_str), width, draw.text()));
            }
        }
    }
}

/// `KeyError: 'region'`; for a message of several lines the first one.
fn error_summary(error: &RunError) -> String {
    let first = error.message.trim().lines().next().unwrap_or_default();
    match (error.kind.as_str(), first) {
        ("", "") => error.traceback.trim().lines().next_back().unwrap_or("error").to_owned(),
        ("", message) => message.to_owned(),
        (kind, "") => kind.to_owned(),
        (kind, message) => format!("{kind}: {message}"),
    }
}

/// The traceback, after the output. Its last line is left out if it is shown above.
pub(super) fn traceback(report: &RunReport, width: u16, draw: DrawContext<'_>) -> Vec<Line<'static>> {
    let Some(error) = &report.error else { return Vec::new() };
    let whole = error.traceback.trim_end();
    let short = error_summary(error);
    let way = whole.strip_suffix(short.as_str()).filter(|way| way.is_empty() || way.ends_with('\n'));
    let way = way.unwrap_or(whole).trim_end();
    if way.is_empty() {
        return Vec::new();
    }
    safe::wrap_words(way, width.into(), draw.style(Slot::OutputStderr))
}
