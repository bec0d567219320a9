//! The screen as a value: the focus, the open overlays, the typed text. Keys and events of the driver go in,
//! `UiCommand`s come out of `take_commands`.
//!
//! It draws nothing and has no effect on the world, so it can be tested without a terminal. Every key passes
//! the guard, whatever has the focus; only the guard says whether a decision counts.

mod attachments;
mod borders;
mod clicks;
mod context;
mod decide;
mod editor;
mod editor_result;
mod find;
mod focus;
mod instructions;
mod key_forwarding;
mod keys;
mod keys_test;
mod layout_request;
mod limits;
mod message;
mod mouse;
mod notifications;
mod opening;
mod overlays;
mod pane_actions;
mod problems;
mod provenance;
mod queue;
mod rebuild;
mod recipes;
mod review;
mod rules;
mod sandbox;
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
use crate::tui::panes::code::subject_of;
use crate::tui::panes::recipe::RecipeLine;
use crate::tui::panes::{LowerPane, Panes};
use crate::tui::setup::{FoundLocation, Setup};
use crate::tui::ui_command::{Exit, UiCommand};
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::hits::{ClickTarget, Hits};
use crate::tui::widgets::layout::{Arrangement, Border, Borders, LayoutRequest, Pane};
use crate::tui::widgets::safe;
use crate::tui::widgets::typed_text::TypedText;
use crate::tui::widgets::words;
use std::time::Instant;

/// What every method of the screen gets.
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
    pub keymap: Keymap,
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
    /// Which problem is selected.
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
    attended: bool,
    /// The time of the last event.
    last_step: Instant,
    /// The key that ended the key test, and when it came last: while held down, it repeats.
    left_test: Option<(crate::tui::keymap::Key, Instant)>,
    follow: focus::WaitState,
    escalation: stop::Escalation,
    pressed: Option<ClickTarget<Action>>,
    /// Counts clicks in an editable text.
    clicks: clicks::Clicks,
    /// The drag in an editable text, and the drag in a pane.
    held_text: Option<text_mouse::TextDrag>,
    drag: Option<select::SelectionDrag>,
    /// The bytes from the terminal that made up the event being handled.
    pub sent: Vec<u8>,
    /// The block whose output is shown as the source of words in another block.
    source: Option<BlockId>,
    /// When the next portion of long work is due.
    working: Option<Instant>,
    seen_layout: Option<LayoutStamp>,
}

