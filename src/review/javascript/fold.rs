//! Folding: what is known of the value of a JavaScript expression, without running anything.

use super::Reader;
use crate::review::ground;
use crate::review::syntax::{named, pair, text};
use crate::review::value::{Act, Argument, HOLE, Kind, Taint, Value};
use tree_sitter::Node;

/// Expressions nested deeper than this are not folded.
const DEEPEST: u32 = 48;

/// Longest list or object that is folded.
const LONGEST: usize = 256;

impl<'t> Reader<'_, 't> {
    /// What is known of an expression.
    pub(super) fn fold(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        if depth > DEEPEST || !self.shared.frames.pay(1) {
            return Value::unknown();
        }
        let deeper = depth + 1;
        match node.kind() {
            "identifier" | "shorthand_property_identifier" => {
                self.identifier(text(node, self.shared.source), frame)
            }
            "import" => Value::name("import"),
            "member_expression" => {
                let (Some(object), Some(property)) = pair(node, "object", "property") else {
                    return Value::unknown();
                };
                if node.byte_range().len() < 80
                    && let Some(value) = self.shared.frames.lookup(0, text(node, self.shared.source))
                {
                    return value;
                }
                let object = self.fold(object, frame, deeper);
                self.member(&object, text(property, self.shared.source))
            }
            "subscript_expression" => self.index(node, frame, deeper),
            "string" => self.string(node),
            "template_string" => self.template(node, frame, deeper),
            "number" => {
                let number = crate::review::value::integer(text(node, self.shared.source));
                number.map_or_else(Value::unknown, |n| Value::new(Kind::Number(n)))
            }
            "true" => Value::new(Kind::Bool(true)),
            "false" => Value::new(Kind::Bool(false)),
            "null" | "undefined" => Value::new(Kind::Nothing),
            "parenthesized_expression"
            | "await_expression"
            | "spread_element"
            | "as_expression"
            | "satisfies_expression"
            | "non_null_expression" => {
                named(node, 1).first().map_or_else(Value::unknown, |n| self.fold(*n, frame, deeper))
            }
            "sequence_expression" => {
                named(node, 16).last().map_or_else(Value::unknown, |n| self.fold(*n, frame, deeper))
            }
            "array" => {
                let items = named(node, LONGEST + 1);
                if items.len() > LONGEST {
                    return Value::unknown();
                }
                Value::new(Kind::List(items.into_iter().map(|n| self.fold(n, frame, deeper)).collect()))
            }
            "object" => self.object(node, frame, deeper),
            "binary_expression" | "ternary_expression" => self.binary(node, frame, deeper),
            "call_expression" | "new_expression" => self.fold_call(node, frame, deeper),
            _ => Value::unknown(),
        }
    }

    fn identifier(&mut self, name: &str, frame: usize) -> Value {
        if let Some(value) = self.shared.frames.lookup(frame, name) {
            return value;
        }
        match name {
            "undefined" => Value::new(Kind::Nothing),
            "__dirname" => Value::text("."),
            _ => self.named(name),
        }
    }

    /// A name as the rules spell it, with the marks that it carries.
    pub(super) fn named(&self, name: &str) -> Value {
        self.shared.named(name.strip_prefix("node:").unwrap_or(name))
    }

    /// A member of a value.
    pub(super) fn member(&self, value: &Value, name: &str) -> Value {
        match &value.kind {
            Kind::Name { path, .. } if path == "process.env" => match name {
                "HOME" | "USERPROFILE" => Value::text("~"),
                _ if ground::secret_name(name) => Value::unknown().tainted(Taint::SECRET),
                _ => Value::unknown(),
            },
            Kind::Name { path, about } => {
                // `import fs from 'fs'` and `(await import('fs')).default` are the module itself.
                if name == "default" {
                    return value.clone();
                }
                self.shared.member_of(path, about.as_deref(), name, value.taint)
            }
            Kind::Map(items) => items.iter().find(|(key, _)| key == name).map_or_else(
                || Value::name_about(format!("object.{name}"), value.clone()),
                |(_, v)| v.clone(),
            ),
            Kind::Text { .. } => Value::name_about(format!("string.{name}"), value.clone()),
            Kind::List(_) => Value::name_about(format!("array.{name}"), value.clone()),
            _ => Value::name(format!("?.{name}")).tainted(value.all_taint()),
        }
    }

    fn index(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        let (Some(object), Some(index)) = pair(node, "object", "index") else { return Value::unknown() };
        let object = self.fold(object, frame, depth);
        let index = self.fold(index, frame, depth);
        match (&object.kind, &index.kind) {
            (Kind::List(items), Kind::Number(n)) => {
                usize::try_from(*n).ok().and_then(|n| items.get(n)).cloned().unwrap_or_else(Value::unknown)
            }
            (_, Kind::Text { text, whole: true }) => self.member(&object, text),
            _ => Value::unknown().tainted(object.all_taint()),
        }
    }

    fn string(&self, node: Node<'t>) -> Value {
        let inner = node.start_byte() + 1..node.end_byte().saturating_sub(1);
        Value::text(unescaped(self.shared.source.get(inner).unwrap_or_default()))
    }

    fn template(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        let mut parts = vec![Value::text("")];
        for child in named(node, LONGEST) {
            match child.kind() {
                "template_substitution" => {
                    let inner = named(child, 1).first().map(|n| self.fold(*n, frame, depth));
                    parts.push(inner.unwrap_or_else(Value::unknown));
                }
                _ => parts.push(Value::text(unescaped(text(child, self.shared.source)))),
            }
        }
        Value::join(&parts, "")
    }

    fn object(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        let mut items = Vec::new();
        let mut loose = Taint::default();
        for child in named(node, LONGEST) {
            match child.kind() {
                "pair" => {
                    if let (Some(key), Some(value)) = pair(child, "key", "value") {
                        let name = text(key, self.shared.source).trim_matches(['"', '\'']).to_owned();
                        items.push((name, self.fold(value, frame, depth)));
                    }
                }
                "shorthand_property_identifier" => {
                    let name = text(child, self.shared.source);
                    items.push((name.to_owned(), self.identifier(name, frame)));
                }
                "spread_element" => match self.fold(child, frame, depth) {
                    Value { kind: Kind::Map(more), .. } => items.extend(more),
                    other => loose = loose.with(other.all_taint()),
                },
                _ => {}
            }
        }
        items.truncate(LONGEST);
        Value::new(Kind::Map(items)).tainted(loose)
    }

    fn binary(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        let operator =
            node.child_by_field_name("operator").map(|o| text(o, self.shared.source)).unwrap_or_default();
        let parts = named(node, 3).into_iter().skip(usize::from(node.kind() == "ternary_expression"));
        let parts: Vec<Value> = parts.map(|n| self.fold(n, frame, depth)).collect();
        let texts = parts.iter().any(|v| v.as_text().is_some());
        if operator == "+" && texts {
            return Value::join(&parts, "");
        }
        parts.iter().fold(Value::unknown(), |v, part| v.tainted(part.all_taint()))
    }

    /// A call: what it gives; the act is kept for the walk.
    fn fold_call(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        if let Some((value, _)) = self.shared.calls.get(&node.id()) {
            return value.clone();
        }
        let field = if node.kind() == "new_expression" { "constructor" } else { "function" };
        let Some(function) = node.child_by_field_name(field) else { return Value::unknown() };
        let called = self.fold(function, frame, depth);
        let mut arguments = Vec::new();
        let list = node.child_by_field_name("arguments");
        for child in list
            .map(|l| if l.kind() == "arguments" { named(l, LONGEST) } else { vec![l] })
            .unwrap_or_default()
        {
            let span = child.byte_range();
            match (child.kind(), self.fold(child, frame, depth)) {
                ("spread_element", Value { kind: Kind::List(items), .. }) => {
                    arguments.extend(items.into_iter().map(|value| Argument { value, span: span.clone() }));
                }
                (_, value) => arguments.push(Argument { value, span }),
            }
        }
        let mut by_name = Vec::new();
        for argument in &arguments {
            if let Kind::Map(items) = &argument.value.kind {
                let more = items.iter().map(|(key, v)| {
                    (key.clone(), Argument { value: v.clone(), span: argument.span.clone() })
                });
                by_name.extend(more);
            }
        }
        let receiver = match &called.kind {
            Kind::Name { about: Some(about), .. } => Some((**about).clone()),
            _ => None,
        };
        let act = Act {
            name: called.as_name().unwrap_or("?").to_owned(),
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

/// The text of a piece of a string, escapes resolved.
fn unescaped(piece: &str) -> String {
    if !piece.contains('\\') {
        return piece.to_owned();
    }
    let mut out = String::with_capacity(piece.len());
    let mut chars = piece.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('\n') | None => {}
            Some('x') => out.push(code(&mut chars, 2)),
            Some('u') if chars.clone().next() == Some('{') => {
                chars.next();
                let hex: String = chars.by_ref().take_while(|c| *c != '}').take(6).collect();
                out.push(u32::from_str_radix(&hex, 16).ok().and_then(char::from_u32).unwrap_or(HOLE));
            }
            Some('u') => out.push(code(&mut chars, 4)),
            Some(other) => out.push(other),
        }
    }
    out
}

/// The character of so many hexadecimal digits.
fn code(chars: &mut std::str::Chars<'_>, digits: usize) -> char {
    let hex: String = chars.by_ref().take(digits).collect();
    u32::from_str_radix(&hex, 16).ok().and_then(char::from_u32).unwrap_or(HOLE)
}
