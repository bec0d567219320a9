//! A key or a paste on its way: guard, keymap, then an action or a letter.

use super::{Ctx, Lower, Note, Screen, Wish};
use crate::tui::guard::{Admit, Class};
use crate::tui::keymap::{Context, Key};
use crate::tui::view::layout::{Class as SizeClass, Pane};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

impl Screen {
    /// Takes a key whose bytes were read at `ctx.at`.
    pub fn key(&mut self, event: &KeyEvent, ctx: Ctx<'_>) -> Vec<Wish> {
        if event.kind == KeyEventKind::Release {
            return Vec::new();
        }
        let key = Key::new(event.code, event.modifiers);
        let context = self.context(ctx.state);
        let text = self.typed(event, ctx);
        let action = if text.is_some() { None } else { self.keymap.action(context, key) };
        let class = self.class(ctx.state, action);
        let admit = self.guard.key(event, class, ctx.at);
        self.last_key = ctx.at;
        self.last_step = ctx.at;
        self.follow.key(ctx.at);
        self.note = None;
        match admit {
            Admit::Refused(why) if matches!(class, Class::Decision(_)) => {
                self.say(Note::of_wait(why.to_string()));
                return Vec::new();
            }
            Admit::Held => return Vec::new(),
            Admit::Refused(_) | Admit::Pass => {}
        }
        if Class::Other != class || self.arrangement.class != SizeClass::TooSmall {
            if let Some(letter) = text {
                return self.letter(letter, ctx);
            }
            if let Some(action) = action {
                return self.act(action, ctx);
            }
            return self.unbound(event, ctx);
        }
        // Too small to see anything: only ways out count.
        action.map_or_else(Vec::new, |action| self.act_blind(action, ctx))
    }

    /// The letter that a key types where the person is.
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

    /// A key that nothing is bound to.
    fn unbound(&mut self, event: &KeyEvent, ctx: Ctx<'_>) -> Vec<Wish> {
        let plain = event.modifiers.difference(KeyModifiers::SHIFT).is_empty();
        match event.code {
            KeyCode::Char(c) if plain && !self.layers.is_empty() => self.layer_letter(c, ctx),
            KeyCode::Char(c) if plain && self.context(ctx.state) == Context::Problems => {
                self.problem_letter(c, ctx)
            }
            // The numbers of the tabs.
            KeyCode::Char(c @ '1'..='4') if plain && !self.takes_text(ctx.state) => {
                self.tab(c);
                Vec::new()
            }
            KeyCode::Enter if !self.layers.is_empty() => self.layer_accept(ctx),
            KeyCode::Enter if self.context(ctx.state) == Context::Problems => {
                self.open_asked(ctx);
                Vec::new()
            }
            KeyCode::Enter if self.focus == Pane::Code && ctx.state.waiting().is_some() => {
                self.say(Note::of_wait("Enter decides nothing. a approves, r rejects, ? shows all keys."));
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn tab(&mut self, digit: char) {
        self.focus = match digit {
            '1' => Pane::Chat,
            '2' => Pane::Code,
            _ => Pane::Output,
        };
        match digit {
            '3' if self.lower == Lower::Vars => self.lower = Lower::Output,
            '4' => self.lower = Lower::Vars,
            _ => {}
        }
    }

    /// Takes a pasted text.
    pub fn paste(&mut self, text: &str, ctx: Ctx<'_>) -> Vec<Wish> {
        let in_review = self.layers.is_empty() && self.context(ctx.state) == Context::Review;
        let admit = self.guard.pasted(in_review, ctx.at);
        self.last_key = ctx.at;
        self.last_step = ctx.at;
        self.follow.key(ctx.at);
        self.note = None;
        if let Admit::Refused(why) = admit {
            self.say(Note::of_wait(why.to_string()));
            return Vec::new();
        }
        if let Some(layer) = self.layers.last_mut() {
            // The word that runs a block is typed, never pasted.
            if let super::layer::Layer::Confirm(_) = layer {
                self.say(Note::of_wait("That looked like a paste. Nothing was decided."));
                return Vec::new();
            }
            if let super::layer::Layer::Form(_) = layer {
                self.paste_into_form(text);
                return Vec::new();
            }
            if let Some(field) = layer.field() {
                field.apply(super::field::Edit::Paste(text.to_owned()));
                self.layer_changed(ctx);
            }
            return Vec::new();
        }
        match self.context(ctx.state) {
            Context::Message => self.composer.paste(text),
            Context::Edit => {
                if let Some(editor) = self.code.editor() {
                    editor.insert_text(text);
                }
            }
            _ => self.say(Note::info("A paste goes into Message: i.")),
        }
        Vec::new()
    }
}

fn upper(c: char) -> char {
    if c.is_lowercase() { c.to_uppercase().next().unwrap_or(c) } else { c }
}
