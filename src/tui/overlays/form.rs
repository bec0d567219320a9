//! A form to fill in: each field with its label, its answer, and what is wrong with it. The field with the cursor is
//! always visible; titles, annotations and defaults from outside are drawn as plain text. Below a field for a path are
//! the files that match what is typed.

mod answers;
mod moves;
mod paths;
mod rows;

use super::files::FileMatches;
use super::{LetterEffect, Overlay, OverlayContext, OverlayProperties, OverlayResponse};
use crate::domain::sentences::sending;
use crate::domain::{AnswerError, FieldKind, Form};
use crate::driver::{Job, JobResult};
use crate::engine::{Command, Phase};
use crate::tui::action::Action;
use crate::tui::keymap::Context;
use crate::tui::panes::Panes;
use crate::tui::ui_command::{EditTarget, UiCommand};
use crate::tui::widgets::field::{Edit, Field};
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::safe;
use crate::tui::widgets::sheet::Sheet;
use ratatui::layout::Rect;

/// The note while a recipe that was sent begins.
const LOOKING_MESSAGE: &str = "Looking at what the recipe needs.";

/// What the answers are for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FormPurpose {
    /// They are the inputs of the recipe with this name.
    Begin(String),
    /// The active recipe asked for them.
    Answer,
}

/// The answer in a field.
#[derive(Debug)]
pub enum FieldAnswer {
    /// A text.
    Text(Field),
    /// One of the choices, by its index.
    Choice(Option<usize>),
}

/// The form.
#[derive(Debug)]
pub struct FormBox {
    /// What the answers are for.
    pub(crate) purpose: FormPurpose,
    pub(crate) form: Form,
    pub(crate) replies: Vec<FieldAnswer>,
    /// The field with the cursor.
    pub(crate) at: usize,
    /// What is wrong with the answers. An error with an empty field name is about no single field.
    pub(crate) misfits: Vec<AnswerError>,
    /// Whether the form was sent and no response has arrived.
    pub(crate) sent: bool,
    /// The files of the folder, requested when the cursor first is in a field for a path.
    files: FileMatches,
    /// The index of the chosen file below the field, if one was chosen with Up and Down.
    chosen_file: Option<usize>,
}

impl FormBox {
    /// A form without answers, except for the defaults.
    pub(crate) fn new(purpose: FormPurpose, form: Form) -> Self {
        let replies = form.fields.iter().map(|field| empty_answer(&field.kind)).collect();
        let mut form_box = Self {
            purpose,
            form,
            replies,
            at: 0,
            misfits: Vec::new(),
            sent: false,
            files: FileMatches::default(),
            chosen_file: None,
        };
        for at in 0..form_box.form.fields.len() {
            if let Some(default) = form_box.form.fields.get(at).and_then(|field| field.default.clone()) {
                form_box.set_field(at, &default);
                // A default is only offered: typing replaces it.
                if let Some(FieldAnswer::Text(field)) = form_box.replies.get_mut(at) {
                    field.apply(Edit::SelectAll);
                }
            }
        }
        form_box
    }
}

fn empty_answer(kind: &FieldKind) -> FieldAnswer {
    match kind {
        FieldKind::Choice(_) => FieldAnswer::Choice(None),
        FieldKind::Text { lines: true } => FieldAnswer::Text(Field::multi_line()),
        _ => FieldAnswer::Text(Field::single_line()),
    }
}

impl FormBox {
    fn submit(&mut self, ctx: OverlayContext<'_>) -> Vec<OverlayResponse> {
        if matches!(self.purpose, FormPurpose::Begin(_)) && ctx.state.phase != Phase::Idle {
            let text = "A recipe begins when this turn is over. Esc keeps the form.";
            return vec![OverlayResponse::warn(text)];
        }
        let Some(answers) = self.send() else {
            return vec![OverlayResponse::warn(sending::FORM_MISFIT)];
        };
        vec![OverlayResponse::UiCommand(match self.purpose.clone() {
            FormPurpose::Begin(name) => UiCommand::Job(Job::BeginRecipe(name, answers)),
            FormPurpose::Answer => UiCommand::Send(Command::Answer(answers)),
        })]
    }
}

impl Overlay for FormBox {
    fn properties(&self) -> OverlayProperties {
        OverlayProperties::new(Context::Form, 82)
    }

