//! Runs: what they report, how they are stopped, what follows from their end; and the kernel they run in.
//!
//! Stopping a run is a request: the turn moves on only when the run has reported its end.

use super::{Effect, Engine, Phase, notices};
use crate::domain::{DeadKernel, Entry, Grantor, KernelFate, Language, Outcome, RunEvent, RunId, RunReport};

/// After this many milliseconds a second request to stop offers to kill the run.
const KILL_OFFER_DELAY_MS: u64 = 500;

impl Engine {
    /// Handles an event of a run. Events of another run than the current one are stale and dropped.
    pub(super) fn run(&mut self, id: RunId, event: RunEvent) {
        let now = self.now;
        let Some(run) = self.state.live.run.as_mut().filter(|run| run.run == id) else { return };
        match event {
            RunEvent::Started => run.started = true,
            RunEvent::Output(chunk) => {
                run.output.skip(chunk.stream, chunk.skipped);
                run.output.push(chunk.stream, &chunk.bytes);
            }
            RunEvent::Screen(screen) => run.screen = Some(screen),
            RunEvent::Asks(asks) => run.asks = asks,
            RunEvent::Counts(what) => (run.counted, run.counted_from) = (what, (now, run.cpu_ms)),
            RunEvent::Image(image) => run.images.push(image),
            RunEvent::Usage { rss_bytes, cpu_ms } => {
                run.rss_bytes = rss_bytes;
                run.cpu_ms = cpu_ms;
            }
            RunEvent::Variables(variables) => {
                self.state.live.variables = variables;
                self.state.live.variables_by = Some(run.block);
                self.state.live.variables_at = Some(now);
            }
            RunEvent::Functions(functions) => self.functions_reported(functions),
            RunEvent::PartEnded { part, printed } => self.part_ended(id, part, &printed),
            RunEvent::Ended(report) => self.finish_run(id, report),
        }
    }

    fn finish_run(&mut self, id: RunId, report: Box<RunReport>) {
        let Some(run) = self.state.live.run.take() else { return };
        // The executor refused because something is not as it was shown: show it as it is now and ask again. Only if a
        // person decided, so that no automatic decision loops.
        let decided = self.state.transcript.run(id).map(|(_, run)| run.by);
        let asks_again = matches!(report.outcome, Outcome::Refused(_))
            && matches!(decided, Some(Grantor::Person { .. }))
            && run.interrupted.is_none();
        match report.outcome {
            Outcome::Refused(_) if asks_again => {}
            Outcome::Refused(_) | Outcome::NotStarted(_) | Outcome::Interrupted => {
                self.turn.run_was_stopped = true;
            }
            _ => {}
        }
        let notice = match &report.outcome {
            Outcome::Refused(why) if asks_again => notices::runs::asked_again(run.block, why),
            _ => notices::runs::ended(
                &run,
                &self.kernel_language(id).unwrap_or_else(Language::python),
                &report,
            ),
        };
        self.file_ran(run.block, &report);
        self.note_kernel(id, &report.kernel);
        self.mark_environment_changed();
        // For the plan, a run that the person stopped counts as stopped even if it then ended well.
        let outcome = match run.interrupted {
            Some(_) => Outcome::Interrupted,
            None => report.outcome.clone(),
        };
        let consequence = self.consequence(run.block, &report);
        self.record(Entry::Ran { run: id, block: run.block, report });
        self.notify(notice);
        self.apply_consequence(run.block, consequence);
        if asks_again {
            self.record(Entry::Reopened(run.block));
            self.order_inspection(run.block);
        }
        // A rebuild plan goes on with its next block first: the model is not asked between its steps.
        if !self.rebuild_ran(id, run.block, &outcome) {
            self.advance();
        }
    }

    /// Stores what became of the kernel that a run was in.
    fn note_kernel(&mut self, run: RunId, fate: &KernelFate) {
        let Some(language) = self.kernel_language(run) else { return };
        match fate {
            KernelFate::None => {}
            KernelFate::Kept(kernel) => {
                self.state.live.kernels.insert(language, *kernel);
            }
            KernelFate::Lost(_) => self.forget_kernel(&language),
        }
    }

    /// Asks the run to stop. A second request after a moment asks the person whether to kill it.
    pub(super) fn interrupt(&mut self, id: RunId) {
        let now = self.now;
        let Some(block) = self.state.live.run.as_ref().map(|run| run.block) else { return };
        let terms =
            self.state.transcript.blocks.get(&block).and_then(|item| item.runs.last()).map(|run| &*run.terms);
        let kernel =
            terms.and_then(|terms| Some((terms.language.clone(), self.state.live.kernel_of(terms)?)));
        let sent = notices::runs::interrupt_sent(terms);
        let Some(run) = self.state.live.run.as_mut() else { return };
        match run.interrupted {
            None => {
                run.interrupted = Some(now);
                self.effects.push(Effect::InterruptRun(id));
                self.notify(sent);
            }
            Some(first) if now.since(first) >= KILL_OFFER_DELAY_MS => {
                let notice = notices::runs::kill_asked(run.block, kernel);
                self.notify(notice);
            }
            Some(_) => {}
        }
    }

    /// Kills the run.
    pub(super) fn kill(&mut self) {
        let (Phase::Running(id), Some(run)) = (&self.state.phase, &mut self.state.live.run) else { return };
        run.killed = true;
        self.effects.push(Effect::KillRun(*id));
    }

    /// The person restarts the kernel.
    pub(super) fn restart_kernel(&mut self) {
        if self.state.live.run.is_some() {
            return self.notify(notices::runs::restart_refused());
        }
        self.notify(notices::runs::restarted(&self.state.live.kernels));
        self.record(Entry::KernelRestarted);
        self.state.live.kernels.clear();
        self.drop_rebuild();
        self.forget_variables();
        self.effects.push(Effect::RestartKernel);
        self.mark_environment_changed();
        self.inspect_again();
    }

    /// A kernel ended while nothing ran in it.
    pub(super) fn kernel_died(&mut self, dead: &DeadKernel) {
        let kernel = self.state.live.kernels.get(&dead.language).copied();
        self.notify(notices::runs::kernel_died(kernel, &dead.language, &dead.cause));
        if dead.language == Language::python() {
            self.drop_rebuild();
        }
        self.forget_kernel(&dead.language);
        self.mark_environment_changed();
        self.inspect_again();
    }

    /// The language of the kernel that a run was approved for; `None` if for none.
    fn kernel_language(&self, run: RunId) -> Option<Language> {
        let terms = &self.state.transcript.run(run)?.1.terms;
        terms.kernel.map(|_| terms.language.clone())
    }

    /// The kernel of a language is gone; those of others may still live.
    fn forget_kernel(&mut self, language: &Language) {
        self.state.live.kernels.remove(language);
        if *language == Language::python() {
            self.forget_variables();
        }
    }

    /// Python's kernel is gone, with everything in it.
    fn forget_variables(&mut self) {
        self.state.live.variables.clear();
        self.state.live.variables_by = None;
        self.state.live.variables_at = None;
        self.state.live.not_run.clear();
        self.state.live.ran_within.clear();
        self.forget_functions();
    }
}
