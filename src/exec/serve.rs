//! The loop of an executor's thread: carries out orders, handles events of the backend, and keeps the clock of the run.

use super::Setup;
use super::backend::{
    Backend, BackendEvent, BackendRun, EndCause, LimitEnforcer, MissingPart, RunEnd, or_never,
};
use super::event_sender;
use super::executor_error::ExecutorError;
use super::order::{ExecutorOrder, TermsFor, TermsRequest};
use super::pull::{self, Pull, PullStep};
use super::receipt::ExitKind;
use super::run::{DueAction, Run};
use super::{blob, packages, plan};
use crate::domain::{
    ExecutorKind, ImageName, Limits, Outcome, RunControl, RunEvent, RunId, RunRequest, Stream, Terms,
};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc;

/// The state of the loop. There is one run at a time.
struct ExecutorLoop<B> {
    backend: B,
    setup: Arc<Setup>,
    run: Option<Run>,
    /// The pull, if the run is one.
    pull: Option<Pull>,
}

/// Serves until it is closed or all senders of orders are gone; then ends everything.
pub(super) async fn serve<B: Backend>(
    backend: B,
    setup: Arc<Setup>,
    mut orders: mpsc::UnboundedReceiver<ExecutorOrder>,
) {
    let mut server = ExecutorLoop { backend, setup, run: None, pull: None };
    loop {
        let due = server.run.as_ref().and_then(Run::due);
        tokio::select! {
            order = orders.recv() => match order {
                None | Some(ExecutorOrder::Close) => break,
                Some(order) => server.obey(order).await,
            },
            event = server.backend.next_event() => server.on_event(event),
            step = or_never(server.pull.as_mut().map(Pull::next_step)) => server.on_pull(step),
            () = or_never(due.map(sleep_until)) => server.on_time(),
        }
    }
    server.close(orders).await;
}

fn sleep_until(due: Instant) -> tokio::time::Sleep {
    tokio::time::sleep_until(due.into())
}

impl<B: Backend> ExecutorLoop<B> {
    async fn obey(&mut self, order: ExecutorOrder) {
        match order {
            ExecutorOrder::Terms(request, reply) => drop(reply.send(self.terms(*request).await)),
            ExecutorOrder::MissingPackages(source, packages, reply) => {
                self.backend.missing_packages(&source, &packages, reply);
            }
            ExecutorOrder::TerminalTerms(terms, reply) => {
                let _ = reply.send(self.backend.with_terminal(*terms));
            }
            ExecutorOrder::Reach(terms, reply) => drop(reply.send(self.backend.reach(&terms).await)),
            ExecutorOrder::Sandbox(reply) => drop(reply.send(self.backend.sandbox().await)),
            ExecutorOrder::Interpreters(reply) => drop(reply.send(self.backend.interpreters().await)),
            ExecutorOrder::MissingImage(language, reply) => {
                drop(reply.send(self.backend.missing_image(&language).await));
            }
            ExecutorOrder::Fetch(missing, progress, reply) => {
                let fetch = self.backend.fetch(missing, progress).await;
                tokio::task::spawn_local(async move { drop(reply.send(fetch.await)) });
            }
            ExecutorOrder::Start(request, out) => self.start(&request, out).await,
            ExecutorOrder::Control(id, control) => self.control(id, control),
            ExecutorOrder::Warm(language) if self.run.is_none() || self.backend.warms_beside_runs() => {
                self.backend.warm(&language).await;
            }
            ExecutorOrder::RestartKernel if self.run.is_none() => self.backend.restart().await,
            ExecutorOrder::Warm(_) | ExecutorOrder::RestartKernel | ExecutorOrder::Close => {}
        }
    }

