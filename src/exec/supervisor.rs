//! The supervisor: stays beside one program, ends it when it has to end, leaves nothing of it behind.
//!
//! It runs in a process of its own (`sayso __run`), single-threaded, and sleeps while nothing happens. It is the parent
//! that every orphan of the program falls back to, so that a process that left its group and its session is still found.
//! When its socket ends (sayso is gone, also by `kill -9`), it ends everything and itself. It never sees any output.

use super::frames::Decoder;
use super::helper::EXEC;
use super::helper_wire::{FIRST_GIVEN, LIMIT, Order, Program, Told, Used};
use super::tree;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, FdFlags};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags};
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions};
use std::collections::BTreeSet;
use std::io::{IoSliceMut, Read as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// From SIGINT at the time limit to SIGTERM, and from there to SIGKILL: together well under the 2 s that are promised.
const GRACE: [Duration; 2] = [Duration::from_millis(700), Duration::from_millis(500)];
/// How long processes are hunted before the rest is given up (a process that hangs in the kernel can't be ended).
const HUNT: Duration = Duration::from_millis(1500);
/// The first and the longest pause between two looks at what a run uses.
const LOOK: (Duration, Duration) = (Duration::from_millis(15), Duration::from_millis(240));

struct Supervisor {
    socket: OwnedFd,
    decoder: Decoder,
    given: Vec<OwnedFd>,
    program: Option<Running>,
    watch: Option<Watch>,
    own: i32,
}

/// The program.
struct Running {
    pid: Pid,
    ended: OwnedFd,
}

/// What is kept of a run while it goes on.
struct Watch {
    step_at: Instant,
    step: usize,
    look_at: Instant,
    pause: Duration,
    cpu_before: u64,
    peak_rss: u64,
    seen: BTreeSet<i32>,
}

/// Why the supervisor stops.
enum Stop {
    SocketEnded,
    ProgramEnded,
}

/// Serves the socket until it or the program ends.
pub fn supervise(socket: OwnedFd) -> ExitCode {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let decoder = Decoder::new(LIMIT);
    let mut supervisor = Supervisor { socket, decoder, given: Vec::new(), program: None, watch: None, own };
    let stop = supervisor.serve();
    if matches!(stop, Stop::SocketEnded) {
        supervisor.end_all();
    }
    ExitCode::SUCCESS
}

impl Supervisor {
    fn serve(&mut self) -> Stop {
        loop {
            let (socket_ready, program_ended) = match self.wait() {
                Ok(ready) => ready,
                Err(Errno::INTR) => continue,
                Err(_) => return Stop::SocketEnded,
            };
            if program_ended {
                self.report_end();
                return Stop::ProgramEnded;
            }
            if socket_ready {
                match self.receive() {
                    Ok(true) => {}
                    Ok(false) | Err(_) => return Stop::SocketEnded,
                }
            }
            self.on_time();
        }
    }

    /// Sleeps until something happens; tells whether the socket has something, and whether the program ended.
    fn wait(&self) -> rustix::io::Result<(bool, bool)> {
        let mut fds = vec![PollFd::new(&self.socket, PollFlags::IN)];
        if let Some(program) = &self.program {
            fds.push(PollFd::new(&program.ended, PollFlags::IN));
        }
        let timeout = self.watch.as_ref().map(|w| {
            let rest = w.look_at.min(w.step_at).saturating_duration_since(Instant::now());
            Timespec { tv_sec: rest.as_secs() as i64, tv_nsec: i64::from(rest.subsec_nanos()) }
        });
        poll(&mut fds, timeout.as_ref())?;
        let ready = |at: usize| fds.get(at).is_some_and(|fd| !fd.revents().is_empty());
        Ok((ready(0), ready(1)))
    }

    /// Reads the socket and does what it says; false at its end.
    fn receive(&mut self) -> rustix::io::Result<bool> {
        let mut buffer = [0u8; 64 << 10];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(8))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let received = rustix::net::recvmsg(
            &self.socket,
            &mut [IoSliceMut::new(&mut buffer)],
            &mut control,
            RecvFlags::CMSG_CLOEXEC,
        )?;
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(fds) = message {
                self.given.extend(fds);
            }
        }
        if received.bytes == 0 {
            return Ok(false);
        }
        self.decoder.push(buffer.get(..received.bytes).unwrap_or_default());
        loop {
            match self.decoder.next_frame() {
                Ok(None) => return Ok(true),
                Ok(Some(frame)) => match Order::decode(&frame) {
                    Ok(order) => self.obey(order),
                    Err(_) => return Ok(false),
                },
                Err(_) => return Ok(false),
            }
        }
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Spawn(program) => self.spawn(&program),
            Order::Begin { wall_ms } => self.begin(wall_ms),
            Order::End => self.end_run(),
            Order::Interrupt => self.signal_group(Signal::INT),
            Order::Kill => self.end_all(),
        }
    }

    fn spawn(&mut self, program: &Program) {
        let given = std::mem::take(&mut self.given);
        let told = if self.program.is_some() {
            Told::NotSpawned("the helper has a program already".into())
        } else {
            match start(program, given, self.own) {
                Ok(running) => {
                    let pid = running.pid.as_raw_nonzero().get();
                    self.program = Some(running);
                    Told::Spawned { pid }
                }
                Err(why) => Told::NotSpawned(why),
            }
        };
        self.tell(&told);
    }

    fn begin(&mut self, wall_ms: u64) {
        let now = Instant::now();
        let limit = Duration::from_millis(wall_ms);
        self.watch = Some(Watch {
            step_at: now.checked_add(limit).unwrap_or(now + Duration::from_hours(24 * 365)),
            step: 0,
            look_at: now + LOOK.0,
            pause: LOOK.0,
            cpu_before: self.cpu_now(),
            peak_rss: 0,
            seen: BTreeSet::new(),
        });
    }

    /// The run is over by the kernel's word: what it left behind ends, the program stays.
    fn end_run(&mut self) {
        self.look();
        let keep = self.program.as_ref().map(|p| p.pid.as_raw_nonzero().get());
        hunt(self.own, keep);
        let used = self.used();
        self.watch = None;
        self.tell(&Told::Finished(used));
    }

    /// The program ended: so does all that descends from it.
    fn report_end(&mut self) {
        let Some(program) = self.program.take() else { return };
        let own = program.pid.as_raw_nonzero().get();
        if let Some(watch) = &mut self.watch {
            watch.seen.insert(own);
        }
        let status = rustix::process::waitpid(Some(program.pid), WaitOptions::empty());
        hunt(self.own, None);
        let (code, signal) = match status {
            Ok(Some((_, status))) => (status.exit_status(), status.terminating_signal()),
            _ => (None, None),
        };
        let used = self.used();
        self.tell(&Told::Exited { code, signal, used });
    }

    fn end_all(&mut self) {
        if let Some(program) = &self.program {
            let _ = rustix::process::kill_process_group(program.pid, Signal::KILL);
            let _ = rustix::process::kill_process(program.pid, Signal::KILL);
            // The program itself is waited for in `report_end`: its status is still wanted.
            hunt(self.own, Some(program.pid.as_raw_nonzero().get()));
        }
    }

    /// What is due by the clock: the next step of the ladder, the next look.
    fn on_time(&mut self) {
        let now = Instant::now();
        let Some(watch) = &mut self.watch else { return };
        if now >= watch.step_at {
            let step = watch.step;
            watch.step += 1;
            watch.step_at = now + GRACE.get(step).copied().unwrap_or(Duration::from_secs(1));
            match step {
                0 => {
                    self.tell(&Told::OutOfTime);
                    self.signal_group(Signal::INT);
                }
                1 => self.signal_group(Signal::TERM),
                _ => self.end_all(),
            }
        }
        if self.watch.as_ref().is_some_and(|w| now >= w.look_at) {
            let rss_bytes = self.look();
            let cpu_us = self.cpu_now();
            let Some(watch) = &mut self.watch else { return };
            watch.pause = (watch.pause * 2).min(LOOK.1);
            watch.look_at = now + watch.pause;
            let cpu_us = cpu_us.saturating_sub(watch.cpu_before);
            self.tell(&Told::Usage { rss_bytes, cpu_us });
        }
    }

    /// Sends a signal to the program's group; stopped programs are woken to take it.
    fn signal_group(&self, signal: Signal) {
        if let Some(program) = &self.program {
            let _ = rustix::process::kill_process_group(program.pid, signal);
            let _ = rustix::process::kill_process_group(program.pid, Signal::CONT);
        }
    }

    /// Looks at every process of the run; returns their resident memory.
    fn look(&mut self) -> u64 {
        let Some(watch) = &mut self.watch else { return 0 };
        let mut sum = 0;
        for pid in tree::descendants(self.own) {
            watch.seen.insert(pid);
            if let Some(usage) = tree::usage(pid) {
                sum += usage.rss_bytes;
                watch.peak_rss = watch.peak_rss.max(usage.peak_rss_bytes);
            }
        }
        sum
    }

    /// Processor time of everything below, living and waited for, microseconds.
    fn cpu_now(&self) -> u64 {
        let living: u64 = tree::descendants(self.own)
            .into_iter()
            .filter_map(tree::usage)
            .map(|usage| usage.cpu_us + usage.children_us)
            .sum();
        living + waited_for().0
    }

    fn used(&self) -> Used {
        let Some(watch) = &self.watch else { return Used::default() };
        // The largest of those that were waited for: for a program that ended, the exact figure.
        let peak = if self.program.is_none() { waited_for().1 } else { 0 };
        Used {
            cpu_us: self.cpu_now().saturating_sub(watch.cpu_before),
            peak_rss_bytes: watch.peak_rss.max(peak),
            processes: u32::try_from(watch.seen.len()).unwrap_or(u32::MAX),
        }
    }

    /// Tells the other side; when it is gone, the next read shows that.
    fn tell(&self, told: &Told) {
        let bytes = told.encode();
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            match rustix::net::send(&self.socket, rest, SendFlags::NOSIGNAL) {
                Ok(sent) => rest = rest.get(sent..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(_) => return,
            }
        }
    }
}

