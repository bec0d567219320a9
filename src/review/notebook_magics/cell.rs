//! A cell of a notebook that begins with `%%`: the rest of the text is what the magic makes of it.

use super::line;
use super::{Magic, code};
use crate::review::nested::NestedCode;
use crate::review::rules::InnerPattern;
use crate::review::stdin;
use crate::review::value::Value;
use std::ops::Range;

/// Magics whose rest is Python: with Python, or with nothing that runs, on their own line.
const PYTHON: &[&str] = &["time", "timeit", "prun", "memit", "mprun", "lprun"];

/// Programs that read the cell on their standard input.
const PROGRAMS: &[&str] =
    &["bash", "sh", "zsh", "ksh", "dash", "python", "python2", "python3", "pypy", "perl", "ruby", "node"];

/// Options of magics that run programs, with the word that they take.
const WORDS: &[&str] = &["--out", "--err", "--proc"];

/// What a cell is that begins with a line; whether what follows is Python.
pub(super) fn look(source: &str, first: Range<usize>) -> (Magic, bool) {
    let line = source.get(first.clone()).unwrap_or_default();
    let named = line.trim_start_matches('%');
    let name = named.split_whitespace().next().unwrap_or_default();
    let start = first.end - named.len();
    if PYTHON.contains(&name) {
        return (line::beginning(source, first.clone(), start + name.len() - first.start), true);
    }
    if name == "capture" {
        return (Magic::whole(first), true);
    }
    let all = first.start..source.trim_end().len().max(first.end);
    let whole = Magic::whole(all.clone());
    // From behind the name on, and from the next line on.
    let behind = start + name.len()..source.len();
    let body =
        first.end + source.get(first.end..).map_or(0, |rest| rest.find('\n').map_or(rest.len(), |at| at + 1));
    let body = body..source.len();
    let text = |span: &Range<usize>| source.get(span.clone()).unwrap_or_default();
    let magic = match name {
        "!" | "sx" | "system" => whole.with(super::expand::shell(text(&behind), behind.clone())),
        "script" => program(whole, named.get(name.len()..).unwrap_or_default().trim(), first, body, source),
        _ if PROGRAMS.contains(&name) => program(whole, named, first, body, source),
        "javascript" | "js" => whole.with([code(InnerPattern::Javascript, text(&body), body.clone())]),
        "sql" => whole.with([code(InnerPattern::Sql, text(&behind), behind.clone())]),
        "writefile" | "file" => {
            let path = named.get(name.len()..).unwrap_or_default().trim();
            let (sign, path) = path.strip_prefix("-a ").map_or((">", path), |path| (">>", path.trim()));
            whole.with([code(InnerPattern::Bash, format!("cat {sign} {path}"), first)])
        }
        "latex" | "markdown" => whole,
        _ => Magic::unknown(all),
    };
    (magic, false)
}

/// A cell that a program reads: what the program is told, and what it makes of the cell.
fn program(whole: Magic, command: &str, first: Range<usize>, body: Range<usize>, source: &str) -> Magic {
    let mut words = command.split_whitespace();
    let mut own = Vec::new();
    while let Some(word) = words.next() {
        match word {
            _ if WORDS.contains(&word) => drop(words.next()),
            "--bg" | "--no-raise-error" => {}
            _ => own.push(word),
        }
    }
    let mut codes: Vec<NestedCode> = Vec::new();
    if own.len() > 1 {
        codes.push(code(InnerPattern::Bash, command, first.end - command.len()..first.end));
    }
    let text = source.get(body.clone()).unwrap_or_default();
    let language = stdin::interpreter(&Value::text(own.join(" ")));
    codes.extend(language.map(|language| code(language, text, body.clone())));
    let is_read = language.is_some_and(|language| language != InnerPattern::Other) || text.trim().is_empty();
    Magic { unread: (!is_read).then_some(body), ..whole.with(codes) }
}
