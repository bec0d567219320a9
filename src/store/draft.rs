//! Keeps the message being typed in a file beside the session's, so that it outlives the process. It is masked like
//! all that is written, readable only for this account, and removed once it was sent.
//!
//! A session in which nothing was asked has no file yet. The next new session takes up what was typed into it, once
//! the process that kept it is gone.

use super::{StoreError, disk};
use crate::domain::{MaskedValue, Masker};
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

/// A longer text is kept at the end of the session alone: to write it after every key would delay typing.
const MAX_TYPED_BYTES: usize = 4 << 20;

#[derive(Clone, Debug)]
pub(crate) struct Draft {
    path: PathBuf,
    masker: Masker,
    last: String,
    /// Whether the last text could be kept.
    is_kept: bool,
}

impl Draft {
    /// The draft of the session in this file.
    pub(crate) fn beside(session: &Path, masker: Masker) -> Self {
        Self { path: session.with_extension("draft"), masker, last: String::new(), is_kept: true }
    }

    /// Whether this text need not be kept while it is typed: it was the last one to be kept, or is too long.
    pub(crate) fn keeps(&self, text: &str) -> bool {
        text == self.last || text.len() > MAX_TYPED_BYTES
    }

    /// The text that was kept last.
    pub(crate) fn text(&self) -> &str {
        &self.last
    }

    /// Keeps the present text; an empty one removes the draft. A text that is kept already is not written again.
    ///
    /// # Errors
    /// When it can't be written; the old text may still exist.
    pub(crate) fn keep(&mut self, text: &str) -> Result<(), StoreError> {
        if text == self.last && self.is_kept {
            return Ok(());
        }
        text.clone_into(&mut self.last);
        let kept = match text.trim() {
            "" => self.remove(),
            _ => write(&self.path, &self.masker.mask(text.to_owned())),
        };
        self.is_kept = kept.is_ok();
        kept
    }

    /// Takes up the text that a process left when it ended without sending it: the draft of this session, or of a new
    /// session in which nothing was asked. From here on it is this session's draft.
    pub(crate) fn take_up(&mut self) -> Option<String> {
        let kept = |path: PathBuf| read(&path).map(|(text, _)| (path, text));
        let (path, text) = kept(self.path.clone()).or_else(|| kept(self.orphan()?))?;
        if path != self.path {
            std::fs::remove_file(path).ok();
        }
        self.keep(&text).ok();
        Some(text)
    }

    /// The draft of a session that has no file and whose process is gone; `None` if this session itself has a file.
    fn orphan(&self) -> Option<PathBuf> {
        if self.path.with_extension("jsonl").exists() {
            return None;
        }
        let entries = std::fs::read_dir(self.path.parent()?).ok()?;
        let mut drafts: Vec<_> = entries
            .filter_map(|entry| {
                let path = entry.ok()?.path();
                let kept = path.extension()? == "draft" && !path.with_extension("jsonl").exists();
                let modified = std::fs::symlink_metadata(&path).ok()?.modified().ok()?;
                kept.then_some((modified, path))
            })
            .collect();
        drafts.sort();
        let is_left = |pid: u32| pid == std::process::id() || !is_running(pid);
        let mut newest = drafts.into_iter().rev().map(|(_, path)| path);
        newest.find(|path| read(path).is_some_and(|(_, pid)| is_left(pid)))
    }

    pub(crate) fn remove(&self) -> Result<(), StoreError> {
        disk::remove(&self.path)
    }
}

fn is_running(pid: u32) -> bool {
    i32::try_from(pid)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
        .is_some_and(|pid| !matches!(rustix::process::test_kill_process(pid), Err(rustix::io::Errno::SRCH)))
}

