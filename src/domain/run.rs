//! A run: what carries it out, its events, and the report and receipt at its end.

use super::auto_run::{AutoRunName, OF_GIT, auto_run_name, run_by_tools};
use super::visible::visible_line;
use super::word::words;
use super::{Language, OutputBuffer, Sha256, Stream, UndoNote, UnscannedChanges, Variable, VariableChanges};
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
    /// A container, which holds a kernel or exists for this run alone.
    Container,
    /// A kernel behind a Jupyter server.
    Jupyter,
    /// sayso itself, which reads, writes or lists what the terms name and nothing else.
    Files,
    /// A package manager, started for this run alone.
    Installer,
    /// The container engine itself, which pulls an image and starts nothing of it.
    Engine,
}

words!(ExecutorKind);

impl ExecutorKind {
    /// Whether its kernel is sayso's own (`assets/kernel.py`), which reports the end of each part when several blocks
    /// are run again together.
    pub(crate) fn reports_part_ends(self) -> bool {
        matches!(self, Self::Kernel | Self::Container)
    }

    /// Whether it starts a program that a sandbox has to confine. sayso's own file acts and the pull of an image start
    /// none.
    pub(crate) fn starts_programs(self) -> bool {
        !matches!(self, ExecutorKind::Files | ExecutorKind::Engine)
    }

    /// Whether it runs the block's text as code.
    pub(crate) fn runs_code(self) -> bool {
        self.starts_programs() && self != ExecutorKind::Installer
    }
}

/// One kernel of a session: `k1` is the first, and each restart makes the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct KernelRef {
    /// Its generation; 1 is the first.
    pub generation: u32,
    /// How many variables the person's code has defined in it, by the last report.
    #[serde(default)]
    pub variables: u32,
    /// Whether code that blocks leave in it keeps running between runs, because sayso can't stop it.
    #[serde(default, rename = "goes_on", skip_serializing_if = "super::serial::is_false")]
    pub keeps_running: bool,
}

/// A kernel that ended while nothing ran in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadKernel {
    /// Its language.
    pub language: Language,
    /// What is known about the cause.
    pub cause: String,
}

impl DeadKernel {
    pub(crate) fn of_python(cause: impl Into<String>) -> Self {
        Self { language: Language::python(), cause: cause.into() }
    }
}

/// A piece of output as raw bytes, which may end inside a character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The stream on which it came.
    pub stream: Stream,
    /// The bytes of one read.
    pub bytes: Vec<u8>,
}

/// Which time counts towards the time limit of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CountedTime {
    /// Wall-clock time.
    #[default]
    Passing,
    /// Processor time of its processes, so that the time in which a person types does not count.
    Computing,
}

/// What to do with a run that goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunControl {
    /// Type this into its terminal. The bytes reach the program only: no session, no log, no engine.
    Type(Vec<u8>),
    /// Give its terminal so many rows and columns.
    Resize(u16, u16),
    /// Set what its time limit counts, and start the count anew. A run with a terminal answers with
    /// [`RunEvent::Counts`], another ignores it.
    Count(CountedTime),
    /// Answer that it waits for after this part of its source ([`RunEvent::PartEnded`]): it continues, or ends there
    /// for a reason, which is then added to its output.
    AfterPart(u32, Option<String>),
    /// Send SIGINT to its process group. A kernel keeps its state.
    Interrupt,
    /// Kill it. A kernel loses its state.
    Kill,
}

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

/// File extensions of pictures that can be drawn.
const DRAWN_EXTENSIONS: [&str; 4] = ["png", "jpg", "jpeg", "svg"];

/// A file that a run created, changed or deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// Its path; relative if it is in the working folder.
    pub(crate) path: String,
    /// `created`, `changed` or `deleted`.
    pub(crate) change: String,
    /// Its size after the run; 0 for one that was deleted.
    #[serde(default)]
    pub(crate) bytes: u64,
    /// The hash of its content after the run; `None` if it was deleted, is large, holds secrets, or was not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sha256: Option<Sha256>,
    /// Whether git obeys it although its path does not say so: it lies in a folder of git's own with another name.
    #[serde(rename = "git", default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) of_git: bool,
    /// How many names the file has besides this one (hard links). Wherever they are, they show what this one shows.
    #[serde(default, skip_serializing_if = "super::serial::is_zero")]
    pub(crate) other_names: u32,
}

impl FileChange {
    /// A change without a hash of the content.
    pub fn new(path: impl Into<String>, change: &str, bytes: u64) -> Self {
        Self { path: path.into(), change: change.into(), bytes, sha256: None, of_git: false, other_names: 0 }
    }

