//! The loop: keys, news from the driver and deadlines go in; frames and wishes come out.
//!
//! Everything that is ready is taken in, then one frame is drawn. A key is drawn at once, streams at a limited rate;
//! while nothing changes nothing is written and nobody wakes up.

use super::TuiError;
use super::clipboard;
use super::colouring::Colouring;
use super::frames::{Frames, Urgency};
use super::input::{Event, Input, Signal, Timed};
use super::keymap::Keymap;
use super::options::Options;
use super::outside;
use super::screen::{Ctx, Exit, Note, Screen, Target, Wish};
use super::terminal::Terminal;
use super::theme::{Rgb, Theme, choose};
use super::view::{self, header, look::Look};
use super::workers::{Done, Workers};
use crate::domain::Moment;
use crate::driver::{Driver, Found, Told, Update};
use crate::engine::Command;
use std::time::{Duration, Instant};

/// A frame waits at most this long for what the terminal says about its colours.
const COLOUR_PATIENCE: Duration = Duration::from_millis(8);

/// The terminal and all that lives longer than one session.
pub struct Tui {
    terminal: Terminal,
    input: Input,
    theme: Theme,
    background: Option<Rgb>,
    /// Whether a later answer may still change the theme.
    theme_open: bool,
    keymap: Keymap,
    started: bool,
    /// A message that was being written when the session was left for another.
    draft: String,
}

impl Tui {
    /// Takes the terminal. Call it inside the runtime.
    ///
    /// # Errors
    /// When there is no terminal, or the keymap or theme is not understood; the terminal is as before then.
    pub fn open(options: &Options) -> Result<Self, TuiError> {
        // What can be wrong in files is found before the screen is touched.
        let user = options.keymap.as_ref().map(|(file, text)| (file.as_str(), text.as_str()));
        let keymap = Keymap::load(user)?;
        let name = choose(&options.theme, None, options.colorfgbg.as_deref());
        let loaded = Theme::load(&name, options.depth, |name| options.user_theme(name))?;
        let wanted = super::terminal::Options { mouse: options.setup.mouse, kitty: options.kitty };
        let mut terminal = Terminal::open(wanted)?;
        let mut input = Input::start(terminal.reader()?, options.esc_delay)?;
        input.listen_to_signals(terminal.size_teller()?)?;
        terminal.ask();
        Ok(Self {
            terminal,
            input,
            theme: loaded.theme,
            background: None,
            theme_open: options.theme.needs_background(),
            keymap,
            started: false,
            draft: String::new(),
        })
    }

    /// Shows a session until it is left. The driver stays with the caller, who closes it.
    ///
    /// # Errors
    /// When the terminal can't be used any more for another reason than being gone.
    pub async fn run(&mut self, driver: &mut Driver, options: &Options) -> Result<Exit, TuiError> {
        if !std::mem::replace(&mut self.started, true) && options.theme.needs_background() {
            self.await_colours(options).await?;
        }
        let now = Instant::now();
        let mut setup = options.setup.clone();
        setup.welcome &= !driver.has_provider();
        let mut screen = Screen::new(setup, self.keymap.clone(), self.terminal.size(), now);
        if !options.images {
            screen.pictures.turn_off();
        }
        for text in driver.state().transcript.items.iter().filter_map(prompt_of) {
            screen.composer.remember(text.to_owned());
        }
        let draft = std::mem::take(&mut self.draft);
        if !draft.is_empty() {
            screen.composer.set(&draft);
        }
        for notice in &options.notices {
            screen.say(notice.clone().into());
        }
        let workers = Workers::start();
        let mut session = Session {
            tui: self,
            driver,
            options,
            screen,
            frames: Frames::new(options.frames),
            colouring: Colouring::start(workers.colour_waker()),
            workers,
            title: String::new(),
            last_frame: now,
            exit: None,
        };
        session.frames.changed(Urgency::Now, now);
        let exit = session.go().await?;
        let draft = session.screen.composer.full_text();
        self.draft = draft;
        Ok(exit)
    }

