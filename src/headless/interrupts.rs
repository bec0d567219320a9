//! Stops a turn on signals from outside.

use crate::driver::Driver;
use crate::engine::Command;
use crate::text::process_status::holds_signal;
use std::future::pending;
use std::io;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Instant, sleep_until};
/// How long a program may take to end after an interrupt before it is killed.
const KILL_TIMEOUT: Duration = Duration::from_secs(2);

/// The signals that stop a turn.
pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    /// `None` if it is ignored: then sayso was started to outlive the terminal (`nohup`).
    hangup: Option<Signal>,
}

impl Signals {
    pub(super) fn listen() -> io::Result<Self> {
        let hangup = (!is_ignored(SignalKind::hangup())).then(|| signal(SignalKind::hangup())).transpose()?;
        let (interrupt, terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        Ok(Self { interrupt, terminate, hangup })
    }

    pub(super) async fn interrupted(&mut self) {
        let Self { interrupt, terminate, hangup } = self;
        tokio::select! {
            Some(()) = interrupt.recv() => {}
            Some(()) = terminate.recv() => {}
            Some(()) = async { hangup.as_mut()?.recv().await } => {}
            else => pending().await,
        }
    }
}

/// Whether this process was started with a signal ignored, as far as the system tells.
fn is_ignored(kind: SignalKind) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    holds_signal(&status, "SigIgn", kind.as_raw_value())
}

/// How far stopping the turn has gone.
#[derive(Default)]
pub(super) struct Interrupts {
    pub(super) count: u32,
    kill_at: Option<Instant>,
}

impl Interrupts {
    /// The first interrupt asks everything to stop; the next kills the run.
    pub(super) fn interrupt(&mut self, driver: &mut Driver) {
        self.count += 1;
        if self.count > 1 {
            return self.kill(driver);
        }
        self.kill_at = Some(Instant::now() + KILL_TIMEOUT);
        driver.send(Command::Stop);
        // Otherwise the policy would start the following blocks.
        driver.send(Command::SkipAll);
    }

    pub(super) async fn kill_time_reached(&self) {
        match self.kill_at {
            Some(at) => sleep_until(at).await,
            None => pending().await,
        }
    }

    pub(super) fn kill(&mut self, driver: &mut Driver) {
        self.kill_at = None;
        driver.send(Command::Kill);
    }
}
