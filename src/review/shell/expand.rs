//! Expands words that become several, and variables with several values: arrays, `"$@"`, `{a,b}`, `{1..3}`, choices and
//! loops, and the forms of `${…}`.

use super::ShellReader;
use super::brace::{self, braces, fields};
use super::quoting::unescaped;
use crate::review::escapes;
use crate::review::flow::gravest_in;
use crate::review::syntax::{named_children, text};
use crate::review::value::{Argument, HOLE, Value, ValueKind};
use tree_sitter::Node;

/// The most values remembered for a variable.
const MAX_VALUES: usize = 16;

/// Longest value that is remembered, in bytes: names of commands and paths are shorter.
const MAX_VALUE_BYTES: usize = 512;

impl ShellReader<'_, '_> {
    /// Remembers a value that a variable may have.
    pub(super) fn remember(&mut self, name: &str, value: &Value) {
        if value.as_whole_text().is_none_or(|text| text.len() > MAX_VALUE_BYTES) {
            return;
        }
        if self.choices.len() >= 1024 && !self.choices.contains_key(name) {
            return;
        }
        let values = self.choices.entry(name.to_owned()).or_default();
        if values.len() < MAX_VALUES && !values.contains(value) {
            values.push(value.clone());
        }
    }

    /// Sets a variable, by an assignment or a program like `read`.
    pub(super) fn assign(&mut self, name: &str, value: Value, branch: bool) {
        self.remember(name, &value);
        self.frames.bind(0, name, value, branch);
    }

    /// The most dangerous of a variable's values; `None` unless it has several.
    pub(super) fn one_of(&mut self, name: &str) -> Option<Value> {
        let values = self.choices.get(name).filter(|values| values.len() > 1)?;
        // Comparing the values takes time in proportion to their length.
        let bytes: usize = values.iter().map(|value| value.as_text().map_or(0, |(text, _)| text.len())).sum();
        if !self.frames.pay(values.len() + bytes / 8) {
            return None;
        }
        Some(gravest_in(&Value::new(ValueKind::List(values.clone())), self.scope))
    }

    /// A variable with several values in the first two words of a command, and these values.
    pub(super) fn alternatives(&self, node: Node<'_>) -> Option<(String, Vec<Value>)> {
        let words = named_children(node, 8)
            .into_iter()
            .filter(|n| !matches!(n.kind(), "variable_assignment" | "file_redirect"));
        for word in words.take(2) {
            let word = if word.kind() == "command_name" { word.named_child(0).unwrap_or(word) } else { word };
            let parts = if matches!(word.kind(), "string" | "concatenation") {
                named_children(word, 8)
            } else {
                vec![word]
            };
            for part in parts.into_iter().filter(|n| matches!(n.kind(), "simple_expansion" | "expansion")) {
                let name = part.named_child(0).map(|n| text(n, self.source)).unwrap_or_default();
                if let Some(values) = self.choices.get(name).filter(|values| values.len() > 1) {
                    return Some((name.to_owned(), values.clone()));
                }
            }
        }
        None
    }

    /// The gravest of the words that a word expands to.
    pub(super) fn gravest_word(&mut self, node: Node<'_>) -> Value {
        match self.expand_to_many(node, 0) {
            Some(words) => gravest_in(&Value::new(ValueKind::List(words)), self.scope),
            None => self.word(node, 0),
        }
    }

    /// The words that a word expands to, if it has to be expanded: `"$@"`, `"${a[@]}"`, `{a,b}`, `{1..3}`.
    pub(super) fn expand_to_many(&mut self, node: Node<'_>, depth: u32) -> Option<Vec<Value>> {
        let node = match node.kind() {
            "string" => named_children(node, 2).into_iter().next().filter(|inner| {
                inner.start_byte() == node.start_byte() + 1 && inner.end_byte() + 1 == node.end_byte()
            })?,
            _ => node,
        };
        let spelled = text(node, self.source);
        // In `{rm,-rf,x}` as a command, the grammar takes the first brace for the start of a group.
        let opened = node.parent().is_some_and(|parent| parent.kind() == "command_name")
            && self.source.get(..node.start_byte()).is_some_and(|head| head.ends_with('{'));
        match node.kind() {
            "simple_expansion" if matches!(spelled, "$@" | "$*") => self.positional.clone(),
            "expansion" => {
                let inner = spelled.trim_start_matches("${").trim_end_matches('}');
                if let Some(rest) = inner.strip_prefix(['@', '*']) {
                    let from = rest.strip_prefix(':').and_then(|n| n.trim().parse::<usize>().ok());
                    let skip = from.map_or(0, |n| n.saturating_sub(1));
                    return self.positional.as_ref().map(|all| all.iter().skip(skip).cloned().collect());
                }
                let (name, _) = inner.split_once("[@]").or_else(|| inner.split_once("[*]"))?;
                match self.frames.lookup(0, name)?.kind {
                    ValueKind::List(items) => Some(items),
                    _ => None,
                }
            }
            "word" | "concatenation" | "brace_expression"
                if (opened || spelled.contains('{')) && (spelled.contains(',') || spelled.contains("..")) =>
            {
                self.brace_words(node, opened, depth)
            }
            _ => None,
        }
    }

