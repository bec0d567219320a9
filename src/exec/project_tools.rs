//! Gives all programs of this machine one common `PATH`: in front, the Python that blocks use, under its usual names,
//! and the Python tools of its environment; after the person's `PATH`, the other commands of that environment, of the
//! project and of the session's packages.
//!
//! Only names of Python precede the person's own programs: nothing else in a working folder can replace a program that
//! the review knows by name, such as `ls`. The review treats the preceding names as running what the project says.

use super::environment::{self, Environment};
use super::interpreters::{self, Finder, static_facts};
use super::node_modules::{self, NodeModules};
use super::{blob, packages, plan, sandbox};
use crate::domain::{Language, ProjectPython};
use crate::launch::{self, is_program};
use crate::text::shell::quoted;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Commands that must be those of the Python in use, because they load the modules that it would load.
const TOOLS: &[&str] = &[
    "pytest",
    "py.test",
    "ipython",
    "jupyter",
    "tox",
    "nox",
    "coverage",
    "black",
    "ruff",
    "flake8",
    "pylint",
    "mypy",
    "pyright",
    "isort",
    "sphinx-build",
];

/// The programs that runs find in addition to the person's own.
#[derive(Clone, Debug, Default)]
pub(super) struct ProjectTools {
    /// The Python of blocks.
    in_use: Option<PathBuf>,
    /// The same Python, if `python3` on the `PATH` is another one or the project asks for another one.
    python: Option<ProjectPython>,
    /// The folder with its programs, if that is not the system's.
    programs: Option<PathBuf>,
    /// The names that precede the `PATH`, and the command that each starts.
    front: Vec<(String, String)>,
    /// The folder that contains those names.
    names: PathBuf,
    /// Folders after the `PATH`.
    behind: Vec<PathBuf>,
    /// The session's packages of Python; below, those of node.
    packages: PathBuf,
    node: NodeModules,
}

impl ProjectTools {
    pub(super) fn of(finder: &Finder, blobs: &Path) -> Self {
        let packages = packages::folder(blobs, "python");
        let node = NodeModules::of(blobs);
        let mut tools =
            Self { behind: vec![finder.node_packages().join(".bin")], packages, node, ..Self::default() };
        tools.names = blobs.join("packages").join("bin");
        if let Ok(python) = finder.find(&Language::python()) {
            let bin = python.path.parent().filter(|bin| bin.ends_with("bin") && !sandbox::is_system(bin));
            tools.programs = bin.map(Into::into);
            tools.behind.splice(0..0, tools.programs.clone());
            tools.in_use = Some(python.path.clone());
            let wanted = finder.missing_python();
            if wanted.is_some() || interpreters::program("python3").as_deref() != Some(&*python.path) {
                let version = static_facts::version(&python.path).or(python.version);
                tools.python = Some(ProjectPython { path: python.path, version, wanted });
            }
        }
        tools.behind.extend([tools.packages.join("bin"), tools.node.folder().join(".bin")]);
        tools
    }

    /// The Python of blocks; all programs may read what it needs.
    pub(super) fn in_use(&self) -> Option<&Path> {
        self.in_use.as_deref()
    }

    /// The Python under its usual names, if it is not the one on the `PATH` or not the one that the project asks for.
    pub(super) fn python(&self) -> Option<&ProjectPython> {
        self.python.as_ref()
    }

    /// Sets the `PATH`, and writes the preceding names to a folder beside the session.
    pub(super) fn set_path(&mut self, env: &mut Environment) {
        self.node.add_to(env);
        let own = environment::value(env, "PATH").cloned().unwrap_or_else(|| "/usr/bin:/bin".into());
        let front = self.front_names(&own);
        // Unchanged names are not written again: a kernel may be reading them.
        if front != self.front {
            self.front = if write_names(&self.names, &front).is_ok() { front } else { Vec::new() };
        }
        let own: Vec<PathBuf> = env::split_paths(&own).collect();
        let of_session = [self.packages.as_path(), self.node.folder()];
        let is_there = |folder: &&PathBuf| {
            folder.is_dir() || of_session.iter().any(|packages| folder.starts_with(packages))
        };
        let behind: Vec<PathBuf> =
            self.behind.iter().filter(is_there).filter(|folder| !own.contains(folder)).cloned().collect();
        let names = (!self.front.is_empty()).then(|| self.names.clone());
        // Fails if a folder has a colon in its name; then the `PATH` stays.
        if let Ok(path) = env::join_paths(names.into_iter().chain(own).chain(behind)) {
            plan::set(env, "PATH", path);
        }
        let prefix = self.programs.as_deref().and_then(Path::parent).filter(|_| self.python.is_some());
        if let Some(prefix) = prefix {
            if prefix.join("pyvenv.cfg").is_file() {
                plan::set(env, "VIRTUAL_ENV", prefix);
            } else if prefix.join("conda-meta").is_dir() {
                plan::set(env, "CONDA_PREFIX", prefix);
            }
        }
    }

