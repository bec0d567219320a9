//! Reads Python: walks the tree from top to bottom, follows imports and variables, and collects every call as an act.
//!
//! Bodies of functions are walked after the code around them, when the names they use are bound. `judge` judges the
//! acts.

mod bind;
mod call;
mod define;
mod fold;
mod imports;
mod index;
mod items;
mod known_functions;
mod paths;
mod text;

use super::Scope;
use super::flow::Extraction;
use super::notebook_magics;
use super::rule_set::RuleSet;
use super::syntax::{each, named_children, pair, text};
use super::value::{Act, Argument, Value, ValueKind};
use super::walk::{FoldingReader, WalkContext, WalkStep, Walker};
use std::ops::Range;
use tree_sitter::Node;

/// Reads a parsed text.
pub(super) fn read(root: Node<'_>, source: &str, rules: &RuleSet, scope: &Scope) -> Extraction {
    let mut reader = PythonReader {
        shared: WalkContext::new(root, source, rules, scope),
        stars: Vec::new(),
        endless: 0..0,
    };
    each(root, |node, _| {
        if matches!(node.kind(), "global_statement" | "nonlocal_statement") {
            for name in named_children(node, usize::MAX) {
                let name = reader.spelled(name);
                reader.shared.frames.share(&name);
            }
        }
        true
    });
    reader.read_bodies();
    reader.shared.finish()
}

/// The state of reading one text.
struct PythonReader<'a, 't> {
    shared: WalkContext<'a, 't>,
    /// Modules that were imported with `*`.
    stars: Vec<String>,
    /// The span of the last endless loop.
    endless: Range<usize>,
}

impl<'t> Walker<'t> for PythonReader<'_, 't> {
    fn visit(&mut self, node: Node<'t>, step: WalkStep) -> bool {
        let (frame, branch, top) = (step.frame, step.branches > 0, step.top);
        self.shared.step = step;
        match node.kind() {
            // The keyword `lambda` is a node of that kind, too, which has no body.
            "function_definition" | "lambda" if !top && node.is_named() => {
                self.define(node, frame, branch);
                return false;
            }
            "class_definition" => self.class(node, frame, branch),
            "block" => self.shared.begin_block(node),
            "try_statement" => self.shared.begin_try(node),
            "import_statement" => self.import(node, frame, branch),
            "import_from_statement" => self.import_from(node, frame, branch),
            "assignment" => self.assign(node, frame, branch),
            "augmented_assignment" => self.augment(node, frame, branch),
            "named_expression" => {
                if let (Some(name), Some(value)) = pair(node, "name", "value") {
                    let value = self.fold(value, frame, 0);
                    self.bind_target(name, value, frame, branch);
                }
            }
            "return_statement" => {
                let value = self.returned(node, frame);
                self.reduced(&value, node);
                self.shared.functions.note_return(value);
            }
            "yield" => self.note_yield(node, frame),
            "for_statement" => self.begin_loop(node, frame),
            "case_pattern" => self.forget_names(node, frame),
            "delete_statement" => self.delete(node, frame, branch),
            "for_in_clause" => self.each_of(node, frame),
            "list_comprehension"
            | "set_comprehension"
            | "generator_expression"
            | "dictionary_comprehension" => self.begin_comprehension(node, frame),
            "as_pattern" => self.bind_as(node, frame, branch),
            "call" => self.call(node, frame),
            "subscript" => self.subscript(node, frame),
            "decorator" => self.decorate(node, frame),
            "while_statement" => {
                self.shared.begin_repeated(node, frame);
                self.endless(node);
            }
            "binary_operator" => self.repeated(node, frame),
            "integer" => self.magic_folder(node),
            _ => {}
        }
        true
    }

    fn leave(&mut self, node: Node<'t>) {
        self.end(node);
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
                | "boolean_operator"
                | "list_comprehension"
                | "set_comprehension"
                | "generator_expression"
                | "dictionary_comprehension"
        )
    }

    fn too_deep(&mut self) {
        self.shared.reading.cut = true;
    }
}

