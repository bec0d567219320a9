//! Tests the sandbox: starts the self-test under a confinement, and checks from outside whether anything got through.
//! Only what was seen to be refused counts.

use super::ActiveLayers;
use super::confinement::Confinement;
use super::policy::SandboxPolicy;
use super::scratch::Scratch;
use super::selftest::{CANARY, SECRET, SelfTestResult, Task};
use crate::domain::sentences::sandbox::LIMIT_SIGNS;
use crate::exec::entry::HelperEntry;
use crate::exec::helper_file::{HelperFile, ITSELF};
use crate::exec::helper_part::TEST;
use crate::exec::helper_wire::{HelperMessage, ProgramSpec};
use crate::exec::link::Link;
use crate::exec::tree::started_at;
use crate::text::system_error::words;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::ffi::OsString;
use std::fs;
use std::io::Read as _;
use std::net::{TcpListener, UdpSocket};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::time::{Duration, Instant};

/// How long the first attempt and the next ones may take; the machine may be busy.
const PROBE_TIMEOUTS: [Duration; 3] =
    [Duration::from_secs(4), Duration::from_secs(8), Duration::from_secs(16)];
const MAX_OUTPUT_BYTES: usize = 1 << 16;
/// An error of a system without resources, besides those of limits: none says anything about the sandbox.
const FULL_DISK: &str = "No space left on device";

/// Why the test has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ProbeError {
    NotEntered(String),
    /// The test itself could not be completed, so nothing is known about the confinement.
    Unfinished(String),
}

/// Tests a confinement from inside. Repeats attempts that could not be completed.
///
/// # Errors
/// Why the test has no result.
pub(super) fn self_test(
    using: &ActiveLayers,
    policy: &SandboxPolicy,
    confinement: &Confinement,
    scratch: &Scratch,
    helper: &HelperFile,
) -> Result<SelfTestResult, ProbeError> {
    repeat(|patience| {
        probe((using, policy), confinement.clone(), scratch, helper, patience).map_err(unproven)
    })
}

/// Attempts until one is completed.
fn repeat(
    mut attempt: impl FnMut(Duration) -> Result<SelfTestResult, ProbeError>,
) -> Result<SelfTestResult, ProbeError> {
    let mut last = None;
    for patience in PROBE_TIMEOUTS {
        match attempt(patience) {
            Err(ProbeError::Unfinished(why)) => last = Some(why),
            known => return known,
        }
    }
    Err(ProbeError::Unfinished(last.unwrap_or_default()))
}

fn unproven(why: ProbeError) -> ProbeError {
    match why {
        ProbeError::NotEntered(why)
            if LIMIT_SIGNS.iter().chain([&FULL_DISK]).any(|sign| why.contains(sign)) =>
        {
            ProbeError::Unfinished(why)
        }
        why => why,
    }
}

fn probe(
    (using, policy): (&ActiveLayers, &SandboxPolicy),
    confinement: Confinement,
    scratch: &Scratch,
    helper: &HelperFile,
    patience: Duration,
) -> Result<SelfTestResult, ProbeError> {
    let io = |error: std::io::Error| {
        ProbeError::Unfinished(format!("it could not be prepared: {}", words(&error)))
    };
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
        process: (own, started_at(own).unwrap_or(0)),
        hidden: policy.hidden(),
        opened: policy.opened_inside_hidden(),
    };
    let mut args = vec![TEST.into()];
    args.extend(task.arguments());
    let program = helper_program(helper, args, confinement);
    let said = run_to_end(&using.entry(policy, helper), &program, &[], (patience, MAX_OUTPUT_BYTES))?;
    let mut seen = SelfTestResult::parse(&String::from_utf8_lossy(&said.text))
        .ok_or_else(|| ProbeError::NotEntered("the test told nothing".to_string()))?;
    seen.wrote |= fs::read(outside.join(CANARY)).is_ok_and(|bytes| !bytes.is_empty());
    seen.connected |= tcp.accept().is_ok() || udp.recv(&mut [0; 8]).is_ok();
    Ok(seen)
}

/// The helper itself as a program, restricted like this, with these arguments after `__run`.
pub(crate) fn helper_program(
    helper: &HelperFile,
    mut args: Vec<OsString>,
    mut confinement: Confinement,
) -> ProgramSpec {
    // A copy of the helper has no path, and needs none to be started.
    if let Some(file_rules) = confinement.file_rules.as_mut().filter(|_| !helper.is_copy()) {
        file_rules.read.push(ITSELF.into());
    }
    args.insert(0, "__run".into());
    ProgramSpec { executable: ITSELF.into(), args, cwd: "/".into(), confinement, ..ProgramSpec::default() }
}

