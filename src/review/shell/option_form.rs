//! Brings options of programs that have a form of their own into that of getopt: `tar xzf a`, `sed -i '' s/a/b/ a`.

use crate::review::programs::{self, OptionArity};
use crate::review::value::{Argument, Value};

/// The words of a program, without its name, with options as getopt has them.
pub(super) fn in_getopt_form(name: &str, words: Vec<Argument>) -> Vec<Argument> {
    match name {
        "tar" | "bsdtar" | "gtar" | "ar" => unbundled(name, words),
        "sed" | "gsed" => without_empty_suffix(words),
        "jq" | "gojq" | "jaq" => without_names(words),
        "dig" | "kdig" => words.into_iter().filter(|word| behind_plus(word).is_none()).collect(),
        "vim" | "vi" | "nvim" | "view" | "gvim" | "rvim" | "ex" | "rview" | "mvim" | "less" | "more" => {
            words.into_iter().flat_map(with_plus_as_option).collect()
        }
        _ => words,
    }
}

/// The names of variables that options of jq take besides a value are dropped: `--arg NAME VALUE`.
fn without_names(words: Vec<Argument>) -> Vec<Argument> {
    let mut rest = words.into_iter();
    let mut out = Vec::new();
    while let Some(word) = rest.next() {
        let option = word.value.as_whole_text().and_then(|text| text.strip_prefix("--"));
        let takes_name = matches!(option, Some("arg" | "argjson" | "slurpfile" | "rawfile"));
        out.push(word);
        if takes_name {
            rest.next();
        }
    }
    out
}

/// What stands behind the `+` with which a word begins.
fn behind_plus(word: &Argument) -> Option<Argument> {
    let (text, whole) = word.value.as_text()?;
    let value = Value::of_text(text.strip_prefix('+')?, whole).tainted(word.value.taint);
    Some(Argument::new(value, &word.span))
}

/// `vim +10 a` becomes `vim -+ 10 a`: behind the sign stands a command of the editor.
fn with_plus_as_option(word: Argument) -> Vec<Argument> {
    match behind_plus(&word) {
        Some(command) => vec![Argument::text("-+", &word.span), command],
        None => vec![word],
    }
}

/// Drops the empty suffix of `sed -i ''`, which is a word of its own on macOS. Elsewhere it is an empty script, which
/// changes no file.
fn without_empty_suffix(mut words: Vec<Argument>) -> Vec<Argument> {
    let is_in_place = |word: &Argument| {
        let text = word.value.as_whole_text().unwrap_or_default();
        text.starts_with('-') && !text.starts_with("--") && text.ends_with('i')
    };
    let suffix = words.windows(2).position(|pair| match pair {
        [option, suffix] => is_in_place(option) && suffix.value.as_whole_text() == Some(""),
        _ => false,
    });
    if let Some(at) = suffix {
        words.remove(at + 1);
    }
    words
}

/// Splits bundled options as getopt would: `tar xzf a` becomes `tar -x -z -f a`, where a letter that takes a value
/// takes the next word.
fn unbundled(name: &str, words: Vec<Argument>) -> Vec<Argument> {
    let first = words.first().and_then(|word| word.value.as_whole_text());
    let Some(letters) = first.filter(|text| text.chars().all(|c| c.is_ascii_alphabetic())) else {
        return words;
    };
    let letters: Vec<String> = letters.chars().take(32).map(|c| c.to_string()).collect();
    let table = programs::shipped().get(name);
    let span = words.first().map_or(0..0, |word| word.span.clone());
    let mut rest = words.into_iter().skip(1);
    let mut out = Vec::new();
    for letter in letters {
        out.push(Argument::text(format!("-{letter}"), &span));
        let takes = table
            .and_then(|table| table.option(&letter, false))
            .is_some_and(|(_, c)| c.takes == OptionArity::Value);
        if takes {
            out.extend(rest.next());
        }
    }
    out.extend(rest);
    out
}
