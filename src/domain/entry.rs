//! Every durable fact of a session. One entry is one line of its file; folding all entries gives the transcript.

use super::{
    Block, BlockId, Finish, Grantor, Kept, Language, ModelName, Moment, NotedInstructions, Opinion,
    RecipeFact, ReplyFailure, Review, Revision, Rule, RuleId, RunId, RunReport, SessionId, Sha256, StepId,
    Terms, ToolCall, Usage,
};
use std::path::PathBuf;
use std::sync::Arc;

/// The first line of a session file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The session's identity.
    pub id: SessionId,
    /// Its name for people, `sales-q3`.
    pub name: String,
    /// When it was made.
    pub created: Moment,
    /// The working folder.
    pub cwd: PathBuf,
    /// The model at the start, where one was chosen.
    pub model: Option<ModelName>,
    /// The version of the program that made it.
    pub program: String,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnEnd {
    /// The model answered without proposing anything more.
    Answered,
    /// The person stopped it (or skipped all that was proposed).
    Stopped,
    /// It reached the step limit and the person did not go on.
    StepLimit,
    /// The model proposed the same block again and again, and the person did not go on.
    Repeated,
    /// The session budget was reached and the person did not go on.
    Budget,
    /// The provider failed.
    Failed(ReplyFailure),
}

impl TurnEnd {
    /// The word in JSON and session files.
    pub fn as_str(&self) -> &'static str {
        match self {
            TurnEnd::Answered => "answered",
            TurnEnd::Stopped => "stopped",
            TurnEnd::StepLimit => "step_limit",
            TurnEnd::Repeated => "repeated",
            TurnEnd::Budget => "budget",
            TurnEnd::Failed(_) => "failed",
        }
    }
}

/// One durable fact.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// The session began.
    Header(Header),
    /// The session was opened again: kernels and shells are empty from here on.
    Resumed,
    /// The session got another name.
    Named(String),
    /// Replies come from this model from here on.
    Model(ModelName),
    /// The person asked for something: a turn begins.
    Prompt(String),
    /// A reply ended, however it did. What came of it is kept.
    Reply {
        /// Its step.
        step: StepId,
        /// Its text, exactly as it came.
        text: String,
        /// The reasoning beside it.
        reasoning: String,
        /// Tool calls.
        tool_calls: Vec<ToolCall>,
        /// What the provider wants back with it.
        kept: Vec<Kept>,
        /// Why it ended.
        finish: Finish,
        /// Tokens used, where told.
        usage: Usage,
    },
    /// A tool call of a reply came to no block: it can't be read, or names a tool that there is not. The model is told.
    CallRefused {
        /// The step of the reply.
        step: StepId,
        /// The identity of the call.
        call: String,
        /// Why, for the person and the model; one line.
        why: String,
    },
    /// This model (or its server) can't be given tools: from here on it is told to write fenced blocks.
    NoTools(ModelName),
    /// The reply proposed this; the block holds its first version only.
    Block(Block),
    /// A version was reviewed.
    Review {
        /// The block.
        block: BlockId,
        /// The version.
        revision: Revision,
        /// The review.
        review: Review,
    },
    /// The person changed the text: a new version.
    Edited {
        /// The block.
        block: BlockId,
        /// The new version.
        revision: Revision,
        /// Its text.
        source: Arc<str>,
        /// Whether that is what the person wrote: not, where a key in it was masked when it was saved.
        whole: bool,
    },
    /// The person chose the language of a block that had none: a new version with the same text.
    LanguageChosen {
        /// The block.
        block: BlockId,
        /// The new version.
        revision: Revision,
        /// The language.
        language: Language,
    },
    /// A run was decided for. Synced before the run starts; without a `Ran` after it the run is LOST.
    Approved {
        /// The run.
        run: RunId,
        /// The block.
        block: BlockId,
        /// The version.
        revision: Revision,
        /// The hash of its bytes.
        sha256: Sha256,
        /// The terms.
        terms: Terms,
        /// Who said yes.
        by: Grantor,
    },
    /// The person granted an "always". It holds until it is revoked or the session is opened again.
    RuleAdded(Box<Rule>),
    /// The person took an "always" back.
    RuleRevoked(RuleId),
    /// A block was rejected.
    Rejected {
        /// The block.
        block: BlockId,
        /// The version.
        revision: Revision,
        /// The person's words; may be empty.
        reason: String,
    },
    /// A block was skipped.
    Skipped {
        /// The block.
        block: BlockId,
        /// The version.
        revision: Revision,
    },
    /// The recipe of the turn does not offer this block to the person; the model is told why.
    Declined {
        /// The block.
        block: BlockId,
        /// The version.
        revision: Revision,
        /// Why, for the person and the model; one line.
        why: String,
    },
    /// A settled block waits for a decision again.
    PutBack(BlockId),
    /// A run ended.
    Ran {
        /// The run.
        run: RunId,
        /// The block.
        block: BlockId,
        /// All that is known of it.
        report: Box<RunReport>,
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
        model: Option<ModelName>,
        /// Tokens used, where told.
        usage: Usage,
    },
    /// A model was asked what it thinks of a block.
    Opinion {
        /// The block.
        block: BlockId,
        /// The version.
        revision: Revision,
        /// Which model.
        model: ModelName,
        /// What it thinks, or why there is nothing of the kind, in a line.
        answer: Result<Opinion, String>,
        /// Tokens used, where told.
        usage: Usage,
    },
    /// Something about the recipe of the turn.
    Recipe(RecipeFact),
    /// Requests carry these files of instructions from here on.
    Instructions(Vec<NotedInstructions>),
}
