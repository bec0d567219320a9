//! The Python environment of a project: its own folder, the one that is active, or the one that its manager keeps
//! elsewhere. Looks and reads, bounded; starts nothing. A file of the project only chooses among what the person has
//! installed.

use super::told::{one_name, text};
use crate::launch::is_program;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use sha2::{Digest as _, Sha256};
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// So many environments of poetry are looked at.
const ENTRIES: usize = 4_096;

/// Where conda is installed under the home folder, and outside of it.
const CONDA: &[&str] = &["miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", ".conda"];
const CONDA_OF_ALL: &[&str] = &["/opt/conda", "/opt/miniconda3", "/opt/anaconda3"];

/// The Python of the project in a folder, in the order in which the tools themselves choose: its own environment, the
/// active one (`VIRTUAL_ENV`, `CONDA_PREFIX`), poetry's, conda's by `environment.yml`, pyenv's by `.python-version`.
pub(super) fn python_of(
    cwd: &Path,
    home: Option<&Path>,
    var: &dyn Fn(&str) -> Option<OsString>,
) -> Option<PathBuf> {
    let folder = |name: &str| var(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let own = ["venv", "env"].map(|name| cwd.join(name));
    let own = own.into_iter().filter(|folder| folder.join("pyvenv.cfg").is_file());
    [Some(cwd.join(".venv")), folder("VIRTUAL_ENV")]
        .into_iter()
        .flatten()
        .chain(own)
        .chain(folder("CONDA_PREFIX"))
        .chain(of_poetry(cwd, home, &folder))
        .chain(of_conda(cwd, home))
        .chain(of_pyenv(cwd, home, &folder))
        .map(|environment| environment.join("bin/python"))
        .find(|python| is_program(python))
}

/// The environment that poetry made for this folder. Its name ends in a hash of the folder's path
/// (`EnvManager.generate_env_name`).
fn of_poetry(cwd: &Path, home: Option<&Path>, folder: &dyn Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    if !cwd.join("poetry.lock").is_file() {
        return None;
    }
    let cache = folder("POETRY_VIRTUALENVS_PATH")
        .or_else(|| Some(folder("POETRY_CACHE_DIR")?.join("virtualenvs")))
        .or_else(|| Some(home?.join(".cache/pypoetry/virtualenvs")))?;
    let real = fs::canonicalize(cwd).ok()?;
    let hash = URL_SAFE.encode(Sha256::digest(real.as_os_str().as_bytes()));
    let mark = format!("-{}-py", hash.get(..8)?);
    let entries = fs::read_dir(cache).ok()?.take(ENTRIES).filter_map(Result::ok);
    let mut found: Vec<PathBuf> =
        entries.filter(|e| e.file_name().to_string_lossy().contains(&mark)).map(|e| e.path()).collect();
    found.sort();
    found.pop()
}

/// The environment of conda that `environment.yml` names.
fn of_conda(cwd: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let text = ["environment.yml", "environment.yaml"].iter().find_map(|name| text(&cwd.join(name)))?;
    let name = text.lines().find_map(|line| line.strip_prefix("name:"))?;
    let name = one_name(name.trim().trim_matches(['"', '\'']))?;
    let own = CONDA.iter().filter_map(|root| Some(home?.join(root)));
    own.chain(CONDA_OF_ALL.iter().map(PathBuf::from))
        .map(|root| if name == "base" { root } else { root.join("envs").join(name) })
        .find(|environment| environment.join("conda-meta").is_dir())
}

/// The version of pyenv that `.python-version` names.
fn of_pyenv(cwd: &Path, home: Option<&Path>, folder: &dyn Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let text = text(&cwd.join(".python-version"))?;
    let root = folder("PYENV_ROOT").or_else(|| Some(home?.join(".pyenv")))?;
    let wanted = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'))?;
    let versions = root.join("versions");
    let exact = versions.join(one_name(wanted)?);
    if exact.is_dir() {
        return Some(exact);
    }
    // `3.12` is the newest of 3.12.
    let beginning = format!("{wanted}.");
    let entries = fs::read_dir(&versions).ok()?.take(ENTRIES).filter_map(Result::ok);
    let numbers = |name: &str| name.split('.').map_while(|part| part.parse::<u32>().ok()).collect::<Vec<_>>();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let newest = names.filter(|name| name.starts_with(&beginning)).max_by_key(|name| numbers(name))?;
    Some(versions.join(newest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    struct Home(tempfile::TempDir);

    impl Home {
        fn at(&self, path: &str) -> PathBuf {
            fs::canonicalize(self.0.path()).unwrap().join(path)
        }

        fn put(&self, path: &str, text: &str) -> PathBuf {
            let path = self.at(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            path
        }

        fn found(&self, var: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
            python_of(&self.at("work"), Some(&self.at("")), var)
        }
    }

    fn home() -> Home {
        let home = Home(tempfile::tempdir().unwrap());
        fs::create_dir(home.at("work")).unwrap();
        home
    }

    #[test]
    fn projects_of_each_manager_are_found_in_their_order() {
        let home = home();
        let none = |_: &str| None;
        assert_eq!(home.found(&none), None);
        home.put(".pyenv/versions/3.12.3/bin/python", "");
        let newer = home.put(".pyenv/versions/3.12.11/bin/python", "");
        home.put("work/.python-version", "# ours\n3.12\n");
        assert_eq!(home.found(&none), Some(newer));
        let conda = home.put("miniforge3/envs/lab/bin/python", "");
        home.put("work/environment.yml", "name: lab\nchannels: [x]\n");
        assert_ne!(home.found(&none), Some(conda.clone()), "no environment of conda");
        home.put("miniforge3/envs/lab/conda-meta/history", "");
        assert_eq!(home.found(&none), Some(conda));
        let hash = URL_SAFE.encode(Sha256::digest(home.at("work").as_os_str().as_bytes()));
        let poetry = format!(".cache/pypoetry/virtualenvs/app-{}-py3.12/bin/python", &hash[..8]);
        let poetry = home.put(&poetry, "");
        home.put("work/poetry.lock", "");
        assert_eq!(home.found(&none), Some(poetry));
        let active = home.put("active/bin/python", "");
        let root = home.at("active").into_os_string();
        assert_eq!(home.found(&|name| (name == "CONDA_PREFIX").then(|| root.clone())), Some(active.clone()));
        let named = home.put("work/venv/bin/python", "");
        assert_ne!(home.found(&none), Some(named.clone()), "a folder that is no environment");
        home.put("work/venv/pyvenv.cfg", "");
        assert_eq!(home.found(&none), Some(named));
        assert_eq!(home.found(&|name| (name == "VIRTUAL_ENV").then(|| root.clone())), Some(active));
        let own = home.put("work/.venv/bin/python", "");
        assert_eq!(home.found(&none), Some(own));
    }

    #[test]
    fn what_names_a_place_elsewhere_names_nothing() {
        let home = home();
        home.put("evil/bin/python", "");
        for wanted in ["../../evil", "/evil", "", "..", "a/b"] {
            home.put("work/.python-version", wanted);
            home.put("work/environment.yml", &format!("name: {wanted}\n"));
            assert_eq!(home.found(&|_| None), None, "{wanted}");
        }
        fs::remove_file(home.at("work/.python-version")).unwrap();
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        let fifo = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, home.at("work/.python-version"), fifo, mode, 0).unwrap();
        assert_eq!(home.found(&|_| None), None, "a pipe holds nobody up");
    }
}
