//! Reads search queries and matches them against texts, word by word; `word_walk` splits both into words. Pure.

pub(super) mod word_walk;

use regex::bytes::Regex;
use std::ops::Range;
use word_walk::{MAX_WORD_BYTES, WordWalk, truncate, words};

/// The most words of a query that are looked up in the index. The others are compared in the text itself.
const MAX_WORDS: usize = 24;

/// The most characters of a line that are shown around a hit.
const MAX_EXCERPT_CHARS: usize = 160;

/// How many characters are shown before a hit in a line that is too long.
const CHARS_BEFORE_HIT: usize = 50;

/// The words to search for: all must occur, in any order; those of a phrase must follow each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SearchWords {
    phrases: Vec<Vec<String>>,
    /// Whether the last word may be the beginning of a longer one.
    last_is_prefix: bool,
}

impl SearchWords {
    /// Parses what was typed: words, and phrases in double quotes. The last word may be the beginning of a longer
    /// one, unless a blank or a quote follows it.
    pub(crate) fn read(text: &str) -> Self {
        let mut phrases = Vec::new();
        let mut open = false;
        for (number, part) in text.split('"').enumerate() {
            if number % 2 == 1 {
                phrases.push(words(part));
                open = false;
            } else {
                phrases.extend(part.split_whitespace().map(words));
                open = part.ends_with(|c: char| !c.is_whitespace()) || (open && part.is_empty());
            }
        }
        phrases.retain(|phrase: &Vec<String>| !phrase.is_empty());
        // A single letter is the beginning of too many words.
        let long =
            phrases.last().and_then(|phrase| phrase.last()).is_some_and(|word| word.chars().count() > 1);
        Self { phrases, last_is_prefix: open && long }
    }

    /// Parses the arguments of a command; an argument with blanks is a phrase.
    pub(crate) fn of_arguments(arguments: &[String]) -> Self {
        Self::read(&Self::typed(arguments))
    }

    /// The arguments, joined as they would be typed.
    pub(crate) fn typed(arguments: &[String]) -> String {
        let each = arguments.iter().map(|one| {
            let phrase = one.trim().contains(char::is_whitespace) && !one.contains('"');
            if phrase { format!("\"{one}\"") } else { one.clone() }
        });
        each.collect::<Vec<_>>().join(" ")
    }

    /// Whether there is nothing to search for.
    pub(crate) fn is_empty(&self) -> bool {
        self.phrases.is_empty()
    }

    /// Whether a text that contains all words of the query always matches, so that it need not be compared.
    pub(super) fn is_plain(&self) -> bool {
        let short = |phrase: &Vec<String>| {
            phrase.len() == 1 && phrase.iter().all(|word| word.len() <= MAX_WORD_BYTES)
        };
        self.count() <= MAX_WORDS && self.phrases.iter().all(short)
    }

    /// The query for the index. It contains only words of letters and digits in quotes, never text as it was typed.
    /// The last word becomes a prefix query, if it may be the beginning of a word.
    pub(super) fn fts_query(&self) -> String {
        self.fts_query_with(|begun| format!("\"{begun}\"*"))
    }

    /// The same query with these words in place of the prefix.
    pub(super) fn fts_query_for(&self, words: &[String]) -> String {
        self.fts_query_with(|_| {
            let each: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
            format!("({})", each.join(" OR "))
        })
    }

    /// The last word, if it may be the beginning of a longer one.
    pub(super) fn prefix(&self) -> Option<&str> {
        let last =
            self.phrases.last()?.last().filter(|_| self.last_is_prefix && self.count() <= MAX_WORDS)?;
        Some(truncate(last))
    }

    fn count(&self) -> usize {
        self.phrases.iter().map(Vec::len).sum()
    }

    fn fts_query_with(&self, begun: impl Fn(&str) -> String) -> String {
        let last = self.count().saturating_sub(1);
        let mut asked: Vec<String> = Vec::new();
        for (number, word) in self.phrases.iter().flatten().enumerate().take(MAX_WORDS) {
            let goes_on = self.last_is_prefix && number == last;
            let one = if goes_on { begun(truncate(word)) } else { format!("\"{}\"", truncate(word)) };
            if !asked.contains(&one) {
                asked.push(one);
            }
        }
        asked.join(" AND ")
    }

