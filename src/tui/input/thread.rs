//! The thread that reads the terminal, and the signal listener; both feed one bounded channel.
//!
//! The thread sleeps in `poll` on the terminal and a wake socket, so it never wakes up while idle. It notices
//! when the terminal hangs up, and can be paused while another program (an editor, the shell) has the terminal.

use super::parser::InputParser;
use super::paste_detection::{self, UnmarkedPaste};
use super::{InputEvent, Signal, TimedEvent};
use crate::text::system_error::words;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::mpsc as std_mpsc;
use std::time::{Duration, Instant};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// The most events in the channel; a full channel holds the reader back, and further bytes wait in the
/// terminal.
const CHANNEL_CAPACITY: usize = 1024;
/// Bytes read at once.
const READ_BYTES: usize = 16 << 10;

#[derive(Debug, thiserror::Error)]
pub(crate) enum InputError {
    /// The thread or its socket could not be created.
    #[error("the terminal can't be read: {}", words(.0))]
    Start(#[source] io::Error),
    /// Signals can't be received.
    #[error("signals can't be listened to: {}", words(.0))]
    Signals(#[source] io::Error),
}

/// An order to the thread; the thread acknowledges each.
enum InputOrder {
    Pause,
    Resume,
    Quit,
}

/// The receiving end of the channel, and the control of the thread.
pub(crate) struct Input {
    events: mpsc::Receiver<TimedEvent>,
    sender: mpsc::Sender<TimedEvent>,
    orders: std_mpsc::Sender<(InputOrder, std_mpsc::Sender<()>)>,
    wake: UnixStream,
    /// The tasks that listen to signals; they end with it.
    signals: JoinSet<()>,
}

impl Input {
    /// Starts reading this terminal. Call it inside the runtime.
    ///
    /// # Errors
    /// When the thread or the signal listeners can't be created.
    pub(crate) fn start(tty: OwnedFd, esc_delay: Duration) -> Result<Self, InputError> {
        let (sender, events) = mpsc::channel(CHANNEL_CAPACITY);
        let (wake, woken) = UnixStream::pair().map_err(InputError::Start)?;
        let (orders, taken) = std_mpsc::channel();
        let reader_sender = sender.clone();
        std::thread::Builder::new()
            .name("input".into())
            .stack_size(128 << 10)
            .spawn(move || {
                InputReader {
                    tty,
                    woken,
                    orders: taken,
                    to: reader_sender,
                    parser: InputParser::new(esc_delay),
                    pasted: UnmarkedPaste::default(),
                }
                .run();
            })
            .map_err(InputError::Start)?;
        Ok(Self { events, sender, orders, wake, signals: JoinSet::new() })
    }

    /// Starts listening to signals; `size` is called to get the window's new size.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn listen_to_signals(
        &mut self,
        size: impl Fn() -> Option<(u16, u16)> + Send + 'static,
    ) -> Result<(), InputError> {
        self.listen(SignalKind::window_change(), move || {
            size().map(|(width, height)| InputEvent::Resize(width, height))
        })?;
        for (kind, event) in [
            (SignalKind::terminate(), Signal::Terminate),
            (SignalKind::quit(), Signal::Quit),
            (SignalKind::hangup(), Signal::Hangup),
            (SignalKind::interrupt(), Signal::Interrupt),
            (SignalKind::from_raw(rustix::process::Signal::TSTP.as_raw()), Signal::Suspend),
            (SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()), Signal::Continued),
        ] {
            self.listen(kind, move || Some(InputEvent::Signal(event)))?;
        }
        Ok(())
    }

    /// Starts a task that sends an event for each signal of a kind.
    fn listen(
        &mut self,
        kind: SignalKind,
        event: impl Fn() -> Option<InputEvent> + Send + 'static,
    ) -> Result<(), InputError> {
        let mut listener = signal(kind).map_err(InputError::Signals)?;
        let to = self.sender.clone();
        self.signals.spawn(async move {
            while listener.recv().await.is_some() {
                let Some(event) = event() else { continue };
                if to.send(TimedEvent { event, at: Instant::now(), bytes: Vec::new() }).await.is_err() {
                    return;
                }
            }
        });
        Ok(())
    }

    /// The next event; cancel-safe. `None` never comes while `self` lives.
    pub(crate) async fn next(&mut self) -> Option<TimedEvent> {
        self.events.recv().await
    }

    /// Returns an event that has already arrived.
    pub(crate) fn try_next(&mut self) -> Option<TimedEvent> {
        self.events.try_recv().ok()
    }

    /// Stops reading because another program gets the terminal. Returns when the thread has stopped using it.
    pub(crate) fn pause(&self) {
        self.order(InputOrder::Pause);
    }

