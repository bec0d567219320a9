//! The languages that sessions know: all that are configured, those whose program is installed, and the versions of
//! some of them.

use super::process_context::ProcessContext;
use crate::domain::{Language, Languages};
use crate::exec;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};

/// The languages of the configuration. Cheap to clone.
#[derive(Clone)]
pub(crate) struct KnownLanguages {
    pub(crate) all: Languages,
    here: Arc<OnceLock<Languages>>,
}

impl KnownLanguages {
    pub(super) fn new(all: Languages) -> Self {
        Self { all, here: Arc::default() }
    }

    /// Searches `PATH` for the programs in the background: it takes some hundred file lookups.
    pub(crate) fn prewarm(&self) {
        let known = self.clone();
        // If the thread can't be made, `available` searches when it is called.
        drop(thread::Builder::new().name("languages".into()).spawn(move || known.available().0.len()));
    }

    /// The languages whose program was on `PATH` at the first call.
    pub(super) fn available(&self) -> &Languages {
        self.here.get_or_init(|| exec::on_path(&self.all))
    }
}

type LanguageVersion = (Language, String);

/// The versions of Python, bash and node, found by reading files, without starting any of them. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct VersionSearch(Arc<Mutex<Option<JoinHandle<Vec<LanguageVersion>>>>>);

impl VersionSearch {
    /// Starts the search in the background, because it reads a whole program.
    pub(super) fn begin(&self, place: &ProcessContext, python: Option<&Path>) {
        let (place, python) = (place.clone(), python.map(Path::to_owned));
        let find = move || versions_now(&place, python.as_deref());
        // If the thread can't be made, `take` searches when it is called.
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) =
            thread::Builder::new().name("versions".into()).spawn(find).ok();
    }

    /// The result of the search that `begin` started. Later calls search again, since runs may install programs.
    pub(super) fn take(&self, place: &ProcessContext, python: Option<&Path>) -> Vec<LanguageVersion> {
        let begun = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let found = begun.and_then(|search| search.join().ok());
        found.unwrap_or_else(|| versions_now(place, python))
    }
}

fn versions_now(place: &ProcessContext, python: Option<&Path>) -> Vec<LanguageVersion> {
    exec::versions_by_files(&place.cwd, place.home.as_deref(), python)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::time::{Duration, Instant};

    /// Makes a Python environment in the folder that reports this version.
    fn environment(folder: &Path, version: &str) {
        let bin = folder.join(".venv/bin");
        fs::create_dir_all(&bin).unwrap();
        let python = bin.join("python");
        fs::write(&python, "").unwrap();
        std::os::unix::fs::symlink("python", bin.join("python3")).ok();
        fs::set_permissions(&python, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        fs::write(folder.join(".venv/pyvenv.cfg"), format!("version = {version}\n")).unwrap();
    }

    #[test]
    fn what_was_begun_is_told_once_and_then_looked_for_anew() {
        let home = tempfile::tempdir().unwrap();
        let folder = fs::canonicalize(home.path()).unwrap();
        let place = ProcessContext::find(Some(&folder)).unwrap();
        let python = folder.join(".venv/bin/python");
        let search = VersionSearch::default();
        let told = || {
            let found = search.take(&place, Some(&python));
            found
                .into_iter()
                .find(|(language, _)| *language == Language::python())
                .map(|(_, version)| version)
        };
        environment(&folder, "3.11.1");
        search.begin(&place, Some(&python));
        let is_over = || search.0.lock().unwrap().as_ref().is_none_or(JoinHandle::is_finished);
        let deadline = Instant::now() + Duration::from_secs(60);
        while !is_over() && Instant::now() < deadline {
            thread::yield_now();
        }
        // What was installed after the search does not change its result.
        environment(&folder, "3.12.2");
        assert_eq!(told().as_deref(), Some("3.11.1"));
        assert_eq!(told().as_deref(), Some("3.12.2"));
    }
}
