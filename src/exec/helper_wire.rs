//! Encodes and decodes the messages between the executor and its helper, over their one socket. Pure.
//!
//! Both ends are the same program: each message is one value, encoded with postcard, in a frame of its own. A message
//! with bytes left over is refused.

use super::environment::Environment;
use super::frames::{FrameError, WireFrame, encode};
use super::sandbox::Confinement;
use crate::domain::{CountedTime, Limits};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::PathBuf;

pub(super) const MAX_MESSAGE_BYTES: usize = 16 << 20;

/// The number that the first passed descriptor has in the program; the others follow. High enough to avoid the numbers
/// that programs and shells commonly use.
pub(super) const FIRST_INHERITED_FD: i32 = 90;

/// A program to start. Its standard output and error, and the descriptors passed to it, are sent beside the message.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct ProgramSpec {
    #[serde(with = "path")]
    pub(crate) executable: PathBuf,
    /// Its arguments, without `argv[0]`.
    pub(crate) args: Vec<OsString>,
    pub(crate) env: Environment,
    #[serde(with = "path")]
    pub(crate) cwd: PathBuf,
    /// Whether its standard output is a terminal, which also becomes its standard input and its controlling terminal.
    pub(crate) terminal: bool,
    /// The restrictions that it enters before it starts.
    pub(crate) confinement: Confinement,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum HelperOrder {
    /// Start this program. Sent once.
    Spawn(ProgramSpec),
    /// A run begins: measure it, and end it at its limits, but for those on its output.
    Begin(Limits),
    /// The run has ended but the program stays: stop it, end the other processes that the run left, and report what it
    /// used.
    End,
    /// No run uses the program: stop it until one does.
    Pause,
    /// No run uses the program, but let it continue for a moment.
    GoOn,
    /// Stop the program and all its descendants, and report when they stand still.
    PauseAll,
    /// Let the program and all its descendants continue.
    GoOnAll,
    /// Set what the time limit of the run counts, and start the count anew. Only for a program with a terminal of its
    /// own.
    SetCountedTime(CountedTime),
    /// Send SIGINT to the program's process group. Ignored while it is stopped.
    Interrupt,
    /// Kill the program and all its descendants.
    Kill,
}

/// What a run used, as the helper saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct ResourceUse {
    /// Processor time in microseconds.
    pub(crate) cpu_us: u64,
    /// Peak resident memory in bytes: the largest sum over all processes that was seen, but at least that of the
    /// largest process.
    pub(crate) peak_rss_bytes: u64,
    pub(crate) processes: u32,
}

/// The state of the program after a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct PauseState {
    /// Whether every thread of it was seen stopped, and nothing else of the run is left.
    pub(crate) still: bool,
    pub(crate) threads: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum HelperMessage {
    /// The program is being started: a helper that ends from here on may have started it.
    Spawning,
    /// The program was started.
    Spawned { pid: i32 },
    /// The program could not be started; the reason.
    NotSpawned(String),
    /// The run begins; its limits are in force.
    Begun,
    /// A limit of the run could not be set, so the run does not begin; which limit and why.
    NotBegun(String),
    /// What the run uses at this moment.
    Usage {
        /// Resident memory of all its processes, bytes.
        rss_bytes: u64,
        /// Processor time so far, microseconds.
        cpu_us: u64,
    },
    /// Whether a process is known to wait for input from its terminal. Sent when that changes.
    Asks(bool),
    /// The time limit now counts this, and started anew.
    Counts(CountedTime),
    /// The run exceeded its time limit; the program is being killed.
    OutOfTime,
    /// The run exceeded another limit, which the text names; the program is being killed.
    OverLimit(String),
    /// The run has ended and its processes are cleaned up; the state of the program.
    Finished(ResourceUse, PauseState),
    /// The program and all its descendants are stopped.
    Paused(PauseState),
    /// The program was woken although no run uses it; it is being killed.
    Woken,
    /// The program ended, and nothing of it is left.
    Exited {
        /// Its exit status, if it exited by itself.
        code: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
        /// What the run used, if one was going on.
        used: ResourceUse,
    },
}

impl HelperMessage {
    /// Whether no more messages follow.
    pub(super) fn is_end(&self) -> bool {
        matches!(self, HelperMessage::Exited { .. } | HelperMessage::NotSpawned(_))
    }

    /// Whether a program ended because it was killed. A program that started it may report that as an exit status.
    pub(super) fn is_end_by_kill(&self) -> bool {
        const SIGKILL: i32 = rustix::process::Signal::KILL.as_raw();
        const STATUS: i32 = 128 + SIGKILL;
        matches!(
            self,
            HelperMessage::Exited { signal: Some(SIGKILL), .. }
                | HelperMessage::Exited { code: Some(STATUS), .. }
        )
    }
}

/// What the process that becomes the program receives before it does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ProcessSetup {
    /// The process id of the supervisor; the process dies with it.
    pub(crate) supervisor: i32,
    /// Whether its standard output becomes its controlling terminal.
    pub(crate) terminal: bool,
    pub(crate) confinement: Confinement,
}

pub(super) trait WireMessage: Serialize + DeserializeOwned {
    /// The kind of its frame, so that no message is decoded as another type.
    const LETTER: u8;

    fn encode(&self) -> Vec<u8> {
        // A value that can't be encoded (none of ours) becomes an empty message, which is refused.
        encode(Self::LETTER, [postcard::to_stdvec(self).unwrap_or_default().as_slice()])
    }

