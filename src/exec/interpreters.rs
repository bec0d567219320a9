//! Finds the programs that run code: once, down to the real executable.
//!
//! A version manager's stand-in (a script that looks for the right version at each start) costs 150 ms; it is asked once
//! for what it stands for. What lies in the working folder is never started to be asked: a folder that somebody else
//! made may hold a program of that name, and nothing runs before the person said so.

use super::environment;
use crate::domain::language::{LanguageEntry, Way};
use crate::domain::{InstallInto, Interpreter, Language, Languages};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::Access;
use std::collections::HashMap;
use std::env;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a program may take to tell its version.
const PATIENCE: Duration = Duration::from_secs(10);

/// Finds interpreters and remembers them.
#[derive(Debug)]
pub struct Finder {
    languages: Languages,
    python: Option<PathBuf>,
    cwd: PathBuf,
    known: Mutex<HashMap<Language, Interpreter>>,
    ways: Mutex<HashMap<Language, Way>>,
}

impl Finder {
    /// A finder that has not looked yet. `python` is the person's choice.
    pub fn new(languages: Languages, python: Option<PathBuf>, cwd: PathBuf) -> Self {
        Self { languages, python, cwd, known: Mutex::default(), ways: Mutex::default() }
    }

    /// The languages that can be run.
    pub fn languages(&self) -> &Languages {
        &self.languages
    }

    /// The interpreter of a language. May take some 150 ms the first time.
    ///
    /// # Errors
    /// In words, with what to do, when there is none.
    pub fn find(&self, language: &Language) -> Result<Interpreter, String> {
        if let Some(found) = self.known().get(language) {
            return Ok(found.clone());
        }
        let entry = self.entry(language)?;
        let mut why = Vec::new();
        for way in entry.ways() {
            let found = match self.candidate(language, &way) {
                Ok(candidate) => self.settle(language, candidate),
                Err(missing) if self.is_chosen(language) => return Err(missing),
                Err(_) => {
                    why.push(way.command);
                    continue;
                }
            };
            match self.too_old(&found, &way) {
                Some(old) => why.push(old),
                None => {
                    self.ways.lock().unwrap_or_else(PoisonError::into_inner).insert(language.clone(), way);
                    self.known().insert(language.clone(), found.clone());
                    return Ok(found);
                }
            }
        }
        Err(match why.as_slice() {
            [only] => format!("{only} is not installed: install it, or choose another language"),
            all => format!(
                "{language} needs one of {}: none is installed. Install one, or choose another language",
                all.join(", ")
            ),
        })
    }

    /// The package manager for a language: uv, else pip as a module of the kernel's Python; npm. The project's own pip
    /// installs into the project only: nothing of the project has a say in what goes beside the session.
    ///
    /// # Errors
    /// In words, with what to do, when there is none.
    pub fn installer(&self, language: &Language, into: InstallInto) -> Result<Interpreter, String> {
        let made =
            |path: &Path| Interpreter { language: language.clone(), path: settled(path), version: None };
        let outside = |path: &PathBuf| self.may_start(path);
        match language.as_str() {
            "python" => {
                let python = self.find(language)?;
                if let Some(uv) = which(Path::new("uv")).filter(outside) {
                    return Ok(made(&uv));
                }
                if self.has_pip(&python, into) {
                    return Ok(Interpreter { version: None, ..python });
                }
                if self.has_pip(&python, InstallInto::Project) {
                    return Err(
                        "the project's own pip installs into its .venv only: install uv for packages beside \
                                the session, or send them into the .venv"
                            .into(),
                    );
                }
                Err(format!(
                    "neither uv nor pip is there for {}: install uv, or the package python3-pip",
                    python.path.display()
                ))
            }
            "javascript" => which(Path::new("npm"))
                .filter(outside)
                .map(|npm| Interpreter { language: language.clone(), path: npm, version: None })
                .ok_or_else(|| "npm is not installed: install it".into()),
            other => Err(format!("packages for {other} can't be installed from here")),
        }
    }

    /// What installs packages, and where each is.
    pub fn installers(&self) -> Vec<(&'static str, Option<PathBuf>)> {
        let outside = |path: &PathBuf| self.may_start(path);
        let program = |name: &str| which(Path::new(name)).filter(outside);
        let pip =
            self.find(&Language::python()).ok().filter(|python| self.has_pip(python, InstallInto::Project));
        vec![("uv", program("uv")), ("pip", pip.map(|python| python.path)), ("npm", program("npm"))]
    }

