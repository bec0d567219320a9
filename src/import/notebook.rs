//! Reads Jupyter notebooks of nbformat 4: code cells become blocks, the text between them is prose. Outputs are
//! dropped: running a block shows them again. `magics` handles IPython's additions to Python.

use super::magics::{self, CellCode};
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
    cells: Vec<Value>,
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
    // A notebook that names no language is Python.
    let language = of_kernel.unwrap_or_else(Language::python);
    for (number, cell) in (1..).zip(&notebook.cells) {
        let broken = |what| ImportError::BrokenCell(number, what);
        let kind = cell.get("cell_type").and_then(Value::as_str).ok_or(broken("has no cell_type"))?;
        let text = source(cell).ok_or(broken("has a source that is no text and no list of texts"))?;
        if kind != "code" {
            file.add_prose(&text);
        } else if cell.pointer("/metadata/sayso/kind").is_some_and(|kind| kind == "setup") {
            file.add_prose(&format!(
                "(cell {number} only tells Jupyter what the cells of an export mean: it is left out)"
            ));
        } else {
            add_cell(&text, &language, languages, file, &format!("cell {number}"));
        }
    }
    Ok(())
}

/// The text of a cell, given as one text or as a list of lines; empty if the cell has none.
fn source(cell: &Value) -> Option<String> {
    match cell.get("source") {
        None => Some(String::new()),
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Array(lines)) => lines.iter().map(Value::as_str).collect(),
        Some(_) => None,
    }
}

/// Adds a code cell. Its first line, if it is an IPython magic, says what the rest is.
fn add_cell(text: &str, language: &Language, languages: &Languages, file: &mut ImportedParts, place: &str) {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let first = first.trim_end();
    if let Some(packages) = first.strip_prefix("%pip install ").filter(|_| rest.trim().is_empty()) {
        return file.add_install(&packages.replace('"', ""), text, place);
    }
    let written = first.strip_prefix("%%writefile ").and_then(magics::only_word);
    if let Some(path) = written.or_else(|| first.strip_prefix("%%sayso_write ").map(str::trim)) {
        let content =
            if rest.is_empty() || rest.ends_with('\n') { rest.to_owned() } else { format!("{rest}\n") };
        let kind = BlockKind::Write { path: path.to_owned() };
        return file.add_block(kind, None, content.into(), place);
    }
    let magic = first.strip_prefix("%%").map(|words| words.strip_prefix("script ").unwrap_or(words));
    let program = magic.and_then(|words| words.split_whitespace().next());
    match program.map(|word| word.strip_prefix("sayso_").unwrap_or(word)) {
        // No program runs what a browser shows.
        Some(word) if magics::is_shown(word) => {
            file.add_prose(&format!("({place} is {word} for a browser: no block)"));
        }
        Some(word) if let Some(entry) = languages.find(word) => file.add_code(&entry.name, rest, place),
        _ if *language == Language::python() => match magics::take_apart(text) {
            CellCode::Shell(commands) => file.add_code(&Language::bash(), &commands, place),
            CellCode::Python(source, note) => file.add_noted_code(language, &source, place, note),
        },
        _ => file.add_code(language, text, place),
    }
}
