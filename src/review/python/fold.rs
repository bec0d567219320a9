//! Folding: what is known of the value of a Python expression, without running anything.

use super::Reader;
use super::known::{self, plus};
use super::text::{content, percent};
use crate::review::ground::SCRATCH;
use crate::review::syntax::{named, pair, text};
use crate::review::value::{Act, Argument, Kind, Value};
use tree_sitter::Node;

/// Expressions nested deeper than this are not folded.
const DEEPEST: u32 = 48;

/// Longest list or dictionary that is folded.
const LONGEST: usize = 256;

impl<'t> Reader<'_, 't> {
    /// What is known of an expression.
    pub(super) fn fold(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        if depth > DEEPEST || !self.shared.frames.pay(1) {
            return Value::unknown();
        }
        let deeper = depth + 1;
        match node.kind() {
            "identifier" => self.identifier(text(node, self.shared.source), frame),
            "attribute" => self.attribute(node, frame, deeper),
            "string" => self.string(node, frame, deeper),
            "concatenated_string" => {
                let parts = self.fold_all(&named(node, LONGEST), frame, deeper);
                Value::join(&parts, "")
            }
            "integer" => crate::review::value::integer(text(node, self.shared.source))
                .map_or_else(Value::unknown, |n| Value::new(Kind::Number(n))),
            "unary_operator" => {
                let inner = node.child_by_field_name("argument").map(|n| self.fold(n, frame, deeper));
                match inner.map(|v| v.kind) {
                    Some(Kind::Number(n)) if text(node, self.shared.source).starts_with('-') => {
                        Value::new(Kind::Number(n.wrapping_neg()))
                    }
                    _ => Value::unknown(),
                }
            }
            "true" => Value::new(Kind::Bool(true)),
            "false" => Value::new(Kind::Bool(false)),
            "none" => Value::new(Kind::Nothing),
            "parenthesized_expression" | "await" | "as_pattern" | "expression_statement" => {
                node.named_child(0).map_or_else(Value::unknown, |n| self.fold(n, frame, deeper))
            }
            "named_expression" => {
                node.child_by_field_name("value").map_or_else(Value::unknown, |n| self.fold(n, frame, deeper))
            }
            "list" | "tuple" | "set" | "expression_list" => {
                let nodes = named(node, LONGEST + 1);
                if nodes.len() > LONGEST {
                    return Value::unknown();
                }
                let items = self.fold_all(&nodes, frame, deeper);
                Value::new(Kind::List(items))
            }
            "dictionary" => self.dictionary(node, frame, deeper),
            "binary_operator" => self.binary(node, frame, deeper),
            "subscript" => self.index(node, frame, deeper),
            "call" => self.fold_call(node, frame, deeper),
            "list_splat" => Value::unknown(),
            "conditional_expression" | "boolean_operator" => {
                let mut parts = named(node, 3);
                if node.kind() == "conditional_expression" && parts.len() == 3 {
                    // The condition decides which value it is; it is not in the value.
                    parts.remove(1);
                }
                let parts = self.fold_all(&parts, frame, deeper);
                parts.iter().fold(Value::unknown(), |v, part| v.tainted(part.all_taint()))
            }
            "list_comprehension" | "generator_expression" | "set_comprehension" => {
                let body = node.child_by_field_name("body").map(|n| self.fold(n, frame, deeper));
                Value::unknown().tainted(body.map(|v| v.all_taint()).unwrap_or_default())
            }
            _ => Value::unknown(),
        }
    }

    fn fold_all(&mut self, nodes: &[Node<'t>], frame: usize, depth: u32) -> Vec<Value> {
        nodes.iter().map(|n| self.fold(*n, frame, depth)).collect()
    }

    fn identifier(&mut self, spelled: &str, frame: usize) -> Value {
        let plain = crate::review::lookalike::plain(spelled);
        let name = plain.as_deref().unwrap_or(spelled);
        if let Some(value) = self.shared.frames.lookup(frame, name) {
            return value;
        }
        let starred = self.stars.iter().map(|module| format!("{module}.{name}")).find(|full| {
            let canonical = self.shared.book.canonical(full);
            self.shared.book.knows(canonical.as_deref().unwrap_or(full))
        });
        match starred {
            Some(full) => self.named(&full),
            None => self.named(name),
        }
    }

    /// A name as the rules spell it, with the marks that it carries.
    pub(super) fn named(&self, name: &str) -> Value {
        self.shared.named(name)
    }

    fn attribute(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        let (Some(object), Some(attribute)) = pair(node, "object", "attribute") else {
            return Value::unknown();
        };
        if node.byte_range().len() < 80
            && object.kind() == "identifier"
            && let Some(value) = self.shared.frames.lookup(0, text(node, self.shared.source))
        {
            return value;
        }
        let value = self.fold(object, frame, depth);
        let member = self.member(&value, text(attribute, self.shared.source));
        if member.as_name() == Some("sys.executable") { Value::text("python3") } else { member }
    }

    /// A member of a value: of a module, or a method of what is known.
    pub(super) fn member(&self, value: &Value, name: &str) -> Value {
        match &value.kind {
            Kind::Name { path, about } => {
                if let Some(found) = known::path_part(value, name) {
                    return found;
                }
                self.shared.member_of(path, about.as_deref(), name, value.taint)
            }
            Kind::Text { text, .. } if name == "name" && text == SCRATCH => value.clone(),
            Kind::Text { .. } => Value::name_about(format!("str.{name}"), value.clone()),
            Kind::List(_) => Value::name_about(format!("list.{name}"), value.clone()),
            Kind::Map(_) => Value::name_about(format!("dict.{name}"), value.clone()),
            _ => Value::name(format!("?.{name}")).tainted(value.all_taint()),
        }
    }

    fn string(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        let children = named(node, LONGEST);
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
                    let plain = child.child_by_field_name("format_specifier").is_none();
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
        for child in named(node, LONGEST) {
            if let (Some(key), Some(value)) = pair(child, "key", "value") {
                let key = self.fold(key, frame, depth);
                let value = self.fold(value, frame, depth);
                items.push((key.as_whole_text().unwrap_or("?").to_owned(), value));
            } else if let Some(inner) = child.named_child(0) {
                loose = loose.tainted(self.fold(inner, frame, depth).all_taint());
            }
        }
        Value::new(Kind::Map(items)).tainted(loose.taint)
    }

    fn binary(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        let (Some(left), Some(right)) = pair(node, "left", "right") else { return Value::unknown() };
        let operator =
            node.child_by_field_name("operator").map(|o| text(o, self.shared.source)).unwrap_or_default();
        let left = self.fold(left, frame, depth);
        let right = self.fold(right, frame, depth);
        match operator {
            "+" => plus(&left, &right),
            "/" => known::below(&left, &right),
            "%" => percent(&left, &right),
            "*" | "**" | "<<" => known::product(operator, &left, &right),
            _ => Value::unknown().tainted(left.all_taint()).tainted(right.all_taint()),
        }
    }

    fn index(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        let (Some(value), Some(index)) = pair(node, "value", "subscript") else { return Value::unknown() };
        let value = self.fold(value, frame, depth);
        if index.kind() == "slice" {
            return known::slice(&value, text(index, self.shared.source));
        }
        let index = self.fold(index, frame, depth);
        if let (Some(name), Some(key)) = (value.as_name(), index.as_whole_text()) {
            if name == "os.environ" {
                return known::variable(key);
            }
            // `__builtins__` and `builtins`: their members are the names that are there anyway.
            if name.is_empty() {
                return self.named(key);
            }
            for table in [".__dict__", "__dict__", "vars()", "globals()", "locals()", "__builtins__"] {
                if let Some(module) = name.strip_suffix(table) {
                    let about = known::vars_of(&value);
                    let module = about.as_deref().unwrap_or(module);
                    let full = if module.is_empty() { key.to_owned() } else { format!("{module}.{key}") };
                    return self.named(&full);
                }
            }
            if name == "sys.modules" {
                return self.named(key);
            }
        }
        known::item(&value, &index)
    }

    /// A call: what it gives; the act is kept for the walk.
    fn fold_call(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        if let Some((value, _)) = self.shared.calls.get(&node.id()) {
            return value.clone();
        }
        let (Some(function), Some(list)) = pair(node, "function", "arguments") else {
            return Value::unknown();
        };
        let called = self.fold(function, frame, depth);
        let mut arguments = Vec::new();
        let mut by_name = Vec::new();
        let given = if list.kind() == "argument_list" { named(list, LONGEST) } else { vec![list] };
        for child in given {
            let span = child.byte_range();
            match child.kind() {
                "keyword_argument" => {
                    if let (Some(name), Some(value)) = pair(child, "name", "value") {
                        let span = value.byte_range();
                        let value = self.fold(value, frame, depth);
                        by_name.push((text(name, self.shared.source).to_owned(), Argument { value, span }));
                    }
                }
                "list_splat" => {
                    let items = child.named_child(0).map(|n| self.fold(n, frame, depth));
                    match items.map(|v| v.kind) {
                        Some(Kind::List(items)) => arguments
                            .extend(items.into_iter().map(|value| Argument { value, span: span.clone() })),
                        _ => arguments.push(Argument { value: Value::unknown(), span }),
                    }
                }
                "dictionary_splat" => {
                    let items = child.named_child(0).map(|n| self.fold(n, frame, depth));
                    if let Some(Kind::Map(items)) = items.map(|v| v.kind) {
                        by_name.extend(
                            items.into_iter().map(|(k, value)| (k, Argument { value, span: span.clone() })),
                        );
                    }
                }
                _ => arguments.push(Argument { value: self.fold(child, frame, depth), span }),
            }
        }
        let receiver = match &called.kind {
            Kind::Name { about: Some(about), .. } => Some((**about).clone()),
            _ => None,
        };
        let name = called.as_name().unwrap_or("?").to_owned();
        let act = Act {
            name,
            receiver,
            arguments,
            named: by_name,
            folder: self.shared.folder.clone(),
            span: node.byte_range(),
        };
        let value = self.result(&act, &called);
        self.shared.calls.insert(node.id(), (value.clone(), act));
        value
    }
}
