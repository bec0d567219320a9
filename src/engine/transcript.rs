//! The durable half of the state: all entries, folded. What it holds stands here; how an entry changes it in `fold`.

mod ends;
mod fold;
mod paging;

use crate::domain::obeyed::obeyed;
use crate::domain::{
    Block, BlockId, Common, Finish, GivenFile, Grantor, Header, ModelName, NotedInstructions, OpaqueItem,
    Opinion, RecipeFact, Review, Revision, Rule, RunId, RunReport, Sha256, StepId, Terms, Timestamp,
    ToolCall, TurnEnd, UndoNote, UndoWay, Usage,
};
use std::collections::BTreeMap;
use std::path::Path;

pub use paging::Body;
pub(super) use paging::LONG;
pub(crate) use paging::{
    LoadState, OTHER_ENTRY, OutputAway, PagedOut, PagedTranscript, PromptPaging, RunPaging,
};

/// One thing of the conversation, in its order.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// What the person asked, and the files that they gave with it.
    Prompt {
        /// When they asked.
        at: Timestamp,
        /// What they wrote.
        text: Box<str>,
        /// The files, as they were then.
        files: Box<[GivenFile]>,
    },
    /// What the model answered.
    Reply(Box<ReplyItem>),
    /// A block that sayso proposed by itself, outside of any reply.
    Own {
        /// When it was proposed.
        at: Timestamp,
        /// The block; its text is sayso's.
        block: BlockId,
    },
    /// The turn ended in this way (an ordinary end is kept too, fronts need not show it).
    TurnEnd {
        /// When it ended.
        at: Timestamp,
        /// How it ended.
        end: TurnEnd,
    },
    /// The session was opened again: kernels are empty from here on.
    Resumed {
        /// When it was opened.
        at: Timestamp,
    },
    /// The person restarted the kernel.
    KernelRestarted {
        /// When the old one ended.
        at: Timestamp,
    },
    /// Replies come from this model from here on.
    Model {
        /// When it was chosen.
        at: Timestamp,
        /// The one that was chosen.
        model: Box<ModelName>,
    },
    /// Something about the recipe of the turn.
    Recipe {
        /// When it happened.
        at: Timestamp,
        /// What happened.
        fact: Box<RecipeFact>,
    },
    /// Requests begin with this summary in place of the oldest items from here on.
    Summary(Box<SummaryItem>),
}

impl Transcript {
    /// Whether anything was said or done: which model is asked does not count.
    pub(crate) fn has_begun(&self) -> bool {
        self.items.iter().any(|item| !matches!(item, Item::Model { .. }))
    }
}

impl Item {
    /// Whether it has this block.
    pub(crate) fn holds(&self, block: BlockId) -> bool {
        match self {
            Self::Reply(reply) => reply.blocks.contains(&block),
            Self::Own { block: own, .. } => *own == block,
            _ => false,
        }
    }

    /// Something about the recipe of the turn, where it is that.
    pub(crate) fn fact(&self) -> Option<&RecipeFact> {
        match self {
            Item::Recipe { fact, .. } => Some(fact),
            _ => None,
        }
    }
}

/// A summary of the oldest items.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryItem {
    /// When it was made.
    pub(crate) at: Timestamp,
    /// How many items it stands for, counted from the first.
    pub(crate) upto: usize,
    /// How many of the things that were settled it stands for.
    pub(crate) settled: usize,
    /// The summary, in the model's words.
    pub(crate) text: String,
    /// Which model wrote it.
    pub(crate) model: Option<ModelName>,
    /// Tokens used, where told.
    pub(crate) usage: Usage,
}

/// What a model was asked about a block, and said.
#[derive(Clone, Debug, PartialEq)]
pub struct OpinionItem {
    /// When the answer came.
    pub(crate) at: Timestamp,
    /// The version that the model was shown.
    pub(crate) revision: Revision,
    /// The model that was asked.
    pub(crate) model: ModelName,
    /// What it thinks, or why there is nothing of the kind.
    pub(crate) answer: Result<Opinion, String>,
    /// Tokens used, where told.
    pub(crate) usage: Usage,
}

