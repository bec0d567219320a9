//! Reads a keymap file: parses TOML into rows, merges and checks them; errors name the file and line.

use super::key::Key;
use super::{Binding, Context};
use crate::text::near::nearest;
use crate::text::position::start_of;
use crate::tui::action::Action;
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A row, and where it was read.
#[derive(Clone, Debug)]
pub(super) struct BindingRow {
    pub(crate) binding: Binding,
    file: Arc<str>,
    /// Its line, counted from 1.
    line: usize,
}

/// Why a keymap is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}, line {line}: {text}")]
pub struct KeymapError {
    pub(crate) file: String,
    /// The line, counted from 1.
    pub(crate) line: usize,
    /// What is wrong and how to fix it.
    pub(crate) text: String,
}

/// The name of the built-in keymap in errors.
pub(super) const SHIPPED: &str = "the shipped keymap";

/// What a row consists of.
const PARTS: &str = "each with context, keys and action";

/// The built-in rows. Reading them takes a tenth of a start's instructions: see [`prewarm`].
static SHIPPED_ROWS: LazyLock<Result<Vec<BindingRow>, KeymapError>> =
    LazyLock::new(|| read(SHIPPED, include_str!("../../../assets/keymap.toml")));

pub(super) fn shipped() -> Result<Vec<BindingRow>, KeymapError> {
    SHIPPED_ROWS.clone()
}

/// Reads the built-in rows in parallel to the other work of a start.
pub(crate) fn prewarm() {
    let reading =
        std::thread::Builder::new().name("keymap".into()).spawn(|| LazyLock::force(&SHIPPED_ROWS).is_ok());
    // If the thread can't be started, they are read when needed.
    drop(reading);
}

pub(super) fn read(file: &str, text: &str) -> Result<Vec<BindingRow>, KeymapError> {
    let reader = KeymapReader { file: file.into(), text, counted: Cell::new((0, 1)) };
    let table = DeTable::parse(text).map_err(|error| reader.error(start_of(&error), error.message()))?;
    let mut rows = Vec::new();
    for (key, value) in table.get_ref() {
        if key.get_ref() != "bind" {
            let what = key.get_ref();
            let why =
                format!("`{what}` is nothing here: a keymap holds rows that begin with [[bind]], {PARTS}");
            return Err(reader.error(key.span().start, why));
        }
        let Some(array) = value.get_ref().as_array() else {
            return Err(reader.error(value.span().start, "`bind` is a list of rows"));
        };
        for row in array {
            rows.push(reader.row(row)?);
        }
    }
    Ok(rows)
}

/// Merges rows: each row replaces the keys of its action in its context.
pub(super) fn merge(rows: &mut Vec<BindingRow>, over: Vec<BindingRow>) {
    for mut row in over {
        let same = |r: &BindingRow| {
            r.binding.context == row.binding.context && r.binding.action == row.binding.action
        };
        match rows.iter_mut().find(|r| same(r)) {
            Some(old) => {
                if row.binding.help.is_empty() {
                    row.binding.help.clone_from(&old.binding.help);
                }
                *old = row;
            }
            None => rows.push(row),
        }
    }
}

/// Builds the table from a key to its action.
pub(super) fn index(rows: &[BindingRow]) -> Result<HashMap<(Context, Key), Action>, KeymapError> {
    let mut by_key: HashMap<(Context, Key), &BindingRow> = HashMap::new();
    // The person's rows come last: if two rows clash, the error names the person's.
    let (shipped, own): (Vec<&BindingRow>, Vec<&BindingRow>) =
        rows.iter().partition(|row| &*row.file == SHIPPED);
    for row in shipped.into_iter().chain(own) {
        let Binding { context, action, .. } = row.binding;
        for key in &row.binding.keys {
            if action == Action::ToWaiting && key.text().is_some() {
                return Err(row.error(format!(
                    "`{key}` types a letter: {} approves from every pane, so it takes a key that no text has, such as \
                     ctrl-y",
                    action.name()
                )));
            }
            if matches!(action, Action::Approve | Action::Always | Action::ToWaiting)
                && key.is_too_easy_to_approve()
            {
                return Err(row.error(format!(
                    "`{key}` can't approve: it is pressed by accident too easily. Choose another key for {}",
                    action.name()
                )));
            }
            if let Some(other) = by_key.insert((context, *key), row)
                && other.binding.action != action
            {
                return Err(row.error(format!(
                    "`{key}` would be {} and {} ({}, line {}) in {}. Give one of them another key, or none: keys = []",
                    action.name(),
                    other.binding.action.name(),
                    other.file,
                    other.line,
                    context.name(),
                )));
            }
        }
    }
    check_key_to_waiting(rows, &by_key)?;
    Ok(by_key.into_iter().map(|(at, row)| (at, row.binding.action)).collect())
}

