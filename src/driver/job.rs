//! Small jobs that a front end asks for beside the session, and what comes of them.

use super::catalogue::Offer;
use super::comparison::SessionComparison;
use super::export::ExportKeys;
use crate::domain::{
    AnswerError, Answers, GivenFile, ImageRef, Interpreter, ModelName, Notice, Pixels, RecipeCards,
    SandboxReport, Sha256, UndoChange, UndrawnReason,
};
use crate::engine::transcript::BlockItem;
use crate::export::ExportFormat;
use crate::store::index::Summary;
use crate::store::search::{FilterError, SearchResults as SessionsFound};
use crate::workspace::instructions::HeldFile;
use crate::workspace::{FolderFiles, GivenFileError};
use std::path::PathBuf;
use std::sync::Arc;

/// A job.
#[derive(Clone, Debug)]
pub enum Job {
    /// List the sessions.
    Sessions,
    /// Find places in sessions by what was said and done in them, by words and filters as they were typed: those of a
    /// folder, where one is given. One that is asked for later ends it.
    SearchSessions(String, Option<PathBuf>),
    /// The same in all folders, with the sessions whose names hold the words.
    SearchWithNames(String),
    /// Read the end of a session for a preview, at most so many messages.
    Preview(PathBuf),
    /// Compare the session that is open with the one in this file.
    Compare(PathBuf),
    /// Give a session another name.
    Rename(PathBuf, String),
    /// Delete a session and its blobs.
    Delete(PathBuf),
    /// Which interpreters are on this machine.
    Interpreters,
    /// What confines runs, by its tests.
    Sandbox,
    /// Which model servers answer on this machine.
    Servers,
    /// Which models each provider offers; told provider by provider.
    Models,
    /// Whether a model's provider answers.
    TestModel(ModelName),
    /// Write the key that was pasted for this provider into the person's file of keys.
    StoreKey(String),
    /// Save an image into the working folder.
    SaveImage(ImageRef),
    /// Write the session into the working folder in a form for others; this becomes of keys in it.
    Export(ExportFormat, ExportKeys),
    /// Save a block's output into the working folder.
    SaveOutput(Box<BlockItem>),
    /// List the files of the working folder.
    FolderFiles,
    /// Read the files that this message names.
    GivenFiles(String),
    /// Which files of instructions changed since a run began.
    ChangedInstructions,
    /// Tell the model these texts of files of instructions, which the person has seen.
    TakeInstructions(Vec<HeldFile>),
    /// Open an image of a run with the program that the desktop has for it. The person was asked.
    Open(ImageRef),
    /// Decode an image file into at most so many pixels, width and height, in a confined process.
    Picture(PathBuf, (u32, u32)),
    /// Read the recipes that there are anew.
    Recipes,
    /// Begin the recipe of this name with these answers to its inputs.
    BeginRecipe(String, Answers),
    /// List what a run changed, by its record, and how each change stands by now.
    Changes(Sha256),
    /// Compare the texts of one change of a record, which has this path.
    ChangeTexts(Sha256, u32, String),
    /// Write the definition of a new recipe with this name, made from what was asked in this session.
    NewRecipe(String),
}

/// Why a job failed. It is only told: nobody asks for its kind.
pub(super) type JobError = Box<dyn std::error::Error + Send + Sync>;

/// Writes the key that was pasted for a provider into the person's file of keys, and gives the file.
pub(crate) type StoreKey =
    Arc<dyn Fn(&str) -> Result<PathBuf, Box<dyn std::error::Error + Send + Sync>> + Send + Sync>;

/// What came of a job.
#[derive(Clone, Debug)]
pub enum JobResult {
    /// The sessions, newest first.
    Sessions(Vec<Summary>),
    /// Where sessions hold what was typed, or what is wrong with a filter in it.
    SessionHits(String, Result<SessionsFound, FilterError>),
    /// The end of a session as plain lines, and the bytes that it takes on the disk with all that is its own.
    Preview(PathBuf, Vec<String>, u64),
    /// The session that is open, on the left, and the one of this file; or why they are not compared.
    Compared(PathBuf, Result<Arc<SessionComparison>, String>),
    /// The list of sessions has changed.
    SessionsChanged,
    /// The interpreters on this machine.
    Interpreters(Vec<Interpreter>),
    /// What confines runs, or why none can start.
    Sandbox(Result<SandboxReport, String>),
    /// Model servers that answered on this machine.
    Servers(Vec<Offer>),
    /// What the providers offer, before they are asked.
    Offers(Vec<Offer>),
    /// What one provider offers, now that it was asked.
    Offer(Offer),
    /// The key of this provider was written into this file.
    KeyStored(String, PathBuf),
    /// Whether a model's provider answers, in words.
    Tested(ModelName, Result<String, String>),
    /// The recipes that there are, and what is new to tell of files that hold none.
    Recipes(RecipeCards, Vec<Notice>),
    /// The recipe was not begun: these answers do not fit. The field is empty where none is at fault.
    RecipeRefused {
        /// Its name.
        name: String,
        /// What does not fit.
        misfits: Vec<AnswerError>,
    },
    /// What a run changed, or why it is not known any more.
    Changes(Sha256, Result<Vec<UndoChange>, String>),
    /// The path of a change, and its texts compared.
    ChangeTexts(String, String),
    /// The definition of a new recipe was written.
    NewRecipe(PathBuf),
    /// A program was asked to open the file.
    Opened(PathBuf),
    /// The files of the working folder.
    FolderFiles(Arc<FolderFiles>),
    /// The files that this message names, or all of them that can't be given.
    GivenFiles(String, Result<Vec<GivenFile>, Vec<GivenFileError>>),
    /// A file was written.
    Saved(PathBuf),
    /// The files of instructions that changed since a run began.
    ChangedInstructions(Vec<HeldFile>),
    /// A picture that was asked for in at most so many pixels, or why it can't be drawn.
    Picture(PathBuf, (u32, u32), Result<Pixels, UndrawnReason>),
    /// The job failed, and why.
    Failed(String),
}
