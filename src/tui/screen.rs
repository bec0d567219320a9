//! The screen as a value: the focus, the open overlays, the typed text. Keys and events of the driver go in,
//! `UiCommand`s come out of `take_commands`.
//!
//! It draws nothing and has no effect on the world, so it can be tested without a terminal. Every key passes
//! the guard, whatever has the focus; only the guard says whether a decision counts.

mod attachments;
mod context;
mod decide;
mod editor;
mod find;
mod focus;
mod frame;
mod key_forwarding;
mod keys;
mod keys_test;
mod layout_request;
mod message;
mod mouse;
mod notifications;
mod opening;
mod overlays;
mod pane_actions;
mod problems;
mod provenance;
mod queue;
mod recipes;
mod review;
mod rules;
mod select;
mod slash_commands;
mod stop;
mod text_mouse;
mod time;
mod undo;
mod unsent_message;
mod vim;

pub(crate) use stop::{KILL_DELAY, QUIT_TIMEOUT};

pub(in crate::tui) use attachments::refusal;
pub use focus::has_problem;
pub(in crate::tui) use recipes::has_failed;

use crate::domain::BlockId;
use crate::driver::Job;
use crate::engine::{Command, State};
use crate::tui::action::Action;
use crate::tui::guard::Guard;
use crate::tui::keymap::Keymap;
use crate::tui::note::Note;
use crate::tui::overlays::Overlay;
use crate::tui::overlays::form::FormBox;
use crate::tui::overlays::welcome::Welcome;
use crate::tui::panes::code::layout::LayoutStamp;
use crate::tui::panes::recipe::RecipeLine;
use crate::tui::panes::{LowerPane, Panes};
use crate::tui::setup::{FoundLocation, Setup};
use crate::tui::ui_command::{Exit, UiCommand};
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::hits::{ClickTarget, Hits};
use crate::tui::widgets::layout::{Arrangement, Border, Borders, LayoutRequest, Pane};
use std::sync::Arc;
use std::time::Instant;

/// What every method and every view of the screen gets.
#[derive(Clone, Copy)]
pub struct Ctx<'a> {
    /// The session.
    pub state: &'a State,
    /// What views need for drawing.
    pub draw: DrawContext<'a>,
    /// The time of the event being handled.
    pub at: Instant,
}

/// The screen: everything that keys and notifications change.
pub struct Screen {
    /// What it got at the start.
    pub setup: Setup,
    /// What it asks for, until that is taken.
    commands: Vec<UiCommand>,
    /// The key bindings.
    pub keymap: Arc<Keymap>,
    /// The panes, and which of them has the focus.
    pub panes: Panes,
    /// The open overlays, the topmost last.
    pub overlays: Vec<Box<dyn Overlay>>,
    /// Closed forms, with the text typed into them.
    drafts: Vec<FormBox>,
    /// Answers given at the start: they are filled into the forms that open later.
    preset_answers: crate::domain::Answers,
    /// The recipe that the person named, with the words typed after it, until the recipes are loaded.
    named_recipe: Option<(String, String)>,
    /// The progress of the running recipe.
    pub(in crate::tui) recipe: RecipeLine,
    /// The gate in front of decisions.
    pub guard: Guard,
    /// What confines runs, once this was asked for and found out.
    pub(crate) sandbox: Option<Result<crate::domain::SandboxReport, String>>,
    /// Whether the person waits for that.
    sandbox_asked: bool,
    /// How many requests were sent, as of the last frame.
    pub sent_requests: crate::domain::RequestCounts,
    /// The message that was not sent and was put back into the message box.
    unsent: Option<String>,
    /// The state of reading the files that the message names.
    file_reading: attachments::FileReading,
    /// The place at which the session was opened, while its text is being loaded.
    opened_at: Option<FoundLocation>,
    /// What the note said about missing parts of that place.
    missing: String,
    /// The newest note in the status line.
    pub note: Option<Note>,
    pub(crate) problem: usize,
    /// Which prompt of an empty conversation is suggested.
    pub(crate) suggested: usize,
    /// A pane shown alone, for selecting with the terminal's own mouse.
    pub(crate) bare_pane: Option<Pane>,
    /// The pane that fills the screen.
    zoomed: Option<Pane>,
    /// Where the person put the borders between panes.
    pub(crate) borders: Borders,
    /// The border that the mouse is dragging.
    held_border: Option<Border>,
    /// Whether keys are forwarded to a program.
    forwarding: key_forwarding::KeyForwarding,
    /// The layout of the last frame.
    pub arrangement: Arrangement,
    /// What can be clicked in the last frame.
    pub hits: Hits,
    size: (u16, u16),
    /// Whether the terminal has the focus.
    pub(crate) attended: bool,
    /// The time of the last event.
    last_step: Instant,
    /// The key that ended the key test, and when it came last: while held down, it repeats.
    left_test: Option<(crate::tui::keymap::Key, Instant)>,
    /// What is known of the session's progress.
    follow: focus::WaitState,
    /// Earlier presses of Ctrl-C.
    escalation: stop::Escalation,
    /// The key hint that the mouse button was pressed on, until it is released.
    pressed: Option<ClickTarget<Action>>,
    /// Counts clicks in an editable text.
    clicks: mouse::Clicks,
    /// The drag in an editable text, and the drag in a pane.
    held_text: Option<text_mouse::TextDrag>,
    drag: Option<select::SelectionDrag>,
    /// The bytes from the terminal that made up the event being handled.
    pub event_bytes: Vec<u8>,
    /// The block whose output is shown as the source of words in another block.
    source: Option<BlockId>,
    /// When the next portion of long work is due.
    work_due: Option<Instant>,
    /// The direction of a search that a key repeats, while it is not finished.
    repeated_find: Option<bool>,
    /// The layout of the waiting block that the guard knows.
    seen_layout: Option<LayoutStamp>,
}

