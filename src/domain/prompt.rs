//! A message of the person: its text, and the files attached to it.

use serde::{Deserialize, Serialize};

/// A message of the person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    /// The text, as typed.
    pub text: String,
    /// The files that it names, as they were when the message was sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<AttachedFile>,
}

/// A file of the working folder that was attached to a message, as the model receives it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttachedFile {
    /// Its path, as named.
    pub path: String,
    /// Its size on disk.
    pub bytes: u64,
    /// Its text, or the beginning if the file is too long. Masks keep the length.
    #[serde(default)]
    pub text: String,
    /// Whether a key in the text is masked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub masked: bool,
}

impl AttachedFile {
    /// Whether the text is not all of the file.
    pub(crate) fn is_cut(&self) -> bool {
        (self.text.len() as u64) < self.bytes
    }
}

impl Prompt {
    /// Appends this message to an earlier one, with a blank line between. If both give the same file, the later text
    /// counts.
    #[must_use]
    pub(crate) fn behind(self, earlier: Option<Prompt>) -> Self {
        let Some(mut all) = earlier else { return self };
        all.text = format!("{}\n\n{}", all.text, self.text);
        all.files.retain(|file| self.files.iter().all(|newer| newer.path != file.path));
        all.files.extend(self.files);
        all
    }
}

impl From<String> for Prompt {
    fn from(text: String) -> Self {
        Self { text, files: Vec::new() }
    }
}

impl From<&str> for Prompt {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}