    /// Decodes a message.
    ///
    /// # Errors
    /// When it is not such a message, or bytes are left over.
    fn decode(frame: &WireFrame) -> Result<Self, FrameError> {
        let unknown = FrameError::Unknown(frame.kind);
        match postcard::take_from_bytes(frame.field(0)?).map_err(|_| unknown)? {
            (message, []) if frame.kind == Self::LETTER && frame.fields_from(0).len() == 1 => Ok(message),
            _ => Err(unknown),
        }
    }
}

impl WireMessage for HelperOrder {
    const LETTER: u8 = b'o';
}

impl WireMessage for HelperMessage {
    const LETTER: u8 = b't';
}

impl WireMessage for ProcessSetup {
    const LETTER: u8 = b'c';
}

/// A path that need not be UTF-8.
pub(super) mod path {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    pub(crate) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        path.as_os_str().serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
        OsString::deserialize(deserializer).map(PathBuf::from)
    }
}

/// Paths that need not be UTF-8.
pub(super) mod paths {
    use serde::{Deserialize, Deserializer, Serializer};
    use std::ffi::OsString;
    use std::path::PathBuf;

    pub(crate) fn serialize<S: Serializer>(paths: &[PathBuf], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(paths.iter().map(|path| path.as_os_str()))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<PathBuf>, D::Error> {
        Ok(Vec::<OsString>::deserialize(deserializer)?.into_iter().map(PathBuf::from).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::frames::FrameDecoder;
    use super::super::sandbox::confinement::{FileRules, SyscallRules, limits};
    use super::*;
    use proptest::prelude::*;
    use std::os::unix::ffi::OsStringExt as _;

    fn one(bytes: &[u8]) -> WireFrame {
        let mut decoder = FrameDecoder::new(MAX_MESSAGE_BYTES);
        decoder.push(bytes);
        decoder.next_frame().unwrap().unwrap()
    }

    fn confinement() -> Confinement {
        Confinement {
            file_rules: Some(FileRules {
                read: vec!["/usr".into(), "/a b\n".into(), OsString::from_vec(vec![b'/', 0xff]).into()],
                write: vec!["/tmp".into()],
                no_tcp: true,
            }),
            calls: Some(SyscallRules { inet: true, unix: false, netlink: true }),
            limits: limits(&Limits::default(), true, 2),
        }
    }

    #[test]
    fn ties_come_back_as_they_were() {
        for confinement in [confinement(), Confinement::default()] {
            let setup = ProcessSetup { supervisor: 4711, terminal: true, confinement };
            assert_eq!(ProcessSetup::decode(&one(&setup.encode())), Ok(setup));
        }
    }

    #[test]
    fn orders_come_back_as_they_were() {
        let program = ProgramSpec {
            executable: "/usr/bin/env".into(),
            args: vec!["-0".into(), OsString::from_vec(vec![0xff, b'x']), "".into()],
            env: vec![("A".into(), "1 = 2".into()), ("B".into(), "".into())],
            cwd: "/tmp".into(),
            terminal: true,
            confinement: confinement(),
        };
        for order in [
            HelperOrder::Spawn(program),
            HelperOrder::Begin(Limits::default()),
            HelperOrder::Begin(Limits { wall_ms: u64::MAX, ..Limits::default() }),
            HelperOrder::End,
            HelperOrder::SetCountedTime(CountedTime::Computing),
            HelperOrder::Interrupt,
            HelperOrder::Kill,
        ] {
            assert_eq!(HelperOrder::decode(&one(&order.encode())), Ok(order));
        }
    }

    #[test]
    fn reports_come_back_as_they_were() {
        let used = ResourceUse { cpu_us: 7, peak_rss_bytes: 1 << 40, processes: 3 };
        for told in [
            HelperMessage::Spawning,
            HelperMessage::Spawned { pid: 4711 },
            HelperMessage::NotSpawned("no such file".into()),
            HelperMessage::Usage { rss_bytes: 1, cpu_us: 2 },
            HelperMessage::Asks(true),
            HelperMessage::Counts(CountedTime::Passing),
            HelperMessage::Begun,
            HelperMessage::NotBegun("Max open files: EPERM".into()),
            HelperMessage::OutOfTime,
            HelperMessage::Woken,
            HelperMessage::OverLimit("memory: 2.0 of 2 GiB".into()),
            HelperMessage::Finished(used, PauseState { still: true, threads: 2 }),
            HelperMessage::Exited { code: Some(0), signal: None, used },
            HelperMessage::Exited { code: None, signal: Some(9), used },
        ] {
            assert_eq!(HelperMessage::decode(&one(&told.encode())), Ok(told));
        }
    }

    #[test]
    fn less_or_more_than_a_message_is_refused() {
        let setup = ProcessSetup { supervisor: 1, terminal: false, confinement: confinement() };
        let bytes = postcard::to_stdvec(&setup).unwrap();
        for end in 0..bytes.len() {
            let expected = Err(FrameError::Unknown(b'c'));
            assert_eq!(ProcessSetup::decode(&one(&encode(b'c', [&bytes[..end]]))), expected);
        }
        let more = [bytes.as_slice(), b"x"].concat();
        let expected = Err(FrameError::Unknown(b'c'));
        assert_eq!(ProcessSetup::decode(&one(&encode(b'c', [more.as_slice()]))), expected);
        assert_eq!(HelperMessage::decode(&one(&HelperOrder::Kill.encode())), Err(FrameError::Unknown(b'o')));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = HelperOrder::decode(&one(&encode(b'o', [bytes.as_slice()])));
            let _ = ProcessSetup::decode(&one(&encode(b'c', [bytes.as_slice()])));
            let _ = HelperMessage::decode(&one(&encode(b't', [bytes.as_slice()])));
        }
    }
}