impl Screen {
    /// Makes a screen of this size.
    pub fn new(setup: Setup, keymap: Keymap, size: (u16, u16), now: Instant) -> Self {
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
            clicks: clicks::Clicks::default(),
            held_text: None,
            drag: None,
            sent: Vec::new(),
            source: None,
            working: None,
            seen_layout: None,
        }
    }

    /// Handles a new size of the terminal.
    pub fn resized(&mut self, size: (u16, u16), now: Instant) {
        if self.size != size {
            self.size = size;
            self.guard.resized(size, now);
        }
    }

    /// Records that the terminal got the focus or lost it.
    pub fn set_attended(&mut self, has_focus: bool, now: Instant) {
        self.attended = has_focus;
        // A key pressed while windows change may be meant for another window.
        self.guard.focused(now);
    }

    /// Whether the terminal has the focus, as far as it tells.
    pub(crate) fn is_attended(&self) -> bool {
        self.attended
    }

    /// Shows a note in the status line.
    pub fn show_note(&mut self, note: Note) {
        // The time of the last event stands in for the present time, so a note is never older than the last
        // key.
        self.note = Some(Note { at: Some(self.last_step), ..note });
    }

    /// Asks for a command to the engine.
    fn send(&mut self, command: Command) {
        self.commands.push(UiCommand::Send(command));
    }

    /// Asks for a job.
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

    /// Lays everything out for the next frame. Draw right after this.
    pub fn arrange(&mut self, ctx: Ctx<'_>) {
        // Moving the focus to another pane ends the zoom.
        self.zoomed = self.zoomed.filter(|pane| *pane == self.panes.focus);
        self.recipe.update(ctx.state);
        let width_of = |made: &Arrangement| made.message.map(|slot| slot.inner.width);
        let before = width_of(&self.arrangement);
        self.arrangement = self.arrangement(ctx);
        // The rows of the message box were counted for the old width.
        if width_of(&self.arrangement) != before {
            self.arrangement = self.arrangement(ctx);
        }
        self.lay_out(ctx);
        if self.shares_with_output(ctx.state) {
            self.arrangement = self.arrangement(ctx);
            self.lay_out(ctx);
        }
        self.mark(ctx);
        self.update_guard(ctx);
    }

    /// Lays out the panes in their slots.
    fn lay_out(&mut self, ctx: Ctx<'_>) {
        let made = self.arrangement;
        if let Some(slot) = made.message {
            let rows = safe::typed_rows(slot.inner.width.saturating_sub(2).into());
            self.panes.composer.field_mut().engine().lay_out(rows);
        }
        if let Some(slot) = made.chat {
            let opening = (&self.setup.opening, self.suggested);
            let chosen = self.panes.code.subject();
            self.panes.chat.arrange(ctx.state, opening, chosen, slot.inner, ctx.draw);
        }
        self.panes.code.arrange(ctx.state, made.code.map(|s| s.inner).unwrap_or_default(), ctx.draw);
        // A search needs the output laid out even while another pane has its place.
        let place_of_output =
            made.output.or_else(|| made.chat.or(made.code).filter(|_| self.panes.kept_output.is_some()));
        if let Some(slot) = place_of_output {
            match self.panes.lower {
                LowerPane::Output => {
                    let chosen = self.output_block();
                    let painted = self.program_screen(ctx.state).cloned();
                    let panes = &mut self.panes;
                    panes.output.show_whole(self.bare_pane.is_some());
                    panes.output.arrange(ctx.state, chosen, slot.inner, &mut panes.pictures, ctx.draw);
                    panes.output.show_screen(painted);
                }
                LowerPane::Vars => self.panes.vars.arrange(ctx.state, slot.inner),
                LowerPane::Problems => {}
            }
        }
    }

    /// Tells the guard what the next frame shows.
    fn update_guard(&mut self, ctx: Ctx<'_>) {
        self.guard.set_scope(self.letters_scope(ctx.state), ctx.at);
        let on_screen = self.arrangement.code.is_some();
        let waiting = ctx.state.waiting().filter(|item| self.panes.code.subject() == Some(item.block.id));
        let first_seen = on_screen && self.overlays.is_empty();
        let subject =
            waiting.filter(|_| !self.panes.code.edits()).map(|item| (item, subject_of(ctx.state, item)));
        // A block counts as on screen from the first frame that shows it uncovered; hiding it later loses
        // nothing.
        let subject = subject.filter(|(_, token)| first_seen || self.guard.subject() == Some(*token));
        let Some((item, token)) = subject else {
            self.guard.clear_subject();
            self.seen_layout = None;
            return;
        };
        if self.guard.subject() != Some(token) {
            self.seen_layout = None;
        }
        self.guard.set_subject(token, ctx.at);
        self.guard.set_checking(ctx.state.inspected(item.block.id).is_none());
        if on_screen {
            let stamp = self.panes.code.layout_stamp();
            if stamp != self.seen_layout {
                let before = std::mem::replace(&mut self.seen_layout, stamp);
                let again = self.guard.layout(self.panes.code.subject_rows());
                let both = before.zip(stamp).filter(|_| again > 0);
                if let Some((before, stamp)) = both.filter(|(a, b)| !a.differs_only_in_compaction(*b)) {
                    let lines = words::count(again, "line");
                    let said = if before.width != stamp.width {
                        format!("Width changed: {lines} to look at again.")
                    } else if stamp.full_rights && !before.full_rights {
                        format!("All rights are shown: {lines} more to look at.")
                    } else {
                        format!("What is shown of it changed: {lines} to look at.")
                    };
                    self.show_note(Note::about_waiting_block(said));
                }
            }
        }
        let shown = if first_seen { self.panes.code.on_screen() } else { Vec::new() };
        self.guard.rows_on_screen(&shown, ctx.at);
        if on_screen && self.guard.rows().are_rows_seen(self.panes.code.rights_rows()) {
            self.panes.code.note_rights_seen(ctx.state);
        }
    }

    fn message_rows(&self) -> u16 {
        let width = self.arrangement.message.map_or(60, |s| s.inner.width).saturating_sub(2).max(10);
        let rows = TypedText::of(self.panes.composer.field()).count(width.into(), 10);
        u16::try_from(rows).unwrap_or(u16::MAX).clamp(1, 10)
    }
}
