//! The words of one SQL statement, and what they say of its names and rows.

use crate::review::words::condition;
use crate::review::words::lexer::{Word, WordKind};
use std::ops::Range;

/// The words of one statement, without comments and line ends.
pub(super) struct Statement<'a> {
    pub(super) source: &'a str,
    pub(super) words: Vec<&'a Word>,
}

pub(super) fn split_statements<'a>(source: &'a str, words: &'a [Word]) -> Vec<Statement<'a>> {
    let mut all = vec![Vec::new()];
    for word in words {
        match word.sort {
            WordKind::Comment | WordKind::Break => {}
            WordKind::Sign(';') => all.push(Vec::new()),
            _ => {
                if let Some(last) = all.last_mut() {
                    last.push(word);
                }
            }
        }
    }
    all.into_iter().filter(|words| !words.is_empty()).map(|words| Statement { source, words }).collect()
}

impl Statement<'_> {
    /// A word in lower case; empty past the end.
    pub(super) fn word(&self, at: usize) -> String {
        let text = self.words.get(at).and_then(|w| self.source.get(w.span.clone())).unwrap_or_default();
        text.chars().take(128).collect::<String>().to_ascii_lowercase()
    }

    /// The index of a keyword, searched from an index on.
    pub(super) fn find(&self, keyword: &str, from: usize) -> Option<usize> {
        (from..self.words.len()).find(|at| {
            self.words.get(*at).is_some_and(|w| w.sort == WordKind::Name) && self.word(*at) == keyword
        })
    }

    pub(super) fn span(&self, from: usize, to: usize) -> Range<usize> {
        let start = self.words.get(from).map_or(0, |w| w.span.start);
        let end = self.words.get(to).or(self.words.last()).map_or(start, |w| w.span.end);
        start..end.max(start)
    }

    /// The name at an index, without its quotes.
    pub(super) fn name(&self, at: usize) -> String {
        self.word(at).trim_matches(['"', '`', '[', ']', '\'']).to_owned()
    }

    /// The index after optional keywords that may precede a name.
    pub(super) fn skip(&self, mut at: usize, words: &[&str]) -> usize {
        while words.contains(&self.word(at).as_str()) {
            at += 1;
        }
        at
    }

    /// The table or view that this statement creates.
    pub(super) fn creates(&self) -> Option<String> {
        if self.word(0) != "create" {
            return None;
        }
        let table = self.find("table", 1).or_else(|| self.find("view", 1))?;
        Some(self.name(self.skip(table + 1, &["if", "not", "exists"])))
    }

    /// Whether a statement affects all rows: it has no condition, or one that always holds. Words in brackets belong to
    /// another query.
    pub(super) fn everywhere(&self, from: usize) -> bool {
        let mut depth = 0_i32;
        let mut place = None;
        let mut end = self.words.len();
        for at in from..self.words.len() {
            match self.words.get(at).map(|word| word.sort) {
                Some(WordKind::Sign('(')) => depth += 1,
                Some(WordKind::Sign(')')) => depth -= 1,
                Some(WordKind::Name) if depth == 0 => match self.word(at).as_str() {
                    // MySQL's `LIMIT` restricts the rows by number, a join by its condition.
                    "limit" | "join" if place.is_none() => return false,
                    "where" => place = Some(at),
                    "returning" | "order" | "limit" | "option" if place.is_some() => {
                        end = at;
                        break;
                    }
                    _ => {}
                },
                _ => {}
            }
            if depth < 0 {
                end = at;
                break;
            }
        }
        place.is_none_or(|place| {
            let words: Vec<String> = (place + 1..end).map(|at| self.word(at)).collect();
            condition::always(&words)
        })
    }
}
