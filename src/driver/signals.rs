//! Takes signals: decides what the front end is notified of, and which event the engine gets.

use super::after_run::ChangeSearch;
use super::sources::Signal;
use super::{Driver, Notification};
use crate::domain::sentences::running::{EXECUTOR_BROKE_OFF, KERNELS_BROKE_OFF};
use crate::domain::{
    DeadKernel, KernelFate, Language, Notice, Outcome, ReplyEvent, RunEvent, RunId, RunReport, StepId,
};
use crate::engine::state::LiveRun;
use crate::engine::{Event, Phase, State, StoreEvent};
use crate::exec::KernelNotice;
use std::sync::PoisonError;
use tokio::task::JoinError;

impl Driver {
    pub(super) fn handle_signal(&mut self, signal: Signal) {
        match signal {
            Signal::Reply(step, event) => self.handle_reply(step, event),
            Signal::Run(run, event) => self.handle_run_event(run, event),
            Signal::RunBrokeOff(run) => {
                if let Some(live) = self.state().live.run.as_ref().filter(|live| live.run == run) {
                    let report = Box::new(report_of_broken_off(live, kernel_of(self.state(), run)));
                    self.handle_run_event(run, RunEvent::Ended(report));
                }
            }
            Signal::ScanBrokeOff(run) => {
                if self.rooms.unscanned.as_ref().is_some_and(|(unscanned, _)| *unscanned == run) {
                    self.end_unscanned();
                }
            }
            Signal::Event(event) => self.feed(event),
            Signal::Job(found) => self.rooms.update.notifications.push(Notification::Job(found)),
            Signal::Masked(what) => self.tell_masked(what),
            Signal::StoreFailed(why) => self.feed(Event::Store(StoreEvent::Failed(why))),
            Signal::Kernel(KernelNotice::Died(dead)) => self.feed(Event::KernelDied(dead)),
            Signal::Kernel(KernelNotice::Warning(words)) => self.feed(Event::KernelWarning(words)),
            Signal::Kernel(KernelNotice::Back(words)) => self.feed(Event::KernelBack(words)),
            Signal::Kernel(KernelNotice::AllLost) => {
                for dead in lost_kernels(self.state()) {
                    self.feed(Event::KernelDied(dead));
                }
            }
        }
    }

    fn handle_reply(&mut self, step: StepId, event: ReplyEvent) {
        let summary = matches!(self.state().phase, Phase::Compacting(_));
        let notification = match &event {
            // A summary is not part of the conversation.
            ReplyEvent::Delta(_) | ReplyEvent::Reasoning(_) if summary => None,
            ReplyEvent::Delta(text) => Some(Notification::Delta(step, text.clone())),
            ReplyEvent::Reasoning(text) => Some(Notification::Reasoning(step, text.clone())),
            ReplyEvent::Retrying { attempt, of, wait_ms, failure } => Some(Notification::Retrying {
                attempt: *attempt,
                of: *of,
                wait_ms: *wait_ms,
                failure: failure.clone(),
            }),
            _ => None,
        };
        self.rooms.update.streaming |= matches!(event, ReplyEvent::Delta(_) | ReplyEvent::Reasoning(_));
        self.rooms.update.notifications.extend(notification);
        self.feed(Event::Reply(step, event));
    }

    pub(super) fn tell_masked(&mut self, what: String) {
        self.rooms.update.notifications.push(Notification::Notice(Notice::warn(what)));
        self.rooms.update.urgent = true;
    }

    /// Lets a worker find out what a run changed before its end is passed on; returns the report if nothing is left to
    /// find out.
    fn find_changes(&mut self, run: RunId, mut report: Box<RunReport>) -> Option<Box<RunReport>> {
        let before = self.rooms.before_run.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(before) = before.filter(|before| before.run == run) else {
            return Some(report);
        };
        let code = self.state().transcript.run(run).and_then(|(item, run)| {
            let version = item.block.version(run.revision)?;
            Some((version.language.clone()?, version.source.clone()))
        });
        let search = ChangeSearch {
            before,
            code,
            undo: self.rooms.undo.clone(),
            auto_run: self.rooms.auto_run.clone(),
            revertible_runs: self.rooms.revertible_runs.clone(),
            working: self.rooms.working.clone(),
            blobs: self.rooms.store.blobs(),
            scope: self.rooms.scope.clone(),
        };
        self.rooms.unscanned = Some((run, report.clone()));
        let inbox = self.rooms.inbox();
        let scan = tokio::task::spawn_blocking(move || {
            search.complete(&mut report);
            report
        });
        tokio::spawn(async move { inbox.send(scanned(run, scan.await)).await });
        None
    }

