//! One run that another executor carries out, as long as it goes on: its clock, its output, and the report at its end.

use super::{End, Ended};
use crate::domain::{ImageRef, Limits, Masker, Outcome, RunEvent, RunId, RunReport, RunRequest, Stream};
use crate::exec::blob::{keep_image, png_size};
use crate::exec::capture::Capture;
use crate::exec::outbox::Outbox;
use crate::exec::receipt::{self, Pressed};
use std::path::{Path, PathBuf};
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
    images: Vec<ImageRef>,
    folder: PathBuf,
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
            images: Vec::new(),
            folder: folder.into(),
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

    /// It made an image: it goes to a file. What is none, or finds no room on the disk, is left out.
    pub fn keep_image(&mut self, name: &str, mime: &str, bytes: &[u8]) {
        let (extension, size) = match mime {
            "image/png" => ("png", png_size(bytes)),
            "image/svg+xml" => ("svg", Some(svg_size(bytes))),
            "image/jpeg" => ("jpg", Some((0, 0))),
            _ => return,
        };
        let Some((width, height)) = size.filter(|_| self.images.len() < IMAGES) else { return };
        let number = self.images.len() + 1;
        let file = format!("run-{}-figure-{number}.{extension}", self.id);
        let Ok(path) = keep_image(&self.folder, &file, bytes) else { return };
        // The name comes from the code: it may become a file name, so it keeps nothing that leads elsewhere.
        let name: String = name
            .chars()
            .take(80)
            .map(|c| if c == '/' || c == '\\' || c.is_control() { '_' } else { c })
            .collect();
        let name = if name.is_empty() || name.starts_with('.') {
            format!("figure-{number}.{extension}")
        } else {
            name
        };
        let image = ImageRef { path, name, mime: mime.into(), width, height, bytes: bytes.len() as u64 };
        self.images.push(image.clone());
        self.outbox.tell(RunEvent::Image(image));
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
        let images = self.images;
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

/// Width and height as an SVG file tells them in its first tag; 0 where it does not.
fn svg_size(bytes: &[u8]) -> (u32, u32) {
    let text = String::from_utf8_lossy(bytes.get(..bytes.len().min(4096)).unwrap_or_default()).into_owned();
    let tag = text.find("<svg").and_then(|at| text.get(at..)).unwrap_or_default();
    let tag = tag.find('>').and_then(|end| tag.get(..end)).unwrap_or(tag);
    let number = |name: &str| {
        let value = tag.split_once(name)?.1;
        let digits: String = value.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        let number: f64 = digits.parse().ok()?;
        Some(number.round().clamp(0.0, 100_000.0) as u32)
    };
    (number(" width=\"").unwrap_or(0), number(" height=\"").unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_an_svg() {
        let svg = br#"<?xml version="1.0"?><svg xmlns="x" width="640pt" height="479.6" viewBox="0 0 1 1"><g/></svg>"#;
        assert_eq!(svg_size(svg), (640, 480));
        assert_eq!(svg_size(b"<svg>"), (0, 0));
        assert_eq!(svg_size(b"no"), (0, 0));
        assert_eq!(svg_size(br#"<svg width="1e9" height="99999999999">"#), (1, 100_000));
    }

    #[test]
    fn what_was_done_from_outside_is_told_before_the_cause() {
        let out_of_time = Pressed { out_of_time: true, ..Pressed::default() };
        assert_eq!(of_loss("x", out_of_time, Outcome::Crashed), Outcome::TimedOut);
        let killed = Pressed { killed: true, ..Pressed::default() };
        assert_eq!(of_loss("x", killed, Outcome::Limit), Outcome::Interrupted);
        assert_eq!(of_loss("x", Pressed::default(), Outcome::Limit), Outcome::Limit("x".into()));
    }
}
