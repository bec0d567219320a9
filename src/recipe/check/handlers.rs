//! Finds error handlers in a text: what each does with an error, and the lines whose errors it catches. Works line by
//! line and by indentation, as formatted code in the languages of recipes has it.

use std::collections::HashMap;

/// The most lines that are scanned for all handlers of a text together; without it, each of many handlers could scan
/// all lines. A long line counts several times.
const MAX_LOOKS: usize = 200_000;
/// A line counts once more for every so many bytes.
const BYTES_PER_LOOK: usize = 64;

/// Beginnings of lines that catch errors.
pub(super) const HANDLER_PREFIXES: &[&str] = &[
    "except",
    "catch",
    "} catch",
    "}catch",
    "rescue",
    "with suppress(",
    "with contextlib.suppress(",
    "set +e",
];
/// Beginnings of lines that print something and go on.
const REPORTING_PREFIXES: &[&str] = &[
    "print(",
    "console.",
    "logging.",
    "logger.",
    "log.",
    "log(",
    "warnings.warn(",
    "echo ",
    "puts ",
    "warn ",
    "traceback.print_",
    "sys.stderr.write(",
    "sys.stdout.write(",
    "process.stderr.write(",
];
/// Lines that do nothing with an error and go on.
const SILENT_LINES: &[&str] = &["pass", "...", "null", "nil", ""];
/// Lines that do nothing with an error and leave their block.
const LEAVING_LINES: &[&str] =
    &["continue", "return", "break", "quit()", "raise SystemExit", "process.exit()"];
/// Beginnings of lines that end the program, or return something.
const ENDING_PREFIXES: &[&str] =
    &["return ", "sys.exit(", "os._exit(", "exit(", "exit ", "raise SystemExit(", "process.exit("];
/// Results that say nothing about what went wrong.
pub(super) const EMPTY_RESULTS: &[&str] = &[
    "",
    "0",
    "-1",
    "[]",
    "{}",
    "()",
    "''",
    "\"\"",
    "None",
    "0.0",
    "null",
    "nil",
    "undefined",
    "False",
    "false",
];

/// A handler of errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Handler<'a> {
    pub(super) line: &'a str,
    /// What it does with an error; `None` if the scan stopped before its end.
    does: Option<Vec<&'a str>>,
    /// The lines whose errors it catches; `None` if there were too many to scan.
    pub(super) takes: Option<Vec<&'a str>>,
}

impl Handler<'_> {
    /// Whether it only goes on after an error: with an empty value, a message, or nothing. False if the scan stopped
    /// before its end.
    pub(super) fn is_quiet(&self) -> bool {
        let keeps_quiet = |line: &&str| is_quiet(line) || sets_nothing(line);
        self.does.as_ref().is_some_and(|does| does.iter().all(keeps_quiet))
    }

    /// Whether the scan reached the end of it.
    fn is_whole(&self) -> bool {
        self.does.is_some() && self.takes.is_some()
    }
}

/// The handlers of `new` that `old` does not have, and whether each handler of `new` was scanned to its end.
pub(super) fn new<'a>(old: &str, new: &'a str) -> (Vec<Handler<'a>>, bool) {
    let mut known = HashMap::<(&str, Option<Vec<&str>>), usize>::new();
    for handler in handlers(old) {
        *known.entry((handler.line, handler.does)).or_default() += 1;
    }
    let mut is_new = |handler: &Handler<'a>| {
        let left = known.get_mut(&(handler.line, handler.does.clone())).filter(|left| **left > 0);
        left.map(|left| *left -= 1).is_none()
    };
    let all = handlers(new);
    let is_whole = all.iter().all(Handler::is_whole);
    (all.into_iter().filter(|handler| is_new(handler)).collect(), is_whole)
}

/// What scanning a line costs.
pub(super) fn steps(line: &str) -> usize {
    1 + line.len() / BYTES_PER_LOOK
}

/// How far a line is indented, and the line, without its comment.
type IndentedLine<'a> = (usize, &'a str);

fn handlers(text: &str) -> Vec<Handler<'_>> {
    let lines: Vec<IndentedLine<'_>> = text
        .lines()
        .map(|line| (line.len() - line.trim_start().len(), without_comment(line.trim())))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with(['#']) && !line.starts_with("//"))
        .collect();
    let begins = |line: &str| HANDLER_PREFIXES.iter().any(|word| line.starts_with(word));
    let found = lines.iter().enumerate().filter(|(_, (_, line))| begins(line));
    let mut left = MAX_LOOKS;
    found.map(|(at, (depth, line))| handler(&lines, at, (*depth, line), &mut left)).collect()
}

