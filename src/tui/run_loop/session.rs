//! One session on screen: waits for events, handles them, decides when to draw.

use super::Tui;
use crate::driver::reminder::wait_until;
use crate::driver::{Driver, JobResult, Notification, Update};
use crate::engine::Command;
use crate::tui::attention::{AttentionSender, ProgramStatus};
use crate::tui::colouring::Colouring;
use crate::tui::frames::{Frames, Urgency};
use crate::tui::input::{InputEvent, Signal, TimedEvent};
use crate::tui::note::Note;
use crate::tui::options::Options;
use crate::tui::screen::{Ctx, Screen};
use crate::tui::ui_command::{Exit, UiCommand};
use crate::tui::view::{self, header};
use crate::tui::widgets::hits::Hits;
use crate::tui::workers::{WorkerResult, Workers};
use crate::tui::{clipboard, outside};
use std::time::{Duration, Instant};

/// Continued in the background, sayso waits so long for a signal before it suspends again. Signals that come with the
/// one that continues it arrive at once, but in any order.
const BACKGROUND_TIME: Duration = Duration::from_millis(500);

pub(super) struct Session<'a> {
    pub(super) tui: &'a mut Tui,
    pub(super) driver: &'a mut Driver,
    pub(super) options: &'a Options,
    pub(super) screen: Screen,
    pub(super) frames: Frames,
    pub(super) workers: Workers,
    pub(super) colouring: Colouring,
    pub(super) title: String,
    pub(super) attention: AttentionSender,
    pub(super) last_frame: Instant,
    /// When the typed text is to be saved, if it is not saved yet.
    pub(super) draft_due: Option<Instant>,
    pub(super) exit: Option<Exit>,
    /// When another program last gave the terminal back.
    pub(super) returned: Option<Instant>,
}

