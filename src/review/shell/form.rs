//! Works out the forms of `${…}`: defaults, items of arrays, replaced and removed parts. What bash might read in another
//! way is unknown.

use super::ShellReader;
use super::variable::uncertain;
use crate::review::syntax::{named_children, text};
use crate::review::value::{Value, ValueKind};
use tree_sitter::Node;

/// The signs of file name patterns.
const PATTERN_SIGNS: [char; 4] = ['*', '?', '[', '('];

impl ShellReader<'_, '_> {
    /// `${NAME}`, `${NAME:-default}` and other forms; unknown forms are not followed.
    pub(super) fn expansion(&mut self, node: Node<'_>, depth: u32) -> Value {
        let children = named_children(node, 8);
        let inner = children
            .iter()
            .map(|n| if n.kind() == "subscript" { n.named_child(0).unwrap_or(*n) } else { *n });
        let found = inner.clone().find(|n| matches!(n.kind(), "variable_name" | "special_variable_name"));
        let Some(name) = found.map(|name| text(name, self.source)) else { return Value::unknown() };
        let value = self.variable(name);
        let inner = text(node, self.source)
            .strip_prefix("${")
            .and_then(|rest| rest.strip_suffix('}'))
            .unwrap_or_default();
        if inner.strip_prefix('!') == Some(name) {
            // `${!name}`: the variable whose name is the value of `name`.
            return match value.as_whole_text().map(str::to_owned) {
                Some(other) if !other.is_empty() => self.variable(&other),
                _ => Value::unknown().tainted(value.taint),
            };
        }
        let Some(form) = inner.strip_prefix(name) else { return Value::unknown().tainted(value.taint) };
        let item = form.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let (value, form) = match item {
            Some((index, form)) => (self.item(name, index), form),
            None => (value, form),
        };
        if form.is_empty() {
            return value;
        }
        if matches!(name, "@" | "*") || matches!(item, Some(("@" | "*", _))) {
            // The form is applied to each of the words.
            return value.to_unknown();
        }
        let sign =
            node.child_by_field_name("operator").map(|sign| text(sign, self.source)).unwrap_or_default();
        match sign {
            ":-" | "-" | ":=" | "=" | ":+" | "+" | ":?" | "?" => {
                let is_assigned = item.is_some() || self.is_assigned(name);
                self.with_default(node, sign, value, is_assigned, depth)
            }
            _ => formed(form, &value, self.changes.names_folder)
                .unwrap_or_else(|| Value::unknown().tainted(value.taint)),
        }
    }

    /// `${NAME:-default}` and the like.
    fn with_default(
        &mut self,
        node: Node<'_>,
        sign: &str,
        value: Value,
        is_assigned: bool,
        depth: u32,
    ) -> Value {
        let name = text(node, self.source).strip_prefix("${").unwrap_or_default();
        let is_position = name.starts_with(|c: char| c.is_ascii_digit());
        // Whether the variable counts as set.
        let is_set = match value.as_text() {
            Some(("", true)) if sign.starts_with(':') => Some(false),
            // A position that is empty may also not be set.
            Some(("", true)) if is_position => None,
            Some(("", true)) => Some(true),
            Some(_) => Some(true),
            None if is_assigned => None,
            None => Some(false),
        };
        let unknown = || Value::unknown().tainted(value.taint);
        match (sign.trim_start_matches(':'), is_set) {
            ("-" | "=" | "?", Some(true)) => value,
            ("-" | "=", Some(false)) => self.default_word(node, depth),
            ("-" | "=", None) => uncertain(self.default_word(node, depth)).tainted(value.taint),
            ("+", Some(true)) => self.default_word(node, depth),
            ("+", Some(false)) if is_assigned => Value::text(""),
            _ => unknown(),
        }
    }

    /// The word behind the sign of a form.
    fn default_word(&mut self, node: Node<'_>, depth: u32) -> Value {
        let Some(sign) = node.child_by_field_name("operator") else { return Value::unknown() };
        let behind = named_children(node, 8).into_iter().filter(|n| n.start_byte() >= sign.end_byte());
        let behind: Vec<Node<'_>> = behind.collect();
        let Some(word) = behind.first() else {
            return if sign.end_byte() + 1 == node.end_byte() { Value::text("") } else { Value::unknown() };
        };
        let spelled = text(*word, self.source);
        let fills = word.start_byte() == sign.end_byte() && word.end_byte() + 1 == node.end_byte();
        // Between double quotes, quotes and backslashes have another meaning.
        let in_quotes = node.parent().is_some_and(|parent| parent.kind() == "string");
        // The grammar takes some substitutions for plain words.
        let has_code = match word.kind() {
            "command_substitution" => false,
            "word" | "regex" => spelled.contains(['`', '(']),
            _ => spelled.contains('`'),
        };
        let odd = has_code
            || in_quotes && spelled.contains(['"', '\'', '\\'])
            || spelled.replace("${", "").contains('{');
        let value = self.word(*word, depth);
        if fills && behind.len() == 1 && !odd { value } else { uncertain(value) }
    }

