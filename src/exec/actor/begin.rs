//! The beginning of runs: under which terms a block would run, whether they still hold, and the start.

use super::Actor;
use crate::domain::{
    ExecutorKind, Hold, Interpreter, KernelRef, Language, Limits, Outcome, Reach, Rights, RunEvent, RunId,
    RunRequest, SandboxLevel, Terms,
};
use crate::exec::error::ExecError;
use crate::exec::helper_wire::{Bounds, Order};
use crate::exec::kernel::Kernel;
use crate::exec::kernel_wire::Token;
use crate::exec::outbox::Outbox;
use crate::exec::plan::{self, Given};
use crate::exec::run::{Carrier, Run, nothing};
use crate::exec::sandbox::refused::Closed;
use crate::exec::sandbox::{Allowance, Sandbox, Standing};
use crate::exec::{blob, languages, packages, process};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use tokio::sync::mpsc;

/// So many kernels are started by themselves when none of them becomes ready.
pub(super) const ATTEMPTS: u32 = 3;

impl Actor {
    /// The sandbox; prepared at the first need, which takes some 50 ms.
    pub(super) fn sandbox(&mut self) -> Result<&Sandbox, String> {
        let Self { setup, sandbox, finder, .. } = self;
        let path = std::env::var_os("PATH").unwrap_or_default();
        let standing = Standing {
            cwd: &setup.cwd,
            home: setup.home.as_deref(),
            own: &setup.own,
            path: &path,
            programs: finder.launcher(),
        };
        let prepare = || {
            let sandbox =
                Sandbox::prepare(&setup.sandbox, setup.without, standing, &setup.limits, &setup.helper);
            // Packages that are installed later have to be in sight of a kernel that is there before them.
            sandbox.map(|sandbox| match packages::make(&setup.blobs) {
                Ok(folder) => sandbox.with_packages(&folder),
                Err(_) => sandbox,
            })
        };
        // Nothing ran yet where it could not be had: what was missing may be there by now.
        if sandbox.as_ref().is_some_and(Result::is_err) {
            *sandbox = None;
        }
        sandbox.get_or_insert_with(prepare).as_ref().map_err(Clone::clone)
    }

    pub(super) fn terms(
        &mut self,
        language: &Language,
        interpreter: &Interpreter,
        limits: Limits,
    ) -> Result<Terms, String> {
        let persistent = self.is_kernel(language);
        let lower = persistent && self.lower_than_kernel(&limits)?;
        let path = match self.kernel_with_room(&limits).filter(|_| persistent) {
            Some(kernel) => kernel.interpreter.clone(),
            None => interpreter.path.clone(),
        };
        let sandbox = self.sandbox()?;
        let Allowance { read, write, network } = sandbox.allowance(&path, language.as_str() == "python");
        let mut sandbox = sandbox.report().clone();
        if lower {
            // The code could lift what is lower for this run than for its kernel; who looks puts it back.
            for hold in [&mut sandbox.processes, &mut sandbox.files] {
                *hold = (*hold).min(Hold::Watched);
            }
        }
        let next = KernelRef { generation: self.generation + 1, variables: 0 };
        let (executor, kernel, cwd) = if persistent {
            let kernel = self.kernel_with_room(&limits);
            let cwd = kernel.map_or(&self.setup.cwd, |kernel| &kernel.cwd);
            (ExecutorKind::Kernel, Some(kernel.map_or(next, |kernel| kernel.state)), cwd)
        } else if language.as_str() == "bash" {
            (ExecutorKind::Subprocess, None, &self.shell.cwd)
        } else {
            (ExecutorKind::Subprocess, None, &self.setup.cwd)
        };
        let environment =
            self.environment.iter().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
        Ok(Terms {
            language: language.clone(),
            executor,
            interpreter: path,
            version: interpreter.version.clone(),
            kernel,
            cwd: cwd.clone(),
            rights: Rights { read, write, network, environment, sandbox },
            limits,
            target: None,
        })
    }

