//! The main loop: keys, driver events and deadlines go in; frames and carried-out `UiCommand`s come out.
//!
//! It handles everything that is ready, then draws one frame. A key is drawn at once, streams at a limited
//! rate; while nothing changes, nothing is written and the loop sleeps.

mod carry_out;
mod deadlines;
mod session;
mod waiting;

use super::TuiError;
use super::attention::AttentionSender;
use super::colouring::Colouring;
use super::frames::{Frames, Urgency};
use super::graphics::{Graphics, GraphicsProtocol, ImageMode};
use super::input::{Input, InputEvent};
use super::keymap::Keymap;
use super::options::Options;
use super::overlays::status::Status;
use super::screen::Screen;
use super::terminal::Terminal;
use super::theme::{Depth, Rgb, Theme, choose};
use super::ui_command::{Choice, Exit};
use super::widgets::layout::Borders;
use super::workers::Workers;
use crate::domain::Notice;
use crate::domain::sentences::sending;
use crate::driver::Driver;
use crate::engine::Transcript;
use crate::engine::transcript::Item;
use session::Session;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The first frame waits at most this long for the terminal's answer about its colours.
const COLOUR_TIMEOUT: Duration = Duration::from_millis(8);

/// The assumed size of a cell in pixels if the terminal does not report it; the terminal scales pictures to
/// cells itself.
const USUAL_CELL: (u16, u16) = (10, 20);

/// How many older messages Up can bring back.
const MAX_OLD_MESSAGES: usize = 1_000;

/// The terminal, and everything else that outlives a session.
pub(crate) struct Tui {
    terminal: Terminal,
    input: Input,
    theme: Theme,
    background: Option<Rgb>,
    /// Whether a later answer of the terminal may still change the theme.
    theme_open: bool,
    keymap: Arc<Keymap>,
    /// Whether the first frame was drawn, or is about to be.
    started: bool,
    /// Whether the person quit or the terminal was closed between two sessions.
    leaves: bool,
    /// A message that was being written when the session was left for another, or while the next one was
    /// opened.
    draft: String,
    /// Where the person placed the borders between panes, as of the last session.
    borders: Option<Borders>,
    /// Whether the last session was left for the model server of this computer.
    chose_server: bool,
    /// The table of pictures that the terminal draws.
    graphics: Graphics,
    knows_kitty_graphics: bool,
}

impl Tui {
    /// Takes over the terminal. Call it inside the runtime.
    ///
    /// # Errors
    /// When there is no terminal, or the keymap or theme can't be parsed; the terminal is unchanged then.
    pub(crate) fn open(options: &Options) -> Result<Self, TuiError> {
        // Errors in files are found before the screen is touched.
        let user = options.keymap.as_ref().map(|(file, text)| (file.as_str(), text.as_str()));
        let keymap = Arc::new(Keymap::load(user)?);
        let name = choose(&options.theme, None, options.colorfgbg.as_deref());
        let loaded = Theme::load(&name, options.depth, |name| options.user_theme(name))?;
        let graphics = options.images.asks_kitty();
        let wanted = super::terminal::ModeOptions { mouse: options.setup.mouse, graphics };
        let mut terminal = Terminal::open(wanted)?;
        terminal.link(options.links.clone());
        let mut input = Input::start(terminal.reader()?, options.esc_delay)?;
        input.listen_to_signals(terminal.size_teller()?)?;
        terminal.ask();
        let mut tui = Self::new(terminal, input, loaded.theme, keymap);
        tui.theme_open = options.theme.needs_background();
        tui.use_graphics(options.images.fixed(), options);
        Ok(tui)
    }

    /// The front end before its first session.
    fn new(terminal: Terminal, input: Input, theme: Theme, keymap: Arc<Keymap>) -> Self {
        Self {
            terminal,
            input,
            theme,
            background: None,
            theme_open: false,
            keymap,
            started: false,
            leaves: false,
            draft: String::new(),
            borders: None,
            chose_server: false,
            graphics: Graphics::default(),
            knows_kitty_graphics: false,
        }
    }

