//! What the guard does as time passes: when it has to be called again, and what happens with a held key.

use super::Guard;
use super::ask::GuardedAction;
use super::held_key::TimePassed;
use crate::tui::cursor_query::{QueryPurpose, QueryState};
use std::time::Instant;

impl Guard {
    /// When something will change without a key: a query times out, the quiet time ends, a row counts as seen, a held
    /// key is due. Call [`Guard::tick`] then, and draw.
    pub fn next_deadline(&self) -> Option<Instant> {
        let timeout = |query, wanted: bool| match query {
            QueryState::Sent(at) if wanted => Some(at + self.times.frame_answer),
            _ => None,
        };
        let shown = self.is_shown();
        let quiet = (!self.quiet_told && shown).then_some(self.quiet_from + self.times.quiet);
        let seen = if shown { self.seen.deadline(self.times.seen) } else { None };
        let held = self.held.and_then(|held| held.deadline(&self.times));
        let queries = [
            timeout(self.block_query, self.subject.is_some()),
            timeout(self.scope_query, self.scope.is_some()),
        ];
        queries.into_iter().chain([quiet, seen, held]).flatten().min()
    }

    /// Brings the guard up to `now`. Returns whether something changed that has to be drawn.
    pub(crate) fn tick(&mut self, now: Instant) -> bool {
        self.settle(now);
        std::mem::take(&mut self.changed)
    }

    /// Applies everything that changes with time up to `now`.
    pub(super) fn settle(&mut self, now: Instant) {
        self.give_up(now);
        match self.held.as_mut().map(|held| (held.pass(&self.times, now), held.action)) {
            None | Some((TimePassed::Waits, _)) => {}
            Some((TimePassed::Wants, _)) => self.changed = true,
            Some((TimePassed::Counts, action)) => {
                self.held = None;
                self.ready = Some(action);
                self.changed = true;
            }
            Some((TimePassed::Dropped(why), _)) => {
                self.queries.forget(QueryPurpose::Decision);
                self.held = None;
                self.dropped = Some(why);
                self.changed = true;
            }
        }
        if self.is_shown() {
            self.changed |= self.seen.settle(now, self.times.seen);
            if !self.quiet_told && self.quiet_left(now).is_none() {
                self.opened = true;
                self.quiet_told = true;
                self.changed = true;
            }
        }
    }

    /// Treats an unanswered query as answered after [`Times::frame_answer`](super::Times); keys that decide or act were
    /// refused until then.
    fn give_up(&mut self, now: Instant) {
        for purpose in [QueryPurpose::Block, QueryPurpose::Scope] {
            let of_block = purpose == QueryPurpose::Block;
            let query = if of_block { &mut self.block_query } else { &mut self.scope_query };
            let QueryState::Sent(at) = *query else { continue };
            let deadline = at + self.times.frame_answer;
            if now < deadline {
                continue;
            }
            *query = QueryState::Confirmed;
            self.queries.forget(purpose);
            if of_block {
                self.seen.restart(deadline);
            }
            self.restart(deadline);
            self.changed = true;
        }
    }

    /// Something came in that must not be next to a decision.
    pub(super) fn disturbed(&mut self, at: Instant) {
        self.visited = None;
        self.restart(at);
    }

    /// Restarts the quiet time and drops the held key, unless it is text in any case.
    pub(super) fn restart(&mut self, at: Instant) {
        self.quiet_from = self.quiet_from.max(at);
        self.quiet_told = false;
        self.held = self.held.filter(|held| held.action == GuardedAction::Text);
    }
}
