//! Parses what a person typed to find sessions: words, with filters among them, like `language:python since:30d`. The
//! only disk access is to resolve links in a folder's path.

use super::{SearchQuery, SearchWords};
use crate::domain::{Languages, Outcome, Timestamp, moment};
use jiff::tz::TimeZone;
use std::path::{Path, PathBuf};
use strum::VariantNames as _;

/// The names of the filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::VariantNames)]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
enum Filter {
    Folder,
    Since,
    Until,
    Language,
    Outcome,
    Model,
}

/// A filter with an invalid value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// The text is no date and no age.
    #[error("{0:?} is no date and no age, such as 2026-11-01 or 90d")]
    Moment(String),
    /// No block has this outcome.
    #[error("{0:?} is no outcome: {all}", all = Outcome::ALL_NAMES.join(", "))]
    Outcome(String),
}

/// The context in which filters are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    pub(crate) now: Timestamp,
    pub(crate) zone: &'a TimeZone,
    /// The folder to which relative paths are relative.
    pub(crate) cwd: &'a Path,
    pub(crate) home: Option<&'a Path>,
    pub(crate) languages: &'a Languages,
}

impl SearchQuery {
    /// Parses what was typed. A filter without a value is still being typed, and is ignored.
    pub(crate) fn read(text: &str, reader: Reader<'_>) -> Result<Self, FilterError> {
        let (words, filters) = split(text);
        let mut search = Self { sought: SearchWords::read(&words), ..Self::default() };
        let no_moment = |text: &str| FilterError::Moment(text.to_owned());
        for (filter, value) in filters.iter().filter(|(_, value)| !value.is_empty()) {
            match filter {
                Filter::Folder => search.folder = Some(folder(value, reader)),
                Filter::Since => {
                    let at = moment::read(value, reader.now, reader.zone);
                    search.since = Some(at.ok_or_else(|| no_moment(value))?);
                }
                Filter::Until => {
                    let at = moment::read_end(value, reader.now, reader.zone);
                    search.until = Some(at.ok_or_else(|| no_moment(value))?);
                }
                Filter::Language => search.language = Some(language(value, reader.languages)),
                Filter::Outcome => {
                    let known = Outcome::ALL_NAMES.iter().find(|word| word.eq_ignore_ascii_case(value));
                    let known = known.ok_or_else(|| FilterError::Outcome(value.clone()))?;
                    search.outcome = Some((*known).to_owned());
                }
                Filter::Model => search.model = Some(value.clone()),
            }
        }
        Ok(search)
    }
}

/// The name that session files use for a language.
pub(crate) fn language(word: &str, languages: &Languages) -> String {
    languages.find(word).map_or_else(|| word.to_owned(), |entry| entry.name.as_str().to_owned())
}

/// The words without the filters.
pub(crate) fn words(text: &str) -> String {
    split(text).0
}

fn folder(value: &str, reader: Reader<'_>) -> PathBuf {
    let whole = match (value.strip_prefix('~'), reader.home) {
        (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
        _ => reader.cwd.join(value),
    };
    without_links(whole)
}

/// Whether there is a folder filter with a value.
pub(crate) fn names_folder(text: &str) -> bool {
    split(text).1.iter().any(|(filter, value)| *filter == Filter::Folder && !value.is_empty())
}

/// Whether there is any filter with a value.
pub(crate) fn has_any(text: &str) -> bool {
    split(text).1.iter().any(|(_, value)| !value.is_empty())
}

/// All filter names, as they are typed: `folder: since:`.
pub(crate) fn names() -> String {
    Filter::VARIANTS.iter().map(|name| format!("{name}:")).collect::<Vec<_>>().join(" ")
}

/// Resolves links, because the folders in session files have none.
pub(crate) fn without_links(folder: PathBuf) -> PathBuf {
    folder.canonicalize().unwrap_or(folder)
}

/// Separates the filters from the words. Quotes enclose a phrase, or the value of a filter that contains blanks.
fn split(text: &str) -> (String, Vec<(Filter, String)>) {
    let (mut words, mut filters) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some((filter, behind)) = filter_at(rest) {
            let (value, left) = match behind.strip_prefix('"') {
                Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
                None => behind.split_at(behind.find(char::is_whitespace).unwrap_or(behind.len())),
            };
            filters.push((filter, value.to_owned()));
            rest = left.strip_prefix(char::is_whitespace).unwrap_or(left);
            if rest.is_empty() {
                // The last word may be incomplete, and a blank after it would end it.
                words.truncate(words.trim_end().len());
            }
            continue;
        }
        // A word, a phrase, or the blanks between them.
        let end = match c {
            '"' => rest.get(1..).and_then(|quoted| quoted.find('"')).map_or(rest.len(), |at| at + 2),
            _ if c.is_whitespace() => rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len()),
            _ => rest.find(|c: char| c.is_whitespace() || c == '"').unwrap_or(rest.len()),
        };
        let (taken, left) = rest.split_at(end);
        words.push_str(taken);
        rest = left;
    }
    (words, filters)
}

