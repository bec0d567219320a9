//! The rows of a form: labels, answers, errors; the field with the cursor is visible. If there are too many rows for
//! the room, answers without the cursor share a row with their label.

use super::paths::MAX_FILES_SHOWN;
use super::{FieldAnswer, FormBox, FormPurpose, LOOKING_MESSAGE};
use crate::domain::sentences::sending;
use crate::domain::{Field as Asked, FieldKind};
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::field::{Field, Pos};
use crate::tui::widgets::filter::Cursor;
use crate::tui::widgets::hits::FieldPlace;
use crate::tui::widgets::safe;
use crate::tui::widgets::sheet::Sheet;
use crate::tui::widgets::typed_text::TypedText;
use crate::tui::widgets::words;
use ratatui::text::{Line, Span};

/// The most rows of an answer with the cursor in it, and without.
const OPEN_ROWS: usize = 8;
const CLOSED_ROWS: usize = 3;
/// Columns before an answer.
const INDENT_COLUMNS: usize = 4;

pub(super) fn sheet(form: &FormBox, width: u16, height: u16, draw: DrawContext<'_>) -> Sheet {
    let room = usize::from(height).saturating_sub(2).max(1);
    let mut sheet = whole(form, width, false, draw);
    if sheet.rows.len() > room {
        sheet = whole(form, width, true, draw);
    }
    // Show the end of the field or, if the field is too long, its cursor.
    let mut first = sheet.in_view.take().unwrap_or_default().end.saturating_sub(room);
    if let Some((row, _)) = sheet.cursor {
        first = first.min(row).max((row + 1).saturating_sub(room));
    }
    let above = first > 0;
    let below = sheet.rows.len() > first + room;
    sheet.rows = sheet.rows.into_iter().skip(first).take(room).collect();
    sheet.fields = sheet.fields.iter().filter_map(|field| field.scrolled(first, room)).collect();
    sheet.cursor = sheet.cursor.and_then(|(row, column)| Some((row.checked_sub(first)?, column)));
    sheet.gap().dim(safe::cut(&foot(form, above, below), width.into()), draw);
    sheet
}

fn foot(form: &FormBox, above: bool, below: bool) -> String {
    let more = more(above, below).map(|more| format!("{more}   ")).unwrap_or_default();
    let keys = match (&form.purpose, form.sent) {
        (FormPurpose::Begin(_), true) => LOOKING_MESSAGE,
        (FormPurpose::Answer, true) => sending::FORM_GIVEN,
        (FormPurpose::Begin(_), false) => "Enter next field, in the last: begin   Esc keep and close",
        (FormPurpose::Answer, false) => "Enter next field, in the last: send   Esc keep and hide",
    };
    format!("{more}{keys}")
}

/// Says on which sides rows are hidden.
fn more(above: bool, below: bool) -> Option<&'static str> {
    match (above, below) {
        (true, true) => Some("more above and below"),
        (true, false) => Some("more above"),
        (false, true) => Some("more below"),
        (false, false) => None,
    }
}

