//! The nouns of the house: plain values that every room speaks of.
//!
//! Nothing here acts: no clock, no file, no process, no network. This room imports no other room. What stands here is
//! what travels between rooms; what only one room knows stays in that room. How values stand in session files and JSON
//! is told by serde, at the values themselves.

pub(crate) mod approval;
pub(crate) mod block;
pub(crate) mod block_kind;
pub(crate) mod block_text_error;
pub(crate) mod branch;
mod common;
pub(crate) mod decision;
pub(crate) mod departed;
pub(crate) mod entry;
pub(crate) mod file_act;
pub(crate) mod file_texts;
pub(crate) mod finding;
pub(crate) mod form;
pub(crate) mod function;
mod gaps;
pub(crate) mod ids;
pub(crate) mod image_name;
pub(crate) mod instructions;
pub(crate) mod language;
pub(crate) mod mask;
pub(crate) mod message;
mod model;
pub(crate) mod moment;
pub(crate) mod notice;
pub(crate) mod obeyed;
pub(crate) mod opinion;
pub(crate) mod output_buffer;
pub mod packages;
pub(crate) mod pen;
pub(crate) mod pixels;
pub(crate) mod place;
pub(crate) mod prompt;
pub(crate) mod reach;
pub(crate) mod recipe;
mod reply;
mod rights;
pub(crate) mod run;
pub mod sentences;
pub use sentences::conditions::{KernelLanguages, RunConditions};
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

pub use approval::{Approval, Grantor, Mismatch, RunRequest};
pub use block::{Block, Dialect, EditPlacement, Origin, Readiness, Version};
pub use block_kind::BlockKind;
pub use block_text_error::BlockTextError;
pub use branch::{BranchPoint, NoBranch};
pub use common::Common;
pub use decision::{Decision, Policy, Rule, RuleScope, Verdict};
pub use departed::{Departure, Ledger, RequestCounts};
pub use entry::{BranchOrigin, BranchPlace, Entry, Header, TurnEnd};
pub use file_act::FileAct;
pub use finding::{Effects, Finding, Review, Severity};
pub use form::{AnswerError, Answers, Field, FieldKind, Form, paths};
pub use function::{Function, FunctionFile, Parameter, ParameterKind};
pub use gaps::Gaps;
pub use ids::{BlockId, Revision, RuleId, RunId, SessionId, StepId, TimerId};
pub use image_name::ImageName;
pub use instructions::{Instructions, NotedInstructions};
pub use language::{Language, Languages};
pub use mask::{KeySpan, MaskStream, Maskable, MaskedValue, Masker};
pub use message::{AnswerForm, Message, MessageImage, ModelRequest, Purpose, Role, Tool};
pub(crate) use model::SCRIPTED;
pub use model::{LongPrice, ModelInfo, ModelName, Price};
pub use notice::{Level, Notice};
pub use opinion::{Consultation, Opinion, Risk};
pub(crate) use output_buffer::StreamEnds;
pub use output_buffer::{OutputBuffer, OutputPiece, Stream};
pub use packages::{InstallInto, PackageList};
pub use pen::{Ink, Pen, PenMark};
pub use pixels::{Pixels, UndrawnReason};
pub use place::Place;
pub use prompt::{GivenFile, Prompt};
pub use reach::{Place as ReachPlace, Reach, Reachability};
pub use recipe::{RecipeCard, RecipeCards, RecipeEnd, RecipeFact, RecipeStart, RoundOutcome};
pub use reply::{FailureKind, Finish, FinishReason, OpaqueItem, ReplyEvent, ReplyFailure, ToolCall, Usage};
pub use rights::{Enforcement, Layer, Limits, ProjectPython, Rights, SandboxLevel, SandboxReport};
pub use run::{
    Chunk, CountedTime, DeadKernel, ExecutorKind, FileChange, ImageRef, Interpreter, KernelFate, KernelRef,
    Outcome, ProtectedFile, Receipt, RunError, RunEvent, RunReport,
};
pub use session_name::{SessionNameError, session_name};
pub use sha256::Sha256;
pub use shared_state::{BlockRanges, SharedState};
pub use terminal_screen::{MouseReports, ScreenCell, ScreenRow, TerminalScreen};
pub use terms::{FolderId, OnDisk, Target, Terms};
pub use timestamp::Timestamp;
pub use trace::{TextOrigin, Trace};
pub use undo::{UndoChange, UndoCover, UndoNote, UndoStanding, UndoWay};
pub use variables::{Variable, VariableChange, VariableChanges};
