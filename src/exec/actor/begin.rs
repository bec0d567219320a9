//! The beginning of runs: under which terms a block would run, whether they still hold, and the start.

use super::Actor;
use crate::domain::{
    ExecutorKind, Interpreter, KernelRef, Language, Limits, Outcome, Rights, RunEvent, RunId, RunRequest,
    SandboxReport, Terms,
};
use crate::exec::error::ExecError;
use crate::exec::helper_wire::Order;
use crate::exec::kernel::Kernel;
use crate::exec::kernel_wire::Token;
use crate::exec::outbox::Outbox;
use crate::exec::plan::{self, Given};
use crate::exec::run::{Carrier, Run, nothing};
use crate::exec::{blob, languages, packages, process};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use tokio::sync::mpsc;

impl Actor {
    pub(super) fn terms(&self, language: &Language, interpreter: &Interpreter, limits: Limits) -> Terms {
        let persistent = self.is_kernel(language);
        let next = KernelRef { generation: self.generation + 1, variables: 0 };
        let (executor, kernel, cwd) = if persistent {
            let kernel = self.kernel.as_ref().map_or(next, |kernel| kernel.state);
            let cwd = self.kernel.as_ref().map_or(&self.setup.cwd, |kernel| &kernel.cwd);
            (ExecutorKind::Kernel, Some(kernel), cwd)
        } else if language.as_str() == "bash" {
            (ExecutorKind::Subprocess, None, &self.shell.cwd)
        } else {
            (ExecutorKind::Subprocess, None, &self.setup.cwd)
        };
        Terms {
            language: language.clone(),
            executor,
            interpreter: self
                .kernel
                .as_ref()
                .filter(|_| persistent)
                .map_or_else(|| interpreter.path.clone(), |kernel| kernel.interpreter.clone()),
            version: interpreter.version.clone(),
            kernel,
            cwd: cwd.clone(),
            rights: Rights {
                read: Vec::new(),
                write: Vec::new(),
                network: true,
                environment: self.environment.iter().map(|(n, _)| n.to_string_lossy().into_owned()).collect(),
                sandbox: SandboxReport::default(),
            },
            limits,
            target: None,
        }
    }

    pub(super) fn is_kernel(&self, language: &Language) -> bool {
        language.as_str() == "python"
            && self.finder.languages().0.iter().any(|entry| entry.name == *language && entry.persistent)
    }

    pub(super) fn warm(&mut self, language: &Language) {
        let Ok(interpreter) = self.finder.find(language) else { return };
        let may = self.finder.may_start(&interpreter.path);
        if self.is_kernel(language) && self.kernel.is_none() && may {
            let _ = self.start_kernel(&interpreter);
        }
    }

    pub(super) fn start_kernel(&mut self, interpreter: &Interpreter) -> Result<(), ExecError> {
        let mut env = self.environment.clone();
        if let Some(folder) = self.folder_for_matplotlib() {
            plan::set(&mut env, "MPLCONFIGDIR", folder);
        }
        // It is there before the kernel is, so that packages that come later are found.
        let packages = packages::folder(&self.setup.blobs, "python");
        if blob::make_folder(&packages).is_ok() {
            plan::set(&mut env, packages::VARIABLE, packages);
        }
        let (helper, cwd) = (&self.setup.helper, &self.setup.cwd);
        let kernel = Kernel::start(helper, &interpreter.path, cwd, env, self.generation + 1)?;
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
                let mut run = Run::new(request, carrier, token, outbox, &self.setup.blobs);
                if matches!(run.carrier, Carrier::Kernel) && self.kernel.as_ref().is_some_and(|k| k.ready) {
                    run.tell_started();
                }
                self.run = Some(run);
            }
            Err(error) => outbox.finish(nothing(Outcome::NotStarted(error.to_string()), limits)),
        }
    }

    /// Whether the run may start: nothing else runs, and all holds that was approved.
    pub(super) fn check(&self, request: &RunRequest) -> Result<(), Outcome> {
        let approved = request.approval().terms();
        if self.run.is_some() {
            return Err(Outcome::Refused("another run goes on: wait for its end".into()));
        }
        if approved.executor == ExecutorKind::Installer {
            return self.check_install(approved);
        }
        let interpreter = self.finder.find(&approved.language).map_err(Outcome::NotStarted)?;
        let mut now = self.terms(&approved.language, &interpreter, approved.limits);
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
        if self.kernel.is_none() {
            let path = terms.interpreter.clone();
            self.start_kernel(&Interpreter { language: terms.language.clone(), path, version: None })?;
        }
        let kernel = self.kernel.as_mut().ok_or(ExecError::Ended)?;
        kernel.process.link.order(&Order::Begin { wall_ms: terms.limits.wall_ms });
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
        let env = match (&self.shell.env, language) {
            (Some(env), "bash") => env.clone(),
            _ => self.environment.clone(),
        };
        let packages = packages::folder(&self.setup.blobs, "node");
        let env = if matches!(language, "javascript" | "typescript") && packages.is_dir() {
            let mut env = env;
            plan::set(&mut env, packages::VARIABLE, packages);
            env
        } else {
            env
        };
        let mut state = None;
        let invocation = match self.finder.way(&terms.language) {
            Some((way, extension)) => {
                languages::invocation(language, &way, &extension, &terms.interpreter, label, &terms.cwd, env)
            }
            None => plan::subprocess(language, &terms.interpreter, label, &terms.cwd, env),
        };
        let process = process::start(&self.setup.helper, invocation, |given| match given {
            Given::State => {
                let file = process::empty()?;
                let copy = file.try_clone()?;
                state = Some(file);
                Ok(OwnedFd::from(copy))
            }
            _ => process::sealed(request.source().as_bytes()),
        })?;
        process.link.order(&Order::Begin { wall_ms: terms.limits.wall_ms });
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
