//! Splits the words of a command into options and operands.

use super::option_form::in_getopt_form;
use super::{ShellReader, module};
use crate::review::folder::entered;
use crate::review::programs::{self, OperandUse, OptionArity, OptionChoice, Program, Role};
use crate::review::value::{Act, Argument, HOLE, Value};
use std::ops::Range;

/// An option that takes no value and does nothing.
const EMPTY: OptionChoice = OptionChoice { takes: OptionArity::Nothing, does: OperandUse::Nothing };

/// What the tables know of the words of one command.
#[derive(Debug, Default)]
pub(super) struct CommandFacts {
    /// The program with its verbs, as far as the tables know them.
    pub(super) name: String,
    /// The tables of the program and of its verbs; the last takes precedence.
    pub(super) tables: Vec<&'static Program>,
    /// Whether options in no table do nothing.
    pub(super) others_harmless: bool,
    /// How many operands are verbs.
    pub(super) verbs: usize,
    /// Whether the last of them has no row of its own, so that no verb follows it.
    has_all_verbs: bool,
    /// Options in a table, as written, with their values.
    pub(super) options: Vec<(String, OptionChoice, Argument)>,
    /// Options in no table.
    pub(super) unknown_options: Vec<String>,
    /// A verb in no table.
    pub(super) unknown_verb: Option<String>,
}

impl CommandFacts {
    fn of(name: &str) -> Self {
        let tables: Vec<&'static Program> = programs::shipped().get(name).into_iter().collect();
        let others_harmless = tables.last().is_some_and(|table| table.others_harmless);
        Self { name: name.to_owned(), tables, others_harmless, ..Self::default() }
    }

    fn option(&self, key: &str, long: bool) -> Option<(String, OptionChoice)> {
        self.tables.iter().rev().find_map(|table| table.option(key, long))
    }

    /// Adds an operand with `before` operands in front of it; it may be a verb.
    fn operand(&mut self, word: &Argument, before: usize) {
        let Some(table) = self.tables.last().filter(|table| table.has_verbs()) else { return };
        if self.has_all_verbs || before != self.verbs {
            return;
        }
        let verb = word.value.as_whole_text().unwrap_or("?");
        let name = format!("{} {verb}", self.name);
        let inner = programs::shipped().get(&name);
        if inner.is_none() && !table.knows_verb(verb) {
            self.unknown_verb = Some(name.clone());
        }
        self.others_harmless |= inner.is_none_or(|inner| inner.others_harmless);
        self.verbs += 1;
        self.has_all_verbs = inner.is_none();
        self.name = name;
        self.tables.extend(inner);
    }

    /// Whether the operands after `before` others are the words of a command.
    fn begins_command(&self, before: usize) -> bool {
        let at = self.tables.last().and_then(|table| table.command_at());
        at.is_some_and(|at| at + self.verbs == before)
    }

    /// The role of the first operand of an interpreter: the file with the code.
    fn interprets(&self) -> Option<&'static Role> {
        self.tables.iter().find_map(|table| table.interprets())
    }

    /// Whether the standard input of a command is code: it is an interpreter, and neither an option nor an operand has
    /// its code.
    pub(super) fn takes_code(&self, act: &Act) -> bool {
        let Some(role) = self.interprets() else { return false };
        let given = |option: &str| act.named.iter().any(|(name, _)| name == option);
        let in_option = role.without.iter().any(|option| option != "s" && given(option));
        let is_file =
            |word: &Argument| !matches!(word.value.as_whole_text(), Some("-" | "/dev/stdin" | "/dev/fd/0"));
        // Only shells take their code from the input because of an option.
        let from_input = role.without.iter().any(|option| option == "s") && given("s");
        let in_file = act.arguments.first().is_some_and(is_file) && !from_input;
        !in_option && !in_file
    }
}

impl ShellReader<'_, '_> {
    /// The act of a command: its options by name, its operands in their order.
    pub(super) fn split(
        &mut self,
        name: &str,
        words: Vec<Argument>,
        input: Option<Argument>,
        span: &Range<usize>,
    ) -> Act {
        self.split_by_table(name, words, input, span).0
    }

