//! Folds words: works out what is known of the text that a word expands to, and of what a command prints.

use super::ShellReader;
use super::quoting::{unescaped, unescaped_quoted};
use crate::review::escapes;
use crate::review::path_class::{self, TEMPORARY_FOLDER, is_secret};
use crate::review::syntax::{named_children, text};
use crate::review::value::taint;
use crate::review::value::{HOLE, Taint, Value, ValueKind};
use tree_sitter::Node;

/// Stands for the id of a process that the text started itself.
const OWN_PROCESS: &str = "@job";

/// Words and substitutions nested deeper are not folded.
const MAX_DEPTH: u32 = 24;

impl ShellReader<'_, '_> {
    /// What is known of a word's text.
    pub(super) fn word(&mut self, node: Node<'_>, depth: u32) -> Value {
        if depth > MAX_DEPTH || !self.frames.pay(1) {
            return Value::unknown();
        }
        let deeper = depth + 1;
        let source = text(node, self.source);
        match node.kind() {
            "word" | "number" | "extglob_pattern" | "regex" | "variable_name" | "test_operator" => {
                Value::text(unescaped(source))
            }
            "raw_string" => {
                let inner = source.strip_prefix('\'').unwrap_or(source);
                Value::text(inner.strip_suffix('\'').unwrap_or(inner))
            }
            "ansi_c_string" => {
                let inner = source.get(2..source.len().saturating_sub(1)).unwrap_or_default();
                Value::text(escapes::ansi_c(inner))
            }
            "string" | "translated_string" => self.quoted(node, deeper),
            "concatenation" => self.concatenation(node, deeper),
            "simple_expansion" => match node.named_child(0) {
                Some(name) => self.variable(text(name, self.source)),
                None => Value::unknown(),
            },
            "expansion" => self.expansion(node, deeper),
            "command_substitution" => {
                let last = named_children(node, 64).pop();
                last.map_or_else(Value::unknown, |n| self.output(n, deeper))
            }
            "process_substitution" => {
                let last = named_children(node, 64).pop();
                let printed = last.map_or_else(Value::unknown, |n| self.output(n, deeper));
                // The word is the name of a pipe; `about` is what can be read from it.
                Value::name_about("<()", printed)
            }
            "array" => Value::new(ValueKind::List(
                named_children(node, 256).into_iter().map(|n| self.word(n, deeper)).collect(),
            )),
            _ => Value::unknown(),
        }
    }

    /// A concatenation; `{a,b}` in it stays as written.
    fn concatenation(&mut self, node: Node<'_>, depth: u32) -> Value {
        let parts: Vec<Value> = named_children(node, 256).into_iter().map(|n| self.word(n, depth)).collect();
        Value::join(&parts, "")
    }

    /// A string in double quotes; the text between its parts is taken from the source.
    fn quoted(&mut self, node: Node<'_>, depth: u32) -> Value {
        let end = node.end_byte().saturating_sub(1);
        let mut at = node.start_byte() + if node.kind() == "translated_string" { 2 } else { 1 };
        let mut parts = Vec::new();
        for child in named_children(node, 512) {
            if child.kind() == "string" {
                return self.word(child, depth);
            }
            if child.kind() == "string_content" {
                continue;
            }
            parts.push(Value::text(unescaped_quoted(
                self.source.get(at..child.start_byte()).unwrap_or_default(),
            )));
            parts.push(self.word(child, depth));
            at = child.end_byte();
        }
        parts.push(Value::text(unescaped_quoted(self.source.get(at..end).unwrap_or_default())));
        let joined = Value::join(&parts, "");
        if parts.len() == 1 && joined == Value::unknown() { Value::text("") } else { joined }
    }

