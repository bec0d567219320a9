//! The variables of a kernel, as reported after a run.

use serde::{Deserialize, Serialize};

/// One variable of the kernel, as read without running the person's code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name that it has in the person's code.
    pub name: String,
    /// The name of its type.
    pub kind: String,
    /// Its size in the words of its type (`36 rows`), or empty.
    pub size: String,
    /// A short value, for built-in types only; empty if computing it would run the person's code.
    pub value: String,
    /// What the last block did to it.
    pub change: Option<VariableChange>,
}

/// What a block did to a variable, as far as it is visible: another object, another size, another short value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableChange {
    /// It did not exist before.
    Added,
    /// It is a different object or value than before.
    Changed,
    /// It was deleted, or no longer exists.
    Deleted,
}

impl VariableChange {
    /// The mark on screen.
    pub fn mark(self) -> char {
        match self {
            VariableChange::Added => '+',
            VariableChange::Changed => '~',
            VariableChange::Deleted => '-',
        }
    }
}

/// How many variables of the kernel a block added, changed and deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct VariableChanges {
    /// How many did not exist before.
    pub added: u32,
    /// How many are another object, or have another value, than before.
    pub changed: u32,
    /// How many no longer exist.
    pub deleted: u32,
}