fn handler<'a>(
    lines: &[IndentedLine<'a>],
    at: usize,
    (depth, line): IndentedLine<'a>,
    left: &mut usize,
) -> Handler<'a> {
    let deeper = |line: &&IndentedLine<'a>| line.0 > depth;
    let after = lines.iter().skip(at + 1).take(*left).take_while(deeper);
    let after: Vec<&str> = after.map(|(_, line)| *line).collect();
    *left = left.saturating_sub(after.iter().map(|line| steps(line)).sum());
    if line.starts_with("with ") {
        return Handler { line, does: Some(Vec::new()), takes: (*left > 0).then_some(after) };
    }
    // Statements after the colon on the same line belong to the handler, too.
    let inline = line.rsplit_once(": ").map(|(_, does)| does.trim()).filter(|does| !does.is_empty());
    let does = inline.into_iter().flat_map(|does| does.split("; ")).chain(after).collect();
    let does = (*left > 0).then_some(does);
    let mut looked = 0;
    let above = lines.iter().take(at).rev().take(*left).inspect(|(_, line)| looked += steps(line));
    let tries = |(inner, line): &IndentedLine<'a>| {
        *inner < depth || *inner == depth && (line.starts_with("try") || line.starts_with("begin"))
    };
    let takes = above.take_while(|line| !tries(line)).filter(deeper).map(|(_, line)| *line).collect();
    *left = left.saturating_sub(looked);
    Handler { line, does, takes: (*left > 0).then_some(takes) }
}

/// Whether a line sets a name to an empty value: `n = 0`.
pub(super) fn sets_nothing(line: &str) -> bool {
    let Some((name, value)) = line.trim_end_matches(';').split_once(" = ") else { return false };
    let name = name.trim_start_matches("let ").trim_start_matches("const ").trim_start_matches("var ");
    let is_place = name.chars().all(|c| c.is_alphanumeric() || "_.$[]'\"".contains(c));
    is_place && EMPTY_RESULTS.contains(&value.trim())
}

pub(super) fn is_quiet(line: &str) -> bool {
    let line = line.trim_end_matches(';');
    let given = ENDING_PREFIXES.iter().find_map(|word| line.strip_prefix(word).map(|value| (word, value)));
    let empty = given.is_some_and(|(word, value)| {
        EMPTY_RESULTS.contains(&if word.ends_with('(') { value.trim_end_matches(')') } else { value }.trim())
    });
    empty
        || SILENT_LINES.contains(&line)
        || LEAVING_LINES.contains(&line)
        || REPORTING_PREFIXES.iter().any(|word| line.starts_with(word))
}

/// Whether a statement leaves its block without saying anything about an error.
pub(super) fn is_end(statement: &str) -> bool {
    let bare = statement.trim_end_matches(';');
    is_quiet(bare)
        && (LEAVING_LINES.contains(&bare) || ENDING_PREFIXES.iter().any(|word| bare.starts_with(word)))
}

/// Whether a statement ends the program with success.
pub(super) fn ends_with_success(statement: &str) -> bool {
    let in_block = ["return", "continue", "break"];
    is_end(statement) && !in_block.iter().any(|word| statement.starts_with(word))
}

pub(super) fn without_comment(line: &str) -> &str {
    let cut = |mark| line.find(mark).unwrap_or(line.len());
    line.get(..cut(" #").min(cut(" //"))).unwrap_or(line).trim_end()
}

#[cfg(test)]
mod tests {
    use super::{MAX_LOOKS, handlers};

    #[test]
    fn many_handlers_of_the_same_lines_do_not_each_get_them_all() {
        let text = "except:\n x\n".repeat(20_000);
        let found = handlers(&text);
        let length = |lines: &Option<Vec<&str>>| lines.as_ref().map_or(0, Vec::len);
        let kept = |handler: &super::Handler<'_>| length(&handler.does) + length(&handler.takes);
        assert!(found.iter().map(kept).sum::<usize>() <= MAX_LOOKS);
        assert_eq!(found.first().map(|first| first.takes.as_deref()), Some(Some(&[][..])));
        assert_eq!(found.last().map(|last| last.takes.as_deref()), Some(None), "it may take them all");
        assert!(found.last().is_some_and(|last| !last.is_quiet()), "what it does was not looked at");
        let (_, is_whole) = super::new("x\n", &text);
        assert!(!is_whole && super::new(&text, "try:\n x\nexcept:\n y\n").1);
        // A few handlers, but each would scan one long line.
        let nested: String = (0..300).map(|n| format!("{0}except:\n", " ".repeat(n))).collect();
        let nested = format!("{nested}{0}{1}\n", " ".repeat(300), "y".repeat(100_000));
        assert!(!super::new("x\n", &nested).1);
    }
}
