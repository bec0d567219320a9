//! What time changes on the screen: held decisions, the keys that stop things, a drag at the edge.

use super::{Ctx, Note, Screen, UiCommand};
use crate::tui::action::Action;
use crate::tui::guard::RefusalReason;
use crate::tui::keymap::Context;

impl Screen {
    /// Lets time pass: a decision that was held back may be due now. Returns whether anything changed, and the
    /// commands.
    pub fn tick(&mut self, ctx: Ctx<'_>) -> (bool, Vec<UiCommand>) {
        let changed = self.guard.tick(ctx.at);
        if let Some(why) = self.guard.take_dropped() {
            self.last_step = ctx.at;
            let key = self.keymap.hint(Context::Everywhere, Action::ToWaiting);
            let more = match (why, ctx.state.waiting()) {
                (RefusalReason::NoAnswer, Some(_)) if !key.is_empty() => format!(" {key} twice approves."),
                _ => String::new(),
            };
            self.show_note(Note::about_waiting_block(format!("{why}{more}")));
        }
        let commands = match self.guard.take_due(ctx.at) {
            Some(action) => self.perform(action, ctx),
            None => Vec::new(),
        };
        let expired = self.escalation.expire(ctx.at);
        let worked = self.work(ctx) | self.drag_on(ctx);
        (changed || expired || worked || !commands.is_empty(), commands)
    }
}
