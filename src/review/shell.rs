//! Reads bash: walks the tree, expands words and collects each command and redirection as an act.
//!
//! `command` resolves commands that run others (`sudo`, `env`, `xargs`, `find -exec`); `word` folds words, `expand`
//! words that become several, `brace` those with braces, `form` the forms of `${…}`, `print` what commands print.
//! `variable` holds the values of variables, `read` sets them, `change` and `branch` find where they stop to be known.
//! `redirect` handles redirections, `alias` aliases, `function` functions, and `program` what options do. `judge` judges
//! the acts.
//!
//! A value counts as known only where bash certainly agrees; everything else is unknown.

mod alias;
mod brace;
mod branch;
mod change;
mod command;
mod expand;
mod find;
mod form;
mod function;
mod options;
mod print;
mod program;
mod quoting;
mod read;
mod redirect;
mod variable;
mod word;
mod wrapper;

use branch::OpenScope;
use change::{Changes, changed_in_place, keeps_prefix};
use function::ShellFunction;
use variable::{ValueSet, uncertain};

use super::Scope;
use super::flow::{Extraction, Frames};
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
    reader.changes = Changes::of(root, source, &reader.functions);
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
    choices: HashMap<String, ValueSet>,
    /// The variables whose values bash converts when they are set: `declare -i`.
    converted: HashSet<String>,
    /// All places that change something.
    changes: Changes<'a>,
    /// The stretches of the text that are being read, the innermost last.
    open: Vec<OpenScope>,
    /// The list that was begun last.
    list: Range<usize>,
    /// The commands that share their standard input with others.
    shared: HashSet<usize>,
    /// Whether the command that is being read may read its input in an unusual way, or share it.
    odd_input: bool,
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
            converted: HashSet::new(),
            changes: Changes::default(),
            open: Vec::new(),
            list: 0..0,
            shared: HashSet::new(),
            odd_input: false,
            chosen: None,
            untold: HashSet::new(),
            reading: Extraction::default(),
        }
    }
}

impl<'t> Walker<'t> for ShellReader<'_, 't> {
    fn visit(&mut self, node: Node<'t>, _: WalkStep) -> bool {
        self.end_scopes(node.start_byte());
        if node.kind() == "for_statement" {
            self.each_of(node);
        } else {
            self.begin_scopes(node);
        }
        match node.kind() {
            "variable_assignment" => self.assignment(node),
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
        for target in changed_in_place(node, self.source) {
            self.forget_target(target);
        }
        true
    }

    fn is_branch(_: &str) -> bool {
        // The reader keeps its own account of branches.
        false
    }

    fn too_deep(&mut self) {
        self.reading.cut = true;
    }
}

impl<'t> ShellReader<'_, 't> {
    /// The span to report for a node: that of the call, if a function is being followed.
    fn place(&self, node: Node<'_>) -> Range<usize> {
        self.called.clone().unwrap_or_else(|| node.byte_range())
    }

    fn assignment(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let holder = node.parent();
        let declares = holder.is_some_and(|holder| holder.kind() == "declaration_command");
        // `NAME=`: the value is empty.
        let given = node.child_by_field_name("value");
        let spelled = given.map(|value| text(value, self.source)).unwrap_or_default();
        let has_braces = spelled.contains('{') && (spelled.contains(',') || spelled.contains(".."));
        let is_quoted = given
            .is_some_and(|value| matches!(value.kind(), "string" | "raw_string" | "ansi_c_string" | "array"));
        let (place, span) = (self.place(node), given.unwrap_or(node).byte_range());
        let mut value = given.map_or_else(|| Value::text(""), |value| self.word(value, 0));
        if declares && has_braces && !is_quoted {
            // The words of a declaration are expanded like those of a command.
            value = uncertain(value);
        }
        let is_item = name.kind() == "subscript";
        let name = text(name, self.source);
        let adds = text(node, self.source).get(name.len()..).is_some_and(|rest| rest.starts_with("+="));
        if adds {
            let before = self.frames.lookup(0, name).unwrap_or_else(Value::unknown);
            value = added(before, value);
        }
        self.set(name, Argument { value: value.clone(), span }, place);
        match holder.filter(|holder| holder.kind() == "command") {
            // Before a command, an assignment is for this command only.
            Some(command) if !keeps_prefix(command, self.source, &self.functions) => {}
            Some(_) => self.forget(name),
            None if is_item => self.forget(name.split('[').next().unwrap_or_default()),
            None => self.assign(name, value),
        }
    }

