//! The answers of a form, and what is wrong with them.

use super::{FieldAnswer, FormBox};
use crate::domain::{AnswerError, Answers, FieldKind};
use crate::engine::answers;
use crate::tui::widgets::field::Field;

impl FormBox {
    /// Puts a text into the field with this name, if there is one.
    pub(crate) fn fill(&mut self, name: &str, text: &str) {
        if let Some(at) = self.form.fields.iter().position(|field| field.name == name) {
            self.set_field(at, text);
        }
    }

    /// Puts answers into the fields with their names.
    pub(crate) fn fill_all(&mut self, answers: &[(String, String)]) {
        for (name, text) in answers {
            self.fill(name, text);
        }
    }

    /// Puts a text into a field, by its index.
    pub(crate) fn set_field(&mut self, at: usize, text: &str) {
        match (self.replies.get_mut(at), self.form.fields.get(at).map(|field| &field.kind)) {
            (Some(FieldAnswer::Text(field)), _) => field.set(text),
            (Some(FieldAnswer::Choice(chosen)), Some(FieldKind::Choice(choices))) => {
                *chosen = choices.iter().position(|choice| choice.eq_ignore_ascii_case(text.trim()));
            }
            _ => {}
        }
    }

    /// Puts a text into the first field that accepts it, skipping choices that don't contain it.
    pub(crate) fn set_first_field(&mut self, text: &str) {
        let fits = |field: &crate::domain::Field| match &field.kind {
            FieldKind::Choice(choices) => {
                choices.iter().any(|choice| choice.eq_ignore_ascii_case(text.trim()))
            }
            _ => true,
        };
        if let Some(at) = self.form.fields.iter().position(fits) {
            self.set_field(at, text);
        }
    }

    /// The field with the cursor, if it receives letters.
    pub(super) fn text_field(&mut self) -> Option<&mut Field> {
        match self.replies.get_mut(self.at) {
            Some(FieldAnswer::Text(field)) if !self.sent => Some(field),
            _ => None,
        }
    }

    /// Whether the field with the cursor may have several lines.
    pub(crate) fn has_lines(&self) -> bool {
        self.form.fields.get(self.at).is_some_and(|field| field.kind == FieldKind::Text { lines: true })
    }

    /// Whether the field with the cursor is a choice.
    pub(crate) fn is_choice(&self) -> bool {
        matches!(self.replies.get(self.at), Some(FieldAnswer::Choice(_)))
    }

    pub(crate) fn is_last(&self) -> bool {
        self.at + 1 >= self.form.fields.len()
    }

    /// The answers as given.
    pub(crate) fn answers(&self) -> Answers {
        let texts = self.form.fields.iter().zip(&self.replies).map(|(field, reply)| {
            let text = match (reply, &field.kind) {
                (FieldAnswer::Text(text), _) => text.text(),
                (FieldAnswer::Choice(Some(at)), FieldKind::Choice(choices)) => {
                    choices.get(*at).cloned().unwrap_or_default()
                }
                (FieldAnswer::Choice(_), _) => String::new(),
            };
            (field.name.clone(), text)
        });
        texts.collect()
    }

    /// The answers, if all are valid; else shows what is wrong and moves the cursor there.
    pub(crate) fn send(&mut self) -> Option<Answers> {
        match answers::check(&self.form, &self.answers()) {
            Ok(answers) => {
                self.misfits.clear();
                self.sent = true;
                Some(answers)
            }
            Err(misfits) => {
                self.refuse(misfits);
                None
            }
        }
    }

    /// Shows errors of the answers and moves the cursor to the first one; the answers stay.
    pub(crate) fn refuse(&mut self, misfits: Vec<AnswerError>) {
        self.sent = false;
        let first = self.form.fields.iter().position(|f| misfits.iter().any(|misfit| misfit.field == f.name));
        self.at = first.unwrap_or(self.at);
        self.misfits = misfits;
    }

    /// What is wrong with a field.
    pub(crate) fn field_error(&self, name: &str) -> Option<&str> {
        self.misfits.iter().find(|misfit| misfit.field == name).map(|misfit| misfit.why.as_str())
    }

    /// What is wrong but not with a single field.
    pub(crate) fn general_errors(&self) -> impl Iterator<Item = &str> {
        let known = |name: &str| self.form.fields.iter().any(|field| field.name == name);
        self.misfits.iter().filter(move |misfit| !known(&misfit.field)).map(|misfit| misfit.why.as_str())
    }

    /// Puts a text from the person's editor back into its field.
    pub(crate) fn set_edited_text(&mut self, text: &str) {
        if let Some(field) = self.text_field() {
            field.set(text.strip_suffix('\n').unwrap_or(text));
            self.answer_changed();
        }
    }
}