    /// What the file is, if programs run or obey it by themselves once somebody opens the folder.
    pub(crate) fn obeyed(&self) -> Option<AutoRunName> {
        auto_run_name(Path::new(&self.path)).or(self.of_git.then_some(OF_GIT))
    }

    /// What the file is, if it is code of the project that tools run by themselves.
    pub(crate) fn run_by_tools(&self) -> Option<AutoRunName> {
        run_by_tools(Path::new(&self.path))
    }

    /// Whether the file exists under the name of a picture that can be drawn; its bytes are not checked.
    pub(crate) fn is_picture(&self) -> bool {
        let end = Path::new(&self.path).extension().and_then(|end| end.to_str());
        let is_known = |end: &str| DRAWN_EXTENSIONS.iter().any(|known| end.eq_ignore_ascii_case(known));
        self.change != "deleted" && end.is_some_and(is_known)
    }
}

/// A file that the turn's recipe protects, with its content right before and right after a run. sayso hashes it itself,
/// independently of the changes in a receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProtectedFile {
    /// Its path; relative if it is in the working folder.
    pub(crate) path: String,
    /// The hash of its content before; `None` if it did not exist or could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<Sha256>,
    /// The hash of its content after; `None` if it no longer exists or could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) after: Option<Sha256>,
}

/// What a run used and changed.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Receipt {
    /// Wall-clock time in microseconds.
    pub wall_us: u64,
    /// Processor time, user and system, in microseconds.
    pub cpu_us: u64,
    /// Peak resident memory in bytes: the measured peak of all its processes together, and at least that of the largest
    /// one. For a kernel: of the kernel's process since its start.
    pub peak_rss_bytes: u64,
    /// How many processes were observed, including the program itself.
    pub processes: u32,
    /// What the block did to the kernel's variables; `None` if its kernel does not report that, or there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variables: Option<VariableChanges>,
    /// Files that changed below the working folder, as far as they were checked.
    pub files: Vec<FileChange>,
    /// What was not checked for changes.
    #[serde(skip_serializing_if = "UnscannedChanges::is_empty")]
    pub not_looked_at: UnscannedChanges,
    /// The files that the turn's recipe protects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub protected: Vec<ProtectedFile>,
    /// The exit status, if the process (or a `SystemExit`) gave one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended the process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// What the sandbox refused, as far as the run's own error messages show: `write to ~/.ssh/config`.
    pub refused: Vec<String>,
    /// Threads that the run left in its kernel besides the kernel's own, as counted by its supervisor. They are stopped
    /// until the next block runs.
    #[serde(skip_serializing_if = "super::serial::is_zero")]
    pub threads: u32,
    /// Whether something of the run could not be stopped, or may have been missed, and may still act.
    #[serde(rename = "moving", skip_serializing_if = "super::serial::is_false")]
    pub not_stopped: bool,
    /// How often the connection to its kernel was lost during the run: output from that time may be missing.
    #[serde(skip_serializing_if = "super::serial::is_zero")]
    pub connection_losses: u32,
    /// What is known for undoing its changes; `None` if it could change nothing, or an older sayso ran it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<UndoNote>,
}

impl Receipt {
    /// Processor time in milliseconds.
    pub(crate) fn processor_ms(&self) -> i64 {
        i64::try_from(self.cpu_us / 1000).unwrap_or(i64::MAX)
    }
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

impl RunReport {
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
}

/// An event that an executor reports during a run. `Ended` comes exactly once, as the last one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEvent {
    /// The program has received the code.
    Started,
    /// It printed something. Chunks are coalesced; the channel is bounded.
    Output(Chunk),
    /// The current content of its own terminal. Each event is complete, so that intermediate ones can be skipped.
    Screen(Box<super::TerminalScreen>),
    /// Whether it is known to wait for input into its terminal; sent when this changes.
    Asks(bool),
    /// What its time limit counts from now on, reported by whatever enforces the limit.
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
    /// The functions in a loaded file.
    Functions(Vec<super::Function>),
    /// One part of a text of several blocks is complete. The next part waits until it is released, or the run ends.
    PartEnded {
        /// The number of the part, from 1.
        part: u32,
        /// What the run has printed so far, without its errors.
        printed: Box<OutputBuffer>,
    },
    /// The run is over; no event of it follows.
    Ended(Box<RunReport>),
}

/// The program that runs a language, found on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interpreter {
    /// The language.
    pub language: Language,
    /// The real executable, links and version managers' shims resolved.
    pub path: PathBuf,
    /// The version that it reports (`3.12.4`), if it was asked.
    pub version: Option<String>,
}
