//! Overlays: questions, boxes and lists above the panes. Each is one file: its state, what keys do to it, its rows. The
//! topmost one receives the keys; Esc closes it.
//!
//! An overlay changes itself and the panes; for anything else it returns an [`OverlayResponse`]. It does not know the
//! screen, so a new overlay needs only its file, one line here, and a caller that opens it.

pub mod always;
pub mod ask;
pub(crate) mod blocks;
pub(crate) mod branches;
pub(crate) mod commands;
pub(crate) mod compare;
pub(crate) mod comparison;
pub mod confirm;
pub(crate) mod files;
pub(crate) mod find;
pub(crate) mod find_in_editor;
pub mod form;
pub(crate) mod help;
pub mod input_box;
pub(crate) mod keys_test;
pub mod language;
pub mod limits;
pub mod models;
pub(crate) mod old_messages;
pub(crate) mod pager;
pub mod recipes;
pub(crate) mod reject;
pub mod rules;
pub(crate) mod sessions;
pub mod status;
pub(crate) mod steps;
pub mod themes;
pub(crate) mod undo;
pub mod welcome;

use crate::domain::{RequestCounts, SandboxReport};
use crate::driver::{Job, JobResult};
use crate::engine::{Command, State};
use crate::tui::action::Action;
use crate::tui::keymap::Context;
use crate::tui::note::Note;
use crate::tui::panes::Panes;
use crate::tui::setup::Setup;
use crate::tui::slash::Slash;
use crate::tui::ui_command::{Exit, UiCommand};
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::field::{Edit, Field};
use crate::tui::widgets::filter::Cursor;
use crate::tui::widgets::filtered_list::Matches;
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::layout::{Arrangement, Pane};
use crate::tui::widgets::sheet::Sheet;
use ratatui::layout::Rect;
use std::any::Any;
use std::fmt::Debug;

/// The columns that an overlay wants for the whole screen: more than there are.
const WHOLE_SCREEN: u16 = u16::MAX - 4;

/// What an overlay may read.
#[derive(Clone, Copy)]
pub struct OverlayContext<'a> {
    pub(crate) state: &'a State,
    /// How views draw.
    pub(crate) draw: DrawContext<'a>,
    /// What was fixed when the screen was set up.
    pub(crate) setup: &'a Setup,
    /// The layout of the last frame.
    pub(crate) arrangement: &'a Arrangement,
    /// What confines runs, once the answer to that request has arrived.
    pub(crate) sandbox: Option<&'a Result<SandboxReport, String>>,
    /// How many requests were sent to each host.
    pub(crate) sent_requests: &'a RequestCounts,
}

impl OverlayContext<'_> {
    /// The room for the content of an overlay that wants this many columns.
    pub(crate) fn room(&self, width: u16) -> Rect {
        self.arrangement.overlay(width + 4, self.arrangement.body.height).inner
    }
}

/// What happens after a key that an overlay handled.
#[derive(Debug)]
pub enum OverlayResponse {
    /// Close the overlay.
    Close,
    /// Close the overlay, but keep what was typed into it.
    CloseKeeping,
    /// Open another overlay above it.
    Open(Box<dyn Overlay>),
    /// Show a note in the status row.
    ShowNote(Note),
    /// Perform a command outside of the screen.
    UiCommand(UiCommand),
    /// Move the focus to where the effect of the person's choice is visible.
    Focus(Pane),
    /// Switch the code pane to viewing the block.
    ViewBlock,
    /// Run a slash command.
    Run(Slash, String),
    /// Open the form of a recipe.
    OpenRecipe(String),
    /// Leave the session for another; if something is running, ask first.
    LeaveFor(Exit),
    /// Quit as soon as the current run has ended.
    QuitAfterRun,
}

impl OverlayResponse {
    pub(in crate::tui) fn info(text: impl Into<String>) -> Self {
        Self::ShowNote(Note::info(text))
    }

    fn warn(text: impl Into<String>) -> Self {
        Self::ShowNote(Note::warn(text))
    }

