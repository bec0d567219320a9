//! Chooses the file of functions for a new function: the usual one, another configured one, or one in the working
//! folder or beside them that the person named. Only reads: the file is written by a block that the person decides
//! about.

use super::{Fact, TextError, named_text, own_text, with_timeout};
use crate::recipe::names_in;
use std::path::{Component, Path, PathBuf};

/// The files of the person's own functions.
#[derive(Clone, Debug, Default)]
pub struct FunctionFiles {
    /// The configured files, the usual one first; never empty.
    pub(crate) files: Vec<PathBuf>,
    /// The person's home folder, for `~`.
    pub(crate) home: Option<PathBuf>,
}

/// Why a new function can't be added where the person said.
#[derive(Debug, thiserror::Error)]
pub(super) enum FunctionsError {
    #[error("{} is no file of Python: its name has to end in .py", .0.display())]
    NoPython(PathBuf),
    #[error("{} lies neither in the working folder nor beside your files of functions", .0.display())]
    Elsewhere(PathBuf),
    #[error("the file of functions can't be read: {0}")]
    Text(#[from] TextError),
}

/// The facts about the file that the person named.
pub(super) async fn facts(own: &FunctionFiles, cwd: &Path, named: &str) -> Result<Vec<Fact>, FunctionsError> {
    let path = own.named(cwd, named.trim()).await?;
    let text = match is_there(&path).await {
        Some(false) => String::new(),
        // The configuration names it, so the person chose where it leads.
        _ if own.files.contains(&path) => own_text(path.clone()).await?,
        _ => named_text(cwd, path.clone()).await?,
    };
    let mut elsewhere = String::new();
    for other in own.files.iter().filter(|other| **other != path) {
        // If it can't be read, that is reported where it is loaded.
        let text = own_text(other.clone()).await.unwrap_or_default();
        elsewhere += &names_in(other, &text);
    }
    let shown = path.strip_prefix(cwd).unwrap_or(&path).to_string_lossy().into_owned();
    let facts = [("functions_file", shown), ("functions_text", text), ("functions_elsewhere", elsewhere)];
    Ok(facts.map(|(name, fact)| (name.to_owned(), fact)).to_vec())
}

impl FunctionFiles {
    /// The path that the person means. A bare name is a file in the working folder, or else a configured file of that
    /// name.
    async fn named(&self, cwd: &Path, named: &str) -> Result<PathBuf, FunctionsError> {
        if named.is_empty() {
            return Ok(self.files.first().cloned().unwrap_or_default());
        }
        let from_home = named.strip_prefix("~/").zip(self.home.as_ref());
        let path = from_home.map_or_else(|| cwd.join(named), |(rest, home)| home.join(rest));
        if self.files.contains(&path) {
            return Ok(path);
        }
        if let Some(file) = self.files.iter().find(|file| file.file_name() == Some(named.as_ref()))
            && is_there(&path).await == Some(false)
        {
            return Ok(file.clone());
        }
        let climbs = path.components().any(|part| part == Component::ParentDir);
        let beside = self.files.iter().filter_map(|file| file.parent());
        if climbs
            || !(path.starts_with(cwd) || beside.into_iter().any(|folder| path.parent() == Some(folder)))
        {
            return Err(FunctionsError::Elsewhere(path));
        }
        if path.extension().is_none_or(|end| end != "py") {
            return Err(FunctionsError::NoPython(path));
        }
        Ok(path)
    }
}

/// Whether a file exists; `None` if that can't be found out in time.
async fn is_there(path: &Path) -> Option<bool> {
    let path = path.to_path_buf();
    with_timeout(move || path.try_exists()).await?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[tokio::test]
    async fn a_file_is_named_in_the_working_folder_or_beside_those_that_are_configured() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        let (work, config) = (base.join("work"), base.join("config"));
        for folder in [&work, &config, &base.join("other")] {
            fs::create_dir_all(folder).unwrap();
        }
        let files = ["functions.py", "tools.py"].map(|name| config.join(name)).to_vec();
        fs::write(&files[0], "def rate(): pass\nLIMIT = 1\n").unwrap();
        fs::write(work.join("lib.py"), "X = 1\n").unwrap();
        let own = FunctionFiles { files: files.clone(), home: Some(base.to_path_buf()) };
        let beside = config.join("new.py").to_string_lossy().into_owned();
        let known = format!("rate {0}\nLIMIT {0}\n", files[0].display());
        for (named, file, text, elsewhere) in [
            ("", files[0].to_string_lossy().into_owned(), "def rate(): pass\nLIMIT = 1\n", ""),
            ("lib.py", "lib.py".into(), "X = 1\n", known.as_str()),
            ("pack/new.py", "pack/new.py".into(), "", &known),
            ("tools.py", files[1].to_string_lossy().into_owned(), "", &known),
            ("~/config/tools.py", files[1].to_string_lossy().into_owned(), "", &known),
            (&beside, beside.clone(), "", &known),
        ] {
            let facts = facts(&own, &work, named).await.unwrap();
            let facts: Vec<&str> = facts.iter().map(|(_, fact)| fact.as_str()).collect();
            assert_eq!(facts, [file.as_str(), text, elsewhere], "{named}");
        }
        for (named, why) in [
            ("../other/x.py", "neither in the working folder"),
            ("~/other/x.py", "neither in the working folder"),
            ("/etc/x.py", "neither in the working folder"),
            ("notes.txt", "no file of Python"),
            ("pack/../../other/x.py", "neither"),
        ] {
            let told = facts(&own, &work, named).await.unwrap_err().to_string();
            assert!(told.contains(why), "{named}: {told}");
        }
        fs::write(base.join("other/key.py"), "secret = 1\n").unwrap();
        std::os::unix::fs::symlink("../other/key.py", work.join("link.py")).unwrap();
        let told = facts(&own, &work, "link.py").await.unwrap_err().to_string();
        assert!(told.contains("link.py leads out of the working folder, to /"), "{told}");
        fs::write(work.join("bytes.py"), b"\xff").unwrap();
        let told = facts(&own, &work, "bytes.py").await.unwrap_err().to_string();
        assert!(told.contains("the file of functions can't be read: this file is no text"), "{told}");
    }
}
