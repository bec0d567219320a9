//! The review: looking at a block, and the decisions about it once the guard has let them through.

use super::{Ctx, Exit, Note, Screen, UiCommand};
use crate::domain::{
    BlockId, BlockKind, BranchPoint, Decision, InstallInto, Language, PackageList, Readiness, Revision,
    file_texts,
};
use crate::engine::transcript::{BlockItem, BlockStanding};
use crate::engine::{Command, State};
use crate::tui::action::Action;
use crate::tui::guard::{RefusalReason, Verb};
use crate::tui::keymap::Context;
use crate::tui::note::NO_BLOCK_WAITS;
use crate::tui::overlays::confirm::{self, Confirm};
use crate::tui::overlays::language::LanguageList;
use crate::tui::overlays::reject::Reject;
use crate::tui::panes::code::diff::{DiffBase, older};
use crate::tui::panes::code::{Mode, token_of};
use crate::tui::panes::editor::Editor;
use crate::tui::ui_command::PageTarget;
use crate::tui::widgets::field::Field;
use crate::tui::widgets::layout::Pane;
use crate::tui::widgets::{safe, words};

/// What is said where a block changes no text.
const NO_HUNKS: &str = "No hunks: this block stands for no other text.";
/// What is said where a block changes a text in one place only.
const ONE_HUNK: &str = "This change is one hunk: approve or reject the block.";

impl Screen {
    /// Lets time pass: a decision that was held back may be due now.
    pub fn tick(&mut self, ctx: Ctx<'_>) -> (bool, Vec<UiCommand>) {
        let changed = self.guard.tick(ctx.at);
        if let Some(why) = self.guard.take_dropped() {
            self.last_step = ctx.at;
            let key = self.keymap.hint(Context::Everywhere, Action::ToWaiting);
            let more = match (why, ctx.state.waiting()) {
                (RefusalReason::NoAnswer, Some(_)) if !key.is_empty() => format!(" {key} twice approves."),
                _ => String::new(),
            };
            self.show_note(Note::of_wait(format!("{why}{more}")));
        }
        let wishes = match self.guard.take_due(ctx.at) {
            Some(deed) => self.perform(deed, ctx),
            None => Vec::new(),
        };
        let expired = self.escalation.expire(ctx.at);
        let worked = self.work(ctx) | self.drag_on(ctx);
        (changed || expired || worked || !wishes.is_empty(), wishes)
    }

    /// Goes to the block that waits, wherever the person is; there it is only told how it is approved.
    pub(super) fn go_to_waiting(&mut self, ctx: Ctx<'_>) {
        let Some(item) = ctx.state.waiting() else {
            self.show_note(Note::info(NO_BLOCK_WAITS));
            return;
        };
        if self.panes.code.edits() {
            self.show_note(Note::info(
                "Editing. Nothing runs from here. Esc keeps the text and returns to review.",
            ));
            return;
        }
        if !self.overlays.is_empty() {
            let back = self.keymap.hint(Context::Everywhere, Action::Back);
            self.show_note(Note::of_wait(format!("{back} closes this first. Nothing was decided.")));
            return;
        }
        let block = item.block.id;
        self.panes.code.show(block);
        self.panes.code.mode = Mode::View;
        self.panes.focus = Pane::Code;
        let key = self.keymap.hint(Context::Everywhere, Action::ToWaiting);
        self.show_note(Note::how_to_approve(block, &key, ctx.state.needs_typed(block)));
    }

