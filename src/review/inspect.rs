//! Reviews one text from parsing to diagnostics, and the code nested inside it. `by_words` handles what could not be
//! parsed.

mod by_words;

use super::cover::{self, Cover};
use super::diagnostic::{self, Diagnostic};
use super::flow::Extraction;
use super::grammar::Grammar;
use super::judge::{self, ActHistory};
use super::nested::{self, NestedCode};
use super::notebook_magics::{self, Magic};
use super::rules::EffectKind;
use super::syntax::TextKind;
use super::value::{Act, Value};
use super::{
    MAX_TEXT_BYTES, Scope, folder, hidden, javascript, lookalike, parse, python, queries, shell, unread,
    words,
};
use crate::domain::{Review, Severity};
use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

/// The deepest nesting of code that is read.
const MAX_DEPTH: u32 = 4;

/// The most nested texts that are read for one block.
const MAX_NESTED_TEXTS: usize = 2000;

/// The bytes of nested texts that are read for any block, in addition to four times its own size.
const FREE_NESTED_BYTES: usize = 64 << 10;

/// The diagnostics of a text; writes effects and what was not checked to `review`. `language` is the name as given.
pub(super) fn inspect(
    source: &str,
    grammar: Grammar,
    language: &str,
    scope: &Scope,
    go_on: &dyn Fn() -> bool,
    review: &mut Review,
) -> Vec<Diagnostic> {
    let mut inspector = Inspector::new(scope, go_on, source.len());
    let magics = if grammar == Grammar::Python { notebook_magics::find(source) } else { Vec::new() };
    let read = if source.len() > MAX_TEXT_BYTES {
        let (size, limit) = (source.len().div_ceil(1024), MAX_TEXT_BYTES / 1024);
        review.unchecked = Some(format!(
            "too large to read as code: {size} KiB, the limit is {limit} KiB; its words were looked at"
        ));
        None
    } else {
        inspector.read(source, grammar, language, magics.iter().map(|magic| magic.cover.clone()).collect())
    };
    let mut diagnostics = Vec::new();
    match read {
        Some(read) => {
            diagnostics.extend(hidden::find(source, Some(&read.text_kinds)));
            diagnostics.extend(lookalike::find(
                source,
                &read.text_kinds,
                Some((grammar, scope.rules.of(grammar))),
            ));
            diagnostics.extend(inspector.judge(read, magics, source, (grammar, language), 0));
        }
        None => {
            diagnostics.extend(hidden::find(source, None));
            diagnostics.extend(inspector.by_words(source, grammar, language, &diagnostics));
            review.unchecked.get_or_insert_with(|| {
                "too tangled to read as code: only its words were looked at".to_owned()
            });
        }
    }
    if (inspector.cut || inspector.past.is_cut) && review.unchecked.is_none() {
        diagnostics.extend(inspector.by_words(source, grammar, language, &diagnostics));
        review.unchecked = Some("too intricate to follow to its end: what is told is not all".to_owned());
    }
    let known = review.unchecked.take();
    review.unchecked = unread::why_unchecked(known, (grammar, language), &diagnostics, source);
    review.effects = inspector.past.effects;
    review.effects.unknown |= review.unchecked.is_some();
    diagnostic::join(&mut diagnostics);
    diagnostics
}

/// A text that was read but not judged yet.
struct ExtractedText {
    reading: Extraction,
    text_kinds: Vec<(Range<usize>, TextKind)>,
    diagnostics: Vec<Diagnostic>,
    /// The stretches that the grammar did not see.
    covers: Vec<Cover>,
    /// The stretches that the grammar could not parse.
    unread: Vec<Range<usize>>,
}

struct Inspector<'a> {
    scope: &'a Scope,
    go_on: &'a dyn Fn() -> bool,
    past: ActHistory,
    /// The folder in which the code that is being read runs, if code around it changed that.
    folder: Option<Value>,
    /// Whether that code is run by a Python that does not look in the folder for what is imported.
    isolated: bool,
    /// The variables that the shells around that code set.
    variables: Vec<Rc<HashSet<String>>>,
    cut: bool,
    /// How many more nested texts may be read.
    left: usize,
    /// How many more bytes of nested texts may be read.
    room: usize,
    /// How many more commands may be examined one by one.
    commands: usize,
}

