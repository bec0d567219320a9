//! A form: what the person is asked for besides yes or no. Which fields there are, and whether an answer fits its field.
//!
//! How a form is drawn is told in `tui`; how it is answered on the command line, in `headless`.

mod annotation;
pub mod argument;
pub mod literal;

/// Fields that belong together.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Form {
    /// The name under which its answers are recorded: `inputs`, `arguments`.
    pub name: String,
    /// Its title on screen.
    pub title: String,
    /// What it is about, in a sentence or two; may be empty.
    pub note: String,
    /// Its fields, in their order.
    pub fields: Vec<Field>,
}

/// One thing that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name: `--input NAME=VALUE`.
    pub name: String,
    /// What is asked, for the person.
    pub label: String,
    /// More about it, in a line; may be empty.
    pub help: String,
    /// What fits.
    pub kind: FieldKind,
    /// Whether there has to be an answer.
    pub required: bool,
    /// What stands there at first; it counts when nothing else is answered.
    pub default: Option<String>,
}

/// What fits a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A text, of several lines where that makes sense.
    Text {
        /// Whether it may have several lines.
        lines: bool,
    },
    /// One of these.
    Choice(Vec<String>),
    /// A file: a path, relative to the working folder.
    File,
    /// A number.
    Number {
        /// At least; `None`: no bound.
        min: Option<i64>,
        /// At most; `None`: no bound.
        max: Option<i64>,
        /// Whether it has to be a whole number.
        whole: bool,
    },
    /// An argument of a function in Python.
    Argument {
        /// Its annotation, as written; may be empty.
        annotation: String,
    },
}

/// Answers to a form: name and text of each field, in the form's order.
pub type Answers = Vec<(String, String)>;

/// An answer that does not fit its field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {why}")]
pub struct Misfit {
    /// The field's name.
    pub field: String,
    /// Why, and what would fit.
    pub why: String,
}

impl Form {
    /// The answers as they count: trimmed where white space has no meaning, with defaults where nothing was answered.
    /// Answers to fields that there are not are left out.
    ///
    /// # Errors
    /// Each field that does not fit.
    pub fn check(&self, answers: &[(String, String)]) -> Result<Answers, Vec<Misfit>> {
        let (mut fine, mut misfits) = (Answers::new(), Vec::new());
        for field in &self.fields {
            let given =
                answers.iter().rev().find(|(name, _)| *name == field.name).map(|(_, text)| text.as_str());
            match field.check(given.unwrap_or_default()) {
                Ok(text) => fine.push((field.name.clone(), text)),
                Err(why) => misfits.push(Misfit { field: field.name.clone(), why }),
            }
        }
        if misfits.is_empty() { Ok(fine) } else { Err(misfits) }
    }
}

impl Form {
    /// Of answers that were given before it was asked, those that are meant for it: `FORM.FIELD`, and the bare name of a
    /// field where no input of the recipe has it. A word that answered the recipe's own question agrees to nothing later.
    pub fn meant(&self, given: &[(String, String)], inputs: &[(String, String)]) -> Answers {
        let bare = given.iter().filter(|(name, _)| !inputs.iter().any(|(input, _)| input == name));
        let of_form = given.iter().filter_map(|(name, text)| {
            let field = name.strip_prefix(&self.name)?.strip_prefix('.')?;
            Some((field.to_owned(), text.clone()))
        });
        // The newest of a name counts, so what names the form comes last.
        bare.cloned().chain(of_form).collect()
    }
}

impl Field {
    /// The answer as it counts; the default where it is blank.
    ///
    /// # Errors
    /// Why it does not fit.
    pub fn check(&self, answer: &str) -> Result<String, String> {
        let given =
            if answer.trim().is_empty() { self.default.as_deref().unwrap_or_default() } else { answer };
        if given.trim().is_empty() {
            return if self.required { Err("an answer is needed".into()) } else { Ok(String::new()) };
        }
        match &self.kind {
            FieldKind::Text { lines: true } => Ok(given.to_owned()),
            FieldKind::Text { lines: false } => Ok(given.split_whitespace().collect::<Vec<_>>().join(" ")),
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
        assert_eq!(whole.check(" 7 "), Ok("7".into()));
        assert_eq!(whole.check(""), Ok("3".into()));
        for (text, why) in
            [("0", "at least 1"), ("10", "at most 9"), ("x", "a whole number"), ("1.5", "a whole number")]
        {
            assert_eq!(whole.check(text), Err(why.into()), "{text}");
        }
        let any = field(FieldKind::Number { min: None, max: None, whole: false }, false, None);
        assert_eq!(any.check("-1.5"), Ok("-1.5".into()));
        assert_eq!(any.check("nan"), Err("a number".into()));
        assert_eq!(any.check(" "), Ok(String::new()));
        let choice = field(FieldKind::Choice(vec!["pytest".into(), "go".into()]), true, None);
        assert_eq!(choice.check("GO"), Ok("go".into()));
        assert_eq!(choice.check("x"), Err("one of pytest, go".into()));
        assert_eq!(choice.check(""), Err("an answer is needed".into()));
    }

    #[test]
    fn a_form_tells_every_misfit_and_leaves_out_what_it_does_not_know() {
        let text = field(FieldKind::Text { lines: false }, true, None);
        let file = Field { name: "f".into(), ..field(FieldKind::File, true, None) };
        let form = Form { fields: vec![text, file], ..Form::default() };
        assert_eq!(form.check(&[]).unwrap_err().len(), 2);
        let given =
            [("n", "a\n b"), ("f", " x.py "), ("other", "1")].map(|(n, t)| (n.to_owned(), t.to_owned()));
        let fine = [("n", "a b"), ("f", "x.py")].map(|(n, t)| (n.to_owned(), t.to_owned()));
        assert_eq!(form.check(&given), Ok(fine.to_vec()));
    }
}