    /// A loop over words.
    fn each_of(&mut self, node: Node<'t>) {
        const MAX_WORDS: usize = 256;
        let mut cursor = node.walk();
        let nodes: Vec<Node<'_>> =
            node.children_by_field_name("value", &mut cursor).take(MAX_WORDS + 1).collect();
        let mut values = Vec::new();
        for value in nodes.iter().take(MAX_WORDS) {
            values.extend(self.fields(*value, 0));
        }
        if values.len() > MAX_WORDS || nodes.len() > MAX_WORDS {
            values.truncate(MAX_WORDS);
            values.push(Value::unknown());
        }
        let spelled = text(node, self.source);
        if nodes.is_empty() || spelled.starts_with("select") {
            // Without words, a loop goes through `"$@"`.
            values.push(Value::unknown());
        }
        self.begin_scopes(node);
        if let Some(name) = node.child_by_field_name("variable") {
            self.assign_any(text(name, self.source), values);
        }
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
                let shared = self.shared.contains(&node.id());
                if let Some(body) = node.child_by_field_name("body").or_else(|| node.named_child(0)) {
                    self.shared.extend(shared.then(|| body.id()));
                    self.feed(body, argument);
                }
            }
            "pipeline" => {
                let shared = self.shared.contains(&node.id());
                if let Some(first) = node.named_child(0) {
                    self.shared.extend(shared.then(|| first.id()));
                    self.feed(first, argument);
                }
            }
            // Each command of a group may read it, so all get it.
            "subshell" | "compound_statement" | "list" => {
                let children = named_children(node, 16);
                if children.len() > 1 || self.shared.contains(&node.id()) {
                    self.shared.extend(children.iter().map(Node::id));
                }
                for child in children {
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
        self.convert(node);
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

    /// The options of `declare` that change the values of the variables.
    fn convert(&mut self, node: Node<'_>) {
        let children = named_children(node, 256);
        let options = children.iter().filter(|n| n.kind() == "word").map(|n| text(*n, self.source));
        let options: String = options.filter(|word| word.starts_with('-')).collect();
        // A name may stand for another one from here on.
        self.reading.unknown |= options.contains('n');
        if !options.contains(['i', 'u', 'l', 'c']) {
            return;
        }
        for child in children {
            let name = child.child_by_field_name("name").unwrap_or(child);
            if name.kind() == "variable_name" && self.converted.len() < 1024 {
                self.converted.insert(text(name, self.source).to_owned());
            } else if self.converted.len() >= 1024 {
                self.reading.cut = true;
            }
        }
    }

    /// A simple command; read once for each value of a variable that decides what it runs.
    fn simple(&mut self, node: Node<'_>) {
        let input = self.inputs.remove(&node.id());
        let input = self.here_string(node).or(input);
        let children = named_children(node, 64);
        let count = |kind: &str| children.iter().filter(|child| child.kind() == kind).count();
        let sets_ifs = children.iter().any(|child| {
            child.kind() == "variable_assignment" && text(*child, self.source).starts_with("IFS")
        });
        let inputs = count("herestring_redirect") + count("file_redirect") + count("heredoc_redirect");
        self.odd_input = sets_ifs || inputs > 1 || self.shared.contains(&node.id());
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
        const MAX_WORDS: usize = 1 << 14;
        let mut words = Vec::new();
        let children = named_children(node, MAX_WORDS + 1);
        for child in children.iter().take(MAX_WORDS) {
            let child = match child.kind() {
                "command_name" => child.named_child(0).unwrap_or(*child),
                "variable_assignment" | "file_redirect" | "herestring_redirect" | "heredoc_redirect" => {
                    continue;
                }
                _ => *child,
            };
            let values = self.fields(child, depth);
            words.extend(values.into_iter().map(|value| Argument { value, span: child.byte_range() }));
        }
        if children.len() > MAX_WORDS || words.len() > MAX_WORDS {
            self.reading.cut = true;
            words.truncate(MAX_WORDS);
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
            let kind = if items.len() > 256 { ValueKind::Unknown } else { ValueKind::List(items) };
            Value { kind, taint }
        }
        (before, more) => Value::join(&[Value { kind: before, taint }, Value { kind: more, taint }], ""),
    }
}
