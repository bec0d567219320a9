//! Writes the document as a script that repeats, in order, what was approved and ended well.
//!
//! If all blocks are bash, it is a bash script. Otherwise it is a Python script, with its packages declared as in PEP
//! 723: Python blocks stand in it unchanged, files are written, and blocks in other languages are run by their
//! programs. Each block runs in the folder in which the session would have run it; bash blocks also pass on exported
//! variables.

mod bash;
mod imports;
mod pins;
mod python;
pub(super) mod restrictions;

use super::ExportError;
use super::clean_output::display_time;
use super::document::{BlockPart, Document, RunPart};
use crate::domain::visible::visible_line;
pub(super) use pins::packages;
pub(super) use python::{cell_magics, one_line_call, write_call};

/// The text of the script, and the extension of its file.
pub(super) fn write(document: &Document) -> Result<(String, &'static str), ExportError> {
    let mut steps: Vec<&BlockPart> = Vec::new();
    for block in document.blocks().filter(|block| block.ended_well() && has_effect(block)) {
        if !block.unmasked {
            return Err(ExportError::Masked(block.block));
        }
        steps.push(block);
    }
    if steps.iter().all(|block| block.kind == "install") {
        return Err(ExportError::NothingRan);
    }
    let is_bash = |block: &&BlockPart| block.code_language() == Some("bash");
    Ok(if steps.iter().all(is_bash) {
        (bash::write(document, &steps), "sh")
    } else {
        (python::write(document, &steps), "py")
    })
}

/// Whether a script has to repeat this block; blocks that only read are left out.
pub(super) fn has_effect(block: &BlockPart) -> bool {
    block.code_language().is_some() || !block.writes.is_empty() || block.kind == "install"
}

/// The comment lines at the top of the script.
fn about(document: &Document) -> Vec<String> {
    let begun = document.created.map(|at| format!(", begun {}", display_time(at))).unwrap_or_default();
    let mut lines = vec![
        format!("{}{begun}", visible_line(&document.title)),
        "The blocks that were approved and ended well, in their order.".to_owned(),
    ];
    let numbers = |is_wanted: fn(&BlockPart, &RunPart) -> bool| {
        let wanted = |block: &&BlockPart| block.run.as_ref().is_some_and(|run| is_wanted(block, run));
        document.blocks().filter(wanted).map(|block| block.block.to_string()).collect::<Vec<_>>().join(", ")
    };
    let left = numbers(|block, _| !block.ended_well());
    if !left.is_empty() {
        lines.push(format!("Not in it, for they did not end well: {left}."));
    }
    let again = numbers(|block, run| block.ended_well() && run.taken_back.is_some());
    if !again.is_empty() {
        lines
            .push(format!("Made again by it, though changes of it were taken back in the session: {again}."));
    }
    lines
}

/// The comment line above a block.
fn head(block: &BlockPart) -> String {
    let edited = if block.edited { ", edited" } else { "" };
    format!("Block {} ({}{edited})", block.block, visible_line(&block.label))
}
