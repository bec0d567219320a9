//! Edits in a reply: in fences, whatever their info string, and in the arguments of a call.

use super::{Proposal, info};
use crate::domain::{BlockKind, FileAct, Language, Languages};
use crate::edit::{self, EditError, EditHunk, FileEdit};
use crate::engine::call_error::CallError;
use serde_json::{Map, Value};

/// Names that models use for the two sides of a hunk, and for the path.
const SEARCH_KEYS: [&str; 6] = ["search", "old_text", "old_string", "old_str", "old", "find"];
const REPLACE_KEYS: [&str; 6] = ["replace", "new_text", "new_string", "new_str", "new", "replacement"];
const PATH_KEYS: [&str; 4] = ["path", "file_path", "filename", "file"];

/// The edit block for a fence that contains an edit. `before` is the text before it, which may name the file.
pub(super) fn fenced(block: &Proposal, before: &str, languages: &Languages) -> Option<Proposal> {
    let named = match &block.special_kind {
        Some(BlockKind::Edit { paths }) => paths.first().cloned(),
        // A fence that writes a patch file is not an edit.
        Some(BlockKind::Write { path }) if !is_patch(path) => Some(path.clone()),
        Some(_) => return None,
        None => None,
    };
    // In a file to be written, a command is text.
    let is_written = matches!(block.special_kind, Some(BlockKind::Write { .. }));
    let in_command = edit::in_command(&block.source).filter(|_| !is_written);
    let source = in_command.unwrap_or(&block.source);
    let meant = matches!(block.special_kind, Some(BlockKind::Edit { .. })) || in_command.is_some();
    if !meant && !edit::is_edit(source) {
        return None;
    }
    let path = named.or_else(|| edit::path_in_front(before)).unwrap_or_default();
    let edits = edit::read(source, &path);
    // A diff that names no file, or can't be read, may only be meant to be shown. What it must not do is told, and what
    // would be dropped.
    let has_markers = || block.source.lines().any(|line| line.starts_with("<<<<<"));
    let is_refused =
        matches!(edits, Err(EditError::OtherAct(..) | EditError::NoChange(_) | EditError::TooMany));
    if edits.is_err() && !meant && !is_refused && !has_markers() {
        return None;
    }
    // If the edit is wrong, placing it reports why.
    let paths = edits.map_or_else(|_| vec![path], |edits| edits.into_iter().map(|edit| edit.path).collect());
    let mut edit = Proposal {
        language: language(&paths, languages),
        special_kind: Some(BlockKind::Edit { paths }),
        source: source.to_owned(),
        ..block.clone()
    };
    if in_command.is_some() {
        edit.remark("read from a command `apply_patch`");
    }
    Some(edit)
}

fn is_patch(path: &str) -> bool {
    [".patch", ".diff", ".rej"].iter().any(|end| path.ends_with(end))
}

/// The language for highlighting, if all files have the same.
fn language(paths: &[String], languages: &Languages) -> Option<Language> {
    let (first, others) = paths.split_first()?;
    let language = info::by_extension(first, languages);
    others.iter().all(|other| info::by_extension(other, languages) == language).then_some(language)?
}

/// The kind of block, the language for highlighting and the text for the arguments of a call.
pub(super) fn parse_call(
    arguments: &Map<String, Value>,
    languages: &Languages,
) -> Result<(BlockKind, Option<Language>, String), CallError> {
    let path = text(arguments, &PATH_KEYS)?.unwrap_or_default();
    let (edits, source) = match text(arguments, &["diff", "patch"])? {
        Some(diff) => (edit::read(&diff, &path)?, diff),
        None => {
            let edits = hunks(arguments, &path)?;
            let source = edit::write(&edits);
            // An edit that would not be read back unchanged is refused.
            if edit::read(&source, "")? != edits {
                return Err(EditError::Unwritable.into());
            }
            (edits, source)
        }
    };
    let paths: Vec<String> = edits.into_iter().map(|edit| edit.path).collect();
    for path in &paths {
        FileAct::parse(&BlockKind::Write { path: path.clone() }, "")?;
    }
    let language = language(&paths, languages);
    Ok((BlockKind::Edit { paths }, language, source))
}

/// The hunks in the arguments, grouped by file.
fn hunks(arguments: &Map<String, Value>, path: &str) -> Result<Vec<FileEdit>, CallError> {
    let unwrapped;
    let list: Vec<&Map<String, Value>> = match arguments.get("edits").or_else(|| arguments.get("changes")) {
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_object).collect(),
        Some(Value::Object(one)) => vec![one],
        // Some models encode the list as a JSON string once more.
        Some(Value::String(text)) => {
            unwrapped =
                serde_json::from_str::<Vec<Map<String, Value>>>(text).map_err(|_| CallError::NoEdits)?;
            unwrapped.iter().collect()
        }
        Some(_) => return Err(CallError::NoEdits),
        None => vec![arguments],
    };
    let mut edits: Vec<FileEdit> = Vec::new();
    for one in list {
        let path = text(one, &PATH_KEYS)?.unwrap_or_else(|| path.to_owned()).trim().to_owned();
        let (search, replace) = (text(one, &SEARCH_KEYS)?, text(one, &REPLACE_KEYS)?);
        let Some(replace) = replace else { return Err(CallError::Missing("replace".into())) };
        let hunk = EditHunk::new(&search.unwrap_or_default(), &replace);
        match edits.iter_mut().find(|known| known.path == path) {
            Some(known) => known.hunks.push(hunk),
            None => edits.push(FileEdit { path, hunks: vec![hunk] }),
        }
    }
    if edits.is_empty() { Err(EditError::NoHunk.into()) } else { Ok(edits) }
}

fn text(arguments: &Map<String, Value>, keys: &[&str]) -> Result<Option<String>, CallError> {
    let found =
        keys.iter().find_map(|key| Some((*key, arguments.get(*key).filter(|value| !value.is_null())?)));
    match found {
        None => Ok(None),
        Some((_, Value::String(text))) => Ok(Some(text.clone())),
        Some((key, _)) => Err(CallError::NoText(key.to_owned())),
    }
}

/// A proposal for a fence that is only shown.
pub(super) fn displayed_fence(
    info: &str,
    source: &str,
    range: std::ops::Range<usize>,
    closed: bool,
) -> Proposal {
    Proposal { info: info.to_owned(), source: source.to_owned(), range, closed, ..Proposal::default() }
}
