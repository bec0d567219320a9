//! Finds the calls in a JSON value, in the shapes that models print.

use super::PrintedCall;
use crate::engine::reply::call;
use serde_json::{Map, Value};

const NAME_KEYS: [&str; 6] = ["name", "tool", "tool_name", "function", "action", "recipient_name"];
const ARGUMENT_KEYS: [&str; 7] =
    ["arguments", "parameters", "args", "input", "action_input", "tool_input", "params"];

/// The calls in a JSON value; none if it contains anything else.
pub(super) fn of_value(value: &Value) -> Vec<PrintedCall> {
    match value {
        Value::Array(items) => {
            let calls: Vec<Vec<PrintedCall>> = items.iter().map(of_value).collect();
            if calls.iter().any(Vec::is_empty) { Vec::new() } else { calls.into_iter().flatten().collect() }
        }
        Value::Object(fields) => of_object(fields),
        _ => Vec::new(),
    }
}

fn of_object(fields: &Map<String, Value>) -> Vec<PrintedCall> {
    if let Some(Value::Array(calls)) = fields.get("tool_calls") {
        return of_value(&Value::Array(calls.clone()));
    }
    for wrapper in ["function", "function_call", "tool_call"] {
        if let Some(Value::Object(inner)) = fields.get(wrapper) {
            return of_object(inner);
        }
    }
    let named =
        NAME_KEYS.iter().find_map(|key| fields.get(*key).and_then(Value::as_str).map(|name| (key, name)));
    let Some((key, name)) = named.filter(|(_, name)| call::is_known(name)) else { return Vec::new() };
    let arguments = match ARGUMENT_KEYS.iter().find_map(|key| fields.get(*key)) {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        // The arguments are the fields beside the name.
        None => {
            let rest = fields.iter().filter(|(k, _)| k != key).map(|(k, v)| (k.clone(), v.clone()));
            Value::Object(rest.collect()).to_string()
        }
    };
    vec![PrintedCall { name: name.to_owned(), arguments }]
}

/// The call of an object that is cut off inside of its arguments.
pub(super) fn cut_call(fields: &Map<String, Value>, text: &str) -> Option<PrintedCall> {
    let name =
        NAME_KEYS.iter().find_map(|key| fields.get(*key)?.as_str()).filter(|name| call::is_known(name))?;
    let at = ARGUMENT_KEYS.iter().find_map(|key| {
        let marked = format!("\"{key}\"");
        let behind = text.get(text.find(&marked)? + marked.len()..)?;
        behind.trim_start().strip_prefix(':').map(str::trim_start)
    })?;
    at.starts_with('{').then(|| PrintedCall::new(name, at))
}
