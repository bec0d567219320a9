//! Expands words that become several, and variables with several values: arrays, `"$@"`, `{a,b}`, `{1..3}`, choices and
//! loops, and the forms of `${…}`.

use super::ShellReader;
use crate::review::escapes;
use crate::review::flow::gravest_in;
use crate::review::syntax::{named_children, text};
use crate::review::value::{Argument, HOLE, Value, ValueKind};
use std::ops::Range;
use tree_sitter::Node;

/// The most values remembered for a variable.
const MAX_VALUES: usize = 16;

/// Longest value that is remembered, in bytes: names of commands and paths are shorter.
const MAX_VALUE_BYTES: usize = 512;

/// The most words that one word may become.
const MAX_WORDS: usize = 64;

/// Longest range that is expanded, in bytes: its ends may have any number of zeros in front.
const MAX_RANGE_BYTES: usize = 64;

/// The most bytes by which the text around a pair of braces may be repeated.
const MAX_BRACE_BYTES: usize = 256 * 1024;

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
                if spelled.contains('{') && (spelled.contains(',') || spelled.contains("..")) =>
            {
                let pieces =
                    if node.kind() == "concatenation" { named_children(node, 256) } else { vec![node] };
                let pieces: Vec<Value> = pieces.into_iter().map(|n| self.brace_piece(n, depth)).collect();
                let value = Value::join(&pieces, "");
                let (text, _) = value.as_text()?;
                let all = braces(text);
                (all != [text]).then(|| {
                    let known = |text: String| {
                        if text.contains(HOLE) { Value::part(text) } else { Value::text(text) }
                    };
                    all.iter().map(|text| known(shown_braces(text)).tainted(value.taint)).collect()
                })
            }
            _ => None,
        }
    }

    /// A part of a word before its braces are expanded. Only braces that are written without quotes count.
    fn brace_piece(&mut self, node: Node<'_>, depth: u32) -> Value {
        let mut value = match node.kind() {
            "word" => return self.word(node, depth),
            "brace_expression" => return Value::text(text(node, self.source)),
            _ => self.word(node, depth),
        };
        if let ValueKind::Text { text, .. } = &mut value.kind {
            *text = hidden_braces(text);
        }
        value
    }

    /// Splits an unquoted expansion at white space, or at the characters of `IFS`.
    pub(super) fn split_fields(&mut self, held: &str) -> Vec<String> {
        let signs = self.frames.lookup(0, "IFS").and_then(|v| v.as_whole_text().map(str::to_owned));
        match signs {
            Some(signs) if !signs.trim().is_empty() => {
                held.split(|c: char| signs.contains(c)).filter(|w| !w.is_empty()).map(str::to_owned).collect()
            }
            _ => held.split_whitespace().map(str::to_owned).collect(),
        }
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

/// The words that `{a,b}` and `{1..3}` in a word stand for; a hole stands for what would be too much.
pub(super) fn braces(word: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![word.to_owned()];
    let mut steps = 0;
    while let Some(word) = open.pop() {
        steps += 1;
        match innermost(&word).filter(|_| steps < 512 && done.len() + open.len() < MAX_WORDS) {
            Some((span, items)) => {
                let (head, tail) =
                    (word.get(..span.start).unwrap_or_default(), word.get(span.end..).unwrap_or_default());
                let bytes = items.len().saturating_mul(head.len() + tail.len());
                let items = if bytes > MAX_BRACE_BYTES { vec![HOLE.to_string()] } else { items };
                open.extend(items.iter().rev().map(|item| format!("{head}{item}{tail}")));
            }
            None => done.push(word),
        }
    }
    done
}

/// The first pair of braces with no other brace inside that stands for several texts, and these texts.
fn innermost(word: &str) -> Option<(Range<usize>, Vec<String>)> {
    let mut start = None;
    for (at, c) in word.char_indices() {
        if c == '{' {
            start = Some(at);
        } else if c == '}'
            && let Some(start) = start.take()
        {
            let inside = word.get(start + 1..at).unwrap_or_default();
            let items = if inside.contains(',') {
                Some(inside.split(',').map(str::to_owned).collect())
            } else {
                range(inside)
            };
            if let Some(items) = items {
                return Some((start..at + 1, items));
            }
        }
    }
    None
}

/// The texts of a range in braces: `1..3`, `03..1`, `a..e..2`.
fn range(inside: &str) -> Option<Vec<String>> {
    let mut parts = inside.split("..");
    let (first, last) = (parts.next()?, parts.next()?);
    let step = parts.next().map_or(Some(1), |step| step.parse::<i64>().ok())?.unsigned_abs().max(1);
    let letter = |end: &str| match end.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => Some(i64::from(*letter)),
        _ => None,
    };
    let letters = letter(first).zip(letter(last));
    let (from, to) = match letters {
        Some(ends) => ends,
        None => (first.parse::<i64>().ok()?, last.parse::<i64>().ok()?),
    };
    if parts.next().is_some() {
        return None;
    }
    let count = from.abs_diff(to) / step;
    if count >= MAX_WORDS as u64 || inside.len() > MAX_RANGE_BYTES {
        return Some(vec![HOLE.to_string()]);
    }
    let is_padded = |end: &str| {
        let digits = end.trim_start_matches('-');
        digits.len() > 1 && digits.starts_with('0')
    };
    let width = if is_padded(first) || is_padded(last) { first.len().max(last.len()) } else { 0 };
    let spelled = |at: u64| {
        let distance = at.checked_mul(step)?;
        let number = if from <= to {
            from.checked_add_unsigned(distance)?
        } else {
            from.checked_sub_unsigned(distance)?
        };
        match letters {
            Some(_) => u8::try_from(number).ok().map(|letter| char::from(letter).to_string()),
            None => Some(format!("{number:0width$}")),
        }
    };
    (0..=count).map(spelled).collect()
}