    /// `${NAME}`, `${NAME:-default}` and other forms; unknown forms are not followed.
    fn expansion(&mut self, node: Node<'_>, depth: u32) -> Value {
        let children = named_children(node, 8);
        let inner = children
            .iter()
            .map(|n| if n.kind() == "subscript" { n.named_child(0).unwrap_or(*n) } else { *n });
        let found = inner.clone().find(|n| matches!(n.kind(), "variable_name" | "special_variable_name"));
        let Some(name) = &found else { return Value::unknown() };
        let value = self.variable(text(*name, self.source));
        let inner = text(node, self.source)
            .strip_prefix("${")
            .and_then(|rest| rest.strip_suffix('}'))
            .unwrap_or_default();
        let name = text(*name, self.source);
        if inner == name {
            return value;
        }
        if inner.strip_prefix('!') == Some(name) {
            // `${!name}`: the variable whose name is the value of `name`.
            return match value.as_whole_text().map(str::to_owned) {
                Some(other) if !other.is_empty() => self.variable(&other),
                _ => Value::unknown().tainted(value.taint),
            };
        }
        let form = inner.strip_prefix(name).unwrap_or_default();
        if let Some(index) =
            form.strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(index, _)| index)
        {
            return self.item(name, index);
        }
        let operator = node.child_by_field_name("operator").map(|o| text(o, self.source)).unwrap_or_default();
        let last = children.last().filter(|last| text(**last, self.source) != name);
        match (operator, value.as_text().is_some(), last) {
            (":-" | "-" | ":=" | "=", false, Some(last)) => self.word(*last, depth),
            (":-" | "-" | ":?" | "?" | ":=" | "=", true, _) => value,
            (":+" | "+", true, Some(last)) => self.word(*last, depth),
            _ => Self::formed(form, &value).unwrap_or_else(|| Value::unknown().tainted(value.taint)),
        }
    }

    /// An item of an array.
    fn item(&mut self, name: &str, index: &str) -> Value {
        match self.frames.lookup(0, name).map(|value| value.kind) {
            Some(ValueKind::List(items)) if matches!(index, "@" | "*") => Value::join(&items, " "),
            Some(ValueKind::List(items)) => index
                .parse::<usize>()
                .ok()
                .and_then(|at| items.into_iter().nth(at))
                .unwrap_or_else(Value::unknown),
            _ => Value::unknown(),
        }
    }

    /// A variable: the value that the text gave it, or one that the system sets.
    fn variable(&mut self, name: &str) -> Value {
        if let Some((chosen, value)) = &self.chosen
            && chosen == name
        {
            return value.clone();
        }
        if let Some(all) = &self.positional {
            if matches!(name, "@" | "*") {
                return Value::join(all, " ");
            }
            if let Some(at) = name.parse::<usize>().ok().filter(|at| *at > 0) {
                return all.get(at - 1).cloned().unwrap_or_else(|| Value::text(""));
            }
        }
        if let Some(value) = self.frames.lookup(0, name) {
            return match value.kind {
                ValueKind::List(items) => items.into_iter().next().unwrap_or_else(Value::unknown),
                ValueKind::Unknown => self.one_of(name).map_or(value.clone(), |one| one.tainted(value.taint)),
                _ => value,
            };
        }
        match name {
            "HOME" => Value::text("~"),
            "PWD" => Value::text("."),
            "TMPDIR" => Value::text("/tmp"),
            "IFS" => Value::text(" "),
            // `$!` is the last job that this text started.
            "!" => Value::text(OWN_PROCESS),
            _ if path_class::secret_name(name) => Value::unknown().tainted(Taint::SECRET),
            _ => Value::unknown(),
        }
    }

    /// What is known of the text that a statement prints.
    pub(super) fn output(&mut self, node: Node<'_>, depth: u32) -> Value {
        if depth > MAX_DEPTH || !self.frames.pay(1) {
            return Value::unknown();
        }
        let deeper = depth + 1;
        match node.kind() {
            "command" => self.printed(node, deeper),
            "declaration_command" => Value::unknown().tainted(Taint::ENVIRONMENT),
            "pipeline" => self.pipe(node, None, deeper),
            "redirected_statement" | "subshell" | "compound_statement" | "list" | "negated_command" => {
                let body = node.child_by_field_name("body").or_else(|| named_children(node, 64).pop());
                body.map_or_else(Value::unknown, |n| self.output(n, deeper))
            }
            _ => Value::unknown(),
        }
    }

    /// What a command prints: for `echo` its operands; for readers of files and others only taint marks.
    fn printed(&mut self, node: Node<'_>, depth: u32) -> Value {
        let words = self.words(node, depth);
        let mut words = words.into_iter().map(|a| a.value);
        let name = words.next().and_then(|v| v.as_whole_text().map(str::to_owned)).unwrap_or_default();
        let name = name.rsplit('/').next().unwrap_or_default().to_owned();
        let operands: Vec<Value> = words.collect();
        let input = self.inputs.get(&node.id()).map(|a| a.value.clone());
        let given = operands.iter().fold(Taint::default(), |t, v| t.with(v.all_taint()));
        let given = input.iter().fold(given, |t, v| t.with(v.all_taint()));
        match name.as_str() {
            "printf" => return super::expand::formatted(&operands),
            "echo" => {
                let shown = |v: &&Value| v.as_whole_text().is_none_or(|t| !t.starts_with('-'));
                let operands: Vec<Value> = operands.iter().filter(shown).cloned().collect();
                return Value::join(&operands, " ");
            }
            "pwd" => return Value::text("."),
            "mktemp" => return Value::part(TEMPORARY_FOLDER),
            "cat" | "tee" if operands.is_empty() => return input.unwrap_or_else(Value::unknown),
            "find" | "ls" => {
                let start = operands.iter().find_map(Value::as_whole_text).filter(|t| !t.starts_with('-'));
                return start.map_or_else(Value::unknown, |t| Value::part(format!("{t}/{HOLE}")));
            }
            _ => {}
        }
        let mark = self.rules.mark_of(&name).map(taint).unwrap_or_default();
        let decodes = matches!(name.as_str(), "base64" | "openssl" | "xxd")
            && operands
                .iter()
                .filter_map(Value::as_whole_text)
                .any(|t| matches!(t, "-d" | "-D" | "--decode" | "-r" | "-rp"));
        let mut all = given.with(mark);
        if decodes {
            all = all.with(Taint::DECODED);
            if name == "base64"
                && let Some(text) = input.as_ref().and_then(Value::as_whole_text)
                && let Some(text) = escapes::base64(text)
            {
                return Value::text(text).tainted(all);
            }
        }
        let turned =
            input.as_ref().and_then(Value::as_whole_text).and_then(|text| turned(&name, &operands, text));
        if let Some(text) = turned {
            return Value::text(text).tainted(all.with(Taint::DECODED));
        }
        for operand in
            operands.iter().filter_map(Value::as_text).map(|(t, _)| t).filter(|t| !t.starts_with('-'))
        {
            if is_secret(operand, self.scope) {
                all = all.with(Taint::SECRET);
            }
        }
        Value::unknown().tainted(all)
    }
}