    /// The names that must precede those on this `PATH`, and the shell command that each starts.
    fn front_names(&self, path: &OsString) -> Vec<(String, String)> {
        let Some(python) = &self.in_use else { return Vec::new() };
        let found = |name: &str| launch::which(Path::new(name), path);
        let is_same = |name: &str, wanted: &Path| {
            found(name).is_some_and(|found| {
                found == wanted
                    || static_facts::executable_path(&found) == static_facts::executable_path(wanted)
            })
        };
        let words = |path: &Path| path.to_str().map(quoted);
        let (Some(start), Some(packages)) = (words(python), words(&self.packages)) else { return Vec::new() };
        let begin = format!("PYTHONPATH=\"${{PYTHONPATH-{packages}}}\" exec");
        let mut front = Vec::new();
        let mut add = |name: &str, start: &str| front.push((name.to_owned(), format!("{begin} {start}")));
        if !is_same("python3", python) {
            for (name, arguments) in
                [("python", ""), ("python3", ""), ("pip", " -m pip"), ("pip3", " -m pip")]
            {
                add(name, &format!("{start}{arguments}"));
            }
        }
        let version = self.python.as_ref().and_then(|python| python.version.clone());
        let minor = version.or_else(|| static_facts::version(python)).and_then(|version| minor(&version));
        if let Some(minor) = minor.filter(|minor| !is_same(&format!("python{minor}"), python)) {
            add(&format!("python{minor}"), &start);
            add(&format!("pip{minor}"), &format!("{start} -m pip"));
        }
        // The session's packages come before those of the environment, as in Python itself.
        let folders = [Some(self.packages.join("bin")), self.programs.clone()];
        for name in TOOLS {
            let at = folders.iter().flatten().map(|folder| folder.join(name)).find(|at| is_program(at));
            if let Some(at) = at.filter(|at| found(name).is_some_and(|found| found != *at))
                && let Some(at) = words(&at)
            {
                add(name, &at);
            }
        }
        front
    }

    /// Makes the session's Python packages visible to programs other than the kernel.
    pub(super) fn add_package_path(&self, env: &mut Environment) {
        plan::set(env, "PYTHONPATH", &self.packages);
    }

    /// Makes node packages that are installed later visible to what the kernel starts.
    pub(super) fn add_variable_for_later_packages(&self, env: &mut Environment) {
        self.node.add_variable_for_later_packages(env);
    }
}

/// `3.12` of `3.12.4`.
fn minor(version: &str) -> Option<String> {
    let mut parts = version.split('.');
    let (major, minor) = (parts.next()?, parts.next()?);
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    (is_number(major) && is_number(minor)).then(|| format!("{major}.{minor}"))
}

/// Removes what was written beside the session.
pub(super) fn clear(blobs: &Path) {
    remove(&blobs.join("packages").join("bin"));
    node_modules::clear(blobs);
}

/// Removes one of our folders. Does nothing if its parent is a link, which a run without a sandbox may have put there.
fn remove(folder: &Path) {
    if !blob::is_in_linked_folder(folder) {
        let _ = fs::remove_dir_all(folder);
    }
}

