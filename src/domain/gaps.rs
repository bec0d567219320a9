//! The changes that a receipt does not list, so that silence is not taken for "nothing changed".

use serde::{Deserialize, Serialize};

const MAX_FOLDERS_SHOWN: usize = 3;

/// What of the working folder was not checked for changes.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct UnscannedChanges {
    /// Folders that were not checked, or not completely: caches of tools, or folders with too many files.
    pub folders: u32,
    /// The first of these folders, relative to the working folder.
    pub names: Vec<String>,
    /// Changes that were found but are not listed.
    pub changes: u32,
    /// Whether the check for names that programs obey by themselves was incomplete: there were too many folders, or
    /// some of them can't be read.
    #[serde(rename = "obeyed")]
    pub names_incomplete: bool,
    /// The first of the folders that can't be read, so that nothing is known of such names in them; relative to the
    /// working folder.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<String>,
}

impl UnscannedChanges {
    /// Whether an unlisted change of this file is possible.
    pub(crate) fn may_hide(&self, path: &str) -> bool {
        let is_named = |folder: &String| std::path::Path::new(path).starts_with(folder);
        self.changes > 0
            || self.names.iter().any(is_named)
            || usize::try_from(self.folders).is_ok_and(|folders| folders > self.names.len())
    }

    /// Whether everything was checked.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What was not checked, in words; one line each.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.folders > 0 {
            let named = self.names.iter().take(MAX_FOLDERS_SHOWN).cloned().collect::<Vec<_>>().join(", ");
            let more = if self.folders as usize > MAX_FOLDERS_SHOWN { ", …" } else { "" };
            let s = if self.folders == 1 { "" } else { "s" };
            lines.push(format!("{} folder{s} ({named}{more})", self.folders));
        }
        lines.extend(self.unknown_names());
        lines
    }

    /// Why a change of names that programs obey by themselves may be missing, if so.
    pub(crate) fn unknown_names(&self) -> Option<String> {
        let why = if self.unreadable.is_empty() {
            "there are too many folders".to_owned()
        } else {
            let named =
                self.unreadable.iter().take(MAX_FOLDERS_SHOWN).cloned().collect::<Vec<_>>().join(", ");
            let more = if self.unreadable.len() > MAX_FOLDERS_SHOWN { ", …" } else { "" };
            format!("what can't be read ({named}{more})")
        };
        self.names_incomplete.then(|| format!("names that programs obey by themselves: {why}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_looked_at_is_told_in_words() {
        assert!(UnscannedChanges::default().is_empty() && UnscannedChanges::default().lines().is_empty());
        let names = ["node_modules", "target", "a/target", "b/target"].map(str::to_owned).to_vec();
        let gaps = UnscannedChanges { folders: 4, names, changes: 7, ..UnscannedChanges::default() };
        assert_eq!(gaps.lines(), ["4 folders (node_modules, target, a/target, …)"]);
        let one = UnscannedChanges {
            folders: 1,
            names: vec!["target".into()],
            names_incomplete: true,
            ..UnscannedChanges::default()
        };
        assert_eq!(one.lines()[0], "1 folder (target)");
        assert!(one.lines()[1].contains("too many folders"));
        let closed = UnscannedChanges { unreadable: vec!["sub".into()], ..one };
        assert_eq!(closed.lines()[1], "names that programs obey by themselves: what can't be read (sub)");
    }
}
