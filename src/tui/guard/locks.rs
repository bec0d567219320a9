//! Tells why the guard would refuse a decision, or a letter that acts elsewhere, at this moment.

use super::Guard;
use super::ask::Verb;
use super::refusal::RefusalReason;
use crate::tui::cursor_query::QueryState;
use crate::tui::widgets::layout::MIN_WINDOW_SIZE;
use std::time::Instant;

impl Guard {
    /// Why an approval would be refused now; `None` when it would count. For the title (`a locked`) and the status row.
    pub(crate) fn approval_refusal(&self, now: Instant) -> Option<RefusalReason> {
        self.decision_refusal(Verb::Approve, now)
    }

    /// Why this decision would be refused now.
    pub(crate) fn decision_refusal(&self, verb: Verb, now: Instant) -> Option<RefusalReason> {
        let Some(subject) = self.subject else { return Some(RefusalReason::NoBlock) };
        let unconfirmed = self.is_small() || self.block_query != QueryState::Confirmed;
        let left = self.quiet_left(now).filter(|_| !unconfirmed);
        match left {
            Some(left) if self.opened => Some(RefusalReason::Quiet { left }),
            Some(left) => Some(RefusalReason::Appeared { block: subject.block, left: Some(left) }),
            None => self.standing_refusal(verb),
        }
    }

    /// Why this decision would be refused even when the quiet time is over.
    pub(super) fn standing_refusal(&self, verb: Verb) -> Option<RefusalReason> {
        let Some(subject) = self.subject else { return Some(RefusalReason::NoBlock) };
        if self.is_small() {
            return Some(RefusalReason::Small);
        }
        if self.block_query != QueryState::Confirmed {
            return Some(RefusalReason::Appeared { block: subject.block, left: None });
        }
        if verb.needs_seen() {
            if self.checking {
                return Some(RefusalReason::Checking);
            }
            if !self.seen.is_all_seen() {
                return Some(RefusalReason::Unseen { lines: self.seen.unseen_count() });
            }
        }
        None
    }

    /// Why a letter that acts elsewhere would be refused now.
    pub(super) fn letter_refusal(&self, scope: u64, now: Instant) -> Option<RefusalReason> {
        if self.is_small() {
            return Some(RefusalReason::Small);
        }
        if self.scope != Some(scope) || self.scope_query != QueryState::Confirmed {
            return Some(RefusalReason::NotYetShown);
        }
        self.quiet_left(now).map(|left| RefusalReason::Quiet { left })
    }

    fn is_small(&self) -> bool {
        self.size.0 < MIN_WINDOW_SIZE.0 || self.size.1 < MIN_WINDOW_SIZE.1
    }

    pub(super) fn quiet_left(&self, now: Instant) -> Option<std::time::Duration> {
        let left = (self.quiet_from + self.times.quiet).saturating_duration_since(now);
        Some(left).filter(|left| !left.is_zero())
    }
}
