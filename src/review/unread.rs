//! Finds stretches that a grammar could not parse. The tree is only a guess there, so each stretch is reported on its
//! line, and the review reads its words (`inspect/by_words`).

use super::diagnostic::Diagnostic;
use super::grammar::Grammar;
use super::line_starts::LineStarts;
use crate::domain::Severity;
use crate::text::names::first_names;
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// The rule of these diagnostics.
pub(super) const RULE: &str = "common.unread";

/// The most stretches of one text; the last one extends to the last error.
const MAX_STRETCHES: usize = 64;

/// The lines that contain parse errors, with neighbouring ones joined, in order.
pub(super) fn stretches(tree: &Tree, source: &str) -> Vec<Range<usize>> {
    let mut stretches = Stretches { source, found: Vec::new(), reached: 0 };
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            stretches.add(beginning(node)..node.end_byte());
        } else if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return stretches.found;
            }
        }
    }
}

/// Adds the stretch from the line of a place to the end of the text.
pub(super) fn add_rest(stretches: &mut Vec<Range<usize>>, source: &str, at: usize) {
    let head = source.get(..at).unwrap_or_default();
    let mut start = head.rfind('\n').map_or(0, |line| line + 1);
    while let Some(last) = stretches.pop_if(|last| last.end >= start) {
        start = start.min(last.start);
    }
    stretches.push(start..source.trim_end().len().max(at));
}

/// The start of the unparsed part of an error node: complete statements at its beginning were parsed.
fn beginning(error: Node<'_>) -> usize {
    let is_read = |child: &Node<'_>| {
        let kind = child.kind();
        let whole = ["_statement", "_definition", "_declaration"].iter().any(|end| kind.ends_with(end))
            || matches!(kind, "command" | "pipeline" | "list" | "variable_assignment" | "comment");
        whole && !child.has_error() || matches!(kind, "\n" | ";")
    };
    let mut cursor = error.walk();
    let read = error.children(&mut cursor).take_while(is_read).last();
    read.map_or(error.start_byte(), |last| {
        last.next_sibling().map_or(last.end_byte(), |next| next.start_byte())
    })
}

/// The message about a stretch that was not even read by its words.
const UNSEEN_MESSAGE: &str = "can't be read as code, and is too long to look at its words";

/// The diagnostic of a stretch.
pub(super) fn diagnostic(span: Range<usize>) -> Diagnostic {
    let message = "can't be read as code: only its words were looked at";
    Diagnostic::new(RULE, Severity::Medium, span, message.to_owned())
}

/// The diagnostic of a stretch that was not even read by its words.
pub(super) fn unseen_diagnostic(span: Range<usize>) -> Diagnostic {
    Diagnostic { message: UNSEEN_MESSAGE.to_owned(), ..diagnostic(span) }
}

pub(super) fn is_unseen(diagnostic: &Diagnostic) -> bool {
    diagnostic.rule == RULE && diagnostic.message == UNSEEN_MESSAGE
}

/// The diagnostics of a stretch apart from its `unseen` parts, which are in order and reported elsewhere.
pub(super) fn split_around(
    stretch: Range<usize>,
    unseen: impl Iterator<Item = Range<usize>>,
    source: &str,
) -> Vec<Diagnostic> {
    let end = stretch.end;
    let mut at = stretch.start;
    let mut diagnostics = Vec::new();
    for next in unseen.chain(std::iter::once(end..end)) {
        let seen = source.get(at..next.start).unwrap_or_default().trim_end();
        let start = at + (seen.len() - seen.trim_start().len());
        if start < at + seen.len() {
            diagnostics.push(diagnostic(start..at + seen.len()));
        }
        at = at.max(next.end);
    }
    diagnostics
}

/// Why a text was not fully checked: what is known of that already, or what its diagnostics tell.
pub(super) fn why_unchecked(
    known: Option<String>,
    (grammar, language): (Grammar, &str),
    diagnostics: &[Diagnostic],
    source: &str,
) -> Option<String> {
    let unread = known.or_else(|| match grammar {
        Grammar::Other => Some(format!("only its words were checked: there is no grammar for {language}")),
        _ => describe_lines(diagnostics, source, |found| found.rule == RULE && !is_unseen(found))
            .map(|lines| format!("{lines} can't be read as code: only words were looked at there")),
    });
    let unseen = describe_lines(diagnostics, source, is_unseen)
        .map(|lines| format!("not even all words were looked at in {lines}"));
    let why: Vec<String> = [unread, unseen].into_iter().flatten().collect();
    (!why.is_empty()).then(|| why.join("; "))
}

