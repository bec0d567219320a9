//! Shows the configuration as text: current values and their origins, the JSON schema of all settings, and a first
//! file.

use super::layers::dotted;
use super::load::LoadedConfig;
use super::schema::Config;
use super::setting_values::display_size;
use super::settings::table::SETTINGS;
use super::settings::{Setting, SettingForm};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The example file: every setting with its default and an explanation.
pub(crate) fn init() -> &'static str {
    include_str!("../../config.example.toml")
}

/// Lists every value and its origin, one per line. Values that may hold keys are hidden.
pub(crate) fn show(loaded: &LoadedConfig) -> String {
    let mut lines: Vec<(String, String)> = Vec::new();
    collect_leaves(&loaded.whole, &mut Vec::new(), &mut lines);
    let width =
        lines.iter().map(|(name, value)| name.len() + value.chars().count() + 3).filter(|w| *w <= 60).max();
    let mut text = String::new();
    for (name, value) in lines {
        let line = format!("{name} = {value}");
        let origin = loaded.origins.of(&name);
        // Writing to a string can't fail.
        writeln!(text, "{line:<width$}  # {origin}", width = width.unwrap_or(0)).ok();
    }
    text
}

fn collect_leaves(table: &toml::Table, name: &mut Vec<String>, lines: &mut Vec<(String, String)>) {
    for (key, value) in table {
        name.push(key.clone());
        if let toml::Value::Table(inner) = value {
            collect_leaves(inner, name, lines);
        } else {
            let secret = name.iter().any(|part| part == "headers" || part == "query")
                || value.as_str().is_some_and(|text| text.contains("://") && text.contains(['@', '?']));
            let shown = if secret { "(hidden)".to_owned() } else { value.to_string() };
            lines.push((dotted(name), shown));
        }
        name.pop();
    }
}

/// The JSON schema of the configuration, for editors.
pub(crate) fn schema_json() -> String {
    let defaults = serde_json::to_value(Config::default()).unwrap_or_default();
    let mut root = object();
    for setting in SETTINGS {
        let parts: Vec<&str> = setting.name.split('.').collect();
        insert_setting(&mut root, &parts, setting, Some(&defaults));
    }
    root["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    root["title"] = "Configuration of sayso".into();
    let mut text = serde_json::to_string_pretty(&root).unwrap_or_default();
    text.push('\n');
    text
}

fn object() -> Value {
    json!({ "type": "object", "additionalProperties": false })
}

/// Inserts a setting into the schema of its table.
fn insert_setting(into: &mut Value, parts: &[&str], setting: &Setting, default: Option<&Value>) {
    let Some((first, rest)) = parts.split_first() else { return };
    let default = default.and_then(|value| value.get(*first)).filter(|value| !value.is_null());
    let slot = match *first {
        "*" => &mut into["additionalProperties"],
        name => &mut into["properties"][name],
    };
    if rest.is_empty() {
        *slot = form(setting.form);
        slot["description"] = setting.help.into();
        if let Some(default) = default {
            slot["default"] = default.clone();
        }
    } else if *first == "theme" {
        theme(slot, rest, setting);
    } else {
        if !slot.is_object() {
            *slot = object();
        }
        insert_setting(slot, rest, setting, default);
    }
}

/// Inserts a part of a theme, which is a name or a pair.
fn theme(slot: &mut Value, rest: &[&str], setting: &Setting) {
    let Value::Object(map) = slot else { return };
    let kinds = map.entry("oneOf").or_insert_with(|| json!([{ "type": "string" }, object()]));
    if let Some(pair) = kinds.get_mut(1) {
        insert_setting(pair, rest, setting, None);
    }
    map.remove("type");
    map.remove("minLength");
}

fn texts() -> Value {
    json!({ "type": "array", "items": { "type": "string", "minLength": 1 } })
}

fn form(form: SettingForm) -> Value {
    match form {
        SettingForm::Executor => {
            json!({ "type": "string", "pattern": "^(local|(container|jupyter)(:.+)?)$" })
        }
        SettingForm::Text | SettingForm::Program | SettingForm::Folder => {
            json!({ "type": "string", "minLength": 1 })
        }
        SettingForm::Words(words) => json!({ "enum": words }),
        SettingForm::Flag => json!({ "type": "boolean" }),
        SettingForm::Whole(min, max) => json!({ "type": "integer", "minimum": min, "maximum": max }),
        SettingForm::Limit(min, max) => {
            json!({ "anyOf": [{ "const": 0 }, { "type": "integer", "minimum": min, "maximum": max }] })
        }
        SettingForm::Bytes(min, max) => json!({
            "anyOf": [
                { "type": "integer", "minimum": min, "maximum": max },
                { "type": "string", "pattern": "^[0-9]+ ?(B|KiB|MiB|GiB|TiB)?$" },
            ],
            "examples": [display_size(max)],
        }),
        SettingForm::Dollars(most) => json!({ "type": "number", "minimum": 0, "maximum": most }),
        SettingForm::Texts => texts(),
        SettingForm::TextOrTexts => json!({ "anyOf": [{ "type": "string", "minLength": 1 }, texts()] }),
        SettingForm::Paths => json!({ "type": "array", "items": { "type": "string", "pattern": "^(/|~)" } }),
        SettingForm::Address => json!({ "type": "string", "pattern": "^https?://" }),
    }
}
