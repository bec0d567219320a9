//! One text from parse to remarks, and the texts inside it that are themselves code.

use super::diagnostic::{self, Diagnostic};
use super::flow::Extraction;
use super::grammar::Grammar;
use super::judge::{self, ActHistory};
use super::nested::NestedCode;
use super::rules::{Effect, InnerPattern};
use super::syntax::Matter;
use super::{
    LARGEST, Scope, hidden, javascript, lookalike, notebook_magics, python, queries, shell, syntax, words,
};
use crate::domain::{Review, Severity};
use std::ops::Range;

/// Code inside code is read so deep.
const DEEPEST: u32 = 4;

/// Nested texts that are read for one block.
const MOST: usize = 2000;

/// Bytes of nested texts that are read for any block, beside four times its own size.
const ROOM: usize = 64 << 10;

/// Lines of a shell that are looked at one by one where they can't be read together, and the longest of them.
const LINES: usize = 4000;
const LONGEST_LINE: usize = 4096;

/// Remarks on a text; effects and what was not looked at go to `review`. `language` is its name, as it was given.
pub(super) fn inspect(
    source: &str,
    grammar: Grammar,
    language: &str,
    scope: &Scope,
    go_on: &dyn Fn() -> bool,
    review: &mut Review,
) -> Vec<Diagnostic> {
    let room = ROOM + source.len().saturating_mul(4);
    let mut inspector = Inspector { scope, go_on, past: ActHistory::default(), cut: false, left: MOST, room };
    let read = if source.len() > LARGEST {
        let (size, limit) = (source.len().div_ceil(1024), LARGEST / 1024);
        review.unchecked = Some(format!(
            "too large to read as code: {size} KiB, the limit is {limit} KiB; its words were looked at"
        ));
        None
    } else {
        inspector.read(source, grammar, language)
    };
    let mut diagnostics = Vec::new();
    match read {
        Some(read) => {
            diagnostics.extend(hidden::look(source, Some(&read.matter)));
            diagnostics.extend(lookalike::look(
                source,
                &read.matter,
                Some((grammar, scope.book.of(grammar))),
            ));
            diagnostics.extend(read.diagnostics);
            diagnostics.extend(inspector.settle(read.reading, source, grammar, 0));
            if grammar == Grammar::Python {
                let (cells, all) = notebook_magics::commands(source, &read.matter);
                inspector.cut |= !all;
                for cell in cells {
                    diagnostics.extend(inspector.nested(cell, source, 0));
                }
            }
        }
        None => {
            diagnostics.extend(hidden::look(source, None));
            diagnostics.extend(inspector.by_words(source, grammar, language, &diagnostics));
            review.unchecked.get_or_insert_with(|| {
                "too tangled to read as code: only its words were looked at".to_owned()
            });
        }
    }
    if inspector.cut && review.unchecked.is_none() {
        diagnostics.extend(inspector.by_words(source, grammar, language, &diagnostics));
        review.unchecked = Some("too intricate to follow to its end: what is told is not all".to_owned());
    } else if grammar == Grammar::Other && review.unchecked.is_none() {
        review.unchecked = Some(format!("only its words were checked: there is no grammar for {language}"));
    }
    review.effects = inspector.past.effects;
    review.effects.unknown |= review.unchecked.is_some();
    diagnostic::join(&mut diagnostics);
    diagnostics
}

/// A text that was read, and not judged yet.
struct ExtractedText {
    reading: Extraction,
    matter: Vec<(Range<usize>, Matter)>,
    diagnostics: Vec<Diagnostic>,
}

struct Inspector<'a> {
    scope: &'a Scope,
    go_on: &'a dyn Fn() -> bool,
    past: ActHistory,
    cut: bool,
    /// Nested texts that may still be read.
    left: usize,
    /// Bytes of nested texts that may still be read.
    room: usize,
}

