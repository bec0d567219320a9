//! Merges the layers: defaults, the person's file, the project's file, the environment, command line options.
//!
//! A later layer wins, setting by setting, and each value knows where it came from. Pure: texts in, values out.

use super::error::{ConfigError, InvalidSetting, is_harmless};
use super::executors::ExecutorChoice;
use super::origin::usual_scheme;
use super::settings::{self, Setting, SettingForm};
use crate::text::near::nearest;
use crate::text::number::whole_size;
use crate::text::position::line_of;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Value;
use toml::de::{DeTable, DeValue};

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
}

/// One value of a layer.
#[derive(Clone, Debug)]
pub(super) struct FoundSetting {
    pub(super) name: Vec<String>,
    pub(super) value: Value,
    pub(super) line: usize,
}

/// The name of a setting with dots.
pub(super) fn dotted(name: &[String]) -> String {
    let plain = |part: &String| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    };
    let parts: Vec<String> = name
        .iter()
        .map(|part| {
            if plain(part) {
                part.clone()
            } else {
                format!("{:?}", part.chars().filter(|c| is_harmless(*c)).collect::<String>())
            }
        })
        .collect();
    parts.join(".")
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
                    Ok(value) => {
                        let line = line_of(self.source, key_span.start);
                        self.found.push(FoundSetting { name: name.clone(), value, line });
                    }
                    Err(why) => self.add_error(name, value_span, why.to_string()),
                },
                (None, None) if !settings::names_below(name).is_empty() => {
                    self.add_error(
                        name,
                        value_span,
                        format!("has to be a table, not {}", article(inner.type_str())),
                    );
                }
                // An empty table with a name that the person chose still defines that name.
                (_, Some(inner)) if inner.is_empty() && settings::has_user_name(name) => {
                    let line = line_of(self.source, key_span.start);
                    self.found.push(FoundSetting {
                        name: name.clone(),
                        value: Value::Table(toml::Table::new()),
                        line,
                    });
                }
                (_, Some(inner)) if !settings::names_below(name).is_empty() => self.read_table(inner, name),
                (Some(setting), Some(_)) => {
                    self.add_error(
                        name,
                        value_span,
                        format!("has to be {}, not a table", describe_form(setting.form)),
                    );
                }
                (None, _) => {
                    let expected = settings::names_below(name.get(..name.len() - 1).unwrap_or_default());
                    self.add_error(name, key_span, unknown(key.get_ref(), &expected));
                }
            }
            name.pop();
        }
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

/// Why a setting does not accept a value.
#[derive(Debug, thiserror::Error)]
pub(super) enum UnfitError {
    #[error("the number {0} is too large")]
    Large(String),
    #[error("is {shown}, but has to be {}{hint}", describe_form(*.form))]
    Form {
        shown: String,
        form: SettingForm,
        /// How to write it correctly, if that is clear.
        hint: String,
    },
}

/// Converts a value to one without positions.
fn convert(value: &DeValue<'_>) -> Result<Value, UnfitError> {
    Ok(match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(flag) => Value::Boolean(*flag),
        DeValue::Integer(number) => {
            let digits = number.as_str().replace('_', "");
            i64::from_str_radix(&digits, number.radix())
                .map(Value::Integer)
                .map_err(|_| UnfitError::Large(digits))?
        }
        DeValue::Array(items) => {
            Value::Array(items.iter().map(|item| convert(item.get_ref())).collect::<Result<_, _>>()?)
        }
        // Only amounts of dollars may be floats, and no setting takes a date or a table: `check` reports those.
        DeValue::Float(number) => Value::Float(number.as_str().replace('_', "").parse().unwrap_or(f64::NAN)),
        DeValue::Datetime(time) => Value::Datetime(*time),
        DeValue::Table(_) => Value::Table(toml::Table::new()),
    })
}

/// Describes the values that a form allows.
pub(super) fn describe_form(form: SettingForm) -> String {
    match form {
        SettingForm::Text => "a text that is not empty".into(),
        SettingForm::Words(words) => format!("one of {}", words.join(", ")),
        SettingForm::Flag => "true or false".into(),
        SettingForm::Whole(min, max) => format!("a whole number from {min} to {max}"),
        SettingForm::Limit(min, max) => format!("a whole number from {min} to {max}, or 0 for no limit"),
        SettingForm::Bytes(min, max) => {
            format!(
                "a size from {} to {} (bytes, or a text like \"64 KiB\")",
                display_size(min),
                display_size(max)
            )
        }
        SettingForm::Dollars(most) => format!("an amount of dollars from 0 to {most}"),
        SettingForm::Paths => "a list of paths, each absolute or beginning with ~/".into(),
        SettingForm::Texts => "a list of texts".into(),
        SettingForm::TextOrTexts => "a text that is not empty, or a list of such".into(),
        SettingForm::Folder => "an absolute path, or one that begins with ~/".into(),
        SettingForm::Program => "the name or path of a program".into(),
        SettingForm::Address => "an address that begins with http:// or https://".into(),
        SettingForm::Executor => "local, container, container:IMAGE, jupyter or jupyter:KERNEL".into(),
    }
}