/// Written to a new file and renamed: a process that is killed meanwhile leaves the old text complete.
fn write(path: &Path, text: &MaskedValue<String>) -> Result<(), StoreError> {
    disk::make_folder(path.parent().unwrap_or(Path::new("")))?;
    let new = path.with_extension("draft-new");
    let body = json!({ "v": 1, "pid": std::process::id(), "text": &**text }).to_string();
    disk::replace(&new)?
        .write_all(body.as_bytes())
        .map_err(|error| StoreError::io(&new, "written", error))?;
    std::fs::rename(&new, path).map_err(|error| StoreError::io(path, "written", error))
}

/// The text, and the process that kept it.
fn read(path: &Path) -> Option<(String, u32)> {
    let mut text = String::new();
    disk::open_read(path).ok()?.read_to_string(&mut text).ok()?;
    let value: serde_json::Value = serde_json::from_str(&text).ok()?;
    let pid = value.get("pid").and_then(serde_json::Value::as_u64).and_then(|pid| u32::try_from(pid).ok())?;
    Some((value.get("text")?.as_str()?.to_owned(), pid))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_outlives_its_process_and_holds_no_key() {
        let folder = tempfile::tempdir().unwrap();
        let session = folder.path().join("s-1.jsonl");
        let masker = Masker::knowing(["swordfish-2024".into()]);
        let mut draft = Draft::beside(&session, masker.clone());
        assert_eq!(draft.take_up(), None);
        draft.keep("use swordfish-2024 to\nlog in").unwrap();
        let path = folder.path().join("s-1.draft");
        assert_eq!(crate::test_folder::mode(&path), 0o600);
        assert!(!std::fs::read_to_string(&path).unwrap().contains("swordfish"));
        // Another new session takes it up once its process is gone; here that is this process itself.
        let mut next = Draft::beside(&folder.path().join("s-2.jsonl"), masker.clone());
        assert_eq!(next.take_up().as_deref(), Some("use [redacted]**** to\nlog in"));
        assert!(!path.exists() && folder.path().join("s-2.draft").exists());
        next.keep("").unwrap();
        assert!(!folder.path().join("s-2.draft").exists());
    }

    #[test]
    fn a_text_that_is_too_long_to_be_kept_while_it_is_typed_is_kept_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let session = folder.path().join("s-1.jsonl");
        let mut draft = Draft::beside(&session, Masker::default());
        let long = "\"\n".repeat(MAX_TYPED_BYTES / 2 + 1);
        draft.keep("half").unwrap();
        assert!(draft.keeps(&long));
        draft.keep(&long).unwrap();
        assert!(Draft::beside(&session, Masker::default()).take_up().is_some_and(|text| text == long));
    }

    #[test]
    fn a_text_that_could_not_be_kept_is_tried_again() {
        let folder = tempfile::tempdir().unwrap();
        let session = folder.path().join("s-1.jsonl");
        let mut draft = Draft::beside(&session, Masker::default());
        std::fs::create_dir(folder.path().join("s-1.draft-new")).unwrap();
        assert!(draft.keep("half").is_err() && draft.keep("half").is_err());
        std::fs::remove_dir(folder.path().join("s-1.draft-new")).unwrap();
        draft.keep("half").unwrap();
        assert_eq!(Draft::beside(&session, Masker::default()).take_up().as_deref(), Some("half"));
    }

    #[test]
    fn the_draft_of_a_process_that_runs_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let body = json!({ "v": 1, "pid": 1, "text": "theirs" }).to_string();
        std::fs::write(folder.path().join("s-1.draft"), &body).unwrap();
        let mut draft = Draft::beside(&folder.path().join("s-2.jsonl"), Masker::default());
        assert_eq!(draft.take_up(), None);
        // If its session has a file, only that session takes it up.
        std::fs::write(folder.path().join("s-3.jsonl"), "").unwrap();
        std::fs::write(folder.path().join("s-3.draft"), body.replace("theirs", "mine")).unwrap();
        assert_eq!(draft.take_up(), None);
        let mut of_file = Draft::beside(&folder.path().join("s-3.jsonl"), Masker::default());
        assert_eq!(of_file.take_up().as_deref(), Some("mine"));
    }
}
