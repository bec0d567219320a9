//! The person's own functions: the files that hold them, and what is known of each function once it is loaded.

use std::path::PathBuf;
use std::sync::Arc;

/// A file of functions, as it was read at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionFile {
    /// Where it lies, as the person named it.
    pub(crate) path: PathBuf,
    /// Its text: the bytes that are shown, approved and loaded.
    pub(crate) source: Arc<str>,
}

/// A public function of a file that was loaded, as it was read without running anything of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name; a Python identifier.
    pub name: String,
    /// `name(a: int, b: str = 'x') -> float`.
    pub signature: String,
    /// Its docstring, bounded; may be empty.
    pub doc: String,
    /// Its parameters, in their order.
    pub parameters: Vec<Parameter>,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name that stands in the signature.
    pub(crate) name: String,
    /// How an argument reaches it.
    pub kind: ParameterKind,
    /// Its annotation as text, `list[int]`; empty where there is none.
    pub(crate) annotation: String,
    /// Whether it has to be given.
    pub required: bool,
    /// Its default as text, where that is a plain value.
    pub default: Option<String>,
}

/// How an argument reaches a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// By its place only.
    Positional,
    /// By its name only.
    Named,
    /// `*args`: all further ones by place.
    Rest,
    /// `**options`: all further ones by name.
    Options,
}
