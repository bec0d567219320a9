//! One run while it goes on: what is known of it so far, and the report at its end.

pub mod images;

use super::capture::Capture;
use super::helper_wire::Used;
use super::kernel_wire::{Done, Token};
use super::languages;
use super::outbox::Outbox;
use super::process::Process;
use super::receipt::{self, Ending, Pressed};
use super::sandbox::refused::{Closed, refused};
use crate::domain::{
    Captured, KernelFate, Limits, Masker, Outcome, Receipt, RunEvent, RunId, RunReport, RunRequest, Stream,
};
use images::Images;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long after its limit a run is given up, whatever its processes do: a little under the 2 s that are promised.
const GIVE_UP: Duration = Duration::from_millis(1900);

/// What carries it out.
#[derive(Debug)]
pub enum Carrier {
    /// The kernel, which outlives it.
    Kernel,
    /// A program of its own; a shell has a file for its state.
    Program(Box<Process>, Option<File>),
}

/// A run that goes on.
#[derive(Debug)]
pub struct Run {
    /// Which.
    pub id: RunId,
    /// What carries it out.
    pub carrier: Carrier,
    /// Its language, for the state of shells.
    pub language: String,
    /// Its mark on the kernel's control socket.
    pub token: Token,
    /// Where it is told of.
    pub outbox: Outbox,
    /// What it printed.
    pub capture: Capture,
    /// What was done to it from outside.
    pub pressed: Pressed,
    /// Whether it was told that it started.
    pub started: bool,
    /// Why the kernel can't be spoken to any more, when that came before its end.
    pub broken: Option<String>,
    /// Whether its program was never built: the compiler refused the text.
    pub unbuilt: bool,
    /// When it is given up.
    pub give_up: Instant,
    images: Images,
    since: Instant,
    until: Option<Instant>,
    done: Option<Done>,
    /// What the sandbox closes for it.
    closed: Option<Closed>,
}

/// How it came to its end.
#[derive(Debug)]
pub enum End {
    /// The kernel finished the block and goes on.
    Block(Used),
    /// The process ended.
    Process(Ending, Used),
    /// The process was never there, and why.
    NotStarted(String),
    /// Nothing more is heard of it.
    Lost(String),
}

impl Run {
    /// A run that begins now.
    pub fn new(
        request: &RunRequest,
        (carrier, token): (Carrier, Token),
        outbox: Outbox,
        (folder, masker): (&Path, &Masker),
        closed: Option<Closed>,
    ) -> Self {
        let approval = request.approval();
        let limits: Limits = approval.terms().limits;
        let now = Instant::now();
        let give_up = now
            .checked_add(Duration::from_millis(limits.wall_ms))
            .and_then(|at| at.checked_add(GIVE_UP))
            .unwrap_or_else(|| now + Duration::from_hours(24 * 365));
        Self {
            id: approval.run(),
            carrier,
            language: approval.terms().language.as_str().to_string(),
            token,
            outbox,
            capture: Capture::new(limits, folder, format!("run-{}-output.txt", approval.run()), masker),
            pressed: Pressed::default(),
            started: false,
            broken: None,
            unbuilt: false,
            give_up,
            images: Images::new(approval.run(), folder, usize::MAX),
            since: now,
            until: None,
            done: None,
            closed,
        }
    }

    /// The program has the code.
    pub fn tell_started(&mut self) {
        if !self.started {
            self.started = true;
            self.outbox.tell(RunEvent::Started);
        }
    }

    /// The person ends it by force: from now on it is given up soon.
    pub fn pressed_kill(&mut self) {
        self.pressed.killed = true;
        self.give_up = self.give_up.min(Instant::now() + GIVE_UP);
    }

    /// The kernel made an image: it goes to a file.
    pub fn keep_image(&mut self, name: &str, png: &[u8]) {
        if let Some(image) = self.images.keep(name, "image/png", png) {
            self.outbox.tell(RunEvent::Image(image));
        }
    }

    /// The kernel says that the block is over; the clock of the run stops.
    pub fn set_done(&mut self, done: Done) {
        self.stop_clock();
        self.done = Some(done);
    }

    /// Whether the kernel said so.
    pub fn is_done(&self) -> bool {
        self.done.is_some()
    }

    /// The clock of the run stops, if it has not yet.
    pub fn stop_clock(&mut self) {
        self.until.get_or_insert_with(Instant::now);
    }

    /// The report. Output must have been drained before. `kernel` and `cwd` are what they are after the run.
    pub fn finish(mut self, end: End, kernel: KernelFate, cwd: Option<PathBuf>) {
        self.stop_clock();
        let wall = self.until.unwrap_or(self.since).saturating_duration_since(self.since);
        let in_kernel = matches!(self.carrier, Carrier::Kernel);
        let pressed = std::mem::take(&mut self.pressed);
        let (outcome, mut receipt) = match (&end, &self.done) {
            (End::NotStarted(why), _) => (Outcome::NotStarted(why.clone()), Receipt::default()),
            (End::Lost(_) | End::Process(..), Some(done)) => {
                let used = if let End::Process(_, used) = end { used } else { Used::default() };
                (receipt::of_block(done, &pressed), receipt::receipt(wall, used, Some(done.code), None))
            }
            (End::Block(used), Some(done)) => {
                (receipt::of_block(done, &pressed), receipt::receipt(wall, *used, Some(done.code), None))
            }
            (End::Process(ending, used), None) => {
                let outcome = match (&self.broken, in_kernel) {
                    (Some(why), _) if pressed == Pressed::default() => Outcome::Crashed(why.clone()),
                    (_, true) => receipt::of_death(*ending, &pressed),
                    (_, false) => receipt::of_program(*ending, &pressed),
                };
                (outcome, receipt::receipt(wall, *used, ending.code, ending.signal))
            }
            (End::Lost(why), None) => {
                let outcome = match pressed {
                    Pressed { over: Some(over), .. } => Outcome::Limit(over),
                    Pressed { out_of_time: true, .. } => Outcome::TimedOut,
                    Pressed { killed: true, .. } => Outcome::Interrupted,
                    _ => Outcome::Crashed(why.clone()),
                };
                (outcome, receipt::receipt(wall, Used::default(), None, None))
            }
            (End::Block(used), None) => {
                let why = "the kernel gave no answer to the block".to_string();
                (Outcome::Crashed(why), receipt::receipt(wall, *used, None, None))
            }
        };
        let (output, blob) = self.capture.finish();
        receipt.variables = self.done.as_ref().and_then(|done| done.changes);
        let (value, error) = self.done.map_or((None, None), |done| (done.value, done.error));
        let unbuilt = self.unbuilt && outcome == Outcome::Failed;
        let error = if unbuilt { Some(languages::build_error(&output.bytes(Stream::Stderr))) } else { error };
        let images = self.images.all();
        if let Some(closed) = &self.closed {
            let printed = output.bytes(Stream::Stderr);
            let printed = String::from_utf8_lossy(&printed);
            let traceback = error.as_ref().map(|error| error.traceback.as_str());
            receipt.refused = refused(std::iter::once(&*printed).chain(traceback), closed);
        }
        self.outbox.finish(RunReport { outcome, receipt, output, blob, value, error, images, kernel, cwd });
    }
}

/// The report of a run that did not come to anything.
pub fn nothing(outcome: Outcome, limits: Limits) -> RunReport {
    RunReport { output: Captured::new(limits.kept_bytes), ..RunReport::bare(outcome) }
}