    /// Whether this Python has pip that can install there.
    fn has_pip(&self, python: &Interpreter, into: InstallInto) -> bool {
        const QUESTION: [&str; 3] =
            ["-I", "-c", "import importlib.util as u; print(u.find_spec('pip') is not None)"];
        into == InstallInto::Project && self.project_venv().is_some_and(|venv| holds_pip(&venv))
            || self.may_start(&python.path)
                && self.ask(&python.path, &QUESTION).is_some_and(|answer| answer.trim() == "True")
    }

    /// The project's `.venv`, where that is the environment of the Python in use.
    pub fn project_venv(&self) -> Option<PathBuf> {
        let python = self.find(&Language::python()).ok()?;
        let cwd = fs::canonicalize(&self.cwd).ok()?;
        let venv = fs::canonicalize(cwd.join(".venv")).ok()?;
        let is_in_use = venv.starts_with(&cwd) && python.path.parent() == Some(&venv.join("bin"));
        (is_in_use && venv.join("pyvenv.cfg").is_file()).then_some(venv)
    }

    /// The way in which a language that was found is run, and the extension of its files.
    pub fn way(&self, language: &Language) -> Option<(Way, String)> {
        let way = self.ways.lock().unwrap_or_else(PoisonError::into_inner).get(language).cloned()?;
        let entry = self.entry(language).ok()?;
        Some((way, entry.extensions.first().cloned().unwrap_or_else(|| "txt".into())))
    }

    fn entry(&self, language: &Language) -> Result<&LanguageEntry, String> {
        let entry = self.languages.0.iter().find(|entry| entry.name == *language);
        entry.ok_or_else(|| format!("{language} can't be run: no interpreter is configured for it"))
    }

    /// Whether the person chose the program, so that no other stands in for it.
    fn is_chosen(&self, language: &Language) -> bool {
        *language == Language::python() && self.python.is_some()
    }

    /// What is there and can't do it: `node 22.13 or newer (it is 20.20.2)`.
    fn too_old(&self, found: &Interpreter, way: &Way) -> Option<String> {
        let since = way.since.as_deref()?;
        if !self.may_start(&found.path) {
            return Some(format!("{} {since} or newer", way.command));
        }
        let version = found
            .version
            .clone()
            .or_else(|| self.ask(&found.path, &["--version"]).and_then(|text| version_in(&text)));
        match version {
            Some(version) if numbers(&version) >= numbers(since) => None,
            Some(version) => Some(format!("{} {since} or newer (it is {version})", way.command)),
            None => Some(format!("{} {since} or newer", way.command)),
        }
    }

    /// The interpreter, if it was found before.
    pub fn known_already(&self, language: &Language) -> Option<Interpreter> {
        self.known().get(language).cloned()
    }

    /// Remembers the version that an interpreter told by itself.
    pub fn learn(&self, language: &Language, version: String) {
        if let Some(known) = self.known().get_mut(language) {
            known.version = Some(version);
        }
    }

    /// All that are on this machine, with their versions where they may be asked.
    pub fn all(&self) -> Vec<Interpreter> {
        self.languages
            .0
            .iter()
            .filter_map(|entry| {
                let mut found = self.find(&entry.name).ok()?;
                if found.version.is_none() && self.may_start(&found.path) {
                    found.version = self.ask(&found.path, &["--version"]).and_then(|text| version_in(&text));
                    if let Some(version) = &found.version {
                        self.learn(&entry.name, version.clone());
                    }
                }
                Some(found)
            })
            .collect()
    }

    /// The name by which a shell finds the program of a language, where it finds that one; behind a stand-in too.
    pub fn called(&self, language: &Language) -> Option<String> {
        let way = self.ways.lock().unwrap_or_else(PoisonError::into_inner).get(language).cloned()?;
        let found = self.candidate(language, &way).ok()?;
        (which(Path::new(&way.command))? == found).then_some(way.command)
    }

    /// Whether Python has this module, which is not loaded for it. In a virtual environment that may not be started, its
    /// folders tell.
    pub fn python_has(&self, module: &str) -> bool {
        let Ok(python) = self.find(&Language::python()) else { return false };
        if !self.may_start(&python.path) {
            return in_environment(&python.path, module);
        }
        // Isolated, so that nothing of the working folder is loaded; the person's own packages count all the same.
        let asked = format!(
            "import importlib.util as u, site, sys; sys.path.append(site.getusersitepackages()); \
             print(u.find_spec({module:?}) is not None)"
        );
        self.ask(&python.path, &["-I", "-c", &asked]).is_some_and(|answer| answer.trim() == "True")
    }

