//! Sentences about files that have several names (hard links): a confined run that writes into one of them changes what
//! the other names show, wherever those are.

use super::count;
use crate::domain::HardLinks;

/// `12 files have other names (hard links), …`; `None` if none was found and all were looked at.
pub(crate) fn in_rights(links: HardLinks) -> Option<String> {
    let HardLinks { files, all_seen } = links;
    if files == 0 {
        return None;
    }
    let (more, have, them) = match (all_seen, files) {
        (false, _) => ("at least ", if files == 1 { "has" } else { "have" }, "such files"),
        (true, 1) => ("", "has", "it"),
        (true, _) => ("", "have", "them"),
    };
    let files = count(files.into(), "file");
    Some(format!(
        "{more}{files} here {have} other names (hard links), which may lie elsewhere: what a run writes into {them} \
         changes there, too"
    ))
}

/// Follows a file that was created: `, has 1 other name (hard link)`, or changed: `, also under 1 other name (hard
/// link)`. A file that was created may be no more than a new name of an old one, and of a file that was changed perhaps
/// only the number of its names did, so neither says that what the other names show changed.
pub(crate) fn of_change(other_names: u32, is_created: bool) -> String {
    let how = if is_created { "has" } else { "also under" };
    match other_names {
        0 => String::new(),
        1 => format!(", {how} 1 other name (hard link)"),
        more => format!(", {how} {more} other names (hard links)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_told_where_there_are_some() {
        let told = |files, all_seen| in_rights(HardLinks { files, all_seen });
        assert_eq!((told(0, true), told(0, false)), (None, None));
        let one = told(1, true).unwrap_or_default();
        assert!(one.starts_with("1 file here has other names (hard links)"), "{one}");
        let many = told(40, false).unwrap_or_default();
        assert!(many.starts_with("at least 40 files here have other names"), "{many}");
        assert_eq!(of_change(0, true) + &of_change(0, false), "");
        assert_eq!(of_change(1, true), ", has 1 other name (hard link)");
        assert_eq!(of_change(2, false), ", also under 2 other names (hard links)");
    }
}
