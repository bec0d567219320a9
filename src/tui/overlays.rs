//! Overlays: questions, boxes and lists that stand over the panes. Each is one file: its state, what keys do to it, its
//! rows. The topmost takes the keys; Esc closes it.
//!
//! An overlay changes itself and the panes; what lies beyond is asked for by [`OverlayResponse`]. It knows no screen, so that it is
//! added by its file and one line here, and opened where it is wanted.

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
pub(crate) mod go_to_line;
pub(crate) mod help;
pub mod key;
pub(crate) mod keys_test;
pub mod language;
pub mod limits;
pub mod models;
pub(crate) mod old_messages;
pub(crate) mod pager;
pub mod recipes;
pub(crate) mod reject;
pub(crate) mod rename;
pub mod rules;
pub(crate) mod sessions;
pub mod status;
pub(crate) mod steps;
pub mod themes;
pub(crate) mod undo;
pub mod welcome;

use crate::domain::{RequestCounts, SandboxReport};
use crate::driver::JobResult;
use crate::engine::State;
use crate::tui::action::Action;
use crate::tui::keymap::{Context, Keymap};
use crate::tui::note::Note;
use crate::tui::panes::Panes;
use crate::tui::setup::Setup;
use crate::tui::slash::Slash;
use crate::tui::ui_command::{Exit, UiCommand};
use crate::tui::widgets::field::{Edit, Field};
use crate::tui::widgets::filter::Cursor;
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::layout::{Arrangement, Pane};
use crate::tui::widgets::look::DrawStyle;
use crate::tui::widgets::sheet::Sheet;
use ratatui::layout::Rect;
use std::any::Any;
use std::fmt::Debug;

/// What an overlay may look at.
#[derive(Clone, Copy)]
pub struct OverlayContext<'a> {
    pub(crate) state: &'a State,
    /// What views draw with.
    pub(crate) look: DrawStyle<'a>,
    /// What the screen had to know beforehand.
    pub(crate) setup: &'a Setup,
    pub(crate) keymap: &'a Keymap,
    /// Where everything stood in the last frame.
    pub(crate) arrangement: &'a Arrangement,
    /// What confines runs, once it was asked for and told.
    pub(crate) sandbox: Option<&'a Result<SandboxReport, String>>,
    /// Which requests went out.
    pub(crate) departed: &'a RequestCounts,
}

impl OverlayContext<'_> {
    /// The room for the content of an overlay that wants so many columns.
    pub(crate) fn room(&self, width: u16) -> Rect {
        self.arrangement.overlay(width + 4, self.arrangement.body.height).inner
    }
}

/// What follows from a key that an overlay took.
#[derive(Debug)]
pub enum OverlayResponse {
    /// The overlay goes.
    Close,
    /// The overlay goes; what was typed into it is kept.
    Aside,
    /// Another one comes over it.
    Open(Box<dyn Overlay>),
    /// Something is said in the status line.
    Say(Note),
    /// Something is done outside of the screen.
    UiCommand(UiCommand),
    /// The focus goes where the consequence of what the person did is seen.
    Lead(Pane),
    /// The block on screen is looked at, nothing else of it.
    LookAtBlock,
    /// A command is run.
    Run(Slash, String),
    /// The form of a recipe opens.
    OpenRecipe(String),
    /// The session is left for another; what runs is asked about first.
    LeaveFor(Exit),
    /// The program is left as soon as the run has ended.
    QuitAfterRun,
}

/// Keys that only one overlay has, and what they do.
pub(crate) type OwnKey = (String, &'static str);

/// What a letter does that no field takes, as far as the guard cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LetterEffect {
    /// It moves or closes something.
    Harmless,
    /// It spends, sends, starts or deletes something, or gives an answer that does.
    Acts,
    /// Nothing.
    Nothing,
}

/// Something that stands over the panes and takes the keys.
pub trait Overlay: Any + Debug {
    /// Where keys are looked up while it is on top.
    fn context(&self) -> Context {
        Context::Picker
    }

