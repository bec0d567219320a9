//! The items of lists and maps: which one an index means, and what methods and assignments make of them.
//!
//! The order of a list stays known as far as the code tells it, because the words of a command lie in lists.

use super::flow::element;
use super::value::{Value, ValueKind};

/// The longest list that is followed while it grows.
const MAX_GROWING_LIST: usize = 32;

/// The largest map that is followed while it grows.
const MAX_GROWING_MAP: usize = 64;

/// The longest list whose items are followed once their order is lost.
const MAX_MIXED: usize = 12;

/// The most lists that a name may hold one of while they change.
const MAX_CHOICES: usize = 8;

/// Stands for a key that is known only at run time.
const UNKNOWN_KEY: &str = "?";

/// The position that an index means; a negative one counts from the end.
pub(super) fn position(length: usize, index: i64) -> Option<usize> {
    if index < 0 {
        length.checked_add_signed(isize::try_from(index).ok()?)
    } else {
        usize::try_from(index).ok()
    }
}

/// The key of an item of a map, as a value.
pub(super) fn key_of(spelled: &str) -> Value {
    if spelled == UNKNOWN_KEY { Value::unknown() } else { Value::text(spelled) }
}

/// The value of the target at `index` when a value is unpacked into several names.
pub(super) fn spread(value: &Value, index: usize) -> Value {
    match &value.kind {
        ValueKind::List(items) => items.get(index).cloned().unwrap_or_else(Value::unknown),
        ValueKind::Any(items) => Value::any(items.iter().map(|item| spread(item, index))),
        _ => Value::unknown().tainted(element(value).all_taint()),
    }
}

/// The values that a value may be.
pub(super) fn values(value: &Value) -> &[Value] {
    match &value.kind {
        ValueKind::Any(items) => items,
        _ => std::slice::from_ref(value),
    }
}

/// Whether a value is a list, whichever of its values it has.
pub(super) fn is_list(value: &Value) -> bool {
    values(value).iter().all(|value| matches!(value.kind, ValueKind::List(_)))
}

/// Whether a value may be so many lists that only what they have in common is followed.
pub(super) fn may_be_many_lists(value: &Value) -> bool {
    values(value).len() > MAX_CHOICES && is_list(value)
}

/// What is known of a value that may be something else too. If it may be several lists, they begin with the same items,
/// and anything follows.
pub(super) fn in_common(value: &Value) -> Value {
    let rest = Value::unknown().tainted(value.all_taint());
    let lists: Vec<&[Value]> = values(value).iter().map_while(items_in).collect();
    let first = lists.first().copied().unwrap_or_default();
    let is_same = |at: &usize| lists.iter().all(|list| list.get(*at) == first.get(*at));
    let mut start: Vec<Value> =
        (0..first.len()).take_while(is_same).filter_map(|at| first.get(at).cloned()).collect();
    if start.is_empty() || lists.len() < 2 || !is_list(value) {
        return rest;
    }
    start.push(rest);
    list(start)
}

fn items_in(value: &Value) -> Option<&[Value]> {
    match &value.kind {
        ValueKind::List(items) => Some(items),
        _ => None,
    }
}

/// A list or map after `held[index] = value`.
pub(super) fn with_item(held: &Value, index: &Value, value: &Value) -> Value {
    let same = |kind: ValueKind| Value { kind, taint: held.taint };
    match (&held.kind, &index.kind) {
        (ValueKind::Map(items), _) => with_entry(items, index, value).tainted(held.taint),
        (ValueKind::List(items), ValueKind::Number(at)) => {
            let mut items = items.clone();
            match position(items.len(), *at) {
                Some(at) if at == items.len() => items.push(value.clone()),
                at => match at.and_then(|at| items.get_mut(at)) {
                    Some(item) => item.clone_from(value),
                    None => return mixed(&items, std::slice::from_ref(value)).tainted(held.taint),
                },
            }
            same(ValueKind::List(items))
        }
        (ValueKind::List(items), _) => {
            let either = |item: &Value| Value::any([item.clone(), value.clone()]);
            same(ValueKind::List(items.iter().map(either).collect()))
        }
        _ => held.clone(),
    }
}

