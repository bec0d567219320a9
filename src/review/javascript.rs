//! Reads JavaScript: walks the tree from top to bottom, follows `require`, `import` and variables, and collects every
//! call as an act.
//!
//! Built like the reader of Python. The members of an object argument also become named arguments, because JavaScript
//! passes options that way. `judge` judges the acts.

mod bind;
mod call;
mod define;
mod fold;
mod items;
mod known_functions;
mod member;
mod text;

use super::Scope;
use super::flow::Extraction;
use super::rule_set::RuleSet;
use super::syntax::{each, named_children, pair, text};
use super::value::{Act, Argument, Value};
use super::walk::{FoldingReader, WalkContext, WalkStep, Walker};
use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;
use tree_sitter::Node;

/// Reads a parsed text.
pub(super) fn read(root: Node<'_>, source: &str, rules: &RuleSet, scope: &Scope) -> Extraction {
    let shared = WalkContext::new(root, source, rules, scope);
    let mut reader = JavascriptReader { shared, unverified: false };
    reader.share(root);
    reader.hoist(root, 0);
    reader.read_bodies();
    reader.shared.finish()
}

/// The state of reading one text.
struct JavascriptReader<'a, 't> {
    shared: WalkContext<'a, 't>,
    /// Whether the text switches off certificate checks for all later connections.
    unverified: bool,
}

/// The most names of one pattern that are followed.
const MAX_NAMES: usize = 64;

