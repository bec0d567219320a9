//! Reports failures outside of the terminal screen, always in the same form: `error: what`, `  hint: what to do`, and
//! the exit code that scripts rely on.
//!
//! Rooms have typed errors, which become a [`Failure`] where a command ends. Nothing is logged here.

use crate::domain::visible::Visible;
use crate::domain::{Level, Notice};
use crate::text::system_error::without_number;
use std::fmt;
use std::io::{self, Write};

/// The kinds of failures. Their exit codes are promised to scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::VariantArray)]
pub(crate) enum FailureClass {
    /// The work failed: a block failed, or a finding was too severe.
    Work,
    /// The command line was not understood, or can't be carried out as written.
    Usage,
    Config,
    Provider,
    Session,
    /// A decision is needed that nobody is there to make.
    Decision,
    /// A time limit was reached.
    TimedOut,
    /// The person interrupted it.
    Interrupted,
}

impl FailureClass {
    pub(crate) fn code(self) -> u8 {
        match self {
            FailureClass::Work => 1,
            FailureClass::Usage => 2,
            FailureClass::Config => 3,
            FailureClass::Provider => 4,
            FailureClass::Session => 5,
            FailureClass::Decision => 10,
            FailureClass::TimedOut => 124,
            FailureClass::Interrupted => 130,
        }
    }
}

/// Why a command ended without success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) kind: FailureClass,
    /// What happened, and where. Empty if it was reported already (in JSON, or beside the failed block).
    pub(crate) what: String,
    /// What to do next.
    pub(crate) hint: Option<String>,
}

impl Failure {
    /// A failure that still has to be reported.
    pub(crate) fn new(kind: FailureClass, what: impl Into<String>) -> Self {
        Self { kind, what: what.into(), hint: None }
    }

    /// Adds a hint.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// A failure that was reported already; only its exit code remains.
    pub(crate) fn already_reported(kind: FailureClass) -> Self {
        Self::new(kind, "")
    }

    /// Writes it for standard error. The text may contain text of others, so it is escaped.
    pub(crate) fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        if !self.what.is_empty() {
            writeln!(out, "error: {}", Visible(&self.what))?;
        }
        match &self.hint {
            Some(hint) => writeln!(out, "  hint: {}", Visible(hint)),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Failure {}

impl From<io::Error> for Failure {
    /// Standard output can't be written. If the reader closed it, nothing is printed; only the exit code shows it.
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::already_reported(FailureClass::Work),
            _ => {
                let why = reason(&error);
                Failure::new(FailureClass::Work, format!("the output can't be written: {why}"))
            }
        }
    }
}

/// Prints notices of a command in which nothing can be typed, one line each.
pub(crate) fn print_notices(notices: &[Notice], err: &mut dyn Write) -> io::Result<()> {
    for notice in notices {
        let label = match notice.level {
            Level::Info => "note",
            Level::Warn => "warning",
            Level::Error => "error",
        };
        writeln!(err, "{label}: {}", Visible(notice.headless_text()))?;
    }
    Ok(())
}

/// The system's error message without its number, and without the path of a temporary file, which `tempfile` adds
/// behind it; a text of sayso's own stays as it is.
pub(crate) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or folder".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::IsADirectory => "it is a folder".into(),
        io::ErrorKind::NotADirectory => "it is not a folder".into(),
        _ => {
            let text = error.to_string();
            match without_number(&text) {
                Some(words) => words.to_lowercase(),
                None => text,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::VariantArray as _;

    fn written(failure: &Failure) -> String {
        let mut out = Vec::new();
        failure.write_to(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_failure_is_two_lines() {
        let failure = Failure::new(FailureClass::Usage, "no such file: a.py").hint("Check the name.");
        assert_eq!(written(&failure), "error: no such file: a.py\n  hint: Check the name.\n");
        assert_eq!(written(&Failure::already_reported(FailureClass::Work)), "");
        let full = Failure::from(io::Error::from_raw_os_error(28));
        assert_eq!(written(&full), "error: the output can't be written: no space left on device\n");
    }

    #[test]
    fn what_others_wrote_is_escaped() {
        let failure = Failure::new(FailureClass::Provider, "evil \u{1b}]52;c;x\u{7} \u{202e}");
        assert_eq!(written(&failure), "error: evil \\x1b]52;c;x\\x07 <U+202E>\n");
    }

    #[test]
    fn a_reason_is_the_systems_words_without_a_temporary_file() {
        let own = io::Error::other("it is larger than 1 MiB");
        assert_eq!(reason(&own), "it is larger than 1 MiB");
        assert_eq!(reason(&io::Error::from_raw_os_error(28)), "no space left on device");
        let made = tempfile::NamedTempFile::new_in("x".repeat(300)).unwrap_err();
        assert!(made.to_string().contains("xxx"), "{made}");
        assert_eq!(reason(&made), "file name too long");
    }

    #[test]
    fn the_codes_are_those_that_were_promised() {
        let codes: Vec<u8> = FailureClass::VARIANTS.iter().map(|class| class.code()).collect();
        assert_eq!(codes, [1, 2, 3, 4, 5, 10, 124, 130]);
    }

    #[test]
    fn the_reference_lists_every_code_and_outcome() {
        let page = include_str!("../docs/reference.md");
        for code in FailureClass::VARIANTS.iter().map(|class| class.code()) {
            assert!(page.contains(&format!("\n| {code} | ")), "{code}");
        }
        let of_runs = |name: &&&str| !["rejected", "skipped", "declined"].contains(*name);
        for outcome in crate::domain::Outcome::ALL_NAMES.iter().filter(of_runs) {
            assert!(page.contains(&format!("`{outcome}`")), "{outcome}");
        }
    }
}
