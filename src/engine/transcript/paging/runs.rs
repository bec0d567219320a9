//! Outputs of runs that are far back. What stays of one is told to a model as the whole would be, within a number of bytes
//! that gets smaller the further back it is: so a request needs none of them from the file.
//!
//! A request tells each result in as many bytes as its conversation has room for (`engine/context/budget.rs`). Where the
//! results behind one are alone longer than a model's context when each is told in so many bytes, no more of it is ever
//! told, and no more of it is kept. Outputs of the newest turn are always whole: recipes read them.

use super::LoadState;
use crate::domain::{BlockId, BlockKind, Entry, RunId};
use crate::engine::context::{short_form, told_bytes};
use crate::engine::transcript::{BlockItem, RunItem, Settlement, Transcript};
use std::collections::VecDeque;

/// Bytes of whole outputs that stay, the newest.
const MAX_WHOLE_BYTES: usize = 2 << 20;
/// Results of so many bytes together are longer than a context: a million tokens.
const MAX_CONTEXT_BYTES: usize = 4 << 20;
/// In how many bytes a result can be told from what is kept of it, the newest first. They are those in which results are
/// told, the first one where nothing else is configured.
const FORM_BYTES: [usize; 4] = [16 << 10, 4 << 10, 1 << 10, MIN_FORM_BYTES];
const MIN_FORM_BYTES: usize = 256;

/// How the output of a run is kept that may be in the file alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunPaging {
    /// Which entry of the file its end is, counted from 0.
    pub(crate) entry: u64,
    /// In how many bytes it can be told by its short form; `None`: it has none yet.
    pub(crate) told: Option<usize>,
    /// What is known of the output while it is in the file alone.
    pub(crate) away: Option<OutputAway>,
}

/// What is known of an output that is in the file alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutputAway {
    /// Bytes that were kept of it.
    pub(crate) bytes: usize,
    pub(crate) load: LoadState,
}

impl RunItem {
    /// What is known of its output while that is in the file alone, and which entry of the file has it.
    pub(crate) fn unloaded_output(&self) -> Option<(u64, OutputAway)> {
        let paging = self.paging?;
        Some((paging.entry, paging.away?))
    }

    /// Notes whether its output comes.
    pub(in crate::engine) fn note_load(&mut self, load: LoadState) {
        if let Some(away) = self.paging.as_mut().and_then(|paging| paging.away.as_mut()) {
            away.load = load;
        }
    }

    /// Lets its output go again, where it was loaded.
    pub(in crate::engine) fn unload_output(&mut self) {
        if let Some(told) = self.paging.and_then(|paging| paging.told) {
            self.shorten(told);
        }
    }

    /// Keeps no more of its output than is told in so many bytes. Gives how much that is now; `None`: it stays as it is.
    fn shorten(&mut self, told: usize) -> Option<usize> {
        let (paging, (_, report)) = (self.paging.as_mut()?, self.ended.as_mut()?);
        let short = short_form(&report.output, told)?;
        let bytes = report.output.kept_bytes();
        paging.told = Some(told);
        paging.away.get_or_insert(OutputAway { bytes, load: LoadState::Away });
        report.output = short;
        Some(report.output.kept_bytes())
    }

    /// Takes its output in again. Gives its bytes; `None`: that entry is not its end.
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
    /// In how many bytes every result can be told that a request would tell; `None`: in any number.
    pub(in crate::engine) fn results_told(&self) -> Option<usize> {
        let from = self.summary().map_or(0, |summary| summary.settled);
        let told = self.settled.iter().skip(from).filter_map(|settled| {
            let Settlement::Ran(run) = settled.what else { return None };
            let run = self.blocks.get(&settled.block)?.runs.iter().find(|item| item.run == run)?;
            run.unloaded_output().and(run.paging?.told)
        });
        told.min()
    }

