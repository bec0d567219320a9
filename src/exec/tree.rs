//! Reads the processes of a run from `/proc`: which descend from which, and what they use.
//!
//! Reads only. The supervisor kills processes.

use crate::text::process_status::holds_signal;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;

/// The device `/dev/tty`, by which each process opens its controlling terminal.
const OWN_TERMINAL: u64 = 5 << 8;
/// The number of the `read` system call.
#[cfg(target_os = "linux")]
const READ_CALL: i64 = nix::libc::SYS_read;
#[cfg(not(target_os = "linux"))]
const READ_CALL: i64 = -1;

/// The length of a clock tick in `/proc`: fixed at 1/100 s on every architecture that we build for.
const TICK_US: u64 = 10_000;

/// What one process uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// Its processor time so far, microseconds.
    pub(crate) cpu_us: u64,
    /// Processor time of the children that it has waited for, microseconds.
    pub(crate) children_us: u64,
    pub(crate) rss_bytes: u64,
    /// The highest value so far, in bytes.
    pub(crate) peak_rss_bytes: u64,
    pub(crate) threads: u32,
}

/// The fields of `/proc/PID/stat` that are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stat {
    state: u8,
    parent: i32,
    group: i32,
    session: i32,
    own_ticks: u64,
    children_ticks: u64,
    threads: u64,
}

impl Stat {
    /// Whether any thread of the process is alive: the first one may end before the others.
    fn is_living(&self) -> bool {
        !matches!(self.state, b'Z' | b'X') || self.threads > 1
    }
}

/// Whether the first thread of a process waits in a `read` of this terminal. Other ways to wait (such as `poll`) do not
/// count. False if the system does not show it.
pub(super) fn is_reading(pid: i32, terminal: u64) -> bool {
    let read = || {
        let call = fs::read_to_string(format!("/proc/{pid}/syscall")).ok()?;
        let mut words = call.split(' ');
        let is_read = words.next()?.parse() == Ok(READ_CALL);
        let descriptor = u32::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
        let device = fs::metadata(format!("/proc/{pid}/fd/{descriptor}")).ok()?.rdev();
        Some(is_read && [terminal, OWN_TERMINAL].contains(&device))
    };
    read().unwrap_or(false)
}

/// How many processes are searched for if the caller gives no limit.
const MAX_PROCESSES: usize = 4096;

/// The living processes below `root`, without zombies; of very many, only some. Processes that start during the scan
/// may be missing, so a caller that kills them repeats the scan until it finds none.
pub(super) fn descendants(root: i32) -> Vec<i32> {
    descendants_up_to(root, MAX_PROCESSES)
}

/// Like [`descendants`], but stops at one more than `most`: a full scan of many processes that fork might never end.
pub(super) fn descendants_up_to(root: i32, most: usize) -> Vec<i32> {
    let listed = children_are_listed(root);
    let all = if listed { Vec::new() } else { parents() };
    let (mut found, mut living) = (BTreeSet::new(), Vec::new());
    let mut todo = vec![root];
    while let Some(pid) = todo.pop() {
        let children = if listed {
            children(pid)
        } else {
            all.iter().filter(|(_, parent)| *parent == pid).map(|(child, _)| *child).collect()
        };
        for child in children {
            // Dead processes have no children: these have other parents now.
            if !found.insert(child) || !is_living(child) {
                continue;
            }
            todo.push(child);
            living.push(child);
            if living.len() > most {
                return living;
            }
        }
    }
    living
}

/// The processes below `root` in this group that an interrupt would have ended if it had reached them: they do not
/// catch, ignore or block it.
pub(super) fn interruptible(root: i32, group: i32) -> Vec<i32> {
    descendants(root)
        .into_iter()
        .filter(|pid| stat(*pid).is_some_and(|s| s.group == group))
        .filter(|pid| {
            let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            !["SigBlk", "SigIgn", "SigCgt"].iter().any(|set| holds_signal(&status, set, INTERRUPT))
        })
        .collect()
}

/// The process group of a process; `None` if it has ended.
pub(super) fn group(pid: i32) -> Option<i32> {
    stat(pid).map(|stat| stat.group)
}

/// When a process started, in ticks since boot; `None` if it has ended. It tells apart processes that had the same id.
pub(super) fn started_at(pid: impl std::fmt::Display) -> Option<u64> {
    fields(&fs::read(format!("/proc/{pid}/stat")).ok()?)?.get(19)?.parse().ok()
}

