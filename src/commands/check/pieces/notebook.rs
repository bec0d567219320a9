//! Splits notebooks. All cells of the notebook's own language form one piece, because each can use what those before
//! it defined.

use super::{Columns, LinePosition, Piece, Pieces, language_named, number};
use crate::domain::Languages;
use serde_json::Value;

/// Splits a notebook into pieces.
pub(super) fn pieces(source: &str, languages: &Languages) -> Pieces {
    let mut found = Pieces::default();
    let notebook: Value = match serde_json::from_str(source.trim_start_matches('\u{feff}')) {
        Ok(notebook) => notebook,
        Err(error) => {
            found.not_pieces.push(format!("it is no notebook: {error}"));
            return found;
        }
    };
    let language = language(&notebook, languages);
    if language.is_none() {
        found.not_pieces.push("its metadata name no language that there are rules for".to_owned());
    }
    let Some(cells) = cells(&notebook) else {
        found.not_pieces.push("it is no notebook: it has no cells".to_owned());
        return found;
    };
    let mut shared = Piece { language, source: String::new(), lines: Vec::new(), in_image: false };
    for (at, cell) in cells.iter().enumerate() {
        if cell.get("cell_type").and_then(Value::as_str) != Some("code") {
            continue;
        }
        let Some(text) = text(cell) else {
            found.not_pieces.push(format!("cell {}: it has no source", number(at)));
            continue;
        };
        // A cell with a cell magic (`%%`) is a piece of its own.
        let magic = text
            .lines()
            .find(|line| !line.trim().is_empty())
            .is_some_and(|l| l.trim_start().starts_with("%%"));
        let mut alone = Piece { source: String::new(), lines: Vec::new(), ..shared.clone() };
        let piece = if magic { &mut alone } else { &mut shared };
        for (line, text) in text.lines().enumerate() {
            let stand =
                LinePosition { line: number(line), columns: Columns::Shifted(0), cell: Some(number(at)) };
            piece.push(text, stand);
        }
        if magic {
            found.pieces.push(alone);
        }
    }
    found.pieces.insert(0, shared);
    found.pieces.retain(|piece| !piece.source.trim().is_empty());
    found
}

/// The cells, also of notebooks in format 3.
fn cells(notebook: &Value) -> Option<Vec<Value>> {
    if let Some(cells) = notebook.get("cells").and_then(Value::as_array) {
        return Some(cells.clone());
    }
    let sheets = notebook.get("worksheets").and_then(Value::as_array)?;
    Some(sheets.iter().filter_map(|sheet| sheet.get("cells")?.as_array()).flatten().cloned().collect())
}

/// The text of a cell, which is one string or a list of lines.
fn text(cell: &Value) -> Option<String> {
    let source = cell.get("source").or_else(|| cell.get("input"))?;
    match source {
        Value::String(text) => Some(text.clone()),
        Value::Array(lines) => lines.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

fn language(notebook: &Value, languages: &Languages) -> Option<String> {
    let metadata = notebook.get("metadata");
    let word = |outer: &str, inner: &str| metadata?.get(outer)?.get(inner)?.as_str();
    let told = [word("language_info", "name"), word("kernelspec", "language"), word("kernelspec", "name")];
    let told: Vec<&str> = told.into_iter().flatten().collect();
    match told.first() {
        // Many generated notebooks name no language; nearly all of these are Python.
        None => Some("python".to_owned()),
        Some(_) => told.iter().find_map(|word| {
            language_named(word, languages)
                .or_else(|| language_named(word.trim_end_matches(|c: char| c.is_ascii_digit()), languages))
        }),
    }
}

/// The text of each cell, from which lines are shown.
pub(in crate::commands::check) fn texts(source: &str) -> Vec<String> {
    let notebook: Option<Value> = serde_json::from_str(source.trim_start_matches('\u{feff}')).ok();
    let cells = notebook.as_ref().and_then(cells).unwrap_or_default();
    cells.iter().map(|cell| text(cell).unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_share_what_they_name_and_keep_their_places() {
        let text = r##"{"metadata": {"kernelspec": {"name": "python3", "language": "python"}}, "cells": [
            {"cell_type": "markdown", "source": "# os.remove"},
            {"cell_type": "code", "source": ["import os as o\n", "x = 1"]},
            {"cell_type": "code", "source": "%%bash\nrm -rf ~"},
            {"cell_type": "code", "source": "o.remove('a')"}]}"##;
        let found = pieces(text, &Languages::default());
        assert!(found.not_pieces.is_empty());
        let told: Vec<_> = found.pieces.iter().map(|p| (p.source.as_str(), p.lines.len())).collect();
        assert_eq!(told, [("import os as o\nx = 1\no.remove('a')\n", 3), ("%%bash\nrm -rf ~\n", 2)]);
        let cells: Vec<_> = found.pieces[0].lines.iter().map(|l| (l.cell, l.line)).collect();
        assert_eq!(cells, [(Some(2), 1), (Some(2), 2), (Some(4), 1)]);
        assert_eq!(pieces("{", &Languages::default()).not_pieces.len(), 1);
        assert_eq!(pieces("{}", &Languages::default()).not_pieces.len(), 1);
    }
}
