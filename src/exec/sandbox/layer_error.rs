//! Which layer could not be entered. It is told in words by the process that tried, and known again by its name there.

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
    /// The calls can't be refused.
    pub(super) fn seccomp(why: impl std::fmt::Display) -> Self {
        Self::Seccomp(why.to_string())
    }
}
