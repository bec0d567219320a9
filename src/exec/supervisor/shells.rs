//! Interrupts that shells lose. While bash waits for a program, it leaves it to the program's end what an interrupt means:
//! a program that ends well just as the signal comes has dealt with it, as bash sees it, and its loop goes on.
//!
//! Found by what it does: a bash that was there at the interrupt, and has a program that was not. Both get the interrupt
//! at a moment when the program can't end well any more.

use crate::exec::tree;
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How long a program is waited for that is to stand still.
const STILL: Duration = Duration::from_millis(5);
const INTERRUPT: i32 = 2;

/// The shells of this group that were `there` and have since started a program of the same group: both.
pub(super) fn that_went_on(own: i32, group: i32, there: &BTreeSet<i32>) -> Vec<(i32, i32)> {
    let processes: Vec<(i32, i32)> = tree::descendants(own)
        .into_iter()
        .filter_map(|pid| tree::family(pid).map(|family| (pid, family)))
        .filter(|(_, family)| family.group == group)
        .map(|(pid, family)| (pid, family.parent))
        .collect();
    let is_new = |(pid, _): &&(i32, i32)| !there.contains(pid);
    let of_shell = |(_, parent): &&(i32, i32)| {
        there.contains(parent)
            && processes.iter().any(|(pid, _)| pid == parent)
            && tree::runs(*parent, "bash")
            && tree::catches(*parent, &[INTERRUPT])
    };
    processes.iter().filter(is_new).filter(of_shell).map(|(pid, parent)| (*parent, *pid)).collect()
}

/// Interrupts a shell and the program that it waits for. The program stands still meanwhile: when it goes on, the signal
/// is what it meets first, and the shell has it already.
pub(super) fn interrupt(shell: i32, running: i32) {
    let send = |pid: i32, signal| Pid::from_raw(pid).map(|pid| kill_process(pid, signal));
    send(running, Signal::STOP);
    let until = Instant::now() + STILL;
    while Instant::now() < until && tree::is_moving(running) {
        std::thread::sleep(Duration::from_micros(200));
    }
    send(shell, Signal::INT);
    send(running, Signal::INT);
    send(running, Signal::CONT);
}
