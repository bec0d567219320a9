//! `sayso blocks`: lists the blocks in a reply, as a session would find them.

use super::{Console, input};
use crate::cli::{BlocksArgs, ModelArgs};
use crate::domain::visible::{Visible, visible_line};
use crate::domain::{FileAct, Language};
use crate::engine::reply::{self, Proposal, Segment};
use crate::headless::json;
use crate::report::Failure;
use serde_json::{Value, json};

pub(super) fn run(args: &BlocksArgs, outer: &ModelArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    let factory = super::factory(outer, console)?;
    let text = input::read(&args.file)?;
    // A byte order mark is no part of the first line, which may be a fence.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let config = &factory.loaded.config;
    let (dialect, languages) = (config.dialect.unwrap_or_default(), config.languages());
    let segments =
        reply::reread(text, reply::parse(text, dialect, &languages, true), dialect, &languages, true);
    let blocks: Vec<&Proposal> = segments
        .iter()
        .filter_map(|segment| match segment {
            Segment::Block(block) => Some(block),
            Segment::Prose(_) => None,
        })
        .collect();
    if args.json {
        let blocks: Value = blocks.iter().enumerate().map(|(i, block)| block_json(i + 1, block)).collect();
        json::write_line(console.out, &json!({ "blocks": blocks }))?;
        return Ok(());
    }
    for (i, block) in blocks.iter().enumerate() {
        print(i + 1, block, console)?;
    }
    if blocks.is_empty() {
        writeln!(console.out, "no blocks")?;
    }
    Ok(())
}

fn block_json(index: usize, block: &Proposal) -> Value {
    json!({
        "index": index,
        "kind": block.kind().as_str(),
        "path": path(block),
        "language": block.language.as_ref().map(Language::as_str),
        "info": block.info,
        "source": block.source,
        "runnable": is_runnable(block),
        "start_line": block.lines.0,
        "end_line": block.lines.1,
        "closed": block.closed,
        "note": block.note,
    })
}

/// The file or folder that the block acts on.
fn path(block: &Proposal) -> Option<String> {
    FileAct::parse(&block.kind(), &block.source).ok().map(|act| act.path().to_owned())
}

/// Whether the block is complete enough to be approved.
fn is_runnable(block: &Proposal) -> bool {
    block.closed
        && match block.special_kind {
            None => block.language.is_some() && !block.source.trim().is_empty(),
            Some(_) => path(block).is_some(),
        }
}

fn print(index: usize, block: &Proposal, console: &mut Console<'_>) -> Result<(), Failure> {
    let language = match &block.special_kind {
        None => block.language.as_ref().map_or("no language", Language::as_str).to_owned(),
        Some(kind) => format!("{} {}", kind.as_str(), path(block).unwrap_or_default()),
    };
    let incomplete = if block.closed { "" } else { ", incomplete" };
    let (first, last) = block.lines;
    writeln!(console.out, "block {index}: {}, lines {first}-{last}{incomplete}", visible_line(&language))?;
    if let Some(note) = &block.note {
        writeln!(console.out, "  ({})", visible_line(note))?;
    }
    for line in block.source.lines() {
        writeln!(console.out, "  | {}", Visible(line))?;
    }
    Ok(())
}
