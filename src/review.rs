//! Reviews a block: says what its code would do before it runs. The findings are advice next to the code, not a
//! barrier.
//!
//! A text is parsed (`parse`). Its calls are collected from top to bottom as acts, with names and arguments as far as
//! they are known without running it (`python`, `javascript`, `shell`, on top of `value` and `flow`). Each act is
//! matched against rules, which are data (`rules`, `judge`, `assets/rules/*.toml`). `hidden` and `lookalike` examine
//! the characters themselves, in any language. This room is pure: it uses no file, no network and no clock.
//!
//! Severities. **High**: hard to undo, or a trap: recursive deletes, deleting or writing in sensitive places (home,
//! system, start files, devices), rewriting history, running code that was downloaded or decoded, reading private keys,
//! sending secrets or the environment, characters that hide something. **Medium**: worth a look: deleting one file
//! inside the folder, writing files outside it, sending data to another computer (a POST, an upload, a socket, `ssh`),
//! reading keys from the environment, raising rights, `eval` of an unknown text. **Info**: good to know: running a
//! program, reading a page (GET), a name that is known only at run time. Reading, plotting and writing inside the
//! folder give no finding.

mod argument_flow;
mod choice;
mod comments;
mod cover;
mod diagnostic;
mod environment;
mod escapes;
pub(crate) mod files;
mod flow;
mod folder;
mod forbid;
mod grammar;
mod hidden;
mod inspect;
mod items;
mod javascript;
mod judge;
mod keys;
mod line_starts;
mod links;
mod lookalike;
mod nested;
mod notebook_magics;
mod orders;
mod parse;
mod path_class;
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

pub(crate) use forbid::Forbid;
pub(crate) use grammar::{language_of_extension, reads, reads_alike};
pub(crate) use links::Links;
pub(crate) use path_class::is_secret;
pub use refusal::refusals;
pub(crate) use rule_registry::RuleRegistry;

use crate::domain::{Effects, Finding, Language, Masker, Review, Severity, TextRange};
use diagnostic::Diagnostic;
use grammar::Grammar;
use std::cell::Cell;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use strum::VariantArray as _;

/// The largest text, in bytes, that is parsed as code. Of larger ones only the words and characters are examined.
const MAX_TEXT_BYTES: usize = 1 << 20;

/// The place of findings about the text as a whole.
const BEGINNING: TextRange = TextRange { line: 1, column: 1, end_line: 1, end_column: 1 };

/// The most findings that are kept; more would not help the decision.
const MAX_FINDINGS: usize = 500;

/// Where the block would run, and the rules to judge it by. Plain values: nothing in it is looked up during a review.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The folder in which the block would start.
    pub cwd: PathBuf,
    /// The person's home folder, if known.
    pub home: Option<PathBuf>,
    /// The rules, and the list of forbidden names.
    pub rules: Arc<RuleRegistry>,
    /// Finds keys, which no text should contain.
    pub masker: Masker,
    /// Whether the block runs while an image is being built, where no file is the person's.
    pub in_image: bool,
    /// Where the paths that the text names lead, if links were resolved before.
    pub links: Arc<Links>,
    /// What an `import` of Python would load from the folder, if that was looked up before: each module with its file.
    pub modules: Arc<BTreeMap<String, String>>,
}

/// A rule, as `sayso check --rules` lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RuleInfo<'a> {
    /// The id of the rule: `py.delete-tree`.
    pub(crate) id: &'a str,
    /// The language it applies to; `common` for all.
    pub(crate) language: &'static str,
    /// The severity of its findings.
    pub(crate) severity: Severity,
    /// The message of a finding; `{target}` stands for what it is about.
    pub(crate) message: &'a str,
    /// Why it is worth a look.
    pub(crate) reason: &'a str,
    /// A reference, such as a CWE number; may be empty.
    pub(crate) reference: &'a str,
    /// How it matches, in words: `calls`, `a query of the grammar`.
    pub(crate) matcher: &'static str,
    /// Texts in which it finds something.
    pub(crate) matches: &'a [String],
    /// Similar texts in which it finds nothing.
    pub(crate) near_misses: &'a [String],
}

/// Reviews a text in a language. Never fails: `Review::unchecked` says what could not be checked.
///
/// The result depends on the text, the language and the scope only: work is limited by budgets, which are counted in
/// steps and grow with the size of the text.
pub fn review(source: &str, language: Option<&Language>, scope: &Scope) -> Review {
    review_while(source, language, scope, &|| true)
}

/// Like `review`, but can be stopped: once `go_on` returns false, nothing of the text counts as checked and no finding
/// is returned, because a part of them would differ from one machine to the next. `go_on` is called often (every
/// hundred parser steps, every judged call) and should return at once.
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

