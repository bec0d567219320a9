//! Ends processes until none is left, and buries the dead.

use crate::exec::tree;
use rustix::process::{Pid, Signal, WaitOptions};
use std::time::{Duration, Instant};

/// How long processes are hunted before the rest is given up (a process that hangs in the kernel can't be ended).
const HUNT: Duration = Duration::from_millis(1500);

/// Ends every process below `own` but `keep`, and buries the dead. They are stopped before they are killed, so that a
/// crowd that forks can't outrun this.
pub(super) fn hunt(own: i32, keep: Option<i32>) {
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
