//! Keys while a layer is open.

use super::act::edit_of;
use super::field::Edit;
use super::layer::{Answer, Layer};
use super::wish::Exit;
use super::{Ctx, Note, Screen, Wish};
use crate::driver::Errand;
use crate::engine::Command;
use crate::tui::action::Action;
use crate::tui::view::layout::Pane;
use crate::tui::view::overlay;
use secrecy::SecretString;

impl Screen {
    /// An action while a layer is open.
    pub(super) fn layer_action(&mut self, action: Action, ctx: Ctx<'_>) -> Vec<Wish> {
        if matches!(self.layers.last(), Some(Layer::Form(_))) {
            return self.form_action(action, ctx);
        }
        match action {
            Action::ListAccept | Action::MessageSend => return self.layer_accept(ctx),
            Action::ListUp | Action::ScrollUp => return self.layer_step(-1, ctx),
            Action::ListDown | Action::ScrollDown => return self.layer_step(1, ctx),
            Action::ScrollPageUp => return self.layer_step(-10, ctx),
            Action::ScrollPageDown => return self.layer_step(10, ctx),
            Action::ScrollTop => return self.layer_step(-10_000, ctx),
            Action::ScrollEnd => return self.layer_step(10_000, ctx),
            Action::ListScope | Action::PaneNext => return self.layer_scope(),
            Action::ListRename => self.start_rename(),
            Action::ListTest => return self.test_model(),
            Action::ListDelete if matches!(self.layers.last(), Some(Layer::Rules(_))) => {
                return self.revoke_chosen(ctx);
            }
            Action::ListDelete => {
                if !self.ask_delete() {
                    self.edit_field(Edit::Delete, ctx);
                }
            }
            other => {
                if let Some(edit) = edit_of(other) {
                    self.edit_field(edit, ctx);
                }
            }
        }
        self.preview_wish()
    }

    /// A letter while a layer is open.
    pub(super) fn layer_letter(&mut self, letter: char, ctx: Ctx<'_>) -> Vec<Wish> {
        match self.layers.last_mut() {
            Some(Layer::Ask(ask)) => {
                let answer = ask.letter(letter);
                return answer.map_or_else(Vec::new, |answer| {
                    self.layers.pop();
                    self.answered(answer)
                });
            }
            Some(Layer::Always(_)) => return self.always_letter(letter, ctx),
            Some(Layer::Rules(_)) if letter == 'x' => return self.revoke_chosen(ctx),
            Some(Layer::Rules(_)) if letter == 'q' => {
                self.layers.pop();
            }
            Some(Layer::Rules(_)) => {}
            Some(Layer::Welcome(welcome)) if welcome.field.is_none() => {
                return self.welcome_letter(letter, ctx);
            }
            Some(Layer::Form(form)) if !form.takes_text() => self.form_letter(letter),
            Some(Layer::Help(_) | Layer::Status(_) | Layer::Steps(_)) if matches!(letter, 'q' | '?') => {
                self.layers.pop();
            }
            Some(Layer::Language(_, list, cursor)) => {
                if let Some(at) = letter.to_digit(10).and_then(|d| (d as usize).checked_sub(1))
                    && at < list.len()
                {
                    cursor.0 = at;
                    return self.layer_accept(ctx);
                }
            }
            Some(_) => {
                self.edit_field(Edit::Insert(letter), ctx);
                return self.preview_wish();
            }
            None => {}
        }
        Vec::new()
    }

    fn edit_field(&mut self, edit: Edit, ctx: Ctx<'_>) {
        let emptied = edit == Edit::Backspace;
        let Some(layer) = self.layers.last_mut() else { return };
        // Deleting in an empty list of commands takes the slash back.
        if let Layer::Commands(list) = layer
            && emptied
            && list.filter.is_empty()
        {
            self.layers.pop();
            return;
        }
        if layer.field().is_some_and(|field| field.apply(edit)) {
            self.layer_changed(ctx);
        }
    }

