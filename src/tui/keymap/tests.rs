use super::*;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

fn key(text: &str) -> Key {
    Key::parse(text).unwrap_or_else(|| panic!("{text} is a key"))
}

/// A keymap of one row, on its second line.
fn row(context: &str, key: &str, action: &str) -> String {
    format!("bind = [\n{{ context = \"{context}\", keys = [\"{key}\"], action = \"{action}\" }} ]")
}

fn user(text: &str) -> Result<Keymap, KeymapError> {
    Keymap::load(Some(("keymap.toml", text)))
}

#[test]
fn the_shipped_keymap_loads_and_every_action_has_a_key() {
    let map = Keymap::load(None).unwrap();
    for action in Action::ALL {
        assert!(
            Context::ALL.iter().any(|c| map.rows(*c).any(|row| row.action == *action)),
            "{} has no key",
            action.name()
        );
    }
    assert!(Context::ALL.iter().flat_map(|c| map.rows(*c)).all(|row| !row.help.is_empty()));
}

#[test]
fn an_unknown_action_names_the_one_that_was_meant_or_all() {
    let of = |action: &str| user(&row("pane", "M", action)).unwrap_err().text;
    assert_eq!(of("pane.bear"), "there is no action `pane.bear`; did you mean `pane.bare`?");
    let all = of("xyzzy");
    assert!(Action::ALL.iter().all(|action| all.contains(action.name())), "{all}");
}

#[test]
fn contexts_fall_back_and_inner_ones_go_first() {
    let map = Keymap::load(None).unwrap();
    assert_eq!(map.action(Context::Review, key("a")), Some(Action::Approve));
    assert_eq!(map.action(Context::Review, key("j")), Some(Action::ScrollDown));
    assert_eq!(map.action(Context::Review, key("ctrl-c")), Some(Action::Stop));
    for context in Context::ALL {
        // Ctrl-L redraws in every context, whatever has the keys and however small the window is.
        assert_eq!(map.action(*context, key("ctrl-l")), Some(Action::Redraw), "{context:?}");
    }
    assert_eq!(map.action(Context::Message, key("a")), None);
    assert_eq!(map.action(Context::Pane, key("a")), None, "approving is for the review only");
}

#[test]
fn nothing_in_text_contexts_takes_letters() {
    let map = Keymap::load(None).unwrap();
    for context in [Context::Text, Context::Message, Context::Edit, Context::Picker, Context::Everywhere] {
        for row in map.rows(context) {
            assert!(
                row.keys.iter().all(|k| k.text().is_none()),
                "{} in {}",
                row.action.name(),
                context.name()
            );
        }
    }
}

#[test]
fn a_row_of_the_user_replaces_the_keys() {
    let map = user(&row("review", "ctrl-o", "review.approve")).unwrap();
    assert_eq!(map.action(Context::Review, key("a")), None);
    assert_eq!(map.action(Context::Review, key("ctrl-o")), Some(Action::Approve));
    let row = map.binding(Context::Review, Action::Approve).unwrap();
    assert_eq!(
        (row.help.as_str(), map.hint(Context::Review, Action::Approve).as_str()),
        ("approve once", "Ctrl-O")
    );
}

#[test]
fn a_key_that_does_something_else_there_is_not_named() {
    let map = user(&row("review", "ctrl-c", "review.approve")).unwrap();
    assert_eq!(map.hint(Context::Review, Action::Stop), "");
    assert_eq!(map.hint(Context::Message, Action::Stop), "Ctrl-C");
    assert_eq!(map.hints(Context::Review, ("", ", ", ""), &[(Action::Stop, "stops")]), "");
}