    async fn terms(&mut self, request: TermsRequest) -> Result<Terms, ExecutorError> {
        let TermsRequest { language, purpose, installer, limits } = request;
        let own = self.setup.limits;
        let lasting = |wall_ms| limits.unwrap_or(Limits { wall_ms, ..own });
        match purpose {
            TermsFor::Load if !self.backend.loads_functions() => Err(ExecutorError::NoFunctions),
            TermsFor::Usual | TermsFor::Load => {
                self.backend.terms(&language, lasting(own.wall_ms), false).await
            }
            TermsFor::NewKernel => {
                let terms = self.backend.terms(&language, lasting(own.wall_ms), true).await?;
                if terms.kernel.is_some() { Ok(terms) } else { Err(ExecutorError::NoKernel(terms.language)) }
            }
            TermsFor::Install(into) => {
                let limits = lasting(packages::DEFAULT_WALL_MS);
                self.backend.install_terms(&language, (installer, into), limits).await
            }
            TermsFor::Pull => self.backend.pull_terms(&language, lasting(pull::DEFAULT_WALL_MS)).await,
        }
    }

    fn control(&mut self, id: RunId, control: RunControl) {
        let Some(run) = self.run.as_mut().filter(|run| run.id == id) else { return };
        match control {
            RunControl::Type(bytes) => self.backend.type_in(&bytes),
            RunControl::Resize(rows, columns) => self.backend.resize(rows, columns),
            RunControl::Count(what) if run.has_terminal() => self.backend.set_counted_time(what),
            RunControl::Count(_) => {}
            RunControl::AfterPart(part, ends) => {
                run.after_part(ends.as_deref());
                self.backend.after_part(part, ends.is_none());
            }
            RunControl::Interrupt => {
                run.interrupt(Instant::now());
                self.stop(B::interrupt);
            }
            RunControl::Kill => {
                run.kill(Instant::now());
                self.stop(B::kill);
            }
        }
    }

    async fn start(&mut self, request: &RunRequest, out: mpsc::Sender<(RunId, RunEvent)>) {
        if request.approval().terms().executor == ExecutorKind::Engine {
            return self.start_pull(request, out).await;
        }
        match self.job(request).await {
            Ok(job) => {
                self.backend.begin(job).await;
                self.run = Some(self.new_run(request, out, self.backend.watch()));
            }
            Err(outcome) => event_sender::did_not_run(request, out, outcome),
        }
    }

    fn new_run(
        &self,
        request: &RunRequest,
        out: mpsc::Sender<(RunId, RunEvent)>,
        watch: LimitEnforcer,
    ) -> Run {
        Run::new(request, out, (&self.setup.blobs, &self.setup.masker), watch)
    }

    /// The block for the backend, if nothing else runs and the approved terms still hold.
    async fn job(&mut self, request: &RunRequest) -> Result<BackendRun, Outcome> {
        let approved = request.approval().terms();
        self.is_free()?;
        let now = self.backend.terms_again(approved, request.source()).await;
        let mut now = now.map_err(not_started)?;
        // The driver knows from which file the source came. The approval contains it; nothing is read from that file
        // here.
        if self.backend.loads_functions() {
            now.target.clone_from(&approved.target);
        }
        still_holds(&now, approved)?;
        if let Some(why) = plan::refuses(approved.language.as_str(), request.source()) {
            return Err(Outcome::Refused(why));
        }
        let token = blob::random().map_err(|error| Outcome::NotStarted(error.to_string()))?;
        let block = request.approval().block();
        Ok(BackendRun { block, terms: now, label: request.label(), source: request.source().clone(), token })
    }

    fn is_free(&self) -> Result<(), Outcome> {
        match &self.run {
            Some(_) => Err(Outcome::Refused("another run goes on: wait for its end".into())),
            None => Ok(()),
        }
    }

    /// Begins a pull, if nothing else runs and the approved terms still hold.
    async fn start_pull(&mut self, request: &RunRequest, out: mpsc::Sender<(RunId, RunEvent)>) {
        let image = match self.image_to_pull(request).await {
            Ok(image) => image,
            Err(outcome) => return event_sender::did_not_run(request, out, outcome),
        };
        let (progress, lines) = Pull::channel();
        let work = self.backend.fetch(MissingPart { name: image.as_str().to_owned() }, progress).await;
        let mut run = self.new_run(request, out, LimitEnforcer::Loop { loses_interrupts: false });
        run.start(Instant::now());
        self.run = Some(run);
        self.pull = Some(Pull::new(work, lines));
    }

    async fn image_to_pull(&mut self, request: &RunRequest) -> Result<ImageName, Outcome> {
        let approved = request.approval().terms();
        self.is_free()?;
        let now = self.backend.pull_terms(&approved.language, approved.limits).await;
        still_holds(&now.map_err(not_started)?, approved)?;
        ImageName::parse(request.source()).map_err(not_started)
    }

