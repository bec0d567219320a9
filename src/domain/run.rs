//! A run: what it may do, what it prints, how it ends, what it used.

use super::{BlockId, Gaps, Language, OutputBuffer, Sha256, Stream, UndoNote};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What carries out a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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
    pub fn as_str(self) -> &'static str {
        match self {
            ExecutorKind::Kernel => "kernel",
            ExecutorKind::Subprocess => "subprocess",
            ExecutorKind::Container => "container",
            ExecutorKind::Jupyter => "jupyter",
            ExecutorKind::Files => "files",
            ExecutorKind::Installer => "installer",
            ExecutorKind::Engine => "engine",
        }
    }

    /// Whether a program is started that a sandbox would have to hold. sayso's own acts on files and the pull of an image
    /// start none.
    pub fn starts_programs(self) -> bool {
        !matches!(self, ExecutorKind::Files | ExecutorKind::Engine)
    }

    /// Whether it carries out a block's text as code.
    pub fn runs_code(self) -> bool {
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

/// The state that a block shares with earlier ones: an interpreter's or a shell's.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SharedState {
    /// The blocks that were in it, in their order.
    pub blocks: Vec<BlockId>,
    /// What they were found to have changed for all code after them, in words: `builtins replaced: open`. Found by looking
    /// at what the blocks may have tampered with: that nothing is told does not say that nothing changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
}

impl SharedState {
    /// A block has begun in it.
    pub fn ran(&mut self, block: BlockId) {
        if self.blocks.last() != Some(&block) {
            self.blocks.push(block);
        }
    }

    /// What is shared, where anything is.
    pub fn told(&self) -> Option<Self> {
        (!self.blocks.is_empty()).then(|| self.clone())
    }
}

/// How strongly runs are confined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxLevel {
    /// Nothing is enforced: a block can do anything that the account can.
    #[default]
    Off,
    /// The working folder can be read and not written.
    ReadOnly,
    /// The working folder can be read and written.
    Workspace,
}

impl SandboxLevel {
    /// The word on screen, in options and in files.
    pub fn as_str(self) -> &'static str {
        match self {
            SandboxLevel::Off => "off",
            SandboxLevel::ReadOnly => "read-only",
            SandboxLevel::Workspace => "workspace",
        }
    }
}

/// One layer of the sandbox, as found by trying it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layer {
    /// Its name, `landlock`.
    pub name: String,
    /// Whether it holds for this run.
    #[serde(default)]
    pub active: bool,
    /// Whether a test from inside saw it hold.
    #[serde(default)]
    pub tested: bool,
    /// Why it does not hold, or what it leaves open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// How a limit of a run is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Enforcement {
    /// Nobody looks: a run can go over it.
    #[default]
    None,
    /// Somebody looks often and ends what is over it: a run can be over it for a moment.
    Watched,
    /// The system refuses what would be over it.
    Enforced,
}

impl Enforcement {
    /// The word on screen and in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Enforcement::None => "none",
            Enforcement::Watched => "watched",
            Enforcement::Enforced => "enforced",
        }
    }
}

/// What the sandbox enforces on a run. Each fact is the result of a test from inside, not of an intention.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SandboxReport {
    /// The level that holds.
    pub level: SandboxLevel,
    /// Whether the network can't be reached.
    #[serde(default)]
    pub network_blocked: bool,
    /// Whether writing outside of the folders of [`Rights::write`] fails.
    #[serde(default)]
    pub writes_confined: bool,
    /// Whether the home folder and its secrets can't be read.
    #[serde(default)]
    pub reads_confined: bool,
    /// Whether its processes can't see, signal or outlive what is outside; else they are ended as a group.
    #[serde(default)]
    pub contained: bool,
    /// How the limit on the memory of all its processes together is held.
    #[serde(default, deserialize_with = "super::serial::word_or_default")]
    pub memory: Enforcement,
    /// How the limit on its processes is held.
    #[serde(default, deserialize_with = "super::serial::word_or_default")]
    pub processes: Enforcement,
    /// How the limits on the size of each file and on open files are held.
    #[serde(default, deserialize_with = "super::serial::word_or_default")]
    pub files: Enforcement,
    /// Its layers, outermost first.
    #[serde(default)]
    pub layers: Vec<Layer>,
    /// What the person should know of it: what it leaves open, and what to do.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl SandboxReport {
    /// The names of the layers that hold, `bwrap+landlock+seccomp`.
    pub fn holding(&self) -> String {
        let names: Vec<&str> = self.layers.iter().filter(|l| l.active).map(|l| l.name.as_str()).collect();
        names.join("+")
    }
}

