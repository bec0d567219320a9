//! Outputs of old runs. The part that is kept looks to a model like the whole output, within a number of bytes that
//! shrinks with age, so that a request needs no output from the file.
//!
//! A request quotes each result in as many bytes as its conversation has room for (`engine/context/budget.rs`). If the
//! results after an output, each quoted in N bytes, already exceed a model's context, then that output is never quoted
//! in N bytes or more, so less is kept of it. Outputs of the newest turn are always whole, because recipes read them.

use super::{LoadState, OutputAway, RunPaging};
use crate::domain::{BlockId, BlockKind, Entry, RunId};
use crate::engine::context::{short_form, told_bytes};
use crate::engine::transcript::{BlockItem, RunItem, Settlement, Transcript};
use std::collections::VecDeque;

/// How many bytes of the newest outputs stay whole.
const MAX_WHOLE_BYTES: usize = 2 << 20;
/// Results of this many bytes together exceed a context of a million tokens.
const MAX_CONTEXT_BYTES: usize = 4 << 20;
/// In how many bytes a result can be quoted from its kept form, the newest first. These are the limits used in
/// requests; the first is the default.
const FORM_BYTES: [usize; 4] = [16 << 10, 4 << 10, 1 << 10, MIN_FORM_BYTES];
const MIN_FORM_BYTES: usize = 256;

impl RunItem {
    /// The entry number of an output that is only in the file, and what is known of it.
    pub(crate) fn unloaded_output(&self) -> Option<(u64, OutputAway)> {
        let paging = self.paging?;
        Some((paging.entry, paging.away?))
    }

    /// Sets the load state of its output.
    pub(in crate::engine) fn note_load(&mut self, load: LoadState) {
        if let Some(away) = self.paging.as_mut().and_then(|paging| paging.away.as_mut()) {
            away.load = load;
        }
    }

    /// Drops its output again, if it was loaded.
    pub(in crate::engine) fn unload_output(&mut self) {
        if let Some(quoted_bytes) = self.paging.and_then(|paging| paging.quotable_bytes) {
            self.shorten(quoted_bytes);
        }
    }

    /// Keeps only what is needed to quote its output in `quoted_bytes`. Returns the kept bytes; `None`: it stays as it
    /// is.
    fn shorten(&mut self, quoted_bytes: usize) -> Option<usize> {
        let (paging, (_, report)) = (self.paging.as_mut()?, self.ended.as_mut()?);
        let short = short_form(&report.output, quoted_bytes)?;
        let bytes = report.output.kept_bytes();
        paging.quotable_bytes = Some(quoted_bytes);
        paging.away.get_or_insert(OutputAway { bytes, load: LoadState::Away });
        report.output = short;
        Some(report.output.kept_bytes())
    }

    /// Stores its loaded output. Returns its size in bytes; `None`: the entry is not the end of this run.
    pub(crate) fn page_in(&mut self, entry: Entry) -> Option<usize> {
        let Entry::Ran { run, report: whole, .. } = entry else { return None };
        let (paging, (_, report)) = (self.paging.as_mut()?, self.ended.as_mut()?);
        if run != self.run {
            return None;
        }
        paging.away = None;
        report.output = whole.output;
        Some(report.output.kept_bytes())
    }
}

impl Transcript {
    /// In how many bytes every result of the next request can be quoted; `None`: without limit.
    pub(in crate::engine) fn max_quotable_bytes(&self) -> Option<usize> {
        let from = self.summary().map_or(0, |summary| summary.settled);
        let limits = self.settled.iter().skip(from).filter_map(|settled| {
            let Settlement::Ran(run) = settled.what else { return None };
            let run = self.blocks.get(&settled.block)?.runs.iter().find(|item| item.run == run)?;
            run.unloaded_output().and(run.paging?.quotable_bytes)
        });
        limits.min()
    }

    /// The runs whose outputs are only in the file, with their entry numbers.
    pub(crate) fn outputs_away(&self) -> impl Iterator<Item = (RunId, u64)> {
        let runs = self.blocks.values().flat_map(|item| &item.runs);
        runs.filter_map(|run| Some((run.run, run.unloaded_output()?.0)))
    }

    /// A run, to change how its output is kept.
    pub(in crate::engine) fn run_mut(&mut self, run: RunId) -> Option<&mut RunItem> {
        let mut blocks = self.blocks.values_mut().rev();
        blocks.find_map(|item| item.runs.iter_mut().rev().find(|item| item.run == run))
    }
}

