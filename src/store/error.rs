//! The errors of session files. Each message says what happened, where, and what to do next.

use crate::domain::sentences::saving;
use crate::domain::{BlockId, RunId};
use crate::text::number::grouped;
use crate::text::system_error::words;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A session can't be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process writes to the session.
    #[error("{} is open in another sayso{}: close it there, or start a new session", .path.display(), by_process(*.pid))]
    Locked {
        /// The session file.
        path: PathBuf,
        /// The process that holds it, if the system reports it.
        pid: Option<u32>,
    },
    /// The file was written by a newer version; it was not touched.
    #[error("{}:{line}: the session was written by a newer sayso (format {found}, this one reads {known}): update sayso to open it", .path.display())]
    Newer {
        /// The session file.
        path: PathBuf,
        /// The line with the newer version.
        line: u64,
        /// The version found.
        found: u64,
        /// The newest version that this program reads.
        known: u64,
    },
    /// The file is something else.
    #[error("{} is not a session file: {why}", .path.display())]
    NotASession {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The file holds no complete line: its process ended before anything was written.
    #[error("{} is empty: there is nothing to resume, it can be deleted", .path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The file or its folder can't be trusted: it belongs to another user, or is not a regular file.
    #[error("{} {why}", .path.display())]
    Unsafe {
        /// The file or folder.
        path: PathBuf,
        /// Why, and what to do.
        why: String,
    },
    /// The system refused.
    #[error("{} can't be {doing}: {}", .path.display(), cause(.source))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried: `opened`, `read`, `written`.
        doing: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// The session can't be written at the moment; its newest entries are kept in memory.
    #[error("{}", saving::not_saved(.0))]
    NotSaved(String),
    /// The person stopped the reading of the file.
    #[error("The session was not opened: its reading was stopped.")]
    Stopped,
    /// The session was closed already.
    #[error("the session is closed")]
    Closed,
}

impl StoreError {
    pub(crate) fn io(path: &Path, doing: &'static str, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), doing, source }
    }

    pub(crate) fn unsafe_place(path: &Path, why: impl Into<String>) -> Self {
        Self::Unsafe { path: path.to_owned(), why: why.into() }
    }

    pub(crate) fn not_a_session(path: &Path, why: impl Into<String>) -> Self {
        Self::NotASession { path: path.to_owned(), why: why.into() }
    }

    /// Only the cause, for `Session not saved: CAUSE.`
    pub(crate) fn brief(&self) -> String {
        match self {
            StoreError::Io { source, .. } => cause(source),
            StoreError::NotSaved(why) => why.clone(),
            other => other.to_string(),
        }
    }
}

fn by_process(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" (process {pid})")).unwrap_or_default()
}

/// Describes an error of the system.
pub(crate) fn cause(error: &io::Error) -> String {
    use io::ErrorKind as K;
    match error.kind() {
        K::StorageFull => saving::DISK_FULL.into(),
        K::QuotaExceeded => "disk quota exceeded".into(),
        K::ReadOnlyFilesystem => "the file system is read-only".into(),
        K::PermissionDenied => "permission denied".into(),
        K::NotFound => "no such file or folder".into(),
        K::NotADirectory => "a part of its path is not a folder".into(),
        K::FileTooLarge => "the file would be larger than allowed".into(),
        _ => words(error).to_lowercase(),
    }
}

/// Damage inside a session file. It is reported to the person and never fatal; the file keeps the line as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Damage {
    /// The line, from 1.
    pub(crate) line: u64,
    pub(crate) fault: Fault,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The last line was not written completely; this many bytes were cut off.
    Torn(u64),
    /// The line can't be read, and why; it is skipped.
    Unreadable(String),
    /// The bytes of the line are not those that were written; it is skipped.
    Checksum,
    /// The line before this one is not the one it was written after: lines are missing or were changed.
    Chain,
    /// A kind of entry that this version does not know; it is skipped.
    UnknownKind(String),
    /// The first line, which names the session, is damaged: its folder and model are not known.
    Header,
    /// The output of a run is stored in a file of its own, which is missing or was changed.
    Blob(String),
    /// The line was written by a newer version; it is skipped.
    NewerLine(u64),
    /// The text of this block is not the one that this run was approved for.
    Contradicts(BlockId, RunId),
    /// This run of this block has ended, but its approval can't be read.
    ApprovalLost(BlockId, RunId),
    /// A known secret was masked when this line was written, so its text is not the original.
    Redacted,
}

