//! Every durable fact of a session. One entry is one line of its file; folding all entries gives the transcript.

use super::{
    Block, BlockId, Finish, Grantor, Language, ModelName, NotedInstructions, OnDisk, OpaqueItem, Opinion,
    Prompt, RecipeFact, ReplyFailure, Review, Revision, Rule, RuleId, RunId, RunReport, SessionId, Sha256,
    StepId, Stream, Terms, Timestamp, ToolCall, UndoWay, Usage,
};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// The first line of a session file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The session's identity, which names its file.
    pub id: SessionId,
    /// Its name for people, `sales-q3`.
    #[serde(default)]
    pub name: String,
    /// When it was made.
    pub created: Timestamp,
    /// The working folder in which it began.
    #[serde(with = "super::serial::path")]
    pub cwd: PathBuf,
    /// The model at the start, where one was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelName>,
    /// The version of the program that made it.
    #[serde(default)]
    pub program: String,
    /// The session that it is a branch of, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch_of: Option<BranchOrigin>,
}

/// The session that a branch left, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchOrigin {
    /// The session that it was.
    pub session: SessionId,
    /// So many of its entries the branch begins with, the header not counted.
    pub entries: u64,
    /// The same as it is told; older files do not hold it.
    #[serde(flatten)]
    pub at: Option<BranchPlace>,
}

/// Where a branch left, as it is told: with what its own way begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BranchPlace {
    /// The person's words with this number: they are other ones, or there were none yet.
    Message(u32),
    /// What was decided about this block.
    Block(BlockId),
}

impl fmt::Display for BranchPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message(number) => write!(f, "message {number}"),
            Self::Block(block) => write!(f, "block {block}"),
        }
    }
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(tag = "end", content = "failure", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum TurnEnd {
    /// The model answered without proposing anything more; or all files that were named ran.
    Answered,
    /// It reached the step limit and the person did not go on.
    StepLimit,
    /// The model proposed the same block again and again, and the person did not go on.
    Repeated,
    /// The session budget was reached and the person did not go on.
    Budget,
    /// The request for a reply failed for good.
    Failed(Box<ReplyFailure>),
    /// The person stopped it or skipped all that was proposed, or a run was lost, refused or not started. In files, also an
    /// end of a later version.
    #[serde(other)]
    Stopped,
}

impl TurnEnd {
    /// The word in JSON and session files.
    pub(crate) fn as_str(&self) -> &'static str {
        self.into()
    }
}

