//! Folds Python lists and loops over them: literals, comprehensions, and functions that pair, chain, order and pick
//! items.

use super::PythonReader;
use crate::review::flow::{element, element_in};
use crate::review::items::{UNKNOWN_KEY, in_any_order, key_of, position_in};
use crate::review::syntax::{first_child, named_children, pair};
use crate::review::value::{Act, Value, ValueKind};
use tree_sitter::Node;

/// Longest list that is folded.
const MAX_ITEMS: usize = 256;

/// The most parts of a comprehension that is folded: what it gives, and its clauses.
const MAX_PARTS: usize = 16;

/// The longest list over which a comprehension is folded item by item.
const MAX_COMPREHENSION_ITEMS: usize = 64;

impl<'t> PythonReader<'_, 't> {
    pub(super) fn list(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        let nodes = named_children(node, MAX_ITEMS + 1);
        if nodes.len() > MAX_ITEMS {
            return Value::unknown();
        }
        let mut items = Vec::new();
        for item in nodes {
            if item.kind() != "list_splat" {
                items.push(self.fold(item, frame, depth));
                continue;
            }
            match first_child(item).map(|n| self.fold(n, frame, depth)) {
                Some(Value { kind: ValueKind::List(more), .. }) => items.extend(more),
                other => items.push(other.map_or_else(Value::unknown, |value| value.to_unknown())),
            }
        }
        items.truncate(MAX_ITEMS);
        Value::list(items)
    }

    /// `[f(x) for x in items]`: folded item by item if all are known and few, else once for all items.
    pub(super) fn comprehension(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        // Its names hold in it alone.
        let names = self.names_of_clauses(node);
        let held = names.into_iter().map(|name| {
            let value = self.shared.frames.own(frame, &name);
            (name, value)
        });
        let held: Vec<(String, Option<Value>)> = held.collect();
        self.shared.step.branches += 1;
        let value = self.comprehended(node, frame, depth);
        self.shared.step.branches -= 1;
        for (name, value) in held {
            self.shared.frames.put_back(frame, &name, value);
        }
        value
    }

    fn comprehended(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        let Some(body) = node.child_by_field_name("body") else { return Value::unknown() };
        let parts = named_children(node, MAX_PARTS + 1);
        if parts.len() > MAX_PARTS {
            return Value::unknown();
        }
        let clauses: Vec<Node<'t>> =
            parts.into_iter().filter(|n| matches!(n.kind(), "for_in_clause" | "if_clause")).collect();
        if let [clause] = clauses.as_slice()
            && let (Some(left), Some(right)) = pair(*clause, "left", "right")
            && let Value { kind: ValueKind::List(items), taint } = self.fold(right, frame, depth)
            && items.len() <= MAX_COMPREHENSION_ITEMS
            && self.shared.frames.pay_optional(items.len() * (1 + body.byte_range().len() / 8))
        {
            let mut given = Vec::new();
            let mut kept = Vec::new();
            for item in items {
                self.bind_target(left, item.tainted(taint), frame, false);
                given.push(self.fold(body, frame, depth));
                kept.extend(self.shared.take_calls(&body.byte_range()));
            }
            self.shared.put_calls(kept);
            return Value::list(given);
        }
        for clause in clauses.iter().filter(|n| n.kind() == "for_in_clause") {
            if let (Some(left), Some(right)) = pair(*clause, "left", "right") {
                let value = element_in(&self.fold(right, frame, depth), self.shared.scope);
                self.bind_target(left, value, frame, false);
            }
        }
        let body = self.fold(body, frame, depth);
        match body.kind {
            // File patterns and texts with holes: one value stands for all items.
            ValueKind::Text { .. } | ValueKind::Name { .. } | ValueKind::Any(_) => {
                Value::list(body.alternatives())
            }
            _ => body.to_unknown(),
        }
    }
}

/// The result of functions on lists and dictionaries; `None` for other functions.
pub(super) fn result_of_items(act: &Act) -> Option<Value> {
    result_of_dict(act).or_else(|| result_of_list(act))
}

/// The result of functions on dictionaries.
fn result_of_dict(act: &Act) -> Option<Value> {
    let first = act.value(0);
    let receiver = act.receiver.as_ref();
    Some(match act.name.as_str() {
        "dict" if first.is_none() => Value::map(act.named_values().collect()),
        "dict" if first?.as_map().is_some() => first?.clone(),
        "dict.copy" | "list.copy" => receiver?.clone(),
        "dict.items" => {
            let entry = |(k, v): &(String, Value)| Value::list(vec![key_of(k), v.clone()]);
            Value::list(receiver?.as_map()?.iter().map(entry).collect())
        }
        "dict.values" => Value::list(receiver?.as_map()?.iter().map(|(_, v)| v.clone()).collect()),
        "dict.keys" => Value::list(receiver?.as_map()?.iter().map(|(k, _)| key_of(k)).collect()),
        "dict.get" | "dict.pop" | "dict.setdefault" => {
            let found = item(receiver?, first?);
            match act.value(1) {
                Some(default) if found.kind == ValueKind::Unknown => Value::any([found, default.clone()]),
                _ => found,
            }
        }
        _ => return None,
    })
}