impl Damage {
    /// Whether something is not as it was written. A masked secret and a line of a newer version are as they should
    /// be.
    pub(crate) fn is_loss(&self) -> bool {
        !matches!(self.fault, Fault::Redacted | Fault::UnknownKind(_) | Fault::NewerLine(_))
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line;
        match &self.fault {
            Fault::Torn(bytes) => {
                write!(f, "Line {line} was not written to its end: {bytes} bytes were cut off.")
            }
            Fault::Unreadable(why) => write!(f, "Line {line} is damaged and was skipped: {why}."),
            Fault::Checksum => write!(f, "Line {line} is damaged and was skipped: its checksum differs."),
            Fault::Chain => {
                write!(f, "Before line {line} something is missing or was changed: its link does not fit.")
            }
            Fault::UnknownKind(kind) => {
                write!(f, "Line {line} was skipped: this version does not know entries of kind {kind:?}.")
            }
            Fault::Header => {
                write!(
                    f,
                    "Line {line}, which names the session, is damaged: its folder and model are not known."
                )
            }
            Fault::Blob(why) => write!(f, "The output of line {line} is not complete: {why}."),
            Fault::NewerLine(version) => write!(
                f,
                "Line {line} was written by a newer sayso (format {version}) and was skipped: update sayso to read it."
            ),
            Fault::Contradicts(block, run) => write!(
                f,
                "Line {line}: the text of block {block} is not the one that run {run} was approved for: the file was changed."
            ),
            Fault::ApprovalLost(block, run) => write!(
                f,
                "Line {line}: run {run} of block {block} has an end, but its approval can't be read. It counts as run."
            ),
            Fault::Redacted => f.write_str(&saving::masked(line)),
        }
    }
}

/// The most damages that are shown one by one, to leave room for other things.
const MAX_DAMAGES_SHOWN: usize = 20;

/// What is wrong with a file, in a few lines: the first damages, how many more there are, and all masks in one line.
pub(crate) fn damage_summary(damage: &[Damage]) -> Vec<String> {
    damage_lines(damage, MAX_DAMAGES_SHOWN)
}

/// Like `damage_summary`, with every damage.
pub(crate) fn damage_details(damage: &[Damage]) -> Vec<String> {
    damage_lines(damage, usize::MAX)
}

fn damage_lines(damage: &[Damage], most: usize) -> Vec<String> {
    let (masks, others): (Vec<&Damage>, Vec<&Damage>) =
        damage.iter().partition(|damage| damage.fault == Fault::Redacted);
    let mut told: Vec<String> = others.iter().take(most).map(ToString::to_string).collect();
    if let Some(more @ 1..) = others.len().checked_sub(most) {
        let are = if more == 1 { "line is" } else { "lines are" };
        told.push(format!("{} more {are} damaged: sayso sessions check names each.", grouped(more as u64)));
    }
    match masks.as_slice() {
        [] => {}
        [one] => told.push(one.to_string()),
        [first, ..] => told.push(saving::masked_lines(&grouped(masks.len() as u64), first.line)),
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_told_together_and_damages_in_a_bounded_number() {
        let of = |fault: Fault, lines: std::ops::Range<u64>| -> Vec<Damage> {
            lines.map(|line| Damage { line, fault: fault.clone() }).collect()
        };
        let many = [of(Fault::Redacted, 3..50_003), of(Fault::Checksum, 60_000..61_000)].concat();
        let told = damage_summary(&many);
        assert_eq!(told.len(), MAX_DAMAGES_SHOWN + 2);
        assert!(told[0].starts_with("Line 60000 is damaged"), "{told:?}");
        assert_eq!(
            told[MAX_DAMAGES_SHOWN..],
            [
                "980 more lines are damaged: sayso sessions check names each.",
                "In 50,000 lines, from line 3 on, a secret is masked."
            ]
        );
        assert_eq!(damage_details(&many).len(), 1001);
        let one = of(Fault::Redacted, 3..4);
        assert_eq!(damage_summary(&one), [one[0].to_string()]);
        assert_eq!(damage_summary(&many[50_000..50_000 + MAX_DAMAGES_SHOWN]).len(), MAX_DAMAGES_SHOWN);
    }

    #[test]
    fn causes_are_told_in_the_words_of_the_interface() {
        let told = |errno: rustix::io::Errno| {
            let error = StoreError::io(Path::new("/x"), "written", errno.into());
            StoreError::NotSaved(error.brief()).to_string()
        };
        assert_eq!(told(rustix::io::Errno::NOSPC), "Session not saved: no space left.");
        assert_eq!(told(rustix::io::Errno::ROFS), "Session not saved: the file system is read-only.");
        assert_eq!(told(rustix::io::Errno::IO), "Session not saved: input/output error.");
    }
}
