//! Reads the options between a magic's name and the Python that it runs.

use super::write;
use crate::review::nested::NestedCode;
use std::ops::Range;

/// Magics that run the Python after their options, and those options as given to Python's `getopt`.
const PYTHON_MAGICS: &[(&str, &str)] = &[
    ("time", ""),
    ("config", ""),
    ("timeit", "n:r:tcp:qov:"),
    ("prun", "D:l:rs:T:q"),
    ("memit", "r:t:i:co"),
    ("mprun", "rT:f:c"),
    ("lprun", "rsf:m:D:T:u:z"),
];

/// Options that take a file to write to.
const FILE_OPTIONS: [char; 2] = ['T', 'D'];

/// The only option of magics without letter options. IPython removes it wherever it occurs.
const NO_RAISE_OPTION: &str = "--no-raise-error";

/// The options before a magic's Python.
pub(super) struct Options {
    /// Where they end.
    pub(super) end: usize,
    /// The files that they write, as code.
    pub(super) code: Vec<NestedCode>,
    /// Whether it is certain what remains after IPython removes the options.
    pub(super) are_known: bool,
}

/// The options of the magic with this name, if it runs the Python after them.
pub(super) fn options_of(name: &str) -> Option<&'static str> {
    PYTHON_MAGICS.iter().find(|(known, _)| *known == name).map(|(_, options)| *options)
}

/// Reads the options; `text` begins after the magic's name.
pub(super) fn options(text: &str, known: &str, span: &Range<usize>) -> Options {
    let mut options = Options { end: 0, code: Vec::new(), are_known: true };
    loop {
        let (word, behind) = word_at(text, options.end);
        if known.is_empty() && word != NO_RAISE_OPTION {
            options.are_known = !text.get(options.end..).unwrap_or_default().contains(NO_RAISE_OPTION);
            break;
        }
        let next = match word.strip_prefix('-') {
            None => break,
            Some(_) if known.is_empty() => Some(behind),
            Some(option) => option_at(text, known, (option, behind), &mut options.code, span),
        };
        let Some(next) = next else {
            options.are_known = false;
            break;
        };
        options.end = next;
    }
    options
}

/// Where an option ends, including its value; adds the file that it writes. Returns `None` for several letters in one
/// word, or words with other signs, which IPython splits in unexpected ways.
fn option_at(
    text: &str,
    known: &str,
    (option, behind): (&str, usize),
    code: &mut Vec<NestedCode>,
    span: &Range<usize>,
) -> Option<usize> {
    let letter = option.chars().next().filter(char::is_ascii_alphabetic)?;
    let (_, rest) = known.split_once(letter)?;
    let glued = option.get(1..).unwrap_or_default();
    if !rest.starts_with(':') {
        return glued.is_empty().then_some(behind);
    }
    let (value, end) = if glued.is_empty() { word_at(text, behind) } else { (glued, behind) };
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '~' | '-');
    if value.is_empty() || value.starts_with('-') || !value.chars().all(is_plain) {
        return None;
    }
    if FILE_OPTIONS.contains(&letter) {
        code.push(write(value, false, span.clone()));
    }
    Some(end)
}

/// The first word from `at` on, and where it ends.
fn word_at(text: &str, at: usize) -> (&str, usize) {
    let rest = text.get(at..).unwrap_or_default();
    let word = rest.split_whitespace().next().unwrap_or_default();
    let before = rest.len() - rest.trim_start().len();
    (word, at + before + word.len())
}
