//! One text from parse to remarks, and the texts inside it that are themselves code.

use super::book::book;
use super::flow::Reading;
use super::judge::{self, Nested, Remark};
use super::rules::{Effect, Inner, Tongue};
use super::{Scope, hidden, javascript, lookalike, python, queries, shell, syntax};
use crate::domain::{Effects, Review, Severity};
use std::ops::Range;

/// Code inside code is read so deep.
const DEEPEST: u32 = 4;

/// Nested texts that are read for one block.
const MOST: usize = 2000;

/// Remarks on a text; effects and what was not looked at go to `review`.
pub(super) fn inspect(
    source: &str,
    tongue: Tongue,
    scope: &Scope,
    go_on: &dyn Fn() -> bool,
    review: &mut Review,
) -> Vec<Remark> {
    let Some(tree) = syntax::parse(source, tongue, go_on) else {
        review.unchecked = Some("too tangled to read in time: only its characters were checked".to_owned());
        return hidden::look(source, None);
    };
    let matter = syntax::matter(&tree);
    let mut remarks = hidden::look(source, Some(&matter));
    remarks.extend(lookalike::look(source, &matter));
    remarks.extend(queries::look(&tree, source, tongue));
    let mut inspector = Inspector { scope, go_on, effects: Effects::default(), cut: false, left: MOST };
    let reading = read(&tree, source, tongue, scope);
    remarks.extend(inspector.settle(reading, source, tongue, 0));
    if inspector.cut {
        review.unchecked = Some("too intricate to follow to its end: what is told is not all".to_owned());
    }
    review.effects = inspector.effects;
    remarks
}

fn read(tree: &tree_sitter::Tree, source: &str, tongue: Tongue, scope: &Scope) -> Reading {
    let root = tree.root_node();
    match tongue {
        Tongue::Python => python::read(root, source, book(tongue), scope),
        Tongue::Javascript => javascript::read(root, source, book(tongue), scope),
        Tongue::Bash => shell::read(root, source, book(tongue), scope),
    }
}

struct Inspector<'a> {
    scope: &'a Scope,
    go_on: &'a dyn Fn() -> bool,
    effects: Effects,
    cut: bool,
    /// Nested texts that may still be read.
    left: usize,
}

impl Inspector<'_> {
    /// Judges the acts of a reading, and what is nested in them. Spans point into `source`.
    fn settle(&mut self, reading: Reading, source: &str, tongue: Tongue, depth: u32) -> Vec<Remark> {
        self.cut |= reading.cut;
        self.effects.unknown |= reading.unknown;
        for program in reading.programs {
            if !self.effects.programs.contains(&program) && self.effects.programs.len() < 256 {
                self.effects.programs.push(program);
            }
        }
        let mut remarks = Vec::new();
        for act in &reading.acts {
            if !(self.go_on)() {
                self.cut = true;
                break;
            }
            let mut judged = judge::judge(act, book(tongue), source, self.scope, &mut self.effects);
            let inner: Vec<Remark> =
                judged.nested.drain(..).flat_map(|n| self.nested(n, source, depth)).collect();
            // What the inner code does says more than that it runs.
            if inner.iter().any(|r| r.severity > Severity::Info) {
                judged.remarks.retain(|r| r.effect != Some(Effect::Programs) || r.severity > Severity::Info);
            }
            remarks.append(&mut judged.remarks);
            remarks.extend(inner);
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
                let reading = shell::read_words(&words, &span, book(Tongue::Bash), self.scope);
                (self.settle(reading, source, Tongue::Bash, depth + 1), span, None)
            }
            Nested::Text { language, text, span } => {
                let tongue = match language {
                    Inner::Bash => Tongue::Bash,
                    Inner::Python => Tongue::Python,
                    Inner::Javascript => Tongue::Javascript,
                };
                let Some(tree) = syntax::parse(&text, tongue, self.go_on) else {
                    self.cut = true;
                    return Vec::new();
                };
                let reading = read(&tree, &text, tongue, self.scope);
                let mut remarks = self.settle(reading, &text, tongue, depth + 1);
                remarks.extend(queries::look(&tree, &text, tongue));
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
