//! The rows of the session list.

use super::{Choice, Sessions, is_open_here};
use crate::driver::{SessionHit, Summary};
use crate::tui::overlays::OverlayContext;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::{safe, words};

/// Columns of a name, including the tree lines before it.
const NAME_COLUMNS: usize = 18;

/// The text of a row.
pub(super) fn row(list: &Sessions, (at, choice): (usize, Choice<'_>), ctx: OverlayContext<'_>) -> String {
    match choice {
        Choice::Session(summary) => session(list, (at, summary), ctx),
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
fn session(list: &Sessions, (at, summary): (usize, &Summary), ctx: OverlayContext<'_>) -> String {
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
    let folder = if with_folder { format!("  {}", draw.place.path(&summary.cwd)) } else { String::new() };
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
