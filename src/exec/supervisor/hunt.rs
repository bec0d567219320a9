//! Ends processes until none is left, and buries the dead.

use crate::exec::tree;
use rustix::process::{Pid, Signal, WaitOptions};
use std::time::{Duration, Instant};

/// How long processes are hunted before the rest is given up (a process that hangs in the kernel can't be ended).
const HUNT_TIMEOUT: Duration = Duration::from_millis(1500);
/// So many looks one after the other have to find nothing: what is handed to a new parent meanwhile is missed by one.
const REQUIRED_LOOKS: u32 = 2;
/// So many get their signals at a time: while all of a crowd that forks are looked for, it grows.
const BATCH_SIZE: usize = 256;

/// Ends every process below `own` but `keep`, and buries the dead; whether none was there any more. They are stopped
/// before they are killed, so that a crowd that forks can't outrun this.
///
/// A process that forks and ends at once is dead when it is looked at, and its child is not in the list yet. So the dead
/// count too, as long as they are not buried, and children get their signals before anything else is read: their
/// numbers are theirs until they are buried.
pub(super) fn hunt(own: i32, keep: Option<i32>) -> bool {
    let until = Instant::now() + HUNT_TIMEOUT;
    let others = |pids: Vec<i32>| -> Vec<Pid> {
        pids.into_iter().filter(|pid| Some(*pid) != keep).filter_map(Pid::from_raw).collect()
    };
    let mut clean = 0;
    while clean < REQUIRED_LOOKS {
        let children = others(tree::children_of(own));
        end(&children);
        let found = others(tree::crowd(own, BATCH_SIZE));
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
