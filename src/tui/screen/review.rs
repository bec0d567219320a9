//! The review: viewing a block, and the keys for that. Decisions are in `decide`.

use super::context::decision_of;
use super::{Ctx, Exit, Note, Screen};
use crate::domain::{BlockId, BlockKind, BranchPoint, InstallInto, Language, PackageList};
use crate::engine::transcript::{BlockItem, BlockStatus};
use crate::engine::{Command, State};
use crate::tui::action::Action;
use crate::tui::keymap::Context;
use crate::tui::note::NO_BLOCK_WAITS;
use crate::tui::overlays::language::LanguageList;
use crate::tui::panes::code::Mode;
use crate::tui::panes::code::diff::{DiffBase, older};
use crate::tui::widgets::layout::Pane;

impl Screen {
    /// Moves the focus to the waiting block. A note says how to approve it; nothing is approved by this.
    pub(super) fn go_to_waiting(&mut self, ctx: Ctx<'_>) {
        let Some(item) = ctx.state.waiting() else {
            return self.inform(NO_BLOCK_WAITS);
        };
        if self.panes.code.edits() {
            return self.inform("Editing. Nothing runs from here. Esc keeps the text and returns to review.");
        }
        if !self.overlays.is_empty() {
            let back = self.keymap.hint(Context::Everywhere, Action::Back);
            return self.tell_of_block(format!("{back} closes this first. Nothing was decided."));
        }
        let block = item.block.id;
        self.panes.code.show(block);
        self.panes.code.mode = Mode::View;
        self.panes.focus = Pane::Code;
        let key = self.keymap.hint(Context::Everywhere, Action::ToWaiting);
        self.show_note(Note::how_to_approve(block, &key));
    }

    /// Shows all rights, from their first row, or only what is new of them.
    fn toggle_rights(&mut self) {
        let code = &mut self.panes.code;
        code.full_rights = !code.full_rights;
        if code.full_rights && matches!(code.mode, Mode::View) {
            code.to_top();
        }
    }

    /// Carries out actions on a block that decide nothing.
    pub(super) fn review_action(&mut self, action: Action, ctx: Ctx<'_>) {
        match action {
            Action::Diff => self.next_diff(ctx.state),
            Action::FindingNext | Action::FindingPrevious => {
                if !self.panes.code.next_finding(action == Action::FindingPrevious) {
                    self.tell_of_block("No findings.");
                }
            }
            Action::HunkNext | Action::HunkPrevious => {
                if !self.panes.code.next_hunk(action == Action::HunkPrevious) {
                    self.say_no_hunks();
                }
            }
            Action::Opinion => self.ask_opinion(ctx.state),
            Action::InstallInto => self.install_elsewhere(ctx.state),
            Action::Rights => self.toggle_rights(),
            Action::Limits => self.open_limits(ctx.state),
            Action::Fresh | Action::Terminal => {
                let Some(block) = ctx.state.waiting().map(|item| item.block.id) else { return };
                self.send(match action {
                    Action::Fresh => Command::ToggleNewKernel(block),
                    _ => Command::ToggleTerminal(block),
                });
            }
            // Only reached outside the review, where decisions do nothing.
            Action::Skip if self.announced(ctx.state).is_some() => self.send(Command::StopCountdown),
            Action::Provenance => self.show_source(ctx),
            _ if decision_of(action).is_some() => {
                let text = if matches!(self.panes.code.mode, Mode::Diff(_)) {
                    "Decisions are made on the block itself: v goes back to it."
                } else {
                    "No block waits here."
                };
                self.tell_of_block(text);
            }
            _ => {}
        }
    }

    /// Asks a model for its opinion of the block on screen; a decision need not wait for it.
    pub(super) fn ask_opinion(&mut self, state: &State) {
        let Some(item) = self.decidable(state) else { return };
        let block = item.block.id;
        if state.awaited_opinion(block).is_some() {
            return self.tell_of_block("A second opinion is asked for already.");
        }
        self.send(Command::RequestOpinion(block));
    }

