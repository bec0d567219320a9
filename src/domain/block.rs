//! A block: one action that the model proposes, with all versions of its text.

use super::word::words;
use super::{
    BlockId, BlockKind, BlockTextError, FileAct, ImageName, Language, OnDisk, PackageList, Revision, StepId,
    file_texts::{self, FilePart},
};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// How a model hands over code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Dialect {
    /// Fenced blocks of CommonMark whose language can be run.
    #[default]
    Fences,
    /// `<execute>…</execute>`, Python unless `lang=` says otherwise.
    ExecuteTags,
    /// Calls of tools: `run_code`, `read_file`, `edit_file`, `write_file`, `list_files`.
    Tools,
}

words!(Dialect);

/// Where in the reply a block came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The dialect it was written in.
    #[serde(deserialize_with = "super::serial::word_or_default")]
    pub(crate) dialect: Dialect,
    /// The info string of the fence or the attributes of the tag, as written.
    #[serde(default)]
    pub(crate) info: String,
    /// The bytes of the whole block (fences included) in the text of its reply.
    #[serde(flatten)]
    pub(crate) range: Range<usize>,
    /// Whether the parser saw its end. A block without an end is incomplete and can't be approved until it is edited.
    #[serde(default)]
    pub(crate) closed: bool,
    /// Whether it counts as one without an end because a fence inside of a fence tore the text that it is in: it may be
    /// cut off, or an example in a longer text. The note says which.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) torn: bool,
    /// The id of the tool call that it came from; unique within its reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) call: Option<String>,
    /// What the parser changed while reading it, in one line: `prompts ">>> " taken off lines 1 to 4`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
    /// Whether sayso itself proposed it, outside of any reply; `note` then says why.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) own: bool,
    /// Whether the person brought it, as a typed command or in a file that they opened. No model proposed it, and
    /// bringing it decides nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) typed: bool,
}

impl Origin {
    /// The origin of a fenced block with this info string, at these bytes of its reply.
    pub fn fence(info: &str, range: Range<usize>) -> Self {
        Self { info: info.into(), range, closed: true, ..Self::default() }
    }

    /// The origin of a block that sayso proposes itself; `note` says why.
    pub(crate) fn own(note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), own: true, ..Self::fence("", 0..0) }
    }
}

/// Whether a version of a block can be approved, apart from what the review and the policy say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readiness {
    /// Nothing in the version prevents it.
    Ready,
    /// It has no language yet: the person has to choose one.
    NeedsLanguage,
    /// The end of its text never arrived: the person has to edit it first.
    Incomplete,
    /// It holds nothing but white space.
    Empty,
    /// Its text does not say which file or folder is meant.
    Unclear,
}

/// One version of a block's text: the exact bytes that would run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// Which version this is; 1 is the model's.
    pub revision: Revision,
    /// The language that the text would run in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// Whether the text is known to be complete. An edit by the person makes it complete, unless it only takes back
    /// the text of the model.
    #[serde(default)]
    pub whole: bool,
    /// The text; its UTF-8 bytes are what is shown, approved and run.
    #[serde(with = "super::serial::shared")]
    pub source: Arc<str>,
}

/// The result of finding the places of an edit in its files: the new version, and the files that it was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditPlacement {
    pub(crate) revision: Revision,
    /// The state of each of its files at that time, in their order.
    pub(crate) bases: Vec<OnDisk>,
    /// How the places were found where the files don't match the edit literally; one line.
    pub(crate) note: String,
}

/// One action that the model proposes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Its number on the screen.
    #[serde(rename = "block")]
    pub id: BlockId,
    /// The step whose reply proposed it.
    pub step: StepId,
    /// What it would do, as the model wrote it.
    #[serde(flatten)]
    pub kind: BlockKind,
    /// Where it came from.
    #[serde(flatten)]
    pub origin: Origin,
    /// All versions, oldest first; never empty.
    #[serde(deserialize_with = "at_least_one")]
    pub versions: Vec<Version>,
    /// Of an edit: each time that its places were found, oldest first. Rebuilt from `Entry::Placed`.
    #[serde(skip)]
    pub placed: Vec<EditPlacement>,
}

fn at_least_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Version>, D::Error> {
    let versions = Vec::deserialize(deserializer)?;
    let whole = !versions.is_empty();
    whole.then_some(versions).ok_or_else(|| D::Error::custom("a block has a version"))
}

impl Block {
    /// The newest version, which is the one to decide about.
    pub fn current(&self) -> &Version {
        // Unreachable: a block starts with a version, and versions are only added.
        static EMPTY: std::sync::LazyLock<Version> = std::sync::LazyLock::new(|| Version {
            revision: Revision(0),
            source: Arc::from(""),
            language: None,
            whole: false,
        });
        self.versions.last().unwrap_or(&EMPTY)
    }

