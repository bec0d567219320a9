//! All durable facts of a session. One entry is one line of the session file; applying all entries in order rebuilds
//! the transcript.

pub(super) mod header;

use super::{
    Block, BlockId, Finish, Grantor, Language, ModelName, NotedInstructions, OnDisk, OpaqueItem, Opinion,
    Prompt, RecipeFact, ReplyFailure, Review, Revision, Rule, RuleId, RunId, RunReport, Sha256, StepId,
    Terms, ToolCall, UndoKind, Usage,
};
use header::Header;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(tag = "end", content = "failure", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum TurnEnd {
    /// The model answered without proposing anything more; or all named files have run.
    Answered,
    /// The turn reached the step limit and the person did not continue it.
    StepLimit,
    /// The model proposed the same block again and again, and the person did not continue.
    Repeated,
    /// The session budget was used up and the person did not continue.
    Budget,
    /// The request for a reply failed, and no retry is left.
    Failed(Box<ReplyFailure>),
    /// The person stopped it or skipped all that was proposed, or a run was lost, refused or not started. An end
    /// written by a later version of sayso is also read as this.
    #[serde(other)]
    Stopped,
}

impl TurnEnd {
    /// The name in JSON and session files.
    pub(crate) fn as_str(&self) -> &'static str {
        self.into()
    }
}

