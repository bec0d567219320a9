//! The values of variables and positions, as far as the text gives them.

use super::ShellReader;
use super::change::{FOLDER, POSITIONS};
use crate::review::flow::gravest_in;
use crate::review::path_class;
use crate::review::syntax::{named_children, text};
use crate::review::value::{Argument, HOLE, Taint, Value, ValueKind};
use tree_sitter::Node;

/// Stands for the id of a process that the text started itself.
const OWN_PROCESS: &str = "@job";

/// The characters at which bash splits, unless `IFS` is set.
pub(super) const DEFAULT_SEPARATORS: &str = " \t\n";

/// The most values remembered for a variable.
const MAX_VALUES: usize = 16;

/// Longest value that is remembered, in bytes: names of commands and paths are shorter.
const MAX_VALUE_BYTES: usize = 512;

/// Variables that the shell itself changes.
const MOVING_NAMES: &[&str] = &[
    "_",
    "RANDOM",
    "SRANDOM",
    "SECONDS",
    "LINENO",
    "BASHPID",
    "BASH_COMMAND",
    "BASH_SUBSHELL",
    "EPOCHSECONDS",
    "EPOCHREALTIME",
    "FUNCNAME",
    "GROUPS",
    "DIRSTACK",
    "HISTCMD",
    "PIPESTATUS",
    "UID",
    "EUID",
    "PPID",
    "OLDPWD",
    "PWD",
    "OPTIND",
    "OPTARG",
    "REPLY",
];

/// All values that a variable was given.
#[derive(Default)]
pub(super) struct ValueSet {
    values: Vec<Value>,
    /// Whether it may have others.
    more: bool,
}

/// A text that is known only if what is not modelled changes nothing: it is looked at, but counts as unknown.
pub(super) fn uncertain(value: Value) -> Value {
    match value.as_text() {
        Some((text, true)) if !text.is_empty() => {
            Value::part(format!("{text}{HOLE}")).tainted(value.all_taint())
        }
        Some((text, false)) if !text.is_empty() => value,
        _ => value.to_unknown(),
    }
}

impl ShellReader<'_, '_> {
    /// Remembers a value that a variable may have.
    fn remember(&mut self, name: &str, value: &Value) {
        if self.choices.len() >= 1024 && !self.choices.contains_key(name) {
            return;
        }
        let set = self.choices.entry(name.to_owned()).or_default();
        let short = value.as_whole_text().is_some_and(|text| text.len() <= MAX_VALUE_BYTES);
        if set.values.contains(value) {
            return;
        }
        if short && set.values.len() < MAX_VALUES {
            set.values.push(value.clone());
        } else {
            set.more = true;
        }
    }

    /// Notes that a variable may have values that are not remembered.
    pub(super) fn may_be_more(&mut self, name: &str) {
        self.remember(name, &Value::unknown());
    }

    /// Sets a variable, by an assignment or a program like `read`.
    pub(super) fn assign(&mut self, name: &str, value: Value) {
        if MOVING_NAMES.contains(&name) || self.converted.contains(name) {
            return self.forget(name);
        }
        self.remember(name, &value);
        self.several.remove(name);
        self.frames.bind(0, name, value, false);
    }

    /// Sets a variable to one of several values. Where it is read, the gravest stands for all.
    pub(super) fn assign_any(&mut self, name: &str, mut values: Vec<Value>) {
        for value in &values {
            self.remember(name, value);
        }
        let value = match values.len() {
            1 => values.remove(0),
            _ => {
                let set = self.choices.get(name);
                let all = set.is_some_and(|set| values.iter().all(|value| set.values.contains(value)));
                self.several.insert(name.to_owned(), all);
                gravest_in(&Value::list(values), self.scope)
            }
        };
        self.frames.bind(0, name, value, false);
    }

    /// The most dangerous of several values. The others then count as unknown.
    pub(super) fn gravest(&mut self, values: Vec<Value>) -> Value {
        let several = values.len() > 1;
        let value = gravest_in(&Value::list(values), self.scope);
        self.reading.unknown |= several && value.as_whole_text().is_some();
        value
    }

    /// The most dangerous of a variable's values; `None` if it has none or only one that is certain.
    fn one_of(&mut self, name: &str) -> Option<Value> {
        let set = self.choices.get(name).filter(|set| set.values.len() + usize::from(set.more) > 1)?;
        let mut values = set.values.clone();
        // Comparing the values takes time in proportion to their length.
        let bytes: usize = values.iter().map(|value| value.as_text().map_or(0, |(text, _)| text.len())).sum();
        if set.more {
            values.push(Value::unknown());
        }
        if !self.frames.pay(values.len() + bytes / 8) {
            return None;
        }
        Some(self.gravest(values))
    }

    /// A variable with several values in the first two words of a command, and these values.
    pub(super) fn alternatives(&mut self, node: Node<'_>) -> Option<(String, Vec<Value>)> {
        let words = named_children(node, 8)
            .into_iter()
            .filter(|n| !matches!(n.kind(), "variable_assignment" | "file_redirect"));
        for word in words.take(2) {
            let word = if word.kind() == "command_name" { word.named_child(0).unwrap_or(word) } else { word };
            let parts = if matches!(word.kind(), "string" | "concatenation") {
                named_children(word, 8)
            } else {
                vec![word]
            };
            for part in parts.into_iter().filter(|n| matches!(n.kind(), "simple_expansion" | "expansion")) {
                let name = part.named_child(0).map(|n| text(n, self.source)).unwrap_or_default();
                let Some(set) = self.choices.get(name) else { continue };
                let (mut values, more) = (set.values.clone(), set.more);
                let now = self.frames.lookup(0, name).filter(|now| now.as_whole_text().is_some());
                if more && !values.is_empty() && self.several.get(name) != Some(&true) {
                    let now = now.unwrap_or_else(Value::unknown);
                    values.extend((!values.contains(&now)).then_some(now));
                }
                if values.len() > 1 {
                    return Some((name.to_owned(), values));
                }
            }
        }
        None
    }

