//! Carries out the slash commands.

use super::{Ctx, Exit, LowerPane, Note, Screen, UiCommand};
use crate::domain::{BlockId, BranchPoint};
use crate::driver::{Job, export};
use crate::engine::{Command, State};
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
    pub(super) fn run_command(&mut self, slash: Slash, argument: &str, ctx: Ctx<'_>) -> Vec<UiCommand> {
        match slash {
            Slash::Keys if argument == "test" => self.test_keys(),
            Slash::Help | Slash::Keys => self.open_help(ctx),
            Slash::New => return self.leave_for(Exit::NewSession, ctx),
            Slash::Resume => return self.open_sessions(),
            Slash::Search => return self.search_sessions(argument),
            Slash::Fork => return self.fork_command(argument, ctx),
            Slash::Rewind => return self.leave_for(Exit::Branch(BranchPoint::LastPrompt), ctx),
            Slash::Compare => {
                self.open(CompareList::with(argument, ctx.state, ctx.look));
                return vec![UiCommand::Job(Job::Sessions)];
            }
            Slash::Rename if !argument.is_empty() => {
                return vec![UiCommand::Send(Command::Rename(argument.into()))];
            }
            Slash::Rename => {
                let mut field = Field::single_line();
                field.offer(&ctx.state.transcript.name);
                self.open(InputBox::for_name(field));
            }
            Slash::Model => return self.model_command(argument, ctx),
            Slash::Compact => return vec![UiCommand::Send(Command::Compact)],
            Slash::Cost => {
                self.show_note(Note::info(format!(
                    "Cost of this session: {}",
                    status::cost(ctx.state).join(" ")
                )));
            }
            Slash::Status => self.open(Status::default()),
            Slash::Instructions => return self.instructions_command(argument, ctx),
            Slash::Provider => return self.open_welcome(),
            Slash::Key => return self.key_command(argument, ctx),
            Slash::Queue if ctx.state.live.peek_queued().is_some() => return self.take_queued(ctx),
            Slash::Queue => {
                self.panes.code.mode = Mode::Queue(0);
                self.panes.focus = Pane::Code;
            }
            Slash::Rules => self.open(Rules::default()),
            Slash::Recipe => return self.recipe_command(argument, ctx),
            Slash::Steps => self.open(Steps::default()),
            Slash::Sandbox => return self.tell_sandbox(),
            Slash::Limits => return self.limits_command(argument, ctx),
            Slash::Vars => {
                self.panes.lower = LowerPane::Vars;
                self.panes.focus = Pane::Output;
            }
            Slash::Undo => return self.undo_last(argument, ctx),
            Slash::Rerun => return self.rerun_command(argument, ctx),
            Slash::Restart => self.ask_restart(ctx),
            Slash::Rebuild => self.ask_rebuild(ctx),
            Slash::Kernel if ctx.state.live.run.is_some() => return vec![UiCommand::Send(Command::Kill)],
            Slash::Kernel => self.show_note(Note::info("Nothing runs. /restart begins a new kernel.")),
            Slash::Find => self.open_find(argument, ctx),
            Slash::Copy => return self.copy_command(argument, ctx),
            Slash::Export => return self.export_command(argument),
            Slash::Theme if argument.is_empty() => {
                self.open(ThemeList::new(ctx.look.theme.name(), self.setup.themes.names()));
            }
            Slash::Theme => return vec![UiCommand::Theme(argument.to_owned())],
            Slash::Quit => return self.quit(ctx),
        }
        Vec::new()
    }

    /// Switches the project's instructions on or off; without an argument toggles them.
    fn instructions_command(&mut self, argument: &str, ctx: Ctx<'_>) -> Vec<UiCommand> {
        let wanted = match argument {
            "" => !ctx.state.live.use_instructions,
            "on" => true,
            "off" => false,
            "changes" => return vec![UiCommand::Job(Job::ChangedInstructions)],
            _ => {
                return self
                    .tell(Note::warn("/instructions on, /instructions off, or /instructions changes."));
            }
        };
        vec![UiCommand::Send(Command::UseInstructions(wanted))]
    }

    /// Copies the code of the block with this number, of the only block, or of one that the person chooses.
    fn copy_command(&mut self, argument: &str, ctx: Ctx<'_>) -> Vec<UiCommand> {
        let blocks = &ctx.state.transcript.blocks;
        let number = argument.trim_start_matches("block").trim();
        let block = match (number.parse(), blocks.keys().next()) {
            (Ok(number), _) => BlockId(number),
            (Err(_), _) if !number.is_empty() => {
                return self.tell(Note::warn("/copy NUMBER, or /copy to choose a block."));
            }
            (Err(_), None) => {
                return self.tell(Note::info("There is no block yet."));
            }
            (Err(_), Some(only)) if blocks.len() == 1 => *only,
            _ => {
                self.open(BlockList::of(ctx.state, self.panes.code.subject()));
                return Vec::new();
            }
        };
        self.carry_out(vec![copied(ctx.state, block)], ctx)
    }

    /// Asks for a key: for the named provider, else for the one in use, else for the first known one.
    fn key_command(&mut self, argument: &str, ctx: Ctx<'_>) -> Vec<UiCommand> {
        let (stores, provider) = slash::key_argument(argument, ctx.state, &self.setup.clouds);
        if stores {
            return vec![UiCommand::Job(Job::StoreKey(provider))];
        }
        self.open(InputBox::for_key(provider));
        Vec::new()
    }

    fn model_command(&mut self, argument: &str, ctx: Ctx<'_>) -> Vec<UiCommand> {
        if argument.is_empty() {
            let current = ctx.state.transcript.model.clone();
            self.open(Models::with(current));
            return vec![UiCommand::Job(Job::Models)];
        }
        match models::model_name(argument) {
            Some(model) => vec![UiCommand::Send(Command::UseModel(model))],
            None => self.tell(Note::warn(models::MODEL_NAME_MESSAGE)),
        }
    }

    /// Sends a test request to the provider that was just chosen, and opens the list of its models.
    pub(in crate::tui) fn try_provider(&mut self, state: &State) -> Vec<UiCommand> {
        let Some(model) = state.transcript.model.clone() else { return Vec::new() };
        self.open(Models::trying(model.clone()));
        vec![UiCommand::Job(Job::Models), UiCommand::Job(Job::TestModel(model))]
    }

    fn rerun_command(&mut self, argument: &str, ctx: Ctx<'_>) -> Vec<UiCommand> {
        if let Ok(number) = argument.trim_start_matches("block").trim().parse::<u32>() {
            let id = BlockId(number);
            if !ctx.state.transcript.blocks.contains_key(&id) {
                return self.tell(Note::warn(format!("There is no block {number}.")));
            }
            self.panes.code.show(id);
            self.panes.focus = Pane::Code;
        } else if self.panes.code.subject().is_none() {
            self.other_block(true, ctx.state);
        }
        self.put_back(ctx)
    }

    fn open_sessions(&mut self) -> Vec<UiCommand> {
        self.open(Sessions::of(self.setup.cwd.clone()));
        vec![UiCommand::Job(Job::Sessions)]
    }

    /// Opens the list of sessions with one of them marked.
    pub(in crate::tui) fn pick_session(&mut self, pick: SessionPick) -> Vec<UiCommand> {
        let SessionPick::File(path) = pick else { return self.open_sessions() };
        self.open(Sessions::marking(path));
        vec![UiCommand::Job(Job::Sessions)]
    }

    /// Opens the list of sessions with a search filled in.
    fn search_sessions(&mut self, words: &str) -> Vec<UiCommand> {
        if words.is_empty() {
            return self.open_sessions();
        }
        let (list, jobs) = Sessions::with_search(words);
        self.open(list);
        jobs
    }

    pub(super) fn open_welcome(&mut self) -> Vec<UiCommand> {
        self.open(Welcome::new(&self.setup));
        vec![UiCommand::Job(Job::Servers), UiCommand::Job(Job::Interpreters), UiCommand::Job(Job::Sandbox)]
    }

    /// Continues in a branch from the named place; without one, lets the person choose.
    fn fork_command(&mut self, argument: &str, ctx: Ctx<'_>) -> Vec<UiCommand> {
        if argument.is_empty() {
            self.open(BranchList::of(ctx.state, None));
            return Vec::new();
        }
        match argument.parse() {
            Ok(point) => self.leave_for(Exit::Branch(point), ctx),
            Err(_) => self.tell(Note::warn("/fork, /fork BLOCK, or /fork message NUMBER.")),
        }
    }

    /// Exports the session into a file of the working folder.
    fn export_command(&mut self, argument: &str) -> Vec<UiCommand> {
        match export::parse_argument(argument) {
            Ok((format, keys)) => vec![UiCommand::Job(Job::Export(format, keys))],
            Err(usage) => self.tell(Note::warn(usage.to_string())),
        }
    }

    /// Leaves for another session; asks first if something runs.
    pub(super) fn leave_for(&mut self, exit: Exit, ctx: Ctx<'_>) -> Vec<UiCommand> {
        if ctx.state.live.run.is_some() {
            self.show_note(Note::warn("A block is running. Ctrl-C interrupts it; then ask again."));
            return Vec::new();
        }
        vec![UiCommand::Leave(exit)]
    }
}
