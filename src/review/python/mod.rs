//! Python: walks the tree from top to bottom, follows imports and names, and tells every call as an act.
//!
//! Bodies of functions are walked after what surrounds them, when the names that they use are bound. Judging is not
//! done here.

mod fold;
mod imports;
mod known;
mod text;

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
        stars: Vec::new(),
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
    /// Modules that were imported with `*`.
    stars: Vec<String>,
    /// Where `os.chdir` went.
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
            "function_definition" | "lambda" if !top => {
                if let Some(name) = node.child_by_field_name("name") {
                    let name = text(name, self.source);
                    self.frames.bind(frame, name, Value::name(format!("def {name}")), branch);
                }
                let inner = self.frames.open(frame);
                if let Some(parameters) = node.child_by_field_name("parameters") {
                    self.forget(parameters, inner);
                }
                self.waiting.push((node, inner));
                return false;
            }
            "class_definition" => {
                if let Some(name) = node.child_by_field_name("name") {
                    let name = text(name, self.source);
                    self.frames.bind(frame, name, Value::name(format!("class {name}")), branch);
                }
            }
            "import_statement" => self.import(node, frame, branch),
            "import_from_statement" => self.import_from(node, frame, branch),
            "assignment" => self.assign(node, frame, branch),
            "augmented_assignment" => self.augment(node, frame, branch),
            "named_expression" => {
                if let (Some(name), Some(value)) = pair(node, "name", "value") {
                    let value = self.fold(value, frame, 0);
                    self.frames.bind(frame, text(name, self.source), value, branch);
                }
            }
            "for_statement" | "for_in_clause" => self.each_of(node, frame),
            "list_comprehension"
            | "set_comprehension"
            | "generator_expression"
            | "dictionary_comprehension" => {
                for clause in named(node, 16).into_iter().filter(|n| n.kind() == "for_in_clause") {
                    self.each_of(clause, frame);
                }
            }
            "as_pattern" => self.bind_as(node, frame, branch),
            "call" => self.call(node, frame),
            "subscript" => self.subscript(node, frame),
            _ => {}
        }
        true
    }

    /// Parameters hide names of the same spelling outside.
    fn forget(&mut self, parameters: Node<'t>, frame: usize) {
        for parameter in named(parameters, 64) {
            let name = match parameter.kind() {
                "identifier" => Some(parameter),
                _ => parameter.child_by_field_name("name").or_else(|| parameter.named_child(0)),
            };
            if let Some(name) = name.filter(|n| n.kind() == "identifier") {
                self.frames.bind(frame, text(name, self.source), Value::unknown(), false);
            }
        }
    }

    fn assign(&mut self, node: Node<'t>, frame: usize, branch: bool) {
        let (Some(left), Some(right)) = pair(node, "left", "right") else { return };
        let value = self.fold(right, frame, 0);
        self.bind_target(left, value, frame, branch);
    }

    fn augment(&mut self, node: Node<'t>, frame: usize, branch: bool) {
        let (Some(left), Some(right)) = pair(node, "left", "right") else { return };
        let added = self.fold(right, frame, 0);
        let before = self.fold(left, frame, 0);
        let plus = node.child_by_field_name("operator").is_some_and(|o| text(o, self.source) == "+=");
        let value = if plus {
            known::plus(&before, &added)
        } else {
            Value::unknown().tainted(added.taint).tainted(before.taint)
        };
        self.bind_target(left, value, frame, branch);
    }

    fn bind_target(&mut self, left: Node<'t>, value: Value, frame: usize, branch: bool) {
        match left.kind() {
            "identifier" => self.frames.bind(frame, text(left, self.source), value, branch),
            "attribute" if left.byte_range().len() < 80 => {
                self.frames.bind_shared(text(left, self.source), value);
            }
            "pattern_list" | "tuple_pattern" | "list_pattern" => {
                for (index, target) in named(left, 64).into_iter().enumerate() {
                    let item = match &value.kind {
                        Kind::List(items) => items.get(index).cloned().unwrap_or_else(Value::unknown),
                        _ => Value::unknown().tainted(value.all_taint()),
                    };
                    if target.kind() == "identifier" {
                        self.frames.bind(frame, text(target, self.source), item, branch);
                    }
                }
            }
            _ => {}
        }
    }

    fn each_of(&mut self, node: Node<'t>, frame: usize) {
        if let (Some(left), Some(right)) = pair(node, "left", "right") {
            let value = element(&self.fold(right, frame, 0));
            self.bind_target(left, value, frame, false);
        }
    }

    fn bind_as(&mut self, node: Node<'t>, frame: usize, branch: bool) {
        let parts = named(node, 2);
        if let (Some(value), Some(target)) = (parts.first(), node.child_by_field_name("alias")) {
            let value = self.fold(*value, frame, 0);
            self.frames.bind(frame, text(target, self.source), value, branch);
        }
    }

    /// A call: told as an act, and again for each function that it is given to call.
    fn call(&mut self, node: Node<'t>, frame: usize) {
        if !self.calls.contains_key(&node.id()) {
            self.fold(node, frame, 0);
        }
        let Some((_, act)) = self.calls.remove(&node.id()) else { return };
        if act.name == "os.chdir" {
            self.folder = act.arguments.first().map(|a| a.value.clone());
        }
        for (index, argument) in act.arguments.iter().enumerate() {
            self.hand_over(&act, index + 1, &argument.value);
        }
        for (_, argument) in
            act.named.iter().filter(|(name, _)| matches!(name.as_str(), "target" | "func" | "key"))
        {
            self.hand_over(&act, 0, &argument.value);
        }
        self.reading.unknown |= act.name == "?";
        self.reading.acts.push(act);
    }

    /// A function that is handed to another one (`map(os.remove, files)`, `Thread(target=…, args=…)`) will be called.
    fn hand_over(&mut self, act: &Act, rest: usize, value: &Value) {
        let Some(name) = value.as_name().filter(|name| self.book.knows(name)) else { return };
        let given = act.named.iter().find(|(name, _)| name == "args").map(|(_, a)| a);
        let arguments = match given {
            Some(Argument { value: Value { kind: Kind::List(items), .. }, span }) => {
                items.iter().map(|v| Argument { value: v.clone(), span: span.clone() }).collect()
            }
            _ if act.name == "functools.partial" => act.arguments.get(rest..).unwrap_or_default().to_vec(),
            _ => {
                let rest = act.arguments.get(rest..).unwrap_or_default().iter();
                rest.map(|a| Argument { value: element(&a.value), span: a.span.clone() }).collect()
            }
        };
        self.reading.acts.push(Act {
            name: name.to_owned(),
            receiver: None,
            arguments,
            named: Vec::new(),
            folder: self.folder.clone(),
            span: act.span.clone(),
        });
    }

    /// `os.environ['KEY']` is told like a call.
    fn subscript(&mut self, node: Node<'t>, frame: usize) {
        let (Some(value), Some(index)) = pair(node, "value", "subscript") else { return };
        if self.fold(value, frame, 0).as_name() != Some("os.environ") {
            return;
        }
        let written = node.parent().is_some_and(|p| {
            p.kind() == "delete_statement"
                || p.child_by_field_name("left").is_some_and(|l| l.id() == node.id())
        });
        if written {
            return;
        }
        let argument = Argument { value: self.fold(index, frame, 0), span: index.byte_range() };
        self.reading.acts.push(Act {
            name: "os.environ[]".to_owned(),
            receiver: None,
            arguments: vec![argument],
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
            | "elif_clause"
            | "else_clause"
            | "for_statement"
            | "while_statement"
            | "try_statement"
            | "except_clause"
            | "finally_clause"
            | "match_statement"
            | "case_clause"
            | "conditional_expression"
    )
}
