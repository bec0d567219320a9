//! Finds the folders of interpreters and their packages, which must be readable for them to work, also below the home
//! folder.
//!
//! Starts nothing. What a working folder says about itself (a virtual environment that somebody else may have written)
//! never opens a folder outside of it.

use super::managers::MANAGERS;
use super::names::{SECRETS, SYSTEM};
use crate::exec::settings_file::read_text;
use crate::launch::Launcher;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// How many entries of one folder are read.
const MAX_ENTRIES: usize = 4096;

#[derive(Clone, Copy, Debug)]
pub(super) struct SearchScope<'a> {
    pub(crate) home: Option<&'a Path>,
    pub(crate) cwd: &'a Path,
    /// Folders of sayso's own.
    pub(crate) own: &'a [PathBuf],
    /// Knows which programs the person did not make.
    pub(crate) programs: &'a Launcher,
}

impl SearchScope<'_> {
    /// Whether a folder may become readable. Not one of the system (which is readable anyway) or in the working folder,
    /// not one that contains the home folder or sayso's own, and not one that is secret or contains secrets.
    fn fits(&self, folder: &Path) -> bool {
        let holds = |inner: &Path| inner.starts_with(folder);
        folder.is_absolute()
            && folder.components().count() > 2
            && !is_system(folder)
            && !folder.starts_with(self.cwd)
            && !self.home.is_some_and(holds)
            && !self.own.iter().any(|own| holds(own) || folder.starts_with(own))
            && !self.home.is_some_and(|home| is_secret(home, folder))
            && folder.exists()
    }
}

/// Whether a folder is a secret of the home folder, or is inside one or contains one.
fn is_secret(home: &Path, folder: &Path) -> bool {
    let secrets = SECRETS.iter().map(|name| home.join(name));
    secrets
        .into_iter()
        .any(|secret| folder.starts_with(&secret) || (secret.starts_with(folder) && secret.exists()))
}

/// Whether this is in a folder of the system.
pub(in crate::exec) fn is_system(path: &Path) -> bool {
    SYSTEM.iter().any(|system| path.starts_with(system))
}

/// The folders that programs in this `PATH` need.
pub(super) fn of_path(path: &OsStr, scope: SearchScope<'_>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in std::env::split_paths(path).filter(|folder| folder.is_absolute()) {
        let below = scope.home.and_then(|home| Some((home, folder.strip_prefix(home).ok()?)));
        match below {
            Some((home, below)) => {
                match MANAGERS.iter().find(|manager| below.starts_with(manager.known)) {
                    Some(manager) => found.extend(manager.parts.iter().map(|part| home.join(part))),
                    // A Python can't start without the files beside its programs.
                    None => found
                        .push(python_around(&folder).filter(|prefix| scope.fits(prefix)).unwrap_or(folder)),
                }
            }
            None => match (folder.file_name(), folder.parent()) {
                (Some(name), Some(parent)) if name == "bin" && scope.fits(parent) => {
                    found.push(parent.into());
                }
                _ => found.push(folder),
            },
        }
    }
    tidy(found, scope)
}

/// The folders that an interpreter needs in addition to those of the `PATH`.
pub(super) fn of_interpreter(program: &Path, python: bool, scope: SearchScope<'_>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let real = fs::canonicalize(program).unwrap_or_else(|_| program.into());
    let foreign = program.starts_with(scope.cwd) || scope.programs.is_foreign(program);
    if python {
        let base = prefix(&real).filter(|prefix| is_python(prefix));
        if let Some(venv) = prefix(program).filter(|venv| venv.join("pyvenv.cfg").is_file()) {
            let home = read_text(&venv.join("pyvenv.cfg")).and_then(|text| base_of(&text));
            found.extend(home.filter(|prefix| is_python(prefix)));
            found.push(venv);
        }
        found.extend(base);
        if !foreign {
            let prefixes = found.clone();
            found.extend(prefixes.iter().flat_map(|prefix| linked_packages(prefix)));
        }
        found.extend(
            scope.home.map(|home| home.join(".local/lib")).into_iter().flat_map(|lib| versions(&lib)),
        );
    } else if !foreign {
        found.extend(prefix(&real));
        found.extend(real.parent().map(Into::into));
    }
    tidy(found, scope)
}

/// Only what may become readable, each once, nothing inside of another.
pub(super) fn tidy(mut found: Vec<PathBuf>, scope: SearchScope<'_>) -> Vec<PathBuf> {
    found.retain(|folder| scope.fits(folder));
    found.sort();
    found.dedup();
    let all = found.clone();
    found.retain(|folder| !all.iter().any(|outer| outer != folder && folder.starts_with(outer)));
    found
}

