//! Forms: fields that the person fills in, beyond yes or no. `engine::answers` checks whether answers fit.
//!
//! `tui` draws forms; `headless` takes their answers from the command line.

/// Fields that belong together.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Form {
    /// The name under which its answers are recorded: `inputs`, `arguments`.
    pub name: String,
    /// Its title on screen.
    pub title: String,
    /// A sentence or two about its purpose; may be empty.
    pub note: String,
    /// Its fields, in their order.
    pub fields: Vec<Field>,
}

/// One field of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name, as in `--input NAME=VALUE`.
    pub name: String,
    /// The question to the person.
    pub label: String,
    /// A line of help; may be empty.
    pub help: String,
    /// Which answers fit.
    pub kind: FieldKind,
    /// Whether an answer is required.
    pub required: bool,
    /// The initial value, which counts if the person answers nothing else.
    pub default: Option<String>,
}

/// Which answers fit a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A text.
    Text {
        /// Whether it may have several lines.
        lines: bool,
    },
    /// One of these words.
    Choice(Vec<String>),
    /// A file: a path, relative to the working folder.
    File,
    /// Files: paths relative to the working folder, separated by commas; they need not exist.
    Files,
    /// A number between bounds.
    Number {
        /// The lower bound; `None`: unbounded.
        min: Option<i64>,
        /// The upper bound; `None`: unbounded.
        max: Option<i64>,
        /// Whether it has to be a whole number.
        whole: bool,
    },
    /// An argument of a Python function.
    Argument {
        /// The type annotation, as written; may be empty.
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

/// Answers to a form: the name and the text of each field, in the form's order.
pub type Answers = Vec<(String, String)>;

/// An answer that does not fit its field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}{}{why}", if field.is_empty() { "" } else { ": " })]
pub struct AnswerError {
    /// The name of the field; empty if the error is about no single field.
    pub field: String,
    /// Why it does not fit, and what would.
    pub why: String,
}

impl Form {
    /// Picks from answers that were given in advance those for this form: `FORM.FIELD`, or the bare name of a field if
    /// the recipe has no input of that name. So an answer to a question of the recipe never also counts as consent
    /// here.
    pub(crate) fn answers_for(&self, given: &[(String, String)], inputs: &[(String, String)]) -> Answers {
        let bare = given.iter().filter(|(name, _)| !inputs.iter().any(|(input, _)| input == name));
        let of_form = given.iter().filter_map(|(name, text)| {
            let field = name.strip_prefix(&self.name)?.strip_prefix('.')?;
            Some((field.to_owned(), text.clone()))
        });
        // Later answers override earlier ones, so those that name the form come last.
        bare.cloned().chain(of_form).collect()
    }
}
