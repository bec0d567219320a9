//! Carries out the slash commands.

use super::{Ctx, Exit, LowerPane, Note, Screen, UiCommand};
use crate::domain::sentences::running;
use crate::domain::{BlockId, BranchPoint};
use crate::driver::{Job, export};
use crate::engine::{Command, State};
use crate::tui::instruction_changes;
use crate::tui::overlays::blocks::{BlockList, copied};
use crate::tui::overlays::branches::BranchList;
use crate::tui::overlays::compare::CompareList;
use crate::tui::overlays::input_box::InputBox;
use crate::tui::overlays::models::{self, Models};
use crate::tui::overlays::rules::Rules;
use crate::tui::overlays::sessions::Sessions;
use crate::tui::overlays::status::{self, Status};
use crate::tui::overlays::steps::Steps;
use crate::tui::overlays::themes::ThemeList;
use crate::tui::overlays::welcome::Welcome;
use crate::tui::panes::code::Mode;
use crate::tui::setup::SessionPick;
use crate::tui::slash::{self, Slash};
use crate::tui::widgets::field::Field;
use crate::tui::widgets::layout::Pane;

impl Screen {
    /// Carries out a slash command.
    pub(super) fn run_command(&mut self, slash: Slash, argument: &str, ctx: Ctx<'_>) {
        match slash {
            Slash::Keys if argument == "test" => self.test_keys(),
            Slash::Help | Slash::Keys => self.open_help(ctx),
            Slash::New => self.leave_for(Exit::NewSession, ctx),
            Slash::Resume => self.open_sessions(),
            Slash::Search => self.search_sessions(argument),
            Slash::Fork => self.fork_command(argument, ctx),
            Slash::Rewind => self.leave_for(Exit::Branch(BranchPoint::LastPrompt), ctx),
            Slash::Compare => {
                self.open(CompareList::with(argument, ctx.state, ctx.draw));
                self.start(Job::Sessions);
            }
            Slash::Rename => self.rename_command(argument, ctx),
            Slash::Model => self.model_command(argument, ctx),
            Slash::Compact => self.send(Command::Compact),
            Slash::Cost => {
                self.show_note(Note::info(format!(
                    "Cost of this session: {}",
                    status::cost(ctx.state).join(" ")
                )));
            }
            Slash::Status => self.open(Status::default()),
            Slash::Instructions => self.instructions_command(argument, ctx),
            Slash::Provider => self.open_welcome(),
            Slash::Key => self.key_command(argument, ctx),
            Slash::Queue if ctx.state.live.peek_queued().is_some() => self.take_queued(ctx),
            Slash::Queue => {
                self.panes.code.mode = Mode::Queue(0);
                self.panes.focus = Pane::Code;
            }
            Slash::Rules => self.open(Rules::default()),
            Slash::Recipe => self.recipe_command(argument, ctx),
            Slash::Steps => self.open(Steps::default()),
            Slash::Sandbox => self.tell_sandbox(),
            Slash::Limits => self.limits_command(argument, ctx),
            Slash::Vars => {
                self.panes.lower = LowerPane::Vars;
                self.panes.focus = Pane::Output;
            }
            Slash::Undo => self.undo_last(argument, ctx),
            Slash::Rerun => self.rerun_command(argument, ctx),
            Slash::Restart => self.ask_restart(ctx),
            Slash::Rebuild => self.ask_rebuild(ctx),
            Slash::Kernel if ctx.state.live.run.is_some() => self.send(Command::Kill),
            Slash::Kernel => self.show_note(Note::info(running::NOTHING_RUNS)),
            Slash::Find => self.open_find(argument, ctx),
            Slash::Copy => self.copy_command(argument, ctx),
            Slash::Export => self.export_command(argument),
            Slash::Theme if argument.is_empty() => {
                self.open(ThemeList::new(ctx.draw.theme.name(), self.setup.themes.names()));
            }
            Slash::Theme => self.commands.push(UiCommand::Theme(argument.to_owned())),
            Slash::Quit => self.quit(ctx),
        }
    }

    /// Renames the session; without a name, asks for one.
    fn rename_command(&mut self, argument: &str, ctx: Ctx<'_>) {
        if !argument.is_empty() {
            return self.send(Command::Rename(argument.into()));
        }
        let mut field = Field::single_line();
        field.offer(&ctx.state.transcript.name);
        self.open(InputBox::for_name(field));
    }

    /// Switches the project's instructions on or off; without an argument says whether they are told, and changes
    /// nothing.
    fn instructions_command(&mut self, argument: &str, ctx: Ctx<'_>) {
        match argument {
            "" => self.show_note(Note::info(instruction_changes::told(ctx.state))),
            "on" => self.send(Command::UseInstructions(true)),
            "off" => self.send(Command::UseInstructions(false)),
            "changes" => self.start(Job::ChangedInstructions),
            _ => self.show_note(Note::warn(instruction_changes::USAGE)),
        }
    }

