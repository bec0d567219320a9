//! Whether answers fit the form that asked for them.

use crate::domain::{AnswerError, Answers, Field, FieldKind, Form};
use crate::python::argument;
use crate::text::line::one_line;

/// The answers as they count: trimmed where white space has no meaning, with defaults where nothing was answered. Answers
/// to fields that there are not are left out.
///
/// # Errors
/// Each field that does not fit.
pub(crate) fn check(form: &Form, answers: &[(String, String)]) -> Result<Answers, Vec<AnswerError>> {
    let (mut fine, mut misfits) = (Answers::new(), Vec::new());
    for field in &form.fields {
        let given = answers.iter().rev().find(|(name, _)| *name == field.name).map(|(_, text)| text.as_str());
        match check_field(field, given.unwrap_or_default()) {
            Ok(text) => fine.push((field.name.clone(), text)),
            Err(why) => misfits.push(AnswerError { field: field.name.clone(), why }),
        }
    }
    if misfits.is_empty() { Ok(fine) } else { Err(misfits) }
}

/// The answer as it counts; the default where it is blank.
///
/// # Errors
/// Why it does not fit.
pub(crate) fn check_field(field: &Field, answer: &str) -> Result<String, String> {
    let given = if answer.trim().is_empty() { field.default.as_deref().unwrap_or_default() } else { answer };
    if given.trim().is_empty() {
        return if field.required { Err("an answer is needed".into()) } else { Ok(String::new()) };
    }
    match &field.kind {
        FieldKind::Text { lines: true } => Ok(given.to_owned()),
        FieldKind::Text { lines: false } => Ok(one_line(given)),
        FieldKind::File => Ok(given.trim().to_owned()),
        FieldKind::Argument { annotation } => {
            argument::value(annotation, given).map(|_| given.trim().to_owned())
        }
        FieldKind::Choice(choices) => choices
            .iter()
            .find(|choice| choice.eq_ignore_ascii_case(given.trim()))
            .cloned()
            .ok_or_else(|| format!("one of {}", choices.join(", "))),
        FieldKind::Number { min, max, whole } => number(given.trim(), *min, *max, *whole),
    }
}

fn number(text: &str, min: Option<i64>, max: Option<i64>, whole: bool) -> Result<String, String> {
    let value: f64 = match (whole, text.parse::<i64>(), text.parse::<f64>()) {
        (true, Err(_), _) => return Err("a whole number".into()),
        (false, _, Err(_)) => return Err("a number".into()),
        (false, _, Ok(value)) if !value.is_finite() => return Err("a number".into()),
        (_, Ok(value), _) => value as f64,
        (_, _, Ok(value)) => value,
    };
    match (min, max) {
        (Some(min), _) if value < min as f64 => Err(format!("at least {min}")),
        (_, Some(max)) if value > max as f64 => Err(format!("at most {max}")),
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
            assert_eq!(check_field(&whole, text), Err(why.into()), "{text}");
        }
        let any = field(FieldKind::Number { min: None, max: None, whole: false }, false, None);
        assert_eq!(check_field(&any, "-1.5"), Ok("-1.5".into()));
        assert_eq!(check_field(&any, "nan"), Err("a number".into()));
        assert_eq!(check_field(&any, " "), Ok(String::new()));
        let choice = field(FieldKind::Choice(vec!["pytest".into(), "go".into()]), true, None);
        assert_eq!(check_field(&choice, "GO"), Ok("go".into()));
        assert_eq!(check_field(&choice, "x"), Err("one of pytest, go".into()));
        assert_eq!(check_field(&choice, ""), Err("an answer is needed".into()));
    }

    #[test]
    fn a_form_tells_every_misfit_and_leaves_out_what_it_does_not_know() {
        let text = field(FieldKind::Text { lines: false }, true, None);
        let file = Field { name: "f".into(), ..field(FieldKind::File, true, None) };
        let form = Form { fields: vec![text, file], ..Form::default() };
        assert_eq!(check(&form, &[]).unwrap_err().len(), 2);
        let given =
            [("n", "a\n b"), ("f", " x.py "), ("other", "1")].map(|(n, t)| (n.to_owned(), t.to_owned()));
        let fine = [("n", "a b"), ("f", "x.py")].map(|(n, t)| (n.to_owned(), t.to_owned()));
        assert_eq!(check(&form, &given), Ok(fine.to_vec()));
    }
}
