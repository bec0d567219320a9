//! Finds the programs that run code, resolved to the real executable, and remembers them.
//!
//! Nothing is started here. What a program is follows from its links and folders ([`static_facts`]). If that is not
//! enough, and the program lies where neither a run nor the author of the working folder can write, it is queried
//! inside a sandbox ([`super::asking`]): a version manager's shim for the program behind it, others for their version.
//! A program that may not be queried is found all the same, and runs once the person approves a block for it; until
//! then its version is unknown.

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

#[derive(Debug)]
pub(super) struct Finder {
    languages: Languages,
    place: ProgramPaths,
    questions: Arc<dyn Questions>,
    known: Mutex<HashMap<Language, Interpreter>>,
    ways: Mutex<HashMap<Language, RunMethod>>,
}

#[derive(Clone, Debug)]
pub(super) struct ProgramPaths {
    pub(crate) cwd: PathBuf,
    pub(crate) home: Option<PathBuf>,
    /// The Python that the person chose.
    pub(crate) python: Option<PathBuf>,
    /// The programs that may be started.
    pub(crate) launcher: Launcher,
}

impl Finder {
    /// A finder that has not searched yet.
    pub(super) fn new(languages: Languages, place: ProgramPaths, questions: Arc<dyn Questions>) -> Self {
        Self { languages, place, questions, known: Mutex::default(), ways: Mutex::default() }
    }

    pub(super) fn launcher(&self) -> &Launcher {
        &self.place.launcher
    }

    pub(super) fn languages(&self) -> &Languages {
        &self.languages
    }

    /// The interpreter of a language. The first call may take some 150 ms.
    ///
    /// # Errors
    /// When there is none, or only ones that are too old.
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
                // If several ways use the same program, the last one is the least demanding, so its message is kept.
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

    /// Whether this Python says that it has a module; false if it may not be queried.
    fn has(&self, python: &Path, module: &str) -> bool {
        let question = format!("import importlib.util as u; print(u.find_spec({module:?}) is not None)");
        self.ask(python, &["-I", "-c", &question]).text().is_some_and(|answer| answer.trim() == "True")
    }

    /// How a language that was found is run, and the extension of its files.
    pub(super) fn run_method(&self, language: &Language) -> Option<(RunMethod, String)> {
        let way = self.ways.lock().unwrap_or_else(PoisonError::into_inner).get(language).cloned()?;
        let entry = self.entry(language).ok()?;
        Some((way, entry.extensions.first().cloned().unwrap_or_else(|| "txt".into())))
    }

    fn entry(&self, language: &Language) -> Result<&LanguageEntry, ExecutorError> {
        let entry = self.languages.0.iter().find(|entry| entry.name == *language);
        entry.ok_or_else(|| ExecutorError::NoInterpreter(language.clone()))
    }

    /// The program that the person chose for the language. No other is used in its place.
    fn chosen_program(&self, language: &Language) -> Option<&PathBuf> {
        self.place.python.as_ref().filter(|_| *language == Language::python())
    }

    /// Remembers the version that an interpreter reported.
    pub(super) fn learn(&self, language: &Language, version: String) {
        if let Some(known) = self.known().get_mut(language) {
            known.version = Some(version);
        }
    }

