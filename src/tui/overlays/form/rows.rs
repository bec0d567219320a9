//! The rows of a form: labels, answers, errors; the field with the cursor is visible. If there are too many rows for
//! the room, answers without the cursor share a row with their label.

use super::paths::MAX_FILES_SHOWN;
use super::{FieldAnswer, FormBox, FormPurpose, LOOKING_MESSAGE};
use crate::domain::sentences::sending;
use crate::domain::{Field as Asked, FieldKind};
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::field::{Field, Pos};
use crate::tui::widgets::hits::FieldPlace;
use crate::tui::widgets::safe;
use crate::tui::widgets::sheet::Sheet;
use crate::tui::widgets::typed_text::TypedText;
use crate::tui::widgets::words;
use ratatui::text::{Line, Span};
use std::ops::Range;

/// The most rows of an answer with the cursor in it, and without.
const OPEN_ROWS: usize = 8;
const CLOSED_ROWS: usize = 3;
/// Columns before an answer.
const INDENT_COLUMNS: usize = 4;

/// All rows of a form, and which of them have to be visible.
#[derive(Default)]
struct Rows {
    rows: Vec<Line<'static>>,
    /// The rows of the field with the cursor.
    here: Range<usize>,
    cursor: Option<(usize, usize)>,
    fields: Vec<FieldPlace>,
}

pub(super) fn sheet(form: &FormBox, width: u16, height: u16, draw: DrawContext<'_>) -> Sheet {
    let title = safe::one_line(&form.form.title);
    let mut sheet = Sheet::new(if title.trim().is_empty() { "Form".to_owned() } else { title });
    let room = usize::from(height).saturating_sub(2).max(1);
    let mut all = rows(form, width.into(), false, draw);
    if all.rows.len() > room {
        all = rows(form, width.into(), true, draw);
    }
    // Show the end of the field or, if the field is too long, its cursor.
    let mut first = all.here.end.saturating_sub(room);
    if let Some((row, _)) = all.cursor {
        first = first.min(row).max((row + 1).saturating_sub(room));
    }
    let above = first > 0;
    let below = all.rows.len() > first + room;
    sheet.rows.extend(all.rows.into_iter().skip(first).take(room));
    sheet.fields = all.fields.iter().filter_map(|field| field.scrolled(first, room)).collect();
    sheet.cursor = all.cursor.and_then(|(row, column)| Some((row.checked_sub(first)?, column)));
    sheet.gap().dim(safe::cut(&foot(form, above, below), width.into()), draw);
    sheet
}

fn foot(form: &FormBox, above: bool, below: bool) -> String {
    let more = match (above, below) {
        (true, true) => "more above and below   ",
        (true, false) => "more above   ",
        (false, true) => "more below   ",
        (false, false) => "",
    };
    let keys = match (&form.purpose, form.sent) {
        (FormPurpose::Begin(_), true) => LOOKING_MESSAGE,
        (FormPurpose::Answer, true) => sending::FORM_GIVEN,
        (FormPurpose::Begin(_), false) => "Enter next field, in the last: begin   Esc keep and close",
        (FormPurpose::Answer, false) => "Enter next field, in the last: send   Esc keep and hide",
    };
    format!("{more}{keys}")
}

fn rows(form: &FormBox, width: usize, is_tight: bool, draw: DrawContext<'_>) -> Rows {
    let mut rows = Rows::default();
    for why in form.general_errors() {
        rows.rows.extend(safe::wrap_words(why, width, draw.style(Slot::StatusError)));
    }
    if !form.form.note.trim().is_empty() {
        rows.rows.extend(safe::wrap_words(form.form.note.trim(), width, draw.dim()));
    }
    if !rows.rows.is_empty() {
        rows.rows.push(Line::default());
    }
    if form.form.fields.is_empty() {
        rows.rows.push(Line::styled("Nothing is asked.", draw.text()));
    }
    for (at, (asked, reply)) in form.form.fields.iter().zip(&form.replies).enumerate() {
        let here = at == form.at;
        let from = rows.rows.len();
        rows.rows.extend(label(asked, here, width, draw));
        match reply {
            FieldAnswer::Text(field) if is_tight && !here => beside((at, field), width, draw, &mut rows),
            FieldAnswer::Text(field) => text((at, field), here, width, draw, &mut rows),
            FieldAnswer::Choice(chosen) => choice(asked, *chosen, width, draw, &mut rows),
        }
        if here && form.files_below() > 0 {
            let indented = |mut line: Line<'static>| {
                line.spans.insert(0, Span::raw("  "));
                line
            };
            let width = u16::try_from(width.saturating_sub(2)).unwrap_or(u16::MAX);
            rows.rows.extend(
                form.files.rows(MAX_FILES_SHOWN, form.chosen_file, width, draw).into_iter().map(indented),
            );
        }
        if let Some(why) = form.field_error(&asked.name) {
            let head = Span::styled(format!("{:INDENT_COLUMNS$}! ", ""), draw.style(Slot::StatusError));
            rows.rows.extend(safe::hanging(head, why, width, draw.style(Slot::StatusError)));
        }
        if here && !asked.help.trim().is_empty() {
            let head = Span::raw(" ".repeat(INDENT_COLUMNS));
            rows.rows.extend(safe::hanging(head, asked.help.trim(), width, draw.dim()));
        }
        if here {
            rows.here = from..rows.rows.len();
        }
    }
    rows
}

