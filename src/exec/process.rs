//! A started program: its helper, its pipes, and the descriptors that it is given.

use super::blob::random;
use super::cgroup::Group;
use super::entry::CONSOLE;
use super::environment::MARK;
use super::error::ExecError;
use super::link::Link;
use super::own_names::OwnNames;
use super::pipes::Pipes;
use super::plan::{GivenFile, Invocation, set};
use super::sandbox::Enclosure;
use super::terminal::Emulator;
use crate::domain::Limits;
use std::ffi::OsStr;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// A program under its helper.
#[derive(Debug)]
pub(super) struct Process {
    /// The helper. First, so that it ends the program before the pipes close.
    pub(crate) link: Link,
    pub(crate) pipes: Pipes,
    /// The screen of its terminal, where it has one.
    pub(crate) screen: Option<Box<Emulator>>,
    /// What its errors would call its text.
    pub(crate) names: OwnNames,
    /// The control group of all its processes. Last: then nothing is in it any more.
    pub(crate) group: Option<Group>,
}

/// Starts what an invocation says; `provide` makes each descriptor that it is given.
///
/// # Errors
/// When the helper can't be started; a program that can't be started is told by the helper.
pub(super) fn start(
    cell: &Enclosure,
    limits: &Limits,
    mut invocation: Invocation,
    mut provide: impl FnMut(GivenFile) -> Result<OwnedFd, ExecError>,
) -> Result<Process, ExecError> {
    let mark = random::<8>()?.iter().fold(String::new(), |hex, b| hex + &format!("{b:02x}"));
    set(&mut invocation.program.env, MARK, &mark);
    let given = invocation.given.iter().map(|g| provide(*g)).collect::<Result<Vec<_>, _>>()?;
    let (pipes, writing) = if invocation.program.terminal { Pipes::terminal()? } else { Pipes::new()? };
    invocation.program.confinement = cell.confinement(limits);
    let terminal = writing.first().filter(|_| invocation.program.terminal);
    let terminal = terminal.and_then(|terminal| rustix::termios::ttyname(terminal, Vec::new()).ok());
    let console =
        terminal.and_then(|name| cell.entry.with_console(Path::new(OsStr::from_bytes(name.as_bytes()))));
    let inner = console.as_ref().unwrap_or(&cell.entry);
    if let Some(file_rules) =
        invocation.program.confinement.file_rules.as_mut().filter(|_| invocation.program.terminal)
    {
        // By this name each process finds the terminal that controls it, and no other.
        file_rules.write.push("/dev/tty".into());
        if console.is_some() {
            file_rules.write.push(CONSOLE.into());
        }
    }
    let screen = invocation.program.terminal.then(|| Box::new(Emulator::new()));
    let group = match &cell.scope {
        Some(scope) => Some(scope.group(limits).map_err(ExecError::Group)?),
        None => None,
    };
    let entry = group.as_ref().map(|group| group.entry(inner));
    let link = Link::open(entry.as_ref().unwrap_or(inner), format!("{MARK}={mark}").into_bytes())?;
    let fds: Vec<BorrowedFd<'_>> = writing.iter().chain(&given).map(|fd| fd.as_fd()).collect();
    link.spawn(&invocation.program, &fds)?;
    Ok(Process { link, pipes, screen, names: invocation.names, group })
}
