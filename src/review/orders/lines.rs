//! Finds orders in lines for interactive programs: editors (`!`, `:r !`), debuggers (`shell`), database clients
//! (`.shell`, `\!`). One reader serves them all: they share their signs, and a wrong guess only means more to examine.

use super::{Order, OrderEffect, quoted};
use crate::review::grammar::Grammar;

/// The orders in lines that such a program would read.
pub(in crate::review) fn lines(text: &str) -> Vec<Order> {
    let mut orders = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start;
        start += line.len();
        let inner = line.trim().trim_start_matches(':').trim();
        let found = one(inner, 0).or_else(|| system_call(inner));
        orders.extend(found.map(|what| {
            let from = at + (line.len() - line.trim_start().len());
            Order { what, at: from..at + line.trim_end().len().max(1) }
        }));
    }
    orders
}

/// Words followed by a shell command.
const SHELL_WORDS: &[&str] = &[
    ".shell", ".system", "shell", "system", "\\!", "!", "terminal", "term", "term!", "pipe", "silent!",
    ".load",
];
/// Words followed by a file to write, or by `|` and a command that gets the output.
const OUTPUT_WORDS: &[&str] = &[
    ".once", ".output", ".excel", ".log", ".import", "\\o", "\\out", "\\g", "\\gx", "\\w", "pager", "tee",
    "\\T", "\\P",
];
/// Words followed by a file with more orders.
const FILE_WORDS: &[&str] =
    &[".read", "source", "so", "\\i", "\\ir", "\\include", "\\.", "runtime", "luafile", "pyfile", "py3file"];

/// How many words may stand before each other that run the rest of the line (`silent exe '…'`); what more of them run
/// is not known.
const MAX_DEPTH: u32 = 16;

fn one(line: &str, depth: u32) -> Option<OrderEffect> {
    if depth > MAX_DEPTH {
        return Some(OrderEffect::Unknown);
    }
    let starts = |text: &str| Some(OrderEffect::starts(text.trim(), false));
    if let Some(rest) = line.strip_prefix("\\!").or_else(|| line.strip_prefix('!')) {
        return starts(rest).filter(|_| !rest.trim().is_empty());
    }
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    // `%!sort`, `.!sh`, `1,$!sh`: filters lines through a command.
    if let Some((range, command)) = word.split_once('!')
        && !range.is_empty()
        && range.chars().all(|c| c.is_ascii_digit() || matches!(c, '%' | '.' | ',' | '$' | '\'' | '<' | '>'))
    {
        return starts(&format!("{command} {rest}"));
    }
    if matches!(word, "r" | "read" | "w" | "write" | "e" | "%w" | "E" | "f") {
        if let Some(command) = rest.strip_prefix('!') {
            return starts(command);
        }
        return (word.ends_with('w') || word == "write")
            .then(|| OrderEffect::Writes(rest.to_owned()))
            .filter(|_| !rest.is_empty());
    }
    if matches!(word, "silent" | "silent!" | "sil" | "sil!" | "exe" | "execute" | "exec") {
        let inner = quoted(rest).map_or_else(|| rest.to_owned(), |(text, _)| text);
        return one(inner.trim_start_matches(':').trim(), depth + 1).or_else(|| system_call(&inner));
    }
    if word == "\\copy" {
        return copied(rest);
    }
    if SHELL_WORDS.contains(&word) && !rest.is_empty() && !rest.starts_with(['=', '(', ',', ';']) {
        return starts(rest.split_once('|').filter(|_| word == "pipe").map_or(rest, |(_, command)| command));
    }
    if OUTPUT_WORDS.contains(&word) {
        let bare = quoted(rest).map_or_else(|| rest.to_owned(), |(text, _)| text);
        return match bare.strip_prefix('|') {
            Some(command) => starts(command),
            None if word == "pager" && !bare.is_empty() => starts(&bare),
            None if !bare.is_empty()
                && word != ".import"
                && !bare.starts_with(['=', '('])
                && (word.starts_with(['.', '\\']) || word == "tee") =>
            {
                Some(OrderEffect::Writes(bare))
            }
            None => None,
        };
    }
    let code = match word {
        "python" | "py" | "python3" | "py3" | "pythonx" | "pyx" | "python-interactive" | "pi" => {
            Grammar::Python
        }
        "lua" | "perl" | "ruby" | "tcl" | "guile" | "mzscheme" => Grammar::Other,
        _ if FILE_WORDS.contains(&word) && !rest.is_empty() && !rest.contains(['=', '(']) => {
            return Some(OrderEffect::File(rest.to_owned()));
        }
        _ => return None,
    };
    (!rest.is_empty()).then(|| OrderEffect::Runs(code, rest.to_owned()))
}

