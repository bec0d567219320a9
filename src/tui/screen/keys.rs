//! Handles keys and pastes: guard, then keymap, then an action or a letter.

use super::{Ctx, LowerPane, Note, Screen};
use crate::tui::action::Action;
use crate::tui::guard::{GuardedAction, KeyClass, KeyOutcome, RefusalReason};
use crate::tui::keymap::{Context, Key};
use crate::tui::overlays::keys_test::KeySample;
use crate::tui::widgets::field::Edit;
use crate::tui::widgets::layout::{Pane, SizeClass};
use crate::tui::widgets::words;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

impl Screen {
    /// Handles a key whose bytes were read at `ctx.at`.
    pub fn key(&mut self, event: &KeyEvent, ctx: Ctx<'_>) {
        if event.kind == KeyEventKind::Release {
            return;
        }
        // Actions that were held back until now come before this key.
        self.tick(ctx);
        if !self.show_key_in_key_test(event.into(), ctx.at) && !self.forwarded_key(event, ctx) {
            self.guarded_key(event, ctx);
        }
    }

    /// Passes a key to the guard, and carries it out if the guard lets it through.
    fn guarded_key(&mut self, event: &KeyEvent, ctx: Ctx<'_>) {
        let key = Key::new(event.code, event.modifiers);
        let context = self.keymap_context(ctx.state);
        let text = self.typed(event, ctx);
        let bound = self.keymap.action(context, key).filter(|_| text.is_none());
        let stroke = self.stroke(event, text, bound);
        let action = bound.filter(|_| stroke.is_none());
        let class = match (text, action, key.text()) {
            (Some(_), ..) if self.overlay_approves() => KeyClass::TypedWord,
            (Some(_), ..) => KeyClass::Text,
            (None, Some(action), _) => self.class(ctx.state, action),
            (None, None, Some(letter)) => self.letter_class(letter, ctx.state),
            (None, None, None) if event.code == KeyCode::Enter => {
                self.accept_class().unwrap_or(KeyClass::Other)
            }
            (None, None, None) => KeyClass::Other,
        };
        let was_held = self.guard.held_action().is_some();
        let admit = self.guard.key(event, class, ctx.at);
        self.last_step = ctx.at;
        self.follow.key(ctx.at);
        (self.note, self.repeated_find) = (None, None);
        self.clear_selection();
        match admit {
            KeyOutcome::Refused(why) => return self.key_refused(why, text, ctx),
            KeyOutcome::Held => return,
            KeyOutcome::Word { text, could_act } => return self.to_message(&text, could_act, ctx),
            KeyOutcome::Pass if was_held => {
                self.tell_of_block("Taken back. Nothing was decided.");
            }
            KeyOutcome::Pass => {}
        }
        if self.arrangement.class == SizeClass::TooSmall && class != KeyClass::Scroll {
            // The window is too small to show anything: only ways out count.
            if let Some(action) = action {
                self.act_blind(action, ctx);
            }
            return;
        }
        if stroke.is_some_and(|stroke| self.take_stroke(stroke, ctx)) {
            return;
        }
        match (text, bound) {
            (Some(letter), _) => self.letter(letter, ctx),
            (None, Some(action)) => self.act(action, ctx),
            (None, None) => self.unbound(event, ctx),
        }
    }

    /// Says why the guard refused a key. An overlay that approves the block takes a refused letter as a paste, and
    /// closes where the block has to be looked at: it covers the block.
    fn key_refused(&mut self, why: RefusalReason, letter: Option<char>, ctx: Ctx<'_>) {
        if self.overlay_approves() {
            if why == RefusalReason::Paste {
                let pasted = letter.map(String::from).unwrap_or_default();
                self.pass(ctx, |top, ctx, panes| top.paste(&pasted, ctx, panes));
            } else if why.is_about_block() {
                self.pass(ctx, |top, ctx, panes| top.back(ctx, panes));
            }
        }
        let note = match (why, ctx.state.waiting()) {
            (RefusalReason::Again, Some(item)) => {
                let key = self.keymap.hint(Context::Everywhere, Action::ToWaiting);
                Note::how_to_approve(item.block.id, &key)
            }
            _ => Note::refused(why),
        };
        self.show_note(note);
    }

    /// Carries out an action that the guard held back and now released, if it still applies to the same thing.
    pub(super) fn perform(&mut self, action: GuardedAction, ctx: Ctx<'_>) {
        match action {
            GuardedAction::Decide(verb) if self.panes.focus == Pane::Code && self.overlays.is_empty() => {
                self.decide(verb, ctx);
            }
            GuardedAction::Decide(_) => {}
            GuardedAction::Do(action) => self.act(action, ctx),
            GuardedAction::Letter(letter) | GuardedAction::Approval(letter) => {
                self.plain_letter(letter, ctx);
            }
            GuardedAction::Text => {
                let (text, could_act) = self.guard.take_letters();
                self.to_message(&text, could_act, ctx);
            }
        }
    }

