//! Places edits: applies what a model wrote to the current files, which gives their whole new text.
//!
//! An edit is placed when it is proposed, and again if its files have changed. If the person edited the result, and the
//! files changed afterwards, it is kept as it is and can't be approved. Nobody approved reading these files, so the
//! model only learns whether its lines occur in them; and not even that of a file whose reading would get a finding.

use crate::domain::{Block, FileAct, OnDisk, Revision, Severity, Target, file_texts};
use crate::edit::{self, EditError, EditResult, Exactness, FileEdit};
use crate::engine::{EditFault, PlacedEdit};
use crate::review::{self, Scope};
use crate::text::number::size;
use crate::workspace::FileError;
use crate::workspace::target::{self, TargetFacts};
use std::path::{Component, Path, PathBuf};

/// The error for files that are not searched.
const NOT_SEARCHED_MESSAGE: &str = "places are looked for only in the working folder, in files without secrets: read this one, and write it whole";

/// The most bytes that the texts of all files of an edit may have.
const MAX_BYTES: usize = 4 << 20;

/// The state of an edit relative to its files.
pub(super) enum EditState {
    /// It is placed and its files have not changed since; they are described here. Or the block is no edit (`None`).
    Unchanged(Option<Vec<TargetFacts>>),
    /// It was placed anew, with this result.
    Placed(Result<PlacedEdit, EditFault>),
    /// This file has changed since the person edited the result.
    FilesChanged(String),
}

/// Determines the state of an edit. This reads its files: for a worker.
pub(super) fn locate(block: &Block, revision: Revision, scope: &Scope, own: &Path) -> EditState {
    let crate::domain::BlockKind::Edit { paths } = &block.kind else { return EditState::Unchanged(None) };
    // The first version is what the model wrote.
    let written = block.versions.first().map_or("", |version| &version.source);
    let edits = match edit::read(written, paths.first().map_or("", String::as_str)) {
        Ok(edits) => edits,
        Err(why) => return EditState::Placed(Err(fault(why.to_string()))),
    };
    // A block without an end may be incomplete, so it is not placed.
    if !block.origin.closed {
        let why = if block.origin.torn { EditError::Torn } else { EditError::NoEnd };
        return EditState::Placed(Err(fault(why.to_string())));
    }
    let act = match paths.as_slice() {
        [path] => FileAct::Write { path: path.clone() },
        _ => FileAct::WriteAll { paths: paths.clone() },
    };
    let places = Searchable::new(scope, own);
    if let Some(path) = paths.iter().find(|path| !places.by_name(path)) {
        return EditState::Placed(Err(not_searched(path)));
    }
    let seen = match target::examine_all(&scope.cwd, scope.home.as_deref(), &act) {
        Ok(seen) => seen,
        Err(why @ FileError::SameFile(..)) => return EditState::Placed(Err(fault(why.to_string()))),
        Err(why) => {
            // The error for a path behind a link would reveal something about the place where it leads.
            let linked = paths.iter().find(|path| places.leads_on(path));
            return EditState::Placed(Err(
                linked.map_or_else(|| fault(why.to_string()), |path| not_searched(path))
            ));
        }
    };
    if let Some(placed) = block.placed.last() {
        let moved = placed.bases.iter().zip(&seen).position(|(base, seen)| *base != seen.target.found);
        let Some(moved) = moved else { return EditState::Unchanged(Some(seen)) };
        let is_own = block.version(revision).is_some_and(|version| version.source != block.original().source);
        if is_own {
            return EditState::FilesChanged(paths.get(moved).cloned().unwrap_or_default());
        }
    }
    EditState::Placed(placed_edit(&edits, paths, &seen, &places))
}

fn fault(why: String) -> EditFault {
    EditFault(why)
}

fn not_searched(path: &str) -> EditFault {
    EditFault(format!("{path}: {NOT_SEARCHED_MESSAGE}"))
}