/// The output of a filter on a text: `rev`, `tr a b`, `xxd -r -p`.
fn turned(name: &str, operands: &[Value], text: &str) -> Option<String> {
    let words: Vec<&str> = operands.iter().filter_map(Value::as_whole_text).collect();
    match (name, words.as_slice()) {
        ("rev", []) => Some(
            text.lines().map(|line| line.chars().rev().collect::<String>()).collect::<Vec<_>>().join("\n"),
        ),
        ("tr", ["-d", gone]) => Some(text.chars().filter(|c| !signs(gone).contains(c)).collect()),
        ("tr", [from, to]) if !from.starts_with('-') => {
            let (from, to) = (signs(from), signs(to));
            let put = |c: char| {
                let at = from.iter().position(|f| *f == c);
                at.and_then(|at| to.get(at).or(to.last())).copied().unwrap_or(c)
            };
            Some(text.chars().map(put).collect())
        }
        ("xxd", words)
            if words.iter().any(|w| w.starts_with("-r"))
                && words.iter().any(|w| w.ends_with('p') || *w == "-ps") =>
        {
            let digits: String = text.chars().filter(char::is_ascii_hexdigit).collect();
            let bytes = digits
                .as_bytes()
                .chunks_exact(2)
                .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
            String::from_utf8(bytes.collect::<Option<Vec<u8>>>()?).ok()
        }
        _ => None,
    }
}

/// The characters in a set of `tr`, such as `a-z` or `A-Za-z`, with escapes resolved.
fn signs(set: &str) -> Vec<char> {
    let chars: Vec<char> = escapes::ansi_c(set).chars().take(256).collect();
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(c) = chars.get(at) {
        match (chars.get(at + 1), chars.get(at + 2)) {
            (Some('-'), Some(end)) if c <= end && out.len() < 4096 => {
                out.extend((*c..=*end).take(256));
                at += 3;
            }
            _ => {
                out.push(*c);
                at += 1;
            }
        }
    }
    out
}
