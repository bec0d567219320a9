//! Writes the document as a Jupyter notebook (nbformat 4.5). A cell has the id of its block (`block-3`).
//!
//! A notebook has one kernel: Python if a block of Python or bash ran, else the language in which most blocks ran.
//! Under Python, blocks in other languages run through IPython's magics where one exists; blocks that did not run, or
//! can't run here, become text. A setup cell defines magics of sayso's own: for bash (the folder and exported variables
//! pass on from block to block, as in the session), for writing files unchanged, and for Python that may end by itself
//! or that IPython would change (`cell_form`): no line that was Python's becomes a command of IPython's.
//! Pictures that a run wrote as files go into a cell below, because a kernel would not show them.

mod cell_form;

use super::document::{BlockPart, Document, DocumentPart, RunPart};
use super::markdown::{code, code_block, inert, inline};
use super::script::{cell_magics, has_effect, one_line_call, packages, restrictions, write_call};
use crate::domain::Stream;
use crate::domain::json_text::escaped;
use crate::domain::visible::visible;
use cell_form::{CellForm, cell_form, has_prompt};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Languages with a widely known Jupyter kernel: the language, the kernel's name, its display name.
const KERNELS: &[(&str, &str, &str)] = &[
    ("python", "python3", "Python 3"),
    ("javascript", "javascript", "JavaScript (Node.js)"),
    ("r", "ir", "R"),
    ("julia", "julia", "Julia"),
];

/// The magic of a cell that writes its text to a file; the path follows it.
const WRITE_MAGIC: &str = "%%sayso_write";

/// The magic of a Python cell that may end by itself (`sys.exit()`), which ends only that cell, or that IPython would
/// change.
const PYTHON_MAGIC: &str = "%%sayso_python";

/// Languages that IPython hands to another program: the first line of such a cell.
const LANGUAGE_MAGICS: &[(&str, &str)] = &[
    ("bash", "%%sayso_bash"),
    ("sh", "%%sh"),
    ("javascript", "%%script node"),
    ("perl", "%%perl"),
    ("ruby", "%%ruby"),
    ("lua", "%%script lua -"),
    ("php", "%%script php"),
    ("r", "%%script Rscript -"),
];

