//! The keymap: which key does what in which context, as data, with the way back from an action to its keys.
//!
//! Bindings come from `assets/keymap.toml` and the user's `keymap.toml` over it. A row of the user replaces the keys
//! of its action in its context. Two actions on one key in one context are refused, and so is approving by Enter,
//! Space, `y` or a digit. This room reads no file.

mod key;
mod read;
#[cfg(test)]
mod tests;

pub use key::Key;
pub(crate) use read::KeymapError;
pub(crate) use read::prewarm;

use super::action::Action;
use std::collections::HashMap;

/// Makes the enum of contexts with names and fallbacks.
macro_rules! contexts {
    ($($(#[$doc:meta])* $variant:ident = $name:literal < $parent:expr),+ $(,)?) => {
        /// Where a key is pressed. What a context does not bind, its parent may.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Context {
            $($(#[$doc])* $variant),+
        }

        impl Context {
            /// All of them, in the order of the help screen.
            pub const ALL: &'static [Context] = &[$(Context::$variant),+];

            /// The name in `keymap.toml`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Context::$variant => $name),+
                }
            }

            /// Where keys are looked up that it does not bind.
            pub fn parent(self) -> Option<Context> {
                match self {
                    $(Context::$variant => $parent),+
                }
            }
        }
    };
}

contexts! {
    /// Everywhere.
    Everywhere = "everywhere" < None,
    /// Any text field.
    Text = "text" < Some(Context::Everywhere),
    /// The message box.
    Message = "message" < Some(Context::Text),
    /// The block in the editor.
    Edit = "edit" < Some(Context::Text),
    /// Finding and replacing in the editor.
    Replace = "replace" < Some(Context::Text),
    /// Any pane that scrolls.
    Pane = "pane" < Some(Context::Everywhere),
    /// The conversation.
    Chat = "chat" < Some(Context::Pane),
    /// A block that waits.
    Review = "review" < Some(Context::Pane),
    /// Code or output of a block that is over.
    Done = "done" < Some(Context::Pane),
    /// The variables.
    Vars = "vars" < Some(Context::Pane),
    /// The list of what waits.
    Queue = "queue" < Some(Context::Pane),
    /// A list with a filter: sessions, models, commands.
    Picker = "picker" < Some(Context::Text),
    /// The search line.
    Find = "find" < Some(Context::Text),
    /// A text on the whole screen.
    Pager = "pager" < Some(Context::Everywhere),
    /// A form.
    Form = "form" < Some(Context::Text),
    /// Problems.
    Problems = "problems" < Some(Context::Everywhere),
}

impl Context {
    /// The context of this name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|context| context.name() == name)
    }
}

/// One row: an action with its keys in a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Binding {
    pub(crate) context: Context,
    /// By which keys; the first is the one that hints show.
    pub(crate) keys: Vec<Key>,
    pub(crate) action: Action,
    /// What the key bar and the help say: a few words.
    pub(crate) help: String,
}

/// All bindings.
#[derive(Clone, Debug)]
pub struct Keymap {
    rows: Vec<Binding>,
    by_key: HashMap<(Context, Key), Action>,
}

impl Keymap {
    /// The shipped bindings with the user's over them: the name of the user's file (for errors) and its text.
    ///
    /// # Errors
    /// When a file is not understood or two actions meet on one key; nothing is used then.
    pub fn load(user: Option<(&str, &str)>) -> Result<Self, KeymapError> {
        let mut rows = read::shipped()?;
        if let Some((file, text)) = user {
            read::merge(&mut rows, read::read(file, text)?);
        }
        let by_key = read::index(&rows)?;
        Ok(Self { rows: rows.into_iter().map(|row| row.binding).collect(), by_key })
    }

    /// What a key does in a context, its parents asked too.
    pub(crate) fn action(&self, context: Context, key: Key) -> Option<Action> {
        let (_, action) = self.found(context, key)?;
        Some(action)
    }

    /// The nearest context that binds a key, from this one on, and what the key does there.
    fn found(&self, context: Context, key: Key) -> Option<(Context, Action)> {
        let mut at = Some(context);
        while let Some(context) = at {
            if let Some(action) = self.by_key.get(&(context, key)) {
                return Some((context, *action));
            }
            at = context.parent();
        }
        None
    }

    /// The keys of a row that do what it says in `from`, one of whose contexts it is of: those that no nearer one takes.
    pub(crate) fn working(&self, from: Context, row: &Binding) -> Vec<Key> {
        let works = |key: &Key| self.found(from, *key).is_some_and(|(at, _)| at == row.context);
        row.keys.iter().copied().filter(works).collect()
    }

    /// The keys of an action in a context or its parents; the first is the one to show.
    pub(crate) fn keys(&self, context: Context, action: Action) -> &[Key] {
        self.binding(context, action).map_or(&[], |row| &row.keys)
    }

    /// The row of an action in a context or its parents, if it has keys there.
    pub(crate) fn binding(&self, context: Context, action: Action) -> Option<&Binding> {
        let mut at = Some(context);
        while let Some(context) = at {
            let found =
                self.rows.iter().find(|r| r.context == context && r.action == action && !r.keys.is_empty());
            if found.is_some() {
                return found;
            }
            at = context.parent();
        }
        None
    }

    /// The key to show for an action, `Ctrl-J`; empty where it has none.
    pub(crate) fn hint(&self, context: Context, action: Action) -> String {
        self.keys(context, action).first().map(ToString::to_string).unwrap_or_default()
    }

    /// All rows of a context itself, in the order of the file: the help screen.
    pub(crate) fn rows(&self, context: Context) -> impl Iterator<Item = &Binding> {
        self.rows.iter().filter(move |row| row.context == context && !row.keys.is_empty())
    }
}
