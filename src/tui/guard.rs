//! The guard: decides when a key may decide about a block, or do anything else that spends, sends, starts or deletes.
//! Pure; the time of each key is an argument.
//!
//! A decision counts only when
//! - the terminal has drawn the frame that shows the block: an answer of it proves that (`cursor_query.rs`), or none came
//!   in time (`guard/time.rs`);
//! - 700 ms have passed since then without any key but scrolling: the quiet time (`guard/locks.rs`);
//! - its letter stayed alone, without a repeat, a paste or a word (`guard/keys.rs`, `guard/typing.rs`);
//! - an answer of the terminal after the letter proves that nothing else was typed (`guard/held_key.rs`);
//! - for an approval, every row has been on screen (`guard/seen_rows.rs`), at the width that the window has now.
//!
//! What an overlay holds (a typed text, a chosen row) is taken only by a key that is no part of a paste; where that
//! approves the block, its word has to be typed, and what locks approving locks the overlay too.
//!
//! The guard knows neither key bindings nor views: the screen tells it what a key would do, and *every* key passes
//! through it, whatever has the focus.

mod ask;
mod held_key;
mod keys;
mod locks;
mod refusal;
mod seen_rows;
#[cfg(test)]
mod tests;
mod time;
mod typing;

pub(crate) use ask::{GuardedAction, KeyClass, KeyOutcome, SubjectId, Times, Verb};
pub(crate) use refusal::{RefusalReason, Seconds};
pub(crate) use seen_rows::{SeenRows, SubjectRow};

use super::cursor_query::{CursorQueries, Query, QueryPurpose, QueryState};
use held_key::HeldKey;
use std::ops::Range;
use std::time::Instant;
use typing::Typing;

/// Gates the decisions about one block at a time, and the letters that act elsewhere.
#[derive(Clone, Debug)]
pub struct Guard {
    times: Times,
    size: (u16, u16),
    subject: Option<SubjectId>,
    /// Whether the frame with the block was confirmed.
    block_query: QueryState,
    /// Where else letters act now (a question, a list), as a number from the screen.
    scope: Option<u64>,
    /// Whether the frame with `scope` was confirmed.
    scope_query: QueryState,
    queries: CursorQueries,
    quiet_from: Instant,
    /// Whether [`Guard::tick`] has reported that the quiet time is over.
    quiet_told: bool,
    /// Whether the quiet time has been over once since the subject appeared.
    opened: bool,
    seen: SeenRows,
    checking: bool,
    typing: Typing,
    held: Option<HeldKey>,
    ready: Option<GuardedAction>,
    dropped: Option<RefusalReason>,
    /// The block that the person last went to with the key for it, and when; cleared by any other key.
    visited: Option<(SubjectId, Instant)>,
    /// Whether something changed with time that is not drawn yet.
    changed: bool,
}

impl Guard {
    pub(crate) fn new(times: Times, size: (u16, u16), now: Instant) -> Self {
        Self {
            times,
            size,
            subject: None,
            block_query: QueryState::Confirmed,
            scope: None,
            scope_query: QueryState::Confirmed,
            queries: CursorQueries::default(),
            quiet_from: now,
            quiet_told: false,
            opened: false,
            seen: SeenRows::default(),
            checking: false,
            typing: Typing::default(),
            held: None,
            ready: None,
            dropped: None,
            visited: None,
            changed: false,
        }
    }

    /// Sets what is up for decision and visible in the next frame. The same subject again changes nothing; another one
    /// starts over: a query is wanted again, nothing is seen. Call it with every frame.
    pub(crate) fn set_subject(&mut self, subject: SubjectId, now: Instant) {
        if self.subject == Some(subject) {
            return;
        }
        // The subject's checks have arrived, which could not be read before: a person who went to it is still there,
        // and the time to read it starts now.
        let before = self.subject.replace(subject).filter(|_| self.checking);
        let checked = |to: SubjectId| {
            before == Some(to) && (to.block, to.revision) == (subject.block, subject.revision)
        };
        self.visited = self.visited.and_then(|(to, since)| match to {
            to if to == subject => Some((to, since)),
            to => checked(to).then_some((subject, now)),
        });
        self.seen = SeenRows::default();
        self.opened = false;
        self.checking = false;
        self.ready = None;
        self.queries.forget(QueryPurpose::Block);
        self.block_query = QueryState::Wanted;
        self.restart(now);
    }

    /// Call it when nothing is up for decision, or when that is not on screen.
    pub(crate) fn clear_subject(&mut self) {
        self.subject = None;
        let decides = |action: &GuardedAction| matches!(action, GuardedAction::Decide(_));
        self.held = self.held.filter(|held| !decides(&held.action));
        self.ready = self.ready.filter(|action| !decides(action));
        self.seen = SeenRows::default();
    }

    /// Sets where else letters act from the next frame on: a question, a list; any number that distinguishes it from
    /// others. Call it with every frame.
    pub(crate) fn set_scope(&mut self, scope: Option<u64>, now: Instant) {
        if self.scope == scope {
            return;
        }
        self.scope = scope;
        self.queries.forget(QueryPurpose::Scope);
        let acts = |action: &GuardedAction| {
            matches!(action, GuardedAction::Do(_) | GuardedAction::Letter(_) | GuardedAction::Approval(_))
        };
        self.held = self.held.filter(|held| !acts(&held.action));
        self.ready = self.ready.filter(|action| !acts(action));
        if scope.is_some() {
            self.scope_query = QueryState::Wanted;
            self.restart(now);
        }
    }

