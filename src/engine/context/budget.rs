//! Makes room: decides which results are shortened when a conversation is longer than the model's context.
//!
//! Prompts and replies are always whole. Results are shortened to beginning and end, the oldest first. If that is not
//! enough, this module does no more: the person is asked, and a summary can replace the oldest items.

use super::{compose, estimate, images, tokens};
use crate::domain::{Dialect, ImageRef, Message, Tool};
use crate::engine::Settings;
use crate::engine::transcript::{Item, SettledEvent, Transcript};

/// A composed conversation, ready to be sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Composition {
    /// Its messages, oldest first.
    pub(crate) messages: Vec<Message>,
    /// About how many tokens the messages and the tools have.
    pub(crate) estimate: u64,
    /// How many results are shorter than usual.
    pub(crate) shortened: usize,
}

/// The inputs from which a conversation is composed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Composer<'a> {
    pub(super) transcript: &'a Transcript,
    /// Has the system prompt, and how much of a result is quoted usually.
    pub(super) settings: &'a Settings,
    /// The dialect of the request.
    pub(super) dialect: Dialect,
    /// The instructions after the system prompt.
    pub(in crate::engine) instructions: &'a str,
    /// Whether the newest images of results are sent: the model can see them.
    pub(in crate::engine) images: bool,
    /// About how many tokens the offered tools have.
    pub(super) tools: u64,
}

impl<'a> Composer<'a> {
    /// A composer without instructions and images.
    pub(crate) fn new(transcript: &'a Transcript, settings: &'a Settings, dialect: Dialect) -> Self {
        Self { transcript, settings, dialect, instructions: "", images: false, tools: 0 }
    }

    /// Adds the size of these tools.
    #[must_use]
    pub(crate) fn offering(self, offered: &[Tool]) -> Self {
        let one = |tool: &Tool| tokens(&tool.name) + tokens(&tool.description) + tokens(&tool.parameters);
        Self { tools: offered.iter().map(one).sum(), ..self }
    }

    /// The conversation with nothing left out.
    pub(crate) fn whole(&self) -> Composition {
        self.compose_with(ResultLimits::default())
    }

    /// The conversation in about this many tokens if shortening results is enough for that; otherwise as short as
    /// possible.
    ///
    /// A result whose output is only in the session file can be quoted only as far as its kept form reaches. If that is
    /// less than usual, all older results are shortened, too.
    pub(crate) fn within(&self, room: u64) -> Composition {
        let kept = self.transcript.max_quotable_bytes();
        let is_kept = |limit: usize| kept.is_none_or(|kept| limit <= kept);
        if is_kept(self.settings.output_to_model) {
            let whole = self.whole();
            if whole.estimate <= room {
                return whole;
            }
        }
        let first = LEVELS.iter().position(|limits| limits.older.is_some_and(is_kept));
        // Finds the first level that is enough by bisection, since each try composes the whole conversation.
        let (mut low, mut high) = (first.unwrap_or(LEVELS.len() - 1), LEVELS.len() - 1);
        let mut best = None;
        while low < high {
            let middle = usize::midpoint(low, high);
            let composed = self.compose_with(LEVELS.get(middle).copied().unwrap_or_default());
            if composed.estimate <= room {
                (high, best) = (middle, Some(composed));
            } else {
                low = middle + 1;
            }
        }
        best.unwrap_or_else(|| self.compose_with(LEVELS.last().copied().unwrap_or_default()))
    }

    pub(super) fn chosen_images(&self) -> Vec<ImageRef> {
        if self.images { images::newest(self.transcript) } else { Vec::new() }
    }

    fn compose_with(&self, limits: ResultLimits) -> Composition {
        let (messages, shortened) = compose(self, limits);
        Composition { estimate: estimate(&messages) + self.tools, messages, shortened }
    }
}

/// The most bytes quoted of a result, by its age. `None`: as usual.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ResultLimits {
    older: Option<usize>,
    /// Results of this turn, except the newest.
    turn: Option<usize>,
    /// Results that the model has not seen yet.
    newest: Option<usize>,
}

const KIB: usize = 1 << 10;

const fn limits(older: usize, turn: Option<usize>, newest: Option<usize>) -> ResultLimits {
    ResultLimits { older: Some(older), turn, newest }
}

/// The limits to try, from the mildest to the strictest.
const LEVELS: [ResultLimits; 9] = [
    limits(16 * KIB, None, None),
    limits(4 * KIB, None, None),
    limits(KIB, None, None),
    limits(256, None, None),
    limits(256, Some(4 * KIB), None),
    limits(256, Some(KIB), None),
    limits(256, Some(256), None),
    limits(256, Some(256), Some(4 * KIB)),
    limits(256, Some(256), Some(KIB)),
];

impl ResultLimits {
    /// The limit for consecutive results.
    pub(super) fn of_group(&self, transcript: &Transcript, group: &[&SettledEvent]) -> Option<usize> {
        let after = group.first()?.after;
        let behind =
            |what: fn(&Item) -> bool| transcript.items.iter().rposition(what).is_none_or(|at| after > at);
        match (
            behind(|item| matches!(item, Item::Reply(_))),
            behind(|item| matches!(item, Item::Prompt { .. })),
        ) {
            (true, _) => self.newest,
            (false, true) => self.turn,
            (false, false) => self.older,
        }
    }
}

#[cfg(test)]
mod tests;