/// Writes a script for each name. A link would not work: Python recognizes its environment by the path of its own file.
fn write_names(folder: &Path, names: &[(String, String)]) -> io::Result<()> {
    if blob::is_in_linked_folder(folder) {
        return Err(io::Error::other("a link stands in the place of the folder that holds it"));
    }
    // A run without a sandbox may have put a link there, which must not be written through.
    remove(folder);
    blob::make_folder(folder).map_err(io::Error::other)?;
    for (name, start) in names {
        let file = folder.join(name);
        fs::write(&file, format!("#!/bin/sh\n{start} \"$@\"\n"))?;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::{TestFolder, printed};

    fn value(env: &Environment, name: &str) -> Option<String> {
        environment::value(env, name).map(|value| value.to_string_lossy().into_owned())
    }

    fn tools(base: &Path, python: &str) -> ProjectTools {
        let python = base.join(python);
        let programs = python.parent().unwrap().to_path_buf();
        let told = ProjectPython { path: python.clone(), version: Some("3.12.4".into()), wanted: None };
        ProjectTools {
            in_use: Some(python),
            python: Some(told),
            behind: vec![programs.clone(), base.join("node_modules/.bin"), base.join("packages/bin")],
            programs: Some(programs),
            front: Vec::new(),
            names: base.join("names"),
            packages: base.join("packages"),
            node: NodeModules::of(base),
        }
    }

    #[test]
    fn only_names_of_python_stand_before_the_programs_of_the_person() {
        let folder = TestFolder::new();
        let base = &folder.base;
        for name in ["python", "pytest", "mypy", "ls"] {
            folder.program(&format!("venv/bin/{name}"), "");
        }
        for name in ["python3", "python3.12", "pytest", "ls"] {
            folder.program(&format!("own/{name}"), "");
        }
        fs::write(base.join("venv/pyvenv.cfg"), "").unwrap();
        let mut tools = tools(base, "venv/bin/python");
        let own = base.join("own").display().to_string();
        let mut env = vec![("PATH".into(), own.clone().into())];
        tools.set_path(&mut env);
        let base = base.display();
        let wanted = format!("{base}/names:{own}:{base}/venv/bin:{base}/packages/bin");
        assert_eq!(value(&env, "PATH"), Some(wanted));
        assert_eq!(value(&env, "VIRTUAL_ENV"), Some(format!("{base}/venv")));
        assert_eq!(value(&env, "NODE_PATH"), Some(format!("{base}/packages/node/node_modules")));
        let mut names: Vec<_> = tools.front.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        // mypy comes after the person's own programs, and ls is the program that the review takes it for.
        assert_eq!(names, ["pip", "pip3", "pip3.12", "pytest", "python", "python3", "python3.12"]);
        tools.add_package_path(&mut env);
        assert_eq!(value(&env, "PYTHONPATH"), Some(format!("{base}/packages")));
    }

    #[test]
    fn nothing_stands_in_front_where_the_path_has_the_same() {
        let folder = TestFolder::new();
        let base = &folder.base;
        for name in ["python", "pytest"] {
            folder.program(&format!("venv/bin/{name}"), "");
        }
        std::os::unix::fs::symlink("python", base.join("venv/bin/python3")).unwrap();
        std::os::unix::fs::symlink("python", base.join("venv/bin/python3.12")).unwrap();
        let mut tools = ProjectTools { python: None, ..tools(base, "venv/bin/python") };
        let own = base.join("venv/bin").display().to_string();
        let mut env = vec![("PATH".into(), own.clone().into())];
        tools.set_path(&mut env);
        assert_eq!(tools.front, []);
        assert_eq!(value(&env, "PATH"), Some(format!("{own}:{}/packages/bin", base.display())));
    }

    #[test]
    fn a_tool_that_comes_later_stands_in_front_and_the_sessions_before_the_environments() {
        let folder = TestFolder::new();
        let base = &folder.base;
        for path in ["conda/bin/python", "own/pytest"] {
            folder.program(path, "");
        }
        fs::create_dir(base.join("conda/conda-meta")).unwrap();
        let mut tools = tools(base, "conda/bin/python");
        let mut starts = || {
            let mut env = vec![("PATH".into(), base.join("own").into())];
            tools.set_path(&mut env);
            assert_eq!(value(&env, "CONDA_PREFIX"), Some(base.join("conda").display().to_string()));
            let start = tools.front.iter().find(|(name, _)| name == "pytest").map(|(_, start)| start.clone());
            assert_eq!(start.is_some(), base.join("names/pytest").exists());
            start
        };
        assert_eq!(starts(), None);
        folder.program("conda/bin/pytest", "");
        assert!(starts().unwrap().contains("conda/bin/pytest"));
        folder.program("packages/bin/pytest", "");
        assert!(starts().unwrap().contains("packages/bin/pytest"));
    }

    #[test]
    fn the_names_start_that_python_whatever_its_path_holds() {
        let folder = TestFolder::new();
        let python = folder.program("it's \"$HOME\" `here`", "#!/bin/sh\necho \"$PYTHONPATH\" \"$@\"\n");
        let names = folder.at("names");
        let tools = ProjectTools { in_use: Some(python), packages: "/p".into(), ..ProjectTools::default() };
        let front = tools.front_names(&OsString::new());
        write_names(&names, &front).unwrap();
        let said = |name: &str, arguments: &[&str]| {
            let mut command = std::process::Command::new(names.join(name));
            printed(command.args(arguments).env_remove("PYTHONPATH"))
        };
        assert_eq!(said("python3", &["a b", "-c"]), "/p a b -c\n");
        assert_eq!(said("pip", &["list"]), "/p -m pip list\n");
        let kept: Vec<_> = fs::read_dir(&names).unwrap().collect();
        assert_eq!(kept.len(), 4);
        // A link in place of the folder is not followed.
        let other = folder.file("other", "kept");
        fs::remove_file(names.join("pip")).unwrap();
        std::os::unix::fs::symlink(&other, names.join("pip")).unwrap();
        write_names(&names, &front).unwrap();
        let expected = ("kept", "/p -m pip\n");
        assert_eq!((fs::read_to_string(&other).unwrap().as_str(), said("pip", &[]).as_str()), expected);
        // Nor is a link in place of its parent.
        let precious = folder.file("home/bin/precious", "");
        std::os::unix::fs::symlink(folder.at("home"), folder.at("packages")).unwrap();
        clear(&folder.base);
        assert!(precious.exists());
    }
}
