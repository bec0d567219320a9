//! What time changes on the screen: held decisions, the keys that stop things, a drag at the edge.

use super::{Ctx, Note, Screen};
use crate::tui::action::Action;
use crate::tui::guard::RefusalReason;
use crate::tui::keymap::Context;

impl Screen {
    /// Lets time pass: a decision that was held back may be due now. Returns whether anything changed.
    pub fn tick(&mut self, ctx: Ctx<'_>) -> bool {
        let changed = self.guard.tick(ctx.at);
        if let Some(why) = self.guard.take_dropped() {
            self.last_step = ctx.at;
            let key = self.keymap.hint(Context::Everywhere, Action::ToWaiting);
            let note = match (why, ctx.state.waiting()) {
                (RefusalReason::NoAnswer, Some(item)) if !key.is_empty() => {
                    Note::dropped(why, item.block.id, &key)
                }
                _ => Note::about_waiting_block(why.to_string()),
            };
            self.show_note(note);
        }
        if let Some(action) = self.guard.take_due(ctx.at) {
            self.perform(action, ctx);
        }
        let expired = self.escalation.expire(ctx.at);
        let worked = self.work(ctx) | self.drag_on(ctx);
        changed || expired || worked || !self.commands.is_empty()
    }
}
