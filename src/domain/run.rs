//! A run: what carries it out, what it prints, how it ends, what it used.

use super::visible::visible_line;
use super::{Gaps, Language, OutputBuffer, Sha256, Stream, UndoNote, Variable, VariableChanges};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What carries out a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum ExecutorKind {
    /// A persistent interpreter with state.
    Kernel,
    /// A program started for this run alone.
    Subprocess,
    /// A container, which has a kernel or is there for this run alone.
    Container,
    /// A kernel behind a Jupyter server.
    Jupyter,
    /// sayso itself: it reads, writes or lists what the terms name, and nothing else.
    Files,
    /// A package manager, started for this run alone.
    Installer,
    /// The container engine itself: it pulls an image, and nothing of it is started.
    Engine,
}

impl ExecutorKind {
    /// The word on screen and in files.
    pub(crate) fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether a kernel of it is sayso's own, which tells the end of each of several blocks that come back together
    /// (`assets/kernel.py`).
    pub(crate) fn tells_ends(self) -> bool {
        matches!(self, Self::Kernel | Self::Container)
    }

    /// Whether a program is started that a sandbox would have to hold. sayso's own acts on files and the pull of an image
    /// start none.
    pub(crate) fn starts_programs(self) -> bool {
        !matches!(self, ExecutorKind::Files | ExecutorKind::Engine)
    }

    /// Whether it carries out a block's text as code.
    pub(crate) fn runs_code(self) -> bool {
        self.starts_programs() && self != ExecutorKind::Installer
    }
}

/// Which kernel: `k1` is the first of a session, each restart makes the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct KernelRef {
    /// Its generation; 1 is the first.
    pub generation: u32,
    /// How many variables the person's code has defined in it, as last told.
    #[serde(default)]
    pub variables: u32,
    /// Whether what blocks leave in it goes on between runs: nobody here can stop it.
    #[serde(default, skip_serializing_if = "super::serial::is_false")]
    pub goes_on: bool,
}

/// A kernel that ended while nothing ran in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadKernel {
    /// What it ran.
    pub language: Language,
    /// What is known of the cause.
    pub cause: String,
}

impl DeadKernel {
    pub(crate) fn of_python(cause: impl Into<String>) -> Self {
        Self { language: Language::python(), cause: cause.into() }
    }
}

/// A piece of output, as raw bytes: it may end inside a character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The stream on which it came.
    pub stream: Stream,
    /// The bytes, at most as many as were read at once.
    pub bytes: Vec<u8>,
}

/// What the time limit of a run counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CountedTime {
    /// All time that goes by.
    Passing,
    /// What its processes compute, and nothing of the time that a person takes to type.
    Computing,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(tag = "outcome", content = "detail", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Outcome {
    /// It ended with success.
    Ok,
    /// It ended by itself with an error: a status other than 0, or an uncaught exception.
    Failed,
    /// It was ended at its time limit.
    TimedOut,
    /// It was ended at another limit, named here.
    Limit(String),
    /// The person stopped it.
    Interrupted,
    /// Its process died under it (a signal, `os._exit`, no memory); what is known of the cause.
    Crashed(String),
    /// The executor refused to start it, and why.
    Refused(String),
    /// It could not be started, and why.
    NotStarted(String),
}

impl Outcome {
    /// The word in JSON and session files.
    pub(crate) fn as_str(&self) -> &'static str {
        self.into()
    }

    /// The words of session files for what becomes of a block: how its run ended, or what was decided in place of one.
    pub(crate) const WORDS: [&str; 11] = [
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

    /// The word on screen.
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

    /// What more is known: the limit, the cause of death, the reason of the refusal.
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
    /// Its type, `ValueError`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it says of itself.
    #[serde(default)]
    pub message: String,
    /// The traceback, cut to the frames of the person's code, lines of `block N`.
    #[serde(default)]
    pub traceback: String,
}

/// Endings of the names of pictures that are drawn.
const DRAWN_EXTENSIONS: [&str; 4] = ["png", "jpg", "jpeg", "svg"];

/// A file that a run created, changed or deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// Its path, relative to the working folder where it lies below it.
    pub(crate) path: String,
    /// `created`, `changed` or `deleted`.
    pub(crate) change: String,
    /// Its size after the run; 0 for one that was deleted.
    #[serde(default)]
    pub(crate) bytes: u64,
    /// The hash of its content after the run; `None`: it was deleted, is large, holds secrets, or was not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sha256: Option<Sha256>,
}

