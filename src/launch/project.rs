//! Finds the folders of the project around the working folder. Reads metadata only.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

const MAX_ANCESTORS: usize = 16;

/// Files that mark the root of a project that is no repository.
const ROOT_NAMES: &[&str] =
    &["pyproject.toml", ".venv", ".python-version", "poetry.lock", "environment.yml", "environment.yaml"];

/// The working folder and its parents up to the root of the project: the repository, else the nearest folder that looks
/// like a project. Never includes the home folder or a parent of it, or a folder that others may write to.
pub(crate) fn project_folders(cwd: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.into());
    let (here, home) = (real(cwd), home.map(real));
    let is_wide = |folder: &Path| {
        folder.parent().is_none() || home.as_ref().is_some_and(|home| home.starts_with(folder))
    };
    let mut folders = vec![cwd.to_path_buf()];
    let is_repository = |folder: &Path| folder.join(".git").exists();
    if is_wide(&here) || is_repository(&here) {
        return folders;
    }
    let owner = fs::metadata(&here).ok().map(|meta| meta.uid());
    let is_theirs =
        |folder: &Path| fs::metadata(folder).is_ok_and(|m| Some(m.uid()) == owner && m.mode() & 0o002 == 0);
    let above = here.ancestors().skip(1).take(MAX_ANCESTORS);
    let above: Vec<&Path> = above.take_while(|folder| !is_wide(folder) && is_theirs(folder)).collect();
    let is_project = |folder: &Path| ROOT_NAMES.iter().any(|name| folder.join(name).exists());
    let nearest =
        || if is_project(&here) { None } else { above.iter().position(|folder| is_project(folder)) };
    let root = above.iter().position(|folder| is_repository(folder)).or_else(nearest);
    folders.extend(above.iter().take(root.map_or(0, |at| at + 1)).map(|folder| folder.to_path_buf()));
    folders
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::{TestFolder, set_mode};

    fn folders(base: &Path, cwd: &str) -> Vec<String> {
        let of_base = |folder: PathBuf| folder.strip_prefix(base).unwrap().display().to_string();
        project_folders(&base.join(cwd), Some(base)).into_iter().map(of_base).collect()
    }

    #[test]
    fn a_project_ends_at_its_root_and_below_the_home_folder() {
        let TestFolder { base, .. } = &TestFolder::new();
        fs::create_dir_all(base.join("code/app/src/deep")).unwrap();
        assert_eq!(folders(base, "code/app/src"), ["code/app/src"], "no project");
        fs::write(base.join("pyproject.toml"), "").unwrap();
        fs::write(base.join("code/pyproject.toml"), "").unwrap();
        assert_eq!(folders(base, "code/app/src"), ["code/app/src", "code/app", "code"]);
        fs::write(base.join("code/app/.python-version"), "").unwrap();
        assert_eq!(folders(base, "code/app/src/deep"), ["code/app/src/deep", "code/app/src", "code/app"]);
        assert_eq!(folders(base, "code/app"), ["code/app"]);
        fs::create_dir(base.join("code/.git")).unwrap();
        assert_eq!(folders(base, "code/app"), ["code/app", "code"]);
        assert_eq!(folders(base, ""), [""], "the home folder itself");
        // A folder that others may write to is not part of the project.
        set_mode(&base.join("code"), 0o777);
        assert_eq!(folders(base, "code/app/src"), ["code/app/src", "code/app"]);
    }
}
