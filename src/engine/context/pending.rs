//! The results that the model has not been told yet. Each is taken out once, so it is told once.

use crate::domain::BlockId;
use crate::engine::transcript::SettledEvent;

/// The untold results, the newest first.
pub(super) struct PendingEvents<'a>(Vec<&'a SettledEvent>);

impl<'a> PendingEvents<'a> {
    pub(super) fn new(settled: &'a [SettledEvent]) -> Self {
        // The oldest is at the end, where results are taken.
        Self(settled.iter().rev().collect())
    }

    /// Takes the oldest `count` results.
    pub(super) fn take_first(&mut self, count: usize) -> Self {
        Self(self.0.split_off(self.0.len().saturating_sub(count)))
    }

    /// Takes the results that came before the item with this index.
    pub(super) fn before(&mut self, item: usize) -> Vec<&'a SettledEvent> {
        let mut taken = self.0.split_off(self.0.len() - self.count_before(item));
        taken.reverse();
        taken
    }

    /// Takes the results of one block that came before the item with this index.
    pub(super) fn of(&mut self, block: BlockId, item: usize) -> Vec<&'a SettledEvent> {
        let mut taken = Vec::new();
        for settled in self.0.split_off(self.0.len() - self.count_before(item)) {
            if settled.block == block { taken.push(settled) } else { self.0.push(settled) }
        }
        taken.reverse();
        taken
    }

    fn count_before(&self, item: usize) -> usize {
        self.0.iter().rev().take_while(|settled| settled.after <= item).count()
    }
}
