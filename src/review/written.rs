//! Remembers texts that a block writes into files, in case it then runs one of those files.
//!
//! Only texts that are fully known are remembered, few and short ones. `judge` judges what they do.

use super::folder::folder_of;
use super::grammar::Grammar;
use super::nested::NestedCode;
use super::path_class::join_folder;
use super::value::{Act, Value, ValueKind};
use std::collections::HashMap;

const MAX_FILES: usize = 32;
const MAX_TOTAL_BYTES: usize = 256 << 10;

/// How an act changes the text of a file.
enum WrittenChange<'a> {
    /// Replaces it with this text; `None` if not known.
    Set(Option<&'a str>),
    /// Appends this text.
    Add(Option<&'a str>),
}

/// The texts of files that the block wrote, by path.
#[derive(Debug, Default)]
pub(super) struct WrittenTexts {
    texts: HashMap<String, String>,
    bytes: usize,
}

impl WrittenTexts {
    /// Remembers what an act writes.
    pub(super) fn note(&mut self, act: &Act) {
        for (path, change) in changes(act) {
            let Some(path) = path_of(path, act) else { continue };
            let before = self.texts.remove(&path);
            self.bytes -= before.as_ref().map_or(0, String::len);
            let text = match change {
                WrittenChange::Set(text) => text.map(str::to_owned),
                // Appending to an unknown text gives an unknown text.
                WrittenChange::Add(text) => before.zip(text).map(|(before, text)| before + text),
            };
            let Some(text) = text else { continue };
            if self.texts.len() < MAX_FILES && self.bytes + text.len() <= MAX_TOTAL_BYTES {
                self.bytes += text.len();
                self.texts.insert(path, text);
            }
        }
    }

    /// Whether this block wrote the file in the act's first argument, so that its text was read.
    pub(super) fn holds(&self, act: &Act) -> bool {
        let path = act.arguments.first().and_then(|argument| path_of(&argument.value, act));
        path.is_some_and(|path| self.texts.contains_key(&path))
    }

    /// The text that an act runs, if this block wrote the file.
    pub(super) fn run_by(&self, act: &Act) -> Option<NestedCode> {
        if self.texts.is_empty() {
            return None;
        }
        let path = path_of(script_of(act)?, act)?;
        let text = self.texts.get(&path)?;
        let language = match act.name.as_str() {
            "bash" | "sh" | "zsh" | "dash" | "ksh" | "ash" | "source" | "." => Grammar::Bash,
            "./" => by_first_line(text),
            "node" | "bun" | "deno run" => Grammar::Javascript,
            "runpy.run_path" | "@import" => Grammar::Python,
            "require" | "import" => Grammar::Javascript,
            name if READ_BY_WORDS.contains(&name) || SCRIPT_IN_OPTION.contains(&name) => Grammar::Other,
            name => {
                let version = name.strip_prefix("python")?;
                version.chars().all(|c| c.is_ascii_digit() || c == '.').then_some(Grammar::Python)?
            }
        };
        Some(NestedCode::text(language, text.as_str(), act.span.clone()))
    }
}

/// Interpreters of languages without a grammar.
const READ_BY_WORDS: &[&str] = &[
    "perl",
    "perl5",
    "ruby",
    "jruby",
    "php",
    "lua",
    "luajit",
    "lua5.4",
    "Rscript",
    "julia",
    "groovy",
    "gnuplot",
    "tclsh",
    "wish",
    "expect",
    "osascript",
];

/// Programs whose file of code is the value of an option; an operand is a file that they work on.
const SCRIPT_IN_OPTION: &[&str] = &["awk", "gawk", "mawk", "nawk", "original-awk", "sed", "gsed"];

/// The file of code that a program is given.
fn script_of(act: &Act) -> Option<&Value> {
    if !SCRIPT_IN_OPTION.contains(&act.name.as_str()) {
        return act.value(0);
    }
    let mut options =
        act.named.iter().filter(|(name, _)| ["f", "file", "E", "exec"].contains(&name.as_str()));
    options.next().map(|(_, argument)| &argument.value)
}

/// The language of a file that is run by its path.
fn by_first_line(text: &str) -> Grammar {
    let first = text.lines().next().filter(|line| line.starts_with("#!")).unwrap_or_default();
    if first.contains("python") {
        Grammar::Python
    } else if first.contains("node") || first.contains("deno") {
        Grammar::Javascript
    } else {
        Grammar::Bash
    }
}

/// The path that a value names, relative to the folder of the act.
fn path_of(value: &Value, act: &Act) -> Option<String> {
    let folder = folder_of(act);
    let path = value.as_whole_text().filter(|path| !path.is_empty())?;
    Some(join_folder(path.strip_prefix("./").unwrap_or(path), folder))
}

/// The files that an act writes, and how their texts change.
fn changes(act: &Act) -> Vec<(&Value, WrittenChange<'_>)> {
    let (first, receiver) = (act.value(0), act.receiver.as_ref());
    let named = |name: &str| act.named.iter().find(|(key, _)| key == name).map(|(_, a)| &a.value);
    // Whether a file is empty once it is opened; the mode is the argument at this place.
    let empties =
        |at: usize| known(act.value(at).or_else(|| named("mode"))).unwrap_or("r").contains(['w', 'x']);
    let (path, change) = match act.name.as_str() {
        ">" => (first, WrittenChange::Set(known(named("text")))),
        ">>" => (first, WrittenChange::Add(known(named("text")))),
        "tee" => {
            let adds = named("a").or_else(|| named("append")).is_some();
            let text = known(named("stdin"));
            let change =
                |path| (path, if adds { WrittenChange::Add(text) } else { WrittenChange::Set(text) });
            return act.arguments.iter().map(|argument| change(&argument.value)).collect();
        }
        // The file is replaced by something else.
        "mv" | "cp" | "curl" | "wget" | "rm" => {
            return act.arguments.iter().map(|path| (&path.value, WrittenChange::Set(None))).collect();
        }
        "open" | "codecs.open" => (first.filter(|_| empties(1)), WrittenChange::Set(Some(""))),
        "pathlib.Path().open" => (receiver.filter(|_| empties(0)), WrittenChange::Set(Some(""))),
        "open().write" | "codecs.open().write" | "pathlib.Path().open().write" => {
            (receiver, WrittenChange::Add(known(first)))
        }
        "print" => match named("file").map(|file| &file.kind) {
            Some(ValueKind::Name { path, about: Some(about) }) if path.ends_with("open()") => {
                (Some(&**about), WrittenChange::Add(known(first)))
            }
            _ => return Vec::new(),
        },
        "pathlib.Path().write_text" | "pathlib.Path().write_bytes" => {
            (receiver, WrittenChange::Set(known(first)))
        }
        "fs.writeFile" | "fs.writeFileSync" | "Deno.writeTextFile" | "Bun.write" => {
            (first, WrittenChange::Set(known(act.value(1))))
        }
        _ => return Vec::new(),
    };
    path.map(|path| (path, change)).into_iter().collect()
}

fn known(value: Option<&Value>) -> Option<&str> {
    value.and_then(Value::as_whole_text)
}
