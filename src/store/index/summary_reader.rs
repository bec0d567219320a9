//! Reads a session's summary from the beginning and the end of its file.

use super::Summary;
use crate::domain::Entry;
use crate::store::StoreError;
use crate::store::tail_preview::read_range;
use crate::store::wire::{self, LineContent, LineFault};
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

/// The bytes read at first of each end; more are read if these don't suffice.
const WINDOW_BYTES: u64 = 16 << 10;

const MAX_WINDOW_BYTES: u64 = 4 << 20;

/// The most bytes that are searched for the number of the last message, if it is in a line larger than the window.
const MAX_SEARCHED_BYTES: u64 = 256 << 20;

const MAX_PREVIEW_BYTES: usize = 600;

/// Fills in what can be read from the file.
pub(super) fn fill_from_file(path: &Path, file: &File, summary: &mut Summary) -> Result<(), StoreError> {
    let size = summary.bytes;
    if size == 0 {
        return Err(StoreError::Empty { path: path.to_owned() });
    }
    head(path, file, size, summary)?;
    let mut tail = Tail::default();
    for window in windows(size) {
        tail = Tail::default();
        read_lines(path, file, size - window, size, |line| tail.line(line))?;
        if tail.tells_enough {
            break;
        }
    }
    if !tail.tells_enough && size > MAX_WINDOW_BYTES {
        tail.large_line(file, size);
    }
    tail.apply_to(summary);
    Ok(())
}

/// Growing windows; the last one is as large as the file or the limit.
fn windows(size: u64) -> impl Iterator<Item = u64> {
    let most = size.min(MAX_WINDOW_BYTES);
    std::iter::successors(Some(WINDOW_BYTES.min(most)), move |last| {
        (*last < most).then(|| (last * 8).min(most))
    })
}

/// Reads the header and the first prompt.
fn head(path: &Path, file: &File, size: u64, summary: &mut Summary) -> Result<(), StoreError> {
    let not_ours = || StoreError::not_a_session(path, "its first line is not a header");
    let mut state = Err(not_ours());
    for window in windows(size) {
        let mut number = 0u64;
        let mut prompted = false;
        read_lines(path, file, 0, window, |line| {
            number += 1;
            if number == 1 {
                state = header(path, line, summary).unwrap_or_else(|| Err(not_ours()));
            } else if !prompted && state.is_ok() {
                prompted = first_words(line, summary);
            }
        })?;
        if prompted || (number > 0 && state.is_err()) {
            break;
        }
    }
    state
}

fn header(path: &Path, line: &[u8], summary: &mut Summary) -> Option<Result<(), StoreError>> {
    if let Some(found) = wire::peek_version(line).filter(|found| *found > wire::VERSION) {
        return Some(Err(StoreError::Newer { path: path.to_owned(), line: 1, found, known: wire::VERSION }));
    }
    match wire::open(line) {
        Ok(frame) if frame.kind == "header" => {
            let Ok(LineContent::Entry(entry, _)) = wire::decode(&frame, Path::new("")) else { return None };
            let Entry::Header(header) = *entry else { return None };
            summary.id = header.id.0;
            summary.name = header.name;
            summary.created = Some(header.created);
            summary.cwd = header.cwd;
            summary.branch_at = header.branch_of.as_ref().and_then(|of| of.at);
            summary.branch_of = header.branch_of.map(|of| of.session.0);
            Some(Ok(()))
        }
        // A session with a damaged header can still be opened, so it is listed under its file name.
        Err(LineFault::Checksum | LineFault::Unreadable(_)) if line.starts_with(b"{\"v\":1,") => Some(Ok(())),
        _ => None,
    }
}

/// The fields of a line that a list of sessions needs.
#[derive(Default, Deserialize)]
#[serde(default)]
struct GlanceFields {
    name: Option<String>,
    text: String,
    message: Option<u64>,
    blocks: u32,
    session: Option<String>,
    block: u32,
    run: u64,
    decision: String,
    outcome: String,
    /// How a turn ended. In a block, `end` is a number.
    end: Value,
}

/// The kind of a line, and its fields.
fn glance_fields(line: &[u8]) -> Option<(Cow<'_, str>, GlanceFields)> {
    let frame = wire::open(line).ok()?;
    let told = wire::fields_of(frame.json).ok()?;
    Some((frame.kind, told))
}

/// Takes the first prompt, and a name given near the start; returns whether the line was the prompt.
fn first_words(line: &[u8], summary: &mut Summary) -> bool {
    match glance_fields(line) {
        Some((kind, told)) if kind == "named" => summary.name = told.name.unwrap_or_default(),
        Some((kind, told)) if kind == "prompt" => {
            summary.first_prompt = preview(told.text);
            return true;
        }
        _ => {}
    }
    false
}

