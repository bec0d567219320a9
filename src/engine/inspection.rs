//! Defines an inspection of a block: its review and terms, or where an edit belongs in its files. Sent by the driver,
//! and kept in the state while the block waits.

use crate::domain::{HardLinks, ImageName, OnDisk, Reach, Review, Terms, UndoCover};
use std::path::PathBuf;
use std::sync::Arc;

/// An edit placed in its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedEdit {
    /// The new text of its files.
    pub text: Arc<str>,
    /// The state of each file on which the text is based, in their order.
    pub bases: Vec<OnDisk>,
    /// How the places were found, if not exactly as written. One line.
    pub note: String,
}

/// Why an edit can't be placed in its files: one line, for the person and the model. It does not quote the files:
/// nobody approved that the model reads them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditFault(pub String);

/// What the driver found out about one revision of a block: its review, and the terms under which it would run.
#[derive(Clone, Debug, PartialEq)]
pub struct Inspection {
    /// The review's findings.
    pub review: Review,
    /// The terms, or why it can't run here (`node is not installed: …`).
    pub terms: Result<Terms, String>,
    /// What its run can reach, computed from what enforces it. If it can't run, nothing is known.
    pub reach: Reach,
    /// What the block tries to do that the sandbox will refuse, in words: `writes ~/.bashrc: the sandbox will refuse`.
    pub refused: Vec<String>,
    /// The current content of the file that the block would write, if it is text that can be compared.
    pub before: Option<Arc<str>>,
    /// Packages that it needs and that are not installed, as far as that is known before it runs.
    pub lacking: Vec<String>,
    /// The container image that it needs and that is missing.
    pub image: Option<ImageName>,
    /// The project's `.venv`, if it is the environment in use, so that packages of this block could go there.
    pub venv: Option<PathBuf>,
    /// For an edit that is not placed yet, or whose files changed since: the result of placing it now. The rest of the
    /// inspection is ignored then, so one that counts has none.
    pub edit: Option<Result<PlacedEdit, EditFault>>,
    /// Which of the files it may change could be restored afterwards; `None`: it may change none.
    pub undo: Option<UndoCover>,
    /// Files where it may write that have further names, which it changes with them.
    pub links: HardLinks,
}

impl Inspection {
    /// An inspection with a review and terms; the block reaches, lacks and replaces nothing.
    pub fn new(review: Review, terms: Result<Terms, String>) -> Self {
        Self {
            review,
            terms,
            reach: Reach::default(),
            refused: Vec::new(),
            before: None,
            lacking: Vec::new(),
            image: None,
            venv: None,
            edit: None,
            undo: None,
            links: HardLinks::default(),
        }
    }
}
