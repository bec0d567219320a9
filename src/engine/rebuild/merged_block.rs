//! Merges texts into one block of sayso's own, and splits its output into what each of them printed.
//!
//! The kernel (`assets/kernel.py`) recognises such a text by its first line, and marks the end of each block in the
//! output.

use super::step::{RebuildStep, StepState};
use crate::domain::{Block, BlockId, Outcome, OutputBuffer, RunError, RunId, RunReport, Stream};
use crate::engine::transcript::Transcript;

/// The most bytes of text in one decision: no more than a person reads.
const MAX_BYTES: usize = 16 << 10;
/// The most blocks in one decision: at the end of each, everything printed so far is reported.
const MAX_BLOCKS: usize = 50;
/// The first line of a merged text.
const TEXT_HEAD: &str = "# Blocks that come back together: each tells its end.\n";
/// The beginning of the note of a merged block.
const NOTE_PREFIX: &str = "to rebuild the kernel: ";

/// Whether one more step can be merged with these.
pub(super) fn can_join(together: &[&RebuildStep], step: &RebuildStep) -> bool {
    let all = || together.iter().copied().chain([step]);
    // They share the time limit of one run.
    let least_ms = all().map(|step| step.wall_ms).min().unwrap_or_default();
    together.len() < MAX_BLOCKS
        && all().all(|step| step.state == StepState::Restorable)
        && all().map(|step| step.size).sum::<usize>() <= MAX_BYTES
        && all().map(|step| step.wall_us / 1_000).sum::<u64>() <= least_ms / 2
}

/// Whether a text means the same after another one: not if it has to be at the start of a file, or looks like the head
/// of another block.
pub(super) fn is_mergeable(source: &str) -> bool {
    let first = |line: &str| {
        let line = line.trim_start();
        line.starts_with("from __future__") || line.starts_with(['%', '!']) || line.starts_with("# block ")
    };
    !source.lines().any(first)
}

/// The merged text of these runs: each below a line with the number of its block.
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

/// The note of a merged block: which blocks it consists of.
pub(super) fn source_note(transcript: &Transcript, runs: &[RunId]) -> String {
    let blocks =
        runs.iter().filter_map(|run| transcript.run(*run)).map(|(item, _)| item.block.id.to_string());
    format!("{NOTE_PREFIX}blocks {}", blocks.collect::<Vec<_>>().join(", "))
}

/// Whether a block is a merged one.
pub(super) fn is_merged(block: &Block) -> bool {
    block.is_own() && block.origin.note.as_ref().is_some_and(|note| note.starts_with(NOTE_PREFIX))
}

/// The outputs of the parts of a merged text, as far as it has run. Standard error is not split: programs that Python
/// does not know of write there, too.
#[derive(Debug, Default)]
pub(super) struct PartReports {
    /// The reports of the parts that have ended.
    ended: Vec<RunReport>,
    /// How many bytes of the run's output belong to these.
    upto: usize,
}

impl PartReports {
    pub(super) fn count(&self) -> usize {
        self.ended.len()
    }

    /// Notes that the next part, this block, has ended: everything printed since the part before belongs to it,
    /// whatever it looks like. `None`: a part of the output is missing.
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

    /// The reports of all parts, including the one with which the run ended.
    pub(super) fn with_last(&self, report: &RunReport) -> Vec<RunReport> {
        let stdout = report.output.bytes(Stream::Stdout);
        let mut last = printing(stdout.get(self.upto..).unwrap_or_default());
        (last.outcome, last.value) = (report.outcome.clone(), report.value.clone());
        last.error.clone_from(&report.error);
        self.ended.iter().cloned().chain([last]).collect()
    }
}

/// Whether a text is not valid Python: then none of it ran. These are the errors of Python's parser.
pub(super) fn is_no_python(error: &RunError) -> bool {
    ["SyntaxError", "IndentationError", "TabError"].contains(&error.kind.as_str())
}

/// The bytes before and after the last occurrence of a mark.
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

/// What a report has that can be split into parts: standard output, value and error.
pub(super) fn own_part(report: &RunReport) -> RunReport {
    let mut part = RunReport::bare(report.outcome.clone());
    part.output = report.output.only_stream(Stream::Stdout);
    (part.value, part.error) = (report.value.clone(), report.error.clone());
    part
}

/// What a report has that can't be split into parts.
pub(super) fn shared_part(report: &RunReport) -> RunReport {
    RunReport { output: report.output.only_stream(Stream::Stderr), ..report.clone() }
}

/// Joins reports one after the other, with the value of the last.
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