/// The output of a program that has ended.
#[derive(Debug)]
pub(crate) struct ProgramOutput {
    pub(crate) text: Vec<u8>,
    /// Whether its exit status was 0.
    pub(crate) well: bool,
}

/// Starts a program, waits for its end, and returns its output of at most `largest` bytes. It gets the descriptors
/// `given`. Processes that it leaves behind are ended.
///
/// # Errors
/// Why it could not be started, or that it did not end in time by itself.
pub(crate) fn run_to_end(
    entry: &HelperEntry,
    program: &ProgramSpec,
    given: &[BorrowedFd<'_>],
    (patience, largest): (Duration, usize),
) -> Result<ProgramOutput, ProbeError> {
    let problem = |error: &dyn std::fmt::Display| ProbeError::NotEntered(words(error));
    let (mut output, writing) = std::io::pipe().map_err(|e| problem(&e))?;
    let null = fs::OpenOptions::new().write(true).open("/dev/null").map_err(|e| problem(&e))?;
    let mut link = Link::open(entry, Vec::new()).map_err(|e| problem(&e))?;
    let fds: Vec<BorrowedFd<'_>> =
        [writing.as_fd(), null.as_fd()].into_iter().chain(given.iter().copied()).collect();
    // An error means that the helper ended at once; the reason is received below.
    let _ = link.spawn(program, &fds);
    drop(writing);
    let until = Instant::now() + patience;
    let mut text = Vec::new();
    let mut told = Vec::new();
    loop {
        let rest = until.saturating_duration_since(Instant::now());
        let timeout = Timespec::try_from(rest).ok();
        let Some(socket) = link.socket().filter(|_| !rest.is_zero()) else {
            return Err(ProbeError::Unfinished(format!("it did not end within {} s", patience.as_secs())));
        };
        let mut fds = [PollFd::new(&output, PollFlags::IN), PollFd::from_borrowed_fd(socket, PollFlags::IN)];
        if poll(&mut fds, timeout.as_ref()).is_err() {
            continue;
        }
        let [from_output, from_socket] = fds.map(|fd| !fd.revents().is_empty());
        if from_socket {
            told.extend(link.receive().map_err(|e| problem(&e))?);
        } else if from_output {
            let mut buffer = [0u8; 4096];
            let count = output.read(&mut buffer).map_err(|e| problem(&e))?;
            text.extend_from_slice(buffer.get(..count).unwrap_or_default());
            if text.len() > largest {
                return Err(ProbeError::Unfinished("it printed too much".into()));
            }
        }
        for one in &told {
            match one {
                HelperMessage::NotSpawned(why) => return Err(ProbeError::NotEntered(why.clone())),
                HelperMessage::Exited { signal: Some(signal), .. } => {
                    return Err(ProbeError::Unfinished(format!("it was ended by signal {signal}")));
                }
                HelperMessage::Exited { code, .. } => {
                    // Everything in the pipe was written before it ended.
                    rustix::io::ioctl_fionbio(&output, true).map_err(|e| problem(&e))?;
                    let rest = largest.saturating_sub(text.len()) as u64;
                    let _ = (&mut output).take(rest).read_to_end(&mut text);
                    return Ok(ProgramOutput { text, well: *code == Some(0) });
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unfinished() -> ProbeError {
        ProbeError::Unfinished("it did not end".into())
    }

    #[test]
    fn what_is_not_finished_is_repeated_with_more_patience_and_then_said() {
        let mut asked = Vec::new();
        let told = repeat(|patience| {
            asked.push(patience);
            Err(unfinished())
        });
        assert_eq!(told, Err(unfinished()));
        assert_eq!(asked, PROBE_TIMEOUTS);
        let mut attempts = 0;
        let seen = repeat(|_| {
            attempts += 1;
            if attempts == 1 {
                Err(unfinished())
            } else {
                Ok(SelfTestResult::parse("0000001 1024 pid:[1]").unwrap())
            }
        });
        assert!(seen.is_ok() && attempts == 2);
    }

    #[test]
    fn what_can_not_be_entered_is_said_at_once() {
        let mut attempts = 0;
        let told = repeat(|_| {
            attempts += 1;
            Err(ProbeError::NotEntered("no".into()))
        });
        assert_eq!((told, attempts), (Err(ProbeError::NotEntered("no".into())), 1));
        let busy = "bwrap: Creating new namespace failed: Resource temporarily unavailable";
        assert_eq!(unproven(ProbeError::NotEntered(busy.into())), ProbeError::Unfinished(busy.into()));
        let never = "bwrap: Creating new namespace failed: Operation not permitted";
        assert_eq!(unproven(ProbeError::NotEntered(never.into())), ProbeError::NotEntered(never.into()));
    }
}