    /// Whether a program may be started before the person approved anything: not when it lies in the working folder,
    /// unless the person chose or activated it.
    pub fn may_start(&self, path: &Path) -> bool {
        let inside = |path: &Path| fs::canonicalize(&self.cwd).is_ok_and(|cwd| path.starts_with(cwd));
        let activated =
            env::var_os("VIRTUAL_ENV").map(PathBuf::from).and_then(|venv| fs::canonicalize(venv).ok());
        !inside(path)
            || activated.is_some_and(|venv| path.starts_with(venv))
            || self.python.as_ref().is_some_and(|chosen| settled(chosen) == path)
    }

    /// Where the program of a language is looked for.
    fn candidate(&self, language: &Language, way: &Way) -> Result<PathBuf, String> {
        if language.as_str() == "python" {
            if let Some(chosen) = &self.python {
                return which(chosen).ok_or_else(|| {
                    format!("the Python that is set, {}, is not there: set another one", chosen.display())
                });
            }
            let project = Some(self.cwd.join(".venv"));
            let active = env::var_os("VIRTUAL_ENV").map(PathBuf::from);
            for folder in [project, active].into_iter().flatten() {
                if let Some(found) = which(&folder.join("bin/python")) {
                    return Ok(found);
                }
            }
        }
        which(Path::new(&way.command)).ok_or_else(|| format!("{} is not installed", way.command))
    }

    /// From a path to the real executable.
    fn settle(&self, language: &Language, path: PathBuf) -> Interpreter {
        let question: Option<&[&str]> = match language.as_str() {
            "python" => {
                Some(&["-I", "-c", "import sys; print(sys.executable); print(sys.version.split()[0])"])
            }
            "javascript" => {
                Some(&["-e", "console.log(process.execPath); console.log(process.versions.node)"])
            }
            _ => None,
        };
        if let Some(question) = question
            && is_script(&path)
            && self.may_start(&path)
            && let Some(answer) = self.ask(&path, question)
        {
            let mut lines = answer.lines();
            if let Some(real) = lines.next().and_then(|line| which(Path::new(line.trim()))) {
                let version = lines.next().map(|line| line.trim().to_string());
                return Interpreter { language: language.clone(), path: settled(&real), version };
            }
        }
        let path = settled(&path);
        let path = self.behind_rustup(language, &path).unwrap_or(path);
        Interpreter { language: language.clone(), path, version: None }
    }

    /// rustup stands in for the compiler and looks for the right one at each start; it is asked once.
    fn behind_rustup(&self, language: &Language, path: &Path) -> Option<PathBuf> {
        let real = fs::canonicalize(path).ok()?;
        let is_rustup = real.file_name().is_some_and(|name| name == "rustup");
        if language.as_str() != "rust" || !is_rustup || !self.may_start(path) {
            return None;
        }
        let answer = self.ask(path, &["--print", "sysroot"])?;
        which(&Path::new(answer.trim()).join("bin/rustc"))
    }