    /// The range of the first word or phrase in a text that matches any of those sought.
    pub(crate) fn first_in(&self, text: &str) -> Option<Range<usize>> {
        let mut sought = self.matchers();
        let mut walk = WordWalk::new(text);
        while let Some((range, word)) = walk.next() {
            let start = sought.iter_mut().filter_map(|looking| looking.word(range.start, word)).min();
            if let Some(start) = start {
                return Some(start..range.end);
            }
        }
        None
    }

    /// A regular expression that matches everything sought, to highlight it.
    pub(crate) fn expression(&self) -> String {
        // Between the words of a phrase there are punctuation and blanks; between Han characters there may be
        // nothing.
        let phrase = |phrase: &Vec<String>| {
            phrase.iter().map(|word| regex::escape(word)).collect::<Vec<_>>().join(r"[^\p{L}\p{N}]*")
        };
        self.phrases.iter().map(phrase).collect::<Vec<_>>().join("|")
    }

    fn matchers(&self) -> Vec<PhraseMatcher<'_>> {
        let count = self.phrases.len();
        let each = self.phrases.iter().enumerate().map(|(number, phrase)| PhraseMatcher {
            phrase,
            last_is_prefix: self.last_is_prefix && number + 1 == count,
            begun: Vec::new(),
        });
        each.collect()
    }

    /// The range of the first match in a text; `None` if not everything sought occurs.
    pub(crate) fn first_match(&self, text: &str) -> Option<Range<usize>> {
        let mut left = self.matchers();
        let mut first: Option<Range<usize>> = None;
        let mut walk = WordWalk::new(text);
        while let Some((range, word)) = walk.next() {
            left.retain_mut(|looking| {
                let Some(start) = looking.word(range.start, word) else { return true };
                if first.as_ref().is_none_or(|first| start < first.start) {
                    first = Some(start..range.end);
                }
                false
            });
            if left.is_empty() {
                return first;
            }
        }
        None
    }
}

/// The fewest bytes of a word that is part of few others.
const MIN_SELECTIVE_BYTES: usize = 4;

/// Quickly excludes most texts that don't contain a phrase: the words of a phrase may occur in very many texts, but
/// one after the other in few.
#[derive(Debug, Default)]
pub(super) struct RoughFilter(Vec<Regex>);

impl RoughFilter {
    pub(super) fn of(sought: &SearchWords) -> Self {
        let last = sought.phrases.len().saturating_sub(1);
        let phrases = sought.phrases.iter().enumerate().filter(|(_, phrase)| {
            phrase.len() > 1 && phrase.iter().flat_map(|word| word.bytes()).all(|b| b.is_ascii_alphanumeric())
        });
        let each = phrases.filter_map(|(number, phrase)| {
            let end = if sought.last_is_prefix && number == last { "" } else { "(?:[^0-9a-z]|$)" };
            // Without a condition on what precedes the first word, the regex engine can search for that word many
            // bytes at a time. A short word is part of too many others for that to be worth it.
            let is_short = phrase.first().is_none_or(|word| word.len() < MIN_SELECTIVE_BYTES);
            let begin = if is_short { "(?:^|[^0-9a-z])" } else { "" };
            Regex::new(&format!("(?i-u){begin}{}{end}", phrase.join("[^0-9a-z]+"))).ok()
        });
        Self(each.collect())
    }

    /// Whether it can't exclude any text.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a text surely lacks one of the phrases.
    pub(super) fn excludes(&self, text: &str) -> bool {
        // Letters outside of ASCII may be encoded in several ways.
        text.is_ascii() && self.0.iter().any(|phrase| !phrase.is_match(text.as_bytes()))
    }
}

/// Matches a phrase against a text word by word.
struct PhraseMatcher<'a> {
    phrase: &'a [String],
    last_is_prefix: bool,
    /// Where the phrase may have begun, and how many of its words have matched since.
    begun: Vec<(usize, usize)>,
}

