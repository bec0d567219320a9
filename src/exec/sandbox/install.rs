//! Computes what an installation of packages may reach: the network, and of the person's folders only that of packages.
//! Also makes that folder readable for every later run.
//!
//! An installation has the network, which the runs before it may not have had. So it shares nothing with them that they
//! could have written: it has private folders of its own, and with bubblewrap it does not see the working folder. What
//! it builds runs with the network too, and has nothing of the working folder to send. Landlock alone can hide nothing
//! in a folder that it opens: there the working folder is readable if what the installation needs lies around it.

use super::scratch::Scratch;
use super::{Allowance, Enclosure, Sandbox, SandboxError, SandboxPolicy, survey, toolchain};
use crate::domain::SandboxLevel;
use crate::exec::environment::Environment;
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

    /// Private folders for one installation, which no run has written to; `None` if nothing is confined.
    ///
    /// # Errors
    /// When they can't be made.
    pub(crate) fn folders_to_install(&self) -> Result<Option<Scratch>, SandboxError> {
        self.confined.as_ref().map(|_| Scratch::of_session()).transpose()
    }

    /// Sets the variables that point the programs of an installation to its private folders.
    pub(crate) fn set_variables_to_install(&self, env: &mut Environment, private: Option<&Scratch>) {
        let Some((policy, session)) = &self.confined else { return };
        self.set_variables_of(policy, private.unwrap_or(session), env);
    }

    /// What an installation into this folder by these programs may use.
    pub(crate) fn allowance_to_install(&self, programs: &[PathBuf], folder: &Path) -> Allowance {
        match self.policy_to_install(programs, folder, None) {
            Some(policy) => Allowance { read: policy.readable(), write: policy.writable(), network: true },
            None => Allowance { network: true, ..Allowance::default() },
        }
    }

    /// The enclosure of an installation with these private folders.
    pub(crate) fn enclosure_to_install(
        &self,
        programs: &[PathBuf],
        folder: &Path,
        private: Option<&Scratch>,
    ) -> Enclosure {
        let policy = self.policy_to_install(programs, folder, private);
        self.enclosure_of(policy.map(|policy| survey::survey_again(&policy)))
    }

    fn policy_to_install(
        &self,
        programs: &[PathBuf],
        folder: &Path,
        private: Option<&Scratch>,
    ) -> Option<SandboxPolicy> {
        let (of_session, session) = self.confined.as_ref()?;
        let scope = self.search_scope(of_session);
        let private = private.unwrap_or(session);
        let needed = programs.iter().flat_map(|program| {
            let python = program.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python"));
            toolchain::of_interpreter(program, python, scope)
        });
        let mut policy = of_session.without_working_folder(folder, &needed.collect::<Vec<_>>());
        policy.private = (private.tmp(), private.home());
        policy.network = true;
        Some(policy)
    }
}

impl SandboxPolicy {
    /// The same policy for a program that works in another folder, the only one that it may write to. `needed` is what
    /// it has to read.
    fn without_working_folder(&self, folder: &Path, needed: &[PathBuf]) -> Self {
        let of_runs = [std::slice::from_ref(&self.cwd), &self.write].concat();
        let around = |read: &PathBuf| of_runs.iter().any(|of_runs| of_runs.starts_with(read));
        let policy = Self {
            level: SandboxLevel::Workspace,
            cwd: folder.to_path_buf(),
            read: self.read.iter().filter(|read| !around(read)).cloned().collect(),
            write: Vec::new(),
            protected: Vec::new(),
            pinned: Vec::new(),
            shown: Vec::new(),
            ..self.clone()
        };
        let policy = policy.with_read(needed);
        let in_sight =
            |path: &&PathBuf| *path != folder && policy.read.iter().any(|read| path.starts_with(read));
        // What the program needs may lie around what runs can write.
        let hidden_folders = of_runs.iter().chain(&self.hidden_folders).filter(in_sight).cloned().collect();
        let hidden_files = self.hidden_files.iter().filter(in_sight).cloned().collect();
        Self { hidden_folders, hidden_files, ..policy }
    }
}

#[cfg(test)]
mod tests {
    use super::super::policy::tests::sample;
    use super::super::reach::tests::layered;
    use super::*;
    use crate::domain::Reachability;

    #[test]
    fn an_installation_sees_nothing_of_the_working_folder() {
        let programs: Vec<PathBuf> = vec!["/home/ada/.pyenv".into()];
        let around: [PathBuf; 3] = ["/home/ada/data".into(), "/home/ada/data/sales".into(), "/srv".into()];
        let session = SandboxPolicy {
            read: [&programs[..], &around].concat(),
            hidden_folders: vec!["/home/ada/data/sales/own".into(), "/home/ada/.pyenv/secret".into()],
            ..sample(SandboxLevel::Workspace)
        };
        for folder in ["/data/s1/packages/python", "/home/ada/data/sales/.venv"] {
            let policy = session.without_working_folder(Path::new(folder), &programs);
            assert_eq!((policy.writable(), policy.readable()), (vec![folder.into()], programs.clone()));
            assert_eq!(policy.hidden(), [PathBuf::from("/home/ada/.pyenv/secret")]);
            for alone in [false, true] {
                let mut layers = layered();
                layers.bwrap = layers.bwrap.filter(|_| !alone);
                let reach = layers.reach(&policy, false);
                let all = |path: &str| (reach.reads(Path::new(path)), reach.writes(Path::new(path)));
                let closed = (Reachability::No, Reachability::No);
                for path in ["sales.csv", ".git/config", "own/key"] {
                    assert_eq!(all(&format!("/home/ada/data/sales/{path}")), closed, "{path} {alone}");
                }
                assert_eq!(all("/srv/out/x"), closed);
                assert_eq!(all(&format!("{folder}/six.py")), (Reachability::Yes, Reachability::Yes));
            }
            let policy = session.without_working_folder(Path::new(folder), &around[..1]);
            // Landlock alone opens all of a folder that is needed; the rights name that folder.
            assert_eq!(policy.readable(), [&programs[..], &around[..1]].concat());
            for (alone, own) in [(false, Reachability::No), (true, Reachability::Yes)] {
                let mut layers = layered();
                layers.bwrap = layers.bwrap.filter(|_| !alone);
                let reach = layers.reach(&policy, false);
                let reads = |path: &str| reach.reads(Path::new(path));
                let writes = |path: &str| reach.writes(Path::new(path));
                assert_eq!(reads("/home/ada/data/bin/npm"), Reachability::Yes, "its program lies around it");
                assert_eq!(reads("/home/ada/data/sales/sales.csv"), own, "{alone}");
                assert_eq!(writes("/home/ada/data/sales/sales.csv"), Reachability::No, "{alone}");
                assert_eq!(reads(&format!("{folder}/six.py")), Reachability::Yes);
            }
        }
    }
}
