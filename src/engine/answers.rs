//! Checks answers against the form that asked for them.

use crate::domain::{AnswerError, Answers, Field, FieldKind, Form, paths};
use crate::python::argument::{self, ArgumentError};
use crate::text::line::one_line;

/// Why an answer does not fit, and which would.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MisfitError {
    #[error("an answer is needed")]
    Needed,
    /// The field is optional, but the call of the function can't leave it out here.
    #[error("an answer is needed where {0}")]
    NeededWhere(&'static str),
    #[error("one of {0}")]
    Choice(String),
    #[error("a whole number")]
    Whole,
    #[error("a number")]
    Number,
    #[error("at least {0}")]
    Least(i64),
    #[error("at most {0}")]
    Most(i64),
    #[error(transparent)]
    Argument(#[from] ArgumentError),
}

impl MisfitError {
    /// The same error with the name of its field.
    pub(crate) fn of(&self, field: &str) -> AnswerError {
        AnswerError { field: field.to_owned(), why: self.to_string() }
    }
}

/// The answers to use: trimmed where white space has no meaning, with defaults where nothing was answered. Answers to
/// fields that the form does not have are dropped.
///
/// # Errors
/// Each field that does not fit.
pub(crate) fn check(form: &Form, answers: &[(String, String)]) -> Result<Answers, Vec<AnswerError>> {
    let (mut fine, mut misfits) = (Answers::new(), Vec::new());
    for field in &form.fields {
        let given = answers.iter().rev().find(|(name, _)| *name == field.name).map(|(_, text)| text.as_str());
        match check_field(field, given.unwrap_or_default()) {
            Ok(text) => fine.push((field.name.clone(), text)),
            Err(why) => misfits.push(why.of(&field.name)),
        }
    }
    if misfits.is_empty() { Ok(fine) } else { Err(misfits) }
}

/// The answer to use; the default where it is blank.
///
/// # Errors
/// Why it does not fit.
pub(crate) fn check_field(field: &Field, answer: &str) -> Result<String, MisfitError> {
    let given = if answer.trim().is_empty() { field.default.as_deref().unwrap_or_default() } else { answer };
    if given.trim().is_empty() {
        return if field.required { Err(MisfitError::Needed) } else { Ok(String::new()) };
    }
    match &field.kind {
        FieldKind::Text { lines: true } => Ok(given.to_owned()),
        FieldKind::Text { lines: false } => Ok(one_line(given)),
        FieldKind::File => Ok(given.trim().to_owned()),
        FieldKind::Files => Ok(paths(given).collect::<Vec<_>>().join(", ")),
        FieldKind::Argument { annotation } => {
            Ok(argument::value(annotation, given).map(|_| given.trim().to_owned())?)
        }
        FieldKind::Choice(choices) => choices
            .iter()
            .find(|choice| choice.eq_ignore_ascii_case(given.trim()))
            .cloned()
            .ok_or_else(|| MisfitError::Choice(choices.join(", "))),
        FieldKind::Number { min, max, whole } => number(given.trim(), *min, *max, *whole),
    }
}

fn number(text: &str, min: Option<i64>, max: Option<i64>, whole: bool) -> Result<String, MisfitError> {
    let value = if whole {
        text.parse::<i64>().map_err(|_| MisfitError::Whole)? as f64
    } else {
        text.parse::<f64>().ok().filter(|value| value.is_finite()).ok_or(MisfitError::Number)?
    };
    match (min, max) {
        (Some(min), _) if value < min as f64 => Err(MisfitError::Least(min)),
        (_, Some(max)) if value > max as f64 => Err(MisfitError::Most(max)),
        _ => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(kind: FieldKind, required: bool, default: Option<&str>) -> Field {
        let default = default.map(str::to_owned);
        Field { name: "n".into(), label: "N".into(), help: String::new(), kind, required, default }
    }

    #[test]
    fn answers_have_to_fit() {
        let whole = field(FieldKind::Number { min: Some(1), max: Some(9), whole: true }, true, Some("3"));
        assert_eq!(check_field(&whole, " 7 "), Ok("7".into()));
        assert_eq!(check_field(&whole, ""), Ok("3".into()));
        for (text, why) in
            [("0", "at least 1"), ("10", "at most 9"), ("x", "a whole number"), ("1.5", "a whole number")]
        {
            assert_eq!(check_field(&whole, text).map_err(|e| e.to_string()), Err(why.into()), "{text}");
        }
        let any = field(FieldKind::Number { min: None, max: None, whole: false }, false, None);
        assert_eq!(check_field(&any, "-1.5"), Ok("-1.5".into()));
        assert_eq!(check_field(&any, "nan"), Err(MisfitError::Number));
        assert_eq!(check_field(&any, " "), Ok(String::new()));
        let choice = field(FieldKind::Choice(vec!["pytest".into(), "go".into()]), true, None);
        assert_eq!(check_field(&choice, "GO"), Ok("go".into()));
        assert_eq!(check_field(&choice, "x"), Err(MisfitError::Choice("pytest, go".into())));
        assert_eq!(check_field(&choice, ""), Err(MisfitError::Needed));
    }

    #[test]
    fn a_form_tells_every_misfit_and_leaves_out_what_it_does_not_know() {
        let text = field(FieldKind::Text { lines: false }, true, None);
        let files = field(FieldKind::Files, false, None);
        assert_eq!(check_field(&files, " a.py ,, b c.py, "), Ok("a.py, b c.py".into()));
        let file = Field { name: "f".into(), ..field(FieldKind::File, true, None) };
        let form = Form { fields: vec![text, file], ..Form::default() };
        assert_eq!(check(&form, &[]).unwrap_err().len(), 2);
        let given =
            [("n", "a\n b"), ("f", " x.py "), ("other", "1")].map(|(n, t)| (n.to_owned(), t.to_owned()));
        let fine = [("n", "a b"), ("f", "x.py")].map(|(n, t)| (n.to_owned(), t.to_owned()));
        assert_eq!(check(&form, &given), Ok(fine.to_vec()));
    }
}
