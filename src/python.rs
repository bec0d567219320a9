//! Parses and writes Python source as text: literals, annotations and functions. No other room does, and nothing is
//! run.
//!
//! - `literal`: values as Python writes them
//! - `annotation`: which values an annotation accepts
//! - `argument`: turns the person's answer into a value of the annotated type
//! - `schema`: an annotation as a JSON schema
//! - `syntax`: the syntax tree of a source text
//! - `function`: reads one function
//! - `effects`: what a source text does when it is defined
//! - `merge`: adds a function to a file
//! - `names`: the names a source text sets and uses

pub(crate) mod annotation;
pub(crate) mod argument;
mod effects;
pub(crate) mod function;
pub(crate) mod literal;
pub(crate) mod merge;
pub(crate) mod names;
pub(crate) mod schema;
mod syntax;

pub(crate) use literal::Literal;
