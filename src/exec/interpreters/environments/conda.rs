//! Finds the conda environment that a folder names.

use super::super::static_facts::one_name;
use super::ProjectSite;
use crate::exec::settings_file::read_text;
use std::path::{Path, PathBuf};

/// Where conda and similar tools are installed, below the home folder and elsewhere.
const ROOTS: &[&str] = &[
    "miniconda3",
    "anaconda3",
    "miniforge3",
    "mambaforge",
    "micromamba",
    "miniconda",
    "anaconda",
    ".local/share/mamba",
    ".conda",
];
const ROOTS_OF_ALL: &[&str] = &["/opt/conda", "/opt/miniconda3", "/opt/anaconda3"];

/// The environment that `environment.yml` of a folder names.
pub(super) fn environment(folder: &Path, site: ProjectSite<'_>) -> Option<PathBuf> {
    let text =
        ["environment.yml", "environment.yaml"].iter().find_map(|name| read_text(&folder.join(name)))?;
    let name = text.lines().find_map(|line| line.strip_prefix("name:")).and_then(value)?;
    let all =
        roots(site).into_iter().map(|root| if name == "base" { root } else { root.join("envs").join(name) });
    all.chain(listed(site).into_iter().filter(|at| at.file_name().is_some_and(|last| last == name)))
        .find(|environment| environment.join("conda-meta").is_dir())
}

/// Whether this is the base environment of conda.
pub(super) fn is_base(prefix: &Path, site: ProjectSite<'_>) -> bool {
    let is_called = (site.var)("CONDA_DEFAULT_ENV").is_some_and(|name| name == "base");
    is_called || prefix.join("condabin").is_dir()
}

/// Where conda is installed; its own variables come first.
fn roots(site: ProjectSite<'_>) -> Vec<PathBuf> {
    let of_program = site.place("CONDA_EXE").and_then(|conda| Some(conda.parent()?.parent()?.to_path_buf()));
    let own = ROOTS.iter().filter_map(|root| Some(site.home?.join(root)));
    let of_all = ROOTS_OF_ALL.iter().map(PathBuf::from);
    of_program.into_iter().chain(site.place("MAMBA_ROOT_PREFIX")).chain(own).chain(of_all).collect()
}

/// The environments that conda has listed in its own file.
fn listed(site: ProjectSite<'_>) -> Vec<PathBuf> {
    let list =
        site.home.and_then(|home| read_text(&home.join(".conda/environments.txt"))).unwrap_or_default();
    list.lines().map(str::trim).filter(|line| line.starts_with('/')).map(PathBuf::from).collect()
}

/// The name in the rest of a YAML line, without quotes and comment.
fn value(rest: &str) -> Option<&str> {
    let rest = rest.trim();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
    let name = match quote {
        Some(quote) => rest.get(1..)?.split(quote).next()?,
        None => rest.split(" #").next()?.trim(),
    };
    one_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_before_a_remark_and_in_quotes() {
        for (rest, name) in [
            (" lab", Some("lab")),
            (" lab  # ours", Some("lab")),
            (" \"my lab\" # ours", Some("my lab")),
            (" 'lab'", Some("lab")),
            (" ../x", None),
            ("", None),
        ] {
            assert_eq!(value(rest), name, "{rest}");
        }
    }
}
