//! Resolves the links in the paths that a block would touch: before anyone decides about the block, and again right
//! before it starts.

use super::facts::resolve_links;
use super::target::absolute_path;
use crate::domain::Effects;
use crate::text::path::normalize;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// The most files for which a folder that is written into is searched for links.
const MAX_ENTRIES: usize = 256;

/// Where paths lead, by their spelling in the block.
pub(crate) type ResolvedPaths = BTreeMap<String, PathBuf>;

/// Resolves these paths and returns those that lead elsewhere than they say. With `to_end` a link at the end of a
/// path is resolved, too. A path with a pattern is resolved up to the folder before the pattern. Reads the disk, so
/// call it on a worker.
pub(crate) fn resolved_links<'p>(
    cwd: &Path,
    home: Option<&Path>,
    paths: impl IntoIterator<Item = &'p String>,
    to_end: bool,
) -> ResolvedPaths {
    let (cwd, home) = (resolve_links(cwd), home.map(resolve_links));
    let one = |text: &'p String| {
        let named = spelled_path(&cwd, home.as_deref(), text)?;
        let place = place(&as_the_run(&cwd, &named), to_end || text.ends_with('/'));
        (place != normalize(&named)).then(|| (text.clone(), place))
    };
    paths.into_iter().filter_map(one).collect()
}

/// Where the paths lead that a block reads or writes, and those that it deletes. If the block copies a file into a
/// folder that has a link of that name, the link is followed, too.
pub(crate) fn of_effects(
    cwd: &Path,
    home: Option<&Path>,
    effects: &Effects,
) -> (ResolvedPaths, ResolvedPaths) {
    let mut followed = resolved_links(cwd, home, effects.reads.iter().chain(&effects.writes), true);
    for folder in &effects.writes {
        let cwd = resolve_links(cwd);
        let Some(named) = spelled_path(&cwd, home, folder) else { continue };
        let inside = resolve_links(&as_the_run(&cwd, &named));
        if !inside.is_dir() {
            continue;
        }
        let names = effects.reads.iter().take(MAX_ENTRIES).filter_map(|path| Path::new(path).file_name());
        for name in names {
            let (into, place) = (inside.join(name), resolve_links(&inside.join(name)));
            if place != into {
                followed.insert(folder.clone(), place);
            }
        }
    }
    (followed, resolved_links(cwd, home, &effects.deletes, false))
}

/// The absolute path that a text means; `None` if that is not known.
fn spelled_path(cwd: &Path, home: Option<&Path>, text: &str) -> Option<PathBuf> {
    if text.is_empty() || text.len() > 4096 || text.starts_with(['@', '$']) {
        return None;
    }
    absolute_path(cwd, home, text).ok()
}

/// The path that a run in this folder means: its own folder where `/proc/self/cwd` would be that of sayso.
pub(crate) fn as_the_run(cwd: &Path, path: &Path) -> PathBuf {
    let own =
        ["/proc/self/cwd", "/proc/thread-self/cwd"].into_iter().find_map(|own| path.strip_prefix(own).ok());
    own.map_or_else(|| path.to_path_buf(), |below| cwd.join(below))
}

fn place(named: &Path, to_end: bool) -> PathBuf {
    let is_pattern = |part: &Component<'_>| part.as_os_str().to_string_lossy().contains(['*', '?', '[', '{']);
    let parts: Vec<Component<'_>> = named.components().collect();
    let known = parts.iter().position(is_pattern).unwrap_or(parts.len());
    let cut = if known == parts.len() && !to_end { known.saturating_sub(1) } else { known };
    let (head, tail) = parts.split_at(cut);
    let mut place = resolve_links(&head.iter().collect::<PathBuf>());
    place.extend(tail);
    normalize(&place)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::TestFolder;
    use std::os::unix::fs::symlink;

    /// A working folder and one outside of it, and where a path in the first leads.
    struct Fixture {
        work: TestFolder,
        out: TestFolder,
    }

    impl Fixture {
        fn new() -> Self {
            Self { work: TestFolder::new(), out: TestFolder::new() }
        }

        fn link(&self, to: impl AsRef<Path>, name: &str) {
            symlink(to, self.work.at(name)).unwrap();
        }

        fn writes(&self, path: &str) -> Option<PathBuf> {
            let writes = vec![path.to_owned()];
            of_effects(&self.work.base, None, &Effects { writes, ..Effects::default() }).0.remove(path)
        }
    }

    #[test]
    fn every_kind_of_link_is_followed_to_its_end() {
        let g = Fixture::new();
        g.out.file("keys", "x");
        g.link(g.out.at("keys"), "straight");
        g.link("straight", "chain");
        g.link("chain", "longer");
        g.link(g.out.at("missing"), "dangling");
        g.link(&g.out.base, "folder");
        let up = "../".repeat(16);
        g.link(format!("{up}{}", g.out.at("keys").strip_prefix("/").unwrap().display()), "relative");
        for name in
            ["straight", "./straight", "chain", "longer", "relative", "folder/keys", "folder/../beside"]
        {
            let found = g.writes(name);
            if name.contains("..") {
                assert!(found.is_some_and(|path| !path.starts_with(&g.work.base)), "{name}");
            } else {
                assert_eq!(found, Some(g.out.at("keys")), "{name}");
            }
        }
        assert_eq!(g.writes("dangling"), Some(g.out.at("missing")), "what would be made");
        assert_eq!(g.writes("folder/new/deep"), Some(g.out.at("new/deep")));
        assert_eq!(g.writes("folder/*.txt"), Some(g.out.at("*.txt")));
        assert_eq!(g.writes("plain"), None);
        assert_eq!(g.writes("a/../plain"), None);
    }

    #[test]
    fn the_folder_of_the_process_is_that_of_the_run_and_not_of_sayso() {
        let g = Fixture::new();
        g.link(g.out.at("keys"), "straight");
        assert_eq!(g.writes("/proc/self/cwd/plain"), Some(g.work.at("plain")));
        assert_eq!(g.writes("/proc/thread-self/cwd/plain"), Some(g.work.at("plain")));
        assert_eq!(g.writes("/proc/self/cwd/straight"), Some(g.out.at("keys")));
        assert_eq!(g.writes("/proc/self/exe"), None, "that of another program");
    }

    #[test]
    fn a_copy_into_a_folder_follows_the_link_of_that_name_there() {
        let g = Fixture::new();
        std::fs::create_dir(g.work.at("to")).unwrap();
        g.link(g.out.at("keys"), "to/a");
        let effects =
            Effects { reads: vec!["from/a".into()], writes: vec!["to".into()], ..Effects::default() };
        let (followed, _) = of_effects(&g.work.base, None, &effects);
        assert_eq!(followed.get("to"), Some(&g.out.at("keys")));
    }

    #[test]
    fn what_is_deleted_is_the_link_and_not_what_it_leads_to() {
        let g = Fixture::new();
        g.link(&g.out.base, "folder");
        let deletes = vec!["folder".into(), "folder/".into(), "folder/a".into()];
        let (_, kept) = of_effects(&g.work.base, None, &Effects { deletes, ..Effects::default() });
        let told: Vec<_> = kept.into_iter().collect();
        assert_eq!(
            told,
            [("folder/".to_owned(), g.out.at("")), ("folder/a".to_owned(), g.out.at("a"))]
                .map(|(n, p)| (n, normalize(&p)))
        );
    }
}
