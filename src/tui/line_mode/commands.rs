//! The slash commands in line mode.

mod listings;
mod outside_programs;
mod recipes;

use super::ask::Ask;
use super::awaited_jobs::AwaitedJob;
use super::provider::ProviderQuestion;
use super::session::{LISTING_TIMEOUT, Session};
use crate::domain::sentences::running;
use crate::domain::{BlockId, BranchPoint, RuleId, session_name};
use crate::driver::{Job, export};
use crate::engine::rebuild::RebuildPlan;
use crate::engine::{Command, Phase, kernels, rules};
use crate::tui::instruction_changes;
use crate::tui::overlays::OverlayResponse;
use crate::tui::overlays::limits::LimitsForm;
use crate::tui::overlays::limits::limit::pairs;
use crate::tui::overlays::models::{self, MODEL_NAME_MESSAGE};
use crate::tui::rebuilding;
use crate::tui::slash::{self, Slash, SlashLine, parse};
use crate::tui::ui_command::{Exit, UiCommand};
use std::io;
use std::time::Instant;

/// What a command says that is of panes.
const NO_MEANING: &str = "This has no meaning in plain lines.";

impl Session<'_> {
    /// Runs a slash command; the present question is then asked again.
    pub(super) fn command(&mut self, line: &str) -> io::Result<()> {
        match line.split_whitespace().next().unwrap_or_default() {
            "/drop" => drop(self.take_kept()),
            "/output" => self.page_output()?,
            "/edit" => self.edit_message()?,
            _ => match parse(line) {
                SlashLine::Command(slash, argument) => return self.run(slash, argument),
                SlashLine::Unknown(_) => self.print_line("There is no such command. /help lists them.")?,
                // A path: it is a message.
                SlashLine::Prompt => {
                    self.keep(line);
                    let text = self.take_kept();
                    self.submit(text)?;
                }
            },
        }
        self.ask_again()
    }

    fn print_line(&mut self, text: &str) -> io::Result<()> {
        self.mode.page.line(text)
    }

    /// Asks the present question again, in full. The question for a key stays untouched, because the key is
    /// being typed.
    pub(super) fn ask_again(&mut self) -> io::Result<()> {
        if self.asked.ask.is_secret() {
            return self.put_again();
        }
        self.take_question();
        self.ask_anew()
    }

    fn run(&mut self, slash: Slash, argument: &str) -> io::Result<()> {
        match slash {
            Slash::Keys if argument == "test" => self.print_line(NO_MEANING)?,
            Slash::Help | Slash::Keys => self.help()?,
            Slash::New => self.leave(Exit::NewSession)?,
            Slash::Fork => self.branch(argument)?,
            Slash::Rewind => self.leave(Exit::Branch(BranchPoint::LastPrompt))?,
            Slash::Search => self.search(argument)?,
            Slash::Resume => self.resume(argument)?,
            Slash::Compare => self.compare(argument),
            Slash::Rename if argument.is_empty() => self.print_line("/rename NAME")?,
            Slash::Rename => self.rename(argument)?,
            Slash::Model => self.model(argument)?,
            Slash::Provider => {
                self.start(AwaitedJob::Servers, Job::Servers);
                return Ok(());
            }
            Slash::Key => return self.key(argument),
            Slash::Compact => self.compact()?,
            Slash::Cost | Slash::Status => self.status()?,
            Slash::Instructions => self.instructions(argument)?,
            Slash::Recipe => return self.recipe(argument),
            Slash::Steps => self.steps()?,
            Slash::Queue => self.queue()?,
            Slash::Rules => self.rules(argument)?,
            Slash::Sandbox => self.start(AwaitedJob::Sandbox, Job::Sandbox),
            Slash::Limits => self.limits(argument)?,
            Slash::Vars => self.vars()?,
            Slash::Undo => return self.undo(argument),
            Slash::Rerun => self.rerun(argument)?,
            Slash::Restart => self.restart(argument)?,
            Slash::Rebuild => self.rebuild()?,
            Slash::Kernel if self.driver.state().live.run.is_none() => {
                self.print_line(running::NO_BLOCK_RUNS)?;
            }
            Slash::Kernel => self.driver.send(Command::Kill),
            Slash::Export => self.export(argument)?,
            Slash::Find => self.find(argument)?,
            Slash::Copy | Slash::Theme => self.print_line(NO_MEANING)?,
            Slash::Quit => {
                self.exit = Some(Exit::Quit);
                return Ok(());
            }
        }
        self.ask_again()
    }

    /// Renames the session, and says so: no line shows the name.
    fn rename(&mut self, name: &str) -> io::Result<()> {
        self.driver.send(Command::Rename(name.to_owned()));
        if session_name(name).is_err() {
            // A notice tells why.
            return Ok(());
        }
        let now = &self.driver.state().transcript.name;
        self.print_line(&format!("This chat is called {now} from here on."))
    }

    /// Continues in a branch from the named place.
    fn branch(&mut self, argument: &str) -> io::Result<()> {
        match argument.parse() {
            Ok(point) => self.leave(Exit::Branch(point)),
            Err(why) => self.print_line(&format!("/fork: {why}")),
        }
    }

    /// Opens the place that the last search found under this number; else opens or lists sessions.
    fn resume(&mut self, argument: &str) -> io::Result<()> {
        if !self.open_hit(argument)? {
            let wanted = (!argument.is_empty()).then(|| argument.to_owned());
            self.start(AwaitedJob::Sessions(wanted), Job::Sessions);
        }
        Ok(())
    }

    /// Uses the named model; without a name, lists the models.
    fn model(&mut self, argument: &str) -> io::Result<()> {
        if argument.is_empty() {
            self.start(AwaitedJob::Models, Job::Models);
            return Ok(());
        }
        match models::model_name(argument) {
            Some(model) => self.driver.send(Command::UseModel(model)),
            None => self.print_line(MODEL_NAME_MESSAGE)?,
        }
        Ok(())
    }

    /// Asks for the key of a provider, or stores the one that was given.
    fn key(&mut self, argument: &str) -> io::Result<()> {
        match slash::key_argument(argument, self.driver.state(), &self.options.setup) {
            Ok((true, provider)) => self.start_job(Job::StoreKey(provider)),
            Ok((false, provider)) => return self.put(Ask::Provider(ProviderQuestion::key(provider))),
            Err(why) => self.print_line(&why)?,
        }
        self.ask_again()
    }

    /// Switches the project's instructions on or off, or tells about them.
    fn instructions(&mut self, argument: &str) -> io::Result<()> {
        match argument {
            "on" => self.driver.send(Command::UseInstructions(true)),
            "off" => self.driver.send(Command::UseInstructions(false)),
            "changes" => self.start(AwaitedJob::Instructions, Job::ChangedInstructions),
            "" => self.print_line(&instruction_changes::sentence(self.driver.state()))?,
            _ => self.print_line(instruction_changes::USAGE)?,
        }
        Ok(())
    }

    /// Puts a block back for review.
    fn rerun(&mut self, argument: &str) -> io::Result<()> {
        match argument.parse().map(BlockId) {
            Ok(block) if self.driver.state().transcript.blocks.contains_key(&block) => {
                self.driver.send(Command::Reopen(block));
            }
            _ => self.print_line("/rerun NUMBER: there is no such block.")?,
        }
        Ok(())
    }

    /// Ends the kernels; if any runs, only after it was told what is lost.
    fn restart(&mut self, argument: &str) -> io::Result<()> {
        let live = &self.driver.state().live;
        if argument != "now" && live.run.is_none() && !live.kernels.is_empty() {
            let (names, lost) = (kernels::names(&live.kernels), kernels::lost(&live.kernels, (", ", "")));
            return self.print_line(&format!("Kernel {names} ends{lost}. Type /restart now to go on."));
        }
        self.driver.send(Command::RestartKernel);
        Ok(())
    }

    /// Exports the session into a file of the working folder.
    fn export(&mut self, argument: &str) -> io::Result<()> {
        match export::parse_argument(argument) {
            Ok((format, keys)) => self.start_job(Job::Export(format, keys)),
            Err(usage) => self.print_line(&usage.to_string())?,
        }
        Ok(())
    }

    pub(super) fn start(&mut self, awaited: AwaitedJob, job: Job) {
        self.awaited.push(awaited);
        self.start_job(job);
    }

    /// Starts a job that the person asked for; the next message is asked for after its result.
    pub(super) fn start_job(&mut self, job: Job) {
        self.question_after = Some(Instant::now() + LISTING_TIMEOUT);
        self.driver.start_job(job);
    }

    pub(super) fn leave(&mut self, exit: Exit) -> io::Result<()> {
        if self.driver.state().live.run.is_some() {
            return self.print_line("A block is running. Ctrl-C interrupts it; then ask again.");
        }
        self.exit = Some(exit);
        Ok(())
    }

    fn queue(&mut self) -> io::Result<()> {
        let queued = self.driver.state().live.peek_queued();
        if queued.is_none() && self.driver.state().queue().next().is_none() {
            return self.print_line("Nothing waits.");
        }
        if let Some(queued) = queued {
            self.mode.page.lines_behind("Queued: ", &queued)?;
            self.driver.send(Command::EditQueued);
            self.keep(&queued);
        }
        for item in self.driver.state().queue() {
            self.mode.page.line(&format!("  block {} {} waits", item.block.id, item.block.label()))?;
        }
        Ok(())
    }

    /// Lists the rules, or removes one: `/rules remove 2`.
    fn rules(&mut self, argument: &str) -> io::Result<()> {
        if let Some(number) = argument.strip_prefix("remove ").and_then(|n| n.trim().parse().ok()) {
            self.driver.send(Command::RevokeRule(RuleId(number)));
            return Ok(());
        }
        let granted = self.driver.state().transcript.rules_in_force();
        let lines: Vec<String> =
            granted.map(|rule| format!("  {}  {}", rule.id, rules::describe(rule))).collect();
        if lines.is_empty() {
            return self.print_line(running::NO_RULES);
        }
        for line in lines {
            self.print_line(&line)?;
        }
        self.print_line("/rules remove NUMBER takes one back.")
    }

    fn limits(&mut self, argument: &str) -> io::Result<()> {
        let mut form = match LimitsForm::open(self.driver.state()) {
            Ok(form) => form,
            Err(note) => return self.print_line(&note.text),
        };
        let Some(pairs) = pairs(argument).ok().filter(|pairs| !pairs.is_empty()) else {
            return self.print_line("As in: /limits memory 2G time 30");
        };
        for (limit, value) in &pairs {
            form.set(*limit, value);
        }
        match form.apply() {
            Some(OverlayResponse::UiCommand(UiCommand::Send(command))) => self.driver.send(command),
            _ => self.print_line("Those limits can't be taken. As in: /limits memory 2G time 30")?,
        }
        Ok(())
    }

    fn rebuild(&mut self) -> io::Result<()> {
        let plan = RebuildPlan::of(self.driver.state());
        let offered = plan.offered_runs();
        if offered.is_empty() {
            return self.print_line(rebuilding::nothing(&plan));
        }
        for line in rebuilding::lines(&plan).iter().filter(|line| !line.is_empty()) {
            self.print_line(&format!("  {line}"))?;
        }
        self.print_line(&format!("{}.", rebuilding::offer(&plan)))?;
        self.print_line(rebuilding::EXPLANATION)?;
        self.driver.send(Command::Rebuild(offered));
        Ok(())
    }

    /// Starts writing a summary, and says so.
    fn compact(&mut self) -> io::Result<()> {
        self.driver.send(Command::Compact);
        match self.driver.state().phase() {
            Phase::Compacting(_) => self.print_line(&running::stoppable(running::SUMMING_UP)),
            _ => Ok(()),
        }
    }
}
