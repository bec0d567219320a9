//! Finds and reads instruction files: `AGENTS.md` from the working folder upwards, and files that the person named.
//!
//! This module only reads, within limits. A file of the project must not smuggle other files of the person to a model
//! by being a link, so links that lead out of the project are not followed.

mod known_texts;

pub use known_texts::HeldFile;
pub(crate) use known_texts::{RunsMark, accept, run_begins, runs_are_over};

use super::read::open_plain;
use crate::domain::{Instructions, Notice};
use rustix::fs::OFlags;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The name of the project's instruction files.
pub(crate) const NAME: &str = "AGENTS.md";
const MAX_FILE_BYTES: u64 = 32 << 10;
const MAX_TOTAL_BYTES: u64 = 64 << 10;
/// The most folders that are searched, from the working folder upwards.
const MAX_ANCESTORS: usize = 64;

/// Where to look for instruction files.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct InstructionSearch {
    pub(crate) cwd: PathBuf,
    /// The person's home folder: folders above it are not searched.
    pub(crate) home: Option<PathBuf>,
    /// Whether to search the project.
    pub(crate) project: bool,
    /// Files that the person named.
    pub(crate) own: Vec<PathBuf>,
    /// Folders besides the working folder that runs may write.
    pub(crate) write: Vec<PathBuf>,
    /// The file that stores the known texts (see `known_texts`). If `None`, every text is used as it is.
    pub(crate) known_texts: Option<PathBuf>,
}

/// The instruction files that were found.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct InstructionReport {
    /// The files whose texts the model is told: the person's first, then the project's with the nearest last.
    pub(crate) told: Vec<Instructions>,
    /// Files that changed since a run began. `told` holds the earlier text of such a file, if there was one.
    pub(crate) held: Vec<HeldFile>,
    pub(crate) notices: Vec<Notice>,
}

/// Finds the instruction files, and holds back those that a run could have changed until the person decides.
pub(crate) fn survey(search: &InstructionSearch) -> InstructionReport {
    let (found, mut notices) = find(search);
    let (told, held) = known_texts::hold_back_changes(search, found);
    notices.extend(held.iter().map(HeldFile::notice));
    InstructionReport { told, held, notices }
}

/// The files that exist, the person's first, then the project's with the nearest last; and notices about those that
/// can't be used.
pub(crate) fn find(search: &InstructionSearch) -> (Vec<Instructions>, Vec<Notice>) {
    let mut notices = Vec::new();
    let mut left = MAX_TOTAL_BYTES;
    let mut files = Vec::new();
    for path in &search.own {
        match read_one(path, &mut left, true) {
            Ok(file) => files.extend(file),
            Err(why) => notices.push(Notice::warn(format!("{} is not used: {why}.", path.display()))),
        }
    }
    let mut found = Vec::new();
    if search.project {
        // The nearest file is read first, so that the limit on the total size drops the farthest ones.
        let folders = folders(search);
        let top = folders.last().filter(|top| top.join(".git").exists());
        for folder in &folders {
            let path = folder.join(NAME);
            // Without a repository, only the folder of the link itself is known to belong to the project.
            match is_inside(&path, top.unwrap_or(folder))
                .and_then(|there| if there { read_one(&path, &mut left, false) } else { Ok(None) })
            {
                Ok(file) => found.extend(file),
                Err(why) => notices.push(Notice::warn(format!("{} is not used: {why}.", path.display()))),
            }
        }
    }
    files.extend(found.into_iter().rev());
    (files, notices)
}

/// The folders from the working folder up to the root of the repository. Outside of a repository up to the home
/// folder, or only the working folder if it is not below the home folder.
fn folders(search: &InstructionSearch) -> Vec<PathBuf> {
    let all: Vec<&Path> = search.cwd.ancestors().take(MAX_ANCESTORS).collect();
    let home = search.home.as_deref().and_then(|home| all.iter().position(|folder| *folder == home));
    let below_home = home.map_or(all.len(), |at| at + 1);
    let repository = all.iter().take(below_home).position(|folder| folder.join(".git").exists());
    let count = repository.or(home).map_or(1, |at| at + 1);
    all.into_iter().take(count).map(Path::to_path_buf).collect()
}

/// Why an instruction file is not used, as the end of a sentence that names the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum InstructionsError {
    #[error("it is a link that leads nowhere")]
    DeadLink,
    #[error("it is a link that leads out of the project")]
    LeadsOut,
    #[error("it can't be read")]
    Unreadable,
    #[error("it is no plain file")]
    NoFile,
    #[error("there is no room for it behind the others")]
    NoRoom,
    #[error("it is no text")]
    Binary,
    #[error("it is no text in UTF-8")]
    NoUtf8,
}

/// Whether the file exists and lies in the project.
fn is_inside(path: &Path, top: &Path) -> Result<bool, InstructionsError> {
    let Ok(info) = std::fs::symlink_metadata(path) else { return Ok(false) };
    if !info.is_symlink() {
        return Ok(info.is_file());
    }
    let real = path.canonicalize().map_err(|_| InstructionsError::DeadLink)?;
    let top = top.canonicalize().map_err(|_| InstructionsError::Unreadable)?;
    if real.starts_with(&top) { Ok(true) } else { Err(InstructionsError::LeadsOut) }
}

/// The present text of an instruction file: empty for none, `None` if it can't be read.
fn text_of(path: &Path) -> Option<String> {
    if std::fs::symlink_metadata(path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
        return Some(String::new());
    }
    let file = read_one(path, &mut { MAX_FILE_BYTES }, false).ok()?;
    Some(file.map_or_else(String::new, |file| file.text.to_string()))
}

