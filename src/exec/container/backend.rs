//! Implements [`Backend`] for containers.

use super::access::is_kernel;
use super::error::ContainerError;
use super::kernel::ContainerKernel;
use super::program::ContainerProgram;
use super::{Containers, REMOVAL_TIMEOUT, engine};
use crate::domain::{
    ExecutorKind, InstallInto, Interpreter, Language, Limits, Reach, Rights, SandboxReport, Terms,
};
use crate::exec::ExecutorError;
use crate::exec::backend::{
    Backend, BackendEvent, BackendRun, Fetch, LimitEnforcer, MissingPart, or_never, wants_next_kernel,
};
use std::path::PathBuf;
use tokio::sync::mpsc;

impl Backend for Containers {
    async fn terms(
        &mut self,
        language: &Language,
        limits: Limits,
        new_kernel: bool,
    ) -> Result<Terms, ExecutorError> {
        let known = self.language_facts(language, &limits).await?;
        Ok(self.terms_of(&known, language, limits, new_kernel))
    }

    async fn reach(&mut self, terms: &Terms) -> Reach {
        if terms.executor != ExecutorKind::Container {
            return Reach::default();
        }
        match &self.kernel {
            Some(kernel) if terms.kernel.is_some() => kernel.reach.clone(),
            _ => {
                let known = self.language_facts(&terms.language, &terms.limits).await;
                known.map(|known| known.frame.reach()).unwrap_or_default()
            }
        }
    }

    async fn sandbox(&mut self) -> Result<SandboxReport, ExecutorError> {
        let engine = self.engine().await?;
        let frame = self.access.frame(&engine, &self.access.setup.limits)?;
        Ok(frame.rights().sandbox)
    }

    fn watch(&self) -> LimitEnforcer {
        LimitEnforcer::Loop { loses_interrupts: false }
    }

    async fn begin(&mut self, job: BackendRun) {
        match self.language_facts(&job.terms.language, &job.terms.limits).await {
            Ok(known) => {
                let there = self.kernel.as_ref().map(|kernel| kernel.state.generation);
                let new_kernel = wants_next_kernel(there, &job.terms);
                let mut now = self.terms_of(&known, &job.terms.language, job.terms.limits, new_kernel);
                now.target.clone_from(&job.terms.target);
                if now.same_as(&job.terms) {
                    self.begin_known(&known, job);
                } else {
                    let why =
                        "the image or what it may do changed at the last moment: look again and decide again";
                    self.refuse(why.into());
                }
            }
            Err(why) => self.refuse(why.to_string()),
        }
    }

    async fn next_event(&mut self) -> BackendEvent {
        loop {
            if let Some(event) = self.queue.pop_front() {
                return event;
            }
            let kernel = or_never(self.kernel.as_mut().map(ContainerKernel::next_event));
            let program = or_never(self.program.as_mut().map(ContainerProgram::next_event));
            tokio::select! {
                heard = kernel => self.on_kernel(heard),
                mut event = program => {
                    if let BackendEvent::Ended(end) = &mut event && let Some(program) = self.program.take() {
                        if let (Some((block, written)), Some(shell)) = (program.shell_left(), &mut self.shell) {
                            shell.update(&written.unwrap_or_default(), block);
                            end.cwd = Some(shell.cwd());
                        }
                        self.track_removal(program.close());
                    }
                    return event;
                }
            }
        }
    }

    fn after_part(&mut self, part: u32, goes_on: bool) {
        if let (Some(job), Some(kernel)) = (self.job.as_ref().filter(|job| job.done.is_none()), &self.kernel)
        {
            kernel.after_part(&job.job.token, part, goes_on);
        }
    }

    fn interrupt(&mut self) {
        match (&self.program, &self.kernel) {
            (Some(program), _) => program.interrupt(),
            (None, Some(kernel)) => kernel.interrupt(),
            (None, None) => {}
        }
    }

    fn kill(&mut self) {
        match (&self.program, &self.kernel) {
            (Some(program), _) => program.kill(),
            (None, Some(kernel)) => kernel.kill(),
            (None, None) => {}
        }
    }

    async fn warm(&mut self, language: &Language) {
        // Only if the engine can be reached: a failure to prepare is not worth an error.
        if let Ok(known) = self.language_facts(language, &self.access.setup.limits.clone()).await
            && is_kernel(&known.entry)
            && self.kernel.is_none()
        {
            self.start_kernel(&known);
        }
    }

    async fn restart(&mut self) {
        if let Some(kernel) = self.kernel.take() {
            self.track_removal(kernel.close());
        }
    }

    async fn missing_image(&mut self, language: &Language) -> Option<MissingPart> {
        let name = self.access.image_of(language).ok()?;
        let engine = self.engine().await.ok()?;
        match engine.image(&name).await {
            Err(ContainerError::Missing { image }) => Some(MissingPart { name: image }),
            _ => None,
        }
    }

    async fn install_terms(
        &mut self,
        language: &Language,
        _: (Option<Interpreter>, InstallInto),
        _: Limits,
    ) -> Result<Terms, ExecutorError> {
        Err(ContainerError::NoPackages(language.clone()).into())
    }

    async fn pull_terms(&mut self, language: &Language, limits: Limits) -> Result<Terms, ExecutorError> {
        let engine = self.engine().await?;
        // The engine pulls with its own account and network; no program of ours gets any right for it.
        let rights = Rights { network: true, ..Rights::default() };
        Ok(Terms {
            language: language.clone(),
            executor: ExecutorKind::Engine,
            interpreter: PathBuf::from(&engine.address),
            version: None,
            kernel: None,
            cwd: self.access.setup.cwd.clone(),
            rights: rights.into(),
            limits,
            shared: None,
            target: None,
        })
    }

    async fn fetch(&mut self, missing: MissingPart, progress: mpsc::Sender<String>) -> Fetch {
        let engine = self.engine().await;
        Box::pin(async move { Ok(engine::fetch(engine?.docker.clone(), missing.name, progress).await?) })
    }

    async fn interpreters(&mut self) -> Vec<Interpreter> {
        let languages: Vec<Language> =
            self.access.setup.languages.0.iter().map(|entry| entry.name.clone()).collect();
        let mut found = Vec::new();
        for language in languages {
            if let Ok(known) = self.language_facts(&language, &self.access.setup.limits.clone()).await {
                let path = PathBuf::from(format!("{}:{}", known.image.display_name(), known.entry.command));
                found.push(Interpreter { language, path, version: None });
            }
        }
        found
    }

    async fn close(&mut self) {
        if let Some(kernel) = self.kernel.take() {
            self.track_removal(kernel.close());
        }
        let all = futures_util::future::join_all(self.removals.drain(..));
        let _ = tokio::time::timeout(REMOVAL_TIMEOUT, all).await;
    }
}
