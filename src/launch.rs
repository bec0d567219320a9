//! Starts the programs that sayso runs by itself, before or beside what the person approved.
//!
//! It keeps the one table of these programs ([`table`]), finds each program once by its absolute path, outside of every
//! folder that a run or the author of the working folder could have written ([`writable`]), and builds their commands:
//! with the environment that the table says, and with a working folder that is never the person's. It does not run what
//! was approved (`exec` does), decide when something is started, or query interpreters (`exec/asking.rs` does that, in
//! a sandbox only; they are only found here).
//!
//! `tests/architecture.rs` fails when anything else in `src` starts a program.

mod editor;
mod environment;
mod error;
pub(crate) mod private_folder;
mod project;
pub(crate) mod table;
mod which;
mod writable;

pub(crate) use editor::quiet_options;
pub(crate) use error::LaunchError;
pub(crate) use private_folder::PrivateFolder;
pub(crate) use project::project_folders;
pub(crate) use table::{Start, TABLE};
pub(crate) use which::{is_program, which};
pub(crate) use writable::WritableFolders;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};
use std::thread;
use table::{FindRule, StartRow};

/// The programs of this machine that sayso may start. They are searched for once, on a thread of its own; whoever asks
/// for the first one waits for the search. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Launcher(Arc<LauncherInner>);

#[derive(Debug)]
struct LauncherInner {
    writable: WritableFolders,
    /// `PATH` as it was given.
    given: OsString,
    programs: OnceLock<FoundPrograms>,
}

#[derive(Debug)]
struct FoundPrograms {
    /// The folders of `PATH` that can be trusted.
    path: OsString,
    at: BTreeMap<Start, PathBuf>,
}

impl FoundPrograms {
    /// Finds the programs of the table on this `PATH`. Starts nothing.
    fn find(path: &OsStr, writable: &WritableFolders) -> Self {
        let folders: Vec<PathBuf> =
            std::env::split_paths(path).filter(|folder| writable.trusts(folder)).collect();
        // A folder that contains a colon could not be joined, but these came from a list split at colons.
        let path = std::env::join_paths(folders).unwrap_or_default();
        let mut found = BTreeMap::new();
        for row in TABLE {
            let at = match row.found {
                FindRule::OnPath(name) => search(&path, writable, name),
                FindRule::At(place) => {
                    Some(PathBuf::from(place)).filter(|at| writable.trusts(at) && is_program(at))
                }
                FindRule::ByThePerson | FindRule::InTheSandbox => None,
            };
            found.extend(at.map(|at| (row.start, at)));
        }
        Self { path, at: found }
    }
}

impl Launcher {
    /// The programs of the table that are on this `PATH` and outside of these folders. Starts nothing.
    pub(crate) fn new(path: &OsStr, writable: WritableFolders) -> Self {
        let programs = OnceLock::new();
        Self(Arc::new(LauncherInner { writable, given: path.to_owned(), programs }))
    }

    fn programs(&self) -> &FoundPrograms {
        let LauncherInner { writable, given, programs } = &*self.0;
        programs.get_or_init(|| FoundPrograms::find(given, writable))
    }

    /// The programs on the `PATH` of this process. The search begins at once, so that a program which a run puts there
    /// later is not found, even where no sandbox prevents the run from writing there.
    pub(crate) fn of_process(writable: WritableFolders) -> Self {
        let launcher = Self::new(&std::env::var_os("PATH").unwrap_or_default(), writable);
        let looking = launcher.clone();
        // If no thread can be started, the search happens when the first program is asked for.
        drop(thread::Builder::new().name("programs".into()).spawn(move || looking.programs().at.len()));
        launcher
    }

    /// `PATH` without its relative, empty and writable folders.
    pub(crate) fn path(&self) -> &OsStr {
        &self.programs().path
    }

    /// Whether this file, and every link on the way to it, lies where neither a run nor the author of the folder can
    /// write.
    pub(crate) fn trusts(&self, path: &Path) -> bool {
        self.0.writable.trusts(path)
    }

