//! Finds arithmetic on texts from files and other programs. Bash takes such a text for an expression, and runs what is
//! substituted in an index in it: with `n=$(cat f)`, `((n > 3))` starts `./x` where the file holds `a[$(./x)]`.
//!
//! Goes by names, wherever they are set: `holder` passes on what they hold, `builtin` tells what commands set, and
//! `expression` finds the names in an expression. What only counts or measures prints numbers (`wc -l`, `date +%s`), as
//! `substitution` tells.

mod builtin;
mod expression;
mod holder;
mod substitution;

use super::change::POSITIONS;
use super::change::subshell::is_arithmetic;
use super::redirections::Redirections;
use crate::review::syntax::{each, named_children, text};
use expression::{is_indirect, is_number, names_read};
use holder::{HeldTexts, TextHolder};
use std::collections::HashSet;
use std::ops::Range;
use substitution::{SubstitutionOutput, printed_by_all};
use tree_sitter::Node;

/// The bytes of expressions that are looked at in any text, in addition to eight times its own size.
const FREE_BYTES: usize = 64 << 10;

/// Whether arithmetic of a text may meet a text from elsewhere.
pub(super) fn meets_foreign_text(root: Node<'_>, source: &str, redirections: &Redirections<'_>) -> bool {
    let mut scan = ArithmeticScan::of(root, source, redirections);
    each(root, |node, _| {
        scan.visit(node);
        true
    });
    scan.held.meet()
}

struct ArithmeticScan<'s, 'r> {
    source: &'s str,
    redirections: &'r Redirections<'r>,
    /// Whether there are tables, whose indexes are texts.
    has_tables: bool,
    /// The names of the functions of the text.
    functions: HashSet<&'s str>,
    /// The variables for which bash computes what they are given: `declare -i`.
    numbers: HashSet<&'s str>,
    /// The functions around the node, the innermost last, with their ends.
    around: Vec<(usize, &'s str)>,
    held: HeldTexts<'s>,
    /// The bytes that were looked at in nested expressions.
    work: usize,
}

impl<'s, 'r> ArithmeticScan<'s, 'r> {
    fn of(root: Node<'_>, source: &'s str, redirections: &'r Redirections<'r>) -> Self {
        let has_tables = ["declare -A", "local -A", "typeset -A"].iter().any(|new| source.contains(new));
        let mut scan = Self {
            source,
            redirections,
            has_tables,
            functions: HashSet::new(),
            numbers: HashSet::new(),
            around: Vec::new(),
            held: HeldTexts::default(),
            work: 0,
        };
        each(root, |node, _| {
            match node.kind() {
                "function_definition" => {
                    let name = scan.name_of(node);
                    scan.functions.extend(name);
                }
                "declaration_command" => scan.note_numbers(node),
                _ => {}
            }
            true
        });
        scan
    }