/// What psql's `\copy t to 'a.csv'` does on this computer: it writes or reads a file, or runs a program.
fn copied(line: &str) -> Option<OrderEffect> {
    let (mut depth, mut start) = (0_usize, 0_usize);
    for word in line.split_inclusive(char::is_whitespace) {
        let is_outside = depth == 0;
        start += word.len();
        depth = (depth + word.matches('(').count()).saturating_sub(word.matches(')').count());
        let way = word.trim().to_ascii_lowercase();
        if !is_outside || !matches!(way.as_str(), "to" | "from") {
            continue;
        }
        let first = |text: &str| {
            let word = text.split_whitespace().next().unwrap_or_default();
            quoted(text).map_or_else(|| word.to_owned(), |(text, _)| text)
        };
        let rest = line.get(start..)?.trim();
        let name = first(rest);
        return match name.to_ascii_lowercase().as_str() {
            "" | "stdin" | "stdout" | "pstdin" | "pstdout" => None,
            "program" => Some(OrderEffect::starts(first(rest.get(name.len()..)?.trim()), false)),
            _ if way == "to" => Some(OrderEffect::Writes(name)),
            _ => Some(OrderEffect::Reads(name)),
        };
    }
    None
}

/// Words of Tcl and expect that start programs: `exec`, `spawn`, `system`, `open "|…"`.
pub(super) fn tcl(text: &str) -> Vec<Order> {
    let mut orders = Vec::new();
    let mut start = 0;
    for piece in text.split_inclusive(['\n', ';', '[', '{']) {
        let at = start;
        start += piece.len();
        let inner = piece.trim_end_matches([';', '[', '{', '\n']).trim();
        let (word, rest) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
        let rest = rest.trim().trim_end_matches([']', '}']);
        let command = match word {
            "exec" | "spawn" | "system" if !rest.is_empty() => {
                let words = rest.split_whitespace().skip_while(|w| w.starts_with('-')).collect::<Vec<_>>();
                words.join(" ")
            }
            "open" | "send" if rest.contains("\"|") => {
                rest.split_once("\"|").map_or("", |(_, command)| command).trim_end_matches('"').to_owned()
            }
            _ => continue,
        };
        let is_known = !command.contains('$');
        let what = if is_known { OrderEffect::starts(command, true) } else { OrderEffect::Unknown };
        orders.push(Order { what, at: at..at + piece.trim_end().len().max(1) });
    }
    orders
}

/// `call system("…")`, `cexpr system('…')`, `call (int)system("…")`.
fn system_call(line: &str) -> Option<OrderEffect> {
    for name in ["system(", "systemlist(", "job_start(", "jobstart(", "termopen(", "term_start(", "popen("] {
        let Some((_, rest)) = line.split_once(name) else { continue };
        let text = quoted(rest.trim_start()).map(|(text, _)| text);
        return Some(text.map_or(OrderEffect::Unknown, |text| OrderEffect::starts(text, false)));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<OrderEffect> {
        lines(text).into_iter().map(|order| order.what).collect()
    }

    #[test]
    fn shells_are_found_behind_all_their_signs() {
        for line in [
            ":!id",
            "!id",
            ".shell id",
            ".system id",
            "\\! id",
            "shell id",
            ":r !id",
            "w !id",
            "%!id",
            ".once '|id'",
            "\\o |id",
            "call system('id')",
            "exe '!id'",
            "silent !id",
            "pager id",
        ] {
            assert_eq!(found(line), [OrderEffect::starts("id", false)], "{line}");
        }
        assert_eq!(found("\\copy t from program 'id'"), [OrderEffect::starts("id", false)]);
        assert_eq!(found("py3 import os"), [OrderEffect::Runs(Grammar::Python, "import os".to_owned())]);
        assert_eq!(lines("select 1;\n.shell id\n").first().map(|o| o.at.clone()), Some(10..19));
    }

    #[test]
    fn a_copy_names_the_file_of_this_computer() {
        for line in ["\\copy t to a.csv csv", "\\copy (select a from t) TO 'a.csv' with (format csv)"] {
            assert_eq!(found(line), [OrderEffect::Writes("a.csv".to_owned())], "{line}");
        }
        assert_eq!(found("\\copy t(a, b) from a.csv"), [OrderEffect::Reads("a.csv".to_owned())]);
        assert_eq!(found("\\copy t to stdout"), []);
    }

    #[test]
    fn words_that_run_a_line_are_followed_a_few_times() {
        assert_eq!(found("silent exe silent exe !id"), [OrderEffect::starts("id", false)]);
        assert_eq!(found(&format!("{}!id", "exe ".repeat(50_000))), [OrderEffect::Unknown]);
    }

    #[test]
    fn ordinary_lines_order_nothing() {
        for line in [
            "select 1;",
            "%s/a/b/g",
            "wq",
            "q!",
            "w",
            ".tables",
            ".mode csv",
            "set number",
            "bt",
            "SELECT system FROM t",
            "shell = 3",
            "\\d users",
            "1,3d",
            "normal! gg=G",
        ] {
            assert_eq!(found(line), [], "{line}");
        }
    }
}
