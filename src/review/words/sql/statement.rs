//! The words of one SQL statement, and what they say of its names and rows.

use crate::review::words::condition;
use crate::review::words::lexer::{Word, WordKind};
use std::cell::Cell;
use std::ops::Range;

/// How often a word of a statement may be looked at on average, and how often in any statement: a keyword may have all
/// words behind it searched.
const LOOKS_PER_WORD: usize = 32;
const FREE_LOOKS: usize = 1 << 20;

/// The words of one statement, without comments and line ends.
pub(super) struct Statement<'a> {
    pub(super) source: &'a str,
    pub(super) words: Vec<&'a Word>,
    /// How many more words may be looked at.
    left: Cell<usize>,
}

pub(super) fn split_statements<'a>(source: &'a str, words: &'a [Word]) -> Vec<Statement<'a>> {
    let mut all = vec![Vec::new()];
    for word in words {
        match word.kind {
            WordKind::Comment | WordKind::Break => {}
            WordKind::Sign(';') => all.push(Vec::new()),
            _ => {
                if let Some(last) = all.last_mut() {
                    last.push(word);
                }
            }
        }
    }
    let statement = |words: Vec<&'a Word>| {
        let left = Cell::new(FREE_LOOKS + words.len().saturating_mul(LOOKS_PER_WORD));
        Statement { source, words, left }
    };
    all.into_iter().filter(|words| !words.is_empty()).map(statement).collect()
}

impl Statement<'_> {
    /// Whether so many words were looked at that the rest of the statement is not read.
    pub(super) fn is_exhausted(&self) -> bool {
        self.left.get() == 0
    }

    fn pay(&self, looks: usize) {
        self.left.set(self.left.get().saturating_sub(looks));
    }

    /// A word in lower case; empty past the end.
    pub(super) fn word(&self, at: usize) -> String {
        self.pay(1);
        let text = self.words.get(at).and_then(|w| self.source.get(w.span.clone())).unwrap_or_default();
        text.chars().take(128).collect::<String>().to_ascii_lowercase()
    }

    /// The index of a keyword, searched from an index on.
    pub(super) fn find(&self, keyword: &str, from: usize) -> Option<usize> {
        let is_name = |at: &usize| self.words.get(*at).is_some_and(|word| word.kind == WordKind::Name);
        let found = (from..self.words.len()).find(|at| is_name(at) && self.word(*at) == keyword);
        self.pay(found.unwrap_or(self.words.len()).saturating_sub(from));
        found
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
            match self.words.get(at).map(|word| word.kind) {
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
        self.pay(end.saturating_sub(from));
        place.is_none_or(|place| {
            let words: Vec<String> = (place + 1..end).map(|at| self.word(at)).collect();
            condition::always(&words)
        })
    }
}
