//! JavaScript: walks the tree from top to bottom, follows `require`, `import` and names, and tells every call as an act.
//!
//! Built like the reader of Python; an object among the arguments also gives its members as named arguments, because
//! that is how options are passed. Judging is not done here.

mod fold;
mod known;

use super::Scope;
use super::book::RuleBook;
use super::flow::{Frames, Reading, element};
use super::syntax::{DEEPEST, named, text};
use super::value::{Act, Argument, Kind, Value};
use std::collections::HashMap;
use tree_sitter::Node;

/// Reads a parsed text.
pub(super) fn read(root: Node<'_>, source: &str, book: &RuleBook, scope: &Scope) -> Reading {
    let mut reader = Reader {
        source,
        book,
        scope,
        frames: Frames::new(source.len()),
        calls: HashMap::new(),
        folder: None,
        waiting: vec![(root, 0)],
        reading: Reading::default(),
    };
    let mut next = 0;
    while let Some((node, frame)) = reader.waiting.get(next).copied() {
        reader.walk(node, frame);
        next += 1;
    }
    reader.reading.cut |= reader.frames.exhausted();
    reader.reading
}

/// The state of one reading.
struct Reader<'a, 't> {
    source: &'a str,
    book: &'a RuleBook,
    scope: &'a Scope,
    frames: Frames,
    /// Calls that were folded already: what they give, and the act.
    calls: HashMap<usize, (Value, Act)>,
    /// Where `process.chdir` went.
    folder: Option<Value>,
    /// Bodies that wait, each with its frame.
    waiting: Vec<(Node<'t>, usize)>,
    reading: Reading,
}

impl<'t> Reader<'_, 't> {
    fn walk(&mut self, root: Node<'t>, frame: usize) {
        let mut cursor = root.walk();
        let (mut depth, mut branches) = (0_u32, 0_u32);
        loop {
            let node = cursor.node();
            let deeper = self.visit(node, frame, branches > 0, depth == 0);
            if deeper && depth >= DEEPEST {
                self.reading.cut = true;
            } else if deeper && cursor.goto_first_child() {
                depth += 1;
                branches += u32::from(is_branch(node.kind()));
                continue;
            }
            loop {
                if depth == 0 {
                    return;
                }
                if cursor.goto_next_sibling() {
                    break;
                }
                cursor.goto_parent();
                depth -= 1;
                branches = branches.saturating_sub(u32::from(is_branch(cursor.node().kind())));
            }
        }
    }