    /// The words that the braces of a word make; `None` if they make none.
    fn brace_words(&mut self, node: Node<'_>, opened: bool, depth: u32) -> Option<Vec<Value>> {
        if brace::has_marks(text(node, self.source)) || node.named_child_count() > 256 {
            return Some(vec![Value::unknown()]);
        }
        let parts = if node.kind() == "concatenation" { named_children(node, 256) } else { vec![node] };
        let mut pieces = if opened { vec![Value::text("{")] } else { Vec::new() };
        let mut at = node.start_byte();
        for part in parts {
            // What has no name in the grammar, like a `$` at the end, may become part of a name.
            if part.start_byte() > at {
                pieces.push(Value::unknown());
            }
            pieces.push(self.brace_piece(part, depth));
            at = part.end_byte();
        }
        if at < node.end_byte() {
            pieces.push(Value::unknown());
        }
        let value = Value::join(&pieces, "");
        let Some((text, whole)) = value.as_text() else { return Some(vec![value]) };
        let made = braces(text);
        let is_part = |word: &str| word.contains(HOLE) || !whole && !text.contains(HOLE);
        let known = |word: String| if is_part(&word) { Value::part(word) } else { Value::text(word) };
        (made != [text]).then(|| {
            made.iter().flat_map(|word| fields(word)).map(|word| known(word).tainted(value.taint)).collect()
        })
    }

    /// A part of a word before its braces are expanded. Only what is written without quotes means something in them.
    fn brace_piece(&mut self, node: Node<'_>, depth: u32) -> Value {
        let spelled = text(node, self.source);
        if node.kind() == "brace_expression" {
            return Value::text(spelled);
        }
        let value = self.word(node, depth);
        let (held, whole) = match value.as_text() {
            Some((held, whole)) => (held.to_owned(), whole),
            None => (HOLE.to_string(), false),
        };
        if brace::has_marks(&held) {
            return Value::unknown().tainted(value.taint);
        }
        let text = match node.kind() {
            "word" | "number" if whole => unescaped(&brace::with_hidden_escapes(spelled)),
            "simple_expansion" | "expansion" | "command_substitution" => {
                let is_name = spelled
                    .strip_prefix('$')
                    .is_some_and(|name| name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic()));
                brace::expanded(&held, &self.separators(), is_name)
            }
            _ => brace::quoted(&held),
        };
        Value { kind: ValueKind::Text { text, whole }, taint: value.all_taint() }
    }

    /// The characters at which bash splits an unquoted expansion: white space, or those of `IFS`.
    fn separators(&mut self) -> String {
        let signs = self.frames.lookup(0, "IFS").and_then(|v| v.as_whole_text().map(str::to_owned));
        signs.filter(|signs| !signs.trim().is_empty()).unwrap_or_else(|| " \t\n".to_owned())
    }

    /// Splits an unquoted expansion at white space, or at the characters of `IFS`.
    pub(super) fn split_fields(&mut self, held: &str) -> Vec<String> {
        let signs = self.separators();
        held.split(|c| signs.contains(c)).filter(|field| !field.is_empty()).map(str::to_owned).collect()
    }

    /// Applies a form of `${NAME<form>}` to a known value: a substring, another case, a replacement, a removed prefix
    /// or suffix.
    pub(super) fn formed(inner: &str, value: &Value) -> Option<Value> {
        let (held, form) = (value.as_whole_text()?, inner);
        let pattern = |text: &str| text.trim_matches(['"', '\'']).to_owned();
        let out = if let Some(rest) = form.strip_prefix("//") {
            let (from, to) = rest.split_once('/').unwrap_or((rest, ""));
            held.replace(&nonempty(pattern(from))?, &pattern(to))
        } else if let Some(rest) = form.strip_prefix('/') {
            let (from, to) = rest.split_once('/').unwrap_or((rest, ""));
            held.replacen(&nonempty(pattern(from))?, &pattern(to), 1)
        } else if form == ",," {
            held.to_lowercase()
        } else if form == "^^" {
            held.to_uppercase()
        } else if matches!(form, "," | "^") {
            let mut chars = held.chars();
            let first = chars.next().map(|c| c.to_string()).unwrap_or_default();
            (if form == "," { first.to_lowercase() } else { first.to_uppercase() }) + chars.as_str()
        } else if let Some(rest) = form.strip_prefix(['%', '#']) {
            let rest = pattern(rest.trim_start_matches(['%', '#']));
            if rest.contains(['*', '?', '[']) {
                return None;
            }
            let cut = if form.starts_with('%') { held.strip_suffix(&rest) } else { held.strip_prefix(&rest) };
            cut.unwrap_or(held).to_owned()
        } else if let Some(rest) = form.strip_prefix(':') {
            let (from, length) = rest.split_once(':').unwrap_or((rest, ""));
            let from = from.trim().parse::<isize>().ok()?;
            let count = held.chars().count();
            let from = if from < 0 { count.checked_add_signed(from)? } else { usize::try_from(from).ok()? };
            let length = if length.trim().is_empty() { count } else { length.trim().parse().ok()? };
            held.chars().skip(from).take(length).collect()
        } else {
            return None;
        };
        Some(Value::text(out).tainted(value.taint))
    }

    /// Sets the variables that `read`, `mapfile` and `printf -v` set.
    pub(super) fn bound_by(&mut self, name: &str, words: &[Argument], input: Option<&Argument>) {
        let texts: Vec<&str> = words.iter().map(|w| w.value.as_whole_text().unwrap_or_default()).collect();
        match name {
            "printf" => {
                if let Some(at) = texts.iter().position(|t| *t == "-v")
                    && let Some(target) = texts.get(at + 1)
                {
                    let values: Vec<Value> = words.iter().skip(at + 2).map(|w| w.value.clone()).collect();
                    let value = formatted(&values);
                    self.assign(target, value, false);
                }
            }
            "read" => {
                let Some(held) = input.and_then(|i| i.value.as_whole_text()) else { return };
                let names: Vec<&&str> =
                    texts.iter().filter(|t| !t.starts_with('-') && !t.is_empty()).collect();
                let line = held.lines().next().unwrap_or_default();
                let mut rest = line.trim();
                for (index, name) in names.iter().enumerate() {
                    let (word, more) = match rest.split_once(char::is_whitespace) {
                        Some((word, more)) if index + 1 < names.len() => (word, more.trim_start()),
                        _ => (rest, ""),
                    };
                    self.assign(name, Value::text(word), false);
                    rest = more;
                }
            }
            "mapfile" | "readarray" => {
                let Some(held) = input.and_then(|i| i.value.as_whole_text()) else { return };
                let items = held.lines().take(256).map(Value::text).collect();
                let target = texts.iter().rev().find(|t| !t.starts_with('-')).copied().unwrap_or("MAPFILE");
                self.frames.bind(0, target, Value::new(ValueKind::List(items)), false);
            }
            _ => {}
        }
    }
}

