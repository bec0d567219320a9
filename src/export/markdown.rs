//! Writes the document as Markdown. Pictures are named, not shown: a text file can't hold them. `harmless` makes
//! the text of others harmless.

mod harmless;

use super::clean_output::{display_time, plain};
use super::document::{BlockPart, Document, DocumentPart, Picture, RunPart};
use crate::domain::sentences::saving;
use crate::domain::visible::{visible, visible_line};
use crate::text::fence::fenced;
pub(super) use harmless::{as_code, inert, is_live};
use std::fmt::Write as _;

pub(super) fn write(document: &Document) -> String {
    let text = write_with(document, inert);
    // Each part does nothing by itself. If parts did something together, all of them would be shown as code.
    if is_live(&text) { write_with(document, as_code) } else { text }
}

/// Writes the document; `prose` makes the words of the person and of the model harmless.
fn write_with(document: &Document, prose: fn(&str) -> String) -> String {
    let mut text = format!("# {}\n", inline(&document.title));
    text.push_str(&about_line(document));
    for part in &document.parts {
        match part {
            DocumentPart::Asked { at, text: asked, files } => {
                let _ = write!(text, "\n## You, {}\n\n{}\n", display_time(*at), prose(asked.trim()));
                if !files.is_empty() {
                    let files: Vec<String> = files.iter().map(|file| code(file)).collect();
                    let _ = write!(text, "\nWith {}\n", files.join(", "));
                }
            }
            DocumentPart::Said { text: said } => {
                let _ = write!(text, "\n{}\n", prose(said));
            }
            DocumentPart::Note { text: note } => {
                let _ = write!(text, "\n*{}*\n", inline(note));
            }
            DocumentPart::Block(part) => write_block(&mut text, part),
        }
    }
    text
}

/// A line about the session: when it began, and its models.
fn about_line(document: &Document) -> String {
    let mut parts = Vec::new();
    parts.extend(document.created.map(|at| format!("begun {}", display_time(at))));
    parts.extend((!document.models.is_empty()).then(|| inline(&document.models.join(", "))));
    if parts.is_empty() { String::new() } else { format!("\n{}\n", parts.join(" · ")) }
}

fn write_block(text: &mut String, part: &BlockPart) {
    let edited = if part.edited { ", edited" } else { "" };
    let _ = write!(
        text,
        "\n**Block {}** {} · {}{edited}\n\n",
        part.block,
        code(&part.label),
        inline(&part.decided)
    );
    let language = part.language.as_deref().unwrap_or_default();
    text.push_str(&code_block(language, &visible(&part.source)));
    if let Some(run) = &part.run {
        write_run(text, run);
    }
}

fn write_run(text: &mut String, run: &RunPart) {
    let _ = write!(text, "\n{}\n", inline(&run.ended));
    let printed = run.printed_text();
    if !printed.trim().is_empty() {
        let _ = write!(text, "\n{}", code_block("text", &plain(&printed)));
    }
    if run.dropped_bytes > 0 {
        let _ = write!(text, "\n*{}*\n", saving::output_not_kept(run.dropped_bytes));
    }
    if let Some(missing) = &run.missing {
        let _ = write!(text, "\n*{missing}*\n");
    }
    if let Some(value) = &run.value {
        let _ = write!(text, "\nValue:\n\n{}", code_block("text", &plain(value)));
    }
    if let Some(error) = run.error_text() {
        let _ = write!(text, "\n{}", code_block("text", &plain(&error)));
    }
    for picture in &run.pictures {
        let _ = write!(text, "\n*Picture: {}*\n", inline(&describe_picture(picture)));
    }
    if !run.files.is_empty() {
        text.push('\n');
        for file in &run.files {
            let _ = writeln!(text, "- {}", inline(file));
        }
    }
    if let Some(files) = &run.taken_back {
        let _ = write!(text, "\n*Taken back afterwards: {}*\n", inline(files));
    }
}

fn describe_picture(picture: &Picture) -> String {
    match (picture.width, picture.height) {
        (0, _) | (_, 0) => picture.name.clone(),
        (width, height) => format!("{}, {width} x {height}", picture.name),
    }
}

/// A text as a block of code that no line of it closes.
pub(super) fn code_block(language: &str, body: &str) -> String {
    // A line with another backtick behind its fence opens no block.
    let language = if language.contains(['`', '\n']) { "" } else { language };
    fenced(language, body) + "\n"
}

/// Escapes a text for Markdown and puts it on one line.
pub(super) fn inline(text: &str) -> String {
    let mut escaped = String::new();
    for c in visible_line(text).chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '!' | '~' | '&') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// A text as inline code, on one line.
pub(super) fn code(text: &str) -> String {
    let text = visible_line(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest + 1);
    let blank = if text.is_empty() || text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{blank}{text}{blank}{ticks}")
}
