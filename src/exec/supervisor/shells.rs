//! Prevents shells from losing interrupts. While bash waits for a program, the program's end decides what an interrupt
//! means: if the program ends normally just as the signal arrives, bash assumes that it has handled the signal, and
//! bash's own loop continues.
//!
//! So the interrupt is sent when no program can end normally any more: the group is stopped first. The system stops all
//! processes of a group at once, including new ones; when they continue, they receive the interrupt before anything
//! else. The interrupt is sent only once, since a shell that cleans up after it can't be told apart from one that lost
//! it.

use crate::exec::tree;
use rustix::process::{Pid, Signal, kill_process_group};
use std::time::{Duration, Instant};

/// How often to look for such a moment: a shell that waits for no program never has one, and needs none.
const MAX_TRIES: usize = 40;
/// How long to look for it, on a machine so busy that stopping takes time.
const SEARCH_TIMEOUT: Duration = Duration::from_millis(200);
const LOOK_INTERVAL: Duration = Duration::from_micros(200);
/// How long the group may run between two tries.
const STEP_DELAY: Duration = Duration::from_micros(700);

/// Stops a group in which a shell may wait for a program, if possible at a moment when the shell can't lose an
/// interrupt. Returns whether the group was stopped. The signal that follows resumes it.
pub(super) fn stop_before_interrupt(own: i32, group: Pid) -> bool {
    if shells(own, group).is_empty() {
        return false;
    }
    let until = Instant::now() + SEARCH_TIMEOUT;
    for rest in (0..MAX_TRIES).rev() {
        let _ = kill_process_group(group, Signal::STOP);
        while members(own, group).any(tree::is_moving) && Instant::now() < until {
            std::thread::sleep(LOOK_INTERVAL);
        }
        let is_safe = shells(own, group).into_iter().all(waits_for_one_that_lives);
        if is_safe || rest == 0 || Instant::now() >= until {
            break;
        }
        let _ = kill_process_group(group, Signal::CONT);
        std::thread::sleep(STEP_DELAY);
    }
    true
}

fn members(own: i32, group: Pid) -> impl Iterator<Item = i32> {
    let is_member = move |pid: &i32| tree::group(*pid) == Some(group.as_raw_nonzero().get());
    tree::descendants(own).into_iter().filter(is_member)
}

/// The shells of a group that have a handler for interrupts, as they do while they wait. A program that a shell has
/// just forked looks the same.
fn shells(own: i32, group: Pid) -> Vec<i32> {
    members(own, group)
        .filter(|pid| tree::runs_program(*pid, "bash") && tree::handles_signals(*pid, &[tree::INTERRUPT]))
        .collect()
}

/// Whether a stopped shell waits for a program that an interrupt reaches, and none of its programs has just ended. Its
/// background programs ignore interrupts.
fn waits_for_one_that_lives(shell: i32) -> bool {
    let children = tree::children_of(shell);
    children.iter().all(|child| tree::is_living(*child))
        && children.iter().any(|child| !tree::ignores_signal(*child, tree::INTERRUPT))
}
