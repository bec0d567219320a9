//! Compares files and pictures of two runs, as far as their contents are known.

use super::{Comparer, Difference, DifferentPart, RunComparison};
use crate::domain::visible::visible_line;
use crate::domain::{FileChange, ImageRef, RunReport, Sha256};
use crate::text::names::and_more;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// What was read of the files and pictures of two runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownContents {
    /// Text files left by both runs that are equal except for what varies from run to run.
    pub(crate) alike: BTreeSet<String>,
    /// The hashes of pictures by their paths.
    pub(crate) pictures: BTreeMap<PathBuf, Sha256>,
}

/// Extensions of files in which programs write a timestamp or random names: different bytes in such a file are
/// reported, but are no difference, unless every byte counts.
const STAMPED_EXTENSIONS: [&str; 14] =
    ["docx", "eps", "gz", "jar", "ods", "odt", "pdf", "pptx", "ps", "svg", "tgz", "whl", "xlsx", "zip"];

/// Folders in which tools write timestamps: contents are ignored there, unless every byte counts.
const TOOL_FOLDERS: [&str; 4] = [".git", ".hg", ".venv", "__pycache__"];

impl Comparer {
    pub(super) fn files(&self, then: &RunReport, now: &RunReport, found: &mut RunComparison) {
        let (left, right) = (files_of(then), files_of(now));
        let paths: BTreeSet<&str> = left.keys().chain(right.keys()).copied().collect();
        // A file in a part that was not scanned may be the same as on the other side.
        let gap = |files: &BTreeMap<&str, &FileChange>, of: &RunReport, path: &str| {
            !files.contains_key(path) && of.receipt.not_looked_at.may_hide(path)
        };
        let (mut hidden, mut unread, mut stamped, mut first) = (false, Vec::new(), Vec::new(), None);
        for path in paths {
            let (then_file, now_file) = (left.get(path).copied(), right.get(path).copied());
            match then_file.zip(now_file).map(|(then, now)| self.same_file(then, now)) {
                Some(FileLikeness::Same) => {}
                Some(FileLikeness::OfSize) => unread.push(path),
                Some(FileLikeness::Stamped) => stamped.push(path),
                None if gap(&left, then, path) || gap(&right, now, path) => hidden = true,
                None | Some(FileLikeness::Other) => {
                    first.get_or_insert((then_file, now_file));
                }
            }
        }
        if hidden {
            found.gaps.push("not all files were looked at: only what both runs tell of is compared".into());
        }
        for (paths, why) in [
            (unread, "its content was not read"),
            (stamped, "its bytes are others, as those of such a file may be in each run"),
        ] {
            let Some(path) = paths.first().map(|path| visible_line(path)) else { continue };
            let more = and_more(paths.len() - 1);
            found.gaps.push(format!("only the size of {path}{more} was compared: {why}"));
        }
        found.differences.extend(first.map(|(then, now)| self.file_difference(then, now)));
    }

    /// The difference between what both runs did to a file; `None`: a run did nothing to it.
    fn file_difference(&self, then: Option<&FileChange>, now: Option<&FileChange>) -> Difference {
        // If both descriptions are equal, the contents differ: add their hashes.
        let described = |file: &FileChange| format!("{}: {}", file.path, self.file(file));
        let of_content = then.zip(now).is_some_and(|(then, now)| described(then) == described(now));
        let of = |file: Option<&FileChange>| {
            let content = file?.sha256.filter(|_| of_content).map(|hash| hash.to_string());
            let content = content.and_then(|hash| Some(format!(", sha256 {}…", hash.get(..12)?)));
            Some(described(file?) + &content.unwrap_or_default())
        };
        Difference { part: DifferentPart::Files, line: None, then: of(then), now: of(now) }
    }

    /// Whether the same happened to a file in both runs.
    fn same_file(&self, then: &FileChange, now: &FileChange) -> FileLikeness {
        let is_deleted = |file: &FileChange| file.change == "deleted";
        if !self.exact && !is_deleted(then) && !is_deleted(now) && self.known.alike.contains(&then.path) {
            return FileLikeness::Same;
        }
        if self.file(then) != self.file(now) {
            return FileLikeness::Other;
        }
        let is_of_tools = then.path.split('/').any(|part| TOOL_FOLDERS.contains(&part));
        match (then.sha256, now.sha256) {
            _ if is_deleted(then) || is_of_tools && !self.exact => FileLikeness::Same,
            (Some(then), Some(now)) if then == now => FileLikeness::Same,
            (Some(_), Some(_)) if !self.exact && is_stamped(&now.path) => FileLikeness::Stamped,
            (Some(_), Some(_)) => FileLikeness::Other,
            _ => FileLikeness::OfSize,
        }
    }

    /// What happened to a file. `created` and `changed` count as the same: a replay runs in a fresh folder, where the
    /// file did not exist before.
    fn file(&self, file: &FileChange) -> String {
        match file.change.as_str() {
            "created" | "changed" if !self.exact => format!("written, {} bytes", file.bytes),
            change if file.bytes > 0 || self.exact => format!("{change}, {} bytes", file.bytes),
            change => change.to_owned(),
        }
    }

    pub(super) fn pictures(&self, then: &RunReport, now: &RunReport, found: &mut RunComparison) {
        let sizes_of = |report: &RunReport| {
            // The order is random where several programs draw, or where pictures are files.
            let mut sizes: Vec<_> = report.all_images().map(|image| (image.width, image.height)).collect();
            sizes.sort_unstable();
            let sizes = sizes.iter().map(|(width, height)| format!("{width}x{height}"));
            Some(sizes.collect::<Vec<_>>().join(", ")).filter(|sizes| !sizes.is_empty())
        };
        let (left, right) = (sizes_of(then), sizes_of(now));
        self.texts(DifferentPart::Pictures, left.as_ref(), right.as_ref(), found);
        if !self.exact || left != right || left.is_none() {
            return;
        }
        let hashes = |report: &RunReport| -> Option<Vec<String>> {
            let hash = |image: &ImageRef| self.known.pictures.get(&image.path).map(ToString::to_string);
            let mut hashes: Vec<String> = report.all_images().map(hash).collect::<Option<_>>()?;
            hashes.sort();
            Some(hashes)
        };
        match (hashes(then), hashes(now)) {
            (Some(then), Some(now)) if then == now => {}
            (Some(then), Some(now)) => {
                let other = then.iter().zip(&now).find(|(then, now)| then != now);
                let shown = |hash: &String| Some(format!("sha256 {}…", hash.get(..12)?));
                let (then, now) = other.map(|(then, now)| (shown(then), shown(now))).unwrap_or_default();
                found.differences.push(Difference { part: DifferentPart::Pictures, line: None, then, now });
            }
            _ => found.gaps.push("only the sizes of pictures were compared: not all can be read".into()),
        }
    }
}

/// Whether the same happened to a file in both runs.
enum FileLikeness {
    Same,
    /// The size is the same; the content of at least one is not known.
    OfSize,
    /// The size is the same, the content differs, and may differ in each run.
    Stamped,
    Other,
}

fn is_stamped(path: &str) -> bool {
    let ending = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, ending)| ending);
    ending.is_some_and(|ending| STAMPED_EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(ending)))
}

fn files_of(report: &RunReport) -> BTreeMap<&str, &FileChange> {
    report.receipt.files.iter().map(|file| (file.path.as_str(), file)).collect()
}
