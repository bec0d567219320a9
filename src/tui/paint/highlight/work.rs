//! The work of the highlighting thread: the grammars, and for each text saved parser states from which parsing
//! can resume.
//!
//! A text that grew costs only its new lines. A text that changed in the middle is parsed from the change on,
//! until the parser is in the same state as at that point before. Texts that are too large stay plain.

use super::scopes::Scopes;
use super::{Classes, HighlightResult, Request};
use crate::tui::theme::Syntax;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use syntect::parsing::{ParseState, ScopeStack, SyntaxReference, SyntaxSet};

/// Larger texts stay plain.
const MAX_LINES: usize = 10_000;
const MAX_BYTES: usize = 1 << 20;
/// A longer line stays plain and does not affect the lines after it.
const MAX_LINE_BYTES: usize = 4 << 10;
/// Lines sent in one result.
const LINES_PER_RESULT: usize = 200;
/// The parser state is saved every so many lines.
const LINES_PER_MARK: usize = 64;
/// How many texts keep their saved states.
const MAX_TEXTS: usize = 8;

/// The parser state at the start of a line.
#[derive(Clone, PartialEq)]
struct Mark {
    line: usize,
    byte: usize,
    parse: ParseState,
    stack: ScopeStack,
}

/// A text that was highlighted, up to its last mark.
struct HighlightedText {
    /// Whether all of the text was; work that nobody wanted any more stops in between.
    complete: bool,
    key: u64,
    language: String,
    text: Arc<str>,
    marks: Vec<Mark>,
}

pub(super) struct Work {
    grammars: SyntaxSet,
    scopes: Scopes,
    /// The texts that were highlighted last, the newest at the end.
    texts: VecDeque<HighlightedText>,
}

impl Work {
    /// Loads the grammars; each compiles its rules when it is first used.
    pub(super) fn new() -> Self {
        Self { grammars: two_face::syntax::extra_newlines(), scopes: Scopes::new(), texts: VecDeque::new() }
    }

    pub(super) fn forget(&mut self, key: u64) {
        self.texts.retain(|text| text.key != key);
    }

    /// Sends the colours of a text in portions, until `send` returns false.
    pub(super) fn paint(&mut self, request: Request, send: &mut impl FnMut(HighlightResult) -> bool) {
        let Request { key, language, text } = request;
        let before = self.texts.iter().position(|t| t.key == key).and_then(|at| self.texts.remove(at));
        let too_large =
            text.len() > MAX_BYTES || text.bytes().filter(|b| *b == b'\n').nth(MAX_LINES).is_some();
        let grammar = if too_large { None } else { grammar(&self.grammars, &language) };
        let Some(grammar) = grammar else {
            // The earlier colours may be of another text: clear them.
            if before.is_some() {
                send(HighlightResult { key, first_line: 0, lines: Vec::new(), resumes_at_old_line: None });
            }
            return;
        };
        let (marks, behind) = match before {
            Some(before) if before.language == language => before.split_marks(&text),
            _ => Default::default(),
        };
        let mut highlighted = HighlightedText { complete: false, key, language, text, marks };
        if highlighted.marks.is_empty() {
            let (parse, stack) = (ParseState::new(grammar), ScopeStack::new());
            highlighted.marks.push(Mark { line: 0, byte: 0, parse, stack });
        }
        highlighted.go_on(behind, &self.grammars, &mut self.scopes, send);
        if self.texts.len() >= MAX_TEXTS {
            self.texts.pop_front();
        }
        self.texts.push_back(highlighted);
    }
}

/// Finds the grammar of a language by any of its names.
fn grammar<'a>(grammars: &'a SyntaxSet, language: &str) -> Option<&'a SyntaxReference> {
    let token = match language.to_ascii_lowercase().as_str() {
        "py3" | "python3" | "ipython" => "python".to_owned(),
        "shell" | "zsh" | "ksh" | "console" | "shell-session" => "bash".to_owned(),
        "node" | "mjs" | "cjs" => "javascript".to_owned(),
        other => other.to_owned(),
    };
    grammars.find_syntax_by_token(&token).filter(|g| g.name != "Plain Text")
}

/// The saved states of the unchanged text after a change.
#[derive(Default)]
struct MarksBehind {
    /// The marks in it, at their new positions.
    marks: VecDeque<Mark>,
    /// Lines that the change added and removed.
    added: usize,
    removed: usize,
}

impl MarksBehind {
    /// Whether the parser is in the same state as at this point before the change. Drops the marks before this
    /// point.
    fn joins(&mut self, at: &Mark) -> bool {
        while self.marks.front().is_some_and(|mark| mark.byte < at.byte) {
            self.marks.pop_front();
        }
        self.marks.front() == Some(at)
    }
}

