//! Texts that come back together: one block of sayso's own that consists of them, and what each of them told.
//!
//! The kernel (`assets/kernel.py`) knows such a text by its first line, and tells the end of each block where it prints,
//! and to whoever has to let it go on.

use super::step::{RebuildStep, StepState};
use crate::domain::{Block, BlockId, Outcome, OutputBuffer, RunError, RunId, RunReport, Stream};
use crate::engine::transcript::Transcript;

/// Bytes of the texts of one decision: no more than a person reads.
const MAX_BYTES: usize = 16 << 10;
/// Blocks of one decision: behind each of them all that was printed is told.
const MAX_BLOCKS: usize = 50;
/// What its text begins with.
const TEXT_HEAD: &str = "# Blocks that come back together: each tells its end.\n";
/// What its note begins with.
const NOTE_PREFIX: &str = "to rebuild the kernel: ";

/// Whether one more step can be decided for together with these.
pub(super) fn can_join(together: &[&RebuildStep], step: &RebuildStep) -> bool {
    let all = || together.iter().copied().chain([step]);
    // They share the time of one run.
    let least_ms = all().map(|step| step.wall_ms).min().unwrap_or_default();
    together.len() < MAX_BLOCKS
        && all().all(|step| step.state == StepState::Restorable)
        && all().map(|step| step.size).sum::<usize>() <= MAX_BYTES
        && all().map(|step| step.wall_us / 1_000).sum::<u64>() <= least_ms / 2
}

/// Whether a text means the same behind another one: what has to stand first in a file does not, nor what looks as if another
/// block began.
pub(super) fn is_mergeable(source: &str) -> bool {
    let first = |line: &str| {
        let line = line.trim_start();
        line.starts_with("from __future__") || line.starts_with(['%', '!']) || line.starts_with("# block ")
    };
    !source.lines().any(first)
}

/// The texts of these runs, each below the number of its block.
pub(super) fn text(transcript: &Transcript, runs: &[RunId]) -> Option<String> {
    let mut text = TEXT_HEAD.to_owned();
    for run in runs {
        let (item, run) = transcript.run(*run)?;
        let source = &item.block.version(run.revision)?.source;
        if text != TEXT_HEAD {
            text.push('\n');
        }
        text.push_str(&format!("# block {}\n{source}", item.block.id));
        if !source.ends_with('\n') {
            text.push('\n');
        }
    }
    Some(text)
}

/// Where the text comes from, in words.
pub(super) fn source_note(transcript: &Transcript, runs: &[RunId]) -> String {
    let blocks =
        runs.iter().filter_map(|run| transcript.run(*run)).map(|(item, _)| item.block.id.to_string());
    format!("{NOTE_PREFIX}blocks {}", blocks.collect::<Vec<_>>().join(", "))
}

/// Whether a block consists of texts that came back together.
pub(super) fn is_merged(block: &Block) -> bool {
    block.is_own() && block.origin.note.as_ref().is_some_and(|note| note.starts_with(NOTE_PREFIX))
}

/// What blocks of one text told, as far as it has run. What they wrote to standard error is not told apart: programs that
/// Python knows nothing of write there, too.
#[derive(Debug, Default)]
pub(super) struct ToldParts {
    /// Those that ended.
    ended: Vec<RunReport>,
    /// So much of what the run printed is theirs.
    upto: usize,
}

impl ToldParts {
    pub(super) fn count(&self) -> usize {
        self.ended.len()
    }

    /// The next one, this block, has ended: all that was printed since the one before is its own, whatever it looks like.
    /// `None`: not all of it is there.
    pub(super) fn end(&mut self, block: BlockId, printed: &OutputBuffer) -> Option<&RunReport> {
        if printed.dropped(Stream::Stdout) > 0 {
            return None;
        }
        let all = printed.bytes(Stream::Stdout);
        let own = all.get(self.upto..)?;
        let (own, behind) =
            split_at_last_mark(own, &format!("\n[end of block {block}]\n")).unwrap_or((own, &[]));
        self.upto = all.len() - behind.len();
        let valued = split_at_last_mark(own, &format!("\n[value of block {block}]\n"));
        let (own, value) = valued.map_or((own, None), |(own, value)| (own, Some(value)));
        let mut ended = printing(own);
        ended.value = value.map(|value| String::from_utf8_lossy(value).into_owned());
        self.ended.push(ended);
        self.ended.last()
    }

    /// What each told, the one with which the run ended, too.
    pub(super) fn with_last(&self, report: &RunReport) -> Vec<RunReport> {
        let stdout = report.output.bytes(Stream::Stdout);
        let mut last = printing(stdout.get(self.upto..).unwrap_or_default());
        (last.outcome, last.value) = (report.outcome.clone(), report.value.clone());
        last.error.clone_from(&report.error);
        self.ended.iter().cloned().chain([last]).collect()
    }
}

/// Whether a text could not be read as Python: then none of it ran. The kinds are those of Python's parser.
pub(super) fn is_no_python(error: &RunError) -> bool {
    ["SyntaxError", "IndentationError", "TabError"].contains(&error.kind.as_str())
}

/// What stands before and behind the last of these marks.
fn split_at_last_mark<'b>(bytes: &'b [u8], mark: &str) -> Option<(&'b [u8], &'b [u8])> {
    let at = bytes.windows(mark.len()).rposition(|window| window == mark.as_bytes())?;
    Some((bytes.get(..at)?, bytes.get(at + mark.len()..)?))
}

fn printing(stdout: &[u8]) -> RunReport {
    let mut report = RunReport::bare(Outcome::Ok);
    report.output = OutputBuffer::new(stdout.len() as u64);
    report.output.push(Stream::Stdout, stdout);
    report
}

/// What a run told that can be told of one of several: what it printed, its value and its error.
pub(super) fn own_part(report: &RunReport) -> RunReport {
    let mut told = RunReport::bare(report.outcome.clone());
    told.output = report.output.only_stream(Stream::Stdout);
    (told.value, told.error) = (report.value.clone(), report.error.clone());
    told
}

/// What a run told that is told of all of several together.
pub(super) fn shared_part(report: &RunReport) -> RunReport {
    RunReport { output: report.output.only_stream(Stream::Stderr), ..report.clone() }
}

/// What runs told, one after the other, with the value of the last.
pub(super) fn report(runs: &[&RunReport]) -> RunReport {
    let mut together = RunReport::bare(Outcome::Ok);
    let bytes: usize = runs.iter().map(|run| run.output.limit()).sum();
    together.output = OutputBuffer::new(bytes as u64);
    for run in runs {
        for stream in [Stream::Stdout, Stream::Stderr] {
            together.output.push(stream, &run.output.bytes(stream));
        }
        together.images.extend(run.images.iter().cloned());
        together.pictures.extend(run.pictures.iter().cloned());
    }
    if let Some(last) = runs.last() {
        together.value.clone_from(&last.value);
        together.receipt.exit_code = last.receipt.exit_code;
    }
    together
}
