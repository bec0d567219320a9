//! Forms without a terminal: prints their questions as text and JSON, and fills them with the answers given in advance.

use super::shapes;
use crate::domain::{AnswerError, Answers, Field, FieldKind, Form, RecipeFact};
use crate::engine::transcript::Item;
use crate::engine::{State, WorkflowContext, answers};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};

/// How often the same form is answered from the command line; after that the answers evidently lead nowhere.
const MAX_ATTEMPTS: u32 = 3;

/// Answers that were given in advance.
#[derive(Clone, Debug, Default)]
pub(super) struct GivenAnswers {
    answers: Answers,
    asked: HashMap<String, u32>,
    /// The names of all fields of the forms that came, also with their form before them (`FORM.KEY`).
    fields: BTreeSet<String>,
}

impl GivenAnswers {
    pub(super) fn new(answers: Answers) -> Self {
        Self { answers, asked: HashMap::new(), fields: BTreeSet::new() }
    }

    /// The given answers that do not fit a form; a missing answer does not count. `inputs`: the inputs of the recipe.
    pub(super) fn misfits(&self, form: &Form, inputs: &[(String, String)]) -> Vec<AnswerError> {
        let answers = form.answers_for(&self.answers, inputs);
        let given = |misfit: &AnswerError| answers.iter().any(|(name, _)| *name == misfit.field);
        answers::check(form, &answers).err().into_iter().flatten().filter(given).collect()
    }

    /// The answers to a form: those given for it, and defaults for the rest. `None` if one is missing or does not fit,
    /// or if the same form comes again and again.
    pub(super) fn for_form(&mut self, form: &Form, inputs: &[(String, String)]) -> Option<Answers> {
        let names = form.fields.iter().map(|field| &field.name);
        self.fields.extend(names.flat_map(|name| [name.clone(), format!("{}.{name}", form.name)]));
        let asked = self.asked.entry(form.name.clone()).or_default();
        *asked += 1;
        if *asked > MAX_ATTEMPTS {
            None
        } else {
            answers::check(form, &form.answers_for(&self.answers, inputs)).ok()
        }
    }

    /// The names of given answers that answered nothing, as a misspelled one does; those that name a form that did not
    /// come may be for another case. `inputs`: all inputs with which recipes were begun.
    pub(super) fn unasked(&self, inputs: &[(String, String)]) -> BTreeSet<&str> {
        let may_come =
            |name: &str| name.rsplit_once('.').is_some_and(|(form, _)| !self.asked.contains_key(form));
        let given = self.answers.iter().filter(|(name, text)| !may_come(name) && !text.trim().is_empty());
        let names = given.map(|(name, _)| name.as_str());
        names
            .filter(|name| !self.fields.contains(*name) && !inputs.iter().any(|(of, _)| of == name))
            .collect()
    }
}

/// All inputs with which recipes of this session were begun.
pub(super) fn begun_inputs(state: &State) -> Answers {
    let facts = state.transcript.items.iter().filter_map(Item::fact);
    let inputs = facts.filter_map(|fact| match fact {
        RecipeFact::Began(start) => Some(start.inputs.iter().cloned()),
        _ => None,
    });
    inputs.flatten().collect()
}

/// The inputs of the current recipe.
pub(super) fn recipe_inputs(state: &State) -> &[(String, String)] {
    WorkflowContext::of(state).map_or(&[], |course| course.start.inputs.as_slice())
}

/// What to do about a waiting form.
pub(crate) fn hint(form: &Form, waiting: &str) -> String {
    let open = form.fields.iter().find(|field| field.required && field.default.is_none());
    let name = open.or(form.fields.first()).map_or("KEY", |field| field.name.as_str());
    let form = &form.name;
    format!("Answer it beforehand with --input {form}.{name}=VALUE. {waiting}")
}

/// A form as the event of `run --json`, with the given answers that do not fit.
pub(crate) fn event(form: &Form, misfits: &[AnswerError]) -> Value {
    json!({
        "event": "form",
        "form": form.name,
        "title": form.title,
        "note": form.note,
        "fields": fields(form),
        "misfits": misfits.iter().map(|m| json!({ "field": m.field, "why": m.why })).collect::<Value>(),
    })
}

pub(crate) fn fields(form: &Form) -> Value {
    form.fields.iter().map(field).collect()
}

fn field(field: &Field) -> Value {
    let (kind, more) = match &field.kind {
        FieldKind::Text { lines } => ("text", json!({ "lines": lines })),
        FieldKind::Choice(choices) => ("choice", json!({ "choices": choices })),
        FieldKind::File => ("file", json!({})),
        FieldKind::Files => ("files", json!({})),
        FieldKind::Number { min, max, whole } => {
            ("number", json!({ "min": min, "max": max, "whole": whole }))
        }
        FieldKind::Argument { annotation } => ("argument", json!({ "annotation": annotation })),
    };
    let shape = json!({
        "name": field.name,
        "label": field.label,
        "help": field.help,
        "kind": kind,
        "required": field.required,
        "default": field.default,
    });
    shapes::with(shape, more.as_object().cloned().unwrap_or_default())
}

