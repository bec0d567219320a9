//! The kinds of blocks: code, file acts, edits, and sayso's own preparations.

use super::{BlockId, Language};
use serde::{Deserialize, Serialize};

/// What a block would do.
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
    /// Change parts of files. Its first version is what the model wrote. Once the places are found, its text is the
    /// whole new text of the file, or of all the files: see [`super::file_texts`].
    Edit {
        /// The files, as the model named them, without duplicates.
        paths: Vec<String>,
    },
    /// Read a file: its text says which file and which lines. See [`super::FileAct`].
    Read,
    /// List a folder: its text says which folder and how deep. See [`super::FileAct`].
    List,
    /// Load a file of the person's own functions into the kernel: its text is the text of the file.
    Load {
        /// The file, as the person named it.
        path: String,
    },
    /// Call one of those functions: its text is the call, in Python.
    Call {
        /// The function's name in the kernel.
        function: String,
    },
    /// Install packages for a language: its text names them, one a line. See [`super::PackageList`].
    Install {
        /// The block that needs them and is asked about again afterwards.
        #[serde(skip_serializing_if = "Option::is_none")]
        wanted_by: Option<BlockId>,
    },
    /// Pull a container image: its text is the image's name. See [`super::ImageName`].
    Pull {
        /// The block that needs it and is asked about again afterwards.
        #[serde(skip_serializing_if = "Option::is_none")]
        wanted_by: Option<BlockId>,
    },
}

impl BlockKind {
    /// The name in JSON and session files.
    pub(crate) fn as_str(&self) -> &'static str {
        self.into()
    }

    /// Whether its text is code in a language.
    pub(crate) fn is_code(&self) -> bool {
        matches!(self, BlockKind::Code { .. } | BlockKind::Load { .. } | BlockKind::Call { .. })
    }

    /// Whether sayso itself carries it out on a file or folder: see [`super::FileAct`].
    pub(crate) fn acts_on_file(&self) -> bool {
        self.writes().next().is_some() || matches!(self, BlockKind::Read | BlockKind::List)
    }

    /// The files that it would write, as named.
    pub(crate) fn writes(&self) -> impl Iterator<Item = &String> {
        match self {
            BlockKind::Write { path } => std::slice::from_ref(path),
            BlockKind::Edit { paths } => paths.as_slice(),
            _ => &[],
        }
        .iter()
    }

    /// Whether only sayso itself proposes blocks of this kind.
    pub(super) fn is_own(&self) -> bool {
        matches!(self, BlockKind::Load { .. }) || self.prepares()
    }

    /// Whether it fetches what another block needs, and so runs before that block.
    pub(crate) fn prepares(&self) -> bool {
        matches!(self, BlockKind::Install { .. } | BlockKind::Pull { .. })
    }
}