fn nonempty(text: String) -> Option<String> {
    (!text.is_empty() && !text.contains(['*', '?', '['])).then_some(text)
}

/// The output of `printf`: its format, repeated until all operands are used.
pub(super) fn formatted(operands: &[Value]) -> Value {
    let taint = operands.iter().fold(crate::review::value::Taint::default(), |t, v| t.with(v.all_taint()));
    let Some((format, values)) = operands.split_first() else { return Value::text("") };
    let Some(format) = format.as_whole_text() else { return Value::join(operands, " ") };
    let format = escapes::ansi_c(format);
    let mut values = values.iter();
    let (mut out, mut whole) = (String::new(), true);
    loop {
        let left = values.len();
        let mut chars = format.chars().peekable();
        while let Some(c) = chars.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            while chars.peek().is_some_and(|c| c.is_ascii_digit() || matches!(c, '-' | '.' | '+' | '#')) {
                chars.next();
            }
            match chars.next() {
                Some('%') => out.push('%'),
                Some(_) => match values.next().map(Value::as_text) {
                    Some(Some((text, known))) => {
                        out.push_str(text);
                        whole &= known;
                    }
                    Some(None) => {
                        out.push(HOLE);
                        whole = false;
                    }
                    None => {}
                },
                None => {}
            }
        }
        if values.len() == 0 || values.len() == left || out.len() > 16 * 1024 {
            break;
        }
    }
    Value { kind: ValueKind::Text { text: out, whole }, taint }
}

/// Whether a file name pattern (`?`, `*`, `[…]`) matches a name.
pub(super) fn pattern_fits(pattern: &[char], name: &[char]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, None) => true,
        (Some(('*', rest)), _) => {
            (0..=name.len()).any(|at| name.get(at..).is_some_and(|name| pattern_fits(rest, name)))
        }
        (Some(('?', rest)), Some((_, name))) => pattern_fits(rest, name),
        (Some(('[', rest)), Some((c, name))) => {
            let Some(end) = rest.iter().position(|c| *c == ']') else { return false };
            let class = rest.get(..end).unwrap_or_default();
            let listed = class.contains(c)
                || class.windows(3).any(|w| matches!(w, [from, '-', to] if from <= c && c <= to));
            listed && pattern_fits(rest.get(end + 1..).unwrap_or_default(), name)
        }
        (Some((p, rest)), Some((c, name))) => p == c && pattern_fits(rest, name),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_names() {
        let fits = |pattern: &str, name: &str| {
            pattern_fits(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
        };
        assert!(fits("r?", "rm") && fits("[r]m", "rm") && fits("*", "rm") && fits("[a-z]m", "rm"));
        assert!(!fits("r?", "rmm") && !fits("[!r]", "rm"));
    }

    #[test]
    fn printf_fills_its_format() {
        let words = |list: &[&str]| list.iter().map(|t| Value::text(*t)).collect::<Vec<_>>();
        assert_eq!(formatted(&words(&["r%s", "m"])).as_whole_text(), Some("rm"));
        assert_eq!(formatted(&words(&["%s\\n", "a", "b"])).as_whole_text(), Some("a\nb\n"));
        assert_eq!(formatted(&words(&["x%%"])).as_whole_text(), Some("x%"));
    }
}
