//! Sends the events of a run over a bounded channel, without ever waiting while the run is going on.
//!
//! All facts (started, image, variables, ended) arrive, in order. If the receiver is slow, the oldest waiting output is
//! dropped, and counted in the piece behind it: the report at the end has it, as far as it keeps output. A little output
//! is sent at once, a flood in few large pieces.

use crate::domain::{
    Chunk, Outcome, OutputBuffer, RunEvent, RunId, RunReport, RunRequest, Stream, TerminalScreen,
};
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{Sender, error::TrySendError};

/// How much output may wait at most, with what its pieces take themselves.
const MAX_WAITING_BYTES: usize = 1 << 20;
/// What a piece counts besides its bytes. Few pieces are sent in a window, however small they are, so many small ones
/// that wait would show a run long after it printed them.
const PIECE_BYTES: usize = 1 << 10;
/// The size from which a piece is not made larger.
const MAX_PIECE_BYTES: usize = 64 << 10;
/// In each window this many pieces, and about as many bytes as the largest has, are sent at once; the rest waits for
/// the next window.
const WINDOW: Duration = Duration::from_millis(16);
const PIECES_PER_WINDOW: u32 = 8;

/// The channel to the caller that started the run.
#[derive(Debug)]
pub(super) struct EventSender {
    run: RunId,
    out: Sender<(RunId, RunEvent)>,
    /// What is not sent yet, oldest first: facts and output.
    waiting: VecDeque<RunEvent>,
    /// How many of these are to be sent as soon as there is room: up to the last fact.
    urgent: usize,
    /// What the output among them takes.
    waiting_bytes: usize,
    /// How many bytes of each stream were dropped before what it prints next.
    skipped: [u64; 2],
    /// The latest state of its terminal, if not sent yet. An older state is replaced.
    screen: Option<Box<TerminalScreen>>,
    window: Instant,
    pieces: u32,
    bytes: usize,
}

impl EventSender {
    pub(super) fn new(run: RunId, out: Sender<(RunId, RunEvent)>) -> Self {
        Self {
            run,
            out,
            waiting: VecDeque::new(),
            urgent: 0,
            waiting_bytes: 0,
            skipped: [0; 2],
            screen: None,
            window: Instant::now(),
            pieces: 0,
            bytes: 0,
        }
    }

    /// Sends a fact after the output that came before it.
    pub(super) fn send(&mut self, event: RunEvent) {
        for stream in [Stream::Stdout, Stream::Stderr] {
            if self.skipped[stream as usize] > 0 {
                // No piece came behind the gap that could tell it.
                self.push(stream, Vec::new());
            }
        }
        self.waiting.push_back(event);
        self.urgent = self.waiting.len();
        self.send_urgent();
    }

    /// Sends something that is soon outdated. Drops it if the channel has no room.
    pub(super) fn send_if_room(&mut self, event: RunEvent) {
        if self.urgent == 0 {
            let _ = self.out.try_send((self.run, event));
        }
    }

    /// Sends the state of the run's terminal, now or a little later.
    pub(super) fn send_screen(&mut self, screen: Box<TerminalScreen>) {
        self.screen = Some(screen);
        self.flush(Instant::now());
    }

    /// Sends output, now or a little later.
    pub(super) fn print(&mut self, stream: Stream, bytes: &[u8]) {
        for piece in bytes.chunks(MAX_PIECE_BYTES) {
            match self.waiting.back_mut() {
                Some(RunEvent::Output(last))
                    if last.stream == stream && last.bytes.len() + piece.len() <= MAX_PIECE_BYTES =>
                {
                    last.bytes.extend_from_slice(piece);
                    self.waiting_bytes += piece.len();
                }
                _ => self.push(stream, piece.to_vec()),
            }
            self.skip();
        }
        self.flush(Instant::now());
    }

    /// When [`EventSender::flush`] has to be called next; `None` if nothing waits.
    pub(super) fn due(&self) -> Option<Instant> {
        (!self.waiting.is_empty() || self.screen.is_some()).then(|| self.window + WINDOW)
    }