    /// The block that a decision would be about: it waits, and it is the one on screen.
    fn decidable<'a>(&self, state: &'a State) -> Option<&'a BlockItem> {
        state.waiting().filter(|item| self.panes.code.reviews(item.block.id))
    }

    /// A decision that counts.
    pub(super) fn decide(&mut self, verb: Verb, ctx: Ctx<'_>) -> Vec<UiCommand> {
        let Some(item) = self.decidable(ctx.state) else { return Vec::new() };
        let (block, revision) = (item.block.id, item.block.current().revision);
        match verb {
            Verb::Approve => self.approve(item, ctx),
            Verb::Always => self.ask_always(item, ctx),
            Verb::Edit => {
                let source = item.block.current().source.clone();
                let line = self.panes.code.first_line();
                let editor = Editor::open(block, revision, &source, line)
                    .written_in(item.block.current().language.as_ref())
                    .with_vim(self.setup.vim);
                self.panes.code.mode = Mode::Edit(Box::new(editor));
                Vec::new()
            }
            Verb::EditOutside => {
                vec![UiCommand::Editor(PageTarget::Block, item.block.current().source.to_string())]
            }
            Verb::Reject => {
                self.open(Reject { block, revision, field: Field::lines() });
                Vec::new()
            }
            Verb::Skip => {
                self.move_focus(Pane::Message);
                send(block, revision, Decision::Skip)
            }
            Verb::Opinion => self.ask_opinion(ctx.state),
            Verb::Install => self.install_elsewhere(ctx.state),
            Verb::Limits => {
                self.open_limits(ctx.state);
                Vec::new()
            }
            Verb::Fresh => vec![UiCommand::Send(Command::Fresh(block))],
            Verb::Terminal => vec![UiCommand::Send(Command::Terminal(block))],
            Verb::Language => {
                if item.block.readiness() == Readiness::NeedsLanguage {
                    self.choose_language(block);
                } else {
                    let language = words::language_of(item);
                    self.show_note(Note::of_wait(format!("Block {block} is {language}.")));
                }
                Vec::new()
            }
            Verb::Hunk => match self.panes.code.toggle_hunk() {
                Some(text) => send(block, revision, Decision::Edit(text)),
                None => {
                    self.say_no_hunks();
                    Vec::new()
                }
            },
            Verb::Change => {
                if !item.block.edited() {
                    self.show_note(Note::of_wait(format!("Block {block} is as the model wrote it.")));
                    return Vec::new();
                }
                send(block, revision, Decision::Edit(item.block.original().source.to_string()))
            }
        }
    }

    fn say_no_hunks(&mut self) {
        self.show_note(Note::of_wait(if self.panes.code.has_one_hunk() { ONE_HUNK } else { NO_HUNKS }));
    }

    /// Why a block can't be approved at all, in the words of the status line.
    pub(super) fn approval_obstacle(item: &BlockItem, ctx: Ctx<'_>) -> Option<String> {
        let block = item.block.id;
        let refusal = match item.block.readiness() {
            Readiness::Ready => None,
            Readiness::NeedsLanguage => Some(format!("Block {block} names no language: l chooses one.")),
            Readiness::Incomplete => {
                Some(format!("Block {block} is incomplete: its end never came. e edits it."))
            }
            Readiness::Empty => Some(format!("Block {block} is empty. s skips it.")),
            Readiness::Unclear => Some(format!("Block {block} does not say what is meant. e edits it.")),
        };
        let inspected = ctx.state.inspected(block);
        let denied = inspected.and_then(|i| i.review.findings.iter().find(|f| f.forbidden));
        let refusal = refusal.or_else(|| {
            let finding = denied?;
            Some(format!(
                "Block {block} is denied, {}: {}. e edits it.",
                safe::one_line(&file_texts::place(&item.block.files(), finding.place.line)),
                safe::one_line(&finding.message)
            ))
        });
        let terms = inspected.map(|i| i.terms.as_ref().err());
        refusal.or_else(|| match terms {
            None => Some("Not yet: the checks still run.".into()),
            Some(Some(why)) => Some(format!("Block {block} can't run here: {why}")),
            Some(None) => ctx.state.unsaved(),
        })
    }

    fn approve(&mut self, item: &BlockItem, ctx: Ctx<'_>) -> Vec<UiCommand> {
        let block = item.block.id;
        if item.block.readiness() == Readiness::NeedsLanguage {
            self.choose_language(block);
            return Vec::new();
        }
        let refusal = Self::approval_obstacle(item, ctx);
        if let Some(text) = refusal {
            self.show_note(Note::of_wait(text));
            return Vec::new();
        }
        let (revision, token) = (item.block.current().revision, token_of(ctx.state, item));
        // What came between the last frame and this moment was never on screen.
        if self.guard.subject() != Some(token) {
            self.show_note(Note::of_wait(format!("Block {block} has changed: look at it again.")));
            return Vec::new();
        }
        if ctx.state.needs_typed(block) {
            self.open(Confirm { token, field: Field::line() });
            return Vec::new();
        }
        self.carry_out(confirm::approved(block, revision, false, ctx.look), ctx)
    }

    /// Leaves the editor; the text is kept. Nothing is sent where nothing was changed.
    pub(super) fn leave_editor(&mut self, ctx: Ctx<'_>) -> Vec<UiCommand> {
        let Mode::Edit(editor) = std::mem::take(&mut self.panes.code.mode) else { return Vec::new() };
        if !editor.is_changed() {
            self.show_note(Note::of_wait("Nothing was changed."));
            return Vec::new();
        }
        self.edited(editor.block(), editor.revision(), editor.text(), ctx)
    }

    /// What is being typed and was not sent: the message, and the text in the editor where it was changed.
    pub fn unsent_text(&self) -> String {
        let message = self.panes.composer.full_text();
        match &self.panes.code.mode {
            Mode::Edit(editor) if editor.is_changed() && message.trim().is_empty() => editor.text(),
            Mode::Edit(editor) if editor.is_changed() => format!("{message}\n\n{}", editor.text()),
            _ => message,
        }
    }

    /// A new text for a block, from the editor here or outside.
    pub(super) fn edited(
        &mut self,
        block: BlockId,
        revision: Revision,
        text: String,
        ctx: Ctx<'_>,
    ) -> Vec<UiCommand> {
        let waits = ctx.state.waiting().is_some_and(|item| item.block.id == block);
        if !waits {
            // The text is the person's work, and so is what is written in Message: it goes there, behind that.
            self.panes.composer.add(&text);
            self.panes.focus = Pane::Message;
            self.show_note(Note::warn(format!("Block {block} no longer waits. Your text is in Message.")));
            return Vec::new();
        }
        self.panes.code.to_top();
        send(block, revision, Decision::Edit(text))
    }

    /// What came back from the person's editor.
    pub fn from_editor(&mut self, target: PageTarget, text: String, ctx: Ctx<'_>) -> Vec<UiCommand> {
        match target {
            PageTarget::Message => {
                // Editors end a file with a newline; a message needs none.
                self.panes.composer.set(text.strip_suffix('\n').unwrap_or(&text));
                Vec::new()
            }
            PageTarget::Form => {
                if let Some(form) = self.forms().last() {
                    form.set_edited_text(&text);
                }
                Vec::new()
            }
            PageTarget::EditMode => {
                if let Some(editor) = self.panes.code.editor()
                    && editor.text() != text
                {
                    editor.replace(&text);
                }
                Vec::new()
            }
            PageTarget::Block => {
                let Some(item) = ctx.state.waiting() else { return Vec::new() };
                let current = item.block.current();
                if *current.source == *text {
                    self.show_note(Note::of_wait("Nothing was changed."));
                    return Vec::new();
                }
                self.edited(item.block.id, current.revision, text, ctx)
            }
        }
    }

    /// Actions of a block on screen that decide nothing.
    pub(super) fn review_action(&mut self, action: Action, ctx: Ctx<'_>) -> Vec<UiCommand> {
        match action {
            Action::Diff => self.next_diff(ctx.state),
            Action::FindingNext | Action::FindingPrevious => {
                if !self.panes.code.next_finding(action == Action::FindingPrevious) {
                    self.show_note(Note::of_wait("No findings."));
                }
            }
            Action::HunkNext | Action::HunkPrevious => {
                if !self.panes.code.next_hunk(action == Action::HunkPrevious) {
                    self.say_no_hunks();
                }
            }
            Action::Opinion => return self.ask_opinion(ctx.state),
            Action::InstallInto => return self.install_elsewhere(ctx.state),
            Action::Rights => self.panes.code.full_rights = !self.panes.code.full_rights,
            Action::Limits => self.open_limits(ctx.state),
            Action::Fresh => {
                return ctx
                    .state
                    .waiting()
                    .map(|item| UiCommand::Send(Command::Fresh(item.block.id)))
                    .into_iter()
                    .collect();
            }
            Action::Terminal => {
                let terminal = |item: &BlockItem| UiCommand::Send(Command::Terminal(item.block.id));
                return ctx.state.waiting().map(terminal).into_iter().collect();
            }
            // Reached outside of the review only: there decisions mean nothing.
            Action::Skip if self.announced(ctx.state).is_some() => {
                return vec![UiCommand::Send(Command::HoldBack)];
            }
            Action::Provenance => self.show_source(ctx),
            Action::Approve
            | Action::Always
            | Action::Edit
            | Action::EditOutside
            | Action::Reject
            | Action::Skip
            | Action::HunkDrop
            | Action::ChooseLanguage
            | Action::Restore => {
                let text = if matches!(self.panes.code.mode, Mode::Diff(_)) {
                    "Decisions are made on the block itself: v goes back to it."
                } else {
                    "No block waits here."
                };
                self.show_note(Note::of_wait(text));
            }
            _ => {}
        }
        Vec::new()
    }

    /// Asks a model what it thinks of the block on screen; deciding doesn't wait for it.
    fn ask_opinion(&mut self, state: &State) -> Vec<UiCommand> {
        let Some(item) = self.decidable(state) else { return Vec::new() };
        let block = item.block.id;
        if state.consulting(block).is_some() {
            self.show_note(Note::of_wait("A second opinion is asked for already."));
            return Vec::new();
        }
        vec![UiCommand::Send(Command::Consult(block))]
    }

    /// Sends the packages of the block on screen to the other place: a new text, which is looked at and asked about.
    fn install_elsewhere(&mut self, state: &State) -> Vec<UiCommand> {
        let Some(item) = self.decidable(state) else { return Vec::new() };
        let (block, current) = (item.block.id, item.block.current());
        let list = match item.block.kind {
            BlockKind::Install { .. } if current.language == Some(Language::python()) => {
                PackageList::parse("python", &current.source).ok()
            }
            _ => None,
        };
        let Some(list) = list else {
            self.show_note(Note::of_wait(format!("Block {block} installs no packages of Python.")));
            return Vec::new();
        };
        let has_venv = state.inspected(block).is_some_and(|inspected| inspected.venv.is_some());
        if list.into == InstallInto::Session && !has_venv {
            self.show_note(Note::of_wait(
                "The project has no .venv that is in use: they go beside the session.",
            ));
            return Vec::new();
        }
        let other = PackageList { into: list.into.other(), ..list };
        send(block, current.revision, Decision::Edit(other.text()))
    }

    fn choose_language(&mut self, block: BlockId) {
        let languages = self.setup.languages.0.iter().map(|l| l.name.clone()).collect();
        self.open(LanguageList::new(block, languages));
    }

    /// From the block to what changed against the model's text, then against the last run, then back.
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
            self.show_note(Note::of_wait(format!("Block {} is as the model wrote it.", item.block.id)));
        }
        self.panes.code.to_top();
        self.panes.code.mode = next.map_or(Mode::View, Mode::Diff);
    }

    /// The block before or after the one on screen.
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
            None => self.show_note(Note::info("There is no other block that way.")),
        }
    }

    /// Goes to a block in the code pane. An edit that is open there stays open.
    pub(super) fn open_block(&mut self, block: BlockId) {
        if !self.panes.code.edits() {
            self.panes.code.show(block);
        }
        self.panes.focus = Pane::Code;
    }

    /// Puts the block on screen back for review.
    pub(super) fn put_back(&mut self, ctx: Ctx<'_>) -> Vec<UiCommand> {
        let shown = self.block_on_screen(ctx.state);
        let Some(item) = shown.and_then(|id| ctx.state.transcript.blocks.get(&id)) else {
            self.show_note(Note::info("No block is on screen."));
            return Vec::new();
        };
        if item.standing == BlockStanding::Open {
            self.show_note(Note::of_wait(format!("Block {} waits already.", item.block.id)));
            return Vec::new();
        }
        self.panes.code.show(item.block.id);
        self.panes.focus = Pane::Code;
        vec![UiCommand::Send(Command::PutBack(item.block.id))]
    }
}

impl Screen {
    /// The block whose output, or whose code, is in front.
    fn block_on_screen(&self, state: &State) -> Option<BlockId> {
        let of_output = || self.panes.output.run(state).map(|(item, _)| item.block.id);
        let in_front = (self.panes.focus == Pane::Output).then(of_output).flatten();
        in_front.or(self.panes.code.subject())
    }

    /// Goes on in a branch in which the block on screen waits again, as it did at first.
    pub(super) fn branch_at_block(&mut self, ctx: Ctx<'_>) -> Vec<UiCommand> {
        match self.block_on_screen(ctx.state) {
            Some(block) => self.leave_for(Exit::Branch(BranchPoint::Block(block)), ctx),
            None => {
                self.show_note(Note::info("No block is on screen."));
                Vec::new()
            }
        }
    }
}

pub(super) fn send(block: BlockId, revision: Revision, decision: Decision) -> Vec<UiCommand> {
    vec![UiCommand::Send(Command::Decide { block, revision, decision })]
}