    /// Whether somebody other than the person could have made this file, or chosen where its links lead.
    pub(crate) fn is_foreign(&self, path: &Path) -> bool {
        self.0.writable.is_foreign(path)
    }

    /// The first program of this name in a folder that can be trusted; its links are not resolved.
    pub(crate) fn find(&self, name: &OsStr) -> Option<PathBuf> {
        search(self.path(), &self.0.writable, name)
    }

    /// Where a program of the table was found.
    pub(crate) fn path_of(&self, start: Start) -> Option<&Path> {
        self.programs().at.get(&start).map(PathBuf::as_path)
    }

    /// The command of a program of the table, without arguments.
    ///
    /// # Errors
    /// When the program was not found.
    pub(crate) fn command(&self, start: Start) -> Result<Command, LaunchError> {
        let row = start.row();
        let at = self.path_of(start).ok_or_else(|| LaunchError::NotFound(row.found.name()))?;
        Ok(self.configured_command(row, at, OsStr::new(row.found.name())))
    }

    /// The command that passes a line from the person's configuration to the shell. The programs in it are also found
    /// on the trusted `PATH`.
    ///
    /// # Errors
    /// When there is no shell, or the line names a program by an absolute path that a run may write to.
    pub(crate) fn shell_command(&self, start: Start, line: &str) -> Result<Command, LaunchError> {
        let words = line.split(|c: char| c.is_whitespace() || "'\"`;&|<>()$={}".contains(c));
        let mut places = words.filter(|word| word.starts_with('/')).map(Path::new);
        if let Some(bad) = places.find(|place| is_program(place) && !self.trusts(place)) {
            return Err(LaunchError::Names(bad.into()));
        }
        let mut shell = self.command(Start::Shell)?;
        self.set_environment(&mut shell, start.row());
        shell.arg("-c").arg(line);
        Ok(shell)
    }

    /// A program that the person named, by its name or its absolute path.
    ///
    /// # Errors
    /// When it does not exist or lies where a run may write.
    pub(crate) fn command_named(&self, start: Start, word: &str) -> Result<Command, LaunchError> {
        let path = self.locate(word)?;
        Ok(self.configured_command(start.row(), &path, OsStr::new(word)))
    }

    /// The path of a program that the person named.
    ///
    /// # Errors
    /// When it does not exist or lies where a run may write.
    pub(crate) fn locate(&self, word: &str) -> Result<PathBuf, LaunchError> {
        let given = Path::new(word);
        if !word.contains('/') {
            return self.find(OsStr::new(word)).ok_or(LaunchError::NotOnPath);
        }
        if !given.is_absolute() {
            return Err(LaunchError::Relative);
        }
        if !given.exists() {
            return Err(LaunchError::Missing);
        }
        if !self.trusts(given) {
            return Err(LaunchError::Writable);
        }
        Ok(given.into())
    }

    fn configured_command(&self, row: &StartRow, at: &Path, name: &OsStr) -> Command {
        // The links were resolved when the path was checked, so they are resolved here and not followed again. The name
        // is passed as `argv[0]`, because programs such as busybox act by the name they are called by.
        let real = std::fs::canonicalize(at).unwrap_or_else(|_| at.into());
        let mut command = Command::new(real);
        command.arg0(name);
        self.set_environment(&mut command, row);
        command
    }

    fn set_environment(&self, command: &mut Command, row: &StartRow) {
        command.env_clear();
        let mut kept = row.keeps.of(std::env::vars_os());
        kept.retain(|(name, value)| !environment::leads_astray(name, value, |place| self.trusts(place)));
        command.envs(kept);
        command.env("PATH", self.path());
        command.envs(row.sets.iter().copied());
        command.current_dir("/");
    }
}

impl Default for Launcher {
    /// The programs on the `PATH` of this process, where no working folder is known.
    fn default() -> Self {
        Self::of_process(WritableFolders::default())
    }
}

/// The first program of this name on a `PATH` that can be trusted.
fn search(path: &OsStr, writable: &WritableFolders, name: impl AsRef<Path>) -> Option<PathBuf> {
    which::on_path(name.as_ref(), path).find(|at| writable.trusts(at))
}

#[cfg(test)]
mod tests;
