//! What the person asks: a message as it was typed, and the files that they gave with it.

use super::serial::is_false;
use serde::{Deserialize, Serialize};

/// A message of the person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    /// As it was typed.
    pub text: String,
    /// The files that it names, as they were read when it was given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<GivenFile>,
}

/// A file of the working folder that was given with a message: what the model is told of it is what stands here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenFile {
    /// Its path, as it was named.
    pub path: String,
    /// How many bytes it has on disk.
    pub bytes: u64,
    /// Its text, from its beginning; shorter than the file where that is too long. A mask is as long as what it covers.
    #[serde(default)]
    pub text: String,
    /// Whether a key in it is covered by a mask.
    #[serde(default, skip_serializing_if = "is_false")]
    pub masked: bool,
}

impl GivenFile {
    /// Whether the text is not all of the file.
    pub(crate) fn is_cut(&self) -> bool {
        (self.text.len() as u64) < self.bytes
    }
}

impl Prompt {
    /// This message behind an earlier one, with a blank line between. Of a file that both give, the later text counts.
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