    /// Sends a command to the engine.
    pub(in crate::tui) fn send(command: Command) -> Self {
        Self::UiCommand(UiCommand::Send(command))
    }

    /// Starts a job.
    fn job(job: Job) -> Self {
        Self::UiCommand(UiCommand::Job(job))
    }

    pub(in crate::tui) fn about_waiting_block(text: impl Into<String>) -> Self {
        Self::ShowNote(Note::about_waiting_block(text))
    }
}

/// A key of a single overlay, and what it does.
pub(crate) type OwnKey = (String, &'static str);

/// What a letter outside of text fields does, as far as the guard needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LetterEffect {
    /// It moves or closes something.
    Harmless,
    /// It spends, sends, starts or deletes something, or gives an answer that does.
    Acts,
    /// Nothing.
    Nothing,
}

/// What has to be known of an overlay besides what it shows and does.
#[derive(Clone, Copy, Debug)]
pub struct OverlayProperties {
    /// The context in which keys are looked up while the overlay is on top.
    pub(crate) context: Context,
    /// How many columns it wants for its content.
    pub(crate) width: u16,
    /// Whether it can only be scrolled and closed; then `q` closes it too, and the wheel of the mouse scrolls it.
    pub(crate) is_only_read: bool,
    /// Which of the actions that only some lists support it supports; the help shows only these.
    pub(crate) list_actions: &'static [Action],
}

impl OverlayProperties {
    fn new(context: Context, width: u16) -> Self {
        Self { context, width, is_only_read: false, list_actions: &[] }
    }
}

impl Default for OverlayProperties {
    fn default() -> Self {
        Self::new(Context::Picker, 56)
    }
}

/// A box above the panes that receives the keys.
pub trait Overlay: Any + Debug {
    /// The properties that it has now.
    fn properties(&self) -> OverlayProperties {
        OverlayProperties::default()
    }

    /// Its keys that are not in the keymap, for the help.
    fn own_keys(&self, _ctx: OverlayContext<'_>) -> Vec<OwnKey> {
        Vec::new()
    }

    /// Its list with a filter, if it is one.
    fn matches(&mut self) -> Option<&mut Matches> {
        None
    }

    /// The field that receives letters, if there is one.
    fn field(&mut self) -> Option<&mut Field> {
        self.matches().map(|matches| &mut matches.filter)
    }

    /// Moves the focus to one of its fields, by number, and returns that field.
    fn to_field(&mut self, _number: usize) -> Option<&mut Field> {
        self.field()
    }

    /// Its rows for this room. `None` if it is drawn in the message box instead.
    fn sheet(&self, ctx: OverlayContext<'_>, panes: &Panes, room: Rect) -> Option<Sheet>;

    /// The field that is drawn in the message box, and the word before it.
    fn in_message(&self) -> Option<(&'static str, &Field)> {
        None
    }

    /// The list in which Up and Down move: its cursor, and how many rows it has.
    fn list(&mut self) -> Option<(&mut Cursor, usize)> {
        self.matches().map(Matches::list)
    }

    /// The hints for the key bar.
    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        hints.plain("Up/Down", "scroll", 1).plain("Esc", "close", 0);
    }

