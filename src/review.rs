//! The review: what a block would do, told before it runs. Advice beside the code, not a barrier.
//!
//! A text is parsed (`parsed`), read from top to bottom into acts whose names and arguments are known as far as they can
//! be without running it (`python`, `javascript`, `shell` over `value` and `flow`), and each act is matched with rules
//! that are data (`rules`, `judge`, `assets/rules/*.toml`). `hidden` and `lookalike` look at the characters themselves,
//! in any language. Nothing is looked up: no file, no network, no clock.
//!
//! What the severities mean here. **High**: hard to undo, or a trap: recursive deletes, deleting or writing outside in
//! places that matter (home, system, start files, devices), history rewritten, code run that was downloaded or decoded,
//! private keys read, secrets or the environment sent, characters that hide. **Medium**: deserves a look: one file
//! deleted inside the folder, files written outside of it, data sent to another computer (a POST, an upload, a socket,
//! `ssh`), keys read from the environment, rights raised, `eval` of what is not known. **Info**: good to know: a program
//! run, a page read (GET), a name that is only known at run time. Reading, plotting and writing inside the folder say
//! nothing at all.

mod argument_flow;
mod choice;
mod comments;
mod cover;
mod diagnostic;
mod escapes;
pub(crate) mod files;
mod flow;
mod forbid;
mod grammar;
mod hidden;
mod inspect;
mod javascript;
mod judge;
mod keys;
mod links;
mod lookalike;
mod nested;
mod notebook_magics;
mod orders;
mod parsed;
mod path_class;
mod places;
mod programs;
pub(crate) mod provenance;
mod python;
mod queries;
mod refusal;
mod rule_error;
mod rule_registry;
mod rule_set;
mod rules;
mod shell;
mod stdin;
mod syntax;
mod unread;
mod value;
mod walk;
mod wording;
mod words;
mod written;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod unseen;

pub(crate) use forbid::Forbid;
pub(crate) use grammar::{language_of_extension, reads, reads_alike};
pub(crate) use links::Links;
pub use refusal::refusals;
pub(crate) use rule_registry::RuleRegistry;

use crate::domain::{Effects, Finding, Language, Masker, Place, Review, Severity};
use diagnostic::Diagnostic;
use grammar::Grammar;
use std::cell::Cell;
use std::collections::HashSet;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use strum::VariantArray as _;

/// Largest text whose code is read by its grammar, in bytes. The words and characters of a larger one are still looked
/// at.
const MAX_TEXT_BYTES: usize = 1 << 20;

/// Most findings that are kept; more help nobody to decide.
const MAX_FINDINGS: usize = 500;

/// Where the block would run, and by which rules it is judged. Values only: nothing is looked up.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The folder in which it would start.
    pub cwd: PathBuf,
    /// The person's home folder, where it is known.
    pub home: Option<PathBuf>,
    /// The rules, and what is forbidden.
    pub book: Arc<RuleRegistry>,
    /// Who knows keys that no text should hold.
    pub masker: Masker,
    /// Whether it runs inside an image that is being built: no file there is the person's.
    pub in_image: bool,
    /// Where paths lead that the text names, where that was found out.
    pub links: Arc<Links>,
}

/// Whether a file of this absolute path holds secrets, or may, as its name goes.
pub(crate) fn is_secret(path: &str, scope: &Scope) -> bool {
    let meaning = path_class::locate(path, None, scope);
    meaning.is(rules::PathClass::Secret) || meaning.is(rules::PathClass::Private)
}

/// A rule, as `sayso check --rules` lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RuleInfo<'a> {
    /// Its name, `py.delete-tree`.
    pub(crate) id: &'a str,
    /// The language that it reads; `common` for all.
    pub(crate) language: &'static str,
    /// How much its findings matter.
    pub(crate) severity: Severity,
    /// What a finding says, with `{target}` for the concrete thing.
    pub(crate) message: &'a str,
    /// Why it deserves a look.
    pub(crate) reason: &'a str,
    /// Where to read more, a CWE number; may be empty.
    pub(crate) reference: &'a str,
    /// How it looks, in words: `calls`, `a query of the grammar`.
    pub(crate) matcher: &'static str,
    /// Texts that it finds.
    pub(crate) matches: &'a [String],
    /// Texts that look like it and that it passes over.
    pub(crate) near_misses: &'a [String],
}

/// Reviews a text in a language. Never fails: what was not looked at is told in `Review::unchecked`.
///
/// What comes out depends on the text, the language and the scope alone: all work is paid from budgets that are counted
/// in steps and given in proportion to the size of the text.
pub fn review(source: &str, language: Option<&Language>, scope: &Scope) -> Review {
    review_while(source, language, scope, &|| true)
}

/// Like `review`, for callers that end a worker which takes far longer than its counted steps should. When `go_on` says
/// no, nothing of the text counts as checked, and nothing that was found by then is told: a part of the findings would
/// differ from one machine to the next. It is asked often (each hundred steps of the parser, each call that is judged)
/// and should answer at once.
pub(crate) fn review_while(
    source: &str,
    language: Option<&Language>,
    scope: &Scope,
    go_on: &dyn Fn() -> bool,
) -> Review {
    let stopped = Cell::new(false);
    let watched = || {
        stopped.set(stopped.get() || !go_on());
        !stopped.get()
    };
    let mut review = Review::default();
    let diagnostics = diagnostics(source, language, scope, &watched, &mut review);
    if stopped.get() {
        return unchecked("its checks took too long and were ended: nothing of it was checked", scope);
    }
    review.findings = findings(source, diagnostics, scope);
    review.findings.splice(..0, unchecked_finding(&review, scope));
    review
}