/// All rows of a form; those of the field with the cursor have to be in view.
fn whole(form: &FormBox, columns: u16, is_tight: bool, draw: DrawContext<'_>) -> Sheet {
    let title = safe::one_line(&form.form.title);
    let mut sheet = Sheet::new(if title.trim().is_empty() { "Form".to_owned() } else { title });
    let width = usize::from(columns);
    for why in form.general_errors() {
        sheet.words(why, columns, draw.style(Slot::StatusError));
    }
    if !form.form.note.trim().is_empty() {
        sheet.words(form.form.note.trim(), columns, draw.dim());
    }
    if !sheet.rows.is_empty() {
        sheet.gap();
    }
    if form.form.fields.is_empty() {
        sheet.row(Line::styled("Nothing is asked.", draw.text()));
    }
    for (at, (asked, reply)) in form.form.fields.iter().zip(&form.replies).enumerate() {
        let here = at == form.at;
        let from = sheet.rows.len();
        sheet.rows.extend(label(asked, here, width, draw));
        match reply {
            FieldAnswer::Text(field) if is_tight && !here => beside((at, field), width, draw, &mut sheet),
            FieldAnswer::Text(field) => text((at, field), here, width, draw, &mut sheet),
            FieldAnswer::Choice(chosen) => choice(asked, *chosen, width, draw, &mut sheet),
        }
        if here && form.files_below() > 0 {
            let indented = |mut line: Line<'static>| {
                line.spans.insert(0, Span::raw("  "));
                line
            };
            let first = Cursor(form.chosen_file.unwrap_or_default()).window(MAX_FILES_SHOWN);
            let row = |at| form.files.row(at, form.chosen_file, columns.saturating_sub(2), draw);
            sheet.rows.extend((first..first + MAX_FILES_SHOWN).map_while(row).map(indented));
        }
        if let Some(why) = form.field_error(&asked.name) {
            let head = Span::styled(format!("{:INDENT_COLUMNS$}! ", ""), draw.style(Slot::StatusError));
            sheet.rows.extend(safe::hanging(head, why, width, draw.style(Slot::StatusError)));
        }
        if here && !asked.help.trim().is_empty() {
            let head = Span::raw(" ".repeat(INDENT_COLUMNS));
            sheet.rows.extend(safe::hanging(head, asked.help.trim(), width, draw.dim()));
        }
        if here {
            sheet.in_view = Some(from..sheet.rows.len());
        }
    }
    sheet
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
fn text(
    (number, field): (usize, &Field),
    here: bool,
    width: usize,
    draw: DrawContext<'_>,
    sheet: &mut Sheet,
) {
    let room = width.saturating_sub(INDENT_COLUMNS).max(4);
    let lines = field.lines();
    let most = if here { OPEN_ROWS } else { CLOSED_ROWS };
    let shown =
        TypedText { cursor: if here { field.cursor() } else { Pos::default() }, ..TypedText::of(field) };
    let shown = if here { shown } else { TypedText { selected: None, ..shown } };
    let laid = shown.rows(room, most, draw.text(), draw.style(Slot::UiSelection));
    let from = sheet.rows.len();
    let more = more(laid.above, laid.below);
    let place = FieldPlace::of(number, (from, INDENT_COLUMNS), (room, laid.rows.len()));
    sheet.fields.push(FieldPlace { rows: most, here, ..place });
    for mut line in laid.rows {
        line.spans.insert(0, Span::styled(format!("  {} ", draw.glyphs.border.vertical), draw.dim()));
        sheet.row(line);
    }
    if let Some(more) = more {
        let of = words::count(lines.len(), "line");
        sheet.dim(format!("{:INDENT_COLUMNS$}({more}, {of} in all)", ""), draw);
    }
    if here {
        sheet.cursor = Some((from + laid.cursor.0, INDENT_COLUMNS + laid.cursor.1));
    }
}

/// The beginning of an answer, in the last row of its label.
fn beside((number, field): (usize, &Field), width: usize, draw: DrawContext<'_>, sheet: &mut Sheet) {
    let at = sheet.rows.len().saturating_sub(1);
    let Some(row) = sheet.rows.last_mut() else { return };
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
    sheet.fields.push(FieldPlace { rows: 1, here: false, ..FieldPlace::of(number, (at, column), (room, 1)) });
}

/// `(x) readability  ( ) speed`
fn choice(asked: &Asked, chosen: Option<usize>, width: usize, draw: DrawContext<'_>, sheet: &mut Sheet) {
    let FieldKind::Choice(choices) = &asked.kind else { return };
    let mut line = Line::from(Span::raw(" ".repeat(INDENT_COLUMNS)));
    for (at, choice) in choices.iter().enumerate() {
        let here = chosen == Some(at);
        let text = format!("({}) {}", if here { "x" } else { " " }, safe::one_line(choice));
        let text = safe::cut(&text, width.saturating_sub(INDENT_COLUMNS));
        let style = if here { draw.style(Slot::UiSelection) } else { draw.text() };
        let wide = unicode_width::UnicodeWidthStr::width(text.as_str());
        if line.spans.len() > 1 && line.width() + wide > width {
            sheet.row(std::mem::replace(&mut line, Line::from(Span::raw(" ".repeat(INDENT_COLUMNS)))));
        }
        line.spans.push(Span::styled(text, style));
        line.spans.push(Span::raw("  "));
    }
    sheet.row(line);
}
