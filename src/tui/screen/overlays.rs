//! The open overlays: passes keys to the topmost one, and carries out its responses.

use super::{Ctx, Screen};
use crate::domain::sentences::saving;
use crate::engine::State;
use crate::tui::action::Action;
use crate::tui::keymap::Context;
use crate::tui::overlays::ask::Ask;
use crate::tui::overlays::form::{FormBox, FormPurpose};
use crate::tui::overlays::help::{self, Help};
use crate::tui::overlays::{Overlay, OverlayContext, OverlayProperties, OverlayResponse};
use crate::tui::panes::code::Mode;
use crate::tui::panes::{LowerPane, Panes};
use crate::tui::problem_keys::fixed_keys;
use crate::tui::widgets::field::Edit;
use crate::tui::widgets::layout::Pane;
use crate::tui::widgets::safe;
use std::any::Any;

impl Screen {
    /// Opens an overlay on top of the others.
    pub fn open(&mut self, overlay: impl Overlay) {
        self.overlays.push(Box::new(overlay));
    }

    /// The topmost overlay, if it is of this type.
    pub fn top<T: Overlay>(&self) -> Option<&T> {
        let top: &dyn Any = self.overlays.last()?.as_ref();
        top.downcast_ref()
    }

    pub(super) fn forms(&mut self) -> impl Iterator<Item = &mut FormBox> {
        self.overlays.iter_mut().filter_map(|overlay| {
            let overlay: &mut dyn Any = overlay.as_mut();
            overlay.downcast_mut()
        })
    }

    /// Closes the open forms that are no longer wanted.
    pub(super) fn close_forms(&mut self, unwanted: impl Fn(&FormBox) -> bool) {
        self.overlays.retain(|overlay| {
            let overlay: &dyn Any = overlay.as_ref();
            !overlay.downcast_ref().is_some_and(&unwanted)
        });
    }

    /// What overlays may read.
    pub(crate) fn overlay_context<'a>(&'a self, ctx: Ctx<'a>) -> OverlayContext<'a> {
        OverlayContext {
            state: ctx.state,
            draw: ctx.draw,
            setup: &self.setup,
            arrangement: &self.arrangement,
            sandbox: self.sandbox.as_ref(),
            sent_requests: &self.sent_requests,
        }
    }