    pub(super) fn flush(&mut self, now: Instant) {
        if now >= self.window + WINDOW {
            (self.window, self.pieces, self.bytes) = (now, 0, 0);
        }
        self.send_urgent();
        while self.urgent == 0 && self.pieces < PIECES_PER_WINDOW && self.bytes < MAX_PIECE_BYTES {
            if self.waiting.is_empty() {
                return self.flush_screen();
            }
            let before = self.waiting_bytes;
            if !self.send_oldest() {
                return;
            }
            self.pieces += 1;
            self.bytes += before - self.waiting_bytes;
        }
    }

    /// Sends at most two screens in each window: nobody could see more.
    fn flush_screen(&mut self) {
        let Some(screen) = self.screen.take() else { return };
        self.pieces += PIECES_PER_WINDOW / 2;
        if let Err(TrySendError::Full((_, RunEvent::Screen(screen)))) =
            self.out.try_send((self.run, RunEvent::Screen(screen)))
        {
            self.screen = Some(screen);
        }
    }

    /// Sends the end of the run, the last event. If the channel has no room, a thread waits for it.
    pub(super) fn finish(mut self, report: RunReport) {
        self.send(RunEvent::Ended(Box::new(report)));
        if self.waiting.is_empty() {
            return;
        }
        let Self { run, out, waiting, .. } = self;
        std::thread::spawn(move || {
            for event in waiting {
                if out.blocking_send((run, event)).is_err() {
                    return;
                }
            }
        });
    }

    fn send_urgent(&mut self) {
        while self.urgent > 0 && self.send_oldest() {
            self.urgent = self.urgent.saturating_sub(1);
        }
    }

    /// Sends the oldest of what waits; returns false if the channel has no room, or nobody receives any more.
    fn send_oldest(&mut self) -> bool {
        let Some(event) = self.waiting.pop_front() else { return false };
        let bytes = room_of(&event);
        match self.out.try_send((self.run, event)) {
            Ok(()) => {
                self.waiting_bytes -= bytes;
                true
            }
            Err(TrySendError::Full((_, event))) => {
                self.waiting.push_front(event);
                false
            }
            Err(TrySendError::Closed(_)) => {
                self.waiting.clear();
                (self.urgent, self.waiting_bytes) = (0, 0);
                false
            }
        }
    }

    /// Adds a piece that tells what was dropped before it.
    fn push(&mut self, stream: Stream, bytes: Vec<u8>) {
        let skipped = std::mem::take(&mut self.skipped[stream as usize]);
        let event = RunEvent::Output(Chunk { stream, bytes, skipped });
        self.waiting_bytes += room_of(&event);
        self.waiting.push_back(event);
    }

    /// Drops the oldest output that waits, as far as it is too much.
    fn skip(&mut self) {
        while self.waiting_bytes > MAX_WAITING_BYTES {
            let oldest = self.waiting.iter().position(|event| matches!(event, RunEvent::Output(_)));
            let Some((at, event)) = oldest.and_then(|at| Some((at, self.waiting.remove(at)?))) else {
                return;
            };
            self.waiting_bytes -= room_of(&event);
            self.urgent -= usize::from(at < self.urgent);
            let RunEvent::Output(Chunk { stream, bytes, skipped }) = event else { return };
            let dropped = bytes.len() as u64 + skipped;
            let next = self.waiting.iter_mut().skip(at).find_map(|event| match event {
                RunEvent::Output(chunk) if chunk.stream == stream => Some(chunk),
                _ => None,
            });
            match next {
                Some(next) => next.skipped += dropped,
                None => self.skipped[stream as usize] += dropped,
            }
        }
    }
}

/// What an event counts among the output that waits.
fn room_of(event: &RunEvent) -> usize {
    match event {
        RunEvent::Output(chunk) => chunk.bytes.len() + PIECE_BYTES,
        _ => 0,
    }
}