/// The review of a text that was not looked at at all, and why.
pub(crate) fn unchecked(why: &str, scope: &Scope) -> Review {
    let effects = Effects { unknown: true, ..Effects::default() };
    let mut review = Review { unchecked: Some(why.to_owned()), effects, ..Review::default() };
    review.findings.extend(unchecked_finding(&review, scope));
    review
}

/// Where the strict profile holds, what was not checked in full is forbidden: nobody knows what it would be denied for.
fn unchecked_finding(review: &Review, scope: &Scope) -> Option<Finding> {
    let why = review.unchecked.as_ref().filter(|_| scope.book.forbid().is_strict())?;
    Some(Finding {
        rule: "common.forbidden".to_owned(),
        severity: Severity::High,
        place: Place { line: 1, column: 1, end_line: 1, end_column: 1 },
        message: format!("forbidden (strict): not checked: {why}"),
        forbidden: true,
    })
}

fn diagnostics(
    source: &str,
    language: Option<&Language>,
    scope: &Scope,
    go_on: &dyn Fn() -> bool,
    review: &mut Review,
) -> Vec<Diagnostic> {
    let mut diagnostics = match language.and_then(|l| Grammar::of(l.as_str())) {
        Some(grammar) => {
            let name = language.map_or(grammar.as_str(), Language::as_str);
            inspect::inspect(source, grammar, name, scope, go_on, review)
        }
        None => {
            let name = language.map_or("an unnamed language", Language::as_str);
            review.unchecked =
                Some(format!("only its characters were checked: there are no rules for {name}"));
            review.effects.unknown = true;
            let mut diagnostics = hidden::look(source, None);
            diagnostics.extend(lookalike::look(source, &[], None));
            diagnostics
        }
    };
    diagnostics.extend(hidden::shape(source));
    diagnostics.extend(keys::look(source, &scope.masker));
    diagnostics
}

/// Remarks as findings, in the order of their places, each one once.
fn findings(source: &str, mut diagnostics: Vec<Diagnostic>, scope: &Scope) -> Vec<Finding> {
    for diagnostic in &mut diagnostics {
        diagnostic.forbidden |= scope.book.forbid().rule(&diagnostic.rule);
    }
    // What is forbidden is told whatever the person makes of its rule.
    diagnostics.retain_mut(|diagnostic| {
        match scope.book.severity_told(&diagnostic.rule, diagnostic.severity) {
            _ if diagnostic.forbidden => true,
            Some(severity) => {
                diagnostic.severity = severity;
                true
            }
            None => false,
        }
    });
    diagnostics.sort_by(|a, b| {
        let key = |r: &Diagnostic| (r.span.start, std::cmp::Reverse(r.severity), r.span.end);
        key(a).cmp(&key(b)).then_with(|| (&a.rule, &a.message).cmp(&(&b.rule, &b.message)))
    });
    let mut told = HashSet::new();
    diagnostics.retain(|r| told.insert((r.rule.clone(), r.span.clone(), r.message.clone())));
    let rest = keep_gravest(&mut diagnostics);
    let places = places::LineStarts::new(source);
    let told = diagnostics.into_iter().map(|r| Finding {
        rule: r.rule,
        severity: r.severity,
        place: places.place(&r.span),
        message: r.message,
        forbidden: r.forbidden,
    });
    told.chain(rest.map(|(severity, message, span)| Finding {
        rule: "common.more".to_owned(),
        severity,
        place: places.place(&span),
        message,
        forbidden: false,
    }))
    .collect()
}

/// Of more findings than anybody reads the gravest stay, what is forbidden before all others, and one more tells of
/// those that are left out. That is no part that was not checked: they were found, and counted.
fn keep_gravest(diagnostics: &mut Vec<Diagnostic>) -> Option<(Severity, String, Range<usize>)> {
    let total = diagnostics.len();
    if total <= MAX_FINDINGS {
        return None;
    }
    let mut order: Vec<usize> = (0..total).collect();
    order.sort_by_key(|i| std::cmp::Reverse(diagnostics.get(*i).map(|r| (r.forbidden, r.severity))));
    let left: Vec<&Diagnostic> =
        order.iter().skip(MAX_FINDINGS - 1).filter_map(|i| diagnostics.get(*i)).collect();
    let gravest = left.iter().map(|r| r.severity).max()?;
    // It stands where the last one stands, so that findings stay in the order of their places.
    let end = diagnostics.last().map(|r| r.span.clone())?;
    let message = format!("{} more findings like those above are not listed one by one", left.len());
    order.truncate(MAX_FINDINGS - 1);
    order.sort_unstable();
    *diagnostics = order.into_iter().filter_map(|i| diagnostics.get(i).cloned()).collect();
    Some((gravest, message, end))
}

/// Prepares grammars and rules, which the first review would have to wait for. For a worker, never the input thread.
pub fn warm() {
    let scope = Scope { cwd: PathBuf::from("/"), ..Scope::default() };
    for grammar in Grammar::VARIANTS.iter().copied() {
        drop(review("a", Some(&Language(grammar.as_str().to_owned())), &scope));
    }
}
