//! Parses the info string of a fence: its language, and whether the fence may be offered at all.
//!
//! Models write many forms: `python`, `Python title="x"`, `{python}`, `{.python .numberLines}`, `py3`,
//! `python:main.py`, `python{1,3}`. The first word counts. Nothing is guessed from the code. With
//! `path=tests/test_x.py` the fence has the text of that file, in whatever language: it is written, not run. With the
//! word `edit` it has changes of that file.

use crate::domain::{BlockKind, Language, Languages};

/// Transcripts of a terminal or console: they mix commands with prompts and output, so they never run as they are,
/// whatever is configured. `prompts` extracts the commands.
const TRANSCRIPT_LANGUAGES: [&str; 8] = [
    "console",
    "shell-session",
    "shellsession",
    "sh-session",
    "bash-session",
    "terminal",
    "pycon",
    "python-console",
];

/// The info word of a fence with an edit.
const EDIT_WORD: &str = "edit";

/// What a fence may become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FenceOffer {
    /// Only shown.
    Shown,
    /// A block of this kind, or code, in this language or highlighted as it. The person has to choose the language of
    /// code that has none.
    Block(Option<BlockKind>, Option<Language>),
}

/// What the fence with this info string may become.
pub(super) fn offer(info: &str, languages: &Languages) -> FenceOffer {
    if has_norun(info) {
        return FenceOffer::Shown;
    }
    let word = language_word(info);
    if let Some(path) = path(info) {
        let language = by_extension(path, languages).or_else(|| language_ignoring_version(word, languages));
        let path = path.to_owned();
        let kind =
            if is_edit(info) { BlockKind::Edit { paths: vec![path] } } else { BlockKind::Write { path } };
        return FenceOffer::Block(Some(kind), language);
    }
    if word.is_empty() {
        return if info.trim().is_empty() || info.trim() == "{}" {
            FenceOffer::Block(None, None)
        } else {
            FenceOffer::Shown
        };
    }
    offer_for_word(word, languages)
}

/// Whether an info string has the word that keeps a fence from being read.
pub(super) fn has_norun(info: &str) -> bool {
    info.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_')).any(|word| word == "norun")
}

/// Whether an info string says that the fence has an edit.
pub(super) fn is_edit(info: &str) -> bool {
    language_word(info).eq_ignore_ascii_case(EDIT_WORD)
}

/// Whether an info string says that the fence is about a file: its text, an edit, a diff.
pub(super) fn is_about_file(info: &str) -> bool {
    let word = language_word(info);
    is_edit(info) || path(info).is_some() || ["diff", "patch"].iter().any(|of| word.eq_ignore_ascii_case(of))
}

/// The file that an info string names: `path=a.py`, `path="my file.py"`, also in braces. Text inside the quotes of
/// other attributes does not count.
fn path(info: &str) -> Option<&str> {
    let ends = |c: char| c.is_whitespace() || matches!(c, ',' | '{' | '}');
    let mut rest = info;
    loop {
        rest = rest.trim_start_matches(ends);
        let end = rest.find(|c| ends(c) || c == '=').filter(|end| *end < rest.len())?;
        let (name, after) = (rest.get(..end)?, rest.get(end..)?);
        let Some(value) = after.strip_prefix('=') else {
            rest = after;
            continue;
        };
        let (value, next) = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                let inner = value.get(1..)?;
                inner.split_once(quote).unwrap_or((inner, ""))
            }
            _ => value.split_at(bare_length(name, value)),
        };
        let bare = if after.starts_with("=\"") || after.starts_with("='") {
            value.trim()
        } else {
            value.trim_end_matches([',', '}'])
        };
        if name == "path" && !bare.is_empty() {
            return Some(bare);
        }
        rest = next;
    }
}

