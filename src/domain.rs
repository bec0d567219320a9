//! Defines the plain values that the rooms exchange: blocks, approvals, terms, entries, receipts and so on.
//!
//! Nothing here acts: no clock, no file, no process, no network. This room imports no other room. A type that only one
//! room uses belongs in that room. The serde attributes on these types define the format of session files and of the
//! JSON for scripts.

pub(crate) mod approval;
pub(crate) mod auto_run;
pub(crate) mod block;
pub(crate) mod block_kind;
pub(crate) mod block_text_error;
pub(crate) mod branch;
pub(crate) mod decision;
pub(crate) mod entry;
pub(crate) mod file_act;
pub(crate) mod file_texts;
pub(crate) mod finding;
pub(crate) mod form;
pub(crate) mod function;
mod gaps;
pub(crate) mod git_folder;
pub(crate) mod ids;
pub(crate) mod image_name;
pub(crate) mod instructions;
pub(crate) mod json_text;
pub(crate) mod language;
pub(crate) mod mask;
pub(crate) mod message;
mod model;
pub(crate) mod moment;
pub(crate) mod notice;
pub(crate) mod opinion;
pub(crate) mod output_buffer;
pub mod packages;
pub(crate) mod pen;
pub(crate) mod pixels;
pub(crate) mod prompt;
pub(crate) mod reach;
pub(crate) mod recipe;
mod reply;
pub(crate) mod request_counts;
mod rights;
pub(crate) mod run;
#[cfg(test)]
pub(crate) mod samples;
pub mod sentences;
mod shared_value;
pub(crate) mod text_range;
pub(crate) use sentences::conditions::{KernelLanguages, RunConditions};
pub(crate) mod serial;
mod session_name;
pub(crate) mod sha256;
mod shared_state;
mod terminal_screen;
mod terms;
pub(crate) mod timestamp;
pub(crate) mod trace;
mod undo;
pub(crate) mod unicode;
mod variables;
pub(crate) mod visible;
pub(crate) mod word;

pub use approval::{Approval, Grantor, RunRequest};
pub use block::{Block, Dialect, Origin, Version};
pub(crate) use block::{EditPlacement, Readiness};
pub use block_kind::BlockKind;
pub use block_text_error::BlockTextError;
pub use branch::BranchPoint;
pub(crate) use branch::NoBranch;
pub(crate) use decision::Verdict;
pub use decision::{Decision, Policy, Rule, RuleScope};
pub use entry::{BranchOrigin, BranchPlace, Entry, Header, TurnEnd};
pub(crate) use file_act::FileAct;
pub use finding::{Effects, Finding, Review, Severity};
pub use form::{AnswerError, Answers, Field, FieldKind, Form, paths};
pub use function::{Function, ParameterKind};
pub(crate) use function::{FunctionFile, Parameter};
pub use gaps::UnscannedChanges;
pub use ids::{BlockId, Revision, RuleId, RunId, SessionId, StepId, TimerId};
pub use image_name::ImageName;
pub use instructions::{Instructions, NotedInstructions};
pub use language::{Language, Languages};
pub(crate) use mask::{KeySpan, MaskStream, Maskable};
pub use mask::{MaskedValue, Masker};
pub(crate) use message::{AnswerForm, MessageImage};
pub use message::{Message, ModelRequest, Purpose, Role, Tool};
pub(crate) use model::LongPrice;
pub(crate) use model::SCRIPTED;
pub use model::{ModelInfo, ModelName, Price};
pub(crate) use notice::Level;
pub use notice::Notice;
#[cfg(test)]
pub(crate) use opinion::Risk;
pub use opinion::{Opinion, OpinionReply};
pub(crate) use output_buffer::StreamEnds;
pub use output_buffer::{OutputBuffer, Stream};
pub use packages::{InstallInto, PackageList};
pub use pen::Pen;
pub(crate) use pen::{PenColor, PenMark};
pub use pixels::{Pixels, UndrawnReason};
pub use prompt::{AttachedFile, Prompt};
pub use reach::{Reach, Reachability, ReachablePath};
pub use recipe::{RecipeCard, RecipeCards, RecipeEnd, RecipeFact, RecipeStart, RoundOutcome};
pub use reply::{FailureKind, Finish, FinishReason, OpaqueItem, ReplyEvent, ReplyFailure, ToolCall, Usage};
pub(crate) use request_counts::RequestCounter;
pub use request_counts::{Departure, RequestCounts};
pub(crate) use rights::ProjectPython;
pub use rights::{Enforcement, HardLinks, Layer, Limits, Rights, SandboxLevel, SandboxReport};
pub(crate) use run::ProtectedFile;
pub use run::{
    Chunk, CountedTime, DeadKernel, ExecutorKind, FileChange, ImageRef, Interpreter, KernelFate, KernelRef,
    Outcome, Receipt, RunControl, RunError, RunEvent, RunReport,
};
pub(crate) use session_name::{SessionNameError, session_name};
pub use sha256::Sha256;
pub(crate) use shared_state::BlockRanges;
pub use shared_state::SharedState;
pub(crate) use shared_value::SharedValue;
pub use terminal_screen::{MouseReports, ScreenCell, ScreenRow, TerminalScreen};
pub(crate) use terms::FolderId;
pub use terms::{OnDisk, Target, Terms};
pub use text_range::TextRange;
pub use timestamp::Timestamp;
pub use trace::{TextOrigin, Trace};
pub use undo::{UndoChange, UndoCover, UndoKind, UndoNote, UndoState};
pub(crate) use variables::VariableChanges;
pub use variables::{Variable, VariableChange};
