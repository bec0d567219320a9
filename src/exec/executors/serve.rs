//! The loop of an executor's thread: takes orders, hears its backend, keeps the clock of the run.

use super::pull::{self, Pull, Step};
use super::run::{Due, Run};
use super::{Backend, End, Ended, Heard, Job, Missing, Order};
use crate::domain::{
    ExecutorKind, ImageName, KernelFate, Limits, Outcome, RunEvent, RunId, RunRequest, Stream,
};
use crate::exec::helper_wire::Used;
use crate::exec::outbox::Outbox;
use crate::exec::receipt::Ending;
use crate::exec::{Setup, actor, blob, plan, run as local};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc;

/// Why files of functions are not loaded into kernels that are not sayso's own.
const NO_FUNCTIONS: &str = "files of functions are loaded into sayso's own kernels only, here or in a container: leave \
                            --functions out, or choose another executor";

struct Server<B> {
    backend: B,
    setup: Arc<Setup>,
    deaths: mpsc::Sender<String>,
    run: Option<Run>,
    /// The pull that the run is, where it is one.
    pull: Option<Pull>,
}

/// Serves until it is closed, or nobody can give orders any more; then ends everything.
pub async fn serve<B: Backend>(
    backend: B,
    setup: Arc<Setup>,
    mut orders: mpsc::UnboundedReceiver<Order>,
    deaths: mpsc::Sender<String>,
) {
    let mut server = Server { backend, setup, deaths, run: None, pull: None };
    loop {
        let due = server.run.as_ref().and_then(Run::due);
        tokio::select! {
            order = orders.recv() => match order {
                None | Some(Order::Close) => break,
                Some(order) => server.obey(order).await,
            },
            heard = server.backend.hear() => server.on_heard(heard),
            step = pull::hear(server.pull.as_mut()) => server.on_pull(step),
            () = at(due) => server.on_time(),
        }
    }
    server.close(orders).await;
}

async fn at(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due.into()).await,
        None => std::future::pending().await,
    }
}

impl<B: Backend> Server<B> {
    async fn obey(&mut self, order: Order) {
        match order {
            Order::Terms(language, limits, reply) => {
                let limits = limits.unwrap_or(self.setup.limits);
                let _ = reply.send(self.backend.terms(&language, limits).await);
            }
            Order::Start(request, out) => self.start(&request, out).await,
            Order::Interrupt(id) => {
                if let Some(run) = self.run.as_mut().filter(|run| run.id == id) {
                    run.interrupt(Instant::now());
                    self.interrupt();
                }
            }
            Order::Kill(id) => {
                if let Some(run) = self.run.as_mut().filter(|run| run.id == id) {
                    run.kill(Instant::now());
                    self.kill();
                }
            }
            Order::LoadTerms(language, limits, reply) => {
                let limits = limits.unwrap_or(self.setup.limits);
                let _ = reply.send(if self.backend.loads_functions() {
                    self.backend.terms(&language, limits).await
                } else {
                    Err(NO_FUNCTIONS.into())
                });
            }
            Order::NoPackages(language, reply) => drop(reply.send(self.backend.no_packages(&language))),
            Order::PullTerms(language, limits, reply) => {
                let usual = Limits { wall_ms: pull::WALL_MS, ..self.setup.limits };
                let _ = reply.send(self.backend.pull_terms(&language, limits.unwrap_or(usual)).await);
            }
            Order::Warm(language) if self.run.is_none() => self.backend.warm(&language).await,
            Order::RestartKernel if self.run.is_none() => self.backend.restart().await,
            Order::Warm(_) | Order::RestartKernel | Order::Close => {}
            Order::Missing(language, reply) => drop(reply.send(self.backend.missing(&language).await)),
            Order::Fetch(missing, progress, reply) => {
                let fetch = self.backend.fetch(missing, progress).await;
                tokio::task::spawn_local(async move { drop(reply.send(fetch.await)) });
            }
            Order::Reach(terms, reply) => drop(reply.send(self.backend.reach(&terms).await)),
            Order::Sandbox(reply) => drop(reply.send(self.backend.sandbox().await)),
            Order::Found(reply) => drop(reply.send(self.backend.found().await)),
        }
    }

    async fn start(&mut self, request: &RunRequest, out: mpsc::Sender<(RunId, RunEvent)>) {
        let outbox = Outbox::new(request.approval().run(), out);
        let limits = request.approval().terms().limits;
        if request.approval().terms().executor == ExecutorKind::Engine {
            return self.start_pull(request, outbox).await;
        }
        match self.job(request, limits).await {
            Ok(job) => {
                let kept = (self.setup.blobs.as_path(), &self.setup.masker);
                self.run = Some(Run::new(request, outbox, kept, self.backend.loses_interrupts()));
                self.backend.begin(job).await;
            }
            Err(outcome) => outbox.finish(local::nothing(outcome, limits)),
        }
    }

    /// Begins a pull, when nothing else runs and all holds that was approved.
    async fn start_pull(&mut self, request: &RunRequest, outbox: Outbox) {
        let approved = request.approval().terms();
        let image = match self.image_to_pull(request).await {
            Ok(image) => image,
            Err(outcome) => return outbox.finish(local::nothing(outcome, approved.limits)),
        };
        let (progress, lines) = Pull::channel();
        let work = self.backend.fetch(Missing { name: image.as_str().to_owned() }, progress).await;
        let mut run = Run::new(request, outbox, (&self.setup.blobs, &self.setup.masker), false);
        run.started(Instant::now());
        self.run = Some(run);
        self.pull = Some(Pull::new(work, lines));
    }

