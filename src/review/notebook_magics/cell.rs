//! Reads a `%%` cell: its magic decides what the rest of the text is.

use super::expand::{bash, values};
use super::{Magic, line, options, write};
use crate::review::grammar::Grammar;
use crate::review::nested::NestedCode;
use crate::review::stdin;
use crate::review::value::Value;
use crate::text::magics::only_word;
use std::ops::Range;

/// Programs that read the cell from standard input.
const STDIN_PROGRAMS: &[&str] =
    &["bash", "sh", "zsh", "ksh", "dash", "python", "python2", "python3", "pypy", "perl", "ruby", "node"];

/// Options of these magics that take a word.
const WORD_OPTIONS: &[&str] = &["--out", "--err", "--proc"];

/// What a cell is, by its first line; `body` is where the next line begins. Returns true if the rest is Python.
pub(super) fn find(source: &str, first: Range<usize>, body: usize) -> (Magic, bool) {
    let line = source.get(first.clone()).unwrap_or_default();
    let named = line.trim_start_matches('%');
    let name = named.split_whitespace().next().unwrap_or_default();
    let behind = first.end - named.len() + name.len();
    let (mut magic, goes_on) = match options::options_of(name) {
        Some(known) => (line::beginning(source, first.clone(), behind, known), true),
        None if matches!(name, "capture" | "sayso_python") => (Magic::whole(first.clone()), true),
        None => (read_cell(source, (name, named), &first, behind..source.len(), body..source.len()), false),
    };
    magic.code.extend(line::values_of(name, source.get(behind..first.end).unwrap_or_default(), behind));
    (magic, goes_on)
}

/// What a magic makes of the rest of its cell: `behind` begins after its name, `body` at the next line.
fn read_cell(
    source: &str,
    (name, named): (&str, &str),
    first: &Range<usize>,
    behind: Range<usize>,
    body: Range<usize>,
) -> Magic {
    let all = first.start..source.trim_end().len().max(first.end);
    let whole = Magic::whole(all.clone());
    let text = |span: &Range<usize>| source.get(span.clone()).unwrap_or_default();
    let given = named.get(name.len()..).unwrap_or_default().trim();
    match name {
        "!" | "sx" | "system" => {
            let values = values(text(&body), body.start);
            whole.with(std::iter::once(bash(text(&behind), behind)).chain(values))
        }
        "script" => program(whole, given, first.end, body, source),
        _ if STDIN_PROGRAMS.contains(&name) => program(whole, named, first.end, body, source),
        "javascript" | "js" => whole.with([NestedCode::text(Grammar::Javascript, text(&body), body.clone())]),
        "sql" => whole.with([NestedCode::text(Grammar::Sql, text(&behind), behind.clone())]),
        "writefile" | "file" => match file(given) {
            Some((path, appends)) => whole.with([write(path, appends, first.clone())]),
            None => Magic::unknown(all),
        },
        // Magics that an exported session defines in its first cell.
        "sayso_bash" => program(whole, "bash", first.end, body, source),
        "sayso_write" if !given.is_empty() => whole.with([write(given, false, first.clone())]),
        "latex" | "markdown" => whole,
        _ => Magic::unknown(all),
    }
}

/// The file that a cell is written to, and whether the cell is appended to it.
fn file(given: &str) -> Option<(&str, bool)> {
    let appends = |word: &str| word == "-a" || word.len() > 2 && "--append".starts_with(word);
    let front = given.split_once(char::is_whitespace).filter(|(word, _)| appends(word));
    let back = given.rsplit_once(char::is_whitespace).filter(|(_, word)| appends(word));
    let path = front.map(|(_, path)| path).or(back.map(|(path, _)| path));
    Some((only_word(path.unwrap_or(given))?, path.is_some()))
}

/// A cell that a program reads from standard input: its command line, and the cell as code.
fn program(whole: Magic, command: &str, end: usize, body: Range<usize>, source: &str) -> Magic {
    let mut words = command.split_whitespace();
    let mut own = Vec::new();
    while let Some(word) = words.next() {
        match word {
            _ if WORD_OPTIONS.contains(&word) => drop(words.next()),
            "--bg" | "--no-raise-error" => {}
            _ => own.push(word),
        }
    }
    let mut codes: Vec<NestedCode> = Vec::new();
    if own.len() > 1 {
        codes.push(bash(command, end - command.len()..end));
    }
    let text = source.get(body.clone()).unwrap_or_default();
    let language = stdin::interpreter(&Value::text(own.join(" ")));
    codes.extend(language.map(|language| NestedCode::text(language, text, body.clone())));
    let is_read = language.is_some_and(|language| language != Grammar::Other) || text.trim().is_empty();
    Magic { unread: (!is_read).then_some(body), ..whole.with(codes) }
}