impl<'a, 't> FoldingReader<'a, 't> for PythonReader<'a, 't> {
    fn shared(&mut self) -> &mut WalkContext<'a, 't> {
        &mut self.shared
    }

    fn fold(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        PythonReader::fold(self, node, frame, depth)
    }

    fn push_acts(&mut self, acts: Vec<Act>) {
        PythonReader::push_acts(self, acts);
    }
}

impl<'t> PythonReader<'_, 't> {
    /// An identifier as Python reads it, after NFKC folding.
    fn spelled(&self, node: Node<'t>) -> String {
        let spelled = text(node, self.shared.source);
        crate::review::lookalike::plain(spelled).unwrap_or_else(|| spelled.to_owned())
    }

    /// Unpickling calls what `__reduce__` returns.
    fn reduced(&mut self, value: &Value, node: Node<'t>) {
        let ValueKind::List(parts) = &value.kind else { return };
        let ([called, Value { kind: ValueKind::List(arguments), .. }]
        | [called, Value { kind: ValueKind::List(arguments), .. }, ..]) = parts.as_slice()
        else {
            return;
        };
        let Some(name) = called.as_name().filter(|name| self.shared.rules.knows(name)) else { return };
        let mut above = node.parent();
        while let Some(here) = above {
            if here.kind() == "function_definition" {
                let method = here.child_by_field_name("name").map(|n| text(n, self.shared.source));
                if method.is_some_and(|m| m.starts_with("__reduce")) {
                    let span = node.byte_range();
                    let arguments = Argument::of_each(arguments, &span);
                    self.shared.push_act(name, arguments, span);
                }
                return;
            }
            above = here.parent();
        }
    }

    /// Remembers a loop that nothing inside it ends.
    fn endless(&mut self, node: Node<'t>) {
        let condition = node.child_by_field_name("condition").map(|c| text(c, self.shared.source));
        let body = text(node, self.shared.source);
        let ends = ["break", "return", "raise", "exit", "yield", "await", "sleep"];
        if matches!(condition, Some("True" | "1")) && !ends.iter().any(|word| body.contains(word)) {
            self.endless = node.byte_range();
        }
    }

    /// Collects, like a call, the repetition of a text or list to a size that exhausts memory.
    fn repeated(&mut self, node: Node<'t>, frame: usize) {
        let (Some(left), Some(right)) = pair(node, "left", "right") else { return };
        let star = node.child_by_field_name("operator").is_some_and(|o| text(o, self.shared.source) == "*");
        let long = |kind: &str| matches!(kind, "string" | "list" | "tuple" | "call");
        if !star || !long(left.kind()) && !long(right.kind()) {
            return;
        }
        let (number, span) = if long(left.kind()) { (right, right) } else { (left, left) };
        if let ValueKind::Number(times) = self.fold(number, frame, 0).kind
            && times >= 1 << 30
        {
            let argument = Argument::new(Value::new(ValueKind::Number(times)), &span.byte_range());
            self.shared.push_act("@repeat", vec![argument], node.byte_range());
        }
    }

    /// A notebook's `%cd`, in whose place the grammar saw a number.
    fn magic_folder(&mut self, node: Node<'t>) {
        let rest = self.shared.source.get(node.start_byte()..).unwrap_or_default();
        let Some(folder) = notebook_magics::folder(rest) else { return };
        let span =
            node.start_byte()..node.start_byte() + rest.lines().next().unwrap_or_default().trim_end().len();
        let folder = Argument::new(folder, &span);
        self.push_acts(vec![Act::new("os.chdir", vec![folder], span)]);
    }

    /// Collects `os.environ['KEY']` like a call.
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
        for value in self.fold(index, frame, 0).alternatives() {
            let argument = Argument::new(value, &index.byte_range());
            self.shared.push_act("os.environ[]", vec![argument], node.byte_range());
        }
    }
}
