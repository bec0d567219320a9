//! Rules for "always": the choice of one, and the list of those that were granted.

use super::Sheet;
use super::lists::entry;
use crate::domain::BlockId;
use crate::engine::State;
use crate::engine::rules::{self, Offer};
use crate::engine::transcript::{RuleItem, RuleOver};
use crate::tui::screen::filter::Cursor;
use crate::tui::screen::layer::Always;
use crate::tui::theme::Slot;
use crate::tui::view::look::Look;
use crate::tui::view::{safe, words};
use ratatui::text::{Line, Span};

/// Blocks that are named; the others are counted.
const NAMED: usize = 4;

/// The choice of a rule.
pub(super) fn always(always: &Always, width: u16, look: Look<'_>) -> Sheet {
    let mut sheet = Sheet::new("Always approve what?");
    sheet.words("Approve this block, and from now on in this session also:", width, look.text()).gap();
    for (at, offer) in always.offers.iter().enumerate() {
        let chosen = always.marked == Some(at);
        let style = match (&offer.refused, chosen) {
            (Some(_), _) => look.dim(),
            (None, true) => look.style(Slot::UiSelection),
            (None, false) => look.text(),
        };
        let mark = if chosen { "> " } else { "  " };
        let text = format!("{mark}{}  {}", at + 1, rules::words(&offer.rule));
        sheet.row(Line::styled(safe::cut(&text, width.into()), style));
        let head = Span::raw(" ".repeat(5));
        for row in safe::hanging(head, &reach(always.block, offer), width.into(), look.dim()) {
            sheet.row(row);
        }
    }
    sheet.gap();
    sheet.words("Never offered: blocks with a high finding, other sessions, everything.", width, look.text());
    sheet.words("Such blocks are still shown first and start after 3 s; s stops them.", width, look.text());
    let next = match always.marked {
        Some(at) => format!("{} is marked: A confirms.", at + 1),
        None => "Nothing is marked yet: 1 2 3 mark, A confirms.".into(),
    };
    sheet.words(&format!("Remove rules: /rules.   {next}"), width, look.text());
    sheet
}

/// What a rule would have covered so far, and a near miss; or why it can't be granted.
fn reach(block: BlockId, offer: &Offer) -> String {
    if let Some(miss) = &offer.refused {
        return format!("not here: block {block} {}", safe::one_line(&miss.to_string()));
    }
    let covered = match offer.covered.as_slice() {
        [] => "no earlier block".to_owned(),
        [one] => format!("block {one}"),
        many => {
            let names: Vec<String> = many.iter().rev().take(NAMED).map(ToString::to_string).collect();
            let more = many.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("blocks {}{more}", names.join(", "))
        }
    };
    match &offer.missed {
        Some((other, miss)) => {
            format!("so far: {covered}; not block {other}: it {}", safe::one_line(&miss.to_string()))
        }
        None => format!("so far: {covered}"),
    }
}

/// The rules of this session.
pub(super) fn list(state: &State, cursor: Cursor, width: u16, height: u16, look: Look<'_>) -> Sheet {
    let mut sheet = Sheet::new("Rules");
    let items = &state.transcript.rules;
    if items.is_empty() {
        sheet.words("No rules. Every block asks.", width, look.text());
    }
    let room = usize::from(height.saturating_sub(5)).max(2) / 2;
    let first = cursor.window(room);
    for (at, item) in items.iter().enumerate().skip(first).take(room) {
        let text = format!("{}  {}", item.rule.id, rules::words(&item.rule));
        sheet.row(entry(&text, at == cursor.0, width, look));
        let text = format!("       {}", safe::one_line(&standing(state, item, look)));
        sheet.row(Line::styled(safe::cut(&text, width.into()), look.dim()));
    }
    sheet.gap();
    let foot = if items.iter().any(|item| item.over.is_none()) {
        "Del or x removes a rule   Esc close"
    } else {
        "A on a block that waits makes one   Esc close"
    };
    sheet.row(Line::styled(foot, look.dim()));
    sheet
}

fn standing(state: &State, item: &RuleItem, look: Look<'_>) -> String {
    let rule = &item.rule;
    let runs = state.transcript.blocks.values().flat_map(|block| &block.runs);
    let runs = words::count(runs.filter(|run| run.by.rule() == Some(rule.id)).count(), "run");
    let granted = format!("granted on block {} at {}, {runs}", rule.block, look.place.hour(item.at));
    match item.over {
        None => granted,
        Some(RuleOver::Revoked(at)) => format!("removed at {}; {granted}", look.place.hour(at)),
        Some(RuleOver::Reopened) => format!("ended when the session was opened again; {granted}"),
    }
}