    /// Whether the text, or one around it, gives a variable a value.
    pub(super) fn is_assigned(&mut self, name: &str) -> bool {
        let chosen = self.chosen.as_ref().is_some_and(|(chosen, _)| chosen == name);
        let position = name.starts_with(|c: char| c.is_ascii_digit())
            && (self.positional.is_some() || self.changes.any(POSITIONS));
        chosen
            || position
            || self.outer.iter().any(|names| names.contains(name))
            || self.frames.lookup(0, name).is_some()
    }

    /// A variable: the value that the text gave it, or one that the system sets.
    pub(super) fn variable(&mut self, name: &str) -> Value {
        if let Some((chosen, value)) = &self.chosen
            && chosen == name
        {
            return value.clone();
        }
        if let Some(value) = self.position(name) {
            return value;
        }
        if let Some(value) = self.frames.lookup(0, name) {
            self.reading.unknown |= self.several.contains_key(name) && value.as_whole_text().is_some();
            return match value.kind {
                ValueKind::List(items) => items.into_iter().next().unwrap_or_else(Value::unknown),
                ValueKind::Unknown => self.one_of(name).map_or(value.clone(), |one| one.tainted(value.taint)),
                _ => value,
            };
        }
        match name {
            "HOME" => Value::text("~"),
            "PWD" => self.here(),
            "TMPDIR" => Value::text("/tmp"),
            "IFS" => Value::text(" "),
            // `$!` is the last job that this text started.
            "!" => Value::text(OWN_PROCESS),
            _ if path_class::secret_name(name) => Value::unknown().tainted(Taint::SECRET),
            _ => Value::unknown(),
        }
    }

    /// `$1` and the like, and `$@` and `$*` where they are one word; `None` if the text does not set them.
    fn position(&mut self, name: &str) -> Option<Value> {
        let all = self.positional.clone()?;
        if matches!(name, "@" | "*") {
            return Some(self.one_word(&all, name));
        }
        let at = name.parse::<usize>().ok().filter(|at| *at > 0)?;
        let value = all.get(at - 1).cloned().unwrap_or_else(|| Value::text(""));
        // A word that is not known may be several, or none.
        let before = all.get(..at - 1).unwrap_or(&all);
        Some(if before.iter().all(|word| word.as_whole_text().is_some()) { value } else { uncertain(value) })
    }

    /// What `@` or `*` makes of several words in a place for one.
    pub(super) fn one_word(&mut self, all: &[Value], sign: &str) -> Value {
        match all {
            [] => Value::text(""),
            [one] => one.clone(),
            _ if sign == "*" && self.separators().as_deref() == Some(DEFAULT_SEPARATORS) => {
                Value::join(all, " ")
            }
            _ => uncertain(Value::join(all, " ")),
        }
    }

    /// The working folder.
    pub(super) fn here(&self) -> Value {
        if !self.changes.any(FOLDER) {
            return Value::text(".");
        }
        match self.folder.as_ref().map(Value::as_whole_text) {
            // A relative path would mean another place after the next `cd`.
            None => Value::text(self.scope.cwd.to_string_lossy()),
            Some(Some(path)) if path.starts_with(['/', '~']) => Value::text(path),
            Some(_) => Value::unknown(),
        }
    }

    /// The characters at which bash splits an unquoted expansion; `None` if they are not known.
    pub(super) fn separators(&mut self) -> Option<String> {
        match self.frames.lookup(0, "IFS") {
            None => Some(DEFAULT_SEPARATORS.to_owned()),
            Some(signs) => signs.as_whole_text().map(str::to_owned),
        }
    }

    /// `set -- a b`: sets `$1` and `"$@"` from here on.
    pub(super) fn set_positions(&mut self, words: &[Argument]) {
        let mut at = 0;
        let starts = loop {
            let Some(word) = words.get(at) else { break None };
            let Some(option) = word.value.as_whole_text() else { break Some(at) };
            at += 1;
            match option {
                "--" => break Some(at),
                _ if !option.starts_with(['-', '+']) => break Some(at - 1),
                "-" => break (at < words.len()).then_some(at),
                _ => at += usize::from(option.ends_with('o')),
            }
        };
        if let Some(from) = starts {
            self.positional = Some(words.iter().skip(from).map(|word| word.value.clone()).collect());
        }
    }

    /// `shift`: drops the first of `$1`, `$2` …
    pub(super) fn shift(&mut self, words: &[Argument]) {
        let count = match words {
            [] => Some(1),
            [count] => count.value.as_whole_text().and_then(|count| count.parse().ok()),
            _ => None,
        };
        let all = self.positional.take().filter(|all| all.iter().all(|word| word.as_whole_text().is_some()));
        self.positional = all.zip(count).and_then(|(all, count)| all.get(count..).map(<[Value]>::to_vec));
    }
}
