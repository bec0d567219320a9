//! Rebuilding an empty kernel: the blocks that made an earlier one come back, one after the other, in their order.
//!
//! A plan names runs that ended well in the kernel that was there last. It is an order of things to look at and no
//! decision: each block waits with its whole text, its findings and its terms, and is decided about like every block. The
//! first step that fails ends the plan. A run whose approval was for other bytes than those that stand there is named and
//! left out: a session file can be written by anybody who can write files.

use super::transcript::{BlockItem, BlockStanding, Item, RunItem, Settlement, Transcript};
use super::{Engine, Phase, notices};
use crate::domain::{BlockId, Entry, ExecutorKind, KernelFate, Outcome, Revision, RunId, Sha256};
use crate::text::line::one_line;

/// One step of a plan: a run that would be repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RebuildStep {
    pub run: RunId,
    pub block: BlockId,
    /// The version that ran.
    pub revision: Revision,
    /// The first line of its text.
    pub first_line: String,
    /// How long it took, in microseconds.
    pub wall_us: u64,
    /// How many files it created, changed or deleted.
    pub files: usize,
    /// Whether it reaches the network, as far as its text tells.
    pub network: bool,
    /// Why it can't be repeated; it is left out then.
    pub left_out: Option<&'static str>,
}

/// A plan that the person goes through.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Blocks that are still to run, with the run that each repeats.
    todo: Vec<(BlockId, RunId)>,
    /// The block of the plan that runs.
    running: Option<BlockId>,
    done: usize,
}

/// The runs that made the kernel which was there last, in their order; empty where there was none.
pub(crate) fn plan(transcript: &Transcript) -> Vec<RebuildStep> {
    let (mut last, mut current): (Vec<RunId>, Vec<RunId>) = (Vec::new(), Vec::new());
    let mut end_kernel = |current: &mut Vec<RunId>| {
        if !current.is_empty() {
            last = std::mem::take(current);
        }
    };
    let mut settled = transcript.settled.iter().peekable();
    for (at, item) in transcript.items.iter().enumerate() {
        while let Some(one) = settled.next_if(|one| one.after <= at) {
            take_run(transcript, &one.what, &mut current, &mut end_kernel);
        }
        if matches!(item, Item::Resumed { .. } | Item::KernelRestarted { .. }) {
            end_kernel(&mut current);
        }
    }
    for one in settled {
        take_run(transcript, &one.what, &mut current, &mut end_kernel);
    }
    end_kernel(&mut current);
    last.into_iter().filter_map(|run| transcript.run(run)).filter_map(|(item, run)| step(item, run)).collect()
}

fn take_run(
    transcript: &Transcript,
    what: &Settlement,
    current: &mut Vec<RunId>,
    end_kernel: &mut impl FnMut(&mut Vec<RunId>),
) {
    let Settlement::Ran(id) = what else { return };
    let Some((_, run)) = transcript.run(*id) else { return };
    let Some((_, report)) = run.ended.as_ref().filter(|_| run.terms.executor == ExecutorKind::Kernel) else {
        return;
    };
    if report.outcome == Outcome::Ok {
        current.push(*id);
    }
    if let KernelFate::Lost(_) = report.kernel {
        end_kernel(current);
    }
}

fn step(item: &BlockItem, run: &RunItem) -> Option<RebuildStep> {
    let report = &run.ended.as_ref()?.1;
    let version = item.block.version(run.revision)?;
    let review = item.review.as_ref().filter(|(of, _)| *of == run.revision).map(|(_, review)| review);
    let left_out = if Sha256::of(version.source.as_bytes()) != run.sha256 {
        Some("its text is not the one that was approved")
    } else if item.block.current().revision != run.revision {
        Some("its text was changed since")
    } else if item.standing == BlockStanding::Open {
        Some("it waits for a decision")
    } else {
        None
    };
    let first = version.source.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    Some(RebuildStep {
        run: run.run,
        block: item.block.id,
        revision: run.revision,
        first_line: one_line(first),
        wall_us: report.receipt.wall_us,
        files: report.receipt.files.len(),
        network: review.is_some_and(|review| !review.effects.hosts.is_empty()),
        left_out,
    })
}

