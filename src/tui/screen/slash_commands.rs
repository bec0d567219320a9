//! Carries out the slash commands.

use super::{Ctx, Exit, LowerPane, Note, Screen, UiCommand};
use crate::domain::sentences::running;
use crate::domain::sentences::sandbox::SandboxStanding;
use crate::domain::{BlockId, BranchPoint, SandboxReport};
use crate::driver::{HeldFile, Job, export};
use crate::engine::rebuild::RebuildPlan;
use crate::engine::{Command, Phase, State};
use crate::tui::instruction_changes::{self, difference, summary};
use crate::tui::overlays::ask::Ask;
use crate::tui::overlays::blocks::{BlockList, copied};
use crate::tui::overlays::branches::BranchList;
use crate::tui::overlays::compare::CompareList;
use crate::tui::overlays::input_box::InputBox;
use crate::tui::overlays::keys_test::KeysTest;
use crate::tui::overlays::limits::LimitsForm;
use crate::tui::overlays::limits::limit::pairs;
use crate::tui::overlays::models::{self, Models};
use crate::tui::overlays::rules::Rules;
use crate::tui::overlays::sessions::Sessions;
use crate::tui::overlays::status::{self, Status};
use crate::tui::overlays::steps::Steps;
use crate::tui::overlays::themes::ThemeList;
use crate::tui::overlays::welcome::Welcome;
use crate::tui::panes::code::Mode;
use crate::tui::rebuilding;
use crate::tui::setup::SessionPick;
use crate::tui::slash::{self, Slash};
use crate::tui::ui_command::PagerText;
use crate::tui::widgets::layout::Pane;

