//! Reads assignments, declarations and loops over words, and what programs do with variables that they obey.

use super::ShellReader;
use super::change::node::{command_behind, keeps_prefix};
use super::command_start::CommandStart;
use super::variable::uncertain;
use super::word::WordPart;
use crate::review::Scope;
use crate::review::environment;
use crate::review::path_class;
use crate::review::programs::{self, StartedAs};
use crate::review::rules::TargetClass;
use crate::review::syntax::{named_children, text};
use crate::review::value::{Act, Argument, HOLE, Value, ValueKind};
use std::ops::Range;
use tree_sitter::Node;

impl<'t> ShellReader<'_, 't> {
    pub(super) fn assignment(&mut self, node: Node<'_>) {
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
        if declares {
            self.items_in(&value);
        }
        let is_item = name.kind() == "subscript";
        let name = text(name, self.source);
        let adds = text(node, self.source).get(name.len()..).is_some_and(|rest| rest.starts_with("+="));
        if adds {
            let before = self.frames.lookup(0, name).unwrap_or_else(Value::unknown);
            let before = WordPart { value: before, is_expanded: true };
            value = self.added(before, WordPart { value, is_expanded: self.is_expanded(given) });
        }
        self.set(name, Argument { value: value.clone(), span }, place);
        match command_behind(node, self.source) {
            // Before a command, an assignment is for this command only.
            Some(command) if !keeps_prefix(command, self.source, &self.functions) => {}
            Some(_) => self.forget(name),
            // Outside of a function, it fails.
            None if declares && !may_declare(node, self.source) => self.forget(name),
            None if is_item => self.forget(name.split('[').next().unwrap_or_default()),
            None => self.assign(name, value),
        }
    }

    /// `a+=b`: appends items to an array, or text to a text.
    fn added(&self, before: WordPart, more: WordPart) -> Value {
        match (&before.value.kind, &more.value.kind) {
            (ValueKind::List(items), ValueKind::List(more_items)) => {
                let taint = before.value.taint.with(more.value.taint);
                let items: Vec<Value> = items.iter().chain(more_items).cloned().collect();
                let kind = if items.len() > 256 { ValueKind::Unknown } else { ValueKind::List(items) };
                Value { kind, taint }
            }
            _ => self.joined(&[before, more]),
        }
    }

    /// Reads the assignments on the lines before a command that the grammar takes for a part of it.
    pub(super) fn assign_before(&mut self, command: Node<'_>) {
        for child in named_children(command, 64).into_iter().filter(|n| n.kind() == "variable_assignment") {
            if command_behind(child, self.source).is_none() {
                self.assignment(child);
                self.assigned.insert(child.id());
            }
        }
    }

    /// A loop over words.
    pub(super) fn each_of(&mut self, node: Node<'t>) {
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

    /// Handles the assignment of an environment variable that programs obey.
    pub(super) fn set(&mut self, name: &str, value: Argument, span: Range<usize>) {
        self.index_of(&value, &span);
        if name == "PATH"
            && (may_replace_programs(&value.value, self.scope) || self.puts_unknown_first(&value))
        {
            self.not_known("a program that PATH now finds first", &span, false);
        }
        if name == "NODE_OPTIONS" && names_code(&value.value) {
            self.not_known("the code that NODE_OPTIONS names", &span, false);
        }
        if name == "RUBYOPT" && value.value.as_text().is_none_or(|(options, _)| loads_in_ruby(options)) {
            self.not_known("the code that RUBYOPT names", &span, false);
        }
        // As with `sys.path`, what lies there is loaded in place of what is installed.
        self.reading.unknown |=
            name == "PYTHONPATH" && !matches!(value.value.as_whole_text(), Some("" | "."));
        self.reading.unknown |= environment::loads_code(name, &value.value);
        if name == "TAR_OPTIONS" && value.value.as_whole_text() != Some("") {
            self.not_known("what the options in TAR_OPTIONS name", &span, false);
        }
        if let Some(code) = programs::shipped().variable(name) {
            match value.value.as_text() {
                Some(("", _)) => {}
                Some(_) => self.ordered(code, &value, &format!("{name}="), true, &span, 0),
                None => self.reading.unknown = true,
            }
        }
        if name.starts_with("GIT_CONFIG_KEY_") {
            // git reads the last one, even for a value in front of it.
            let is_the_only_one = self.git_keys.len() < 256
                && self
                    .git_keys
                    .insert(name.to_owned(), value.value.clone())
                    .is_none_or(|earlier| earlier == value.value);
            self.reading.unknown |= !is_the_only_one;
        }
        if let Some(index) = name.strip_prefix("GIT_CONFIG_VALUE_") {
            // In front of a command, both are for that command alone, so that no variable holds the key.
            let key = self.git_keys.get(&format!("GIT_CONFIG_KEY_{index}")).cloned();
            // git reads the key at last, even if it stands behind the value.
            self.reading.unknown |= key.as_ref().and_then(Value::as_whole_text).is_none();
            let setting = Value::join(&[key.unwrap_or_else(Value::unknown), value.value.clone()], "=");
            let setting = Argument::new(setting, &value.span);
            self.ordered(StartedAs::Git, &setting, &format!("{name}="), true, &span, 0);
        }
        let name = format!("{name}=");
        if self.rules.knows(&name) {
            self.reading.acts.push(Act { folder: self.folder.clone(), ..Act::new(name, vec![value], span) });
        }
    }

    /// Whether `PATH` begins with a folder that is the value of another name, or the output of a command.
    fn puts_unknown_first(&self, path: &Argument) -> bool {
        let first = path.value.as_text().and_then(|(text, _)| text.split(':').next());
        let is_unknown = first.is_some_and(|folder| !folder.is_empty() && folder.chars().all(|c| c == HOLE));
        let spelled = self.source.get(path.span.clone()).unwrap_or_default();
        let first = spelled.split(':').next().unwrap_or_default();
        let expanded = first.split(['$', '`']).nth(1).unwrap_or("PATH").trim_start_matches('{');
        let name = expanded.split(|sign: char| sign != '_' && !sign.is_ascii_alphanumeric()).next();
        !self.scope.in_image && is_unknown && name != Some("PATH")
    }

    /// `declare -x`, `export -p`, `readonly`: without a name, they print the environment.
    pub(super) fn declared(&mut self, node: Node<'_>) {
        let name = text(node, self.source).split_whitespace().next().unwrap_or_default().to_owned();
        self.convert(node);
        let first = Argument::text(name, &node.byte_range());
        let mut words = vec![first];
        words.extend(self.words(node, 0));
        let place = self.place(node);
        for word in words.iter().skip(1) {
            self.index_of(word, &place);
            if let Some((_, held)) = word.value.as_text().and_then(|(text, _)| text.split_once('=')) {
                self.items_in(&Value::text(held));
            }
            self.set_by_word(word, &place);
        }
        if named_children(node, 16)
            .iter()
            .all(|n| n.kind() == "word" && text(*n, self.source).starts_with('-'))
        {
            let input = self.inputs.remove(&node.id());
            let before = self.reading.acts.len();
            self.command(words, CommandStart::at(&place, input));
            self.show(node, before, &place);
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
}

/// Whether a declaration holds here: `local` does in functions only.
fn may_declare(node: Node<'_>, source: &str) -> bool {
    let is_local = node.parent().is_some_and(|holder| text(holder, source).starts_with("local"));
    let mut at = node.parent().filter(|_| is_local);
    while let Some(around) = at.filter(|around| around.kind() != "function_definition") {
        at = around.parent();
    }
    !is_local || at.is_some()
}

/// Whether a value of `PATH` has a folder before those of the system that a run can write: then a name may stand for
/// another program. While an image is built, all folders are its own.
fn may_replace_programs(path: &Value, scope: &Scope) -> bool {
    let Some((path, _)) = path.as_text() else { return !scope.in_image };
    let is_system = |folder: &str| {
        let is_old = !folder.is_empty() && folder.chars().all(|c| c == HOLE);
        let below = ["/bin", "/sbin", "/usr"].iter().find_map(|top| folder.strip_prefix(top));
        is_old || !folder.contains("..") && below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let can_be_written = |folder: &str| {
        let located = path_class::locate(folder, None, scope);
        let classes = [TargetClass::Inside, TargetClass::Temp, TargetClass::Scratch, TargetClass::Unknown];
        !path_class::is_absolute(folder) || classes.iter().any(|class| located.is(*class))
    };
    let mut in_front = path.split(':').take_while(|folder| !is_system(folder));
    !scope.in_image && in_front.any(can_be_written)
}

/// Whether options of ruby load code before the program, or look for it elsewhere: `-r./x`, `-I lib`.
fn loads_in_ruby(options: &str) -> bool {
    options
        .split_whitespace()
        .any(|word| word.contains(HOLE) || word.starts_with("-r") || word.starts_with("-I"))
}

/// Whether options of node load code before the program: `-r ./x`, `--import=./x.mjs`.
fn names_code(options: &Value) -> bool {
    const LOADING: &[&str] = &["--require", "--import", "--loader", "--experimental-loader"];
    let Some((options, _)) = options.as_text() else { return true };
    // node takes quotes away, and reads `_` as `-`.
    let options = options.replace(['"', '\\'], "").replace('_', "-");
    let loads = |word: &str| word.starts_with("-r") || LOADING.iter().any(|option| word.starts_with(option));
    options.split_whitespace().any(|word| word.contains(HOLE) || loads(word))
}
