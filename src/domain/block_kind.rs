//! Kinds of blocks.

use super::{BlockId, Language};
use serde::{Deserialize, Serialize};

/// What kind of thing a block is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(tag = "what", rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum BlockKind {
    /// Run code. `None`: the fence named no language, the person has to choose one.
    Code {
        /// The language, where it is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        language: Option<Language>,
    },
    /// Write a file: its text is the whole new content.
    Write {
        /// The file, as the model named it.
        path: String,
    },
    /// Change places of files. Its first text is what the model wrote; once the places are found, it is the whole new text
    /// of the file, or of all of them: see [`super::file_texts`].
    Edit {
        /// The files, as the model named them, each once.
        paths: Vec<String>,
    },
    /// Read a file: its text says which, and which lines. See [`super::FileAct`].
    Read,
    /// List a folder: its text says which, and how deep. See [`super::FileAct`].
    List,
    /// Load a file of the person's own functions into the kernel: its text is the file's.
    Load {
        /// The file, as the person named it.
        path: String,
    },
    /// Call one of those functions: its text is the call, in Python.
    Call {
        /// The name under which the kernel has it.
        function: String,
    },
    /// Install packages for a language: its text names them, one a line. See [`super::PackageList`].
    Install {
        /// The block that needs them and waits again afterwards.
        #[serde(skip_serializing_if = "Option::is_none")]
        wanted_by: Option<BlockId>,
    },
    /// Pull a container image: its text is the image's name. See [`super::ImageName`].
    Pull {
        /// The block that needs it and waits again afterwards.
        #[serde(skip_serializing_if = "Option::is_none")]
        wanted_by: Option<BlockId>,
    },
}

impl BlockKind {
    /// The word in JSON and session files.
    pub(crate) fn as_str(&self) -> &'static str {
        self.into()
    }

    /// Whether its text is code in a language.
    pub(crate) fn is_code(&self) -> bool {
        matches!(self, BlockKind::Code { .. } | BlockKind::Load { .. } | BlockKind::Call { .. })
    }

    /// Whether it is an act of sayso's own on a file or folder: see [`super::FileAct`].
    pub(crate) fn acts_on_file(&self) -> bool {
        self.writes().next().is_some() || matches!(self, BlockKind::Read | BlockKind::List)
    }

    /// The files that it would write, as they were named.
    pub(crate) fn writes(&self) -> impl Iterator<Item = &String> {
        match self {
            BlockKind::Write { path } => std::slice::from_ref(path),
            BlockKind::Edit { paths } => paths.as_slice(),
            _ => &[],
        }
        .iter()
    }

    /// Whether blocks of this kind are always proposed by sayso itself.
    pub(super) fn is_own(&self) -> bool {
        matches!(self, BlockKind::Load { .. }) || self.prepares()
    }

    /// Whether it fetches what another block needs: it stands in front of that block.
    pub(crate) fn prepares(&self) -> bool {
        matches!(self, BlockKind::Install { .. } | BlockKind::Pull { .. })
    }
}