/// One durable fact. In files, its kind is the name of the variant. For a name like `decision.edit` the kind is
/// `decision`, and a field of that name holds `edit`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Entry {
    /// The session begins: the first entry of every file.
    Header(Header),
    /// The session was opened again: from here on kernels and shells are new and empty.
    Resumed,
    /// The person accepted all lines before this one although another installation, or an older sayso, wrote them.
    #[serde(rename = "adopted")]
    Accepted {
        /// The hash of all bytes before this line.
        sha256: Sha256,
    },
    /// The session was renamed.
    #[serde(rename = "named")]
    Renamed(#[serde(with = "super::serial::in_name")] String),
    /// Replies come from this model from here on.
    Model(#[serde(with = "super::serial::in_model")] ModelName),
    /// The person sent a message: a turn begins.
    Prompt(Prompt),
    /// A reply ended, completely or not; what arrived of it is kept.
    Reply {
        /// The request that it answers.
        step: StepId,
        /// Its text, exactly as received.
        text: String,
        /// The reasoning that came with it.
        #[serde(default)]
        reasoning: String,
        /// The tool calls in it, in order.
        #[serde(default)]
        tool_calls: Vec<ToolCall>,
        /// Items that the provider wants sent back with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        kept: Vec<OpaqueItem>,
        /// Why it ended.
        finish: Finish,
        /// Tokens used, where the provider reported them.
        #[serde(default)]
        usage: Usage,
    },
    /// A tool call of a reply became no block: it can't be parsed, or names an unknown tool. The model is informed.
    CallRefused {
        /// The step of the reply.
        step: StepId,
        /// The id of the call.
        call: String,
        /// Why, for the person and the model; one line.
        #[serde(default)]
        why: String,
    },
    /// This model (or its server) does not accept tools: from here on sayso asks it for fenced blocks.
    NoTools(#[serde(with = "super::serial::in_model")] ModelName),
    /// The reply proposed this block; only its first version is stored here.
    Block(Block),
    /// A version of a block was reviewed.
    Review {
        /// The reviewed block.
        block: BlockId,
        /// The reviewed version.
        revision: Revision,
        /// What the checks found.
        #[serde(flatten)]
        review: Review,
    },
    /// The person changed the text: a new version.
    #[serde(rename = "decision.edit")]
    Edited {
        /// The changed block.
        block: BlockId,
        /// The new version.
        revision: Revision,
        /// Its whole text.
        #[serde(with = "super::serial::shared")]
        source: Arc<str>,
        /// Whether this is exactly what the person wrote; `false` if a key in it was masked on saving.
        #[serde(skip, default = "super::serial::yes")]
        whole: bool,
    },
    /// The places of an edit were found in its files: a new version holds the whole new text.
    Placed {
        /// The edit.
        block: BlockId,
        /// The new version.
        revision: Revision,
        /// The new text of its files, joined into one.
        #[serde(with = "super::serial::shared")]
        source: Arc<str>,
        /// The state of each file that the text was made from, in their order.
        bases: Vec<OnDisk>,
        /// How the places were found where the files don't match the edit literally; one line.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        note: String,
        /// Whether this is exactly the text that was made; `false` if a key in it was masked on saving.
        #[serde(skip, default = "super::serial::yes")]
        whole: bool,
    },
    /// The person chose the language of a block that had none: a new version with the same text.
    #[serde(rename = "language")]
    LanguageChosen {
        /// The block without a language.
        block: BlockId,
        /// The new version.
        revision: Revision,
        /// The chosen language.
        language: Language,
    },
    /// Somebody decided for a run. Synced to disk before the run starts; without a `Ran` after it the run is LOST.
    #[serde(rename = "decision.approve")]
    Approved {
        /// The approved block.
        block: BlockId,
        /// The version that was shown.
        revision: Revision,
        /// The one run that this allows.
        run: RunId,
        /// The hash of the approved bytes.
        sha256: Sha256,
        /// Who decided.
        #[serde(flatten)]
        by: Grantor,
        /// What the approval covers besides the bytes.
        terms: Terms,
    },
    /// The person granted an "always". It holds until it is revoked or the session is opened again.
    RuleAdded(Box<Rule>),
    /// The person revoked an "always".
    RuleRevoked(#[serde(with = "super::serial::in_rule")] RuleId),
    /// A block was rejected.
    #[serde(rename = "decision.reject")]
    Rejected {
        /// The rejected block.
        block: BlockId,
        /// The version that was shown.
        revision: Revision,
        /// The person's reason; may be empty.
        #[serde(default)]
        reason: String,
    },
    /// A block was skipped.
    #[serde(rename = "decision.skip")]
    Skipped {
        /// The skipped block.
        block: BlockId,
        /// The version that was shown.
        revision: Revision,
    },
    /// The block is not offered to the person, and the model is told why: the turn's recipe declined it, a named file
    /// can't run, or the places of an edit were not found.
    #[serde(rename = "decision.decline")]
    Declined {
        /// The block that is not offered.
        block: BlockId,
        /// The version that was checked.
        revision: Revision,
        /// Why, for the person and the model; one line.
        #[serde(default)]
        why: String,
    },
    /// A settled block waits for a decision again.
    #[serde(rename = "put_back")]
    Reopened(#[serde(with = "super::serial::in_block")] BlockId),
    /// A run ended. Its line refers to files beside the session file, so the store serializes it itself.
    #[serde(skip)]
    Ran {
        /// The run.
        run: RunId,
        /// The block whose text ran.
        block: BlockId,
        /// Everything known about the run.
        report: Box<RunReport>,
    },
    /// The person undid what a run changed, or redid what was undone.
    #[serde(rename = "taken_back")]
    Undone {
        /// The run whose changes were undone.
        run: RunId,
        /// The block of that run.
        block: BlockId,
        /// The paths of the restored files; only the first of many.
        files: Vec<String>,
        /// How many more files there are.
        #[serde(default, skip_serializing_if = "super::serial::is_zero")]
        more: u32,
        /// Whether this was an undo or a redo.
        #[serde(rename = "way", default, skip_serializing_if = "UndoKind::is_back")]
        kind: UndoKind,
    },
    /// The person restarted the kernel: its variables are lost.
    KernelRestarted,
    /// The turn is over.
    TurnEnd(TurnEnd),
    /// From here on requests begin with a summary in place of the oldest items.
    Summary {
        /// How many items of the conversation it replaces, counted from the first.
        upto: u32,
        /// The summary that the model wrote.
        text: String,
        /// The model that wrote it.
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<ModelName>,
        /// Tokens used, where the provider reported them.
        #[serde(default)]
        usage: Usage,
    },
    /// A model gave a second opinion on a block, or failed to.
    Opinion {
        /// The block in question.
        block: BlockId,
        /// The version that the model was shown.
        revision: Revision,
        /// The model that was asked.
        model: ModelName,
        /// The opinion, or in one line why there is none.
        #[serde(flatten, with = "super::opinion::answer")]
        answer: Result<Opinion, String>,
        /// Tokens used, where the provider reported them.
        #[serde(default)]
        usage: Usage,
    },
    /// A fact about the recipe of the turn.
    Recipe(RecipeFact),
    /// From here on requests carry these instruction files.
    Instructions(#[serde(with = "super::serial::in_files")] Vec<NotedInstructions>),
}

/// Outputs below this size always stay in memory: what remains of an unloaded output takes about as much.
const MIN_LONG_BYTES: u64 = 2 << 10;

impl Entry {
    /// Whether this is the end of a run whose output is long enough to be unloaded from memory while nobody looks at
    /// it.
    pub(crate) fn is_long(&self) -> bool {
        match self {
            // Totals count output that is stored in a separate file too, whether or not it was read.
            Entry::Ran { report, .. } => report.printed_bytes() >= MIN_LONG_BYTES,
            _ => false,
        }
    }
}