/// The lines of the diagnostics that `of` selects, in words; `None` if there are none.
fn describe_lines(
    diagnostics: &[Diagnostic],
    source: &str,
    of: impl Fn(&Diagnostic) -> bool,
) -> Option<String> {
    let spans: Vec<_> = diagnostics.iter().filter(|found| of(found)).map(|found| &found.span).collect();
    if spans.is_empty() {
        return None;
    }
    let starts = LineStarts::new(source);
    let ranges = spans.into_iter().map(|span| starts.range(span));
    let mut lines: Vec<(u32, u32)> = ranges.map(|range| (range.line, range.end_line)).collect();
    lines.sort_unstable();
    // Ranges that share a line are joined.
    lines.dedup_by(|next, last| {
        let joins = next.0 <= last.1;
        last.1 = if joins { last.1.max(next.1) } else { last.1 };
        joins
    });
    let all: Vec<String> = lines
        .iter()
        .map(|(from, to)| match to {
            to if to > from => format!("{from} to {to}"),
            _ => from.to_string(),
        })
        .collect();
    let noun = match lines.as_slice() {
        [(from, to)] if from == to => "line",
        _ => "lines",
    };
    Some(format!("{noun} {}", first_names(&all, 3)))
}

struct Stretches<'a> {
    source: &'a str,
    found: Vec<Range<usize>>,
    /// How far the text was scanned. Errors that end before it are already covered: thousands of errors may be on one
    /// long line, or after much white space.
    reached: usize,
}

impl Stretches<'_> {
    /// Adds the lines of another error; errors come in the order of the text.
    fn add(&mut self, error: Range<usize>) {
        if !self.found.is_empty() && error.end <= self.reached {
            return;
        }
        let head = |at: usize| self.source.get(..at).unwrap_or_default();
        // A missing node is reported after white space, so the white space is skipped backwards.
        let end = head(error.end).trim_end().len();
        let rest = self.source.get(end..).unwrap_or_default();
        let end = end + rest.find('\n').unwrap_or(rest.len());
        self.reached = end.max(error.end);
        let full = self.found.len() >= MAX_STRETCHES;
        let start = head(error.start.min(end)).rfind('\n').map_or(0, |line| line + 1);
        if let Some(last) = self.found.last_mut()
            && (full || start <= last.end + 1)
        {
            last.end = last.end.max(end);
            return;
        }
        let line = self.source.get(start..end).unwrap_or_default();
        self.found.push(start + (line.len() - line.trim_start().len())..end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::parse;

    fn lines(grammar: Grammar, source: &str) -> Vec<&str> {
        let parsed = parse::parse(source, grammar, Vec::new(), &|| true).unwrap();
        stretches(&parsed.tree, source).into_iter().map(|stretch| source.get(stretch).unwrap()).collect()
    }

    #[test]
    fn what_is_read_has_no_stretches() {
        assert_eq!(lines(Grammar::Python, "print 'x'\nmatch x:\n    case 1: ...\n"), [""; 0]);
        assert_eq!(lines(Grammar::Bash, "for x in a; do echo $x; done\n"), [""; 0]);
        assert_eq!(lines(Grammar::Javascript, "const f = <T,>(x: T) => x!;\n"), [""; 0]);
    }

    #[test]
    fn a_stretch_has_whole_lines_and_neighbours_are_one() {
        assert_eq!(lines(Grammar::Python, "x = 1\n  y = [1, …]  \nz = 2\n"), ["y = [1, …]  "]);
        assert_eq!(
            lines(Grammar::Python, ">>> a\n>>> b\nc = 1\n\nd = 2\n>>> e\n"),
            [">>> a\n>>> b", ">>> e"]
        );
        // A missing node is reported where the text before it ends.
        assert_eq!(lines(Grammar::Bash, "echo a\nif true; then\n  echo b\n\n\n"), ["echo b"]);
    }

    #[test]
    fn many_errors_are_few_stretches() {
        let many = ">>> a\nb = 1\n".repeat(20_000);
        let found = lines(Grammar::Python, &many);
        assert!((1..=MAX_STRETCHES).contains(&found.len()), "{}", found.len());
        assert!(found.last().unwrap().len() > many.len() / 2);
        let line = "x = …; ".repeat(20_000);
        assert_eq!(lines(Grammar::Python, &line).len(), 1);
    }
}
