//! Options and operands of a command, told apart.

use super::Reader;
use crate::review::value::{Act, Argument, HOLE, Kind, Value};
use std::ops::Range;

impl Reader<'_> {
    /// The act of a command: its options by name, its operands in their order.
    pub(super) fn parted(
        &mut self,
        name: &str,
        words: Vec<Argument>,
        input: Option<Argument>,
        span: &Range<usize>,
    ) -> Act {
        let book = self.book;
        let takes: &[String] = book.file.values.get(name).map_or(&[], Vec::as_slice);
        let mut act = Act {
            name: name.to_owned(),
            receiver: None,
            arguments: Vec::new(),
            named: Vec::new(),
            folder: self.folder.clone(),
            span: span.clone(),
        };
        let mut only_operands = false;
        let mut words = words.into_iter().peekable();
        while let Some(word) = words.next() {
            let text = word.value.as_text().map(|(t, _)| t.to_owned()).unwrap_or_default();
            if only_operands || !text.starts_with('-') || text == "-" {
                if let Some((key, value)) = text.split_once('=').filter(|(key, _)| plain_key(key)) {
                    let kind = Kind::Text { text: value.to_owned(), whole: !value.contains(HOLE) };
                    let value = Value { kind, taint: word.value.taint };
                    act.named.push((key.to_owned(), Argument { value, span: word.span.clone() }));
                }
                act.arguments.push(word);
                continue;
            }
            if text == "--" {
                only_operands = true;
                continue;
            }
            let takes_next = option(&text, takes, &word, &mut act);
            if let Some(key) = takes_next
                && let Some(value) = words.next()
            {
                act.named.push((key, value));
            }
        }
        if book.file.verbs.iter().any(|v| v == name) && !act.arguments.is_empty() {
            let verb = act.arguments.remove(0);
            act.name = format!("{name} {}", verb.value.as_whole_text().unwrap_or("?"));
        }
        if let Some(input) = input {
            act.named.push(("stdin".to_owned(), input));
        }
        if let Some(file) = saved(&act) {
            act.named.push(("saved".to_owned(), file));
        }
        if matches!(name, "curl" | "wget" | "xh")
            && let Some(file) = uploaded(&act)
        {
            act.named.push(("file".to_owned(), file));
        }
        act
    }
}

/// The file that a download is kept in under its own name: `wget URL`, `curl -O URL`.
fn saved(act: &Act) -> Option<Argument> {
    let given = |names: &[&str]| act.named.iter().any(|(name, _)| names.contains(&name.as_str()));
    let keeps = match act.name.as_str() {
        "wget" => !given(&["O", "output-document"]),
        "curl" => given(&["O", "remote-name", "J"]),
        _ => false,
    };
    let url = act.arguments.iter().find(|a| a.value.as_whole_text().is_some_and(|t| t.contains('/')));
    let url = url.filter(|_| keeps)?;
    let name = url.value.as_whole_text()?.rsplit('/').next()?.split('?').next()?;
    (!name.is_empty()).then(|| Argument { value: Value::text(name), span: url.span.clone() })
}

/// The file whose content a transfer takes: `-T file`, `-d @file`, `-F name=@file`.
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

/// Notes an option; returns the name that the next word is the value of.
fn option(text: &str, takes: &[String], word: &Argument, act: &mut Act) -> Option<String> {
    if act.name == "kill" && text == "-0" {
        // It asks whether a process is there, and ends none.
        act.named.push((
            "probe".to_owned(),
            Argument { value: Value::new(Kind::Bool(true)), span: word.span.clone() },
        ));
        return None;
    }
    let mut note = |key: &str, value: Value| {
        act.named.push((key.to_owned(), Argument { value, span: word.span.clone() }));
    };
    let set = || Value::new(Kind::Bool(true));
    let key = text.trim_start_matches('-');
    if let Some((key, value)) = key.split_once('=') {
        note(
            key,
            Value::new(Kind::Text { text: value.to_owned(), whole: !value.contains(HOLE) })
                .tainted(word.value.taint),
        );
        return None;
    }
    if takes.iter().any(|t| t == key) {
        return Some(key.to_owned());
    }
    note(key, set());
    if text.starts_with("--") {
        return None;
    }
    // `-rf` is `-r -f`; `-ofile` is `-o file` where `-o` takes a value.
    for (at, letter) in key.char_indices().take(32) {
        let letter = letter.to_string();
        if takes.contains(&letter) {
            let value = key.get(at + letter.len()..).unwrap_or_default();
            if value.is_empty() {
                return Some(letter);
            }
            note(&letter, Value::text(value).tainted(word.value.taint));
            return None;
        }
        if key.len() > 1 {
            note(&letter, set());
        }
    }
    None
}

/// Whether this can be the name of a variable.
pub(super) fn plain_key(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