    /// All interpreters on this machine, with their versions as far as those can be found out without starting anything
    /// unconfined.
    pub(super) fn all(&self) -> Vec<Interpreter> {
        let examine = |entry: &LanguageEntry| {
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
        // In parallel, since each one mostly waits for a program.
        std::thread::scope(|scope| {
            let threads: Vec<_> =
                self.languages.0.iter().map(|entry| scope.spawn(move || examine(entry))).collect();
            threads.into_iter().filter_map(|examine| examine.join().ok().flatten()).collect()
        })
    }

    /// The name by which a shell would start the program of this language; `None` if the shell would find another
    /// program.
    pub(super) fn command_name(&self, language: &Language) -> Option<String> {
        let way = self.ways.lock().unwrap_or_else(PoisonError::into_inner).get(language).cloned()?;
        let found = self.candidate(language, &way)?;
        (self.which(&way.command)? == found).then_some(way.command)
    }

    /// Whether Python has this module: according to its folders, else according to Python itself if it may be queried.
    /// The module is not imported.
    pub(super) fn python_has(&self, module: &str) -> bool {
        let Ok(python) = self.find(&Language::python()) else { return false };
        static_facts::holds_package(&python.path, self.place.home.as_deref(), module)
            || self.has(&python.path, module)
    }

    /// Like [`Finder::python_has`], but also true if the environment of Python is open to packages outside of it, which
    /// are not searched.
    pub(super) fn python_may_have(&self, module: &str) -> bool {
        let is_open = self.find(&Language::python()).is_ok_and(|python| static_facts::is_open(&python.path));
        is_open || self.python_has(module)
    }

    /// Whether this is the interpreter itself (no shim), in a place that only the person can write to, so that it obeys
    /// no file of the folder it is started in.
    pub(super) fn is_plain(&self, path: &Path) -> bool {
        self.place.launcher.trusts(path) && !static_facts::is_stand_in(path)
    }

    /// Queries a program, unless a run or the author of the folder could have put it there.
    fn ask(&self, program: &Path, args: &[&str]) -> QuestionResult {
        if self.place.launcher.trusts(program) {
            self.questions.ask(program, args)
        } else {
            QuestionResult::NotAsked
        }
    }

    /// The file of a command. A trusted one is preferred.
    fn which(&self, command: &str) -> Option<PathBuf> {
        self.place.launcher.find(OsStr::new(command)).or_else(|| which(Path::new(command)))
    }

    /// The path where the program of a language is, before it is resolved.
    fn candidate(&self, language: &Language, way: &RunMethod) -> Option<PathBuf> {
        if let Some(chosen) = self.chosen_program(language) {
            return which(chosen);
        }
        let of_project =
            (language.as_str() == "python").then(|| environments::python_of(self.site())).flatten();
        if imported_package(way).is_some_and(|package| !self.node_packages().join(package).is_dir()) {
            return None;
        }
        // Programs that run TypeScript are mostly installed in the project.
        let own = || which(&self.node_packages().join(".bin").join(&way.command));
        let of_node = || (language.as_str() == "typescript").then(own).flatten();
        of_project.or_else(|| self.which(&way.command)).or_else(of_node)
    }

    /// The packages of node in the working folder. Runs can't read those of folders above it.
    pub(super) fn node_packages(&self) -> PathBuf {
        self.place.cwd.join("node_modules")
    }

    fn site(&self) -> ProjectSite<'_> {
        ProjectSite { cwd: &self.place.cwd, home: self.place.home.as_deref(), var: &|name| env::var_os(name) }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<Language, Interpreter>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The program that a shell finds by this name. Links are resolved as they are for interpreters.
pub fn program(name: &str) -> Option<PathBuf> {
    which(Path::new(name)).map(|path| executable_path(&path))
}

/// The file of a command on the `PATH` of this process.
fn which(command: &Path) -> Option<PathBuf> {
    launch::which(command, &env::var_os("PATH").unwrap_or_default())
}

/// The languages whose program is on `PATH`. Starts nothing and checks no version.
pub fn on_path(languages: &Languages) -> Languages {
    let there = |entry: &&LanguageEntry| {
        let needs_version = |way: &RunMethod| way.since.is_some();
        entry.ways().iter().any(|way| !needs_version(way) && which(Path::new(&way.command)).is_some())
    };
    Languages(Arc::new(languages.0.iter().filter(there).cloned().collect()))
}

/// The package that node needs in the project for this way to run TypeScript, which is a built-in one.
fn imported_package(way: &RunMethod) -> Option<&str> {
    let imports_tsx = way.arguments.windows(2).any(|words| words == ["--import", "tsx"]);
    (imports_tsx && way.command == "node").then_some("tsx")
}

#[cfg(test)]
mod tests;
