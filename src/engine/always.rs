//! Rules that the person granted: granting and revoking them, and the countdown before a covered block starts.
//!
//! A covered block is shown before it starts. Its countdown runs only while a front end says that the block is on
//! screen, and the person can stop it until it ends. `rules` decides what a rule covers; the gate itself is in
//! `approval`.

use super::approval::{Refusal, check};
use super::rules::RuleMismatch;
use super::state::{Countdown, RuleMatch};
use super::{Effect, Engine, Phase, notices, rules};
use crate::domain::{BlockId, Entry, Grantor, Policy, Revision, RuleId, RuleScope, TimerId};
use std::collections::BTreeSet;

/// How many milliseconds a covered block is on screen before it starts.
pub(crate) const START_DELAY_MS: u64 = 3_000;

/// Covered blocks whose start the person stopped: they wait for a decision like any other.
pub(super) type StoppedStarts = BTreeSet<(BlockId, Revision)>;

impl Engine {
    /// The person approves this block, and whatever the rule covers from now on.
    pub(super) fn grant_rule(&mut self, block: BlockId, revision: Revision, scope: RuleScope) {
        if let Err(refusal) = check(&self.state, block, revision, false) {
            return self.refuse(&refusal);
        }
        if self.state.live.foreign {
            return self.notify(Refusal::NoRule(block, RuleMismatch::Foreign).notice());
        }
        let offer = rules::proposed(&self.state, block, scope);
        let known = self.state.transcript.blocks.get(&block).zip(self.state.inspected(block));
        let (Some(rule), Some((item, inspected))) = (offer, known) else { return };
        let Ok(terms) = &inspected.terms else { return };
        if let Err(miss) = rules::check_cover(&rule, &item.block, &inspected.review, terms) {
            return self.notify(Refusal::NoRule(block, miss).notice());
        }
        let notice = notices::rule_added(rule.id, &rules::describe(&rule));
        self.record(Entry::RuleAdded(Box::new(rule)));
        self.notify(notice);
        // The rule is for later blocks: the person approved this one.
        self.grant(block, revision, Grantor::Person { typed: false });
    }

    /// The person revokes a rule. A run that it started goes on.
    pub(super) fn revoke_rule(&mut self, rule: RuleId) {
        if self.state.transcript.rules_in_force().any(|in_force| in_force.id == rule) {
            self.record(Entry::RuleRevoked(rule));
            self.notify(notices::rule_revoked(rule));
        }
    }

    /// Checks again whether a rule covers the block that waits. A match that no longer holds is dropped together with
    /// its countdown.
    pub(super) fn follow_rules(&mut self) {
        let found = self.covered_block();
        let known = self.state.live.matched.as_ref().map(|m| (m.rule, m.block, m.revision));
        if known != found {
            self.state.live.matched = found.map(|(rule, block, revision)| RuleMatch {
                rule,
                block,
                revision,
                countdown: Countdown::NotShown,
            });
        }
    }

    /// The block that waits, if a rule covers it and the gate would let it run.
    fn covered_block(&self) -> Option<(RuleId, BlockId, Revision)> {
        let Phase::Deciding(block) = self.state.phase else { return None };
        if self.state.live.foreign || self.settings.policy != Policy::Ask {
            return None;
        }
        self.state.inspected(block)?;
        let revision = self.state.transcript.blocks.get(&block)?.block.current().revision;
        if self.stopped_starts.contains(&(block, revision))
            || check(&self.state, block, revision, false).is_err()
        {
            return None;
        }
        rules::covering(&self.state, block).map(|rule| (rule.id, block, revision))
    }

    /// A front end shows this revision (`seen`) or hides it: the countdown runs only while it is shown.
    pub(super) fn on_screen(&mut self, block: BlockId, revision: Revision, seen: bool) {
        let now = self.now;
        let Some(matched) = &mut self.state.live.matched else { return };
        if (matched.block, matched.revision) != (block, revision) {
            return;
        }
        match (seen, &matched.countdown) {
            (true, Countdown::NotShown) => {
                let timer = self.last_ids.timer.next();
                self.last_ids.timer = timer;
                matched.countdown = Countdown::Since(now, timer);
                self.effects.push(Effect::SetTimer(timer, START_DELAY_MS));
            }
            (false, Countdown::Since(..)) => matched.countdown = Countdown::NotShown,
            _ => {}
        }
    }

    /// The person stops the covered block from starting by itself.
    pub(super) fn stop_covered_start(&mut self) {
        if let Some(matched) = self.state.live.matched.take() {
            self.stopped_starts.insert((matched.block, matched.revision));
            self.notify(notices::held_back(matched.rule, matched.block));
        }
    }

    /// A timer fired. It starts a block only if it belongs to the current match and that still holds.
    pub(super) fn timer(&mut self, timer: TimerId) {
        let Some(matched) = self.state.live.matched.clone() else { return };
        let due = matches!(matched.countdown, Countdown::Since(_, set) if set == timer);
        if due && self.covered_block() == Some((matched.rule, matched.block, matched.revision)) {
            self.grant(matched.block, matched.revision, Grantor::Rule(matched.rule));
        }
    }
}
