//! The person's own Python functions: the files that hold them, and the signature of each loaded function.

use serde::Deserialize;
use std::path::PathBuf;
use std::sync::Arc;

/// A file of functions, as it was read at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionFile {
    /// Its path, as the person named it.
    pub(crate) path: PathBuf,
    /// Its text: the bytes that are shown, approved and loaded.
    pub(crate) source: Arc<str>,
}

/// A public function of a loaded file, read without running any of its code.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Function {
    /// Its name; a Python identifier.
    pub name: String,
    /// `name(a: int, b: str = 'x') -> float`.
    pub signature: String,
    /// Its docstring, truncated; may be empty.
    pub doc: String,
    /// Its parameters, in their order.
    pub parameters: Vec<Parameter>,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Parameter {
    pub(crate) name: String,
    /// How an argument reaches it.
    pub kind: ParameterKind,
    /// Its annotation as text (`list[int]`); empty if there is none.
    pub(crate) annotation: String,
    /// Whether the caller has to give it.
    pub required: bool,
    /// Its default as text, if it is a plain value.
    pub default: Option<String>,
}

/// How an argument is passed to a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ParameterKind {
    /// By position only.
    Positional,
    /// By its name only.
    Named,
    /// `*args`: all further positional arguments.
    Rest,
    /// `**options`: all further named arguments.
    Options,
}
