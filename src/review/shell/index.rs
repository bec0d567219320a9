//! Finds commands in texts that bash may take for a name, and so evaluates: `x='a[$(cmd)]'; echo $((x))`,
//! `[[ -v 'a[$(cmd)]' ]]`. An index is arithmetic, and what is substituted in it is run, whatever quotes it stood in. So
//! is what is substituted in a text that a declaration takes for an array.
//!
//! Texts that come from files and other programs are not looked at: only those that stand in the block.

use super::ShellReader;
use crate::review::programs::StartedAs;
use crate::review::syntax::{each, text};
use crate::review::value::{Argument, Value};
use std::ops::Range;
use tree_sitter::Node;

/// What the shell does by itself and takes names, so that it evaluates their indexes.
const TAKES_NAMES: &[&str] = &[
    "test",
    "[",
    "[[",
    "printf",
    "read",
    "unset",
    "declare",
    "typeset",
    "local",
    "export",
    "readonly",
    "let",
    "mapfile",
    "readarray",
    "wait",
    "getopts",
];

impl ShellReader<'_, '_> {
    /// Notes what the words of a command of the shell run as names.
    pub(super) fn indexes_of(&mut self, name: &str, words: &[Argument], span: &Range<usize>) {
        let names_variable = |word: &Argument| word.value.as_text().is_some_and(|(t, _)| t.starts_with("-v"));
        if TAKES_NAMES.contains(&name) && (name != "printf" || words.iter().any(names_variable)) {
            let names = if name == "read" { names_of_read(words) } else { words.iter().collect() };
            for word in names {
                self.index_of(word, span);
            }
        }
    }

    /// Notes what the words of a condition run as names.
    pub(super) fn indexes_in(&mut self, condition: Node<'_>) {
        let mut texts = Vec::new();
        each(condition, |node, _| {
            let is_text = matches!(node.kind(), "raw_string" | "ansi_c_string" | "string");
            if is_text && texts.len() < 256 {
                texts.push(node);
            }
            !is_text
        });
        for node in texts {
            let word = Argument::new(self.word(node, 0), &node.byte_range());
            self.index_of(&word, &self.place(node));
        }
    }

    /// Notes what a text runs as a name.
    pub(super) fn index_of(&mut self, word: &Argument, span: &Range<usize>) {
        let code = word.value.as_text().and_then(|(text, _)| code_in_index(text)).map(str::to_owned);
        if let Some(code) = code {
            let code = Argument::new(Value::text(code), &word.span);
            self.ordered(StartedAs::Shell, &code, "an index", true, span, 0);
            self.reading.unknown = true;
        }
    }

    /// `declare -a 'a=($(./x))'` takes the value for the words of an array, and runs what is substituted in them.
    pub(super) fn items_in(&mut self, value: &Value) {
        let list = value.as_text().and_then(|(text, _)| text.strip_prefix('('));
        let runs = |list: &str| ["$(", "`", "<(", ">("].iter().any(|start| list.contains(start));
        self.reading.unknown |= list.is_some_and(runs);
    }

    /// `${x@P}` runs what is substituted in the value.
    pub(super) fn as_prompt(&mut self, expansion: Node<'_>) {
        self.reading.unknown |= text(expansion, self.source).ends_with("@P}");
    }
}

/// The words of `read` that are names, or may be: no prompt (`-p`), and no value of another option but `-a`.
fn names_of_read(words: &[Argument]) -> Vec<&Argument> {
    let mut names = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let flags = word.value.as_whole_text().and_then(|text| text.strip_prefix('-'));
        let Some(flags) = flags.filter(|flags| !flags.starts_with('-')) else {
            // Behind the first operand, all are names.
            names.push(word);
            names.extend(rest);
            break;
        };
        let taking = flags.find(['a', 'd', 'i', 'n', 'N', 'p', 't', 'u']);
        let Some((option, attached)) = taking.and_then(|at| flags.get(at..)?.split_at_checked(1)) else {
            continue;
        };
        let value = if attached.is_empty() { rest.next() } else { Some(word) };
        names.extend(value.filter(|_| option == "a"));
    }
    names
}

/// The first command that is substituted in the index of a name: `./x` of `a[0+$(./x)]`.
fn code_in_index(text: &str) -> Option<&str> {
    // How many brackets are open, from that of a name on.
    let mut depth = 0_u32;
    let mut before = None;
    for (at, sign) in text.char_indices() {
        let rest = text.get(at..)?;
        let is_behind_name = before.is_some_and(|sign: char| sign == '_' || sign.is_ascii_alphanumeric());
        match sign {
            '[' if depth > 0 || is_behind_name => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            // Behind these, arithmetic ends with an error, as it does in the text of a program for awk.
            '{' | '}' | ';' if depth == 0 => return None,
            '`' if depth > 0 => return rest.get(1..)?.split_once('`').map(|(code, _)| code),
            '$' if depth > 0 && rest.starts_with("$(") && !rest.starts_with("$((") => {
                return Some(substituted(rest));
            }
            _ => {}
        }
        before = Some(sign);
    }
    None
}

/// What stands between the parentheses at the beginning of a text: `./x` of `$(./x)]`.
fn substituted(text: &str) -> &str {
    let code = text.trim_start_matches('$').strip_prefix('(').unwrap_or(text);
    let mut depth = 1_u32;
    let end = code.char_indices().find(|(_, sign)| {
        match sign {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    end.map_or(code, |(end, _)| code.get(..end).unwrap_or(code))
}

#[cfg(test)]
mod tests {
    use super::code_in_index;

    #[test]
    fn the_command_in_an_index_is_found() {
        for (text, code) in [
            ("a[$(./x)]", Some("./x")),
            ("a[0+$(./x $(date))]", Some("./x $(date)")),
            ("a[b[1]+`./x`]", Some("./x")),
            ("a[$(./x", Some("./x")),
            ("a[$((1+2))]", None),
            ("a[0]$(./x)", None),
            ("a[`]", None),
            ("[$(./x)]", None),
            ("s/[0-9]*/$(x)/", None),
            ("{ count[$(NF - 1)]++ }", None),
            ("a[0]; b[$(./x)]", None),
            ("b a[0]+a[{]+a[$(./x)]", Some("./x")),
            ("a", None),
            ("", None),
        ] {
            assert_eq!(code_in_index(text), code, "{text}");
        }
        // Each sign is looked at once: a text of this length took minutes.
        assert_eq!(code_in_index(&"a[".repeat(500_000)), None);
    }
}
