//! Reads the files and pictures that two runs left, and finds texts that differ only in what is different in every
//! run. A file counts as left by a run only if its hash matches the run's report.

use crate::domain::{FileChange, RunReport, Sha256};
use crate::engine::run_comparison::KnownContents;
use crate::text::alike::BothRuns;
use crate::workspace::contents::of_file;
use crate::workspace::held_path::Folder;
use std::path::Path;

/// The largest text that is compared by content; a larger one is compared by its hash.
const MAX_TEXT_BYTES: u64 = 1 << 20;
/// The largest picture that is compared by content; a larger one is compared by its size.
const MAX_PICTURE_BYTES: u64 = 16 << 20;

/// The known contents of both runs: of pictures if `exact`, otherwise of texts.
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

/// The text of a file if it is still as the run left it.
fn current_text(file: &FileChange, folder: &Folder) -> Option<String> {
    let bytes = of_file(&folder.path().join(&file.path), folder, MAX_TEXT_BYTES)?;
    (Some(Sha256::of(&bytes)) == file.sha256).then(|| String::from_utf8(bytes).ok()).flatten()
}
