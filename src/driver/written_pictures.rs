//! Pictures among the files that a run wrote: copies of them beside the session, so that they can be shown as they were.
//!
//! They are data, read through the folder that the session works in; no link is followed out of it. Who decodes them is a
//! process of its own.

use crate::domain::{FileChange, ImageRef, RunId};
use crate::exec;
use crate::workspace::place::{Folder, OpenPlace};
use crate::workspace::read;
use std::path::Path;

/// Pictures of one run that are kept.
const MOST: usize = 4;

/// Larger files are not kept.
const LARGEST: u64 = 4 << 20;

/// Copies the pictures among these files into the session's folder of blobs. Blocks; for a worker.
pub(super) fn keep(run: RunId, files: &[FileChange], folder: &Folder, blobs: &Path) -> Vec<ImageRef> {
    // A run may have put another folder in its place.
    if !folder.stands() {
        return Vec::new();
    }
    let pictures = files.iter().filter(|file| file.change != "deleted" && is_picture(&file.path));
    pictures.filter_map(|file| kept(run, &file.path, folder, blobs)).take(MOST).collect()
}

fn kept(run: RunId, name: &str, folder: &Folder, blobs: &Path) -> Option<ImageRef> {
    let place = OpenPlace::find(&folder.path().join(name)).ok()?;
    if place.found().is_none() || !place.path().starts_with(folder.path()) {
        return None;
    }
    let bytes = read::held(&place, LARGEST).ok()?;
    exec::keep_written(run, blobs, name, &bytes)
}

/// Whether the name is one of a picture that can be drawn; its bytes are looked at before it is kept.
fn is_picture(name: &str) -> bool {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|e| ["png", "jpg", "jpeg"].iter().any(|known| e.eq_ignore_ascii_case(known)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x06";

    fn change(path: &str, change: &str) -> FileChange {
        FileChange { path: path.into(), change: change.into(), bytes: 0 }
    }

    #[test]
    fn pictures_of_the_folder_are_kept_and_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        let home = std::fs::canonicalize(home.path()).unwrap();
        let (work, blobs) = (home.join("work"), home.join("blobs"));
        std::fs::create_dir_all(work.join("out")).unwrap();
        std::fs::write(work.join("out/a.PNG"), PNG).unwrap();
        std::fs::write(work.join("text.png"), "no picture").unwrap();
        std::fs::write(home.join("outside.png"), PNG).unwrap();
        std::os::unix::fs::symlink(home.join("outside.png"), work.join("link.png")).unwrap();
        let files = [
            change("out/a.PNG", "created"),
            change("text.png", "created"),
            change("link.png", "created"),
            change("../outside.png", "created"),
            change("gone.png", "deleted"),
            change("a.svg", "created"),
        ];
        let folder = Folder::find(&work).unwrap();
        let kept = keep(RunId(1), &files, &folder, &blobs);
        let told: Vec<_> =
            kept.iter().map(|image| (image.name.as_str(), image.width, image.height)).collect();
        assert_eq!(told, [("out/a.PNG", 640, 480)]);
        assert!(kept[0].path.starts_with(&blobs));
        let many: Vec<FileChange> = (0..9).map(|_| change("out/a.PNG", "changed")).collect();
        assert_eq!(keep(RunId(2), &many, &folder, &blobs).len(), MOST);
        std::fs::rename(&work, home.join("old")).unwrap();
        std::os::unix::fs::symlink(home.join("old"), &work).unwrap();
        assert_eq!(keep(RunId(3), &files, &folder, &blobs), [], "the folder was replaced");
    }
}
