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
mod preparation;
mod probe;
mod reach;
pub(crate) mod refusals;
mod report;
mod scratch;
mod seatbelt;
pub(crate) mod selftest;
mod survey;
mod toolchain;

use super::cgroup::Scope;
use super::entry::HelperEntry;
use super::environment::Environment;
use super::helper_file::HelperFile;
use super::plan;
use crate::domain::{Limits, Reach, SandboxReport, Terms};
use crate::launch::Launcher;
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
pub(super) use probe::{helper_program, run_to_end};
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
    /// What is enforced, according to the tests.
    pub(super) fn report(&self) -> &SandboxReport {
        &self.report
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

    /// The surroundings of a search for toolchains.
    fn search_scope<'a>(&'a self, policy: &'a SandboxPolicy) -> SearchScope<'a> {
        let (home, programs) = (self.home.as_deref(), &self.programs);
        SearchScope { home, cwd: &policy.cwd, own: &self.own, programs }
    }

    fn policy_for(&self, program: &Path, python: bool) -> Option<SandboxPolicy> {
        let (policy, _) = self.confined.as_ref()?;
        let scope = self.search_scope(policy);
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