    /// Shows a session until it is left. The caller keeps the driver and closes it.
    ///
    /// # Errors
    /// When the terminal can't be written before the session is shown.
    pub(crate) async fn run(&mut self, driver: &mut Driver, options: &Options) -> Result<Exit, TuiError> {
        if self.leaves {
            return Ok(Exit::Hangup);
        }
        self.await_colours(options).await?;
        let now = Instant::now();
        let screen = self.first_screen(driver, options, now);
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
            attention: AttentionSender::new(options.attention.unwrap_or_default()),
            last_frame: now,
            draft_due: None,
            exit: None,
            returned: None,
        };
        session.frames.changed(Urgency::Now, now);
        let exit = session.go().await;
        let draft = session.screen.panes.composer.full_text();
        let borders = session.screen.borders;
        let is_unsent = session.with(Instant::now(), |screen, ctx| screen.is_unsent(ctx));
        if is_unsent || !matches!(exit, Exit::Quit | Exit::Hangup) {
            // The conversation has this message and offers to send it, or the next session has it: a second copy would
            // be sent after it.
            session.screen.panes.composer.clear();
            let rest = session.screen.unsent_text();
            session.driver.keep_draft(&rest);
        }
        self.draft = draft;
        self.borders = Some(borders);
        self.chose_server = matches!(exit, Exit::UseProvider(Choice::Server { .. }));
        Ok(exit)
    }

    /// Makes the first screen of a session, with everything that was typed before.
    fn first_screen(&mut self, driver: &mut Driver, options: &Options, now: Instant) -> Screen {
        let mut setup = options.setup.clone();
        setup.welcome &= !driver.has_provider();
        setup.recipes = driver.recipes();
        setup.chose_server = self.chose_server;
        setup.kitty = self.terminal.uses_kitty_keyboard();
        let mut screen = Screen::new(setup, self.keymap.clone(), self.terminal.size(), now);
        screen.panes.pictures.off = options.images == ImageMode::Off;
        screen.panes.pictures.set_cell(self.picture_cell());
        for text in old_messages(&driver.state().transcript) {
            screen.panes.composer.remember(text.to_owned());
        }
        let mut draft = std::mem::take(&mut self.draft);
        if let Some(killed) = driver.take_draft() {
            screen.show_note(Notice::info(sending::DRAFT_TAKEN_UP).into());
            // Text typed while the session was opened comes after the recovered draft.
            draft = if draft.is_empty() { killed } else { format!("{killed}\n{draft}") };
        }
        if !draft.is_empty() {
            screen.panes.composer.set(&draft);
        }
        for notice in &options.notices {
            screen.show_note(notice.clone().into());
        }
        if screen.setup.damage.len() > 1 {
            // The status line can't show all of it.
            screen.open(Status::default());
        }
        screen
    }

    /// Before the first frame of all, waits briefly for the background colour if the theme depends on it; if the
    /// colour doesn't arrive, the frame is drawn without it.
    async fn await_colours(&mut self, options: &Options) -> Result<(), TuiError> {
        let is_first = !std::mem::replace(&mut self.started, true);
        if !is_first || !options.theme.needs_background() || options.colorfgbg.is_some() {
            return Ok(());
        }
        self.terminal.flush()?;
        let patience = tokio::time::sleep(COLOUR_TIMEOUT);
        tokio::pin!(patience);
        loop {
            tokio::select! {
                biased;
                timed = self.input.next() => match timed.map(|t| t.event) {
                    Some(InputEvent::Resize(w, h)) => self.terminal.resized((w, h)),
                    // Keys before the first frame were typed without seeing anything.
                    Some(event) => {
                        self.answered(&event, options);
                        if matches!(event, InputEvent::Background(_) | InputEvent::Da1 { .. }) {
                            return Ok(());
                        }
                    }
                    None => return Ok(()),
                },
                () = &mut patience => return Ok(()),
            }
        }
    }

    /// Handles the terminal's background colour: chooses a readable theme.
    fn background(&mut self, rgb: Rgb, options: &Options) {
        self.background = Some(rgb);
        if self.theme_open {
            let name = choose(&options.theme, self.background, options.colorfgbg.as_deref());
            if let Ok(loaded) = Theme::load(&name, options.depth, |name| options.user_theme(name)) {
                self.theme = loaded.theme;
            }
        }
    }

    /// Handles an answer of the terminal, whenever it comes: each question is asked once. Returns whether the event
    /// is one. `Da1`, which every terminal sends, completes the answer about pictures.
    fn answered(&mut self, event: &InputEvent, options: &Options) -> bool {
        match event {
            InputEvent::Background(rgb) => self.background(*rgb, options),
            InputEvent::Sync2026(sync) => self.terminal.set_sync(*sync),
            InputEvent::KittyKeyboard(_) => self.terminal.use_kitty_keyboard(),
            InputEvent::KittyGraphics(known) => self.knows_kitty_graphics = *known,
            InputEvent::Da1 { sixel } => {
                self.use_graphics(options.images.protocol_for(self.knows_kitty_graphics, *sixel), options);
            }
            _ => return false,
        }
        true
    }

    fn use_graphics(&mut self, protocol: Option<GraphicsProtocol>, options: &Options) {
        // A terminal without colours gets no coloured pictures. Sixels are measured in pixels, so the cell size
        // must be known.
        let protocol = protocol.filter(|protocol| {
            options.depth != Depth::Mono
                && (*protocol != GraphicsProtocol::Sixel || self.terminal.cell_pixels().is_some())
        });
        self.graphics.set_protocol(protocol);
        let kept = protocol == Some(GraphicsProtocol::Kitty);
        self.terminal.set_graphics(self.graphics.clone(), kept);
    }

    /// The size of a cell in pixels, if the terminal draws pictures itself.
    fn picture_cell(&self) -> Option<(u16, u16)> {
        self.graphics.protocol()?;
        Some(self.terminal.cell_pixels().unwrap_or(USUAL_CELL))
    }

    /// Where the person left the borders between panes.
    pub(crate) fn borders(&self) -> Option<Borders> {
        self.borders
    }

    /// Restores the terminal.
    pub(crate) fn close(self) {
        drop(self);
    }
}

/// The newest prompts, oldest first. Leaves out prompts whose text is only in the session file: the part in
/// memory is not what the person wrote, and must not be sent again.
fn old_messages(transcript: &Transcript) -> Vec<&str> {
    let items = transcript.items.iter().enumerate().rev();
    let prompts = items.filter_map(|(at, item)| match item {
        Item::Prompt { text, .. } if transcript.message_away(at).is_none() => Some(&**text),
        _ => None,
    });
    let mut prompts: Vec<&str> = prompts.take(MAX_OLD_MESSAGES).collect();
    prompts.reverse();
    prompts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Entry, Timestamp};
    use crate::engine::transcript::PagedTranscript;

    #[test]
    fn what_is_known_in_part_is_not_brought_back() {
        let long = "a long one ".repeat(400_000);
        let prompts = ["first", &long, "second", &long, &format!("newest {long}"), "last"];
        let mut paged = PagedTranscript::default();
        paged.extend(prompts.map(|text| (Timestamp(0), Entry::Prompt(text.into()))));
        let transcript = Transcript::from(paged);
        let brought: Vec<_> = old_messages(&transcript).iter().map(|text| text.len()).collect();
        assert_eq!(brought, [5, 6, long.len() + 7, 4]);
    }
}
