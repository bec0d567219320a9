//! The review: what a block would do, told before it runs. Advice beside the code, not a barrier.
//!
//! A text is parsed (`syntax`), read from top to bottom into acts whose names and arguments are known as far as they can
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

mod book;
mod cells;
pub mod files;
mod flow;
mod forbid;
mod ground;
mod handed;
mod hidden;
mod inspect;
mod javascript;
mod judge;
mod keys;
mod lookalike;
mod orders;
mod places;
mod programs;
pub mod provenance;
mod python;
mod queries;
mod refusal;
mod rule_error;
mod rules;
mod shelf;
mod shell;
mod syntax;
mod tongue;
mod value;
mod walk;
mod wording;
mod words;
mod written;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod unseen;

pub use forbid::Forbid;
pub use refusal::refusals;
pub use rule_error::RuleError;
pub use shelf::Book;
pub use tongue::{language_of_extension, reads};

use crate::domain::{Finding, Language, Masker, Review, Severity};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use tongue::Tongue;

/// Largest text whose code is read, in bytes. The characters of a larger one are still looked at.
const LARGEST: usize = 1 << 20;

/// Most findings that are kept; more help nobody to decide.
const MOST: usize = 500;

/// Where the block would run, and by which rules it is judged. Values only: nothing is looked up.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The folder in which it would start.
    pub cwd: PathBuf,
    /// The person's home folder, where it is known.
    pub home: Option<PathBuf>,
    /// The rules, and what is forbidden.
    pub book: Arc<Book>,
    /// Who knows keys that no text should hold.
    pub masker: Masker,
}

/// A rule, as `sayso check --rules` lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleInfo<'a> {
    /// Its name, `py.delete-tree`.
    pub id: &'a str,
    /// The language that it reads; `common` for all.
    pub language: &'static str,
    /// How much its findings matter.
    pub severity: Severity,
    /// What a finding says, with `{target}` for the concrete thing.
    pub message: &'a str,
    /// Why it deserves a look.
    pub reason: &'a str,
    /// Where to read more, a CWE number; may be empty.
    pub reference: &'a str,
    /// How it looks, in words: `calls`, `a query of the grammar`.
    pub matcher: &'static str,
    /// Texts that it finds.
    pub matches: &'a [String],
    /// Texts that look like it and that it passes over.
    pub near_misses: &'a [String],
}

/// Reviews a text in a language. Never fails: what was not looked at is told in `Review::unchecked`.
///
/// Time grows with the size, but for texts that are made to be slow to parse; who must not wait for those gives a
/// deadline to `review_while`.
pub fn review(source: &str, language: Option<&Language>, scope: &Scope) -> Review {
    review_while(source, language, scope, &|| true)
}

/// Like `review`, and stops reading when `go_on` says no; then `unchecked` tells so. It is asked often (each hundred
/// steps of the parser, each call that is judged) and should answer at once: a comparison with a deadline.
pub fn review_while(
    source: &str,
    language: Option<&Language>,
    scope: &Scope,
    go_on: &dyn Fn() -> bool,
) -> Review {
    let mut review = Review::default();
    let tongue = language.and_then(|l| Tongue::of(l.as_str()));
    let mut remarks = match tongue {
        Some(_) if source.len() > LARGEST => {
            let size = source.len() / 1024;
            review.unchecked =
                Some(format!("too large to read as code: {size} KiB, the limit is {} KiB", LARGEST / 1024));
            hidden::look(source, None)
        }
        Some(tongue) => {
            let name = language.map_or(tongue.as_str(), Language::as_str);
            inspect::inspect(source, tongue, name, scope, go_on, &mut review)
        }
        None => {
            let name = language.map_or("an unnamed language", Language::as_str);
            review.unchecked =
                Some(format!("only its characters were checked: there are no rules for {name}"));
            let mut remarks = hidden::look(source, None);
            remarks.extend(lookalike::look(source, &[]));
            remarks
        }
    };
    remarks.extend(hidden::shape(source));
    remarks.extend(keys::look(source, &scope.masker));
    remarks.sort_by_key(|r| (r.span.start, std::cmp::Reverse(r.severity), r.span.end));
    let mut told = HashSet::new();
    remarks.retain(|r| told.insert((r.rule.clone(), r.span.clone(), r.message.clone())));
    if remarks.len() > MOST {
        // The gravest stay, in their order.
        let mut order: Vec<usize> = (0..remarks.len()).collect();
        order.sort_by_key(|i| std::cmp::Reverse(remarks.get(*i).map(|r| r.severity)));
        order.truncate(MOST);
        order.sort_unstable();
        review
            .unchecked
            .get_or_insert_with(|| format!("{} findings, the gravest {MOST} are shown", remarks.len()));
        remarks = order.into_iter().filter_map(|i| remarks.get(i).cloned()).collect();
    }
    let places = places::Places::new(source);
    review.findings = remarks
        .into_iter()
        .map(|r| Finding {
            forbidden: r.forbidden || scope.book.forbid().rule(&r.rule),
            rule: r.rule,
            severity: r.severity,
            place: places.place(&r.span),
            message: r.message,
        })
        .collect();
    review
}

/// Prepares grammars and rules, which the first review would have to wait for. For a worker, never the input thread.
pub fn warm() {
    let scope = Scope { cwd: PathBuf::from("/"), ..Scope::default() };
    for tongue in Tongue::ALL {
        drop(review("a", Some(&Language(tongue.as_str().to_owned())), &scope));
    }
}
