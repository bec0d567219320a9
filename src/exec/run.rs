//! Follows one run: its clock and its output. `report` tells how it ended.

pub(super) mod images;
mod parts;
mod report;

use super::backend::LimitEnforcer;
use super::capture::Capture;
use super::event_sender::EventSender;
use super::receipt::OutsideStops;
use crate::domain::{Chunk, CountedTime, Limits, Masker, RunEvent, RunId, RunRequest, Stream};
use images::Images;
use parts::PartEnds;
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::Sender;

/// The time from the interrupt at the time limit to the kill, and from there until sayso stops waiting for the run.
const KILL_DELAY: Duration = Duration::from_millis(1000);
const GIVE_UP_DELAY: Duration = Duration::from_millis(3000);
/// How long after its time limit sayso stops waiting for a run under a helper, whatever its processes do: a little less
/// than the 2 s that are promised.
const HELPER_GIVE_UP_DELAY: Duration = Duration::from_millis(1900);
/// The time between interrupts that can get lost, and how often to repeat them. A Python that is about to wait when the
/// signal arrives only notes it and then waits on: only another signal wakes it. A program that was reached has ended
/// by then, or is cleaning up and should not be disturbed sooner.
const REPEAT_INTERVAL: Duration = Duration::from_millis(1500);
const MAX_REPEATS: u8 = 2;
/// The same time at the time limit, where less than [`KILL_DELAY`] is left.
const FINAL_REPEAT_INTERVAL: Duration = Duration::from_millis(500);
/// How many images of a run elsewhere are kept. On this machine the run's limits bound them.
const MAX_IMAGES: usize = 200;

/// What to do because time has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DueAction {
    /// Interrupt the run, which has exceeded its time limit.
    Interrupt,
    /// Interrupt it again, because it did not react.
    InterruptAgain,
    Kill,
    /// Stop waiting for its end, and report it.
    GiveUp,
}

pub(super) struct Run {
    pub(crate) id: RunId,
    events: EventSender,
    pressed: OutsideStops,
    limits: Limits,
    has_terminal: bool,
    /// What its time limit counts, as its helper reported.
    counted: CountedTime,
    watch: LimitEnforcer,
    capture: Capture,
    images: Images,
    /// Whether [`RunEvent::Started`] was sent.
    started: bool,
    /// The ends of the parts of its source.
    parts: PartEnds,
    /// When its clock started.
    since: Option<Instant>,
    next: Option<(Instant, DueAction)>,
    /// When to repeat the interrupt, and how often.
    again: Option<(Instant, u8)>,
}

impl Run {
    /// A run that was ordered. Under a helper its clock starts now.
    pub(super) fn new(
        request: &RunRequest,
        out: Sender<(RunId, RunEvent)>,
        (folder, masker): (&Path, &Masker),
        watch: LimitEnforcer,
    ) -> Self {
        let (id, terms) = (request.approval().run(), request.approval().terms());
        let (limits, has_terminal) = (terms.limits, terms.rights.terminal);
        let most = if watch == LimitEnforcer::Helper { usize::MAX } else { MAX_IMAGES };
        let mut run = Self {
            id,
            events: EventSender::new(id, out),
            pressed: OutsideStops::default(),
            limits,
            has_terminal,
            counted: CountedTime::Passing,
            watch,
            capture: Capture::new(limits, folder, format!("run-{id}-output.txt"), masker),
            images: Images::new(id, folder, most),
            started: false,
            parts: PartEnds::new(limits.output_kept_bytes),
            since: None,
            next: None,
            again: None,
        };
        if watch == LimitEnforcer::Helper {
            run.run_clock(Instant::now());
        }
        run
    }

    fn run_clock(&mut self, now: Instant) {
        self.since = Some(now);
        self.next = self.next.or(self.end_action(now));
    }

    /// What to do when a time limit that starts now has passed, and when.
    fn end_action(&self, now: Instant) -> Option<(Instant, DueAction)> {
        let limit = now.checked_add(Duration::from_millis(self.limits.wall_ms));
        match self.watch {
            LimitEnforcer::Helper => {
                limit.and_then(|at| at.checked_add(HELPER_GIVE_UP_DELAY)).map(|at| (at, DueAction::GiveUp))
            }
            LimitEnforcer::Loop { .. } => limit.map(|at| (at, DueAction::Interrupt)),
        }
    }

    pub(super) fn has_terminal(&self) -> bool {
        self.has_terminal
    }

    /// Restarts the wait for a run whose helper shows that it is alive: the helper enforces the time limit itself. A
    /// helper that is silent for as long as the limit is not waited for any longer.
    fn go_on(&mut self) {
        if !self.pressed.killed {
            self.next = self.end_action(Instant::now());
        }
    }

    fn loses_interrupts(&self) -> bool {
        self.watch == LimitEnforcer::Loop { loses_interrupts: true }
    }

