//! The exported form of a session, common to all formats: in order, what was asked and said, and each block with its
//! decision and the result of its last run.

use super::error::PictureError;
use crate::domain::mask::MaskPen;
use crate::domain::{Maskable, Masker, Stream, Timestamp};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A session as it is exported.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Document {
    /// The name of the session, or its id where it has none.
    pub(crate) title: String,
    pub(crate) session: String,
    pub(crate) created: Option<Timestamp>,
    /// The models that answered, in order.
    pub(crate) models: Vec<String>,
    /// What was said and done, in order.
    pub(crate) parts: Vec<DocumentPart>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum DocumentPart {
    /// A prompt of the person, and the names of the files attached to it.
    Asked {
        at: Timestamp,
        text: String,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        files: Vec<String>,
    },
    /// The prose of a reply, as Markdown, without its blocks.
    Said {
        text: String,
    },
    /// Another event, as one line that sayso writes.
    Note {
        text: String,
    },
    Block(Box<BlockPart>),
}

/// A block, its decision and its last run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct BlockPart {
    pub(crate) block: u32,
    /// What the block is, in a few words: `python`, `edit notes.md`.
    pub(crate) label: String,
    /// The kind of the block, as session files name it.
    #[serde(rename = "what")]
    pub(crate) kind: String,
    /// The language of the text, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) language: Option<String>,
    /// The text that ran last; the newest text where the block did not run.
    pub(crate) source: String,
    /// Whether the text is complete: saving the session masked no key in it.
    #[serde(rename = "whole")]
    pub(crate) unmasked: bool,
    /// The files that the block writes, with the text of each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) writes: Vec<(String, String)>,
    /// Whether the person changed the text.
    pub(crate) edited: bool,
    /// Whether sayso itself proposed the block, not the model.
    pub(crate) own: bool,
    /// The decision about the block, in a few words.
    pub(crate) decided: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) run: Option<RunPart>,
}

impl BlockPart {
    pub(super) fn ended_well(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.outcome == "ok")
    }

    /// The language of the text, if the text is code.
    pub(super) fn code_language(&self) -> Option<&str> {
        let is_code = matches!(self.kind.as_str(), "code" | "load" | "call");
        self.language.as_deref().filter(|_| is_code)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct RunPart {
    pub(crate) approved: Option<Timestamp>,
    /// Who approved it, as session files name it.
    pub(crate) by: String,
    /// The hash of the bytes that ran, in hex.
    pub(crate) sha256: String,
    /// The version of the interpreter, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<String>,
    /// Whether a Jupyter kernel ran it, which may take lines as commands that are no code of the language.
    #[serde(skip)]
    pub(crate) in_jupyter: bool,
    /// The outcome of the run; `lost` where no end of it was recorded.
    pub(crate) outcome: String,
    /// How it ended, in words.
    pub(crate) ended: String,
    /// Wall-clock time in milliseconds.
    pub(crate) wall_ms: u64,
    /// The output in order.
    pub(crate) printed: Vec<StreamText>,
    /// Bytes of output that were not kept.
    #[serde(rename = "left_out")]
    pub(crate) dropped_bytes: u64,
    /// Why output may be missing, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) missing: Option<String>,
    /// The value of its last expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<String>,
    /// The exception that ended the run: type, message, traceback.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<(String, String, String)>,
    /// Pictures that the run showed or wrote.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) pictures: Vec<Picture>,
    /// Files that the run changed, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) files: Vec<String>,
    /// Which of these changes were taken back afterwards, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) taken_back: Option<String>,
}

impl RunPart {
    /// All of its output, without the streams.
    pub(super) fn printed_text(&self) -> String {
        self.printed.iter().map(|printed| printed.text.as_str()).collect()
    }

    /// The exception that ended it: its traceback, or without one its type and message.
    pub(super) fn error_text(&self) -> Option<String> {
        let (kind, message, traceback) = self.error.as_ref()?;
        Some(if traceback.is_empty() { format!("{kind}: {message}") } else { traceback.clone() })
    }
}

/// A piece of the output, all on one stream.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct StreamText {
    pub(crate) stream: Stream,
    pub(crate) text: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Picture {
    pub(crate) name: String,
    /// `image/png`.
    pub(crate) mime: String,
    /// Width in pixels; 0 if not known.
    pub(crate) width: u32,
    /// Height in pixels; 0 if not known.
    pub(crate) height: u32,
    /// Whether the run wrote it as a file, rather than showing it.
    pub(crate) written: bool,
    /// The file in the session's folder that holds the bytes.
    #[serde(skip)]
    pub(crate) path: std::path::PathBuf,
    /// The bytes, or why they are missing.
    #[serde(serialize_with = "base64_or_why")]
    pub(crate) data: Result<Arc<[u8]>, PictureError>,
}

impl Picture {
    /// The bytes in base64, if there are any.
    pub(super) fn base64(&self) -> Option<String> {
        self.data.as_ref().ok().map(|bytes| STANDARD.encode(bytes))
    }

    /// Why the bytes are missing.
    pub(super) fn missing(&self) -> Option<String> {
        self.data.as_ref().err().map(PictureError::to_string)
    }
}

fn base64_or_why<S: Serializer>(
    data: &Result<Arc<[u8]>, PictureError>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match data {
        Ok(bytes) => serializer.serialize_some(&STANDARD.encode(bytes)),
        Err(_) => serializer.serialize_none(),
    }
}

/// A key that was found in the document. Its value is kept nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Secret {
    /// Where it was found: `block 3's output`.
    pub(crate) place: String,
    /// What kind of key it is: `a GitHub token`.
    pub(crate) kind: &'static str,
    /// How often it occurs there.
    pub(crate) count: usize,
}

