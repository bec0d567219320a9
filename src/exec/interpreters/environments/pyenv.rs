//! Finds the Python that `.python-version` asks for, among the versions installed by pyenv and uv.

use super::super::static_facts::one_name;
use super::{MAX_ENTRIES, ProjectSite};
use crate::exec::settings_file::read_text;
use crate::text::number::version_numbers;
use std::fs;
use std::path::{Path, PathBuf};

/// The version that a folder asks for.
pub(super) fn wanted(folder: &Path) -> Option<String> {
    let text = read_text(&folder.join(".python-version"))?;
    let wanted = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'))?;
    one_name(wanted).map(str::to_owned)
}

/// Whether this is a version number, not the name of an environment.
pub(super) fn is_plain_version(wanted: &str) -> bool {
    wanted.starts_with(|c: char| c.is_ascii_digit()) && wanted.chars().all(|c| c.is_ascii_digit() || c == '.')
}

/// Where this version is installed.
pub(super) fn environment(wanted: &str, site: ProjectSite<'_>) -> Option<PathBuf> {
    let below_home = |part: &str| site.home.map(|home| home.join(part));
    let pyenv = site.place("PYENV_ROOT").or_else(|| below_home(".pyenv")).map(|root| root.join("versions"));
    let uv = site.place("UV_PYTHON_INSTALL_DIR").or_else(|| below_home(".local/share/uv/python"));
    let of_pyenv = pyenv.and_then(|versions| {
        let exact = versions.join(wanted);
        if exact.is_dir() { Some(exact) } else { newest(&versions, "", wanted) }
    });
    of_pyenv.or_else(|| newest(&uv?, "cpython-", wanted))
}

/// The newest installed version that matches: `3.12` matches any 3.12.x.
fn newest(versions: &Path, prefix: &str, wanted: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(versions).ok()?.take(MAX_ENTRIES).filter_map(Result::ok);
    let fits = |name: String| {
        let version = name.strip_prefix(prefix)?.split('-').next()?;
        let rest = version.strip_prefix(wanted)?;
        (rest.is_empty() || rest.starts_with('.')).then(|| (version_numbers(version), name.clone()))
    };
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter_map(fits).max().map(|(_, name)| versions.join(name))
}