fn filter_at(text: &str) -> Option<(Filter, &str)> {
    let (name, behind) = text.split_once(':')?;
    // Code may look similar: `language::Rust` and `model: x` are words.
    let is_value = !behind.starts_with(':') && !(behind.starts_with(char::is_whitespace));
    name.parse().ok().filter(|_| is_value).map(|filter| (filter, behind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOW: Timestamp = Timestamp(1_767_225_600_000); // 2026-01-01T00:00:00Z

    fn read(text: &str) -> Result<SearchQuery, FilterError> {
        let (cwd, home) = (Path::new("/nowhere/here"), Some(Path::new("/nowhere")));
        let languages = Languages::default();
        SearchQuery::read(text, Reader { now: NOW, zone: &TimeZone::UTC, cwd, home, languages: &languages })
    }

    #[test]
    fn filters_stand_among_the_words_in_any_order() {
        let found =
            read(r#"language:py merge "no such file" since:2d model:qwen outcome:FAILED sal"#).unwrap();
        assert_eq!(found.sought, SearchWords::read(r#"merge "no such file" sal"#));
        assert_eq!(found.since, Some(Timestamp(NOW.0 - 2 * 86_400_000)));
        let told = (found.language.as_deref(), found.outcome.as_deref(), found.model.as_deref());
        assert_eq!(told, (Some("python"), Some("failed"), Some("qwen")));
        assert_eq!(found.until, None);
        assert_eq!(read("x until:2025-12-31").unwrap().until, Some(NOW));
        for (text, folder) in [
            ("x folder:/else", "/else"),
            ("x folder:sub", "/nowhere/here/sub"),
            ("x folder:~/a", "/nowhere/a"),
            (r#"folder:"two words" x"#, "/nowhere/here/two words"),
        ] {
            let found = read(text).unwrap();
            let expected = (Some(Path::new(folder)), &SearchWords::read("x"));
            assert_eq!((found.folder.as_deref(), &found.sought), expected);
        }
    }

    #[test]
    fn code_is_no_filter_and_one_that_is_being_typed_filters_nothing() {
        for text in ["std::fs x", "model: x", "http://host", r#""since:2d""#, "model::x", "resince:2d"] {
            let found = read(text).unwrap();
            assert_eq!(found.sought, SearchWords::read(text), "{text}");
            assert_eq!((found.since, found.model), (None, None), "{text}");
        }
        let typed = read("merge since:").unwrap();
        assert_eq!((typed.since, typed.sought), (None, SearchWords::read("merge")));
        assert_eq!(read("x since:soon").unwrap_err(), FilterError::Moment("soon".into()));
        assert!(read("x outcome:good").unwrap_err().to_string().contains("timed_out"));
        assert!(read("language:python").unwrap().sought.is_empty());
        assert!(has_any("language:python") && !has_any("since: x"));
        assert!(names().starts_with("folder: since:"));
        assert!(names_folder("x folder:sub") && !names_folder("x folder: since:2d"));
    }

    proptest! {
        #![proptest_config(crate::test_cases::cases(512))]
        #[test]
        fn any_text_is_taken_apart(text in any::<String>(), filter in "(since|model|folder):[\" a-c:]{0,4}") {
            let all = format!("{text} {filter}");
            let (words, _) = split(&all);
            prop_assert!(words.len() <= all.len());
            let _ = read(&all);
        }
    }
}
