//! One line of a notebook that is no Python: a command, a magic, a question.

use super::expand::shell;
use super::{Magic, code, word};
use crate::review::cover::{Cover, CoverKind};
use crate::review::nested::NestedCode;
use crate::review::rules::InnerPattern;
use crate::review::value::Value;
use std::ops::Range;

/// Magics that run the command of a shell that stands behind them.
const SHELLS: &[&str] = &["sx", "system"];

/// Programs that a magic of the same name runs.
const PROGRAMS: &[&str] = &[
    "pip",
    "conda",
    "mamba",
    "micromamba",
    "uv",
    "rm",
    "mv",
    "cp",
    "mkdir",
    "rmdir",
    "cat",
    "ls",
    "less",
    "more",
    "man",
];

/// Magics that run the Python that stands behind their options.
const PYTHON: &[&str] = &["time", "timeit", "prun", "memit", "mprun", "lprun", "config"];

/// Magics that run nothing of the text, and change or show nothing but the session itself.
const QUIET: &[&str] = &[
    "matplotlib",
    "autoreload",
    "aimport",
    "autosave",
    "precision",
    "pprint",
    "pdb",
    "xmode",
    "who",
    "whos",
    "who_ls",
    "pwd",
    "history",
    "hist",
    "lsmagic",
    "magic",
    "quickref",
    "colors",
    "gui",
    "pinfo",
    "pinfo2",
    "pdoc",
    "pdef",
    "pfile",
    "psource",
    "psearch",
    "reset",
    "reset_selective",
    "xdel",
    "dhist",
    "page",
    "tb",
    "unload_ext",
    "doctest_mode",
    "load",
    "memory_profiler",
];

/// Options of those magics that take a number.
const NUMBERS: &[&str] = &["-n", "-r", "-p", "-i", "-t", "-l"];

/// Options of those magics that take a name.
const WORDS: &[&str] = &["-l", "-s", "-T", "-D", "-f", "-m", "-u"];

/// Whether a line may be one, by a first look.
pub(super) fn may_be(line: &str) -> bool {
    line.starts_with(['!', '%', '?']) || line.ends_with('?') || sign(line).is_some()
}

/// What a stretch is, if it looks like a line of a notebook. It has no white space at its ends.
pub(super) fn look(source: &str, span: Range<usize>) -> Option<Magic> {
    let text = source.get(span.clone())?;
    if let Some(command) = text.strip_prefix('!') {
        let command = command.trim_start_matches('!');
        return Some(Magic::whole(span.clone()).with(shell(command, span.end - command.len()..span.end)));
    }
    if let Some(rest) = text.strip_prefix('%').filter(|rest| rest.starts_with(is_start)) {
        let name = name(rest);
        if PYTHON.contains(&name) {
            return Some(beginning(source, span, 1 + name.len()));
        }
        let mut magic = Magic::whole(span.clone());
        (magic.code, magic.unread) = magic_of(rest, span);
        return Some(magic);
    }
    let asks = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '*' | '%' | '?');
    if text.starts_with('?') || text.ends_with('?') {
        return text.chars().all(asks).then(|| Magic::whole(span));
    }
    let at = sign(text)?;
    let (value, place) = (text.get(at..)?, span.start + at..span.end);
    let cover = Cover { span: place.clone(), kind: CoverKind::Assigned };
    let (code, unread) = match value.strip_prefix('!') {
        Some(command) => (shell(command, place.start + 1..place.end), None),
        None => magic_of(value.get(1..)?, place),
    };
    Some(Magic { cover, code, unread })
}

/// A magic in front of Python: it alone is covered, and its options. What is left is read where it stands.
pub(super) fn beginning(source: &str, span: Range<usize>, length: usize) -> Magic {
    let mut at = span.start + length;
    loop {
        let (option, end) = word_at(source, at..span.end);
        if !option.starts_with('-') {
            break;
        }
        at = end;
        let (value, end) = word_at(source, at..span.end);
        if takes(option, value) {
            at = end;
        }
    }
    let cover = Cover { span: span.start..at, kind: CoverKind::Beginning };
    Magic { cover, code: Vec::new(), unread: None }
}