/// The beginning of a file, as far as there is room for it; `None` if the file is empty.
fn read_one(path: &Path, left: &mut u64, own: bool) -> Result<Option<Instructions>, InstructionsError> {
    let info = std::fs::metadata(path).map_err(|_| InstructionsError::Unreadable)?;
    if !info.is_file() {
        return Err(InstructionsError::NoFile);
    }
    let room = MAX_FILE_BYTES.min(*left);
    if room == 0 && info.len() > 0 {
        return Err(InstructionsError::NoRoom);
    }
    let mut bytes = Vec::new();
    let file = open_plain(path, OFlags::empty()).map_err(|_| InstructionsError::Unreadable)?;
    file.take(room).read_to_end(&mut bytes).map_err(|_| InstructionsError::Unreadable)?;
    if bytes.contains(&0) {
        return Err(InstructionsError::Binary);
    }
    // A character that the limit cuts off is dropped.
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text.to_owned(),
        Err(error) if error.error_len().is_none() => {
            String::from_utf8_lossy(bytes.get(..error.valid_up_to()).unwrap_or_default()).into_owned()
        }
        Err(_) => return Err(InstructionsError::NoUtf8),
    };
    if text.trim().is_empty() {
        return Ok(None);
    }
    *left = left.saturating_sub(text.len() as u64);
    let bytes = info.len().max(text.len() as u64);
    Ok(Some(Instructions { path: path.to_path_buf(), text: text.into(), bytes, own }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::write as put;

    fn search(cwd: &Path, home: &Path) -> InstructionSearch {
        InstructionSearch {
            cwd: cwd.into(),
            home: Some(home.into()),
            project: true,
            ..InstructionSearch::default()
        }
    }

    fn texts(found: &[Instructions]) -> Vec<&str> {
        found.iter().map(|file| &*file.text).collect()
    }

    #[test]
    fn from_the_folder_upwards_to_the_repository_and_the_nearest_last() {
        let home = tempfile::tempdir().unwrap();
        let (home, project) = (home.path(), home.path().join("project"));
        let deep = project.join("a/b");
        put(&home.join(NAME), "home");
        put(&project.join(NAME), "top");
        put(&deep.join(NAME), "deep");
        put(&project.join("a").join(NAME), " \n");
        assert_eq!(
            texts(&find(&search(&deep, home)).0),
            ["home", "top", "deep"],
            "no repository: up to the home"
        );
        std::fs::create_dir(project.join(".git")).unwrap();
        assert_eq!(texts(&find(&search(&deep, home)).0), ["top", "deep"]);
        let elsewhere =
            InstructionSearch { home: Some("/nowhere".into()), ..search(&home.join("project/a/b"), home) };
        assert_eq!(texts(&find(&elsewhere).0), ["top", "deep"], "a repository outside of the home");
        std::fs::remove_dir(project.join(".git")).unwrap();
        assert_eq!(texts(&find(&elsewhere).0), ["deep"], "neither: only the folder itself");
        assert_eq!(find(&InstructionSearch { project: false, ..search(&deep, home) }), (vec![], vec![]));
    }

    #[test]
    fn the_persons_files_come_first_and_a_missing_one_is_told() {
        let home = tempfile::tempdir().unwrap();
        let (own, cwd) = (home.path().join("me.md"), home.path().join("work"));
        put(&own, "me");
        put(&cwd.join(NAME), "project");
        let own = vec![home.path().join("missing.md"), own];
        let (found, notices) = find(&InstructionSearch { own, ..search(&cwd, &cwd) });
        assert_eq!(texts(&found), ["me", "project"]);
        assert_eq!((found[0].own, found[1].own), (true, false));
        assert!(notices[0].text.ends_with("missing.md is not used: it can't be read."), "{notices:?}");
    }

    #[test]
    fn long_files_are_cut_and_the_nearest_has_the_first_claim() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        let deep = home.join("a/b");
        put(&home.join(NAME), "h".repeat(40_000));
        put(&home.join("a").join(NAME), "é".repeat(20_000));
        put(&deep.join(NAME), "d".repeat(40_000));
        let (found, notices) = find(&search(&deep, home));
        assert_eq!(found.iter().map(|f| f.text.len()).collect::<Vec<_>>(), [32 << 10, 32 << 10]);
        assert_eq!(found[1].left_out(), 40_000 - (32 << 10));
        assert!(notices[0].text.contains("there is no room for it"), "{notices:?}");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_text_or_leads_out_of_the_project_is_not_told() {
        let home = tempfile::tempdir().unwrap();
        let project = home.path().join("project");
        std::fs::create_dir_all(project.join(".git")).unwrap();
        put(&home.path().join(".ssh/id"), "secret");
        let told = || find(&search(&project, home.path()));
        std::os::unix::fs::symlink(home.path().join(".ssh/id"), project.join(NAME)).unwrap();
        let (found, notices) = told();
        assert_eq!(found, []);
        assert!(notices[0].text.contains("leads out of the project"), "{notices:?}");
        std::fs::remove_file(project.join(NAME)).unwrap();
        for bad in [&b"a\0b"[..], b"\xff\xfe text"] {
            put(&project.join(NAME), bad);
            let (found, notices) = told();
            assert_eq!((found, notices.len()), (vec![], 1));
        }
        std::fs::remove_file(project.join(NAME)).unwrap();
        put(&project.join("CLAUDE.md"), "inside");
        std::os::unix::fs::symlink("CLAUDE.md", project.join(NAME)).unwrap();
        assert_eq!(texts(&told().0), ["inside"]);
        std::fs::remove_file(project.join(NAME)).unwrap();
        std::fs::create_dir(project.join(NAME)).unwrap();
        assert_eq!(told(), (vec![], vec![]));
    }
}
