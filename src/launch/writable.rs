//! Decides where programs are not trusted: in folders that a run may write to, or that somebody else may have made.
//! Only reads links and metadata.

use super::project::project_folders;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

const MAX_LINKS: usize = 40;

/// Parts of the home folder that hold the person's own programs. They stay trusted when the whole home is the working
/// folder.
const HOME_PROGRAM_FOLDERS: &[&str] = &[
    ".asdf",
    ".bun",
    ".cargo",
    ".deno",
    ".juliaup",
    ".linuxbrew",
    ".local",
    ".nix-profile",
    ".nodenv",
    ".npm-global",
    ".nvm",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".sdkman",
    ".volta",
    "bin",
    "go/bin",
    "anaconda3",
    "mambaforge",
    "miniconda3",
    "miniforge3",
];

/// Folders of the system. They stay trusted when `/` is the working folder.
const SYSTEM_FOLDERS: &[&str] =
    &["/bin", "/gnu", "/home/linuxbrew", "/lib", "/lib64", "/nix", "/opt", "/sbin", "/snap", "/usr"];

/// The folders that runs may write to.
#[derive(Clone, Debug, Default)]
pub(crate) struct WritableFolders {
    /// Folders in which no program is trusted, both as named and with links resolved.
    avoid: Vec<PathBuf>,
    /// The virtual environment that is active in the shell, as named and with links resolved. Programs in it are not
    /// trusted, but are not foreign either, since the person chose it.
    active: Vec<PathBuf>,
    /// Working folders that contain the home folder or the whole disk, each with the places below it where programs are
    /// trusted: runs can't write there, and they are the person's or the system's.
    wide: Vec<(PathBuf, Vec<PathBuf>)>,
}

impl WritableFolders {
    /// The folders of a session: its working folder, folders that runs may write to beside it (`write`), and sayso's
    /// own folders (`own`). Also avoids the active virtual environment.
    pub(crate) fn new(cwd: &Path, home: Option<&Path>, write: &[PathBuf], own: &[PathBuf]) -> Self {
        let venv = std::env::var_os("VIRTUAL_ENV").filter(|venv| !venv.is_empty()).map(PathBuf::from);
        Self::with_venv(cwd, home, write, own, venv)
    }

    /// Exactly these folders.
    pub(crate) fn of(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { avoid: with_real(folders.into_iter().collect()), ..Self::default() }
    }

    fn with_venv(
        cwd: &Path,
        home: Option<&Path>,
        write: &[PathBuf],
        own: &[PathBuf],
        venv: Option<PathBuf>,
    ) -> Self {
        let cwd_real = canonical_or_same(cwd);
        let home = home.map(canonical_or_same).filter(|home| home.components().count() > 1);
        let holds_home = home.as_ref().is_some_and(|home| home.starts_with(&cwd_real));
        let is_wide = cwd_real == Path::new("/") || holds_home;
        let mut avoid: Vec<PathBuf> = write.iter().chain(own).cloned().collect();
        // If these are links, the author of the folder chose where they lead.
        avoid.extend([".venv", "venv", "env", "envs", ".conda", "node_modules"].map(|name| cwd.join(name)));
        if !is_wide {
            avoid.extend(project_folders(cwd, home.as_deref()));
            avoid.extend(repository(&cwd_real, home.as_deref()));
        }
        let avoid = with_real(avoid);
        let active = with_real(venv.map(|venv| cwd.join(venv)).into_iter().collect());
        let wide = is_wide.then(|| {
            let mut kept: Vec<PathBuf> = SYSTEM_FOLDERS.iter().map(PathBuf::from).collect();
            let home = home.iter().flat_map(|home| HOME_PROGRAM_FOLDERS.iter().map(|part| home.join(part)));
            kept.extend(home);
            (cwd_real, kept)
        });
        Self { avoid, active, wide: wide.into_iter().collect() }
    }

