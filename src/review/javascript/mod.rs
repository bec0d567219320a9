//! JavaScript: walks the tree from top to bottom, follows `require`, `import` and names, and tells every call as an act.
//!
//! Built like the reader of Python; an object among the arguments also gives its members as named arguments, because
//! that is how options are passed. Judging is not done here.

mod fold;
mod known;

use super::Scope;
use super::book::RuleBook;
use super::flow::{Reading, element, element_in};
use super::handed;
use super::syntax::{named, pair, text};
use super::value::{Act, Argument, Value};
use super::walk::{Shared, Step, Walker, spread, walk};
use tree_sitter::Node;

/// Reads a parsed text.
pub(super) fn read(root: Node<'_>, source: &str, book: &RuleBook, scope: &Scope) -> Reading {
    let mut reader = Reader { shared: Shared::new(root, source, book, scope) };
    let mut next = 0;
    while let Some((node, frame)) = reader.shared.body(next) {
        walk(&mut reader, node, frame);
        next += 1;
    }
    reader.shared.finish()
}

/// The state of one reading.
struct Reader<'a, 't> {
    shared: Shared<'a, 't>,
}

impl<'t> Walker<'t> for Reader<'_, 't> {
    /// Takes in one node; says whether to go into it.
    fn visit(&mut self, node: Node<'t>, step: Step) -> bool {
        let Step { frame, branch, top } = step;
        match node.kind() {
            "function_declaration"
            | "function_expression"
            | "arrow_function"
            | "method_definition"
            | "generator_function"
            | "generator_function_declaration"
                if !top =>
            {
                if let Some(name) = node.child_by_field_name("name").filter(|n| n.kind() == "identifier") {
                    let name = text(name, self.shared.source);
                    self.shared.frames.bind(frame, name, Value::name(format!("function {name}")), branch);
                    self.shared.handed.define(format!("function {name}"), node, frame);
                }
                let inner = self.shared.put_off(node, frame);
                for field in ["parameters", "parameter"] {
                    if let Some(parameters) = node.child_by_field_name(field) {
                        self.forget(parameters, inner);
                    }
                }
                return false;
            }
            "import_statement" => self.import(node, frame),
            "variable_declarator" => {
                if let (Some(name), Some(value)) = pair(node, "name", "value") {
                    let value = match value.kind() {
                        "arrow_function" | "function_expression" if name.kind() == "identifier" => {
                            let called = format!("function {}", text(name, self.shared.source));
                            self.shared.handed.define(called.clone(), value, frame);
                            Value::name(called)
                        }
                        _ => self.fold(value, frame, 0),
                    };
                    self.bind_pattern(name, value, frame, branch);
                }
            }
            "assignment_expression" => {
                if let (Some(left), Some(right)) = pair(node, "left", "right") {
                    let value = self.fold(right, frame, 0);
                    self.bind_pattern(left, value, frame, branch);
                }
            }
            "augmented_assignment_expression" => {
                if let (Some(left), Some(right)) = pair(node, "left", "right") {
                    let before = self.fold(left, frame, 0);
                    let added = self.fold(right, frame, 0);
                    let plus = node
                        .child_by_field_name("operator")
                        .is_some_and(|o| text(o, self.shared.source) == "+=");
                    let value = if plus { Value::join(&[before, added], "") } else { Value::unknown() };
                    self.bind_pattern(left, value, frame, branch);
                }
            }
            "for_in_statement" => {
                if let (Some(left), Some(right)) = pair(node, "left", "right") {
                    let value = element_in(&self.fold(right, frame, 0), self.shared.scope);
                    self.bind_pattern(left, value, frame, false);
                }
            }
            "call_expression" | "new_expression" => self.call(node, frame),
            "member_expression" | "subscript_expression" => self.variable_read(node, frame),
            _ => {}
        }
        true
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
        )
    }

    fn too_deep(&mut self) {
        self.shared.reading.cut = true;
    }
}

