//! What the status row says while a layer is open.

use crate::domain::sentences::{saving, sending};
use crate::engine::State;
use crate::tui::screen::Screen;
use crate::tui::screen::layer::{FormBox, Layer, Purpose};
use crate::tui::view::{safe, words};

/// Which field of a form the cursor is in.
fn of_form(form: &FormBox) -> String {
    let fields = form.form.fields.len();
    let place = if fields > 1 { format!("Field {} of {fields}. ", form.at + 1) } else { String::new() };
    match (&form.purpose, form.sent) {
        (Purpose::Begin(_), true) => "Looking at what the recipe needs.".into(),
        (Purpose::Answer, true) => sending::FORM_GIVEN.into(),
        (Purpose::Begin(name), false) => {
            format!("{place}Nothing runs from here: the recipe {} begins with these.", safe::one_line(name))
        }
        (Purpose::Answer, false) => {
            format!("{place}The recipe waits for this. Esc hides it; nothing is lost.")
        }
    }
}

/// Where answers come from, and what went out so far.
pub(super) fn from_where(screen: &Screen, state: &State) -> String {
    let sent = screen.departed_sentence(state);
    match &state.transcript.model {
        _ if screen.setup.welcome => format!("No provider yet. {sent}"),
        Some(model) => format!("{} answers. {sent}", safe::one_line(&model.to_string())),
        None => sent,
    }
}

/// What a layer says in place of all that.
pub(super) fn of_layer(screen: &Screen, layer: &Layer, state: &State) -> Option<String> {
    Some(match layer {
        Layer::Welcome(_) => from_where(screen, state),
        Layer::Sessions(list) => {
            let bytes: u64 = list.all.iter().flatten().map(|s| s.bytes).sum();
            match &list.all {
                None => "Looking for sessions.".into(),
                Some(all) => format!("{}, {}.", words::count(all.len(), "session"), words::size(bytes)),
            }
        }
        Layer::Models(_) => "Model changes apply to the next message.".into(),
        Layer::Status(_) => "How things stand in this session.".into(),
        Layer::Help(_) => "Help shows the keys of the pane you came from.".into(),
        Layer::Commands(list) => {
            let all = crate::tui::screen::commands::COMMANDS.len();
            format!("{} of {all} commands.", list.shown().len())
        }
        Layer::Confirm(_) => "Waiting for the word run.".into(),
        Layer::Always(_) => "A rule also approves this block. Esc approves nothing.".into(),
        Layer::Rules(_) => {
            let count = state.transcript.rules_in_force().count();
            format!("{} in force. Rules end with the program.", words::count(count, "rule"))
        }
        Layer::Reject(_) => sending::REASON_OPEN.into(),
        Layer::Ask(_) => match &state.live.run {
            Some(run) => format!("Block {} is still running.", run.block),
            None => return None,
        },
        Layer::Limits(form) => format!("Limits of block {}: Enter shows it anew under them.", form.block),
        Layer::Language(block, ..) => format!("Block {block} names no language. Nothing is guessed."),
        Layer::Recipes(list) => format!(
            "{}. Every block of a recipe waits like every other.",
            words::count(list.all.len(), "recipe")
        ),
        Layer::Form(form) => of_form(form),
        Layer::Steps(_) => "What was done so far, step by step.".into(),
        Layer::OldMessages(list) => format!("{}.", words::count(list.all.len(), "older message")),
        Layer::Find(find) => {
            let needle = safe::one_line(&find.field.text());
            match (needle.is_empty(), find.hits.len()) {
                (true, _) => "Type what to look for.".into(),
                (false, 0) => format!("No matches for {needle}."),
                (false, n) => {
                    format!(
                        "Match {} of {n} for '{needle}'.  Scroll position comes back on Esc.",
                        find.at + 1
                    )
                }
            }
        }
        Layer::Rename(_) => "Another name for this session.".into(),
        Layer::Key(..) => saving::KEY_OPEN.into(),
        Layer::FindInEditor(_) => "Find in this block.".into(),
    })
}
