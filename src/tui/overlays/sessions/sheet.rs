//! The sheet of the session list: the typed text, how many sessions are listed, the rows, the preview, and the keys of
//! the chosen row.

use super::{Sessions, is_open_here, preview, rows};
use crate::tui::action::Action;
use crate::tui::keymap::Context;
use crate::tui::overlays::OverlayContext;
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::sheet::{Sheet, entry};
use crate::tui::widgets::{safe, words};
use ratatui::layout::Rect;
use ratatui::text::Line;

/// The sheet in this room.
pub(super) fn sheet(list: &Sessions, ctx: OverlayContext<'_>, room: Rect) -> Sheet {
    let (width, height, draw) = (room.width, room.height, ctx.draw);
    let mut sheet = Sheet::new("Sessions");
    match &list.rename {
        Some(field) => sheet.field("new name: ", field, width, draw),
        None => sheet.field("> ", &list.filter, width, draw),
    };
    let is_here = list.listing.here().is_some();
    let scope = if is_here { "this folder (Tab: all)" } else { "all folders (Tab: this one)" };
    let count = match list.listing.all() {
        Some(all) => {
            let places = match list.found.hits(&list.filter.text()).len() {
                0 => String::new(),
                places => format!(", {} found", words::count(places, "place")),
            };
            format!("{} of {}{places}   {scope}", list.listing.len(), all.len())
        }
        None => scope.to_owned(),
    };
    sheet.row(Line::styled(safe::cut(&count, width.into()), draw.dim()));
    sheet.rule(width, draw);
    let preview = usize::from(height >= 18) * 8;
    let rows = usize::from(height).saturating_sub(5 + preview).clamp(1, 12);
    let first = list.cursor.window(rows);
    for at in (first..list.count()).take(rows) {
        let text = rows::row(list, (at, list.at(at)), ctx);
        sheet.row(entry(&text, at == list.cursor.0, width, draw));
    }
    if list.listing.all().is_none() {
        sheet.row(Line::styled("  Looking for sessions.", draw.dim()));
    } else if let Some(remark) = list.remark() {
        sheet.row(Line::styled(safe::cut(&format!("  {remark}"), width.into()), draw.dim()));
    }
    if preview > 0 {
        preview::draw(list, width, preview - 1, draw, &mut sheet);
    }
    sheet.row(Line::styled(keys_text(list, ctx), draw.dim()));
    sheet
}

/// The keys that do something in the chosen row.
fn keys_text(list: &Sessions, ctx: OverlayContext<'_>) -> String {
    let mut hints = Hints::new(ctx.keymap, Context::Picker);
    if let Some(enter) = list.enter_label(ctx.state) {
        hints.key(Action::ListAccept, enter, enter, 0);
    }
    if let Some(chosen) = list.chosen() {
        let is_other = !is_open_here(chosen, ctx.state);
        if is_other {
            hints.key(Action::ListCompare, "compare", "compare", 0);
        }
        hints.key(Action::ListRename, "rename", "rename", 0);
        if is_other {
            hints.key(Action::ListDelete, "delete (asks)", "delete", 0);
        }
    }
    hints.plain("Esc", list.esc_label(), 0);
    let keys: Vec<String> = hints.list.iter().map(|hint| format!("{} {}", hint.key, hint.label)).collect();
    keys.join("   ")
}
