//! Folds Python expressions: works out what is known of their values without running anything.

use super::PythonReader;
use super::known_functions::{self, plus};
use super::paths;
use super::text::{content, percent};
use crate::review::choice::MAX_VARIANTS;
use crate::review::items::UNKNOWN_KEY;
use crate::review::path_class::TEMPORARY_FOLDER;
use crate::review::syntax::{first_child, named_children, pair, text};
use crate::review::value::{Act, Argument, CallArguments, Value, ValueKind};
use crate::review::walk::FoldingReader as _;
use tree_sitter::Node;

/// Longest list or dictionary that is folded.
const MAX_ITEMS: usize = 256;

impl<'t> PythonReader<'_, 't> {
    /// What is known of an expression's value.
    pub(super) fn fold(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        if depth > self.shared.deepest() || !self.shared.frames.pay(1) {
            return Value::unknown();
        }
        let deeper = depth + 1;
        match node.kind() {
            "identifier" => {
                let name = self.spelled(node);
                self.identifier(&name, frame)
            }
            "attribute" => self.attribute(node, frame, deeper),
            "string" => self.string(node, frame, deeper),
            "concatenated_string" => {
                let parts = self.fold_all(&named_children(node, MAX_ITEMS), frame, deeper);
                Value::join(&parts, "")
            }
            "integer" => Value::number(crate::review::value::integer(text(node, self.shared.source))),
            "unary_operator" => self.unary(node, frame, deeper),
            "true" => Value::new(ValueKind::Bool(true)),
            "false" => Value::new(ValueKind::Bool(false)),
            "none" => Value::new(ValueKind::Nothing),
            "parenthesized_expression" | "await" | "as_pattern" | "expression_statement" => {
                first_child(node).map_or_else(Value::unknown, |n| self.fold(n, frame, deeper))
            }
            "named_expression" => {
                node.child_by_field_name("value").map_or_else(Value::unknown, |n| self.fold(n, frame, deeper))
            }
            "list" | "tuple" | "set" | "expression_list" => self.list(node, frame, deeper),
            "lambda" => self.lambda(node, frame),
            "dictionary" => self.dictionary(node, frame, deeper),
            "binary_operator" => self.binary(node, frame, deeper),
            "subscript" => self.index(node, frame, deeper),
            "call" => self.fold_call(node, frame, deeper),
            "list_splat" => Value::unknown(),
            "conditional_expression" | "boolean_operator" => {
                let mut parts = named_children(node, 3);
                self.shared.step.branches += 1;
                if node.kind() == "conditional_expression" && parts.len() == 3 {
                    // The condition decides between the values, but is not one of them.
                    parts.remove(1);
                }
                let parts = self.fold_all(&parts, frame, deeper);
                self.shared.step.branches -= 1;
                Value::any(parts)
            }
            "list_comprehension" | "generator_expression" | "set_comprehension" => {
                self.comprehension(node, frame, deeper)
            }
            _ => Value::unknown(),
        }
    }

    pub(super) fn fold_all(&mut self, nodes: &[Node<'t>], frame: usize, depth: u32) -> Vec<Value> {
        nodes.iter().map(|n| self.fold(*n, frame, depth)).collect()
    }

    fn identifier(&mut self, name: &str, frame: usize) -> Value {
        if let Some(value) = self.shared.frames.lookup(frame, name) {
            return value;
        }
        let starred = self.stars.iter().map(|module| format!("{module}.{name}")).find(|full| {
            let canonical = self.shared.rules.canonical(full);
            self.shared.rules.knows(canonical.as_deref().unwrap_or(full))
        });
        match starred {
            Some(full) => self.named(&full),
            None => self.named(name),
        }
    }

    /// A name as the rules spell it, with its taint marks.
    pub(super) fn named(&self, name: &str) -> Value {
        self.shared.named(name)
    }

    fn attribute(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        let (Some(object), Some(attribute)) = pair(node, "object", "attribute") else {
            return Value::unknown();
        };
        let is_short = node.byte_range().len() < 80 && object.kind() == "identifier";
        let spelled = is_short.then(|| text(node, self.shared.source));
        let held = spelled.and_then(|spelled| self.shared.frames.lookup(0, spelled));
        let value = self.fold(object, frame, depth);
        let attribute = self.spelled(attribute);
        let class = value.as_name().filter(|name| name.starts_with("class "));
        let field = class.and_then(|class| self.shared.frames.lookup(0, &format!("{class}.{attribute}")));
        match (held, field) {
            // The field may have been set by another name of the object.
            (Some(held), Some(field)) if held != field => return Value::any([held, field]),
            (Some(held), _) => return held,
            (None, Some(field)) => return field,
            (None, None) => {}
        }
        let member = self.member(&value, &attribute);
        if member.as_name() == Some("sys.executable") { Value::text("python3") } else { member }
    }

    /// A member of a value: of a module, or a method of a known value.
    pub(super) fn member(&self, value: &Value, name: &str) -> Value {
        match &value.kind {
            ValueKind::Any(_) => value.each(|one| self.member(one, name)),
            // `f.__call__` is `f` itself.
            ValueKind::Name { .. } if name == "__call__" => value.clone(),
            ValueKind::Name { path, about } => {
                if let Some(found) = paths::path_part(value, name) {
                    return found;
                }
                self.shared.member_of(path, about.as_deref(), name, value.taint)
            }
            ValueKind::Text { text, .. } if name == "name" && text == TEMPORARY_FOLDER => value.clone(),
            ValueKind::Text { .. } => Value::name_about(format!("str.{name}"), value.clone()),
            ValueKind::List(_) => Value::name_about(format!("list.{name}"), value.clone()),
            ValueKind::Map(_) => Value::name_about(format!("dict.{name}"), value.clone()),
            _ => Value::name(format!("?.{name}")).tainted(value.all_taint()),
        }
    }

    fn string(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        let children = named_children(node, MAX_ITEMS);
        let start =
            children.first().map(|n| text(*n, self.shared.source).to_ascii_lowercase()).unwrap_or_default();
        let raw = start.contains('r');
        let mut parts = Vec::new();
        for child in children {
            match child.kind() {
                "string_content" => {
                    parts.push(content(text(child, self.shared.source), raw, start.contains('f')));
                }
                "interpolation" => {
                    let mut cursor = child.walk();
                    let plain = child.children(&mut cursor).all(|part| match part.kind() {
                        "type_conversion" => text(part, self.shared.source) == "!s",
                        kind => !matches!(kind, "format_specifier" | "="),
                    });
                    let value = child.child_by_field_name("expression").map(|n| self.fold(n, frame, depth));
                    let value = value.unwrap_or_else(Value::unknown);
                    parts.push(if plain { value } else { Value::unknown().tainted(value.taint) });
                }
                _ => {}
            }
        }
        if parts.is_empty() { Value::text("") } else { Value::join(&parts, "") }
    }

    fn dictionary(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        let mut items = Vec::new();
        let mut loose = Value::unknown();
        for child in named_children(node, MAX_ITEMS) {
            if let (Some(key), Some(value)) = pair(child, "key", "value") {
                let key = self.fold(key, frame, depth);
                let value = self.fold(value, frame, depth);
                items.push((key.as_whole_text().unwrap_or(UNKNOWN_KEY).to_owned(), value));
            } else if let Some(inner) = first_child(child) {
                match self.fold(inner, frame, depth) {
                    Value { kind: ValueKind::Map(more), .. } => items.extend(more),
                    other => loose = loose.tainted(other.all_taint()),
                }
            }
        }
        items.truncate(MAX_ITEMS);
        Value::map(items).tainted(loose.taint)
    }

    fn binary(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        let (Some(left), Some(right)) = pair(node, "left", "right") else { return Value::unknown() };
        let operator =
            node.child_by_field_name("operator").map(|o| text(o, self.shared.source)).unwrap_or_default();
        let left = self.fold(left, frame, depth);
        let right = self.fold(right, frame, depth);
        match operator {
            "+" => left.each_pair(&right, plus),
            "/" => left.each_pair(&right, paths::below),
            "%" => left.each_pair(&right, percent),
            "*" | "**" | "<<" => {
                left.each_pair(&right, |left, right| known_functions::product(operator, left, right))
            }
            // Combined flags: each of them counts.
            "|" if left.as_name().is_some() || matches!(left.kind, ValueKind::Any(_)) => {
                Value::any([left, right])
            }
            _ => left.to_unknown().tainted(right.all_taint()),
        }
    }

    /// The arguments of a call, those of `*items` and `**options` among them where these are known.
    fn arguments(&mut self, list: Node<'t>, frame: usize, depth: u32) -> CallArguments {
        let mut arguments = CallArguments::default();
        let given = if list.kind() == "argument_list" { named_children(list, MAX_ITEMS) } else { vec![list] };
        for child in given {
            let span = child.byte_range();
            match child.kind() {
                "keyword_argument" => {
                    if let (Some(name), Some(value)) = pair(child, "name", "value") {
                        let span = value.byte_range();
                        let value = self.fold(value, frame, depth);
                        arguments.named.push((self.spelled(name), Argument { value, span }));
                    }
                }
                "list_splat" => {
                    let items = first_child(child).map(|n| self.fold(n, frame, depth));
                    match items.map(|v| v.kind) {
                        Some(ValueKind::List(items)) => {
                            arguments.positional.extend(Argument::of_each(&items, &span));
                        }
                        _ => arguments.positional.push(Argument { value: Value::unknown(), span }),
                    }
                }
                "dictionary_splat" => {
                    let items = first_child(child).map(|n| self.fold(n, frame, depth));
                    if let Some(ValueKind::Map(items)) = items.map(|v| v.kind) {
                        let options =
                            items.into_iter().map(|(key, value)| (key, Argument::new(value, &span)));
                        arguments.named.extend(options);
                    }
                }
                _ => {
                    let value = self.fold(child, frame, depth);
                    arguments.positional.push(Argument { value, span });
                }
            }
        }
        arguments
    }

    /// The value of a call. Its acts are stored for the walk.
    fn fold_call(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        if let Some((value, _)) = self.shared.calls.get(&node.id()) {
            return value.clone();
        }
        let (Some(function), Some(list)) = pair(node, "function", "arguments") else {
            return Value::unknown();
        };
        let called = self.fold(function, frame, depth);
        let arguments = self.arguments(list, frame, depth);
        if let (Some(object), Some(method)) = pair(function, "object", "attribute")
            && object.kind() == "identifier"
            && !self.shared.collected.contains(&node.id())
        {
            let given: Vec<Value> = arguments.positional.iter().map(|a| a.value.clone()).collect();
            let named: Vec<_> =
                arguments.named.iter().map(|(key, a)| (key.clone(), a.value.clone())).collect();
            let (name, method) = (self.spelled(object), self.spelled(method));
            self.shared.change_list(frame, &name, &method, &given);
            self.shared.change_dict(frame, &name, &method, (&given, &named));
        }
        let mut acts: Vec<Act> = Vec::new();
        let mut values = Vec::new();
        for called in called.alternatives() {
            let (called, arguments) = self.resolved_call(called, arguments.clone(), &node.byte_range());
            for called in called.alternatives() {
                let act = self.shared.act(&called, arguments.clone(), node.byte_range());
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