    pub(crate) fn resume(&self) {
        self.order(InputOrder::Resume);
    }

    fn order(&self, order: InputOrder) {
        let (done, acknowledged) = std_mpsc::channel();
        if self.orders.send((order, done)).is_ok() && (&self.wake).write_all(b"!").is_ok() {
            // A full channel may hold the thread back; it reads nothing then either.
            let _ = acknowledged.recv_timeout(Duration::from_millis(200));
        }
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        // Also wakes a reader that waits for room in the channel.
        self.events.close();
        self.order(InputOrder::Quit);
    }
}

/// The state of the reading thread.
struct InputReader {
    tty: OwnedFd,
    woken: UnixStream,
    orders: std_mpsc::Receiver<(InputOrder, std_mpsc::Sender<()>)>,
    to: mpsc::Sender<TimedEvent>,
    parser: InputParser,
    pasted: UnmarkedPaste,
}

/// Why `poll` returned.
enum PollResult {
    Order,
    Bytes,
    Hangup,
    Patience,
}

impl InputReader {
    fn run(mut self) {
        let mut paused = false;
        let mut buffer = vec![0u8; READ_BYTES];
        loop {
            match self.wait(paused) {
                PollResult::Order => match self.take_order() {
                    Some(InputOrder::Pause) => paused = true,
                    Some(InputOrder::Resume) => paused = false,
                    Some(InputOrder::Quit) => return,
                    None => {}
                },
                PollResult::Bytes => match rustix::io::read(&self.tty, &mut buffer) {
                    Ok(0) => return self.hang_up(),
                    Ok(n) => {
                        if !self.take(buffer.get(..n).unwrap_or_default()) {
                            return;
                        }
                    }
                    Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
                    Err(_) => return self.hang_up(),
                },
                PollResult::Hangup => return self.hang_up(),
                PollResult::Patience => {
                    let now = Instant::now();
                    if !self.end_paste(now) {
                        return;
                    }
                    self.parser.timeout();
                    if !self.send(now) {
                        return;
                    }
                }
            }
        }
    }

    /// Handles bytes that were read at once. Returns whether the receiver still exists.
    fn take(&mut self, bytes: &[u8]) -> bool {
        let at = Instant::now();
        // Inside an open sequence no byte is text.
        if self.parser.patience().is_none() && self.pasted.take(bytes) {
            return true;
        }
        if !self.end_paste(at) {
            return false;
        }
        self.parser.parse(bytes);
        self.send(at)
    }

    fn end_paste(&mut self, at: Instant) -> bool {
        self.pasted.end().is_none_or(|text| self.send_event(InputEvent::Paste(text), at))
    }

    /// Sends an event that has no bytes. `false`: the receiver is gone.
    fn send_event(&self, event: InputEvent, at: Instant) -> bool {
        self.to.blocking_send(TimedEvent { event, at, bytes: Vec::new() }).is_ok()
    }

    fn wait(&self, paused: bool) -> PollResult {
        let patience =
            if self.pasted.goes_on() { Some(paste_detection::PASTE_TIMEOUT) } else { self.parser.patience() };
        let patience = patience.filter(|_| !paused);
        let timeout = patience.and_then(|d| Timespec::try_from(d).ok());
        let mut fds = vec![PollFd::new(&self.woken, PollFlags::IN)];
        if !paused {
            fds.push(PollFd::new(&self.tty, PollFlags::IN));
        }
        match poll(&mut fds, timeout.as_ref()) {
            Ok(0) => PollResult::Patience,
            Ok(_) => {
                let events = |i: usize| fds.get(i).map_or(PollFlags::empty(), PollFd::revents);
                if !events(0).is_empty() {
                    PollResult::Order
                } else if events(1).contains(PollFlags::IN) {
                    PollResult::Bytes
                } else {
                    PollResult::Hangup
                }
            }
            // Interrupted: nothing is known, check again.
            Err(rustix::io::Errno::INTR) => PollResult::Order,
            Err(_) => PollResult::Hangup,
        }
    }

    fn take_order(&mut self) -> Option<InputOrder> {
        let (order, done) = self.orders.try_recv().ok()?;
        let mut byte = [0u8; 1];
        // Each order comes with one byte on the wake socket.
        let _ = self.woken.read_exact(&mut byte);
        let _ = done.send(());
        Some(order)
    }

    /// Sends the recognized events, waiting for room in the channel. `false`: the receiver is gone.
    fn send(&mut self, at: Instant) -> bool {
        let mut events = self.parser.take_with_bytes();
        events.all(|(event, bytes)| self.to.blocking_send(TimedEvent { event, at, bytes }).is_ok())
    }

    fn hang_up(&self) {
        self.send_event(InputEvent::Hangup, Instant::now());
    }
}

#[cfg(test)]
mod tests;
