//! What is known of messages and outputs that may be only in the session file.

/// What is known of a message whose text is not in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MessageAway {
    /// About how many bytes it has.
    pub(crate) bytes: u32,
    /// About how many tokens its text has.
    pub(crate) tokens: u32,
    pub(crate) load: LoadState,
}

impl MessageAway {
    pub(super) fn new(bytes: usize, tokens: u64) -> Self {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        Self { bytes, tokens: u32::try_from(tokens).unwrap_or(u32::MAX), load: LoadState::Away }
    }
}

/// The load state of a message or output that is not in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum LoadState {
    /// Nobody has requested it.
    Away,
    /// It was requested.
    Loading,
    /// It can't be read again.
    Lost,
}

/// The entry number of a long prompt, and what is known of it while its text is only in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PromptPaging {
    pub(super) entry: u32,
    pub(super) out: Option<MessageAway>,
}

/// How an output is kept that may be only in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunPaging {
    /// The number of the entry with the end of the run, from 0.
    pub(crate) entry: u64,
    /// In how many bytes its short form can be quoted; `None`: it has none yet.
    pub(crate) quotable_bytes: Option<usize>,
    /// What is known of the output while it is only in the file.
    pub(crate) away: Option<OutputAway>,
}

/// What is known of an output that is only in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutputAway {
    /// How many bytes of it are in the file.
    pub(crate) bytes: usize,
    pub(crate) load: LoadState,
}