impl Screen {
    /// Makes a screen of this size.
    pub fn new(setup: Setup, keymap: Arc<Keymap>, size: (u16, u16), now: Instant) -> Self {
        let mut overlays: Vec<Box<dyn Overlay>> = Vec::new();
        if setup.welcome || setup.address.is_some() {
            overlays.push(Box::new(Welcome::new(&setup).with_address(setup.address.as_ref())));
        }
        let mut panes = Panes::default();
        if setup.vim {
            panes.composer.use_vim();
        }
        Self {
            guard: Guard::new(setup.times, size, now),
            borders: setup.borders,
            setup,
            commands: Vec::new(),
            keymap,
            panes,
            overlays,
            drafts: Vec::new(),
            named_recipe: None,
            preset_answers: Vec::new(),
            recipe: RecipeLine::default(),
            sandbox: None,
            sandbox_asked: false,
            sent_requests: crate::domain::RequestCounts::default(),
            unsent: None,
            file_reading: attachments::FileReading::default(),
            opened_at: None,
            missing: String::new(),
            note: None,
            problem: 0,
            bare_pane: None,
            zoomed: None,
            suggested: 0,
            held_border: None,
            forwarding: key_forwarding::KeyForwarding::default(),
            arrangement: Arrangement::of(size.0, size.1, LayoutRequest::default()),
            hits: Hits::default(),
            size,
            attended: true,
            last_step: now,
            left_test: None,
            follow: focus::WaitState::default(),
            escalation: stop::Escalation::default(),
            pressed: None,
            clicks: mouse::Clicks::default(),
            held_text: None,
            drag: None,
            event_bytes: Vec::new(),
            source: None,
            work_due: None,
            repeated_find: None,
            seen_layout: None,
        }
    }

    /// Handles a new size of the terminal.
    pub fn resized(&mut self, size: (u16, u16), now: Instant) {
        if self.size != size {
            self.size = size;
            self.note = self.note.take().filter(|note| !note.about_size);
            self.guard.resized(size, now);
        }
    }

    /// Records that the terminal got the focus or lost it.
    pub fn set_attended(&mut self, has_focus: bool, now: Instant) {
        self.attended = has_focus;
        // A key pressed while windows change may be meant for another window.
        self.guard.focused(now);
    }

    /// Shows a note in the status line.
    pub fn show_note(&mut self, note: Note) {
        // The time of the last event stands in for the present time, so a note is never older than the last
        // key.
        self.note = Some(Note { at: Some(self.last_step), ..note });
    }

    fn inform(&mut self, text: impl Into<String>) {
        self.show_note(Note::info(text));
    }

    /// Says that something was not carried out as asked.
    fn warn(&mut self, text: impl Into<String>) {
        self.show_note(Note::warn(text));
    }

    /// Shows a warning about the waiting block.
    fn tell_of_block(&mut self, text: impl Into<String>) {
        self.show_note(Note::about_waiting_block(text));
    }

    /// Asks for a command to the engine.
    fn send(&mut self, command: Command) {
        self.commands.push(UiCommand::Send(command));
    }

    fn start(&mut self, job: Job) {
        self.commands.push(UiCommand::Job(job));
    }

    /// Takes what the screen asked for since the last call, in order.
    pub fn take_commands(&mut self) -> Vec<UiCommand> {
        std::mem::take(&mut self.commands)
    }

    /// Visible state that may change without a key: focus, lower pane, number of overlays, block on screen.
    pub(crate) fn stance(&self) -> (Pane, LowerPane, usize, Option<BlockId>) {
        (self.panes.focus, self.panes.lower, self.overlays.len(), self.panes.code.subject())
    }

    /// Whether the lower pane, which Tab and clicks call `Output`, shows the variables.
    pub(crate) fn shows_vars(&self) -> bool {
        self.panes.lower == LowerPane::Vars
    }
}
