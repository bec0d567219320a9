//! One text from parse to remarks, and the texts inside it that are themselves code.

use super::diagnostic::{self, Remark};
use super::flow::Reading;
use super::judge::{self, Past};
use super::nested::Nested;
use super::rules::{Effect, Inner};
use super::syntax::Matter;
use super::tongue::Tongue;
use super::{LARGEST, Scope, cells, hidden, javascript, lookalike, python, queries, shell, syntax, words};
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
    tongue: Tongue,
    language: &str,
    scope: &Scope,
    go_on: &dyn Fn() -> bool,
    review: &mut Review,
) -> Vec<Remark> {
    let room = ROOM + source.len().saturating_mul(4);
    let mut inspector = Inspector { scope, go_on, past: Past::default(), cut: false, left: MOST, room };
    let read = if source.len() > LARGEST {
        let (size, limit) = (source.len().div_ceil(1024), LARGEST / 1024);
        review.unchecked = Some(format!(
            "too large to read as code: {size} KiB, the limit is {limit} KiB; its words were looked at"
        ));
        None
    } else {
        inspector.read(source, tongue, language)
    };
    let mut remarks = Vec::new();
    match read {
        Some(read) => {
            remarks.extend(hidden::look(source, Some(&read.matter)));
            remarks.extend(lookalike::look(source, &read.matter, Some((tongue, scope.book.of(tongue)))));
            remarks.extend(read.remarks);
            remarks.extend(inspector.settle(read.reading, source, tongue, 0));
            if tongue == Tongue::Python {
                let (cells, all) = cells::commands(source, &read.matter);
                inspector.cut |= !all;
                for cell in cells {
                    remarks.extend(inspector.nested(cell, source, 0));
                }
            }
        }
        None => {
            remarks.extend(hidden::look(source, None));
            remarks.extend(inspector.by_words(source, tongue, language, &remarks));
            review.unchecked.get_or_insert_with(|| {
                "too tangled to read as code: only its words were looked at".to_owned()
            });
        }
    }
    if inspector.cut && review.unchecked.is_none() {
        remarks.extend(inspector.by_words(source, tongue, language, &remarks));
        review.unchecked = Some("too intricate to follow to its end: what is told is not all".to_owned());
    } else if tongue == Tongue::Other && review.unchecked.is_none() {
        review.unchecked = Some(format!("only its words were checked: there is no grammar for {language}"));
    }
    review.effects = inspector.past.effects;
    review.effects.unknown |= review.unchecked.is_some();
    diagnostic::join(&mut remarks);
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
    /// Bytes of nested texts that may still be read.
    room: usize,
}

impl Inspector<'_> {
    /// Reads a text; `None` where parsing took more steps than its size allows.
    fn read(&mut self, source: &str, tongue: Tongue, language: &str) -> Option<Read> {
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
        let found =
            book.queries(tongue).map(|compiled| queries::look(&tree, source, compiled, &book.file.rule));
        let (remarks, all) = found.unwrap_or_else(|| (Vec::new(), true));
        self.cut |= !all;
        Some(Read { reading, matter: syntax::matter(&tree), remarks })
    }

    /// What single words tell where a text could not be followed to its end: a call or command for itself, without what
    /// names stand for. What is in `known` is not told again.
    fn by_words(&mut self, source: &str, tongue: Tongue, language: &str, known: &[Remark]) -> Vec<Remark> {
        // What is nested in what is found here is read, and no deeper.
        let depth = DEEPEST - 1;
        let mut remarks = match tongue {
            Tongue::Sql | Tongue::Other => {
                let (reading, _) = words::read(source, tongue, language, self.scope.book.of(tongue));
                self.settle(reading, source, tongue, depth)
            }
            Tongue::Bash => self.by_lines(source, depth),
            Tongue::Python | Tongue::Javascript => [tongue, Tongue::Other]
                .into_iter()
                .flat_map(|by| {
                    let book = self.scope.book.of(by);
                    let (reading, _) = words::read(source, Tongue::Other, tongue.as_str(), book);
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
        remarks.retain(|r| {
            let before = told.partition_point(|(start, _)| *start < r.span.end);
            let reaches = before.checked_sub(1).and_then(|last| told.get(last));
            reaches.is_none_or(|(_, end)| *end <= r.span.start)
        });
        remarks
    }

    /// The lines of a shell script, each read for itself.
    fn by_lines(&mut self, source: &str, depth: u32) -> Vec<Remark> {
        let mut remarks = Vec::new();
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
            let Some(read) = self.read(text, Tongue::Bash, "bash") else { continue };
            let mut found = self.settle(read.reading, text, Tongue::Bash, depth);
            found.extend(read.remarks);
            for remark in &mut found {
                remark.span = remark.span.start + span.start..remark.span.end + span.start;
            }
            remarks.append(&mut found);
        }
        remarks
    }

    /// Judges the acts of a reading, and what is nested in them. Spans point into `source`.
    fn settle(&mut self, reading: Reading, source: &str, tongue: Tongue, depth: u32) -> Vec<Remark> {
        let (book, forbid) = (self.scope.book.of(tongue), self.scope.book.forbid());
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
        let size = nested.size();
        if depth >= DEEPEST || self.left == 0 || self.room < size {
            self.cut = true;
            return Vec::new();
        }
        self.left -= 1;
        self.room -= size;
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