/// Braces that were quoted, as characters that stand in no text, so that they are not expanded.
const HIDDEN_BRACES: [(char, char); 3] = [('{', '\u{fdd0}'), (',', '\u{fdd1}'), ('}', '\u{fdd2}')];

fn hidden_braces(text: &str) -> String {
    let hide = |c| HIDDEN_BRACES.iter().find(|(shown, _)| *shown == c).map_or(c, |(_, hidden)| *hidden);
    text.chars().map(hide).collect()
}

fn shown_braces(text: &str) -> String {
    let show = |c| HIDDEN_BRACES.iter().find(|(_, hidden)| *hidden == c).map_or(c, |(shown, _)| *shown);
    text.chars().map(show).collect()
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
    fn braces_become_words() {
        assert_eq!(braces("{rm,-rf,/x}"), ["rm", "-rf", "/x"]);
        assert_eq!(braces("a{b,c}d"), ["abd", "acd"]);
        assert!(braces("a{b,c{d,e}}f").contains(&"acef".to_owned()));
        assert_eq!(braces("{}"), ["{}"]);
        assert_eq!(braces("a{1..3}"), ["a1", "a2", "a3"]);
        assert_eq!(braces("{2..-2..2}"), ["2", "0", "-2"]);
        assert_eq!(braces("{08..10}"), ["08", "09", "10"]);
        assert_eq!(braces("{-01..1}"), ["-01", "000", "001"]);
        assert_eq!(braces("{c..a}{1..1}"), ["c1", "b1", "a1"]);
        assert_eq!(braces("{x,{1..2}}"), ["{x,1}", "{x,2}"].map(braces).concat());
        assert_eq!(braces("x{1..9999}"), ["x…"]);
        assert_eq!(braces(&format!("{{{}1..2}}", "0".repeat(70_000))), ["…"]);
        let tail = "x".repeat(5000);
        assert_eq!(braces(&format!("{{{}}}{tail}", "a,".repeat(5000))), [format!("…{tail}")]);
        assert_eq!(braces("{1..a}{ab..c}{1..2..x}{1..2..3..4}"), ["{1..a}{ab..c}{1..2..x}{1..2..3..4}"]);
        assert_eq!(braces(&format!("{{{}..{}}}", i64::MIN, i64::MAX)), ["…"]);
        assert!(braces(&"{a,b}".repeat(40)).len() <= MAX_WORDS * 2);
    }

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