fn preview(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(MAX_PREVIEW_BYTES));
    text.shrink_to_fit();
    text
}

/// Reads the complete lines between two positions of a file; a line that begins before `from` is left out.
fn read_lines(
    path: &Path,
    file: &File,
    from: u64,
    to: u64,
    mut line: impl FnMut(&[u8]),
) -> Result<(), StoreError> {
    // One byte earlier shows whether a line starts at `from`.
    let start = from.saturating_sub(1);
    let bytes = read_range(file, start, usize::try_from(to - start).unwrap_or(0))
        .map_err(|error| StoreError::io(path, "read", error))?;
    let mut lines = bytes.split_inclusive(|b| *b == b'\n');
    if from > 0 {
        lines.next();
    }
    lines.filter_map(|text| text.strip_suffix(b"\n")).for_each(&mut line);
    Ok(())
}

/// Enough bytes for a number and its name.
const OVERLAP_BYTES: usize = 64;

/// The last number that follows this name.
fn last_number(bytes: &[u8], name: &[u8]) -> Option<u64> {
    memchr::memmem::rfind_iter(bytes, name).find_map(|at| {
        let rest = bytes.get(at + name.len()..)?;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        std::str::from_utf8(rest.get(..digits)?).ok()?.parse().ok()
    })
}

/// What the end of a session's file says.
#[derive(Default)]
struct Tail {
    messages: u64,
    name: Option<String>,
    blocks: u32,
    open: BTreeSet<u32>,
    running: BTreeSet<u64>,
    failed: bool,
    last_reply: String,
    /// Whether the lines reach back to a prompt or a reply. Blocks that still wait were proposed after it.
    tells_enough: bool,
}

impl Tail {
    fn line(&mut self, line: &[u8]) {
        let Some((kind, told)) = glance_fields(line) else { return };
        match kind.as_ref() {
            kind @ ("prompt" | "reply") => {
                self.tells_enough = true;
                self.messages = told.message.unwrap_or(self.messages + 1);
                self.blocks = self.blocks.max(told.blocks);
                self.name = told.session.or(self.name.take());
                if kind == "reply" {
                    self.last_reply = preview(told.text);
                } else {
                    self.failed = false;
                }
            }
            "named" => self.name = told.name,
            "block" => {
                self.blocks = self.blocks.max(told.block);
                self.open.insert(told.block);
            }
            "put_back" => {
                self.open.insert(told.block);
            }
            "decision" => self.decision(&told),
            "run" => {
                self.running.remove(&told.run);
                self.failed = told.outcome != "ok";
            }
            "turn_end" => self.failed |= told.end == "failed",
            _ => {}
        }
    }

    /// Takes the number of the last message from a line that is too large to be read here and precedes `end`. The
    /// number follows the line's text, which can't contain the pattern: a quote in the text has a backslash in front.
    fn large_line(&mut self, file: &File, mut end: u64) {
        let least = end.saturating_sub(MAX_SEARCHED_BYTES);
        while end > least {
            let from = end.saturating_sub(MAX_WINDOW_BYTES);
            // The windows overlap, because a number may lie across their border.
            let most = usize::try_from(end - from).unwrap_or(0) + OVERLAP_BYTES;
            let Ok(bytes) = read_range(file, from, most) else { return };
            if let Some(message) = last_number(&bytes, b",\"message\":") {
                self.messages = message;
                let blocks = last_number(&bytes, b",\"blocks\":").unwrap_or(0);
                self.blocks = self.blocks.max(u32::try_from(blocks).unwrap_or(u32::MAX));
                return;
            }
            end = from;
        }
    }

    fn decision(&mut self, told: &GlanceFields) {
        self.blocks = self.blocks.max(told.block);
        match told.decision.as_str() {
            "approve" => {
                self.open.remove(&told.block);
                self.running.insert(told.run);
            }
            "reject" | "skip" => {
                self.open.remove(&told.block);
            }
            _ => {}
        }
    }

    fn apply_to(self, summary: &mut Summary) {
        summary.messages = self.messages;
        summary.blocks = self.blocks;
        summary.waiting = u32::try_from(self.open.len()).unwrap_or(u32::MAX);
        summary.unended = !self.running.is_empty();
        summary.failed = self.failed;
        summary.last_reply = self.last_reply;
        if let Some(name) = self.name {
            summary.name = name;
        }
    }
}
