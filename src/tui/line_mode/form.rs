//! Asks for a form field by field.

use super::page::LinePage;
use crate::domain::{AnswerError, Answers, Field, FieldKind, Form};
use crate::driver::Job;
use crate::engine::{Command, answers};
use crate::tui::ui_command::UiCommand;
use std::io;

/// A form that is being filled in.
#[derive(Debug)]
pub(super) struct FormFill {
    form: Form,
    /// The recipe that it starts; `None`: the running recipe asks for it.
    begins: Option<String>,
    answers: Answers,
    /// The index of the field being asked.
    at: usize,
}

impl FormFill {
    /// A form with preset answers.
    pub(super) fn new(form: Form, begins: Option<String>, answers: Answers) -> Self {
        Self { form, begins, answers, at: 0 }
    }

    /// Whether it starts a recipe.
    pub(super) fn begins(&self) -> bool {
        self.begins.is_some()
    }

    /// Whether all fields were answered.
    pub(super) fn is_filled(&self) -> bool {
        self.at >= self.form.fields.len()
    }

    pub(super) fn is_for(&self, form: &Form) -> bool {
        self.form == *form
    }

    /// Prints what the form is about, and asks for its first field.
    pub(super) fn begin(&self, page: &mut LinePage) -> io::Result<()> {
        page.line(&self.form.title)?;
        if !self.form.note.is_empty() {
            page.line(&self.form.note)?;
        }
        self.ask(page)
    }

    /// Asks for the next field.
    pub(super) fn ask(&self, page: &mut LinePage) -> io::Result<()> {
        let Some(field) = self.form.fields.get(self.at) else { return Ok(()) };
        if !field.help.is_empty() {
            page.line(&format!("  {}", field.help))?;
        }
        page.ask(&format!("{}{}:", field.label.trim_end_matches(':'), self.usual(field)))
    }

    /// Takes the answer to the present field; after the last one, returns the command that follows.
    pub(super) fn take(&mut self, line: &str, page: &mut LinePage) -> io::Result<Option<UiCommand>> {
        let Some(field) = self.form.fields.get(self.at) else { return Ok(Some(self.done())) };
        let preset = self.preset(field).map(str::to_owned);
        let text =
            if line.is_empty() { preset.or_else(|| field.default.clone()) } else { Some(line.to_owned()) };
        let text = text.unwrap_or_default();
        if field.required || !text.is_empty() {
            if let Err(why) = answers::check_field(field, &text) {
                page.line(&format!("That does not fit: {why}"))?;
                self.ask(page)?;
                return Ok(None);
            }
            let name = field.name.clone();
            self.answers.retain(|(known, _)| *known != name);
            self.answers.push((name, text));
        }
        self.at += 1;
        if self.at < self.form.fields.len() {
            self.ask(page)?;
            return Ok(None);
        }
        Ok(Some(self.done()))
    }

    /// Prints why a recipe could not start with these answers, and asks for the form again.
    pub(super) fn refuse(&mut self, misfits: &[AnswerError], page: &mut LinePage) -> io::Result<()> {
        for misfit in misfits {
            page.line(&format!("That does not fit: {misfit}"))?;
        }
        let first = misfits.first().map(|misfit| misfit.field.as_str());
        self.at = self.form.fields.iter().position(|field| Some(field.name.as_str()) == first).unwrap_or(0);
        self.ask(page)
    }

    fn done(&self) -> UiCommand {
        let answers = self.answers.clone();
        match &self.begins {
            Some(name) => UiCommand::Job(Job::BeginRecipe(name.clone(), answers)),
            None => UiCommand::Send(Command::Answer(answers)),
        }
    }

    fn preset(&self, field: &Field) -> Option<&str> {
        self.answers.iter().rev().find(|(name, _)| *name == field.name).map(|(_, text)| text.as_str())
    }

    /// What an empty line means for a field, and which choices it has.
    fn usual(&self, field: &Field) -> String {
        let mut parts = Vec::new();
        match &field.kind {
            FieldKind::Choice(choices) => parts.push(choices.join(", ")),
            FieldKind::File => parts.push("a file".into()),
            FieldKind::Files => parts.push("files, with commas between".into()),
            FieldKind::Number { .. } => parts.push("a number".into()),
            FieldKind::Text { .. } | FieldKind::Argument { .. } => {}
        }
        match self.preset(field).or(field.default.as_deref()) {
            Some(usual) if !usual.is_empty() => parts.push(format!("Enter takes {usual}")),
            _ if !field.required => parts.push("Enter leaves it out".into()),
            _ => {}
        }
        if parts.is_empty() { String::new() } else { format!(" ({})", parts.join("; ")) }
    }
}