    /// Changes where the packages of the block on screen are installed: a new revision, which is reviewed and
    /// asked about again.
    pub(super) fn install_elsewhere(&mut self, state: &State) {
        let Some(item) = self.decidable(state) else { return };
        let (block, current) = (item.block.id, item.block.current());
        let list = match item.block.kind {
            BlockKind::Install { .. } if current.language == Some(Language::python()) => {
                PackageList::parse("python", &current.source).ok()
            }
            _ => None,
        };
        let Some(list) = list else {
            return self.tell_of_block(format!("Block {block} installs no packages of Python."));
        };
        let has_venv = state.inspected(block).is_some_and(|inspected| inspected.venv.is_some());
        if list.into == InstallInto::Session && !has_venv {
            return self
                .tell_of_block("The project has no .venv that is in use: they go beside the session.");
        }
        let other = PackageList { into: list.into.other(), ..list };
        self.set_text(block, current.revision, other.text());
    }

    pub(super) fn choose_language(&mut self, block: BlockId) {
        let languages = self.setup.languages.0.iter().map(|l| l.name.clone()).collect();
        self.open(LanguageList::new(block, languages));
    }

    /// Switches between the code, the difference to the model's text, and the difference to the last run.
    fn next_diff(&mut self, state: &State) {
        let Some(item) = self.panes.code.subject().and_then(|id| state.transcript.blocks.get(&id)) else {
            return;
        };
        let order = [DiffBase::Model, DiffBase::LastRun];
        let from = match self.panes.code.mode {
            Mode::View => 0,
            Mode::Diff(DiffBase::Model) => 1,
            _ => order.len(),
        };
        let next = order.into_iter().skip(from).find(|against| older(item, *against).is_some());
        if next.is_none() && from == 0 {
            self.tell_of_block(format!("Block {} is as the model wrote it.", item.block.id));
        }
        self.panes.code.to_top();
        self.panes.code.mode = next.map_or(Mode::View, Mode::Diff);
    }

    /// Shows the block before or after the one on screen.
    pub(super) fn other_block(&mut self, back: bool, state: &State) {
        if self.panes.code.edits() {
            return;
        }
        let ids: Vec<BlockId> = state.transcript.blocks.keys().copied().collect();
        let here = self.panes.code.subject().and_then(|id| ids.iter().position(|i| *i == id));
        let next = match (here, back) {
            (Some(at), true) => at.checked_sub(1),
            (Some(at), false) => Some(at + 1).filter(|n| *n < ids.len()),
            (None, _) => ids.len().checked_sub(1),
        };
        match next.and_then(|n| ids.get(n)) {
            Some(id) => self.panes.code.show(*id),
            None => self.inform("There is no other block that way."),
        }
    }

    /// Shows a block in the code pane. An open editor stays open.
    pub(super) fn open_block(&mut self, block: BlockId) {
        if !self.panes.code.edits() {
            self.panes.code.show(block);
        }
        self.panes.focus = Pane::Code;
    }

    /// Puts the block on screen back into review.
    pub(super) fn put_back(&mut self, ctx: Ctx<'_>) {
        let Some(item) = self.block_on_screen(ctx.state) else {
            return self.inform("No block is on screen.");
        };
        if item.status == BlockStatus::Open {
            return self.tell_of_block(format!("Block {} waits already.", item.block.id));
        }
        self.panes.code.show(item.block.id);
        self.panes.focus = Pane::Code;
        self.send(Command::Reopen(item.block.id));
    }

    /// The block whose output, or whose code, is shown.
    pub(crate) fn block_on_screen<'a>(&self, state: &'a State) -> Option<&'a BlockItem> {
        let of_output = || self.panes.output.run(state).map(|(item, _)| item);
        let in_front = (self.panes.focus == Pane::Output).then(of_output).flatten();
        in_front.or_else(|| state.transcript.blocks.get(&self.panes.code.subject()?))
    }

    /// Continues in a branch in which the block on screen waits again as it first did.
    pub(super) fn branch_at_block(&mut self, ctx: Ctx<'_>) {
        match self.block_on_screen(ctx.state) {
            Some(item) => self.leave_for(Exit::Branch(BranchPoint::Block(item.block.id)), ctx),
            None => self.inform("No block is on screen."),
        }
    }
}
