//! The nouns of the house: plain values that every room speaks of.
//!
//! Nothing here acts: no clock, no file, no process, no network. This room imports no other room. What stands here is
//! what travels between rooms; what only one room knows stays in that room. How values stand in session files and JSON
//! is told by serde, at the values themselves.

#![allow(missing_docs)] // A line that would only repeat a name is left out.

pub mod approval;
pub mod block;
pub mod block_kind;
pub mod decision;
pub mod departed;
pub mod entry;
pub mod file_act;
pub mod finding;
pub mod form;
pub mod function;
mod gaps;
pub mod ids;
pub mod image_name;
pub mod instructions;
pub mod language;
pub mod mask;
pub mod message;
pub mod notice;
pub mod obeyed;
pub mod opinion;
pub mod output_buffer;
pub mod packages;
pub mod pixels;
pub mod place;
pub mod reach;
pub mod recipe;
pub mod run;
pub mod sentences;
pub mod serial;
pub mod sha256;
pub mod timestamp;
pub mod trace;
pub mod unicode;
pub mod visible;

pub use approval::{Approval, FolderId, Grantor, Mismatch, OnDisk, RunRequest, Target, Terms};
pub use block::{Block, Dialect, Origin, Readiness, Version};
pub use block_kind::BlockKind;
pub use decision::{Decision, Policy, Rule, RuleScope, Verdict};
pub use departed::{Departed, Departure, Ledger};
pub use entry::{Entry, Header, TurnEnd};
pub use file_act::FileAct;
pub use finding::{Effects, Finding, Review, Severity};
pub use form::{AnswerError, Answers, Field, FieldKind, Form};
pub use function::{Function, FunctionFile, Parameter, ParameterKind};
pub use gaps::Gaps;
pub use ids::{BlockId, Revision, RuleId, RunId, SessionId, StepId, TimerId};
pub use image_name::ImageName;
pub use instructions::{Instructions, NotedInstructions};
pub use language::{Language, Languages};
pub use mask::{KeySpan, MaskStream, Maskable, Masked, Masker};
pub use message::{
    AnswerForm, FailureKind, Finish, FinishReason, LongPrice, Message, MessageImage, ModelInfo, ModelName,
    ModelRequest, OpaqueItem, Price, Purpose, ReplyEvent, ReplyFailure, Role, Tool, ToolCall, Usage,
};
pub use notice::{Level, Notice};
pub use opinion::{Consultation, Opinion, Risk};
pub use output_buffer::{OutputBuffer, Piece, Stream};
pub use packages::{InstallInto, PackageList};
pub use pixels::Pixels;
pub use place::Place;
pub use reach::{Can, Place as ReachPlace, Reach};
pub use recipe::{RecipeCard, RecipeCards, RecipeEnd, RecipeFact, RecipeStart, RoundOutcome};
pub use run::{
    Change, Chunk, ExecutorKind, FileChange, Hold, ImageRef, Interpreter, KernelFate, KernelRef, Layer,
    Limits, Outcome, ProtectedFile, Receipt, Rights, RunError, RunEvent, RunReport, SandboxLevel,
    SandboxReport, Shared, Variable, VariableChanges,
};
pub use sha256::Sha256;
pub use timestamp::Timestamp;
pub use trace::{Source, Trace};
