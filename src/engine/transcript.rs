//! The durable half of the state: all entries, folded. This file and `block_item` define its data; `fold` applies entries
//! to it.

mod block_item;
mod ends;
mod fold;
mod paging;

use crate::domain::{
    AttachedFile, BlockId, Finish, Header, ModelName, NotedInstructions, OpaqueItem, Opinion, RecipeFact,
    Revision, Rule, SharedValue, StepId, Terms, Timestamp, ToolCall, TurnEnd, Usage,
};
use std::collections::BTreeMap;

pub use block_item::BlockItem;
pub(crate) use block_item::{BlockStatus, RunItem, SettledEvent, Settlement};
pub use paging::Body;
pub(super) use paging::LONG;
pub(crate) use paging::{
    LoadState, MessageAway, OTHER_ENTRY, OutputAway, PagedTranscript, PromptPaging, RunPaging,
};

/// One item of the conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A prompt of the person, with the files attached to it.
    Prompt {
        /// When it was sent.
        at: Timestamp,
        /// What the person wrote.
        text: Box<str>,
        /// The files, as they were then.
        files: Box<[AttachedFile]>,
    },
    /// A reply of the model.
    Reply(Box<ReplyItem>),
    /// A block that sayso proposed, outside of any reply.
    Own {
        /// When it was proposed.
        at: Timestamp,
        /// The block; its text is sayso's.
        block: BlockId,
    },
    /// The turn ended (an ordinary end is kept too; front ends need not show it).
    TurnEnd {
        /// When it ended.
        at: Timestamp,
        /// How it ended.
        end: TurnEnd,
    },
    /// The session was opened again: its kernels are empty from here on.
    Resumed {
        /// When it was opened.
        at: Timestamp,
    },
    /// The person restarted the kernel.
    KernelRestarted {
        /// When the old one ended.
        at: Timestamp,
    },
    /// This model is used from here on.
    Model {
        /// When it was chosen.
        at: Timestamp,
        /// The model.
        model: Box<ModelName>,
    },
    /// An event of the turn's recipe.
    Recipe {
        /// When it happened.
        at: Timestamp,
        /// What happened.
        fact: Box<RecipeFact>,
    },
    /// From here on, requests begin with this summary instead of the oldest items.
    Summary(Box<SummaryItem>),
}

impl Transcript {
    /// Whether anything was said or done: choosing a model does not count.
    pub(crate) fn has_begun(&self) -> bool {
        self.items.iter().any(|item| !matches!(item, Item::Model { .. }))
    }
}

impl Item {
    /// The blocks of this item, in their order.
    pub(crate) fn blocks(&self) -> &[BlockId] {
        match self {
            Self::Reply(reply) => &reply.blocks,
            Self::Own { block, .. } => std::slice::from_ref(block),
            _ => &[],
        }
    }

    /// Whether this item has the block.
    pub(crate) fn holds(&self, block: BlockId) -> bool {
        self.blocks().contains(&block)
    }

    /// The reply, if it is one.
    pub(crate) fn reply(&self) -> Option<&ReplyItem> {
        if let Item::Reply(reply) = self { Some(reply) } else { None }
    }

    /// The recipe event, if it is one.
    pub(crate) fn fact(&self) -> Option<&RecipeFact> {
        if let Item::Recipe { fact, .. } = self { Some(fact) } else { None }
    }
}

/// A summary of the oldest items.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryItem {
    /// When it was made.
    pub(crate) at: Timestamp,
    /// How many items it replaces, counted from the first.
    pub(crate) upto: usize,
    /// How many settled events it replaces.
    pub(crate) settled: usize,
    /// The summary, in the model's words.
    pub(crate) text: String,
    /// Which model wrote it.
    pub(crate) model: Option<ModelName>,
    /// Tokens used, if reported.
    pub(crate) usage: Usage,
}

/// A second opinion: what a model answered about a block.
#[derive(Clone, Debug, PartialEq)]
pub struct OpinionItem {
    /// When the answer arrived.
    pub(crate) at: Timestamp,
    /// The version that the model was shown.
    pub(crate) revision: Revision,
    /// The model that was asked.
    pub(crate) model: ModelName,
    /// Its opinion, or why there is none.
    pub(crate) answer: Result<Opinion, String>,
    /// Tokens used, if reported.
    pub(crate) usage: Usage,
}

