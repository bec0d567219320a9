//! Finds arithmetic on texts from files and other programs. Bash takes such a text for an expression, and runs what is
//! substituted in an index in it: with `n=$(cat f)`, `((n > 3))` starts `./x` where the file holds `a[$(./x)]`.
//!
//! Goes by names, wherever they are set. What only counts or measures prints numbers (`wc -l`, `date +%s`).

use super::change::subshell::is_arithmetic;
use crate::review::syntax::{each, named_children, text};
use std::collections::HashSet;
use std::ops::Range;
use tree_sitter::Node;

/// The most values that are passed on from name to name.
const MAX_COPIES: usize = 1024;

/// The deepest nesting of lists and pipelines that is looked at.
const MAX_DEPTH: u32 = 16;

/// The bytes of expressions that are looked at in any text, in addition to eight times its own size.
const FREE_BYTES: usize = 64 << 10;

/// Whether arithmetic of a text may meet a text from elsewhere.
pub(super) fn meets_foreign_text(root: Node<'_>, source: &str) -> bool {
    let has_tables = ["declare -A", "local -A", "typeset -A"].iter().any(|new| source.contains(new));
    let mut scan = ArithmeticScan { source, has_tables, ..ArithmeticScan::default() };
    each(root, |node, _| {
        scan.visit(node);
        true
    });
    scan.meets()
}

/// What a substitution prints.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SubstitutionOutput {
    Number,
    /// The words that it is given.
    Given,
    Foreign,
}

#[derive(Default)]
struct ArithmeticScan<'s> {
    source: &'s str,
    /// Whether there are tables, whose indexes are texts.
    has_tables: bool,
    /// The names that may hold a text from elsewhere.
    foreign: HashSet<&'s str>,
    /// Names, each with one whose value it gets.
    copies: HashSet<(&'s str, &'s str)>,
    /// The names that arithmetic reads.
    read: HashSet<&'s str>,
    /// Whether arithmetic reads what a program prints, or not all was looked at.
    is_met: bool,
    /// The bytes that were looked at in nested expressions.
    work: usize,
}

