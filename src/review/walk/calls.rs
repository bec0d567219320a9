//! Calls that were folded with the expression around them, and wait to be collected.

use super::WalkContext;
use crate::review::value::{Act, Value};
use std::ops::Range;

impl WalkContext<'_, '_> {
    /// The ids of the folded calls within `range` that were not collected yet, inner ones first.
    pub(in crate::review) fn uncollected_in(&mut self, range: &Range<usize>) -> Vec<usize> {
        // Where very many wait, their order matters less than the time.
        if self.calls.len() > 512 {
            return Vec::new();
        }
        let inside = |acts: &[Act]| {
            let span = &acts.first()?.span;
            (span.start >= range.start && span.end <= range.end && span != range)
                .then_some((span.end, span.start))
        };
        let found = self.calls.iter().filter_map(|(id, (_, acts))| Some((inside(acts)?, *id)));
        let mut found: Vec<((usize, usize), usize)> = found.collect();
        found.sort_unstable_by_key(|((end, start), _)| (*end, std::cmp::Reverse(*start)));
        found.into_iter().map(|(_, id)| id).collect()
    }

    /// Removes and returns the calls folded within a range, to fold the range again.
    pub(in crate::review) fn take_calls(&mut self, range: &Range<usize>) -> Vec<(usize, (Value, Vec<Act>))> {
        let ids = self.uncollected_in(&(range.start..range.end + 1));
        ids.into_iter().filter_map(|id| Some((id, self.calls.remove(&id)?))).collect()
    }

    /// Puts back calls that were folded several times, with all their results and acts.
    pub(in crate::review) fn put_calls(&mut self, calls: Vec<(usize, (Value, Vec<Act>))>) {
        for (id, (value, mut acts)) in calls {
            let (known, told) = self.calls.entry(id).or_insert_with(|| (value.clone(), Vec::new()));
            *known = Value::any([known.clone(), value]);
            acts.truncate(256_usize.saturating_sub(told.len()));
            told.append(&mut acts);
        }
    }

    /// Drops the calls folded within a range but not collected: reading the range again folds them anew.
    pub(in crate::review) fn forget_calls(&mut self, range: &Range<usize>) {
        self.take_calls(range);
    }
}