    /// The runs whose outputs are in the file alone, and which entry of the file has each.
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

/// The long outputs so far, in the forms in which they are kept.
#[derive(Debug)]
pub(super) struct Outputs {
    /// Those of the newest turn: they stay.
    turn: Vec<KeptOutput>,
    whole: Form,
    /// Those of which less is kept, in the order of [`FORM_BYTES`].
    forms: [Form; FORM_BYTES.len()],
}

/// The outputs that are kept in one form, the oldest first, and how much they come to.
#[derive(Debug)]
struct Form {
    outputs: VecDeque<KeptOutput>,
    /// In how many bytes one can be told; `None`: they are whole.
    told: Option<usize>,
    bytes: usize,
    most: usize,
}

#[derive(Clone, Copy, Debug)]
struct KeptOutput {
    block: BlockId,
    run: RunId,
    /// Bytes that are kept of it, and how many are told of it at the least where it is told in as many as its form allows.
    bytes: usize,
    least: usize,
}

impl Form {
    fn new(told: Option<usize>, most: usize) -> Self {
        Self { outputs: VecDeque::new(), told, bytes: 0, most }
    }

    /// What an output comes to: what is kept of it, or how long it is at the least where it is told.
    fn counts(&self, output: KeptOutput) -> usize {
        if self.told.is_some() { output.least } else { output.bytes }
    }

    fn push(&mut self, output: KeptOutput) {
        self.bytes += self.counts(output);
        self.outputs.push_back(output);
    }

    /// Takes the oldest out, where there is too much.
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
    /// So many bytes of whole outputs stay, and of results in each form so many.
    pub(super) fn with(whole: usize, context: usize) -> Self {
        let of = |told| Form::new(Some(told), if told == MIN_FORM_BYTES { usize::MAX } else { context });
        Self { turn: Vec::new(), whole: Form::new(None, whole), forms: FORM_BYTES.map(of) }
    }

    /// A run ended with a long output; the file has its end as this entry.
    pub(super) fn note_end(
        &mut self,
        transcript: &mut Transcript,
        (block, run): (BlockId, RunId),
        entry: u64,
    ) {
        let Some(item) = transcript.blocks.get_mut(&block) else { return };
        // Of these a model is told nothing: they would count for what they are not.
        if matches!(item.block.kind, BlockKind::Load { .. } | BlockKind::Pull { .. }) {
            return;
        }
        let Some(found) = item.runs.iter_mut().find(|known| known.run == run) else { return };
        let Some((_, report)) = found.ended.as_ref().filter(|_| found.paging.is_none()) else { return };
        let bytes = report.output.kept_bytes();
        found.paging = Some(RunPaging { entry, told: None, away: None });
        self.turn.push(KeptOutput { block, run, bytes, least: 0 });
    }

    /// The person asked for something: what ran until here is not of the newest turn any more.
    pub(super) fn turn_begins(&mut self, transcript: &mut Transcript) {
        for output in std::mem::take(&mut self.turn) {
            self.whole.push(output);
        }
        let mut before = &mut self.whole;
        for form in &mut self.forms {
            while let Some(oldest) = before.pop_over() {
                // What is short enough as it is may be too long for the next form.
                form.push(form.told.map_or(oldest, |told| shorten(transcript, oldest, told)));
            }
            before = form;
        }
    }
}

/// Keeps no more of an output than is told in so many bytes, and finds out how long that is.
fn shorten(transcript: &mut Transcript, output: KeptOutput, told: usize) -> KeptOutput {
    let item: Option<&mut BlockItem> = transcript.blocks.get_mut(&output.block);
    let run = item.and_then(|item| item.runs.iter_mut().find(|known| known.run == output.run));
    let Some(run) = run else { return output };
    let bytes = run.shorten(told).unwrap_or(output.bytes);
    let least = run.ended.as_ref().map_or(0, |(_, report)| told_bytes(&report.output, told));
    KeptOutput { bytes, least, ..output }
}
