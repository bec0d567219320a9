//! What two runs left, read: texts that differ in their bytes only by what is another in each run, and pictures. Nothing that
//! a report does not name by its hash counts as what a run left.

use crate::domain::{FileChange, RunReport, Sha256};
use crate::engine::difference::KnownContents;
use crate::text::alike::BothRuns;
use crate::workspace::contents::of_file;
use crate::workspace::place::Folder;
use std::path::Path;

/// Larger texts are compared by their hashes only.
const MAX_TEXT_BYTES: u64 = 1 << 20;
/// Larger pictures are compared by their sizes only.
const MAX_PICTURE_BYTES: u64 = 16 << 20;

/// What is known of both runs' files and pictures; of pictures where each byte counts, of texts where it does not.
pub(super) fn known_contents(
    (then, now): (&RunReport, &RunReport),
    folders: (&Path, &Path),
    runs: &BothRuns,
    exact: bool,
) -> KnownContents {
    let mut known = KnownContents::default();
    if exact {
        for image in then.all_images().chain(now.all_images()) {
            let folder = image.path.parent().and_then(|folder| Folder::find(folder).ok());
            let bytes = folder.and_then(|folder| of_file(&image.path, &folder, MAX_PICTURE_BYTES));
            known.pictures.extend(bytes.map(|bytes| (image.path.clone(), Sha256::of(&bytes))));
        }
        return known;
    }
    let (Ok(was), Ok(is)) = (Folder::find(folders.0), Folder::find(folders.1)) else { return known };
    for file in &then.receipt.files {
        let same = now.receipt.files.iter().find(|other| other.path == file.path);
        let Some(other) = same.filter(|other| other.sha256 != file.sha256) else { continue };
        if let (Some(then), Some(now)) = (current_text(file, &was), current_text(other, &is))
            && runs.first_difference(&then, &now).is_none()
        {
            known.alike.insert(file.path.clone());
        }
    }
    known
}

/// The text of a file, where it still stands as the run left it.
fn current_text(file: &FileChange, folder: &Folder) -> Option<String> {
    let bytes = of_file(&folder.path().join(&file.path), folder, MAX_TEXT_BYTES)?;
    (Some(Sha256::of(&bytes)) == file.sha256).then(|| String::from_utf8(bytes).ok()).flatten()
}