    fn field(&mut self) -> Option<&mut Field> {
        self.text_field()
    }

    fn to_field(&mut self, number: usize) -> Option<&mut Field> {
        if !self.sent {
            self.at = number.min(self.form.fields.len().saturating_sub(1));
            self.filter_files();
        }
        self.text_field()
    }

    fn action(&mut self, action: Action, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        match action {
            // A form that was sent can't be changed until a response arrives.
            _ if self.sent => {}
            Action::FormAccept if self.chosen_file.is_some() => self.take_file(),
            Action::FormNext if self.offers_file() => self.take_file(),
            Action::FormAccept if self.is_last() => return self.submit(ctx),
            Action::FormAccept | Action::FormNext => self.walk(1),
            Action::FormPrevious => self.walk(-1),
            Action::TextUp => self.move_line(-1),
            Action::TextDown => self.move_line(1),
            Action::ScrollPageUp => self.move_line(-10),
            Action::ScrollPageDown => self.move_line(10),
            Action::TextLeft if self.is_choice() => self.choose(-1),
            Action::TextRight if self.is_choice() => self.choose(1),
            Action::TextEditor => {
                let has_lines = self.has_lines();
                if let Some(field) = self.text_field().filter(|_| has_lines) {
                    return vec![OverlayResponse::UiCommand(UiCommand::Editor(
                        EditTarget::Form,
                        field.text(),
                    ))];
                }
            }
            other => {
                if let Some(edit) = Edit::of(other) {
                    return self.edit(edit, ctx, panes);
                }
            }
        }
        self.wanted_files()
    }

    fn accept(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        Vec::new()
    }

    fn letter(&mut self, letter: char, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        match letter {
            _ if self.sent => {}
            _ if !self.is_choice() => return self.edit(Edit::Insert(letter), ctx, panes),
            ' ' => self.choose(1),
            letter => self.choose_letter(letter),
        }
        Vec::new()
    }

    /// In a form, letters only choose; Enter sends.
    fn letter_effect(&self, _: char) -> LetterEffect {
        LetterEffect::Harmless
    }

    fn changed(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        self.answer_changed();
        self.wanted_files()
    }

    fn job_done(&mut self, found: &JobResult) -> Option<Vec<OverlayResponse>> {
        self.files.job_done(found)?;
        self.filter_files();
        Some(Vec::new())
    }

    fn paste(&mut self, text: &str, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        if self.text_field().is_none() {
            return vec![OverlayResponse::info("Nothing was pasted: Left and Right choose here.")];
        }
        self.edit(Edit::Paste(text.to_owned()), ctx, panes)
    }