impl Document {
    /// A file name for the document, without the extension.
    pub(crate) fn file_stem(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
        let stem: String = self.title.chars().map(plain).take(60).collect();
        if stem.is_empty() { "session".to_owned() } else { stem }
    }

    /// All pictures, so that the caller can read their bytes.
    pub(crate) fn pictures_mut(&mut self) -> impl Iterator<Item = &mut Picture> {
        self.parts
            .iter_mut()
            .filter_map(|part| match part {
                DocumentPart::Block(block) => block.run.as_mut(),
                _ => None,
            })
            .flat_map(|run| &mut run.pictures)
    }

    pub(super) fn blocks(&self) -> impl Iterator<Item = &BlockPart> {
        self.parts.iter().filter_map(|part| match part {
            DocumentPart::Block(block) => Some(&**block),
            _ => None,
        })
    }

    /// The keys in the document, counted per place.
    pub(crate) fn secrets(&mut self, masker: &Masker) -> Vec<Secret> {
        let mut found: BTreeMap<(usize, &'static str), Secret> = BTreeMap::new();
        let mut at = 0;
        self.each_text(&mut |place, text| {
            at += 1;
            for span in masker.find(text) {
                let place = place.to_owned();
                let secret = Secret { place, kind: span.kind, count: 0 };
                found.entry((at, span.kind)).or_insert(secret).count += 1;
            }
        });
        let mut told: Vec<Secret> = Vec::new();
        for secret in found.into_values() {
            match told.iter_mut().find(|known| (&known.place, known.kind) == (&secret.place, secret.kind)) {
                Some(known) => known.count += secret.count,
                None => told.push(secret),
            }
        }
        told
    }

    /// Calls `see` with every text of the document and with its place in words.
    fn each_text(&mut self, see: &mut dyn FnMut(&str, &mut String)) {
        see("the name", &mut self.title);
        let (mut asked, mut said) = (0, 0);
        for part in &mut self.parts {
            match part {
                DocumentPart::Asked { text, files, .. } => {
                    asked += 1;
                    let place = format!("message {asked}");
                    see(&place, text);
                    for file in files {
                        see(&place, file);
                    }
                }
                DocumentPart::Said { text } => {
                    said += 1;
                    see(&format!("the model's words, {said}"), text);
                }
                DocumentPart::Note { text } => see("a note", text),
                DocumentPart::Block(block) => block.each_text(see),
            }
        }
    }
}

impl BlockPart {
    fn each_text(&mut self, see: &mut dyn FnMut(&str, &mut String)) {
        let code = format!("block {}'s code", self.block);
        see(&code, &mut self.label);
        see(&code, &mut self.source);
        see(&code, &mut self.decided);
        for (path, text) in &mut self.writes {
            see(&code, path);
            see(&code, text);
        }
        let Some(run) = &mut self.run else { return };
        let output = format!("block {}'s output", self.block);
        see(&output, &mut run.ended);
        run.printed.iter_mut().for_each(|printed| see(&output, &mut printed.text));
        run.value.iter_mut().for_each(|value| see(&output, value));
        if let Some((kind, message, traceback)) = &mut run.error {
            for text in [kind, message, traceback] {
                see(&output, text);
            }
        }
        run.pictures.iter_mut().for_each(|picture| see(&output, &mut picture.name));
        run.files.iter_mut().for_each(|file| see(&output, file));
    }
}

impl Maskable for Document {
    fn mask_with(&mut self, pen: &mut MaskPen) {
        self.each_text(&mut |_, text| pen.text(text));
    }
}
