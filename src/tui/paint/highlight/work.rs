//! The work of the highlighting thread: grammars, and for each text the states from which it can go on.
//!
//! A text that grew costs its new lines; one that was changed in its middle is parsed again from the change on until the
//! grammar is in the state in which it was there before. What is too large to be worth it stays plain.

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
/// A longer line stays plain and changes nothing for the lines behind it.
const MAX_LINE_BYTES: usize = 4 << 10;
/// So many lines are told at once.
const LINES_PER_RESULT: usize = 200;
/// Every so many lines the state is kept.
const LINES_PER_MARK: usize = 64;
/// Texts whose states are kept.
const MAX_TEXTS: usize = 8;

/// The state at the start of a line.
#[derive(Clone, PartialEq)]
struct Mark {
    line: usize,
    byte: usize,
    parse: ParseState,
    stack: ScopeStack,
}

/// A text that was told, up to the last mark.
struct LineResult {
    /// Whether all of it was: what nobody wanted any more was told in part.
    complete: bool,
    key: u64,
    language: String,
    text: Arc<str>,
    marks: Vec<Mark>,
}

pub(super) struct Work {
    grammars: SyntaxSet,
    scopes: Scopes,
    told: VecDeque<LineResult>,
}

impl Work {
    /// Loads the grammars; the rules of each are made ready when it is needed first.
    pub(super) fn new() -> Self {
        Self { grammars: two_face::syntax::extra_newlines(), scopes: Scopes::new(), told: VecDeque::new() }
    }

    pub(super) fn forget(&mut self, key: u64) {
        self.told.retain(|told| told.key != key);
    }

    /// Tells the colours of a text in portions, as long as `tell` wants more.
    pub(super) fn paint(&mut self, request: Request, tell: &mut impl FnMut(HighlightResult) -> bool) {
        let Request { key, language, text } = request;
        let before = self.told.iter().position(|t| t.key == key).and_then(|at| self.told.remove(at));
        let too_large =
            text.len() > MAX_BYTES || text.bytes().filter(|b| *b == b'\n').nth(MAX_LINES).is_some();
        let grammar = if too_large { None } else { grammar(&self.grammars, &language) };
        let Some(grammar) = grammar else {
            // What was told before may be of another text.
            if before.is_some() {
                tell(HighlightResult { key, first_line: 0, lines: Vec::new(), goes_on: None });
            }
            return;
        };
        let (marks, behind) = match before {
            Some(before) if before.language == language => before.marks_that_hold(&text),
            _ => Default::default(),
        };
        let mut told = LineResult { complete: false, key, language, text, marks };
        if told.marks.is_empty() {
            let (parse, stack) = (ParseState::new(grammar), ScopeStack::new());
            told.marks.push(Mark { line: 0, byte: 0, parse, stack });
        }
        told.go_on(behind, &self.grammars, &mut self.scopes, tell);
        if self.told.len() >= MAX_TEXTS {
            self.told.pop_front();
        }
        self.told.push_back(told);
    }
}

/// The grammar of a language by any of its names.
fn grammar<'a>(grammars: &'a SyntaxSet, language: &str) -> Option<&'a SyntaxReference> {
    let token = match language.to_ascii_lowercase().as_str() {
        "py3" | "python3" | "ipython" => "python".to_owned(),
        "shell" | "zsh" | "ksh" | "console" | "shell-session" => "bash".to_owned(),
        "node" | "mjs" | "cjs" => "javascript".to_owned(),
        other => other.to_owned(),
    };
    grammars.find_syntax_by_token(&token).filter(|g| g.name != "Plain Text")
}

/// What stands behind a change as it stood before.
#[derive(Default)]
struct MarksBehind {
    /// The marks in it, where they are now.
    marks: VecDeque<Mark>,
    /// Lines that came with the change, and lines that went.
    came: usize,
    went: usize,
}

impl MarksBehind {
    /// Whether the grammar is in the state in which it was here before; then only the marks from here on are left.
    fn joins(&mut self, at: &Mark) -> bool {
        while self.marks.front().is_some_and(|mark| mark.byte < at.byte) {
            self.marks.pop_front();
        }
        self.marks.front() == Some(at)
    }
}

impl LineResult {
    /// The marks in front of a change, and what is behind it.
    fn marks_that_hold(mut self, text: &str) -> (Vec<Mark>, MarksBehind) {
        let (was, is) = (self.text.as_bytes(), text.as_bytes());
        let same = same(was, is);
        let (old, new) = (was.get(same..).unwrap_or_default(), is.get(same..).unwrap_or_default());
        let end = same_end(old, new);
        let lines = |text: &[u8]| text.iter().rev().skip(end).filter(|byte| **byte == b'\n').count();
        let (went, came) = (lines(old), lines(new));
        // A line at whose start the change ends may begin elsewhere now.
        let marks = self.marks.iter().filter(|mark| mark.byte > was.len() - end).map(|mark| Mark {
            line: mark.line + came - went,
            byte: mark.byte + is.len() - was.len(),
            ..mark.clone()
        });
        // What is behind the change is known to whom it was told.
        let marks = if self.complete { marks.collect() } else { VecDeque::new() };
        let behind = MarksBehind { marks, came, went };
        self.marks.retain(|mark| mark.byte <= same);
        (self.marks, behind)
    }

    /// Parses from the last mark on, until all is as it was behind the change.
    fn go_on(
        &mut self,
        mut behind: MarksBehind,
        grammars: &SyntaxSet,
        scopes: &mut Scopes,
        tell: &mut impl FnMut(HighlightResult) -> bool,
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
                // A portion that was told took the place of all that was behind it.
                if first_line == start && behind.joins(&at) {
                    self.marks.extend(behind.marks);
                    self.complete = true;
                    let goes_on = Some(at.line + behind.went - behind.came);
                    tell(HighlightResult { key: self.key, first_line, lines, goes_on });
                    return;
                }
                self.mark(&at);
            }
            if lines.len() == LINES_PER_RESULT {
                let lines = std::mem::take(&mut lines);
                if !tell(HighlightResult { key: self.key, first_line, lines, goes_on: None }) {
                    return;
                }
                first_line = at.line;
            }
        }
        self.complete = true;
        // Nothing at all is told too: the text may have become shorter.
        if !lines.is_empty() || first_line == start {
            tell(HighlightResult { key: self.key, first_line, lines, goes_on: None });
        }
    }

    /// Keeps a state: the newest, and those of every [`LINES_PER_MARK`] lines.
    fn mark(&mut self, at: &Mark) {
        if self.marks.last().is_some_and(|last| last.line % LINES_PER_MARK != 0) {
            self.marks.pop();
        }
        self.marks.push(at.clone());
    }
}

impl Mark {
    /// The classes of a line that ends with a line feed; `None` when the grammar fails: the rest stays plain then.
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

/// How many bytes two texts of one length have in common at their end.
fn same_end(a: &[u8], b: &[u8]) -> usize {
    a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// How many bytes two texts have in common at their start.
fn same(a: &[u8], b: &[u8]) -> usize {
    const BLOCK: usize = 4096;
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK)).take_while(|(a, b)| a == b).count() * BLOCK;
    let rest = |text: &[u8]| text.get(blocks..).unwrap_or_default().to_vec();
    blocks + rest(a).iter().zip(rest(b)).take_while(|(a, b)| **a == *b).count()
}