impl Engine {
    /// The person wants to go through these runs of the plan.
    pub(super) fn rebuild(&mut self, runs: &[RunId]) {
        if self.state.phase != Phase::Idle
            || self.state.live.kernel.is_some_and(|kernel| kernel.variables > 0)
        {
            return self.notify(notices::no_rebuild());
        }
        let steps: Vec<RebuildStep> = plan(&self.state.transcript)
            .into_iter()
            .filter(|step| runs.contains(&step.run) && step.left_out.is_none())
            .collect();
        let mut todo: Vec<(BlockId, RunId)> = Vec::new();
        for step in &steps {
            // A block that ran twice runs once again: its last run counts.
            todo.retain(|(block, _)| *block != step.block);
            todo.push((step.block, step.run));
        }
        if todo.is_empty() {
            return self.notify(notices::nothing_to_rebuild());
        }
        self.plan = Plan { todo, running: None, done: 0 };
        self.next_of_plan();
    }

    /// Brings the next block of the plan back; true when there was one.
    fn next_of_plan(&mut self) -> bool {
        let Some((block, _)) = self.plan.todo.first().copied() else { return false };
        self.record(Entry::PutBack(block));
        self.look(block);
        self.advance();
        true
    }

    /// A block was granted: perhaps it is the plan's.
    pub(super) fn plan_runs(&mut self, block: BlockId) {
        if self.plan.todo.first().is_some_and(|(first, _)| *first == block) {
            self.plan.todo.remove(0);
            self.plan.running = Some(block);
        }
    }

    /// A run has ended: the plan goes on, or ends here. Tells whether its next block is being looked at.
    pub(super) fn plan_ran(&mut self, block: BlockId, outcome: &Outcome) -> bool {
        if self.plan.running.take_if(|running| *running == block).is_none() {
            return false;
        }
        self.plan.done += 1;
        if *outcome != Outcome::Ok {
            let left = self.plan.todo.len();
            self.plan = Plan::default();
            self.notify(notices::rebuild_broke(block, left));
            return false;
        }
        self.next_or_end()
    }

    /// The plan's next block comes back, or its end is told; tells whether one came.
    fn next_or_end(&mut self) -> bool {
        if self.next_of_plan() {
            return true;
        }
        let done = std::mem::take(&mut self.plan).done;
        self.notify(notices::rebuilt(done));
        false
    }

    /// What the plan has built so far is gone: so is the plan.
    pub(super) fn drop_plan(&mut self) {
        self.plan = Plan::default();
    }

