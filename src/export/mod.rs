//! A session as it is handed on to others: Markdown, a page of HTML, a Jupyter notebook, a script, JSON.
//!
//! A transcript becomes a `document` (pure: pictures come with their bytes), from which keys are taken out and which each
//! form writes in its own file. Nothing is read, written or decided here.

mod document;
mod gather;
mod html;
mod markdown;
mod notebook;
mod printed;
mod script;
#[cfg(test)]
mod tests;

pub(crate) use document::{Document, Picture, Secret};

use crate::domain::sentences::saving;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A form in which a session is handed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// Text for people, and for whatever shows Markdown; pictures are named.
    Markdown,
    /// One page with all pictures inside, without scripts, that loads nothing.
    Html,
    /// A Jupyter notebook (nbformat 4.5) with outputs and pictures.
    Notebook,
    /// A script of what was approved and ended well, with the versions of the packages that were installed.
    Script,
    /// The document as it is.
    Json,
}

impl ExportFormat {
    /// All of them, in the order in which they are offered.
    pub const ALL: &[Self] = &[Self::Markdown, Self::Html, Self::Notebook, Self::Script, Self::Json];

    /// The word on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Html => "html",
            Self::Notebook => "ipynb",
            Self::Script => "script",
            Self::Json => "json",
        }
    }

    /// The form that the ending of a file stands for.
    pub fn of_file(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "md" | "markdown" => Some(Self::Markdown),
            "html" | "htm" => Some(Self::Html),
            "ipynb" => Some(Self::Notebook),
            "py" | "sh" => Some(Self::Script),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

impl fmt::Display for ExportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for ExportFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.iter().copied().find(|format| format.as_str() == text);
        known.ok_or_else(|| "md, html, ipynb, script or json".to_owned())
    }
}

/// Why a session can't be handed on in a form.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExportError {
    /// There is nothing that a script could do again.
    #[error("no block of it was approved and ended well, so there is nothing for a script")]
    NothingRan,
    /// What a block holds is not what ran.
    #[error("{}", saving::block_masked(*.0))]
    Masked(u32),
    /// The document is no JSON.
    #[error("it can't be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl Document {
    /// The text of the file in this form, and how its name ends.
    ///
    /// # Errors
    /// When the session has nothing for this form.
    pub(crate) fn write(&self, format: ExportFormat) -> Result<(String, &'static str), ExportError> {
        Ok(match format {
            ExportFormat::Markdown => (markdown::write(self), "md"),
            ExportFormat::Html => (html::write(self), "html"),
            ExportFormat::Notebook => (notebook::write(self)?, "ipynb"),
            ExportFormat::Script => script::write(self)?,
            ExportFormat::Json => (serde_json::to_string_pretty(self)? + "\n", "json"),
        })
    }
}