/// What a run may read, write, reach and see.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Rights {
    /// Folders it may read beside the system's own and those that it may write. At level off nothing is listed: it may
    /// read all that the account can.
    #[serde(default, with = "super::serial::paths")]
    pub read: Vec<PathBuf>,
    /// Folders it may write; none: nothing but what is private to the session. At level off nothing is listed: it may
    /// write all that the account can.
    #[serde(default, with = "super::serial::paths")]
    pub write: Vec<PathBuf>,
    /// Whether the network is open to it.
    #[serde(default)]
    pub network: bool,
    /// The names of the environment variables that it is given.
    #[serde(default)]
    pub environment: Vec<String>,
    /// The Python that it finds as `python3`, where that is not the one of the `PATH`: the project's. Of an
    /// installation by uv: the one that uv asks what it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub python: Option<ProjectPython>,
    /// Whether it has a terminal of its own, into which the person types; both of its streams are that terminal.
    #[serde(rename = "pty", default, skip_serializing_if = "std::ops::Not::not")]
    pub terminal: bool,
    /// What confines it, layer by layer.
    pub sandbox: SandboxReport,
}

/// A Python that stands under its usual names in a run, or that an installer asks what it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectPython {
    /// The interpreter in the project's environment.
    #[serde(with = "super::serial::path")]
    pub path: PathBuf,
    /// Its version by where it lies, `3.12.4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// How much a run may use. Of memory, processes, file size and open files, 0 means: not limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Wall-clock time in milliseconds.
    pub wall_ms: u64,
    /// Bytes kept of each stream, in memory, in the session and in JSON.
    pub kept_bytes: u64,
    /// Bytes of output kept on disk; beyond it the middle is dropped and counted.
    pub output_file: u64,
    /// Bytes of memory of all its processes together.
    #[serde(default)]
    pub memory_bytes: u64,
    /// Processes and threads at the same time.
    #[serde(default)]
    pub processes: u32,
    /// Bytes of each file that it writes.
    #[serde(default)]
    pub file_bytes: u64,
    /// Files that each of its processes has open.
    #[serde(default)]
    pub open_files: u32,
}

impl Limits {
    /// Of each limit the stricter one.
    #[must_use]
    pub fn at_most(&self, other: &Self) -> Self {
        Self {
            wall_ms: self.wall_ms.min(other.wall_ms),
            kept_bytes: self.kept_bytes.min(other.kept_bytes),
            output_file: self.output_file.min(other.output_file),
            memory_bytes: self.memory_bytes.min(other.memory_bytes),
            processes: self.processes.min(other.processes),
            file_bytes: self.file_bytes.min(other.file_bytes),
            open_files: self.open_files.min(other.open_files),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall_ms: 60_000,
            kept_bytes: 1 << 20,
            output_file: 1 << 30,
            memory_bytes: 2 << 30,
            processes: 256,
            file_bytes: 1 << 30,
            open_files: 1024,
        }
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

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", content = "detail", rename_all = "snake_case")]
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

/// A file that a run created, changed or deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// Its path, relative to the working folder where it lies below it.
    pub path: String,
    /// `created`, `changed` or `deleted`.
    pub change: String,
    /// Its size after the run; 0 for one that was deleted.
    #[serde(default)]
    pub bytes: u64,
}

/// A file that the recipe of the turn protects: its content right before a run and right after it. It is hashed by sayso
/// itself, whatever a receipt says of files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProtectedFile {
    /// Its path, relative to the working folder where it lies below it.
    pub path: String,
    /// The hash of its content before; `None`: it was not there, or could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Sha256>,
    /// The hash of its content after; `None`: it is gone, or could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Sha256>,
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
    /// What is known for taking back what it changed; `None`: it could change nothing, or an older sayso ran it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<UndoNote>,
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
    /// All that can be looked at: what it showed, then the pictures that it wrote.
    pub fn all_images(&self) -> impl Iterator<Item = &ImageRef> {
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

/// One variable of the kernel, as read without running the person's code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name that it has in the person's code.
    pub name: String,
    /// The name of its type.
    pub kind: String,
    /// Its size in the words of its type (`36 rows`), or empty.
    pub size: String,
    /// A short value, for built-in types only; empty where showing it would run foreign code.
    pub value: String,
    /// What the last block did to it.
    pub change: Option<Change>,
}

/// What a block did to a variable, as far as it shows: another object, another size, another short value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It was not there before the block.
    Added,
    /// It is another than before.
    Changed,
    /// It was there before the block, and is no longer.
    Deleted,
}

impl Change {
    /// The mark on screen.
    pub fn mark(self) -> char {
        match self {
            Change::Added => '+',
            Change::Changed => '~',
            Change::Deleted => '-',
        }
    }
}

/// How many variables of the kernel a block added, changed and deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct VariableChanges {
    /// Those that were not there before.
    pub added: u32,
    /// Those that are others than before.
    pub changed: u32,
    /// Those that are no longer there.
    pub deleted: u32,
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
    /// Images, in the order in which they were made.
    pub images: Vec<ImageRef>,
    /// Copies of the pictures among the files that it wrote into the working folder. They are shown to the person; no
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