    /// Starts a program with these arguments; what it prints, if it ends well and in time.
    fn ask(&self, program: &Path, args: &[&str]) -> Option<String> {
        let mut child = Command::new(program)
            .args(args)
            .env_clear()
            .envs(environment::allowed(
                env::vars_os(),
                &["PYENV_ROOT".into(), "ASDF_DATA_DIR".into(), "RUSTUP_HOME".into(), "CARGO_HOME".into()],
            ))
            .current_dir(&self.cwd)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let text = child.stdout.take().and_then(read_in_time);
        if text.is_none() {
            let _ = child.kill();
        }
        let status = child.wait().ok()?;
        text.filter(|_| status.success())
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<Language, Interpreter>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether pip lies in an environment. Looked at, not asked: nothing of the working folder is started for it.
fn holds_pip(venv: &Path) -> bool {
    let versions = fs::read_dir(venv.join("lib")).into_iter().flatten().flatten().take(16);
    versions.into_iter().any(|python| python.path().join("site-packages/pip/__main__.py").is_file())
}

/// The text of a pipe up to its end; `None` when that does not come in time or the text is long.
fn read_in_time(mut pipe: std::process::ChildStdout) -> Option<String> {
    let until = Instant::now() + PATIENCE;
    let mut text = Vec::new();
    let mut buffer = [0u8; 4096];
    loop {
        let rest = until.saturating_duration_since(Instant::now());
        let timeout = Timespec { tv_sec: rest.as_secs() as i64, tv_nsec: i64::from(rest.subsec_nanos()) };
        match poll(&mut [PollFd::new(&pipe, PollFlags::IN)], Some(&timeout)) {
            Err(rustix::io::Errno::INTR) => continue,
            Ok(0) | Err(_) => return None,
            Ok(_) => {}
        }
        match pipe.read(&mut buffer) {
            Ok(0) => return String::from_utf8(text).ok(),
            Ok(count) if text.len() < 1 << 16 => text.extend_from_slice(buffer.get(..count)?),
            _ => return None,
        }
    }
}

/// The file of a command: as given when it holds a slash, else the first on `PATH`. Relative entries of `PATH` are left
/// out: what they mean changes with the folder.
/// Whether the virtual environment of this Python holds a package.
fn in_environment(python: &Path, module: &str) -> bool {
    let library = python.parent().and_then(Path::parent).map(|environment| environment.join("lib"));
    let versions = library.and_then(|library| fs::read_dir(library).ok()).into_iter().flatten().flatten();
    versions
        .take(16)
        .any(|version| version.path().join("site-packages").join(module).join("__init__.py").is_file())
}

/// Where a program is that is found by this name.
pub fn program(name: &str) -> Option<PathBuf> {
    which(Path::new(name)).map(|path| settled(&path))
}

fn which(command: &Path) -> Option<PathBuf> {
    if command.components().count() > 1 {
        let path = std::path::absolute(command).ok()?;
        return runnable(&path).then_some(path);
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(command))
        .find(|path| runnable(path))
}

/// Resolves links. A virtual environment's own link stays: by its place Python knows the environment. So does the name
/// of a program that is many programs in one and goes by its name.
fn settled(path: &Path) -> PathBuf {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let in_place = || {
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.into());
        path.file_name().map_or_else(|| folder.clone(), |name| folder.join(name))
    };
    let is_venv = folder.parent().is_some_and(|venv| venv.join("pyvenv.cfg").is_file());
    if is_venv {
        return in_place();
    }
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.into());
    let stem = |p: &Path| {
        let name = p.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-').to_string()
    };
    if stem(&real) == stem(path) { real } else { in_place() }
}

/// Whether a file is a program that may be started.
pub fn runnable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, Access::EXEC_OK).is_ok()
}

fn is_script(path: &Path) -> bool {
    let mut start = [0u8; 2];
    fs::File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && &start == b"#!"
}

/// The languages for which a program is on `PATH`; nothing is started, and no version is asked for.
pub fn on_path(languages: &Languages) -> Languages {
    let there = |entry: &&LanguageEntry| {
        let needs_version = |way: &Way| way.since.is_some();
        entry.ways().iter().any(|way| !needs_version(way) && which(Path::new(&way.command)).is_some())
    };
    Languages(languages.0.iter().filter(there).cloned().collect())
}

/// The numbers of a version, for comparing.
fn numbers(version: &str) -> Vec<u32> {
    version.split('.').map_while(|part| part.parse().ok()).collect()
}