    /// What was typed into the topmost layer has changed.
    pub(super) fn layer_changed(&mut self, ctx: Ctx<'_>) {
        match self.layers.last_mut() {
            Some(Layer::Sessions(list)) if list.rename.is_none() => list.cursor.0 = 0,
            Some(Layer::Models(list)) => list.cursor.0 = 0,
            Some(Layer::OldMessages(list)) => list.cursor.0 = 0,
            Some(Layer::Commands(list)) => list.cursor.0 = 0,
            Some(Layer::Recipes(list)) => list.cursor.0 = 0,
            Some(Layer::Form(form)) => form.changed(),
            Some(Layer::Find(_)) => self.find_changed(ctx),
            Some(Layer::Limits(form)) => form.changed(),
            _ => {}
        }
    }

    fn layer_step(&mut self, by: isize, ctx: Ctx<'_>) -> Vec<Wish> {
        match self.layers.last_mut() {
            Some(Layer::Help(help)) => help.top = help.top.saturating_add_signed(by),
            Some(Layer::Status(top)) => *top = top.saturating_add_signed(by).min(1_000),
            Some(Layer::Steps(_)) => self.scroll_steps(by, ctx),
            Some(Layer::Always(always)) => always.step(by),
            Some(Layer::Rules(cursor)) => cursor.step(by, ctx.state.transcript.rules.len()),
            Some(Layer::Sessions(list)) => {
                let rows = list.rows();
                list.cursor.step(by, rows);
            }
            Some(Layer::Models(list)) => {
                let rows = list.shown().len();
                list.cursor.step(by, rows);
            }
            Some(Layer::Commands(list)) => {
                let rows = list.shown().len();
                list.cursor.step(by, rows);
            }
            Some(Layer::Recipes(list)) => {
                let rows = list.shown().len();
                list.cursor.step(by, rows);
            }
            Some(Layer::OldMessages(list)) => {
                let rows = list.shown().len();
                list.cursor.step(by, rows);
            }
            Some(Layer::Language(_, list, cursor)) => cursor.step(by, list.len()),
            Some(Layer::Limits(form)) => form.step(by),
            Some(Layer::Welcome(welcome)) if welcome.field.is_none() => {
                welcome.step(by);
            }
            Some(Layer::Find(_)) => self.find_step(by < 0, ctx),
            Some(Layer::Reject(reject)) => {
                let motion =
                    if by < 0 { crate::tui::editor::Motion::Up } else { crate::tui::editor::Motion::Down };
                reject.field.apply(Edit::Move(motion, false));
            }
            _ => {}
        }
        self.preview_wish()
    }

    /// Scrolls the list of steps, no further than it goes.
    pub(super) fn scroll_steps(&mut self, by: isize, ctx: Ctx<'_>) {
        let Some(layer) = self.layers.last() else { return };
        let room = overlay::overlay_room(self, layer);
        let most = overlay::step_rows(ctx.state, room.width, ctx.look).len();
        let most = most.saturating_sub(usize::from(room.height).saturating_sub(2).max(1));
        if let Some(Layer::Steps(up)) = self.layers.last_mut() {
            *up = up.saturating_add_signed(-by).min(most);
        }
    }

    /// Tab in a layer.
    fn layer_scope(&mut self) -> Vec<Wish> {
        match self.layers.last_mut() {
            Some(Layer::Sessions(list)) => {
                list.here = if list.here.is_some() { None } else { Some(self.setup.cwd.clone()) };
                list.cursor.0 = 0;
            }
            Some(Layer::Commands(list)) => {
                if let Some((entry, argument)) = list.chosen() {
                    let text = if argument.is_empty() {
                        format!("{} ", entry.name)
                    } else {
                        format!("{} {argument}", entry.name)
                    };
                    list.filter.set(&text);
                    list.cursor.0 = 0;
                }
            }
            _ => {}
        }
        self.preview_wish()
    }

    /// Enter in a layer.
    pub(super) fn layer_accept(&mut self, ctx: Ctx<'_>) -> Vec<Wish> {
        if let Some(Layer::Find(_)) = self.layers.last() {
            self.find_step(false, ctx);
            return Vec::new();
        }
        if let Some(Layer::Always(_)) = self.layers.last() {
            // Enter is pressed by habit: it grants nothing.
            return self.always_letter('\n', ctx);
        }
        if let Some(Layer::Sessions(list)) = self.layers.last_mut()
            && let Some(mut field) = list.rename.take()
        {
            let name = field.take();
            return match list.chosen() {
                Some(chosen) if !name.trim().is_empty() => {
                    vec![Wish::Errand(Errand::Rename(chosen.path.clone(), name.trim().to_owned()))]
                }
                _ => Vec::new(),
            };
        }
        if let Some(Layer::Welcome(welcome)) = self.layers.last_mut() {
            return match welcome.accept() {
                Ok(choice) => vec![Wish::Leave(Exit::UseProvider(choice))],
                Err(text) => {
                    self.say(Note::info(text));
                    Vec::new()
                }
            };
        }
        let Some(layer) = self.layers.pop() else { return Vec::new() };
        self.accepted(layer, ctx)
    }