/// Checks that the key to the waiting block has this meaning in every context: otherwise pressing it by habit
/// would do something else.
fn check_key_to_waiting(
    rows: &[BindingRow],
    by_key: &HashMap<(Context, Key), &BindingRow>,
) -> Result<(), KeymapError> {
    let going = rows.iter().filter(|row| row.binding.action == Action::ToWaiting);
    let keys: Vec<Key> = going.flat_map(|row| row.binding.keys.iter().copied()).collect();
    let taken = rows.iter().find_map(|row| {
        let key = row.binding.keys.iter().find(|key| keys.contains(key))?;
        let is_bound = by_key
            .get(&(row.binding.context, *key))
            .is_some_and(|by| by.binding.action == row.binding.action);
        (is_bound && row.binding.action != Action::ToWaiting).then_some((row, key))
    });
    let Some((row, key)) = taken else { return Ok(()) };
    let action = row.binding.action;
    let other = match action {
        Action::TextYank => {
            format!("{} has alt-y instead: leave this row out, or give it another key", action.name())
        }
        _ => format!("Give {} another key, or {} one of its own", action.name(), Action::ToWaiting.name()),
    };
    Err(row
        .error(format!("`{key}` goes to the block that waits, and approves there, in every pane. {other}")))
}

impl BindingRow {
    fn error(&self, text: String) -> KeymapError {
        KeymapError { file: self.file.to_string(), line: self.line, text }
    }
}

/// The action that was meant by a word, as a question; a list of all if no name is like it.
fn known_action(word: &str) -> String {
    let names = || Action::ALL.iter().map(|action| action.name());
    match nearest(word, names()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("the actions are: {}", names().collect::<Vec<_>>().join(", ")),
    }
}

struct KeymapReader<'a> {
    file: Arc<str>,
    text: &'a str,
    /// The last position looked up and its line: rows come in order, so counting lines continues from there.
    counted: Cell<(usize, usize)>,
}

impl KeymapReader<'_> {
    fn error(&self, at: usize, text: impl Into<String>) -> KeymapError {
        KeymapError { file: self.file.to_string(), line: self.line(at), text: text.into() }
    }

    fn line(&self, at: usize) -> usize {
        let (from, line) = if self.counted.get().0 <= at { self.counted.get() } else { (0, 1) };
        let new = self.text.as_bytes().get(from..at).unwrap_or_default();
        let line = line + new.iter().filter(|b| **b == b'\n').count();
        self.counted.set((at, line));
        line
    }

    fn row(&self, value: &Spanned<DeValue<'_>>) -> Result<BindingRow, KeymapError> {
        let at = value.span().start;
        let Some(table) = value.get_ref().as_table() else {
            return Err(self.error(
                at,
                "a row is written { context = \"review\", keys = [\"a\"], action = \"review.approve\" }",
            ));
        };
        for key in table.keys() {
            if !["context", "keys", "action", "help"].contains(&key.get_ref().as_ref()) {
                return Err(self.error(
                    key.span().start,
                    format!("`{}` is none of: context, keys, action, help", key.get_ref()),
                ));
            }
        }
        let word = |name: &str| table.get(name).and_then(|v| v.get_ref().as_str());
        let Some(context) = word("context").and_then(Context::parse) else {
            let names: Vec<_> = Context::ALL.iter().map(|c| c.name()).collect();
            return Err(self.error(at, format!("`context` is one of: {}", names.join(", "))));
        };
        let Some(action) = word("action").and_then(Action::parse) else {
            let given = word("action").unwrap_or_default();
            return Err(self.error(at, format!("there is no action `{given}`; {}", known_action(given))));
        };
        let Some(keys) = table.get("keys").and_then(|v| v.get_ref().as_array()) else {
            return Err(self.error(at, "`keys` is a list such as [\"a\", \"ctrl-x\"]"));
        };
        let keys = keys
            .iter()
            .map(|key| {
                key.get_ref().as_str().and_then(Key::parse).ok_or_else(|| {
                    self.error(
                        key.span().start,
                        "there is no such key; write \"a\", \"ctrl-c\", \"f1\", \"space\"",
                    )
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        let help = word("help").unwrap_or_default().to_string();
        Ok(BindingRow {
            binding: Binding { context, keys, action, help },
            file: self.file.clone(),
            line: self.line(at),
        })
    }
}