    /// Whether the terminal has drawn the frame that shows what is up for decision.
    pub(crate) fn is_shown(&self) -> bool {
        self.subject.is_some() && self.block_query == QueryState::Confirmed
    }

    /// What is up for decision.
    pub(crate) fn subject(&self) -> Option<SubjectId> {
        self.subject
    }

    /// Returns the cursor-position queries to send after the frame that is drawn now.
    pub fn queries(&mut self, now: Instant) -> Vec<Query> {
        let mut queries = Vec::new();
        if self.subject.is_some() && self.block_query == QueryState::Wanted {
            self.block_query = QueryState::Sent(now);
            queries.push(self.queries.ask(QueryPurpose::Block, self.size));
        }
        if self.scope.is_some() && self.scope_query == QueryState::Wanted {
            self.scope_query = QueryState::Sent(now);
            queries.push(self.queries.ask(QueryPurpose::Scope, self.size));
        }
        if self.held.as_mut().is_some_and(|held| held.ask(now)) {
            queries.push(self.queries.ask(QueryPurpose::Decision, self.size));
        }
        queries
    }

    /// Takes a cursor position that the terminal reported; `at` is when it was read.
    pub fn cursor_reported(&mut self, (row, column): (u16, u16), at: Instant) {
        self.settle(at);
        let Some(purposes) = self.queries.answered(row, column) else { return self.noise(at) };
        if purposes.contains(&QueryPurpose::Decision) && self.held.is_some_and(|held| held.is_asked()) {
            self.ready = self.held.take().map(|held| held.action);
            self.changed = true;
        }
        for (purpose, query) in
            [(QueryPurpose::Block, &mut self.block_query), (QueryPurpose::Scope, &mut self.scope_query)]
        {
            if purposes.contains(&purpose) && matches!(query, QueryState::Sent(_)) {
                *query = QueryState::Confirmed;
            }
        }
        if purposes.contains(&QueryPurpose::Block) {
            self.seen.restart(at);
        }
        // Even a late answer proves that what was read before it was typed before the frame was drawn.
        if purposes != [QueryPurpose::Decision] {
            self.restart(at);
        }
    }

    /// Sets whether the review is still running: approving waits for it.
    pub(crate) fn set_checking(&mut self, checking: bool) {
        self.checking = checking;
    }

    /// Sets all rows that have to be seen, at the present width. Returns how many rows that were seen before have to be
    /// seen again (`Width changed: 4 lines to look at again.`).
    pub(crate) fn layout(&mut self, rows: Vec<SubjectRow>) -> usize {
        let first = self.seen.rows().1 == 0;
        let added = self.seen.layout(rows);
        if first { 0 } else { added }
    }

    /// Sets the rows (indexes into the layout) that the frame drawn now shows; empty while something covers the pane.
    pub(crate) fn rows_on_screen(&mut self, ranges: &[Range<usize>], now: Instant) {
        self.settle(now);
        self.seen.show(ranges, now);
    }

    /// How many lines of code were seen to their end, of how many.
    pub fn seen_lines(&self) -> (usize, usize) {
        self.seen.lines()
    }

    /// Which rows were seen.
    pub fn rows(&self) -> &SeenRows {
        &self.seen
    }

    pub(crate) fn resized(&mut self, size: (u16, u16), now: Instant) {
        self.size = size;
        self.disturbed(now);
    }

    /// Call it when the terminal got or lost the focus, or the program came back to the foreground.
    pub(crate) fn focused(&mut self, now: Instant) {
        self.disturbed(now);
    }

    /// Takes a bracketed paste. `in_review`: it arrived in the review, where it is refused.
    pub(crate) fn pasted(&mut self, in_review: bool, now: Instant) -> KeyOutcome {
        self.noise(now);
        if in_review { KeyOutcome::Refused(RefusalReason::Paste) } else { KeyOutcome::Pass }
    }

    /// Takes bytes that mean nothing: they count as a typed key.
    pub(crate) fn noise(&mut self, now: Instant) {
        self.settle(now);
        self.typing.other(now);
        self.disturbed(now);
    }

    /// The action that is held back now, for display; none for plain text.
    pub fn held_action(&self) -> Option<GuardedAction> {
        self.held.map(|held| held.action).filter(|action| *action != GuardedAction::Text)
    }

    /// Takes the action that was held back and counts now. Call it before each key (with the key's time) and at the
    /// deadline.
    pub(crate) fn take_due(&mut self, now: Instant) -> Option<GuardedAction> {
        self.settle(now);
        self.ready.take()
    }

    /// Takes the letters that turned out to be text, and whether one of them could have acted.
    pub(crate) fn take_letters(&mut self) -> (String, bool) {
        self.typing.take()
    }

    /// Takes the reason why a held key does not count.
    pub(crate) fn take_dropped(&mut self) -> Option<RefusalReason> {
        self.dropped.take()
    }
}