/// Applies the edit to all its files.
fn placed_edit(
    edits: &[FileEdit],
    paths: &[String],
    seen: &[TargetFacts],
    places: &Searchable,
) -> Result<PlacedEdit, EditFault> {
    if !edits.iter().map(|edit| &edit.path).eq(paths) {
        return Err(fault("it names other files than it was proposed for".into()));
    }
    let mut texts = Vec::with_capacity(edits.len());
    let mut notes = Vec::new();
    for (edit, seen) in edits.iter().zip(seen) {
        if !places.as_seen(&edit.path, seen) {
            return Err(not_searched(&edit.path));
        }
        let applied = apply(edit, seen)?;
        notes.extend(note(edit, &applied.how, edits.len() > 1));
        texts.push(applied.text);
    }
    let bases = seen.iter().map(|seen| seen.target.found).collect();
    Ok(PlacedEdit { text: join(paths, &texts)?.into(), bases, note: notes.join("; ") })
}

/// Applies the edit of one file to its text.
fn apply(edit: &FileEdit, seen: &TargetFacts) -> Result<EditResult, EditFault> {
    if seen.target.found != OnDisk::Nothing && seen.before.is_none() {
        let (path, bytes, most) = (edit.path.clone(), seen.target.bytes, target::MAX_COMPARED_BYTES);
        let why = if bytes > most {
            FileError::TooLargeToEdit(path, bytes, most)
        } else {
            FileError::NotEditable(path, bytes)
        };
        return Err(fault(why.to_string()));
    }
    edit::apply(seen.before.as_deref(), edit).map_err(|why| fault(why.to_string()))
}

/// Joins the new texts of the files to the text of the block.
fn join(paths: &[String], texts: &[String]) -> Result<String, EditFault> {
    let files: Vec<(&str, &str)> =
        paths.iter().map(String::as_str).zip(texts.iter().map(String::as_str)).collect();
    let text = file_texts::join(&files)
        .ok_or_else(|| fault("these files can't be told apart in one text: edit them one by one".into()))?;
    if text.len() > MAX_BYTES {
        return Err(fault(format!(
            "its files have {} together, at most {} are shown as one",
            size(text.len() as u64),
            size(MAX_BYTES as u64)
        )));
    }
    Ok(text)
}

/// Decides in which files the model may learn whether its lines occur: those in the working folder whose reading would
/// get no finding.
struct Searchable {
    scope: Scope,
    own: PathBuf,
}

impl Searchable {
    fn new(scope: &Scope, own: &Path) -> Self {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let (cwd, home) = (real(&scope.cwd), scope.home.as_deref().map(real));
        Self { scope: Scope { cwd, home, ..scope.clone() }, own: real(own) }
    }

    /// Decides by the name alone, before accessing the file.
    fn by_name(&self, path: &str) -> bool {
        let named = Path::new(path).strip_prefix(&self.scope.cwd).unwrap_or(Path::new(path));
        let inside = named.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        inside
            && !path.starts_with('~')
            && self.is_harmless(path, &Target::at(self.scope.cwd.join(named), OnDisk::Nothing))
    }

    /// Whether there is a link on the way to it.
    fn leads_on(&self, path: &str) -> bool {
        let named = self.scope.cwd.join(path);
        let below = named.ancestors().take_while(|part| **part != *self.scope.cwd);
        below.into_iter().any(|part| part.is_symlink())
    }

    /// Decides by where the path leads.
    fn as_seen(&self, path: &str, seen: &TargetFacts) -> bool {
        !seen.target.outside && self.is_harmless(path, &seen.target)
    }

    fn is_harmless(&self, path: &str, target: &Target) -> bool {
        let act = FileAct::Read { path: path.to_owned(), from: 1, lines: 1 };
        let of_read = review::files::review(&act, target, &self.scope, &[&self.own]);
        of_read.findings.iter().all(|finding| finding.severity == Severity::Info)
    }
}

/// Describes the hunks of a file that did not match literally.
fn note(edit: &FileEdit, how: &[Exactness], several: bool) -> Vec<String> {
    let of = if several { format!(" of {}", edit.path) } else { String::new() };
    let other = how.iter().enumerate().filter(|(_, how)| **how != Exactness::Exact);
    other.map(|(at, how)| format!("hunk {}{of} was found {how}", at + 1)).collect()
}
