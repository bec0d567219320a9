//! bash: walks the tree, puts words together and tells each command and redirection as an act.
//!
//! What stands between words and commands (`sudo`, `env`, `xargs`, `find -exec`) is seen through in `command`; what is
//! known of a word in `word`, what is written and read by redirections in `redirect`, other names of commands in `alias`.
//! Judging is not done here.

mod alias;
mod command;
mod options;
mod redirect;
mod word;

use super::Scope;
use super::book::RuleBook;
use super::flow::{Frames, Reading, element_in};
use super::syntax::{named, text};
use super::value::{Act, Argument, Kind, Taint, Value};
use super::walk::{Step, Walker, walk};
use std::collections::HashMap;
use std::ops::Range;
use tree_sitter::Node;

/// Reads a parsed text.
pub(super) fn read(root: Node<'_>, source: &str, book: &RuleBook, scope: &Scope) -> Reading {
    let mut reader = Reader::new(source, book, scope);
    walk(&mut reader, root, 0);
    reader.reading.cut |= reader.frames.exhausted();
    reader.reading
}

/// Reads the words of one command that no shell touches (`subprocess.run([...])`).
pub(super) fn read_words(words: &[Value], span: &Range<usize>, book: &RuleBook, scope: &Scope) -> Reading {
    let mut reader = Reader::new("", book, scope);
    let words = words.iter().map(|value| Argument { value: value.clone(), span: span.clone() }).collect();
    reader.command(words, None, span, 0);
    reader.reading
}

/// The state of one reading.
struct Reader<'a> {
    source: &'a str,
    book: &'a RuleBook,
    scope: &'a Scope,
    frames: Frames,
    /// What is piped into commands, by node.
    inputs: HashMap<usize, Argument>,
    /// What redirections write, by node.
    outputs: HashMap<usize, Argument>,
    /// Commands that were given another name.
    aliases: HashMap<String, String>,
    /// Where `cd` went.
    folder: Option<Value>,
    reading: Reading,
}

impl<'a> Reader<'a> {
    fn new(source: &'a str, book: &'a RuleBook, scope: &'a Scope) -> Self {
        Self {
            source,
            book,
            scope,
            frames: Frames::new(source.len()),
            inputs: HashMap::new(),
            outputs: HashMap::new(),
            aliases: HashMap::new(),
            folder: None,
            reading: Reading::default(),
        }
    }
}

impl<'t> Walker<'t> for Reader<'_> {
    fn visit(&mut self, node: Node<'t>, step: Step) -> bool {
        match node.kind() {
            "variable_assignment" => {
                if let (Some(name), Some(value)) =
                    (node.child_by_field_name("name"), node.child_by_field_name("value"))
                {
                    let (name, span) = (text(name, self.source), value.byte_range());
                    let value = self.word(value, 0);
                    self.set(name, Argument { value: value.clone(), span }, node.byte_range());
                    self.frames.bind(0, name, value, step.branch);
                }
            }
            "for_statement" => self.each_of(node),
            "pipeline" => {
                self.pipe(node, None, 0);
            }
            "redirected_statement" => self.redirected(node),
            "file_redirect" => self.redirect(node),
            "command" => self.simple(node),
            "unset_command" => {
                let name = Argument { value: Value::text("unset"), span: node.byte_range() };
                let words = [name].into_iter().chain(self.words(node, 0)).collect();
                self.command(words, None, &node.byte_range(), 0);
            }
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
                | "while_statement"
                | "for_statement"
                | "case_statement"
                | "function_definition"
        )
    }

    fn too_deep(&mut self) {
        self.reading.cut = true;
    }
}

