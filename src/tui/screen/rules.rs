//! Rules for "always" on the screen: choosing one, and the countdown before a covered block starts.

use super::{Ctx, Screen, UiCommand};
use crate::domain::Severity;
use crate::engine::approval::check;
use crate::engine::state::{Countdown, RuleMatch};
use crate::engine::transcript::BlockItem;
use crate::engine::{Command, State, rules};
use crate::tui::overlays::always::Always;
use crate::tui::panes::code::subject_of;
use crate::tui::widgets::safe;

impl Screen {
    /// Opens the choice of a rule, or says why this block can have none.
    pub(super) fn ask_always(&mut self, item: &BlockItem, ctx: Ctx<'_>) {
        let block = item.block.id;
        let offers = rules::offers(ctx.state, block);
        let review = ctx.state.inspected(block).map(|inspected| &inspected.review);
        let high = review.is_some_and(|review| review.gravest() == Some(Severity::High));
        let unchecked = review.is_some_and(|review| review.unchecked.is_some());
        if let Err(refusal) = check(ctx.state, block, item.block.current().revision, true) {
            return self.refuse(&refusal, ctx);
        }
        let all_refused = offers.iter().all(|offer| offer.refused.is_some());
        let miss = offers.first().and_then(|offer| offer.refused.as_ref()).filter(|_| all_refused);
        let obstacle = if high {
            Some(format!("Block {block} has a high finding: no rule covers that. a runs it once."))
        } else if unchecked {
            Some(format!("Block {block} was not checked: no rule covers that. a runs it once."))
        } else {
            miss.map(|miss| format!("No rule: block {block} {}.", safe::one_line(&miss.to_string())))
        };
        if let Some(text) = obstacle {
            return self.tell_of_block(text);
        }
        self.open(Always::new(subject_of(ctx.state, item), offers));
    }

    /// The rule that covers the block on screen, while its countdown runs.
    pub(crate) fn announced<'a>(&self, state: &'a State) -> Option<&'a RuleMatch> {
        let matched = state.live.matched.as_ref().filter(|m| matches!(m.countdown, Countdown::Since(..)))?;
        self.panes.code.reviews(matched.block).then_some(matched)
    }

    /// Tells the engine when a block covered by a rule becomes visible or hidden: the countdown runs only while
    /// it is visible.
    pub(super) fn tell_seen(&self, state: &State) -> Option<UiCommand> {
        let matched = state.live.matched.as_ref()?;
        let (block, revision) = (matched.block, matched.revision);
        let shown = self
            .guard
            .subject()
            .is_some_and(|subject| (subject.block, subject.revision) == (block, revision));
        let seen = shown
            && self.guard.is_shown()
            && self.arrangement.code.is_some()
            && self.overlays.is_empty()
            // A person who types into a program's terminal can't hold the block back.
            && !self.forwards_keys()
            && self.panes.code.reviews(block);
        let tells = match matched.countdown {
            Countdown::NotShown => seen,
            Countdown::Since(..) => !seen,
        };
        tells.then_some(UiCommand::Send(Command::OnScreen { block, revision, seen }))
    }
}
