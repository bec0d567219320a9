//! The program behind `sayso __run`, which runs between sayso and the approved code.
//!
//! `sayso __run` supervises one program (see `supervisor`). It starts that program as `sayso __run exec`, which makes
//! sure to die with the supervisor and then becomes the program. Neither reads a configuration, a terminal or the
//! environment; they get everything over one socket.

use super::frames::{FrameDecoder, FrameError};
use super::helper_part::{DECODE, EXEC, JOIN, TEST};
use super::helper_wire::{MAX_MESSAGE_BYTES, ProcessSetup, WireMessage as _};
use super::pictures;
use super::sandbox::{self, LayerError, selftest};
use super::{supervisor, tree};
use crate::text::system_error::words;
use rustix::fs::{Mode, OFlags};
use rustix::process::{DumpableBehavior, Pid, Resource, Rlimit, Signal};
use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

/// Runs the helper. The arguments of the process choose its part.
pub fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(2);
    let status = |is_well| if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    match args.next() {
        None => match prepare() {
            Ok(socket) => supervisor::supervise(socket),
            Err(why) => fail_with(&why.to_string()),
        },
        Some(word) if word == JOIN => join(args),
        Some(word) if word == EXEC => become_program(args),
        Some(word) if word == TEST => status(selftest::main(args)),
        Some(word) if word == DECODE => status(pictures::main(args)),
        Some(_) => fail_with("it takes no arguments"),
    }
}

/// Enters a control group and becomes the program, for the arguments `FILE PROGRAM ARGS…`. Without a program it only
/// tries whether the group can be entered.
fn join(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let door = args.next().unwrap_or_default();
    let entered =
        std::fs::OpenOptions::new().write(true).open(&door).and_then(|mut file| file.write_all(b"0"));
    if let Err(error) = entered {
        return fail_with(&format!("the group {} could not be entered: {}", door.display(), words(&error)));
    }
    match args.next() {
        Some(program) => fail_with(&words(&Command::new(program).args(args).exec())),
        None => ExitCode::SUCCESS,
    }
}

/// Restores the program's default reaction to interrupts, in case whoever started sayso ignores them (a shell does for
/// background jobs, and `nohup` does): an ignored signal is inherited, a caught one is not.
fn hear_signals() {
    for signal in [Signal::INT, Signal::QUIT, Signal::HUP] {
        let _ = signal_hook::flag::register(signal.as_raw(), std::sync::Arc::default());
    }
}

/// Detaches from the terminal, descriptors and session of whoever started it. Returns the socket.
fn prepare() -> rustix::io::Result<OwnedFd> {
    close_inherited();
    hear_signals();
    let socket = move_stdin_away(rustix::stdio::stdin())?;
    rustix::net::sockopt::socket_type(&socket)?;
    // Fails if it already leads a session of its own.
    let _ = rustix::process::setsid();
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    disable_core_dumps();
    // The code under it has the same user; it must not be able to trace this process.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    Ok(socket)
}

/// Becomes the program, for the arguments `PROGRAM ARGS…`. Standard input is a socket to the supervisor: the supervisor
/// sends the setup of the process on it, and an error is written back to it. The socket closes when the program starts.
fn become_program(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let Ok(status) = move_stdin_away(rustix::stdio::stdin()) else { return ExitCode::FAILURE };
    let mut status = UnixStream::from(status);
    let why = match args.next() {
        Some(program) => match confine(&mut status) {
            Ok(()) => words(&Command::new(program).args(args).exec()),
            Err(why) => why.to_string(),
        },
        None => "the helper was called without a program".into(),
    };
    let _ = status.write_all(why.as_bytes());
    ExitCode::FAILURE
}

/// Why a process does not become the program of a run.
#[derive(Debug, thiserror::Error)]
enum ConfineError {
    #[error("the helper ended while it started the program")]
    Alone,
    /// What the supervisor sent can't be decoded.
    #[error(transparent)]
    Wire(#[from] FrameError),
    #[error("{}", words(.0))]
    System(#[from] std::io::Error),
    #[error(transparent)]
    Layer(#[from] LayerError),
}

/// Receives the setup from the supervisor, ties this process to the supervisor, and confines it.
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
    // Many systems share processors between sessions: in one of its own, a crowd of processes can't starve the
    // supervisor.
    rustix::process::setsid().map_err(std::io::Error::from)?;
    if terminal {
        take_terminal().map_err(std::io::Error::from)?;
    }
    disable_core_dumps();
    Ok(sandbox::enter(&confinement)?)
}

/// Makes the terminal on standard output the controlling terminal of this session and its standard input. It was opened
/// before the process is confined; nothing here opens another.
fn take_terminal() -> rustix::io::Result<()> {
    let terminal = rustix::stdio::stdout();
    rustix::process::ioctl_tiocsctty(terminal)?;
    rustix::stdio::dup2_stdin(terminal)
}

/// Makes the system kill this process when the supervisor ends, however that happens.
fn tie_to(supervisor: i32) -> Result<(), ConfineError> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).map_err(std::io::Error::from)?;
    if rustix::process::getppid() == Pid::from_raw(supervisor) { Ok(()) } else { Err(ConfineError::Alone) }
}

/// Moves standard input to a descriptor that no program inherits, and puts `/dev/null` in its place.
fn move_stdin_away(stdin: impl AsFd) -> rustix::io::Result<OwnedFd> {
    let moved = rustix::io::fcntl_dupfd_cloexec(stdin, 3)?;
    let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdin(&null)?;
    Ok(moved)
}

/// Closes descriptors that were inherited from whoever started sayso. Must come first, before this process opens its
/// own.
fn close_inherited() {
    let open: Vec<i32> = tree::numbers("/proc/self/fd").filter(|fd| *fd > 2).collect();
    for fd in open {
        // One of them was that of the folder itself, which is closed already.
        let _ = nix::unistd::close(fd);
    }
}

/// Disables core dumps, which may hold secrets and are large.
pub fn disable_core_dumps() {
    let _ = rustix::process::setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
}

fn fail_with(why: &str) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "error: `__run` is for sayso itself ({why})");
    ExitCode::from(2)
}
