//! Finds hidden characters that can mislead a reader. Silent about their ordinary uses: joiners in emoji and in scripts
//! that need them, a byte order mark at the start, CRLF, a form feed on a line of its own.
//!
//! Works on any text; without a grammar, nothing counts as a string or comment.

use super::diagnostic::Diagnostic;
use super::syntax::TextKind;
use crate::domain::Severity;
use crate::domain::unicode::{self, HiddenReason};
use std::ops::Range;

/// Finds hidden characters. `text_kinds`: strings and comments in order, or `None` without a grammar.
pub(super) fn find(source: &str, text_kinds: Option<&[(Range<usize>, TextKind)]>) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    let mut before = None;
    let mut chars = source.char_indices().peekable();
    let mut next = 0;
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map(|(_, c)| *c);
        let previous = before.replace(c);
        let odd_selector = matches!(c, '\u{fe0e}' | '\u{fe0f}') && !previous.is_some_and(selects);
        let Some(kind) = unicode::hidden(c).or(odd_selector.then_some(HiddenReason::ZeroWidth)) else {
            continue;
        };
        let surroundings = text_kinds.map_or(Surroundings::Unparsed, |text_kinds| {
            while text_kinds.get(next).is_some_and(|(range, _)| range.end <= at) {
                next += 1;
            }
            let here = text_kinds.get(next).filter(|(range, _)| range.start <= at);
            here.map_or(Surroundings::Code, |(_, kind)| Surroundings::Quoted(*kind))
        });
        let ordinary = match c {
            '\r' => after == Some('\n'),
            '\u{feff}' => at == 0,
            // A line of its own begins a new page, as in many old sources.
            '\u{c}' => matches!(previous, None | Some('\n')) && matches!(after, None | Some('\r' | '\n')),
            _ => unicode::joins(previous, c, after),
        };
        if ordinary {
            continue;
        }
        let Some(severity) = severity(kind, surroundings) else { continue };
        add(&mut diagnostics, at, c, kind, severity);
    }
    diagnostics
}

/// Whether a presentation selector may follow: after emoji, digits of keycaps, and ideographs.
fn selects(c: char) -> bool {
    unicode::emoji(c) || c.is_ascii_digit() || matches!(c, '#' | '*') || c > '\u{2e7f}'
}

/// What surrounds a character.
#[derive(Clone, Copy)]
enum Surroundings {
    Unparsed,
    /// Neither a string nor a comment.
    Code,
    /// A string or a comment.
    Quoted(TextKind),
}

/// How severe a hidden character is in these surroundings; `None` if harmless.
fn severity(kind: HiddenReason, surroundings: Surroundings) -> Option<Severity> {
    match (kind, surroundings) {
        (HiddenReason::Bidi | HiddenReason::Tag | HiddenReason::Control, _) => Some(Severity::High),
        (HiddenReason::ZeroWidth | HiddenReason::Filler, Surroundings::Quoted(_)) => Some(Severity::Medium),
        (HiddenReason::ZeroWidth | HiddenReason::Filler, _) => Some(Severity::High),
        // Some languages end a comment at a separator, others do not.
        (HiddenReason::Separator, Surroundings::Quoted(TextKind::Text)) => Some(Severity::Medium),
        (HiddenReason::Separator, _) => Some(Severity::High),
        (HiddenReason::OddSpace, Surroundings::Code) => Some(Severity::Medium),
        (HiddenReason::OddSpace, _) => None,
    }
}

fn add(diagnostics: &mut Vec<Diagnostic>, at: usize, c: char, kind: HiddenReason, severity: Severity) {
    let end = at + c.len_utf8();
    let rule = rule(kind, c);
    // A run of them gives one diagnostic; a text written in tag characters would otherwise bury all others.
    if let Some(last) = diagnostics.last_mut()
        && last.span.end == at
        && last.rule == rule
    {
        last.span.end = end;
        if !last.message.ends_with("and more") {
            last.message.push_str(" and more");
        }
        return;
    }
    let name = unicode::name(c).unwrap_or("variation selector");
    let lone = if c == '\r' { " without a line feed" } else { "" };
    let message = format!("hidden character: U+{:04X} {name}{lone}", u32::from(c));
    diagnostics.push(Diagnostic::new(rule, severity, at..end, message));
}