    fn text(&self, node: Node<'_>) -> &'s str {
        text(node, self.source)
    }

    fn name_of(&self, node: Node<'_>) -> Option<&'s str> {
        node.child_by_field_name("name").map(|name| self.text(name))
    }

    /// The variables that a declaration makes numbers. Whatever sets one of them computes a number.
    fn note_numbers(&mut self, declaration: Node<'_>) {
        let children = named_children(declaration, usize::MAX);
        let mut options = children.iter().map(|child| self.text(*child)).filter(|word| word.starts_with('-'));
        if !options.any(|word| word.contains('i')) {
            return;
        }
        for child in children {
            let name = child.child_by_field_name("name").unwrap_or(child);
            if name.kind() == "variable_name" {
                let name = self.text(name);
                self.numbers.insert(name);
                self.held.read(TextHolder::Variable(name));
            }
        }
    }

    /// Whether a node may be looked at from its beginning to its end: what is nested is looked at several times.
    fn pay(&mut self, node: Node<'_>) -> bool {
        self.work += node.byte_range().len();
        let has_paid = self.work <= FREE_BYTES + self.source.len().saturating_mul(8);
        self.held.is_met |= !has_paid;
        has_paid
    }

    /// The positions where the node stands.
    fn positions(&self) -> TextHolder<'s> {
        TextHolder::Positions(self.around.last().map_or("", |(_, name)| name))
    }

    /// What holds the value of an expansion in which this stands.
    fn holder(&self, name: Node<'_>) -> Option<TextHolder<'s>> {
        let array = name.named_child(0).filter(|_| name.kind() == "subscript");
        let name = array.unwrap_or(name);
        let spelled = self.text(name);
        match name.kind() {
            "variable_name" if spelled == "0" => None,
            "variable_name" if spelled.starts_with(|sign: char| sign.is_ascii_digit()) => {
                Some(self.positions())
            }
            "variable_name" => Some(TextHolder::Variable(spelled)),
            "special_variable_name" if matches!(spelled, "@" | "*") => Some(self.positions()),
            _ => None,
        }
    }

    fn visit(&mut self, node: Node<'_>) {
        while self.around.pop_if(|(end, _)| *end <= node.start_byte()).is_some() {}
        match node.kind() {
            "function_definition" => {
                let name = self.name_of(node).unwrap_or_default();
                self.around.push((node.end_byte(), name));
            }
            "variable_assignment" => self.assigned(node),
            "for_statement" => self.looped(node),
            "command" => self.command(node),
            "unset_command" => self.unset(&named_children(node, usize::MAX)),
            "declaration_command" => {
                let words = named_children(node, usize::MAX).into_iter();
                let words: Vec<Node<'_>> =
                    words.filter(|word| word.kind() != "variable_assignment").collect();
                let program = self.text(node).split_whitespace().next().unwrap_or_default();
                self.declared(program, &words);
            }
            "arithmetic_expansion" => self.compute(node),
            "command_substitution" if is_arithmetic(node) => self.compute(node),
            "compound_statement" | "subshell" if self.text(node).starts_with("((") => self.compute(node),
            "c_style_for_statement" => {
                let body = node.child_by_field_name("body").map(|body| body.id());
                for part in named_children(node, 16).into_iter().filter(|part| Some(part.id()) != body) {
                    self.compute(part);
                }
            }
            "subscript" if !self.has_tables => {
                if let Some(index) = node.child_by_field_name("index") {
                    self.compute(index);
                }
            }
            "test_command" if self.text(node).starts_with("[[") => self.compare(node),
            "unary_expression" => self.test_name(node),
            "expansion" if self.pay(node) => self.expanded(node),
            _ => {}
        }
    }

    fn assigned(&mut self, node: Node<'_>) {
        let Some(name) = self.name_of(node) else { return };
        let name = name.split('[').next().unwrap_or_default();
        let Some(value) = node.child_by_field_name("value") else { return };
        self.give(TextHolder::Variable(name), value);
        if self.numbers.contains(name) {
            self.compute(value);
        }
    }

    /// A loop over words; without any, over the positions.
    fn looped(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_name("variable") else { return };
        let name = TextHolder::Variable(self.text(name));
        let mut cursor = node.walk();
        let values: Vec<Node<'_>> = node.children_by_field_name("value", &mut cursor).collect();
        if values.is_empty() {
            self.held.copy(name, self.positions());
        }
        for value in values {
            self.give(name, value);
        }
    }

    /// `${NAME:from:length}` and `${!NAME}`.
    fn expanded(&mut self, node: Node<'_>) {
        let spelled = self.text(node);
        let place = spelled.split_once(':').map(|(_, place)| place);
        let place = place.filter(|place| !place.starts_with(['-', '=', '+', '?']));
        self.note_read(place.unwrap_or_default());
        let name = named_children(node, 1).pop().filter(|_| is_indirect(spelled));
        if let Some(holder) = name.and_then(|name| self.holder(name)) {
            self.held.read(holder);
        }
    }

    /// Notes what a holder gets from a value.
    fn give(&mut self, holder: TextHolder<'s>, value: Node<'_>) {
        if !self.pay(value) {
            return;
        }
        each(value, |inner, _| match inner.kind() {
            "arithmetic_expansion" | "process_substitution" => false,
            "command_substitution" if is_arithmetic(inner) => false,
            "command_substitution" => match printed_by_all(inner, self.source, 0) {
                SubstitutionOutput::Number => false,
                SubstitutionOutput::Given => true,
                SubstitutionOutput::Foreign => {
                    self.held.fill(holder);
                    false
                }
            },
            "simple_expansion" | "expansion" if !is_number(self.text(inner)) => {
                for other in named_children(inner, 4) {
                    if let Some(other) = self.holder(other) {
                        self.held.copy(holder, other);
                    }
                }
                true
            }
            _ => true,
        });
    }

    /// Notes what arithmetic reads.
    fn compute(&mut self, node: Node<'_>) {
        self.compute_in(node, node.byte_range());
    }

    /// The same for a part of a node.
    fn compute_in(&mut self, node: Node<'_>, part: Range<usize>) {
        if !self.pay(node) {
            return;
        }
        let mut covered: Vec<Range<usize>> = Vec::new();
        each(node, |inner, depth| {
            let is_printed = inner.kind() == "command_substitution" && !is_arithmetic(inner);
            if is_printed && part.contains(&inner.start_byte()) {
                self.held.is_met |= printed_by_all(inner, self.source, 0) == SubstitutionOutput::Foreign;
                covered.push(inner.byte_range());
            }
            !is_printed || depth == 0
        });
        let mut at = part.start;
        for span in covered.into_iter().chain([part.end..part.end]) {
            self.note_read(self.source.get(at..span.start).unwrap_or_default());
            at = at.max(span.end);
        }
    }

    /// Notes the names that an expression reads.
    fn note_read(&mut self, expression: &'s str) {
        for name in names_read(expression) {
            let holder = if name == POSITIONS { self.positions() } else { TextHolder::Variable(name) };
            self.held.read(holder);
        }
    }

    /// The numbers that `[[ … ]]` compares.
    fn compare(&mut self, condition: Node<'_>) {
        const SIGNS: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
        if !self.pay(condition) {
            return;
        }
        let mut compared = Vec::new();
        each(condition, |node, _| {
            let parts = named_children(node, 8);
            let compares =
                |part: &Node<'_>| part.kind() == "test_operator" && SIGNS.contains(&self.text(*part));
            if node.kind() == "binary_expression" && parts.iter().any(compares) {
                compared.extend(parts.into_iter().filter(|part| part.kind() != "test_operator"));
            }
            true
        });
        for part in compared {
            self.compute(part);
        }
    }

    /// The name that `-v` tests, if it comes from a value.
    fn test_name(&mut self, test: Node<'_>) {
        let parts = named_children(test, 4);
        let [sign, name] = parts.as_slice() else { return };
        let is_value = matches!(name.kind(), "simple_expansion" | "expansion" | "string");
        if is_value && sign.kind() == "test_operator" && self.text(*sign) == "-v" {
            self.compute(*name);
        }
    }
}
