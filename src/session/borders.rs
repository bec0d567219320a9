//! The file that stores where the person put the borders between panes. A missing or broken file counts as empty.

use crate::tui::widgets::layout::Borders;
use crate::workspace::own_files;
use std::fs;
use std::path::Path;

/// A larger file is not read. A real one is much smaller.
const MAX_BYTES: u64 = 4_096;

pub(super) fn load(path: &Path) -> Borders {
    own_files::text(path, MAX_BYTES).ok().and_then(|text| Borders::of_text(&text)).unwrap_or_default()
}

/// Saves the borders. A failure is only logged: the next start then uses the old ones.
pub(crate) fn save(path: &Path, borders: Borders) {
    let made = path.parent().is_none_or(|folder| fs::create_dir_all(folder).is_ok());
    if made && let Err(error) = fs::write(path, borders.to_text()) {
        tracing::warn!(%error, "the borders between panes are not remembered");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_and_what_is_broken_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state").join("borders");
        assert_eq!(load(&path), Borders::default());
        let borders = Borders::of_text("chat columns 50\ncode done 40\n").unwrap();
        save(&path, borders);
        assert_eq!(load(&path), borders);
        fs::write(&path, b"code done \xff").unwrap();
        assert_eq!(load(&path), Borders::default());
        fs::write(&path, "code done many").unwrap();
        assert_eq!(load(&path), Borders::default());
        fs::remove_file(&path).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, 0o600.into()).unwrap();
        assert_eq!(load(&path), Borders::default(), "a pipe does not hold the start up");
    }
}