/// A reply that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplyItem {
    /// When it ended.
    pub(crate) at: Timestamp,
    /// Which request of the session it answers.
    pub(crate) step: StepId,
    /// What was said in it; while it is [paged out](PagedOut) a short form of a long text, or nothing.
    pub(crate) body: Option<Box<ReplyBody>>,
    /// Which entry of the file it is, where it may be paged out, counted from 0.
    pub(crate) entry: Option<u32>,
    /// What is known of it while its body is in the file alone.
    pub(crate) paged_out: Option<PagedOut>,
    /// Calls that came to no block, and why.
    pub(crate) refused: Vec<RefusedCall>,
    /// Why it ended.
    pub(crate) finish: Finish,
    /// Tokens used, where told.
    pub(crate) usage: Usage,
    /// Its blocks, in their order; their ranges point into its text.
    pub(crate) blocks: Vec<BlockId>,
}

/// What was said in a reply.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct ReplyBody {
    pub(crate) text: String,
    pub(crate) reasoning: String,
    pub(crate) tool_calls: Vec<ToolCall>,
    pub(crate) kept: Vec<OpaqueItem>,
}

impl ReplyItem {
    /// Its text, exactly as it came; a short form of it, or nothing, while it is in the file alone.
    pub(crate) fn text(&self) -> &str {
        self.body.as_ref().map_or("", |body| &body.text)
    }

    /// The reasoning beside it; nothing while it is in the file alone.
    pub(crate) fn reasoning(&self) -> &str {
        self.body.as_ref().map_or("", |body| &body.reasoning)
    }

    /// The tools that it calls, in their order; nothing while it is in the file alone.
    pub(crate) fn tool_calls(&self) -> &[ToolCall] {
        self.body.as_ref().map_or(&[], |body| &body.tool_calls)
    }

    /// What its provider wants back with it; nothing while it is in the file alone.
    pub(crate) fn opaque_items(&self) -> &[OpaqueItem] {
        self.body.as_ref().map_or(&[], |body| &body.kept)
    }
}

/// A tool call that came to no block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RefusedCall {
    /// The identity of the call.
    pub(crate) call: String,
    /// Why, for the person and the model; one line.
    pub(crate) why: String,
}

/// A run of a block.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RunItem {
    /// Its identity, which its approval gave it.
    pub(crate) run: RunId,
    /// The version of the block that ran.
    pub(crate) revision: Revision,
    /// The hash of its bytes.
    pub(crate) sha256: Sha256,
    /// What the approval covers beside the bytes.
    pub(crate) terms: Common<Terms>,
    /// Whose word the approval is.
    pub(crate) by: Grantor,
    /// When it was approved.
    pub(crate) approved_at: Timestamp,
    /// When it ended, and how. `None`: it goes on, or it is LOST.
    pub(crate) ended: Option<(Timestamp, Box<RunReport>)>,
    /// Whether the process that ran it is gone without telling its end.
    pub(crate) lost: bool,
    /// What it did to files that the person took back, by their paths.
    pub(crate) taken_back: Vec<String>,
    /// How many more of them there are.
    pub(crate) more_taken_back: u32,
    /// How its output is kept, where that may be in the file alone.
    pub(crate) paging: Option<RunPaging>,
}

impl RunItem {
    /// A run that was approved and has not ended: of these bytes, under these terms, by this word at that moment.
    fn approved(
        run: RunId,
        (revision, sha256): (Revision, Sha256),
        terms: Common<Terms>,
        (by, approved_at): (Grantor, Timestamp),
    ) -> Self {
        Self {
            run,
            revision,
            sha256,
            terms,
            by,
            approved_at,
            ended: None,
            lost: false,
            taken_back: Vec::new(),
            more_taken_back: 0,
            paging: None,
        }
    }

    /// What is known for taking back what it changed.
    pub(crate) fn undo(&self) -> Option<&UndoNote> {
        self.ended.as_ref().and_then(|(_, report)| report.receipt.undo.as_ref())
    }

    /// Notes what the person took back of it, or made again.
    pub(super) fn note_taken_back(&mut self, files: &[String], more: u32, way: UndoWay) {
        self.taken_back.retain(|known| !files.contains(known));
        match way {
            UndoWay::Back => {
                self.taken_back.extend(files.iter().cloned());
                self.more_taken_back += more;
            }
            UndoWay::Again => self.more_taken_back = self.more_taken_back.saturating_sub(more),
        }
    }