    fn close(&mut self, _: &mut Panes) -> Vec<OverlayResponse> {
        self.forget_files();
        vec![OverlayResponse::CloseKeeping]
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        if self.sent {
            hints.plain("Esc", "keep and close", 0);
            return;
        }
        let begins = matches!(self.purpose, FormPurpose::Begin(_));
        let accept = match (self.is_last(), begins) {
            (false, _) => "next field",
            (true, true) => "begin",
            (true, false) => "send",
        };
        hints.word(Action::FormAccept, accept, 0);
        if self.offers_file() {
            hints.plain("Tab", "take the file", 0).plain("Up/Down", "files", 1);
        }
        if self.is_choice() {
            hints.plain("Left/Right", "choose", 0);
        }
        if self.has_lines() {
            hints.word(Action::TextNewline, "newline", 1);
            hints.word(Action::TextEditor, "$EDITOR", 3);
        }
        if self.form.fields.len() > 1 && !self.offers_file() {
            hints.word(Action::FormNext, "next", 2);
            hints.word(Action::FormPrevious, "previous", 3);
        }
        hints.plain("Esc", if begins { "keep and close" } else { "keep and hide" }, 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        let fields = self.form.fields.len();
        let place = if fields > 1 { format!("Field {} of {fields}. ", self.at + 1) } else { String::new() };
        Some(match (&self.purpose, self.sent) {
            (FormPurpose::Begin(_), true) => LOOKING_MESSAGE.into(),
            (FormPurpose::Answer, true) => sending::FORM_GIVEN.into(),
            (FormPurpose::Begin(name), false) => {
                format!(
                    "{place}Nothing runs from here: the recipe {} begins with these.",
                    safe::one_line(name)
                )
            }
            (FormPurpose::Answer, false) => {
                format!("{place}The recipe waits for this. Esc hides it; nothing is lost.")
            }
        })
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        Some(rows::sheet(self, room.width, room.height, ctx.draw))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Field as Asked;

    fn form() -> FormBox {
        let field = |name: &str, kind, default: Option<&str>| Asked {
            name: name.into(),
            label: name.into(),
            help: String::new(),
            kind,
            required: true,
            default: default.map(str::to_owned),
        };
        let choices = ["pytest", "unittest", "pyflakes"].map(String::from).to_vec();
        let fields = vec![
            field("spec", FieldKind::Text { lines: true }, None),
            field("runner", FieldKind::Choice(choices), Some("unittest")),
            field("n", FieldKind::Number { min: Some(1), max: Some(9), whole: true }, Some("3")),
        ];
        FormBox::new(FormPurpose::Answer, Form { fields, ..Form::default() })
    }

    fn text(form: &FormBox, name: &str) -> String {
        form.answers().into_iter().find(|(known, _)| known == name).map(|(_, text)| text).unwrap()
    }

    #[test]
    fn defaults_stand_in_their_fields() {
        let form = form();
        assert_eq!((text(&form, "runner"), text(&form, "n")), ("unittest".into(), "3".into()));
    }

    #[test]
    fn what_does_not_fit_is_told_and_nothing_is_lost() {
        let mut form = form();
        form.fill("n", "many");
        form.at = 2;
        assert_eq!(form.send(), None);
        assert_eq!((form.at, form.sent), (0, false));
        assert_eq!(form.field_error("spec"), Some("an answer is needed"));
        assert_eq!(form.field_error("n"), Some("a whole number"));
        form.text_field().unwrap().apply(Edit::Paste("one\ntwo".into()));
        form.answer_changed();
        assert_eq!((form.field_error("spec"), form.field_error("n")), (None, Some("a whole number")));
        form.fill("n", "4");
        let answers = form.send().unwrap();
        assert_eq!(answers.first().map(|(_, text)| text.as_str()), Some("one\ntwo"));
        assert!(form.sent && form.text_field().is_none(), "it waits for what comes of it");
        form.refuse(vec![AnswerError { field: String::new(), why: "no runner".into() }]);
        assert_eq!(form.general_errors().collect::<Vec<_>>(), ["no runner"]);
        assert_eq!(text(&form, "spec"), "one\ntwo");
    }

    #[test]
    fn choices_are_walked_and_found_by_letter() {
        let mut form = form();
        form.at = 1;
        form.choose(-1);
        assert_eq!(text(&form, "runner"), "pytest");
        form.choose_letter('P');
        assert_eq!(text(&form, "runner"), "pyflakes");
        form.choose_letter('p');
        assert_eq!(text(&form, "runner"), "pytest");
        form.choose_letter('x');
        assert_eq!(text(&form, "runner"), "pytest");
        form.choose(9);
        assert_eq!(text(&form, "runner"), "pyflakes");
    }

    #[test]
    fn words_go_where_they_can_stand() {
        let mut form = form();
        form.form.fields.rotate_left(1);
        form.replies.rotate_left(1);
        form.set_first_field("PYTEST");
        assert_eq!(text(&form, "runner"), "pytest");
        form.set_first_field("7");
        assert_eq!((text(&form, "runner"), text(&form, "n")), ("pytest".into(), "7".into()));
    }

    #[test]
    fn lines_are_walked_before_fields() {
        let mut form = form();
        form.set_field(0, "one\ntwo");
        form.move_line(-1);
        assert_eq!((form.at, form.text_field().unwrap().cursor().line), (0, 0));
        form.move_line(1);
        form.move_line(1);
        assert_eq!(form.at, 1);
        form.move_line(-1);
        assert_eq!(form.at, 0);
    }

    #[test]
    fn a_form_without_fields_can_be_sent() {
        let mut form = FormBox::new(FormPurpose::Begin("x".into()), Form::default());
        form.walk(1);
        form.move_line(1);
        form.choose(1);
        assert!(form.is_last() && form.text_field().is_none());
        assert_eq!(form.send(), Some(crate::domain::Answers::new()));
    }
}