/// How many bytes belong to a value without quotes: its first word, or, for a path, as many words as make a file's
/// name, which does not end within brackets. Models forget the quotes around `my file.py`, and `my` would be another
/// file.
fn bare_length(name: &str, value: &str) -> usize {
    let first = value.find(char::is_whitespace).unwrap_or(value.len());
    if name != "path" || value.get(..first).is_some_and(has_extension) {
        return first;
    }
    let (mut length, mut end) = (first, first);
    let mut depth = value.get(..first).map_or(0, brackets_opened);
    while let Some(rest) = value.get(end..) {
        let word = rest.trim_start_matches([' ', '\t']);
        let size = word.find(char::is_whitespace).unwrap_or(word.len());
        let Some(word) = word.get(..size).filter(|word| is_part_of_name(word)) else { break };
        end += rest.len() - rest.trim_start_matches([' ', '\t']).len() + size;
        depth += brackets_opened(word);
        if has_extension(word) && depth == 0 {
            length = end;
        }
    }
    length
}

/// How many more brackets a word opens than it closes.
fn brackets_opened(word: &str) -> isize {
    word.chars().fold(0, |opened, c| match c {
        '(' => opened + 1,
        ')' => opened - 1,
        _ => opened,
    })
}

/// Whether the last part of a path has an extension, which begins with a letter: `a.py`, but not `v1.2` or `.git`.
fn has_extension(path: &str) -> bool {
    let name = path.trim_end_matches([',', '}']).rsplit('/').next().unwrap_or_default();
    let extension =
        name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, extension)| extension);
    extension.is_some_and(|extension| {
        extension.starts_with(|c: char| c.is_ascii_alphabetic())
            && extension.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

/// Whether a word behind a path without quotes can be a part of it, such as `(1).txt`, but not an attribute.
fn is_part_of_name(word: &str) -> bool {
    let bare = word.trim_end_matches([',', '}']);
    !bare.is_empty() && bare.chars().all(|c| c.is_alphanumeric() || "._-+/&()".contains(c))
}

/// What a block with this language word may become.
pub(super) fn offer_for_word(word: &str, languages: &Languages) -> FenceOffer {
    if TRANSCRIPT_LANGUAGES.iter().any(|t| word.eq_ignore_ascii_case(t)) {
        return FenceOffer::Shown;
    }
    match language_ignoring_version(word, languages) {
        Some(language) => FenceOffer::Block(None, Some(language)),
        None => FenceOffer::Shown,
    }
}

/// The language of a word, ignoring a version at its end: `python3.11`, `Python-3`, `node20`.
pub(super) fn language_ignoring_version(word: &str, languages: &Languages) -> Option<Language> {
    let bare = word.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '_'));
    languages.find(word).or_else(|| languages.find(bare)).map(|entry| entry.name.clone())
}

/// The language for highlighting a file of this name.
pub(super) fn by_extension(path: &str, languages: &Languages) -> Option<Language> {
    let name = path.rsplit(['/', '\\']).next()?;
    let (_, extension) = name.rsplit_once('.')?;
    languages.by_extension(extension).map(|entry| entry.name.clone())
}

/// A note for a word that names its language only without its version.
pub(super) fn version_hint(word: &str, languages: &Languages) -> Option<String> {
    let read = language_ignoring_version(word, languages).filter(|_| languages.find(word).is_none())?;
    Some(format!("the tag {word:?} was read as {read}"))
}

/// The language of the commands if an info string says that the fence is a transcript.
pub(super) fn transcript_language(info: &str) -> Option<Language> {
    let word = language_word(info);
    let python = ["pycon", "python-console"].iter().any(|t| word.eq_ignore_ascii_case(t));
    let any = python || TRANSCRIPT_LANGUAGES.iter().any(|t| word.eq_ignore_ascii_case(t));
    any.then(|| if python { Language::python() } else { Language::bash() })
}