impl Inspector<'_> {
    /// Reads a text; `None` where parsing took more steps than its size allows.
    fn read(&mut self, source: &str, grammar: Grammar, language: &str) -> Option<ExtractedText> {
        let book = self.scope.book.of(grammar);
        if !grammar.has_grammar() {
            let (reading, matter) = words::read(source, grammar, language, book);
            return Some(ExtractedText { reading, matter, diagnostics: Vec::new() });
        }
        let tree = syntax::parse(source, grammar, self.go_on)?;
        let root = tree.root_node();
        let reading = match grammar {
            Grammar::Python => python::read(root, source, book, self.scope),
            Grammar::Javascript => javascript::read(root, source, book, self.scope),
            _ => shell::read(root, source, book, self.scope),
        };
        let found =
            book.queries(grammar).map(|compiled| queries::look(&tree, source, compiled, &book.file.rule));
        let (diagnostics, all) = found.unwrap_or_else(|| (Vec::new(), true));
        self.cut |= !all;
        Some(ExtractedText { reading, matter: syntax::matter(&tree), diagnostics })
    }

    /// What single words tell where a text could not be followed to its end: a call or command for itself, without what
    /// names stand for. What is in `known` is not told again.
    fn by_words(
        &mut self,
        source: &str,
        grammar: Grammar,
        language: &str,
        known: &[Diagnostic],
    ) -> Vec<Diagnostic> {
        // What is nested in what is found here is read, and no deeper.
        let depth = DEEPEST - 1;
        let mut diagnostics = match grammar {
            Grammar::Sql | Grammar::Other => {
                let (reading, _) = words::read(source, grammar, language, self.scope.book.of(grammar));
                self.settle(reading, source, grammar, depth)
            }
            Grammar::Bash => self.by_lines(source, depth),
            Grammar::Python | Grammar::Javascript => [grammar, Grammar::Other]
                .into_iter()
                .flat_map(|by| {
                    let book = self.scope.book.of(by);
                    let (reading, _) = words::read(source, Grammar::Other, grammar.as_str(), book);
                    self.settle(reading, source, by, depth)
                })
                .collect(),
        };
        let mut told: Vec<(usize, usize)> = known
            .iter()
            .filter(|r| r.severity > Severity::Info)
            .map(|r| (r.span.start, r.span.end))
            .collect();
        told.sort_unstable();
        let mut furthest = 0;
        for (_, end) in &mut told {
            furthest = furthest.max(*end);
            *end = furthest;
        }
        diagnostics.retain(|r| {
            let before = told.partition_point(|(start, _)| *start < r.span.end);
            let reaches = before.checked_sub(1).and_then(|last| told.get(last));
            reaches.is_none_or(|(_, end)| *end <= r.span.start)
        });
        diagnostics
    }

    /// The lines of a shell script, each read for itself.
    fn by_lines(&mut self, source: &str, depth: u32) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        let mut at = 0;
        let mut left = LINES;
        for line in source.split_inclusive('\n') {
            let span = at..at + line.trim_end().len();
            at += line.len();
            if matches!(line.trim().chars().next(), None | Some('#')) || span.len() > LONGEST_LINE {
                continue;
            }
            if left == 0 {
                break;
            }
            left -= 1;
            let text = source.get(span.clone()).unwrap_or_default();
            let Some(read) = self.read(text, Grammar::Bash, "bash") else { continue };
            let mut found = self.settle(read.reading, text, Grammar::Bash, depth);
            found.extend(read.diagnostics);
            for diagnostic in &mut found {
                diagnostic.span = diagnostic.span.start + span.start..diagnostic.span.end + span.start;
            }
            diagnostics.append(&mut found);
        }
        diagnostics
    }

    /// Judges the acts of a reading, and what is nested in them. Spans point into `source`.
    fn settle(&mut self, reading: Extraction, source: &str, grammar: Grammar, depth: u32) -> Vec<Diagnostic> {
        let (book, forbid) = (self.scope.book.of(grammar), self.scope.book.forbid());
        self.cut |= reading.cut;
        self.past.effects.unknown |= reading.unknown;
        for program in reading.programs {
            let effects = &mut self.past.effects;
            if effects.programs.contains(&program) {
                continue;
            }
            if effects.programs.len() < 256 {
                effects.programs.push(program);
            } else {
                // A list that is cut short tells that it is not all.
                effects.unknown = true;
            }
        }
        let mut diagnostics: Vec<Diagnostic> =
            reading.imports.iter().filter_map(|(module, span)| forbid.import(module, span)).collect();
        for act in &reading.acts {
            if !(self.go_on)() {
                self.cut = true;
                break;
            }
            let mut judged = judge::judge(act, book, source, self.scope, &mut self.past);
            let inner: Vec<Diagnostic> =
                judged.nested.drain(..).flat_map(|n| self.nested(n, source, depth)).collect();
            // What the inner code does says more than that it runs.
            if inner.iter().any(|r| r.severity > Severity::Info) {
                judged
                    .diagnostics
                    .retain(|r| r.effect != Some(Effect::Programs) || r.severity > Severity::Info);
            }
            diagnostics.append(&mut judged.diagnostics);
            diagnostics.extend(inner);
            diagnostics.extend(forbid.act(act));
        }
        for nested in reading.nested {
            diagnostics.extend(self.nested(nested, source, depth));
        }
        diagnostics
    }

    /// Reads code inside code. Its remarks stand at their own place where the text is there as it is, else at the whole
    /// of what holds it.
    fn nested(&mut self, nested: NestedCode, source: &str, depth: u32) -> Vec<Diagnostic> {
        let size = nested.size();
        if depth >= DEEPEST || self.left == 0 || self.room < size {
            self.cut = true;
            return Vec::new();
        }
        self.left -= 1;
        self.room -= size;
        let (mut diagnostics, span, text) = match nested {
            NestedCode::Words { words, span } => {
                let book = self.scope.book.of(Grammar::Bash);
                let reading = shell::read_words(&words, &span, book, self.scope);
                (self.settle(reading, source, Grammar::Bash, depth + 1), span, None)
            }
            NestedCode::Text { language, text, span } => {
                let grammar = match language {
                    InnerPattern::Bash => Grammar::Bash,
                    InnerPattern::Python => Grammar::Python,
                    InnerPattern::Javascript => Grammar::Javascript,
                    InnerPattern::Sql => Grammar::Sql,
                    InnerPattern::Other => Grammar::Other,
                };
                let Some(read) = self.read(&text, grammar, grammar.as_str()) else {
                    self.cut = true;
                    return Vec::new();
                };
                let mut diagnostics = self.settle(read.reading, &text, grammar, depth + 1);
                diagnostics.extend(read.diagnostics);
                (diagnostics, span, Some(text))
            }
        };
        if let Some(text) = text {
            let offset = verbatim(source, &span, &text);
            for diagnostic in &mut diagnostics {
                diagnostic.span = match offset {
                    Some(at) => diagnostic.span.start + at..diagnostic.span.end + at,
                    None => span.clone(),
                };
            }
        }
        diagnostics
    }
}

/// Where a text stands in the source as it is.
fn verbatim(source: &str, span: &Range<usize>, text: &str) -> Option<usize> {
    let holder = source.get(span.clone())?;
    // Only a text that fills what holds it but for its quotes; a search for a short one could find another.
    if text.is_empty() || holder.len() > text.len() + 16 {
        return None;
    }
    holder.find(text).map(|at| span.start + at)
}
