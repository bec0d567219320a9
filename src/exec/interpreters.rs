//! Finds the programs that run code: once, down to the real executable.
//!
//! Nothing is started here. What a program is, its links and folders tell ([`static_facts`]); where that is not enough, and the
//! program lies where neither a run nor the working folder's author can write, it is asked inside a sandbox
//! ([`super::asking`]): a version manager's stand-in for what it stands for, others for their version. What may not be
//! asked is found all the same, and runs once the person approved a block for it; its version is not known until then.

mod embedded_version;
pub(in crate::exec) mod environments;
mod installers;
mod resolving;
pub(crate) mod static_facts;
mod typescript;
mod versions;

use super::ExecutorError;
use super::asking::{QuestionResult, Questions};
use crate::domain::language::{LanguageEntry, RunMethod};
use crate::domain::{Interpreter, Language, Languages};
use crate::launch::{self, Launcher};
use environments::ProjectSite;
use static_facts::executable_path;
use std::collections::HashMap;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use versions::version_in;
pub(crate) use versions::versions_by_files;

/// Finds interpreters and remembers them.
#[derive(Debug)]
pub(super) struct Finder {
    languages: Languages,
    python: Option<PathBuf>,
    cwd: PathBuf,
    home: Option<PathBuf>,
    launcher: Launcher,
    questions: Arc<dyn Questions>,
    known: Mutex<HashMap<Language, Interpreter>>,
    ways: Mutex<HashMap<Language, RunMethod>>,
}

/// Where programs are looked for.
#[derive(Clone, Debug)]
pub(super) struct ProgramPaths {
    pub(crate) cwd: PathBuf,
    pub(crate) home: Option<PathBuf>,
    /// The Python that the person chose.
    pub(crate) python: Option<PathBuf>,
    /// What may be started.
    pub(crate) launcher: Launcher,
}

impl Finder {
    /// A finder that has not looked yet.
    pub(super) fn new(languages: Languages, place: ProgramPaths, questions: Arc<dyn Questions>) -> Self {
        let ProgramPaths { cwd, home, python, launcher } = place;
        Self {
            languages,
            python,
            cwd,
            home,
            launcher,
            questions,
            known: Mutex::default(),
            ways: Mutex::default(),
        }
    }

    /// The programs that may be started.
    pub(super) fn launcher(&self) -> &Launcher {
        &self.launcher
    }

    /// The languages that can be run.
    pub(super) fn languages(&self) -> &Languages {
        &self.languages
    }

    /// The interpreter of a language. May take some 150 ms the first time.
    ///
    /// # Errors
    /// When there is none.
    pub(super) fn find(&self, language: &Language) -> Result<Interpreter, ExecutorError> {
        if let Some(found) = self.known().get(language) {
            return Ok(found.clone());
        }
        let entry = self.entry(language)?;
        let mut why: Vec<(String, String)> = Vec::new();
        for way in entry.ways() {
            let found = match self.candidate(language, &way) {
                Some(candidate) => self.resolve(language, candidate),
                None => match self.chosen_program(language) {
                    Some(chosen) => return Err(ExecutorError::NoChosenPython(chosen.clone())),
                    None => {
                        let lacks = imported_package(&way).unwrap_or(&way.command).to_owned();
                        if !why.iter().any(|(known, _)| *known == lacks) {
                            why.push((lacks.clone(), lacks));
                        }
                        continue;
                    }
                },
            };
            match self.too_old(&found, &way) {
                // Of several ways with one program the last needs least of it.
                Some(old) => match why.iter_mut().find(|(known, _)| *known == way.command) {
                    Some((_, told)) => *told = old,
                    None => why.push((way.command, old)),
                },
                None => {
                    self.ways.lock().unwrap_or_else(PoisonError::into_inner).insert(language.clone(), way);
                    self.known().insert(language.clone(), found.clone());
                    return Ok(found);
                }
            }
        }
        let why: Vec<String> = why.into_iter().map(|(_, told)| told).collect();
        Err(match why.as_slice() {
            [only] => ExecutorError::NotInstalled(only.clone()),
            all => ExecutorError::NoneInstalled { language: language.clone(), programs: all.join(", ") },
        })
    }

    /// Whether a Python says that it has this module, where it may be asked.
    fn has(&self, python: &Path, module: &str) -> bool {
        let question = format!("import importlib.util as u; print(u.find_spec({module:?}) is not None)");
        self.ask(python, &["-I", "-c", &question]).text().is_some_and(|answer| answer.trim() == "True")
    }

    /// The way in which a language that was found is run, and the extension of its files.
    pub(super) fn run_method(&self, language: &Language) -> Option<(RunMethod, String)> {
        let way = self.ways.lock().unwrap_or_else(PoisonError::into_inner).get(language).cloned()?;
        let entry = self.entry(language).ok()?;
        Some((way, entry.extensions.first().cloned().unwrap_or_else(|| "txt".into())))
    }

    fn entry(&self, language: &Language) -> Result<&LanguageEntry, ExecutorError> {
        let entry = self.languages.0.iter().find(|entry| entry.name == *language);
        entry.ok_or_else(|| ExecutorError::NoInterpreter(language.clone()))
    }

    /// The program that the person chose for the language: no other stands in for it.
    fn chosen_program(&self, language: &Language) -> Option<&PathBuf> {
        self.python.as_ref().filter(|_| *language == Language::python())
    }