/// A list after one of its methods; other values stay as they are. `again`: the code is being read again, and what it
/// appends may be in the list already; then the list stands for those with more of the same.
pub(super) fn after_list_method(held: &Value, method: &str, given: &[Value], again: bool) -> Value {
    let ValueKind::List(items) = &held.kind else { return held.clone() };
    let changed = match (method, given) {
        ("append" | "add" | "push", _) => longer(items, given, again),
        ("extend" | "update", _) => {
            let mut held = held.clone();
            for more in given {
                held = more.each(|more| {
                    held.each(|held| match &held.kind {
                        ValueKind::List(items) => longer(items, &items_of(more), again),
                        _ => held.clone(),
                    })
                });
            }
            held
        }
        ("unshift" | "appendleft", _) => longer(given, items, false),
        ("insert", [Value { kind: ValueKind::Number(at), .. }, value]) => {
            let at = position(items.len(), *at).unwrap_or(0).min(items.len());
            let (before, behind) = items.split_at(at);
            longer(&[before, std::slice::from_ref(value)].concat(), behind, false)
        }
        ("pop", []) => without(items, items.len().checked_sub(1)),
        ("pop", [Value { kind: ValueKind::Number(at), .. }, ..]) => {
            without(items, position(items.len(), *at))
        }
        ("popleft" | "shift", _) => without(items, Some(0)),
        ("remove" | "discard", [value]) if value.is_constant() && items.iter().all(Value::is_constant) => {
            without(items, items.iter().position(|item| item == value))
        }
        ("remove" | "discard" | "pop", _) if items.len() <= MAX_MIXED => {
            Value::any((0..=items.len()).map(|at| without(items, Some(at))))
        }
        ("clear", _) => list(Vec::new()),
        ("reverse", _) => list(items.iter().rev().cloned().collect()),
        ("splice", _) => mixed(items, given.get(2..).unwrap_or_default()),
        ("insert", [_, value]) => mixed(items, std::slice::from_ref(value)),
        ("fill" | "extendleft", [value, ..]) => mixed(items, std::slice::from_ref(value)),
        ("remove" | "discard" | "pop" | "sort" | "copyWithin" | "rotate", _) => mixed(items, &[]),
        _ => return held.clone(),
    };
    changed.each(|changed| changed.clone().tainted(held.taint))
}

/// A Python dictionary after one of its methods; other values stay as they are.
pub(super) fn after_dict_method(
    held: &Value,
    method: &str,
    given: &[Value],
    named: &[(String, Value)],
) -> Value {
    let ValueKind::Map(items) = &held.kind else { return held.clone() };
    let nothing = Value::new(ValueKind::Nothing);
    let changed = match (method, given) {
        ("update", _) => {
            let mut held = held.clone();
            let named = Value::new(ValueKind::Map(named.to_vec()));
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
            Value::new(ValueKind::Map(others.cloned().collect()))
        }
        ("pop" | "popitem", _) => Value::any([held.clone(), Value::unknown()]),
        ("clear", _) => Value::new(ValueKind::Map(Vec::new())),
        _ => return held.clone(),
    };
    changed.each(|changed| changed.clone().tainted(held.taint))
}

fn list(items: Vec<Value>) -> Value {
    Value::new(ValueKind::List(items))
}

/// The items that a list gets from a value that it is extended by.
fn items_of(value: &Value) -> Vec<Value> {
    match &value.kind {
        ValueKind::List(items) => items.iter().map(|item| item.clone().tainted(value.taint)).collect(),
        _ => vec![element(value)],
    }
}

/// A list with more items behind it; unknown once it is too long to be followed.
fn longer(items: &[Value], more: &[Value], again: bool) -> Value {
    let more = more.iter().filter(|value| !again || !items.contains(value));
    let changed = list(items.iter().chain(more).cloned().collect());
    match &changed.kind {
        ValueKind::List(all) if all.len() > MAX_GROWING_LIST && all.len() > items.len() => {
            Value::unknown().tainted(changed.all_taint())
        }
        _ => changed,
    }
}

/// A list without the item at a position, if there is one.
fn without(items: &[Value], at: Option<usize>) -> Value {
    list(
        items
            .iter()
            .enumerate()
            .filter(|(index, _)| Some(*index) != at)
            .map(|(_, item)| item.clone())
            .collect(),
    )
}

/// A list of these items in any order.
fn mixed(items: &[Value], given: &[Value]) -> Value {
    let all: Vec<Value> = items.iter().cloned().chain(given.iter().flat_map(items_or_itself)).collect();
    if all.len() > MAX_MIXED {
        return Value::unknown().tainted(list(all).all_taint());
    }
    let each = Value::any(all.iter().cloned());
    list(vec![each; all.len()])
}

fn items_or_itself(value: &Value) -> Vec<Value> {
    match &value.kind {
        ValueKind::List(items) => items.clone(),
        _ => vec![value.clone()],
    }
}

/// A map with one more item, in the place of one of the same key.
fn with_entry(items: &[(String, Value)], key: &Value, value: &Value) -> Value {
    let key = key.as_whole_text().unwrap_or(UNKNOWN_KEY);
    let replaced = |(k, held): &&(String, Value)| k == key && (key != UNKNOWN_KEY || held == value);
    let mut changed: Vec<_> = items.iter().filter(|item| !replaced(item)).cloned().collect();
    changed.push((key.to_owned(), value.clone()));
    let is_too_large = changed.len() > MAX_GROWING_MAP && changed.len() > items.len();
    let changed = Value::new(ValueKind::Map(changed));
    if is_too_large { Value::unknown().tainted(changed.all_taint()) } else { changed }
}

/// A map with the items of another one.
fn merged(held: &Value, more: &Value) -> Value {
    let ValueKind::Map(_) = &held.kind else { return held.clone() };
    let ValueKind::Map(items) = &more.kind else {
        return with_item(held, &Value::unknown(), &Value::unknown().tainted(more.all_taint()));
    };
    items.iter().fold(held.clone(), |held, (key, value)| with_item(&held, &key_of(key), value))
}
