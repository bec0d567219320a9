//! Folds entries into a transcript. `apply` is the only way to change one, live and on resume alike.

use super::{
    BlockItem, BlockStatus, Item, OpinionItem, RefusedCall, ReplyBody, ReplyItem, RuleItem, RuleOver,
    RunItem, SettledEvent, Settlement, SummaryItem, Transcript,
};
use crate::domain::{
    Block, BlockId, EditPlacement, Entry, ExecutorKind, Grantor, Header, Language, Limits, Prompt, Revision,
    Rights, Rule, RuleId, RunId, RunReport, Sha256, SharedValue, StepId, Terms, Timestamp, Version,
};
use std::path::PathBuf;

impl Transcript {
    /// Whether it is a branch to which nothing was added since it was made.
    pub(in crate::engine) fn is_branch_as_it_began(&self) -> bool {
        let origin = self.header.as_ref().and_then(|header| header.branch_of.as_ref());
        // The header is one more entry.
        origin.is_some_and(|of| self.version <= of.entries.saturating_add(1))
    }

    /// Folds entries from the first one on.
    pub(crate) fn fold(entries: impl IntoIterator<Item = (Timestamp, Entry)>) -> Self {
        let mut transcript = Self::default();
        transcript.extend(entries);
        transcript
    }

    /// Applies one more entry. Entries that make no sense (about an unknown block) are ignored: a damaged file still
    /// opens.
    pub(crate) fn apply(&mut self, entry: Entry, at: Timestamp) {
        self.version += 1;
        match entry {
            Entry::Header(header) => self.begin(header),
            Entry::Resumed => {
                self.lose_runs();
                self.end_rules();
                self.items.push(Item::Resumed { at });
            }
            Entry::Renamed(name) => self.name = name,
            Entry::Model(model) => {
                self.model = Some(model.clone());
                self.items.push(Item::Model { at, model: Box::new(model) });
            }
            Entry::Prompt(Prompt { text, files }) => {
                self.items.push(Item::Prompt { at, text: text.into(), files: files.into() });
            }
            Entry::Reply { step, text, reasoning, tool_calls, kept, finish, usage } => {
                self.items.push(Item::Reply(Box::new(ReplyItem {
                    at,
                    step,
                    body: Some(Box::new(ReplyBody { text, reasoning, tool_calls, kept })),
                    entry: None,
                    paged_out: None,
                    refused: Vec::new(),
                    finish,
                    usage,
                    blocks: Vec::new(),
                })));
            }
            Entry::CallRefused { step, call, why } => {
                if let Some(reply) = self.reply_of(step) {
                    reply.refused.push(RefusedCall { call, why });
                }
            }
            Entry::NoTools(model) => {
                if !self.without_tools.contains(&model) {
                    self.without_tools.push(model);
                }
            }
            Entry::Block(block) => self.propose(block, at),
            Entry::KernelRestarted => self.items.push(Item::KernelRestarted { at }),
            Entry::TurnEnd(end) => self.items.push(Item::TurnEnd { at, end }),
            Entry::Summary { upto, text, model, usage } => {
                self.sum_up(upto, SummaryItem { at, upto: 0, settled: 0, text, model, usage });
            }
            Entry::Recipe(fact) => self.items.push(Item::Recipe { at, fact: Box::new(fact) }),
            Entry::Instructions(noted) => self.instructions = noted,
            of_block => self.apply_to_block(of_block, at),
        }
    }

