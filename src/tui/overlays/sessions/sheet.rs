//! The sheet of the session list: the typed text, how many sessions are listed, the rows, the preview, and the keys of
//! the chosen row.

use super::{Choice, Sessions, is_open_here, preview};
use crate::driver::{SessionHit, Summary};
use crate::tui::action::Action;
use crate::tui::keymap::Context;
use crate::tui::overlays::OverlayContext;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::sheet::{Sheet, entry, scrolled};
use crate::tui::widgets::{safe, words};
use ratatui::layout::Rect;

/// Columns of a name, including the tree lines before it.
const NAME_COLUMNS: usize = 18;

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
    sheet.dim(safe::cut(&count, width.into()), draw);
    sheet.rule(width, draw);
    let preview = usize::from(height >= 18) * 8;
    let rows = usize::from(height).saturating_sub(5 + preview).clamp(1, 12);
    let cursor = list.cursor.0;
    sheet.rows.extend(scrolled(list.count(), cursor..cursor + 1, rows, draw, |at| {
        Some(entry(&row(list, at, list.at(at), ctx), at == cursor, width, draw))
    }));
    if list.listing.all().is_none() {
        sheet.dim("  Looking for sessions.", draw);
    } else if let Some(remark) = list.remark() {
        sheet.dim(safe::cut(&format!("  {remark}"), width.into()), draw);
    }
    if preview > 0 {
        preview::draw(list, width, preview - 1, draw, &mut sheet);
    }
    sheet.dim(keys_text(list, ctx), draw);
    sheet
}

/// The keys that do something in the chosen row.
fn keys_text(list: &Sessions, ctx: OverlayContext<'_>) -> String {
    let mut hints = Hints::new(ctx.draw.keymap, Context::Picker);
    if let Some(enter) = list.enter_label(ctx.state) {
        hints.word(Action::ListAccept, enter, 0);
    }
    if let Some(chosen) = list.chosen() {
        let is_other = !is_open_here(chosen, ctx.state);
        if is_other {
            hints.word(Action::ListCompare, "compare", 0);
        }
        hints.word(Action::ListRename, "rename", 0);
        if is_other {
            hints.key(Action::ListDelete, "delete (asks)", "delete", 0);
        }
    }
    hints.plain("Esc", list.esc_label(), 0);
    let keys: Vec<String> = hints.list.iter().map(|hint| format!("{} {}", hint.key, hint.label)).collect();
    keys.join("   ")
}

fn row(list: &Sessions, at: usize, choice: Choice<'_>, ctx: OverlayContext<'_>) -> String {
    match choice {
        Choice::Session(summary) => session(list, at, summary, ctx),
        Choice::Hit(found) => hit(found, ctx.draw),
        Choice::New => "+ new session".to_owned(),
    }
}

/// `3 d     sales-q3       block 3            df = pd.read_csv("sales.csv")`
fn hit(hit: &SessionHit, draw: DrawContext<'_>) -> String {
    let name = safe::cut(&safe::one_line(hit.session.label()), 14);
    let (ago, place) = (words::ago(draw.now, hit.at), hit.place.to_string());
    safe::one_line(&format!("{ago:<7} {name:<14} {place:<18} {}", safe::one_line(&hit.line)))
}

/// `12 min  └ sales-q3-2   9 msgs   3 blocks  1 waiting  at block 3`
fn session(list: &Sessions, at: usize, summary: &Summary, ctx: OverlayContext<'_>) -> String {
    let draw = ctx.draw;
    let state = if is_open_here(summary, ctx.state) {
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
    let lead = list.listing.lead(at, draw.glyphs.tree);
    let with_folder = list.listing.here().is_none() && lead.is_none();
    let folder = if with_folder { format!("  {}", draw.locale.path(&summary.cwd)) } else { String::new() };
    let messages = usize::try_from(summary.messages).unwrap_or(usize::MAX);
    // Leave some columns for the name of a deep branch.
    let shown: Vec<char> = lead.as_deref().unwrap_or_default().chars().collect();
    let deep = shown.len().saturating_sub(NAME_COLUMNS - 8);
    let name = format!("{}{}", shown.iter().skip(deep).collect::<String>(), safe::one_line(summary.label()));
    safe::one_line(&format!(
        "{:<7} {:<NAME_COLUMNS$} {:>8} {:>10}  {state:<10}{}{folder}",
        words::ago(draw.now, summary.modified),
        safe::cut(&name, NAME_COLUMNS),
        words::count(messages, "msg"),
        words::count(summary.blocks as usize, "block"),
        origin(list, summary, lead.is_some()),
    ))
}

/// Where a branch comes from; below the session from which it was branched, only the place.
fn origin(list: &Sessions, summary: &Summary, is_below: bool) -> String {
    let Some(id) = summary.branch_of.as_deref() else { return String::new() };
    match (list.listing.origin(id), summary.branch_at) {
        (Some(_), Some(at)) if is_below => format!(" at {at}"),
        (Some(_), None) if is_below => String::new(),
        (Some(of), _) => format!(" of {}", safe::cut(&safe::one_line(of.label()), 14)),
        (None, _) => " origin gone".to_owned(),
    }
}
