//! Why an export fails.

use crate::domain::sentences::saving;
use crate::text::number::size;

/// A word on the command line that names no format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("md, html, ipynb, script or json")]
pub struct ExportFormatError;

/// Why a session can't be exported in a format.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExportError {
    /// No block that a script could repeat.
    #[error("no block of it was approved and ended well, so there is nothing for a script")]
    NothingRan,
    /// The saved text of this block was masked, so it is not the text that ran.
    #[error("{}", saving::block_masked(*.0))]
    Masked(u32),
    /// Writing the document as JSON failed.
    #[error("it can't be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// Why a document lacks the bytes of a picture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PictureError {
    /// The bytes were not read yet.
    #[error("its bytes were not read")]
    NotRead,
    /// The file is missing or can't be read; the reason, in words of the code that read it.
    #[error("{0}")]
    Unreadable(String),
    /// An SVG of this many bytes; it holds no pixels.
    #[error("{} of SVG", size(*.0))]
    Svg(u64),
    /// The file is of another kind than the one recorded when the block ran.
    #[error("it is not what the run made")]
    Changed,
}