    /// Copies the code of the block with this number, of the only block, or of one that the person chooses.
    fn copy_command(&mut self, argument: &str, ctx: Ctx<'_>) {
        let blocks = &ctx.state.transcript.blocks;
        let number = argument.trim_start_matches("block").trim();
        let block = match (number.parse(), blocks.keys().next()) {
            (Ok(number), _) => BlockId(number),
            (Err(_), _) if !number.is_empty() => {
                return self.show_note(Note::warn("/copy NUMBER, or /copy to choose a block."));
            }
            (Err(_), None) => return self.show_note(Note::info("There is no block yet.")),
            (Err(_), Some(only)) if blocks.len() == 1 => *only,
            _ => {
                return self.open(BlockList::of(ctx.state, self.panes.code.subject()));
            }
        };
        self.carry_out(vec![copied(ctx.state, block)], ctx);
    }

    /// Asks for a key: for the named provider, else for the one in use, else for the first known one.
    fn key_command(&mut self, argument: &str, ctx: Ctx<'_>) {
        match slash::key_argument(argument, ctx.state, &self.setup) {
            Ok((true, provider)) => self.start(Job::StoreKey(provider)),
            Ok((false, provider)) => self.open(InputBox::for_key(provider)),
            Err(why) => self.show_note(Note::info(why)),
        }
    }

    fn model_command(&mut self, argument: &str, ctx: Ctx<'_>) {
        if argument.is_empty() {
            let current = ctx.state.transcript.model.clone();
            self.open(Models::with(current));
            return self.start(Job::Models);
        }
        match models::model_name(argument) {
            Some(model) => self.send(Command::UseModel(model)),
            None => self.show_note(Note::warn(models::MODEL_NAME_MESSAGE)),
        }
    }

    /// Sends a test request to the provider that was just chosen, and opens the list of its models.
    pub(in crate::tui) fn try_provider(&mut self, state: &State) {
        let Some(model) = state.transcript.model.clone() else { return };
        self.open(Models::trying(model.clone()));
        self.start(Job::Models);
        self.start(Job::TestModel(model));
    }

    fn rerun_command(&mut self, argument: &str, ctx: Ctx<'_>) {
        if let Ok(number) = argument.trim_start_matches("block").trim().parse::<u32>() {
            let id = BlockId(number);
            if !ctx.state.transcript.blocks.contains_key(&id) {
                return self.show_note(Note::warn(format!("There is no block {number}.")));
            }
            self.panes.code.show(id);
            self.panes.focus = Pane::Code;
        } else if self.panes.code.subject().is_none() {
            self.other_block(true, ctx.state);
        }
        self.put_back(ctx);
    }

    fn open_sessions(&mut self) {
        self.open(Sessions::of(self.setup.cwd.clone()));
        self.start(Job::Sessions);
    }

    /// Opens the list of sessions with one of them marked.
    pub(in crate::tui) fn pick_session(&mut self, pick: SessionPick) {
        let SessionPick::File(path) = pick else { return self.open_sessions() };
        self.open(Sessions::marking(path));
        self.start(Job::Sessions);
    }

    /// Opens the list of sessions with a search filled in.
    fn search_sessions(&mut self, words: &str) {
        if words.is_empty() {
            return self.open_sessions();
        }
        let (list, jobs) = Sessions::with_search(words);
        self.open(list);
        self.commands.extend(jobs);
    }

    pub(super) fn open_welcome(&mut self) {
        self.open(Welcome::new(&self.setup));
        self.commands.extend([Job::Servers, Job::Interpreters, Job::Sandbox].map(UiCommand::Job));
    }

    /// Continues in a branch from the named place; without one, lets the person choose.
    fn fork_command(&mut self, argument: &str, ctx: Ctx<'_>) {
        if argument.is_empty() {
            return self.open(BranchList::of(ctx.state, None));
        }
        match argument.parse() {
            Ok(point) => self.leave_for(Exit::Branch(point), ctx),
            Err(_) => self.show_note(Note::warn("/fork, /fork BLOCK, or /fork message NUMBER.")),
        }
    }

    /// Exports the session into a file of the working folder.
    fn export_command(&mut self, argument: &str) {
        match export::parse_argument(argument) {
            Ok((format, keys)) => self.start(Job::Export(format, keys)),
            Err(usage) => self.show_note(Note::warn(usage.to_string())),
        }
    }

    /// Leaves for another session; asks first if something runs.
    pub(super) fn leave_for(&mut self, exit: Exit, ctx: Ctx<'_>) {
        if ctx.state.live.run.is_some() {
            return self.show_note(Note::warn("A block is running. Ctrl-C interrupts it; then ask again."));
        }
        self.commands.push(UiCommand::Leave(exit));
    }
}