/// The names that a pattern binds; more than `MAX_NAMES` are not all there.
fn names_below(pattern: Node<'_>) -> Vec<Node<'_>> {
    let mut names = Vec::new();
    each(pattern, |node, _| {
        let is_name = matches!(node.kind(), "identifier" | "shorthand_property_identifier_pattern");
        names.extend((is_name && names.len() <= MAX_NAMES).then_some(node));
        !matches!(node.kind(), "member_expression" | "subscript_expression")
    });
    names
}

/// The span in which a name declared by `let` or `const` has its meaning; `None` for `var`.
fn scope_of(declarator: Node<'_>) -> Option<Range<usize>> {
    let declaration = declarator.parent().filter(|above| above.kind() == "lexical_declaration")?;
    declaration.parent().map(|scope| scope.byte_range())
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
        let (frame, branch, top) = (step.frame, step.branches > 0, step.top);
        self.shared.step = step;
        match node.kind() {
            kind if !top && is_function(kind) => {
                self.function(node, frame, branch);
                return false;
            }
            "class_declaration" | "class" => self.class(node, frame),
            "statement_block" | "switch_case" | "switch_default" => self.shared.begin_block(node),
            "try_statement" => self.shared.begin_try(node),
            "lexical_declaration" => self.shadow(node, frame),
            "enum_declaration" => self.enumeration(node, frame),
            "import_statement" => self.import(node, frame),
            "export_statement" if node.child_by_field_name("source").is_some() => self.import(node, frame),
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
            "update_expression" => {
                if let Some(counted) = node.child_by_field_name("argument") {
                    self.bind_pattern(counted, Value::unknown(), frame, branch);
                }
            }
            "return_statement" => {
                let value = self.returned(node, frame);
                self.shared.functions.note_return(value);
            }
            "yield_expression" => self.note_yield(node, frame),
            "for_statement" => {
                // What its head declares is known in it alone.
                self.shared.begin_block(node);
                self.shared.begin_repeated(node, frame);
            }
            "while_statement" | "do_statement" => self.shared.begin_repeated(node, frame),
            "for_in_statement" => self.begin_loop(node, frame),
            "catch_clause" => self.bind_error(node, frame),
            "call_expression" | "new_expression" => self.call(node, frame),
            "member_expression" | "subscript_expression" => self.variable_read(node, frame),
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

impl<'a, 't> FoldingReader<'a, 't> for JavascriptReader<'a, 't> {
    fn shared(&mut self) -> &mut WalkContext<'a, 't> {
        &mut self.shared
    }

    fn fold(&mut self, node: Node<'t>, frame: usize, depth: u32) -> Value {
        JavascriptReader::fold(self, node, frame, depth)
    }

    fn push_acts(&mut self, acts: Vec<Act>) {
        JavascriptReader::push_acts(self, acts);
    }
}

impl<'t> JavascriptReader<'_, 't> {
    /// Notes the names that functions set outside of themselves. If a pattern has too many names, what they hold is not
    /// known.
    fn share(&mut self, root: Node<'t>) {
        let source = self.shared.source;
        let mut around: Vec<Range<usize>> = Vec::new();
        // The names that a function declares, with the spans in which they mean that, by the start of the function.
        let mut own: HashMap<(usize, &str), Vec<Range<usize>>> = HashMap::new();
        let mut set: Vec<(Range<usize>, &str)> = Vec::new();
        let is_cut = Cell::new(false);
        each(root, |node, _| {
            while around.last().is_some_and(|span| span.end <= node.start_byte()) {
                around.pop();
            }
            if is_function(node.kind()) {
                around.push(node.byte_range());
            }
            let Some(function) = around.last().cloned() else { return true };
            let names = |field: &str| {
                let names = node.child_by_field_name(field).map(names_below).unwrap_or_default();
                is_cut.set(is_cut.get() || names.len() > MAX_NAMES);
                names.into_iter().map(|name| text(name, source))
            };
            let mut declare = |field: &str, scope: Range<usize>| {
                for name in names(field) {
                    own.entry((function.start, name)).or_default().push(scope.clone());
                }
            };
            let is_set = match node.kind() {
                "assignment_expression" | "augmented_assignment_expression" => Some("left"),
                "for_in_statement" if node.child_by_field_name("kind").is_none() => Some("left"),
                "update_expression" => Some("argument"),
                _ => None,
            };
            match node.kind() {
                _ if is_set.is_some() => {}
                "for_in_statement" => {
                    let kind = node.child_by_field_name("kind").map(|kind| text(kind, source));
                    declare("left", if kind == Some("var") { function.clone() } else { node.byte_range() });
                }
                "variable_declarator" => declare("name", scope_of(node).unwrap_or(function.clone())),
                "arrow_function" => declare("parameter", function.clone()),
                "required_parameter" | "optional_parameter" => declare("pattern", function.clone()),
                _ => {}
            }
            if let Some(field) = is_set {
                set.extend(names(field).map(|name| (function.start..node.start_byte(), name)));
            }
            true
        });
        self.shared.reading.unknown |= is_cut.get();
        for (Range { start: function, end: at }, name) in set {
            let scopes = own.get(&(function, name));
            if !scopes.is_some_and(|scopes| scopes.iter().any(|scope| scope.contains(&at))) {
                self.shared.frames.share(name);
            }
        }
    }

    /// `let` and `const` in a block hide what their names mean around it, as far as the block reaches.
    fn shadow(&mut self, declaration: Node<'t>, frame: usize) {
        let Some(block) = self.shared.block() else { return };
        for declarator in named_children(declaration, usize::MAX) {
            for name in declarator.child_by_field_name("name").map(names_below).unwrap_or_default() {
                self.shared.keep_behind(block, frame, &self.spelled(name), false);
            }
        }
    }

    /// An identifier as JavaScript reads it, escapes resolved.
    fn spelled(&self, node: Node<'t>) -> String {
        let spelled = text(node, self.shared.source);
        crate::review::lookalike::unescaped(spelled).unwrap_or_else(|| spelled.to_owned())
    }

    /// Collects `process.env.KEY = value` and `process.env['KEY'] = value` like a call.
    fn variable_set(&mut self, left: Node<'t>, value: &Value, frame: usize) {
        let Some(object) = left.child_by_field_name("object") else { return };
        if text(object, self.shared.source).ends_with("env")
            && self.fold(object, frame, 0).as_name() == Some("process.env")
        {
            let span = left.byte_range();
            let (property, index) = pair(left, "property", "index");
            let name = match index {
                Some(index) => self.fold(index, frame, 0).as_whole_text().map(str::to_owned),
                None => property.map(|property| self.spelled(property)),
            };
            let Some(name) = name else { return };
            self.unverified |= name == "NODE_TLS_REJECT_UNAUTHORIZED";
            let name = Argument::text(name, &property.or(index).unwrap_or(left).byte_range());
            let value = Argument::new(value.clone(), &span);
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
            let argument = Argument::new(value, &span);
            self.shared.push_act("process.env[]", vec![argument], node.byte_range());
        }
    }
}
