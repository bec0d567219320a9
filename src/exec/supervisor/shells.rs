//! Interrupts that shells would lose. While bash waits for a program, it leaves it to the program's end what an interrupt
//! means: a program that ends well just as the signal comes has dealt with it, as bash sees it, and its loop goes on.
//!
//! So it is given at a moment when no program can end well any more: the group is stopped first. The system stops all
//! processes of a group at once, those that are just born too; what then goes on meets the interrupt before all else.
//! It is given once: a shell that cleans up after it is not told apart from one that lost it.

use crate::exec::tree;
use rustix::process::{Pid, Signal, kill_process_group};
use std::time::{Duration, Instant};

/// How often such a moment is looked for: a shell that waits for no program never has one, and needs none.
const MAX_TRIES: usize = 40;
/// How long it is looked for, on a machine that is so busy that stopping takes its time.
const SEARCH_TIMEOUT: Duration = Duration::from_millis(200);
const LOOK_INTERVAL: Duration = Duration::from_micros(200);
/// What a group may do between two tries.
const STEP_DELAY: Duration = Duration::from_micros(700);

/// Stops a group in which a shell may wait for a program, at a moment when the shell can't lose an interrupt, if there is
/// one; whether it was stopped. It goes on once it is signalled.
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

/// The shells of a group that deal with an interrupt themselves, as they do while they wait. A program of theirs that is
/// just being born looks like them.
fn shells(own: i32, group: Pid) -> Vec<i32> {
    members(own, group)
        .filter(|pid| tree::runs_program(*pid, "bash") && tree::handles_signals(*pid, &[tree::INTERRUPT]))
        .collect()
}

/// Whether a shell that is stopped waits for a program that an interrupt reaches, and none of its programs has just ended.
/// What it put into the background ignores interrupts.
fn waits_for_one_that_lives(shell: i32) -> bool {
    let children = tree::children_of(shell);
    children.iter().all(|child| tree::is_living(*child))
        && children.iter().any(|child| !tree::ignores_signal(*child, tree::INTERRUPT))
}