/// The language word of an info string, as written; empty if there is none.
pub(super) fn language_word(info: &str) -> &str {
    let info = info.trim();
    let inner = info.strip_prefix('{').unwrap_or(info).trim_start();
    let inner = inner.strip_prefix('.').unwrap_or(inner);
    let word = inner.split(|c: char| c.is_whitespace() || matches!(c, ',' | '{' | '}' | ':')).next();
    let word = word.unwrap_or("");
    word.strip_prefix("language-").or_else(|| word.strip_prefix("lang-")).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn run(language: Language) -> FenceOffer {
        FenceOffer::Block(None, Some(language))
    }

    #[test]
    fn every_form_of_python_is_python() {
        for info in [
            "python",
            "Python",
            "PYTHON",
            "py",
            "py3",
            "python3",
            "python title=\"x\"",
            "{python}",
            "{ python }",
            "{.python}",
            "{.python .numberLines startFrom=\"3\"}",
            "{python, echo=FALSE}",
            "python{1,3}",
            "python {1,3}",
            "python:main.py",
            "python,ignore",
            "python3.11",
            "Python-3.12",
            "language-python",
        ] {
            assert_eq!(offer(info, &Languages::default()), run(Language::python()), "{info}");
        }
    }

    #[test]
    fn what_has_no_interpreter_is_shown() {
        for info in
            ["json", "yaml", "text", "output", "diff", "markdown", "cobol", "html", "x=1", "\"python\""]
        {
            assert_eq!(offer(info, &Languages::default()), FenceOffer::Shown, "{info}");
        }
    }

    #[test]
    fn transcripts_are_shown_even_where_someone_configured_them() {
        let mut languages = Languages::default();
        if let Some(bash) = Arc::make_mut(&mut languages.0).get_mut(1) {
            bash.aliases.extend(["console".to_owned(), "shell-session".to_owned()]);
        }
        assert_eq!(offer("console", &languages), FenceOffer::Shown);
        assert_eq!(offer("Shell-Session", &languages), FenceOffer::Shown);
        assert_eq!(offer("sh", &languages), run(Language::bash()));
    }

    #[test]
    fn norun_is_a_word_of_its_own() {
        for info in ["python norun", "{python norun}", "norun", "python,norun", "{.python .norun}"] {
            assert_eq!(offer(info, &Languages::default()), FenceOffer::Shown, "{info}");
        }
        assert_eq!(offer("python norunning", &Languages::default()), run(Language::python()));
    }

    #[test]
    fn a_path_makes_it_a_file() {
        let python = Some(Language::python());
        for (info, path, language) in [
            ("python path=tests/test_x.py", "tests/test_x.py", python.clone()),
            ("python path=\"my tests/x.py\" title=x", "my tests/x.py", python.clone()),
            ("python title='path=no.sh' path='a.py'", "a.py", python.clone()),
            ("{.python path=a.py}", "a.py", python.clone()),
            ("{python, path=a.py, echo=FALSE}", "a.py", python.clone()),
            ("python,path=a", "a", python.clone()),
            ("path=a.py", "a.py", python.clone()),
            ("text path=\"notes.txt", "notes.txt", None),
            ("toml path=Cargo.toml", "Cargo.toml", None),
            ("py path=a.sh", "a.sh", Some(Language::bash())),
            ("x path=../../etc/passwd", "../../etc/passwd", None),
        ] {
            let expected = FenceOffer::Block(Some(BlockKind::Write { path: path.to_owned() }), language);
            assert_eq!(offer(info, &Languages::default()), expected, "{info}");
        }
        for info in ["python title=\"path=a.py\"", "python path=", "python path=\"\"", "python mypath=a.py"] {
            assert_eq!(offer(info, &Languages::default()), run(Language::python()), "{info}");
        }
        assert_eq!(offer("python norun path=a.py", &Languages::default()), FenceOffer::Shown);
        assert_eq!(offer("json title=\"path=a\"", &Languages::default()), FenceOffer::Shown);
    }

    #[test]
    fn nothing_asks() {
        for info in ["", "  ", "{}"] {
            assert_eq!(offer(info, &Languages::default()), FenceOffer::Block(None, None), "{info:?}");
        }
    }
}
