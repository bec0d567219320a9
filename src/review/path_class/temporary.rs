//! Temporary folders that the code makes for itself: where they are is not known, only that nothing else is in them.

use super::TargetClass;
use crate::review::value::HOLE;

/// Stands for such a folder. It is longer than a name in a folder may be (255 bytes), so that no path that exists
/// is taken for it.
pub(in crate::review) const TEMPORARY_FOLDER: &str = concat!(
    "\u{e000}temporary",
    "________________________________________________________________",
    "________________________________________________________________",
    "________________________________________________________________",
    "________________________________________________________________",
);

/// No file system has a name of this length.
const _: () = assert!(TEMPORARY_FOLDER.len() > 255);

/// A text as it is shown.
pub(in crate::review) fn shown(text: &str) -> String {
    text.replace(TEMPORARY_FOLDER, "@temporary")
}

/// What a path is that begins at such a folder; `None` for other paths.
pub(super) fn class(path: &str) -> Option<TargetClass> {
    let rest = path.strip_prefix(TEMPORARY_FOLDER)?;
    // The name of the folder may go on: `"$d.old"`.
    let below = rest.split_once('/').map_or("", |(_, below)| below);
    Some(if leads_out(below) { TargetClass::Unknown } else { TargetClass::Scratch })
}

/// Whether a path leads out of the folder in which it begins. What is not known of it may be no part at all.
fn leads_out(path: &str) -> bool {
    let mut depth = 0_usize;
    path.split('/').any(|part| {
        if part == ".." {
            let is_outside = depth == 0;
            depth = depth.saturating_sub(1);
            return is_outside;
        }
        depth += usize::from(!matches!(part, "" | ".") && !part.contains(HOLE));
        false
    })
}