    /// Lets the topmost overlay handle something, and carries out its responses.
    pub(super) fn pass(
        &mut self,
        ctx: Ctx<'_>,
        take: impl FnOnce(&mut dyn Overlay, OverlayContext<'_>, &mut Panes) -> Vec<OverlayResponse>,
    ) {
        let context = OverlayContext {
            state: ctx.state,
            draw: ctx.draw,
            setup: &self.setup,
            arrangement: &self.arrangement,
            sandbox: self.sandbox.as_ref(),
            sent_requests: &self.sent_requests,
        };
        let Some(top) = self.overlays.last_mut() else { return };
        let responses = take(top.as_mut(), context, &mut self.panes);
        self.carry_out(responses, ctx);
    }

    pub(super) fn carry_out(&mut self, responses: Vec<OverlayResponse>, ctx: Ctx<'_>) {
        for response in responses {
            match response {
                OverlayResponse::Close => drop(self.overlays.pop()),
                OverlayResponse::CloseKeeping => self.put_aside(),
                OverlayResponse::Open(overlay) => self.overlays.push(overlay),
                OverlayResponse::ShowNote(note) => self.show_note(note),
                OverlayResponse::UiCommand(command) => self.commands.push(command),
                OverlayResponse::Focus(pane) => self.move_focus(pane),
                OverlayResponse::ViewBlock => self.panes.code.mode = Mode::View,
                OverlayResponse::Run(slash, argument) => self.run_command(slash, &argument, ctx),
                OverlayResponse::OpenRecipe(name) => self.open_recipe(&name, ""),
                OverlayResponse::LeaveFor(exit) => self.leave_for(exit, ctx),
                OverlayResponse::QuitAfterRun => self.follow.quit_after_run = true,
            }
        }
    }

    /// Closes the topmost overlay because the person typed text or stopped something; the text of a form is
    /// kept.
    pub(super) fn close_top(&mut self, ctx: Ctx<'_>) {
        self.pass(ctx, |top, _, panes| top.close(panes));
    }

    /// Closes a form and keeps what was typed into it.
    fn put_aside(&mut self) {
        let Some(top) = self.overlays.pop() else { return };
        let top: Box<dyn Any> = top;
        let Ok(mut form) = top.downcast::<FormBox>() else { return };
        let note = match &form.purpose {
            FormPurpose::Begin(name) => saving::form_aside(&safe::one_line(name)),
            FormPurpose::Answer => {
                self.panes.lower = LowerPane::Problems;
                // Letters act in the list of problems: only the person moves the focus there.
                self.panes.focus = Pane::Message;
                let next = self.keymap.hint(Context::Message, Action::PaneNext);
                let back = self.keymap.hint(Context::Message, Action::PanePrevious);
                saving::asked_form_aside(&next, &back)
            }
        };
        self.inform(note);
        form.sent = false;
        self.drafts.retain(|draft| draft.purpose != form.purpose);
        self.drafts.push(*form);
    }

    /// Opens the help for the present context, or closes it.
    pub(super) fn open_help(&mut self, ctx: Ctx<'_>) {
        if self.top::<Help>().is_some() {
            self.overlays.pop();
            return;
        }
        let context = self.keymap_context(ctx.state);
        let place = match (context, self.panes.code.subject()) {
            (Context::Review, Some(block)) => format!("Code pane, block {block} waiting"),
            (Context::Edit, Some(block)) => format!("Code pane, editing block {block}"),
            (Context::Done, _) if self.panes.focus == Pane::Code => "Code pane".into(),
            (Context::Done, _) => "Output pane".into(),
            (Context::Edit, None) => "Code pane".into(),
            (Context::Everywhere, _) => "Question".into(),
            (Context::Picker, _) => "List".into(),
            (Context::Form, _) => "Form".into(),
            (Context::Find, _) => "Find".into(),
            (Context::Chat, _) => "Chat pane".into(),
            _ => help::heading(context).into(),
        };
        let takes_text = self.takes_text(ctx.state);
        let lacks = self.overlays.last_mut().map(|top| unused_actions(top.as_mut())).unwrap_or_default();
        let own = match self.overlays.last() {
            Some(top) => top.own_keys(self.overlay_context(ctx)),
            None if context == Context::Problems => {
                fixed_keys(&ctx.state.phase).into_iter().map(|(key, does)| (key.to_owned(), does)).collect()
            }
            None => Vec::new(),
        };
        self.open(Help { context, place, takes_text, lacks, own, top: 0 });
    }

    /// Closes overlays about a block that no longer waits.
    pub(super) fn close_stale(&mut self, state: &State) {
        self.close_stale_forms(state);
        let before = self.overlays.len();
        let asks_about_run = self.overlays.iter().any(|overlay| {
            let overlay: &dyn Any = overlay.as_ref();
            overlay.downcast_ref::<Ask>().is_some_and(|ask| ask.is_stale(state))
        });
        self.overlays.retain(|overlay| !overlay.is_stale(state));
        if asks_about_run {
            self.inform("The block has ended, and with it the question about its run.");
        } else if self.overlays.len() < before {
            self.tell_of_block("The block has changed. Look at it again: nothing was decided.");
        }
    }
}

/// The actions that do nothing in this overlay although its context has keys for them.
fn unused_actions(top: &mut dyn Overlay) -> Vec<Action> {
    let OverlayProperties { context, list_actions, .. } = top.properties();
    let (is_list, has_field) = (context == Context::Picker, top.field().is_some());
    let works = |action: Action| {
        let of_others = is_list && action.is_of_some_lists() && !list_actions.contains(&action);
        !action.is_of_panes() && !of_others && (has_field || Edit::of(action).is_none())
    };
    Action::ALL.iter().copied().filter(|action| !works(*action)).collect()
}