    /// Notes that the person interrupts the run, and plans the repetition.
    pub(super) fn interrupt(&mut self, now: Instant) {
        self.pressed.interrupted = true;
        self.again = self.loses_interrupts().then_some((now + REPEAT_INTERVAL, MAX_REPEATS));
    }

    /// Cancels the repetition of the interrupt.
    pub(super) fn stop_interrupting(&mut self) {
        self.again = None;
    }

    /// The code was handed over, so the clock starts.
    pub(super) fn start(&mut self, now: Instant) {
        if !std::mem::replace(&mut self.started, true) {
            if self.since.is_none() {
                self.run_clock(now);
            }
            self.events.send(RunEvent::Started);
        }
    }

    /// Passes on an event from the backend.
    pub(super) fn send_event(&mut self, event: RunEvent) {
        match event {
            RunEvent::Started => self.start(Instant::now()),
            RunEvent::Output(Chunk { stream, bytes, .. }) => self.print(stream, &bytes),
            RunEvent::Screen(screen) => self.events.send_screen(screen),
            RunEvent::Usage { .. } => {
                if self.counted == CountedTime::Computing {
                    self.go_on();
                }
                self.events.send_if_room(event);
            }
            RunEvent::Counts(what) => {
                self.counted = what;
                self.go_on();
                self.events.send(event);
            }
            RunEvent::Asks(_) | RunEvent::Image(_) | RunEvent::Variables(_) | RunEvent::Functions(_) => {
                self.events.send(event);
            }
            // These are sent by `end_part`, and by `finish`, instead.
            RunEvent::PartEnded { .. } | RunEvent::Ended(_) => {}
        }
    }

    pub(super) fn print(&mut self, stream: Stream, bytes: &[u8]) {
        self.capture.print(stream, bytes, &mut self.events);
    }

    /// A part of its source has ended. Reports that with everything printed so far, of which a slow viewer may have
    /// missed some.
    pub(super) fn end_part(&mut self, part: u32) {
        if self.parts.is_told_now(part) {
            let printed = Box::new(self.parts.printed(self.capture.so_far()));
            self.events.send(RunEvent::PartEnded { part, printed });
        }
    }

    /// Notes the answer to an ended part. If the run ends there, the reason is added to its output.
    pub(super) fn after_part(&mut self, ends: Option<&str>) {
        let next = self.parts.answered();
        if let Some(why) = ends {
            self.print(Stream::Stdout, format!("\n[{why}]\n").as_bytes());
        }
        if let Some(part) = next {
            self.end_part(part);
        }
    }

    /// Saves an image that the run made to a file.
    pub(super) fn keep_image(&mut self, name: &str, mime: &str, bytes: &[u8]) {
        if let Some(image) = self.images.keep(name, mime, bytes) {
            self.events.send(RunEvent::Image(image));
        }
    }

    /// The person kills the run; sayso does not wait for it much longer.
    pub(super) fn kill(&mut self, now: Instant) {
        self.pressed.killed = true;
        self.again = None;
        let at = match (self.watch, self.next) {
            (LimitEnforcer::Helper, Some((at, _))) => at.min(now + HELPER_GIVE_UP_DELAY),
            (LimitEnforcer::Helper, None) => now + HELPER_GIVE_UP_DELAY,
            (LimitEnforcer::Loop { .. }, _) => now + GIVE_UP_DELAY,
        };
        self.next = Some((at, DueAction::GiveUp));
    }

    /// When [`Run::on_time`] has to be called next.
    pub(super) fn due(&self) -> Option<Instant> {
        let (next, again) = (self.next.map(|(at, _)| at), self.again.map(|(at, _)| at));
        [next, again, self.events.due()].into_iter().flatten().min()
    }

    /// Sends waiting output. Returns what else has to be done now.
    pub(super) fn on_time(&mut self, now: Instant) -> Option<DueAction> {
        self.events.flush(now);
        if let Some((_, left)) = self.again.filter(|(at, _)| *at <= now) {
            self.again =
                left.checked_sub(1).filter(|left| *left > 0).map(|left| (now + REPEAT_INTERVAL, left));
            return Some(DueAction::InterruptAgain);
        }
        let (_, due) = self.next.filter(|(at, _)| *at <= now)?;
        self.next = match due {
            DueAction::Interrupt => {
                self.pressed.out_of_time = true;
                self.again = self.loses_interrupts().then_some((now + FINAL_REPEAT_INTERVAL, 1));
                Some((now + KILL_DELAY, DueAction::Kill))
            }
            DueAction::InterruptAgain => self.next,
            DueAction::Kill => Some((now + GIVE_UP_DELAY, DueAction::GiveUp)),
            DueAction::GiveUp => {
                // A process that hangs in a system call can't be ended, but the run can.
                self.pressed.out_of_time |= !self.pressed.killed;
                None
            }
        };
        Some(due)
    }
}
