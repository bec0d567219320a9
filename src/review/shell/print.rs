//! Works out what commands print, as far as that is known: `echo`, `printf`, filters of a known text.

use super::ShellReader;
use super::branch::is_branch_or_loop;
use super::variable::uncertain;
use super::word::{is_glued, is_glued_home};
use crate::review::escapes;
use crate::review::path_class::{TEMPORARY_FOLDER, is_secret};
use crate::review::programs;
use crate::review::syntax::{named_children, text};
use crate::review::value::{HOLE, Taint, Value, ValueKind, taint};
use tree_sitter::Node;

/// Substitutions nested deeper are not folded.
const MAX_DEPTH: u32 = 24;

/// The longest output of `printf` that is followed, in bytes.
const MAX_PRINTED_BYTES: usize = 16 * 1024;

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

/// The output of a filter on a text: `rev`, `tr a b`, `xxd -r -p`.
fn turned(name: &str, operands: &[Value], text: &str) -> Option<String> {
    let words: Vec<&str> = operands.iter().map(Value::as_whole_text).collect::<Option<_>>()?;
    match (name, words.as_slice()) {
        ("rev", []) => Some(
            text.lines().map(|line| line.chars().rev().collect::<String>()).collect::<Vec<_>>().join("\n"),
        ),
        ("tr", ["-d", gone]) => {
            let gone = signs(gone)?;
            Some(text.chars().filter(|c| !gone.contains(c)).collect())
        }
        ("tr", [from, to]) if !from.starts_with('-') => {
            let (from, to) = (signs(from)?, signs(to)?);
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

/// The characters in a set of `tr`, such as `a-z` or `A-Za-z`, with escapes resolved; `None` if the set has other forms.
fn signs(set: &str) -> Option<Vec<char>> {
    let set = escapes::ansi_c(set);
    if set.len() > 256 || set.contains(['[', HOLE, '\\']) {
        return None;
    }
    let chars: Vec<char> = set.chars().collect();
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
    Some(out)
}

/// The output of `echo`, without the end of the line. Whether it resolves escapes depends on the shell.
fn echoed(operands: &[Value]) -> Value {
    let is_option = |word: &&Value| {
        let letters = word.as_whole_text().and_then(|text| text.strip_prefix('-'));
        letters.is_some_and(|letters| !letters.is_empty() && letters.chars().all(|c| "neE".contains(c)))
    };
    let options = operands.iter().take_while(is_option).count();
    let resolves =
        operands.iter().take(options).any(|word| word.as_whole_text().is_some_and(|t| t.contains('e')));
    let joined = Value::join(operands.get(options..).unwrap_or_default(), " ");
    match joined.as_text() {
        Some((text, whole)) if text.contains('\\') => {
            let text = if resolves { escapes::ansi_c(text) } else { text.to_owned() };
            uncertain(Value::of_text(text, whole).tainted(joined.taint))
        }
        _ => joined,
    }
}

/// The output of `printf`: its format, repeated until all operands are used.
pub(super) fn formatted(operands: &[Value]) -> Value {
    let taint = operands.iter().fold(Taint::default(), |t, v| t.with(v.all_taint()));
    let dashes = usize::from(operands.first().and_then(Value::as_whole_text) == Some("--"));
    let operands = operands.get(dashes..).unwrap_or_default();
    let Some((format, values)) = operands.split_first() else { return Value::text("") };
    let Some(spelled) = format.as_whole_text() else { return uncertain(Value::join(operands, " ")) };
    let format = escapes::ansi_c(spelled);
    let odd_escapes = spelled.replace("\\n", "").replace("\\t", "").replace("\\\\", "").contains('\\');
    // `-v` prints nothing.
    let is_certain = !odd_escapes && !spelled.starts_with('-');
    let mut printed = FormattedText { text: String::new(), is_whole: true, is_certain };
    let mut values = values.iter();
    loop {
        let left = values.len();
        printed.add_format(&format, &mut values);
        if printed.text.len() > MAX_PRINTED_BYTES {
            return Value::unknown().tainted(taint);
        }
        if values.len() == 0 || values.len() == left {
            break;
        }
    }
    let value = Value::of_text(printed.text, printed.is_whole).tainted(taint);
    if printed.is_certain { value } else { uncertain(value) }
}

/// What `printf` prints of a format and its operands.
struct FormattedText {
    text: String,
    /// Whether no part of the text is unknown.
    is_whole: bool,
    /// Whether bash certainly prints the same.
    is_certain: bool,
}

impl FormattedText {
    /// Adds the format once, with the next operands in it.
    fn add_format<'v>(&mut self, format: &str, values: &mut impl Iterator<Item = &'v Value>) {
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            if c != '%' {
                self.text.push(c);
                continue;
            }
            let mut sign = chars.next();
            while sign.is_some_and(|c| c.is_ascii_digit() || matches!(c, '-' | '.' | '+' | '#' | ' ' | '*')) {
                self.is_certain = false;
                sign = chars.next();
            }
            self.is_certain &= matches!(sign, Some('%' | 's'));
            match sign {
                Some('%') => self.text.push('%'),
                Some(_) => {
                    if let Some(value) = values.next() {
                        self.add_operand(value, chars.clone().next());
                    }
                }
                None => {}
            }
        }
    }

    /// Adds an operand, before this sign of the format.
    fn add_operand(&mut self, value: &Value, behind: Option<char>) {
        match value.as_text() {
            Some((text, is_known)) => {
                self.is_certain &= !is_glued(&self.text, text, || behind) && !is_glued_home(&self.text, text);
                self.text.push_str(text);
                self.is_whole &= is_known;
            }
            None => {
                self.text.push(HOLE);
                self.is_whole = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(list: &[&str]) -> Vec<Value> {
        list.iter().map(|text| Value::text(*text)).collect()
    }

    #[test]
    fn printf_fills_its_format() {
        for (operands, printed) in [
            (&["r%s", "m"][..], Some("rm")),
            (&["%s\\n", "a", "b"], Some("a\nb\n")),
            (&["x%%"], Some("x%")),
            (&["--", "%s", "../src"], Some("../src")),
            (&["%.6s", "../src/build"], None),
            (&["%b", "../src"], None),
            (&["\\x2e./src"], None),
            (&["-v", "D", "build"], None),
        ] {
            assert_eq!(formatted(&words(operands)).as_whole_text(), printed, "{operands:?}");
        }
    }

    #[test]
    fn echo_drops_only_its_own_options() {
        for (operands, printed) in [
            (&["rm", "-rf", "../src"][..], Some("rm -rf ../src")),
            (&["-n", "-E", "a", "-n"], Some("a -n")),
            (&["-x"], Some("-x")),
            (&["-"], Some("-")),
            (&["-e", "\\x2e./src"], None),
        ] {
            assert_eq!(echoed(&words(operands)).as_whole_text(), printed, "{operands:?}");
        }
    }

    #[test]
    fn tr_without_classes_is_followed() {
        assert_eq!(turned("tr", &words(&["a-z", "b-za"]), "ql").as_deref(), Some("rm"));
        assert_eq!(turned("tr", &words(&["[:upper:]", "[:lower:]"]), "RM"), None);
    }
}
