//! The start of the kernel, for a run or before one, and the beginning of a run in it.

use super::{Local, RunHost};
use crate::domain::{Language, SandboxLevel};
use crate::exec::backend::Job;
use crate::exec::error::ExecError;
use crate::exec::kernel::Kernel;
use crate::exec::{packages, plan};
use std::path::{Path, PathBuf};

/// So many kernels are started by themselves when none of them becomes ready.
pub(super) const MAX_ATTEMPTS: u32 = 3;

impl Local {
    pub(super) fn is_kernel(&self, language: &Language) -> bool {
        language.as_str() == "python"
            && self.finder.languages().0.iter().any(|entry| entry.name == *language && entry.persistent)
    }

    /// Starts the empty kernel, which nobody has approved: only a program that can be trusted, and only confined.
    pub(super) fn prepare_kernel(&mut self, language: &Language) {
        let Ok(interpreter) = self.finder.find(language) else { return };
        if self.is_kernel(language) && self.kernel.is_none() && self.may_start_unasked(&interpreter.path) {
            let _ = self.start_kernel(&interpreter.path);
        }
    }

    /// Whether this interpreter may be started as a kernel before anybody approved it.
    pub(super) fn may_start_unasked(&mut self, interpreter: &Path) -> bool {
        let confined =
            self.prepared_sandbox().is_ok_and(|sandbox| sandbox.report().level != SandboxLevel::Off);
        // One that can't start is tried again only for a run that was approved.
        confined && self.finder.is_plain(interpreter) && self.never_ready < MAX_ATTEMPTS
    }

    pub(super) fn start_kernel(&mut self, interpreter: &Path) -> Result<(), ExecError> {
        let kernel = self.new_kernel(interpreter, self.generation + 1)?;
        self.generation += 1;
        self.kernel = Some(kernel);
        Ok(())
    }

    /// Starts a Python in the kernel's place: the same rights, limits and variables of the environment.
    pub(super) fn new_kernel(&mut self, interpreter: &Path, generation: u32) -> Result<Kernel, ExecError> {
        let mut env = self.environment.clone();
        if let Some(folder) = self.folder_for_matplotlib() {
            plan::set(&mut env, "MPLCONFIGDIR", folder);
        }
        let packages = packages::folder(&self.setup.blobs, "python");
        self.prepared_sandbox()?.set_variables(&mut env);
        if let Some(tools) = &mut self.tools {
            tools.set_path(&mut env);
            tools.lend_later(&mut env);
        }
        // It is there before the kernel is, so that packages that come later are found.
        plan::set(&mut env, packages::VARIABLE, packages);
        let cell = self.prepared_sandbox()?.cell(interpreter, true);
        let (limits, cwd) = (&self.kernel_limits, &self.setup.cwd);
        Kernel::start((&cell, limits), interpreter, cwd, env, generation)
    }

    /// matplotlib keeps a cache under the home folder; where that can't be written, it gets a place beside the session.
    pub(super) fn folder_for_matplotlib(&self) -> Option<PathBuf> {
        let home = self.environment.iter().find(|(name, _)| name == "HOME").map(|(_, value)| value);
        let writable =
            home.is_some_and(|home| rustix::fs::access(home, rustix::fs::Access::WRITE_OK).is_ok());
        (!writable).then(|| self.setup.blobs.join("matplotlib"))
    }

    pub(super) fn begin_in_kernel(&mut self, job: &Job) -> Result<RunHost, ExecError> {
        let Job { block, terms, label, source, token } = job;
        self.make_room(&terms.limits);
        if self.kernel.as_ref().map(|kernel| kernel.state.generation)
            != terms.kernel.map(|kernel| kernel.generation)
        {
            // The person wants a new one.
            self.end_kernel();
        }
        if self.kernel.is_none() {
            self.start_kernel(&terms.interpreter)?;
        }
        self.fit_kernel(&terms.limits)?;
        let kernel = self.kernel.as_mut().ok_or(ExecError::Ended)?;
        kernel.shared.add(*block);
        match &terms.target {
            // A file of functions: its errors name it, not the block.
            Some(file) => {
                let name = file.path.file_name().map(|name| name.to_string_lossy().into_owned());
                kernel.load(token, name.as_deref().unwrap_or(label), source.as_bytes(), &file.path);
            }
            None => kernel.run(token, label, source.as_bytes()),
        }
        Ok(RunHost::Kernel)
    }
}