    /// Whether it did something to names that programs obey by themselves, and nothing of that was taken back.
    pub(crate) fn can_be_taken_back(&self) -> bool {
        let files = self.ended.iter().flat_map(|(_, report)| &report.receipt.files);
        self.taken_back.is_empty()
            && files.map(|file| Path::new(&file.path)).any(|path| obeyed(path).is_some())
    }
}

/// What has been settled of a block.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) enum BlockStanding {
    /// It waits for a decision (or will, behind another).
    #[default]
    Open,
    /// It runs, ran or was lost: see its last run.
    Approved,
    /// It was rejected with these words.
    Rejected(String),
    /// The recipe of its turn did not offer it, and why.
    Declined(String),
    /// It was skipped: the model is not told.
    Skipped,
}

/// A block with all that was decided and done about it.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockItem {
    /// The block with its versions.
    pub block: Block,
    /// The newest recorded review, and of which revision.
    pub(crate) review: Option<(Revision, Box<Review>)>,
    /// What models were asked about it, and said, oldest first.
    pub(crate) opinions: Vec<OpinionItem>,
    /// What has been settled.
    pub(crate) standing: BlockStanding,
    /// When it was settled last.
    pub(crate) settled_at: Option<Timestamp>,
    /// Its runs, oldest first.
    pub(crate) runs: Vec<RunItem>,
}

/// Something that was settled and that the model is told of, with its place in the conversation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SettledEvent {
    /// How many items stood before it.
    pub(crate) after: usize,
    /// The block that was settled.
    pub(crate) block: BlockId,
    /// What became of it.
    pub(crate) what: Settlement,
}

/// What became of a block at one time. A block that is put back gets another one later.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Settlement {
    /// This run of it ended, or was lost.
    Ran(RunId),
    /// It was rejected with these words.
    Rejected(String),
    /// It was not offered to the person, and why.
    Declined(String),
}

/// An "always" of the person.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RuleItem {
    /// What it covers, and by whose word.
    pub(crate) rule: Rule,
    /// When it was granted.
    pub(crate) at: Timestamp,
    /// Whether it is no longer in force, and why.
    pub(crate) over: Option<RuleOver>,
}

/// Why a rule is no longer in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleOver {
    /// The person took it back, then.
    Revoked(Timestamp),
    /// The session was opened again: rules live no longer than the process.
    Reopened,
}

/// All entries of a session, folded: what a front end shows and a resumed session goes on from.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Transcript {
    /// The header, once there is one.
    pub header: Option<Header>,
    /// The session's name for people, as given last.
    pub(crate) name: String,
    /// The model in use.
    pub(crate) model: Option<ModelName>,
    /// Models that can't be given tools.
    pub(crate) without_tools: Vec<ModelName>,
    /// The conversation, in its order.
    pub(crate) items: Vec<Item>,
    /// All blocks that were ever proposed.
    pub blocks: BTreeMap<BlockId, BlockItem>,
    /// All rules that the person granted, oldest first.
    pub(crate) rules: Vec<RuleItem>,
    /// What was settled, in the order in which it was, for what the model is told.
    pub(crate) settled: Vec<SettledEvent>,
    /// The place of the newest summary among the items.
    pub(crate) summary: Option<usize>,
    /// The files of instructions that requests carry, as noted last.
    pub(crate) instructions: Vec<NotedInstructions>,
    /// The terms of the newest run: the next one has the same nearly always, or the same rights, and holds them in common.
    pub(crate) terms: Option<Common<Terms>>,
    /// The long prompts that may be in the file alone, by their places among the items.
    pub(crate) long_prompts: BTreeMap<usize, PromptPaging>,
    /// How many entries were applied; grows by one with each, so that views can tell whether anything changed.
    pub(crate) version: u64,
}

/// The prompt that is worked on at the end of these items: none where its turn is over.
pub(super) fn task(items: &[Item]) -> Option<usize> {
    let last = items.iter().rposition(|item| matches!(item, Item::Prompt { .. } | Item::TurnEnd { .. }))?;
    matches!(items.get(last), Some(Item::Prompt { .. })).then_some(last)
}
