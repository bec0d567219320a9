//! Code inside of code, which is read in its own language.

use super::folder::entered;
use super::grammar::Grammar;
use super::value::{Act, Value};
use std::ops::Range;

/// Code that a shell, `eval` or another interpreter is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NestedCode {
    Text {
        language: Grammar,
        text: String,
        span: Range<usize>,
    },
    Words {
        words: Vec<Value>,
        span: Range<usize>,
    },
    /// Code that runs in a folder other than the one of the code around it.
    In {
        folder: Value,
        code: Box<NestedCode>,
    },
}

impl NestedCode {
    pub(super) fn text(language: Grammar, text: impl Into<String>, span: Range<usize>) -> Self {
        NestedCode::Text { language, text: text.into(), span }
    }

    /// The same code in a folder, if the code around it changed the folder.
    pub(super) fn within(self, folder: Option<Value>) -> Self {
        match folder {
            Some(folder) => NestedCode::In { folder, code: Box::new(self) },
            None => self,
        }
    }

    /// Its approximate size in bytes.
    pub(super) fn size(&self) -> usize {
        match self {
            NestedCode::Text { text, .. } => text.len(),
            NestedCode::Words { words, .. } => {
                words.iter().map(Value::weight).sum::<usize>().saturating_mul(64)
            }
            NestedCode::In { code, .. } => code.size(),
        }
    }
}

/// The folder in which code runs that an act starts: `cwd` of `subprocess.run` and its like begins at the act's own.
pub(super) fn folder_of(act: &Act) -> Option<Value> {
    let to = act.named.iter().find(|(name, _)| name == "cwd");
    to.map_or_else(|| act.folder.clone(), |(_, to)| Some(entered(act.folder.as_ref(), &to.value)))
}
