//! The layer that could not be entered. The process that tried sends the error as text; the layer is recognized by its
//! name in it.

/// Why a process could not give up rights.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LayerError {
    #[error("limits: {0}")]
    Limits(String),
    #[error("landlock: {0}")]
    Landlock(String),
    #[error("seccomp: {0}")]
    Seccomp(String),
}

impl LayerError {
    pub(super) fn seccomp(why: impl std::fmt::Display) -> Self {
        Self::Seccomp(why.to_string())
    }
}
