//! Splits a text into words: names, strings, comments, signs. Takes linear time and never fails.

use crate::review::grammar::Grammar;
use crate::review::syntax::TextKind;
use std::ops::Range;

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordKind {
    /// A name or keyword, with its parts joined (`os.remove`, `std::fs::remove_file`, `$x->run`).
    Name,
    Number,
    /// A string.
    Text,
    /// A command in backquotes.
    Command,
    Comment,
    /// Any other single character.
    Sign(char),
    /// The end of a line.
    Break,
}

#[derive(Clone, Debug)]
pub(super) struct Word {
    pub(super) kind: WordKind,
    /// The whole word, including quotes.
    pub(super) span: Range<usize>,
    /// The content within the quotes.
    pub(super) inner: Range<usize>,
}

impl Word {
    /// The range and kind of a string or comment.
    pub(super) fn text_kind(&self) -> Option<(Range<usize>, TextKind)> {
        match self.kind {
            WordKind::Text => Some((self.inner.clone(), TextKind::Text)),
            WordKind::Comment => Some((self.span.clone(), TextKind::Comment)),
            _ => None,
        }
    }
}

/// How a language writes comments and strings.
pub(super) struct LexicalStyle {
    lines: &'static [&'static str],
    blocks: &'static [(&'static str, &'static str)],
    quotes: &'static str,
    /// Whether a backslash in a string escapes the next character.
    escapes: bool,
    /// Whether backquotes contain a command.
    commands: bool,
    /// Signs that join parts of a name.
    joins: &'static [&'static str],
}

pub(super) fn style(grammar: Grammar, language: &str) -> LexicalStyle {
    let c = LexicalStyle {
        lines: &["//"],
        blocks: &[("/*", "*/")],
        quotes: "\"'",
        escapes: true,
        commands: false,
        joins: &[".", "::", "->"],
    };
    if grammar == Grammar::Sql {
        return LexicalStyle { lines: &["--"], escapes: false, joins: &["."], ..c };
    }
    let hash = LexicalStyle { lines: &["#"], blocks: &[], commands: true, ..c };
    match language {
        // Used for Python and JavaScript where their grammar fails. A text in triple quotes becomes three texts here,
        // which makes no difference.
        "python" => LexicalStyle { commands: false, ..hash },
        "javascript" => LexicalStyle { quotes: "\"'`", ..c },
        "ruby" | "perl" | "elixir" | "fish" | "awk" | "tcl" => hash,
        "r" | "julia" => LexicalStyle { commands: language == "julia", joins: &[".", "::", "$"], ..hash },
        "powershell" => LexicalStyle { commands: false, escapes: false, joins: &[".", "::", "-"], ..hash },
        "php" => LexicalStyle { lines: &["//", "#"], commands: true, ..c },
        "lua" => LexicalStyle { lines: &["--"], blocks: &[("--[[", "]]")], joins: &[".", ":"], ..c },
        "batch" => {
            LexicalStyle { lines: &["REM ", "rem ", "::"], blocks: &[], quotes: "\"", escapes: false, ..c }
        }
        "applescript" => LexicalStyle { lines: &["--", "#"], blocks: &[("(*", "*)")], quotes: "\"", ..c },
        // In Rust and Go, a character literal looks like a string, and a lifetime has no closing quote, so only double
        // quotes count.
        "rust" => LexicalStyle { quotes: "\"", ..c },
        "go" => LexicalStyle { quotes: "\"`", ..c },
        "other" => LexicalStyle { joins: &[".", "::", "->", "-"], ..hash },
        _ => c,
    }
}

/// The most words of one text; the rest is not read, and `words` returns false.
const MAX_WORDS: usize = 1 << 20;

/// How far the closing quote of a string is searched.
const MAX_STRING_BYTES: usize = 64 * 1024;

/// How many strings of a text may be searched that far in vain; those behind them end with their lines.
const MAX_UNCLOSED: usize = 256;

