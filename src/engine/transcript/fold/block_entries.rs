//! Applies the entries about one block: its versions, reviews, decisions and runs.

use crate::domain::{
    BlockId, EditPlacement, Entry, ExecutorKind, Grantor, Language, Limits, Revision, Rights, RunId,
    RunReport, Sha256, SharedValue, Terms, Timestamp, Version,
};
use crate::engine::transcript::block_item::RunApproval;
use crate::engine::transcript::{
    BlockItem, BlockStatus, OpinionItem, RunItem, SettledEvent, Settlement, Transcript,
};
use std::path::PathBuf;

impl Transcript {
    /// Applies an entry about one block.
    pub(super) fn apply_to_block(&mut self, entry: Entry, at: Timestamp) {
        match entry {
            Entry::Review { block, revision, review } => {
                self.change_block(block, |item| item.review = Some((revision, Box::new(review))));
            }
            Entry::Edited { block, revision, source, whole } => {
                // Who takes back what the model wrote takes it back as incomplete as it was.
                let is_cut = self.blocks.get(&block).is_some_and(|item| {
                    let original = item.block.original();
                    !original.whole && original.source == source
                });
                self.revise(block, revision, |last| Version { whole: whole && !is_cut, source, ..last });
            }
            Entry::Placed { block, revision, source, bases, note, whole } => {
                // If the end of the edit never arrived, its new text is incomplete, too.
                self.revise(block, revision, |last| Version { source, whole: whole && last.whole, ..last });
                self.change_block(block, |item| {
                    if item.block.current().revision == revision {
                        item.block.placed.push(EditPlacement { revision, bases, note });
                    }
                });
            }
            Entry::LanguageChosen { block, revision, language } => {
                self.revise(block, revision, |last| Version { language: Some(language), ..last });
            }
            Entry::Approved { run, block, revision, sha256, terms, by } => {
                self.begin_run(block, RunApproval { run, revision, sha256, by, at }, terms);
            }
            Entry::Rejected { block, reason: why, .. } => {
                self.settle(block, BlockStatus::Rejected(why.clone()), Settlement::Rejected(why), at);
            }
            Entry::Declined { block, why, .. } => {
                self.settle(block, BlockStatus::Declined(why.clone()), Settlement::Declined(why), at);
            }
            Entry::Skipped { block, .. } => self.change_block(block, |item| {
                item.status = BlockStatus::Skipped;
                item.settled_at = Some(at);
            }),
            Entry::Reopened(block) => self.change_block(block, |item| item.status = BlockStatus::Open),
            Entry::Ran { run, block, report } => self.end_run(run, block, *report, at),
            Entry::Undone { run, block, files, more, kind } => self.change_block(block, |item| {
                let found = item.runs.iter_mut().filter(|item| item.run == run);
                found.for_each(|run| run.note_taken_back(&files, more, kind));
            }),
            Entry::Opinion { block, revision, model, answer, usage } => {
                let opinion = OpinionItem { at, revision, model, answer, usage };
                self.change_block(block, |item| item.opinions.push(opinion));
            }
            _ => {}
        }
    }

    /// The block was approved: its run begins. Its terms share what they have in common with those of the run before.
    fn begin_run(&mut self, block: BlockId, approval: RunApproval, mut terms: Terms) {
        if let Some(before) = &self.terms {
            terms.rights.share_with(&before.rights);
        }
        let mut terms = SharedValue::from(terms);
        if let Some(before) = &self.terms {
            terms.share_with(before);
        }
        self.terms = Some(terms.clone());
        self.change_block(block, |item| {
            item.status = BlockStatus::Approved;
            item.settled_at = Some(approval.at);
            // Most blocks run once: more capacity would be as large as the rest of a run.
            item.runs.reserve_exact(1);
            item.runs.push(RunItem::approved(approval, terms));
        });
    }

    /// Adds a version made from the last one, if its number follows.
    fn revise(&mut self, block: BlockId, revision: Revision, change: impl FnOnce(Version) -> Version) {
        self.change_block(block, |item| {
            let last = item.block.current().clone();
            if revision > last.revision {
                item.block.versions.push(Version { revision, ..change(last) });
            }
        });
    }

    /// The block does not run, which the model is told.
    fn settle(&mut self, block: BlockId, status: BlockStatus, what: Settlement, at: Timestamp) {
        let after = self.items.len();
        let Some(item) = self.blocks.get_mut(&block) else { return };
        (item.status, item.settled_at) = (status, Some(at));
        self.settled.push(SettledEvent { after, block, what });
    }

    fn end_run(&mut self, run: RunId, block: BlockId, report: RunReport, at: Timestamp) {
        let after = self.items.len();
        // The run nearly always belongs to this block; if not, another block may have it.
        let is_known = |item: &BlockItem| item.runs.iter().any(|r| r.run == run);
        if !self.blocks.get(&block).is_some_and(is_known) && !self.blocks.values().any(is_known) {
            self.make_up_approval(run, block, at);
        }
        let found = self.blocks.get_mut(&block).and_then(|b| b.runs.iter_mut().find(|r| r.run == run));
        let Some(item) = found.filter(|r| r.ended.is_none() && !r.lost) else { return };
        item.ended = Some((at, Box::new(report)));
        self.settled.push(SettledEvent { after, block, what: Settlement::Ran(run) });
    }

    /// Adds an approval for a run that has an end but whose approval is missing because the line is damaged: the block
    /// ran and must not wait. Unknown terms stay empty, and it is never repeated by itself.
    fn make_up_approval(&mut self, run: RunId, block: BlockId, at: Timestamp) {
        self.change_block(block, |item| {
            let version = item.block.current();
            let language =
                version.language.clone().unwrap_or_else(|| Language(item.block.kind.as_str().to_owned()));
            let terms = Terms {
                language,
                executor: ExecutorKind::Subprocess,
                interpreter: PathBuf::new(),
                version: None,
                kernel: None,
                cwd: PathBuf::new(),
                rights: Rights::default().into(),
                limits: Limits::default(),
                shared: None,
                target: None,
            };
            let (revision, sha256) = (version.revision, Sha256::of(version.source.as_bytes()));
            item.status = BlockStatus::Approved;
            item.settled_at = Some(at);
            let by = Grantor::Person { typed: false };
            item.runs.push(RunItem::approved(RunApproval { run, revision, sha256, by, at }, terms.into()));
        });
    }

    fn change_block(&mut self, block: BlockId, change: impl FnOnce(&mut BlockItem)) {
        if let Some(item) = self.blocks.get_mut(&block) {
            change(item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Outcome;
    use crate::engine::dialogue::Dialogue;

    #[test]
    fn a_run_whose_approval_is_lost_reads_as_run() {
        let mut d = Dialogue::after_reply("```python\nx = 1\n```\n");
        d.runs(1, 1, Outcome::Ok);
        let whole = d.entries().to_vec();
        let damaged: Vec<(Timestamp, Entry)> =
            whole.into_iter().filter(|(_, entry)| !matches!(entry, Entry::Approved { .. })).collect();
        let state = crate::engine::State::at_a_glance(damaged);
        let transcript = state.transcript();
        let item = &transcript.blocks[&BlockId(1)];
        assert_eq!(item.status, BlockStatus::Approved, "it does not wait: it would run a second time");
        assert!(item.runs[0].ended.is_some());
        assert!(transcript.open_blocks().next().is_none());
        let plan = crate::engine::rebuild::RebuildPlan::of(&state);
        assert!(plan.steps.is_empty(), "it is never repeated by itself");
    }
}
