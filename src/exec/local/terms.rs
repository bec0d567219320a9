//! Computes the terms under which a block would run, in the sandbox that is prepared for all runs.

use super::Local;
use crate::domain::{
    Enforcement, ExecutorKind, Interpreter, KernelRef, Language, Limits, Reach, Rights, Terms,
};
use crate::exec::ExecutorError;
use crate::exec::environment::Environment;
use crate::exec::project_tools::ProjectTools;
use crate::exec::sandbox::refusals::ClosedPlaces;
use crate::exec::sandbox::{Allowance, Sandbox, SandboxError, SessionSite};
use crate::exec::{blob, packages};
use std::path::{Path, PathBuf};

impl Local {
    /// The sandbox; prepared when first needed, which takes some 50 ms.
    pub(super) fn prepared_sandbox(&mut self) -> Result<&Sandbox, SandboxError> {
        let Self { setup, sandbox, finder, tools, held, .. } = self;
        let tools = tools.get_or_insert_with(|| ProjectTools::of(finder, &setup.blobs));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let site = SessionSite {
            cwd: &setup.cwd,
            home: setup.home.as_deref(),
            own: &setup.own,
            path: &path,
            programs: finder.launcher(),
        };
        let prepare = || {
            // sayso's own folders inside an open folder are made now: a folder that is made later would be open too,
            // for example that of the first session, with its key.
            let real = |path: &Path| path.ancestors().find_map(|folder| folder.canonicalize().ok());
            let open = setup.sandbox.read.iter().chain(&setup.sandbox.write).chain([&setup.cwd]);
            let open: Vec<PathBuf> = open.filter_map(|folder| folder.canonicalize().ok()).collect();
            let is_open =
                |own: &&PathBuf| real(own).is_some_and(|own| open.iter().any(|open| own.starts_with(open)));
            for own in setup.own.iter().filter(is_open) {
                let _ = blob::make_folder(own);
            }
            let sandbox = Sandbox::prepare(&setup.sandbox, setup.without, site, &setup.limits, &setup.helper);
            *held = held.take().or_else(|| packages::hold(&setup.blobs));
            // This folder has to be visible in a kernel before packages are installed in it.
            let sandbox = sandbox.map(|sandbox| match packages::make(&setup.blobs) {
                Ok(folder) => sandbox.with_packages(&folder),
                Err(_) => sandbox,
            });
            sandbox.map(|sandbox| sandbox.with_python(tools.in_use().map(Into::into)))
        };
        // An earlier attempt failed, so nothing has run; what was missing may exist by now.
        if sandbox.as_ref().is_some_and(Result::is_err) {
            *sandbox = None;
        }
        sandbox.get_or_insert_with(prepare).as_ref().map_err(Clone::clone)
    }

    /// The terms under which a block would run with this interpreter.
    pub(super) fn terms_of(
        &mut self,
        language: &Language,
        interpreter: &Interpreter,
        limits: Limits,
        new_kernel: bool,
    ) -> Result<Terms, ExecutorError> {
        let persistent = self.is_kernel(language);
        let opened = if persistent && !new_kernel { self.opened_since_start(language) } else { None };
        let usual = (language.as_str() == "bash").then(|| self.program_environment()).transpose()?;
        let lower = persistent && self.lower_than_kernel(&limits, new_kernel)?;
        let path = match self.kernel_that_fits(&limits).filter(|_| persistent && !new_kernel) {
            Some(kernel) => kernel.interpreter.clone(),
            None => interpreter.path.clone(),
        };
        let given = self.environment.clone();
        let sandbox = self.prepared_sandbox()?;
        let environment = sandbox.passed_variables(&given);
        let Allowance { read, write, network } = sandbox.allowance(&path, language.as_str() == "python");
        let mut sandbox = sandbox.report().clone();
        if lower {
            // The code could raise the lower limits of this run to those of the kernel; the helper checks and sets them
            // again.
            for hold in [&mut sandbox.processes, &mut sandbox.files] {
                *hold = (*hold).min(Enforcement::Watched);
            }
        }
        let (executor, kernel, cwd) = self.host_of(language, &limits, new_kernel);
        let shared = match executor {
            ExecutorKind::Kernel if new_kernel => None,
            ExecutorKind::Kernel => {
                self.kernel_that_fits(&limits).and_then(|kernel| kernel.shared.if_any()).map(|mut shared| {
                    shared.changed.extend(opened);
                    shared
                })
            }
            _ => usual.and_then(|usual| self.shell.shared(&usual)),
        };
        let python = self.tools.as_ref().and_then(ProjectTools::python).cloned();
        Ok(Terms {
            language: language.clone(),
            executor,
            interpreter: path,
            version: interpreter.version.clone(),
            kernel,
            cwd: cwd.clone(),
            rights: Rights { read, write, network, environment, python, terminal: false, sandbox }.into(),
            limits,
            shared,
            target: None,
        })
    }

