//! The form of a block's limits: a row for each, with what it counts and how it is held.

use super::Sheet;
use crate::domain::Hold;
use crate::tui::screen::limits::{LimitsForm, Row};
use crate::tui::theme::Slot;
use crate::tui::view::look::Look;
use crate::tui::view::safe;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr as _;

/// Columns of the names, of what is typed, of what is counted.
const NAME: usize = 12;
const VALUE: usize = 14;
const OF: usize = 27;

/// The form.
pub(super) fn sheet(form: &LimitsForm, width: u16, look: Look<'_>) -> Sheet {
    let mut sheet = Sheet::new(format!("Limits of block {}", form.block));
    for (at, row) in form.rows.iter().enumerate() {
        draw(&mut sheet, row, at == form.at, width, look);
    }
    let text = "0 is: not limited. enforced: the system holds it; watched: sayso looks often and ends what is over it. \
                The block is shown anew.";
    sheet.gap().words(text, width, look.dim());
    sheet.row(Line::styled("Enter apply   Up/Down other limit   Esc back, nothing changed", look.dim()));
    sheet
}

fn draw(sheet: &mut Sheet, row: &Row, here: bool, width: u16, look: Look<'_>) {
    let mark = if here { "> " } else { "  " };
    let head = format!("{mark}{:<NAME$}", row.limit.name());
    // A long text goes on below; what stands beside it stays in the first row.
    let room = VALUE.min(usize::from(width).saturating_sub(NAME + 3)).max(4);
    let (lines, (line, column)) = safe::field(row.field.rows(), row.field.cursor(), room, look.text());
    let first = sheet.rows.len();
    for (at, mut typed) in lines.into_iter().enumerate() {
        let wide: usize = typed.spans.iter().map(|span| span.content.width()).sum();
        let style = if here { look.style(Slot::UiKeybarKey) } else { look.text() };
        typed.spans.insert(
            0,
            if at == 0 { Span::styled(head.clone(), style) } else { Span::raw(" ".repeat(NAME + 2)) },
        );
        if at == 0 {
            typed.spans.push(Span::raw(" ".repeat((VALUE + 1).saturating_sub(wide))));
            typed.spans.push(Span::styled(format!("{:<OF$}", row.limit.of()), look.dim()));
            typed.spans.push(match row.hold {
                Hold::Enforced => Span::styled("enforced", look.text()),
                Hold::Watched => Span::styled("watched", look.style(Slot::StatusWarn)),
                Hold::None => Span::styled("not held", look.style(Slot::StatusWarn)),
            });
        }
        sheet.rows.push(typed);
    }
    if here {
        sheet.cursor = Some((first + line, NAME + 2 + column));
    }
    if let Some(why) = &row.wrong {
        let head = Span::raw(" ".repeat(NAME + 2));
        for line in safe::hanging(head, why, width.into(), look.style(Slot::StatusError)) {
            sheet.row(line);
        }
    }
}