pub(super) fn write(document: &Document) -> Result<String, serde_json::Error> {
    let (language, kernel, name) = kernel(document);
    let ending = restrictions::from_first_that_may_end(document.blocks().filter(|block| block.ended_well()));
    let ending: BTreeSet<u32> = ending.map(|block| block.block).collect();
    let needs_setup = language == "python" && document.blocks().any(|block| needs_setup(block, &ending));
    let mut notebook = Notebook { cells: Vec::new(), language, said: 0, count: 0, ending };
    notebook.add_markdown("title", format!("# {}", inline(&document.title)), &json!({}));
    if needs_setup {
        notebook.add_code("setup", cell_magics(), Vec::new(), &json!({ "kind": "setup" }));
    }
    for part in &document.parts {
        notebook.add(part);
    }
    let whole = json!({
        "cells": notebook.cells,
        "metadata": {
            "kernelspec": { "display_name": name, "language": language, "name": kernel },
            "language_info": { "name": language },
            "sayso": { "session": document.session, "created": document.created },
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    });
    Ok(escaped(serde_json::to_string_pretty(&whole)?) + "\n")
}

/// Whether the cell of a block, in a notebook of Python, uses what the setup cell defines.
fn needs_setup(block: &BlockPart, ending: &BTreeSet<u32>) -> bool {
    let may_end = ending.contains(&block.block);
    let writes = block.ended_well() && !block.writes.is_empty();
    let is_run_by_it = match block.code_language() {
        Some("bash") => true,
        Some("python") => matches!(cell_form(block, may_end), CellForm::Magic | CellForm::Call),
        _ => false,
    };
    may_end || writes || block.run.is_some() && is_run_by_it
}

fn kernel(document: &Document) -> (&'static str, &'static str, &'static str) {
    let mut ran: BTreeMap<&str, usize> = BTreeMap::new();
    for block in document.blocks().filter(|block| block.run.is_some() && has_effect(block)) {
        // IPython's magics write files, install packages and run bash, so these blocks count as Python.
        let language = match block.code_language() {
            None | Some("bash") => "python",
            Some(language) => language,
        };
        *ran.entry(language).or_default() += 1;
    }
    let known = |language: &str| KERNELS.iter().copied().find(|(known, _, _)| *known == language);
    let most = ran
        .iter()
        .filter_map(|(language, count)| Some((*count, known(language)?)))
        .max_by_key(|(count, _)| *count);
    let python = KERNELS.first().copied().unwrap_or(("python", "python3", "Python 3"));
    if ran.contains_key("python") { python } else { most.map_or(python, |(_, kernel)| kernel) }
}

struct Notebook {
    cells: Vec<Value>,
    /// The language of its kernel.
    language: &'static str,
    said: usize,
    /// Code cells so far.
    count: usize,
    /// The blocks that ended well but may end their program by themselves.
    ending: BTreeSet<u32>,
}

impl Notebook {
    fn add(&mut self, part: &DocumentPart) {
        self.said += 1;
        let id = |kind: &str| format!("{kind}-{}", self.said);
        match part {
            DocumentPart::Asked { text, .. } => {
                // It is made harmless as a quote: a tab that makes a line code makes none behind the mark of a quote.
                let quoted: String = visible(text.trim()).lines().map(|line| format!("> {line}\n")).collect();
                self.add_markdown(&id("message"), inert(quoted.trim_end()), &json!({ "kind": "asked" }));
            }
            DocumentPart::Said { text } => {
                self.add_markdown(&id("reply"), inert(text), &json!({ "kind": "said" }));
            }
            DocumentPart::Note { text } => {
                self.add_markdown(&id("note"), format!("*{}*", inline(text)), &json!({ "kind": "note" }));
            }
            DocumentPart::Block(block) => self.add_block(block),
        }
    }

    fn add_block(&mut self, block: &BlockPart) {
        let about = metadata(block);
        let id = format!("block-{}", block.block);
        let Some(run) = &block.run else { return self.add_not_run(&id, block, &about) };
        if block.kind == "install" && block.ended_well() && self.language == "python" {
            let words: Vec<String> = packages(block).iter().map(|package| pip_word(package)).collect();
            let source = format!("%pip install {}", words.join(" "));
            return self.add_code(&id, source, Vec::new(), &about);
        }
        if !block.writes.is_empty() && block.ended_well() && self.language == "python" {
            for (at, (path, text)) in block.writes.iter().enumerate() {
                let id = if at == 0 { id.clone() } else { format!("{id}-{}", at + 1) };
                self.push_code(&id, &write_cell(path, text), Vec::new(), &about);
            }
            return;
        }
        let language = block.code_language().unwrap_or_default();
        if language == self.language {
            return self.add_in_kernel(&id, block, run, &about);
        }
        match LANGUAGE_MAGICS.iter().find(|(of, _)| *of == language).filter(|_| self.language == "python") {
            Some((_, magic)) if !has_prompt(&block.source) => {
                let outputs = outputs(run, self.count + 1);
                self.add_code(&id, format!("{magic}\n{}", block.source), outputs, &about);
                self.add_pictures(&id, run, &about);
            }
            _ => self.add_not_run(&id, block, &about),
        }
    }

    /// Adds a block that ran, in the language of the kernel.
    fn add_in_kernel(&mut self, id: &str, block: &BlockPart, run: &RunPart, about: &Value) {
        let may_end = self.ending.contains(&block.block);
        let form = cell_form(block, may_end);
        // To Python `\r\n` is one line end: the last one goes as a whole, so that no `\r` is left of it. Other languages
        // may take that for a character.
        let ends: &[char] = if self.language == "python" { &['\r', '\n'] } else { &['\n'] };
        let plain =
            if block.source.ends_with('\n') { block.source.trim_end_matches(ends) } else { &block.source };
        let source = match form {
            CellForm::Plain => plain.to_owned(),
            CellForm::Magic => format!("{PYTHON_MAGIC}\n{plain}"),
            CellForm::Call => {
                one_line_call("_sayso_python", &format!("block_{}", block.block), &block.source)
            }
            CellForm::Text => return self.add_not_run(id, block, about),
        };
        let outputs = outputs(run, self.count + 1);
        self.add_code(id, source, outputs, about);
        if may_end && form == CellForm::Plain {
            self.go_on_behind_an_error();
        }
        self.add_pictures(id, run, about);
    }

    /// Adds a block as text, because it did not run or can't run in this notebook.
    fn add_not_run(&mut self, id: &str, block: &BlockPart, about: &Value) {
        let language = block.language.as_deref().unwrap_or_default();
        let ended = block.run.as_ref().map(|run| format!(" · {}", inline(&run.ended))).unwrap_or_default();
        let text = format!(
            "**Block {}** {} · {}{ended}\n\n{}",
            block.block,
            code(&block.label),
            inline(&block.decided),
            code_block(language, &visible(block.source.trim_end_matches('\n')))
        );
        self.add_markdown(id, text.trim_end().to_owned(), about);
    }

    fn add_markdown(&mut self, id: &str, source: String, about: &Value) {
        self.cells.push(json!({
            "cell_type": "markdown", "id": id, "metadata": { "sayso": about }, "source": lines(&source),
        }));
    }

    /// Adds a cell with the pictures that a run wrote as files.
    fn add_pictures(&mut self, id: &str, run: &RunPart, about: &Value) {
        let (mut text, mut attached) = (String::new(), Map::new());
        for picture in run.pictures.iter().filter(|picture| picture.written) {
            let Some(bytes) = picture.base64() else { continue };
            let name = format!("picture-{}", attached.len() + 1);
            text.push_str(&format!("{}\n\n![](attachment:{name})\n\n", code(&picture.name)));
            attached.insert(name, json!({ picture.mime.clone(): bytes }));
        }
        if !attached.is_empty() {
            self.cells.push(json!({
                "attachments": attached, "cell_type": "markdown", "id": format!("{id}-pictures"),
                "metadata": { "sayso": about }, "source": lines(text.trim_end()),
            }));
        }
    }

    fn add_code(&mut self, id: &str, source: String, outputs: Vec<Value>, about: &Value) {
        self.push_code(id, source.trim_end_matches('\n'), outputs, about);
    }

    /// Tags the last cell so that Jupyter goes on with the next cells even if this one raises.
    fn go_on_behind_an_error(&mut self) {
        let metadata = self.cells.last_mut().and_then(|cell| cell.pointer_mut("/metadata")?.as_object_mut());
        if let Some(metadata) = metadata {
            metadata.insert("tags".to_owned(), json!(["raises-exception"]));
        }
    }

    /// Adds a code cell with exactly this text, to the last character.
    fn push_code(&mut self, id: &str, source: &str, outputs: Vec<Value>, about: &Value) {
        self.count += 1;
        self.cells.push(json!({
            "cell_type": "code", "execution_count": self.count, "id": id, "metadata": { "sayso": about },
            "outputs": outputs, "source": lines(source),
        }));
    }
}

/// The text of a cell that writes a file: the file's text as it is, or a Python call if a cell can't hold that text
/// unchanged.
fn write_cell(path: &str, text: &str) -> String {
    let is_plain = path.trim() == path && !path.chars().any(char::is_control);
    // Jupyter adds a missing line end at the end of a cell, and cells can't hold `\r`.
    if has_prompt(text) {
        one_line_call("_sayso_write", path, text)
    } else if is_plain && text.ends_with('\n') && !text.contains('\r') {
        format!("{WRITE_MAGIC} {path}\n{text}")
    } else {
        write_call(path, text)
    }
}

/// A package as a word of `%pip`, quoted where the shell would read it otherwise.
fn pip_word(package: &str) -> String {
    let bare: String = package.split_whitespace().collect();
    if bare.contains(['<', '>', '[', '*', '!', '~', ';']) { format!("\"{bare}\"") } else { bare }
}

fn metadata(block: &BlockPart) -> Value {
    let mut about = Map::new();
    about.insert("block".into(), json!(block.block));
    about.insert("decided".into(), json!(block.decided));
    about.insert("edited".into(), json!(block.edited));
    if let Some(run) = &block.run {
        about.insert("approved".into(), json!(run.approved));
        about.insert("sha256".into(), json!(run.sha256));
        about.insert("outcome".into(), json!(run.outcome));
        about.insert("wall_ms".into(), json!(run.wall_ms));
        about.extend(run.taken_back.as_ref().map(|files| ("taken_back".into(), json!(files))));
    }
    Value::Object(about)
}

/// The outputs of a cell, in the order in which a kernel sends them.
fn outputs(run: &RunPart, count: usize) -> Vec<Value> {
    let mut outputs: Vec<Value> = Vec::new();
    for printed in &run.printed {
        let name = if printed.stream == Stream::Stdout { "stdout" } else { "stderr" };
        outputs.push(json!({ "output_type": "stream", "name": name, "text": lines(&printed.text) }));
    }
    for picture in run.pictures.iter().filter(|picture| !picture.written) {
        let mut data = Map::from_iter([("text/plain".to_owned(), json!(format!("<{}>", picture.name)))]);
        data.extend(picture.base64().map(|bytes| (picture.mime.clone(), json!(bytes))));
        outputs.push(json!({ "output_type": "display_data", "data": data, "metadata": {} }));
    }
    if let Some(value) = &run.value {
        let data = json!({ "text/plain": lines(value) });
        outputs.push(json!({
            "output_type": "execute_result", "data": data, "execution_count": count, "metadata": {},
        }));
    }
    if let Some((kind, message, traceback)) = &run.error {
        let traceback: Vec<&str> = traceback.lines().collect();
        outputs.push(
            json!({ "output_type": "error", "ename": kind, "evalue": message, "traceback": traceback }),
        );
    }
    outputs
}

/// A text as notebooks store it: a list of lines with their line ends.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}