const UNITS: [(&str, i64); 4] = [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];

/// A number of bytes for people.
pub(super) fn display_size(bytes: i64) -> String {
    whole_size(u64::try_from(bytes).unwrap_or_default())
}

fn parse_size(text: &str) -> Option<i64> {
    let text = text.trim();
    let (number, unit) = UNITS
        .into_iter()
        .find_map(|(word, unit)| Some((text.strip_suffix(word)?, unit)))
        .unwrap_or((text.strip_suffix('B').unwrap_or(text), 1));
    number.trim().parse::<i64>().ok()?.checked_mul(unit)
}

/// Checks a value against its setting and returns it in the form that the program uses.
pub(super) fn check(setting: &Setting, value: Value) -> Result<Value, UnfitError> {
    let refuse = |value: &Value| UnfitError::Form {
        shown: display_value(value),
        form: setting.form,
        hint: String::new(),
    };
    let within = |n: i64, min: i64, max: i64| (min..=max).contains(&n);
    let good = match (setting.form, &value) {
        (SettingForm::Text | SettingForm::Program | SettingForm::TextOrTexts, Value::String(text)) => {
            is_text(text)
        }
        (SettingForm::Words(words), Value::String(text)) => words.contains(&text.as_str()),
        (SettingForm::Flag, Value::Boolean(_)) => true,
        (SettingForm::Whole(min, max), Value::Integer(n)) => within(*n, min, max),
        (SettingForm::Limit(min, max), Value::Integer(n)) => *n == 0 || within(*n, min, max),
        (SettingForm::Bytes(min, max), Value::Integer(n)) => within(*n, min, max),
        (SettingForm::Bytes(min, max), Value::String(text)) => {
            let bytes = parse_size(text).filter(|n| within(*n, min, max));
            return bytes.map(Value::Integer).ok_or_else(|| refuse(&value));
        }
        (SettingForm::Texts, Value::Array(items)) => {
            items.iter().all(|item| item.as_str().is_some_and(|t| !t.is_empty()))
        }
        (SettingForm::TextOrTexts, Value::Array(items)) => {
            !items.is_empty() && items.iter().all(|item| item.as_str().is_some_and(is_text))
        }
        (SettingForm::Dollars(most), Value::Integer(n)) if within(*n, 0, most) => {
            return Ok(Value::Float(*n as f64));
        }
        (SettingForm::Dollars(most), Value::Float(n)) => (0.0..=most as f64).contains(n),
        (SettingForm::Paths, Value::Array(items)) => {
            items.iter().all(|item| item.as_str().is_some_and(is_path))
        }
        (SettingForm::Folder, Value::String(text)) => is_path(text),
        (SettingForm::Executor, Value::String(text)) => text.parse::<ExecutorChoice>().is_ok(),
        (SettingForm::Address, Value::String(text)) => return check_address(text).map(|()| value.clone()),
        _ => false,
    };
    if good { Ok(value) } else { Err(refuse(&value)) }
}

fn is_path(text: &str) -> bool {
    (text.starts_with('/') || text.starts_with("~/") || text == "~") && !text.contains('\0')
}

fn is_text(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains('\0')
}

/// Checks an address; the error says how to write it and does not repeat a password.
fn check_address(text: &str) -> Result<(), UnfitError> {
    let lower = text.trim().to_ascii_lowercase();
    let rest = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://"));
    let whole =
        |rest: &str| !rest.is_empty() && !rest.starts_with('/') && !rest.contains(char::is_whitespace);
    if rest.is_some_and(whole) {
        return Ok(());
    }
    let given = text.rsplit_once('@').map_or_else(|| text.to_owned(), |(_, host)| format!("…@{host}"));
    let shown = display_value(&Value::String(given.clone()));
    let plain = !given.is_empty() && !given.contains("//") && !given.contains(char::is_whitespace);
    let hint = if plain && !text.contains('@') {
        let scheme = usual_scheme(&given);
        format!(
            "; write {scheme}://{}",
            given.chars().filter(|c| is_harmless(*c)).take(80).collect::<String>()
        )
    } else {
        String::new()
    };
    Err(UnfitError::Form { shown, form: SettingForm::Address, hint })
}

/// A value as messages show it: short, without control characters.
pub(super) fn display_value(value: &Value) -> String {
    let text = match value {
        Value::Table(_) => "a table".to_owned(),
        Value::String(text) if text.is_empty() => "empty".to_owned(),
        other => other.to_string(),
    };
    text.chars().filter(|c| is_harmless(*c)).take(80).collect()
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
pub(super) fn get<'t>(table: &'t toml::Table, name: &[String]) -> Option<&'t Value> {
    let (first, rest) = name.split_first()?;
    let value = table.get(first)?;
    if rest.is_empty() { Some(value) } else { get(value.as_table()?, rest) }
}
