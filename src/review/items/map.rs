//! What methods and assignments make of maps.

use super::{UNKNOWN_KEY, key_of, with_item};
use crate::review::value::{Value, ValueKind};

/// The largest map that is followed while it grows.
const MAX_GROWING_MAP: usize = 256;

/// A Python dictionary after one of its methods; other values stay as they are.
pub(in crate::review) fn after_dict_method(
    held: &Value,
    method: &str,
    given: &[Value],
    named: &[(String, Value)],
) -> Value {
    let items = match &held.kind {
        ValueKind::Map(items) => items,
        ValueKind::Unknown => {
            let named = Value::map(named.to_vec()).all_taint();
            return held.clone().tainted(Value::list(given.to_vec()).all_taint()).tainted(named);
        }
        _ => return held.clone(),
    };
    let nothing = Value::new(ValueKind::Nothing);
    let changed = match (method, given) {
        ("update", _) => {
            let mut held = held.clone();
            let named = Value::map(named.to_vec());
            for more in given.iter().chain([&named]) {
                held = more.each(|more| held.each(|held| merged(held, more)));
            }
            held
        }
        ("setdefault", [key, ..]) if items.iter().any(|(k, _)| Some(k.as_str()) == key.as_whole_text()) => {
            return held.clone();
        }
        ("setdefault", [key]) => with_entry(items, key, &nothing),
        ("setdefault", [key, value, ..]) => with_entry(items, key, value),
        ("pop", [key, ..]) if key.as_whole_text().is_some() => {
            let others = items.iter().filter(|(k, _)| Some(k.as_str()) != key.as_whole_text());
            Value::map(others.cloned().collect())
        }
        ("pop" | "popitem", _) => Value::any([held.clone(), Value::unknown()]),
        ("clear", _) => Value::map(Vec::new()),
        _ => return held.clone(),
    };
    changed.each(|changed| changed.clone().tainted(held.taint))
}

/// A map with one more item, in the place of one of the same key.
pub(super) fn with_entry(items: &[(String, Value)], key: &Value, value: &Value) -> Value {
    let key = key.as_whole_text().unwrap_or(UNKNOWN_KEY);
    let replaced = |(k, held): &&(String, Value)| k == key && (key != UNKNOWN_KEY || held == value);
    let mut changed: Vec<_> = items.iter().filter(|item| !replaced(item)).cloned().collect();
    changed.push((key.to_owned(), value.clone()));
    let is_too_large = changed.len() > MAX_GROWING_MAP && changed.len() > items.len();
    let changed = Value::map(changed);
    if is_too_large { changed.to_unknown() } else { changed }
}

/// A map with the items of another one.
fn merged(held: &Value, more: &Value) -> Value {
    let ValueKind::Map(_) = &held.kind else { return held.clone().tainted(more.all_taint()) };
    let ValueKind::Map(items) = &more.kind else {
        return with_item(held, &Value::unknown(), &more.to_unknown());
    };
    items.iter().fold(held.clone(), |held, (key, value)| with_item(&held, &key_of(key), value))
}
