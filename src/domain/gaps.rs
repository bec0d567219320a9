//! The changes that a receipt does not list, so that silence is not taken for "nothing changed".

use super::sentences::count;
use serde::{Deserialize, Serialize};

const MAX_FOLDERS_SHOWN: usize = 3;

const ENDED_FIRST: &str = "nothing was compared, because sayso ended or looking broke off first";

/// What of the working folder was not checked for changes.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct UnscannedChanges {
    /// Folders that were not checked, or not completely (caches of tools, or folders with too many files), and `files`.
    pub folders: u32,
    /// How many of these are single files: programs of runs have them mapped, and they are too large to be read.
    #[serde(skip_serializing_if = "super::serial::is_zero")]
    pub files: u32,
    /// The first of these folders and files, relative to the working folder.
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
    /// Whether a program that a run left can't be looked into: what it stores into files that it has mapped would not be
    /// noticed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub memory_hidden: bool,
    /// Whether nothing was checked, because sayso ended first, or because the check broke off inside sayso.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ended_first: bool,
}

impl UnscannedChanges {
    /// Nothing was checked.
    pub(crate) fn everything() -> Self {
        Self { ended_first: true, ..Self::default() }
    }

    /// Whether an unlisted change of this file is possible.
    pub(crate) fn may_hide(&self, path: &str) -> bool {
        let is_named = |folder: &String| std::path::Path::new(path).starts_with(folder);
        self.changes > 0
            || self.ended_first
            || self.memory_hidden
            || self.names.iter().any(is_named)
            || usize::try_from(self.folders).is_ok_and(|folders| folders > self.names.len())
    }

    /// Whether everything was checked.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What was not checked, in words; one line each.
    pub(crate) fn lines(&self) -> Vec<String> {
        if self.ended_first {
            return vec![format!("the folder: {ENDED_FIRST}")];
        }
        let mut lines = Vec::new();
        if self.folders > 0 {
            let folders = self.folders.saturating_sub(self.files);
            let counted = [(folders, "folder"), (self.files, "file")].into_iter().filter(|(n, _)| *n > 0);
            let counted: Vec<_> = counted.map(|(n, what)| count(n.into(), what)).collect();
            let named = first_names(&self.names, self.folders as usize);
            lines.push(format!("{} ({named})", counted.join(" and ")));
        }
        if self.memory_hidden {
            lines.push("files that a program of a run has mapped: it can't be looked into".to_owned());
        }
        lines.extend(self.unknown_names());
        lines
    }

    /// These gaps, and what is not known of names that programs obey by themselves. Of too many folders nothing is
    /// compared, so what can't be read is not the reason then.
    pub(crate) fn with_unknown_names(self, are_too_many: bool, unreadable: Vec<String>) -> Self {
        let unreadable = if are_too_many { Vec::new() } else { unreadable };
        Self { names_incomplete: are_too_many || !unreadable.is_empty(), unreadable, ..self }
    }

    /// Why a change of names that programs obey by themselves may be missing, if so.
    pub(crate) fn unknown_names(&self) -> Option<String> {
        let why = if self.ended_first {
            ENDED_FIRST.to_owned()
        } else if self.unreadable.is_empty() {
            "there are too many folders".to_owned()
        } else {
            format!("what can't be read ({})", first_names(&self.unreadable, self.unreadable.len()))
        };
        (self.names_incomplete || self.ended_first)
            .then(|| format!("names that programs obey by themselves: {why}"))
    }
}

/// The first names of so many folders: `a, b, c, …`.
fn first_names(names: &[String], count: usize) -> String {
    let first: Vec<&str> = names.iter().take(MAX_FOLDERS_SHOWN).map(String::as_str).collect();
    format!("{}{}", first.join(", "), if count > MAX_FOLDERS_SHOWN { ", …" } else { "" })
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
        let closed = one.clone().with_unknown_names(false, vec!["sub".into()]);
        assert_eq!(closed.lines()[1], "names that programs obey by themselves: what can't be read (sub)");
        let too_many = one.clone().with_unknown_names(true, vec!["sub".into()]);
        assert_eq!(too_many, one, "what can't be read is not why nothing was compared");
        assert!(UnscannedChanges::default().with_unknown_names(false, Vec::new()).is_empty());
        let mapped = UnscannedChanges { folders: 3, files: 1, ..one.clone() };
        assert_eq!(mapped.lines()[0], "2 folders and 1 file (target)");
        assert_eq!(UnscannedChanges { files: 1, ..one }.lines()[0], "1 file (target)");
        let hidden = UnscannedChanges { memory_hidden: true, ..UnscannedChanges::default() };
        assert_eq!(hidden.lines(), ["files that a program of a run has mapped: it can't be looked into"]);
        assert!(hidden.may_hide("any"));
        let ended = UnscannedChanges::everything();
        let why = "nothing was compared, because sayso ended or looking broke off first";
        assert_eq!(ended.lines(), [format!("the folder: {why}")]);
        assert_eq!(ended.unknown_names(), Some(format!("names that programs obey by themselves: {why}")));
        assert!(ended.may_hide("any") && !ended.is_empty());
    }
}