    /// Applies an entry about one block.
    fn apply_to_block(&mut self, entry: Entry, at: Timestamp) {
        match entry {
            Entry::Review { block, revision, review } => {
                self.change_block(block, |item| item.review = Some((revision, Box::new(review))));
            }
            Entry::Edited { block, revision, source, whole } => {
                self.revise(block, revision, |last| Version { whole, source, ..last });
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
            Entry::Approved { run, block, revision, sha256, mut terms, by } => {
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
                    item.settled_at = Some(at);
                    // Most blocks run once: more capacity would be as large as the rest of a run.
                    item.runs.reserve_exact(1);
                    item.runs.push(RunItem::approved(run, (revision, sha256), terms, (by, at)));
                });
            }
            Entry::RuleAdded(rule) => self.add_rule(*rule, at),
            Entry::RuleRevoked(rule) => self.revoke(rule, at),
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

    /// The run with this id, and its block.
    pub(crate) fn run(&self, run: RunId) -> Option<(&BlockItem, &RunItem)> {
        // Callers nearly always want the newest runs, which belong to the newest blocks.
        self.blocks.values().rev().find_map(|b| b.runs.iter().rev().find(|r| r.run == run).map(|r| (b, r)))
    }

    /// The newest run (of this block, or of any) whose changes are recorded, with its record.
    pub(crate) fn last_recorded(&self, block: Option<BlockId>) -> Option<(&BlockItem, &RunItem, Sha256)> {
        let items = self.blocks.values().filter(|item| block.is_none_or(|block| item.block.id == block));
        let runs = items.flat_map(|item| item.runs.iter().map(move |run| (item, run)));
        let recorded = runs.filter_map(|(item, run)| Some((item, run, run.undo()?.record?)));
        recorded.max_by_key(|(_, run, _)| run.run)
    }

    /// The newest reply that has ended.
    pub(crate) fn last_reply(&self) -> Option<&ReplyItem> {
        self.items.iter().rev().find_map(Item::reply)
    }

    /// The summary at the start of requests, if there is one.
    pub(crate) fn summary(&self) -> Option<&SummaryItem> {
        match self.items.get(self.summary?)? {
            Item::Summary(summary) => Some(summary),
            _ => None,
        }
    }

    /// The blocks that are not settled, in their order.
    pub(crate) fn open_blocks(&self) -> impl DoubleEndedIterator<Item = &BlockItem> {
        self.blocks.values().filter(|b| b.status == BlockStatus::Open)
    }

    /// The person's rules in force, oldest first.
    pub(crate) fn rules_in_force(&self) -> impl DoubleEndedIterator<Item = &Rule> {
        self.rules.iter().filter(|item| item.over.is_none()).map(|item| &item.rule)
    }

    /// Adds a summary that replaces this many items from now on.
    fn sum_up(&mut self, upto: u32, summary: SummaryItem) {
        // A file that lost lines has fewer items than the summary says.
        let upto = usize::try_from(upto).unwrap_or(usize::MAX).min(self.items.len());
        let settled = self.settled.partition_point(|settled| settled.after <= upto);
        self.summary = Some(self.items.len());
        self.items.push(Item::Summary(Box::new(SummaryItem { upto, settled, ..summary })));
    }

    fn begin(&mut self, header: Header) {
        self.name.clone_from(&header.name);
        self.model.clone_from(&header.model);
        self.header = Some(header);
    }

    fn reply_of(&mut self, step: StepId) -> Option<&mut ReplyItem> {
        self.items.iter_mut().rev().find_map(|item| match item {
            Item::Reply(reply) if reply.step == step => Some(reply.as_mut()),
            _ => None,
        })
    }

    fn propose(&mut self, block: Block, at: Timestamp) {
        if block.versions.is_empty() || self.blocks.contains_key(&block.id) {
            return;
        }
        // A block whose reply was damaged is kept: it may still wait for a decision.
        if block.is_own() {
            self.items.push(Item::Own { at, block: block.id });
        } else if let Some(reply) = self.reply_of(block.step) {
            reply.blocks.push(block.id);
        }
        let item = BlockItem {
            block,
            review: None,
            opinions: Vec::new(),
            status: BlockStatus::Open,
            settled_at: None,
            runs: Vec::new(),
        };
        self.blocks.insert(item.block.id, item);
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
            item.runs.push(RunItem::approved(run, (revision, sha256), terms.into(), (by, at)));
        });
    }

    /// Marks runs without an end as lost: their process is gone.
    fn lose_runs(&mut self) {
        let after = self.items.len();
        for (id, item) in &mut self.blocks {
            for run in item.runs.iter_mut().filter(|r| r.ended.is_none() && !r.lost) {
                run.lost = true;
                self.settled.push(SettledEvent { after, block: *id, what: Settlement::Ran(run.run) });
            }
        }
    }

    /// Adds a rule. A rule whose id exists already is ignored: a damaged file must not widen one.
    fn add_rule(&mut self, rule: Rule, at: Timestamp) {
        if !self.rules.iter().any(|item| item.rule.id == rule.id) {
            self.rules.push(RuleItem { rule, at, over: None });
        }
    }

    fn revoke(&mut self, rule: RuleId, at: Timestamp) {
        let found = self.rules.iter_mut().find(|item| item.rule.id == rule && item.over.is_none());
        if let Some(item) = found {
            item.over = Some(RuleOver::Revoked(at));
        }
    }

    fn end_rules(&mut self) {
        for item in self.rules.iter_mut().filter(|item| item.over.is_none()) {
            item.over = Some(RuleOver::Reopened);
        }
    }

    fn change_block(&mut self, block: BlockId, change: impl FnOnce(&mut BlockItem)) {
        if let Some(item) = self.blocks.get_mut(&block) {
            change(item);
        }
    }
}

impl Extend<(Timestamp, Entry)> for Transcript {
    fn extend<I: IntoIterator<Item = (Timestamp, Entry)>>(&mut self, entries: I) {
        for (at, entry) in entries {
            self.apply(entry, at);
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
