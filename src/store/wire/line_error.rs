//! Describes what is wrong with a line, and in which field.

/// Why a line is not a valid entry.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FieldError {
    /// What is wrong with the line as a whole.
    #[error("{0}")]
    Whole(String),
    #[error("its field {field:?}: {what}")]
    Field { field: String, what: String },
    /// The fate of a kernel is given, but not which kernel it was.
    #[error("its field \"kernel\" does not tell which kernel")]
    NoKernel,
}
