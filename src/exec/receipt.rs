//! How a run ended, from what the supervisor and the kernel told. Pure.

use super::helper_wire::Used;
use super::kernel_wire::{Done, How};
use crate::domain::{Outcome, Receipt};
use std::time::Duration;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Ending {
    /// Its exit status, where it ended by itself.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

/// What was done to a run from outside.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Pressed {
    /// It passed another limit, and which.
    pub over: Option<String>,
    /// It reached its time limit.
    pub out_of_time: bool,
    /// The person interrupted it.
    pub interrupted: bool,
    /// The person ended it by force.
    pub killed: bool,
}

/// How the run of a program ended.
pub fn of_program(ending: Ending, pressed: &Pressed) -> Outcome {
    if let Some(over) = &pressed.over {
        return Outcome::Limit(over.clone());
    }
    match ending {
        _ if pressed.out_of_time => Outcome::TimedOut,
        _ if pressed.killed => Outcome::Interrupted,
        Ending { code: Some(0), .. } => Outcome::Ok,
        _ if pressed.interrupted => Outcome::Interrupted,
        Ending { signal: Some(_), .. } => Outcome::Crashed(cause_of_death(ending)),
        Ending { code: Some(_), .. } => Outcome::Failed,
        _ => Outcome::Crashed(cause_of_death(ending)),
    }
}

/// How a block ended in a kernel that goes on.
pub fn of_block(done: &Done, pressed: &Pressed) -> Outcome {
    match done.how {
        _ if pressed.out_of_time => Outcome::TimedOut,
        How::Interrupted if pressed.interrupted => Outcome::Interrupted,
        How::Ok => Outcome::Ok,
        How::Exit if done.code == 0 => Outcome::Ok,
        How::Exit | How::Error | How::Interrupted => Outcome::Failed,
    }
}

/// How a block ended whose kernel died under it.
pub fn of_death(ending: Ending, pressed: &Pressed) -> Outcome {
    if let Some(over) = &pressed.over {
        Outcome::Limit(over.clone())
    } else if pressed.out_of_time {
        Outcome::TimedOut
    } else if pressed.killed || (pressed.interrupted && ending.signal == Some(2)) {
        Outcome::Interrupted
    } else {
        Outcome::Crashed(cause_of_death(ending))
    }
}

/// How a run ended whose process is gone: by what was done to it, else by its own cause.
pub fn of_loss(cause: &str, pressed: &Pressed, own: impl Fn(String) -> Outcome) -> Outcome {
    match pressed {
        Pressed { over: Some(over), .. } => Outcome::Limit(over.clone()),
        Pressed { out_of_time: true, .. } => Outcome::TimedOut,
        Pressed { killed: true, .. } => Outcome::Interrupted,
        _ => own(cause.to_owned()),
    }
}

/// Why a process died, in words.
pub fn cause_of_death(ending: Ending) -> String {
    let Some(signal) = ending.signal else {
        return match ending.code {
            Some(code) => format!("the process ended itself with status {code}"),
            None => "the process is gone, its end was not seen".into(),
        };
    };
    let (name, words) = match signal {
        1 => ("SIGHUP", "hung up"),
        2 => ("SIGINT", "interrupted"),
        3 => ("SIGQUIT", "quit"),
        4 => ("SIGILL", "illegal instruction"),
        6 => ("SIGABRT", "aborted"),
        7 => ("SIGBUS", "bus error"),
        8 => ("SIGFPE", "arithmetic error"),
        9 => ("SIGKILL", "killed, as the system does when memory runs out"),
        11 => ("SIGSEGV", "segmentation fault"),
        13 => ("SIGPIPE", "broken pipe"),
        14 => ("SIGALRM", "alarm"),
        15 => ("SIGTERM", "terminated"),
        24 => ("SIGXCPU", "over its processor time"),
        25 => ("SIGXFSZ", "over its file size"),
        _ => return format!("ended by signal {signal}"),
    };
    format!("{words} ({name})")
}

/// What the run used.
pub fn receipt(wall: Duration, used: Used, code: Option<i32>, signal: Option<i32>) -> Receipt {
    Receipt {
        wall_us: u64::try_from(wall.as_micros()).unwrap_or(u64::MAX),
        cpu_us: used.cpu_us,
        peak_rss_bytes: used.peak_rss_bytes,
        processes: used.processes,
        exit_code: code,
        signal,
        ..Receipt::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOT: Pressed = Pressed { over: None, out_of_time: false, interrupted: false, killed: false };

    fn ended(code: Option<i32>, signal: Option<i32>) -> Ending {
        Ending { code, signal }
    }

    #[test]
    fn programs() {
        assert_eq!(of_program(ended(Some(0), None), &NOT), Outcome::Ok);
        assert_eq!(of_program(ended(Some(3), None), &NOT), Outcome::Failed);
        assert!(matches!(of_program(ended(None, Some(11)), &NOT), Outcome::Crashed(_)));
        let interrupted = Pressed { interrupted: true, ..NOT };
        assert_eq!(of_program(ended(Some(130), None), &interrupted), Outcome::Interrupted);
        // It heard the interrupt, or never noticed it, and came to its good end.
        assert_eq!(of_program(ended(Some(0), None), &interrupted), Outcome::Ok);
        let out_of_time = Pressed { out_of_time: true, ..NOT };
        assert_eq!(of_program(ended(Some(0), None), &out_of_time), Outcome::TimedOut);
        assert_eq!(of_program(ended(None, Some(9)), &Pressed { killed: true, ..NOT }), Outcome::Interrupted);
    }

    #[test]
    fn a_limit_is_told_as_what_it_is() {
        let over = Pressed { over: Some("memory: 2.1 of 2 GiB".into()), ..NOT };
        let limit = Outcome::Limit("memory: 2.1 of 2 GiB".into());
        assert_eq!(of_program(ended(None, Some(9)), &over), limit);
        assert_eq!(of_death(ended(None, Some(9)), &over), limit);
    }

    #[test]
    fn what_was_done_from_outside_is_told_before_the_cause() {
        let out_of_time = Pressed { out_of_time: true, ..NOT };
        assert_eq!(of_loss("x", &out_of_time, Outcome::Crashed), Outcome::TimedOut);
        let killed = Pressed { killed: true, ..NOT };
        assert_eq!(of_loss("x", &killed, Outcome::Limit), Outcome::Interrupted);
        assert_eq!(of_loss("x", &NOT, Outcome::Limit), Outcome::Limit("x".into()));
    }

    #[test]
    fn deaths_are_told_by_their_cause() {
        assert_eq!(
            of_death(ended(None, Some(11)), &NOT),
            Outcome::Crashed("segmentation fault (SIGSEGV)".into())
        );
        assert_eq!(
            of_death(ended(Some(3), None), &NOT),
            Outcome::Crashed("the process ended itself with status 3".into())
        );
        // A crash after an interrupt is a crash.
        let interrupted = Pressed { interrupted: true, ..NOT };
        assert!(matches!(of_death(ended(None, Some(11)), &interrupted), Outcome::Crashed(_)));
    }
}