impl PhraseMatcher<'_> {
    /// Takes the next word of the text; returns where the phrase began, if this word completes it.
    fn word(&mut self, start: usize, word: &str) -> Option<usize> {
        let last = self.phrase.len().saturating_sub(1);
        let fits = |at: usize| {
            let wanted = self.phrase.get(at).map(String::as_str);
            wanted.is_some_and(|wanted| {
                if self.last_is_prefix && at == last { word.starts_with(wanted) } else { word == wanted }
            })
        };
        self.begun.retain_mut(|(_, there)| {
            let goes_on = fits(*there);
            *there += usize::from(goes_on);
            goes_on
        });
        if fits(0) {
            self.begun.push((start, 1));
        }
        self.begun.iter().find(|(_, there)| *there > last).map(|(start, _)| *start)
    }
}

/// The line of a text that contains the start of a range; of a long line, the part around it.
pub(super) fn line_around(text: &str, place: &Range<usize>) -> String {
    let start = text.get(..place.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let end =
        text.get(place.start..).and_then(|rest| rest.find('\n')).map_or(text.len(), |at| place.start + at);
    let line = text.get(start..end).unwrap_or_default();
    if line.chars().count() <= MAX_EXCERPT_CHARS {
        return line.trim().to_owned();
    }
    let before = line.get(..place.start - start).unwrap_or_default();
    let from =
        before.char_indices().rev().take(CHARS_BEFORE_HIT).last().map_or(place.start - start, |(at, _)| at);
    let rest = line.get(from..).unwrap_or_default();
    let shown: String = rest.chars().take(MAX_EXCERPT_CHARS).collect();
    let (lead, tail) = (if from > 0 { "…" } else { "" }, if shown.len() < rest.len() { "…" } else { "" });
    format!("{lead}{}{tail}", shown.trim())
}

#[cfg(test)]
mod tests {
    use super::word_walk::folded;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_of_the_words_is_found_in_a_line_and_all_are_marked() {
        let sought = SearchWords::read(r#""no such file" merge"#);
        assert_eq!(sought.first_in("a column, no merged"), Some(13..19), "the last word may go on");
        assert_eq!(sought.first_in("No such: file"), Some(0..13));
        assert_eq!(sought.first_in("no file"), None);
        let marks = Regex::new(&format!("(?i){}", sought.expression())).unwrap();
        assert!(marks.is_match(b"NO SUCH  FILE") && marks.is_match(b"merge") && !marks.is_match(b"no file"));
    }

    #[test]
    fn a_question_means_words_and_phrases() {
        let read = |text: &str| SearchWords::read(text).fts_query();
        assert_eq!(read("Merge sal"), r#""merge" AND "sal"*"#);
        assert_eq!(read("merge sal "), r#""merge" AND "sal""#);
        assert_eq!(read(r#""no such file" open"#), r#""no" AND "such" AND "file" AND "open"*"#);
        assert_eq!(read(r#""no such"#), r#""no" AND "such""#);
        assert_eq!(read("read_csv"), r#""read" AND "csv"*"#);
        assert_eq!(read("a"), r#""a""#, "one letter is a word");
        assert_eq!(read("NOT ( * ^ NEAR/3 {x} : OR"), r#""not" AND "near" AND "3" AND "x" AND "or"*"#);
        assert!(SearchWords::read(" \" - ").is_empty());
        let given = ["no such file".to_owned(), "open".to_owned()];
        assert_eq!(SearchWords::of_arguments(&given), SearchWords::read(r#""no such file" open"#));
    }

    #[test]
    fn all_words_have_to_be_there_and_phrases_in_their_order() {
        let text = "FileNotFoundError: [Errno 2] No such file or directory: 'sales.csv'";
        let holds = |asked: &str| SearchWords::read(asked).first_match(text).map(|at| text.get(at).unwrap());
        assert_eq!(holds("file such"), Some("such"));
        assert_eq!(holds(r#""no such file""#), Some("No such file"));
        assert_eq!(holds(r#""such no""#), None);
        assert_eq!(holds("sales.cs"), Some("sales.csv"));
        assert_eq!(holds("sales.c x"), None);
        assert_eq!(holds("direct"), Some("directory"));
        assert_eq!(holds("direct "), None);
        let twice = |asked: &str| SearchWords::read(asked).first_match("to be or to be not");
        assert_eq!(twice("\"to be not\""), Some(9..18));
        assert_eq!(twice("\"be be\""), None);
    }

    #[test]
    fn a_phrase_is_excluded_only_where_it_is_not() {
        let text = "To be, or not_to-be:\nthat is the question 42";
        for (asked, is_there) in [
            ("\"to be\"", true),
            ("\"not to be that\"", true),
            ("\"question 42\"", true),
            ("\"be not\"", false),
            ("\"o be\"", false),
            ("\"the quest\"", false),
            ("\"that is the quest\"", false),
            ("\"question 4\"", false),
            ("that the.quest", true),
        ] {
            let sought = SearchWords::read(asked);
            assert_eq!(
                (sought.first_match(text).is_some(), !RoughFilter::of(&sought).excludes(text)),
                (is_there, is_there),
                "{asked}"
            );
        }
        let filter = RoughFilter::of(&SearchWords::read("\"no such\""));
        assert!(!filter.excludes("é"), "what is not known is compared");
    }

    #[test]
    fn a_line_is_shown_around_the_hit() {
        let text = format!("first\n   import pandas as pd  \n{}needle{}", "x ".repeat(200), " y".repeat(200));
        let line = |asked: &str| line_around(&text, &SearchWords::read(asked).first_match(&text).unwrap());
        assert_eq!(line("pandas"), "import pandas as pd");
        let long = line("needle");
        assert!(long.starts_with('…') && long.ends_with('…') && long.contains(" needle "), "{long}");
        assert!(long.chars().count() <= MAX_EXCERPT_CHARS + 2);
    }

    proptest! {
        #![proptest_config(crate::test_cases::cases(1024))]
        #[test]
        fn a_question_holds_nothing_but_words(asked in any::<String>()) {
            let question = SearchWords::read(&asked).fts_query();
            for part in question.split(" AND ").filter(|part| !part.is_empty()) {
                let word = part.trim_end_matches('*').strip_prefix('"').and_then(|word| word.strip_suffix('"'));
                let word = word.expect("in quotes");
                prop_assert!(!word.is_empty() && !word.contains(['"', ' ', '\0']), "{part:?}");
                prop_assert!(word.chars().all(|c| !c.is_ascii() || c.is_ascii_alphanumeric()), "{part:?}");
            }
        }

        #[test]
        fn a_rough_look_excludes_nothing_that_is_there(text in "[a-cA-C _.\n]{0,40}", asked in "[a-c ]{1,8}") {
            let sought = SearchWords::read(&format!("\"{asked}\""));
            prop_assert!(sought.first_match(&text).is_none() || !RoughFilter::of(&sought).excludes(&text));
        }

        #[test]
        fn what_stands_in_a_text_is_found_in_it(text in any::<String>(), from in 0usize..20, many in 1usize..4) {
            let chosen: Vec<&str> = text.split_whitespace().skip(from).take(many).collect();
            let asked = format!("\"{}\"", chosen.join(" ").replace('"', " "));
            let sought = SearchWords::read(&asked);
            if sought.is_empty() {
                return Ok(());
            }
            let at = sought.first_match(&text);
            prop_assert!(at.is_some(), "{asked:?}");
            prop_assert!(!RoughFilter::of(&sought).excludes(&text), "{asked:?}");
            let line = line_around(&text, &at.unwrap());
            prop_assert!(line.chars().count() <= MAX_EXCERPT_CHARS + 2);
            // The words of the query occur in the indexed text.
            let given = format!(" {} ", folded(&text));
            for part in sought.fts_query().split(" AND ") {
                prop_assert!(given.contains(&format!(" {} ", part.trim_matches('"'))), "{part}");
            }
        }
    }
}