/// The long outputs so far, by the form in which they are kept.
#[derive(Debug)]
pub(super) struct Outputs {
    /// The outputs of the newest turn: they stay whole.
    turn: Vec<KeptOutput>,
    whole: KeptForm,
    /// Outputs of which less is kept, in the order of [`FORM_BYTES`].
    forms: [KeptForm; FORM_BYTES.len()],
}

/// The outputs kept in one form.
#[derive(Debug)]
struct KeptForm {
    /// The oldest first.
    outputs: VecDeque<KeptOutput>,
    /// In how many bytes each can be quoted; `None`: they are whole.
    quoted_bytes: Option<usize>,
    /// The total size.
    bytes: usize,
    /// The largest total size.
    most: usize,
}

#[derive(Clone, Copy, Debug)]
struct KeptOutput {
    block: BlockId,
    run: RunId,
    /// How many bytes of it are kept, and how many are quoted at least where its form is used fully.
    bytes: usize,
    least: usize,
}

impl KeptForm {
    fn new(quoted_bytes: Option<usize>, most: usize) -> Self {
        Self { outputs: VecDeque::new(), quoted_bytes, bytes: 0, most }
    }

    /// The size that counts for an output: the kept bytes, or the least quoted bytes.
    fn counts(&self, output: KeptOutput) -> usize {
        if self.quoted_bytes.is_some() { output.least } else { output.bytes }
    }

    fn push(&mut self, output: KeptOutput) {
        self.bytes += self.counts(output);
        self.outputs.push_back(output);
    }

    /// Removes the oldest output if the total is too large.
    fn pop_over(&mut self) -> Option<KeptOutput> {
        let oldest = if self.bytes > self.most { self.outputs.pop_front()? } else { return None };
        self.bytes -= self.counts(oldest);
        Some(oldest)
    }
}

impl Default for Outputs {
    fn default() -> Self {
        Self::with(MAX_WHOLE_BYTES, MAX_CONTEXT_BYTES)
    }
}

impl Outputs {
    /// Limits the bytes of whole outputs, and of the results in each form.
    pub(super) fn with(whole: usize, context: usize) -> Self {
        let of =
            |bytes| KeptForm::new(Some(bytes), if bytes == MIN_FORM_BYTES { usize::MAX } else { context });
        Self { turn: Vec::new(), whole: KeptForm::new(None, whole), forms: FORM_BYTES.map(of) }
    }

    /// Registers the end of a run with a long output; `entry` is its number in the file.
    pub(super) fn note_end(
        &mut self,
        transcript: &mut Transcript,
        (block, run): (BlockId, RunId),
        entry: u64,
    ) {
        let Some(item) = transcript.blocks.get_mut(&block) else { return };
        // The model is told nothing of these, so they must not count.
        if matches!(item.block.kind, BlockKind::Load { .. } | BlockKind::Pull { .. }) {
            return;
        }
        let Some(found) = item.runs.iter_mut().find(|known| known.run == run) else { return };
        let Some((_, report)) = found.ended.as_ref().filter(|_| found.paging.is_none()) else { return };
        let bytes = report.output.kept_bytes();
        found.paging = Some(RunPaging { entry, quotable_bytes: None, away: None });
        self.turn.push(KeptOutput { block, run, bytes, least: 0 });
    }

    /// The person sent a prompt: the runs before it no longer belong to the newest turn.
    pub(super) fn turn_begins(&mut self, transcript: &mut Transcript) {
        for output in std::mem::take(&mut self.turn) {
            self.whole.push(output);
        }
        let mut before = &mut self.whole;
        for form in &mut self.forms {
            while let Some(oldest) = before.pop_over() {
                // An output short enough for this form may be too long for the next one.
                form.push(form.quoted_bytes.map_or(oldest, |bytes| shorten(transcript, oldest, bytes)));
            }
            before = form;
        }
    }
}

/// Keeps only what is needed to quote an output in `quoted_bytes`, and measures that.
fn shorten(transcript: &mut Transcript, output: KeptOutput, quoted_bytes: usize) -> KeptOutput {
    let item: Option<&mut BlockItem> = transcript.blocks.get_mut(&output.block);
    let run = item.and_then(|item| item.runs.iter_mut().find(|known| known.run == output.run));
    let Some(run) = run else { return output };
    let bytes = run.shorten(quoted_bytes).unwrap_or(output.bytes);
    let least = run.ended.as_ref().map_or(0, |(_, report)| told_bytes(&report.output, quoted_bytes));
    KeptOutput { bytes, least, ..output }
}
