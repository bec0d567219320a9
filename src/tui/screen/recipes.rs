//! Recipes on the screen: choosing one, its form, the form that it asks for midway, and ending it.

use super::pane_actions::NOT_READ_MESSAGE;
use super::{Ctx, Screen, UiCommand};
use crate::domain::{AnswerError, Entry, Form, Notice, Outcome, RecipeCards, RecipeFact, Stream};
use crate::driver::Job;
use crate::engine::Command;
use crate::engine::answers;
use crate::engine::state::Question;
use crate::engine::transcript::{BlockItem, RunItem};
use crate::engine::{Phase, State, WorkflowContext};
use crate::tui::options::FirstRecipe;
use crate::tui::overlays::ask::Ask;
use crate::tui::overlays::form::{FormBox, FormPurpose};
use crate::tui::overlays::recipes::Recipes;
use crate::tui::widgets::layout::Pane;
use crate::tui::widgets::safe;

/// The recipe that debugs a failure.
const DEBUG: &str = "debug";
/// How much of a failed run's output is passed to that recipe, from the end.
const MAX_ERROR_BYTES: usize = 4_000;

impl Screen {
    /// `/recipe`, `/recipe NAME`, `/recipe NAME words of its first input`, `/recipe new NAME`.
    pub(super) fn recipe_command(&mut self, argument: &str, ctx: Ctx<'_>) {
        let (name, words) = argument.split_once(char::is_whitespace).unwrap_or((argument, ""));
        match name {
            "" if asked(ctx.state).is_some() => self.open_asked(ctx),
            "" => {
                self.open(Recipes::of(self.setup.recipes.to_vec()));
                self.start(Job::Recipes);
            }
            "new" => self.start(Job::NewRecipe(words.trim().to_owned())),
            _ => self.name_recipe(name, words.trim()),
        }
    }

    /// Opens the form of the named recipe: a built-in one at once, another once the person's own recipes were
    /// read again.
    fn name_recipe(&mut self, name: &str, words: &str) {
        if self.setup.recipes.iter().any(|card| card.name == name && card.file.is_none()) {
            return self.open_recipe(name, words);
        }
        self.named_recipe = Some((name.to_owned(), words.to_owned()));
        self.start(Job::Recipes);
    }

    /// Takes the recipes that were read; opens the one named meanwhile.
    pub(super) fn recipes_read(&mut self, recipes: &RecipeCards, notices: &[Notice]) {
        self.setup.recipes = recipes.clone();
        for notice in notices {
            self.show_note(notice.clone().into());
        }
        if let Some((name, words)) = self.named_recipe.take() {
            self.open_recipe(&name, &words);
        }
    }

    /// Opens the form of a recipe, with what was typed into it before; `words` are put into its first field.
    pub(super) fn open_recipe(&mut self, name: &str, words: &str) {
        let Some(mut form) = self.form_of(name) else { return };
        if !words.is_empty() {
            form.set_first_field(words);
        }
        self.open(form);
    }

    /// Starts with the recipe from the command line or a story: at once if that is wanted and its answers are
    /// complete, else with its form, filled in with the answers.
    pub fn begin_with(&mut self, first: &FirstRecipe) {
        let FirstRecipe { name, answers, shown } = first;
        self.preset_answers.clone_from(answers);
        let card = self.setup.recipes.iter().find(|card| card.name == *name);
        if !shown && card.is_some_and(|card| answers::check(&card.inputs, answers).is_ok()) {
            return self.start(Job::BeginRecipe(name.clone(), answers.clone()));
        }
        let Some(mut form) = self.form_of(name) else { return };
        form.fill_all(answers);
        if !answers.is_empty()
            && let Err(misfits) = answers::check(&form.form, &form.answers())
        {
            form.refuse(misfits);
        }
        self.open(form);
    }

    fn form_of(&mut self, name: &str) -> Option<FormBox> {
        let Some(card) = self.setup.recipes.iter().find(|card| card.name == name).cloned() else {
            let name = safe::one_line(name);
            self.warn(format!("There is no recipe {name}. /recipe lists all of them."));
            return None;
        };
        let purpose = FormPurpose::Begin(card.name);
        let draft = self.take_draft(&purpose, &card.inputs);
        Some(draft.unwrap_or_else(|| FormBox::new(purpose, card.inputs)))
    }

    /// Takes out the closed form of this purpose, if it asks for the same.
    fn take_draft(&mut self, purpose: &FormPurpose, form: &Form) -> Option<FormBox> {
        let is_same = |draft: &FormBox| draft.purpose == *purpose && draft.form == *form;
        let at = self.drafts.iter().position(is_same)?;
        Some(self.drafts.remove(at))
    }

    /// Opens the form that the recipe asks for.
    pub(super) fn open_asked(&mut self, ctx: Ctx<'_>) {
        let Some(asked) = asked(ctx.state) else { return };
        if self.forms().any(|form| form.purpose == FormPurpose::Answer) {
            return;
        }
        let form = self.take_draft(&FormPurpose::Answer, asked).unwrap_or_else(|| {
            let mut form = FormBox::new(FormPurpose::Answer, asked.clone());
            form.fill_all(&asked.answers_for(&self.preset_answers, begun_with(ctx.state)));
            form
        });
        self.open(form);
    }

