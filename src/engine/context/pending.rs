//! What was settled and the model is not told yet. Each settlement is taken out once, so it is told once.

use crate::domain::BlockId;
use crate::engine::transcript::SettledEvent;

/// What is not told yet.
pub(super) struct PendingEvents<'a>(Vec<&'a SettledEvent>);

impl<'a> PendingEvents<'a> {
    pub(super) fn new(settled: &'a [SettledEvent]) -> Self {
        // The oldest is at the end, where it is taken from.
        Self(settled.iter().rev().collect())
    }

    /// Takes the oldest so many.
    pub(super) fn take_first(&mut self, count: usize) -> Self {
        Self(self.0.split_off(self.0.len().saturating_sub(count)))
    }

    /// Takes what was settled when only so many items stood.
    pub(super) fn before(&mut self, items: usize) -> Vec<&'a SettledEvent> {
        let mut taken = self.0.split_off(self.0.len() - self.within(items));
        taken.reverse();
        taken
    }

    /// Takes what was settled of one block when only so many items stood.
    pub(super) fn of(&mut self, block: BlockId, items: usize) -> Vec<&'a SettledEvent> {
        let mut taken = Vec::new();
        for settled in self.0.split_off(self.0.len() - self.within(items)) {
            if settled.block == block { taken.push(settled) } else { self.0.push(settled) }
        }
        taken.reverse();
        taken
    }

    /// How many were settled when only so many items stood.
    fn within(&self, items: usize) -> usize {
        self.0.iter().rev().take_while(|settled| settled.after <= items).count()
    }
}
