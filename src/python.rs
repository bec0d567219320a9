//! Python as text: literals and annotations are read and written out here, and in no other room. Nothing is run.
//!
//! - `literal`: values as Python writes them
//! - `annotation`: what an annotation asks for
//! - `argument`: the value that an answer means to an annotation
//! - `schema`: an annotation as a JSON schema
//! - `syntax`: the tree of a text
//! - `function`: one function
//! - `effects`: what a text does when it is defined
//! - `merge`: a file with one function more
//! - `names`: what a text sets, and what it uses

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
