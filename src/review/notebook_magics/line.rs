//! Reads one line of a notebook that is no Python: a shell command, a magic, or a help request.

use super::expand::{bash, shell, values};
use super::options::{self, options};
use super::{Magic, word};
use crate::review::cover::{Cover, CoverKind};
use crate::review::grammar::Grammar;
use crate::review::nested::NestedCode;
use crate::review::value::Value;
use crate::text::magics::DISPLAY_MAGICS;
use std::ops::Range;

/// Magics that run the rest of the line in a shell.
const SHELL_MAGICS: &[&str] = &["sx", "system"];

/// Programs that have a magic of the same name.
const PROGRAM_MAGICS: &[&str] = &[
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

/// Magics whose line IPython takes verbatim, without putting values into it.
const VERBATIM_MAGICS: &[&str] = &["time", "timeit", "prun", "debug"];

/// Magics that run none of the text and only show or change the session, whatever they are given.
const HARMLESS_MAGICS: &[&str] = &[
    "pprint",
    "who",
    "whos",
    "who_ls",
    "pwd",
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
    "memory_profiler",
];

/// Whether a line may be one of them; a quick test.
pub(super) fn may_be(line: &str) -> bool {
    line.starts_with(['!', '%', '?']) || line.ends_with('?') || sign(line).is_some()
}

/// What a stretch is, if it looks like one of them. It has no white space at its ends.
pub(super) fn find(source: &str, span: Range<usize>) -> Option<Magic> {
    let text = source.get(span.clone())?;
    if let Some(command) = text.strip_prefix('!') {
        let command = command.trim_start_matches('!');
        return Some(Magic::whole(span.clone()).with(shell(command, span.end - command.len()..span.end)));
    }
    if let Some(rest) = text.strip_prefix('%').filter(|rest| rest.starts_with(is_start)) {
        let name = name(rest);
        let behind = span.start + 1 + name.len();
        let given = rest.get(name.len()..).unwrap_or_default();
        let mut magic = match options::options_of(name) {
            // The magic gets only its own line, but the grammar would read on to the closing quotes.
            Some(_) if ["'''", "\"\"\""].iter().any(|quotes| given.contains(quotes)) => {
                Magic { code: magic_of(rest, span.clone()).0, ..Magic::unknown(span) }
            }
            Some(known) => beginning(source, span, behind, known),
            None => {
                let (code, unread) = magic_of(rest, span.clone());
                Magic { code, unread, ..Magic::whole(span) }
            }
        };
        magic.code.extend(values_of(name, given, behind));
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
        None => {
            let rest = value.get(1..)?;
            let name = name(rest);
            let (mut code, unread) = magic_of(rest, place.clone());
            let behind = place.start + 1 + name.len();
            code.extend(values_of(name, rest.get(name.len()..)?, behind));
            (code, unread)
        }
    };
    Some(Magic { cover, code, unread })
}

/// A magic before Python: only the magic and its options are covered; the Python is read in place.
pub(super) fn beginning(source: &str, span: Range<usize>, behind: usize, known: &str) -> Magic {
    let given = options(source.get(behind..span.end).unwrap_or_default(), known, &span);
    let cover = Cover { span: span.start..behind + given.end, kind: CoverKind::Beginning };
    Magic { cover, code: given.code, unread: (!given.are_known).then_some(span) }
}

/// The Python in the braces of a magic's arguments; `start` is where they begin in the source.
pub(super) fn values_of(name: &str, given: &str, start: usize) -> Vec<NestedCode> {
    if VERBATIM_MAGICS.contains(&name) { Vec::new() } else { values(given, start).collect() }
}

/// What a magic runs, and what of it is not known. `text` begins with its name.
fn magic_of(text: &str, span: Range<usize>) -> (Vec<NestedCode>, Option<Range<usize>>) {
    let name = name(text);
    let rest = text.get(name.len()..).unwrap_or_default();
    let bare = rest.trim();
    let behind = span.end - rest.len()..span.end;
    if let Some(known) = options::options_of(name) {
        // The magic's result is assigned to a name, so the Python can't be read in place.
        let mut given = options(rest, known, &span);
        let python = rest.get(given.end..).unwrap_or_default();
        given.code.push(NestedCode::text(Grammar::Python, python.trim(), span.end - python.len()..span.end));
        return (given.code, (!given.are_known).then_some(span));
    }
    let codes = match name {
        _ if SHELL_MAGICS.contains(&name) => vec![bash(rest, behind)],
        "sc" => vec![bash(rest.split_once('=').map_or(rest, |(_, command)| command), behind)],
        _ if PROGRAM_MAGICS.contains(&name) => vec![bash(text, span.end - text.len()..span.end)],
        "sql" => vec![NestedCode::text(Grammar::Sql, rest, behind)],
        "run" => vec![bash(&format!("python3 {bare}"), span)],
        "load_ext" | "reload_ext" | "aimport" => match imports(name, bare) {
            Some(text) => vec![NestedCode::text(Grammar::Python, text, span)],
            None => return (Vec::new(), Some(span)),
        },
        "env" | "set_env" => vec![NestedCode::text(Grammar::Bash, environment(bare), span)],
        "cd" => Vec::new(),
        _ if is_quiet(name, bare) => Vec::new(),
        _ => return (Vec::new(), Some(span)),
    };
    (codes, None)
}

/// Whether a magic runs none of the text, reads and writes no given file, and loads nothing.
fn is_quiet(name: &str, given: &str) -> bool {
    match name {
        // `-f` names a file to write to; the letter may follow another one.
        "history" | "hist" => {
            !given.split_whitespace().any(|word| word.starts_with('-') && word.contains('f'))
        }
        // A colon means that it names a module as the backend.
        "matplotlib" => !given.contains(':'),
        // Loads from a file or an address.
        "load" => given.is_empty(),
        _ => HARMLESS_MAGICS.contains(&name) || DISPLAY_MAGICS.contains(&name),
    }
}

/// The import that a magic with module names does, possibly empty; `None` if not known.
fn imports(name: &str, given: &str) -> Option<String> {
    let is_module =
        |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    // A module after a dash is excluded from reloading.
    let is_left_out = |module: &&str| name == "aimport" && (given.is_empty() || module.starts_with('-'));
    let modules: Vec<&str> = given.split(',').map(str::trim).filter(|module| !is_left_out(module)).collect();
    let are_known = modules.iter().all(is_module) && (modules.len() == 1 || name == "aimport");
    are_known.then(|| match modules.as_slice() {
        [] => String::new(),
        _ => format!("import {}", modules.join(", ")),
    })
}

/// `%env` as a shell command.
fn environment(text: &str) -> String {
    match text.split_once(['=', ' ', '\t']) {
        Some((name, value)) => format!("export {}='{}'", name.trim(), value.trim().replace('\'', "'\\''")),
        None if text.is_empty() => "env".to_owned(),
        None => format!("printenv {text}"),
    }
}

/// The folder that a `%cd` line changes to.
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

/// Where `!` or `%` begins the value of an assignment: `files = !ls`, `took = %timeit -o f()`.
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