/// Whether there is a process with this number that this one may signal.
pub(super) fn is_reachable(pid: i32) -> bool {
    rustix::process::Pid::from_raw(pid).is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
}

/// Whether a process is neither stopped nor dead.
pub(super) fn is_moving(pid: i32) -> bool {
    stat(pid).is_some_and(|stat| !matches!(stat.state, b'T' | b't' | b'Z' | b'X'))
}

/// Whether every thread of a process is stopped or dead. A thread that a tracer has stopped does not count, since the
/// tracer may resume it.
pub(super) fn is_still(pid: i32) -> bool {
    let task = |task: i32| parse_stat(&fs::read(format!("/proc/{pid}/task/{task}/stat")).unwrap_or_default());
    numbers(&format!("/proc/{pid}/task"))
        .filter_map(task)
        .all(|stat| matches!(stat.state, b'T' | b'Z' | b'X'))
}

pub(super) fn threads(pid: i32) -> u32 {
    u32::try_from(numbers(&format!("/proc/{pid}/task")).count()).unwrap_or(u32::MAX)
}

/// Whether a process runs an executable of this name, whatever its `argv[0]` is.
pub(super) fn runs_program(pid: i32, name: &str) -> bool {
    fs::read_link(format!("/proc/{pid}/exe"))
        .is_ok_and(|program| program.file_name().is_some_and(|file| file == name))
}

/// Whether a process has handlers for all these signals.
pub(super) fn handles_signals(pid: i32, signals: &[i32]) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    signals.iter().all(|signal| holds_signal(&status, "SigCgt", *signal))
}

pub(super) fn ignores_signal(pid: i32, signal: i32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    holds_signal(&status, "SigIgn", signal)
}

pub(super) const INTERRUPT: i32 = rustix::process::Signal::INT.as_raw();

/// Every process of these sessions, and every one whose environment contains this mark. Reads all processes.
pub(super) fn strays(sessions: &[i32], mark: &[u8]) -> Vec<i32> {
    numbers("/proc")
        .filter(|pid| {
            stat(*pid).is_some_and(|s| s.is_living() && sessions.contains(&s.session))
                || (!mark.is_empty() && is_living(*pid) && has_mark(*pid, mark))
        })
        .collect()
}

/// What a process uses; `None` if it has ended.
pub(super) fn usage(pid: i32) -> Option<Usage> {
    let stat = stat(pid)?;
    let mut usage = Usage {
        // Ticks are hundredths of a second. The scheduler's value is exact, but counts living threads only.
        cpu_us: (stat.own_ticks * TICK_US).max(scheduled_us(pid)),
        children_us: stat.children_ticks * TICK_US,
        ..Usage::default()
    };
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    for line in status.lines() {
        match line.split_once(':') {
            Some(("VmRSS", size)) => usage.rss_bytes = kilobytes(size),
            Some(("VmHWM", size)) => usage.peak_rss_bytes = kilobytes(size),
            Some(("Threads", count)) => usage.threads = count.trim().parse().unwrap_or(1),
            _ => {}
        }
    }
    Some(usage)
}

/// Resident memory in bytes, where shared memory is divided among the processes that share it. Much more expensive than
/// [`usage`]; falls back to the resident memory if the system does not provide it.
pub(super) fn proportional(pid: i32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let share = text.lines().find_map(|line| line.strip_prefix("Pss:")).map(kilobytes);
    share.or_else(|| usage(pid).map(|usage| usage.rss_bytes))
}

/// The text of `/proc/PID/limits`; empty if the process has ended.
pub(super) fn limits(pid: i32) -> String {
    fs::read_to_string(format!("/proc/{pid}/limits")).unwrap_or_default()
}

/// The soft limit of this name in the text of [`limits`]; `u64::MAX` if unlimited.
pub(super) fn soft_limit(limits: &str, name: &str) -> Option<u64> {
    limit(limits, name, 0)
}

/// The hard limit of this name, as for [`soft_limit`].
pub(super) fn hard_limit(limits: &str, name: &str) -> Option<u64> {
    limit(limits, name, 1)
}

fn limit(limits: &str, name: &str, column: usize) -> Option<u64> {
    let word = limits.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().nth(column))?;
    if word == "unlimited" { Some(u64::MAX) } else { word.parse().ok() }
}

