//! One text from parse to remarks, and the texts inside it that are themselves code.

use super::flow::Reading;
use super::judge::{self, Nested, Past, Remark};
use super::rules::{Effect, Inner};
use super::syntax::Matter;
use super::tongue::Tongue;
use super::{Scope, cells, hidden, javascript, lookalike, python, queries, shell, syntax, words};
use crate::domain::{Review, Severity};
use std::ops::Range;

/// Code inside code is read so deep.
const DEEPEST: u32 = 4;

/// Nested texts that are read for one block.
const MOST: usize = 2000;

/// Remarks on a text; effects and what was not looked at go to `review`. `language` is its name, as it was given.
pub(super) fn inspect(
    source: &str,
    tongue: Tongue,
    language: &str,
    scope: &Scope,
    go_on: &dyn Fn() -> bool,
    review: &mut Review,
) -> Vec<Remark> {
    let mut inspector = Inspector { scope, go_on, past: Past::default(), cut: false, left: MOST };
    let Some(read) = inspector.read(source, tongue, language) else {
        review.unchecked = Some("too tangled to read in time: only its characters were checked".to_owned());
        return hidden::look(source, None);
    };
    let mut remarks = hidden::look(source, Some(&read.matter));
    remarks.extend(lookalike::look(source, &read.matter));
    remarks.extend(read.remarks);
    remarks.extend(inspector.settle(read.reading, source, tongue, 0));
    if tongue == Tongue::Python {
        for cell in cells::commands(source, &read.matter) {
            remarks.extend(inspector.nested(cell, source, 0));
        }
    }
    if inspector.cut {
        review.unchecked = Some("too intricate to follow to its end: what is told is not all".to_owned());
    } else if tongue == Tongue::Other {
        review.unchecked = Some(format!("only its words were checked: there is no grammar for {language}"));
    }
    review.effects = inspector.past.effects;
    remarks
}

/// A text that was read, and not judged yet.
struct Read {
    reading: Reading,
    matter: Vec<(Range<usize>, Matter)>,
    /// What queries found.
    remarks: Vec<Remark>,
}

struct Inspector<'a> {
    scope: &'a Scope,
    go_on: &'a dyn Fn() -> bool,
    past: Past,
    cut: bool,
    /// Nested texts that may still be read.
    left: usize,
}

impl Inspector<'_> {
    /// Reads a text; `None` where it could not be parsed in time.
    fn read(&self, source: &str, tongue: Tongue, language: &str) -> Option<Read> {
        let book = self.scope.book.of(tongue);
        if !tongue.has_grammar() {
            let (reading, matter) = words::read(source, tongue, language, book);
            return Some(Read { reading, matter, remarks: Vec::new() });
        }
        let tree = syntax::parse(source, tongue, self.go_on)?;
        let root = tree.root_node();
        let reading = match tongue {
            Tongue::Python => python::read(root, source, book, self.scope),
            Tongue::Javascript => javascript::read(root, source, book, self.scope),
            _ => shell::read(root, source, book, self.scope),
        };
        let remarks = queries::look(&tree, source, tongue, book);
        Some(Read { reading, matter: syntax::matter(&tree), remarks })
    }

    /// Judges the acts of a reading, and what is nested in them. Spans point into `source`.
    fn settle(&mut self, reading: Reading, source: &str, tongue: Tongue, depth: u32) -> Vec<Remark> {
        let (book, forbid) = (self.scope.book.of(tongue), self.scope.book.forbid());
        self.cut |= reading.cut;
        self.past.effects.unknown |= reading.unknown;
        for program in reading.programs {
            let programs = &mut self.past.effects.programs;
            if !programs.contains(&program) && programs.len() < 256 {
                programs.push(program);
            }
        }
        let mut remarks: Vec<Remark> =
            reading.imports.iter().filter_map(|(module, span)| forbid.import(module, span)).collect();
        for act in &reading.acts {
            if !(self.go_on)() {
                self.cut = true;
                break;
            }
            let mut judged = judge::judge(act, book, source, self.scope, &mut self.past);
            let inner: Vec<Remark> =
                judged.nested.drain(..).flat_map(|n| self.nested(n, source, depth)).collect();
            // What the inner code does says more than that it runs.
            if inner.iter().any(|r| r.severity > Severity::Info) {
                judged.remarks.retain(|r| r.effect != Some(Effect::Programs) || r.severity > Severity::Info);
            }
            remarks.append(&mut judged.remarks);
            remarks.extend(inner);
            remarks.extend(forbid.act(act));
        }
        for nested in reading.nested {
            remarks.extend(self.nested(nested, source, depth));
        }
        remarks
    }

    /// Reads code inside code. Its remarks stand at their own place where the text is there as it is, else at the whole
    /// of what holds it.
    fn nested(&mut self, nested: Nested, source: &str, depth: u32) -> Vec<Remark> {
        if depth >= DEEPEST || self.left == 0 {
            self.cut = true;
            return Vec::new();
        }
        self.left -= 1;
        let (mut remarks, span, text) = match nested {
            Nested::Words { words, span } => {
                let book = self.scope.book.of(Tongue::Bash);
                let reading = shell::read_words(&words, &span, book, self.scope);
                (self.settle(reading, source, Tongue::Bash, depth + 1), span, None)
            }
            Nested::Text { language, text, span } => {
                let tongue = match language {
                    Inner::Bash => Tongue::Bash,
                    Inner::Python => Tongue::Python,
                    Inner::Javascript => Tongue::Javascript,
                    Inner::Sql => Tongue::Sql,
                    Inner::Other => Tongue::Other,
                };
                let Some(read) = self.read(&text, tongue, tongue.as_str()) else {
                    self.cut = true;
                    return Vec::new();
                };
                let mut remarks = self.settle(read.reading, &text, tongue, depth + 1);
                remarks.extend(read.remarks);
                (remarks, span, Some(text))
            }
        };
        if let Some(text) = text {
            let offset = verbatim(source, &span, &text);
            for remark in &mut remarks {
                remark.span = match offset {
                    Some(at) => remark.span.start + at..remark.span.end + at,
                    None => span.clone(),
                };
            }
        }
        remarks
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