    /// The text of the status row while the overlay is on top; `None` for the usual one.
    fn status(&self, ctx: OverlayContext<'_>) -> Option<String>;

    /// Performs an action, by the key that is bound to it.
    fn action(&mut self, action: Action, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        self.common(action, ctx, panes)
    }

    /// What actions do in most overlays.
    fn common(&mut self, action: Action, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        match action {
            Action::ListAccept | Action::MessageSend => self.accept(ctx, panes),
            Action::ListUp | Action::ScrollUp => self.step(-1, ctx, panes),
            Action::ListDown | Action::ScrollDown => self.step(1, ctx, panes),
            Action::ScrollPageUp => self.step(-10, ctx, panes),
            Action::ScrollPageDown => self.step(10, ctx, panes),
            Action::ScrollTop => self.step(-isize::MAX, ctx, panes),
            Action::ScrollEnd => self.step(isize::MAX, ctx, panes),
            Action::ListDelete => self.edit(Edit::Delete, ctx, panes),
            other => Edit::of(other).map_or_else(Vec::new, |edit| self.edit(edit, ctx, panes)),
        }
    }

    /// Handles Enter.
    fn accept(&mut self, _ctx: OverlayContext<'_>, _panes: &mut Panes) -> Vec<OverlayResponse> {
        vec![OverlayResponse::Close]
    }

    /// Moves by this many rows.
    fn step(&mut self, by: isize, _ctx: OverlayContext<'_>, _panes: &mut Panes) -> Vec<OverlayResponse> {
        if let Some((cursor, rows)) = self.list() {
            cursor.step(by, rows);
        }
        Vec::new()
    }

    /// Handles a letter to which no action is bound.
    fn letter(&mut self, letter: char, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        if self.properties().is_only_read && matches!(letter, 'q' | '?') {
            return vec![OverlayResponse::Close];
        }
        self.edit(Edit::Insert(letter), ctx, panes)
    }

    /// What a letter would do to which no action is bound and that no field receives.
    fn letter_effect(&self, letter: char) -> LetterEffect {
        if self.properties().is_only_read && letter == 'q' {
            LetterEffect::Harmless
        } else {
            LetterEffect::Nothing
        }
    }

    /// Whether its answer approves the waiting block: then the guard demands what it demands of the key for that, and
    /// that a word is typed.
    fn approves(&self) -> bool {
        false
    }

    /// A number for what letters act on; every question has another one.
    fn scope(&self) -> Option<u64> {
        None
    }

    /// Applies a change to the text field.
    fn edit(&mut self, edit: Edit, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        if self.field().is_some_and(|field| field.apply(edit)) {
            self.changed(ctx, panes)
        } else {
            Vec::new()
        }
    }

    /// Called when the text in the field changed: the first row is chosen again.
    fn changed(&mut self, _ctx: OverlayContext<'_>, _panes: &mut Panes) -> Vec<OverlayResponse> {
        if let Some(matches) = self.matches() {
            matches.changed();
        } else if let Some((cursor, _)) = self.list() {
            cursor.0 = 0;
        }
        Vec::new()
    }

    /// Takes a pasted text.
    fn paste(&mut self, text: &str, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        match self.field() {
            Some(field) => {
                field.apply(Edit::Paste(text.to_owned()));
                self.changed(ctx, panes)
            }
            None => Vec::new(),
        }
    }

    /// Handles Esc: one step back. If a question is open, this gives the safe answer.
    fn back(&mut self, _ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        self.close(panes)
    }

    /// Called when the overlay has to close because the person types a message or stopped something.
    fn close(&mut self, _panes: &mut Panes) -> Vec<OverlayResponse> {
        vec![OverlayResponse::Close]
    }

    /// Takes the result of a job. `None` if it is not for this overlay.
    fn job_done(&mut self, _found: &JobResult) -> Option<Vec<OverlayResponse>> {
        None
    }

    /// Does a portion of long work. Returns whether there was any; then there may be more.
    fn work(&mut self, _ctx: OverlayContext<'_>, _panes: &mut Panes) -> bool {
        false
    }

    /// Whether the overlay is about something that no longer applies.
    fn is_stale(&self, _state: &State) -> bool {
        false
    }
}

/// The responses after an overlay about a decision was closed.
fn nothing_decided() -> Vec<OverlayResponse> {
    vec![OverlayResponse::Close, OverlayResponse::about_waiting_block("Nothing was decided.")]
}

/// The response if a requested result arrives while the person is occupied with something else.
pub(super) fn not_shown() -> OverlayResponse {
    OverlayResponse::info("Not shown over what stands here. Ask for it once more.")
}

/// Makes the value for [`Overlay::scope`] from what tells one question or list from all others.
pub(in crate::tui) fn scope_of(what: impl std::hash::Hash) -> u64 {
    use std::hash::{DefaultHasher, Hasher as _};
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}