    /// Which of the actions that only some lists have it has: the help tells no others.
    fn list_actions(&self) -> &'static [Action] {
        &[]
    }

    /// Its keys of which the keymap knows nothing: the help tells them.
    fn own_keys(&self, _around: OverlayContext<'_>) -> Vec<OwnKey> {
        Vec::new()
    }

    /// The field that letters go into, if there is one.
    fn field(&mut self) -> Option<&mut Field> {
        None
    }

    /// The field of this number, among those that it shows; letters go into it from now on.
    fn to_field(&mut self, _number: usize) -> Option<&mut Field> {
        self.field()
    }

    /// Columns that it would like to have for its content.
    fn width(&self) -> u16 {
        56
    }

    /// Its rows, on this room. None: it stands in the message box.
    fn sheet(&self, around: OverlayContext<'_>, panes: &Panes, room: Rect) -> Option<Sheet>;

    /// The field that stands in the message box, with the word in front of it.
    fn in_message(&self) -> Option<(&'static str, &Field)> {
        None
    }

    /// Whether it is only scrolled and closed: then `q` closes it as well.
    fn is_only_read(&self) -> bool {
        false
    }

    /// The list that Up and Down move in: its cursor, and how many rows it has.
    fn list(&mut self) -> Option<(&mut Cursor, usize)> {
        None
    }

    /// The keys that the last row shows.
    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        hints.plain("Up/Down", "scroll", 1).plain("Esc", "close", 0);
    }

    /// What the status row says in place of what goes on.
    fn status(&self, around: OverlayContext<'_>) -> Option<String>;

    /// An action, by the key that is bound to it.
    fn action(
        &mut self,
        action: Action,
        around: OverlayContext<'_>,
        panes: &mut Panes,
    ) -> Vec<OverlayResponse> {
        self.common(action, around, panes)
    }

    /// What actions do in most overlays.
    fn common(
        &mut self,
        action: Action,
        around: OverlayContext<'_>,
        panes: &mut Panes,
    ) -> Vec<OverlayResponse> {
        match action {
            Action::ListAccept | Action::MessageSend => self.accept(around, panes),
            Action::ListUp | Action::ScrollUp => self.step(-1, around, panes),
            Action::ListDown | Action::ScrollDown => self.step(1, around, panes),
            Action::ScrollPageUp => self.step(-10, around, panes),
            Action::ScrollPageDown => self.step(10, around, panes),
            Action::ScrollTop => self.step(-10_000, around, panes),
            Action::ScrollEnd => self.step(10_000, around, panes),
            Action::ListDelete => self.edit(Edit::Delete, around, panes),
            other => Edit::of(other).map_or_else(Vec::new, |edit| self.edit(edit, around, panes)),
        }
    }

    /// Enter.
    fn accept(&mut self, _around: OverlayContext<'_>, _panes: &mut Panes) -> Vec<OverlayResponse> {
        vec![OverlayResponse::Close]
    }

    /// So many rows up or down.
    fn step(&mut self, by: isize, _around: OverlayContext<'_>, _panes: &mut Panes) -> Vec<OverlayResponse> {
        if let Some((cursor, rows)) = self.list() {
            cursor.step(by, rows);
        }
        Vec::new()
    }

    /// A letter that no action has.
    fn letter(
        &mut self,
        letter: char,
        around: OverlayContext<'_>,
        panes: &mut Panes,
    ) -> Vec<OverlayResponse> {
        if self.is_only_read() && matches!(letter, 'q' | '?') {
            return vec![OverlayResponse::Close];
        }
        self.edit(Edit::Insert(letter), around, panes)
    }

    /// What a letter would do that no action has and no field takes.
    fn letter_effect(&self, letter: char) -> LetterEffect {
        if self.is_only_read() && letter == 'q' { LetterEffect::Harmless } else { LetterEffect::Nothing }
    }

    /// What stands here for letters to act on: another number for every other question.
    fn place(&self) -> Option<u64> {
        None
    }

    /// A change of what is typed.
    fn edit(&mut self, edit: Edit, around: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        if self.field().is_some_and(|field| field.apply(edit)) {
            self.changed(around, panes)
        } else {
            Vec::new()
        }
    }

    /// What was typed is another: what is chosen is the first again.
    fn changed(&mut self, _around: OverlayContext<'_>, _panes: &mut Panes) -> Vec<OverlayResponse> {
        if let Some((cursor, _)) = self.list() {
            cursor.0 = 0;
        }
        Vec::new()
    }

    /// A pasted text.
    fn paste(&mut self, text: &str, around: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        match self.field() {
            Some(field) => {
                field.apply(Edit::Paste(text.to_owned()));
                self.changed(around, panes)
            }
            None => Vec::new(),
        }
    }

    /// The wheel of the mouse.
    fn wheel(&mut self, _rows: isize, _around: OverlayContext<'_>) {}

    /// Esc: one step back. Nothing that was asked is answered but with the safe answer.
    fn back(&mut self, _around: OverlayContext<'_>, _panes: &mut Panes) -> Vec<OverlayResponse> {
        vec![OverlayResponse::Close]
    }

    /// It has to go: the person writes, or stopped something.
    fn leave(&mut self, _panes: &mut Panes) -> Vec<OverlayResponse> {
        vec![OverlayResponse::Close]
    }

    /// What a job found. None: it is not for this overlay.
    fn found(&mut self, _found: &JobResult) -> Option<Vec<OverlayResponse>> {
        None
    }

    /// Does a portion of what takes long. Tells whether it did something: then there may be more.
    fn work(&mut self, _around: OverlayContext<'_>, _panes: &mut Panes) -> bool {
        false
    }

    /// Whether what it is about is no longer so.
    fn is_stale(&self, _state: &State) -> bool {
        false
    }
}

/// What is said where an overlay about a decision was closed.
fn nothing_decided() -> Vec<OverlayResponse> {
    vec![OverlayResponse::Close, OverlayResponse::Say(Note::of_wait("Nothing was decided."))]
}

/// What is said where something that was asked for comes while the person is at something else.
pub(super) fn not_shown() -> OverlayResponse {
    OverlayResponse::Say(Note::info("Not shown over what stands here. Ask for it once more."))
}

/// A number for [`Overlay::place`].
fn number_of(what: impl std::hash::Hash) -> u64 {
    use std::hash::{DefaultHasher, Hasher as _};
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}
