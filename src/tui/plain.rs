//! The session as lines that are only added: for screen readers, for terminals that can't be drawn on, for small ones.
//!
//! Nothing is drawn anew and no escape sequence is written. A block is printed whole, with its rights and findings; then
//! a whole word decides. What was typed before a question is put aside and never answers it; neither does a paste of more
//! than one line, nor a line that comes sooner than a person could have read. One line that is pasted is as if it was typed:
//! a terminal tells the two apart only where escape sequences ask it to.

mod answering;
mod ask;
mod asking;
mod awaited;
mod block;
mod changes;
mod commands;
mod comparing;
mod deciding;
mod form;
mod given;
mod jobs;
mod lines;
mod page;
mod provider;
mod reply;
mod reporter;
mod searching;
mod session;
mod undoing;
mod words;

use super::{Exit, Options, TuiError, outside};
use crate::driver::Driver;
use lines::LineReader;
use page::PlainPage;
use std::time::{Duration, Instant};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Silence before work that goes on between two sessions is told of; the pauses behind grow.
const PROGRESS_DELAY: Duration = Duration::from_secs(1);

/// Why it can't open, or go on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlainError {
    /// Standard input is no terminal, or can't be waited for.
    #[error("sayso needs a terminal to ask at: {0}")]
    Input(#[source] std::io::Error),
    /// Standard output is gone.
    #[error("nothing can be printed: {0}")]
    Output(#[from] std::io::Error),
    /// Signals can't be listened to.
    #[error("signals can't be listened to: {0}")]
    Signals(#[source] std::io::Error),
}

/// The front end, for one session after the other.
pub(crate) struct Plain {
    lines: LineReader,
    page: PlainPage,
    signals: Signals,
    /// What was typed and not sent: the next message begins with it.
    kept: String,
    /// Whether the person or the terminal went away between two sessions.
    leaves: bool,
}

/// The signals that a person sends by keys, or a terminal when it goes.
struct Signals {
    interrupt: Signal,
    quit: Signal,
    terminate: Signal,
    hangup: Signal,
    /// When another program gave the terminal back last.
    returned: Option<Instant>,
}

/// What came by a signal.
enum SignalRequest {
    Interrupt,
    Leave,
}

impl Plain {
    /// Takes standard input and output. Call it inside the runtime.
    ///
    /// # Errors
    /// When standard input is no terminal.
    pub(crate) fn open() -> Result<Self, TuiError> {
        let lines = LineReader::open().map_err(PlainError::Input)?;
        let signals = Signals::listen().map_err(PlainError::Signals)?;
        Ok(Self { lines, page: PlainPage::new(), signals, kept: String::new(), leaves: false })
    }

    /// Works on one session until the person leaves it.
    ///
    /// # Errors
    /// When nothing can be printed any more.
    pub(crate) async fn run(&mut self, driver: &mut Driver, options: &Options) -> Result<Exit, TuiError> {
        if self.leaves {
            return Ok(Exit::Hangup);
        }
        Ok(session::Session::new(self, driver, options).go().await.map_err(PlainError::Output)?)
    }
}

impl Plain {
    /// Waits for work that goes on in the place of a session. `far` says what goes on and how far it is; `stop` asks it to
    /// end, which it still does by itself.
    pub(crate) async fn wait_for<T>(
        &mut self,
        work: impl Future<Output = T>,
        far: impl Fn() -> String,
        stop: impl Fn(),
    ) -> T {
        tokio::pin!(work);
        let mut pause = PROGRESS_DELAY;
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
                signalled = self.signals.next() => {
                    self.leaves |= matches!(signalled, SignalRequest::Leave);
                    stop();
                }
                () = tokio::time::sleep(pause) => {
                    // Where nothing can be printed any more, the session that comes next finds out.
                    let _ = self.page.line(&far());
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
            returned: None,
        })
    }

    /// Another program has the terminal meanwhile; what it was sent by keys is not meant for this one, however late that is
    /// read: who listens anew hears nothing of it.
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
                Some(()) = self.interrupt.recv() => (SignalRequest::Interrupt, true),
                Some(()) = self.quit.recv() => (SignalRequest::Leave, true),
                Some(()) = self.terminate.recv() => (SignalRequest::Leave, false),
                Some(()) = self.hangup.recv() => (SignalRequest::Leave, false),
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
        // As if it was read long after the other program had ended.
        signals.returned = None;
        assert!(timeout(Duration::ZERO, signals.next()).await.is_err());
        press();
        assert!(matches!(timeout(patience, signals.next()).await, Ok(SignalRequest::Leave)));
    }
}
