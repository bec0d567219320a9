//! Exports a session for use outside of sayso: Markdown, an HTML page, a Jupyter notebook, a script, JSON.
//!
//! A transcript becomes a `document`, keys are masked in it, and each format writes it in a file of its own. `columns`
//! lays out two sessions side by side for a terminal. This room is pure: it reads no file (the caller reads the bytes
//! of pictures), writes none and decides nothing.

mod clean_output;
pub(crate) mod columns;
mod document;
mod error;
mod gather;
mod html;
mod markdown;
mod notebook;
mod script;
#[cfg(test)]
mod tests;

pub(crate) use document::{Document, Picture, Secret};
pub(crate) use error::ExportFormatError;
pub(crate) use error::{ExportError, PictureError};

use crate::domain::json_text::escaped;
use crate::domain::word::words;
use std::fmt;
use std::path::Path;

/// A format in which a session is exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase", parse_err_ty = ExportFormatError, parse_err_fn = no_such_format)]
pub enum ExportFormat {
    /// Markdown for people and for any program that renders it; pictures are named, not included.
    #[strum(serialize = "md")]
    Markdown,
    /// One HTML page with all pictures inside, without scripts, which loads nothing.
    Html,
    /// A Jupyter notebook (nbformat 4.5) with outputs and pictures.
    #[strum(serialize = "ipynb")]
    Notebook,
    /// A script of the blocks that were approved and ended well, with the versions of the installed packages.
    Script,
    /// The whole document as JSON.
    Json,
}

words!(ExportFormat);

impl ExportFormat {
    /// The format for the extension of this file name.
    pub(crate) fn of_file(path: &Path) -> Option<Self> {
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

fn no_such_format(_: &str) -> ExportFormatError {
    ExportFormatError
}

impl Document {
    /// Writes the document in this format: the text, and the extension of the file.
    ///
    /// # Errors
    /// When the session has nothing that this format could hold, or a block was masked.
    pub(crate) fn write(&self, format: ExportFormat) -> Result<(String, &'static str), ExportError> {
        Ok(match format {
            ExportFormat::Markdown => (markdown::write(self), "md"),
            ExportFormat::Html => (html::write(self), "html"),
            ExportFormat::Notebook => (notebook::write(self)?, "ipynb"),
            ExportFormat::Script => script::write(self)?,
            ExportFormat::Json => (escaped(serde_json::to_string_pretty(self)?) + "\n", "json"),
        })
    }
}
