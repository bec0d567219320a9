//! The subject of a debugging recipe: a file that is run, or code that runs as a block. The recipe's inputs name it.

use super::{CheckOption, OptionKind, OwnBlock};
use crate::domain::{BlockId, Language, RunReport, Stream};
use crate::recipe::command::{self, ProgramNames};
use crate::recipe::text::printable;
use crate::recipe::view::View;

/// The options whose inputs name the subject.
pub(super) const OPTIONS: &[CheckOption] = &[
    CheckOption::FILE,
    CheckOption { name: "command", kind: OptionKind::Input },
    CheckOption { name: "code", kind: OptionKind::Input },
    CheckOption { name: "language", kind: OptionKind::Input },
    CheckOption { name: "block", kind: OptionKind::Input },
    CheckOption { name: "error", kind: OptionKind::Input },
];

/// The most lines, counted from the end, that are searched for the one that says what went wrong.
const MAX_LINES: usize = 400;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// A file, and the line of bash that runs it.
    File {
        path: String,
        line: String,
    },
    Code {
        language: Language,
        source: String,
    },
}

/// Why the inputs name no subject that can be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum SubjectError {
    #[error("how {0} is run can't be told from its name: give the command, too")]
    NoCommand(String),
    #[error("there is nothing to look at: name a file or a block, or give the code")]
    Nothing,
    #[error("there is no block {0}")]
    NoBlock(String),
    #[error("block {0} has no code that could be run")]
    NoCode(String),
}

impl Subject {
    /// The subject that the inputs name; a block takes precedence over a file, and a file over code.
    ///
    /// # Errors
    /// When the inputs name none, or it can't be run.
    pub(super) fn of(view: &View<'_>) -> Result<Self, SubjectError> {
        let input = |option: &str| view.context.input(view.option(option)).trim();
        let (block, file, line) = (input("block"), input("file"), input("command"));
        let code = view.context.input(view.option("code"));
        if !block.is_empty() {
            return of_block(view, block);
        }
        if !file.is_empty() || !line.is_empty() {
            let known = (!line.is_empty())
                .then(|| line.to_owned())
                .or_else(|| command::line(file, ProgramNames::of(view)));
            let why = || SubjectError::NoCommand(file.to_owned());
            return Ok(Subject::File { path: file.to_owned(), line: known.ok_or_else(why)? });
        }
        if code.trim().is_empty() {
            return Err(SubjectError::Nothing);
        }
        Ok(Subject::Code { language: command::language(input("language")), source: code.to_owned() })
    }

    /// The block that runs the subject.
    pub(super) fn run(&self, note: &str) -> OwnBlock {
        match self {
            Subject::File { line, .. } => OwnBlock::bash(line, note),
            Subject::Code { language, source } => {
                OwnBlock::code(language.clone(), source.clone(), note.to_owned())
            }
        }
    }
}

fn of_block(view: &View<'_>, number: &str) -> Result<Subject, SubjectError> {
    let id = number.parse().ok().map(BlockId);
    let item =
        id.and_then(|id| view.context.block(id)).ok_or_else(|| SubjectError::NoBlock(number.to_owned()))?;
    // Takes the text that ran last: the person may have edited the block since.
    let ran = item.runs.last().and_then(|run| item.block.version(run.revision));
    let version = ran.unwrap_or(item.block.current());
    match &version.language {
        Some(language) if item.block.kind.is_code() && !version.source.trim().is_empty() => {
            Ok(Subject::Code { language: language.clone(), source: version.source.to_string() })
        }
        _ => Err(SubjectError::NoCode(number.to_owned())),
    }
}

/// How a run failed, in a line: its exception, else the error line it printed last.
pub(super) fn describe_failure(report: &RunReport) -> String {
    if report.error.is_some() || report.outcome.detail().is_some() {
        return super::run::detail(report);
    }
    let tail = String::from_utf8_lossy(&report.output.tail(Stream::Stderr)).into_owned();
    let all = || String::from_utf8_lossy(&report.output.bytes(Stream::Stderr)).into_owned();
    let errors = if tail.trim().is_empty() { all() } else { tail };
    let last = printable(error_line(&errors).unwrap_or_default(), 160);
    let detail = super::run::detail(report);
    if last.is_empty() { detail } else { format!("{last} ({detail})") }
}

/// The line of the error output that says what went wrong. Usually the last one, but node and git print more after it.
fn error_line(errors: &str) -> Option<&str> {
    let lines = || errors.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    let last = lines().next()?;
    if last.starts_with("Node.js v") {
        // JavaScript may throw a value that is no error, so no line need name one.
        let is_note = |line: &&str| line.starts_with("Node.js v") || line.starts_with("(Use `node ");
        let error = lines().take(MAX_LINES).find(|line| error_name(line).is_some());
        return error.or_else(|| lines().find(|line| !is_note(line)));
    }
    let is_fatal = |line: &&str| line.starts_with("fatal: ");
    Some(if error_name(last).is_some() {
        last
    } else {
        lines().take(MAX_LINES).find(is_fatal).unwrap_or(last)
    })
}

/// The name of the exception at the end of an error text: `KeyError`.
pub(super) fn exception(error: &str) -> Option<&str> {
    error.lines().rev().take(MAX_LINES).find_map(error_name)
}

/// The name of the exception in a line, including node's `TypeError [CODE]: …`.
fn error_name(line: &str) -> Option<&str> {
    let head = line.split(':').next().unwrap_or(line).trim();
    let name = head.strip_prefix("Uncaught ").unwrap_or(head);
    let name = name.split(" [").next().unwrap_or(name);
    let is_word = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    let short = name.rsplit('.').next().unwrap_or(name);
    (is_word && (short.ends_with("Error") || short.ends_with("Exception"))).then_some(short)
}

#[cfg(test)]
mod tests {
    use super::error_line;

    #[test]
    fn the_line_that_says_what_went_wrong_is_told() {
        let node = "/work/a.js:2\nx();\n^\n\nReferenceError: x is not defined\n    at Object.<anonymous> (/work/a.js:2:1)\n\nNode.js v20.20.2\n";
        let coded = "node:fs:441\n    return f();\n\nError: ENOENT: no such file or directory, open 'x'\n    at a.js:1:1 {\n  errno: -2,\n  code: 'ENOENT'\n}\n\nNode.js v20.20.2\n";
        let thrown = "/work/a.js:1\nthrow 'boom'\n^\nboom\n(Use `node --trace-uncaught ...` to show where the exception was thrown)\n\nNode.js v20.20.2\n";
        let git = "fatal: not a git repository (or any parent up to mount point /)\nStopping at filesystem boundary (GIT_DISCOVERY_ACROSS_FILESYSTEM not set).\n";
        for (errors, line) in [
            (node, "ReferenceError: x is not defined"),
            (coded, "Error: ENOENT: no such file or directory, open 'x'"),
            ("TypeError [ERR_X]: no\n    at a.js:1:1\n\nNode.js v22.1.0\n", "TypeError [ERR_X]: no"),
            (thrown, "boom"),
            (git, "fatal: not a git repository (or any parent up to mount point /)"),
            ("Traceback (most recent call last):\nKeyError: 'x'\n", "KeyError: 'x'"),
            ("a.sh: line 1: x: command not found\n", "a.sh: line 1: x: command not found"),
        ] {
            assert_eq!(error_line(errors), Some(line), "{errors}");
        }
    }
}
