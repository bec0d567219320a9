//! The program behind `sayso __run`: what stands between sayso and the code that was approved.
//!
//! `sayso __run` is the supervisor of one program (see `supervisor`). It starts the program as `sayso __run exec`, which
//! ties itself to the supervisor's life and then becomes the program. Neither reads a configuration, a terminal or the
//! environment; all they know comes over the one socket.

use super::frames::{FrameDecoder, FrameError};
use super::helper_part::{DECODE, EXEC, JOIN, TEST};
use super::helper_wire::{MAX_MESSAGE_BYTES, ProcessSetup, WireMessage as _};
use super::pictures;
use super::sandbox::{self, LayerError, selftest};
use super::supervisor;
use rustix::fs::{Mode, OFlags};
use rustix::process::{DumpableBehavior, Pid, Resource, Rlimit, Signal};
use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

/// Runs the helper; which of its two parts is meant is read from the program's own arguments.
pub fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(2);
    match args.next() {
        None => match prepare() {
            Ok(socket) => supervisor::supervise(socket),
            Err(why) => fail_with(&why.to_string()),
        },
        Some(word) if word == JOIN => join(args),
        Some(word) if word == EXEC => become_program(args),
        Some(word) if word == TEST => {
            if selftest::main(args) {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Some(word) if word == DECODE => {
            if pictures::main(args) {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Some(_) => fail_with("it takes no arguments"),
    }
}

/// Enters a control group, `FILE PROGRAM ARGS…`, and becomes the program; without one it was an attempt.
fn join(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let door = args.next().unwrap_or_default();
    let entered =
        std::fs::OpenOptions::new().write(true).open(&door).and_then(|mut file| file.write_all(b"0"));
    if let Err(error) = entered {
        return fail_with(&format!("the group {} could not be entered: {error}", door.display()));
    }
    match args.next() {
        Some(program) => fail_with(&Command::new(program).args(args).exec().to_string()),
        None => ExitCode::SUCCESS,
    }
}

/// Gives the program its usual answer to interrupts, also where whoever started sayso ignores them (a shell does for what
/// it starts in the background, `nohup` does): what is ignored is inherited, what is caught is not.
fn hear_signals() {
    for signal in [Signal::INT, Signal::QUIT, Signal::HUP] {
        let _ = signal_hook::flag::register(signal.as_raw(), std::sync::Arc::default());
    }
}

/// Leaves the terminal, the descriptors and the standing of whoever started it; returns the socket.
fn prepare() -> rustix::io::Result<OwnedFd> {
    close_inherited();
    hear_signals();
    let socket = move_stdin_away(rustix::stdio::stdin())?;
    rustix::net::sockopt::socket_type(&socket)?;
    // A leader of a session already is one of its own.
    let _ = rustix::process::setsid();
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    no_core();
    // What runs under it has the same user: it must not look into this process or steer it.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    Ok(socket)
}

/// Becomes the program: `PROGRAM ARGS…`. Standard input's descriptor is a socket to the supervisor, which says on it what
/// the program takes upon itself; what goes wrong is written there. It closes by itself when the program has started.
fn become_program(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let Ok(status) = move_stdin_away(rustix::stdio::stdin()) else { return ExitCode::FAILURE };
    let mut status = UnixStream::from(status);
    let why = match args.next() {
        Some(program) => match confine(&mut status) {
            Ok(()) => Command::new(program).args(args).exec().to_string(),
            Err(why) => why.to_string(),
        },
        None => "the helper was called without a program".into(),
    };
    let _ = status.write_all(why.as_bytes());
    ExitCode::FAILURE
}

/// Why a process does not become the program of a run: it is not confined as it should be.
#[derive(Debug, thiserror::Error)]
enum ConfineError {
    #[error("the helper ended while it started the program")]
    Alone,
    /// What the supervisor sent can't be read.
    #[error(transparent)]
    Wire(#[from] FrameError),
    #[error(transparent)]
    System(#[from] std::io::Error),
    #[error(transparent)]
    Layer(#[from] LayerError),
}

/// Ties itself to the supervisor and enters what it says.
fn confine(socket: &mut UnixStream) -> Result<(), ConfineError> {
    let mut decoder = FrameDecoder::new(MAX_MESSAGE_BYTES);
    let mut buffer = [0u8; 8 << 10];
    let frame = loop {
        if let Some(frame) = decoder.next_frame()? {
            break frame;
        }
        match socket.read(&mut buffer)? {
            0 => return Err(ConfineError::Alone),
            count => decoder.push(buffer.get(..count).unwrap_or_default()),
        }
    };
    let ProcessSetup { supervisor, terminal, confinement } = ProcessSetup::decode(&frame)?;
    tie_to(supervisor)?;
    // A session is also what many systems share processors by: a crowd of processes can't starve its supervisor.
    rustix::process::setsid().map_err(std::io::Error::from)?;
    if terminal {
        take_terminal().map_err(std::io::Error::from)?;
    }
    no_core();
    Ok(sandbox::enter(&confinement)?)
}

/// Makes the terminal that standard output is the one of this session, and its input ours. It was opened before the walls
/// were put up; nothing here opens another.
fn take_terminal() -> rustix::io::Result<()> {
    let terminal = rustix::stdio::stdout();
    rustix::process::ioctl_tiocsctty(terminal)?;
    rustix::stdio::dup2_stdin(terminal)
}

/// Makes the kernel end this process when the supervisor ends, however that happens.
fn tie_to(supervisor: i32) -> Result<(), ConfineError> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).map_err(std::io::Error::from)?;
    if rustix::process::getppid() == Pid::from_raw(supervisor) { Ok(()) } else { Err(ConfineError::Alone) }
}

/// Moves what is standard input to a descriptor that no program inherits; `/dev/null` takes its place.
fn move_stdin_away(stdin: impl AsFd) -> rustix::io::Result<OwnedFd> {
    let moved = rustix::io::fcntl_dupfd_cloexec(stdin, 3)?;
    let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdin(&null)?;
    Ok(moved)
}

/// Closes what was left open by whoever started sayso. Comes first: nothing of our own is open yet.
fn close_inherited() {
    let open: Vec<i32> = std::fs::read_dir("/proc/self/fd")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|fd| *fd > 2)
        .collect();
    for fd in open {
        // One of them was the list itself and is gone already.
        let _ = nix::unistd::close(fd);
    }
}

/// Memory of a crashed program may hold secrets and is large: it is not written to disk.
fn no_core() {
    let _ = rustix::process::setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
}

fn fail_with(why: &str) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "error: `__run` is for sayso itself ({why})");
    ExitCode::from(2)
}