    /// Takes in one node; says whether to go into it.
    fn visit(&mut self, node: Node<'t>, frame: usize, branch: bool, top: bool) -> bool {
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
                    let name = text(name, self.source);
                    self.frames.bind(frame, name, Value::name(format!("function {name}")), branch);
                }
                let inner = self.frames.open(frame);
                for field in ["parameters", "parameter"] {
                    if let Some(parameters) = node.child_by_field_name(field) {
                        self.forget(parameters, inner);
                    }
                }
                self.waiting.push((node, inner));
                return false;
            }
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
                    self.bind_pattern(left, value, frame, branch);
                }
            }
            "augmented_assignment_expression" => {
                if let (Some(left), Some(right)) = pair(node, "left", "right") {
                    let before = self.fold(left, frame, 0);
                    let added = self.fold(right, frame, 0);
                    let plus =
                        node.child_by_field_name("operator").is_some_and(|o| text(o, self.source) == "+=");
                    let value = if plus { Value::join(&[before, added], "") } else { Value::unknown() };
                    self.bind_pattern(left, value, frame, branch);
                }
            }
            "for_in_statement" => {
                if let (Some(left), Some(right)) = pair(node, "left", "right") {
                    let value = element(&self.fold(right, frame, 0));
                    self.bind_pattern(left, value, frame, false);
                }
            }
            "call_expression" | "new_expression" => self.call(node, frame),
            "member_expression" | "subscript_expression" => self.variable_read(node, frame),
            _ => {}
        }
        true
    }

    /// Parameters hide names of the same spelling outside.
    fn forget(&mut self, parameters: Node<'t>, frame: usize) {
        let all = if parameters.kind() == "identifier" { vec![parameters] } else { named(parameters, 64) };
        for name in all.into_iter().filter(|n| n.kind() == "identifier") {
            self.frames.bind(frame, text(name, self.source), Value::unknown(), false);
        }
    }

    fn import(&mut self, node: Node<'t>, frame: usize) {
        let Some(source) = node.child_by_field_name("source") else { return };
        let module = self.fold(source, frame, 0);
        let Some(module) = module.as_whole_text().map(str::to_owned) else { return };
        let clauses = named(node, 8).into_iter().filter(|n| n.kind() == "import_clause");
        for item in clauses.flat_map(|clause| named(clause, 8)) {
            match item.kind() {
                "identifier" => {
                    let value = self.named(&module);
                    self.frames.bind(frame, text(item, self.source), value, false);
                }
                "namespace_import" => {
                    if let Some(name) = item.named_child(0) {
                        let value = self.named(&module);
                        self.frames.bind(frame, text(name, self.source), value, false);
                    }
                }
                "named_imports" => {
                    for specifier in named(item, 256) {
                        let Some(name) = specifier.child_by_field_name("name") else { continue };
                        let alias = specifier.child_by_field_name("alias").unwrap_or(name);
                        let value = self.named(&format!("{module}.{}", text(name, self.source)));
                        self.frames.bind(frame, text(alias, self.source), value, false);
                    }
                }
                _ => {}
            }
        }
    }

    /// Binds a name, the members of an object (`const { rm: x } = …`), the items of an array.
    fn bind_pattern(&mut self, left: Node<'t>, value: Value, frame: usize, branch: bool) {
        match left.kind() {
            "identifier" => self.frames.bind(frame, text(left, self.source), value, branch),
            "member_expression" if left.byte_range().len() < 80 => {
                self.frames.bind_shared(text(left, self.source), value);
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
                    let member = self.member(&value, text(key, self.source));
                    if name.kind() == "object_pattern" {
                        continue;
                    }
                    self.frames.bind(frame, text(name, self.source), member, branch);
                }
            }
            "array_pattern" => {
                for (index, name) in named(left, 64).into_iter().enumerate() {
                    let item = match &value.kind {
                        Kind::List(items) => items.get(index).cloned().unwrap_or_else(Value::unknown),
                        _ => Value::unknown().tainted(value.all_taint()),
                    };
                    if name.kind() == "identifier" {
                        self.frames.bind(frame, text(name, self.source), item, branch);
                    }
                }
            }
            _ => {}
        }
    }

    /// A call: told as an act, and again for each function that it is given to call (`files.forEach(fs.unlinkSync)`).
    fn call(&mut self, node: Node<'t>, frame: usize) {
        if !self.calls.contains_key(&node.id()) {
            self.fold(node, frame, 0);
        }
        let Some((_, act)) = self.calls.remove(&node.id()) else { return };
        if act.name == "process.chdir" {
            self.folder = act.arguments.first().map(|a| a.value.clone());
        }
        for argument in &act.arguments {
            let Some(name) = argument.value.as_name().filter(|name| self.book.knows(name)) else { continue };
            let item = act.receiver.as_ref().map_or_else(Value::unknown, element);
            let item = Argument { value: item, span: argument.span.clone() };
            self.reading.acts.push(Act {
                name: name.to_owned(),
                receiver: None,
                arguments: vec![item],
                named: Vec::new(),
                folder: self.folder.clone(),
                span: act.span.clone(),
            });
        }
        self.reading.unknown |= act.name == "?";
        self.reading.acts.push(act);
    }

    /// `process.env.KEY` is told like a call.
    fn variable_read(&mut self, node: Node<'t>, frame: usize) {
        let Some(object) = node.child_by_field_name("object") else { return };
        if !text(object, self.source).ends_with("env")
            || self.fold(object, frame, 0).as_name() != Some("process.env")
        {
            return;
        }
        let (value, span) = if let Some(property) = node.child_by_field_name("property") {
            (Value::text(text(property, self.source)), property.byte_range())
        } else if let Some(index) = node.child_by_field_name("index") {
            (self.fold(index, frame, 0), index.byte_range())
        } else {
            return;
        };
        self.reading.acts.push(Act {
            name: "process.env[]".to_owned(),
            receiver: None,
            arguments: vec![Argument { value, span }],
            named: Vec::new(),
            folder: None,
            span: node.byte_range(),
        });
    }
}

/// Two fields of a node.
fn pair<'t>(node: Node<'t>, first: &str, second: &str) -> (Option<Node<'t>>, Option<Node<'t>>) {
    (node.child_by_field_name(first), node.child_by_field_name(second))
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