    /// Handles a recipe that could not start: shows the wrong answers at their fields, and opens the form if it
    /// is closed.
    pub(super) fn recipe_refused(&mut self, name: &str, misfits: Vec<AnswerError>) {
        let why = misfits.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        let purpose = FormPurpose::Begin(name.to_owned());
        if let Some(form) = self.forms().find(|form| form.purpose == purpose) {
            form.refuse(misfits);
        } else if let Some(draft) = self.drafts.iter_mut().find(|draft| draft.purpose == purpose) {
            draft.refuse(misfits);
        } else if let Some(mut form) = self.form_of(name) {
            // The recipe was to start without its form.
            form.fill_all(&self.preset_answers);
            form.refuse(misfits);
            self.open(form);
        }
        self.warn(format!("The recipe {} was not begun: {why}", safe::one_line(name)));
    }

    /// Handles a recorded entry: the form of a recipe that has begun or was answered is closed.
    pub(super) fn recipe_recorded(&mut self, entry: &Entry) {
        let purpose = match entry {
            Entry::Recipe(RecipeFact::Began(start)) => FormPurpose::Begin(start.name.clone()),
            Entry::Recipe(RecipeFact::Answered { .. }) => FormPurpose::Answer,
            _ => return,
        };
        self.close_forms(|form| form.purpose == purpose);
        self.drafts.retain(|draft| draft.purpose != purpose);
        self.panes.chat.follow();
    }

    /// Closes forms that the recipe no longer asks for.
    pub(super) fn close_stale_forms(&mut self, state: &State) {
        let asked = asked(state);
        let stale = |form: &FormBox| form.purpose == FormPurpose::Answer && asked != Some(&form.form);
        self.close_forms(stale);
        self.drafts.retain(|draft| !stale(draft));
    }

    /// Asks whether to end the recipe that waits for answers.
    pub(super) fn ask_end_recipe(&mut self) {
        let lines = vec!["It waits for your answers.".to_owned()];
        let ask = Ask::new("End the recipe?", lines, 'w', "keep it waiting");
        let end = UiCommand::Send(Command::EndTurn);
        self.open(ask.or_command('e', "end it here; what it made so far stays", end));
    }

    /// The run shown in the focused pane.
    pub(super) fn run_on_screen<'s>(&self, state: &'s State) -> Option<(&'s BlockItem, &'s RunItem)> {
        match self.panes.focus {
            Pane::Code => {
                let item = state.transcript.blocks.get(&self.panes.code.subject()?)?;
                Some((item, item.runs.last()?))
            }
            _ => self.panes.output.run(state),
        }
    }

    /// Passes the failure on screen to the recipe that debugs it.
    pub(super) fn debug_failure(&mut self, ctx: Ctx<'_>) {
        let Some((item, run)) = self.run_on_screen(ctx.state) else {
            return self.inform("No run is on screen.");
        };
        if !has_failed(run) {
            return self.inform(format!("Block {} did not fail.", item.block.id));
        }
        if run.unloaded_output().is_some() {
            return self.inform(NOT_READ_MESSAGE);
        }
        let Some(mut form) = self.form_of(DEBUG) else { return };
        let code = item.block.version(run.revision).map(|version| version.source.to_string());
        form.fill("block", &item.block.id.to_string());
        form.fill("code", &code.unwrap_or_default());
        form.fill("error", &error_of(item, run));
        if let Some(at) = form.form.fields.iter().position(|field| field.name == "words") {
            form.at = at;
        }
        self.open(form);
    }
}

/// The answers with which the running recipe was started.
fn begun_with(state: &State) -> &[(String, String)] {
    WorkflowContext::of(state).map_or(&[], |course| course.start.inputs.as_slice())
}

pub(super) fn asked(state: &State) -> Option<&Form> {
    match &state.phase {
        Phase::Asking(Question::Form(form)) => Some(form.as_ref()),
        _ => None,
    }
}

pub(in crate::tui) fn has_failed(run: &RunItem) -> bool {
    let Some((_, report)) = &run.ended else { return false };
    !matches!(report.outcome, Outcome::Ok | Outcome::Refused(_) | Outcome::NotStarted(_))
}

/// What is known of a failure: the error with its traceback, else the end of the output.
fn error_of(item: &BlockItem, run: &RunItem) -> String {
    let Some((_, report)) = &run.ended else { return String::new() };
    if let Some(error) = &report.error {
        let head = format!("{}: {}", error.kind, error.message);
        let traceback = error.traceback.trim_end();
        // A traceback usually ends with its error.
        return match traceback {
            "" => head,
            text if text.ends_with(head.trim_end()) => text.to_owned(),
            text => format!("{text}\n{head}"),
        };
    }
    let decoded = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).trim_end().to_owned();
    let errors = decoded(report.output.only_stream(Stream::Stderr).in_order());
    let text = if errors.trim().is_empty() { decoded(report.output.in_order()) } else { errors };
    let printed = tail(&text, MAX_ERROR_BYTES);
    let how = report.outcome.label();
    let end = match report.receipt.exit_code {
        Some(code) => format!("block {} {how}, exit {code}", item.block.id),
        None => format!("block {} {how}", item.block.id),
    };
    if printed.is_empty() { end } else { format!("{printed}\n({end})") }
}

/// At most the last so many bytes of a text, in whole characters.
fn tail(text: &str, most: usize) -> &str {
    let from = text.ceil_char_boundary(text.len().saturating_sub(most));
    text.get(from..).unwrap_or_default()
}
