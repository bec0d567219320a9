//! The sandbox: what the system enforces on runs.
//!
//! It makes a policy from the person's request and this machine, finds out by trying which layers work, tests them from
//! inside, and gives each run its entry, its confinement and its private folders. It does not supervise runs, decide
//! what is allowed, or claim anything that no test has shown.
//!
//! The layers, outermost first: `bwrap` (namespaces and a separate file system), `landlock` (access to files, and
//! signals), `seccomp` (refused system calls), `limits` (of each process). The first surrounds the helper; the program
//! enters the others itself, right before it becomes what was approved.

mod bwrap;
#[cfg(target_os = "linux")]
mod calls;
pub(crate) mod confinement;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod enter;
mod error;
mod guarded_paths;
mod install;
mod layer_error;
mod layers;
mod managers;
mod names;
mod policy;
mod probe;
mod reach;
pub(crate) mod refusals;
mod report;
mod scratch;
mod seatbelt;
pub(crate) mod selftest;
mod survey;
mod toolchain;

use super::cgroup::{self, CgroupError, Scope};
use super::entry::HelperEntry;
use super::environment::Environment;
use super::helper_file::HelperFile;
use super::plan;
use crate::domain::{Limits, Reach, SandboxLevel, SandboxReport, Terms};
use crate::launch::{Launcher, Start};
use bwrap::{Bwrap, BwrapError};
use confinement::limits as process_limits;
pub(super) use confinement::{Confinement, data_limit};
#[cfg(not(target_os = "linux"))]
pub use elsewhere::{enter, only_compute};
#[cfg(target_os = "linux")]
pub(super) use enter::{enter, only_compute, resource};
pub(super) use error::SandboxError;
#[cfg(feature = "docker")]
pub(super) use guarded_paths::{GuardedPaths, guarded_paths};
pub(super) use layer_error::LayerError;
pub(super) use layers::ActiveLayers;
use policy::SandboxPolicy;
use probe::ProbeError;
pub(super) use probe::run_to_end;
use refusals::ClosedPlaces;
use scratch::HOME_PARTS;
pub(super) use scratch::Scratch;
use std::path::{Path, PathBuf};
use std::sync::Arc;
pub use survey::SandboxRequest;
pub(super) use survey::SessionSite;
use toolchain::SearchScope;
pub(super) use toolchain::is_system;

/// Layers that are left out, to test what the others enforce. No configuration sets this.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DisabledLayers {
    /// No bubblewrap.
    pub bwrap: bool,
    /// No Landlock.
    pub landlock: bool,
    /// No seccomp.
    pub seccomp: bool,
    /// No control group.
    pub cgroup: bool,
}

/// The sandbox of a session.
#[derive(Debug)]
pub(super) struct Sandbox {
    report: SandboxReport,
    using: ActiveLayers,
    /// `None` if the level is off.
    confined: Option<(SandboxPolicy, Scratch)>,
    home: Option<PathBuf>,
    own: Vec<PathBuf>,
    programs: Launcher,
    helper: HelperFile,
    /// Where control groups are made.
    scope: Option<Arc<Scope>>,
    /// The Python of blocks, which all other programs can use too.
    python: Option<PathBuf>,
    /// Whether the level is lower than requested, because of the working folder.
    narrowed: bool,
}

/// Which of the person's folders a run may use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Allowance {
    pub(crate) read: Vec<PathBuf>,
    pub(crate) write: Vec<PathBuf>,
    pub(crate) network: bool,
}

/// How a run is started and confined.
#[derive(Clone, Debug)]
pub(super) struct Enclosure {
    pub(crate) entry: HelperEntry,
    policy: Option<SandboxPolicy>,
    using: ActiveLayers,
    /// What a run in it can reach.
    pub(crate) reach: Reach,
    /// Where the control group of the run is made.
    pub(crate) scope: Option<Arc<Scope>>,
}

impl Sandbox {
    /// Prepares the sandbox: makes the session's private folder, and tries and tests the layers.
    ///
    /// # Errors
    /// When the requested level can't be set up; the text says what to do.
    pub(super) fn prepare(
        request: &SandboxRequest,
        without: DisabledLayers,
        site: SessionSite<'_>,
        limits: &Limits,
        helper: &HelperFile,
    ) -> Result<Self, SandboxError> {
        let mut sandbox = Self::layered(request, without, site, limits, helper)?;
        let found = if without.cgroup { Err(CgroupError::LeftOut) } else { Scope::find(helper) };
        let found = found.map(Arc::new);
        sandbox.report.add_group_layer(cgroup::layer(&found));
        sandbox.scope = found.ok();
        Ok(sandbox)
    }