/// The first word of a stretch, and where it ends.
fn word_at(source: &str, span: Range<usize>) -> (&str, usize) {
    let rest = source.get(span.clone()).unwrap_or_default();
    let word = rest.split_whitespace().next().unwrap_or_default();
    let before = rest.len() - rest.trim_start().len();
    (word, span.start + before + word.len())
}

/// Whether a word belongs to the option in front of it. What is more than a number or a name runs.
fn takes(option: &str, word: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let is_number = !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
    is_number && NUMBERS.contains(&option)
        || !word.is_empty() && WORDS.contains(&option) && word.chars().all(is_name)
}

/// What a magic runs, from its name on, and what of it is not known.
fn magic_of(text: &str, span: Range<usize>) -> (Vec<NestedCode>, Option<Range<usize>>) {
    let name = name(text);
    let rest = text.get(name.len()..).unwrap_or_default();
    let bare = rest.trim();
    let behind = span.end - rest.len()..span.end;
    let code_of = |language, text: &str| vec![code(language, text, span.clone())];
    let codes = match name {
        _ if SHELLS.contains(&name) => shell(rest, behind),
        "sc" => shell(rest.split_once('=').map_or(rest, |(_, command)| command), behind),
        _ if PROGRAMS.contains(&name) => shell(text, span.end - text.len()..span.end),
        // What it gives back is put into a name: it stands for itself.
        _ if PYTHON.contains(&name) => vec![code(InnerPattern::Python, without_options(rest), behind)],
        "sql" => vec![code(InnerPattern::Sql, rest, behind)],
        "run" => shell(&format!("python3 {bare}"), span),
        "load_ext" | "reload_ext"
            if !bare.is_empty() && bare.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.')) =>
        {
            code_of(InnerPattern::Python, &format!("import {bare}"))
        }
        "env" | "set_env" => code_of(InnerPattern::Bash, &environment(bare)),
        "cd" => Vec::new(),
        _ if QUIET.contains(&name) => Vec::new(),
        _ => return (Vec::new(), Some(span)),
    };
    (codes, None)
}

/// The Python behind the options of a magic.
fn without_options(rest: &str) -> &str {
    let mut rest = rest.trim_start();
    while rest.starts_with('-') {
        rest = rest.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim_start());
    }
    rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start()
}

/// `%env` as a command of a shell.
fn environment(text: &str) -> String {
    match text.split_once(['=', ' ', '\t']) {
        Some((name, value)) => format!("export {}='{}'", name.trim(), value.trim().replace('\'', "'\\''")),
        None if text.is_empty() => "env".to_owned(),
        None => format!("printenv {text}"),
    }
}

/// The folder into which a line goes that begins with `%cd`.
pub(crate) fn folder(line: &str) -> Option<Value> {
    let rest = line.strip_prefix("%cd")?.lines().next().unwrap_or_default();
    let rest = rest.trim().trim_start_matches("-q ").trim();
    Some(match rest {
        "" => Value::text("~"),
        _ if rest.starts_with('-') => Value::unknown(),
        _ => word(rest),
    })
}

fn name(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.')).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

fn is_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// Where `!` or `%` stands behind the first sign of an assignment: `files = !ls`, `took = %timeit -o f()`.
fn sign(line: &str) -> Option<usize> {
    let (name, value) = line.split_once('=')?;
    let at = line.len() - value.trim_start().len();
    let is_target = |c: char| {
        c.is_alphanumeric() || matches!(c, '_' | ',' | ' ' | '.' | '*' | ':' | '[' | ']' | '\'' | '"')
    };
    if !name.chars().all(is_target) {
        return None;
    }
    let value = value.trim_start();
    let found = match value.strip_prefix('%') {
        Some(rest) => rest.starts_with(is_start),
        None => value.starts_with('!') && !value.starts_with("!="),
    };
    found.then_some(at)
}
