//! What is wrong with a line, and in which of its fields.

/// Why a line is no entry.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LineError {
    /// What is wrong with the whole.
    #[error("{0}")]
    Whole(String),
    #[error("its field {field:?}: {what}")]
    Field { field: String, what: String },
    /// A kernel that went on, or did not, is not named.
    #[error("its field \"kernel\" does not tell which kernel")]
    NoKernel,
}