    /// A layer was closed with Enter.
    fn accepted(&mut self, layer: Layer, ctx: Ctx<'_>) -> Vec<Wish> {
        match layer {
            Layer::Confirm(confirm) => self.confirmed(&confirm, ctx),
            Layer::Reject(mut reject) => self.rejected(&mut reject),
            // Enter gives the safe answer.
            Layer::Ask(ask) => {
                let answer = ask.choices.first().map_or(Answer::Stay, |c| c.answer.clone());
                self.answered(answer)
            }
            Layer::Sessions(list) => match list.chosen() {
                Some(chosen) => self.leave_for(Exit::OpenSession(chosen.path.clone()), ctx),
                None => self.leave_for(Exit::NewSession, ctx),
            },
            Layer::Models(list) => self.model_accepted(list),
            Layer::Commands(list) => match list.chosen() {
                Some((entry, argument)) => self.run_command(entry.slash, &argument, ctx),
                None => {
                    let text = list.filter.text();
                    self.say(Note::warn(format!("There is no command /{text}.")));
                    Vec::new()
                }
            },
            Layer::Recipes(list) => {
                match list.chosen().map(|card| card.name.clone()) {
                    Some(name) => self.open_recipe(&name, ""),
                    None => self.layers.push(Layer::Recipes(list)),
                }
                Vec::new()
            }
            Layer::OldMessages(list) => {
                if let Some(text) = list.shown().get(list.cursor.0) {
                    self.composer.set(text);
                }
                self.focus = Pane::Message;
                Vec::new()
            }
            Layer::Limits(form) => self.apply_limits(form),
            Layer::Language(block, list, cursor) => match list.get(cursor.0) {
                Some(language) => {
                    vec![Wish::Send(Command::ChooseLanguage { block, language: language.clone() })]
                }
                None => Vec::new(),
            },
            Layer::Rename(field) if !field.is_empty() => {
                vec![Wish::Send(Command::Rename(field.text().trim().to_owned()))]
            }
            Layer::Key(provider, mut field) if !field.is_empty() => {
                let key = Some(SecretString::from(field.take().trim().to_owned()));
                vec![Wish::Leave(Exit::UseProvider(super::Choice::Cloud { provider, key }))]
            }
            Layer::FindInEditor(field) => {
                let needle = field.text();
                if let Some(editor) = self.code.editor()
                    && !editor.find(&needle, false, true)
                {
                    self.say(Note::info(format!("No matches for {needle}.")));
                }
                Vec::new()
            }
            Layer::Rename(_)
            | Layer::Key(..)
            | Layer::Help(_)
            | Layer::Status(_)
            | Layer::Form(_)
            | Layer::Steps(_)
            | Layer::Always(_)
            | Layer::Rules(_)
            | Layer::Find(_)
            | Layer::Welcome(_) => Vec::new(),
        }
    }

    /// Esc: the topmost layer goes; nothing it asked is answered but with the safe answer.
    pub(super) fn close_layer(&mut self, ctx: Ctx<'_>) -> Vec<Wish> {
        let _ = ctx;
        match self.layers.pop() {
            Some(Layer::Find(find)) => self.close_find(find),
            Some(Layer::Form(form)) => self.hide_form(*form),
            Some(Layer::Reject(_) | Layer::Confirm(_) | Layer::Always(_)) => {
                self.say(Note::of_wait("Nothing was decided."));
            }
            Some(Layer::Commands(list)) if !list.filter.is_empty() => {
                // What was typed is not lost.
                let text = format!("/{}", list.filter.text());
                if self.composer.is_empty() && self.focus == Pane::Message {
                    self.composer.set(&text);
                }
            }
            _ => {}
        }
        Vec::new()
    }
}