impl HighlightedText {
    /// Splits the saved states: the marks before the change, and those after it.
    fn split_marks(mut self, text: &str) -> (Vec<Mark>, MarksBehind) {
        let (was, is) = (self.text.as_bytes(), text.as_bytes());
        let is_equal = |(a, b): &(&u8, &u8)| a == b;
        let same = was.iter().zip(is).take_while(is_equal).count();
        let (old, new) = (was.get(same..).unwrap_or_default(), is.get(same..).unwrap_or_default());
        let end = old.iter().rev().zip(new.iter().rev()).take_while(is_equal).count();
        let lines = |text: &[u8]| text.iter().rev().skip(end).filter(|byte| **byte == b'\n').count();
        let (removed, added) = (lines(old), lines(new));
        // If the change ends exactly at the start of a line, that line may start elsewhere now: its mark is
        // dropped.
        let marks = self.marks.iter().filter(|mark| mark.byte > was.len() - end).map(|mark| Mark {
            line: mark.line + added - removed,
            byte: mark.byte + is.len() - was.len(),
            ..mark.clone()
        });
        // Only a complete result can be continued: its receiver has the lines after the change.
        let marks = if self.complete { marks.collect() } else { VecDeque::new() };
        let behind = MarksBehind { marks, added, removed };
        self.marks.retain(|mark| mark.byte <= same);
        (self.marks, behind)
    }

    /// Parses from the last mark on, until the state joins the unchanged text after the change.
    fn go_on(
        &mut self,
        mut behind: MarksBehind,
        grammars: &SyntaxSet,
        scopes: &mut Scopes,
        send: &mut impl FnMut(HighlightResult) -> bool,
    ) {
        let Some(mut at) = self.marks.last().cloned() else { return };
        let text = self.text.clone();
        let mut lines = Vec::new();
        let start = at.line;
        let mut first_line = start;
        let mut ended = String::new();
        for line in text.get(at.byte..).unwrap_or_default().split_inclusive('\n') {
            let whole = line.ends_with('\n');
            let parsed = if whole {
                line
            } else {
                ended.clear();
                ended.push_str(line);
                ended.push('\n');
                &ended
            };
            let Some(classes) = at.parse_line(parsed, grammars, scopes) else {
                break;
            };
            lines.push(classes);
            if whole {
                at.line += 1;
                at.byte += line.len();
                // Only in the first portion: a portion sent earlier has replaced all lines after it at the
                // receiver.
                if first_line == start && behind.joins(&at) {
                    self.marks.extend(behind.marks);
                    self.complete = true;
                    let resumes_at_old_line = Some(at.line + behind.removed - behind.added);
                    send(HighlightResult { key: self.key, first_line, lines, resumes_at_old_line });
                    return;
                }
                self.mark(&at);
            }
            if lines.len() == LINES_PER_RESULT {
                let lines = std::mem::take(&mut lines);
                if !send(HighlightResult { key: self.key, first_line, lines, resumes_at_old_line: None }) {
                    return;
                }
                first_line = at.line;
            }
        }
        self.complete = true;
        // An empty result is sent too: the text may have become shorter.
        if !lines.is_empty() || first_line == start {
            send(HighlightResult { key: self.key, first_line, lines, resumes_at_old_line: None });
        }
    }

    /// Saves a state: the newest one, and one for every [`LINES_PER_MARK`] lines.
    fn mark(&mut self, at: &Mark) {
        if self.marks.last().is_some_and(|last| last.line % LINES_PER_MARK != 0) {
            self.marks.pop();
        }
        self.marks.push(at.clone());
    }
}

impl Mark {
    /// Classifies a line that ends with a line feed; `None` when the grammar fails: the rest stays plain then.
    fn parse_line(&mut self, line: &str, grammars: &SyntaxSet, scopes: &mut Scopes) -> Option<Classes> {
        let text = line.trim_end_matches('\n');
        let text = text.strip_suffix('\r').unwrap_or(text);
        if line.len() > MAX_LINE_BYTES {
            return Some((text.to_owned(), Vec::new()));
        }
        let ops = self.parse.parse_line(line, grammars).ok()?;
        let mut classes: Vec<(Range<usize>, Syntax)> = Vec::new();
        let mut from = 0;
        for (to, op) in ops {
            if to > from {
                add(&mut classes, from..to.min(text.len()), scopes.class(&self.stack));
                from = to;
            }
            self.stack.apply(&op).ok()?;
        }
        add(&mut classes, from..text.len(), scopes.class(&self.stack));
        Some((text.to_owned(), classes))
    }
}

fn add(classes: &mut Vec<(Range<usize>, Syntax)>, range: Range<usize>, class: Syntax) {
    if range.start >= range.end || class == Syntax::Plain {
        return;
    }
    match classes.last_mut() {
        Some((last, of)) if *of == class && last.end == range.start => last.end = range.end,
        _ => classes.push((range, class)),
    }
}
