//! Finds the environment that poetry made for a folder. Its name ends in a hash of the folder's path
//! (`EnvManager.generate_env_name`) and a version of Python. `envs.toml` beside the environments holds the version that
//! `poetry env use` chose.

use super::{MAX_ENTRIES, ProjectSite};
use crate::exec::settings_file::read_text;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use sha2::{Digest as _, Sha256};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use toml::Table;

/// The environment of a folder that is a poetry project.
pub(super) fn environment(folder: &Path, site: ProjectSite<'_>) -> Option<PathBuf> {
    if !["pyproject.toml", "poetry.lock"].iter().any(|name| folder.join(name).is_file()) {
        return None;
    }
    let all = folder_of_environments(folder, site)?;
    let real = fs::canonicalize(folder).ok()?;
    let hash = URL_SAFE.encode(Sha256::digest(real.as_os_str().as_bytes()));
    let mark = format!("-{}", hash.get(..8)?);
    let chosen = settings(&all.join("envs.toml")).and_then(|envs| {
        let (name, entry) = envs.iter().find(|(name, _)| name.ends_with(&mark))?;
        let minor = entry.get("minor")?.as_str()?;
        Some(format!("{name}-py{minor}"))
    });
    let entries = fs::read_dir(&all).ok()?.take(MAX_ENTRIES).filter_map(Result::ok);
    let versions = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let (_, version) = name.split_once(&format!("{mark}-py"))?;
        let numbers: Vec<u32> = version.split('.').map_while(|part| part.parse().ok()).collect();
        Some((chosen.as_ref() == Some(&name), numbers, name))
    });
    // The chosen version, else the newest.
    versions.max().map(|(_, _, name)| all.join(name))
}

/// Where poetry keeps environments: set by a variable, by the project, or by the person.
fn folder_of_environments(folder: &Path, site: ProjectSite<'_>) -> Option<PathBuf> {
    let person = site.place("POETRY_CONFIG_DIR").or_else(|| {
        let config = site.place("XDG_CONFIG_HOME").or_else(|| Some(site.home?.join(".config")))?;
        Some(config.join("pypoetry"))
    });
    let person = person.and_then(|person| settings(&person.join("config.toml")));
    let of_person = |names: &[&str]| {
        let value =
            names.iter().try_fold(toml::Value::Table(person.clone()?), |at, name| at.get(name).cloned());
        Some(value?.as_str()?.to_owned())
    };
    let cache = || {
        let usual = || {
            let cache = site.place("XDG_CACHE_HOME").or_else(|| Some(site.home?.join(".cache")))?;
            Some(cache.join("pypoetry"))
        };
        let said = of_person(&["cache-dir"]).and_then(|said| resolved(&said, folder, None, site.home));
        site.place("POETRY_CACHE_DIR").or(said).or_else(usual)
    };
    let of_person = || resolved(&of_person(&["virtualenvs", "path"])?, folder, cache(), site.home);
    site.place("POETRY_VIRTUALENVS_PATH")
        .or_else(|| chosen_folder(folder, site.home))
        .or_else(of_person)
        .or_else(|| Some(cache()?.join("virtualenvs")))
}

/// Whether a project itself sets where its environments are.
pub(super) fn names_folder(folder: &Path, home: Option<&Path>) -> bool {
    chosen_folder(folder, home).is_some()
}

/// The folder for environments that a project's `poetry.toml` sets.
fn chosen_folder(folder: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let settings = settings(&folder.join("poetry.toml"))?;
    resolved(settings.get("virtualenvs")?.get("path")?.as_str()?, folder, None, home)
}

/// A path from poetry's settings; `None` if it starts with a cache folder that is not known.
fn resolved(said: &str, folder: &Path, cache: Option<PathBuf>, home: Option<&Path>) -> Option<PathBuf> {
    let said = said.replace("{project-dir}", &folder.to_string_lossy());
    let path = match (said.strip_prefix("{cache-dir}"), said.strip_prefix("~/")) {
        (Some(rest), _) => cache?.join(rest.trim_start_matches('/')),
        (None, Some(rest)) => home?.join(rest),
        (None, None) => folder.join(said),
    };
    Some(path)
}

fn settings(file: &Path) -> Option<Table> {
    read_text(file)?.parse().ok()
}