    /// Puts letters that turned out to be text into the message box, and moves the focus there. Overlays
    /// without a text field are closed with their safe answer.
    fn to_message(&mut self, text: &str, could_act: bool, ctx: Ctx<'_>) {
        if self.bare_pane.is_some() {
            self.leave_bare();
        }
        while self.overlays.last_mut().is_some_and(|overlay| overlay.field().is_none()) {
            self.close_top(ctx);
        }
        self.panes.focus = Pane::Message;
        self.panes.composer.to_insert();
        text.chars().for_each(|c| self.panes.composer.apply(Edit::Insert(c)));
        if could_act {
            self.tell_of_block("That was text: it is in Message. Nothing was decided.");
        }
    }

    /// The letter that a key types at the focus.
    fn typed(&mut self, event: &KeyEvent, ctx: Ctx<'_>) -> Option<char> {
        if !self.takes_text(ctx.state) {
            return None;
        }
        let KeyCode::Char(c) = event.code else { return None };
        let plain = !event
            .modifiers
            .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SUPER | KeyModifiers::META);
        plain.then(|| if event.modifiers.contains(KeyModifiers::SHIFT) { upper(c) } else { c })
    }

    /// Handles a letter without an action.
    fn plain_letter(&mut self, letter: char, ctx: Ctx<'_>) {
        match letter {
            _ if !self.overlays.is_empty() => {
                self.pass(ctx, |top, ctx, panes| top.letter(letter, ctx, panes));
            }
            _ if self.keymap_context(ctx.state) == Context::Problems => self.problem_letter(letter, ctx),
            // The numbers of the tabs.
            '1'..='4' => self.tab(letter),
            _ => {}
        }
    }

    /// Handles a key without an action.
    fn unbound(&mut self, event: &KeyEvent, ctx: Ctx<'_>) {
        if let Some(letter) = Key::new(event.code, event.modifiers).text() {
            return self.plain_letter(letter, ctx);
        }
        match event.code {
            KeyCode::Enter if !self.overlays.is_empty() => {
                self.pass(ctx, |top, ctx, panes| top.accept(ctx, panes));
            }
            KeyCode::Enter if self.keymap_context(ctx.state) == Context::Problems => self.open_asked(ctx),
            KeyCode::Enter if self.panes.focus == Pane::Code && ctx.state.waiting().is_some() => {
                let keys = [
                    (Action::Approve, "to approve"),
                    (Action::Reject, "to reject"),
                    (Action::Help, "for all keys"),
                ];
                let keys = self.keymap.hints(Context::Review, (" ", ", ", "."), &keys);
                self.tell_of_block(format!("Enter decides nothing.{keys}"));
            }
            _ => {}
        }
    }

    /// Moves the focus to the pane of a tab, by its digit.
    pub(super) fn tab(&mut self, digit: char) {
        self.panes.focus = match digit {
            '1' => Pane::Chat,
            '2' => Pane::Code,
            _ => Pane::Output,
        };
        match digit {
            '3' if self.panes.lower == LowerPane::Vars => self.panes.lower = LowerPane::Output,
            '4' => self.panes.lower = LowerPane::Vars,
            _ => {}
        }
    }

    /// Takes a pasted text.
    pub fn paste(&mut self, text: &str, ctx: Ctx<'_>) {
        let letters = words::count(text.chars().count(), "character");
        let sample = |_: &Self| KeySample::other(format!("a paste of {letters}"));
        if self.show_in_key_test(None, sample, ctx.at) || self.forwarded_paste(text, ctx) {
            return;
        }
        let in_review = self.overlays.is_empty() && self.keymap_context(ctx.state) == Context::Review;
        let admit = self.guard.pasted(in_review, ctx.at);
        self.last_step = ctx.at;
        self.follow.key(ctx.at);
        (self.note, self.repeated_find) = (None, None);
        if let KeyOutcome::Refused(why) = admit {
            return self.tell_of_block(why.to_string());
        }
        if !self.overlays.is_empty() {
            return self.pass(ctx, |top, ctx, panes| top.paste(text, ctx, panes));
        }
        match self.keymap_context(ctx.state) {
            Context::Message => self.panes.composer.paste(text),
            Context::Edit => {
                if let Some(editor) = self.panes.code.editor() {
                    editor.apply(Edit::Paste(text.to_owned()));
                }
            }
            _ => self.inform("A paste goes into Message: i."),
        }
    }
}

pub(super) fn upper(c: char) -> char {
    if c.is_lowercase() { c.to_uppercase().next().unwrap_or(c) } else { c }
}