    async fn image_to_pull(&mut self, request: &RunRequest) -> Result<ImageName, Outcome> {
        let approved = request.approval().terms();
        if self.run.is_some() {
            return Err(Outcome::Refused("another run goes on: wait for its end".into()));
        }
        let now = self.backend.pull_terms(&approved.language, approved.limits).await;
        if let Some(why) = actor::differs(&now.map_err(Outcome::NotStarted)?, approved) {
            let why = format!("{why} since it was approved: look again and decide again");
            return Err(Outcome::Refused(why));
        }
        ImageName::parse(request.source()).map_err(Outcome::NotStarted)
    }

    fn on_pull(&mut self, step: Step) {
        match step {
            Step::Line(line) => self.print_line(Stream::Stdout, &line),
            Step::Done(pulled) => {
                for line in self.pull.take().map(Pull::rest).unwrap_or_default() {
                    self.print_line(Stream::Stdout, &line);
                }
                if let Err(why) = &pulled {
                    self.print_line(Stream::Stderr, why);
                }
                self.end_pull(pull::ending(pulled.is_ok()));
            }
        }
    }

    fn print_line(&mut self, stream: Stream, line: &str) {
        if let Some(run) = &mut self.run {
            run.print(stream, format!("{line}\n").as_bytes());
        }
    }

    fn end_pull(&mut self, ending: Ending) {
        let end = End::Program(ending);
        self.finish(Ended { end, used: Used::default(), kernel: KernelFate::None, cwd: None });
    }

    /// Interrupts the run; a pull is stopped by that alone.
    fn interrupt(&mut self) {
        match self.pull.take() {
            Some(_) => self.end_pull(pull::stopped()),
            None => self.backend.interrupt(),
        }
    }

    /// Ends the run by force.
    fn kill(&mut self) {
        match self.pull.take() {
            Some(_) => self.end_pull(pull::stopped()),
            None => self.backend.kill(),
        }
    }

    /// The block for the backend, when nothing else runs and all holds that was approved.
    async fn job(&mut self, request: &RunRequest, limits: Limits) -> Result<Job, Outcome> {
        let approved = request.approval().terms();
        if self.run.is_some() {
            return Err(Outcome::Refused("another run goes on: wait for its end".into()));
        }
        let mut now = self.backend.terms(&approved.language, limits).await.map_err(Outcome::NotStarted)?;
        // Which file the text came from is the driver's knowledge: it is in the approval, and nothing is read from it.
        if self.backend.loads_functions() {
            now.target.clone_from(&approved.target);
        }
        if let Some(why) = actor::differs(&now, approved) {
            let why = format!("{why} since it was approved: look again and decide again");
            return Err(Outcome::Refused(why));
        }
        if let Some(why) = plan::refuses(approved.language.as_str(), request.source()) {
            return Err(Outcome::Refused(why));
        }
        let token = blob::random().map_err(|error| Outcome::NotStarted(error.to_string()))?;
        let label = format!("block {}", request.approval().block());
        Ok(Job { terms: now, label, source: request.source().clone(), token })
    }

    fn on_heard(&mut self, heard: Heard) {
        if let Heard::Died(cause) = heard {
            let _ = self.deaths.try_send(cause);
            return;
        }
        let Some(run) = &mut self.run else { return };
        match heard {
            Heard::Started => run.started(Instant::now()),
            Heard::Output(stream, bytes) => run.print(stream, &bytes),
            Heard::Image(name, mime, bytes) => run.keep_image(&name, &mime, &bytes),
            Heard::Usage(rss_bytes, cpu_ms) => run.outbox.hint(RunEvent::Usage { rss_bytes, cpu_ms }),
            Heard::Variables(variables) => run.outbox.tell(RunEvent::Variables(variables)),
            Heard::Functions(functions) => run.outbox.tell(RunEvent::Functions(functions)),
            Heard::Ended(ended) => self.finish(*ended),
            Heard::Died(_) => {}
        }
    }

    fn on_time(&mut self) {
        let Some(run) = &mut self.run else { return };
        match run.on_time(Instant::now()) {
            // It was reached, and cleans up or goes on by its own will: one more would disturb that.
            Some(Due::InterruptAgain) if self.backend.has_answered() => run.leave_alone(),
            Some(Due::Interrupt | Due::InterruptAgain) => self.interrupt(),
            Some(Due::Kill) => self.kill(),
            Some(Due::GiveUp) => {
                let end = End::Died("what carried it out does not end, or is out of reach".into());
                let kernel = KernelFate::None;
                self.finish(Ended { end, used: Used::default(), kernel, cwd: None });
            }
            None => {}
        }
    }

    fn finish(&mut self, ended: Ended) {
        if let Some(run) = self.run.take() {
            run.finish(ended, Instant::now());
        }
    }

    async fn close(mut self, mut orders: mpsc::UnboundedReceiver<Order>) {
        if let Some(run) = &mut self.run {
            run.kill(Instant::now());
            self.kill();
        }
        while let Some(due) = self.run.as_ref().map(Run::due) {
            tokio::select! {
                heard = self.backend.hear() => self.on_heard(heard),
                () = at(due) => self.on_time(),
            }
        }
        self.backend.close().await;
        while let Ok(order) = orders.try_recv() {
            if let Order::Start(request, out) = order {
                let limits = request.approval().terms().limits;
                let report = local::nothing(Outcome::NotStarted("sayso is ending".into()), limits);
                Outbox::new(request.approval().run(), out).finish(report);
            }
        }
    }
}
