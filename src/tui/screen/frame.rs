//! Lays out the next frame, and tells the guard which rows of the waiting block it shows.

use super::{Ctx, Screen};
use crate::tui::panes::LowerPane;
use crate::tui::panes::code::subject_of;
use crate::tui::widgets::layout::Arrangement;
use crate::tui::widgets::{safe, words};

impl Screen {
    /// Lays everything out for the next frame. Draw right after this.
    pub fn arrange(&mut self, ctx: Ctx<'_>) {
        // Moving the focus to another pane ends the zoom.
        self.zoomed = self.zoomed.filter(|pane| *pane == self.panes.focus);
        self.recipe.update(ctx.state);
        let width_of = |arrangement: &Arrangement| arrangement.message.map(|slot| slot.inner.width);
        let before = width_of(&self.arrangement);
        self.arrangement = self.arrangement(ctx);
        // The rows of the message box were counted for the old width.
        if width_of(&self.arrangement) != before {
            self.arrangement = self.arrangement(ctx);
        }
        self.lay_out(ctx);
        if self.shares_with_output(ctx.state) {
            self.arrangement = self.arrangement(ctx);
            self.lay_out(ctx);
        }
        self.panes.mark(&self.arrangement, ctx.state, ctx.draw);
        self.update_guard(ctx);
    }

    /// Lays out the panes in their slots.
    fn lay_out(&mut self, ctx: Ctx<'_>) {
        let arrangement = self.arrangement;
        if let Some(slot) = arrangement.message {
            let rows = safe::typed_rows(slot.inner.width.saturating_sub(2).into());
            self.panes.composer.field.content.lay_out(rows);
        }
        if let Some(slot) = arrangement.chat {
            let opening = (&self.setup.opening, self.suggested);
            let chosen = self.panes.code.subject();
            self.panes.chat.arrange(ctx.state, opening, chosen, slot.inner, ctx.draw);
        }
        self.panes.code.arrange(ctx.state, arrangement.code.map(|s| s.inner).unwrap_or_default(), ctx.draw);
        // A search needs the output laid out even while another pane has its place.
        let stand_in = || arrangement.chat.or(arrangement.code).filter(|_| self.panes.kept_output.is_some());
        if let Some(slot) = arrangement.output.or_else(stand_in) {
            match self.panes.lower {
                LowerPane::Output => {
                    let chosen = self.output_block();
                    let painted = self.program_screen(ctx.state).cloned();
                    let panes = &mut self.panes;
                    panes.output.whole = self.bare_pane.is_some();
                    panes.output.arrange(ctx.state, chosen, slot.inner, &mut panes.pictures, ctx.draw);
                    panes.output.screen = painted;
                }
                LowerPane::Vars => self.panes.vars.arrange(ctx.state, slot.inner),
                LowerPane::Problems => {}
            }
        }
    }

    /// Tells the guard what the next frame shows.
    fn update_guard(&mut self, ctx: Ctx<'_>) {
        self.guard.set_scope(self.letters_scope(ctx.state), ctx.at);
        let on_screen = self.arrangement.code.is_some();
        let waiting = ctx.state.waiting().filter(|item| self.panes.code.subject() == Some(item.block.id));
        let first_seen = on_screen && self.overlays.is_empty();
        let subject =
            waiting.filter(|_| !self.panes.code.edits()).map(|item| (item, subject_of(ctx.state, item)));
        // A block counts as on screen from the first frame that shows it uncovered; hiding it later loses
        // nothing.
        let subject = subject.filter(|(_, subject)| first_seen || self.guard.subject() == Some(*subject));
        let Some((item, subject)) = subject else {
            self.guard.clear_subject();
            self.seen_layout = None;
            return;
        };
        if self.guard.subject() != Some(subject) {
            self.seen_layout = None;
        }
        self.guard.set_subject(subject, ctx.at);
        self.guard.set_checking(ctx.state.inspected(item.block.id).is_none());
        if on_screen {
            self.pass_layout_to_guard();
        }
        let shown = if first_seen { self.panes.code.on_screen() } else { Vec::new() };
        self.guard.rows_on_screen(&shown, ctx.at);
        if on_screen && self.guard.rows().are_rows_seen(self.panes.code.rights_rows()) {
            self.panes.code.note_rights_seen(ctx.state);
        }
    }

    /// Passes a new layout of the waiting block to the guard, and says how many rows have to be looked at again.
    fn pass_layout_to_guard(&mut self) {
        let stamp = self.panes.code.layout_stamp();
        if stamp == self.seen_layout {
            return;
        }
        let before = std::mem::replace(&mut self.seen_layout, stamp);
        let again = self.guard.layout(self.panes.code.subject_rows());
        let (Some(before), Some(stamp)) = (before, stamp) else { return };
        if again == 0 || before.differs_only_in_compaction(stamp) {
            return;
        }
        let lines = words::count(again, "line");
        self.tell_of_block(if before.width != stamp.width {
            format!("Width changed: {lines} to look at again.")
        } else if stamp.full_rights && !before.full_rights {
            format!("All rights are shown: {lines} more to look at.")
        } else {
            format!("What is shown of it changed: {lines} to look at.")
        });
    }
}