/// The prefix of a program at `PREFIX/bin/program`.
fn prefix(program: &Path) -> Option<PathBuf> {
    let bin = program.parent().filter(|bin| bin.file_name().is_some_and(|name| name == "bin"))?;
    bin.parent().map(Into::into)
}

/// The prefix of the Python (conda's too) whose programs are in this folder.
fn python_around(programs: &Path) -> Option<PathBuf> {
    let name = programs.file_name()?;
    let prefix = programs.parent()?;
    let conda = || (name == "bin" || name == "condabin") && prefix.join("conda-meta").is_dir();
    ((name == "bin" && is_python(prefix)) || conda()).then(|| prefix.into())
}

/// Whether a folder is the prefix of a Python: it contains the standard library.
fn is_python(prefix: &Path) -> bool {
    ["lib", "lib64"].iter().any(|lib| versions(&prefix.join(lib)).iter().any(|v| v.join("os.py").is_file()))
}

/// The folders such as `python3.12` in a `lib` folder.
fn versions(lib: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(lib).into_iter().flatten().take(MAX_ENTRIES).filter_map(Result::ok);
    let is_python = |name: &OsStr| name.to_string_lossy().starts_with("python");
    entries.filter(|entry| is_python(&entry.file_name())).map(|entry| entry.path()).collect()
}

/// The prefix of the Python behind a virtual environment, from its `pyvenv.cfg`.
fn base_of(settings: &str) -> Option<PathBuf> {
    let home =
        settings.lines().filter_map(|line| line.split_once('=')).find(|(name, _)| name.trim() == "home")?;
    let bin = PathBuf::from(home.1.trim());
    fs::canonicalize(bin.parent()?).ok()
}