impl Screen {
    /// Carries out a slash command.
    pub(super) fn run_command(&mut self, slash: Slash, argument: &str, ctx: Ctx<'_>) {
        match slash {
            Slash::Keys if argument == "test" => self.open(KeysTest::new(self.setup.kitty)),
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
                self.inform(format!("Cost of this session: {}", status::cost(ctx.state).join(" ")));
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
            Slash::Kernel => self.inform(running::NO_BLOCK_RUNS),
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
        self.open(InputBox::for_name(&ctx.state.transcript.name));
    }

    /// Switches the project's instructions on or off; without an argument says whether they are told, and changes
    /// nothing.
    fn instructions_command(&mut self, argument: &str, ctx: Ctx<'_>) {
        match argument {
            "" => self.inform(instruction_changes::sentence(ctx.state)),
            "on" => self.send(Command::UseInstructions(true)),
            "off" => self.send(Command::UseInstructions(false)),
            "changes" => self.start(Job::ChangedInstructions),
            _ => self.warn(instruction_changes::USAGE),
        }
    }

    /// Copies the code of the block with this number, of the only block, or of one that the person chooses.
    fn copy_command(&mut self, argument: &str, ctx: Ctx<'_>) {
        let blocks = &ctx.state.transcript.blocks;
        let number = argument.trim_start_matches("block").trim();
        let block = match (number.parse(), blocks.keys().next()) {
            (Ok(number), _) => BlockId(number),
            (Err(_), _) if !number.is_empty() => {
                return self.warn("/copy NUMBER, or /copy to choose a block.");
            }
            (Err(_), None) => return self.inform("There is no block yet."),
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
            Err(why) => self.inform(why),
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
            None => self.warn(models::MODEL_NAME_MESSAGE),
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
                return self.warn(format!("There is no block {number}."));
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
            Err(_) => self.warn("/fork, /fork BLOCK, or /fork message NUMBER."),
        }
    }

    /// Exports the session into a file of the working folder.
    fn export_command(&mut self, argument: &str) {
        match export::parse_argument(argument) {
            Ok((format, keys)) => self.start(Job::Export(format, keys)),
            Err(usage) => self.warn(usage.to_string()),
        }
    }

    /// Asks whether to rebuild an earlier kernel: shows what becomes of its variables, and what each block took and
    /// touched. This runs nothing: the blocks are then shown in Code with their whole texts, for a decision each.
    fn ask_rebuild(&mut self, ctx: Ctx<'_>) {
        if ctx.state.phase != Phase::Idle {
            return self.inform("A kernel is rebuilt between turns.");
        }
        let plan = RebuildPlan::of(ctx.state);
        let offered = plan.offered_runs();
        if offered.is_empty() {
            return self.inform(rebuilding::nothing(&plan));
        }
        let label = format!("go through {}", rebuilding::offer(&plan));
        let ask = Ask::new("Rebuild the kernel?", rebuilding::lines(&plan), 'w', "leave it as it is")
            .or_command('n', label, UiCommand::Send(Command::Rebuild(offered)))
            .foot(rebuilding::EXPLANATION);
        self.open(ask);
    }

    /// `/sandbox`: shows what the sandbox tests found; starts them if that is not known.
    fn tell_sandbox(&mut self) {
        self.sandbox_asked = self.sandbox.is_none();
        self.say_sandbox();
        if self.sandbox_asked {
            self.start(Job::Sandbox);
        }
    }

    pub(super) fn sandbox_found(&mut self, found: Result<SandboxReport, String>) {
        self.sandbox = Some(found);
        if std::mem::take(&mut self.sandbox_asked) {
            self.say_sandbox();
        }
    }

    fn say_sandbox(&mut self) {
        let standing = SandboxStanding::of(self.sandbox.as_ref());
        let (text, bad) = (standing.sentence(), standing.is_bad());
        self.show_note(if bad { Note::warn(text) } else { Note::info(text) });
    }

    /// Opens the form for the waiting block.
    pub(super) fn open_limits(&mut self, state: &State) {
        match LimitsForm::open(state) {
            Ok(form) => self.open(form),
            Err(note) => self.show_note(note),
        }
    }

    /// `/limits`: without an argument opens the form; a number is the time in seconds; otherwise the argument
    /// is a list of names and values. A value that can't be taken stays in the form, or goes back into the
    /// message box.
    fn limits_command(&mut self, argument: &str, ctx: Ctx<'_>) {
        let mut form = match LimitsForm::open(ctx.state) {
            Ok(form) => form,
            Err(note) => return self.show_note(note),
        };
        let pairs = match pairs(argument) {
            Ok(pairs) => pairs,
            Err(why) => {
                self.panes.composer.set(&format!("/limits {argument}"));
                return self.warn(why.to_string());
            }
        };
        for (limit, value) in &pairs {
            form.set(*limit, value);
        }
        match form.apply().filter(|_| !pairs.is_empty()) {
            Some(then) => self.carry_out(vec![then], ctx),
            None => self.open(form),
        }
    }

    /// Shows the whole difference of instruction files that changed since a run began, and asks whether to send it to the
    /// model.
    pub(super) fn ask_instructions(&mut self, held: Vec<HeldFile>, ctx: Ctx<'_>) {
        if held.is_empty() {
            return self.inform(instruction_changes::NONE);
        }
        let lines = held.iter().map(|held| summary(held, &ctx.draw.locale.path(&held.path)));
        let text: String = held.iter().map(difference).collect();
        let ask = Ask::new("Tell the model?", lines.collect(), 'w', "leave it as it was told");
        let take = UiCommand::Job(Job::TakeInstructions(held));
        self.open(ask.or_command('t', "tell the model the new text", take));
        self.open_pager("What changed".into(), PagerText::Text(text));
    }

    /// Leaves for another session; asks first if something runs.
    pub(super) fn leave_for(&mut self, exit: Exit, ctx: Ctx<'_>) {
        if ctx.state.live.run.is_some() {
            return self.warn("A block is running. Ctrl-C interrupts it; then ask again.");
        }
        self.commands.push(UiCommand::Leave(exit));
    }
}
