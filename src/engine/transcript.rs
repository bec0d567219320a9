//! The durable half of the state: all entries, folded. `apply` is the only way in, live and on resume alike.

use crate::domain::{
    Block, BlockId, Entry, Finish, Grantor, Header, ModelName, Moment, Review, Revision, RunId, RunReport,
    Sha256, StepId, Terms, ToolCall, TurnEnd, Usage, Version,
};
use std::collections::BTreeMap;

/// One thing of the conversation, in its order.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// What the person asked.
    Prompt {
        /// When.
        at: Moment,
        /// The text.
        text: String,
    },
    /// What the model answered.
    Reply(Box<ReplyItem>),
    /// The turn ended in this way (an ordinary end is kept too, fronts need not show it).
    TurnEnd {
        /// When.
        at: Moment,
        /// How.
        end: TurnEnd,
    },
    /// The session was opened again: kernels are empty from here on.
    Resumed {
        /// When.
        at: Moment,
    },
    /// The person restarted the kernel.
    KernelRestarted {
        /// When.
        at: Moment,
    },
    /// Replies come from this model from here on.
    Model {
        /// When.
        at: Moment,
        /// The model.
        model: ModelName,
    },
}

/// A reply that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplyItem {
    /// When it ended.
    pub at: Moment,
    /// Its step.
    pub step: StepId,
    /// Its text.
    pub text: String,
    /// The reasoning beside it.
    pub reasoning: String,
    /// Tool calls.
    pub tool_calls: Vec<ToolCall>,
    /// Why it ended.
    pub finish: Finish,
    /// Tokens, where told.
    pub usage: Usage,
    /// Its blocks, in their order; their ranges point into `text`.
    pub blocks: Vec<BlockId>,
}

/// A run of a block.
#[derive(Clone, Debug, PartialEq)]
pub struct RunItem {
    /// Which.
    pub run: RunId,
    /// Of which version.
    pub revision: Revision,
    /// The hash of its bytes.
    pub sha256: Sha256,
    /// The terms.
    pub terms: Terms,
    /// Who said yes.
    pub by: Grantor,
    /// When it was approved.
    pub approved_at: Moment,
    /// When it ended, and how. `None`: it goes on, or it is LOST.
    pub ended: Option<(Moment, Box<RunReport>)>,
    /// Whether the process that ran it is gone without telling its end.
    pub lost: bool,
}

/// What has been settled of a block.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Standing {
    /// It waits for a decision (or will, behind another).
    #[default]
    Open,
    /// It runs, ran or was lost: see its last run.
    Approved,
    /// It was rejected with these words.
    Rejected(String),
    /// It was skipped.
    Skipped,
}

/// A block with all that was decided and done about it.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockItem {
    /// The block with its versions.
    pub block: Block,
    /// The newest recorded review, and of which revision.
    pub review: Option<(Revision, Review)>,
    /// What has been settled.
    pub standing: Standing,
    /// When it was settled last.
    pub settled_at: Option<Moment>,
    /// Its runs, oldest first.
    pub runs: Vec<RunItem>,
}

/// Something that was settled and that the model is told of, with its place in the conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// How many items stood before it.
    pub after: usize,
    /// The block.
    pub block: BlockId,
    /// What became of it.
    pub what: Settlement,
}

/// What became of a block at one time. A block that is put back gets another one later.
#[derive(Clone, Debug, PartialEq)]
pub enum Settlement {
    /// This run of it ended, or was lost.
    Ran(RunId),
    /// It was rejected with these words.
    Rejected(String),
}

/// All entries, folded.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Transcript {
    /// The header, once there is one.
    pub header: Option<Header>,
    /// The session's name.
    pub name: String,
    /// The model in use.
    pub model: Option<ModelName>,
    /// The conversation.
    pub items: Vec<Item>,
    /// All blocks.
    pub blocks: BTreeMap<BlockId, BlockItem>,
    /// What was settled, in the order in which it was, for what the model is told.
    pub settled: Vec<Settled>,
    /// How many entries were applied; grows by one with each, so that views can tell whether anything changed.
    pub version: u64,
}

