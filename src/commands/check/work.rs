//! Reviews many files side by side and hands them over in their order.
//!
//! Files are taken in batches, so that memory does not grow with their number; a text is dropped when its review is
//! done, and what is kept of it are the lines that findings stand on.

use super::files::Job;
use super::human;
use crate::commands::{input, setup};
use crate::domain::{Language, Review};
use crate::driver::review_in_time;
use crate::report::Failure;
use crate::review::Scope;
use std::io::{self, Read as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Files that wait to be told at the most.
const BATCH: usize = 256;

/// Larger files are not read: no code that people look at is.
const LARGEST: u64 = 64 << 20;

/// Stack of a thread that reviews: trees are walked without recursion, grammars are not.
const STACK: usize = 8 << 20;

/// Whether lines of code are wanted beside the findings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Lines,
    Data,
}

/// One file that was looked at.
pub(super) struct Checked {
    pub(super) path: PathBuf,
    pub(super) outcome: Outcome,
}

/// What came of it.
pub(super) enum Outcome {
    Reviewed {
        /// Its language by name.
        language: Option<String>,
        review: Review,
        /// For each finding its line of code, where they are wanted.
        lines: Vec<String>,
    },
    /// Why it can't be read.
    Unread(String),
}

/// Reviews files and tells each in its order.
///
/// # Errors
/// What telling says; then the rest is not reviewed.
pub(super) fn each(
    mut jobs: impl Iterator<Item = Job>,
    scope: &Scope,
    form: Form,
    tell: &mut dyn FnMut(Checked) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    loop {
        let batch: Vec<Job> = jobs.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            return Ok(());
        }
        for checked in side_by_side(&batch, scope, form, threads.min(batch.len())) {
            tell(checked)?;
        }
    }
}

fn side_by_side(batch: &[Job], scope: &Scope, form: Form, threads: usize) -> Vec<Checked> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Checked)>> = Mutex::new(Vec::with_capacity(batch.len()));
    let work = || {
        while let Some((index, job)) = take(&next, batch) {
            let checked = check(job, scope, form);
            done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((index, checked));
        }
    };
    thread::scope(|threads_of| {
        for _ in 1..threads {
            // Where the system gives no more threads, those that there are do all the work.
            if thread::Builder::new().stack_size(STACK).spawn_scoped(threads_of, work).is_err() {
                break;
            }
        }
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, checked)| checked).collect()
}

fn take<'j>(next: &AtomicUsize, batch: &'j [Job]) -> Option<(usize, &'j Job)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    batch.get(index).map(|job| (index, job))
}

fn check(job: &Job, scope: &Scope, form: Form) -> Checked {
    let path = job.path.clone();
    let bytes = match read(&path) {
        Ok(bytes) => bytes,
        Err(error) => return Checked { path, outcome: Outcome::Unread(setup::reason(&error)) },
    };
    let language = job.language.clone();
    let outcome = match text(bytes) {
        Ok(source) => {
            let named = language.clone().map(Language);
            // A rule that breaks must neither end the check nor let a file pass as clean.
            let review = catch_unwind(AssertUnwindSafe(|| review_in_time(&source, named.as_ref(), scope)));
            let broke = |_| Review { unchecked: Some("the checks broke off".into()), ..Review::default() };
            let review = review.unwrap_or_else(broke);
            let lines = if form == Form::Lines { human::lines(&source, &review) } else { Vec::new() };
            Outcome::Reviewed { language, review, lines }
        }
        Err(why) => {
            let review = Review { unchecked: Some(why), ..Review::default() };
            Outcome::Reviewed { language: None, review, lines: Vec::new() }
        }
    };
    Checked { path, outcome }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if input::is_stdin(path) {
        io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes)?;
    } else {
        std::fs::File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// The text of a file; why it is none otherwise.
fn text(bytes: Vec<u8>) -> Result<String, String> {
    if bytes.len() as u64 > LARGEST {
        return Err(format!("it is larger than {} MiB", LARGEST >> 20));
    }
    if bytes.iter().take(8192).any(|byte| *byte == 0) {
        return Err("it is no text".to_owned());
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        // Old sources in other encodings: what is not UTF-8 can't matter to rules.
        Err(error) => Ok(String::from_utf8_lossy(error.as_bytes()).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_files_are_told_in_their_order() {
        let home = tempfile::tempdir().unwrap();
        let jobs: Vec<Job> = (0..600)
            .map(|n| {
                let path = home.path().join(format!("{n}.py"));
                // Some take longer than others.
                let text = format!("import os\n{}", "x = 1\n".repeat((n * 37) % 400));
                std::fs::write(&path, text + "os.remove('a')\n").unwrap();
                Job { path, language: Some("python".into()) }
            })
            .collect();
        let mut seen = Vec::new();
        let mut tell = |checked: Checked| {
            let Outcome::Reviewed { review, .. } = &checked.outcome else { panic!("it was not read") };
            assert_eq!(review.findings.len(), 1);
            seen.push(checked.path);
            Ok(())
        };
        each(jobs.iter().cloned(), &Scope::default(), Form::Data, &mut tell).unwrap();
        assert_eq!(seen, jobs.iter().map(|job| job.path.clone()).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_no_text_is_said() {
        assert!(text(vec![0x7f, b'E', b'L', b'F', 0]).is_err());
        assert_eq!(text(vec![b'a', 0xff, b'b']).unwrap(), "a\u{fffd}b");
    }
}
