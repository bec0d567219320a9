//! What the executor and its helper say to each other over the one socket. Pure.

use super::environment::Environment;
use super::frames::{Frame, FrameError, encode};
use super::sandbox::Confinement;
use crate::domain::Limits;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

/// The largest message on this socket.
pub const LIMIT: usize = 16 << 20;

/// The number that the first given descriptor has in the program; the next ones follow. High enough to stay clear of
/// what programs and shells use by habit.
pub const FIRST_GIVEN: i32 = 90;

/// A program to start. Its standard output and error, and the descriptors it is given, travel beside the message.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Program {
    /// The executable.
    pub executable: PathBuf,
    /// Its arguments, without its own name.
    pub args: Vec<OsString>,
    /// Its whole environment.
    pub env: Environment,
    /// The folder in which it starts.
    pub cwd: PathBuf,
    /// What it takes upon itself before it starts.
    pub confinement: Confinement,
}

/// An order to the helper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Start this program. Comes once.
    Spawn(Program),
    /// A run begins: measure it, and end it where it is over its limits.
    Begin(Bounds),
    /// The run is over, the program stays: end what the run left behind and tell what it used.
    End,
    /// SIGINT to the program's group.
    Interrupt,
    /// End the program and all that descends from it.
    Kill,
}

/// The limits that a helper watches; 0 is none, but for the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Bounds {
    /// Wall-clock time in milliseconds.
    pub wall_ms: u64,
    /// Memory of all processes together, bytes.
    pub memory_bytes: u64,
    /// Processes and threads at the same time.
    pub processes: u32,
    /// Bytes of each file that is written.
    pub file_bytes: u64,
    /// Files that each process has open.
    pub open_files: u32,
}

impl From<&Limits> for Bounds {
    fn from(limits: &Limits) -> Self {
        let Limits { wall_ms, memory_bytes, processes, file_bytes, open_files, .. } = *limits;
        Self { wall_ms, memory_bytes, processes, file_bytes, open_files }
    }
}

/// What a run used, as the helper saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Used {
    /// Processor time in microseconds.
    pub cpu_us: u64,
    /// Peak resident memory, bytes: of all processes together as it was seen, at least of the largest one.
    pub peak_rss_bytes: u64,
    /// Processes seen.
    pub processes: u32,
}

/// What the helper tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// The program runs under this process id.
    Spawned {
        /// Its process id.
        pid: i32,
    },
    /// The program could not be started, and why.
    NotSpawned(String),
    /// The run begins: its limits are in force.
    Begun,
    /// A limit of the run could not be set, and which and why: it does not begin.
    NotBegun(String),
    /// What the run uses at the moment.
    Usage {
        /// Resident memory of all its processes, bytes.
        rss_bytes: u64,
        /// Processor time so far, microseconds.
        cpu_us: u64,
    },
    /// The time limit is reached; the program is being ended.
    OutOfTime,
    /// Another limit is reached, and which; the program is being ended.
    OverLimit(String),
    /// The run is over and cleaned up.
    Finished(Used),
    /// The program ended, and nothing of it is left.
    Exited {
        /// Its exit status, where it ended by itself.
        code: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
        /// What the run used, where one went on.
        used: Used,
    },
}

impl Order {
    /// The bytes of this order.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Order::Spawn(program) => {
                let counts = [program.args.len().to_string(), program.env.len().to_string()];
                let mut fields: Vec<&[u8]> = vec![
                    program.executable.as_os_str().as_bytes(),
                    program.cwd.as_os_str().as_bytes(),
                    counts[0].as_bytes(),
                    counts[1].as_bytes(),
                ];
                fields.extend(program.args.iter().map(|a| a.as_bytes()));
                fields.extend(program.env.iter().flat_map(|(k, v)| [k.as_bytes(), v.as_bytes()]));
                let confinement = program.confinement.fields();
                encode(b'S', fields.into_iter().chain(confinement.iter().map(Vec::as_slice)))
            }
            Order::Begin(bounds) => numbers(
                b'B',
                &[
                    bounds.wall_ms as i64,
                    bounds.memory_bytes as i64,
                    i64::from(bounds.processes),
                    bounds.file_bytes as i64,
                    i64::from(bounds.open_files),
                ],
            ),
            Order::End => encode(b'E', []),
            Order::Interrupt => encode(b'I', []),
            Order::Kill => encode(b'K', []),
        }
    }

    /// Reads an order.
    ///
    /// # Errors
    /// When it is none.
    pub fn decode(frame: &Frame) -> Result<Self, FrameError> {
        Ok(match frame.kind {
            b'S' => {
                let (args, env): (usize, usize) = (frame.number(2)?, frame.number(3)?);
                let rest = frame.fields.get(4..).unwrap_or_default();
                let named = args.checked_add(env.saturating_mul(2)).ok_or(FrameError::Torn)?;
                let confinement = rest.get(named..).ok_or(FrameError::Torn)?;
                let confinement = Confinement::from_fields(confinement.iter().map(Vec::as_slice))?;
                let mut rest =
                    rest.get(..named).unwrap_or_default().iter().map(|f| OsString::from_vec(f.clone()));
                let args = rest.by_ref().take(args).collect();
                let mut pairs = Vec::with_capacity(env);
                while let (Some(key), Some(value)) = (rest.next(), rest.next()) {
                    pairs.push((key, value));
                }
                Order::Spawn(Program {
                    executable: path(frame.field(0)?),
                    args,
                    env: pairs,
                    cwd: path(frame.field(1)?),
                    confinement,
                })
            }
            b'B' => {
                // A time beyond all times has come as a negative number.
                let large = |at| frame.number::<i64>(at).map(|number| number as u64);
                Order::Begin(Bounds {
                    wall_ms: large(0)?,
                    memory_bytes: large(1)?,
                    processes: frame.number(2)?,
                    file_bytes: large(3)?,
                    open_files: frame.number(4)?,
                })
            }
            b'E' => Order::End,
            b'I' => Order::Interrupt,
            b'K' => Order::Kill,
            kind => return Err(FrameError::Unknown(kind)),
        })
    }
}