impl Session<'_> {
    pub(super) async fn go(&mut self) -> Exit {
        self.frame(Instant::now());
        self.after_first_frame();
        loop {
            let deadline = self.deadline();
            self.wake(deadline).await;
            self.drain();
            self.leave_background().await;
            let now = Instant::now();
            self.tick(now);
            if self.exit.is_none() && self.frames.is_due(now) {
                self.frame(now);
            }
            self.keep_draft(now);
            if let Some(exit) = self.exit.take() {
                return exit;
            }
        }
    }

    /// Does what the first frame does not need.
    fn after_first_frame(&mut self) {
        if let Some(file) = self.options.first_file.clone() {
            self.driver.send(Command::OpenFile(file));
            self.frames.changed(Urgency::Now, Instant::now());
        }
        if let Some(place) = self.screen.setup.place.take() {
            self.with(Instant::now(), |screen, ctx| screen.show_place(&place, ctx));
            self.frames.changed(Urgency::Now, Instant::now());
        }
        if let Some(pick) = self.screen.setup.pick_session.take() {
            self.screen.pick_session(pick);
        } else if self.screen.setup.try_provider {
            self.screen.try_provider(self.driver.state());
        } else if self.screen.setup.welcome || self.screen.setup.address.is_some() {
            self.driver.start_job(crate::driver::Job::Servers);
            self.driver.start_job(crate::driver::Job::Interpreters);
            self.driver.start_job(crate::driver::Job::Sandbox);
            return;
        } else if let Some(first) = self.options.first_recipe.clone()
            && self.driver.state().transcript.items.is_empty()
        {
            self.screen.begin_with(&first);
        } else if let Some(prompt) = self.options.first_prompt.clone()
            && self.driver.state().transcript.items.is_empty()
        {
            self.screen.panes.composer.set(&prompt);
            self.screen.read_files_or_send(prompt);
        } else {
            return;
        }
        self.frames.changed(Urgency::Now, Instant::now());
        self.carry_out();
    }

    /// Waits for an event or the deadline, and handles it.
    async fn wake(&mut self, deadline: Option<Instant>) {
        tokio::select! {
            biased;
            timed = self.tui.input.next() => match timed {
                Some(timed) => self.input(timed),
                None => self.exit = Some(Exit::Hangup),
            },
            update = self.driver.next() => self.news(update),
            done = self.workers.next() => self.worker_done(done),
            () = wait_until(deadline) => {}
        }
    }

    /// Handles all input that has already arrived, so that one frame shows all of it.
    fn drain(&mut self) {
        const MAX_EVENTS: usize = 512;
        for _ in 0..MAX_EVENTS {
            if !self.tui.terminal.is_held {
                break;
            }
            let Some(timed) = self.tui.input.try_next() else { break };
            self.input(timed);
        }
    }

    /// Continued in the background, where another program has the terminal: handles the signals that come with that,
    /// and suspends again if none of them ends the session. Nothing else is handled, as while the program is stopped.
    async fn leave_background(&mut self) {
        while self.exit.is_none() && !self.tui.terminal.is_held {
            let Ok(timed) = tokio::time::timeout(BACKGROUND_TIME, self.tui.input.next()).await else {
                self.carry_out_one(UiCommand::Suspend);
                continue;
            };
            match timed.map(|timed| (timed.event, timed.at)) {
                Some((InputEvent::Signal(signal), at)) => {
                    self.signal(signal, at);
                    self.carry_out();
                }
                Some((InputEvent::Hangup, _)) | None => self.exit = Some(Exit::Hangup),
                // The size is read when the terminal is taken over again, and keys were typed for the shell.
                Some(_) => {}
            }
        }
    }

    fn news(&mut self, update: Update) {
        let now = Instant::now();
        let urgency = if update.urgent || !update.notifications.iter().all(is_stream) {
            Urgency::Now
        } else {
            Urgency::Stream
        };
        self.frames.changed(urgency, now);
        for notification in update.notifications {
            if let Notification::Job(JobResult::Picture(path, sides, pixels)) = notification {
                if let Some(wanted) = self.screen.panes.pictures.at_work(&path, sides) {
                    let how = (self.options.depth, self.tui.graphics.clone());
                    self.workers.paint(wanted.clone(), pixels, how);
                }
                continue;
            }
            self.with(now, |screen, ctx| screen.notified(notification, ctx));
            self.carry_out();
        }
    }

    fn worker_done(&mut self, done: WorkerResult) {
        let now = Instant::now();
        let coloured = self.colouring.apply_results(&mut self.screen.panes.code, &self.tui.theme);
        if coloured || !matches!(done, WorkerResult::Coloured) {
            self.frames.changed(Urgency::Now, now);
        }
        match done {
            WorkerResult::Coloured => {}
            WorkerResult::Copied(copied) => {
                if let clipboard::CopyResult::Send { bytes, .. } = &copied {
                    self.tui.terminal.queue(bytes.as_bytes());
                }
                self.screen.show_note(Note::info(copied.to_string()));
            }
            WorkerResult::Painted(which, rows) => self.screen.panes.pictures.painted(which, rows),
        }
    }

    fn input(&mut self, timed: TimedEvent) {
        let TimedEvent { event, at, bytes } = timed;
        self.screen.event_bytes = bytes;
        self.frames.changed(Urgency::Now, at);
        match event {
            InputEvent::Key(key) => {
                self.tui.theme_open = false;
                self.with(at, |screen, ctx| screen.key(&key, ctx));
            }
            InputEvent::Paste(text) => self.with(at, |screen, ctx| screen.paste(&text, ctx)),
            InputEvent::Mouse(mouse) => self.with(at, |screen, ctx| screen.mouse(mouse, ctx)),
            InputEvent::Resize(width, height) => {
                self.tui.terminal.resized((width, height));
                self.screen.panes.pictures.set_cell(self.tui.picture_cell());
                self.screen.resized((width, height), at);
            }
            InputEvent::Focus(has_focus) => self.screen.set_attended(has_focus, at),
            InputEvent::CursorReport(row, column) => self.screen.guard.cursor_reported((row, column), at),
            InputEvent::Noise => self.screen.noise(at),
            InputEvent::Background(_)
            | InputEvent::Sync2026(_)
            | InputEvent::KittyKeyboard(_)
            | InputEvent::KittyGraphics(_)
            | InputEvent::Da1 { .. } => {
                self.tui.answered(&event, self.options);
                self.screen.setup.kitty = self.tui.terminal.uses_kitty_keyboard();
                self.screen.panes.pictures.set_cell(self.tui.picture_cell());
            }
            InputEvent::Hangup => self.exit = Some(Exit::Hangup),
            InputEvent::Signal(signal) => self.signal(signal, at),
        }
        self.carry_out();
        // The key may require something at once: an overlay that closes, a pane that takes the focus.
        self.with(at, |screen, ctx| screen.settle(ctx));
        self.carry_out();
    }

    fn signal(&mut self, signal: Signal, at: Instant) {
        let for_another = self.returned.is_some_and(|returned| at < returned + outside::LATE_SIGNAL_TIMEOUT);
        match signal {
            Signal::Interrupt | Signal::Quit if for_another => {}
            Signal::Interrupt => self.with(at, |screen, ctx| screen.stop(ctx)),
            Signal::Terminate | Signal::Quit | Signal::Hangup => self.exit = Some(Exit::Hangup),
            Signal::Suspend => self.carry_out_one(UiCommand::Suspend),
            Signal::Continued => {
                self.screen.guard.focused(at);
                self.tui.terminal.redraw();
            }
        }
    }

    /// Starts the work that views have requested from workers.
    pub(super) fn ask_workers(&mut self) {
        if let Some(wanted) = self.screen.panes.pictures.next_wanted() {
            let pixels = wanted.pixels();
            self.driver.start_job(crate::driver::Job::Picture(wanted.path, pixels));
        }
        let items = self.screen.panes.wanted(self.driver.state());
        if !items.is_empty() {
            self.driver.send(Command::Load(items));
        }
        self.colouring.request_colours(&self.screen.panes.code, self.driver.state(), &self.tui.theme);
    }

    fn frame(&mut self, now: Instant) {
        self.with(now, |screen, ctx| screen.arrange(ctx));
        for query in self.screen.guard.queries(now) {
            self.tui.terminal.queue(query.bytes().as_bytes());
        }
        let title = header::window_title(self.driver.state());
        if title != self.title {
            self.tui.terminal.title(&title);
            self.title = title;
        }
        let sequences = self.attention.update(ProgramStatus::of(self.driver.state()), now);
        if let Some(support) = self.options.attention.filter(|_| !sequences.is_empty()) {
            self.tui.terminal.send_attention(support, &sequences);
        }
        let draw = self.options.draw_context(&self.tui.theme, &self.tui.keymap, self.driver.now());
        self.screen.sent_requests = Driver::requests_sent();
        let ctx = Ctx { state: self.driver.state(), draw, at: now };
        let mut hits = Hits::default();
        let drawn = self.tui.terminal.draw(|buf| {
            let drawn = view::draw(&self.screen, ctx, buf);
            hits = drawn.hits;
            drawn.cursor
        });
        self.screen.hits = hits;
        if drawn.is_err() {
            // The terminal is gone, so nobody can be told.
            self.exit = Some(Exit::Hangup);
        }
        self.last_frame = Instant::now();
        self.frames.drawn(self.last_frame);
        self.ask_workers();
    }

    /// Calls a method of the screen with its `Ctx`.
    pub(super) fn with<T>(&mut self, at: Instant, step: impl FnOnce(&mut Screen, Ctx<'_>) -> T) -> T {
        let draw = self.options.draw_context(&self.tui.theme, &self.tui.keymap, self.driver.now());
        step(&mut self.screen, Ctx { state: self.driver.state(), draw, at })
    }
}

/// Whether a notification only adds to streamed content.
fn is_stream(notification: &Notification) -> bool {
    matches!(notification, Notification::Delta(..) | Notification::Reasoning(..) | Notification::Output(..))
}
