//! Splits texts and search queries into words. Pure.
//!
//! A word is what is between punctuation and blanks, in lower case and without accents; a Han character or kana is a
//! word of its own. Texts and queries are split by the same rule, so no character of a query has a special meaning
//! for the database.

use std::ops::Range;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// The most bytes of a word that are indexed. Longer words are compared in the text itself.
pub(super) const MAX_WORD_BYTES: usize = 64;

/// Iterates over the words of a text.
pub(super) struct WordWalk<'a> {
    text: &'a str,
    at: usize,
    word: String,
}

impl<'a> WordWalk<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, word: String::new() }
    }

    /// The next word, and its range in the text.
    pub(super) fn next(&mut self) -> Option<(Range<usize>, &str)> {
        self.word.clear();
        let mut start = self.at;
        while let Some(c) = self.text.get(self.at..)?.chars().next() {
            let end = self.at + c.len_utf8();
            match letter_kind(c) {
                LetterKind::Alone if self.word.is_empty() => {
                    self.at = end;
                    self.word.push(c);
                    return Some((start..end, &self.word));
                }
                LetterKind::Part => fold(c, &mut self.word),
                LetterKind::Mark if !self.word.is_empty() => {}
                _ if !self.word.is_empty() => break,
                _ => start = end,
            }
            if self.word.is_empty() {
                start = end;
            }
            self.at = end;
        }
        (!self.word.is_empty()).then_some((start..self.at, self.word.as_str()))
    }
}

/// The role of a character in a word.
enum LetterKind {
    Part,
    Mark,
    /// A word of its own.
    Alone,
    Between,
}

fn letter_kind(c: char) -> LetterKind {
    match c {
        _ if c.is_ascii_alphanumeric() => LetterKind::Part,
        _ if c.is_ascii() => LetterKind::Between,
        '\u{2e80}'..='\u{2fdf}'
        | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}'
            if c.is_alphanumeric() =>
        {
            LetterKind::Alone
        }
        _ if is_combining_mark(c) => LetterKind::Mark,
        _ if c.is_alphanumeric() => LetterKind::Part,
        _ => LetterKind::Between,
    }
}

/// In lower case, without accents.
fn fold(c: char, word: &mut String) {
    if c.is_ascii() {
        word.push(c.to_ascii_lowercase());
    } else {
        word.extend(c.to_lowercase().nfd().filter(|c| !is_combining_mark(*c)));
    }
}

pub(super) fn truncate(word: &str) -> &str {
    word.get(..word.floor_char_boundary(MAX_WORD_BYTES)).unwrap_or(word)
}

/// The words of a text, separated by blanks, as they are indexed.
pub(in crate::store::search) fn folded(text: &str) -> String {
    let mut all = String::with_capacity(text.len() + text.len() / 8);
    let mut walk = WordWalk::new(text);
    while let Some((_, word)) = walk.next() {
        if !all.is_empty() {
            all.push(' ');
        }
        all.push_str(truncate(word));
    }
    all
}

pub(super) fn words(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut walk = WordWalk::new(text);
    while let Some((_, word)) = walk.next() {
        all.push(word.to_owned());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_taken_apart_into_words() {
        assert_eq!(folded("df = pd.read_csv('Sales-2026.CSV')"), "df pd read csv sales 2026 csv");
        assert_eq!(folded("Müller, ÉCOLE e\u{301}t"), "muller ecole et");
        assert_eq!(folded("漢字かな ok"), "漢 字 か な ok");
        assert_eq!(folded(" \u{0} -- \u{301} \""), "");
    }
}
