//! A search pattern: a plain text or a regular expression, matched in lines and in the bytes of a file.
//!
//! Case matters only if the person typed a capital letter. Searching takes time linear in the text searched,
//! for any pattern; an expression that would take too much memory is refused.

use regex::bytes::{Captures, Regex, RegexBuilder};
use std::ops::Range;

/// The most memory that an expression may take, in bytes.
const MAX_MEMORY_BYTES: usize = 2 << 20;

/// A pattern to search for. An expression that could match a part of a character is refused, so what it matches in a
/// text consists of whole characters although it is searched as bytes.
#[derive(Clone, Debug)]
pub(crate) struct Pattern(Regex);

/// Why a text is no valid pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PatternError {
    /// The expression has a syntax error.
    #[error("Broken expression at column {column}: {why}")]
    Broken {
        /// Where, in characters from 1.
        column: usize,
        /// What is wrong.
        why: String,
    },
    /// It would take too much memory.
    #[error("This expression is too large: write a shorter one.")]
    TooLarge,
}

impl Pattern {
    /// A pattern that matches the text literally.
    pub(crate) fn text(text: &str) -> Result<Self, PatternError> {
        Self::build(&regex::escape(text), has_capital(text))
    }

    /// A pattern from a regular expression.
    ///
    /// # Errors
    /// When the expression has a syntax error (with its position) or is too large.
    pub(crate) fn expression(text: &str) -> Result<Self, PatternError> {
        if let Some(error) = syntax_error(text) {
            return Err(error);
        }
        Self::build(text, has_capital(&without_escapes(text)))
    }

    fn build(expression: &str, is_case_sensitive: bool) -> Result<Self, PatternError> {
        let regex = RegexBuilder::new(expression)
            .case_insensitive(!is_case_sensitive)
            .multi_line(true)
            .size_limit(MAX_MEMORY_BYTES)
            .build();
        regex.map(Self).map_err(|_| PatternError::TooLarge)
    }

    /// Returns where the pattern matches in a line; empty matches are left out.
    pub(crate) fn find_in<'a>(&'a self, line: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        self.0.find_iter(line.as_bytes()).map(|found| found.range()).filter(|range| !range.is_empty())
    }

    /// Returns the replacement for a match in a line: `by` may refer to groups, as in `$1`.
    pub(crate) fn expand(&self, line: &str, found: &Range<usize>, by: &str) -> String {
        let groups = self.0.captures_at(line.as_bytes(), found.start);
        let is_found = |groups: &Captures<'_>| groups.get(0).is_some_and(|all| all.range() == *found);
        let Some(groups) = groups.filter(is_found) else { return by.to_owned() };
        let mut out = Vec::new();
        groups.expand(by.as_bytes(), &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    /// Whether the pattern matches in a line.
    pub(crate) fn is_in(&self, line: &str) -> bool {
        self.find_in(line).next().is_some()
    }

    /// Returns the first match in the bytes of a file at or after `from`.
    pub(crate) fn first_in_bytes(&self, bytes: &[u8], from: usize) -> Option<Range<usize>> {
        let mut at = from;
        loop {
            let range = self.0.find_at(bytes, at)?.range();
            if !range.is_empty() {
                return Some(range);
            }
            // An expression that matches the empty text matches everywhere: try one byte further.
            at = range.end + 1;
            if at > bytes.len() {
                return None;
            }
        }
    }
}

fn has_capital(text: &str) -> bool {
    text.chars().any(char::is_uppercase)
}

/// The expression without its escapes: the `S` in `\S` is a class, not a capital letter.
fn without_escapes(text: &str) -> String {
    let mut chars = text.chars();
    let mut kept = String::new();
    while let Some(c) = chars.next() {
        if c == '\\' {
            // The name in braces belongs to the escape.
            let named = chars.next().is_some_and(|next| matches!(next, 'p' | 'P' | 'x' | 'u' | 'U'));
            let mut ahead = chars.clone();
            if named && ahead.next() == Some('{') {
                chars.by_ref().find(|c| *c == '}');
            }
        } else {
            kept.push(c);
        }
    }
    kept
}

/// Returns the syntax error of an expression and its position.
fn syntax_error(text: &str) -> Option<PatternError> {
    let at = |span: &regex_syntax::ast::Span, why: String| {
        let column = text.get(..span.start.offset).unwrap_or(text).chars().count() + 1;
        PatternError::Broken { column, why }
    };
    match regex_syntax::parse(text).err()? {
        regex_syntax::Error::Parse(error) => Some(at(error.span(), error.kind().to_string())),
        regex_syntax::Error::Translate(error) => Some(at(error.span(), error.kind().to_string())),
        _ => Some(PatternError::TooLarge),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &Pattern, line: &str) -> Vec<Range<usize>> {
        pattern.find_in(line).collect()
    }

    #[test]
    fn case_counts_where_a_capital_was_written() {
        let any = Pattern::text("region").unwrap();
        assert_eq!(found(&any, "Region region REGION"), [0..6, 7..13, 14..20]);
        let one = Pattern::text("Region").unwrap();
        assert_eq!(found(&one, "Region region"), [0..6]);
        assert_eq!(found(&Pattern::expression(r"\Sa\p{Lu}?").unwrap(), "XA xa"), [0..2, 3..5]);
        assert_eq!(found(&Pattern::text("ÄÖ").unwrap(), "äö ÄÖ"), [5..9]);
        assert_eq!(found(&Pattern::text("äö").unwrap(), "äö ÄÖ"), [0..4, 5..9]);
    }

    #[test]
    fn a_text_is_no_expression_and_an_expression_is() {
        assert_eq!(found(&Pattern::text("a.c(").unwrap(), "abc( a.c("), [5..9]);
        assert_eq!(found(&Pattern::expression("a.c|^x").unwrap(), "x abc a.c"), [0..1, 2..5, 6..9]);
        assert_eq!(found(&Pattern::expression("z*").unwrap(), "azz"), [1..3], "nothing of no length");
    }

    #[test]
    fn a_broken_expression_says_where() {
        let told = |text: &str| Pattern::expression(text).unwrap_err().to_string();
        assert_eq!(told("re(gion"), "Broken expression at column 3: unclosed group");
        assert_eq!(told("ä["), "Broken expression at column 2: unclosed character class");
        assert_eq!(told("(a{999}){999}"), "This expression is too large: write a shorter one.");
        assert!(told(r"\pX").starts_with("Broken expression at column 1"));
    }

    #[test]
    fn an_expression_never_matches_a_part_of_a_character() {
        for of_bytes in [r"(?-u:\xc3)", "(?-u:.)", "(?-u:[^a])", r"(?-u)\W"] {
            assert!(matches!(Pattern::expression(of_bytes), Err(PatternError::Broken { .. })), "{of_bytes}");
        }
        assert_eq!(found(&Pattern::expression(r"(?-u:\w)|.").unwrap(), "aä"), [0..1, 1..3]);
    }

    #[test]
    fn bytes_are_searched_alike() {
        let pattern = Pattern::text("end").unwrap();
        let bytes = b"\xff end\nEND";
        assert_eq!(pattern.first_in_bytes(bytes, 0), Some(2..5));
        assert_eq!(pattern.first_in_bytes(bytes, 3), Some(6..9));
        assert_eq!(pattern.first_in_bytes(bytes, 7), None);
        assert_eq!(Pattern::expression("z*").unwrap().first_in_bytes(b"aaz", 0), Some(2..3));
    }
}
