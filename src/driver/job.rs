//! Jobs that a front end requests beside the session, and their results.

use super::catalogue::Offer;
use super::comparison::SessionComparison;
use super::export::ExportKeys;
use crate::domain::{
    AnswerError, Answers, AttachedFile, ImageRef, Interpreter, ModelName, Notice, Pixels, RecipeCards,
    SandboxReport, Sha256, UndoChange, UndrawnReason,
};
use crate::engine::transcript::BlockItem;
use crate::export::ExportFormat;
use crate::store::index::Summary;
use crate::store::search::{FilterError, SearchResults as SessionsFound};
use crate::workspace::instructions::HeldFile;
use crate::workspace::{AttachedFileError, FolderFiles};
use std::path::PathBuf;
use std::sync::Arc;

/// A job.
#[derive(Clone, Debug)]
pub enum Job {
    /// List the sessions.
    Sessions,
    /// Search sessions for words and filters, as typed; within a folder, if one is given. A later search cancels this
    /// one.
    SearchSessions(String, Option<PathBuf>),
    /// The same in all folders, including sessions whose names contain the words.
    SearchWithNames(String),
    /// Read the last messages of a session for a preview.
    Preview(PathBuf),
    /// Compare the open session with the one in this file.
    Compare(PathBuf),
    /// Rename a session.
    Rename(PathBuf, String),
    /// Delete a session and its blobs.
    Delete(PathBuf),
    /// Find the interpreters on this machine.
    Interpreters,
    /// Test what confines runs.
    Sandbox,
    /// Find the model servers that answer on this machine.
    Servers,
    /// List the models of each provider; results arrive provider by provider.
    Models,
    /// Test whether a model is available.
    TestModel(ModelName),
    /// Write the pasted key for this provider into the person's file of keys.
    StoreKey(String),
    /// Save an image into the working folder.
    SaveImage(ImageRef),
    /// Export the session into the working folder in this format.
    Export(ExportFormat, ExportKeys),
    /// Save a block's output into the working folder.
    SaveOutput(Box<BlockItem>),
    /// List the files of the working folder.
    FolderFiles,
    /// Read the files that this message names.
    AttachedFiles(String),
    /// Find the instruction files that changed since a run began.
    ChangedInstructions,
    /// Use these texts of instruction files from now on: the person has seen them.
    TakeInstructions(Vec<HeldFile>),
    /// Open an image of a run with the desktop's program, after the person agreed.
    Open(ImageRef),
    /// Decode an image file in a confined process, scaled to fit this width and height in pixels.
    Picture(PathBuf, (u32, u32)),
    /// Read the recipes again.
    Recipes,
    /// Start the recipe of this name with these answers to its inputs.
    BeginRecipe(String, Answers),
    /// List what a run changed, by its record, with the current state of each change.
    Changes(Sha256),
    /// Compare the texts before and after one change (number and path) of a record.
    ChangeTexts(Sha256, u32, String),
    /// Write the definition of a new recipe of this name, made from the requests in this session.
    NewRecipe(String),
}

/// Why a job failed; only shown, never matched.
pub(super) type JobError = Box<dyn std::error::Error + Send + Sync>;

/// Writes the pasted key for a provider into the person's file of keys, and returns the file.
pub(crate) type StoreKey =
    Arc<dyn Fn(&str) -> Result<PathBuf, Box<dyn std::error::Error + Send + Sync>> + Send + Sync>;

/// The result of a job.
#[derive(Clone, Debug)]
pub enum JobResult {
    /// The sessions, newest first.
    Sessions(Vec<Summary>),
    /// The typed search and what it found, or what is wrong with a filter in it.
    SessionHits(String, Result<SessionsFound, FilterError>),
    /// The end of a session as plain lines, and the size of all its files on disk.
    Preview(PathBuf, Vec<String>, u64),
    /// The comparison of the open session (left) with the one in this file, or why there is none.
    Compared(PathBuf, Result<Arc<SessionComparison>, String>),
    /// The list of sessions has changed.
    SessionsChanged,
    /// The interpreters on this machine.
    Interpreters(Vec<Interpreter>),
    /// What confines runs, or why none can start.
    Sandbox(Result<SandboxReport, String>),
    /// Model servers that answered on this machine.
    Servers(Vec<Offer>),
    /// All providers, before they are asked.
    Offers(Vec<Offer>),
    /// One provider, with its answer.
    Offer(Offer),
    /// The key of this provider was written into this file.
    KeyStored(String, PathBuf),
    /// Whether a model is available, in words.
    Tested(ModelName, Result<String, String>),
    /// All recipes, and new notices about files that contain none.
    Recipes(RecipeCards, Vec<Notice>),
    /// The recipe was not started: these answers do not fit. The field is empty if none is at fault.
    RecipeRefused {
        /// The recipe's name.
        name: String,
        /// What does not fit.
        misfits: Vec<AnswerError>,
    },
    /// The changes of the run with this record, or why they are no longer known.
    Changes(Sha256, Result<Vec<UndoChange>, String>),
    /// The path of a change, and the comparison of its texts.
    ChangeTexts(String, String),
    /// The definition of a new recipe was written.
    NewRecipe(PathBuf),
    /// A program was asked to open the file.
    Opened(PathBuf),
    /// The files of the working folder.
    FolderFiles(Arc<FolderFiles>),
    /// The message, and the files that it names; or the errors of all that can't be given.
    AttachedFiles(String, Result<Vec<AttachedFile>, Vec<AttachedFileError>>),
    /// A file was written.
    Saved(PathBuf),
    /// The instruction files that changed since a run began.
    ChangedInstructions(Vec<HeldFile>),
    /// The requested file and size, and the picture or why it can't be drawn.
    Picture(PathBuf, (u32, u32), Result<Pixels, UndrawnReason>),
    /// The job failed, and why.
    Failed(String),
}
