//! Writes the document as one HTML page with its style and pictures inside; it has no script and loads nothing. A
//! `Content-Security-Policy` makes the browser enforce that, even if some markup slips through.

mod code;
mod prose;

use super::clean_output::{display_time, plain};
use super::document::{BlockPart, Document, DocumentPart, Picture, RunPart};
use crate::domain::sentences::saving;
use crate::domain::visible::{visible, visible_line};
use code::Colours;
use std::fmt::Write as _;

const STYLE: &str = include_str!("html/page.css");

/// Loads, runs and sends nothing: only inline style and pictures from `data:` are allowed.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'";

/// Picture types that the page shows; of others it shows only the name.
const IMAGE_TYPES: &[&str] = &["image/png", "image/jpeg", "image/gif", "image/webp"];

pub(super) fn write(document: &Document) -> String {
    let mut colours = Colours::new();
    let title = escaped(&visible_line(&document.title));
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<header>\n<h1>{title}</h1>\n"
    );
    write_about(&mut page, document);
    page.push_str("</header>\n");
    for part in &document.parts {
        match part {
            DocumentPart::Asked { at, text, files } => {
                let _ = writeln!(
                    page,
                    "<section class=\"asked\">\n<h2>You <time>{}</time></h2>",
                    display_time(*at)
                );
                let _ = writeln!(page, "<p class=\"text\">{}</p>", escaped(&visible(text.trim())));
                if !files.is_empty() {
                    write_note(&mut page, &format!("With {}", visible_line(&files.join(", "))));
                }
                page.push_str("</section>\n");
            }
            DocumentPart::Said { text } => {
                let _ =
                    writeln!(page, "<section class=\"said\">\n{}</section>", prose::html(text, &mut colours));
            }
            DocumentPart::Note { text } => write_note(&mut page, &visible_line(text)),
            DocumentPart::Block(part) => write_block(&mut page, part, &mut colours),
        }
    }
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn write_about(page: &mut String, document: &Document) {
    let mut parts: Vec<String> =
        document.created.map(|at| format!("begun {}", display_time(at))).into_iter().collect();
    parts.extend(document.models.iter().map(|model| visible_line(model)));
    if !parts.is_empty() {
        write_note(page, &parts.join(" · "));
    }
}

fn write_block(page: &mut String, part: &BlockPart, colours: &mut Colours) {
    let edited = if part.edited { ", edited" } else { "" };
    let state = part.run.as_ref().map_or("none", |run| if run.outcome == "ok" { "ok" } else { "failed" });
    let _ = writeln!(
        page,
        "<section class=\"block {state}\" id=\"block-{0}\">\n<h3><a href=\"#block-{0}\">Block {0}</a> \
         <span>{1}</span> <small>{2}{edited}</small></h3>",
        part.block,
        escaped(&visible_line(&part.label)),
        escaped(&visible_line(&part.decided)),
    );
    let language = part.language.as_deref().unwrap_or_default();
    let _ = writeln!(
        page,
        "<pre class=\"code\"><code>{}</code></pre>",
        colours.html(language, &visible(&part.source))
    );
    if let Some(run) = &part.run {
        write_run(page, run);
    }
    page.push_str("</section>\n");
}

fn write_run(page: &mut String, run: &RunPart) {
    let _ = writeln!(page, "<p class=\"ended\">{}</p>", escaped(&visible_line(&run.ended)));
    if run.printed.iter().any(|printed| !printed.text.trim().is_empty()) {
        page.push_str("<pre class=\"printed\">");
        for printed in &run.printed {
            let text = escaped(&plain(&printed.text));
            match printed.stream {
                crate::domain::Stream::Stdout => page.push_str(&text),
                crate::domain::Stream::Stderr => {
                    let _ = write!(page, "<span class=\"stderr\">{text}</span>");
                }
            }
        }
        page.push_str("</pre>\n");
    }
    if run.dropped_bytes > 0 {
        write_note(page, &saving::output_not_kept(run.dropped_bytes));
    }
    if let Some(missing) = &run.missing {
        write_note(page, missing);
    }
    if let Some(value) = &run.value {
        let _ = writeln!(page, "<pre class=\"value\">{}</pre>", escaped(&plain(value)));
    }
    if let Some(error) = run.error_text() {
        let _ = writeln!(page, "<pre class=\"error\">{}</pre>", escaped(&plain(&error)));
    }
    run.pictures.iter().for_each(|picture| write_figure(page, picture));
    if !run.files.is_empty() {
        page.push_str("<ul class=\"files\">\n");
        for file in &run.files {
            let _ = writeln!(page, "<li>{}</li>", escaped(&visible_line(file)));
        }
        page.push_str("</ul>\n");
    }
    if let Some(files) = &run.taken_back {
        write_note(page, &format!("Taken back afterwards: {files}"));
    }
}

fn write_figure(page: &mut String, picture: &Picture) {
    match picture.base64().filter(|_| IMAGE_TYPES.contains(&picture.mime.as_str())) {
        Some(data) => {
            let name = escaped(&visible_line(&picture.name));
            let _ = writeln!(
                page,
                "<figure><img src=\"data:{};base64,{data}\" alt=\"{name}\"><figcaption>{name}</figcaption></figure>",
                picture.mime
            );
        }
        None => {
            let why = picture.missing().unwrap_or_else(|| "it is no picture that a page shows".to_owned());
            write_note(page, &visible_line(&format!("{}: {why}", picture.name)));
        }
    }
}

fn write_note(page: &mut String, text: &str) {
    let _ = writeln!(page, "<p class=\"note\">{}</p>", escaped(text));
}

/// Escapes a text for HTML, also within quoted attributes.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}
