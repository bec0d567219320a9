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
use super::flow::{Reading, element, element_in};
use super::ground::SCRATCH;
use super::handed;
use super::syntax::{named, pair, text};
use super::value::{Act, Argument, Kind, Value};
use super::walk::{Shared, Step, Walker, spread, walk};
use std::ops::Range;
use tree_sitter::Node;

/// Reads a parsed text.
pub(super) fn read(root: Node<'_>, source: &str, book: &RuleBook, scope: &Scope) -> Reading {
    let mut reader =
        Reader { shared: Shared::new(root, source, book, scope), stars: Vec::new(), endless: 0..0 };
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
    /// Modules that were imported with `*`.
    stars: Vec<String>,
    /// The loop without an end that is being read.
    endless: Range<usize>,
}

impl<'t> Walker<'t> for Reader<'_, 't> {
    /// Takes in one node; says whether to go into it.
    fn visit(&mut self, node: Node<'t>, step: Step) -> bool {
        let Step { frame, branch, top } = step;
        match node.kind() {
            "function_definition" | "lambda" if !top => {
                if let Some(name) = node.child_by_field_name("name") {
                    let name = text(name, self.shared.source);
                    self.shared.frames.bind(frame, name, Value::name(format!("def {name}")), branch);
                    self.shared.handed.define(format!("def {name}"), node, frame);
                }
                let inner = self.shared.put_off(node, frame);
                if let Some(parameters) = node.child_by_field_name("parameters") {
                    self.forget(parameters, inner);
                }
                return false;
            }
            "class_definition" => {
                if let Some(name) = node.child_by_field_name("name") {
                    let name = text(name, self.shared.source);
                    self.shared.frames.bind(frame, name, Value::name(format!("class {name}")), branch);
                }
            }
            "import_statement" => self.import(node, frame, branch),
            "import_from_statement" => self.import_from(node, frame, branch),
            "assignment" => self.assign(node, frame, branch),
            "augmented_assignment" => self.augment(node, frame, branch),
            "named_expression" => {
                if let (Some(name), Some(value)) = pair(node, "name", "value") {
                    let value = self.fold(value, frame, 0);
                    self.shared.frames.bind(frame, text(name, self.shared.source), value, branch);
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
            "while_statement" => self.endless(node),
            "binary_operator" => self.repeated(node, frame),
            _ => {}
        }
        true
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

    fn too_deep(&mut self) {
        self.shared.reading.cut = true;
    }
}

impl<'t> Reader<'_, 't> {
    /// Parameters hide names of the same spelling outside.
    fn forget(&mut self, parameters: Node<'t>, frame: usize) {
        for parameter in named(parameters, 64) {
            let name = match parameter.kind() {
                "identifier" => Some(parameter),
                _ => parameter.child_by_field_name("name").or_else(|| parameter.named_child(0)),
            };
            if let Some(name) = name.filter(|n| n.kind() == "identifier") {
                let name = text(name, self.shared.source);
                // What pytest hands to a test is a fresh folder.
                let value = match name {
                    "tmp_path" => Value::name_about("pathlib.Path()", Value::part(SCRATCH)),
                    "tmpdir" => Value::part(SCRATCH),
                    _ => Value::unknown(),
                };
                self.shared.frames.bind(frame, name, value, false);
            }
        }
    }

    /// Notes a loop that nothing in it ends.
    fn endless(&mut self, node: Node<'t>) {
        let condition = node.child_by_field_name("condition").map(|c| text(c, self.shared.source));
        let body = text(node, self.shared.source);
        let ends = ["break", "return", "raise", "exit", "yield", "await", "sleep"];
        if matches!(condition, Some("True" | "1")) && !ends.iter().any(|word| body.contains(word)) {
            self.endless = node.byte_range();
        }
    }

    /// A text or list that is repeated beyond what a computer holds is told like a call.
    fn repeated(&mut self, node: Node<'t>, frame: usize) {
        let (Some(left), Some(right)) = pair(node, "left", "right") else { return };
        let star = node.child_by_field_name("operator").is_some_and(|o| text(o, self.shared.source) == "*");
        let long = |kind: &str| matches!(kind, "string" | "list" | "tuple" | "call");
        if !star || !long(left.kind()) && !long(right.kind()) {
            return;
        }
        let (number, span) = if long(left.kind()) { (right, right) } else { (left, left) };
        if let Kind::Number(times) = self.fold(number, frame, 0).kind
            && times >= 1 << 30
        {
            let argument = Argument { value: Value::new(Kind::Number(times)), span: span.byte_range() };
            self.shared.tell("@repeat", vec![argument], node.byte_range());
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
        let plus = node.child_by_field_name("operator").is_some_and(|o| text(o, self.shared.source) == "+=");
        let value = if plus {
            known::plus(&before, &added)
        } else {
            Value::unknown().tainted(added.taint).tainted(before.taint)
        };
        self.bind_target(left, value, frame, branch);
    }

    fn bind_target(&mut self, left: Node<'t>, value: Value, frame: usize, branch: bool) {
        match left.kind() {
            "identifier" => self.shared.frames.bind(frame, text(left, self.shared.source), value, branch),
            "attribute" if left.byte_range().len() < 80 => {
                self.shared.frames.bind_shared(text(left, self.shared.source), value);
            }
            "pattern_list" | "tuple_pattern" | "list_pattern" => {
                for (index, target) in named(left, 64).into_iter().enumerate() {
                    let item = spread(&value, index);
                    if target.kind() == "identifier" {
                        self.shared.frames.bind(frame, text(target, self.shared.source), item, branch);
                    }
                }
            }
            _ => {}
        }
    }

    fn each_of(&mut self, node: Node<'t>, frame: usize) {
        if let (Some(left), Some(right)) = pair(node, "left", "right") {
            let value = element_in(&self.fold(right, frame, 0), self.shared.scope);
            self.bind_target(left, value, frame, false);
        }
    }

    fn bind_as(&mut self, node: Node<'t>, frame: usize, branch: bool) {
        let parts = named(node, 2);
        if let (Some(value), Some(target)) = (parts.first(), node.child_by_field_name("alias")) {
            let value = self.fold(*value, frame, 0);
            self.shared.frames.bind(frame, text(target, self.shared.source), value, branch);
        }
    }

    /// A call: told as an act, and again for each function that it is given to call.
    fn call(&mut self, node: Node<'t>, frame: usize) {
        if !self.shared.calls.contains_key(&node.id()) {
            self.fold(node, frame, 0);
        }
        let Some((_, act)) = self.shared.calls.remove(&node.id()) else { return };
        if matches!(act.name.as_str(), "__import__" | "importlib.import_module" | "importlib.__import__")
            && let Some(name) = act.arguments.first().and_then(|a| a.value.as_whole_text())
        {
            self.shared.imported(name, act.span.clone());
        }
        if act.name == "os.chdir" {
            self.shared.folder = act.arguments.first().map(|a| a.value.clone());
        }
        self.enter_with(&act);
        for (index, argument) in act.arguments.iter().enumerate() {
            self.hand_over(&act, index + 1, &argument.value);
        }
        for (_, argument) in
            act.named.iter().filter(|(name, _)| matches!(name.as_str(), "target" | "func" | "key"))
        {
            self.hand_over(&act, 0, &argument.value);
        }
        let mut act = act;
        if self.endless.contains(&act.span.start) {
            let set = Argument { value: Value::new(Kind::Bool(true)), span: act.span.clone() };
            act.named.push(("endless".to_owned(), set));
        }
        self.shared.reading.unknown |= act.name == "?";
        self.shared.reading.acts.push(act);
    }

    /// A function of the text is called: its body is read again with what it is handed to call.
    fn enter_with(&mut self, act: &Act) {
        let Some((function, frame)) = self.shared.handed.function(&act.name) else { return };
        let Some(parameters) = function.child_by_field_name("parameters") else { return };
        let source = self.shared.source;
        let names = named(parameters, 64).into_iter().filter_map(|parameter| {
            let name = match parameter.kind() {
                "identifier" => parameter,
                "typed_parameter" => parameter.named_child(0)?,
                "default_parameter" | "typed_default_parameter" => parameter.child_by_field_name("name")?,
                _ => return None,
            };
            (name.kind() == "identifier").then(|| text(name, source))
        });
        let given = handed::given(names, act);
        let Some(inner) = self.shared.read_again((function, frame), &given) else { return };
        self.forget(parameters, inner);
        for (name, value) in given {
            self.shared.frames.bind(inner, name, value, false);
        }
    }

    /// A function that is handed to another one (`map(os.remove, files)`, `Thread(target=…, args=…)`) will be called.
    fn hand_over(&mut self, act: &Act, rest: usize, value: &Value) {
        let Some(name) = value.as_name().filter(|name| self.shared.book.knows(name)) else { return };
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
        let name = name.to_owned();
        self.shared.tell(&name, arguments, act.span.clone());
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
        self.shared.tell("os.environ[]", vec![argument], node.byte_range());
    }
}