/// `> What should it do?  (needed)`; for an argument `> n: int = 3`.
fn label(asked: &Asked, here: bool, width: usize, draw: DrawContext<'_>) -> Vec<Line<'static>> {
    let (mark, style) =
        if here { ("> ", draw.style(Slot::UiKeybarKey)) } else { ("  ", draw.style(Slot::UiTitle)) };
    let name = if asked.label.trim().is_empty() { &asked.name } else { &asked.label };
    let name = safe::one_line(name);
    let kind = hint(asked);
    let head = format!("{mark}{name}");
    let mut rows = safe::wrap_words(&head, width, style);
    if let Some(last) = rows.last_mut() {
        let room = width.saturating_sub(last.width());
        let kind = safe::one_line(&kind);
        last.spans.push(Span::styled(safe::cut(&kind, room), draw.dim()));
    }
    rows
}

/// What kind of answer the field takes, in a few words.
fn hint(asked: &Asked) -> String {
    let needed = if asked.required && asked.default.is_none() { "  (needed)" } else { "" };
    let kind = match &asked.kind {
        FieldKind::Argument { annotation } => {
            let annotation =
                if annotation.trim().is_empty() { String::new() } else { format!(": {annotation}") };
            let default = asked.default.as_ref().map(|text| format!(" = {text}")).unwrap_or_default();
            format!("{annotation}{default}")
        }
        FieldKind::File => "  a file".into(),
        FieldKind::Files => "  files".into(),
        FieldKind::Number { min, max, whole } => {
            let kind = if *whole { "a whole number" } else { "a number" };
            match (min, max) {
                (Some(min), Some(max)) => format!("  {kind}, {min} to {max}"),
                (Some(min), None) => format!("  {kind}, at least {min}"),
                (None, Some(max)) => format!("  {kind}, at most {max}"),
                (None, None) => format!("  {kind}"),
            }
        }
        FieldKind::Text { .. } | FieldKind::Choice(_) => String::new(),
    };
    format!("{kind}{needed}")
}

/// A text answer: all of a short one; of a long one the rows around the cursor, or its beginning.
fn text((number, field): (usize, &Field), here: bool, width: usize, draw: DrawContext<'_>, rows: &mut Rows) {
    let room = width.saturating_sub(INDENT_COLUMNS).max(4);
    let lines = field.lines();
    let most = if here { OPEN_ROWS } else { CLOSED_ROWS };
    let shown =
        TypedText { cursor: if here { field.cursor() } else { Pos::default() }, ..TypedText::of(field) };
    let shown = if here { shown } else { TypedText { selected: None, ..shown } };
    let laid = shown.rows(room, most, draw.text(), draw.style(Slot::UiSelection));
    let from = rows.rows.len();
    let hidden = laid.above || laid.below;
    let place = FieldPlace::of(number, (from, INDENT_COLUMNS), (room, laid.rows.len()));
    rows.fields.push(FieldPlace { rows: most, here, ..place });
    for mut line in laid.rows {
        line.spans.insert(0, Span::styled(format!("  {} ", draw.glyphs.border.vertical), draw.dim()));
        rows.rows.push(line);
    }
    if hidden {
        let of = words::count(lines.len(), "line");
        rows.rows.push(Line::styled(format!("{:INDENT_COLUMNS$}({of} in all)", ""), draw.dim()));
    }
    if here {
        rows.cursor = Some((from + laid.cursor.0, INDENT_COLUMNS + laid.cursor.1));
    }
}

/// The beginning of an answer, in the last row of its label.
fn beside((number, field): (usize, &Field), width: usize, draw: DrawContext<'_>, rows: &mut Rows) {
    let at = rows.rows.len().saturating_sub(1);
    let Some(row) = rows.rows.last_mut() else { return };
    let head = Span::styled(format!("  {} ", draw.glyphs.border.vertical), draw.dim());
    let column = row.width() + head.width();
    let room = width.saturating_sub(column);
    if room < 4 {
        return;
    }
    let first = field.lines().first().map_or("", String::as_str);
    let text = if field.lines().len() > 1 { format!("{first} ...") } else { first.to_owned() };
    row.spans.push(head);
    row.spans.push(Span::styled(safe::cut(&safe::one_line(&text), room), draw.text()));
    rows.fields.push(FieldPlace { rows: 1, here: false, ..FieldPlace::of(number, (at, column), (room, 1)) });
}

/// `(x) readability  ( ) speed`
fn choice(asked: &Asked, chosen: Option<usize>, width: usize, draw: DrawContext<'_>, rows: &mut Rows) {
    let FieldKind::Choice(choices) = &asked.kind else { return };
    let mut line = Line::from(Span::raw(" ".repeat(INDENT_COLUMNS)));
    for (at, choice) in choices.iter().enumerate() {
        let here = chosen == Some(at);
        let text = format!("({}) {}", if here { "x" } else { " " }, safe::one_line(choice));
        let text = safe::cut(&text, width.saturating_sub(INDENT_COLUMNS));
        let style = if here { draw.style(Slot::UiSelection) } else { draw.text() };
        let wide = unicode_width::UnicodeWidthStr::width(text.as_str());
        if line.spans.len() > 1 && line.width() + wide > width {
            rows.rows.push(std::mem::replace(&mut line, Line::from(Span::raw(" ".repeat(INDENT_COLUMNS)))));
        }
        line.spans.push(Span::styled(text, style));
        line.spans.push(Span::raw("  "));
    }
    rows.rows.push(line);
}
