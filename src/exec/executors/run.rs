//! One run that another executor carries out, as long as it goes on: its clock, its output, and the report at its end.

use super::{End, Ended};
use crate::domain::{Limits, Masker, Outcome, RunEvent, RunId, RunReport, RunRequest, Stream};
use crate::exec::capture::Capture;
use crate::exec::outbox::Outbox;
use crate::exec::receipt::{self, Pressed};
use crate::exec::run::images::Images;
use std::path::Path;
use std::time::{Duration, Instant};

/// From the interrupt at the time limit to the end by force, and from there until it is given up.
const GRACE: Duration = Duration::from_millis(1000);
const GIVE_UP: Duration = Duration::from_millis(3000);
/// From one interrupt to the next, where they can be lost; and so many times it is repeated. A Python that was about to
/// wait for something when the signal came has taken note of it and waits on, without ever looking at the note: only
/// another signal wakes it. Whoever was reached has ended by then, or cleans up and is not disturbed any sooner.
const AGAIN: Duration = Duration::from_millis(1500);
const REPEATS: u8 = 2;
/// The same at the time limit, where less than [`GRACE`] is left.
const AGAIN_AT_END: Duration = Duration::from_millis(500);
/// Images of one run that are kept.
const IMAGES: usize = 200;

/// What is to be done because time has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Interrupt it: the time is over.
    Interrupt,
    /// Interrupt it once more: it goes on as if it had not been.
    InterruptAgain,
    /// End it by force.
    Kill,
    /// Nothing more is heard of it: report it.
    GiveUp,
}

/// A run that goes on.
pub struct Run {
    /// Which.
    pub id: RunId,
    /// Where it is told of.
    pub outbox: Outbox,
    /// What was done to it from outside.
    pub pressed: Pressed,
    limits: Limits,
    capture: Capture,
    images: Images,
    /// When the code was handed over; the clock runs from there.
    since: Option<Instant>,
    next: Option<(Instant, Due)>,
    /// Whether its interrupts can be lost.
    loses_interrupts: bool,
    /// When the interrupt is repeated, and how often it may be after that.
    again: Option<(Instant, u8)>,
}

impl Run {
    /// A run that was ordered; its clock does not run yet.
    pub fn new(
        request: &RunRequest,
        outbox: Outbox,
        (folder, masker): (&Path, &Masker),
        loses_interrupts: bool,
    ) -> Self {
        let approval = request.approval();
        let limits = approval.terms().limits;
        Self {
            id: approval.run(),
            outbox,
            pressed: Pressed::default(),
            limits,
            capture: Capture::new(limits, folder, format!("run-{}-output.txt", approval.run()), masker),
            images: Images::new(approval.run(), folder, IMAGES),
            since: None,
            next: None,
            loses_interrupts,
            again: None,
        }
    }

    /// The person interrupts it: tells when it is to be repeated.
    pub fn interrupt(&mut self, now: Instant) {
        self.pressed.interrupted = true;
        self.again = self.loses_interrupts.then_some((now + AGAIN, REPEATS));
    }

    /// An interrupt is not repeated any more.
    pub fn leave_alone(&mut self) {
        self.again = None;
    }

    /// The program has the code: the clock runs.
    pub fn started(&mut self, now: Instant) {
        if self.since.is_none() {
            self.since = Some(now);
            let limit = now.checked_add(Duration::from_millis(self.limits.wall_ms));
            self.next = self.next.or(limit.map(|at| (at, Due::Interrupt)));
            self.outbox.tell(RunEvent::Started);
        }
    }

    /// It printed something.
    pub fn print(&mut self, stream: Stream, bytes: &[u8]) {
        self.capture.print(stream, bytes, &mut self.outbox);
    }

    /// The person ends it by force: from now on it is given up soon.
    pub fn kill(&mut self, now: Instant) {
        self.pressed.killed = true;
        self.next = Some((now + GIVE_UP, Due::GiveUp));
        self.again = None;
    }

    /// When something has to be done next.
    pub fn due(&self) -> Option<Instant> {
        let (next, again) = (self.next.map(|(at, _)| at), self.again.map(|(at, _)| at));
        [next, again, self.outbox.due()].into_iter().flatten().min()
    }

    /// Passes waiting output on; what else is to be done by now.
    pub fn on_time(&mut self, now: Instant) -> Option<Due> {
        self.outbox.pass_on(now);
        if let Some((_, left)) = self.again.filter(|(at, _)| *at <= now) {
            self.again = left.checked_sub(1).filter(|left| *left > 0).map(|left| (now + AGAIN, left));
            return Some(Due::InterruptAgain);
        }
        let (_, due) = self.next.filter(|(at, _)| *at <= now)?;
        self.next = match due {
            Due::Interrupt => {
                self.pressed.out_of_time = true;
                self.again = self.loses_interrupts.then_some((now + AGAIN_AT_END, 1));
                Some((now + GRACE, Due::Kill))
            }
            Due::InterruptAgain => self.next,
            Due::Kill => Some((now + GIVE_UP, Due::GiveUp)),
            Due::GiveUp => None,
        };
        Some(due)
    }

    /// It made an image: it goes to a file.
    pub fn keep_image(&mut self, name: &str, mime: &str, bytes: &[u8]) {
        if let Some(image) = self.images.keep(name, mime, bytes) {
            self.outbox.tell(RunEvent::Image(image));
        }
    }

    /// Tells the report.
    pub fn finish(self, ended: Ended, now: Instant) {
        let wall = self.since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since));
        let Ended { end, used, kernel, cwd } = ended;
        let pressed = self.pressed;
        let (outcome, code, signal) = match &end {
            End::Block(done) => (receipt::of_block(done, &pressed), Some(done.code), None),
            End::Program(ending) => (receipt::of_program(*ending, &pressed), ending.code, ending.signal),
            End::Died(why) => (of_loss(why, pressed, Outcome::Crashed), None, None),
            End::Limit(what) => (of_loss(what, pressed, Outcome::Limit), None, Some(9)),
            End::NotStarted(why) => (of_loss(why, pressed, Outcome::NotStarted), None, None),
        };
        let (value, error) = match end {
            End::Block(done) => (done.value, done.error),
            _ => (None, None),
        };
        let (output, blob) = self.capture.finish();
        let receipt = receipt::receipt(wall, used, code, signal);
        let images = self.images.all();
        self.outbox.finish(RunReport { outcome, receipt, output, blob, value, error, images, kernel, cwd });
    }
}

/// How a run ended whose process is gone: by what was done to it, else by its own cause.
fn of_loss(cause: &str, pressed: Pressed, own: impl Fn(String) -> Outcome) -> Outcome {
    match pressed {
        Pressed { out_of_time: true, .. } => Outcome::TimedOut,
        Pressed { killed: true, .. } => Outcome::Interrupted,
        _ => own(cause.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_from_outside_is_told_before_the_cause() {
        let out_of_time = Pressed { out_of_time: true, ..Pressed::default() };
        assert_eq!(of_loss("x", out_of_time, Outcome::Crashed), Outcome::TimedOut);
        let killed = Pressed { killed: true, ..Pressed::default() };
        assert_eq!(of_loss("x", killed, Outcome::Limit), Outcome::Interrupted);
        assert_eq!(of_loss("x", Pressed::default(), Outcome::Limit), Outcome::Limit("x".into()));
    }
}
