//! Stores how a server differs from its format, as learnt from its answers: parts of a request that it refuses, and
//! the model's context.

/// A part of a request that some servers refuse and that can be left out or written differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OptionalPart {
    /// The request for token counts (`stream_options`).
    Usage,
    /// The form of the answer; the messages describe it too.
    Form,
    /// The effort of thinking, and the kept items of earlier thinking.
    Reasoning,
    /// The usual name or size of the limit on the reply.
    Limit,
    /// The ids of calls in another provider's form.
    ForeignCallIds,
}

/// The parts that are left out because a server refused them, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RefusedParts(pub(super) u8);

impl RefusedParts {
    /// Whether this part is left out.
    pub(super) fn has(self, part: OptionalPart) -> bool {
        self.0 & Self::bit(part) != 0
    }

    /// Adds a part to those that are left out.
    pub(super) fn with(self, part: OptionalPart) -> Self {
        Self(self.0 | Self::bit(part))
    }

    fn bit(part: OptionalPart) -> u8 {
        1 << part as u8
    }
}

/// What is known of the server and the model when a request is encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ServerQuirks {
    pub(super) refused: RefusedParts,
    /// The model's context in tokens.
    pub(super) context: Option<u64>,
}
