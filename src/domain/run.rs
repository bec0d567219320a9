//! A run: what it may do, what it prints, how it ends, what it used.

use super::{Captured, Language};
use std::path::PathBuf;

/// What carries out a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExecutorKind {
    /// A persistent interpreter with state.
    Kernel,
    /// A program started for this run alone.
    Subprocess,
    /// A container, which has a kernel or is there for this run alone.
    Container,
    /// A Jupyter kernel.
    Jupyter,
    /// sayso itself: it reads, writes or lists what the terms name, and nothing else.
    Files,
    /// A package manager, started for this run alone.
    Installer,
}

impl ExecutorKind {
    /// The word on screen and in files.
    pub fn as_str(self) -> &'static str {
        match self {
            ExecutorKind::Kernel => "kernel",
            ExecutorKind::Subprocess => "subprocess",
            ExecutorKind::Container => "container",
            ExecutorKind::Jupyter => "jupyter",
            ExecutorKind::Files => "files",
            ExecutorKind::Installer => "installer",
        }
    }
}

/// Which kernel: `k1` is the first of a session, each restart makes the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct KernelRef {
    /// Its generation; 1 is the first.
    pub generation: u32,
    /// How many variables the person's code has defined in it, as last told.
    pub variables: u32,
}

/// How strongly runs are confined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum SandboxLevel {
    /// Nothing is enforced: a block can do anything that the account can.
    #[default]
    Off,
}

/// One layer of the sandbox, as found by trying it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// Its name, `landlock`.
    pub name: String,
    /// Whether it holds for this run.
    pub active: bool,
    /// Whether a test from inside saw it hold.
    pub tested: bool,
    /// Why it does not hold.
    pub why: Option<String>,
}

/// What the sandbox enforces on a run, by the result of its tests.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct SandboxReport {
    /// The level.
    pub level: SandboxLevel,
    /// Its layers, outermost first.
    pub layers: Vec<Layer>,
}

/// What a run may read, write, reach and see.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Rights {
    /// Folders it may read; empty: everything that the account can read.
    pub read: Vec<PathBuf>,
    /// Folders it may write; empty: everything that the account can write.
    pub write: Vec<PathBuf>,
    /// Whether the network is open to it.
    pub network: bool,
    /// The names of the environment variables that it is given.
    pub environment: Vec<String>,
    /// What is enforced.
    pub sandbox: SandboxReport,
}

/// How much a run may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock time in milliseconds.
    pub wall_ms: u64,
    /// Bytes kept of each stream, in memory, in the session and in JSON.
    pub kept_bytes: u64,
    /// Bytes of output kept on disk; beyond it the middle is dropped and counted.
    pub output_file: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { wall_ms: 60_000, kept_bytes: 1 << 20, output_file: 1 << 30 }
    }
}

/// Which stream a chunk came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// A piece of output, as raw bytes: it may end inside a character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Its stream.
    pub stream: Stream,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    pub fn as_str(&self) -> &'static str {
        match self {
            Outcome::Ok => "ok",
            Outcome::Failed => "failed",
            Outcome::TimedOut => "timed_out",
            Outcome::Limit(_) => "limit",
            Outcome::Interrupted => "interrupted",
            Outcome::Crashed(_) => "crashed",
            Outcome::Refused(_) => "refused",
            Outcome::NotStarted(_) => "not_started",
        }
    }

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
    pub fn detail(&self) -> Option<&str> {
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunError {
    /// Its type, `ValueError`.
    pub kind: String,
    /// Its message.
    pub message: String,
    /// The traceback, cut to the frames of the person's code, lines of `block N`.
    pub traceback: String,
}

/// A file that a run created, changed or deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Its path, relative to the working folder where it lies below it.
    pub path: String,
    /// `created`, `changed` or `deleted`.
    pub change: String,
    /// Its size afterwards.
    pub bytes: u64,
}

/// What a run used.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Receipt {
    /// Wall-clock time in microseconds.
    pub wall_us: u64,
    /// Processor time, user and system, in microseconds.
    pub cpu_us: u64,
    /// Peak resident memory in bytes of the largest process of the run; for a kernel, of its process so far.
    pub peak_rss_bytes: u64,
    /// Processes seen, the program itself counted.
    pub processes: u32,
    /// Files that changed under the working folder, as far as they were looked for.
    pub files: Vec<FileChange>,
    /// The exit status, where the process (or a `SystemExit`) gave one.
    pub exit_code: Option<i32>,
    /// The signal that ended the process.
    pub signal: Option<i32>,
}

/// An image that a run made, kept as a blob beside the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageRef {
    /// The blob's file.
    pub path: PathBuf,
    /// A name to save it under, `figure-1.png`.
    pub name: String,
    /// `image/png`.
    pub mime: String,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Size in bytes.
    pub bytes: u64,
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

/// One variable of the kernel, as read without running the person's code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The name of its type.
    pub kind: String,
    /// Its size in the words of its type (`36 rows`), or empty.
    pub size: String,
    /// A short value, for built-in types only; empty where showing it would run foreign code.
    pub value: String,
}

/// All that is known of a run when it has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunReport {
    /// How it ended.
    pub outcome: Outcome,
    /// What it used.
    pub receipt: Receipt,
    /// What it printed, bounded, both streams in their order.
    pub output: Captured,
    /// The file with all output (up to `Limits::output_file`), where more was printed than is kept.
    pub blob: Option<PathBuf>,
    /// The value of the last expression (or of `result`), as text.
    pub value: Option<String>,
    /// The uncaught exception of a kernel run.
    pub error: Option<RunError>,
    /// Images, in the order in which they were made.
    pub images: Vec<ImageRef>,
    /// What became of the kernel.
    pub kernel: KernelFate,
    /// The folder in which the next block of the same executor would start.
    pub cwd: Option<PathBuf>,
}

/// What an executor tells of a run while it lasts. `Ended` comes exactly once and last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEvent {
    /// The program has the code.
    Started,
    /// It printed something. Chunks are coalesced; the channel is bounded.
    Output(Chunk),
    /// It made an image.
    Image(ImageRef),
    /// Resident memory of its processes in bytes and processor time so far in milliseconds.
    Usage {
        /// Resident memory, bytes.
        rss_bytes: u64,
        /// Processor time, milliseconds.
        cpu_ms: u64,
    },
    /// The kernel's variables after the run.
    Variables(Vec<Variable>),
    /// The functions of a file that was loaded.
    Functions(Vec<super::Function>),
    /// It is over.
    Ended(Box<RunReport>),
}

/// The program of a language, found on the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interpreter {
    /// The language.
    pub language: Language,
    /// The real executable, links and version managers' shims resolved.
    pub path: PathBuf,
    /// Its version as it tells it, `3.12.4`, where it was asked.
    pub version: Option<String>,
}
