//! Reads bash: walks the tree, expands words and collects each command and redirection as an act.
//!
//! `command` resolves commands that run others (`sudo`, `env`, `xargs`, `find -exec`); `word` folds words, `expand`
//! words that become several, `brace` those with braces; `redirect` handles redirections, `alias` aliases, `function`
//! functions, and `program` what options do. `judge` judges the acts.

mod alias;
mod brace;
mod command;
mod expand;
mod find;
mod function;
mod options;
mod program;
mod quoting;
mod redirect;
mod word;
mod wrapper;

use function::ShellFunction;

use super::Scope;
use super::flow::{Extraction, Frames, gravest_in};
use super::programs::{self, StartedAs};
use super::rule_set::RuleSet;
use super::syntax::{named_children, text};
use super::value::{Act, Argument, Taint, Value, ValueKind};
use super::walk::{WalkStep, Walker, walk};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use tree_sitter::Node;

/// Reads a parsed text.
pub(super) fn read(root: Node<'_>, source: &str, rules: &RuleSet, scope: &Scope) -> Extraction {
    let mut reader = ShellReader::new(source, rules, scope);
    reader.functions = function::all(root, source);
    walk(&mut reader, root, 0);
    reader.reading.cut |= reader.frames.is_exhausted();
    reader.reading
}

/// Reads the words of one command that runs without a shell (`subprocess.run([...])`).
pub(super) fn read_words(words: &[Value], span: &Range<usize>, rules: &RuleSet, scope: &Scope) -> Extraction {
    let mut reader = ShellReader::new("", rules, scope);
    let words = words.iter().map(|value| Argument { value: value.clone(), span: span.clone() }).collect();
    reader.command(words, None, span, 0);
    reader.reading
}

/// The state of reading one text.
struct ShellReader<'a, 't> {
    source: &'a str,
    rules: &'a RuleSet,
    scope: &'a Scope,
    frames: Frames,
    /// The standard input of commands, by node.
    inputs: HashMap<usize, Argument>,
    /// The text that redirections write, by node.
    outputs: HashMap<usize, Argument>,
    /// The aliases of commands.
    aliases: HashMap<String, String>,
    /// The folder after the last `cd`.
    folder: Option<Value>,
    /// The functions of the text, by name.
    functions: HashMap<String, ShellFunction<'t>>,
    /// The values of `$1`, `$2` …, while a function is followed or after `set --`.
    positional: Option<Vec<Value>>,
    /// The span of the call whose function is being followed; acts in the function get this span.
    called: Option<Range<usize>>,
    /// The functions that are being followed.
    calls: Vec<usize>,
    /// The bytes of functions followed so far.
    followed: usize,
    /// All values that each variable was given.
    choices: HashMap<String, Vec<Value>>,
    /// The value of a variable for which a command is being read.
    chosen: Option<(String, Value)>,
    /// Unknown programs and options that were already reported.
    untold: HashSet<String>,
    reading: Extraction,
}

impl<'a> ShellReader<'a, '_> {
    fn new(source: &'a str, rules: &'a RuleSet, scope: &'a Scope) -> Self {
        Self {
            source,
            rules,
            scope,
            frames: Frames::new(source.len()),
            inputs: HashMap::new(),
            outputs: HashMap::new(),
            aliases: HashMap::new(),
            folder: None,
            functions: HashMap::new(),
            positional: None,
            called: None,
            calls: Vec::new(),
            followed: 0,
            choices: HashMap::new(),
            chosen: None,
            untold: HashSet::new(),
            reading: Extraction::default(),
        }
    }
}