    /// Waits a moment for the colour of the background; frame 1 is drawn without it when it doesn't come.
    async fn await_colours(&mut self, options: &Options) -> Result<(), TuiError> {
        if options.colorfgbg.is_some() {
            return Ok(());
        }
        self.terminal.flush()?;
        let patience = tokio::time::sleep(COLOUR_PATIENCE);
        tokio::pin!(patience);
        loop {
            tokio::select! {
                biased;
                timed = self.input.next() => match timed.map(|t| t.event) {
                    Some(Event::Background(rgb)) => {
                        self.background(rgb, options);
                        return Ok(());
                    }
                    Some(Event::Da1) => return Ok(()),
                    Some(Event::Sync2026(sync)) => self.terminal.set_sync(sync),
                    Some(Event::KittyKeyboard(_)) => self.terminal.use_kitty_keyboard(),
                    Some(Event::Resize(w, h)) => self.terminal.resized((w, h)),
                    // Keys that come before the first frame were typed to nobody.
                    Some(_) => {}
                    None => return Ok(()),
                },
                () = &mut patience => return Ok(()),
            }
        }
    }

    /// The terminal told its background: the theme that reads on it.
    fn background(&mut self, rgb: Rgb, options: &Options) {
        self.background = Some(rgb);
        if self.theme_open {
            let name = choose(&options.theme, self.background, options.colorfgbg.as_deref());
            if let Ok(loaded) = Theme::load(&name, options.depth, |name| options.user_theme(name)) {
                self.theme = loaded.theme;
            }
        }
    }

    /// Gives the terminal back.
    pub fn close(self) {
        self.terminal.close();
    }
}

fn prompt_of(item: &crate::engine::transcript::Item) -> Option<&str> {
    match item {
        crate::engine::transcript::Item::Prompt { text, .. } => Some(text),
        _ => None,
    }
}

/// One session on screen.
struct Session<'a> {
    tui: &'a mut Tui,
    driver: &'a mut Driver,
    options: &'a Options,
    screen: Screen,
    frames: Frames,
    workers: Workers,
    colouring: Colouring,
    title: String,
    last_frame: Instant,
    exit: Option<Exit>,
}

/// What woke the loop.
enum Woke {
    Input(Option<Timed>),
    News(Update),
    Done(Done),
    Deadline,
}