    fn on_pull(&mut self, step: PullStep) {
        match step {
            PullStep::Text(text) => self.print(Stream::Stdout, &text),
            PullStep::Done(pulled) => {
                for text in self.pull.take().map(Pull::rest).unwrap_or_default() {
                    self.print(Stream::Stdout, &text);
                }
                if let Err(why) = &pulled {
                    self.print(Stream::Stderr, &format!("{why}\n"));
                }
                self.end_pull(pull::ending(pulled.is_ok()));
            }
        }
    }

    fn print(&mut self, stream: Stream, text: &str) {
        if let Some(run) = &mut self.run {
            run.print(stream, text.as_bytes());
        }
    }

    fn end_pull(&mut self, ending: ExitKind) {
        self.finish(RunEnd::of(EndCause::Program(ending)));
    }

    /// Interrupts or kills the run. A pull ends by either.
    fn stop(&mut self, by: impl FnOnce(&mut B)) {
        match self.pull.take() {
            Some(_) => self.end_pull(pull::stopped()),
            None => by(&mut self.backend),
        }
    }

    fn on_event(&mut self, event: BackendEvent) {
        let Some(run) = &mut self.run else { return };
        match event {
            BackendEvent::Run(event) => run.send_event(event),
            BackendEvent::Image(name, mime, bytes) => run.keep_image(&name, mime, &bytes),
            BackendEvent::PartEnded(part) => run.end_part(part),
            BackendEvent::Ended(ended) => self.finish(*ended),
        }
    }

    fn on_time(&mut self) {
        let Some(run) = &mut self.run else { return };
        match run.on_time(Instant::now()) {
            // The interrupt reached the code, which cleans up or chooses to continue; another one would disturb that.
            Some(DueAction::InterruptAgain) if self.backend.has_answered() => run.stop_interrupting(),
            Some(DueAction::Interrupt | DueAction::InterruptAgain) => self.stop(B::interrupt),
            Some(DueAction::Kill) => self.stop(B::kill),
            Some(DueAction::GiveUp) => {
                if let Some(ended) = self.backend.give_up() {
                    self.finish(ended);
                }
            }
            None => {}
        }
    }

    fn finish(&mut self, ended: RunEnd) {
        if let Some(run) = self.run.take() {
            run.finish(ended, Instant::now());
        }
    }

    async fn close(mut self, mut orders: mpsc::UnboundedReceiver<ExecutorOrder>) {
        if let Some(run) = &mut self.run {
            run.kill(Instant::now());
            self.stop(B::kill);
        }
        while let Some(due) = self.run.as_ref().map(Run::due) {
            tokio::select! {
                event = self.backend.next_event() => self.on_event(event),
                () = or_never(due.map(sleep_until)) => self.on_time(),
            }
        }
        self.backend.close().await;
        while let Ok(order) = orders.try_recv() {
            if let ExecutorOrder::Start(request, out) = order {
                event_sender::did_not_run(&request, out, Outcome::NotStarted("sayso is ending".into()));
            }
        }
    }
}

fn not_started(why: impl Into<ExecutorError>) -> Outcome {
    Outcome::NotStarted(why.into().to_string())
}

/// Refuses if the terms are not the approved ones, and says what changed.
fn still_holds(now: &Terms, approved: &Terms) -> Result<(), Outcome> {
    if now.same_as(approved) {
        return Ok(());
    }
    let generation = |terms: &Terms| terms.kernel.map_or(0, |k| k.generation);
    let why = if now.interpreter != approved.interpreter || now.executor != approved.executor {
        format!("the interpreter changed to {}", now.interpreter.display())
    } else if generation(now) != generation(approved) {
        format!("the kernel changed (it was k{}, it is k{})", generation(approved), generation(now))
    } else if now.cwd != approved.cwd {
        format!("the folder changed from {} to {}", approved.cwd.display(), now.cwd.display())
    } else {
        "what it may do changed".to_string()
    };
    Err(Outcome::Refused(format!("{why} since it was approved: look again and decide again")))
}