impl<'s> ArithmeticScan<'s> {
    fn text(&self, node: Node<'_>) -> &'s str {
        text(node, self.source)
    }

    /// Whether a node may be looked at from its beginning to its end: what is nested is looked at several times.
    fn pay(&mut self, node: Node<'_>) -> bool {
        self.work += node.byte_range().len();
        let has_paid = self.work <= FREE_BYTES + self.source.len().saturating_mul(8);
        self.is_met |= !has_paid;
        has_paid
    }

    fn visit(&mut self, node: Node<'_>) {
        match node.kind() {
            "variable_assignment" => self.assigned(node),
            "for_statement" => {
                let Some(name) = node.child_by_field_name("variable").map(|name| self.text(name)) else {
                    return;
                };
                let mut cursor = node.walk();
                for value in node.children_by_field_name("value", &mut cursor) {
                    self.give(name, value);
                }
            }
            "command" => self.command(node),
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
            "expansion" if self.pay(node) => {
                // `${NAME:from:length}`
                let place = self.text(node).split_once(':').map(|(_, place)| place);
                let place = place.filter(|place| !place.starts_with(['-', '=', '+', '?']));
                self.read.extend(names_read(place.unwrap_or_default()));
            }
            _ => {}
        }
    }

    fn assigned(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let name = self.text(name).split('[').next().unwrap_or_default();
        if let Some(value) = node.child_by_field_name("value") {
            self.give(name, value);
        }
        let declaration = node.parent().filter(|parent| parent.kind() == "declaration_command");
        let words = declaration.map(|node| self.text(node)).unwrap_or_default().split_whitespace().skip(1);
        if words.take_while(|word| word.starts_with('-')).any(|word| word.contains('i')) {
            // A number is computed from what it is given.
            self.read.insert(name);
            if let Some(value) = node.child_by_field_name("value") {
                self.compute(value);
            }
        }
    }

    fn command(&mut self, node: Node<'_>) {
        let children = named_children(node, 64);
        let name = node.child_by_field_name("name").map(|name| self.text(name)).unwrap_or_default();
        match name {
            "let" => {
                for word in children.into_iter().skip(1) {
                    self.compute(word);
                }
            }
            "printf" => {
                let mut words = children.into_iter().skip(1);
                let sets_variable = words.next().is_some_and(|word| self.text(word) == "-v");
                if let Some(name) = words.next().filter(|_| sets_variable) {
                    let name = self.text(name).split('[').next().unwrap_or_default();
                    for word in words {
                        self.give(name, word);
                    }
                }
            }
            "read" | "mapfile" | "readarray" => {
                let words = children.iter().filter(|child| child.kind() == "word");
                let words = words.map(|word| self.text(*word)).filter(|word| !word.starts_with('-'));
                let names: Vec<&str> = words.collect();
                let given = children.iter().find(|child| child.kind() == "herestring_redirect");
                for name in names.into_iter().chain(["REPLY", "MAPFILE"]) {
                    match given {
                        Some(given) => self.give(name, *given),
                        None => _ = self.foreign.insert(name),
                    }
                }
            }
            _ => {}
        }
    }

    /// Notes what a name gets from a value.
    fn give(&mut self, name: &'s str, value: Node<'_>) {
        if !self.pay(value) {
            return;
        }
        each(value, |inner, _| match inner.kind() {
            "arithmetic_expansion" | "process_substitution" => false,
            "command_substitution" if is_arithmetic(inner) => false,
            "command_substitution" => match self.printed_by_all(inner, 0) {
                SubstitutionOutput::Number => false,
                SubstitutionOutput::Given => true,
                SubstitutionOutput::Foreign => {
                    self.foreign.insert(name);
                    false
                }
            },
            "simple_expansion" | "expansion" if !is_number(self.text(inner)) => {
                let other = named_children(inner, 4).into_iter().map(|child| match child.kind() {
                    "subscript" => child.named_child(0).unwrap_or(child),
                    _ => child,
                });
                let other = other.filter(|child| child.kind() == "variable_name");
                let other: Vec<&str> = other.map(|child| self.text(child)).collect();
                if self.copies.len() < MAX_COPIES {
                    self.copies.extend(other.into_iter().map(|other| (name, other)));
                } else {
                    self.is_met = true;
                }
                true
            }
            _ => true,
        });
    }

    /// Notes what arithmetic reads.
    fn compute(&mut self, node: Node<'_>) {
        if !self.pay(node) {
            return;
        }
        let mut covered: Vec<Range<usize>> = Vec::new();
        each(node, |inner, depth| {
            let is_printed = inner.kind() == "command_substitution" && !is_arithmetic(inner);
            if is_printed {
                self.is_met |= self.printed_by_all(inner, 0) == SubstitutionOutput::Foreign;
                covered.push(inner.byte_range());
            }
            !is_printed || depth == 0
        });
        let mut at = node.start_byte();
        for span in covered.into_iter().chain([node.end_byte()..node.end_byte()]) {
            self.read.extend(names_read(self.source.get(at..span.start).unwrap_or_default()));
            at = at.max(span.end);
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

    /// What the statements in a node print.
    fn printed_by_all(&self, node: Node<'_>, depth: u32) -> SubstitutionOutput {
        let all = named_children(node, 64);
        all.into_iter().map(|part| self.printed(part, depth)).max().unwrap_or(SubstitutionOutput::Foreign)
    }

    fn printed(&self, node: Node<'_>, depth: u32) -> SubstitutionOutput {
        match node.kind() {
            _ if depth > MAX_DEPTH => SubstitutionOutput::Foreign,
            "command" => self.printed_by_command(node),
            "redirected_statement" => node
                .child_by_field_name("body")
                .map_or(SubstitutionOutput::Foreign, |body| self.printed(body, depth + 1)),
            "list" => self.printed_by_all(node, depth + 1),
            "pipeline" => {
                let stages = named_children(node, 64);
                let made = stages.iter().rev().find(|stage| !self.is_filter(**stage));
                made.map_or(SubstitutionOutput::Foreign, |stage| self.printed(*stage, depth + 1))
            }
            _ => SubstitutionOutput::Foreign,
        }
    }

    fn printed_by_command(&self, command: Node<'_>) -> SubstitutionOutput {
        let words = named_children(command, 64).into_iter();
        let words = words.skip_while(|word| word.kind() == "variable_assignment");
        let words: Vec<&str> = words.map(|word| self.text(word)).collect();
        let Some((name, words)) = words.split_first() else { return SubstitutionOutput::Foreign };
        let has = |option: char| {
            words.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(option))
        };
        let is_number = match *name {
            "wc" | "nproc" | "expr" | "date" | "stat" | "seq" | "bc" | "pgrep" | "tput" | "getconf"
            | "du" | "sysctl" => true,
            "grep" | "egrep" | "fgrep" | "rg" => has('c') || words.contains(&"--count"),
            "id" => has('u') || has('g'),
            "git" => words.contains(&"--count"),
            "tr" => keeps_digits(words),
            "jq" => words.iter().any(|word| word.trim_end_matches(['\'', '"']).ends_with("length")),
            _ => false,
        };
        match *name {
            _ if is_number => SubstitutionOutput::Number,
            "echo" | "printf" => SubstitutionOutput::Given,
            _ => SubstitutionOutput::Foreign,
        }
    }

    /// Whether a stage of a pipeline prints parts of what it gets. `cat` prints files if some are named, `xargs` what the
    /// program prints that it starts, and `tr -dc 0-9` a number, whatever it gets.
    fn is_filter(&self, stage: Node<'_>) -> bool {
        const FILTERS: &[&str] =
            &["tr", "sed", "awk", "cut", "head", "tail", "sort", "uniq", "tee", "xargs", "cat", "rev"];
        let name = stage.child_by_field_name("name").map(|name| self.text(name)).unwrap_or_default();
        let words = named_children(stage, 64).into_iter().skip(1);
        let words: Vec<&str> = words.map(|word| self.text(word)).collect();
        let prints_other = match name {
            "cat" | "xargs" => words.iter().any(|word| !word.starts_with('-')),
            "tr" => keeps_digits(&words),
            _ => false,
        };
        FILTERS.contains(&name) && !prints_other && stage.prev_named_sibling().is_some()
    }

    fn meets(mut self) -> bool {
        let mut before = usize::MAX;
        while self.foreign.len() != before {
            before = self.foreign.len();
            for (name, other) in &self.copies {
                if self.foreign.contains(other) {
                    self.foreign.insert(*name);
                }
            }
        }
        self.is_met || !self.foreign.is_disjoint(&self.read)
    }
}

/// Whether `tr` with these words deletes all but digits.
fn keeps_digits(words: &[&str]) -> bool {
    let [options @ .., set] = words else { return false };
    let set = set.trim_matches(['\'', '"']);
    let is_complement = options.iter().any(|option| ["-dc", "-cd", "-Cd", "-dC"].contains(option));
    options.len() == 1 && is_complement && ["0-9", "0-9\\n", "[:digit:]"].contains(&set)
}

/// Whether an expansion is a length, or the indexes of an array.
fn is_number(expansion: &str) -> bool {
    let is_index = expansion.ends_with("[@]}") || expansion.ends_with("[*]}");
    expansion.starts_with("${#") || expansion.starts_with("${!") && is_index
}

/// The names that an expression reads: `${#NAME}` is a number, and `NAME = 1` only sets it.
fn names_read(expression: &str) -> Vec<&str> {
    let is_sign = |sign: char| sign == '_' || sign.is_ascii_alphanumeric();
    let mut names = Vec::new();
    let mut rest = expression;
    while let Some(at) = rest.find(is_sign) {
        let (before, from) = rest.split_at(at);
        let (name, behind) = from.split_at(from.find(|sign: char| !is_sign(sign)).unwrap_or(from.len()));
        rest = behind;
        let behind = behind.trim_start();
        let is_set = behind.starts_with('=') && !behind.starts_with("==");
        if !name.starts_with(|sign: char| sign.is_ascii_digit()) && !before.ends_with('#') && !is_set {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::names_read;

    #[test]
    fn an_expression_reads_names_that_it_does_not_only_set() {
        assert_eq!(names_read("((n > 3 && $m == ${k}))"), ["n", "m", "k"]);
        assert_eq!(names_read("n = ${#x} + 0x1f + a[i]"), ["a", "i"]);
        assert_eq!(names_read("n += 1"), ["n"]);
    }
}
