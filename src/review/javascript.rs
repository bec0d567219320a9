//! Reads JavaScript: walks the tree from top to bottom, follows `require`, `import` and variables, and collects every
//! call as an act.
//!
//! Built like the reader of Python. The members of an object argument also become named arguments, because JavaScript
//! passes options that way. `judge` judges the acts.

mod bind;
mod call;
mod fold;
mod known;

use super::Scope;
use super::argument_flow::FlowFunction;
use super::flow::{Extraction, element_in};
use super::rule_set::RuleSet;
use super::syntax::{each, named_children, pair, text};
use super::value::{Argument, Value, ValueKind};
use super::walk::{WalkContext, WalkStep, Walker, walk};
use std::collections::HashSet;
use std::ops::Range;
use tree_sitter::Node;

/// Reads a parsed text.
pub(super) fn read(root: Node<'_>, source: &str, rules: &RuleSet, scope: &Scope) -> Extraction {
    let shared = WalkContext::new(root, source, rules, scope);
    let mut reader =
        JavascriptReader { shared, collected: HashSet::new(), unverified: false, blocks: Vec::new() };
    reader.share(root);
    reader.hoist(root, 0);
    let mut next = 0;
    while let Some((node, frame)) = reader.shared.body(&mut next) {
        reader.shared.begin_body(node, frame);
        walk(&mut reader, node, frame);
    }
    reader.shared.finish()
}

/// The state of reading one text.
struct JavascriptReader<'a, 't> {
    shared: WalkContext<'a, 't>,
    /// Calls that were already collected together with an enclosing call.
    collected: HashSet<usize>,
    /// Whether the text switches off certificate checks for all later connections.
    unverified: bool,
    /// The blocks that are being read, the innermost last.
    blocks: Vec<usize>,
}

/// Whether a node is a function of any kind.
fn is_function(kind: &str) -> bool {
    matches!(
        kind,
        "function_declaration"
            | "function_expression"
            | "arrow_function"
            | "method_definition"
            | "generator_function"
            | "generator_function_declaration"
    )
}

impl<'t> Walker<'t> for JavascriptReader<'_, 't> {
    fn visit(&mut self, node: Node<'t>, step: WalkStep) -> bool {
        let WalkStep { frame, branch, top } = step;
        self.shared.is_conditional = branch || frame > 0;
        match node.kind() {
            kind if !top && is_function(kind) => {
                self.function(node, frame, branch);
                return false;
            }
            "class_declaration" | "class" => self.class(node, frame),
            "statement_block" | "switch_case" => self.blocks.push(node.id()),
            "lexical_declaration" => self.shadow(node, frame),
            "enum_declaration" => self.enumeration(node, frame),
            "import_statement" => self.import(node, frame),
            "variable_declarator" => {
                if let (Some(name), Some(value)) = pair(node, "name", "value") {
                    let value = self.fold(value, frame, 0);
                    self.bind_pattern(name, value, frame, branch);
                }
            }
            "assignment_expression" => {
                if let (Some(left), Some(right)) = pair(node, "left", "right") {
                    let value = self.fold(right, frame, 0);
                    self.variable_set(left, &value, frame);
                    self.bind_pattern(left, value, frame, branch);
                }
            }
            "augmented_assignment_expression" => self.augment(node, frame, branch),
            "return_statement" => {
                let value = node.named_child(0).map(|value| self.fold(value, frame, 0));
                self.shared.functions.note_return(value.unwrap_or_else(|| Value::new(ValueKind::Nothing)));
            }
            "yield_expression" => {
                if let Some(value) = node.named_child(0) {
                    let value = self.fold(value, frame, 0);
                    self.shared.functions.note_yield(value);
                }
            }
            "for_statement" | "while_statement" | "do_statement" => self.shared.begin_repeated(node, frame),
            "for_in_statement" => {
                self.shared.begin_repeated(node, frame);
                if let (Some(left), Some(right)) = pair(node, "left", "right") {
                    if left.kind() == "identifier" {
                        self.shared.keep_behind(node.id(), frame, &self.spelled(left));
                    }
                    let value = element_in(&self.fold(right, frame, 0), self.shared.scope);
                    self.bind_pattern(left, value, frame, false);
                }
            }
            "catch_clause" => {
                if let Some(name) = node.child_by_field_name("parameter").filter(|n| n.kind() == "identifier")
                {
                    let name = self.spelled(name);
                    self.shared.keep_behind(node.id(), frame, &name);
                    self.shared.frames.bind(frame, &name, Value::unknown(), false);
                }
            }
            "call_expression" | "new_expression" => self.call(node, frame),
            "member_expression" | "subscript_expression" => self.variable_read(node, frame),
            _ => {}
        }
        true
    }