/// The first thing that looks like a version.
fn version_in(text: &str) -> Option<String> {
    text.split(|c: char| c.is_whitespace() || c == ',' || c == '(')
        .map(|word| word.trim_start_matches('v'))
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))
        .map(ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    fn executable(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn finder(cwd: &Path, python: Option<&Path>) -> Finder {
        Finder::new(Languages::default(), python.map(Into::into), cwd.into())
    }

    #[test]
    fn versions_as_programs_tell_them() {
        assert_eq!(version_in("Python 3.12.4\n").as_deref(), Some("3.12.4"));
        assert_eq!(version_in("v20.20.2\n").as_deref(), Some("20.20.2"));
        let bash = "GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\nCopyright";
        assert_eq!(version_in(bash).as_deref(), Some("5.2.15"));
        assert_eq!(version_in("none"), None);
    }

    #[test]
    fn a_stand_in_is_asked_once_for_the_real_one() {
        let folder = tempfile::tempdir().unwrap();
        let (shim, real, log) = (
            folder.path().join("shim/python3"),
            folder.path().join("real/python3"),
            folder.path().join("log"),
        );
        executable(&real, "");
        executable(
            &shim,
            &format!("#!/bin/sh\necho x >> {}\necho {}\necho 3.99.1\n", log.display(), real.display()),
        );
        let work = tempfile::tempdir().unwrap();
        let finder = finder(work.path(), Some(&shim));
        for _ in 0..3 {
            let found = finder.find(&Language::python()).unwrap();
            assert_eq!(found.path, fs::canonicalize(&real).unwrap());
            assert_eq!(found.version.as_deref(), Some("3.99.1"));
        }
        assert_eq!(fs::read_to_string(log).unwrap(), "x\n");
    }

    #[test]
    fn a_program_in_the_working_folder_is_found_but_not_started() {
        let work = tempfile::tempdir().unwrap();
        let log = work.path().join("log");
        executable(
            &work.path().join(".venv/bin/python"),
            &format!("#!/bin/sh\necho x > {}\n", log.display()),
        );
        let finder = finder(work.path(), None);
        let found = finder.find(&Language::python()).unwrap();
        assert_eq!(found.path, fs::canonicalize(work.path()).unwrap().join(".venv/bin/python"));
        assert!(!finder.may_start(&found.path));
        assert!(finder.all().iter().any(|i| i.path == found.path && i.version.is_none()));
        assert!(!log.exists());
    }

    #[test]
    fn links_are_resolved_but_for_a_virtual_environment() {
        let folder = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(folder.path()).unwrap();
        executable(&base.join("real/python3.12"), "");
        fs::create_dir_all(base.join("bin")).unwrap();
        fs::create_dir_all(base.join("venv/bin")).unwrap();
        symlink(base.join("real/python3.12"), base.join("bin/python3")).unwrap();
        symlink(base.join("real/python3.12"), base.join("venv/bin/python")).unwrap();
        fs::write(base.join("venv/pyvenv.cfg"), "").unwrap();
        assert_eq!(settled(&base.join("bin/python3")), base.join("real/python3.12"));
        assert_eq!(settled(&base.join("venv/bin/python")), base.join("venv/bin/python"));
        symlink(base.join("real/python3.12"), base.join("bin/sh")).unwrap();
        assert_eq!(settled(&base.join("bin/sh")), base.join("bin/sh"));
    }

    #[test]
    fn the_projects_pip_is_for_the_project_alone() {
        let work = tempfile::tempdir().unwrap();
        let venv = fs::canonicalize(work.path()).unwrap().join(".venv");
        let log = work.path().join("log");
        let program = format!("#!/bin/sh\necho x > {}\necho True\n", log.display());
        executable(&venv.join("bin/python"), &program);
        fs::write(venv.join("pyvenv.cfg"), "").unwrap();
        let pip = venv.join("lib/python3.12/site-packages/pip");
        fs::create_dir_all(&pip).unwrap();
        fs::write(pip.join("__main__.py"), "").unwrap();
        let found = finder(work.path(), None);
        let python = found.find(&Language::python()).unwrap();
        assert_eq!(found.project_venv(), Some(venv.clone()));
        assert!(found.has_pip(&python, InstallInto::Project));
        assert!(!found.has_pip(&python, InstallInto::Session));
        assert!(!log.exists());
        // A program somewhere else inside is not that environment's Python.
        executable(&venv.join("tools/python"), &program);
        let found = finder(work.path(), Some(&venv.join("tools/python")));
        assert_eq!(found.project_venv(), None);
    }

    #[test]
    fn a_module_of_a_python_in_the_working_folder_is_found_without_starting_it() {
        let folder = tempfile::tempdir().unwrap();
        let python = folder.path().join(".venv/bin/python3");
        executable(&python, "#!/bin/sh\ntouch \"$0.was-started\"\necho True\n");
        let packages = folder.path().join(".venv/lib/python3.12/site-packages/pytest");
        fs::create_dir_all(&packages).unwrap();
        assert!(!in_environment(&python, "pytest"));
        fs::write(packages.join("__init__.py"), "").unwrap();
        assert!(in_environment(&python, "pytest"));
        assert!(!folder.path().join(".venv/bin/python3.was-started").exists());
    }

    #[test]
    fn what_is_missing_is_told_with_what_to_do() {
        let work = tempfile::tempdir().unwrap();
        let missing = finder(work.path(), Some(Path::new("/nowhere/python")));
        let why = missing.find(&Language::python()).unwrap_err();
        assert_eq!(why, "the Python that is set, /nowhere/python, is not there: set another one");
        let why = missing.find(&Language("cobol".into())).unwrap_err();
        assert!(why.contains("no interpreter is configured"), "{why}");
    }
}