impl<'a> Inspector<'a> {
    /// An inspector for a block of this many bytes.
    fn new(scope: &'a Scope, go_on: &'a dyn Fn() -> bool, bytes: usize) -> Self {
        Self {
            scope,
            go_on,
            past: ActHistory::default(),
            folder: None,
            isolated: false,
            variables: Vec::new(),
            cut: false,
            left: MAX_NESTED_TEXTS,
            room: FREE_NESTED_BYTES + bytes.saturating_mul(4),
            commands: by_words::MAX_COMMANDS,
        }
    }

    /// Reads a text; `None` where parsing took more steps than its size allows.
    fn read(
        &mut self,
        source: &str,
        grammar: Grammar,
        language: &str,
        covers: Vec<Cover>,
    ) -> Option<ExtractedText> {
        let rules = self.scope.rules.of(grammar);
        if !grammar.has_grammar() {
            let (reading, text_kinds) = words::read(source, grammar, language, rules);
            let (diagnostics, covers, unread) = Default::default();
            return Some(ExtractedText { reading, text_kinds, diagnostics, covers, unread });
        }
        let parsed = parse::parse(source, grammar, covers, self.go_on)?;
        let root = parsed.tree.root_node();
        let reading = match grammar {
            Grammar::Python => python::read(root, source, rules, self.scope),
            Grammar::Javascript => javascript::read(root, source, rules, self.scope),
            _ => shell::read(root, source, rules, self.scope, self.folder.clone(), self.variables.clone()),
        };
        let found = rules
            .queries(grammar)
            .map(|compiled| queries::find(&parsed.tree, source, compiled, &rules.file.rule));
        let (diagnostics, all) = found.unwrap_or_else(|| (Vec::new(), true));
        self.cut |= !all;
        let (text_kinds, mut unread) = (parsed.text_kinds(), unread::stretches(&parsed.tree, source));
        if grammar == Grammar::Bash
            && let Some(at) = shell::first_misread(root, source)
        {
            unread::add_rest(&mut unread, source, at);
        }
        Some(ExtractedText { reading, text_kinds, diagnostics, covers: parsed.covers, unread })
    }

    /// Judges a text that was read, its notebook magics, and the words of what could not be parsed.
    fn judge(
        &mut self,
        read: ExtractedText,
        magics: Vec<Magic>,
        source: &str,
        (grammar, language): (Grammar, &str),
        depth: u32,
    ) -> Vec<Diagnostic> {
        let mut diagnostics = read.diagnostics;
        diagnostics.extend(self.settle(read.reading, source, grammar, depth));
        let mut unread = read.unread;
        let is_read = |found: &Diagnostic| unread.iter().all(|stretch| !stretch.contains(&found.span.start));
        diagnostics.retain(|found| !is_sign_in_prose(found) || is_read(found));
        let stayed = |magic: &Magic| {
            let at = read.covers.binary_search_by_key(&magic.cover.span.start, |cover| cover.span.start);
            at.is_ok_and(|at| read.covers.get(at) == Some(&magic.cover))
        };
        for magic in magics.into_iter().filter(stayed) {
            unread.extend(magic.unread);
            for code in magic.code {
                diagnostics.extend(self.nested(code, source, depth));
            }
        }
        let words = self.words_of(unread, source, (grammar, language), &diagnostics, depth);
        diagnostics.extend(words);
        diagnostics
    }

    /// Judges the acts and the nested code of a reading. Spans point into `source`.
    fn settle(&mut self, reading: Extraction, source: &str, grammar: Grammar, depth: u32) -> Vec<Diagnostic> {
        let forbid = self.scope.rules.forbid();
        self.variables.push(Rc::new(reading.variables));
        self.cut |= reading.cut;
        self.past.effects.unknown |= reading.unknown;
        let effects = &mut self.past.effects;
        for program in reading.programs {
            judge::add_effect(&mut effects.programs, program, &mut effects.unknown);
        }
        let mut diagnostics: Vec<Diagnostic> =
            reading.imports.iter().filter_map(|(module, span)| forbid.import(module, span)).collect();
        for mut act in reading.acts {
            if !(self.go_on)() {
                self.cut = true;
                break;
            }
            if grammar != Grammar::Bash {
                // A shell begins in the folder of the code around it.
                act.folder = match (&self.folder, act.folder) {
                    (Some(outer), Some(inner)) => Some(folder::entered(Some(outer), &inner)),
                    (outer, inner) => inner.or_else(|| outer.clone()),
                };
            }
            if self.isolated && act.name == "@import" {
                continue;
            }
            // An import looks in the folder that the text entered, and `Scope::modules` is of the one where it starts.
            self.past.effects.unknown |=
                act.name == "@import" && folder::may_be_elsewhere(act.folder.as_ref(), self.scope);
            diagnostics.extend(self.judge_act(&act, source, grammar, depth));
            diagnostics.extend(forbid.act(&act));
        }
        for nested in reading.nested {
            diagnostics.extend(self.nested(nested, source, depth));
        }
        self.variables.pop();
        diagnostics
    }

