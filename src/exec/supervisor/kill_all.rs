//! Kills processes until none is left, and reaps them.

use crate::exec::tree;
use rustix::process::{Pid, Signal, WaitOptions};
use std::time::{Duration, Instant};

/// How long to try before the rest is left (a process that hangs in the kernel can't be killed).
const KILL_TIMEOUT: Duration = Duration::from_millis(1500);
/// How many scans in a row must find nothing: one scan can miss a process that is moved to another parent meanwhile.
const REQUIRED_EMPTY_SCANS: u32 = 2;
/// How many processes are killed per scan: processes that fork would become more during a full scan.
const BATCH_SIZE: usize = 256;

/// Kills and reaps every process below `own` except `keep`. Returns whether none was left. Processes are stopped before
/// they are killed, so that processes that fork can't escape.
///
/// A process that forks and exits at once is dead when it is seen, and its child is not listed yet. So unreaped dead
/// processes count too, and children get their signals before anything else is read: their ids can't be reused before
/// they are reaped.
pub(super) fn kill_all(own: i32, keep: Option<i32>) -> bool {
    let until = Instant::now() + KILL_TIMEOUT;
    let others = |pids: Vec<i32>| -> Vec<Pid> {
        pids.into_iter().filter(|pid| Some(*pid) != keep).filter_map(Pid::from_raw).collect()
    };
    let mut clean = 0;
    while clean < REQUIRED_EMPTY_SCANS {
        let children = others(tree::children_of(own));
        end(&children);
        let found = others(tree::descendants_up_to(own, BATCH_SIZE));
        end(&found);
        for pid in &children {
            let _ = rustix::process::waitpid(Some(*pid), WaitOptions::NOHANG);
        }
        if children.is_empty() && found.is_empty() {
            clean += 1;
            continue;
        }
        if Instant::now() >= until {
            return false;
        }
        clean = 0;
        std::thread::sleep(Duration::from_micros(100));
    }
    true
}

fn end(pids: &[Pid]) {
    for signal in [Signal::STOP, Signal::KILL] {
        for pid in pids {
            let _ = rustix::process::kill_process(*pid, signal);
        }
    }
}