impl Told {
    /// The bytes of this report.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Told::Spawned { pid } => numbers(b's', &[i64::from(*pid)]),
            Told::NotSpawned(why) => encode(b'n', [why.as_bytes()]),
            Told::Begun => encode(b'b', []),
            Told::NotBegun(why) => encode(b'N', [why.as_bytes()]),
            Told::Usage { rss_bytes, cpu_us } => numbers(b'u', &[*rss_bytes as i64, *cpu_us as i64]),
            Told::OutOfTime => encode(b't', []),
            Told::OverLimit(what) => encode(b'l', [what.as_bytes()]),
            Told::Finished(used) => numbers(b'f', &used_numbers(*used)),
            Told::Exited { code, signal, used } => {
                let [cpu, rss, processes] = used_numbers(*used);
                let (code, signal) = (code.map_or(-1, i64::from), signal.map_or(-1, i64::from));
                numbers(b'x', &[cpu, rss, processes, code, signal])
            }
        }
    }

    /// Reads a report.
    ///
    /// # Errors
    /// When it is none.
    pub fn decode(frame: &Frame) -> Result<Self, FrameError> {
        Ok(match frame.kind {
            b's' => Told::Spawned { pid: frame.number(0)? },
            b'n' => Told::NotSpawned(String::from_utf8_lossy(frame.field(0)?).into_owned()),
            b'b' => Told::Begun,
            b'N' => Told::NotBegun(String::from_utf8_lossy(frame.field(0)?).into_owned()),
            b'u' => Told::Usage { rss_bytes: frame.number(0)?, cpu_us: frame.number(1)? },
            b't' => Told::OutOfTime,
            b'l' => Told::OverLimit(String::from_utf8_lossy(frame.field(0)?).into_owned()),
            b'f' => Told::Finished(used(frame)?),
            b'x' => {
                let known = |n: i32| (n >= 0).then_some(n);
                Told::Exited {
                    code: known(frame.number(3)?),
                    signal: known(frame.number(4)?),
                    used: used(frame)?,
                }
            }
            kind => return Err(FrameError::Unknown(kind)),
        })
    }
}

fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes.to_vec()))
}

fn numbers(kind: u8, values: &[i64]) -> Vec<u8> {
    let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
    encode(kind, texts.iter().map(String::as_bytes))
}

fn used_numbers(used: Used) -> [i64; 3] {
    [used.cpu_us as i64, used.peak_rss_bytes as i64, i64::from(used.processes)]
}

fn used(frame: &Frame) -> Result<Used, FrameError> {
    Ok(Used { cpu_us: frame.number(0)?, peak_rss_bytes: frame.number(1)?, processes: frame.number(2)? })
}

#[cfg(test)]
mod tests {
    use super::super::frames::Decoder;
    use super::super::sandbox::confinement::Walls;
    use super::*;

    fn one(bytes: &[u8]) -> Frame {
        let mut decoder = Decoder::new(LIMIT);
        decoder.push(bytes);
        decoder.next_frame().unwrap().unwrap()
    }

    #[test]
    fn orders_come_back_as_they_were() {
        let program = Program {
            executable: "/usr/bin/env".into(),
            args: vec!["-0".into(), OsString::from_vec(vec![0xff, b'x']), "".into()],
            env: vec![("A".into(), "1 = 2".into()), ("B".into(), "".into())],
            cwd: "/tmp".into(),
            confinement: Confinement {
                walls: Some(Walls { read: vec!["/usr".into()], ..Walls::default() }),
                ..Confinement::default()
            },
        };
        for order in [
            Order::Spawn(program),
            Order::Begin(Bounds::from(&Limits::default())),
            Order::Begin(Bounds { wall_ms: u64::MAX, ..Bounds::default() }),
            Order::End,
            Order::Interrupt,
            Order::Kill,
        ] {
            assert_eq!(Order::decode(&one(&order.encode())), Ok(order));
        }
    }

    #[test]
    fn reports_come_back_as_they_were() {
        let used = Used { cpu_us: 7, peak_rss_bytes: 1 << 40, processes: 3 };
        for told in [
            Told::Spawned { pid: 4711 },
            Told::NotSpawned("no such file".into()),
            Told::Usage { rss_bytes: 1, cpu_us: 2 },
            Told::Begun,
            Told::NotBegun("Max open files: EPERM".into()),
            Told::OutOfTime,
            Told::OverLimit("memory: 2.0 of 2 GiB".into()),
            Told::Finished(used),
            Told::Exited { code: Some(0), signal: None, used },
            Told::Exited { code: None, signal: Some(9), used },
        ] {
            assert_eq!(Told::decode(&one(&told.encode())), Ok(told));
        }
    }

    #[test]
    fn counts_that_do_not_fit_are_refused() {
        let frame = one(&encode(b'S', [&b"/bin/true"[..], b"/", b"2", b"18446744073709551615", b"x"]));
        assert_eq!(Order::decode(&frame), Err(FrameError::Torn));
    }
}
