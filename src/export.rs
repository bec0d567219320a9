//! A session as it is handed on to others: Markdown, a page of HTML, a Jupyter notebook, a script, JSON.
//!
//! A transcript becomes a `document` (pure: pictures come with their bytes), from which keys are taken out and which each
//! form writes in its own file. Two sessions side by side become lines of a width (`columns`). Nothing is read, written or
//! decided here.

pub(crate) mod columns;
mod document;
mod error;
mod gather;
mod html;
mod markdown;
mod notebook;
mod printed;
mod script;
#[cfg(test)]
mod tests;

pub(crate) use document::{Document, Picture, Secret};
pub(crate) use error::ExportFormatError;
pub(crate) use error::{ExportError, PictureError};

use std::fmt;
use std::path::Path;

/// A form in which a session is handed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase", parse_err_ty = ExportFormatError, parse_err_fn = no_such_format)]
pub enum ExportFormat {
    /// Text for people, and for whatever shows Markdown; pictures are named.
    #[strum(serialize = "md")]
    Markdown,
    /// One page with all pictures inside, without scripts, that loads nothing.
    Html,
    /// A Jupyter notebook (nbformat 4.5) with outputs and pictures.
    #[strum(serialize = "ipynb")]
    Notebook,
    /// A script of what was approved and ended well, with the versions of the packages that were installed.
    Script,
    /// The document as it is.
    Json,
}

impl ExportFormat {
    /// The word on the command line.
    pub(crate) fn as_str(self) -> &'static str {
        self.into()
    }

    /// The form that the ending of a file stands for.
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
