//! Finds the Python environment of a project: in its own folder, the active one, or the one that a manager keeps
//! elsewhere, for the working folder or a folder above it up to the root of the project. Reads a limited amount, and
//! starts nothing. A file of the project can only choose among what the person has installed.

mod conda;
mod poetry;
mod pyenv;

use crate::launch::{is_program, project_folders};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// How many entries of a folder of environments are read.
const MAX_ENTRIES: usize = 4_096;

/// The working folder and home folder, and the environment variables.
#[derive(Clone, Copy)]
pub(super) struct ProjectSite<'a> {
    pub(crate) cwd: &'a Path,
    pub(crate) home: Option<&'a Path>,
    pub(crate) var: &'a dyn Fn(&str) -> Option<OsString>,
}

impl ProjectSite<'_> {
    /// The absolute path in a variable.
    fn place(&self, name: &str) -> Option<PathBuf> {
        (self.var)(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    fn folders(&self) -> Vec<PathBuf> {
        project_folders(self.cwd, self.home)
    }
}

/// The Python of the project, in the order in which the tools themselves choose: its own environment, the active one
/// (`VIRTUAL_ENV`, `CONDA_PREFIX`), that of poetry, that of conda by `environment.yml`, that of pyenv by
/// `.python-version`, and the base environment of conda if that is the active one.
pub(super) fn python_of(site: ProjectSite<'_>) -> Option<PathBuf> {
    let folders = site.folders();
    let python = |environment: PathBuf| Some(environment.join("bin/python")).filter(|at| is_program(at));
    let own = |folder: &Path| python(folder.join(".venv"));
    let named = |folder: &Path| {
        let named = ["venv", "env", "envs", ".conda"].map(|name| folder.join(name));
        named.into_iter().filter(|at| is_environment(at)).find_map(python)
    };
    let managed =
        |folder: &Path| poetry::environment(folder, site).or_else(|| conda::environment(folder, site));
    let managed = |folder: &Path| managed(folder).and_then(python);
    // The nearest folder that has an environment wins; within one folder its own environment comes first.
    let nearest = folders.iter().find_map(|folder| {
        own(folder)
            .map(|python| (Claim::Own, python))
            .or_else(|| named(folder).map(|python| (Claim::Named, python)))
            .or_else(|| managed(folder).map(|python| (Claim::Managed, python)))
    });
    let of_variable = |name: &str| {
        site.place(name).filter(|at| name != CONDA || !conda::is_base(at, site)).and_then(python)
    };
    let claims = [
        nearest,
        of_variable("VIRTUAL_ENV").map(|python| (Claim::Active, python)),
        of_variable(CONDA).map(|python| (Claim::ActiveConda, python)),
    ];
    let first = claims.into_iter().flatten().min_by_key(|(claim, _)| *claim).map(|(_, python)| python);
    let of_pyenv = || {
        folders
            .iter()
            .find_map(|folder| pyenv::wanted(folder))
            .and_then(|wanted| pyenv::environment(&wanted, site))
    };
    first.or_else(|| of_pyenv().and_then(python)).or_else(|| site.place(CONDA).and_then(python))
}

const CONDA: &str = "CONDA_PREFIX";

/// Why an environment is used, most important first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Claim {
    Own,
    Active,
    Named,
    ActiveConda,
    Managed,
}

/// Whether a folder is an environment made by venv or conda.
fn is_environment(folder: &Path) -> bool {
    folder.join("pyvenv.cfg").is_file() || folder.join("conda-meta").is_dir()
}

/// The version that the project's `.python-version` asks for, if the project has no Python.
pub(super) fn missing_version(site: ProjectSite<'_>) -> Option<String> {
    let wanted = site.folders().iter().find_map(|folder| pyenv::wanted(folder))?;
    (pyenv::is_plain_version(&wanted) && python_of(site).is_none()).then_some(wanted)
}