    /// What a run under these terms reaches: of the kernel that is there, what it was started with.
    pub(super) fn reach(&mut self, terms: &Terms) -> Result<Reach, String> {
        match terms.executor {
            ExecutorKind::Files | ExecutorKind::Engine => Ok(Reach::default()),
            ExecutorKind::Installer => {
                let programs = self.programs(&terms.interpreter);
                Ok(self.sandbox()?.cell_to_install(&programs, &terms.cwd).reach)
            }
            ExecutorKind::Kernel if self.kernel_with_room(&terms.limits).is_some() => {
                Ok(self.kernel.as_ref().map(|kernel| kernel.reach.clone()).unwrap_or_default())
            }
            _ => {
                let python = terms.language.as_str() == "python";
                Ok(self.sandbox()?.cell(&terms.interpreter, python).reach)
            }
        }
    }

    /// What is closed for a run under these terms, for telling what was refused.
    fn closed(&self, terms: &Terms) -> Option<Closed> {
        self.sandbox.as_ref()?.as_ref().ok()?.closed(terms)
    }

    pub(super) fn is_kernel(&self, language: &Language) -> bool {
        language.as_str() == "python"
            && self.finder.languages().0.iter().any(|entry| entry.name == *language && entry.persistent)
    }

    /// Starts the empty kernel, which nobody has approved: only a program that can be trusted, and only confined.
    pub(super) fn warm(&mut self, language: &Language) {
        let Ok(interpreter) = self.finder.find(language) else { return };
        let confined = self.sandbox().is_ok_and(|sandbox| sandbox.report().level != SandboxLevel::Off);
        let may = confined && self.finder.is_plain(&interpreter.path);
        // One that can't start is tried again only for a run that was approved.
        let hopeless = self.never_ready >= ATTEMPTS;
        if self.is_kernel(language) && self.kernel.is_none() && may && !hopeless {
            let _ = self.start_kernel(&interpreter);
        }
    }

    pub(super) fn start_kernel(&mut self, interpreter: &Interpreter) -> Result<(), ExecError> {
        let mut env = self.environment.clone();
        if let Some(folder) = self.folder_for_matplotlib() {
            plan::set(&mut env, "MPLCONFIGDIR", folder);
        }
        let packages = packages::folder(&self.setup.blobs, "python");
        let sandbox = self.sandbox().map_err(ExecError::Sandbox)?;
        sandbox.dress(&mut env);
        // It is there before the kernel is, so that packages that come later are found.
        plan::set(&mut env, packages::VARIABLE, packages);
        let cell = sandbox.cell(&interpreter.path, true);
        let (limits, cwd) = (&self.kernel_limits, &self.setup.cwd);
        let kernel = Kernel::start((&cell, limits), &interpreter.path, cwd, env, self.generation + 1)?;
        self.generation += 1;
        self.kernel = Some(kernel);
        Ok(())
    }

    /// matplotlib keeps a cache under the home folder; where that can't be written, it gets a place beside the session.
    pub(super) fn folder_for_matplotlib(&self) -> Option<PathBuf> {
        let home = self.environment.iter().find(|(name, _)| name == "HOME").map(|(_, value)| value);
        let writable =
            home.is_some_and(|home| rustix::fs::access(home, rustix::fs::Access::WRITE_OK).is_ok());
        (!writable).then(|| self.setup.blobs.join("matplotlib"))
    }

    pub(super) fn start(&mut self, request: &RunRequest, out: mpsc::Sender<(RunId, RunEvent)>) {
        let approval = request.approval();
        let outbox = Outbox::new(approval.run(), out);
        let limits = approval.terms().limits;
        if let Err(outcome) = self.check(request) {
            return outbox.finish(nothing(outcome, limits));
        }
        let closed = self.closed(approval.terms());
        let token: Token = match blob::random() {
            Ok(token) => token,
            Err(error) => return outbox.finish(nothing(Outcome::NotStarted(error.to_string()), limits)),
        };
        let label = format!("block {}", approval.block());
        let begun = match approval.terms().executor {
            ExecutorKind::Kernel => self.begin_in_kernel(request, &label, token),
            ExecutorKind::Installer => self.begin_install(request),
            _ => self.begin_program(request, &label),
        };
        match begun {
            Ok(carrier) => {
                let kept = (self.setup.blobs.as_path(), &self.setup.masker);
                let mut run = Run::new(request, (carrier, token), outbox, kept, closed);
                if matches!(run.carrier, Carrier::Kernel) && self.kernel.as_ref().is_some_and(|k| k.ready) {
                    run.tell_started();
                }
                self.run = Some(run);
            }
            Err(error) => outbox.finish(nothing(Outcome::NotStarted(error.to_string()), limits)),
        }
    }