    /// An item of an array.
    fn item(&mut self, name: &str, index: &str) -> Value {
        let Some(ValueKind::List(items)) = self.frames.lookup(0, name).map(|value| value.kind) else {
            return Value::unknown();
        };
        if matches!(index, "@" | "*") {
            return self.one_word(&items, index);
        }
        let at = index.parse::<usize>().ok().filter(|at| at.to_string() == index);
        let Some((at, value)) = at.and_then(|at| Some((at, items.get(at)?.clone()))) else {
            return Value::unknown();
        };
        // A word that is not known may be several, or none.
        let certain = items.iter().take(at).all(|item| item.as_whole_text().is_some());
        if certain { value } else { uncertain(value) }
    }
}

/// Applies a form of `${NAME<form>}` to a known value: a substring, another case, a replacement, a removed prefix or
/// suffix. `names_folder`: a text that begins with `./` may come from the name of the folder.
fn formed(form: &str, value: &Value, names_folder: bool) -> Option<Value> {
    let held = value.as_whole_text()?;
    // Expansions, escapes and what stands for the match in a replacement are not followed, nor other alphabets.
    if form.contains(['$', '`', '\\', '&', '{', '}', '(', '~']) || !held.is_ascii() {
        return None;
    }
    // The folder is spelled `.` and the home `~`: bash has other texts, of which only the end is known.
    let is_short = held == "." || names_folder && held.starts_with("./") || held.starts_with('~');
    if is_short && (!form.starts_with('%') || held.len() == 1) {
        return None;
    }
    // A value with signs of a pattern may stand for many names; only what ends it is known.
    let is_pattern = held.contains(PATTERN_SIGNS);
    let out = if let Some(rest) = form.strip_prefix('%') {
        let suffix = literal(rest.strip_prefix('%').unwrap_or(rest))?;
        match held.strip_suffix(&suffix) {
            Some(rest) => rest,
            None if is_pattern => return None,
            None => held,
        }
        .to_owned()
    } else if is_pattern {
        return None;
    } else if let Some(rest) = form.strip_prefix('#') {
        let prefix = literal(rest.strip_prefix('#').unwrap_or(rest))?;
        held.strip_prefix(&prefix).unwrap_or(held).to_owned()
    } else if let Some(rest) = form.strip_prefix('/') {
        let (rest, all) = rest.strip_prefix('/').map_or((rest, false), |rest| (rest, true));
        let (from, to) = rest.split_once('/').unwrap_or((rest, ""));
        if from.starts_with(['#', '%']) {
            return None;
        }
        let (from, to) = (literal(from).filter(|from| !from.is_empty())?, literal(to)?);
        if all { held.replace(&from, &to) } else { held.replacen(&from, &to, 1) }
    } else if let Some(rest) = form.strip_prefix(':') {
        let (from, length) = rest.split_once(':').map_or((rest, None), |(from, length)| (from, Some(length)));
        let count = held.len();
        let from = number(from)?;
        let from = if from < 0 { count.checked_add_signed(from)? } else { usize::try_from(from).ok()? };
        let length = length.map_or(Some(count), |length| usize::try_from(number(length)?).ok())?;
        held.chars().skip(from).take(length).collect()
    } else {
        match form {
            ",," => held.to_ascii_lowercase(),
            "^^" => held.to_ascii_uppercase(),
            "," | "^" => {
                let first = held.get(..1).unwrap_or_default();
                let first = if form == "," { first.to_ascii_lowercase() } else { first.to_ascii_uppercase() };
                first + held.get(1..).unwrap_or_default()
            }
            _ => return None,
        }
    };
    Some(Value::text(out).tainted(value.taint))
}

/// The text of a pattern that has no signs of one: written plainly, or all of it in quotes.
fn literal(pattern: &str) -> Option<String> {
    let quote = pattern.chars().next().filter(|c| matches!(c, '"' | '\''));
    let bare = match quote {
        Some(quote) => pattern.strip_prefix(quote)?.strip_suffix(quote)?,
        None => pattern,
    };
    (!bare.contains(['"', '\'']) && !bare.contains(PATTERN_SIGNS)).then(|| bare.to_owned())
}

/// A number as bash reads it; not one with a zero in front, which would be octal.
fn number(spelled: &str) -> Option<isize> {
    let spelled = spelled.trim_matches(' ');
    let digits = spelled.strip_prefix('-').unwrap_or(spelled);
    let plain = digits == "0" || !digits.starts_with('0');
    digits.chars().all(|c| c.is_ascii_digit()).then(|| spelled.parse().ok()).flatten().filter(|_| plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_applied_only_where_bash_certainly_agrees() {
        for (form, held, out) in [
            ("#a/", "a/../src", Some("../src")),
            ("##x", "a", Some("a")),
            ("#%x", "%xa", Some("a")),
            ("%.csv", "*.csv", Some("*")),
            ("%x", "*", None),
            ("#$C", "a/../src", None),
            ("/#.x/..", ".x/src", None),
            ("/%x/..", "ax", None),
            ("#\\.", ".src", None),
            ("//a/&&", "a", None),
            ("//\"/\"/x", "a/b", None),
            ("/a/../", "a/src", Some("..//src")),
            ("/?/x", "a", None),
            (":1:2", "xrmx", Some("rm")),
            (": -2", "xrm", Some("rm")),
            (":010", "0123456789abc", None),
            (",,", "RM", Some("rm")),
            ("^", "rm", Some("Rm")),
            ("@Q", "rm", None),
        ] {
            let formed = formed(form, &Value::text(held), true);
            assert_eq!(formed.as_ref().and_then(Value::as_whole_text), out, "{form} {held}");
        }
    }
}