/// The words of a text, and whether those are all.
pub(super) fn words(source: &str, style: &LexicalStyle) -> (Vec<Word>, bool) {
    let mut lexer = Lexer { source, style, at: 0, words: Vec::new(), unclosed: 0 };
    while lexer.at < source.len() && lexer.words.len() < MAX_WORDS {
        lexer.next();
    }
    let all = lexer.at >= source.len();
    (lexer.words, all)
}

struct Lexer<'a> {
    source: &'a str,
    style: &'a LexicalStyle,
    at: usize,
    words: Vec<Word>,
    /// How many strings were not closed.
    unclosed: usize,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn push(&mut self, kind: WordKind, length: usize) {
        let span = self.at..(self.at + length).min(self.source.len());
        self.at = span.end;
        self.words.push(Word { kind, inner: span.clone(), span });
    }

    fn next(&mut self) {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else { return };
        let block = self.style.blocks.iter().find(|(open, _)| rest.starts_with(open));
        if let Some((open, close)) = block {
            let body = rest.get(open.len()..).unwrap_or_default();
            let length = body.find(close).map_or(rest.len(), |at| open.len() + at + close.len());
            return self.push(WordKind::Comment, length);
        }
        if self.style.lines.iter().any(|open| rest.starts_with(open)) {
            return self.push(WordKind::Comment, rest.find('\n').unwrap_or(rest.len()));
        }
        match c {
            '\n' => self.push(WordKind::Break, 1),
            c if c.is_whitespace() => self.at += c.len_utf8(),
            '`' if self.style.commands => self.quoted('`', WordKind::Command),
            c if self.style.quotes.contains(c) => self.quoted(c, WordKind::Text),
            c if c.is_alphabetic() || matches!(c, '_' | '$' | '@') => self.name(),
            c if c.is_ascii_digit() => {
                let length =
                    rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(rest.len());
                self.push(WordKind::Number, length);
            }
            c => self.push(WordKind::Sign(c), c.len_utf8()),
        }
    }

    /// Reads a string up to its closing quote; an unclosed one ends with its line, so that the rest is still read.
    fn quoted(&mut self, quote: char, kind: WordKind) {
        let rest = self.rest();
        let is_short = self.unclosed >= MAX_UNCLOSED;
        let mut escaped = false;
        let mut line = None;
        let close = rest.char_indices().skip(1).find(|(at, c)| {
            if *c == '\n' {
                line.get_or_insert(*at);
            }
            let hit = *c == quote && !escaped;
            escaped = self.style.escapes && *c == '\\' && !escaped;
            hit || *at > MAX_STRING_BYTES || is_short && line.is_some()
        });
        let close = close.filter(|(_, c)| *c == quote);
        let (inner_end, end) = match close {
            Some((at, c)) => (at, at + c.len_utf8()),
            None => line.map_or((rest.len(), rest.len()), |at| (at, at)),
        };
        let inner = self.at + quote.len_utf8()..self.at + inner_end.max(quote.len_utf8());
        let span = self.at..self.at + end.max(quote.len_utf8());
        self.at = span.end;
        self.words.push(Word { kind, span, inner });
        self.unclosed += usize::from(close.is_none());
    }

    fn name(&mut self) {
        let rest = self.rest();
        let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '@' | '?');
        let mut end = 0;
        loop {
            let tail = rest.get(end..).unwrap_or_default();
            end += tail.find(|c| !part(c)).unwrap_or(tail.len());
            let tail = rest.get(end..).unwrap_or_default();
            let join = self.style.joins.iter().find(|join| {
                let after = tail.strip_prefix(**join).and_then(|t| t.chars().next());
                after.is_some_and(|c| c.is_alphabetic() || c == '_')
            });
            match join {
                Some(join) => end += join.len(),
                None => break,
            }
        }
        self.push(WordKind::Name, end.max(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_that_are_never_closed_end_with_their_lines() {
        let text = format!("{}x = 'a'\n", "\\'\n".repeat(50_000));
        let (words, all) = words(&text, &style(Grammar::Other, "ruby"));
        let last = words.iter().rev().find(|word| word.kind == WordKind::Text).unwrap();
        assert_eq!((text.get(last.inner.clone()), all), (Some("a"), true));
    }
}