    /// The version with this number.
    pub(crate) fn version(&self, revision: Revision) -> Option<&Version> {
        self.versions.iter().find(|v| v.revision == revision)
    }

    /// What the model wrote; of an edit, the new text of its files that came of it.
    pub(crate) fn original(&self) -> &Version {
        let placed = self.placed.last().and_then(|placed| self.version(placed.revision));
        placed.or(self.versions.first()).unwrap_or_else(|| self.current())
    }

    /// Whether it is an edit whose places in its files have not been found yet.
    pub(crate) fn is_unplaced(&self) -> bool {
        matches!(self.kind, BlockKind::Edit { .. }) && self.placed.is_empty()
    }

    /// Whether sayso itself proposed it, outside of any reply.
    pub(crate) fn is_own(&self) -> bool {
        self.origin.own || self.kind.is_own()
    }

    /// What the parser changed while reading it, and how the places of an edit were found; one line.
    pub(crate) fn how_read(&self) -> Option<String> {
        let placed = self.placed.last().map(|placed| placed.note.as_str()).filter(|note| !note.is_empty());
        let notes: Vec<&str> = self.origin.note.as_deref().into_iter().chain(placed).collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }

    /// The files in its text. This parses the whole text: call it once for several lines.
    pub(crate) fn files(&self) -> Vec<FilePart> {
        file_texts::parts_of(&self.kind, &self.current().source)
    }

    /// Whether the person changed the text.
    pub(crate) fn is_edited(&self) -> bool {
        self.current().source != self.original().source
    }

    /// Whether the newest version can be approved, apart from what the review and the policy say.
    pub(crate) fn readiness(&self) -> Readiness {
        let version = self.current();
        if !self.kind.is_code() {
            return match self.unclear(version) {
                // An edit is complete once its places are found, which happens before anyone is asked.
                _ if self.is_unplaced() => Readiness::Ready,
                _ if !version.whole => Readiness::Incomplete,
                None => Readiness::Ready,
                Some(_) => Readiness::Unclear,
            };
        }
        if version.source.trim().is_empty() {
            Readiness::Empty
        } else if !version.whole {
            Readiness::Incomplete
        } else if version.language.is_none() {
            Readiness::NeedsLanguage
        } else {
            Readiness::Ready
        }
    }

    /// A short description: `python`, `no language`, `write notes/plan.md`. The path is text of the model.
    pub(crate) fn label(&self) -> String {
        match &self.kind {
            BlockKind::Code { .. } => {
                self.current().language.as_ref().map_or("no language", Language::as_str).to_owned()
            }
            BlockKind::Pull { .. } => format!("pull {}", self.current().source.trim_end()),
            BlockKind::Edit { paths } => format!("edit {}", paths.join(", ")),
            kind => match self.path() {
                Some(path) => format!("{} {path}", kind.as_str()),
                None => kind.as_str().to_owned(),
            },
        }
    }

    /// What a version of it would do with a file or folder.
    ///
    /// # Errors
    /// When it is code, or its text does not say what to do.
    pub(crate) fn file_act(&self, version: &Version) -> Result<FileAct, BlockTextError> {
        let first = self.placed.first().map(|placed| placed.revision);
        if matches!(self.kind, BlockKind::Edit { .. }) && first.is_none_or(|first| version.revision < first) {
            return Err(BlockTextError::NotPlaced);
        }
        FileAct::parse(&self.kind, &version.source)
    }

    /// Why the text of a version does not say what to do; `None` if it does, and for code.
    pub(crate) fn unclear(&self, version: &Version) -> Option<BlockTextError> {
        match &self.kind {
            kind if kind.is_code() => None,
            BlockKind::Install { .. } => {
                let language = version.language.as_ref().map_or("python", Language::as_str);
                PackageList::parse(language, &version.source).err()
            }
            BlockKind::Pull { .. } => ImageName::parse(&version.source).err(),
            _ => self.file_act(version).err(),
        }
    }

    /// The text that a version would write to the file of this name; `None` if it does not write that file.
    pub(crate) fn text_for<'a>(&self, version: &'a Version, path: &str) -> Option<&'a str> {
        let at = self.kind.writes().position(|known| known == path)?;
        match &self.kind {
            BlockKind::Edit { paths } => {
                self.file_act(version).ok()?;
                super::file_texts::split(paths, &version.source).ok()?.get(at).copied()
            }
            _ => Some(&version.source),
        }
    }

    /// The file or folder that it acts on, as named (the first of several); `None` for code, and for an edit that names
    /// no file.
    pub(crate) fn path(&self) -> Option<String> {
        if let BlockKind::Edit { paths } = &self.kind {
            return paths.first().filter(|path| !path.is_empty()).cloned();
        }
        self.file_act(self.current()).ok().map(|act| act.path().to_owned())
    }
}