    fn leave(&mut self, node: Node<'t>) {
        self.blocks.pop_if(|block| *block == node.id());
        if let Some(frame) = self.shared.end_repeated(node) {
            self.shared.set_second_round(true);
            walk(self, node, frame);
            self.shared.set_second_round(false);
        }
    }

    fn is_branch(kind: &str) -> bool {
        matches!(
            kind,
            "if_statement"
                | "else_clause"
                | "for_statement"
                | "for_in_statement"
                | "while_statement"
                | "do_statement"
                | "try_statement"
                | "catch_clause"
                | "switch_statement"
                | "ternary_expression"
                | "binary_expression"
        )
    }

    fn too_deep(&mut self) {
        self.shared.reading.cut = true;
    }
}

impl<'t> JavascriptReader<'_, 't> {
    /// Notes the names that functions set outside of themselves.
    fn share(&mut self, root: Node<'t>) {
        let source = self.shared.source;
        let mut around: Vec<Range<usize>> = Vec::new();
        let mut own: HashSet<(usize, &str)> = HashSet::new();
        let mut set: Vec<(usize, &str)> = Vec::new();
        each(root, |node, _| {
            while around.last().is_some_and(|span| span.end <= node.start_byte()) {
                around.pop();
            }
            if is_function(node.kind()) {
                around.push(node.byte_range());
            }
            let Some(function) = around.last().map(|span| span.start) else { return true };
            let name = |field: &str| {
                let name = node.child_by_field_name(field).filter(|name| name.kind() == "identifier");
                name.map(|name| (function, text(name, source)))
            };
            match node.kind() {
                "assignment_expression" | "augmented_assignment_expression" => set.extend(name("left")),
                "update_expression" => set.extend(name("argument")),
                "variable_declarator" => own.extend(name("name")),
                "arrow_function" => own.extend(name("parameter")),
                "required_parameter" | "optional_parameter" => own.extend(name("pattern")),
                _ => {}
            }
            true
        });
        for (function, name) in set {
            if !own.contains(&(function, name)) {
                self.shared.frames.share(name);
            }
        }
    }

    /// `let` and `const` in a block hide what their names mean around it, as far as the block reaches.
    fn shadow(&mut self, declaration: Node<'t>, frame: usize) {
        let Some(block) = self.blocks.last().copied() else { return };
        for declarator in named_children(declaration, 64) {
            let name = declarator.child_by_field_name("name").filter(|name| name.kind() == "identifier");
            if let Some(name) = name.map(|name| self.spelled(name)) {
                self.shared.keep_behind(block, frame, &name);
            }
        }
    }

    /// Binds declared functions first, because they can be called above their declaration.
    fn hoist(&mut self, body: Node<'t>, frame: usize) {
        for child in named_children(body, 4096) {
            let inner = child.child_by_field_name("declaration").unwrap_or(child);
            if matches!(inner.kind(), "function_declaration" | "generator_function_declaration") {
                self.named_function(inner, frame, false);
            }
        }
    }

    fn named_function(&mut self, node: Node<'t>, frame: usize, branch: bool) {
        let Some(name) = node.child_by_field_name("name").filter(|n| n.kind() == "identifier") else {
            return;
        };
        let name = self.spelled(name);
        let mut called = format!("function {name}");
        if branch {
            called = format!("{called}@{}", node.start_byte());
        }
        self.shared.frames.bind(frame, &name, Value::name(called.clone()), branch);
        self.shared.functions.define(called, FlowFunction { node, frame, method: false });
    }

    /// Binds the name of a function and queues its body.
    fn function(&mut self, node: Node<'t>, frame: usize, branch: bool) {
        self.named_function(node, frame, branch);
        if let Some(inner) = self.shared.queue_body(node, frame) {
            self.parameters(node, inner, None);
        }
    }

    /// The value of a function that has no name of its own.
    fn function_value(&mut self, node: Node<'t>, frame: usize) -> Value {
        let called = format!("function @{}", node.start_byte());
        self.shared.functions.define(called.clone(), FlowFunction { node, frame, method: false });
        Value::name(called)
    }

    /// A class: binds its name, its methods, its fields and its base class.
    fn class(&mut self, node: Node<'t>, frame: usize) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let name = self.spelled(name);
        let mut class = Value::name(format!("class {name}"));
        let heritage = named_children(node, 8).into_iter().find(|n| n.kind() == "class_heritage");
        let base = heritage.and_then(|h| h.named_child(0));
        let base = base.map(|b| b.child_by_field_name("value").unwrap_or(b));
        if let Some(base) = base.map(|base| self.fold(base, frame, 0)) {
            match base.as_name() {
                Some(base) if base.starts_with("class ") => {
                    self.shared.functions.note_subclass(format!("class {name}"), base.to_owned());
                }
                Some(known) if self.shared.rules.knows(known) => class = base.clone(),
                _ => {}
            }
        }
        self.shared.frames.bind(frame, &name, class, false);
        let body = node.child_by_field_name("body").map(|body| named_children(body, 256)).unwrap_or_default();
        for item in body {
            let Some(member) =
                item.child_by_field_name("name").or_else(|| item.child_by_field_name("property"))
            else {
                continue;
            };
            let member = self.spelled(member);
            if item.kind() == "method_definition" {
                for owner in [format!("class {name}()"), format!("class {name}")] {
                    let function = FlowFunction { node: item, frame, method: true };
                    self.shared.functions.define(format!("{owner}.{member}"), function);
                }
            } else if let Some(value) = item.child_by_field_name("value") {
                let value = self.fold(value, frame, 0);
                for owner in [format!("class {name}"), format!("class {name}()"), "this".to_owned()] {
                    self.shared.frames.bind_shared(&format!("{owner}.{member}"), value.clone());
                }
            }
        }
    }

    /// `enum Command { List = 'ls' }`: binds its name to a map of its values.
    fn enumeration(&mut self, node: Node<'t>, frame: usize) {
        let (Some(name), Some(body)) = pair(node, "name", "body") else { return };
        let mut items = Vec::new();
        for item in named_children(body, 256) {
            if let (Some(key), Some(value)) = pair(item, "name", "value") {
                items.push((self.spelled(key), self.fold(value, frame, 0)));
            }
        }
        let name = self.spelled(name);
        self.shared.frames.bind(frame, &name, Value::new(ValueKind::Map(items)), false);
    }

    /// An identifier as JavaScript reads it, escapes resolved.
    fn spelled(&self, node: Node<'t>) -> String {
        let spelled = text(node, self.shared.source);
        crate::review::lookalike::unescaped(spelled).unwrap_or_else(|| spelled.to_owned())
    }

    /// Collects `process.env.KEY = value` like a call.
    fn variable_set(&mut self, left: Node<'t>, value: &Value, frame: usize) {
        let (Some(object), Some(property)) = pair(left, "object", "property") else { return };
        if text(object, self.shared.source).ends_with("env")
            && self.fold(object, frame, 0).as_name() == Some("process.env")
        {
            let span = left.byte_range();
            if self.spelled(property) == "NODE_TLS_REJECT_UNAUTHORIZED" {
                self.unverified = true;
            }
            let name = Argument { value: Value::text(self.spelled(property)), span: property.byte_range() };
            let value = Argument { value: value.clone(), span: span.clone() };
            self.shared.push_act("process.env[]=", vec![name, value], span);
        }
    }

    /// Collects `process.env.KEY` like a call.
    fn variable_read(&mut self, node: Node<'t>, frame: usize) {
        let Some(object) = node.child_by_field_name("object") else { return };
        if !text(object, self.shared.source).ends_with("env")
            || self.fold(object, frame, 0).as_name() != Some("process.env")
        {
            return;
        }
        let (value, span) = if let Some(property) = node.child_by_field_name("property") {
            (Value::text(self.spelled(property)), property.byte_range())
        } else if let Some(index) = node.child_by_field_name("index") {
            (self.fold(index, frame, 0), index.byte_range())
        } else {
            return;
        };
        for value in value.alternatives() {
            let argument = Argument { value, span: span.clone() };
            self.shared.push_act("process.env[]", vec![argument], node.byte_range());
        }
    }
}