impl Session<'_> {
    async fn go(&mut self) -> Result<Exit, TuiError> {
        self.frame(Instant::now());
        self.after_first_frame()?;
        loop {
            let deadline = self.deadline();
            let woke = self.wait(deadline).await;
            self.take(woke)?;
            self.drain()?;
            let now = Instant::now();
            self.by_itself(now)?;
            if let Some(exit) = self.exit.take() {
                return Ok(exit);
            }
            if self.frames.is_due(now) {
                self.frame(now);
            }
        }
    }

    /// What the first frame does not need.
    fn after_first_frame(&mut self) -> Result<(), TuiError> {
        if self.screen.setup.pick_session {
            let wishes = self.screen.open_sessions();
            self.frames.changed(Urgency::Now, Instant::now());
            return self.grant(wishes);
        }
        if self.screen.setup.welcome {
            self.driver.errand(crate::driver::Errand::Servers);
            self.driver.errand(crate::driver::Errand::Interpreters);
        } else if let Some(prompt) = self.options.first_prompt.clone()
            && self.driver.state().transcript.items.is_empty()
        {
            self.driver.send(Command::Submit(prompt));
        }
        Ok(())
    }

    async fn wait(&mut self, deadline: Option<Instant>) -> Woke {
        let sleep = async {
            match deadline {
                Some(at) => tokio::time::sleep_until(at.into()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            timed = self.tui.input.next() => Woke::Input(timed),
            update = self.driver.next() => Woke::News(update),
            done = self.workers.next() => Woke::Done(done),
            () = sleep => Woke::Deadline,
        }
    }

    /// Takes in all input that is there already, so that one frame shows it all.
    fn drain(&mut self) -> Result<(), TuiError> {
        const PORTION: usize = 512;
        for _ in 0..PORTION {
            let Some(timed) = self.tui.input.try_next() else { break };
            self.input(timed)?;
        }
        Ok(())
    }

    fn take(&mut self, woke: Woke) -> Result<(), TuiError> {
        match woke {
            Woke::Input(Some(timed)) => self.input(timed),
            Woke::Input(None) => {
                self.exit = Some(Exit::Hangup);
                Ok(())
            }
            Woke::News(update) => self.news(update),
            Woke::Done(done) => {
                self.done(done);
                Ok(())
            }
            Woke::Deadline => Ok(()),
        }
    }

    fn news(&mut self, update: Update) -> Result<(), TuiError> {
        let now = Instant::now();
        let urgency =
            if update.urgent || !update.told.iter().all(is_stream) { Urgency::Now } else { Urgency::Stream };
        self.frames.changed(urgency, now);
        for told in update.told {
            if let Told::Found(Found::Image(path, bytes)) = told {
                self.workers.paint(path, bytes, self.options.depth);
                continue;
            }
            let wishes = self.with(now, |screen, ctx| screen.told(told, ctx));
            self.grant(wishes)?;
        }
        Ok(())
    }

    fn done(&mut self, done: Done) {
        let now = Instant::now();
        let coloured = self.colouring.take(&mut self.screen.code, &self.tui.theme);
        if coloured || !matches!(done, Done::Coloured) {
            self.frames.changed(Urgency::Now, now);
        }
        match done {
            Done::Coloured => {}
            Done::Copied(copied) => {
                if let clipboard::Copied::Send { bytes, .. } = &copied {
                    self.tui.terminal.queue(bytes.as_bytes());
                }
                self.screen.say(Note::info(copied.to_string()));
            }
            Done::Painted(which, rows) => self.screen.pictures.painted(which, rows),
        }
    }

    fn input(&mut self, timed: Timed) -> Result<(), TuiError> {
        let Timed { event, at } = timed;
        self.frames.changed(Urgency::Now, at);
        let wishes = match event {
            Event::Key(key) => {
                self.tui.theme_open = false;
                self.with(at, |screen, ctx| screen.key(&key, ctx))
            }
            Event::Paste(text) => self.with(at, |screen, ctx| screen.paste(&text, ctx)),
            Event::Mouse(mouse) => self.with(at, |screen, ctx| screen.mouse(mouse, ctx)),
            Event::Resize(width, height) => {
                self.tui.terminal.resized((width, height));
                self.screen.resized((width, height), at);
                Vec::new()
            }
            Event::Focus(has_focus) => {
                self.screen.attended(has_focus, at);
                Vec::new()
            }
            Event::CursorReport(row, column) => {
                self.screen.guard.fence_answered((row, column), at);
                Vec::new()
            }
            Event::Background(rgb) => {
                self.tui.background(rgb, self.options);
                Vec::new()
            }
            Event::Sync2026(sync) => {
                self.tui.terminal.set_sync(sync);
                Vec::new()
            }
            Event::KittyKeyboard(_) => {
                self.tui.terminal.use_kitty_keyboard();
                Vec::new()
            }
            Event::Scheme { .. } | Event::Da1 => Vec::new(),
            Event::Hangup => vec![Wish::Leave(Exit::Hangup)],
            Event::Signal(signal) => self.signal(signal, at),
        };
        self.grant(wishes)?;
        // What the key changed may call for something at once: a layer that closes, a pane that takes the focus.
        let wishes = self.with(at, |screen, ctx| screen.settle(ctx));
        self.grant(wishes)
    }

    fn signal(&mut self, signal: Signal, at: Instant) -> Vec<Wish> {
        match signal {
            Signal::Interrupt => self.with(at, |screen, ctx| screen.stop(ctx)),
            Signal::Terminate | Signal::Hangup => vec![Wish::Leave(Exit::Hangup)],
            Signal::Suspend => vec![Wish::Suspend],
            Signal::Continued => {
                self.screen.guard.focused(at);
                vec![Wish::Redraw]
            }
        }
    }

    /// Whatever follows from the passing of time and from what the session has become.
    fn by_itself(&mut self, now: Instant) -> Result<(), TuiError> {
        let (changed, wishes) = self.with(now, |screen, ctx| screen.tick(ctx));
        self.grant(wishes)?;
        let before = self.screen.stance();
        let wishes = self.with(now, |screen, ctx| screen.settle(ctx));
        self.grant(wishes)?;
        if changed || self.screen.stance() != before {
            self.frames.changed(Urgency::Now, now);
        }
        if self.turn_deadline().is_some_and(|at| at <= now) {
            self.frames.changed(Urgency::Stream, now);
        }
        self.ask_workers();
        Ok(())
    }

    /// What views would like to have and workers make.
    fn ask_workers(&mut self) {
        for wanted in self.screen.pictures.take_wanted() {
            self.driver.errand(crate::driver::Errand::ReadImage(wanted.path.clone()));
            self.workers.wants(wanted);
        }
        self.colouring.ask(&self.screen.code, self.driver.state());
    }

    fn deadline(&mut self) -> Option<Instant> {
        let now = Instant::now();
        [self.frames.deadline(), self.screen.next_deadline(now), self.turn_deadline()]
            .into_iter()
            .flatten()
            .min()
    }

    /// When something on screen moves by itself: the spinner four times a second, a countdown once.
    fn turn_deadline(&self) -> Option<Instant> {
        let last = self.last_frame;
        let state = self.driver.state();
        let spins =
            state.live.run.is_some() || state.live.reply.as_ref().is_some_and(|reply| reply.retry.is_none());
        let counts = state.live.reply.as_ref().is_some_and(|reply| reply.retry.is_some());
        let pause = match (self.screen.is_attended(), self.options.motion) {
            (false, _) if spins || counts => Duration::from_secs(5),
            (true, true) if spins => Duration::from_millis(250),
            _ if spins || counts => Duration::from_secs(1),
            _ if self.guard_counts() => Duration::from_millis(100),
            _ => return None,
        };
        Some(last + pause)
    }

    /// Whether the title counts down until decisions count.
    fn guard_counts(&self) -> bool {
        use super::guard::{Verb, Why};
        matches!(
            self.screen.guard.locked_for(Verb::Reject, Instant::now()),
            Some(Why::Quiet { .. } | Why::Appeared { left: Some(_), .. })
        )
    }

    /// Draws one frame.
    fn frame(&mut self, now: Instant) {
        self.with(now, |screen, ctx| screen.arrange(ctx));
        if let Some(query) = self.screen.guard.fence_query(now) {
            self.tui.terminal.fence(query);
        }
        let title = header::window_title(&self.screen, self.driver.state());
        if title != self.title {
            self.tui.terminal.title(&title);
            self.title = title;
        }
        let look = look(&self.tui.theme, self.options, self.driver.now());
        let (screen, state) = (&mut self.screen, self.driver.state());
        let drawn = self.tui.terminal.draw(|frame| {
            let cursor = view::draw(screen, state, now, frame.buffer_mut(), look);
            if let Some(cursor) = cursor {
                frame.set_cursor_position(cursor);
            }
        });
        if drawn.is_err() {
            // There is nobody to tell: the terminal is gone.
            self.exit = Some(Exit::Hangup);
        }
        self.last_frame = Instant::now();
        self.frames.drawn(self.last_frame);
        self.ask_workers();
    }

    /// Gives the screen what every step of it needs.
    fn with<T>(&mut self, at: Instant, step: impl FnOnce(&mut Screen, Ctx<'_>) -> T) -> T {
        let look = look(&self.tui.theme, self.options, self.driver.now());
        step(&mut self.screen, Ctx { state: self.driver.state(), look, at })
    }

    /// Does what the screen asked for.
    fn grant(&mut self, wishes: Vec<Wish>) -> Result<(), TuiError> {
        for wish in wishes {
            self.grant_one(wish)?;
        }
        Ok(())
    }

    fn grant_one(&mut self, wish: Wish) -> Result<(), TuiError> {
        match wish {
            Wish::Send(command) => self.driver.send(command),
            Wish::Errand(errand) => self.driver.errand(errand),
            Wish::Copy(text) => self.workers.copy(text, clipboard::ways(self.options.surroundings)),
            Wish::Editor(target, text) => self.edit_outside(target, &text)?,
            Wish::Pager(what) => {
                let command = self.options.pager.clone();
                let shown = self.outside(|| outside::page(&command, &what))?;
                if let Err(why) = shown {
                    self.screen.say(Note::warn(why));
                }
            }
            Wish::Redraw => self.tui.terminal.redraw(),
            Wish::Suspend => {
                self.tui.terminal.suspend(&self.tui.input)?;
                self.back_from_outside();
            }
            Wish::Theme(name) => {
                match Theme::load(&name, self.options.depth, |name| self.options.user_theme(name)) {
                    Ok(loaded) => {
                        self.tui.theme = loaded.theme;
                        self.tui.theme_open = false;
                    }
                    Err(error) => self.screen.say(Note::warn(error.to_string())),
                }
            }
            Wish::Mouse(on) => self.tui.terminal.set_mouse(on),
            Wish::Call => {
                if self.options.notify {
                    self.tui.terminal.queue(b"\x07");
                    self.tui.terminal.flush()?;
                }
            }
            Wish::Leave(exit) => self.exit = Some(exit),
        }
        Ok(())
    }

    fn edit_outside(&mut self, target: Target, text: &str) -> Result<(), TuiError> {
        let extension = match target {
            Target::Message => "md".to_owned(),
            Target::Block | Target::EditMode => self.block_extension(),
        };
        let command = self.options.editor.clone();
        let edited = self.outside(|| outside::edit(&command, text, &extension))?;
        match edited {
            Ok(text) => {
                let wishes = self.with(Instant::now(), |screen, ctx| screen.from_editor(target, text, ctx));
                self.grant(wishes)
            }
            Err(why) => {
                self.screen.say(Note::warn(why));
                Ok(())
            }
        }
    }

    /// The extension of files in the language of the block that waits.
    fn block_extension(&self) -> String {
        let language = self.driver.state().waiting().and_then(|i| i.block.current().language.clone());
        let entry = language.and_then(|l| self.options.setup.languages.find(l.as_str()).cloned());
        entry.and_then(|e| e.extensions.first().cloned()).unwrap_or_else(|| "txt".into())
    }

    fn outside<T>(&mut self, act: impl FnOnce() -> T) -> Result<T, TuiError> {
        let result = self.tui.terminal.outside(&self.tui.input, act)?;
        self.back_from_outside();
        Ok(result)
    }

    /// The terminal is ours again: its size may be another, and nothing typed meanwhile decides.
    fn back_from_outside(&mut self) {
        let now = Instant::now();
        self.screen.resized(self.tui.terminal.size(), now);
        self.screen.guard.focused(now);
        self.title.clear();
        self.frames.changed(Urgency::Now, now);
    }
}

/// Whether something told only adds to what streams.
fn is_stream(told: &Told) -> bool {
    matches!(told, Told::Delta(..) | Told::Reasoning(..) | Told::Output(..))
}

fn look<'a>(theme: &'a Theme, options: &'a Options, now: Moment) -> Look<'a> {
    Look { theme, glyphs: options.glyphs(), place: &options.place, now, motion: options.motion }
}
