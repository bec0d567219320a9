//! Why a call of a tool or of one of the person's functions proposes no block, worded for the model and the person.

use crate::domain::{BlockTextError, Dialect};

/// Why a call proposes nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CallError {
    #[error("there is no tool {name:?}; there are {there}")]
    NoTool { name: String, there: String },
    #[error("there is no tool {name:?}, and no other; {instead}")]
    NoTools { name: String, instead: &'static str },
    #[error("its arguments are no object")]
    NoObject,
    #[error("it was cut off before its arguments began")]
    CutOff,
    #[error("its arguments are no JSON: {0}")]
    NoJson(String),
    #[error("no interpreter is configured for {word:?}; there are {there}")]
    NoInterpreter { word: String, there: String },
    #[error("its argument {0:?} is no text")]
    NoText(String),
    #[error("its argument {0:?} is no number")]
    NoNumber(String),
    #[error("its argument {0:?} is missing")]
    Missing(String),
    #[error("its argument \"edits\" is no list of objects with \"search\" and \"replace\"")]
    NoEdits,
    #[error(transparent)]
    Edit(#[from] crate::edit::EditError),
    /// The block that the call asks for is missing something.
    #[error(transparent)]
    Unclear(#[from] BlockTextError),
    #[error("the arguments of {function} {why}")]
    Arguments { function: String, why: String },
    #[error("{function} needs {what}")]
    Needs { function: String, what: String },
    #[error("{rest} of {function} has to be a list")]
    NoList { function: String, rest: String },
    #[error("{function} has no parameter {name:?}")]
    NoParameter { function: String, name: String },
    #[error("{name:?} is no name that {function} could take")]
    Name { function: String, name: String },
    #[error("the call of {0} is longer than 256 KiB")]
    Long(String),
    #[error("arguments are nested deeper than 32 levels")]
    Deep,
}

impl CallError {
    /// The same for a model that was asked in this dialect: without tools it has to know how to write a block instead.
    pub(crate) fn in_dialect(self, dialect: Dialect) -> Self {
        let instead = match dialect {
            Dialect::Fences => {
                "code to be run is written in the reply: a line ```python (or another language), the code, a line ```"
            }
            Dialect::ExecuteTags => {
                "code to be run is written in the reply: a line <execute lang=\"python\"> (or another language), the \
                 code, a line </execute>"
            }
            Dialect::Tools => return self,
        };
        match self {
            CallError::NoTool { name, .. } => CallError::NoTools { name, instead },
            other => other,
        }
    }
}