    /// Remembers the version that an interpreter told by itself.
    pub(super) fn learn(&self, language: &Language, version: String) {
        if let Some(known) = self.known().get_mut(language) {
            known.version = Some(version);
        }
    }

    /// All that are on this machine, with their versions where those can be known without starting anything that is
    /// not confined.
    pub(super) fn all(&self) -> Vec<Interpreter> {
        let look = |entry: &LanguageEntry| {
            let mut found = self.find(&entry.name).ok()?;
            if found.version.is_none() {
                let told = self.ask(&found.path, &["--version"]).text().and_then(|text| version_in(&text));
                found.version = told.or_else(|| static_facts::version(&found.path));
                if let Some(version) = &found.version {
                    self.learn(&entry.name, version.clone());
                }
            }
            Some(found)
        };
        // Each waits for a program most of the time.
        std::thread::scope(|scope| {
            let looks: Vec<_> =
                self.languages.0.iter().map(|entry| scope.spawn(move || look(entry))).collect();
            looks.into_iter().filter_map(|look| look.join().ok().flatten()).collect()
        })
    }

    /// The name by which a shell finds the program of a language, where it finds that one; behind a stand-in too.
    pub(super) fn command_name(&self, language: &Language) -> Option<String> {
        let way = self.ways.lock().unwrap_or_else(PoisonError::into_inner).get(language).cloned()?;
        let found = self.candidate(language, &way)?;
        (self.which(&way.command)? == found).then_some(way.command)
    }

    /// Whether Python has this module, which is not loaded for it: by its folders, else by its word where it may be
    /// asked.
    pub(super) fn python_has(&self, module: &str) -> bool {
        let Ok(python) = self.find(&Language::python()) else { return false };
        static_facts::holds_package(&python.path, self.home.as_deref(), module)
            || self.has(&python.path, module)
    }

    /// Whether Python may have this module: as [`Finder::python_has`], or from beside its environment, where nobody looked.
    pub(super) fn python_may_have(&self, module: &str) -> bool {
        let is_open = self.find(&Language::python()).is_ok_and(|python| static_facts::is_open(&python.path));
        is_open || self.python_has(module)
    }

    /// Whether this is the interpreter itself, in a place that only the person can write: it obeys no file of the folder
    /// that it is started in.
    pub(super) fn is_plain(&self, path: &Path) -> bool {
        self.launcher.trusts(path) && !static_facts::is_stand_in(path)
    }

    /// Puts a question to a program, where it may be started for one: never when a run, or who made the folder, could
    /// have put it there.
    fn ask(&self, program: &Path, args: &[&str]) -> QuestionResult {
        if self.launcher.trusts(program) {
            self.questions.ask(program, args)
        } else {
            QuestionResult::NotAsked
        }
    }

    /// The file of a command: one that can be trusted before one that can't.
    fn which(&self, command: &str) -> Option<PathBuf> {
        self.launcher.find(OsStr::new(command)).or_else(|| which(Path::new(command)))
    }

    /// Where the program of a language is looked for.
    fn candidate(&self, language: &Language, way: &RunMethod) -> Option<PathBuf> {
        if let Some(chosen) = self.chosen_program(language) {
            return which(chosen);
        }
        let of_project =
            (language.as_str() == "python").then(|| environments::python_of(self.site())).flatten();
        if imported_package(way).is_some_and(|package| !self.node_packages().join(package).is_dir()) {
            return None;
        }
        // Tools that compile as they run are mostly a project's own.
        let own = || which(&self.node_packages().join(".bin").join(&way.command));
        let of_node = || (language.as_str() == "typescript").then(own).flatten();
        of_project.or_else(|| self.which(&way.command)).or_else(of_node)
    }

    /// Where the folder's own packages for node are. Those of folders above it can't be read by runs.
    pub(super) fn node_packages(&self) -> PathBuf {
        self.cwd.join("node_modules")
    }

    fn site(&self) -> ProjectSite<'_> {
        ProjectSite { cwd: &self.cwd, home: self.home.as_deref(), var: &|name| env::var_os(name) }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<Language, Interpreter>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where a program is that is found by this name.
pub(super) fn program(name: &str) -> Option<PathBuf> {
    which(Path::new(name)).map(|path| executable_path(&path))
}

/// The file of a command on the `PATH` of this process.
fn which(command: &Path) -> Option<PathBuf> {
    launch::which(command, &env::var_os("PATH").unwrap_or_default())
}

/// The languages for which a program is on `PATH`; nothing is started, and no version is asked for.
pub fn on_path(languages: &Languages) -> Languages {
    let there = |entry: &&LanguageEntry| {
        let needs_version = |way: &RunMethod| way.since.is_some();
        entry.ways().iter().any(|way| !needs_version(way) && which(Path::new(&way.command)).is_some())
    };
    Languages(Arc::new(languages.0.iter().filter(there).cloned().collect()))
}

/// The package of the project without which node can't run TypeScript in this way, which is one of the shipped ones.
fn imported_package(way: &RunMethod) -> Option<&str> {
    let imports_tsx = way.arguments.windows(2).any(|words| words == ["--import", "tsx"]);
    (imports_tsx && way.command == "node").then_some("tsx")
}

#[cfg(test)]
mod tests;
