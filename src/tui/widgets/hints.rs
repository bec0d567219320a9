//! The key hints of a context, most important first.

use crate::tui::action::Action;
use crate::tui::keymap::{Context, Keymap};

/// One key and what it does.
pub(crate) struct Hint {
    pub(crate) key: String,
    pub(crate) label: &'static str,
    /// The label where there is little room.
    pub(crate) short: &'static str,
    /// Hints with the highest rank are left out first where there is no room; rank 0 always stays.
    pub(crate) rank: u8,
    /// The action of the key, if it has one: such a hint can be clicked.
    pub(crate) action: Option<Action>,
}

/// Builds the hints of a context.
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

    /// Adds an action with the key that is bound to it; adds nothing if no key is.
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

    /// The same with a label that is short enough everywhere.
    pub(crate) fn word(&mut self, action: Action, label: &'static str, rank: u8) -> &mut Self {
        self.key(action, label, label, rank)
    }

    /// Adds keys that belong to no action.
    pub(crate) fn plain(&mut self, key: &str, label: &'static str, rank: u8) -> &mut Self {
        self.list.push(Hint { key: key.to_owned(), label, short: label, rank, action: None });
        self
    }
}