    /// What would run a block: the executor, its kernel if it has one, and the folder in which the block starts.
    fn host_of(
        &self,
        language: &Language,
        limits: &Limits,
        new_kernel: bool,
    ) -> (ExecutorKind, Option<KernelRef>, &PathBuf) {
        if self.is_kernel(language) {
            let kernel = self.kernel_that_fits(limits).filter(|_| !new_kernel);
            let next = KernelRef { generation: self.generation + 1, variables: 0, keeps_running: false };
            let cwd = kernel.map_or(&self.setup.cwd, |kernel| &kernel.cwd);
            return (ExecutorKind::Kernel, Some(kernel.map_or(next, |kernel| kernel.state)), cwd);
        }
        let cwd = if language.as_str() == "bash" { &self.shell.cwd } else { &self.setup.cwd };
        (ExecutorKind::Subprocess, None, cwd)
    }

    /// The same terms with a terminal, for code that runs as a program of this machine. Python then does not run in the
    /// kernel, since a process gets its terminal at its start.
    pub(super) fn in_terminal(&self, mut terms: Terms) -> Result<Terms, ExecutorError> {
        match terms.executor {
            ExecutorKind::Subprocess => {}
            ExecutorKind::Kernel if terms.target.is_none() => {
                terms.executor = ExecutorKind::Subprocess;
                terms.cwd.clone_from(&self.setup.cwd);
                (terms.kernel, terms.shared) = (None, None);
            }
            _ => return Err(ExecutorError::NoTerminal),
        }
        terms.rights.terminal = true;
        if !terms.rights.environment.iter().any(|name| name == "TERM") {
            terms.rights.environment.push("TERM".into());
        }
        Ok(terms)
    }

    /// What the kernel can write to although a new kernel could not, because it was made after the start of the kernel,
    /// when its sandbox was fixed. If nobody has used the kernel, it is replaced instead.
    fn opened_since_start(&mut self, language: &Language) -> Option<String> {
        let kernel = self.kernel.as_ref()?;
        let (then, interpreter, used) =
            (kernel.process.reach.clone(), kernel.interpreter.clone(), kernel.used);
        let now = self.prepared_sandbox().ok()?.enclosure(&interpreter, true).reach;
        let all = [PathBuf::from("/")];
        let closed = then.kept_from_writing(&all);
        let open: Vec<&Path> =
            now.kept_from_writing(&all).into_iter().filter(|path| !closed.contains(path)).collect();
        if open.is_empty() {
            return None;
        }
        if !used {
            self.end_kernel();
            self.prepare_kernel(language);
            return None;
        }
        let names: Vec<String> = open.iter().map(|path| path.display().to_string()).collect();
        Some(format!("can write {}, made after it began (K = new kernel)", names.join(", ")))
    }

    pub(super) fn program_environment(&mut self) -> Result<Environment, SandboxError> {
        let mut env = self.environment.clone();
        self.prepared_sandbox()?.set_variables(&mut env);
        if let Some(tools) = &mut self.tools {
            tools.set_path(&mut env);
            tools.add_package_path(&mut env);
        }
        Ok(env)
    }

    /// What a run under these terms can reach. For the current kernel, what it could reach at its start.
    pub(super) fn reach_of(&mut self, terms: &Terms) -> Result<Reach, SandboxError> {
        match terms.executor {
            ExecutorKind::Files | ExecutorKind::Engine => Ok(Reach::default()),
            ExecutorKind::Installer => {
                let programs = self.programs(&terms.interpreter, self.into_of(terms));
                let private = self.folders_to_install()?;
                let sandbox = self.prepared_sandbox()?;
                let reach = sandbox.enclosure_to_install(&programs, &terms.cwd, private.as_ref()).reach;
                self.to_install = private;
                Ok(reach)
            }
            ExecutorKind::Kernel if self.kernel_that_fits(&terms.limits).is_some() => {
                Ok(self.kernel.as_ref().map(|kernel| kernel.process.reach.clone()).unwrap_or_default())
            }
            _ => {
                let python = terms.language.as_str() == "python";
                Ok(self.prepared_sandbox()?.enclosure(&terms.interpreter, python).reach)
            }
        }
    }

    /// The paths that are blocked for a run under these terms, to explain refused accesses.
    pub(super) fn closed_places(&self, terms: &Terms) -> Option<ClosedPlaces> {
        self.sandbox.as_ref()?.as_ref().ok()?.closed_places(terms)
    }
}