/// The environment of poetry at a place that the project itself sets, so that the project may have written it.
pub(in crate::exec) fn chosen_by_project(cwd: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let site = ProjectSite { cwd, home, var: &|name| std::env::var_os(name) };
    let folders = site.folders();
    folders
        .iter()
        .filter(|folder| poetry::names_folder(folder, home))
        .find_map(|f| poetry::environment(f, site))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::{TestFolder, make_pipe};
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE;
    use sha2::{Digest as _, Sha256};
    use std::fs;
    use std::os::unix::ffi::OsStrExt as _;

    impl TestFolder {
        fn found(&self, var: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
            self.found_in("work", var)
        }

        fn found_in(&self, cwd: &str, var: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
            let (cwd, home) = (self.at(cwd), self.at(""));
            python_of(ProjectSite { cwd: &cwd, home: Some(&home), var })
        }

        /// The name of poetry's environment for a folder, without the version.
        fn poetry(&self, folder: &str) -> String {
            let path = self.at(folder);
            format!("app-{}", &URL_SAFE.encode(Sha256::digest(path.as_os_str().as_bytes()))[..8])
        }
    }

    fn home() -> TestFolder {
        let home = TestFolder::new();
        fs::create_dir(home.at("work")).unwrap();
        home
    }

    #[test]
    fn projects_of_each_manager_are_found_in_their_order() {
        let home = home();
        let none = |_: &str| None;
        assert_eq!(home.found(&none), None);
        home.program(".pyenv/versions/3.12.3/bin/python", "");
        let newer = home.program(".pyenv/versions/3.12.11/bin/python", "");
        home.program("work/.python-version", "# ours\n3.12\n");
        assert_eq!(home.found(&none), Some(newer));
        let conda = home.program("miniforge3/envs/lab/bin/python", "");
        home.program("work/environment.yml", "name: lab  # ours\nchannels: [x]\n");
        assert_ne!(home.found(&none), Some(conda.clone()), "no environment of conda");
        home.program("miniforge3/envs/lab/conda-meta/history", "");
        assert_eq!(home.found(&none), Some(conda));
        let poetry = format!(".cache/pypoetry/virtualenvs/{}-py3.12/bin/python", home.poetry("work"));
        let poetry = home.program(&poetry, "");
        home.program("work/poetry.lock", "");
        assert_eq!(home.found(&none), Some(poetry));
        let active = home.program("active/bin/python", "");
        let root = home.at("active").into_os_string();
        assert_eq!(home.found(&|name| (name == "CONDA_PREFIX").then(|| root.clone())), Some(active.clone()));
        let named = home.program("work/venv/bin/python", "");
        assert_ne!(home.found(&none), Some(named.clone()), "a folder that is no environment");
        home.program("work/venv/pyvenv.cfg", "");
        assert_eq!(home.found(&none), Some(named));
        assert_eq!(home.found(&|name| (name == "VIRTUAL_ENV").then(|| root.clone())), Some(active));
        let own = home.program("work/.venv/bin/python", "");
        assert_eq!(home.found(&none), Some(own));
    }

    #[test]
    fn of_poetrys_environments_the_chosen_one_is_taken_else_the_newest() {
        let home = home();
        let none = |_: &str| None;
        home.program("work/pyproject.toml", "[tool.poetry]\nname = \"app\"\n");
        let name = home.poetry("work");
        let python = |folder: &str, version: &str| {
            home.program(&format!("{folder}/{name}-py{version}/bin/python"), "")
        };
        let all = ".cache/pypoetry/virtualenvs";
        let old = python(all, "3.9");
        assert_eq!(home.found(&none), Some(old.clone()), "no lock file is needed");
        let new = python(all, "3.12");
        assert_eq!(home.found(&none), Some(new.clone()), "3.9 is older than 3.12");
        home.program(&format!("{all}/envs.toml"), &format!("[{name}]\nminor = \"3.9\"\npatch = \"3.9.1\"\n"));
        assert_eq!(home.found(&none), Some(old));
        home.program(&format!("{all}/envs.toml"), &format!("[{name}]\nminor = \"3.8\"\n"));
        assert_eq!(home.found(&none), Some(new), "the chosen one is gone");
        // Settings of the person, then of the project.
        let set = python("kept/virtualenvs", "3.11");
        home.program(
            ".config/pypoetry/config.toml",
            &format!("cache-dir = \"{}\"\n", home.at("kept").display()),
        );
        assert_eq!(home.found(&none), Some(set));
        let set = python("elsewhere", "3.11");
        home.program(".config/pypoetry/config.toml", "[virtualenvs]\npath = \"~/elsewhere\"\n");
        assert_eq!(home.found(&none), Some(set));
        let own = python("work/.envs", "3.11");
        home.program("work/poetry.toml", "[virtualenvs]\npath = \".envs\"\n");
        assert_eq!(home.found(&none), Some(own.clone()));
        let own = own.parent().unwrap().parent().map(Into::into);
        assert_eq!(chosen_by_project(&home.at("work"), Some(&home.at(""))), own);
        home.program("work/poetry.toml", "[virtualenvs]\npath = \"/usr/bin\"\n");
        assert_eq!(
            chosen_by_project(&home.at("work"), Some(&home.at(""))),
            None,
            "no environment lies there"
        );
    }

    #[test]
    fn a_folder_inside_of_a_project_has_its_python() {
        let home = home();
        let none = |_: &str| None;
        fs::create_dir_all(home.at("work/src/deep")).unwrap();
        home.program("work/pyproject.toml", "");
        let pinned = home.program(".pyenv/versions/3.12.3/bin/python", "");
        home.program("work/.python-version", "3.12");
        assert_eq!(home.found_in("work/src/deep", &none), Some(pinned.clone()));
        let poetry = format!(".cache/pypoetry/virtualenvs/{}-py3.12/bin/python", home.poetry("work"));
        let poetry = home.program(&poetry, "");
        assert_eq!(home.found_in("work/src/deep", &none), Some(poetry));
        let own = home.program("work/.venv/bin/python", "");
        assert_eq!(home.found_in("work/src", &none), Some(own));
        // A file in the home folder belongs to no project.
        home.program(".python-version", "3.12");
        fs::create_dir(home.at("other")).unwrap();
        assert_eq!(home.found_in("other", &none), None);
    }

    #[test]
    fn the_base_of_conda_says_less_than_a_project_and_an_environment_beside_it_is_one() {
        let home = home();
        let base = home.program("miniforge3/bin/python", "");
        home.program("miniforge3/condabin/conda", "");
        let root = home.at("miniforge3").into_os_string();
        let var = |name: &str| (name == "CONDA_PREFIX").then(|| root.clone());
        assert_eq!(home.found(&var), Some(base));
        let pinned = home.program(".local/share/uv/python/cpython-3.12.8-linux-x86_64-gnu/bin/python", "");
        home.program(".local/share/uv/python/cpython-3.12.7-linux-x86_64-gnu/bin/python", "");
        home.program("work/.python-version", "3.12");
        assert_eq!(home.found(&var), Some(pinned));
        let own = home.program("work/env/bin/python", "");
        home.program("work/env/conda-meta/history", "");
        assert_eq!(home.found(&var), Some(own));
    }

    #[test]
    fn a_version_that_nobody_has_is_missing() {
        let home = home();
        let missing = |wanted: &str| {
            home.program("work/.python-version", wanted);
            let (cwd, home) = (home.at("work"), home.at(""));
            missing_version(ProjectSite { cwd: &cwd, home: Some(&home), var: &|_| None })
        };
        home.program(".pyenv/versions/3.12.3/bin/python", "");
        assert_eq!(missing("3.13.1\n"), Some("3.13.1".into()));
        for there in ["3.12", "3.12.3", "system", "lab"] {
            assert_eq!(missing(there), None, "{there}");
        }
    }

    #[test]
    fn what_names_a_place_elsewhere_names_nothing() {
        let home = home();
        home.program("evil/bin/python", "");
        for wanted in ["../../evil", "/evil", "", "..", "a/b"] {
            home.program("work/.python-version", wanted);
            home.program("work/environment.yml", &format!("name: {wanted}\n"));
            assert_eq!(home.found(&|_| None), None, "{wanted}");
        }
        fs::remove_file(home.at("work/.python-version")).unwrap();
        make_pipe(&home.at("work/.python-version"));
        assert_eq!(home.found(&|_| None), None, "a pipe holds nobody up");
    }
}
