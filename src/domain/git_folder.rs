//! Folders of git's own, as git finds them: by what is in them, whatever their names. Which files in them git obeys, and
//! where their texts lead. Pure.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What git obeys in a folder of its own. A folder stands for everything in it.
pub(crate) const OBEYED_BY_GIT: [&str; 6] =
    ["hooks", "config", "config.worktree", "commondir", "gitdir", "info/attributes"];

/// The folders in which git keeps folders of its own for submodules and worktrees.
pub(crate) const INNER_FOLDERS: [&str; 2] = ["modules", "worktrees"];

/// What git keeps by the names of branches and hashes, which may be any.
pub(crate) const NAMED_BY_CONTENT: [&str; 3] = ["refs", "logs", "objects"];

/// Whether git takes a folder with these entries for one of its own. It checks no more than that they are there.
pub(crate) fn is_git_folder<'a>(entries: impl IntoIterator<Item = &'a OsStr>) -> bool {
    let (mut head, mut objects, mut refs, mut common) = (false, false, false, false);
    for name in entries {
        match name.to_string_lossy().to_lowercase().as_str() {
            "head" => head = true,
            "objects" => objects = true,
            "refs" => refs = true,
            "commondir" => common = true,
            _ => {}
        }
    }
    head && (objects && refs || common)
}

/// The folder in which git would obey this file, if that folder is one of git's own.
pub(crate) fn folder_that_obeys(path: &Path) -> Option<&Path> {
    let (parent, name) = (path.parent()?, path.file_name()?);
    let is = |name: &OsStr, wanted: &str| name.eq_ignore_ascii_case(wanted);
    if OBEYED_BY_GIT.iter().any(|wanted| is(name, wanted)) {
        return Some(parent);
    }
    let folder = parent.file_name()?;
    (is(folder, "hooks") || is(folder, "info") && is(name, "attributes")).then(|| parent.parent()).flatten()
}

/// Whether git obeys a file with these names because it lies in the folder of a submodule or a worktree.
pub(crate) fn is_obeyed_in_inner_folder(names: &[String]) -> bool {
    names.windows(2).enumerate().any(|(at, pair)| {
        let [git, kind] = pair else { return false };
        let inner = names.get(at + 2..).unwrap_or_default();
        git == ".git" && INNER_FOLDERS.contains(&kind.as_str()) && is_obeyed_below(inner)
    })
}

/// Whether names below `.git/modules`, the first ones those of a submodule, are of something that git obeys.
fn is_obeyed_below(inner: &[String]) -> bool {
    let Some((_, below)) = inner.split_first() else { return false };
    let kept = below.iter().take_while(|name| !NAMED_BY_CONTENT.contains(&name.as_str())).count();
    let obeyed = |at: usize, wanted: &str| {
        let wanted: Vec<&str> = wanted.split('/').collect();
        let is_last = at + wanted.len() == below.len() || wanted == ["hooks"];
        is_last
            && below.iter().skip(at).zip(&wanted).filter(|(name, wanted)| name == *wanted).count()
                == wanted.len()
    };
    (0..kept).any(|at| OBEYED_BY_GIT.iter().any(|wanted| obeyed(at, wanted)))
}

/// The path in a `.git` that is a file: `gitdir: ../.git/modules/sub`.
pub(crate) fn gitdir(text: &str) -> Option<&str> {
    text.strip_prefix("gitdir:").map(str::trim).filter(|path| !path.is_empty())
}

/// The folder of hooks that git's settings name.
pub(crate) fn hooks_path(settings: &str) -> Option<String> {
    core_setting(settings, "hookspath")
}

/// Where the hooks are that the settings in this folder of git's name. Git resolves a relative path where it works: at
/// the top of the person's files (beside its folder, or for a submodule the working tree that the settings name), or in
/// its own folder.
pub(crate) fn hooks_folders(git: &Path, settings: &str) -> Vec<PathBuf> {
    let Some(path) = hooks_path(settings) else { return Vec::new() };
    let tree = core_setting(settings, "worktree").map(|tree| git.join(tree));
    let starts = git.parent().into_iter().chain([git]).chain(tree.as_deref());
    starts.map(|start| start.join(&path)).collect()
}

/// The last value of a setting in the section `core`.
fn core_setting(settings: &str, name: &str) -> Option<String> {
    let (mut is_core, mut found) = (false, None);
    for line in settings.lines().map(str::trim) {
        let mut rest = line;
        if let Some((section, after)) = line.strip_prefix('[').and_then(|line| line.split_once(']')) {
            is_core = section.trim().eq_ignore_ascii_case("core");
            rest = after.trim();
        }
        let Some((key, value)) = rest.split_once('=').filter(|_| is_core) else { continue };
        if key.trim().eq_ignore_ascii_case(name) {
            let value = value.split(['#', ';']).next().unwrap_or_default();
            found = Some(value.trim().trim_matches('"').to_owned());
        }
    }
    found.filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_gits_by_what_is_in_it() {
        let is = |names: &[&str]| is_git_folder(names.iter().map(OsStr::new));
        assert!(is(&["HEAD", "config", "objects", "refs"]) && is(&["HEAD", "commondir"]));
        assert!(!is(&["HEAD", "config", "objects"]) && !is(&["config", "objects", "refs"]) && !is(&[]));
    }

    #[test]
    fn what_git_would_obey_is_found_with_its_folder() {
        for (path, folder) in [
            ("data/config", Some("data")),
            ("data/hooks/post-checkout", Some("data")),
            ("data/info/attributes", Some("data")),
            ("data/index", None),
            ("config", Some("")),
        ] {
            assert_eq!(folder_that_obeys(Path::new(path)), folder.map(Path::new), "{path}");
        }
    }

    #[test]
    fn settings_lead_to_hooks_and_a_file_to_its_folder() {
        assert_eq!(hooks_path("[core]\n\tbare = false\n\thooksPath = .githooks\n"), Some(".githooks".into()));
        assert_eq!(hooks_path("[core] hookspath=\"a b\" # mine\n[x]\n"), Some("a b".into()));
        assert_eq!(hooks_path("[user]\n\thooksPath = x\n"), None);
        let of_submodule = "[core]\n\tworktree = ../../../lib\n\thooksPath = tools\n";
        let git = Path::new("/w/.git/modules/lib");
        assert_eq!(
            hooks_folders(git, of_submodule),
            ["/w/.git/modules/tools", "/w/.git/modules/lib/tools", "/w/.git/modules/lib/../../../lib/tools"]
                .map(PathBuf::from)
        );
        assert!(hooks_folders(git, "[core]\n\tworktree = x\n").is_empty());
        assert_eq!(gitdir("gitdir: ../a\n"), Some("../a"));
        assert_eq!(gitdir("ref: x"), None);
    }
}
