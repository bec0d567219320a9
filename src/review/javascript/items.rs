//! Gives the results of JavaScript functions on lists and objects.

use crate::review::items::{in_any_order, key_of};
use crate::review::value::{Act, Taint, Value, ValueKind};
use std::collections::HashMap;

/// Longest list or object that a function gives.
const MAX_ITEMS: usize = 256;

/// The results of methods of a list.
pub(super) fn result_of_lists(act: &Act) -> Option<Value> {
    let receiver = act.receiver.as_ref()?;
    let ValueKind::List(items) = &receiver.kind else { return None };
    let is_text = |item: &Value| matches!(item.kind, ValueKind::Text { whole: true, .. });
    let first = act.value(0);
    Some(match act.name.as_str() {
        "array.slice" => slice(act, items).unwrap_or_else(|| in_any_order(items)).tainted(receiver.taint),
        "array.filter" => {
            let by_truth = first.and_then(Value::as_name) == Some("Boolean");
            let is_true = |item: &Value| is_text(item) && item.as_whole_text() != Some("");
            if by_truth && items.iter().all(is_true) {
                receiver.clone()
            } else {
                in_any_order(items).tainted(receiver.taint)
            }
        }
        "array.sort" if first.is_none() && items.iter().all(is_text) => {
            let mut items = items.clone();
            items.sort_by(|left, right| left.as_whole_text().cmp(&right.as_whole_text()));
            Value::list(items).tainted(receiver.taint)
        }
        "array.sort" => in_any_order(items).tainted(receiver.taint),
        "array.toString" => Value::join(items, ","),
        "array.join" => Value::join(items, first.and_then(Value::as_whole_text).unwrap_or(",")),
        "array.reverse" => Value::list(items.iter().rev().cloned().collect()),
        "array.concat" => {
            let mut items = items.clone();
            for argument in &act.arguments {
                match &argument.value.kind {
                    ValueKind::List(more) => items.extend(more.iter().cloned()),
                    _ => items.push(argument.value.clone()),
                }
            }
            items.truncate(MAX_ITEMS);
            Value::list(items)
        }
        _ => return None,
    })
}

/// The items of a list from a position up to another one; `None` if these are not known.
fn slice(act: &Act, items: &[Value]) -> Option<Value> {
    // An unknown item may stand for several.
    if items.iter().any(|item| item.kind == ValueKind::Unknown) {
        return None;
    }
    let position = |at: usize, otherwise: usize| match act.arguments.get(at).map(|a| &a.value.kind) {
        None => Some(otherwise),
        Some(ValueKind::Number(n)) => {
            let distance = usize::try_from(n.unsigned_abs()).unwrap_or(usize::MAX);
            let at = if *n < 0 { items.len().saturating_sub(distance) } else { distance };
            Some(at.min(items.len()))
        }
        Some(_) => None,
    };
    let (start, end) = (position(0, 0)?, position(1, items.len())?);
    Some(Value::list(items.get(start..end).unwrap_or_default().to_vec()))
}

/// The results of functions on objects.
pub(super) fn result_of_objects(act: &Act) -> Option<Value> {
    let first = act.value(0);
    Some(match act.name.as_str() {
        "Object.values" => Value::list(first?.as_map()?.iter().map(|(_, v)| v.clone()).collect()),
        "Object.entries" => {
            let row = |(k, v): &(String, Value)| Value::list(vec![key_of(k), v.clone()]);
            Value::list(first?.as_map()?.iter().map(row).collect())
        }
        "Object.assign" => assigned(&act.values().collect::<Vec<_>>()),
        _ => return None,
    })
}

/// What `Object.assign` makes of its first argument: it gets the members of the others.
pub(super) fn assigned(given: &[Value]) -> Value {
    let taint = given.iter().fold(Taint::default(), |all, value| all.with(value.all_taint()));
    let mut members: HashMap<&str, (usize, &Value)> = HashMap::new();
    for value in given {
        let Some(more) = value.as_map() else { return Value::unknown().tainted(taint) };
        for (key, held) in more {
            let place = members.len();
            members.entry(key.as_str()).and_modify(|member| member.1 = held).or_insert((place, held));
        }
        if members.len() > MAX_ITEMS {
            return Value::unknown().tainted(taint);
        }
    }
    let mut members: Vec<(&str, (usize, &Value))> = members.into_iter().collect();
    members.sort_by_key(|(_, (place, _))| *place);
    let members = members.into_iter().map(|(key, (_, held))| (key.to_owned(), held.clone())).collect();
    Value::map(members).tainted(given.iter().fold(Taint::default(), |t, v| t.with(v.taint)))
}
