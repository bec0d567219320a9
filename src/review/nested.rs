//! Code inside of code, which is read in its own language.

use super::rules::InnerLanguage;
use super::value::Value;
use std::ops::Range;

/// Code that a shell, `eval` or another interpreter is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NestedCode {
    Text { language: InnerLanguage, text: String, span: Range<usize> },
    Words { words: Vec<Value>, span: Range<usize> },
}

impl NestedCode {
    /// Its approximate size in bytes.
    pub(super) fn size(&self) -> usize {
        match self {
            NestedCode::Text { text, .. } => text.len(),
            NestedCode::Words { words, .. } => {
                words.iter().map(Value::weight).sum::<usize>().saturating_mul(64)
            }
        }
    }
}
