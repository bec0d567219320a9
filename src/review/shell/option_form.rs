//! Brings options of programs that have a form of their own into that of getopt: `tar xzf a`, `sed -i '' s/a/b/ a`.

use crate::review::programs::{self, OptionArity};
use crate::review::value::Argument;

/// The words of a program, without its name, with options as getopt has them.
pub(super) fn in_getopt_form(name: &str, words: Vec<Argument>) -> Vec<Argument> {
    match name {
        "tar" | "bsdtar" | "gtar" | "ar" => unbundled(name, words),
        "sed" | "gsed" => without_empty_suffix(words),
        _ => words,
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