    /// Adds folders in which earlier runs worked; they count like the working folder.
    #[must_use]
    pub(crate) fn with_worked_folders(mut self, folders: &[PathBuf], home: Option<&Path>) -> Self {
        for folder in folders {
            let writable = Self::new(folder, home, &[], &[]);
            self.avoid.extend(writable.avoid);
            self.active.extend(writable.active);
            self.wide.extend(writable.wide);
        }
        self
    }

    /// Whether neither this path nor any link on the way to it lies in an avoided folder. A relative or missing path is
    /// not trusted.
    pub(crate) fn trusts(&self, path: &Path) -> bool {
        let is_active = |step: &Path| self.active.iter().any(|folder| step.starts_with(folder));
        every_step(path, |step| self.is_outside(step) && !is_active(step))
    }

    /// Whether somebody other than the person could have made this file, or chosen where its links lead. True for a
    /// relative or missing path.
    pub(crate) fn is_foreign(&self, path: &Path) -> bool {
        !every_step(path, |step| self.is_outside(step))
    }

    fn is_outside(&self, path: &Path) -> bool {
        let kept = |(wide, kept): &(PathBuf, Vec<PathBuf>)| {
            !path.starts_with(wide) || kept.iter().any(|folder| path.starts_with(folder))
        };
        !self.avoid.iter().any(|folder| path.starts_with(folder)) && self.wide.iter().all(kept)
    }
}

/// The repository around a folder; somebody else may have made all of it.
fn repository(cwd: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let top = cwd.ancestors().find(|folder| folder.join(".git").exists())?;
    let is_wide = top == Path::new("/") || home.is_some_and(|home| home.starts_with(top));
    (!is_wide).then(|| top.into())
}

/// The folders as named, and with links resolved.
fn with_real(mut folders: Vec<PathBuf>) -> Vec<PathBuf> {
    let resolved: Vec<PathBuf> = folders.iter().map(|folder| canonical_or_same(folder)).collect();
    folders.extend(resolved);
    folders.sort();
    folders.dedup();
    folders
}

fn canonical_or_same(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.into())
}

/// Whether a path is absolute and exists, and `holds` is true of it and of each link on the way.
fn every_step(path: &Path, holds: impl Fn(&Path) -> bool) -> bool {
    path.is_absolute() && walk(path).is_some_and(|steps| steps.iter().all(|step| holds(step)))
}

/// The links on the way to a path, then the path with all links resolved. `None` if it does not exist.
fn walk(path: &Path) -> Option<Vec<PathBuf>> {
    let mut steps = Vec::new();
    let mut at = PathBuf::from("/");
    let mut rest: VecDeque<OsString> = components(path);
    while let Some(part) = rest.pop_front() {
        if part == ".." {
            at.pop();
            continue;
        }
        let next = at.join(&part);
        if !fs::symlink_metadata(&next).ok()?.is_symlink() {
            at = next;
            continue;
        }
        let target = fs::read_link(&next).ok()?;
        steps.push(next);
        if steps.len() > MAX_LINKS {
            return None;
        }
        if target.is_absolute() {
            at = PathBuf::from("/");
        }
        for part in components(&target).into_iter().rev() {
            rest.push_front(part);
        }
    }
    steps.push(at);
    Some(steps)
}