    /// Judges an act and the code that it runs.
    fn judge_act(&mut self, act: &Act, source: &str, grammar: Grammar, depth: u32) -> Vec<Diagnostic> {
        let rules = self.scope.rules.of(grammar);
        let mut judged = judge::judge(act, rules, source, self.scope, &mut self.past);
        let folder = nested::folder_of(act);
        let outer = self.isolated;
        self.isolated = isolates(act).unwrap_or(outer);
        let mut inner = Vec::new();
        for code in judged.nested {
            inner.extend(self.nested(code.within(folder.clone()), source, depth));
        }
        self.isolated = outer;
        // The findings in the inner code say more than the finding that it runs.
        if inner.iter().any(|found| found.severity > Severity::Info) {
            judged.diagnostics.retain(|found| {
                found.effect != Some(EffectKind::Programs) || found.severity > Severity::Info
            });
        }
        judged.diagnostics.extend(inner);
        judged.diagnostics
    }

    /// Reviews code inside code. If the inner text occurs verbatim, its diagnostics keep their exact place; otherwise
    /// they get the span of the code that contains it.
    fn nested(&mut self, nested: NestedCode, source: &str, depth: u32) -> Vec<Diagnostic> {
        if let NestedCode::In { folder, code } = nested {
            let outer = self.folder.replace(folder);
            let diagnostics = self.nested(*code, source, depth);
            self.folder = outer;
            return diagnostics;
        }
        let size = nested.size();
        if depth >= MAX_DEPTH || self.left == 0 || self.room < size {
            self.cut = true;
            return Vec::new();
        }
        self.left -= 1;
        self.room -= size;
        let (mut diagnostics, span, text) = match nested {
            NestedCode::Words { words, span } => {
                let rules = self.scope.rules.of(Grammar::Bash);
                let reading = shell::read_words(&words, &span, rules, self.scope, self.folder.clone());
                (self.settle(reading, source, Grammar::Bash, depth + 1), span, None)
            }
            NestedCode::In { .. } => return Vec::new(),
            NestedCode::Text { language: grammar, text, span } => {
                // Only its words are looked at, as in a block of such a language.
                self.past.effects.unknown |= grammar == Grammar::Other;
                let form = (grammar, grammar.as_str());
                let diagnostics = match self.read(&text, grammar, form.1, cover::holes(&text, grammar)) {
                    Some(read) => self.judge(read, Vec::new(), &text, form, depth + 1),
                    None => self.words_of(vec![0..text.len()], &text, form, &[], depth + 1),
                };
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

/// Whether a diagnostic may take a sign in prose or in a table for the pattern of a program's name, where a text can't be
/// read: only a path certainly names one.
fn is_sign_in_prose(diagnostic: &Diagnostic) -> bool {
    diagnostic.rule == "sh.pattern-name" && !diagnostic.message.contains('/')
}

/// Whether an act starts a Python that does not look in the folder for what is imported; `None` if it starts no Python.
/// With `-P` it may still look there, because `PYTHONPATH` holds. Options behind the code are for the code.
fn isolates(act: &Act) -> Option<bool> {
    let mut options =
        act.named.iter().map(|(name, _)| name.as_str()).take_while(|name| !["c", "m"].contains(name));
    let is_python = act.name == "py" || act.name.starts_with("python") || act.name.starts_with("pypy");
    is_python.then(|| options.any(|name| name == "I"))
}

/// Where a text occurs verbatim within a span of the source.
fn verbatim(source: &str, span: &Range<usize>, text: &str) -> Option<usize> {
    let holder = source.get(span.clone())?;
    // Only if it fills the span apart from quotes: a search for a short text could match elsewhere.
    if text.is_empty() || holder.len() > text.len() + 16 {
        return None;
    }
    holder.find(text).map(|at| span.start + at)
}