    /// A block was rejected or skipped. Where it was the plan's turn, its next block comes back; tells whether one did.
    pub(super) fn plan_left(&mut self, block: BlockId) -> bool {
        let before = self.plan.todo.len();
        self.plan.todo.retain(|(of, _)| *of != block);
        if self.plan.todo.len() == before {
            return false;
        }
        self.next_or_end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Command;
    use crate::engine::dialogue::Dialogue;

    /// A session in which blocks 1 and 3 ran well in a kernel that is gone.
    fn worked() -> Dialogue {
        let mut d = Dialogue::new();
        d.user("go");
        for (block, text, outcome) in
            [(1, "x = 1", Outcome::Ok), (2, "1/0", Outcome::Failed), (3, "z = x + 1", Outcome::Ok)]
        {
            d.reply(&format!("```python\n{text}\n```\n"));
            d.runs(block, block, outcome);
        }
        d.reply("Done.");
        d.reopen();
        d
    }

    fn runs(d: &Dialogue) -> Vec<RunId> {
        plan(&d.state().transcript).iter().map(|step| step.run).collect()
    }

    #[test]
    fn a_plan_names_what_made_the_kernel_that_was_there_last() {
        let d = worked();
        let steps = plan(&d.state().transcript);
        let told: Vec<_> =
            steps.iter().map(|step| (step.block.0, step.first_line.as_str(), step.wall_us)).collect();
        assert_eq!(told, [(1, "x = 1", 800_000), (3, "z = x + 1", 800_000)]);
        assert!(plan(&Dialogue::new().state().transcript).is_empty());
    }

    #[test]
    fn each_block_of_a_plan_is_decided_for_itself_and_no_model_is_asked() {
        let mut d = worked();
        let runs = runs(&d);
        let line = d.command(Command::Rebuild(runs));
        assert!(line.contains("+back 1") && line.ends_with("deciding 1"), "{line}");
        let line = d.inspected_ok(1);
        assert!(!line.contains("start"), "{line}");
        d.type_run(1);
        d.started(4);
        let line = d.ended(4, Outcome::Ok);
        assert!(line.contains("+back 3") && !line.contains("ask"), "{line}");
        // The first approval was for the first block alone.
        let line = d.inspected_ok(3);
        assert!(!line.contains("+approved") && !line.contains("start"), "{line}");
        let line = d.type_run(3);
        assert!(line.contains("+approved r5 3.1 person") && line.contains("start r5"), "{line}");
        d.started(5);
        let line = d.ended(5, Outcome::Ok);
        assert!(line.contains("2 blocks") && line.ends_with("| idle"), "{line}");
    }

    #[test]
    fn a_block_that_is_skipped_leaves_the_others_to_be_decided() {
        let mut d = worked();
        let runs = runs(&d);
        d.command(Command::Rebuild(runs));
        d.inspected_ok(1);
        let line = d.skip(1);
        assert!(line.contains("+back 3") && line.ends_with("deciding 3"), "{line}");
        d.inspected_ok(3);
        let line = d.skip(3);
        assert!(line.contains("0 blocks") && line.ends_with("| idle"), "{line}");
    }

    #[test]
    fn a_text_that_is_not_the_approved_one_is_named_and_not_offered() {
        let d = worked();
        let mut transcript = d.state().transcript.clone();
        let item = transcript.blocks.get_mut(&BlockId(3)).unwrap();
        item.block.versions[0].source = "z = x + 1\n__import__('os').system('id')".into();
        let told: Vec<_> = plan(&transcript).into_iter().map(|step| (step.block.0, step.left_out)).collect();
        assert_eq!(told, [(1, None), (3, Some("its text is not the one that was approved"))]);
    }

    #[test]
    fn a_prompt_that_was_queued_waits_for_the_end_of_the_plan() {
        let mut d = worked();
        let runs = runs(&d);
        d.command(Command::Rebuild(runs));
        d.inspected_ok(1);
        d.type_run(1);
        d.started(4);
        assert!(d.user("what now?").contains("Queued"));
        let line = d.ended(4, Outcome::Ok);
        assert!(line.contains("+back 3") && !line.contains("ask") && !line.contains("+prompt"), "{line}");
        d.inspected_ok(3);
        d.type_run(3);
        d.started(5);
        let line = d.ended(5, Outcome::Ok);
        assert!(line.contains("2 blocks") && line.contains("+prompt") && line.contains("ask "), "{line}");
    }

    #[test]
    fn what_fails_ends_the_plan() {
        let mut d = worked();
        let runs = runs(&d);
        d.command(Command::Rebuild(runs));
        d.inspected_ok(1);
        d.type_run(1);
        d.started(4);
        d.ended(4, Outcome::Ok);
        d.inspected_ok(3);
        let line = d.skip(3);
        assert!(line.ends_with("| idle"), "{line}");

        d.reopen();
        let runs = plan(&d.state().transcript).iter().map(|step| step.run).collect();
        d.command(Command::Rebuild(runs));
        d.inspected_ok(1);
        d.type_run(1);
        d.started(5);
        let line = d.ended(5, Outcome::Failed);
        assert!(!line.contains("+back") && line.ends_with("| idle"), "{line}");
    }

    #[test]
    fn a_kernel_with_variables_is_not_rebuilt() {
        let mut d = Dialogue::new();
        d.user("go");
        d.reply("```python\nx = 1\n```\n");
        d.runs(1, 1, Outcome::Ok);
        d.reply("Done.");
        let line = d.command(Command::Rebuild(vec![RunId(1)]));
        assert!(!line.contains("+back"), "{line}");
        assert!(d.command(Command::Rebuild(vec![RunId(77)])).ends_with("| idle"));
    }
}
