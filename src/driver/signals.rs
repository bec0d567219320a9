//! Takes signals: decides what the front end is notified of, and which event the engine gets.

use super::after_run::ChangeSearch;
use super::sources::Signal;
use super::{Driver, Notification};
use crate::domain::sentences::running::EXECUTOR_BROKE_OFF;
use crate::domain::{Notice, Outcome, ReplyEvent, RunEvent, RunId, RunReport, StepId};
use crate::engine::state::LiveRun;
use crate::engine::{Event, Phase, StoreEvent};
use crate::exec::KernelNotice;
use std::sync::PoisonError;

impl Driver {
    pub(super) fn handle_signal(&mut self, signal: Signal) {
        match signal {
            Signal::Reply(step, event) => self.handle_reply(step, event),
            Signal::Run(run, event) => self.handle_run_event(run, event),
            Signal::RunBrokeOff(run) => {
                if let Some(live) = self.state().live.run.as_ref().filter(|live| live.run == run) {
                    let report = Box::new(report_of_broken_off(live));
                    self.handle_run_event(run, RunEvent::Ended(report));
                }
            }
            Signal::Event(event) => self.feed(event),
            Signal::Job(found) => self.rooms.update.notifications.push(Notification::Job(found)),
            Signal::Masked(what) => self.tell_masked(what),
            Signal::StoreFailed(why) => self.feed(Event::Store(StoreEvent::Failed(why))),
            Signal::Kernel(KernelNotice::Died(dead)) => self.feed(Event::KernelDied(dead)),
            Signal::Kernel(KernelNotice::Warning(words)) => self.feed(Event::KernelWarning(words)),
            Signal::Kernel(KernelNotice::Back(words)) => self.feed(Event::KernelBack(words)),
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
        tokio::task::spawn_blocking(move || {
            search.complete(&mut report);
            let _ = inbox.blocking_send(Signal::Run(run, RunEvent::Ended(report)));
        });
        None
    }

    fn handle_run_event(&mut self, run: RunId, event: RunEvent) {
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

/// The end of a run whose executor broke off, with all that arrived of it.
fn report_of_broken_off(live: &LiveRun) -> RunReport {
    let mut report = RunReport::bare(Outcome::Crashed(EXECUTOR_BROKE_OFF.into()));
    (report.output, report.images) = (live.output.clone(), live.images.clone());
    report
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Stream, samples};

    /// Else the session, and the model, would be told that it printed nothing.
    #[test]
    fn what_arrived_of_a_run_whose_executor_broke_off_is_kept() {
        let mut live = LiveRun { images: vec![samples::image("/x")], ..LiveRun::default() };
        live.output.push(Stream::Stdout, b"so far");
        let report = report_of_broken_off(&live);
        assert_eq!(report.outcome, Outcome::Crashed(EXECUTOR_BROKE_OFF.into()));
        assert_eq!((report.output, report.images), (live.output, live.images));
    }
}
