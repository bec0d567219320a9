//! The keys that are worth showing, most important first.

use crate::tui::action::Action;
use crate::tui::keymap::{Context, Keymap};

/// One key and what it does.
pub(crate) struct Hint {
    pub(crate) key: String,
    pub(crate) label: &'static str,
    /// What it says where there is little room.
    pub(crate) short: &'static str,
    /// Left out first where there is no room; 0 stays.
    pub(crate) rank: u8,
    /// The action, where the key has one: then it can be clicked.
    pub(crate) action: Option<Action>,
}

/// Makes the hints of a context.
pub struct Hints<'a> {
    keymap: &'a Keymap,
    context: Context,
    /// The hints so far.
    pub(crate) list: Vec<Hint>,
}

impl<'a> Hints<'a> {
    pub(crate) fn new(keymap: &'a Keymap, context: Context) -> Self {
        Self { keymap, context, list: Vec::new() }
    }

    /// An action by the key that is bound to it; nothing where none is.
    pub(crate) fn key(
        &mut self,
        action: Action,
        label: &'static str,
        short: &'static str,
        rank: u8,
    ) -> &mut Self {
        let key = self.keymap.hint(self.context, action);
        if !key.is_empty() {
            self.list.push(Hint { key, label, short, rank, action: Some(action) });
        }
        self
    }

    /// Keys that are no action.
    pub(crate) fn plain(&mut self, key: &str, label: &'static str, rank: u8) -> &mut Self {
        self.list.push(Hint { key: key.to_owned(), label, short: label, rank, action: None });
        self
    }
}
