//! Errors of the configuration, with their place in the file and what would be right.

use crate::text::position::Position;
use crate::text::system_error::words;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// The configuration can't be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    /// A setting in a file is wrong.
    #[error(transparent)]
    Invalid(Box<InvalidSetting>),
    /// A value from the environment or from an option is wrong.
    #[error("{origin}: {message}")]
    Value {
        /// `--theme`, `SAYSO_MODEL`.
        origin: String,
        /// What is wrong, and what would be right.
        message: String,
    },
    /// A file can't be read.
    #[error("{} can't be read: {}", .path.display(), words(.source))]
    Io { path: PathBuf, source: io::Error },
    /// The file of keys is not used.
    #[error("{} {why}", .path.display())]
    Credentials { path: PathBuf, why: KeyFileError },
    /// No home folder is known.
    #[error("no home folder is known: set HOME, or SAYSO_HOME to a folder for all files of sayso")]
    NoHome,
    /// The layers can't be merged: an error in the program itself.
    #[error("the configuration can't be put together: {0}")]
    Flaw(String),
}

/// Why a file of keys is not used, and what to do, as the rest of a sentence about the file. Never contains a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum KeyFileError {
    /// It is a folder, a pipe, or far too large.
    #[error("is not a plain file of keys")]
    NoPlainFile,
    /// Another user owns the file and could change it.
    #[error("belongs to another user: its keys are not used")]
    Foreign,
    /// Others can read the file; its path is for the command that repairs this.
    #[error("can be read by others: its keys are not used. Run: chmod 600 {}", .0.display())]
    Open(PathBuf),
    /// With the number of the line, from 1.
    #[error("is no TOML in line {0}: write one NAME = \"KEY\" a line")]
    NoToml(usize),
    /// With the unknown key and the provider's name.
    #[error("says {0:?} of {1:?}: only key and origin are known")]
    Unknown(String, String),
    /// With the provider's name.
    #[error("holds no key for {0:?}: write {0} = \"KEY\"")]
    NoKey(String),
    /// With the provider's name.
    #[error("has the key for {0:?} in a table of its own: change it there")]
    InTable(String),
    /// With the provider's name.
    #[error("names no origin for {0:?}: write origin = \"https://api.example.com\"")]
    NoOrigin(String),
}

/// An error in a file, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InvalidSetting {
    pub(crate) path: PathBuf,
    /// The line, from 1.
    pub(crate) line: usize,
    /// The column, from 1, in characters.
    pub(crate) column: usize,
    /// The wrong setting, such as `review.arm_ms`; empty if the file is not TOML at all.
    pub(crate) key: String,
    /// What is wrong, and what would be right.
    pub(crate) message: String,
    /// The line's text, without control characters.
    pub(crate) text: String,
    /// How many characters of the text to mark.
    pub(crate) width: usize,
}

impl std::error::Error for InvalidSetting {}

impl fmt::Display for InvalidSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, column, key, message, text, width } = self;
        let colon = if key.is_empty() { "" } else { ": " };
        writeln!(f, "{}:{line}:{column}: {key}{colon}{message}", path.display())?;
        let number = line.to_string();
        let margin = " ".repeat(number.len());
        writeln!(f, "{margin} |")?;
        writeln!(f, "{number} | {text}")?;
        write!(f, "{margin} | {}{}", " ".repeat(column.saturating_sub(1)), "^".repeat((*width).max(1)))
    }
}

impl InvalidSetting {
    /// Makes the error for a byte range of a file's text.
    pub(super) fn at(
        path: &std::path::Path,
        source: &str,
        span: std::ops::Range<usize>,
        key: String,
        message: String,
    ) -> Self {
        let start = source.floor_char_boundary(span.start);
        let Position { line, column } = Position::of(source, start);
        let rest = source.get(start..span.end.max(start)).unwrap_or_default();
        let width = rest.lines().next().unwrap_or_default().chars().count();
        // Long lines are cut: the place is what matters.
        let text: String = source
            .split('\n')
            .nth(line - 1)
            .unwrap_or_default()
            .trim_end_matches('\r')
            .chars()
            .take(200)
            .map(|c| if is_harmless(c) { c } else { '\u{fffd}' })
            .collect();
        Self {
            path: path.to_owned(),
            line,
            column,
            key,
            message,
            width: width.min(text.chars().count().saturating_sub(column - 1)),
            text,
        }
    }
}

/// Whether a character of a file may be shown as it is.
pub(super) fn is_harmless(c: char) -> bool {
    c == '\t'
        || !(c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'))
}
