//! Works out what the commands of a shell print, as far as that is known; `printed_text` makes the text.

use super::ShellReader;
use super::branch::is_branch_or_loop;
use super::printed_text::{echoed, formatted, turned};
use super::variable::uncertain;
use crate::review::escapes;
use crate::review::path_class::{TEMPORARY_FOLDER, is_secret};
use crate::review::programs;
use crate::review::syntax::{named_children, text};
use crate::review::value::{HOLE, Taint, Value, ValueKind, taint};
use tree_sitter::Node;

/// Substitutions nested deeper are not folded.
const MAX_DEPTH: u32 = 24;

impl ShellReader<'_, '_> {
    /// What `$(…)` stands for: what its commands print, without the ends of lines behind it.
    pub(super) fn substituted(&mut self, node: Node<'_>, depth: u32) -> Value {
        let spelled = text(node, self.source);
        let mut value = self.printed_by_all(node, depth);
        if spelled.contains("<<") && !self.keeps_documents(node) {
            value = value.to_unknown();
        }
        if let ValueKind::Text { text, .. } = &mut value.kind {
            text.truncate(text.trim_end_matches('\n').len());
        }
        // Between backquotes, backslashes are removed twice.
        if spelled.starts_with('`') && spelled.contains('\\') { uncertain(value) } else { value }
    }

