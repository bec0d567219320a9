//! Merges the layers: defaults, the person's file, the project's file, the environment, command line options.
//!
//! A later layer wins, setting by setting, and each value knows where it came from. Pure: texts in, values out.

use super::error::{ConfigError, InvalidSetting, is_harmless};
use super::setting_values::{check, convert, describe_form};
use super::settings;
use crate::text::near::nearest;
use crate::text::position::line_of;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Value;
use toml::de::DeTable;

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The default value.
    Default,
    /// A file, the person's or the project's, and the line.
    File(PathBuf, usize),
    /// An environment variable.
    Environment(String),
    /// An option of the command line.
    Flag(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File(path, line) => write!(f, "{}:{line}", path.display()),
            Origin::Environment(name) => write!(f, "environment {name}"),
            Origin::Flag(name) => f.write_str(name),
        }
    }
}

/// Where each value came from; a setting that is not in the map has its default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origins(pub(super) BTreeMap<String, Origin>);

impl Origins {
    /// The origin of a setting, by its dotted name (`review.arm_ms`).
    pub(crate) fn of(&self, name: &str) -> &Origin {
        self.0.get(name).unwrap_or(&Origin::Default)
    }

    /// The origin of a setting, or of the first one below it; `None`: all of it is by default.
    pub(super) fn of_whole(&self, name: &str) -> Option<&Origin> {
        let below = format!("{name}.");
        let first = self.0.range(below.clone()..).next().filter(|(name, _)| name.starts_with(&below));
        self.0.get(name).or(first.map(|(_, origin)| origin))
    }
}

/// One value of a layer.
#[derive(Clone, Debug)]
pub(super) struct FoundSetting {
    pub(super) name: Vec<String>,
    pub(super) value: Value,
    pub(super) line: usize,
}

/// The name of a setting with dots.
pub(super) fn dotted(name: &[impl AsRef<str>]) -> String {
    let plain = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    };
    let quoted = |part: &str| format!("{:?}", part.chars().filter(|c| is_harmless(*c)).collect::<String>());
    let shown = |part: &str| if plain(part) { part.to_owned() } else { quoted(part) };
    name.iter().map(|part| shown(part.as_ref())).collect::<Vec<_>>().join(".")
}

/// An error in a file: its setting, its place and a message.
pub(super) struct SettingError {
    pub(super) name: Vec<String>,
    pub(super) span: Range<usize>,
    pub(super) message: String,
}

impl SettingError {
    pub(super) fn in_file(self, path: &Path, source: &str) -> ConfigError {
        ConfigError::Invalid(Box::new(InvalidSetting::at(
            path,
            source,
            self.span,
            dotted(&self.name),
            self.message,
        )))
    }
}

/// Reads the values of a file and collects its errors; an error does not keep the rest from being read.
pub(super) fn read(path: &Path, source: &str) -> Result<(Vec<FoundSetting>, Vec<SettingError>), ConfigError> {
    let table = DeTable::parse(source).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        let message = error.message().trim().replace('\n', ", ");
        ConfigError::Invalid(Box::new(InvalidSetting::at(path, source, span, String::new(), message)))
    })?;
    let mut walk = LayerWalk { source, found: Vec::new(), wrong: Vec::new() };
    walk.read_table(table.get_ref(), &mut Vec::new());
    Ok((walk.found, walk.wrong))
}

/// Where a file names the last part of a setting.
pub(super) fn key_span(source: &str, name: &[String]) -> Range<usize> {
    let Ok(table) = DeTable::parse(source) else { return 0..0 };
    let (mut table, mut span) = (Some(table.get_ref()), 0..0);
    for part in name {
        let Some((key, value)) = table.and_then(|table| table.get_key_value(part.as_str())) else { break };
        (table, span) = (value.get_ref().as_table(), key.span());
    }
    span
}

struct LayerWalk<'a> {
    source: &'a str,
    found: Vec<FoundSetting>,
    wrong: Vec<SettingError>,
}

impl LayerWalk<'_> {
    fn read_table(&mut self, table: &DeTable<'_>, name: &mut Vec<String>) {
        for (key, value) in table {
            name.push(key.get_ref().to_string());
            let (key_span, value_span) = (key.span(), value.span());
            let inner = value.get_ref();
            match (settings::find(name), inner.as_table()) {
                (Some(setting), None) => match convert(inner).and_then(|value| check(setting, value)) {
                    Ok(value) => self.add_found(name, value, key_span.start),
                    Err(why) => self.add_error(name, value_span, why.to_string()),
                },
                (None, None) if !settings::names_below(name).is_empty() => {
                    let message = format!("has to be a table, not {}", article(inner.type_str()));
                    self.add_error(name, value_span, message);
                }
                // An empty table with a name that the person chose still defines that name.
                (_, Some(inner)) if inner.is_empty() && settings::has_user_name(name) => {
                    self.add_found(name, Value::Table(toml::Table::new()), key_span.start);
                }
                (_, Some(inner)) if !settings::names_below(name).is_empty() => self.read_table(inner, name),
                (Some(setting), Some(_)) => {
                    let message = format!("has to be {}, not a table", describe_form(setting.form));
                    self.add_error(name, value_span, message);
                }
                (None, _) => {
                    let expected = settings::names_below(name.get(..name.len() - 1).unwrap_or_default());
                    self.add_error(name, key_span, unknown(key.get_ref(), &expected));
                }
            }
            name.pop();
        }
    }

    fn add_found(&mut self, name: &[String], value: Value, at: usize) {
        self.found.push(FoundSetting { name: name.to_vec(), value, line: line_of(self.source, at) });
    }

    fn add_error(&mut self, name: &[String], span: Range<usize>, message: String) {
        self.wrong.push(SettingError { name: name.to_vec(), span, message });
    }
}

fn unknown(key: &str, expected: &[&str]) -> String {
    if key == "autofocus" {
        return "autofocus is gone: the focus never moves by itself. Remove the line".into();
    }
    let shown: String = key.chars().filter(|c| is_harmless(*c)).take(60).collect();
    let near = nearest(key, expected.iter().copied());
    let hint = near.map_or_else(String::new, |name| format!(" (did you mean {name}?)"));
    format!("unknown key {shown}{hint}, expected one of {}", expected.join(", "))
}

fn article(kind: &str) -> String {
    let an = kind.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {kind}", if an { "an" } else { "a" })
}

/// Inserts a value into the merged table.
pub(super) fn insert(table: &mut toml::Table, name: &[String], value: Value) {
    let Some((first, rest)) = name.split_first() else { return };
    if rest.is_empty() {
        // An empty table does not remove what an earlier layer set below that name.
        let says_nothing = value.as_table().is_some_and(toml::Table::is_empty);
        if !(says_nothing && table.get(first).is_some_and(Value::is_table)) {
            table.insert(first.clone(), value);
        }
        return;
    }
    let entry = table.entry(first.clone()).or_insert_with(|| Value::Table(toml::Table::new()));
    if !entry.is_table() {
        // A pair of themes replaces a single name.
        *entry = Value::Table(toml::Table::new());
    }
    if let Value::Table(inner) = entry {
        insert(inner, rest, value);
    }
}

/// The value of a setting in the merged table.
pub(super) fn get<'t>(table: &'t toml::Table, name: &[impl AsRef<str>]) -> Option<&'t Value> {
    let (first, rest) = name.split_first()?;
    let value = table.get(first.as_ref())?;
    if rest.is_empty() { Some(value) } else { get(value.as_table()?, rest) }
}
