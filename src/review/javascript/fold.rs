//! Folds JavaScript expressions: works out what is known of their values without running anything.

use super::JavascriptReader;
use crate::review::choice::MAX_VARIANTS;
use crate::review::escapes;
use crate::review::items::UNKNOWN_KEY;
use crate::review::syntax::{first_child, named_children, pair, text};
use crate::review::value::{Act, Argument, Taint, Value, ValueKind};
use crate::review::walk::FoldingReader as _;
use tree_sitter::Node;

/// Longest list or object that is folded.
const MAX_ITEMS: usize = 256;

impl<'t> JavascriptReader<'_, 't> {
    /// What is known of an expression's value.
    pub(super) fn fold(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        if depth > self.shared.deepest() || !self.shared.frames.pay(1) {
            return Value::unknown();
        }
        let deeper = depth + 1;
        match node.kind() {
            "identifier" | "shorthand_property_identifier" => {
                let name = self.spelled(node);
                self.identifier(&name, frame)
            }
            "this" => self.shared.frames.lookup(frame, "this").unwrap_or_else(Value::unknown),
            kind if super::is_function(kind) => self.function_value(node, frame),
            "import" => Value::name("import"),
            "member_expression" => self.member_expression(node, frame, deeper),
            "subscript_expression" => self.index(node, frame, deeper),
            "string" => self.string(node),
            "template_string" => self.template(node, frame, deeper),
            "number" => Value::number(crate::review::value::integer(text(node, self.shared.source))),
            "unary_expression" => self.unary(node, frame, deeper),
            "true" => Value::new(ValueKind::Bool(true)),
            "false" => Value::new(ValueKind::Bool(false)),
            "null" | "undefined" => Value::new(ValueKind::Nothing),
            "parenthesized_expression"
            | "await_expression"
            | "spread_element"
            | "as_expression"
            | "satisfies_expression"
            | "non_null_expression" => {
                named_children(node, 1).first().map_or_else(Value::unknown, |n| self.fold(*n, frame, deeper))
            }
            "sequence_expression" => {
                named_children(node, 16).last().map_or_else(Value::unknown, |n| self.fold(*n, frame, deeper))
            }
            "array" => {
                let items = named_children(node, MAX_ITEMS + 1);
                if items.len() > MAX_ITEMS {
                    return Value::unknown();
                }
                Value::list(items.into_iter().map(|n| self.fold(n, frame, deeper)).collect())
            }
            "object" => self.object(node, frame, deeper),
            "binary_expression" | "ternary_expression" => {
                self.shared.step.branches += 1;
                let value = self.binary(node, frame, deeper);
                self.shared.step.branches -= 1;
                value
            }
            "call_expression" | "new_expression" => self.fold_call(node, frame, deeper),
            _ => Value::unknown(),
        }
    }

    fn identifier(&mut self, name: &str, frame: usize) -> Value {
        if let Some(value) = self.shared.frames.lookup(frame, name) {
            return value;
        }
        match name {
            "undefined" => Value::new(ValueKind::Nothing),
            "__dirname" => Value::text("."),
            _ => self.named(name),
        }
    }

    /// A name as the rules spell it, with its taint marks.
    pub(super) fn named(&self, name: &str) -> Value {
        self.shared.named(name.strip_prefix("node:").unwrap_or(name))
    }

    fn string(&self, node: Node<'t>) -> Value {
        let inner = node.start_byte() + 1..node.end_byte().saturating_sub(1);
        Value::text(escapes::javascript(self.shared.source.get(inner).unwrap_or_default()))
    }

    fn template(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        let mut parts = vec![Value::text("")];
        for child in named_children(node, MAX_ITEMS) {
            match child.kind() {
                "template_substitution" => {
                    let inner = named_children(child, 1).first().map(|n| self.fold(*n, frame, depth));
                    parts.push(inner.unwrap_or_else(Value::unknown));
                }
                _ => parts.push(Value::text(escapes::javascript(text(child, self.shared.source)))),
            }
        }
        Value::join(&parts, "")
    }

    fn object(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        let mut items = Vec::new();
        let mut loose = Taint::default();
        for child in named_children(node, MAX_ITEMS) {
            match child.kind() {
                "pair" => {
                    if let (Some(key), Some(value)) = pair(child, "key", "value") {
                        let name = self.key(key, frame, depth);
                        items.push((name, self.fold(value, frame, depth)));
                    }
                }
                "method_definition" => {
                    if let Some(name) = child.child_by_field_name("name") {
                        let name = self.spelled(name);
                        items.push((name, self.function_value(child, frame)));
                    }
                }
                "shorthand_property_identifier" => {
                    let name = self.spelled(child);
                    let value = self.identifier(&name, frame);
                    items.push((name, value));
                }
                "spread_element" => match self.fold(child, frame, depth) {
                    Value { kind: ValueKind::Map(more), .. } => items.extend(more),
                    other => loose = loose.with(other.all_taint()),
                },
                _ => {}
            }
        }
        items.truncate(MAX_ITEMS);
        Value::map(items).tainted(loose)
    }

    /// The name of a member: as written, or the value of its expression.
    fn key(&mut self, key: Node<'t>, frame: usize, depth: u32) -> String {
        match key.kind() {
            "computed_property_name" => {
                let value = first_child(key).map(|n| self.fold(n, frame, depth));
                value.as_ref().and_then(Value::as_whole_text).unwrap_or(UNKNOWN_KEY).to_owned()
            }
            "string" => self.string(key).as_whole_text().unwrap_or(UNKNOWN_KEY).to_owned(),
            _ => self.spelled(key),
        }
    }

    fn binary(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        let operator =
            node.child_by_field_name("operator").map(|o| text(o, self.shared.source)).unwrap_or_default();
        let parts =
            named_children(node, 3).into_iter().skip(usize::from(node.kind() == "ternary_expression"));
        let parts: Vec<Value> = parts.map(|n| self.fold(n, frame, depth)).collect();
        let texts = parts.iter().any(|v| v.as_text().is_some());
        if operator == "+" && (texts || parts.iter().any(Value::has_choice)) {
            return Value::join(&parts, "");
        }
        if node.kind() == "ternary_expression" || matches!(operator, "||" | "??" | "&&") {
            return Value::any(parts);
        }
        parts.iter().fold(Value::unknown(), |v, part| v.tainted(part.all_taint()))
    }

    /// `Object.assign(name, …)`: changes what the name holds.
    fn assign_members(&mut self, node: Node<'t>, given: &[Value], frame: usize) {
        let Some((_, list)) = super::call::parts(node, MAX_ITEMS) else { return };
        let Some(target) = list.first().filter(|target| target.kind() == "identifier") else { return };
        let name = self.spelled(*target);
        let branch = self.shared.step.branches > 0;
        let holder = self.shared.frames.holder(frame, &name).unwrap_or(frame);
        self.shared.frames.bind(holder, &name, super::items::assigned(given), branch);
    }

    /// The value of a call. Its acts are stored for the walk.
    fn fold_call(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        if let Some((value, _)) = self.shared.calls.get(&node.id()) {
            return value.clone();
        }
        let Some((function, list)) = super::call::parts(node, MAX_ITEMS) else { return Value::unknown() };
        let called = self.fold(function, frame, depth);
        let mut arguments = Vec::new();
        for child in list {
            let span = child.byte_range();
            match (child.kind(), self.fold(child, frame, depth)) {
                ("spread_element", Value { kind: ValueKind::List(items), .. }) => {
                    arguments.extend(items.into_iter().map(|value| Argument::new(value, &span)));
                }
                (_, value) => arguments.push(Argument { value, span }),
            }
        }
        if let (Some(object), Some(method)) = pair(function, "object", "property")
            && object.kind() == "identifier"
            && !self.shared.collected.contains(&node.id())
        {
            let (name, method) = (self.spelled(object), self.spelled(method));
            // `pop` takes no argument.
            let given = arguments.iter().filter(|_| method != "pop");
            let given: Vec<Value> = given.map(|argument| argument.value.clone()).collect();
            self.shared.change_list(frame, &name, &method, &given);
            if name == "Object" && method == "assign" {
                self.assign_members(node, &given, frame);
            }
        }
        let mut acts: Vec<Act> = Vec::new();
        let mut values = Vec::new();
        for called in called.alternatives() {
            let (called, arguments) = Self::resolved_call(called, arguments.clone(), &node.byte_range());
            for called in called.alternatives() {
                let act = self.act(&called, arguments.clone(), node.byte_range());
                for act in act.variants(MAX_VARIANTS.saturating_sub(acts.len())) {
                    values.push(self.result(&act, &called));
                    acts.push(act);
                }
            }
        }
        let value = Value::any(values);
        self.shared.calls.insert(node.id(), (value.clone(), acts));
        value
    }
}
