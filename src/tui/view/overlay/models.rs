//! The models that can be chosen: where they run, how long a conversation may be, what they cost.

use super::Sheet;
use super::lists::entry;
use crate::domain::{ModelInfo, ModelName};
use crate::driver::catalogue;
use crate::engine::State;
use crate::engine::transcript::Item;
use crate::tui::screen::layer::{ModelRow, Models};
use crate::tui::theme::Slot;
use crate::tui::view::look::Look;
use crate::tui::view::{safe, words};
use ratatui::text::Line;

/// Rows that stand around the list: field, rule, gap, chat, silent, foot.
const OTHERS: u16 = 8;

/// The sheet.
pub(super) fn sheet(list: &Models, state: &State, width: u16, height: u16, look: Look<'_>) -> Sheet {
    let mut sheet = Sheet::new("Model");
    sheet.field("> ", &list.filter, width, look).rule(width, look);
    let shown = list.shown();
    let rows = usize::from(height.saturating_sub(OTHERS).clamp(1, 14));
    let first = list.cursor.window(rows);
    let used = used(state);
    for (at, row) in shown.iter().enumerate().skip(first).take(rows) {
        let text = row_text(row, state, used, usize::from(width).saturating_sub(2));
        sheet.row(entry(&text, at == list.cursor.0, width, look));
    }
    if shown.is_empty() {
        let text = match (list.chosen(), &list.offers) {
            (Some(model), _) => format!("Enter uses {}", safe::one_line(&model.to_string())),
            (None, None) => "Looking who can be asked.".into(),
            (None, Some(_)) => "No model matches. Type one as PROVIDER/MODEL.".into(),
        };
        sheet.row(Line::styled(format!("  {text}"), look.dim()));
    }
    if shown.len() > rows {
        let text = format!(
            "  {} of {} shown; type to filter.",
            rows.min(shown.len()),
            words::grouped(shown.len() as u64)
        );
        sheet.row(Line::styled(text, look.dim()));
    }
    sheet.gap();
    below(list, &shown, used, width, look, &mut sheet);
    sheet.row(Line::styled("Enter use from next message   Ctrl-T test connection   Esc back", look.dim()));
    sheet
}

/// What there is to know below the list.
fn below(
    list: &Models,
    shown: &[ModelRow],
    used: Option<(u64, bool)>,
    width: u16,
    look: Look<'_>,
    sheet: &mut Sheet,
) {
    if let Some((model, answer)) = &list.tested {
        let (text, style) = match answer {
            None => (format!("Testing {}.", safe::one_line(&model.to_string())), look.dim()),
            Some(Ok(text)) => (safe::one_line(text), look.text()),
            Some(Err(text)) => (safe::one_line(text), look.style(Slot::StatusError)),
        };
        sheet.words(&text, width, style);
    }
    if let Some(used) = used {
        sheet.words(&fits(shown, used), width, look.text());
    }
    let models = || shown.iter().filter_map(model_of);
    if models().any(|model| model.price.is_some()) {
        sheet.words("Prices: dollars for a million tokens, requests/replies.", width, look.dim());
    }
    if models().any(|model| model.local) {
        sheet.words("Local models keep your code and data on this computer.", width, look.dim());
    }
    let silent = list.silent();
    if !silent.is_empty() {
        sheet.words(&format!("Not running here: {}.", safe::one_line(&silent.join(", "))), width, look.dim());
    }
}

fn model_of(row: &ModelRow) -> Option<&ModelInfo> {
    match row {
        ModelRow::Model(model) => Some(model),
        _ => None,
    }
}

/// The tokens of this chat, and whether they are estimated; `None` where nothing was said yet.
fn used(state: &State) -> Option<(u64, bool)> {
    let share = &state.live.context;
    let said = state.transcript.items.iter().any(|item| matches!(item, Item::Prompt { .. }));
    (said && share.used > 0).then_some((share.used, share.estimated))
}

/// `This chat has 12,400 tokens: fits every model above.`
fn fits(shown: &[ModelRow], (used, estimated): (u64, bool)) -> String {
    let about = if estimated { "about " } else { "" };
    let chat = format!("This chat has {about}{} tokens", words::grouped(used));
    let known: Vec<u64> = shown.iter().filter_map(model_of).filter_map(|model| model.context).collect();
    let small = known.iter().filter(|context| **context < used).count();
    match (known.len(), small) {
        (0, _) => format!("{chat}."),
        (_, 0) => format!("{chat}: fits every model above."),
        (all, small) if small == all => format!("{chat}: too long for every model above."),
        (_, small) => format!("{chat}: too long for {} above (marked !).", words::count(small, "model")),
    }
}

/// A row: provider, model, where it runs, its context, its price, whether it is in use.
fn row_text(row: &ModelRow, state: &State, used: Option<(u64, bool)>, width: usize) -> String {
    let two = |name: &str, text: &str| format!("{:<10} {}", safe::one_line(name), safe::one_line(text));
    match row {
        ModelRow::Model(model) => model_text(model, state, used, width),
        ModelRow::NoKey(name, place) => two(name, &format!("no key ({place}): Enter asks for one")),
        ModelRow::Asking(name) => two(name, "asking which models it has"),
        ModelRow::Failed(name, why) => two(name, why),
    }
}

fn model_text(model: &ModelInfo, state: &State, used: Option<(u64, bool)>, width: usize) -> String {
    let ModelName { provider, model: name } = &model.name;
    let current = state.transcript.model.as_ref() == Some(&model.name);
    let place = match (model.local, provider.as_str()) {
        (true, _) => "local",
        (false, "scripted") => "offline",
        (false, _) => "cloud",
    };
    let long = model.context.zip(used).is_some_and(|(context, (used, _))| context < used);
    let context = match model.context {
        Some(context) => format!("ctx {}{}", catalogue::tokens(context), if long { " !" } else { "" }),
        None => String::new(),
    };
    let price = model.price.as_ref().map(catalogue::price).unwrap_or_default();
    let right =
        format!("{place:<7} {context:<10} {price:<11}{}", if current { " in use" } else { "       " });
    // The name gets what the rest leaves; where there is little room, what is known of it gives way.
    let room = width.saturating_sub(right.chars().count() + 12).max(24);
    let name = safe::cut(&safe::one_line(name), room);
    let pad = room.saturating_sub(unicode_width::UnicodeWidthStr::width(name.as_str()));
    format!("{:<10} {name}{:pad$} {right}", safe::one_line(provider), "").trim_end().to_owned()
}
