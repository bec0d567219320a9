//! Finds the files that runs wrote or deleted, by what was approved to be written and by their receipts.

use crate::engine::WorkflowContext;
use crate::engine::transcript::{BlockItem, RunItem, SettledEvent, Settlement};
use std::path::{Component, Path, PathBuf};

/// Folders and files that tools create on the side.
const TOOL_FOLDERS: &[&str] =
    &["__pycache__", "node_modules", "target", "Cargo.lock", "go.sum", "package-lock.json"];

/// The files that the model's blocks wrote in these spans, in order; files deleted again are left out.
pub(super) fn written_between(
    context: &WorkflowContext<'_>,
    spans: impl IntoIterator<Item = (usize, usize)>,
) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for (from, until) in spans {
        for (_, item, run) in runs(*context, from, until).filter(|(_, item, _)| !item.block.is_own()) {
            for change in changes(context, item, run) {
                files.retain(|known| *known != change.path);
                if !change.deleted && !is_beside(&change.path) {
                    files.push(change.path);
                }
            }
        }
    }
    files
}

/// A file that a run wrote or deleted.
pub(super) struct FileEffect {
    pub(super) path: String,
    pub(super) deleted: bool,
}

/// The runs that ended in a span, with their blocks, each with the number of items before its end.
pub(super) fn runs(
    context: WorkflowContext<'_>,
    from: usize,
    until: usize,
) -> impl Iterator<Item = (usize, &BlockItem, &RunItem)> {
    context.settled_since(from).filter(move |settled| settled.after <= until).filter_map(move |settled| {
        let SettledEvent { block, what: Settlement::Ran(run), .. } = settled else { return None };
        let item = context.block(*block)?;
        Some((settled.after, item, item.runs.iter().find(|known| known.run == *run)?))
    })
}

/// The files that a run wrote or deleted.
pub(super) fn changes(context: &WorkflowContext<'_>, item: &BlockItem, run: &RunItem) -> Vec<FileEffect> {
    let Some((_, report)) = &run.ended else { return Vec::new() };
    let mut changes: Vec<FileEffect> = report
        .receipt
        .files
        .iter()
        .map(|file| FileEffect { path: shown_path(context, &file.path), deleted: file.change == "deleted" })
        .collect();
    let is_ok = report.outcome == crate::domain::Outcome::Ok;
    for path in item.block.kind.writes().filter(|_| is_ok) {
        let path = shown_path(context, path);
        changes.retain(|change| change.path != path);
        changes.push(FileEffect { path, deleted: false });
    }
    changes
}

/// A path in the form used for comparing and showing: relative to the working folder if it lies below it, without `.`
/// and `..`.
pub(super) fn shown_path(context: &WorkflowContext<'_>, path: &str) -> String {
    let cwd = context.transcript.header.as_ref().map(|header| header.cwd.as_path());
    let path = clean_path(Path::new(path));
    let below = cwd.and_then(|cwd| path.strip_prefix(cwd).ok());
    below.unwrap_or(&path).to_string_lossy().into_owned()
}

/// Whether two paths name the same file, ignoring case because some file systems do.
pub(super) fn same(a: &str, b: &str) -> bool {
    a == b || a.to_lowercase() == b.to_lowercase()
}

fn clean_path(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => match cleaned.components().next_back() {
                Some(Component::Normal(_)) => _ = cleaned.pop(),
                None | Some(Component::ParentDir) => cleaned.push(part),
                Some(_) => {}
            },
            part => cleaned.push(part),
        }
    }
    cleaned
}

/// Whether a file is a by-product that nobody meant to write.
fn is_beside(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('.') && part != ".." || TOOL_FOLDERS.contains(&part))
        || Path::new(path).extension().is_some_and(|end| end == "pyc")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cleaned_without_looking() {
        for (path, cleaned) in [
            ("./a/../b.py", "b.py"),
            ("../x", "../x"),
            ("../../x/..", "../.."),
            ("/a/./b", "/a/b"),
            ("/..", "/"),
            ("a//b", "a/b"),
            (".", ""),
        ] {
            assert_eq!(clean_path(Path::new(path)), Path::new(cleaned), "{path}");
        }
        assert!(is_beside("a/__pycache__/x.py") && is_beside(".pytest_cache/x") && !is_beside("a/x.py"));
        assert!(same("Test.py", "test.py") && !same("a", "b"));
    }
}
