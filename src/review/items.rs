//! The items of lists and maps: which one an index means, and what methods and assignments make of them.
//!
//! The order of a list stays known as far as the code tells it, because the words of a command lie in lists. A list that
//! grows too long keeps its first items; the one behind them is unknown and stands for all the rest, with their marks.
//!
//! Not followed: two names of one list, and items of items (`a[0][1] = x`).

mod map;

use super::flow::element;
use super::value::{Value, ValueKind};
pub(super) use map::after_dict_method;
use map::with_entry;

/// The most items that are followed of a list that grows.
const MAX_GROWING_LIST: usize = 32;

/// The longest list whose items are followed once their order is lost.
const MAX_MIXED: usize = 12;

/// The heaviest list without an order that is followed, in the units of `Value::weight`.
const MAX_MIXED_WEIGHT: usize = 600;

/// The most lists that a name may hold one of while they change.
const MAX_CHOICES: usize = 8;

/// How many targets of a pattern get their own part of a value; of what the others get, only the marks are known.
const MAX_TARGETS: usize = 64;

/// Stands for a key that is known only at run time.
pub(super) const UNKNOWN_KEY: &str = "?";

/// The item that stands for all the rest of a list, if the list grew too long.
fn rest_of(items: &[Value]) -> Option<&Value> {
    items.last().filter(|last| items.len() > MAX_GROWING_LIST && last.kind == ValueKind::Unknown)
}

/// The position of the item that an index means; `None` if there is none, or if it may be one of the rest.
pub(super) fn position_in(items: &[Value], index: i64) -> Option<usize> {
    let has_rest = rest_of(items).is_some();
    position(items.len(), index)
        .filter(|at| *at < items.len() && (!has_rest || index >= 0 && at + 1 < items.len()))
}

/// Whether a value surely has no item of this index, so that reading it is an error in Python.
fn is_missing(value: &Value, index: &Value) -> bool {
    match (&value.kind, &index.kind) {
        (ValueKind::List(items), ValueKind::Number(at)) => {
            rest_of(items).is_none() && position_in(items, *at).is_none()
        }
        (ValueKind::Map(items), ValueKind::Text { text, whole: true }) => {
            items.iter().all(|(key, _)| key != text && key != UNKNOWN_KEY)
        }
        _ => false,
    }
}

/// The values of a choice that may have an item of this index; all of them if none has it.
pub(super) fn having(value: &Value, index: &Value) -> Value {
    let ValueKind::Any(choices) = &value.kind else { return value.clone() };
    if choices.iter().all(|choice| is_missing(choice, index)) {
        return value.clone();
    }
    let having = choices.iter().filter(|choice| !is_missing(choice, index));
    Value::any(having.cloned()).tainted(value.taint)
}

/// The position that an index means; a negative one counts from the end.
fn position(length: usize, index: i64) -> Option<usize> {
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

/// A value that is unpacked into the targets of a pattern.
pub(super) struct UnpackedValue<'v> {
    value: &'v Value,
    targets: usize,
    /// The target that takes all items that no other takes.
    rest: Option<usize>,
    /// The value without what is known of it.
    marks: Value,
}

impl<'v> UnpackedValue<'v> {
    pub(super) fn new(value: &'v Value, targets: usize, rest: Option<usize>) -> Self {
        Self { value, targets, rest, marks: value.to_unknown() }
    }

    /// What the target at this position gets.
    pub(super) fn part(&self, at: usize) -> Value {
        if at < MAX_TARGETS { self.part_of(self.value, at) } else { self.marks.clone() }
    }

    fn part_of(&self, value: &Value, at: usize) -> Value {
        match &value.kind {
            ValueKind::List(items) => match self.rest.filter(|rest| *rest <= at) {
                Some(rest) => {
                    let part = self.rest_or_behind(items, rest, at);
                    part.map_or_else(|| value.to_unknown(), |part| part.tainted(value.taint))
                }
                None => items.get(at).or_else(|| rest_of(items)).cloned().unwrap_or_else(Value::unknown),
            },
            ValueKind::Any(items) => Value::any(items.iter().map(|item| self.part_of(item, at))),
            _ => element(value).to_unknown(),
        }
    }