    fn layered(
        request: &SandboxRequest,
        without: DisabledLayers,
        site: SessionSite<'_>,
        limits: &Limits,
        helper: &HelperFile,
    ) -> Result<Self, SandboxError> {
        let mut sandbox = Self {
            report: report::without(),
            using: ActiveLayers::default(),
            confined: None,
            home: site.home.map(Into::into),
            own: site.own.to_vec(),
            programs: site.programs.clone(),
            helper: helper.clone(),
            scope: None,
            python: None,
            narrowed: false,
        };
        if request.level == SandboxLevel::Off {
            return Ok(sandbox);
        }
        let missing = match sandbox.try_layers(request, without, site, limits) {
            Ok(()) if sandbox.report.level != SandboxLevel::Off => return Ok(sandbox),
            Ok(()) => sandbox.report.why_off(),
            Err(SandboxError::Missing(_, why)) => why,
            // A requested folder has a problem, or nothing could be found out: nothing runs on a guess.
            Err(error) => return Err(error),
        };
        if request.asked {
            return Err(SandboxError::Missing(request.level, missing));
        }
        sandbox.using = ActiveLayers::default();
        sandbox.confined = None;
        Ok(sandbox)
    }

    /// What is enforced, according to the tests.
    pub(super) fn report(&self) -> &SandboxReport {
        &self.report
    }

    fn try_layers(
        &mut self,
        request: &SandboxRequest,
        without: DisabledLayers,
        site: SessionSite<'_>,
        limits: &Limits,
    ) -> Result<(), SandboxError> {
        let scratch = Scratch::of_level(request.level)?;
        let (policy, notes) = survey::survey(request, site, &scratch)?;
        self.narrowed = policy.level != request.level;
        let mut found = report::LayerSurvey::new(notes);
        let mut using = ActiveLayers {
            bwrap: Self::find_bwrap(without, site.programs, &policy, &mut found),
            landlock: !without.landlock,
            seccomp: !without.seccomp,
            scoped: false,
        };
        if without.landlock {
            found.missing("landlock", "left out".into());
        }
        if without.seccomp {
            found.missing("seccomp", "left out".into());
        }
        while using.bwrap.is_some() || using.landlock {
            let confinement = using.confinement(&policy, limits);
            match probe::self_test(&using, &policy, &confinement, &scratch, &self.helper) {
                Ok(seen) => {
                    using.scoped = !seen.signalled_own;
                    self.report = found.report(&using, &policy, &seen, limits);
                    self.using = using;
                    self.confined = Some((policy, scratch));
                    return Ok(());
                }
                Err(ProbeError::NotEntered(why)) => {
                    let why = self.cause_of_layers(&using, (&policy, limits), &scratch, why)?;
                    found.drop_layer(&mut using, why);
                }
                Err(ProbeError::Unfinished(why)) => return Err(SandboxError::Untested(why)),
            }
        }
        self.report = found.nothing_enforced();
        Ok(())
    }

    /// Why these layers can't be entered, even without the person's folders. `why` is what was said with them.
    ///
    /// # Errors
    /// When they can be entered: what is in those folders, which runs could have put there, must not make the sandbox
    /// weaker. Also when nothing could be found out.
    fn cause_of_layers(
        &self,
        using: &ActiveLayers,
        (policy, limits): (&SandboxPolicy, &Limits),
        scratch: &Scratch,
        why: String,
    ) -> Result<String, SandboxError> {
        let policy = policy.without_folders();
        let confinement = using.confinement(&policy, limits);
        match probe::self_test(using, &policy, &confinement, scratch, &self.helper) {
            Ok(_) => Err(SandboxError::Folders(why)),
            Err(ProbeError::NotEntered(cause)) => Ok(cause),
            Err(ProbeError::Unfinished(why)) => Err(SandboxError::Untested(why)),
        }
    }

    fn find_bwrap(
        without: DisabledLayers,
        programs: &Launcher,
        policy: &SandboxPolicy,
        found: &mut report::LayerSurvey,
    ) -> Option<Bwrap> {
        let avoid = [policy.writable(), vec![policy.cwd.clone()]].concat();
        let at = programs.path_of(Start::Bwrap).and_then(|at| std::fs::canonicalize(at).ok());
        let wanted = match at.filter(|at| !avoid.iter().any(|folder| at.starts_with(folder))) {
            _ if without.bwrap => Err(BwrapError::LeftOut),
            _ if cfg!(not(target_os = "linux")) => Err(BwrapError::NotLinux),
            None => Err(BwrapError::NotFound),
            Some(path) => bwrap::probe(&path, programs),
        };
        wanted.map_err(|why| found.missing("bwrap", why.to_string())).ok()
    }

    /// The enclosure of a run with this interpreter.
    pub(super) fn enclosure(&self, program: &Path, python: bool) -> Enclosure {
        let policy = self.policy_for(program, python).map(|policy| survey::survey_again(&policy));
        self.enclosure_of(policy)
    }