/// A field on one line: `rounds=… (a whole number, 1 to 9; 5 where it is left out): How often?`.
pub(crate) fn field_line(field: &Field) -> String {
    let mut told = vec![kind(&field.kind)];
    match (&field.default, field.required) {
        (Some(default), _) => told.push(format!("{default} where it is left out")),
        (None, false) => told.push("may be left out".into()),
        (None, true) => {}
    }
    format!("{}=… ({}): {}", field.name, told.join("; "), field.label)
}

fn kind(kind: &FieldKind) -> String {
    match kind {
        FieldKind::Text { lines: true } => "a text".into(),
        FieldKind::Text { lines: false } => "a line".into(),
        FieldKind::Choice(choices) => format!("one of {}", choices.join(", ")),
        FieldKind::File => "a file".into(),
        FieldKind::Files => "files, with commas between".into(),
        FieldKind::Number { min, max, whole } => {
            let what = if *whole { "a whole number" } else { "a number" };
            match (min, max) {
                (Some(min), Some(max)) => format!("{what}, {min} to {max}"),
                (Some(min), None) => format!("{what} from {min}"),
                (None, Some(max)) => format!("{what} up to {max}"),
                (None, None) => what.into(),
            }
        }
        FieldKind::Argument { annotation } if annotation.is_empty() => "a value of Python".into(),
        FieldKind::Argument { annotation } => annotation.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(required: bool, default: Option<&str>) -> Field {
        Field {
            name: "n".into(),
            label: "How many?".into(),
            help: String::new(),
            kind: FieldKind::Number { min: Some(1), max: Some(9), whole: true },
            required,
            default: default.map(Into::into),
        }
    }

    #[test]
    fn what_was_given_counts_then_defaults_and_never_for_ever() {
        let form = Form { name: "f".into(), fields: vec![number(true, None)], ..Form::default() };
        assert_eq!(GivenAnswers::default().for_form(&form, &[]), None);
        let mut given = GivenAnswers::new(vec![("n".into(), "3".into()), ("other".into(), "x".into())]);
        for _ in 0..MAX_ATTEMPTS {
            assert_eq!(given.for_form(&form, &[]), Some(vec![("n".into(), "3".into())]));
        }
        assert_eq!(given.for_form(&form, &[]), None);
        let filled = Form { fields: vec![number(true, Some("5"))], ..form };
        assert_eq!(GivenAnswers::default().for_form(&filled, &[]), Some(vec![("n".into(), "5".into())]));
        let mut unfit = GivenAnswers::new(vec![("n".into(), "10".into())]);
        assert_eq!(unfit.for_form(&filled, &[]), None);
        assert_eq!(unfit.misfits(&filled, &[]), [AnswerError { field: "n".into(), why: "at most 9".into() }]);
    }

    #[test]
    fn an_answer_that_nothing_asked_for_is_told() {
        let form = Form { name: "f".into(), fields: vec![number(true, None)], ..Form::default() };
        let pair = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        let names = ["n", "fiel", "words", "f.n", "f.fiel", "g.x", "empty"];
        let all = names.map(|name| pair(name, if name == "empty" { " " } else { "3" }));
        let mut given = GivenAnswers::new(all.to_vec());
        let inputs = [pair("words", "3")];
        assert_eq!(given.unasked(&inputs).into_iter().collect::<Vec<_>>(), ["fiel", "n"]);
        given.for_form(&form, &inputs);
        assert_eq!(given.unasked(&inputs).into_iter().collect::<Vec<_>>(), ["f.fiel", "fiel"]);
    }

    #[test]
    fn an_input_of_the_recipe_answers_no_later_form() {
        let form = Form { name: "f".into(), fields: vec![number(true, None)], ..Form::default() };
        let pair = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        let inputs = [pair("n", "3")];
        assert_eq!(GivenAnswers::new(vec![pair("n", "3")]).for_form(&form, &inputs), None);
        let mut given = GivenAnswers::new(vec![pair("f.n", "4"), pair("n", "3"), pair("g.n", "5")]);
        assert_eq!(given.for_form(&form, &inputs), Some(vec![pair("n", "4")]));
        assert_eq!(given.for_form(&form, &[]), Some(vec![pair("n", "4")]));
    }

    #[test]
    fn a_field_is_told_in_words_and_as_json() {
        assert_eq!(field_line(&number(true, None)), "n=… (a whole number, 1 to 9): How many?");
        assert_eq!(
            field_line(&number(false, Some("5"))),
            "n=… (a whole number, 1 to 9; 5 where it is left out): How many?"
        );
        let form = Form { name: "f".into(), fields: vec![number(true, None)], ..Form::default() };
        let shape = event(&form, &[]);
        assert_eq!((&shape["event"], &shape["fields"][0]["kind"]), (&json!("form"), &json!("number")));
        assert_eq!((&shape["fields"][0]["min"], &shape["fields"][0]["whole"]), (&json!(1), &json!(true)));
    }
}
