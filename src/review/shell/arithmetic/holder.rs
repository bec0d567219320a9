//! What may hold a text from elsewhere, as it is passed on, and whether arithmetic reads that.

use std::collections::HashSet;

/// The most values that are passed on from name to name.
const MAX_COPIES: usize = 1024;

/// What may hold a text.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum TextHolder<'s> {
    Variable(&'s str),
    /// `$1`, `$2` … of the function with this name; outside of functions, the name is empty.
    Positions(&'s str),
}

#[derive(Default)]
pub(super) struct HeldTexts<'s> {
    /// What may hold a text from elsewhere.
    foreign: HashSet<TextHolder<'s>>,
    /// What gets the value of another holder, which stands second.
    copies: HashSet<(TextHolder<'s>, TextHolder<'s>)>,
    /// What arithmetic reads.
    read: HashSet<TextHolder<'s>>,
    /// Whether arithmetic reads a text from elsewhere, or not all was looked at.
    pub(super) is_met: bool,
}

impl<'s> HeldTexts<'s> {
    /// Notes that a holder gets a text from elsewhere.
    pub(super) fn fill(&mut self, holder: TextHolder<'s>) {
        self.foreign.insert(holder);
    }

    /// Notes that a holder gets what another one holds.
    pub(super) fn copy(&mut self, holder: TextHolder<'s>, other: TextHolder<'s>) {
        if self.copies.len() < MAX_COPIES {
            self.copies.insert((holder, other));
        } else {
            self.is_met = true;
        }
    }

    /// Notes that arithmetic reads a holder.
    pub(super) fn read(&mut self, holder: TextHolder<'s>) {
        self.read.insert(holder);
    }

    /// Whether arithmetic may read a text from elsewhere.
    pub(super) fn meet(mut self) -> bool {
        let mut before = usize::MAX;
        while self.foreign.len() != before {
            before = self.foreign.len();
            for (holder, other) in &self.copies {
                if self.foreign.contains(other) {
                    self.foreign.insert(*holder);
                }
            }
        }
        self.is_met || !self.foreign.is_disjoint(&self.read)
    }
}
