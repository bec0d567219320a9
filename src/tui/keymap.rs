//! The keymap: which key does what in which context, and the keys of each action.
//!
//! Bindings come from `assets/keymap.toml`, with the user's `keymap.toml` over it. A row of the user replaces
//! the keys of its action in its context. Two actions on one key in one context are refused, and so is
//! approving by Enter, Space, `y` or a digit. This module reads no files.

mod key;
mod read;
#[cfg(test)]
mod tests;

pub use key::Key;
pub(crate) use read::KeymapError;
pub(crate) use read::prewarm;

use super::action::Action;
use super::enum_names::enum_with_names;
use std::collections::HashMap;

enum_with_names! {
    /// Where a key is pressed. Keys without a binding here are looked up in the parent context.
    Context, "All contexts, in the order of the help screen.", "The name in `keymap.toml`.";
    /// Everywhere.
    Everywhere = "everywhere",
    /// Any text field.
    Text = "text",
    /// The message box.
    Message = "message",
    /// The editor of a block.
    Edit = "edit",
    /// Finding and replacing in the editor.
    Replace = "replace",
    /// Any pane that scrolls.
    Pane = "pane",
    /// The conversation.
    Chat = "chat",
    /// A waiting block.
    Review = "review",
    /// Code or output of a finished block.
    Done = "done",
    /// The variables.
    Vars = "vars",
    /// The list of waiting blocks.
    Queue = "queue",
    /// A list with a filter: sessions, models, commands.
    Picker = "picker",
    /// The search line.
    Find = "find",
    /// A full-screen text.
    Pager = "pager",
    /// A form.
    Form = "form",
    /// Problems.
    Problems = "problems",
}

impl Context {
    /// The context in which keys without a binding here are looked up.
    pub fn parent(self) -> Option<Context> {
        use Context::{Chat, Done, Edit, Everywhere, Find, Form, Message, Pager, Pane, Picker, Problems};
        use Context::{Queue, Replace, Review, Text, Vars};
        match self {
            Everywhere => None,
            Text | Pane | Pager | Problems => Some(Everywhere),
            Message | Edit | Replace | Picker | Find | Form => Some(Text),
            Chat | Review | Done | Vars | Queue => Some(Pane),
        }
    }

    /// This context and its parents, from the nearest on.
    pub(crate) fn upwards(self) -> impl Iterator<Item = Context> {
        std::iter::successors(Some(self), |context| context.parent())
    }
}

/// One row of the keymap: an action with its keys in a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Binding {
    pub(crate) context: Context,
    /// The keys; hints show the first.
    pub(crate) keys: Vec<Key>,
    pub(crate) action: Action,
    /// The text for the key bar and the help: a few words.
    pub(crate) help: String,
}

/// All bindings. The default has none, for line mode.
#[derive(Clone, Debug, Default)]
pub struct Keymap {
    rows: Vec<Binding>,
    by_key: HashMap<(Context, Key), Action>,
}

impl Keymap {
    /// Loads the built-in bindings with the user's over them; `user` is the name of the user's file (for
    /// errors) and its text.
    ///
    /// # Errors
    /// When a file can't be parsed or two actions share a key; no binding is used then.
    pub fn load(user: Option<(&str, &str)>) -> Result<Self, KeymapError> {
        let mut rows = read::shipped()?;
        if let Some((file, text)) = user {
            read::merge(&mut rows, read::read(file, text)?);
        }
        let by_key = read::index(&rows)?;
        Ok(Self { rows: rows.into_iter().map(|row| row.binding).collect(), by_key })
    }

    /// The action of a key in a context or its parents.
    pub(crate) fn action(&self, context: Context, key: Key) -> Option<Action> {
        self.found(context, key).map(|(_, action)| action)
    }

    /// The nearest context, from this one upwards, that binds a key, and its action there.
    fn found(&self, context: Context, key: Key) -> Option<(Context, Action)> {
        context.upwards().find_map(|context| Some((context, *self.by_key.get(&(context, key))?)))
    }

    /// Those keys of a row that work in the context `from`.
    pub(crate) fn working(&self, from: Context, row: &Binding) -> Vec<Key> {
        row.keys.iter().copied().filter(|key| self.works(from, row, *key)).collect()
    }

    /// The key to name for an action in a context: the first that works there.
    pub(crate) fn key(&self, context: Context, action: Action) -> Option<Key> {
        let row = self.binding(context, action)?;
        row.keys.iter().copied().find(|key| self.works(context, row, *key))
    }

    /// Whether a key of a row works in the context `from`: no nearer context binds it.
    fn works(&self, from: Context, row: &Binding, key: Key) -> bool {
        self.found(from, key).is_some_and(|(at, _)| at == row.context)
    }

    /// The row of an action in a context or its parents, if it has keys there.
    pub(crate) fn binding(&self, context: Context, action: Action) -> Option<&Binding> {
        context.upwards().find_map(|context| self.rows(context).find(|row| row.action == action))
    }

    /// The key to show for an action, such as `Ctrl-J`; empty if it has none.
    pub(crate) fn hint(&self, context: Context, action: Action) -> String {
        self.key(context, action).as_ref().map(ToString::to_string).unwrap_or_default()
    }

    /// Keys with what they do, such as `e edits it, r rejects`, with a text before, between and after them; leaves
    /// out actions without a key, and is empty if none has one.
    pub(crate) fn hints(
        &self,
        context: Context,
        (before, between, after): (&str, &str, &str),
        keys: &[(Action, &str)],
    ) -> String {
        let bound =
            keys.iter().filter_map(|(action, does)| Some(format!("{} {does}", self.key(context, *action)?)));
        let hints = bound.collect::<Vec<_>>().join(between);
        if hints.is_empty() { hints } else { format!("{before}{hints}{after}") }
    }

    /// All rows of exactly this context, in the order of the file, for the help screen.
    pub(crate) fn rows(&self, context: Context) -> impl Iterator<Item = &Binding> {
        self.rows.iter().filter(move |row| row.context == context && !row.keys.is_empty())
    }
}
