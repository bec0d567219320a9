//! Checks the value of a setting against its form, and tells people forms and values. Pure.

use super::error::is_harmless;
use super::executors::ExecutorChoice;
use super::origin::usual_scheme;
use super::settings::{Setting, SettingForm};
use crate::text::number::whole_size;
use toml::Value;
use toml::de::DeValue;

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
pub(super) fn convert(value: &DeValue<'_>) -> Result<Value, UnfitError> {
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
        SettingForm::Texts => "a list of texts that are not empty".into(),
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
    let all = |items: &[Value], is: fn(&str) -> bool| items.iter().all(|item| item.as_str().is_some_and(is));
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
        (SettingForm::Texts, Value::Array(items)) => all(items, |text| !text.is_empty()),
        (SettingForm::TextOrTexts, Value::Array(items)) => !items.is_empty() && all(items, is_text),
        (SettingForm::Dollars(most), Value::Integer(n)) if within(*n, 0, most) => {
            return Ok(Value::Float(*n as f64));
        }
        (SettingForm::Dollars(most), Value::Float(n)) => (0.0..=most as f64).contains(n),
        (SettingForm::Paths, Value::Array(items)) => all(items, is_path),
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