    pub(super) fn handle_run_event(&mut self, run: RunId, event: RunEvent) {
        let event = match event {
            RunEvent::Ended(report) => match self.find_changes(run, report) {
                Some(report) => RunEvent::Ended(report),
                None => return,
            },
            other => other,
        };
        match &event {
            RunEvent::Output(chunk) => {
                self.rooms.update.streaming = true;
                self.rooms.update.notifications.push(Notification::Output(run, chunk.clone()));
            }
            RunEvent::Screen(_) | RunEvent::Usage { .. } => self.rooms.update.streaming = true,
            RunEvent::Ended(_) => {
                self.rooms.unscanned = None;
                self.rooms.sources.drop_run();
                self.rooms.find_held_instructions(self.engine.state().live.held_instructions.clone());
            }
            _ => {}
        }
        self.feed(Event::Run(run, event));
    }
}

/// The end of a run, with what it changed. If looking for that panics, the turn must not wait for it forever.
fn scanned(run: RunId, scan: Result<Box<RunReport>, JoinError>) -> Signal {
    match scan {
        Ok(report) => Signal::Run(run, RunEvent::Ended(report)),
        Err(error) => {
            tracing::error!(%error, "looking for what a run changed broke off");
            Signal::ScanBrokeOff(run)
        }
    }
}

/// The end of a run whose executor broke off, with all that arrived of it. Its kernel is gone with the executor.
fn report_of_broken_off(live: &LiveRun, kernel: KernelFate) -> RunReport {
    let mut report = RunReport::bare(Outcome::Crashed(EXECUTOR_BROKE_OFF.into()));
    (report.output, report.images) = (live.output.clone(), live.images.clone());
    // Nobody saw the end of its processes.
    report.receipt.not_stopped = true;
    RunReport { kernel, ..report }
}

/// The kernel that a run was in, as lost.
fn kernel_of(state: &State, run: RunId) -> KernelFate {
    let terms = state.transcript.run(run).map(|(_, run)| &run.terms);
    let kernel = terms.and_then(|terms| state.live.kernel_of(terms).or(terms.kernel));
    kernel.map_or(KernelFate::None, KernelFate::Lost)
}

/// The kernels that are lost with the executor, but that of a run in progress: the end of the run tells of it.
fn lost_kernels(state: &State) -> Vec<DeadKernel> {
    let run = state.live.run.as_ref().and_then(|live| state.transcript.run(live.run));
    let of_run = run.filter(|(_, run)| run.terms.kernel.is_some()).map(|(_, run)| &run.terms.language);
    let others = state.live.kernels.keys().filter(|language| Some(*language) != of_run);
    let lost =
        |language: &Language| DeadKernel { language: language.clone(), cause: KERNELS_BROKE_OFF.into() };
    others.map(lost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Stream, samples};
    use crate::engine::dialogue::Dialogue;
    use crate::test_folder::allowing_panics;

    /// Else the session, and the model, would be told that it printed nothing.
    #[test]
    fn what_arrived_of_a_run_whose_executor_broke_off_is_kept() {
        let mut live = LiveRun { images: vec![samples::image("/x")], ..LiveRun::default() };
        live.output.push(Stream::Stdout, b"so far");
        let report = report_of_broken_off(&live, KernelFate::None);
        assert_eq!(report.outcome, Outcome::Crashed(EXECUTOR_BROKE_OFF.into()));
        assert!(report.receipt.not_stopped, "something of it may still act");
        assert_eq!((report.output, report.images), (live.output, live.images));
    }

    #[test]
    fn a_run_ends_although_looking_for_what_it_changed_panics() {
        let scan =
            allowing_panics(async { tokio::task::spawn_blocking(|| panic!("a fault in a look")).await });
        assert!(matches!(scanned(RunId(1), scan), Signal::ScanBrokeOff(RunId(1))));
    }

    #[test]
    fn every_kernel_of_an_executor_that_broke_off_is_lost_once() {
        let mut d = Dialogue::after_reply("```python\nx = 1\n```\n");
        d.runs(1, 1, Outcome::Ok);
        assert_eq!(d.state().live.kernels.len(), 1);
        d.reply("```python\nx = 2\n```\n");
        d.begins(2, 2);
        assert_eq!(lost_kernels(d.state()), [], "the end of the run tells of it");
        let live = d.state().live.run.clone().unwrap();
        d.ended_as(2, report_of_broken_off(&live, kernel_of(d.state(), RunId(2))));
        assert!(d.state().live.kernels.is_empty());
        d.reply("```python\nx = 3\n```\n");
        d.runs(3, 3, Outcome::Ok);
        let lost = lost_kernels(d.state());
        assert_eq!(lost.len(), 1);
        for dead in lost {
            d.send(Event::KernelDied(dead));
        }
        assert!(d.state().live.kernels.is_empty());
    }
}