/// A reply that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplyItem {
    /// When it ended.
    pub(crate) at: Timestamp,
    /// The step of its request.
    pub(crate) step: StepId,
    /// Its content; while it is [paged out](MessageAway) a shortened form of a long text, or nothing.
    pub(crate) body: Option<Box<ReplyBody>>,
    /// The number of its entry in the file, from 0, if it may be paged out.
    pub(crate) entry: Option<u32>,
    /// What is known of it while its content is only in the file.
    pub(crate) paged_out: Option<MessageAway>,
    /// Calls that became no block, and why.
    pub(crate) refused: Vec<RefusedCall>,
    /// Why it ended.
    pub(crate) finish: Finish,
    /// Tokens used, if reported.
    pub(crate) usage: Usage,
    /// Its blocks, in their order; their ranges refer to its text.
    pub(crate) blocks: Vec<BlockId>,
}

/// The content of a reply.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct ReplyBody {
    pub(crate) text: String,
    pub(crate) reasoning: String,
    pub(crate) tool_calls: Vec<ToolCall>,
    pub(crate) kept: Vec<OpaqueItem>,
}

impl ReplyItem {
    /// Its text, exactly as it arrived; while it is only in the file, a shortened form or nothing.
    pub(crate) fn text(&self) -> &str {
        self.body.as_ref().map_or("", |body| &body.text)
    }

    /// Its reasoning; nothing while it is only in the file.
    pub(crate) fn reasoning(&self) -> &str {
        self.body.as_ref().map_or("", |body| &body.reasoning)
    }

    /// The tool calls in their order; nothing while it is only in the file.
    pub(crate) fn tool_calls(&self) -> &[ToolCall] {
        self.body.as_ref().map_or(&[], |body| &body.tool_calls)
    }

    /// Opaque items that its provider wants back with it; nothing while it is only in the file.
    pub(crate) fn opaque_items(&self) -> &[OpaqueItem] {
        self.body.as_ref().map_or(&[], |body| &body.kept)
    }
}

/// A tool call that became no block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RefusedCall {
    /// The id of the call.
    pub(crate) call: String,
    /// Why, for the person and the model; one line.
    pub(crate) why: String,
}

/// An "always" rule of the person.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RuleItem {
    /// What it covers.
    pub(crate) rule: Rule,
    /// When it was granted.
    pub(crate) at: Timestamp,
    /// Whether it is no longer in force, and why.
    pub(crate) over: Option<RuleOver>,
}

/// Why a rule is no longer in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleOver {
    /// The person revoked it at this time.
    Revoked(Timestamp),
    /// The session was opened again: rules end with the process.
    Reopened,
}

/// All entries of a session, folded: what a front end shows and a resumed session continues from.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Transcript {
    /// The header, once it was recorded.
    pub header: Option<Header>,
    /// The session's name for people.
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
    /// The results that the model is told, in their order.
    pub(crate) settled: Vec<SettledEvent>,
    /// The index of the newest summary among the items.
    pub(crate) summary: Option<usize>,
    /// The instruction files in use, as recorded last.
    pub(crate) instructions: Vec<NotedInstructions>,
    /// The terms of the newest run. The next run nearly always has the same terms or rights, and shares them with it in
    /// memory.
    pub(crate) terms: Option<SharedValue<Terms>>,
    /// Long prompts that may be only in the file, by their index among the items.
    pub(crate) long_prompts: BTreeMap<usize, PromptPaging>,
    /// How many entries were applied, so that views can tell whether anything changed.
    pub(crate) version: u64,
}

/// The index of the prompt being worked on at the end of these items; `None` if its turn has ended.
pub(super) fn task(items: &[Item]) -> Option<usize> {
    let last = items.iter().rposition(|item| matches!(item, Item::Prompt { .. } | Item::TurnEnd { .. }))?;
    matches!(items.get(last), Some(Item::Prompt { .. })).then_some(last)
}
