//! Finds the context in which the keymap looks up a key, and what the guard has to know about the key.

use super::Screen;
use crate::engine::Phase;
use crate::engine::State;
use crate::tui::action::Action;
use crate::tui::guard::{GuardedAction, KeyClass, SubjectId, Verb};
use crate::tui::keymap::Context;
use crate::tui::overlays::{LetterEffect, scope_of};
use crate::tui::panes::LowerPane;
use crate::tui::panes::code::{Mode, subject_of};
use crate::tui::widgets::layout::Pane;

impl Screen {
    /// The context of the next key.
    pub(crate) fn keymap_context(&self, state: &State) -> Context {
        if let Some(overlay) = self.overlays.last() {
            return overlay.properties().context;
        }
        match self.panes.focus {
            Pane::Message => Context::Message,
            Pane::Chat => Context::Chat,
            Pane::Code => self.code_context(state),
            Pane::Output => match self.panes.lower {
                LowerPane::Problems => Context::Problems,
                LowerPane::Vars => Context::Vars,
                LowerPane::Output => Context::Done,
            },
        }
    }

    fn code_context(&self, state: &State) -> Context {
        match self.panes.code.mode {
            Mode::Edit(_) => Context::Edit,
            Mode::Queue(_) => Context::Queue,
            Mode::View | Mode::Diff(_) => match state.waiting() {
                Some(item) if self.panes.code.subject() == Some(item.block.id) => Context::Review,
                _ => Context::Done,
            },
        }
    }

    /// Whether letters are typed as text at the focus.
    pub(crate) fn takes_text(&mut self, state: &State) -> bool {
        if let Some(overlay) = self.overlays.last_mut() {
            return overlay.field().is_some();
        }
        matches!(self.keymap_context(state), Context::Message | Context::Edit)
    }

    /// Whether keys go to the review of the waiting block, with no overlay over it.
    pub(crate) fn in_review(&self, state: &State) -> bool {
        self.overlays.is_empty()
            && self.panes.focus == Pane::Code
            && matches!(self.panes.code.mode, Mode::View)
            && self.keymap_context(state) == Context::Review
    }

    /// Classifies an action for the guard.
    pub(super) fn class(&self, state: &State, action: Action) -> KeyClass {
        if matches!(action, Action::ListAccept | Action::MessageSend | Action::FormAccept)
            && let Some(class) = self.accept_class()
        {
            return class;
        }
        if action == Action::ToWaiting {
            return KeyClass::Go { there: self.in_review(state), subject: Self::subject(state) };
        }
        // Decisions are only made in review, on the block on screen, with no overlay over it.
        let in_review = self.in_review(state);
        // Holding back a block that would start by itself is never locked.
        if action == Action::Skip && in_review && self.announced(state).is_some() {
            return KeyClass::Stop;
        }
        if in_review && let Some(verb) = decision_of(action) {
            return KeyClass::Decision(verb);
        }
        if let (true, Some(scope)) = (self.overlays.is_empty() && acts(action), self.letters_scope(state)) {
            return KeyClass::Act(GuardedAction::Do(action), scope);
        }
        match action {
            _ if action.is_scroll() => KeyClass::Scroll,
            Action::MessageFocus | Action::Commands => KeyClass::Opener,
            _ => KeyClass::Other,
        }
    }

    /// Classifies the key that takes what an overlay holds; `None` while none is open.
    pub(super) fn accept_class(&self) -> Option<KeyClass> {
        self.overlays.last().map(|top| KeyClass::Accept { approves: top.approves() })
    }

    /// Whether an answer of the topmost overlay approves the waiting block.
    pub(super) fn overlay_approves(&self) -> bool {
        self.overlays.last().is_some_and(|top| top.approves())
    }

    /// Classifies a letter that is bound to no action and typed into no field.
    pub(super) fn letter_class(&self, letter: char, state: &State) -> KeyClass {
        let act = || {
            let approves = self.overlay_approves();
            let does: fn(char) -> GuardedAction =
                if approves { GuardedAction::Approval } else { GuardedAction::Letter };
            self.letters_scope(state).map_or(KeyClass::Mute, |scope| KeyClass::Act(does(letter), scope))
        };
        match self.overlays.last().map(|overlay| overlay.letter_effect(letter)) {
            Some(LetterEffect::Harmless) => KeyClass::Other,
            Some(LetterEffect::Acts) => act(),
            Some(LetterEffect::Nothing) => KeyClass::Mute,
            None if self.keymap_context(state) == Context::Problems => match letter {
                'i' => KeyClass::Opener,
                '?' => KeyClass::Other,
                'c' | 'e' if answers(state, letter) => act(),
                _ => KeyClass::Stray,
            },
            // The numbers of the tabs.
            None if ('1'..='4').contains(&letter) => KeyClass::Other,
            None => KeyClass::Stray,
        }
    }

    /// Identifies the question or list on whose items letters act now, if any: a hash that differs between all
    /// of them. The waiting block is not included. `None`: letters act nowhere.
    pub(super) fn letters_scope(&self, state: &State) -> Option<u64> {
        if let Some(overlay) = self.overlays.last() {
            return overlay.scope();
        }
        Some(match self.keymap_context(state) {
            Context::Problems => {
                scope_of(("problems", format!("{:?}", state.phase), &state.live.store_failure))
            }
            Context::Queue => scope_of("queue"),
            Context::Done => {
                let run = self.panes.output.run(state).map(|(item, _)| item.block.id);
                scope_of(("run", self.panes.focus == Pane::Code, self.panes.code.subject(), run))
            }
            Context::Review if !matches!(self.panes.code.mode, Mode::View) => scope_of("review"),
            _ => return None,
        })
    }

    /// Identifies the waiting block in its present revision.
    pub(super) fn subject(state: &State) -> Option<SubjectId> {
        state.waiting().map(|item| subject_of(state, item))
    }
}

/// Whether a letter without an action answers a question in the list of problems.
fn answers(state: &State, letter: char) -> bool {
    match &state.phase {
        Phase::Asking(_) => true,
        Phase::Stuck(failure) => letter == 'e' || failure.kind == crate::domain::FailureKind::Overflow,
        _ => false,
    }
}

/// Whether an action spends, sends, starts or deletes something, or asks to: its letter must not be text typed
/// by accident.
fn acts(action: Action) -> bool {
    matches!(
        action,
        Action::ProblemRetry
            | Action::ProblemModel
            | Action::ProblemKey
            | Action::ProblemNew
            | Action::ProblemKernel
            | Action::ProblemSave
            | Action::OutputOpen
            | Action::OutputWrite
            | Action::Debug
            | Action::TakeBack
            | Action::ReopenBlock
            | Action::BlockBranch
            | Action::KernelNew
            | Action::QueueSkipAll
            | Action::Opinion
            | Action::InstallInto
            | Action::Limits
            | Action::Fresh
            | Action::Terminal
    )
}

pub(super) fn decision_of(action: Action) -> Option<Verb> {
    Some(match action {
        Action::Approve => Verb::Approve,
        Action::Always => Verb::Always,
        Action::Edit => Verb::Edit,
        Action::EditOutside => Verb::EditOutside,
        Action::Reject => Verb::Reject,
        Action::Skip => Verb::Skip,
        Action::Restore => Verb::ModelText,
        Action::HunkDrop => Verb::Hunk,
        Action::Opinion => Verb::Opinion,
        Action::InstallInto => Verb::Install,
        Action::Limits => Verb::Limits,
        Action::Fresh => Verb::NewKernel,
        Action::Terminal => Verb::Terminal,
        Action::ChooseLanguage => Verb::Language,
        _ => return None,
    })
}
