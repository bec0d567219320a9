//! Keys of a form: walking its fields, sending it, putting it aside.

use super::act::edit_of;
use super::field::Edit;
use super::layer::{FormBox, Layer, Purpose};
use super::wish::Target;
use super::{Ctx, Note, Screen, Wish};
use crate::domain::sentences::{saving, sending};
use crate::driver::Errand;
use crate::engine::{Command, Phase};
use crate::tui::action::Action;
use crate::tui::keymap::Context;
use crate::tui::view::layout::Pane;
use crate::tui::view::safe;

impl Screen {
    /// A form goes out of sight; what was typed into it is kept.
    pub(super) fn hide_form(&mut self, mut form: FormBox) {
        let note = match &form.purpose {
            Purpose::Begin(name) => saving::form_aside(&safe::one_line(name)),
            Purpose::Answer => {
                self.lower = super::Lower::Problems;
                // Letters act among the problems: the person goes there, nobody else.
                self.focus = Pane::Message;
                let next = self.keymap.hint(Context::Message, Action::PaneNext);
                let back = self.keymap.hint(Context::Message, Action::PanePrevious);
                saving::asked_form_aside(&next, &back)
            }
        };
        self.say(Note::info(note));
        form.sent = false;
        self.drafts.retain(|draft| draft.purpose != form.purpose);
        self.drafts.push(form);
    }

    /// Keys of a form.
    pub(super) fn form_action(&mut self, action: Action, ctx: Ctx<'_>) -> Vec<Wish> {
        let Some(Layer::Form(form)) = self.layers.last_mut() else { return Vec::new() };
        if form.sent {
            // What was sent stays as it is until something comes back.
            return Vec::new();
        }
        match action {
            Action::FormAccept if form.is_last() => return self.send_form(ctx),
            Action::FormAccept | Action::FormNext => form.step(1),
            Action::FormPrevious => form.step(-1),
            Action::TextUp => form.line(-1),
            Action::TextDown => form.line(1),
            Action::ScrollPageUp => form.line(-10),
            Action::ScrollPageDown => form.line(10),
            Action::TextLeft if form.is_choice() => form.choose(-1),
            Action::TextRight if form.is_choice() => form.choose(1),
            Action::TextEditor => {
                let has_lines = form.has_lines();
                if let Some(field) = form.field().filter(|_| has_lines) {
                    return vec![Wish::Editor(Target::Form, field.text())];
                }
            }
            other => {
                let changed = edit_of(other).and_then(|edit| Some(form.field()?.apply(edit)));
                if changed == Some(true) {
                    form.changed();
                }
            }
        }
        Vec::new()
    }

    /// A letter where a form has no text field.
    pub(super) fn form_letter(&mut self, letter: char) {
        let Some(Layer::Form(form)) = self.layers.last_mut() else { return };
        match letter {
            _ if form.sent => {}
            ' ' => form.choose(1),
            letter => form.choose_letter(letter),
        }
    }

    fn send_form(&mut self, ctx: Ctx<'_>) -> Vec<Wish> {
        let idle = ctx.state.phase == Phase::Idle;
        let Some(Layer::Form(form)) = self.layers.last_mut() else { return Vec::new() };
        if matches!(form.purpose, Purpose::Begin(_)) && !idle {
            self.say(Note::warn("A recipe begins when this turn is over. Esc keeps the form."));
            return Vec::new();
        }
        let Some(answers) = form.send() else {
            self.say(Note::warn(sending::FORM_MISFIT));
            return Vec::new();
        };
        match form.purpose.clone() {
            Purpose::Begin(name) => vec![Wish::Errand(Errand::BeginRecipe(name, answers))],
            Purpose::Answer => vec![Wish::Send(Command::Answer(answers))],
        }
    }

    /// What came back from the person's editor goes into the field it came from.
    pub(super) fn edited_field(&mut self, text: &str) {
        let Some(Layer::Form(form)) = self.layers.last_mut() else { return };
        if let Some(field) = form.field() {
            field.set(text.strip_suffix('\n').unwrap_or(text));
            form.changed();
        }
    }

    /// A paste into a form.
    pub(super) fn paste_into_form(&mut self, text: &str) {
        let Some(Layer::Form(form)) = self.layers.last_mut() else { return };
        match form.field() {
            Some(field) => {
                field.apply(Edit::Paste(text.to_owned()));
                form.changed();
            }
            None => self.say(Note::info("Nothing was pasted: Left and Right choose here.")),
        }
    }
}
