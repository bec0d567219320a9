//! Decides how a run ended, from what the supervisor and the kernel reported. Pure.

use super::helper_wire::ResourceUse;
use super::kernel_wire::{BlockEnd, RunSummary};
use crate::domain::{Outcome, Receipt};
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct ExitKind {
    /// Its exit status, if it exited by itself.
    pub(crate) code: Option<i32>,
    /// The signal that ended it.
    pub(crate) signal: Option<i32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct OutsideStops {
    /// It exceeded a limit other than time; which.
    pub(crate) over: Option<String>,
    pub(crate) out_of_time: bool,
    /// The person interrupted it.
    pub(crate) interrupted: bool,
    /// The person killed it.
    pub(crate) killed: bool,
}

impl OutsideStops {
    /// How the run ended because of them, if that is known without its own end.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        match self {
            Self { over: Some(over), .. } => Some(Outcome::Limit(over.clone())),
            Self { out_of_time: true, .. } => Some(Outcome::TimedOut),
            Self { killed: true, .. } => Some(Outcome::Interrupted),
            _ => None,
        }
    }
}

/// Why Python did not start as a kernel, from the last line that it printed. A Python too old for the first option
/// can't report its version.
pub(super) fn start_failure(last_line: &str) -> &str {
    if last_line.starts_with("Unknown option: -I") || last_line.starts_with("Try `python -h'") {
        return "Python 3.8 or newer is needed, this is one before 3.4";
    }
    last_line
}

/// How the run of a program ended.
pub(super) fn program_outcome(ending: ExitKind, pressed: &OutsideStops) -> Outcome {
    pressed.outcome().unwrap_or_else(|| match ending {
        ExitKind { code: Some(0), .. } => Outcome::Ok,
        _ if pressed.interrupted => Outcome::Interrupted,
        ExitKind { code: Some(_), signal: None } => Outcome::Failed,
        _ => Outcome::Crashed(cause_of_death(ending)),
    })
}

/// How a block ended in a kernel that stays alive.
pub(super) fn block_outcome(done: &RunSummary, pressed: &OutsideStops) -> Outcome {
    match done.how {
        _ if pressed.out_of_time => Outcome::TimedOut,
        BlockEnd::Interrupted if pressed.interrupted => Outcome::Interrupted,
        BlockEnd::Ok => Outcome::Ok,
        BlockEnd::Exit if done.code == 0 => Outcome::Ok,
        BlockEnd::Exit | BlockEnd::Error | BlockEnd::Interrupted => Outcome::Failed,
    }
}

/// How a block ended whose kernel died during it.
pub(super) fn death_outcome(ending: ExitKind, pressed: &OutsideStops) -> Outcome {
    pressed.outcome().unwrap_or_else(|| match ending.signal {
        Some(2) if pressed.interrupted => Outcome::Interrupted,
        _ => Outcome::Crashed(cause_of_death(ending)),
    })
}

pub(super) fn cause_of_death(ending: ExitKind) -> String {
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

pub(super) fn receipt(wall: Duration, used: ResourceUse, code: Option<i32>, signal: Option<i32>) -> Receipt {
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

    const NOT: OutsideStops =
        OutsideStops { over: None, out_of_time: false, interrupted: false, killed: false };

    fn ended(code: Option<i32>, signal: Option<i32>) -> ExitKind {
        ExitKind { code, signal }
    }

    #[test]
    fn a_python_that_is_too_old_to_say_so_is_told_as_that() {
        for said in ["Unknown option: -I", "Try `python -h' for more information."] {
            assert_eq!(start_failure(said), "Python 3.8 or newer is needed, this is one before 3.4");
        }
        assert_eq!(start_failure("ImportError: no module named x"), "ImportError: no module named x");
    }

    #[test]
    fn programs() {
        assert_eq!(program_outcome(ended(Some(0), None), &NOT), Outcome::Ok);
        assert_eq!(program_outcome(ended(Some(3), None), &NOT), Outcome::Failed);
        assert!(matches!(program_outcome(ended(None, Some(11)), &NOT), Outcome::Crashed(_)));
        let interrupted = OutsideStops { interrupted: true, ..NOT };
        assert_eq!(program_outcome(ended(Some(130), None), &interrupted), Outcome::Interrupted);
        // The interrupt arrived too late, or the program ignored it, and it ended well.
        assert_eq!(program_outcome(ended(Some(0), None), &interrupted), Outcome::Ok);
        let out_of_time = OutsideStops { out_of_time: true, ..NOT };
        assert_eq!(program_outcome(ended(Some(0), None), &out_of_time), Outcome::TimedOut);
        let killed = OutsideStops { killed: true, ..NOT };
        assert_eq!(program_outcome(ended(None, Some(9)), &killed), Outcome::Interrupted);
    }

    #[test]
    fn a_limit_is_told_as_what_it_is() {
        let over = OutsideStops { over: Some("memory: 2.1 of 2 GiB".into()), ..NOT };
        let limit = Outcome::Limit("memory: 2.1 of 2 GiB".into());
        assert_eq!(program_outcome(ended(None, Some(9)), &over), limit);
        assert_eq!(death_outcome(ended(None, Some(9)), &over), limit);
    }

    #[test]
    fn what_was_done_from_outside_is_told_before_the_cause() {
        let out_of_time = OutsideStops { out_of_time: true, ..NOT };
        assert_eq!(out_of_time.outcome(), Some(Outcome::TimedOut));
        assert_eq!(OutsideStops { killed: true, ..out_of_time }.outcome(), Some(Outcome::TimedOut));
        assert_eq!(OutsideStops { killed: true, ..NOT }.outcome(), Some(Outcome::Interrupted));
        assert_eq!(OutsideStops { interrupted: true, ..NOT }.outcome(), None);
    }

    #[test]
    fn deaths_are_told_by_their_cause() {
        let expected = Outcome::Crashed("segmentation fault (SIGSEGV)".into());
        assert_eq!(death_outcome(ended(None, Some(11)), &NOT), expected);
        let expected = Outcome::Crashed("the process ended itself with status 3".into());
        assert_eq!(death_outcome(ended(Some(3), None), &NOT), expected);
        // A crash after an interrupt is still a crash.
        let interrupted = OutsideStops { interrupted: true, ..NOT };
        assert!(matches!(death_outcome(ended(None, Some(11)), &interrupted), Outcome::Crashed(_)));
    }
}