    /// What the target that takes the rest of a list gets, or one behind it; `None` where the end of the list is not
    /// known, or it has too few items.
    fn rest_or_behind(&self, items: &[Value], rest: usize, at: usize) -> Option<Value> {
        let behind = self.targets.checked_sub(rest + 1)?;
        let end = items.len().checked_sub(behind).filter(|_| rest_of(items).is_none())?;
        let taken = items.get(rest..end)?;
        match at.checked_sub(rest + 1) {
            Some(place) => items.get(end + place).cloned(),
            None => Some(Value::list(taken.to_vec())),
        }
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
    values(value).iter().all(|value| value.as_list().is_some())
}

/// Whether a value may be so many lists that only what they have in common is followed.
pub(super) fn may_be_many_lists(value: &Value) -> bool {
    values(value).len() > MAX_CHOICES && is_list(value)
}

/// What is known of a value that may be something else too. If it may be several lists, they begin with the same items,
/// and anything follows.
pub(super) fn in_common(value: &Value) -> Value {
    let rest = value.to_unknown();
    let lists: Vec<&[Value]> = values(value).iter().map_while(Value::as_list).collect();
    let first = lists.first().copied().unwrap_or_default();
    let is_same = |at: &usize| lists.iter().all(|list| list.get(*at) == first.get(*at));
    let mut start: Vec<Value> =
        (0..first.len()).take_while(is_same).filter_map(|at| first.get(at).cloned()).collect();
    if start.is_empty() || lists.len() < 2 || !is_list(value) {
        return rest;
    }
    start.push(rest);
    Value::list(start)
}

/// A list or map after `held[index] = value`.
pub(super) fn with_item(held: &Value, index: &Value, value: &Value) -> Value {
    let same = |kind: ValueKind| Value { kind, taint: held.taint };
    match (&held.kind, &index.kind) {
        (ValueKind::Map(items), _) => with_entry(items, index, value).tainted(held.taint),
        (ValueKind::List(items), ValueKind::Number(at)) if rest_of(items).is_none() => {
            match position(items.len(), *at) {
                Some(at) if at == items.len() => {
                    longer(items, std::slice::from_ref(value), false).tainted(held.taint)
                }
                Some(at) if at < items.len() => same(ValueKind::List(with_item_at(items, at, value))),
                _ => mixed(items, std::slice::from_ref(value)).tainted(held.taint),
            }
        }
        (ValueKind::List(items), ValueKind::Number(at)) if position_in(items, *at).is_some() => {
            let at = position_in(items, *at).unwrap_or_default();
            same(ValueKind::List(with_item_at(items, at, value)))
        }
        (ValueKind::List(items), _) => {
            let either = items.iter().map(|item| Value::any([item.clone(), value.clone()])).collect();
            let changed = if rest_of(items).is_some() { cut(either) } else { Value::list(either) };
            changed.tainted(held.taint)
        }
        (ValueKind::Unknown, _) => held.clone().tainted(value.all_taint()),
        _ => held.clone(),
    }
}

fn with_item_at(items: &[Value], at: usize, value: &Value) -> Vec<Value> {
    let mut items = items.to_vec();
    if let Some(item) = items.get_mut(at) {
        item.clone_from(value);
    }
    items
}

/// A list after one of its methods. An unknown value gets the marks of what is given; others stay as they are. `again`:
/// the code is being read again, and what it appends may be in the list already; then the list stands for those with
/// more of the same.
pub(super) fn after_list_method(held: &Value, method: &str, given: &[Value], again: bool) -> Value {
    let items = match &held.kind {
        ValueKind::List(items) => items,
        ValueKind::Unknown => return held.clone().tainted(Value::list(given.to_vec()).all_taint()),
        _ => return held.clone(),
    };
    let has_rest = rest_of(items).is_some();
    let changed = match (method, given) {
        ("append" | "add" | "push", _) => longer(items, given, again),
        ("extend" | "update" | "symmetric_difference_update", _) => {
            let mut held = held.clone();
            for more in given {
                held = more.each(|more| {
                    held.each(|held| match &held.kind {
                        ValueKind::List(items) => longer(items, &items_of(more), again),
                        _ => held.clone().tainted(more.all_taint()),
                    })
                });
            }
            held
        }
        ("unshift" | "appendleft", _) => longer(given, items, false),
        ("insert", [Value { kind: ValueKind::Number(at), .. }, value]) if *at >= 0 || !has_rest => {
            let at = position(items.len(), *at).unwrap_or(0).min(items.len());
            let (before, behind) = items.split_at(at);
            longer(&[before, std::slice::from_ref(value)].concat(), behind, false)
        }
        ("pop", []) => without(items, items.len().checked_sub(1)),
        ("pop", [Value { kind: ValueKind::Number(at), .. }, ..]) if *at >= -1 || !has_rest => {
            without(items, position(items.len(), *at))
        }
        ("popleft" | "shift", _) => without(items, Some(0)),
        ("remove" | "discard", [value]) if value.is_constant() && items.iter().all(Value::is_constant) => {
            without(items, items.iter().position(|item| item == value))
        }
        ("remove" | "discard" | "pop", _) if items.len() <= MAX_MIXED => {
            Value::any((0..=items.len()).map(|at| without(items, Some(at))))
        }
        ("clear", _) => Value::list(Vec::new()),
        ("reverse", _) if !has_rest => Value::list(items.iter().rev().cloned().collect()),
        ("splice", _) => mixed(items, given.get(2..).unwrap_or_default()),
        ("insert", [_, value]) => mixed(items, std::slice::from_ref(value)),
        ("fill" | "extendleft", [value, ..]) => mixed(items, std::slice::from_ref(value)),
        ("remove" | "discard" | "pop" | "sort" | "reverse" | "copyWithin" | "rotate", _) => mixed(items, &[]),
        _ => return held.clone(),
    };
    changed.each(|changed| changed.clone().tainted(held.taint))
}

/// The items that a list gets from a value that it is extended by.
fn items_of(value: &Value) -> Vec<Value> {
    match &value.kind {
        ValueKind::List(items) => items.iter().map(|item| item.clone().tainted(value.taint)).collect(),
        _ => vec![element(value)],
    }
}

/// Whether a value is a list to which something was appended, as others of these values show.
pub(super) fn has_grown(value: &Value, among: &Value) -> bool {
    let Some(items) = value.as_list() else { return false };
    let is_start = |start: &[Value]| start.len() < items.len() && items.starts_with(start);
    values(among).contains(value) && values(among).iter().filter_map(Value::as_list).any(is_start)
}

/// A list with more items behind it; if `again`, it stays as it is where it has all of them.
fn longer(items: &[Value], more: &[Value], again: bool) -> Value {
    if more.is_empty() || again && more.iter().all(|value| items.contains(value)) {
        return Value::list(items.to_vec());
    }
    cut(items.iter().chain(more).cloned().collect())
}

/// A list of these items; of a long one, the first items and one that stands for the rest.
fn cut(mut items: Vec<Value>) -> Value {
    if items.len() > MAX_GROWING_LIST {
        let rest = Value::list(items.split_off(MAX_GROWING_LIST));
        items.push(rest.to_unknown());
    }
    Value::list(items)
}

/// A list without the item at a position, if there is one. The rest of a list always stays, because it may be long.
fn without(items: &[Value], at: Option<usize>) -> Value {
    let rest = rest_of(items);
    let end = items.len() - usize::from(rest.is_some());
    let mut changed = items.to_vec();
    if let Some(at) = at.filter(|at| *at < end) {
        changed.remove(at);
        changed.extend(rest.cloned());
    }
    Value::list(changed)
}

/// A list of these items in an order that is not known: each may be any of them.
pub(super) fn in_any_order(items: &[Value]) -> Value {
    mixed(items, &[])
}

/// A list of these items, and of those in the given values, in any order.
fn mixed(items: &[Value], given: &[Value]) -> Value {
    let all: Vec<Value> = items.iter().cloned().chain(given.iter().flat_map(items_or_itself)).collect();
    if all.len() > MAX_MIXED {
        return Value::list(all).to_unknown();
    }
    let each = Value::any(all.iter().cloned());
    if each.weight() * all.len() > MAX_MIXED_WEIGHT {
        return Value::list(all).to_unknown();
    }
    Value::list(vec![each; all.len()])
}

fn items_or_itself(value: &Value) -> Vec<Value> {
    match &value.kind {
        ValueKind::List(items) => items.clone(),
        _ => vec![value.clone()],
    }
}
