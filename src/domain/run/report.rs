//! All that is known of a run after its end: how it ended, what it printed and showed, and what became of its kernel.

use super::KernelRef;
use super::receipt::{FileChange, Receipt};
use crate::domain::visible::visible_line;
use crate::domain::{Limits, OutputBuffer, Stream};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(tag = "outcome", content = "detail", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Outcome {
    /// It succeeded.
    Ok,
    /// It ended by itself with an error: a status other than 0, or an uncaught exception.
    Failed,
    /// It reached its time limit and was ended.
    TimedOut,
    /// It reached another limit, named here, and was ended.
    Limit(String),
    /// The person stopped it.
    Interrupted,
    /// Its process died (a signal, `os._exit`, out of memory); the text says what is known about the cause.
    Crashed(String),
    /// The executor refused to start it; the text says why.
    Refused(String),
    /// It could not be started; the text says why.
    NotStarted(String),
}

impl Outcome {
    /// The name in JSON and session files.
    pub(crate) fn as_str(&self) -> &'static str {
        self.into()
    }

    /// All names by which session files say what became of a block: how its run ended, or the decision against running
    /// it.
    pub(crate) const ALL_NAMES: [&str; 11] = [
        "ok",
        "failed",
        "timed_out",
        "limit",
        "interrupted",
        "crashed",
        "refused",
        "not_started",
        "rejected",
        "skipped",
        "declined",
    ];

    /// The label on the screen.
    pub fn label(&self) -> &'static str {
        match self {
            Outcome::Ok => "DONE",
            Outcome::Failed => "FAILED",
            Outcome::TimedOut => "TIMEOUT",
            Outcome::Limit(_) => "LIMIT",
            Outcome::Interrupted => "INTERRUPTED",
            Outcome::Crashed(_) => "DIED",
            Outcome::Refused(_) => "REFUSED",
            Outcome::NotStarted(_) => "NOT STARTED",
        }
    }

    /// The text of the variant: the limit, the cause of death, the reason for the refusal.
    pub(crate) fn detail(&self) -> Option<&str> {
        match self {
            Outcome::Limit(text)
            | Outcome::Crashed(text)
            | Outcome::Refused(text)
            | Outcome::NotStarted(text) => Some(text),
            _ => None,
        }
    }
}

/// An uncaught exception in a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunError {
    /// Its type: `ValueError`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its message.
    #[serde(default)]
    pub message: String,
    /// The traceback, reduced to frames of the person's code, with lines of `block N`.
    #[serde(default)]
    pub traceback: String,
}

/// An image that a run made, stored as a file (a blob) beside the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageRef {
    /// The blob, in the folder beside the session file.
    pub path: PathBuf,
    /// A name to save it under, `figure-1.png`.
    pub name: String,
    /// `image/png`.
    pub mime: String,
    /// The width in pixels; 0 if not known.
    pub width: u32,
    /// The height in pixels; 0 if not known.
    pub height: u32,
    /// The size of the blob.
    pub bytes: u64,
}

/// What became of the kernel in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelFate {
    /// The run was not in a kernel.
    None,
    /// The kernel still runs.
    Kept(KernelRef),
    /// The kernel ended and lost this many variables; the next block starts a new one.
    Lost(KernelRef),
}

/// All that is known of a run after its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunReport {
    /// How it ended.
    pub outcome: Outcome,
    /// What it used, and which files it changed.
    pub receipt: Receipt,
    /// What it printed, bounded, both streams in order.
    pub output: OutputBuffer,
    /// The file with all output (up to `Limits::output_file_bytes`), if it printed more than is kept here.
    pub blob: Option<PathBuf>,
    /// The value of the last expression (or of `result`), as text.
    pub value: Option<String>,
    /// The uncaught exception of a kernel run.
    pub error: Option<RunError>,
    /// Images that it showed, in order, and plots that its code drew into files. A model that accepts images may be
    /// sent these.
    pub images: Vec<ImageRef>,
    /// Copies of the other pictures that it wrote into the working folder. They are only shown to the person, never
    /// sent to a model.
    pub pictures: Vec<ImageRef>,
    /// What became of the kernel.
    pub kernel: KernelFate,
    /// The folder in which the next block of the same executor will start.
    pub cwd: Option<PathBuf>,
}

impl RunReport {
    /// A report with nothing but the outcome, for what did not run.
    pub fn bare(outcome: Outcome) -> Self {
        Self {
            outcome,
            receipt: Receipt::default(),
            output: OutputBuffer::default(),
            blob: None,
            value: None,
            error: None,
            images: Vec::new(),
            pictures: Vec::new(),
            kernel: KernelFate::None,
            cwd: None,
        }
    }

    /// How many bytes it printed.
    pub(crate) fn printed_bytes(&self) -> u64 {
        self.output.total(Stream::Stdout).saturating_add(self.output.total(Stream::Stderr))
    }

    /// Whether all that it printed can be read: in its file, if there is one, else here.
    pub(crate) fn has_all_output(&self, limits: &Limits) -> bool {
        match &self.blob {
            Some(_) => self.printed_bytes() <= limits.output_file_bytes,
            None => [Stream::Stdout, Stream::Stderr].iter().all(|stream| self.output.dropped(*stream) == 0),
        }
    }

    /// What it printed, both streams in order, followed by its value or error.
    pub(crate) fn printed(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.output.in_order()).into_owned();
        let error = self.error.as_ref().map(|error| &error.traceback);
        for more in self.value.iter().chain(error) {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(more);
        }
        text
    }

    /// How it ended, without the duration: `failed`, `exit 1`.
    pub(crate) fn end_words(&self) -> Vec<String> {
        let mut parts = vec![self.outcome.label().to_lowercase()];
        match (self.receipt.exit_code, self.receipt.signal) {
            (Some(code), _) => parts.push(format!("exit {code}")),
            (None, Some(signal)) => parts.push(format!("signal {signal}")),
            (None, None) => {}
        }
        parts.extend(self.outcome.detail().map(visible_line));
        parts
    }

    /// Pictures among the files that it wrote of which no copy was kept.
    pub(crate) fn undrawn(&self) -> impl Iterator<Item = &FileChange> {
        let is_kept = |path: &str| self.all_images().any(|image| path == image.name);
        self.receipt.files.iter().filter(move |file| file.is_picture() && !is_kept(&file.path))
    }

    /// All images that can be viewed: those that it showed, then the pictures that it wrote.
    pub(crate) fn all_images(&self) -> impl Iterator<Item = &ImageRef> {
        self.images.iter().chain(&self.pictures)
    }
}
