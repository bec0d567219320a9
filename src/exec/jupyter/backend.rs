//! Implements [`Backend`] for Jupyter kernels.

use super::block::JupyterBlock;
use super::error::JupyterError;
use super::message::Channel;
use super::reading::ReplyReader;
use super::talk::KernelOrder;
use super::{Jupyter, SHUTDOWN_TIMEOUT};
use crate::domain::{
    InstallInto, Interpreter, KernelFate, Language, Limits, Reach, SandboxLevel, SandboxReport, Terms,
};
use crate::exec::ExecutorError;
use crate::exec::backend::{Backend, BackendEvent, BackendRun, EndCause, LimitEnforcer, RunEnd};
use serde_json::json;
use tokio::time::Instant;

impl Backend for Jupyter {
    async fn terms(
        &mut self,
        language: &Language,
        limits: Limits,
        new_kernel: bool,
    ) -> Result<Terms, ExecutorError> {
        let spec = self.available.spec(language).await?;
        Ok(self.terms_of(&spec, language, limits, new_kernel))
    }

    async fn reach(&mut self, terms: &Terms) -> Reach {
        match terms.rights.sandbox.level {
            SandboxLevel::Off => Reach::open(),
            _ => Reach::default(),
        }
    }

    async fn sandbox(&mut self) -> Result<SandboxReport, ExecutorError> {
        self.available.may_be_open()?;
        Ok(self.available.report())
    }

    fn watch(&self) -> LimitEnforcer {
        LimitEnforcer::Loop { loses_interrupts: true }
    }

    async fn begin(&mut self, job: BackendRun) {
        let content = json!({
            "code": &*job.source, "silent": false, "store_history": true, "user_expressions": {}, "allow_stdin": false,
            "stop_on_error": true,
        });
        let request = self.ids.message(Channel::Shell, "execute_request", content);
        let reading = ReplyReader::new(request.id().to_owned());
        self.pausing = None;
        let spec = match self.available.spec(&job.terms.language).await {
            Ok(spec) if self.terms_hold(&spec, &job.terms) => Ok(spec),
            Ok(_) => Err("the kernel changed at the last moment: look again and decide again".to_owned()),
            Err(error) => Err(error.to_string()),
        };
        let kernel = spec.as_ref().map_or_else(|_| String::new(), |spec| spec.name.clone());
        let of_python = spec.as_ref().is_ok_and(|spec| spec.runs("python"));
        self.block = Some(JupyterBlock::new(job.block, kernel, reading, of_python));
        let spec = match spec {
            Ok(spec) => spec,
            Err(why) => return self.end_block(|_| EndCause::NotStarted(why), KernelFate::None),
        };
        let wanted = job.terms.kernel.map(|kernel| kernel.generation);
        if self.kernels.get(&spec.name).is_some_and(|kernel| Some(kernel.generation) != wanted) {
            // The person asked for a new kernel.
            self.end_kernel(&spec.name);
        }
        if !self.kernels.contains_key(&spec.name) {
            self.start_kernel(&spec, &job.terms.language);
        }
        self.order(KernelOrder::Run(Box::new(request)));
        if self.kernels.get(&spec.name).is_some_and(|kernel| kernel.lost) {
            self.report_lost(true);
        }
    }

    async fn next_event(&mut self) -> BackendEvent {
        loop {
            if let Some(event) = self.queue.pop_front() {
                return event;
            }
            let until = self.block.as_ref().and_then(|block| block.until);
            tokio::select! {
                Some((number, news)) = self.news.recv() => self.on_news(number, news),
                () = tokio::time::sleep_until(until.unwrap_or_else(Instant::now)), if until.is_some() => {
                    self.give_up_waiting();
                }
            }
        }
    }

    fn interrupt(&mut self) {
        let is_first = self.block.as_mut().is_some_and(|block| block.interrupt(Instant::now()));
        self.order(KernelOrder::Interrupt);
        let kernel = self.block.as_ref().and_then(|block| self.kernels.get(&block.kernel));
        if is_first && kernel.is_some_and(|kernel| kernel.lost) {
            let place = self.available.place();
            self.warn(format!(
                "The Jupyter server {place} does not answer: the interrupt goes to it when it does."
            ));
        }
    }

    fn has_answered(&self) -> bool {
        self.block.as_ref().is_none_or(JupyterBlock::has_answered)
    }

    fn kill(&mut self) {
        self.order(KernelOrder::End);
    }

    fn give_up(&mut self) -> Option<RunEnd> {
        let block = self.block.take()?;
        let fate = self.kernels.get(&block.kernel).map(|kernel| self.reference(kernel));
        // What the kernel still reports must not be taken for the next block.
        self.end_kernel(&block.kernel);
        let ended = RunEnd::of(EndCause::Died("what carried it out does not end, or is out of reach".into()));
        let kernel = fate.map_or(KernelFate::None, KernelFate::Lost);
        Some(RunEnd { kernel, connection_losses: block.losses, ..ended })
    }

    async fn warm(&mut self, language: &Language) {
        // A kernel on this machine is not confined, and starts in the working folder, where its interpreter may look
        // for modules. So it is started only for an approved run, never in advance.
        if self.available.config.url.is_some()
            && let Ok(spec) = self.available.spec(language).await
            && !self.kernels.contains_key(&spec.name)
        {
            self.start_kernel(&spec, language);
        }
    }

    async fn restart(&mut self) {
        self.end_all();
    }

    fn loads_functions(&self) -> bool {
        false
    }

    async fn install_terms(
        &mut self,
        language: &Language,
        _: (Option<Interpreter>, InstallInto),
        _: Limits,
    ) -> Result<Terms, ExecutorError> {
        Err(match &self.available.config.url {
            Some(_) => JupyterError::ServerPackages(language.clone()),
            None => JupyterError::OwnPackages,
        }
        .into())
    }

    async fn interpreters(&mut self) -> Vec<Interpreter> {
        let languages: Vec<Language> =
            self.available.setup.languages.0.iter().map(|entry| entry.name.clone()).collect();
        let mut found = Vec::new();
        for language in languages {
            if let Ok(spec) = self.available.spec(&language).await {
                let path = self.terms_of(&spec, &language, self.available.setup.limits, false).interpreter;
                found.push(Interpreter { language, path, version: None });
            }
        }
        found
    }

    async fn close(&mut self) {
        self.end_all();
        let all = futures_util::future::join_all(self.leaving.drain(..));
        let mut all = std::pin::pin!(tokio::time::timeout(SHUTDOWN_TIMEOUT, all));
        loop {
            tokio::select! {
                _ = &mut all => return,
                // A task that is ending may still send news, and would block until it is received.
                Some(_) = self.news.recv() => {}
            }
        }
    }
}