/// The children of `pid`, including dead ones that it has not reaped.
pub(super) fn children_of(pid: i32) -> Vec<i32> {
    if children_are_listed(pid) {
        children(pid)
    } else {
        parents().into_iter().filter(|(_, parent)| *parent == pid).map(|(child, _)| child).collect()
    }
}

/// Whether this kernel lists the children of a process. If not, all processes are read.
fn children_are_listed(pid: i32) -> bool {
    fs::exists(format!("/proc/{pid}/task/{pid}/children")).unwrap_or(false)
}

/// Whether a process exists and is not a zombie.
pub(super) fn is_living(pid: i32) -> bool {
    stat(pid).is_some_and(|stat| stat.is_living())
}

fn children(pid: i32) -> Vec<i32> {
    numbers(&format!("/proc/{pid}/task"))
        .filter_map(|task| fs::read_to_string(format!("/proc/{pid}/task/{task}/children")).ok())
        .flat_map(|list| list.split_whitespace().filter_map(|n| n.parse().ok()).collect::<Vec<i32>>())
        .collect()
}

fn parents() -> Vec<(i32, i32)> {
    numbers("/proc").filter_map(|pid| stat(pid).map(|s| (pid, s.parent))).collect()
}

fn has_mark(pid: i32, mark: &[u8]) -> bool {
    fs::read(format!("/proc/{pid}/environ"))
        .is_ok_and(|env| env.split(|b| *b == 0).any(|entry| entry == mark))
}

/// The names in a folder that are numbers.
pub(super) fn numbers(folder: &str) -> impl Iterator<Item = i32> {
    fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

fn stat(pid: i32) -> Option<Stat> {
    parse_stat(&fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// Parses the fields after the last closing bracket: the name of the process before it is in brackets, and may itself
/// contain brackets and spaces.
fn fields(stat: &[u8]) -> Option<Vec<&str>> {
    let behind = stat.iter().rposition(|b| *b == b')')?;
    let text = std::str::from_utf8(stat.get(behind + 1..)?).ok()?;
    Some(text.split_whitespace().collect())
}

fn parse_stat(bytes: &[u8]) -> Option<Stat> {
    let fields = fields(bytes)?;
    let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some(Stat {
        state: *fields.first()?.as_bytes().first()?,
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        own_ticks: number(11)? + number(12)?,
        children_ticks: number(13)? + number(14)?,
        threads: number(17)?,
    })
}

fn scheduled_us(pid: i32) -> u64 {
    numbers(&format!("/proc/{pid}/task"))
        .filter_map(|task| fs::read_to_string(format!("/proc/{pid}/task/{task}/schedstat")).ok())
        .filter_map(|line| line.split_whitespace().next()?.parse::<u64>().ok())
        .sum::<u64>()
        / 1000
}

fn kilobytes(text: &str) -> u64 {
    text.split_whitespace().next().and_then(|n| n.parse::<u64>().ok()).unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_spaces_does_not_shift_the_fields() {
        let line = b"12 (a) R 1) b) S 7 12 9 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 100 1000 50 0\n";
        let stat = parse_stat(line).unwrap();
        assert_eq!((stat.state, stat.parent, stat.group, stat.session), (b'S', 7, 12, 9));
        assert_eq!((stat.own_ticks, stat.children_ticks), (11, 15));
        let dead = |threads| Stat { state: b'Z', threads, ..stat }.is_living();
        assert!(stat.is_living() && dead(2) && !dead(1), "a first thread that ended is not the process");
    }

    #[test]
    fn limits_are_read_by_their_name() {
        let text = "Limit                     Soft Limit           Hard Limit           Units     \n\
                    Max file size             1048576              unlimited            bytes     \n\
                    Max open files            unlimited            1024                 files     \n";
        assert_eq!(soft_limit(text, "Max file size"), Some(1 << 20));
        assert_eq!(soft_limit(text, "Max open files"), Some(u64::MAX));
        assert_eq!(soft_limit(text, "Max processes"), None);
        assert!(soft_limit(&limits(std::process::id() as i32), "Max open files").is_some());
    }

    #[test]
    fn a_torn_line_is_nothing() {
        assert_eq!(parse_stat(b"12 (sh) S 7"), None);
        assert_eq!(parse_stat(b""), None);
    }

    #[test]
    fn this_process_uses_memory_and_has_its_children() {
        let me = std::process::id() as i32;
        assert!(usage(me).unwrap().peak_rss_bytes > 0);
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        assert!(descendants(me).contains(&(child.id() as i32)));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!descendants(me).contains(&(child.id() as i32)));
    }
}