impl<'t> Reader<'_, 't> {
    /// Parameters hide names of the same spelling outside.
    fn forget(&mut self, parameters: Node<'t>, frame: usize) {
        let all = if parameters.kind() == "identifier" { vec![parameters] } else { named(parameters, 64) };
        let bare = |n: Node<'t>| n.child_by_field_name("pattern").unwrap_or(n);
        for name in all.into_iter().map(bare).filter(|n| n.kind() == "identifier") {
            self.shared.frames.bind(frame, text(name, self.shared.source), Value::unknown(), false);
        }
    }

    /// A function of the text is called: its body is read again with what it is handed to call.
    fn enter_with(&mut self, act: &Act) {
        let Some((function, frame)) = self.shared.handed.function(&act.name) else { return };
        let parameters =
            ["parameters", "parameter"].into_iter().find_map(|f| function.child_by_field_name(f));
        let Some(parameters) = parameters else { return };
        let all = if parameters.kind() == "identifier" { vec![parameters] } else { named(parameters, 64) };
        let source = self.shared.source;
        let names = all.into_iter().map(|n| {
            let name =
                n.child_by_field_name("pattern").or_else(|| n.child_by_field_name("left")).unwrap_or(n);
            if name.kind() == "identifier" { text(name, source) } else { "" }
        });
        let given = handed::given(names, act);
        let Some(inner) = self.shared.read_again((function, frame), &given) else { return };
        self.forget(parameters, inner);
        for (name, value) in given {
            self.shared.frames.bind(inner, name, value, false);
        }
    }

    fn import(&mut self, node: Node<'t>, frame: usize) {
        let Some(source) = node.child_by_field_name("source") else {
            return self.import_require(node, frame);
        };
        let module = self.fold(source, frame, 0);
        let Some(module) = module.as_whole_text().map(str::to_owned) else { return };
        self.shared.imported(module.strip_prefix("node:").unwrap_or(&module), node.byte_range());
        let clauses = named(node, 8).into_iter().filter(|n| n.kind() == "import_clause");
        for item in clauses.flat_map(|clause| named(clause, 8)) {
            match item.kind() {
                "identifier" => {
                    let value = self.named(&module);
                    self.shared.frames.bind(frame, text(item, self.shared.source), value, false);
                }
                "namespace_import" => {
                    if let Some(name) = item.named_child(0) {
                        let value = self.named(&module);
                        self.shared.frames.bind(frame, text(name, self.shared.source), value, false);
                    }
                }
                "named_imports" => {
                    for specifier in named(item, 256) {
                        let Some(name) = specifier.child_by_field_name("name") else { continue };
                        let alias = specifier.child_by_field_name("alias").unwrap_or(name);
                        let value = self.named(&format!("{module}.{}", text(name, self.shared.source)));
                        self.shared.frames.bind(frame, text(alias, self.shared.source), value, false);
                    }
                }
                _ => {}
            }
        }
    }

    /// `import fs = require('fs')`.
    fn import_require(&mut self, node: Node<'t>, frame: usize) {
        let clause = named(node, 8).into_iter().find(|n| n.kind() == "import_require_clause");
        let Some(clause) = clause else { return };
        let (Some(name), Some(source)) = (clause.named_child(0), clause.child_by_field_name("source")) else {
            return;
        };
        if let Some(module) = self.fold(source, frame, 0).as_whole_text() {
            self.shared.imported(module.strip_prefix("node:").unwrap_or(module), node.byte_range());
            let value = self.named(module);
            self.shared.frames.bind(frame, text(name, self.shared.source), value, false);
        }
    }

    /// Binds a name, the members of an object (`const { rm: x } = …`), the items of an array.
    fn bind_pattern(&mut self, left: Node<'t>, value: Value, frame: usize, branch: bool) {
        match left.kind() {
            "identifier" => self.shared.frames.bind(frame, text(left, self.shared.source), value, branch),
            "member_expression" if left.byte_range().len() < 80 => {
                self.shared.frames.bind_shared(text(left, self.shared.source), value);
            }
            "object_pattern" => {
                for child in named(left, 64) {
                    let (key, name) = match child.kind() {
                        "pair_pattern" => match pair(child, "key", "value") {
                            (Some(key), Some(name)) => (key, name),
                            _ => continue,
                        },
                        "object_assignment_pattern" => match child.child_by_field_name("left") {
                            Some(name) => (name, name),
                            None => continue,
                        },
                        _ => (child, child),
                    };
                    let member = self.member(&value, text(key, self.shared.source));
                    if name.kind() == "object_pattern" {
                        continue;
                    }
                    self.shared.frames.bind(frame, text(name, self.shared.source), member, branch);
                }
            }
            "array_pattern" => {
                for (index, name) in named(left, 64).into_iter().enumerate() {
                    let item = spread(&value, index);
                    if name.kind() == "identifier" {
                        self.shared.frames.bind(frame, text(name, self.shared.source), item, branch);
                    }
                }
            }
            _ => {}
        }
    }

    /// A call: told as an act, and again for each function that it is given to call (`files.forEach(fs.unlinkSync)`).
    fn call(&mut self, node: Node<'t>, frame: usize) {
        if !self.shared.calls.contains_key(&node.id()) {
            self.fold(node, frame, 0);
        }
        let Some((_, act)) = self.shared.calls.remove(&node.id()) else { return };
        if matches!(act.name.as_str(), "require" | "import" | "process.mainModule.require" | "module.require")
            && let Some(name) = act.arguments.first().and_then(|a| a.value.as_whole_text())
        {
            self.shared.imported(name.strip_prefix("node:").unwrap_or(name), act.span.clone());
        }
        if act.name == "process.chdir" {
            self.shared.folder = act.arguments.first().map(|a| a.value.clone());
        }
        self.enter_with(&act);
        for argument in &act.arguments {
            let Some(name) = argument.value.as_name().filter(|name| self.shared.book.knows(name)) else {
                continue;
            };
            let item = act.receiver.as_ref().map_or_else(Value::unknown, element);
            let item = Argument { value: item, span: argument.span.clone() };
            let name = name.to_owned();
            self.shared.tell(&name, vec![item], act.span.clone());
        }
        self.shared.reading.unknown |= act.name == "?";
        self.shared.reading.acts.push(act);
    }

    /// `process.env.KEY` is told like a call.
    fn variable_read(&mut self, node: Node<'t>, frame: usize) {
        let Some(object) = node.child_by_field_name("object") else { return };
        if !text(object, self.shared.source).ends_with("env")
            || self.fold(object, frame, 0).as_name() != Some("process.env")
        {
            return;
        }
        let (value, span) = if let Some(property) = node.child_by_field_name("property") {
            (Value::text(text(property, self.shared.source)), property.byte_range())
        } else if let Some(index) = node.child_by_field_name("index") {
            (self.fold(index, frame, 0), index.byte_range())
        } else {
            return;
        };
        self.shared.tell("process.env[]", vec![Argument { value, span }], node.byte_range());
    }
}
