//! Queries interpreters for their version, or whether they have a module. A program is started for a query inside a
//! sandbox or not at all: nobody has approved it, and it may be a wrapper that obeys files in the folder it is started
//! in.
//!
//! The sandbox has a policy of its own: what is readable follows from the trusted part of `PATH`, the working folder is
//! private and empty, nothing of the person's can be written, and there is no network. It ignores the session's
//! setting: even if the sandbox is switched off for runs, queries are confined wherever that is possible.

use super::helper_wire::ProgramSpec;
use super::sandbox::{self, DisabledLayers, Enclosure, Sandbox, SandboxError, SandboxRequest, SessionSite};
use super::{Setup, environment, plan};
use crate::domain::{Limits, SandboxLevel};
use crate::launch::private_folder::temporary_folder;
use crate::launch::{Launcher, PrivateFolder};
use crate::text::system_error::words;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

const MAX_ANSWER_BYTES: usize = 1 << 16;

/// What came of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum QuestionResult {
    /// What the program printed; it exited with success and in time.
    Said(String),
    /// It was started, but failed or timed out.
    Silent,
    /// It was not started, because there is no sandbox for it.
    NotAsked,
}

impl QuestionResult {
    pub(super) fn text(self) -> Option<String> {
        if let QuestionResult::Said(text) = self { Some(text) } else { None }
    }
}

/// Starts a program to query it.
pub(super) trait Questions: std::fmt::Debug + Send + Sync {
    /// Starts a program with these arguments, confined, and waits for what it prints.
    fn ask(&self, program: &Path, args: &[&str]) -> QuestionResult;
}

/// Queries programs inside a sandbox, which is prepared at the first query.
#[derive(Debug)]
pub(super) struct Asker {
    setup: Arc<Setup>,
    launcher: Launcher,
    /// The sandbox, `None` where nothing can confine; or why that could not be found out.
    prepared: OnceLock<Result<Option<QuestionSandbox>, SandboxError>>,
}

/// The sandbox and folder in which programs are queried.
#[derive(Debug)]
struct QuestionSandbox {
    sandbox: Sandbox,
    /// The empty working folder. It is removed with this value.
    folder: PathBuf,
    _place: PrivateFolder,
}

impl Asker {
    /// An asker that has not prepared anything yet.
    pub(super) fn new(setup: Arc<Setup>, launcher: Launcher) -> Self {
        Self { setup, launcher, prepared: OnceLock::new() }
    }

    fn prepared(&self) -> Result<Option<&QuestionSandbox>, &SandboxError> {
        self.prepared.get_or_init(|| self.prepare(&temporary_folder())).as_ref().map(Option::as_ref)
    }

    /// Prepares the sandbox, with its folder in `parent`.
    fn prepare(&self, parent: &Path) -> Result<Option<QuestionSandbox>, SandboxError> {
        let failed = |error: std::io::Error| SandboxError::NoPrivateFolder(parent.into(), words(&error));
        let place = PrivateFolder::make_in(parent).map_err(failed)?;
        let folder = place.path().join("work");
        std::fs::create_dir(&folder).map_err(failed)?;
        let request = SandboxRequest { level: SandboxLevel::ReadOnly, ..SandboxRequest::default() };
        let without = DisabledLayers { cgroup: true, ..self.setup.without };
        let site = SessionSite {
            cwd: &folder,
            home: self.setup.home.as_deref(),
            own: &self.setup.own,
            path: self.launcher.path(),
            programs: &self.launcher,
        };
        let sandbox = Sandbox::prepare(&request, without, site, &Limits::default(), &self.setup.helper)?;
        let confines = sandbox.report().level != SandboxLevel::Off;
        Ok(confines.then_some(QuestionSandbox { sandbox, folder, _place: place }))
    }

    /// A place to process what runs made: the same sandbox, or only the helper where nothing can confine. `None` if
    /// that could not be found out: a run may have filled the temporary folder, which must not make the place less
    /// closed.
    pub(super) fn enclosure(&self) -> Option<Enclosure> {
        match self.prepared() {
            Ok(Some(place)) => Some(place.sandbox.enclosure_to_ask()),
            Ok(None) => Some(Enclosure::open(&self.setup.helper)),
            Err(_) => None,
        }
    }
}

impl Questions for Asker {
    fn ask(&self, program: &Path, args: &[&str]) -> QuestionResult {
        let Ok(Some(place)) = self.prepared() else { return QuestionResult::NotAsked };
        let mut env = environment::allowed(std::env::vars_os(), &[]);
        plan::set(&mut env, "PATH", self.launcher.path());
        place.sandbox.set_variables(&mut env);
        let enclosure = place.sandbox.enclosure_to_ask();
        let program = ProgramSpec {
            executable: program.into(),
            args: args.iter().map(OsString::from).collect(),
            env,
            cwd: place.folder.clone(),
            confinement: enclosure.confinement(&Limits::default()),
            terminal: false,
        };
        match sandbox::run_to_end(&enclosure.entry, &program, &[], (ANSWER_TIMEOUT, MAX_ANSWER_BYTES)) {
            Ok(said) if said.well => QuestionResult::Said(String::from_utf8_lossy(&said.text).into_owned()),
            _ => QuestionResult::Silent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Languages, Masker};
    use crate::exec::helper_file::HelperFile;
    use crate::test_folder::TestFolder;

    /// A run may have filled the temporary folder.
    #[test]
    fn where_the_sandbox_could_not_be_tried_nothing_is_asked_or_processed() {
        let folder = TestFolder::new();
        let setup = Setup {
            helper: HelperFile::running().unwrap(),
            cwd: folder.base.clone(),
            blobs: folder.at("blobs"),
            languages: Languages::default(),
            environment: Vec::new(),
            python: None,
            limits: Limits::default(),
            sandbox: SandboxRequest::default(),
            without: DisabledLayers::default(),
            home: None,
            own: Vec::new(),
            worked: Vec::new(),
            masker: Masker::default(),
        };
        let launcher = setup.launcher();
        let asker = Asker::new(Arc::new(setup), launcher);
        let gone = folder.at("gone");
        let prepared = asker.prepare(&gone);
        assert!(matches!(&prepared, Err(SandboxError::NoPrivateFolder(place, _)) if *place == gone));
        asker.prepared.set(prepared).unwrap();
        assert!(asker.enclosure().is_none());
        assert_eq!(asker.ask(Path::new("/bin/true"), &[]), QuestionResult::NotAsked);
    }
}
