//! Carrying out what a person approved: a file is written, read or listed, and the report of it is like that of a run.
//!
//! The place is looked at once more first; where it is not as it was approved, nothing is done.

use super::FileError;
use super::{excerpt, listing, replace, target};
use crate::domain::{Captured, FileAct, FileChange, OnDisk, Outcome, Receipt, RunReport, Stream, Target};
use std::path::Path;
use std::time::Instant;

/// What is to be done, as it was approved.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    /// What.
    pub act: &'a FileAct,
    /// Where, as it was found when it was approved.
    pub target: &'a Target,
    /// The block's text: the new content of a file that is written.
    pub source: &'a str,
    /// Bytes of output that are kept.
    pub kept_bytes: u64,
}

/// Does it. This reads and writes: for a worker.
pub fn carry_out(order: Order<'_>, cwd: &Path, home: Option<&Path>) -> RunReport {
    let began = Instant::now();
    let mut files = Vec::new();
    let done = same(order, cwd, home).and_then(|()| done(order, cwd, &mut files));
    let mut output = Captured::new(order.kept_bytes);
    let outcome = match done {
        Ok(text) => {
            output.push(Stream::Stdout, text.as_bytes());
            Outcome::Ok
        }
        Err(Failure::Refused(why)) => Outcome::Refused(why),
        Err(Failure::Failed(why)) => {
            output.push(Stream::Stderr, format!("{why}\n").as_bytes());
            Outcome::Failed
        }
    };
    let wall_us = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
    let receipt = Receipt { wall_us, files, ..Receipt::default() };
    RunReport { receipt, output, ..RunReport::bare(outcome) }
}

enum Failure {
    /// It is not as it was approved: nothing was done.
    Refused(String),
    /// The system refused.
    Failed(String),
}

/// Whether the name still leads to the place that was approved.
fn same(order: Order<'_>, cwd: &Path, home: Option<&Path>) -> Result<(), Failure> {
    let now = target::look(cwd, home, order.act).map_err(Failure::Refused)?.target;
    if now.same_as(order.target) {
        Ok(())
    } else {
        Err(Failure::Refused(format!("{} changed since it was shown", order.act.path())))
    }
}

fn done(order: Order<'_>, cwd: &Path, files: &mut Vec<FileChange>) -> Result<String, Failure> {
    let Order { act, target, source, .. } = order;
    let system = |error: std::io::Error| Failure::Failed(format!("{}: {error}", act.path()));
    match act {
        FileAct::Write { path } => {
            replace::replace(target, source.as_bytes()).map_err(|error| match error {
                FileError::Changed { .. } => Failure::Refused(error.to_string()),
                error => Failure::Failed(error.to_string()),
            })?;
            let change = if target.found == OnDisk::Nothing { "created" } else { "changed" };
            let bytes = source.len() as u64;
            let cwd = cwd.canonicalize().unwrap_or_else(|_| cwd.to_path_buf());
            let below = target.path.strip_prefix(&cwd).unwrap_or(&target.path);
            files.push(FileChange {
                path: below.to_string_lossy().into_owned(),
                change: change.into(),
                bytes,
            });
            Ok(format!("{change} {path}: {} lines, {}\n", source.lines().count(), super::facts::size(bytes)))
        }
        FileAct::Read { path, from, lines } => {
            excerpt::lines(&target.path, path, *from, *lines).map_err(system)
        }
        FileAct::List { path, depth } => listing::tree(&target.path, path, *depth).map_err(system),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(folder: &Path, act: &FileAct, source: &str, between: impl FnOnce()) -> RunReport {
        let target = target::look(folder, None, act).expect("seen").target;
        between();
        carry_out(Order { act, target: &target, source, kept_bytes: 1 << 20 }, folder, None)
    }

    #[test]
    fn a_write_is_told_with_its_receipt() {
        let folder = tempfile::tempdir().expect("a folder");
        let act = FileAct::Write { path: "notes/plan.md".into() };
        let report = ordered(folder.path(), &act, "# Plan\n", || {});
        assert_eq!(report.outcome, Outcome::Ok);
        assert_eq!(report.output.bytes(Stream::Stdout), b"created notes/plan.md: 1 lines, 7 B\n");
        let told = report.receipt.files.first().map(|f| (f.path.as_str(), f.change.as_str(), f.bytes));
        assert_eq!(told, Some(("notes/plan.md", "created", 7)));
    }

    #[test]
    fn what_changed_in_between_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        let act = FileAct::Write { path: "a".into() };
        let report = ordered(folder.path(), &act, "x", || std::fs::write(&path, "mine").expect("written"));
        assert_eq!(report.outcome, Outcome::Refused("a changed since it was shown".into()));
        assert_eq!(std::fs::read(&path).expect("read"), b"mine");
    }

    #[test]
    fn a_file_that_grows_is_read_nevertheless() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log");
        std::fs::write(&path, "one\n").expect("written");
        let act = FileAct::Read { path: "log".into(), from: 1, lines: 9 };
        let report =
            ordered(folder.path(), &act, "", || std::fs::write(&path, "one\ntwo\n").expect("written"));
        assert_eq!(report.output.bytes(Stream::Stdout), b"log: lines 1-2 of 2, 8 B\none\ntwo\n");
    }

    #[test]
    fn a_file_that_is_not_there_fails_with_words() {
        let folder = tempfile::tempdir().expect("a folder");
        let act = FileAct::Read { path: "no".into(), from: 1, lines: 9 };
        let report = ordered(folder.path(), &act, "", || {});
        assert_eq!(report.outcome, Outcome::Failed);
        assert!(report.output.bytes(Stream::Stderr).starts_with(b"no: No such file"));
    }
}
