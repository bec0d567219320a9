//! Folds entries into a transcript. `apply` is the only way to change one, live and on resume alike.

mod block_entries;

use super::{
    BlockItem, BlockStatus, Item, RefusedCall, ReplyBody, ReplyItem, RuleItem, RuleOver, RunItem,
    SettledEvent, Settlement, SummaryItem, Transcript,
};
use crate::domain::{Block, BlockId, Entry, Header, Prompt, Rule, RuleId, RunId, Sha256, StepId, Timestamp};

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
            Entry::RuleAdded(rule) => self.add_rule(*rule, at),
            Entry::RuleRevoked(rule) => self.revoke(rule, at),
            of_block => self.apply_to_block(of_block, at),
        }
    }

    /// The run with this id, and its block.
    pub(crate) fn run(&self, run: RunId) -> Option<(&BlockItem, &RunItem)> {
        // Callers nearly always want the newest runs, which belong to the newest blocks.
        self.blocks.values().rev().find_map(|b| b.runs.iter().rev().find(|r| r.run == run).map(|r| (b, r)))
    }

    /// The newest run (of this block, or of any) whose changes are recorded, with its record. If no block is named, runs
    /// of which all was taken back count only when there is no other one, so that one can go back run by run.
    pub(crate) fn last_recorded(&self, block: Option<BlockId>) -> Option<(&BlockItem, &RunItem, Sha256)> {
        let items = self.blocks.values().filter(|item| block.is_none_or(|block| item.block.id == block));
        let runs = items.flat_map(|item| item.runs.iter().map(move |run| (item, run)));
        let recorded = runs.filter_map(|(item, run)| Some((item, run, run.undo()?.record?)));
        recorded.max_by_key(|(_, run, _)| (block.is_some() || !run.is_taken_back(), run.run))
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
}

impl Extend<(Timestamp, Entry)> for Transcript {
    fn extend<I: IntoIterator<Item = (Timestamp, Entry)>>(&mut self, entries: I) {
        for (at, entry) in entries {
            self.apply(entry, at);
        }
    }
}