/// Starts the program in a group of its own; an error comes back in words.
fn start(program: &Program, fds: Vec<OwnedFd>, own: i32) -> Result<Running, String> {
    let mut fds = fds.into_iter();
    let (Some(stdout), Some(stderr)) = (fds.next(), fds.next()) else {
        return Err("the helper got no descriptors for its output".into());
    };
    let mut given = Vec::new();
    for (fd, at) in fds.zip(FIRST_GIVEN..) {
        let copy = rustix::io::fcntl_dupfd_cloexec(&fd, at).map_err(|e| e.to_string())?;
        rustix::io::fcntl_setfd(&copy, FdFlags::empty()).map_err(|e| e.to_string())?;
        if copy.as_raw_fd() != at {
            return Err(format!("descriptor {at} is taken"));
        }
        given.push(copy);
    }
    if !program.cwd.is_dir() {
        return Err(format!("the folder {} is not there any more", program.cwd.display()));
    }
    let (mut problem, status) = std::io::pipe().map_err(|e| e.to_string())?;
    let child = Command::new("/proc/self/exe")
        .args(["__run", EXEC, &own.to_string()])
        .arg(&program.program)
        .args(&program.args)
        .env_clear()
        .envs(program.env.iter().map(|(k, v)| (k, v)))
        .current_dir(&program.cwd)
        .stdin(Stdio::from(OwnedFd::from(status)))
        .stdout(Stdio::from(stdout))
        .stderr(Stdio::from(stderr))
        .process_group(0)
        .spawn()
        .map_err(|e| e.to_string())?;
    drop(given);
    let mut why = String::new();
    let _ = problem.read_to_string(&mut why);
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or("no process id")?;
    if !why.is_empty() {
        let _ = rustix::process::waitpid(Some(pid), WaitOptions::empty());
        return Err(format!("{}: {why}", program.program.display()));
    }
    let ended = rustix::process::pidfd_open(pid, PidfdFlags::empty()).map_err(|e| e.to_string())?;
    Ok(Running { pid, ended })
}