#[test]
fn the_key_that_goes_to_the_block_means_that_everywhere() {
    let map = Keymap::load(None).unwrap();
    for context in Context::ALL {
        assert_eq!(map.action(*context, key("ctrl-y")), Some(Action::ToWaiting), "{}", context.name());
    }
    assert_eq!(map.action(Context::Message, key("alt-y")), Some(Action::TextYank));
    assert_eq!(map.action(Context::Edit, key("alt-y")), Some(Action::TextYank));
    for context in ["text", "message", "edit"] {
        let error = user(&row(context, "ctrl-y", "text.yank")).unwrap_err();
        assert_eq!((error.file.as_str(), error.line), ("keymap.toml", 2));
        assert!(
            error.text.contains("goes to the block that waits") && error.text.contains("alt-y"),
            "{error}"
        );
    }
    let error = user(&row("pane", "ctrl-y", "pane.copy")).unwrap_err();
    assert!(error.text.contains("pane.copy"), "{error}");
    for easy in ["a", "Y", "space", "enter", "7"] {
        user(&row("everywhere", easy, "review.waiting")).unwrap_err();
    }
    // A person who gives that action another key may use Ctrl-Y for yanking again.
    let both = "bind = [\n{ context = \"everywhere\", keys = [\"f9\"], action = \"review.waiting\" },\n\
                { context = \"text\", keys = [\"ctrl-y\"], action = \"text.yank\" } ]";
    assert_eq!(user(both).unwrap().action(Context::Message, key("ctrl-y")), Some(Action::TextYank));
}

#[test]
fn no_keys_takes_them_away() {
    let map = user("bind = [ { context = \"review\", keys = [], action = \"review.skip\" } ]").unwrap();
    assert_eq!(map.action(Context::Review, key("s")), None);
    assert_eq!(map.hint(Context::Review, Action::Skip), "");
}

#[test]
fn two_actions_on_one_key_are_refused_with_file_and_line() {
    let error = user(
        "# mine\nbind = [\n  { context = \"review\", keys = [\"s\"], action = \"review.approve\" },\n]\n",
    )
    .unwrap_err();
    assert_eq!((error.file.as_str(), error.line), ("keymap.toml", 3), "{error}");
    assert!(error.text.contains("review.skip") && error.text.contains("review.approve"), "{error}");
}

#[test]
fn approving_by_accident_is_refused() {
    for easy in ["enter", "space", "y", "Y", "1", "0", "ctrl-m", "ctrl-j"] {
        let error = user(&row("review", easy, "review.approve")).unwrap_err();
        assert_eq!((error.file.as_str(), error.line), ("keymap.toml", 2), "{easy}: {error}");
    }
}

#[test]
fn what_is_not_understood_is_refused_with_its_line() {
    for (line, text) in [
        (1, "bind = 3"),
        (1, "keys = []"),
        (2, "bind = [\n{ context = \"nowhere\", keys = [], action = \"app.stop\" } ]"),
        (2, "bind = [\n{ context = \"review\", keys = [], action = \"app.nothing\" } ]"),
        (3, "bind = [\n{ context = \"review\",\n keys = [\"hyper-x\"], action = \"app.stop\" } ]"),
        (2, "bind = [\n{ context = \"review\", keys = \"a\", action = \"app.stop\" } ]"),
        (2, "bind = [\n{ context = \"review\", keys = [], action = \"app.stop\", run = 1 } ]"),
        (2, "bind = [\n{ context = "),
    ] {
        let error = user(text).unwrap_err();
        assert!(error.line == line || error.line == line + 1, "{text}: {error}");
    }
}

#[test]
fn keys_have_one_form() {
    let event = |code, modifiers| Key::from(&KeyEvent::new(code, modifiers));
    assert_eq!(event(KeyCode::Char('G'), KeyModifiers::SHIFT), key("G"));
    assert_eq!(event(KeyCode::Char('g'), KeyModifiers::SHIFT), key("shift-g"));
    assert_eq!(event(KeyCode::BackTab, KeyModifiers::SHIFT), key("shift-tab"));
    assert_eq!(event(KeyCode::Char('C'), KeyModifiers::CONTROL), key("ctrl-c"));
    assert_eq!(key("shift-g"), key("G"));
    assert_eq!(key("-").to_string(), "-");
    for text in ["a", "A", "Ctrl-C", "Shift-Tab", "Alt-Up", "F12", "Space", "PgDn", "/", "Ctrl-_"] {
        assert_eq!(key(text).to_string(), text);
    }
    for bad in ["", "ctrl-", "f0", "f25", "enterr", "\u{1b}"] {
        assert_eq!(Key::parse(bad), None, "{bad:?}");
    }
}
