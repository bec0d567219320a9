//! Jupyter notebooks of nbformat 4: cells of code are blocks, their text in between is told. Outputs are left behind:
//! what a block gives is found by running it.

use super::{ImportError, ImportedParts};
use crate::domain::{BlockKind, Language, Languages};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Notebook {
    nbformat: u64,
    #[serde(default)]
    metadata: Value,
    #[serde(default)]
    cells: Vec<NotebookCell>,
}

#[derive(Deserialize)]
struct NotebookCell {
    cell_type: String,
    #[serde(default)]
    source: CellSource,
}

/// A text, whole or in its lines.
#[derive(Deserialize)]
#[serde(untagged)]
enum CellSource {
    Whole(String),
    Lines(Vec<String>),
}

impl Default for CellSource {
    fn default() -> Self {
        CellSource::Whole(String::new())
    }
}

impl CellSource {
    fn text(self) -> String {
        match self {
            CellSource::Whole(text) => text,
            CellSource::Lines(lines) => lines.concat(),
        }
    }
}

pub(super) fn read(text: &str, languages: &Languages, file: &mut ImportedParts) -> Result<(), ImportError> {
    let notebook: Notebook =
        serde_json::from_str(text).map_err(|error| ImportError::NoNotebook(error.to_string()))?;
    if notebook.nbformat != 4 {
        return Err(ImportError::OldNotebook(notebook.nbformat));
    }
    let named = ["/language_info/name", "/kernelspec/language", "/kernelspec/name"];
    let named = named.iter().filter_map(|place| notebook.metadata.pointer(place)?.as_str());
    let of_kernel = named.filter_map(|word| languages.find(word)).map(|entry| entry.name.clone()).next();
    // A notebook that names no language is one of Python.
    let language = of_kernel.unwrap_or_else(Language::python);
    for (number, cell) in (1..).zip(notebook.cells) {
        let text = cell.source.text();
        if cell.cell_type == "code" {
            code(&text, &language, languages, file, &format!("cell {number}"));
        } else {
            file.said(&text);
        }
    }
    Ok(())
}

/// A cell of code; IPython's own first lines say what the rest is.
fn code(text: &str, language: &Language, languages: &Languages, file: &mut ImportedParts, place: &str) {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let first = first.trim_end();
    if let Some(packages) = first.strip_prefix("%pip install ").filter(|_| rest.trim().is_empty()) {
        return file.install(packages, text, place);
    }
    if let Some(path) =
        first.strip_prefix("%%writefile ").map(str::trim).filter(|path| !path.starts_with('-'))
    {
        let content =
            if rest.is_empty() || rest.ends_with('\n') { rest.to_owned() } else { format!("{rest}\n") };
        let kind = BlockKind::Write { path: path.to_owned() };
        return file.block(kind, None, content.into(), place);
    }
    let magic = first.strip_prefix("%%").map(|words| words.strip_prefix("script ").unwrap_or(words));
    let program = magic.and_then(|words| words.split_whitespace().next());
    match program.and_then(|word| languages.find(word)) {
        Some(entry) => file.code(&entry.name.clone(), rest, place),
        None => file.code(language, text, place),
    }
}