impl Reader<'_> {
    fn each_of(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_name("variable") else { return };
        let mut cursor = node.walk();
        let values: Vec<Node<'_>> = node.children_by_field_name("value", &mut cursor).take(256).collect();
        let values: Vec<Value> = values.into_iter().map(|n| self.word(n, 0)).collect();
        let value = element_in(&Value::new(Kind::List(values)), self.scope);
        self.frames.bind(0, text(name, self.source), value, false);
    }

    /// Gives each stage of a pipeline what the one before it prints; returns what the last one prints.
    fn pipe(&mut self, node: Node<'_>, input: Option<Argument>, depth: u32) -> Value {
        let mut flowing = input;
        for stage in named(node, 256) {
            let mut before = Taint::default();
            if let Some(argument) = flowing.take() {
                before = argument.value.all_taint();
                self.feed(stage, argument);
            }
            let value = self.output(stage, depth);
            let value = if value.as_text().is_none() { value.tainted(before) } else { value };
            flowing = Some(Argument { value, span: stage.byte_range() });
        }
        flowing.map_or_else(Value::unknown, |a| a.value)
    }

    /// Notes what a command reads on its standard input.
    fn feed(&mut self, node: Node<'_>, argument: Argument) {
        match node.kind() {
            "command" => drop(self.inputs.entry(node.id()).or_insert(argument)),
            "redirected_statement" | "negated_command" => {
                if let Some(body) = node.child_by_field_name("body").or_else(|| node.named_child(0)) {
                    self.feed(body, argument);
                }
            }
            "pipeline" => {
                if let Some(first) = node.named_child(0) {
                    self.feed(first, argument);
                }
            }
            // Of a group each command may read it; the first one stands for all.
            "subshell" | "compound_statement" | "list" => {
                for child in named(node, 16) {
                    self.feed(child, argument.clone());
                }
            }
            _ => {}
        }
    }

    /// Tells that a variable of the environment is set, where programs obey it.
    fn set(&mut self, name: &str, value: Argument, span: Range<usize>) {
        let name = format!("{name}=");
        if self.book.knows(&name) {
            self.reading.acts.push(Act {
                name,
                receiver: None,
                arguments: vec![value],
                named: Vec::new(),
                folder: self.folder.clone(),
                span,
            });
        }
    }

    /// A command with its words.
    fn simple(&mut self, node: Node<'_>) {
        let words = self.words(node, 0);
        let mut input = self.inputs.remove(&node.id());
        if let Some(here) = self.here_string(node) {
            input = Some(here);
        }
        let before = self.reading.acts.len();
        self.command(words, input, &node.byte_range(), 0);
        let holder = node.parent().map_or("", |parent| parent.kind());
        if matches!(holder, "pipeline" | "redirected_statement" | "command_substitution") {
            return;
        }
        // What it prints is seen, and not given to another command.
        let set = Argument { value: Value::new(Kind::Bool(true)), span: node.byte_range() };
        for act in self.reading.acts.iter_mut().skip(before).filter(|act| act.span == node.byte_range()) {
            act.named.push(("shown".to_owned(), set.clone()));
        }
    }

    fn here_string(&mut self, node: Node<'_>) -> Option<Argument> {
        let redirect = node.child_by_field_name("redirect").filter(|n| n.kind() == "herestring_redirect")?;
        let value = self.word(redirect.named_child(0)?, 0);
        Some(Argument { value, span: redirect.byte_range() })
    }

    /// The words of a command, its name first; a word that expands to several is split.
    fn words(&mut self, node: Node<'_>, depth: u32) -> Vec<Argument> {
        let mut words = Vec::new();
        for child in named(node, 1024) {
            let child = match child.kind() {
                "command_name" => child.named_child(0).unwrap_or(child),
                "variable_assignment" | "file_redirect" | "herestring_redirect" | "heredoc_redirect" => {
                    continue;
                }
                _ => child,
            };
            let value = self.word(child, depth);
            let span = child.byte_range();
            let splits = matches!(
                child.kind(),
                "concatenation" | "simple_expansion" | "expansion" | "command_substitution"
            );
            match (&value.kind, splits) {
                (Kind::Text { text: held, whole }, true)
                    if held.contains(' ') && !text(child, self.source).contains(['"', '\'']) =>
                {
                    for piece in held.split_whitespace() {
                        let kind = Kind::Text { text: piece.to_owned(), whole: *whole };
                        words
                            .push(Argument { value: Value { kind, taint: value.taint }, span: span.clone() });
                    }
                }
                _ => words.push(Argument { value, span }),
            }
        }
        words
    }
}
