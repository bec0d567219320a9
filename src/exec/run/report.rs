//! Reports a run at its end: how it ended, what it used, printed and made.

use super::Run;
use crate::domain::sentences::running::STOPPED_WHILE_STARTING;
use crate::domain::{Outcome, RunError, RunReport, Stream};
use crate::exec::backend::{EndCause, RunEnd};
use crate::exec::languages;
use crate::exec::receipt::{self, OutsideStops};
use crate::exec::sandbox::refusals::refused;
use std::time::Instant;

impl Run {
    pub(in crate::exec) fn finish(mut self, ended: RunEnd, now: Instant) {
        self.pressed.over = self.pressed.over.take().or(ended.limit);
        self.pressed.out_of_time |= ended.out_of_time;
        let outcome = self.outcome(&ended.end);
        let until = ended.over.unwrap_or(now);
        let never = matches!(outcome, Outcome::NotStarted(_));
        if matches!(ended.end, EndCause::NotReady(_)) && !never {
            self.print(Stream::Stderr, format!("\n[{STOPPED_WHILE_STARTING}]\n").as_bytes());
        }
        let since = self.since.filter(|_| !never).unwrap_or(until);
        let (code, signal) = match &ended.end {
            EndCause::Block(done) => (Some(done.code), None),
            EndCause::Program(ending) | EndCause::Kernel(ending, _) => (ending.code, ending.signal),
            EndCause::Limit(_) => (None, Some(9)),
            EndCause::Died(_) | EndCause::NotStarted(_) | EndCause::NotSent(_) | EndCause::NotReady(_) => {
                (None, None)
            }
        };
        let mut receipt = receipt::receipt(until.saturating_duration_since(since), ended.used, code, signal);
        receipt.connection_losses = ended.connection_losses;
        if let Some(pause) = ended.pause {
            // One of them is the kernel's own thread.
            (receipt.threads, receipt.not_stopped) = (pause.threads.saturating_sub(1), !pause.still);
        }
        let (value, mut error) = match ended.end {
            EndCause::Block(done) => {
                receipt.variables = done.changes;
                (done.value, done.error)
            }
            _ => (None, None),
        };
        let (output, blob) = self.capture.finish();
        let errors = output.bytes(Stream::Stderr);
        if ended.unbuilt && outcome == Outcome::Failed {
            error = Some(languages::build_error(&errors));
        }
        if let Some(closed) = &ended.closed {
            let printed = String::from_utf8_lossy(&errors);
            let traceback = error.as_ref().map(|error: &RunError| error.traceback.as_str());
            receipt.refused = refused(std::iter::once(&*printed).chain(traceback), closed);
        }
        let (images, kernel, cwd) = (self.images.all(), ended.kernel, ended.cwd);
        // Pictures in the folder are collected where the folder's changes are.
        let pictures = Vec::new();
        self.events.finish(RunReport {
            outcome,
            receipt,
            output,
            blob,
            value,
            error,
            images,
            pictures,
            kernel,
            cwd,
        });
    }

    /// How it ended, from its end and from what stopped it.
    fn outcome(&self, end: &EndCause) -> Outcome {
        let pressed = &self.pressed;
        let unless_stopped = |own: Outcome| pressed.outcome().unwrap_or(own);
        match end {
            EndCause::Block(done) => receipt::block_outcome(done, pressed),
            EndCause::Program(ending) => receipt::program_outcome(*ending, pressed),
            EndCause::Kernel(_, Some(why)) if *pressed == OutsideStops::default() => {
                Outcome::Crashed(why.clone())
            }
            EndCause::Kernel(ending, _) => receipt::death_outcome(*ending, pressed),
            EndCause::Died(why) => unless_stopped(Outcome::Crashed(why.clone())),
            EndCause::Limit(what) => unless_stopped(Outcome::Limit(what.clone())),
            EndCause::NotStarted(why) => unless_stopped(Outcome::NotStarted(why.clone())),
            EndCause::NotSent(why) => Outcome::NotStarted(why.clone()),
            // The start of Python counts, too: it ends as a run does that is stopped.
            EndCause::NotReady(_) if pressed.over.is_none() && *pressed != OutsideStops::default() => {
                unless_stopped(Outcome::Interrupted)
            }
            EndCause::NotReady(cause) => {
                let limit = pressed.over.as_ref().map(|what| format!("of its limits, {what}"));
                let said =
                    || self.capture.last_error_line().map(|line| receipt::start_failure(&line).to_owned());
                let why = limit.or_else(said).unwrap_or_else(|| cause.clone());
                Outcome::NotStarted(format!("Python could not be started as a kernel: {why}"))
            }
        }
    }
}
