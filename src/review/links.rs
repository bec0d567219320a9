//! Where the paths that a text names lead through links. The caller resolves links on disk before the review; this file
//! only follows links that the text itself makes.

use super::folder::folder_of;
use super::path_class::join_folder;
use super::rules::EffectKind;
use super::value::{Act, Value};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

const MAX_LINKS: usize = 256;

/// Where paths lead, by their spelling in the effects of a review. Paths that lead to themselves are not listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// For paths that are read or written: all links are followed.
    pub(crate) followed: BTreeMap<String, PathBuf>,
    /// For paths that are deleted: links on the way are followed, but a link at the end is itself deleted.
    pub(crate) kept: BTreeMap<String, PathBuf>,
}

impl Links {
    /// Whether no path leads elsewhere.
    pub(crate) fn is_empty(&self) -> bool {
        self.followed.is_empty() && self.kept.is_empty()
    }

    /// Where a path leads, if elsewhere.
    pub(super) fn of(&self, path: &str, effect: Option<EffectKind>) -> Option<&Path> {
        let links = if effect == Some(EffectKind::Deletes) { &self.kept } else { &self.followed };
        links.get(path).map(PathBuf::as_path)
    }
}

/// The links that a text makes while it runs.
#[derive(Debug, Default)]
pub(super) struct MadeLinks(HashMap<String, String>);

impl MadeLinks {
    /// Adds the link that an act makes, if any; returns false if there are too many to remember it.
    pub(super) fn note(&mut self, act: &Act) -> bool {
        let Some((to, link)) = made_by(act) else { return true };
        let folder = folder_of(act);
        let link = join_folder(link.strip_prefix("./").unwrap_or(&link), folder);
        let beside = link.rsplit_once('/').map(|(folder, _)| folder).or(folder);
        let to = join_folder(&to, beside.filter(|folder| !folder.is_empty()));
        let is_remembered = self.0.len() < MAX_LINKS || self.0.contains_key(&link);
        if is_remembered {
            self.0.insert(link, to);
        }
        is_remembered
    }

    /// Where a path leads through a link that the text made: itself, or a folder on the way.
    pub(super) fn of(&self, path: &str) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        let path = path.strip_prefix("./").unwrap_or(path);
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        let mut found = None;
        for end in ends {
            if let Some(to) = path.get(..end).and_then(|head| self.0.get(head)) {
                found = Some(format!("{to}{}", path.get(end..).unwrap_or_default()));
            }
        }
        found
    }
}

/// The target and the path of the link that an act makes.
fn made_by(act: &Act) -> Option<(String, String)> {
    let text = |at: usize| act.value(at)?.as_whole_text().map(str::to_owned);
    match act.name.as_str() {
        "ln" => {
            let named = |name: &str| act.named.iter().any(|(key, _)| key == name);
            if !named("s") && !named("symbolic") {
                return None;
            }
            let to = text(0)?;
            let link = text(1).unwrap_or_else(|| to.rsplit('/').next().unwrap_or_default().to_owned());
            Some((to, link))
        }
        "os.symlink" | "fs.symlink" | "fs.symlinkSync" | "fs.promises.symlink" => Some((text(0)?, text(1)?)),
        "pathlib.Path().symlink_to" => {
            Some((text(0)?, act.receiver.as_ref().and_then(Value::as_whole_text)?.to_owned()))
        }
        _ => None,
    }
}