impl FileChange {
    /// One whose content was not looked at.
    pub fn new(path: impl Into<String>, change: &str, bytes: u64) -> Self {
        Self { path: path.into(), change: change.into(), bytes, sha256: None }
    }

    /// Whether it is there, under the name of a picture of a kind that is drawn; nothing is known of its bytes.
    pub(crate) fn is_picture(&self) -> bool {
        let end = Path::new(&self.path).extension().and_then(|end| end.to_str());
        let is_known = |end: &str| DRAWN_EXTENSIONS.iter().any(|known| end.eq_ignore_ascii_case(known));
        self.change != "deleted" && end.is_some_and(is_known)
    }
}

/// A file that the recipe of the turn protects: its content right before a run and right after it. It is hashed by sayso
/// itself, whatever a receipt says of files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProtectedFile {
    /// Its path, relative to the working folder where it lies below it.
    pub(crate) path: String,
    /// The hash of its content before; `None`: it was not there, or could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<Sha256>,
    /// The hash of its content after; `None`: it is gone, or could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) after: Option<Sha256>,
}

/// What a run used.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Receipt {
    /// Wall-clock time in microseconds.
    pub wall_us: u64,
    /// Processor time, user and system, in microseconds.
    pub cpu_us: u64,
    /// Peak resident memory in bytes: of all processes of the run together as far as it was looked at, and at least of
    /// the largest one; for a kernel, of its process so far.
    pub peak_rss_bytes: u64,
    /// Processes seen, the program itself counted.
    pub processes: u32,
    /// What the block did to the kernel's variables; `None` where it was not in a kernel that tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variables: Option<VariableChanges>,
    /// Files that changed under the working folder, as far as they were looked for.
    pub files: Vec<FileChange>,
    /// What was not looked at for them.
    #[serde(skip_serializing_if = "Gaps::is_empty")]
    pub not_looked_at: Gaps,
    /// The files that the recipe of the turn protects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub protected: Vec<ProtectedFile>,
    /// The exit status, where the process (or a `SystemExit`) gave one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended the process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// What the sandbox refused, as far as the run's own errors tell: `write to ~/.ssh/config`.
    pub refused: Vec<String>,
    /// Threads that the run left in its kernel, beside the kernel's own, as its supervisor counted them. They stand still,
    /// and go on with the next block.
    #[serde(skip_serializing_if = "super::serial::is_zero")]
    pub threads: u32,
    /// Whether something of the run could not be brought to a stand, and may act until the next block.
    #[serde(skip_serializing_if = "super::serial::is_false")]
    pub moving: bool,
    /// How often the connection to its kernel was lost while it ran: what it printed meanwhile may be missing.
    #[serde(skip_serializing_if = "super::serial::is_zero")]
    pub connection_losses: u32,
    /// What is known for taking back what it changed; `None`: it could change nothing, or an older sayso ran it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<UndoNote>,
}

impl Receipt {
    /// Processor time in milliseconds.
    pub(crate) fn processor_ms(&self) -> i64 {
        i64::try_from(self.cpu_us / 1000).unwrap_or(i64::MAX)
    }
}

/// An image that a run made, kept as a blob beside the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageRef {
    /// The blob, in the folder beside the session file.
    pub path: PathBuf,
    /// A name to save it under, `figure-1.png`.
    pub name: String,
    /// `image/png`.
    pub mime: String,
    /// Pixels of a line; 0 where that is not known.
    pub width: u32,
    /// Lines of pixels; 0 where that is not known.
    pub height: u32,
    /// The size of the blob.
    pub bytes: u64,
}