/// Ends every process below `own` but `keep`, and buries the dead. They are stopped before they are killed, so that a
/// crowd that forks can't outrun this.
fn hunt(own: i32, keep: Option<i32>) {
    let until = Instant::now() + HUNT;
    loop {
        let found: Vec<Pid> = tree::descendants(own)
            .into_iter()
            .filter(|pid| Some(*pid) != keep)
            .filter_map(Pid::from_raw)
            .collect();
        for signal in [Signal::STOP, Signal::KILL] {
            for pid in &found {
                let _ = rustix::process::kill_process(*pid, signal);
            }
        }
        bury(own, keep);
        if found.is_empty() || Instant::now() >= until {
            return;
        }
        std::thread::sleep(Duration::from_micros(300));
    }
}

/// Waits for every dead child but `keep`, whose status is still wanted.
fn bury(own: i32, keep: Option<i32>) {
    let dead = tree::dead_children(own).into_iter().filter(|pid| Some(*pid) != keep);
    for pid in dead.filter_map(Pid::from_raw) {
        let _ = rustix::process::waitpid(Some(pid), WaitOptions::NOHANG);
    }
}

/// Processor time (microseconds) and the largest resident memory (bytes) of the children that were waited for.
fn waited_for() -> (u64, u64) {
    use nix::sys::resource::{UsageWho, getrusage};
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else { return (0, 0) };
    let (user, system) = (usage.user_time(), usage.system_time());
    let us = |t: nix::sys::time::TimeVal| (t.tv_sec() * 1_000_000 + t.tv_usec()).unsigned_abs();
    (us(user) + us(system), usage.max_rss().unsigned_abs() * 1024)
}