    /// The same, together with what the tables know about its words.
    pub(super) fn split_by_table(
        &mut self,
        name: &str,
        words: Vec<Argument>,
        input: Option<Argument>,
        span: &Range<usize>,
    ) -> (Act, CommandFacts) {
        let rules = self.rules;
        let takes: &[String] = rules.file.values.get(name).map_or(&[], Vec::as_slice);
        let mut known = CommandFacts::of(name);
        let mut act = Act { folder: self.folder.clone(), ..Act::new(name, Vec::new(), span.clone()) };
        let mut only_operands = false;
        let mut words = in_getopt_form(name, words).into_iter();
        while let Some(word) = words.next() {
            let text = word.value.as_text().map(|(t, _)| t.to_owned()).unwrap_or_default();
            if only_operands || !text.starts_with('-') || text == "-" {
                // An operand of an interpreter is its file, or for the code in it.
                if known.interprets().is_none() {
                    setting(&text, &word, &mut act, &mut known);
                }
                known.operand(&word, act.arguments.len());
                act.arguments.push(word);
                // What stands behind the file of an interpreter is for the code in it.
                if known.interprets().is_some() || known.begins_command(act.arguments.len().saturating_sub(1))
                {
                    act.arguments.extend(words);
                    break;
                }
                continue;
            }
            if text == "--" {
                only_operands = true;
                continue;
            }
            // Behind `-c` and `-m` of Python stand options for the code.
            let is_for_code =
                module::is_python(name) && act.named.iter().any(|(key, _)| key == "c" || key == "m");
            let told = known.unknown_options.len();
            let takes_next = option(&text, takes, &word, &mut act, &mut known);
            if is_for_code {
                known.unknown_options.truncate(told);
            }
            if let Some(key) = takes_next
                && let Some(value) = words.next()
            {
                if let Some((_, choice)) = known.option(&key, key.len() > 1) {
                    known.options.push((dashed(&key), choice, value.clone()));
                }
                act.named.push((key, value));
            }
        }
        if rules.file.verbs.iter().any(|v| v == name) && !act.arguments.is_empty() {
            let verb = act.arguments.remove(0);
            act.name = format!("{name} {}", verb.value.as_whole_text().unwrap_or("?"));
        }
        add_input(&mut act, input, &known);
        add_files(&mut act, name);
        (act, known)
    }
}

/// Adds the standard input of a command, by a name of its own if it is code.
fn add_input(act: &mut Act, input: Option<Argument>, known: &CommandFacts) {
    let Some(input) = input else { return };
    if known.takes_code(act) {
        act.named.push(("code".to_owned(), input.clone()));
    }
    act.named.push(("stdin".to_owned(), input));
}

/// Adds the files that a command stores or sends without an option that names them alone.
fn add_files(act: &mut Act, program: &str) {
    if let Some(file) = saved(act) {
        act.named.push(("saved".to_owned(), file));
    }
    if matches!(program, "curl" | "wget" | "xh")
        && let Some(file) = uploaded(act)
    {
        act.named.push(("file".to_owned(), file));
    }
}

/// Adds an operand of the form `key=value` by its key, unless that form has no meaning for the program: `l=1` in
/// `sudo l=1 ls` is not the option `-l`.
fn setting(text: &str, word: &Argument, act: &mut Act, known: &mut CommandFacts) {
    let Some((key, value)) = text.split_once('=').filter(|(key, _)| plain_key(key)) else { return };
    if !known.tables.is_empty() && !known.tables.iter().any(|table| table.takes_settings()) {
        return;
    }
    let held = part_of(word, value);
    if let Some((spelled, choice)) = known.option(&format!("{key}="), false) {
        known.options.push((spelled, choice, held.clone()));
    }
    act.named.push((key.to_owned(), held));
}

/// A value that is a part of a word.
fn part_of(word: &Argument, text: &str) -> Argument {
    Argument::new(Value::of_text(text, !text.contains(HOLE)).tainted(word.value.taint), &word.span)
}

/// An option with its dashes.
fn dashed(key: &str) -> String {
    if key.chars().count() == 1 { format!("-{key}") } else { format!("--{key}") }
}

/// The file or folder in which a download is stored under its own name: `wget URL`, `curl -O URL`, `git clone URL`.
fn saved(act: &Act) -> Option<Argument> {
    let given = |names: &[&str]| act.named.iter().any(|(name, _)| names.contains(&name.as_str()));
    let keeps = match act.name.as_str() {
        "wget" => !given(&["O", "output-document", "spider"]),
        "curl" => given(&["O", "remote-name", "J"]),
        "git clone" => !given(&["bare", "mirror"]),
        _ => false,
    };
    let option = |names: &[&str]| act.named.iter().find(|(name, _)| names.contains(&name.as_str()));
    let folder =
        if act.name == "wget" { option(&["P", "directory-prefix"]) } else { option(&["output-dir"]) };
    let url = act.arguments.iter().find(|a| a.value.as_whole_text().is_some_and(|t| t.contains('/')));
    let url = url.filter(|_| keeps)?;
    let address = url.value.as_whole_text()?;
    let (place, query) =
        address.split_once('?').map_or((address, None), |(place, query)| (place, Some(query)));
    let name = place.rsplit('/').next()?;
    let has_path = place.split_once("://").map_or(place, |(_, rest)| rest).contains('/');
    let name = match (act.name.as_str(), query) {
        ("git clone", _) => name.strip_suffix(".git").unwrap_or(name).to_owned(),
        ("wget", query) => {
            let name = if name.is_empty() || !has_path { "index.html" } else { name };
            // Of the query, each `/` is written in another way.
            query.map_or_else(|| name.to_owned(), |query| format!("{name}?{}", query.replace('/', "%2F")))
        }
        _ => name.to_owned(),
    };
    let is_named = !name.is_empty();
    let saved = entered(folder.map(|(_, folder)| &folder.value), &Value::text(name));
    is_named.then(|| Argument::new(saved, &url.span))
}

