//! A run: what carries it out, what it can be told to do, and the events that it reports.

pub(super) mod receipt;
pub(super) mod report;

use super::word::words;
use super::{Language, OutputBuffer, Stream, Variable};
use report::{ImageRef, RunReport};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

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
    #[serde(default, rename = "goes_on", skip_serializing_if = "std::ops::Not::not")]
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
    /// How many bytes of the stream before these were left out, because nobody took them in time.
    pub skipped: u64,
}

impl Chunk {
    /// A piece before which nothing is missing.
    pub fn new(stream: Stream, bytes: impl Into<Vec<u8>>) -> Self {
        Self { stream, bytes: bytes.into(), skipped: 0 }
    }
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