fn components(path: &Path) -> VecDeque<OsString> {
    let part = |component: Component<'_>| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    };
    path.components().filter_map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::TestFolder;
    use std::os::unix::fs::symlink;

    fn disk() -> TestFolder {
        let disk = TestFolder::new();
        fs::create_dir_all(disk.at("home/own")).unwrap();
        for file in ["home/work/bin/sh", "home/out/sh", "home/.local/bin/sh", "tools/sh", "venv/bin/python"] {
            disk.file(file, "");
        }
        disk
    }

    impl TestFolder {
        fn writable(&self, cwd: &str) -> WritableFolders {
            let (home, write) = (self.base.join("home"), [self.base.join("home/out")]);
            let (own, venv) = ([self.base.join("home/own")], Some(self.base.join("venv")));
            WritableFolders::with_venv(&self.base.join(cwd), Some(&home), &write, &own, venv)
        }
    }

    #[test]
    fn folders_that_runs_may_write_are_not_trusted() {
        let disk = disk();
        let writable = disk.writable("home/work");
        for bad in ["home/work/bin/sh", "home/work", "home/out/sh", "home/own", "venv/bin/python", "gone"] {
            assert!(!writable.trusts(&disk.base.join(bad)), "{bad}");
            assert_eq!(writable.is_foreign(&disk.base.join(bad)), !bad.starts_with("venv"), "{bad}");
        }
        for good in ["tools/sh", "home/.local/bin/sh"] {
            assert!(writable.trusts(&disk.base.join(good)), "{good}");
            assert!(!writable.is_foreign(&disk.base.join(good)), "{good}");
        }
        for relative in ["", ".", "bin/sh", "./tools"] {
            assert!(!writable.trusts(Path::new(relative)), "{relative:?}");
        }
    }

    #[test]
    fn no_link_leads_through_such_a_folder() {
        let disk = disk();
        let at = |path: &str| disk.base.join(path);
        symlink(at("tools/sh"), at("home/work/bin/link")).unwrap();
        symlink(at("home/work/bin/sh"), at("tools/direct")).unwrap();
        symlink(at("home/work/bin/link"), at("tools/around")).unwrap();
        symlink(at("home/work"), at("tools/folder")).unwrap();
        symlink("sh", at("tools/fine")).unwrap();
        symlink("circle", at("tools/circle")).unwrap();
        let writable = disk.writable("home/work");
        for bad in
            ["home/work/bin/link", "tools/direct", "tools/around", "tools/folder/bin/sh", "tools/circle"]
        {
            assert!(!writable.trusts(&at(bad)), "{bad}");
        }
        assert!(!writable.trusts(&at("tools/../home/work/bin/sh")));
        assert!(writable.trusts(&at("tools/fine")));
        // The folder is avoided even when the session names it by a link.
        symlink(at("home/work"), at("short")).unwrap();
        assert!(!disk.writable("short").trusts(&at("home/work/bin/sh")));
    }

    #[test]
    fn a_repository_around_the_folder_is_not_trusted_but_a_home_is_as_far_as_its_programs_go() {
        let disk = disk();
        fs::create_dir_all(disk.base.join("home/work/deep/er")).unwrap();
        fs::create_dir_all(disk.base.join("home/work/.git")).unwrap();
        assert!(!disk.writable("home/work/deep/er").trusts(&disk.base.join("home/work/bin/sh")));
        let at_home = disk.writable("home");
        assert!(at_home.trusts(&disk.base.join("home/.local/bin/sh")));
        assert!(at_home.trusts(&disk.base.join("tools/sh")));
        assert!(!at_home.trusts(&disk.base.join("home/work/bin/sh")));
        let everywhere = disk.writable("..");
        assert!(!everywhere.trusts(&disk.base.join("tools/sh")) || everywhere.wide.is_empty());
        let root = WritableFolders::with_venv(Path::new("/"), None, &[], &[], None);
        assert!(root.trusts(Path::new("/usr")) && !root.trusts(&disk.base.join("tools/sh")));
    }

    #[test]
    fn where_runs_worked_before_nothing_is_trusted_either() {
        let disk = disk();
        let (before, program) = (disk.base.join("home/work"), disk.base.join("home/work/bin/sh"));
        let writable = WritableFolders::with_venv(&disk.base.join("fresh"), None, &[], &[], None);
        assert!(writable.trusts(&program));
        assert!(!writable.clone().with_worked_folders(&[before], None).trusts(&program));
        // The working folder was the home itself: programs that the person installed there stay trusted.
        let home = disk.base.join("home");
        let writable = writable.with_worked_folders(std::slice::from_ref(&home), Some(&home));
        assert!(!writable.trusts(&program) && writable.trusts(&home.join(".local/bin/sh")));
    }
}
