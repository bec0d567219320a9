//! Starts the kernel, for a run or in advance, and begins runs in it.

use super::{Local, RunHost};
use crate::domain::{Language, SandboxLevel};
use crate::exec::backend::BackendRun;
use crate::exec::error::ExecError;
use crate::exec::kernel::Kernel;
use crate::exec::{environment, packages, plan};
use std::path::{Path, PathBuf};

/// How many kernels are started without approval while none of them becomes ready.
pub(super) const MAX_ATTEMPTS: u32 = 3;

impl Local {
    pub(super) fn is_kernel(&self, language: &Language) -> bool {
        language.as_str() == "python"
            && self.finder.languages().0.iter().any(|entry| entry.name == *language && entry.persistent)
    }

    /// Starts an empty kernel that nobody has approved: only for a trusted program, and only confined.
    pub(super) fn prepare_kernel(&mut self, language: &Language) {
        let Ok(interpreter) = self.finder.find(language) else { return };
        if self.is_kernel(language) && self.kernel.is_none() && self.may_start_unasked(&interpreter.path) {
            let _ = self.start_kernel(&interpreter.path);
        }
    }

    /// Whether this interpreter may be started as a kernel without approval.
    pub(super) fn may_start_unasked(&mut self, interpreter: &Path) -> bool {
        let confined =
            self.prepared_sandbox().is_ok_and(|sandbox| sandbox.report().level != SandboxLevel::Off);
        // A kernel that fails to start is started again only for an approved run.
        confined && self.finder.is_plain(interpreter) && self.never_ready < MAX_ATTEMPTS
    }

    pub(super) fn start_kernel(&mut self, interpreter: &Path) -> Result<(), ExecError> {
        let kernel = self.new_kernel(interpreter, self.generation + 1)?;
        self.generation += 1;
        self.kernel = Some(kernel);
        Ok(())
    }

    /// Starts a Python process as the kernel would be: with the same rights, limits and environment.
    pub(super) fn new_kernel(&mut self, interpreter: &Path, generation: u32) -> Result<Kernel, ExecError> {
        let mut env = self.environment.clone();
        if let Some(folder) = self.folder_for_matplotlib() {
            plan::set(&mut env, "MPLCONFIGDIR", folder);
        }
        let packages = packages::folder(&self.setup.blobs, "python");
        self.prepared_sandbox()?.set_variables(&mut env);
        if let Some(tools) = &mut self.tools {
            tools.set_path(&mut env);
            tools.add_variable_for_later_packages(&mut env);
        }
        // The folder exists before the kernel starts, so that packages installed later are found.
        plan::set(&mut env, packages::VARIABLE, packages);
        let enclosure = self.prepared_sandbox()?.enclosure(interpreter, true);
        let (limits, cwd) = (&self.kernel_limits, &self.setup.cwd);
        Kernel::start((&enclosure, limits), interpreter, cwd, env, generation)
    }

    /// A folder for matplotlib beside the session, if the home folder, where it keeps its cache, is not writable.
    pub(super) fn folder_for_matplotlib(&self) -> Option<PathBuf> {
        let home = environment::value(&self.environment, "HOME");
        let writable =
            home.is_some_and(|home| rustix::fs::access(home, rustix::fs::Access::WRITE_OK).is_ok());
        (!writable).then(|| self.setup.blobs.join("matplotlib"))
    }

    pub(super) fn begin_in_kernel(&mut self, job: &BackendRun) -> Result<RunHost, ExecError> {
        let terms = &job.terms;
        self.widen_kernel_limits(&terms.limits);
        if self.kernel.as_ref().map(|kernel| kernel.state.generation)
            != terms.kernel.map(|kernel| kernel.generation)
        {
            // The person asked for a new kernel.
            self.end_kernel();
        }
        if self.kernel.is_none() {
            self.start_kernel(&terms.interpreter)?;
        }
        self.begin_with_limits(&terms.limits)?;
        let kernel = self.kernel.as_mut().ok_or(ExecError::Ended)?;
        kernel.shared.add(job.block);
        kernel.run(job);
        Ok(RunHost::Kernel)
    }
}
