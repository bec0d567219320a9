//! Reviews many files in parallel and reports them in their order.
//!
//! Files are taken in batches, so that memory does not grow with their number. A text is dropped once it is reviewed;
//! only the lines of its findings stay.

use super::files::FileJob;
use super::lines::{cell_lines, lines};
use super::pieces::shebang_language;
use super::pieces::{self, JoinedReview, Piece, PieceForm, Pieces};
use super::progress::Progress;
use crate::commands::input;
use crate::domain::{Language, Languages, Review};
use crate::driver::review_in_time;
use crate::report::{self, Failure};
use crate::review::Scope;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Files in a batch: the most results that wait to be reported.
const BATCH_FILES: usize = 256;

/// The largest file that is checked; no code that people read is larger.
const MAX_BYTES: u64 = 64 << 20;

/// The stack of a reviewing thread: trees are walked without recursion, grammars are not.
const STACK_BYTES: usize = 8 << 20;

/// How long to wait for a result before the progress is shown again.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// The form of the report. Only the one for people shows lines of code beside the findings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReportForm {
    Lines,
    Json,
    Sarif,
}

/// A file and the outcome of its check.
pub(super) struct CheckedFile {
    pub(super) path: PathBuf,
    pub(super) outcome: CheckOutcome,
}

pub(super) enum CheckOutcome {
    Reviewed {
        /// The name of the language or the form.
        language: Option<String>,
        review: Review,
        /// The notebook cell of each finding; empty if the file is not a notebook.
        cells: Vec<Option<u32>>,
        /// The line of code of each finding, if the report shows lines.
        lines: Vec<String>,
    },
    /// The file can't be read, and why.
    Unread(String),
}

/// Reviews files and calls `report` for each, in their order.
///
/// # Errors
/// The first error of `report`; the remaining files are not reviewed.
pub(super) fn review_each(
    mut jobs: impl Iterator<Item = FileJob>,
    (scope, languages): (&Scope, &Languages),
    form: ReportForm,
    progress: &mut Progress<'_>,
    report: &mut dyn FnMut(CheckedFile) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    loop {
        let batch: Vec<FileJob> = jobs.by_ref().take(BATCH_FILES).collect();
        if batch.is_empty() {
            return Ok(());
        }
        let threads = threads.min(batch.len());
        let done = review_batch(&batch, (scope, languages), form, threads, progress);
        progress.clear();
        for checked in done {
            report(checked)?;
        }
    }
}

fn review_batch(
    batch: &[FileJob],
    (scope, languages): (&Scope, &Languages),
    form: ReportForm,
    threads: usize,
    progress: &mut Progress<'_>,
) -> Vec<CheckedFile> {
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    let work = |done: &mpsc::Sender<(usize, CheckedFile)>| {
        while let Some((index, job)) = take(&next, batch) {
            // The receiver lives until all threads have ended.
            let _ = done.send((index, check(job, (scope, languages), form)));
        }
    };
    let mut done: Vec<(usize, CheckedFile)> = Vec::with_capacity(batch.len());
    thread::scope(|threads_of| {
        let mut started = 0;
        for _ in 0..threads {
            let (work, sender) = (&work, sender.clone());
            // If the system starts no more threads, those that run do all the work.
            if thread::Builder::new()
                .stack_size(STACK_BYTES)
                .spawn_scoped(threads_of, move || work(&sender))
                .is_err()
            {
                break;
            }
            started += 1;
        }
        if started == 0 {
            work(&sender);
        }
        drop(sender);
        loop {
            match results.recv_timeout(PROGRESS_INTERVAL) {
                Ok(one) => {
                    done.push(one);
                    progress.count_file();
                }
                Err(RecvTimeoutError::Timeout) => progress.update(Instant::now()),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    });
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, checked)| checked).collect()
}

fn take<'j>(next: &AtomicUsize, batch: &'j [FileJob]) -> Option<(usize, &'j FileJob)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    batch.get(index).map(|job| (index, job))
}

fn check(job: &FileJob, (scope, languages): (&Scope, &Languages), form: ReportForm) -> CheckedFile {
    let path = job.path.clone();
    let bytes = match input::read_bytes(&path, MAX_BYTES + 1) {
        Ok(bytes) => bytes,
        Err(error) => return CheckedFile { path, outcome: CheckOutcome::Unread(report::reason(&error)) },
    };
    let source = match decode(bytes) {
        Ok(source) => source,
        Err(why) => {
            let review = crate::review::unchecked(&why.to_string(), scope);
            let outcome =
                CheckOutcome::Reviewed { language: None, review, cells: Vec::new(), lines: Vec::new() };
            return CheckedFile { path, outcome };
        }
    };
    let (holds, found) = detect_pieces(job, &source, languages);
    let language = holds.name().map(str::to_owned);
    let (mut review, cells) = match (&holds, found.pieces.as_slice()) {
        (PieceForm::Program(_), []) => (review_text(&source, language.as_deref(), scope), Vec::new()),
        _ => join(&source, found, scope),
    };
    pieces::name_as_written(&holds, &mut review);
    let lines = match (form, &holds) {
        (ReportForm::Json | ReportForm::Sarif, _) => Vec::new(),
        (ReportForm::Lines, PieceForm::Notebook) => cell_lines(&pieces::cell_texts(&source), &review, &cells),
        (ReportForm::Lines, _) => lines(&source, &review),
    };
    CheckedFile { path, outcome: CheckOutcome::Reviewed { language, review, cells, lines } }
}