fn rule(kind: HiddenReason, c: char) -> &'static str {
    match kind {
        HiddenReason::Control if c == '\r' => "common.lone-return",
        HiddenReason::Control => "common.hidden-control",
        HiddenReason::Bidi => "common.hidden-direction",
        HiddenReason::Tag => "common.hidden-tag",
        HiddenReason::ZeroWidth => "common.hidden-zero-width",
        HiddenReason::Filler => "common.hidden-filler",
        HiddenReason::Separator => "common.hidden-separator",
        HiddenReason::OddSpace => "common.odd-space",
    }
}

/// The widest gap in a line, in columns, that gives no finding.
const MAX_BLANK_COLUMNS: usize = 200;

/// The most blank lines in a row that give no finding.
const MAX_BLANK_LINES: usize = 50;

/// Finds code far away from what a reader sees: after a wide gap in a line, or after many blank lines.
pub(super) fn shape(source: &str) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut blank = 0;
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        let at = start;
        start += line.len();
        if line.trim().is_empty() {
            blank += 1;
            continue;
        }
        let first = line.len() - line.trim_start().len();
        if blank > MAX_BLANK_LINES {
            let span = at + first..at + line.trim_end().len();
            let message = format!("code below {blank} blank lines");
            diagnostics.push(Diagnostic::new("common.far-below", Severity::Medium, span, message));
        }
        blank = 0;
        if let Some((columns, from)) = gap(line) {
            let span = at + from..at + line.trim_end().len();
            let message = format!("code behind {columns} columns of white space");
            diagnostics.push(Diagnostic::new("common.far-right", Severity::Medium, span, message));
        }
    }
    diagnostics
}

/// The first gap in a line that is too wide: its columns (a tab counts 8), and where it ends.
fn gap(line: &str) -> Option<(usize, usize)> {
    let mut columns = 0;
    for (at, c) in line.trim_end().char_indices() {
        match c {
            '\t' => columns += 8,
            _ if c.is_whitespace() => columns += 1,
            _ if columns > MAX_BLANK_COLUMNS => return Some((columns, at)),
            _ => columns = 0,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grave(source: &str, text_kinds: Option<&[(Range<usize>, TextKind)]>) -> Vec<(String, Severity)> {
        find(source, text_kinds).into_iter().map(|r| (r.message, r.severity)).collect()
    }

    #[test]
    fn what_hides_is_named() {
        assert_eq!(
            grave("a = 'x\u{202e}y'", None),
            [("hidden character: U+202E right-to-left override".to_owned(), Severity::High)]
        );
        for text in [
            "a\u{1b}[2J",
            "a\rb",
            "x\u{e0041}\u{e0042}",
            "a\u{200b}b",
            "\u{3164}",
            "a\u{7f}",
            "a\u{feff}b",
            "a\u{c}b",
            "\n\u{c}b",
        ] {
            let found = grave(text, None);
            assert_eq!(found.len(), 1, "{text:?} {found:?}");
            assert!(found.iter().all(|(_, s)| *s == Severity::High), "{text:?} {found:?}");
        }
    }

    #[test]
    fn ordinary_work_is_silent() {
        for text in [
            "\u{feff}a = 1\r\nb = 2\r\n",
            "'👩\u{200d}💻 ❤\u{fe0f}'",
            "'می\u{200c}خواهم'",
            "'1\u{fe0f}\u{20e3}'",
            "\u{c}\nimport os\n\u{c}\r\nprint()\n\u{c}",
        ] {
            let all = [(0..text.len(), TextKind::Text)];
            assert_eq!(grave(text, None), [], "{text:?}");
            assert_eq!(grave(text, Some(&all)), [], "{text:?}");
        }
        let text = "'10\u{a0}km'";
        assert_eq!(grave(text, Some(&[(1..text.len() - 1, TextKind::Text)])), []);
    }

    #[test]
    fn zero_width_matters_less_in_strings() {
        let text = "'a\u{200b}b'";
        let text_kinds = [(1..text.len() - 1, TextKind::Text)];
        assert_eq!(find(text, Some(&text_kinds)).first().map(|r| r.severity), Some(Severity::Medium));
        assert_eq!(find(text, Some(&[])).first().map(|r| r.severity), Some(Severity::High));
    }

    #[test]
    fn far_away_code_is_told() {
        let wide = format!("x = 1{}; evil()\n", " ".repeat(300));
        assert_eq!(shape(&wide).len(), 1);
        let tall = format!("x = 1\n{}evil()\n", "\n".repeat(60));
        assert_eq!(shape(&tall).len(), 1);
        assert_eq!(shape(&format!("x = 1{}\n\n\ny = 2\n{}", " ".repeat(300), "\n".repeat(80))).len(), 0);
    }
}
