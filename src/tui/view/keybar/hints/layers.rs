//! The keys that are shown while a layer is open.

use super::{Hint, Hints};
use crate::tui::action::Action;
use crate::tui::screen::layer::{FormBox, Layer, Purpose};

/// The keys of a layer.
pub(super) fn of_layer(layer: &Layer, hints: &mut Hints<'_>) {
    match layer {
        Layer::Welcome(welcome) if welcome.field.is_some() => {
            hints.plain("Enter", "take it", 0).plain("Esc", "back", 0);
        }
        Layer::Welcome(_) => {
            hints
                .plain("Enter", "choose", 0)
                .plain("k", "paste a key", 1)
                .plain("?", "help", 2)
                .plain("q", "quit", 0);
        }
        Layer::Sessions(list) if list.rename.is_some() => {
            hints.plain("Enter", "rename", 0).plain("Esc", "back", 0);
        }
        Layer::Sessions(_)
        | Layer::Models(_)
        | Layer::OldMessages(_)
        | Layer::Recipes(_)
        | Layer::Commands(_) => of_list(layer, hints),
        Layer::Language(..) => {
            hints.plain("Up/Down", "", 1).plain("Enter", "choose", 0).plain("Esc", "back", 0);
        }
        Layer::Form(form) => of_form(form, hints),
        Layer::Help(_) | Layer::Status(_) | Layer::Steps(_) => {
            hints.plain("Up/Down", "scroll", 1).plain("Esc", "close", 0);
        }
        Layer::Always(_) | Layer::Rules(_) => of_rules(layer, hints),
        Layer::Confirm(_) => {
            hints.plain("Type run and Enter", "", 0).plain("Esc", "go back", 0);
        }
        Layer::Reject(_) => {
            hints.plain("Enter", "reject and send", 0).plain("Ctrl-J", "newline", 1).plain(
                "Esc",
                "back, no decision",
                0,
            );
        }
        Layer::Ask(ask) => {
            for choice in &ask.choices {
                hints.list.push(Hint {
                    key: choice.letter.to_string(),
                    label: "",
                    short: "",
                    rank: 0,
                    action: None,
                });
                if let Some(hint) = hints.list.last_mut() {
                    hint.key = format!("{} {}", choice.letter, brief(&choice.label));
                }
            }
            hints.plain("Esc", "stay", 0);
        }
        Layer::Find(_) => {
            hints.plain("Enter", "next", 0).plain("Up/Down", "match", 1).plain("Esc", "close", 0);
        }
        Layer::Limits(_) => {
            hints.plain("Up/Down", "limit", 1).plain("Enter", "apply", 0).plain("Esc", "back", 0);
        }
        Layer::Rename(_) | Layer::Key(..) | Layer::FindInEditor(_) => {
            hints.plain("Enter", "take it", 0).plain("Esc", "back", 0);
        }
    }
}

/// The keys of a list with a filter.
fn of_list(layer: &Layer, hints: &mut Hints<'_>) {
    match layer {
        Layer::Sessions(_) => {
            hints
                .plain("type to filter", "", 3)
                .plain("Up/Down", "", 2)
                .plain("Enter", "open", 0)
                .plain("Tab", "this folder/all", 1)
                .plain("Esc", "back", 0);
        }
        Layer::Models(_) | Layer::OldMessages(_) => {
            hints.plain("type to filter", "", 2).plain("Up/Down", "", 2).plain("Enter", "use", 0);
            if matches!(layer, Layer::Models(_)) {
                hints.key(Action::ListTest, "test", "test", 1);
            }
            hints.plain("Esc", "back", 0);
        }
        Layer::Recipes(_) => {
            hints
                .plain("type to filter", "", 2)
                .plain("Up/Down", "", 2)
                .plain("Enter", "open its form", 0)
                .plain("Esc", "close", 0);
        }
        Layer::Commands(_) => {
            hints
                .plain("type to filter", "", 3)
                .plain("Up/Down", "", 2)
                .plain("Enter", "run", 0)
                .plain("Tab", "complete", 1)
                .plain("Esc", "close", 0);
        }
        _ => {}
    }
}

/// The keys of a form, by the field with the cursor.
fn of_form(form: &FormBox, hints: &mut Hints<'_>) {
    if form.sent {
        hints.plain("Esc", "keep and close", 0);
        return;
    }
    let begins = matches!(form.purpose, Purpose::Begin(_));
    let accept = match (form.is_last(), begins) {
        (false, _) => "next field",
        (true, true) => "begin",
        (true, false) => "send",
    };
    hints.key(Action::FormAccept, accept, accept, 0);
    if form.is_choice() {
        hints.plain("Left/Right", "choose", 0);
    }
    if form.has_lines() {
        hints.key(Action::TextNewline, "newline", "newline", 1).key(
            Action::TextEditor,
            "$EDITOR",
            "$EDITOR",
            3,
        );
    }
    if form.form.fields.len() > 1 {
        hints.key(Action::FormNext, "next", "next", 2).key(Action::FormPrevious, "previous", "previous", 3);
    }
    hints.plain("Esc", if begins { "keep and close" } else { "keep and hide" }, 0);
}

/// The keys of the choice of a rule, and of the list of rules.
fn of_rules(layer: &Layer, hints: &mut Hints<'_>) {
    if matches!(layer, Layer::Always(_)) {
        hints
            .plain("1 2 3 or Up/Down", "mark", 1)
            .plain("A", "confirm and approve", 0)
            .plain("Esc", "back", 0);
    } else {
        hints.plain("Up/Down", "", 2).plain("x", "remove", 0).plain("Esc", "close", 0);
    }
}

/// The first words of a label, up to a colon, a comma behind a few words, or a bracket.
fn brief(label: &str) -> String {
    label.split([':', ';', '(']).next().unwrap_or(label).trim().to_owned()
}
