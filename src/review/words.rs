//! Languages without a grammar, read by their words: strings, comments and names are told apart, nothing more.
//!
//! `sql` knows the statements that lose or give away data; `calls` takes a name in front of an argument for a call, in
//! whatever language. Neither follows variables: what is not written as it is stays unknown.

mod calls;
mod condition;
mod lexer;
mod sql;

use super::flow::Extraction;
use super::grammar::Grammar;
use super::rule_set::RuleSet;
use super::syntax::TextKind;
use std::ops::Range;

/// Reads a text: its acts, and where its strings and comments are.
pub(super) fn read(
    source: &str,
    grammar: Grammar,
    language: &str,
    book: &RuleSet,
) -> (Extraction, Vec<(Range<usize>, TextKind)>) {
    let style = lexer::style(grammar, language);
    let (words, all) = lexer::words(source, &style);
    let matter = words.iter().filter_map(|word| word.text_kind()).collect();
    let mut reading = match grammar {
        Grammar::Sql => sql::read(source, &words),
        _ => calls::read(source, &words, book),
    };
    reading.cut |= !all;
    (reading, matter)
}
