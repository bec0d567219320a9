//! Starts programs: each with its helper, its pipes, and the descriptors that it gets.

use super::blob::random;
use super::cgroup::Group;
use super::entry::CONSOLE;
use super::environment::MARK;
use super::error::ExecError;
use super::link::Link;
use super::own_names::OwnNames;
use super::pipes::Pipes;
use super::plan::{InheritedFd, Invocation, set};
use super::sandbox::{Enclosure, Scratch};
use super::terminal::Emulator;
use crate::domain::{Limits, Reach};
use crate::text::number::hex;
use std::ffi::OsStr;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// A program under its helper.
#[derive(Debug)]
pub(super) struct Process {
    /// The helper. Dropped first, so that the program ends before the pipes close.
    pub(crate) link: Link,
    pub(crate) pipes: Pipes,
    /// The screen of its terminal, if it has one.
    pub(crate) screen: Option<Box<Emulator>>,
    /// The names under which its errors would show the source.
    pub(crate) names: OwnNames,
    /// The control group of all its processes. Dropped after them, when it is empty.
    pub(crate) group: Option<Group>,
    /// What it can reach; fixed at its start.
    pub(crate) reach: Reach,
    /// Private folders that it alone has. Dropping them removes them.
    pub(crate) private: Option<Scratch>,
}

/// Starts an invocation. `provide` makes each descriptor that the program gets.
///
/// # Errors
/// When the helper can't be started. If the program can't be started, the helper reports that.
pub(super) fn start(
    enclosure: &Enclosure,
    limits: &Limits,
    mut invocation: Invocation,
    mut provide: impl FnMut(InheritedFd) -> Result<OwnedFd, ExecError>,
) -> Result<Process, ExecError> {
    let mark = hex(&random::<8>()?);
    set(&mut invocation.program.env, MARK, &mark);
    let inherited = invocation.inherited.iter().map(|g| provide(*g)).collect::<Result<Vec<_>, _>>()?;
    let (pipes, writing) = if invocation.program.terminal { Pipes::terminal()? } else { Pipes::new()? };
    invocation.program.confinement = enclosure.confinement(limits);
    let terminal = writing.first().filter(|_| invocation.program.terminal);
    let terminal = terminal.and_then(|terminal| rustix::termios::ttyname(terminal, Vec::new()).ok());
    let console =
        terminal.and_then(|name| enclosure.entry.with_console(Path::new(OsStr::from_bytes(name.as_bytes()))));
    let inner = console.as_ref().unwrap_or(&enclosure.entry);
    if let Some(file_rules) =
        invocation.program.confinement.file_rules.as_mut().filter(|_| invocation.program.terminal)
    {
        // By this path every process finds its own controlling terminal, and no other.
        file_rules.write.push("/dev/tty".into());
        if console.is_some() {
            file_rules.write.push(CONSOLE.into());
        }
    }
    let screen = invocation.program.terminal.then(|| Box::new(Emulator::new()));
    let group = match &enclosure.scope {
        Some(scope) => Some(scope.group(limits).map_err(ExecError::Group)?),
        None => None,
    };
    let entry = group.as_ref().map(|group| group.entry(inner));
    let link = Link::open(entry.as_ref().unwrap_or(inner), format!("{MARK}={mark}").into_bytes())?;
    let fds: Vec<BorrowedFd<'_>> = writing.iter().chain(&inherited).map(|fd| fd.as_fd()).collect();
    link.spawn(&invocation.program, &fds)?;
    let reach = enclosure.reach.clone();
    Ok(Process { link, pipes, screen, names: invocation.names, group, reach, private: None })
}
