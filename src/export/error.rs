//! Why something can't be handed on.

use crate::domain::sentences::saving;
use crate::text::number::size;

/// A word that names no form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("md, html, ipynb, script or json")]
pub struct ExportFormatError;

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

/// Why the bytes of a picture are not in a document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PictureError {
    /// Nobody looked for them yet.
    #[error("its bytes were not read")]
    NotRead,
    /// Its file is not among those of the session, or can't be read: in the words of whoever looked.
    #[error("{0}")]
    Unreadable(String),
    /// A drawing of so many bytes, which is no picture of pixels.
    #[error("{} of SVG", size(*.0))]
    Svg(u64),
    /// What lies there is of another kind than what was noted when the block ran.
    #[error("it is not what the run made")]
    Changed,
}
