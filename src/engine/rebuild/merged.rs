//! Texts that come back together: one block of sayso's own that consists of them, and what each of them told.
//!
//! The kernel (`assets/kernel.py`) knows such a text by its first line, and tells the end of each block where it prints.

use super::step::{RebuildStep, StepState};
use crate::domain::{Block, BlockId, Outcome, OutputBuffer, RunError, RunId, RunReport, Stream};
use crate::engine::transcript::Transcript;

/// Bytes of the texts of one decision: no more than a person reads.
const LARGEST: usize = 16 << 10;
/// What its text begins with.
const TOGETHER: &str = "# Blocks that come back together: each tells its end.\n";
/// What its note begins with.
const NOTE: &str = "to rebuild the kernel: ";

/// Whether one more step can be decided for together with these.
pub(super) fn fits(together: &[&RebuildStep], step: &RebuildStep) -> bool {
    let all = || together.iter().copied().chain([step]);
    // They share the time of one run.
    let least_ms = all().map(|step| step.wall_ms).min().unwrap_or_default();
    all().all(|step| step.state == StepState::Restorable)
        && all().map(|step| step.size).sum::<usize>() <= LARGEST
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
    let mut text = TOGETHER.to_owned();
    for run in runs {
        let (item, run) = transcript.run(*run)?;
        let source = &item.block.version(run.revision)?.source;
        if text != TOGETHER {
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
pub(super) fn note(transcript: &Transcript, runs: &[RunId]) -> String {
    let blocks =
        runs.iter().filter_map(|run| transcript.run(*run)).map(|(item, _)| item.block.id.to_string());
    format!("{NOTE}blocks {}", blocks.collect::<Vec<_>>().join(", "))
}

/// Whether a block consists of texts that came back together.
pub(super) fn is_merged(block: &Block) -> bool {
    block.is_own() && block.origin.note.as_ref().is_some_and(|note| note.starts_with(NOTE))
}

/// What a run of their texts told of each of these blocks: of those that ended, and last of the one in which it ended. What
/// they wrote to standard error is not told apart: programs that Python knows nothing of write there, too. `None`: it did not
/// tell their ends, or not all that it printed is there.
pub(super) fn apart(blocks: &[BlockId], report: &RunReport) -> Option<Vec<(BlockId, RunReport)>> {
    let (last, before) = blocks.split_last()?;
    if report.output.dropped(Stream::Stdout) > 0 {
        return None;
    }
    let stdout = report.output.bytes(Stream::Stdout);
    let mut stdout = stdout.as_slice();
    let mut all = Vec::new();
    for block in before {
        let end = format!("\n[end of block {block}]\n");
        let Some((printed, behind)) = cut(stdout, &end) else { break };
        stdout = behind;
        let valued = cut(printed, &format!("\n[value of block {block}]\n"));
        let (printed, value) = valued.map_or((printed, None), |(printed, value)| (printed, Some(value)));
        let mut ended = printing(printed);
        ended.value = value.map(|value| String::from_utf8_lossy(value).into_owned());
        all.push((*block, ended));
    }
    let open = blocks.get(all.len()).unwrap_or(last);
    // What is no Python begins nowhere, and tells no end.
    if all.is_empty() && report.error.as_ref().is_some_and(is_no_python) {
        return None;
    }
    if report.outcome == Outcome::Ok && open != last {
        return None;
    }
    let mut ended = printing(stdout);
    (ended.outcome, ended.value) = (report.outcome.clone(), report.value.clone());
    ended.error.clone_from(&report.error);
    all.push((*open, ended));
    Some(all)
}

/// Whether a text could not be read as Python: then none of it ran. The kinds are those of Python's parser.
fn is_no_python(error: &RunError) -> bool {
    ["SyntaxError", "IndentationError", "TabError"].contains(&error.kind.as_str())
}

/// What stands before and behind a mark.
fn cut<'b>(bytes: &'b [u8], mark: &str) -> Option<(&'b [u8], &'b [u8])> {
    let at = bytes.windows(mark.len()).position(|window| window == mark.as_bytes())?;
    Some((bytes.get(..at)?, bytes.get(at + mark.len()..)?))
}

fn printing(stdout: &[u8]) -> RunReport {
    let mut report = RunReport::bare(Outcome::Ok);
    report.output = OutputBuffer::new(stdout.len() as u64);
    report.output.push(Stream::Stdout, stdout);
    report
}

/// What a run told that can be told of one of several: what it printed, its value and its error.
pub(super) fn told(report: &RunReport) -> RunReport {
    let mut told = RunReport::bare(report.outcome.clone());
    told.output = report.output.only(Stream::Stdout);
    (told.value, told.error) = (report.value.clone(), report.error.clone());
    told
}

/// What a run told that is told of all of several together.
pub(super) fn rest(report: &RunReport) -> RunReport {
    RunReport { output: report.output.only(Stream::Stderr), ..report.clone() }
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
