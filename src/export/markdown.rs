//! Writes the document as Markdown. Pictures are named, not shown: a text file can't hold them. `harmless` makes
//! the text of others harmless.

mod harmless;

use super::clean_output::{display_time, plain};
use super::document::{BlockPart, Document, DocumentPart, Picture, RunPart};
use crate::domain::sentences::saving;
use crate::domain::visible::{visible, visible_line};
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
    fenced(text, language, &visible(&part.source));
    if let Some(run) = &part.run {
        write_run(text, run);
    }
}

fn write_run(text: &mut String, run: &RunPart) {
    let _ = write!(text, "\n{}\n", inline(&run.ended));
    let printed: String = run.printed.iter().map(|printed| printed.text.as_str()).collect();
    if !printed.trim().is_empty() {
        text.push('\n');
        fenced(text, "text", &plain(&printed));
    }
    if run.dropped_bytes > 0 {
        let _ = write!(text, "\n*{}*\n", saving::output_not_kept(run.dropped_bytes));
    }
    if let Some(missing) = &run.missing {
        let _ = write!(text, "\n*{missing}*\n");
    }
    if let Some(value) = &run.value {
        text.push_str("\nValue:\n\n");
        fenced(text, "text", &plain(value));
    }
    if let Some((kind, message, traceback)) = &run.error {
        text.push('\n');
        let told = if traceback.is_empty() { format!("{kind}: {message}") } else { traceback.clone() };
        fenced(text, "text", &plain(&told));
    }
    for picture in &run.pictures {
        let _ = write!(text, "\n*Picture: {}*\n", inline(&describe_picture(picture)));
    }
    if !run.files.is_empty() {
        text.push('\n');
        run.files.iter().for_each(|file| {
            let _ = writeln!(text, "- {}", inline(file));
        });
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

/// Adds a fenced block whose fence is longer than any in the text, so that no line of the text closes it.
pub(super) fn fenced(text: &mut String, language: &str, body: &str) {
    let longest = body.lines().map(|line| line.trim_start().bytes().take_while(|b| *b == b'`').count()).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    // A line with another backtick behind its fence opens no block.
    let language = if language.contains(['`', '\n']) { "" } else { language };
    let end = if body.ends_with('\n') || body.is_empty() { "" } else { "\n" };
    let _ = write!(text, "{fence}{language}\n{body}{end}{fence}\n");
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
