//! Turns files that others wrote into the blocks of a new session: Jupyter notebooks, Markdown, scripts (`sayso --from
//! FILE`).
//!
//! The counterpart of `export`. It reads nothing from disk and decides nothing: the blocks wait for the person's
//! decision.

mod magics;
mod markdown;
mod notebook;
mod script;

use crate::domain::visible::visible_line;
use crate::domain::{BlockKind, Language, Languages, PackageList};
use crate::engine::{OpenedBlock, OpenedFile};
use std::path::Path;
use std::sync::Arc;

/// The most blocks that a file may have: nobody decides about more.
const MAX_BLOCKS: usize = 1_000;

/// Why a file can't be opened as a session.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum ImportError {
    /// The file is no Jupyter notebook.
    #[error("it is no Jupyter notebook: {0}")]
    NoNotebook(String),
    /// A cell of the notebook is malformed.
    #[error("it is no Jupyter notebook: cell {0} {1}")]
    BrokenCell(usize, &'static str),
    /// The notebook has another format version than 4.
    #[error("it is a notebook of format {0}, and 4 is read here: jupyter nbconvert --to notebook makes one")]
    OldNotebook(u64),
    /// No block of the file can be run.
    #[error("no block in it is in a language that can be run")]
    NoBlocks,
    /// The file has more than `MAX_BLOCKS` blocks.
    #[error("it has {0} blocks, and {MAX_BLOCKS} at most are opened")]
    ManyBlocks(usize),
    /// The extension of the file is none that can be opened.
    #[error("a notebook (.ipynb), Markdown (.md) or a script in a language that can be run can be opened")]
    UnknownKind,
}

/// Reads the file as the start of a session.
///
/// # Errors
/// When the extension is unknown, the file is broken, or nothing in it can be run.
pub(crate) fn read(path: &Path, text: &str, languages: &Languages) -> Result<OpenedFile, ImportError> {
    // A byte order mark is no part of the first line: the fence or the cell that begins there is one.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let name = path.file_name().map(|name| visible_line(&name.to_string_lossy())).unwrap_or_default();
    let ending =
        path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let mut file = ImportedParts { name, text: String::new(), blocks: Vec::new() };
    match ending.as_str() {
        "ipynb" => notebook::read(text, languages, &mut file)?,
        "md" | "markdown" => markdown::read(text, languages, &mut file),
        _ => {
            let entry = languages.by_extension(&ending).ok_or(ImportError::UnknownKind)?;
            script::read(text, &entry.name, &mut file);
        }
    }
    match file.blocks.len() {
        0 => Err(ImportError::NoBlocks),
        1..=MAX_BLOCKS => {
            let text = format!("{}\n\n{}", file.name, file.text.trim());
            Ok(OpenedFile { name: file.name, text, blocks: file.blocks })
        }
        many => Err(ImportError::ManyBlocks(many)),
    }
}

/// What was read so far.
struct ImportedParts {
    /// The name of the file.
    name: String,
    /// The prose of the file, with marks such as `(block 1)` in place of its blocks.
    text: String,
    blocks: Vec<OpenedBlock>,
}

impl ImportedParts {
    fn add_prose(&mut self, text: &str) {
        let text = text.trim();
        if !text.is_empty() {
            self.text.push_str(text);
            self.text.push_str("\n\n");
        }
    }

    fn add_code(&mut self, language: &Language, source: &str, place: &str) {
        self.add_noted_code(language, source, place, None);
    }

    /// Adds a block of code with the note, if any, that is shown next to its place.
    fn add_noted_code(&mut self, language: &Language, source: &str, place: &str, note: Option<String>) {
        if source.trim().is_empty() {
            return;
        }
        let kind = BlockKind::Code { language: Some(language.clone()) };
        self.add_block(kind, Some(language.clone()), source.into(), place);
        if let (Some(note), Some(block)) = (note, self.blocks.last_mut()) {
            block.place.push_str("; ");
            block.place.push_str(&note);
        }
    }

    fn add_block(&mut self, kind: BlockKind, language: Option<Language>, source: Arc<str>, place: &str) {
        let place = format!("{place} of {}", self.name);
        self.blocks.push(OpenedBlock { kind, language, source, place });
        let number = self.blocks.len();
        self.add_prose(&format!("(block {number})"));
    }

    /// Adds a block that installs Python packages; anything but a plain list of names stays code.
    fn add_install(&mut self, packages: &str, source: &str, place: &str) {
        let lines: String = packages.split_whitespace().map(|name| format!("{name}\n")).collect();
        match PackageList::parse("python", &lines) {
            Ok(list) => {
                let kind = BlockKind::Install { wanted_by: None };
                self.add_block(kind, Some(Language::python()), list.text().into(), place);
            }
            Err(_) => self.add_code(&Language::python(), source, place),
        }
    }
}

#[cfg(test)]
mod tests;