impl Transcript {
    /// Folds entries from the first one on.
    pub fn fold<'a>(entries: impl IntoIterator<Item = &'a (Moment, Entry)>) -> Self {
        let mut transcript = Self::default();
        for (at, entry) in entries {
            transcript.apply(entry, *at);
        }
        transcript
    }

    /// Folds one more fact in. Facts that make no sense (a block that is not known) are passed over: a damaged file
    /// still opens.
    pub fn apply(&mut self, entry: &Entry, at: Moment) {
        self.version += 1;
        match entry {
            Entry::Header(header) => self.begin(header),
            Entry::Resumed => {
                self.lose_runs();
                self.items.push(Item::Resumed { at });
            }
            Entry::Named(name) => self.name.clone_from(name),
            Entry::Model(model) => {
                self.model = Some(model.clone());
                self.items.push(Item::Model { at, model: model.clone() });
            }
            Entry::Prompt(text) => self.items.push(Item::Prompt { at, text: text.clone() }),
            Entry::Reply { step, text, reasoning, tool_calls, finish, usage } => {
                self.items.push(Item::Reply(Box::new(ReplyItem {
                    at,
                    step: *step,
                    text: text.clone(),
                    reasoning: reasoning.clone(),
                    tool_calls: tool_calls.clone(),
                    finish: finish.clone(),
                    usage: *usage,
                    blocks: Vec::new(),
                })));
            }
            Entry::Block(block) => self.propose(block),
            Entry::Review { block, revision, review } => {
                self.with(*block, |item| item.review = Some((*revision, review.clone())));
            }
            Entry::Edited { block, revision, source } => {
                self.revise(*block, *revision, |last| Version {
                    source: source.clone(),
                    whole: true,
                    ..last
                });
            }
            Entry::LanguageChosen { block, revision, language } => {
                self.revise(*block, *revision, |last| Version { language: Some(language.clone()), ..last });
            }
            Entry::Approved { run, block, revision, sha256, terms, by } => self.with(*block, |item| {
                item.standing = Standing::Approved;
                item.settled_at = Some(at);
                item.runs.push(RunItem {
                    run: *run,
                    revision: *revision,
                    sha256: *sha256,
                    terms: terms.clone(),
                    by: *by,
                    approved_at: at,
                    ended: None,
                    lost: false,
                });
            }),
            Entry::Rejected { block, reason, .. } => self.reject(*block, reason, at),
            Entry::Skipped { block, .. } => self.with(*block, |item| {
                item.standing = Standing::Skipped;
                item.settled_at = Some(at);
            }),
            Entry::PutBack(block) => self.with(*block, |item| item.standing = Standing::Open),
            Entry::Ran { run, block, report } => self.end_run(*run, *block, report, at),
            Entry::KernelRestarted => self.items.push(Item::KernelRestarted { at }),
            Entry::TurnEnd(end) => self.items.push(Item::TurnEnd { at, end: end.clone() }),
        }
    }

    /// The run with this number, and the block that it belongs to.
    pub fn run(&self, run: RunId) -> Option<(&BlockItem, &RunItem)> {
        // The newest runs are asked for nearly always, and they belong to the newest blocks.
        self.blocks.values().rev().find_map(|b| b.runs.iter().rev().find(|r| r.run == run).map(|r| (b, r)))
    }

    /// The newest reply.
    pub fn last_reply(&self) -> Option<&ReplyItem> {
        self.items.iter().rev().find_map(|item| match item {
            Item::Reply(reply) => Some(reply.as_ref()),
            _ => None,
        })
    }

    /// The blocks that are not settled, in their order.
    pub fn open(&self) -> impl DoubleEndedIterator<Item = &BlockItem> {
        self.blocks.values().filter(|b| b.standing == Standing::Open)
    }

    fn begin(&mut self, header: &Header) {
        self.name.clone_from(&header.name);
        self.model.clone_from(&header.model);
        self.header = Some(header.clone());
    }

    fn propose(&mut self, block: &Block) {
        if block.versions.is_empty() || self.blocks.contains_key(&block.id) {
            return;
        }
        let reply = self.items.iter_mut().rev().find_map(|item| match item {
            Item::Reply(reply) if reply.step == block.step => Some(reply),
            _ => None,
        });
        // A block whose reply was damaged is kept: it may still wait for a decision.
        if let Some(reply) = reply {
            reply.blocks.push(block.id);
        }
        let item = BlockItem {
            block: block.clone(),
            review: None,
            standing: Standing::Open,
            settled_at: None,
            runs: Vec::new(),
        };
        self.blocks.insert(block.id, item);
    }

    /// Adds a version made from the last one, if its number follows.
    fn revise(&mut self, block: BlockId, revision: Revision, change: impl FnOnce(Version) -> Version) {
        self.with(block, |item| {
            let last = item.block.current().clone();
            if revision > last.revision {
                item.block.versions.push(Version { revision, ..change(last) });
            }
        });
    }

    fn reject(&mut self, block: BlockId, reason: &str, at: Moment) {
        let after = self.items.len();
        let Some(item) = self.blocks.get_mut(&block) else { return };
        item.standing = Standing::Rejected(reason.to_owned());
        item.settled_at = Some(at);
        self.settled.push(Settled { after, block, what: Settlement::Rejected(reason.to_owned()) });
    }

    fn end_run(&mut self, run: RunId, block: BlockId, report: &RunReport, at: Moment) {
        let after = self.items.len();
        let found = self.blocks.get_mut(&block).and_then(|b| b.runs.iter_mut().find(|r| r.run == run));
        let Some(item) = found.filter(|r| r.ended.is_none() && !r.lost) else { return };
        item.ended = Some((at, Box::new(report.clone())));
        self.settled.push(Settled { after, block, what: Settlement::Ran(run) });
    }

    /// Marks what has no end as lost: the process that ran it is gone.
    fn lose_runs(&mut self) {
        let after = self.items.len();
        for (id, item) in &mut self.blocks {
            for run in item.runs.iter_mut().filter(|r| r.ended.is_none() && !r.lost) {
                run.lost = true;
                self.settled.push(Settled { after, block: *id, what: Settlement::Ran(run.run) });
            }
        }
    }

    fn with(&mut self, block: BlockId, change: impl FnOnce(&mut BlockItem)) {
        if let Some(item) = self.blocks.get_mut(&block) {
            change(item);
        }
    }
}
