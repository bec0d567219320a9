//! The test of the sandbox: starts the self-test under a confinement, and looks from outside whether anything came
//! through. Nothing is believed that was not seen refused.

use super::Using;
use super::bwrap::HELPER_INSIDE;
use super::confinement::Confinement;
use super::policy::Policy;
use super::scratch::Scratch;
use super::selftest::{self, CANARY, SECRET, Seen, TEST, Task};
use crate::exec::helper_wire::{Program, Told};
use crate::exec::link::{Entry, Link};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs;
use std::io::Read as _;
use std::net::{TcpListener, UdpSocket};
use std::os::fd::AsFd as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long the test may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Tests a confinement from inside.
///
/// # Errors
/// Why it could not be entered, or the test did not come to its end.
pub fn probe(
    using: &Using,
    policy: &Policy,
    mut confinement: Confinement,
    scratch: &Scratch,
    helper: &Path,
) -> Result<Seen, String> {
    let io = |error: std::io::Error| format!("the test could not be prepared: {error}");
    let outside = scratch.outside();
    fs::write(outside.join(CANARY), "").map_err(io)?;
    fs::write(outside.join(SECRET), "secret").map_err(io)?;
    let (tcp, udp) = (TcpListener::bind("127.0.0.1:0"), UdpSocket::bind("127.0.0.1:0"));
    let (tcp, udp) = (tcp.map_err(io)?, udp.map_err(io)?);
    for nonblocking in [tcp.set_nonblocking(true), udp.set_nonblocking(true)] {
        nonblocking.map_err(io)?;
    }
    let own = i32::try_from(std::process::id()).unwrap_or(0);
    let task = Task {
        outside: outside.clone(),
        tcp: tcp.local_addr().map_err(io)?,
        udp: udp.local_addr().map_err(io)?,
        process: (own, selftest::began_at(own).unwrap_or(0)),
        hidden: [&policy.hidden_folders[..], &policy.hidden_files[..]].concat(),
    };
    if let Some(walls) = &mut confinement.walls {
        walls.read.push(helper.into());
    }
    let inside = if using.bwrap.is_some() { Path::new(HELPER_INSIDE) } else { helper };
    let mut args = vec!["__run".into(), TEST.into()];
    args.extend(task.arguments());
    let program = Program { executable: inside.into(), args, env: Vec::new(), cwd: "/".into(), confinement };
    let text = said(&using.entry(policy, helper), &program)?;
    let mut seen = Seen::parse(&text).ok_or_else(|| "the test told nothing".to_string())?;
    seen.wrote |= fs::read(outside.join(CANARY)).is_ok_and(|bytes| !bytes.is_empty());
    seen.connected |= tcp.accept().is_ok() || udp.recv(&mut [0; 8]).is_ok();
    Ok(seen)
}

/// What a program prints.
fn said(entry: &Entry, program: &Program) -> Result<String, String> {
    let problem = |error: &dyn std::fmt::Display| error.to_string();
    let (mut output, writing) = std::io::pipe().map_err(|e| problem(&e))?;
    let mut link = Link::open(entry, Vec::new()).map_err(|e| problem(&e))?;
    // A helper that could not be entered ends at once: what it said before is told below.
    let _ = link.spawn(program, &[writing.as_fd(), writing.as_fd()]);
    drop(writing);
    let until = Instant::now() + PATIENCE;
    let mut text = Vec::new();
    let mut told = Vec::new();
    loop {
        let rest = until.saturating_duration_since(Instant::now());
        let timeout = Timespec { tv_sec: rest.as_secs() as i64, tv_nsec: i64::from(rest.subsec_nanos()) };
        let Some(socket) = link.socket().filter(|_| !rest.is_zero()) else {
            return Err("the test did not end in time".into());
        };
        let mut fds = [PollFd::new(&output, PollFlags::IN), PollFd::from_borrowed_fd(socket, PollFlags::IN)];
        if poll(&mut fds, Some(&timeout)).is_err() {
            continue;
        }
        let [from_output, from_socket] = fds.map(|fd| !fd.revents().is_empty());
        if from_socket {
            told.extend(link.receive().map_err(|e| problem(&e))?);
        } else if from_output {
            let mut buffer = [0u8; 4096];
            let count = output.read(&mut buffer).map_err(|e| problem(&e))?;
            text.extend_from_slice(buffer.get(..count).unwrap_or_default());
        }
        for one in &told {
            match one {
                Told::NotSpawned(why) => return Err(why.clone()),
                Told::Exited { .. } => {
                    // Whatever waits in the pipe was written before it ended.
                    rustix::io::ioctl_fionbio(&output, true).map_err(|e| problem(&e))?;
                    let _ = output.read_to_end(&mut text);
                    return Ok(String::from_utf8_lossy(&text).into_owned());
                }
                _ => {}
            }
        }
    }
}