impl<'t> Walker<'t> for ShellReader<'_, 't> {
    fn visit(&mut self, node: Node<'t>, step: WalkStep) -> bool {
        match node.kind() {
            "variable_assignment" => {
                if let (Some(name), Some(value)) =
                    (node.child_by_field_name("name"), node.child_by_field_name("value"))
                {
                    let (name, span) = (text(name, self.source), value.byte_range());
                    let mut value = self.word(value, 0);
                    let adds =
                        text(node, self.source).get(name.len()..).is_some_and(|rest| rest.starts_with("+="));
                    if adds && let Some(before) = self.frames.lookup(0, name) {
                        value = added(before, value);
                    }
                    let place = self.called.clone().unwrap_or_else(|| node.byte_range());
                    self.set(name, Argument { value: value.clone(), span }, place);
                    self.assign(name, value, step.branch);
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
                self.command(words, None, &self.place(node), 0);
            }
            "declaration_command" => self.declared(node),
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

impl ShellReader<'_, '_> {
    /// The span to report for a node: that of the call, if a function is being followed.
    fn place(&self, node: Node<'_>) -> Range<usize> {
        self.called.clone().unwrap_or_else(|| node.byte_range())
    }

    fn each_of(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_name("variable") else { return };
        let mut cursor = node.walk();
        let values: Vec<Node<'_>> = node.children_by_field_name("value", &mut cursor).take(256).collect();
        let words = |n| self.expand_to_many(n, 0).unwrap_or_else(|| vec![self.word(n, 0)]);
        let values: Vec<Value> = values.into_iter().flat_map(words).take(256).collect();
        for value in &values {
            self.remember(text(name, self.source), value);
        }
        let value = gravest_in(&Value::new(ValueKind::List(values)), self.scope);
        self.frames.bind(0, text(name, self.source), value, false);
    }

    /// Gives each stage of a pipeline the output of the one before it; returns the output of the last one.
    fn pipe(&mut self, node: Node<'_>, input: Option<Argument>, depth: u32) -> Value {
        let mut flowing = input;
        for stage in named_children(node, 256) {
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

    /// Sets the standard input of a command.
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
            // Each command of a group may read it, so all get it.
            "subshell" | "compound_statement" | "list" => {
                for child in named_children(node, 16) {
                    self.feed(child, argument.clone());
                }
            }
            _ => {}
        }
    }

    /// Handles the assignment of an environment variable that programs obey.
    fn set(&mut self, name: &str, value: Argument, span: Range<usize>) {
        let code = programs::shipped().variable(name);
        if let Some(code) = code
            && value.value.as_text().is_some_and(|(text, _)| !text.is_empty())
        {
            self.ordered(code, &value, &format!("{name}="), true, &span, 0);
        }
        if let Some(index) = name.strip_prefix("GIT_CONFIG_VALUE_") {
            let key = self.frames.lookup(0, &format!("GIT_CONFIG_KEY_{index}"));
            let setting = Value::join(&[key.unwrap_or_else(Value::unknown), value.value.clone()], "=");
            let setting = Argument { value: setting, span: value.span.clone() };
            self.ordered(StartedAs::Git, &setting, &format!("{name}="), true, &span, 0);
        }
        let name = format!("{name}=");
        if self.rules.knows(&name) {
            self.reading.acts.push(Act { folder: self.folder.clone(), ..Act::new(name, vec![value], span) });
        }
    }

    /// `declare -x`, `export -p`, `readonly`: without a name, they print the environment.
    fn declared(&mut self, node: Node<'_>) {
        let name = text(node, self.source).split_whitespace().next().unwrap_or_default().to_owned();
        let first = Argument { value: Value::text(name), span: node.byte_range() };
        let mut words = vec![first];
        words.extend(self.words(node, 0));
        if named_children(node, 16)
            .iter()
            .all(|n| n.kind() == "word" && text(*n, self.source).starts_with('-'))
        {
            let input = self.inputs.remove(&node.id());
            let (before, span) = (self.reading.acts.len(), self.place(node));
            self.command(words, input, &span, 0);
            self.show(node, before, &span);
        }
    }

    /// A simple command; read once for each value of a variable that decides what it runs.
    fn simple(&mut self, node: Node<'_>) {
        let input = self.inputs.remove(&node.id());
        let input = self.here_string(node).or(input);
        match self.alternatives(node) {
            Some((name, values)) if self.chosen.is_none() && self.frames.pay(values.len()) => {
                for value in values {
                    self.chosen = Some((name.clone(), value));
                    self.with_words(node, input.clone());
                }
                self.chosen = None;
            }
            _ => self.with_words(node, input),
        }
    }

    fn with_words(&mut self, node: Node<'_>, input: Option<Argument>) {
        let mut words = self.words(node, 0);
        let before = self.reading.acts.len();
        let span = self.place(node);
        if self.called.is_some() {
            for word in &mut words {
                word.span = span.clone();
            }
        }
        self.command(words, input, &span, 0);
        self.show(node, before, &span);
    }

    /// Marks the acts of a command as `shown` if their output is visible, that is, not passed to another command.
    fn show(&mut self, node: Node<'_>, before: usize, span: &Range<usize>) {
        let holder = node.parent().map_or("", |parent| parent.kind());
        if matches!(holder, "pipeline" | "redirected_statement" | "command_substitution") {
            return;
        }
        let set = Argument { value: Value::new(ValueKind::Bool(true)), span: span.clone() };
        for act in self.reading.acts.iter_mut().skip(before).filter(|act| act.span == *span) {
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
        for child in named_children(node, 1024) {
            let child = match child.kind() {
                "command_name" => child.named_child(0).unwrap_or(child),
                "variable_assignment" | "file_redirect" | "herestring_redirect" | "heredoc_redirect" => {
                    continue;
                }
                _ => child,
            };
            let span = child.byte_range();
            if let Some(several) = self.expand_to_many(child, depth) {
                words.extend(
                    several.into_iter().take(1024).map(|value| Argument { value, span: span.clone() }),
                );
                continue;
            }
            let value = self.word(child, depth);
            let splits = matches!(
                child.kind(),
                "concatenation" | "simple_expansion" | "expansion" | "command_substitution"
            );
            match (&value.kind, splits) {
                (ValueKind::Text { text: held, whole }, true)
                    if !text(child, self.source).contains(['"', '\'']) =>
                {
                    for piece in self.split_fields(held) {
                        let kind = ValueKind::Text { text: piece, whole: *whole };
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

/// `a+=b`: appends items to an array, or text to a text.
fn added(before: Value, more: Value) -> Value {
    let taint = before.taint.with(more.taint);
    match (before.kind, more.kind) {
        (ValueKind::List(mut items), ValueKind::List(more)) => {
            items.extend(more);
            items.truncate(256);
            Value { kind: ValueKind::List(items), taint }
        }
        (before, more) => Value::join(&[Value { kind: before, taint }, Value { kind: more, taint }], ""),
    }
}