    /// What the statements in a node print. Of several, it is not known whether all of them run.
    pub(super) fn printed_by_all(&mut self, node: Node<'_>, depth: u32) -> Value {
        /// Of what the statements behind so many print, only the marks are known: all of it may be long.
        const MAX_STATEMENTS: usize = 64;
        let all = named_children(node, usize::MAX);
        if let [one] = all.as_slice() {
            return self.output(*one, depth);
        }
        let moves = |part: &Node<'_>| {
            let first = text(*part, self.source).split_whitespace().next();
            matches!(first, Some("cd" | "pushd" | "popd"))
        };
        let moved = all.iter().any(moves);
        let outputs = all.into_iter().filter(|part| !part.kind().starts_with("variable_assignment"));
        let outputs = outputs.map(|part| self.output(part, depth)).enumerate();
        let outputs: Vec<Value> =
            outputs.map(|(at, value)| if at < MAX_STATEMENTS { value } else { value.to_unknown() }).collect();
        let joined = Value::join(&outputs, "\n");
        if moved { Value::unknown().tainted(joined.taint) } else { uncertain(joined) }
    }

    /// What is known of the text that a statement prints.
    pub(super) fn output(&mut self, node: Node<'_>, depth: u32) -> Value {
        if depth > MAX_DEPTH || !self.frames.pay(1) {
            return Value::unknown();
        }
        let deeper = depth + 1;
        self.take_input(node, deeper);
        match node.kind() {
            "command" => self.printed(node, deeper),
            "declaration_command" => Value::unknown().tainted(Taint::ENVIRONMENT),
            "pipeline" => self.pipe(node, None, deeper),
            "redirected_statement" => {
                let value = node
                    .child_by_field_name("body")
                    .map_or_else(Value::unknown, |body| self.output(body, deeper));
                if self.prints_elsewhere(node) { uncertain(value) } else { value }
            }
            "subshell" | "compound_statement" | "list" | "negated_command" => {
                self.printed_by_all(node, deeper)
            }
            kind if is_branch_or_loop(kind) => self.printed_by_all(node, deeper).to_unknown(),
            _ => Value::unknown(),
        }
    }

    /// Whether a redirection takes what is printed to another place.
    fn prints_elsewhere(&self, node: Node<'_>) -> bool {
        let mut redirects = named_children(node, 64).into_iter().filter(|n| n.kind() == "file_redirect");
        redirects.any(|redirect| {
            let sign = text(redirect, self.source);
            !sign.starts_with(['<', '2'])
        })
    }

    /// What a command prints: for `echo` its operands; for readers of files and others only taint marks.
    fn printed(&mut self, node: Node<'_>, depth: u32) -> Value {
        let words = self.words(node, depth);
        let elsewhere = self.prints_elsewhere(node);
        let mut words = words.into_iter().map(|a| a.value);
        let name = words.next().and_then(|v| v.as_whole_text().map(str::to_owned)).unwrap_or_default();
        let function = self.functions.get(&name).map(|function| function.body);
        let is_own = function.is_some() || self.aliases.contains_key(&name);
        let is_own =
            is_own || name.contains('/') && !name.starts_with("/bin/") && !name.starts_with("/usr/bin/");
        let name = name.rsplit('/').next().unwrap_or_default().to_owned();
        let operands: Vec<Value> = words.collect();
        let fed = self.inputs.get(&node.id()).cloned();
        let input = self.input_of(node, fed, depth).map(|input| input.value);
        let given = operands.iter().fold(Taint::default(), |t, v| t.with(v.all_taint()));
        let given = input.iter().fold(given, |t, v| t.with(v.all_taint()));
        let given = function.into_iter().fold(given, |t, body| t.with(self.printed_by_function(body, depth)));
        match name.as_str() {
            "printf" | "echo" => {
                let value = if name == "echo" { echoed(&operands) } else { formatted(&operands) };
                return if is_own || elsewhere { uncertain(value) } else { value };
            }
            _ if is_own || elsewhere => {}
            "pwd" => return self.here(),
            "mktemp" => return Value::part(TEMPORARY_FOLDER),
            // The folder in which a program lies is not known.
            "which" => {
                let program = operands.last().and_then(Value::as_whole_text).filter(|t| !t.starts_with('-'));
                return program.map_or_else(Value::unknown, |name| Value::part(format!("{HOLE}{name}")));
            }
            "cat" | "tee" if operands.is_empty() => return input.unwrap_or_else(Value::unknown),
            "find" | "ls" => {
                let start = operands.iter().find_map(Value::as_whole_text).filter(|t| !t.starts_with('-'));
                return start.map_or_else(Value::unknown, |t| Value::part(format!("{t}/{HOLE}")));
            }
            _ => {}
        }
        let mark = self.rules.mark_of(&name).map(taint).unwrap_or_default();
        let mark = mark.with(self.mark_of_wrapped(&name, &operands));
        let decodes = matches!(name.as_str(), "base64" | "openssl" | "xxd")
            && operands
                .iter()
                .filter_map(Value::as_whole_text)
                .any(|t| matches!(t, "-d" | "-D" | "--decode" | "-r" | "-rp"));
        let mut all = given.with(mark);
        if decodes {
            all = all.with(Taint::DECODED);
            let only_options = operands.iter().all(|v| v.as_whole_text().is_some_and(|t| t.starts_with('-')));
            if name == "base64"
                && only_options
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

    /// The mark of what the program prints that a wrapper runs.
    fn mark_of_wrapped(&self, name: &str, operands: &[Value]) -> Taint {
        let is_wrapper = |name: &str| {
            self.rules.file.wrapper.iter().any(|wrapper| wrapper.names.iter().any(|n| n == name))
        };
        let mut names = operands.iter().filter_map(Value::as_whole_text);
        let program = names.find(|name| programs::shipped().get(name).is_some() && !is_wrapper(name));
        let program = program.filter(|_| is_wrapper(name));
        program.and_then(|program| self.rules.mark_of(program)).map(taint).unwrap_or_default()
    }

    /// The marks of what a function of the text prints.
    fn printed_by_function(&mut self, body: Node<'_>, depth: u32) -> Taint {
        let work = body.byte_range().len() / 8;
        if self.calls.contains(&body.id()) || !self.frames.pay_optional(work) {
            return Taint::default();
        }
        let positions = self.positional.take();
        self.calls.push(body.id());
        let printed = self.output(body, depth);
        self.calls.pop();
        self.positional = positions;
        printed.all_taint()
    }
}