impl RunReport {
    /// What it printed, both streams in their order, with its value or error behind.
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

    /// How it ended, without how long it took: `failed`, `exit 1`.
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

    /// The pictures among the files that it wrote of which there is no copy to look at.
    pub(crate) fn undrawn(&self) -> impl Iterator<Item = &FileChange> {
        let is_kept = |path: &str| self.all_images().any(|image| path == image.name);
        self.receipt.files.iter().filter(move |file| file.is_picture() && !is_kept(&file.path))
    }

    /// All that can be looked at: what it showed, then the pictures that it wrote.
    pub(crate) fn all_images(&self) -> impl Iterator<Item = &ImageRef> {
        self.images.iter().chain(&self.pictures)
    }
}

/// What became of the kernel in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelFate {
    /// The run was not in a kernel.
    None,
    /// The kernel goes on.
    Kept(KernelRef),
    /// The kernel is gone with this many variables; the next block starts a new one.
    Lost(KernelRef),
}

/// All that is known of a run when it has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunReport {
    /// How it ended.
    pub outcome: Outcome,
    /// What it used, and which files it changed.
    pub receipt: Receipt,
    /// What it printed, bounded, both streams in their order.
    pub output: OutputBuffer,
    /// The file with all output (up to `Limits::output_file`), where more was printed than is kept.
    pub blob: Option<PathBuf>,
    /// The value of the last expression (or of `result`), as text.
    pub value: Option<String>,
    /// The uncaught exception of a kernel run.
    pub error: Option<RunError>,
    /// Images that it showed, in the order in which they were made, and plots that its code drew into files. A model that
    /// sees may be sent them.
    pub images: Vec<ImageRef>,
    /// Copies of the other pictures among the files that it wrote into the working folder. They are shown to the person; no
    /// model is sent any of them.
    pub pictures: Vec<ImageRef>,
    /// What became of the kernel.
    pub kernel: KernelFate,
    /// The folder in which the next block of the same executor would start.
    pub cwd: Option<PathBuf>,
}

impl RunReport {
    /// A report that tells nothing but how it ended: of what did not run.
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
}

/// What an executor tells of a run while it lasts. `Ended` comes exactly once and last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEvent {
    /// The program has the code.
    Started,
    /// It printed something. Chunks are coalesced; the channel is bounded.
    Output(Chunk),
    /// Its own terminal looks like this now. One that came later says all; some are left out.
    Screen(Box<super::TerminalScreen>),
    /// Whether it is known to wait for what is typed into its terminal; told when it becomes otherwise.
    Asks(bool),
    /// What its time limit counts from now on, told by what holds it to that.
    Counts(CountedTime),
    /// It made an image.
    Image(ImageRef),
    /// Resident memory of its processes in bytes and processor time so far in milliseconds.
    Usage {
        /// Resident memory of all its processes.
        rss_bytes: u64,
        /// Processor time of all its processes since the start.
        cpu_ms: u64,
    },
    /// The kernel's variables after the run.
    Variables(Vec<Variable>),
    /// The functions of a file that was loaded.
    Functions(Vec<super::Function>),
    /// A part of a text of several blocks is over. What is behind it waits until it is told to go on, or that the run ends.
    PartEnded {
        /// Which part, from 1.
        part: u32,
        /// What the run has printed so far, without its errors.
        printed: Box<OutputBuffer>,
    },
    /// It is over. Nothing of it follows.
    Ended(Box<RunReport>),
}

/// The program of a language, found on the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interpreter {
    /// What it runs.
    pub language: Language,
    /// The real executable, links and version managers' shims resolved.
    pub path: PathBuf,
    /// Its version as it tells it, `3.12.4`, where it was asked.
    pub version: Option<String>,
}