/// The form of a file, and its pieces. A program whose name and first line show different languages is reviewed in
/// both, because either may run it.
fn detect_pieces(job: &FileJob, source: &str, languages: &Languages) -> (PieceForm, Pieces) {
    let PieceForm::Program(named) = &job.form else {
        return (job.form.clone(), pieces::pieces(&job.form, source, languages));
    };
    let told = shebang_language(source).filter(|_| !job.chosen);
    let Some(told) = told else { return (job.form.clone(), Pieces::default()) };
    if told == "make" && named.is_none() {
        return (PieceForm::Makefile, pieces::pieces(&PieceForm::Makefile, source, languages));
    }
    let reads_alike = |named: &String| crate::review::reads_alike(named, &told);
    match named {
        None => (PieceForm::Program(Some(told)), Pieces::default()),
        Some(named) if reads_alike(named) => (job.form.clone(), Pieces::default()),
        Some(named) => {
            let pieces = [named, &told].map(|language| Piece::whole(language, source)).into();
            (job.form.clone(), Pieces { pieces, ..Pieces::default() })
        }
    }
}

/// Reviews all pieces and joins the reviews.
fn join(source: &str, found: Pieces, scope: &Scope) -> (Review, Vec<Option<u32>>) {
    let mut joined = JoinedReview::default();
    for piece in &found.pieces {
        let scope = Scope { in_image: piece.in_image, ..scope.clone() };
        joined.add(piece, review_text(&piece.source, piece.language.as_deref(), &scope));
    }
    if found.prose {
        joined.add_characters(&found.pieces, review_text(source, None, scope));
    }
    let unread = !found.not_pieces.is_empty();
    joined.add_unread(found.not_pieces);
    let (mut review, mut cells) = joined.finish();
    if unread {
        let closed = crate::review::unchecked(review.unchecked.as_deref().unwrap_or_default(), scope);
        cells.extend(closed.findings.iter().map(|_| None));
        review.findings.extend(closed.findings);
    }
    (review, cells)
}

/// Reviews a text. A rule that panics must neither end the check nor let a file pass as clean.
fn review_text(source: &str, language: Option<&str>, scope: &Scope) -> Review {
    let named = language.map(|name| Language(name.to_owned()));
    let review = catch_unwind(AssertUnwindSafe(|| review_in_time(source, named.as_ref(), scope)));
    review.unwrap_or_else(|_| crate::review::unchecked("the checks broke off", scope))
}

/// Why the bytes of a file are not checked.
#[derive(Debug, thiserror::Error)]
enum DecodeError {
    #[error("it is larger than {} MiB", MAX_BYTES >> 20)]
    TooLarge,
    #[error("it is no text")]
    Binary,
}

/// Decodes the bytes of a file; refuses large and binary ones.
fn decode(bytes: Vec<u8>) -> Result<String, DecodeError> {
    if bytes.len() as u64 > MAX_BYTES {
        return Err(DecodeError::TooLarge);
    }
    if bytes.iter().take(8192).any(|byte| *byte == 0) {
        return Err(DecodeError::Binary);
    }
    // Old sources may have another encoding; rules don't depend on the bytes that are not UTF-8.
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_files_are_told_in_their_order() {
        let home = tempfile::tempdir().unwrap();
        let jobs: Vec<FileJob> = (0..600)
            .map(|n| {
                let path = home.path().join(format!("{n}.py"));
                // Some take longer than others.
                let text = format!("import os\n{}", "x = 1\n".repeat((n * 37) % 400));
                std::fs::write(&path, text + "os.remove('a')\n").unwrap();
                FileJob { path, form: PieceForm::Program(Some("python".into())), chosen: false }
            })
            .collect();
        let mut seen = Vec::new();
        let mut report = |checked: CheckedFile| {
            let CheckOutcome::Reviewed { review, .. } = &checked.outcome else { panic!("it was not read") };
            assert_eq!(review.findings.len(), 1);
            seen.push(checked.path);
            Ok(())
        };
        let mut err = Vec::new();
        let (scope, languages) = (Scope::default(), Languages::default());
        let progress = &mut Progress::new(&mut err);
        review_each(jobs.iter().cloned(), (&scope, &languages), ReportForm::Json, progress, &mut report)
            .unwrap();
        assert_eq!(seen, jobs.iter().map(|job| job.path.clone()).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_no_text_is_said() {
        assert!(decode(vec![0x7f, b'E', b'L', b'F', 0]).is_err());
        assert_eq!(decode(vec![b'a', 0xff, b'b']).unwrap(), "a\u{fffd}b");
    }
}
