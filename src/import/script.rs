//! Reads scripts: one block, or one for each cell that a `# %%` line begins (an editor convention); `[markdown]` cells
//! are prose.

use super::ImportedParts;
use crate::domain::Language;

pub(super) fn read(text: &str, language: &Language, file: &mut ImportedParts) {
    if !text.lines().any(|line| cell_heading(line).is_some()) {
        return file.add_code(language, text, "all");
    }
    let (mut head, mut from, mut at, mut number) = (None, 0, 0, 1);
    for line in text.split_inclusive('\n') {
        if let Some(words) = cell_heading(line) {
            let body = text.get(from..at).unwrap_or_default();
            if head.is_some() || !is_preamble(body) {
                add_part(head, body, number, language, file);
                number += 1;
            }
            (head, from) = (Some(words), at + line.len());
        }
        at += line.len();
    }
    add_part(head, text.get(from..).unwrap_or_default(), number, language, file);
}

/// Whether what stands before the first heading is no cell: nothing, or only the line that names the interpreter. `#![`
/// begins an attribute of Rust.
fn is_preamble(body: &str) -> bool {
    let (first, rest) = body.split_once('\n').unwrap_or((body, ""));
    let names_interpreter = first.strip_prefix("#!").is_some_and(|name| !name.trim_start().starts_with('['));
    (names_interpreter || first.trim().is_empty()) && rest.trim().is_empty()
}

/// The text after the `# %%` of a line that begins a cell.
fn cell_heading(line: &str) -> Option<&str> {
    let rest = line.trim_end().strip_prefix(['#', '/'])?.trim_start_matches('/').trim_start();
    let words = rest.strip_prefix("%%")?;
    (words.is_empty() || words.starts_with(' ')).then(|| words.trim())
}

fn add_part(head: Option<&str>, body: &str, number: usize, language: &Language, file: &mut ImportedParts) {
    match head {
        Some(head) if head.starts_with("[markdown]") || head.starts_with("[md]") => {
            let bare =
                |line: &str| line.strip_prefix("# ").or(line.strip_prefix('#')).unwrap_or(line).to_owned();
            let lines: Vec<String> = body.lines().map(bare).collect();
            file.add_prose(&lines.join("\n"));
        }
        head => {
            file.add_prose(head.unwrap_or_default());
            file.add_code(language, body, &format!("cell {number}"));
        }
    }
}
