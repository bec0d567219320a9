//! The session as lines that are only appended: for screen readers, for terminals that can't be drawn on, for
//! small ones.
//!
//! Nothing is redrawn and no escape sequence is written. A waiting block is printed whole, with its rights and
//! findings; then a whole word decides. These never answer a question: text typed before it, a paste of several
//! lines, a line that comes faster than a person could have read. A pasted single line counts as typed:
//! terminals only tell the two apart by escape sequences that sayso would have to request.

mod answering;
mod ask;
mod asking;
mod attachments;
mod awaited_jobs;
mod block;
mod changes;
mod commands;
mod comparing;
mod deciding;
mod form;
mod instructions;
mod jobs;
mod lines;
mod page;
mod provider;
mod reply;
mod reporter;
mod rows;
mod searching;
mod session;
mod undoing;
mod words;

use super::{Exit, Options, TuiError, outside};
use crate::driver::Driver;
use crate::text::system_error::words;
use lines::LineReader;
use page::LinePage;
use std::time::{Duration, Instant};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// After this long without output, work between two sessions is reported; the pauses after that grow.
const PROGRESS_DELAY: Duration = Duration::from_secs(1);

/// Why the line mode can't open, or can't continue.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LineModeError {
    /// Standard input is no terminal, or its input can't be waited for.
    #[error("sayso needs a terminal to ask at: {}", words(.0))]
    Input(#[source] std::io::Error),
    /// Standard output is closed.
    #[error("nothing can be printed: {}", words(.0))]
    Output(#[from] std::io::Error),
    /// Signals can't be received.
    #[error("signals can't be listened to: {}", words(.0))]
    Signals(#[source] std::io::Error),
}

/// The line mode, for one session after the other.
pub(crate) struct LineMode {
    lines: LineReader,
    page: LinePage,
    signals: Signals,
    /// Text that was typed and not sent: the next message begins with it.
    kept: String,
    /// Whether the person quit or the terminal was closed between two sessions.
    leaves: bool,
}

/// The signals sent by the person's keys, by the shell, or by a terminal that closes.
struct Signals {
    interrupt: Signal,
    quit: Signal,
    terminate: Signal,
    hangup: Signal,
    continued: Signal,
    /// When another program last gave the terminal back.
    returned: Option<Instant>,
}

enum SignalRequest {
    Interrupt,
    Leave,
    /// It was suspended; the shell may have changed the terminal's settings.
    Continue,
}

impl LineMode {
    /// Takes over standard input and output. Call it inside the runtime.
    ///
    /// # Errors
    /// When standard input is no terminal.
    pub(crate) fn open() -> Result<Self, TuiError> {
        let lines = LineReader::open().map_err(LineModeError::Input)?;
        let signals = Signals::listen().map_err(LineModeError::Signals)?;
        Ok(Self { lines, page: LinePage::new(), signals, kept: String::new(), leaves: false })
    }

    /// Runs one session until the person leaves it.
    ///
    /// # Errors
    /// When nothing can be printed any more.
    pub(crate) async fn run(&mut self, driver: &mut Driver, options: &Options) -> Result<Exit, TuiError> {
        if self.leaves {
            return Ok(Exit::Hangup);
        }
        Ok(session::Session::new(self, driver, options).go().await.map_err(LineModeError::Output)?)
    }

    /// Waits for work between sessions. `progress` returns what is being done and how far it is; `stop` asks the
    /// work to end, and it is waited for all the same.
    pub(crate) async fn wait_for<T>(
        &mut self,
        work: impl Future<Output = T>,
        progress: impl Fn() -> String,
        stop: impl Fn(),
    ) -> T {
        tokio::pin!(work);
        let mut pause = PROGRESS_DELAY;
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
                signalled = self.signals.next() => {
                    if matches!(signalled, SignalRequest::Continue) {
                        continue;
                    }
                    self.leaves |= matches!(signalled, SignalRequest::Leave);
                    stop();
                }
                () = tokio::time::sleep(pause) => {
                    // If nothing can be printed any more, the next session will notice.
                    let _ = self.page.line(&progress());
                    pause *= 4;
                }
            }
        }
    }
}

impl Signals {
    fn listen() -> std::io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            continued: signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()))?,
            returned: None,
        })
    }

    /// Runs another program in the terminal, and discards the signals that its keys caused, however late they
    /// are read: a newly created listener does not get earlier signals.
    fn while_outside<T>(&mut self, act: impl FnOnce() -> T) -> T {
        let result = act();
        for (listener, kind) in
            [(&mut self.interrupt, SignalKind::interrupt()), (&mut self.quit, SignalKind::quit())]
        {
            if let Ok(anew) = signal(kind) {
                *listener = anew;
            }
        }
        self.returned = Some(Instant::now());
        result
    }

    fn is_for_another(&self) -> bool {
        self.returned.is_some_and(|returned| returned.elapsed() < outside::LATE_SIGNAL_TIMEOUT)
    }

    async fn next(&mut self) -> SignalRequest {
        loop {
            let (request, by_key) = tokio::select! {
                // The shell continues a suspended program that it asks to end: that it ends comes first.
                biased;
                Some(()) = self.terminate.recv() => (SignalRequest::Leave, false),
                Some(()) = self.hangup.recv() => (SignalRequest::Leave, false),
                Some(()) = self.interrupt.recv() => (SignalRequest::Interrupt, true),
                Some(()) = self.quit.recv() => (SignalRequest::Leave, true),
                Some(()) = self.continued.recv() => (SignalRequest::Continue, false),
                else => std::future::pending().await,
            };
            if !(by_key && self.is_for_another()) {
                return request;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::{Signal, getpid, kill_process};
    use tokio::runtime::Handle;
    use tokio::time::timeout;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_key_that_another_program_had_is_not_obeyed_however_late_it_is_read() {
        let patience = Duration::from_secs(30);
        let mut signals = Signals::listen().unwrap();
        let mut other = signal(SignalKind::quit()).unwrap();
        let press = || kill_process(getpid(), Signal::QUIT).unwrap();
        let had = || {
            press();
            Handle::current().block_on(timeout(patience, other.recv())).unwrap();
        };
        tokio::task::block_in_place(|| signals.while_outside(had));
        // As if the signal was read long after the other program had ended.
        signals.returned = None;
        assert!(timeout(Duration::ZERO, signals.next()).await.is_err());
        press();
        assert!(matches!(timeout(patience, signals.next()).await, Ok(SignalRequest::Leave)));
    }
}
