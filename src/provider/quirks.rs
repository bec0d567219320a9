//! What servers do otherwise than their format says, as far as it was learnt: parts of a request that they refuse.

/// A part of a request that some servers refuse and that can be left out, or said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OptionalPart {
    /// The wish to be told the tokens used (`stream_options`).
    Usage,
    /// The form of the answer: the messages say it too.
    Form,
    /// How much to think, and what was kept of earlier thinking.
    Reasoning,
    /// The usual name or size of the limit of a reply.
    Limit,
    /// The ids of calls as another provider made them.
    Ids,
}

/// What had to be left out because a server refused it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RefusedParts(pub(super) u8);

impl RefusedParts {
    /// Whether this part is left out.
    pub(super) fn has(self, part: OptionalPart) -> bool {
        self.0 & Self::bit(part) != 0
    }

    /// The same without this part too.
    pub(super) fn with(self, part: OptionalPart) -> Self {
        Self(self.0 | Self::bit(part))
    }

    fn bit(part: OptionalPart) -> u8 {
        1 << part as u8
    }
}

/// What was learnt of the server and the model before the request is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ServerQuirks {
    pub(super) left_out: RefusedParts,
    /// Tokens that the model can have in its context.
    pub(super) context: Option<u64>,
}