/// Folders of packages in development, to which `.pth` files link.
fn linked_packages(prefix: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for packages in versions(&prefix.join("lib")).iter().map(|version| version.join("site-packages")) {
        let entries = fs::read_dir(packages).into_iter().flatten().take(MAX_ENTRIES).filter_map(Result::ok);
        let links =
            entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "pth"));
        for text in links.filter_map(|path| read_text(&path)) {
            let folders = text.lines().map(str::trim).filter(|line| line.starts_with('/')).map(PathBuf::from);
            found.extend(folders.filter(|folder| folder.is_dir()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::WritableFolders;
    use crate::test_folder::{TestFolder, make_pipe};
    use std::os::unix::fs::symlink;

    impl TestFolder {
        fn python(&self, prefix: &str) -> PathBuf {
            self.file(&format!("{prefix}/lib/python3.12/os.py"), "");
            self.file(&format!("{prefix}/bin/python3.12"), "")
        }

        /// The launcher for this working folder.
        fn programs(&self, cwd: &str) -> Launcher {
            let folders = WritableFolders::new(&self.at(cwd), Some(&self.base), &[], &[]);
            Launcher::new(OsStr::new(""), folders)
        }

        /// What this search finds from this working folder.
        fn found_by(&self, cwd: &str, search: impl FnOnce(SearchScope<'_>) -> Vec<PathBuf>) -> Vec<PathBuf> {
            let (cwd, programs) = (self.at(cwd), self.programs(cwd));
            search(SearchScope { home: Some(&self.base), cwd: &cwd, own: &[], programs: &programs })
        }

        fn of_python(&self, program: &str, cwd: &str) -> Vec<PathBuf> {
            self.found_by(cwd, |scope| of_interpreter(&self.at(program), true, scope))
        }
    }

    #[test]
    fn a_manager_is_read_as_far_as_it_is_needed() {
        let home = TestFolder::new();
        home.file(".cargo/bin/cargo", "");
        home.file(".cargo/credentials.toml", "secret");
        home.file(".rustup/toolchains/stable/bin/rustc", "");
        home.file("bin/own", "");
        let own = home.base.clone();
        let folders = ["/usr/bin".into(), home.at(".cargo/bin"), home.at("bin"), own, home.at("gone")];
        let path = std::env::join_paths(&folders).unwrap();
        let found = home.found_by("work", |scope| of_path(&path, scope));
        assert_eq!(found, [home.at(".cargo/bin"), home.at(".rustup/toolchains"), home.at("bin")]);
    }

    #[test]
    fn a_python_on_the_path_is_read_whole_and_nothing_around_it() {
        let home = TestFolder::new();
        home.python("miniforge3");
        home.file("miniforge3/conda-meta/history", "");
        home.python("miniforge3/envs/lab");
        home.file("base/conda-meta/history", "");
        home.file("base/condabin/conda", "");
        // The home folder is never a prefix, whatever it contains; nor is a folder with secrets.
        home.python(".");
        home.python(".config");
        home.file(".config/gh/hosts.yml", "secret");
        let of = |folders: &[&str]| {
            let path = std::env::join_paths(folders.iter().map(|folder| home.at(folder))).unwrap();
            home.found_by("work", |scope| of_path(&path, scope))
        };
        assert_eq!(of(&["miniforge3/envs/lab/bin"]), [home.at("miniforge3/envs/lab")]);
        assert_eq!(of(&["miniforge3/bin", "miniforge3/envs/lab/bin"]), [home.at("miniforge3")]);
        assert_eq!(of(&["base/condabin"]), [home.at("base")]);
        assert_eq!(of(&["bin", ".config/bin"]), [home.at(".config/bin"), home.at("bin")]);
    }

    #[test]
    fn a_python_with_its_environment_and_its_linked_packages() {
        let home = TestFolder::new();
        let real = home.python("pythons/3.12");
        home.file("src/mine/setup.py", "");
        home.file("venvs/a/pyvenv.cfg", &format!("home = {}\n", real.parent().unwrap().display()));
        let mine = home.at("src/mine").display().to_string();
        home.file("venvs/a/lib/python3.12/site-packages/mine.pth", &mine);
        fs::create_dir_all(home.at("venvs/a/bin")).unwrap();
        symlink(&real, home.at("venvs/a/bin/python")).unwrap();
        let expected = [home.at("pythons/3.12"), home.at("src/mine"), home.at("venvs/a")];
        assert_eq!(home.of_python("venvs/a/bin/python", "work"), expected);
    }

    #[test]
    fn an_environment_in_the_working_folder_opens_nothing_else() {
        let home = TestFolder::with(&[("private/bin/tool", ""), ("private/notes", "secret")]);
        home.file("work/.venv/pyvenv.cfg", &format!("home = {}\n", home.at("private/bin").display()));
        let link = home.at("private").display().to_string();
        home.file("work/.venv/lib/python3.12/site-packages/x.pth", &link);
        fs::create_dir_all(home.at("work/.venv/bin")).unwrap();
        symlink(home.at("private/bin/tool"), home.at("work/.venv/bin/python")).unwrap();
        assert_eq!(home.of_python("work/.venv/bin/python", "work"), Vec::<PathBuf>::new());
        let python = home.at("work/.venv/bin/python");
        let found = home.found_by("work", |scope| of_interpreter(&python, false, scope));
        assert_eq!(found, Vec::<PathBuf>::new());
    }

    #[test]
    fn an_environment_of_the_repository_around_opens_itself_alone() {
        let home = TestFolder::new();
        home.file("private/notes", "secret");
        home.file(".ssh/id", "secret");
        home.file("repo/.git/HEAD", "");
        home.file("repo/venv/pyvenv.cfg", "");
        home.file("repo/venv/bin/python", "");
        let links = format!("{}\n{}\n", home.at("private").display(), home.at(".ssh").display());
        home.file("repo/venv/lib/python3.12/site-packages/x.pth", &links);
        fs::create_dir_all(home.at("repo/sub")).unwrap();
        symlink("../venv", home.at("repo/sub/venv")).unwrap();
        assert_eq!(home.of_python("repo/venv/bin/python", "repo/sub"), [home.at("repo/venv")]);
        // Not even a foreign environment opens a secret.
        let expected = [home.at("private"), home.at("repo/venv")];
        assert_eq!(home.of_python("repo/venv/bin/python", "work"), expected);
    }

    #[test]
    fn a_pipe_holds_nobody_up() {
        let home = TestFolder::new();
        home.python("work/.venv");
        let pipe = home.at("work/.venv/pyvenv.cfg");
        make_pipe(&pipe);
        assert_eq!(read_text(&pipe), None);
        assert_eq!(home.of_python("work/.venv/bin/python3.12", "work"), Vec::<PathBuf>::new());
    }

    #[test]
    fn the_home_folder_and_our_own_are_never_opened() {
        let home = TestFolder::with(&[("sayso/bin/x", "")]);
        let (cwd, own, programs) = (home.at("work"), [home.at("sayso")], home.programs("work"));
        let scope = SearchScope { home: Some(&home.base), cwd: &cwd, own: &own, programs: &programs };
        let path = std::env::join_paths([home.base.parent().unwrap(), &home.at("sayso/bin"), Path::new("/")]);
        assert_eq!(of_path(&path.unwrap(), scope), Vec::<PathBuf>::new());
    }
}
