//! Computes what an installation of packages may reach: the network, and for writing only the folder of packages. Also
//! makes that folder readable for every later run.

use super::toolchain::{self, SearchScope};
use super::{Allowance, Enclosure, Sandbox, SandboxPolicy, survey};
use crate::domain::SandboxLevel;
use std::path::{Path, PathBuf};

impl Sandbox {
    /// The same sandbox, where every run can read this folder.
    #[must_use]
    pub(crate) fn with_packages(mut self, folder: &Path) -> Self {
        self.confined =
            self.confined.map(|(policy, scratch)| (policy.with_read(&[folder.to_path_buf()]), scratch));
        self
    }

    /// The same sandbox, where every run can read what this Python needs.
    #[must_use]
    pub(crate) fn with_python(self, python: Option<PathBuf>) -> Self {
        Self { python, ..self }
    }

    /// What an installation into this folder by these programs may use.
    pub(crate) fn allowance_to_install(&self, programs: &[PathBuf], folder: &Path) -> Allowance {
        match self.policy_to_install(programs, folder) {
            Some(policy) => Allowance { read: policy.readable(), write: policy.writable(), network: true },
            None => Allowance { network: true, ..Allowance::default() },
        }
    }

    /// The enclosure of an installation.
    pub(crate) fn enclosure_to_install(&self, programs: &[PathBuf], folder: &Path) -> Enclosure {
        let policy = self.policy_to_install(programs, folder).map(|policy| survey::look_again(&policy));
        self.enclosure_of(policy)
    }

    fn policy_to_install(&self, programs: &[PathBuf], folder: &Path) -> Option<SandboxPolicy> {
        let (policy, _) = self.confined.as_ref()?;
        let scope = SearchScope {
            home: self.home.as_deref(),
            cwd: &policy.cwd,
            own: &self.own,
            programs: &self.programs,
        };
        let mut policy = policy.clone();
        for program in programs {
            let python = program.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python"));
            policy = policy.with_read(&toolchain::of_interpreter(program, python, scope));
        }
        // It may only read what the person works on.
        policy.level = SandboxLevel::ReadOnly;
        policy.write = vec![folder.to_path_buf()];
        policy.network = true;
        Some(policy)
    }
}
