//! Texts that come back together: one block of sayso's own that consists of them, and what their runs told together.

use super::step::{RebuildStep, StepState};
use crate::domain::{Block, Outcome, OutputBuffer, RunId, RunReport, Stream};
use crate::engine::transcript::Transcript;

/// Bytes of the texts of one decision: no more than a person reads.
const LARGEST: usize = 16 << 10;
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

/// Whether a text means the same behind another one: what has to stand first in a file does not.
pub(super) fn is_mergeable(source: &str) -> bool {
    let first = |line: &str| {
        let line = line.trim_start();
        line.starts_with("from __future__") || line.starts_with(['%', '!'])
    };
    !source.lines().any(first)
}

/// The texts of these runs, each below the number of its block.
pub(super) fn text(transcript: &Transcript, runs: &[RunId]) -> Option<String> {
    let mut text = String::new();
    for run in runs {
        let (item, run) = transcript.run(*run)?;
        let source = &item.block.version(run.revision)?.source;
        if !text.is_empty() {
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

/// What runs told, one after the other. Of their values only the last is shown by a text that consists of them all.
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