/// The result of functions on lists and other iterables.
fn result_of_list(act: &Act) -> Option<Value> {
    let first = act.value(0);
    let second = act.value(1);
    let receiver = act.receiver.as_ref();
    Some(match act.name.as_str() {
        "list" | "set" | "tuple" | "iter" => first?.clone(),
        "sorted" => sorted(first?, act.named.is_empty()),
        "reversed" if !matches!(first?.kind, ValueKind::Text { .. }) => reversed(first?),
        "enumerate" => {
            let ValueKind::List(items) = &first?.kind else {
                return Some(Value::list(vec![Value::list(vec![Value::unknown(), element(first?)])]));
            };
            Value::list(items.iter().map(|v| Value::list(vec![Value::unknown(), v.clone()])).collect())
        }
        "zip" | "itertools.zip_longest" => {
            let columns: Vec<&Value> = act.arguments.iter().map(|a| &a.value).collect();
            let rows = columns.iter().filter_map(|c| match &c.kind {
                ValueKind::List(items) => Some(items.len()),
                _ => None,
            });
            let rows = rows.min().unwrap_or(1).min(MAX_ITEMS);
            let cell = |column: &&Value, row: usize| match &column.kind {
                ValueKind::List(items) => items.get(row).cloned().unwrap_or_else(Value::unknown),
                _ => element(column),
            };
            Value::list(
                (0..rows).map(|row| Value::list(columns.iter().map(|c| cell(c, row)).collect())).collect(),
            )
        }
        "itertools.chain" => {
            let mut all = Vec::new();
            for argument in &act.arguments {
                match &argument.value.kind {
                    ValueKind::List(items) => all.extend(items.iter().cloned()),
                    _ => all.push(element(&argument.value)),
                }
            }
            all.truncate(MAX_ITEMS);
            Value::list(all)
        }
        "random.choice" | "next" | "secrets.choice" | "list.pop" => {
            element(if act.name == "list.pop" { receiver? } else { first? })
        }
        "str.splitlines" => {
            Value::list(receiver?.as_whole_text()?.lines().take(MAX_ITEMS).map(Value::text).collect())
        }
        "textwrap.dedent" | "inspect.cleandoc" | "operator.itemgetter" => first?.clone(),
        "operator.getitem" => item(first?, second?),
        _ => return None,
    })
}

/// `sorted(items)`: texts are sorted. The order of other items, and by a key (not `plain`), is not known.
fn sorted(given: &Value, plain: bool) -> Value {
    let ValueKind::List(items) = &given.kind else { return given.clone() };
    if !plain || !items.iter().all(|item| matches!(item.kind, ValueKind::Text { whole: true, .. })) {
        return in_any_order(items).tainted(given.taint);
    }
    let mut items = items.clone();
    items.sort_by(|left, right| left.as_whole_text().cmp(&right.as_whole_text()));
    Value::list(items).tainted(given.taint)
}

/// `reversed(items)`.
fn reversed(given: &Value) -> Value {
    let ValueKind::List(items) = &given.kind else { return given.clone() };
    // An unknown item may stand for several.
    if items.iter().any(|item| item.kind == ValueKind::Unknown) {
        return in_any_order(items).tainted(given.taint);
    }
    Value::list(items.iter().rev().cloned().collect()).tainted(given.taint)
}

pub(super) fn item(value: &Value, index: &Value) -> Value {
    let found = match (&value.kind, &index.kind) {
        (ValueKind::List(items), ValueKind::Number(n)) => {
            position_in(items, *n).and_then(|at| items.get(at)).cloned()
        }
        // An item with an unknown key may be this one.
        (ValueKind::Map(items), ValueKind::Text { text, whole: true })
            if items.iter().any(|(key, _)| key == UNKNOWN_KEY)
                && items.iter().any(|(key, _)| key == text) =>
        {
            Some(Value::any(
                items.iter().filter(|(key, _)| key == text || key == UNKNOWN_KEY).map(|(_, v)| v.clone()),
            ))
        }
        (ValueKind::Map(items), ValueKind::Text { text, whole: true })
            if items.iter().any(|(key, _)| key == text)
                || items.iter().all(|(key, _)| key != UNKNOWN_KEY) =>
        {
            items.iter().rev().find(|(key, _)| key == text).map(|(_, v)| v.clone())
        }
        // The index is known only at run time, so it may be any item.
        (ValueKind::List(items), _) if items.len() <= 24 => Some(Value::any(items.iter().cloned())),
        (ValueKind::Map(items), _) if items.len() <= 24 => {
            Some(Value::any(items.iter().map(|(_, v)| v.clone())))
        }
        (ValueKind::Name { path, .. }, ValueKind::Text { text, .. }) if path == "plumbum.local" => {
            Some(Value::name(format!("plumbum.cmd.{text}")))
        }
        (ValueKind::Name { path, .. }, _) if path.ends_with("()") => {
            Some(Value::name(format!("{path}[]")).tainted(value.all_taint()))
        }
        _ => None,
    };
    found.unwrap_or_else(|| value.to_unknown())
}
