//! Implements [`Backend`] for this machine.

use super::{Local, LocalRun, RunHost};
use crate::domain::{
    CountedTime, ExecutorKind, InstallInto, Interpreter, Language, Limits, Reach, RunEvent, SandboxReport,
    Terms,
};
use crate::exec::ExecutorError;
use crate::exec::backend::{
    Backend, BackendEvent, BackendRun, EndCause, LimitEnforcer, RunEnd, in_that_kernel,
};
use crate::exec::helper_wire::{HelperOrder, ResourceUse};
use crate::exec::{packages, project_tools, watch};
use tokio::sync::oneshot;

impl Backend for Local {
    async fn terms(
        &mut self,
        language: &Language,
        limits: Limits,
        new_kernel: bool,
    ) -> Result<Terms, ExecutorError> {
        let interpreter = self.finder.find(language)?;
        self.terms_of(language, &interpreter, limits, new_kernel)
    }

    async fn terms_again(&mut self, approved: &Terms, source: &str) -> Result<Terms, ExecutorError> {
        match approved.executor {
            ExecutorKind::Installer => self.install_terms_again(approved, source),
            _ if approved.rights.terminal => {
                let now = self.terms(&approved.language, approved.limits, false).await?;
                self.in_terminal(now)
            }
            _ => in_that_kernel(self, approved).await,
        }
    }

    fn with_terminal(&self, terms: Terms) -> Result<Terms, ExecutorError> {
        self.in_terminal(terms)
    }

    fn type_in(&mut self, bytes: &[u8]) {
        if let Some(process) = self.process_mut() {
            process.pipes.type_in(bytes);
        }
    }

    fn resize(&mut self, rows: u16, columns: u16) {
        if let Some(process) = self.process_mut() {
            process.pipes.resize(rows, columns);
            if let Some(screen) = &mut process.screen {
                screen.resize(rows, columns);
                let now = RunEvent::Screen(Box::new(screen.screen()));
                self.queue.push_back(now.into());
            }
        }
    }

    fn set_counted_time(&mut self, what: CountedTime) {
        self.order(&HelperOrder::SetCountedTime(what));
    }

    async fn reach(&mut self, terms: &Terms) -> Reach {
        self.reach_of(terms).unwrap_or_default()
    }

    async fn sandbox(&mut self) -> Result<SandboxReport, ExecutorError> {
        Ok(self.prepared_sandbox()?.report().clone())
    }

    fn watch(&self) -> LimitEnforcer {
        LimitEnforcer::Helper
    }

    async fn begin(&mut self, job: BackendRun) {
        self.leaving = None;
        let closed = self.closed_places(&job.terms);
        let begun = match job.terms.executor {
            ExecutorKind::Kernel => self.begin_in_kernel(&job),
            ExecutorKind::Installer => self.begin_install(&job),
            _ => self.begin_program(&job),
        };
        match begun {
            Ok(host) => {
                let ready = self.kernel.as_ref().is_some_and(|kernel| kernel.ready);
                if matches!(host, RunHost::Kernel) && ready {
                    self.queue.push_back(RunEvent::Started.into());
                }
                self.run = Some(LocalRun::new(host, &job, closed));
            }
            Err(error) => self.queue.push_back(RunEnd::of(EndCause::NotStarted(error.to_string())).into()),
        }
    }

    async fn next_event(&mut self) -> BackendEvent {
        loop {
            if let Some(event) = self.queue.pop_front() {
                return event;
            }
            self.leaving = None;
            for source in watch::ready(&self.sources()).await {
                self.on_ready(source);
            }
        }
    }

    fn after_part(&mut self, part: u32, goes_on: bool) {
        if let (Some(run), Some(kernel)) = (&self.run, &mut self.kernel)
            && run.is_in_kernel()
            && run.done.is_none()
        {
            kernel.after_part(&run.token, part, goes_on);
        }
    }

    fn interrupt(&mut self) {
        self.order(&HelperOrder::Interrupt);
    }

    fn kill(&mut self) {
        self.order(&HelperOrder::Kill);
    }

    fn give_up(&mut self) -> Option<RunEnd> {
        if let Some(process) = self.process_mut() {
            process.link.cut();
        }
        self.finish(EndCause::Died("its process does not end".into()), ResourceUse::default());
        // Before the end is reported: the run may have stopped its helper, and its processes would continue.
        self.leaving = None;
        None
    }

    async fn warm(&mut self, language: &Language) {
        self.prepare_kernel(language);
    }

    fn warms_beside_runs(&self) -> bool {
        true
    }

    async fn restart(&mut self) {
        self.end_kernel();
        self.kernel_limits = self.setup.limits;
    }

    async fn install_terms(
        &mut self,
        language: &Language,
        (by, into): (Option<Interpreter>, InstallInto),
        limits: Limits,
    ) -> Result<Terms, ExecutorError> {
        let installer = by.map_or_else(|| self.finder.installer(language, into), Ok)?;
        self.install_terms_of(language, (&installer, into), limits)
    }

    fn missing_packages(&mut self, source: &str, packages: &[String], reply: oneshot::Sender<Vec<String>>) {
        self.ask_lacking(source, packages, reply);
    }

    async fn interpreters(&mut self) -> Vec<Interpreter> {
        self.finder.all()
    }

    async fn close(&mut self) {
        self.leaving = None;
        self.end_kernel();
        project_tools::clear(&self.setup.blobs);
        packages::clear(&self.setup.blobs);
        self.held = None;
        self.to_install = None;
        // This also removes the private folder of the session.
        self.sandbox = None;
    }
}
