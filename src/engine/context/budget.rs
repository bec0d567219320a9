//! Making room: which results are told shorter when a conversation is longer than the model's context.
//!
//! Prompts and replies are always whole. Results are shortened head and tail, the oldest first; where that is not
//! enough, nothing more is done here: the person is asked, and a summary can take the place of the oldest items.

use super::{compose, estimate, images, tokens};
use crate::domain::{Dialect, ImageRef, Message, Tool};
use crate::engine::Settings;
use crate::engine::transcript::{Item, SettledEvent, Transcript};

/// A conversation as it would be sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Composition {
    /// Its messages, oldest first.
    pub(crate) messages: Vec<Message>,
    /// About how many tokens they and the tools have.
    pub(crate) estimate: u64,
    /// How many results are told shorter than usual.
    pub(crate) shortened: usize,
}

/// What a conversation is made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Composer<'a> {
    /// What was said and done.
    pub(super) transcript: &'a Transcript,
    /// The system prompt, and how much of a result is told usually.
    pub(super) settings: &'a Settings,
    /// How the model is told to hand over code.
    pub(super) dialect: Dialect,
    /// Instructions behind the system prompt.
    pub(super) instructions: &'a str,
    /// Whether the model is sent images of results.
    pub(super) images: bool,
    /// About how many tokens the tools have that are offered beside the messages.
    pub(super) tools: u64,
}

impl<'a> Composer<'a> {
    /// A composer without instructions and images.
    pub(crate) fn new(transcript: &'a Transcript, settings: &'a Settings, dialect: Dialect) -> Self {
        Self { transcript, settings, dialect, instructions: "", images: false, tools: 0 }
    }

    /// With these instructions behind the system prompt.
    #[must_use]
    pub(crate) fn instructed(self, instructions: &'a str) -> Self {
        Self { instructions, ..self }
    }

    /// With the newest images of results, if the model can see them.
    #[must_use]
    pub(crate) fn seeing(self, images: bool) -> Self {
        Self { images, ..self }
    }

    /// With these tools beside the messages.
    #[must_use]
    pub(crate) fn offering(self, offered: &[Tool]) -> Self {
        let one = |tool: &Tool| tokens(&tool.name) + tokens(&tool.description) + tokens(&tool.parameters);
        Self { tools: offered.iter().map(one).sum(), ..self }
    }

    /// The conversation with nothing left out.
    pub(crate) fn whole(&self) -> Composition {
        self.compose_with(ResultLimits::default())
    }

    /// The conversation in about this many tokens, if cutting results is enough for that; else as short as it gets.
    ///
    /// Of a result that stands in the file alone no more is told than what is kept of it: where that is less than usual, all
    /// older results are told shorter.
    pub(crate) fn within(&self, room: u64) -> Composition {
        let kept = self.transcript.results_told();
        let is_kept = |told: usize| kept.is_none_or(|kept| told <= kept);
        if is_kept(self.settings.output_to_model) {
            let whole = self.whole();
            if whole.estimate <= room {
                return whole;
            }
        }
        let first = LEVELS.iter().position(|cuts| cuts.older.is_some_and(is_kept));
        // The first level that is enough is found by halving: each look tells the whole conversation.
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

    fn compose_with(&self, cuts: ResultLimits) -> Composition {
        let (messages, shortened) = compose(self, cuts);
        Composition { estimate: estimate(&messages) + self.tools, messages, shortened }
    }
}

/// How many bytes of a result are told at most, by its age. `None`: as usual.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ResultLimits {
    older: Option<usize>,
    /// Of this turn, but for the newest.
    turn: Option<usize>,
    /// Of what the model has not been told yet.
    newest: Option<usize>,
}

const KIB: usize = 1 << 10;

const fn cuts(older: usize, turn: Option<usize>, newest: Option<usize>) -> ResultLimits {
    ResultLimits { older: Some(older), turn, newest }
}

/// One after the other is tried.
const LEVELS: [ResultLimits; 9] = [
    cuts(16 * KIB, None, None),
    cuts(4 * KIB, None, None),
    cuts(KIB, None, None),
    cuts(256, None, None),
    cuts(256, Some(4 * KIB), None),
    cuts(256, Some(KIB), None),
    cuts(256, Some(256), None),
    cuts(256, Some(256), Some(4 * KIB)),
    cuts(256, Some(256), Some(KIB)),
];

impl ResultLimits {
    /// The cap for results that were settled in a row.
    pub(super) fn cap(&self, transcript: &Transcript, group: &[&SettledEvent]) -> Option<usize> {
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