/// One durable fact. In files its kind is the name of the variant; where that is `decision.edit`, the kind is `decision`
/// and a field of that name says which.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Entry {
    /// The session begins: the first entry of every file.
    Header(Header),
    /// The session was opened again: kernels and shells are empty from here on.
    Resumed,
    /// The person took over what another installation wrote, or an older sayso: all that stands before this line.
    Adopted {
        /// The hash of all bytes before this line.
        sha256: Sha256,
    },
    /// The session got another name.
    Named(#[serde(with = "super::serial::in_name")] String),
    /// Replies come from this model from here on.
    Model(#[serde(with = "super::serial::in_model")] ModelName),
    /// The person asked for something: a turn begins.
    Prompt(Prompt),
    /// A reply ended, however it did. What came of it is kept.
    Reply {
        /// Which request of the session it answers.
        step: StepId,
        /// Its text, exactly as it came.
        text: String,
        /// The reasoning beside it.
        #[serde(default)]
        reasoning: String,
        /// The tools that it calls, in their order.
        #[serde(default)]
        tool_calls: Vec<ToolCall>,
        /// What the provider wants back with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        kept: Vec<OpaqueItem>,
        /// Why it ended.
        finish: Finish,
        /// Tokens used, where told.
        #[serde(default)]
        usage: Usage,
    },
    /// A tool call of a reply came to no block: it can't be read, or names a tool that there is not. The model is told.
    CallRefused {
        /// The step of the reply.
        step: StepId,
        /// The identity of the call.
        call: String,
        /// Why, for the person and the model; one line.
        #[serde(default)]
        why: String,
    },
    /// This model (or its server) can't be given tools: from here on it is told to write fenced blocks.
    NoTools(#[serde(with = "super::serial::in_model")] ModelName),
    /// The reply proposed this; the block holds its first version only.
    Block(Block),
    /// A version was reviewed.
    Review {
        /// The block that was read.
        block: BlockId,
        /// Which version of its text.
        revision: Revision,
        /// What the checks say of it.
        #[serde(flatten)]
        review: Review,
    },
    /// The person changed the text: a new version.
    #[serde(rename = "decision.edit")]
    Edited {
        /// The block that was changed.
        block: BlockId,
        /// The new version.
        revision: Revision,
        /// Its whole text.
        #[serde(with = "super::serial::shared")]
        source: Arc<str>,
        /// Whether that is what the person wrote: not, where a key in it was masked when it was saved.
        #[serde(skip, default = "super::serial::yes")]
        whole: bool,
    },
    /// The places of an edit were found in its files: a new version, with the whole new text.
    Placed {
        /// Which block.
        block: BlockId,
        /// The new version.
        revision: Revision,
        /// The new text of its files, all of them in one.
        #[serde(with = "super::serial::shared")]
        source: Arc<str>,
        /// What each file was that this was made from, in their order.
        bases: Vec<OnDisk>,
        /// How the places were found, where they are not as they were written. One line.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        note: String,
        /// Whether that is what was made: not, where a key in it was masked when it was saved.
        #[serde(skip, default = "super::serial::yes")]
        whole: bool,
    },
    /// The person chose the language of a block that had none: a new version with the same text.
    #[serde(rename = "language")]
    LanguageChosen {
        /// The block that named no language.
        block: BlockId,
        /// The new version.
        revision: Revision,
        /// The language that was chosen.
        language: Language,
    },
    /// A run was decided for. Synced before the run starts; without a `Ran` after it the run is LOST.
    #[serde(rename = "decision.approve")]
    Approved {
        /// The block that was decided for.
        block: BlockId,
        /// The version that was on screen.
        revision: Revision,
        /// The run that this allows, and no other one.
        run: RunId,
        /// The hash of its bytes.
        sha256: Sha256,
        /// Whose word it is.
        #[serde(flatten)]
        by: Grantor,
        /// What it covers beside the bytes.
        terms: Terms,
    },
    /// The person granted an "always". It holds until it is revoked or the session is opened again.
    RuleAdded(Box<Rule>),
    /// The person took an "always" back.
    RuleRevoked(#[serde(with = "super::serial::in_rule")] RuleId),
    /// A block was rejected.
    #[serde(rename = "decision.reject")]
    Rejected {
        /// The block that was decided about.
        block: BlockId,
        /// The version that was on screen.
        revision: Revision,
        /// The person's words; may be empty.
        #[serde(default)]
        reason: String,
    },
    /// A block was skipped.
    #[serde(rename = "decision.skip")]
    Skipped {
        /// The block that was decided about.
        block: BlockId,
        /// The version that was on screen.
        revision: Revision,
    },
    /// The recipe of the turn does not offer this block to the person, and the model is told why; or a file that was
    /// named can't run; or the places of an edit are not found.
    #[serde(rename = "decision.decline")]
    Declined {
        /// The block that is not offered.
        block: BlockId,
        /// The version that was looked at.
        revision: Revision,
        /// Why, for the person and the model; one line.
        #[serde(default)]
        why: String,
    },
    /// A settled block waits for a decision again.
    PutBack(#[serde(with = "super::serial::in_block")] BlockId),
    /// A run ended. Its line names files beside the session: the store has a shape of its own for it.
    #[serde(skip)]
    Ran {
        /// The run that was approved under this identity.
        run: RunId,
        /// The block whose text ran.
        block: BlockId,
        /// All that is known of it.
        report: Box<RunReport>,
    },
    /// The person took back what a run changed, or made what was taken back again.
    TakenBack {
        /// The run whose changes were taken back.
        run: RunId,
        /// The block whose text ran.
        block: BlockId,
        /// The files that stand as before the run (or again as it left them), by their paths; of many the first.
        files: Vec<String>,
        /// How many more there are.
        #[serde(default, skip_serializing_if = "super::serial::is_zero")]
        more: u32,
        /// Which way.
        #[serde(default, skip_serializing_if = "UndoWay::is_back")]
        way: UndoWay,
    },
    /// The person restarted the kernel: its variables are gone.
    KernelRestarted,
    /// The turn is over.
    TurnEnd(TurnEnd),
    /// From here on requests begin with a summary in place of the oldest items.
    Summary {
        /// How many items of the conversation it stands for, counted from the first.
        upto: u32,
        /// The summary, in the model's words.
        text: String,
        /// Which model wrote it.
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<ModelName>,
        /// Tokens used, where told.
        #[serde(default)]
        usage: Usage,
    },
    /// A model was asked what it thinks of a block.
    Opinion {
        /// The block that was asked about.
        block: BlockId,
        /// The version that the model was shown.
        revision: Revision,
        /// The model that was asked.
        model: ModelName,
        /// What it thinks, or why there is nothing of the kind, in a line.
        #[serde(flatten, with = "super::opinion::answer")]
        answer: Result<Opinion, String>,
        /// Tokens used, where told.
        #[serde(default)]
        usage: Usage,
    },
    /// Something about the recipe of the turn.
    Recipe(RecipeFact),
    /// Requests carry these files of instructions from here on.
    Instructions(#[serde(with = "super::serial::in_files")] Vec<NotedInstructions>),
}

/// An output of a run of fewer bytes always stays in memory: what is kept of one that does not, is about as long.
const MIN_LONG_BYTES: usize = 2 << 10;

impl Entry {
    /// Whether it is the end of a run whose output is so long that it may stand in the file alone while nobody looks at it.
    pub(crate) fn is_long(&self) -> bool {
        match self {
            // What stands in a file of its own counts, whether that was read or not.
            Entry::Ran { report, .. } => {
                let total = |stream| report.output.total(stream);
                total(Stream::Stdout).saturating_add(total(Stream::Stderr)) >= MIN_LONG_BYTES as u64
            }
            _ => false,
        }
    }
}