    /// Whether the run may start: nothing else runs, and all holds that was approved.
    pub(super) fn check(&mut self, request: &RunRequest) -> Result<(), Outcome> {
        let approved = request.approval().terms();
        if self.run.is_some() {
            return Err(Outcome::Refused("another run goes on: wait for its end".into()));
        }
        if approved.executor == ExecutorKind::Installer {
            return self.check_install(approved, request.source());
        }
        let interpreter = self.finder.find(&approved.language).map_err(Outcome::NotStarted)?;
        let now = self.terms(&approved.language, &interpreter, approved.limits);
        let mut now = now.map_err(Outcome::NotStarted)?;
        // Which file the text came from is the driver's knowledge: it is in the approval, and nothing is read from it.
        now.target.clone_from(&approved.target);
        if let Some(why) = differs(&now, approved) {
            return Err(Outcome::Refused(format!(
                "{why} since it was approved: look again and decide again"
            )));
        }
        plan::refuses(approved.language.as_str(), request.source())
            .map_or(Ok(()), |why| Err(Outcome::Refused(why)))
    }

    pub(super) fn begin_in_kernel(
        &mut self,
        request: &RunRequest,
        label: &str,
        token: Token,
    ) -> Result<Carrier, ExecError> {
        let terms = request.approval().terms();
        self.make_room(&terms.limits);
        if self.kernel.is_none() {
            let path = terms.interpreter.clone();
            self.start_kernel(&Interpreter { language: terms.language.clone(), path, version: None })?;
        }
        self.fit_kernel(&terms.limits)?;
        let kernel = self.kernel.as_mut().ok_or(ExecError::Ended)?;
        match &terms.target {
            // A file of functions: its errors name it, not the block.
            Some(file) => {
                let name = file.path.file_name().map(|name| name.to_string_lossy().into_owned());
                let source = request.source().as_bytes();
                kernel.load(&token, name.as_deref().unwrap_or(label), source, &file.path);
            }
            None => kernel.run(&token, label, request.source().as_bytes()),
        }
        Ok(Carrier::Kernel)
    }

    pub(super) fn begin_program(&mut self, request: &RunRequest, label: &str) -> Result<Carrier, ExecError> {
        let terms = request.approval().terms();
        let language = terms.language.as_str();
        let sandbox = self.sandbox().map_err(ExecError::Sandbox)?;
        let cell = sandbox.cell(&terms.interpreter, language == "python");
        let mut env = self.environment.clone();
        self.sandbox().map_err(ExecError::Sandbox)?.dress(&mut env);
        if let (Some(kept), "bash") = (&self.shell.env, language) {
            env.clone_from(kept);
        }
        if matches!(language, "javascript" | "typescript") {
            plan::set(&mut env, packages::VARIABLE, packages::folder(&self.setup.blobs, "node"));
        }
        let mut state = None;
        let invocation = match self.finder.way(&terms.language) {
            Some((way, extension)) => {
                languages::invocation(language, &way, &extension, &terms.interpreter, label, &terms.cwd, env)
            }
            None => plan::subprocess(language, &terms.interpreter, label, &terms.cwd, env),
        };
        let process = process::start(&cell, &terms.limits, invocation, |given| match given {
            Given::State => {
                let file = process::empty()?;
                let copy = file.try_clone()?;
                state = Some(file);
                Ok(OwnedFd::from(copy))
            }
            _ => process::sealed(request.source().as_bytes()),
        })?;
        process.link.order(&Order::Begin(Bounds::from(&terms.limits)));
        Ok(Carrier::Program(Box::new(process), state))
    }
}

/// What of the terms is not as it was approved.
pub fn differs(now: &Terms, approved: &Terms) -> Option<String> {
    if now.same_as(approved) {
        return None;
    }
    let generation = |terms: &Terms| terms.kernel.map_or(0, |k| k.generation);
    Some(if now.interpreter != approved.interpreter || now.executor != approved.executor {
        format!("the interpreter changed to {}", now.interpreter.display())
    } else if generation(now) != generation(approved) {
        format!("the kernel changed (it was k{}, it is k{})", generation(approved), generation(now))
    } else if now.cwd != approved.cwd {
        format!("the folder changed from {} to {}", approved.cwd.display(), now.cwd.display())
    } else {
        "what it may do changed".to_string()
    })
}
