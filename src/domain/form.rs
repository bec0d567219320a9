//! A form: what the person is asked for besides yes or no. Whether answers fit is told in `engine::answers`.
//!
//! How a form is drawn is told in `tui`; how it is answered on the command line, in `headless`.

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
    /// What kind of answer fits.
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
    /// One of these words.
    Choice(Vec<String>),
    /// A file: a path, relative to the working folder.
    File,
    /// Files: their paths with commas between, relative to the working folder; they need not be there.
    Files,
    /// A number between bounds.
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

impl FieldKind {
    /// Whether an answer is the path of a file.
    pub(crate) fn is_path(&self) -> bool {
        match self {
            Self::File | Self::Files => true,
            Self::Argument { annotation } => {
                let mut kinds = annotation.split('|').map(|kind| kind.trim().trim_start_matches("pathlib."));
                kinds.any(|kind| kind == "Path")
            }
            Self::Text { .. } | Self::Choice(_) | Self::Number { .. } => false,
        }
    }
}

/// The paths in the answer to a field of kind [`FieldKind::Files`].
pub fn paths(answer: &str) -> impl Iterator<Item = &str> {
    answer.split(',').map(str::trim).filter(|path| !path.is_empty())
}

/// Answers to a form: name and text of each field, in the form's order.
pub type Answers = Vec<(String, String)>;

/// An answer that does not fit its field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}{}{why}", if field.is_empty() { "" } else { ": " })]
pub struct AnswerError {
    /// The name of the field; empty where it is about no single one.
    pub field: String,
    /// Why, and what would fit.
    pub why: String,
}

impl Form {
    /// Of answers that were given before it was asked, those that are meant for it: `FORM.FIELD`, and the bare name of a
    /// field where no input of the recipe has it. A word that answered the recipe's own question agrees to nothing later.
    pub(crate) fn answers_for(&self, given: &[(String, String)], inputs: &[(String, String)]) -> Answers {
        let bare = given.iter().filter(|(name, _)| !inputs.iter().any(|(input, _)| input == name));
        let of_form = given.iter().filter_map(|(name, text)| {
            let field = name.strip_prefix(&self.name)?.strip_prefix('.')?;
            Some((field.to_owned(), text.clone()))
        });
        // The newest of a name counts, so what names the form comes last.
        bare.cloned().chain(of_form).collect()
    }
}