/// The review of a text that was not examined at all, with the reason.
pub(crate) fn unchecked(why: &str, scope: &Scope) -> Review {
    let effects = Effects { unknown: true, ..Effects::default() };
    let mut review = Review { unchecked: Some(why.to_owned()), effects, ..Review::default() };
    review.findings.extend(unchecked_finding(&review, scope));
    review
}

/// Under the strict profile, a text that was not fully checked is forbidden: it may contain anything.
fn unchecked_finding(review: &Review, scope: &Scope) -> Option<Finding> {
    let why = review.unchecked.as_ref().filter(|_| scope.rules.forbid().is_strict())?;
    let message = format!("forbidden (strict): not checked: {why}");
    let finding = Finding::new("common.forbidden", Severity::High, message);
    Some(Finding { place: BEGINNING, forbidden: true, ..finding })
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
            let mut diagnostics = hidden::find(source, None);
            diagnostics.extend(lookalike::find(source, &[], None));
            diagnostics
        }
    };
    diagnostics.extend(hidden::shape(source));
    diagnostics.extend(keys::find(source, &scope.masker));
    diagnostics
}

/// Turns diagnostics into findings, sorted by place and without duplicates.
fn findings(source: &str, mut diagnostics: Vec<Diagnostic>, scope: &Scope) -> Vec<Finding> {
    for diagnostic in &mut diagnostics {
        diagnostic.forbidden |= scope.rules.forbid().rule(&diagnostic.rule);
    }
    // Forbidden things are reported even if the person switched their rule off.
    diagnostics.retain_mut(|diagnostic| {
        match scope.rules.severity_told(&diagnostic.rule, diagnostic.severity) {
            _ if diagnostic.forbidden => true,
            Some(severity) => {
                diagnostic.severity = severity;
                true
            }
            None => false,
        }
    });
    diagnostics.sort_by(|a, b| {
        let key = |diagnostic: &Diagnostic| {
            let Range { start, end } = diagnostic.span;
            (start, std::cmp::Reverse(diagnostic.severity), end)
        };
        key(a).cmp(&key(b)).then_with(|| (&a.rule, &a.message).cmp(&(&b.rule, &b.message)))
    });
    let mut known = HashSet::new();
    diagnostics.retain(|diagnostic| {
        let Diagnostic { rule, span, message, .. } = diagnostic;
        known.insert((rule.clone(), span.clone(), message.clone()))
    });
    let rest = keep_gravest(&mut diagnostics);
    let lines = line_starts::LineStarts::new(source);
    let listed = diagnostics.into_iter().map(|diagnostic| Finding {
        rule: diagnostic.rule,
        severity: diagnostic.severity,
        place: lines.range(&diagnostic.span),
        message: diagnostic.message,
        forbidden: diagnostic.forbidden,
    });
    let more = |(severity, message, span): (_, String, _)| Finding {
        place: lines.range(&span),
        ..Finding::new("common.more", severity, message)
    };
    listed.chain(rest.map(more)).collect()
}

/// Keeps the gravest `MAX_FINDINGS` (forbidden ones first), and returns a summary of the rest. The rest was checked and
/// counted, so the review is still complete.
fn keep_gravest(diagnostics: &mut Vec<Diagnostic>) -> Option<(Severity, String, Range<usize>)> {
    let total = diagnostics.len();
    if total <= MAX_FINDINGS {
        return None;
    }
    let mut order: Vec<usize> = (0..total).collect();
    order.sort_by_key(|i| {
        std::cmp::Reverse(diagnostics.get(*i).map(|diagnostic| (diagnostic.forbidden, diagnostic.severity)))
    });
    let left: Vec<&Diagnostic> =
        order.iter().skip(MAX_FINDINGS - 1).filter_map(|i| diagnostics.get(*i)).collect();
    let gravest = left.iter().map(|diagnostic| diagnostic.severity).max()?;
    // It gets the place of the last finding, so that findings stay sorted by place.
    let end = diagnostics.last().map(|diagnostic| diagnostic.span.clone())?;
    let message = format!("{} more findings like those above are not listed one by one", left.len());
    order.truncate(MAX_FINDINGS - 1);
    order.sort_unstable();
    *diagnostics = order.into_iter().filter_map(|i| diagnostics.get(i).cloned()).collect();
    Some((gravest, message, end))
}

/// Loads grammars and rules, which otherwise the first review would wait for. Call it on a worker, never on the input
/// thread.
pub fn warm() {
    let scope = Scope { cwd: PathBuf::from("/"), ..Scope::default() };
    for grammar in Grammar::VARIANTS.iter().copied() {
        drop(review("a", Some(&Language(grammar.as_str().to_owned())), &scope));
    }
}