    /// What a run with this interpreter may use.
    pub(super) fn allowance(&self, program: &Path, python: bool) -> Allowance {
        match self.policy_for(program, python) {
            Some(policy) => {
                let (read, mut write) =
                    survey::survey_again(&policy).folders_of_runs(self.using.bwrap.is_some());
                // If the working folder is too wide to be writable, only the private folder is.
                if write.is_empty() && self.narrowed {
                    write.push(if self.using.bwrap.is_some() {
                        policy.tmp.clone()
                    } else {
                        policy.private.0.clone()
                    });
                }
                Allowance { read, write, network: policy.network }
            }
            None => Allowance { network: true, ..Allowance::default() },
        }
    }

    /// The paths that are blocked for a run under these terms; `None` if nothing is.
    pub(super) fn closed_places(&self, terms: &Terms) -> Option<ClosedPlaces> {
        let (policy, _) = self.confined.as_ref()?;
        let policy = survey::survey_again(policy);
        let mut write = terms.rights.write.clone();
        write.extend(HOME_PARTS.iter().map(|part| policy.home.join(part)));
        write.extend([policy.tmp.clone(), policy.private.0.clone(), policy.private.1.clone()]);
        Some(ClosedPlaces {
            cwd: terms.cwd.clone(),
            home: self.home.clone(),
            home_inside: policy.home.clone(),
            read: terms.rights.read.clone(),
            write,
            protected: policy.protected,
            network: !(policy.network || terms.rights.network),
        })
    }

    /// The names of the person's variables that a run gets: those of `env` and those that [`Sandbox::set_variables`]
    /// adds.
    pub(super) fn passed_variables(&self, env: &Environment) -> Vec<String> {
        let own = env.iter().map(|(name, _)| name.to_string_lossy().into_owned());
        let of_managers = self.confined.iter().flat_map(|_| managers::passed_variables()).map(str::to_owned);
        let mut names: Vec<String> = own.chain(of_managers).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Sets the variables that point programs to their private folders.
    pub(super) fn set_variables(&self, env: &mut Environment) {
        if let Some((policy, session)) = &self.confined {
            self.set_variables_of(policy, session, env);
        }
    }

    fn set_variables_of(&self, policy: &SandboxPolicy, private: &Scratch, env: &mut Environment) {
        let (tmp, home) = (private.tmp(), private.home());
        let places = match &self.using.bwrap {
            Some(_) => (policy.tmp.as_path(), policy.home.as_path()),
            None => (tmp.as_path(), home.as_path()),
        };
        for (name, value) in SandboxPolicy::environment(places) {
            plan::set(env, name, value);
        }
        managers::set_variables(env, self.home.as_deref());
        // Packages that the person installed for their account stay readable.
        if let Some(home) = &self.home {
            plan::set(env, "PYTHONUSERBASE", home.join(".local"));
        }
    }

    /// The enclosure for a query to a program, or for processing what a run made. Readable is what the `PATH` requires,
    /// and nothing for the program's own needs.
    pub(super) fn enclosure_to_ask(&self) -> Enclosure {
        let policy = self.confined.as_ref().map(|(policy, _)| policy.clone());
        Enclosure { scope: None, ..self.enclosure_of(policy) }
    }

    /// The enclosure for this policy, and what can be reached in it.
    fn enclosure_of(&self, policy: Option<SandboxPolicy>) -> Enclosure {
        let entry = match &policy {
            Some(policy) => self.using.entry(policy, &self.helper),
            None => HelperEntry::plain(&self.helper),
        };
        let blocked = self.report.network_blocked;
        let reach = policy.as_ref().map_or_else(Reach::open, |policy| self.using.reach(policy, blocked));
        Enclosure { entry, policy, reach, using: self.using.clone(), scope: self.scope.clone() }
    }

    fn policy_for(&self, program: &Path, python: bool) -> Option<SandboxPolicy> {
        let (policy, _) = self.confined.as_ref()?;
        let scope = SearchScope {
            home: self.home.as_deref(),
            cwd: &policy.cwd,
            own: &self.own,
            programs: &self.programs,
        };
        let mut needed = toolchain::of_interpreter(program, python, scope);
        needed.extend(self.python.iter().flat_map(|python| toolchain::of_interpreter(python, true, scope)));
        Some(policy.clone().with_read(&needed))
    }
}

impl Enclosure {
    /// A program under its helper, without confinement.
    pub(super) fn open(helper: &HelperFile) -> Self {
        Self {
            entry: HelperEntry::plain(helper),
            policy: None,
            using: ActiveLayers::default(),
            reach: Reach::open(),
            scope: None,
        }
    }

    /// The restrictions that a program enters, with these limits.
    pub(super) fn confinement(&self, limits: &Limits) -> Confinement {
        match &self.policy {
            Some(policy) => self.using.confinement(policy, limits),
            None => {
                Confinement { limits: process_limits(limits, false, processors()), ..Confinement::default() }
            }
        }
    }
}

pub(super) fn processors() -> u64 {
    std::thread::available_parallelism().map_or(1, |count| count.get() as u64)
}