/// The file that a transfer sends: `-T file`, `-d @file`, `-F name=@file`.
fn uploaded(act: &Act) -> Option<Argument> {
    let given = act.named.iter().find(|(name, argument)| {
        let text = argument.value.as_text().map_or("", |(text, _)| text);
        match name.as_str() {
            "T" | "upload-file" | "post-file" | "body-file" => true,
            "d" | "data" | "data-binary" | "data-ascii" | "json" => text.starts_with('@'),
            "F" | "form" | "data-urlencode" => {
                text.contains("=@") || text.contains("=<") || text.starts_with('@')
            }
            _ => false,
        }
    });
    given.map(|(_, argument)| argument.clone())
}

/// Adds an option; returns its name if the next word is its value.
fn option(
    text: &str,
    takes: &[String],
    word: &Argument,
    act: &mut Act,
    known: &mut CommandFacts,
) -> Option<String> {
    let set = || Argument::given(&word.span);
    if act.name == "kill" && text == "-0" {
        // `kill -0` only tests whether a process exists.
        act.named.push(("probe".to_owned(), set()));
        return None;
    }
    if act.name == "kill" && text == "-1" && !act.named.is_empty() {
        // After a signal, `-1` means all processes.
        act.named.push(("everything".to_owned(), set()));
        return None;
    }
    let long = text.starts_with("--");
    let body = text.trim_start_matches('-');
    let (key, value) = body.split_once('=').map_or((body, None), |(key, value)| (key, Some(value)));
    let listed = takes.iter().any(|t| t == key);
    let whole = known.option(key, long);
    if whole.is_some() || listed || long || known.tables.is_empty() && value.is_some() {
        // `--no-color` is as harmless as `--color`.
        let negated = key.strip_prefix("no-").and_then(|key| known.option(key, false)).map(|_| EMPTY);
        let does = whole.as_ref().map(|(_, choice)| *choice).or(negated);
        let name = whole.map_or_else(|| key.to_owned(), |(name, _)| name);
        if does.is_none() && !listed && !matches!(key, "help" | "version") {
            known.unknown_options.push(text.split('=').next().unwrap_or(text).to_owned());
        }
        let next = listed || does.is_some_and(|choice| choice.takes == OptionArity::Value);
        if value.is_none() && next {
            return Some(name);
        }
        let given = value.map_or_else(set, |value| part_of(word, value));
        known.options.extend(does.map(|choice| (dashed(&name), choice, given.clone())));
        act.named.push((name, given));
        return None;
    }
    cluster(text, takes, word, act, known)
}

/// `-rf` is `-r -f`; `-ofile` is `-o file` where `-o` takes a value.
fn cluster(
    text: &str,
    takes: &[String],
    word: &Argument,
    act: &mut Act,
    known: &mut CommandFacts,
) -> Option<String> {
    let set = || Argument::given(&word.span);
    let key = text.trim_start_matches('-');
    if !key.contains('=') {
        act.named.push((key.to_owned(), set()));
    }
    if key.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    for (at, letter) in key.char_indices().take(64) {
        let letter = letter.to_string();
        let choice = known.option(&letter, false).map(|(_, choice)| choice);
        let rest = key.get(at + letter.len()..).unwrap_or_default();
        let takes_value = choice.is_some_and(|c| c.takes == OptionArity::Value) || takes.contains(&letter);
        if takes_value && rest.is_empty() {
            return Some(letter);
        }
        if takes_value || choice.is_some_and(|c| c.takes == OptionArity::Attached) {
            let value = Value::of_text(rest.trim_start_matches('='), word.value.as_whole_text().is_some());
            let given = Argument::new(value.tainted(word.value.taint), &word.span);
            known.options.extend(choice.map(|choice| (format!("-{letter}"), choice, given.clone())));
            act.named.push((letter, given));
            return None;
        }
        match choice {
            Some(choice) => known.options.push((format!("-{letter}"), choice, set())),
            None if letter.chars().all(|c| c.is_ascii_digit()) => {}
            None => known.unknown_options.push(if at == 0 { text.to_owned() } else { format!("-{letter}") }),
        }
        if key.len() > 1 {
            act.named.push((letter, set()));
        }
    }
    None
}

/// Whether a text can be the name of a variable.
pub(super) fn plain_key(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