/// Reports that a run never started.
pub(super) fn did_not_run(request: &RunRequest, out: Sender<(RunId, RunEvent)>, outcome: Outcome) {
    let approval = request.approval();
    let output = OutputBuffer::new(approval.terms().limits.output_kept_bytes);
    EventSender::new(approval.run(), out).finish(RunReport { output, ..RunReport::bare(outcome) });
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::mpsc::{Receiver, channel};

    fn all(mut receiver: Receiver<(RunId, RunEvent)>) -> Vec<RunEvent> {
        std::iter::from_fn(|| receiver.blocking_recv()).map(|(_, event)| event).collect()
    }

    #[test]
    fn a_little_output_is_passed_on_at_once() {
        let (sender, mut receiver) = channel(8);
        let mut events = EventSender::new(RunId(1), sender);
        events.print(Stream::Stdout, b"one");
        let chunk = Chunk::new(Stream::Stdout, b"one");
        assert_eq!(receiver.try_recv().unwrap().1, RunEvent::Output(chunk));
        assert_eq!(events.due(), None);
    }

    #[test]
    fn a_flood_is_skipped_forward_and_the_end_arrives() {
        let (sender, receiver) = channel(4);
        let reader = std::thread::spawn(move || all(receiver));
        let mut events = EventSender::new(RunId(1), sender);
        for _ in 0..4000 {
            events.print(Stream::Stdout, &vec![b'x'; 40_000]);
        }
        events.print(Stream::Stdout, b"the end");
        events.finish(RunReport::bare(Outcome::Ok));
        let events = reader.join().unwrap();
        assert!(matches!(events.last(), Some(RunEvent::Ended(_))));
        let output: Vec<&Chunk> =
            events.iter().filter_map(|e| if let RunEvent::Output(c) = e { Some(c) } else { None }).collect();
        let sent = output.iter().map(|c| c.bytes.len()).sum::<usize>();
        assert!(sent < 100 << 20, "not skipped");
        let skipped = output.iter().map(|c| c.skipped).sum::<u64>();
        assert_eq!(sent as u64 + skipped, 4000 * 40_000 + 7, "what is missing is counted");
        assert!(output.last().unwrap().bytes.ends_with(b"the end"));
    }

    #[test]
    fn a_gap_behind_which_nothing_comes_is_counted() {
        let (sender, receiver) = channel(1);
        let mut events = EventSender::new(RunId(1), sender);
        events.send(RunEvent::Started);
        events.print(Stream::Stdout, b"42");
        events.print(Stream::Stderr, &vec![b'x'; 2 << 20]);
        let reader = std::thread::spawn(move || all(receiver));
        events.finish(RunReport::bare(Outcome::Ok));
        let events = reader.join().unwrap();
        for (stream, printed) in [(Stream::Stdout, 2), (Stream::Stderr, 2 << 20)] {
            let told = events.iter().filter_map(|event| match event {
                RunEvent::Output(chunk) if chunk.stream == stream => {
                    Some(chunk.bytes.len() as u64 + chunk.skipped)
                }
                _ => None,
            });
            assert_eq!(told.sum::<u64>(), printed);
        }
    }

    #[test]
    fn facts_between_floods_do_not_make_more_wait() {
        let (sender, receiver) = channel(1);
        let mut events = EventSender::new(RunId(1), sender);
        for _ in 0..20 {
            events.print(Stream::Stdout, &vec![b'x'; 1 << 20]);
            events.send(RunEvent::Asks(true));
        }
        assert!(events.waiting_bytes <= MAX_WAITING_BYTES);
        let reader = std::thread::spawn(move || all(receiver));
        events.finish(RunReport::bare(Outcome::Ok));
        let events = reader.join().unwrap();
        assert_eq!(events.iter().filter(|event| **event == RunEvent::Asks(true)).count(), 20);
        let told = events.iter().map(|event| match event {
            RunEvent::Output(chunk) => chunk.bytes.len() as u64 + chunk.skipped,
            _ => 0,
        });
        assert_eq!(told.sum::<u64>(), 20 << 20);
    }

    #[test]
    fn facts_wait_for_room_and_keep_their_order() {
        let (sender, receiver) = channel(1);
        let mut events = EventSender::new(RunId(1), sender);
        events.send(RunEvent::Started);
        events.print(Stream::Stderr, b"a");
        events.send(RunEvent::Variables(Vec::new()));
        let reader = std::thread::spawn(move || all(receiver));
        events.finish(RunReport::bare(Outcome::Ok));
        let events = reader.join().unwrap();
        assert!(matches!(
            events.as_slice(),
            [RunEvent::Started, RunEvent::Output(_), RunEvent::Variables(_), RunEvent::Ended(_)]
        ));
    }
}
