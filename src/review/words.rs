//! Reads languages without a grammar by their words: splits a text into strings, comments and names, nothing more.
//!
//! `sql` knows the statements that lose or expose data; `calls` takes a name before an argument for a call, in any
//! language. Neither follows variables: only literal arguments are known.

mod calls;
mod condition;
mod lexer;
mod sql;

use super::flow::Extraction;
use super::grammar::Grammar;
use super::rule_set::RuleSet;
use super::syntax::TextKind;
use std::ops::Range;

/// Reads a text: its acts, and the places of its strings and comments.
pub(super) fn read(
    source: &str,
    grammar: Grammar,
    language: &str,
    rules: &RuleSet,
) -> (Extraction, Vec<(Range<usize>, TextKind)>) {
    let style = lexer::style(grammar, language);
    let (words, all) = lexer::words(source, &style);
    let text_kinds = words.iter().filter_map(|word| word.text_kind()).collect();
    let mut reading = match grammar {
        Grammar::Sql => sql::read(source, &words),
        _ => calls::read(source, &words, rules),
    };
    reading.cut |= !all;
    (reading, text_kinds)
}
