//! The slash commands in line mode.

use super::ask::Ask;
use super::awaited_jobs::AwaitedJob;
use super::provider::ProviderQuestion;
use super::reporter::message_text;
use super::session::{LISTING_TIMEOUT, Session, draw_context};
use crate::domain::sentences::running;
use crate::domain::{BlockId, BranchPoint, Notice, RecipeCard, RuleId};
use crate::driver::{Job, export};
use crate::engine::rebuild::RebuildPlan;
use crate::engine::transcript::{Body, LoadState, RunItem};
use crate::engine::{Command, Phase, rules};
use crate::tui::instruction_changes;
use crate::tui::outside;
use crate::tui::overlays::limits::LimitsForm;
use crate::tui::overlays::limits::limit::pairs;
use crate::tui::overlays::models::{self, MODEL_NAME_MESSAGE};
use crate::tui::overlays::{OverlayResponse, status};
use crate::tui::rebuilding;
use crate::tui::slash::{self, COMMANDS, Slash, SlashLine, parse};
use crate::tui::ui_command::{Exit, PagerText, UiCommand};
use crate::tui::widgets::words;
use std::io;
use std::time::Instant;

/// The most lines of a search that are shown.
const MAX_LINES_SHOWN: usize = 40;

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
            Slash::Help | Slash::Keys => self.help()?,
            Slash::New => self.leave(Exit::NewSession)?,
            Slash::Fork => match argument.parse() {
                Ok(point) => self.leave(Exit::Branch(point))?,
                Err(why) => self.print_line(&format!("/fork: {why}"))?,
            },
            Slash::Rewind => self.leave(Exit::Branch(BranchPoint::LastPrompt))?,
            Slash::Search => self.search(argument)?,
            Slash::Resume if self.open_hit(argument)? => {}
            Slash::Resume => {
                let wanted = (!argument.is_empty()).then(|| argument.to_owned());
                self.start(AwaitedJob::Sessions(wanted), Job::Sessions);
            }
            Slash::Compare => self.compare(argument),
            Slash::Rename if argument.is_empty() => self.print_line("/rename NAME")?,
            Slash::Rename => self.driver.send(Command::Rename(argument.to_owned())),
            Slash::Model if argument.is_empty() => self.start(AwaitedJob::Models, Job::Models),
            Slash::Model => match models::model_name(argument) {
                Some(model) => self.driver.send(Command::UseModel(model)),
                None => self.print_line(MODEL_NAME_MESSAGE)?,
            },
            Slash::Provider => {
                self.start(AwaitedJob::Servers, Job::Servers);
                return Ok(());
            }
            Slash::Key => match slash::key_argument(argument, self.driver.state(), &self.options.setup) {
                Ok((true, provider)) => self.start_job(Job::StoreKey(provider)),
                Ok((false, provider)) => return self.put(Ask::Provider(ProviderQuestion::key(provider))),
                Err(why) => self.print_line(&why)?,
            },
            Slash::Compact => self.compact()?,
            Slash::Cost | Slash::Status => {
                let lines = status::lines(self.driver.state());
                for (label, text) in lines {
                    self.print_line(&format!("{label}: {text}"))?;
                }
            }
            Slash::Instructions => match argument {
                "on" => self.driver.send(Command::UseInstructions(true)),
                "off" => self.driver.send(Command::UseInstructions(false)),
                "changes" => self.start(AwaitedJob::Instructions, Job::ChangedInstructions),
                "" => self.print_line(&instruction_changes::told(self.driver.state()))?,
                _ => self.print_line(instruction_changes::USAGE)?,
            },
            Slash::Recipe => return self.recipe(argument),
            Slash::Steps => self.steps()?,
            Slash::Queue => self.queue()?,
            Slash::Rules => self.rules(argument)?,
            Slash::Sandbox => self.start(AwaitedJob::Sandbox, Job::Sandbox),
            Slash::Limits => self.limits(argument)?,
            Slash::Vars => self.vars()?,
            Slash::Undo => return self.undo(argument),
            Slash::Rerun => match argument.parse().map(BlockId) {
                Ok(block) if self.driver.state().transcript.blocks.contains_key(&block) => {
                    self.driver.send(Command::Reopen(block));
                }
                _ => self.print_line("/rerun NUMBER: there is no such block.")?,
            },
            Slash::Restart => self.driver.send(Command::RestartKernel),
            Slash::Rebuild => self.rebuild()?,
            Slash::Kernel => self.driver.send(Command::Kill),
            Slash::Export => match export::parse_argument(argument) {
                Ok((format, keys)) => self.start_job(Job::Export(format, keys)),
                Err(usage) => self.print_line(&usage.to_string())?,
            },
            Slash::Find => self.find(argument)?,
            Slash::Copy | Slash::Theme => self.print_line("This has no meaning in plain lines.")?,
            Slash::Quit => {
                self.exit = Some(Exit::Quit { now: false });
                return Ok(());
            }
        }
        self.ask_again()
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

    fn help(&mut self) -> io::Result<()> {
        self.print_line("A line is a message to the model; one that ends with \\ goes on in the next.")?;
        self.print_line(
            "While a block waits, a whole word decides: approve, edit, reject, skip, always; diff, show and \
             opinion tell more. Ctrl-C stops what goes on; twice, it leaves. Ctrl-D leaves.",
        )?;
        for command in
            COMMANDS.iter().filter(|c| !matches!(c.slash, Slash::Copy | Slash::Theme | Slash::Keys))
        {
            let takes = if command.takes.is_empty() { String::new() } else { format!(" {}", command.takes) };
            self.print_line(&format!("  /{}{takes}: {}", command.name, command.does))?;
        }
        self.print_line(
            "  /edit: write the message in your editor   /output: all output of the last run, in your pager",
        )
    }

    fn recipe(&mut self, argument: &str) -> io::Result<()> {
        let (name, words) = argument.split_once(char::is_whitespace).unwrap_or((argument, ""));
        if name == "new" {
            self.start_job(Job::NewRecipe(words.trim().to_owned()));
            return self.ask_again();
        }
        self.named_recipe = (!name.is_empty()).then(|| (name.to_owned(), words.trim().to_owned()));
        self.start(AwaitedJob::Recipes, Job::Recipes);
        self.ask_again()
    }

    /// Handles the recipes that were read: lists them, or starts the named one.
    pub(super) fn recipes(&mut self, recipes: &[RecipeCard], told: &[Notice]) -> io::Result<()> {
        for notice in told {
            self.mode.page.line(&format!("Warning: {}", notice.text))?;
        }
        let Some((name, words)) = self.named_recipe.take() else {
            for card in recipes {
                self.mode.page.line(&format!("  {}: {}", card.name, card.title))?;
            }
            return self.put_again();
        };
        let card = recipes.iter().find(|card| card.name == name);
        let first = card.and_then(|card| card.inputs.fields.first()).map(|field| field.name.clone());
        // Without words the form is asked, as in the panes: single fields may stay empty, but not all of them.
        let shown = words.is_empty() && first.is_some();
        let given = first.filter(|_| !words.is_empty()).map(|field| (field, words));
        self.begin_recipe(&name, given.into_iter().collect(), shown)
    }

    fn steps(&mut self) -> io::Result<()> {
        for item in self.driver.state().transcript.blocks.values() {
            let draw = draw_context(&self.theme, self.options, self.driver.now());
            let ran = item.runs.last().and_then(|run| run.ended.as_ref());
            let end = match ran {
                Some((at, report)) => {
                    let took = words::duration(report.receipt.wall_us / 1000);
                    format!("{} {took} at {}", report.outcome.label(), draw.place.second(*at))
                }
                None => self.driver.state().block_state(item).to_string(),
            };
            self.mode.page.line(&format!("  block {} {}: {end}", item.block.id, item.block.label()))?;
        }
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
        let granted = self.driver.state().transcript.rules.iter().filter(|item| item.over.is_none());
        let lines: Vec<String> =
            granted.map(|item| format!("  {}  {}", item.rule.id, rules::describe(&item.rule))).collect();
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
        match pairs(argument) {
            Ok(pairs) if !pairs.is_empty() => {
                for (limit, value) in &pairs {
                    form.set(*limit, value);
                }
                match form.apply() {
                    Some(OverlayResponse::UiCommand(UiCommand::Send(command))) => self.driver.send(command),
                    _ => self.print_line("Those limits can't be taken. As in: /limits memory 2G time 30")?,
                }
                Ok(())
            }
            _ => self.print_line("As in: /limits memory 2G time 30"),
        }
    }

    fn vars(&mut self) -> io::Result<()> {
        let lines: Vec<String> = self
            .driver
            .state()
            .variables()
            .map(|v| [&v.name, &v.kind, &v.size, &v.value].map(String::as_str).join("  "))
            .collect();
        if lines.is_empty() {
            return self.print_line("No variables yet.");
        }
        lines.iter().try_for_each(|line| self.mode.page.line(&format!("  {line}")))
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

    /// Prints the lines of the conversation that contain a text.
    fn find(&mut self, text: &str) -> io::Result<()> {
        let needle = text.to_lowercase();
        let mut found = Vec::new();
        let transcript = &self.driver.state().transcript;
        for (who, words) in (0..transcript.items.len()).filter_map(|at| message_text(transcript, at)) {
            let lines = words.lines().filter(|line| line.to_lowercase().contains(&needle));
            found.extend(lines.map(|line| format!("  {who}: {line}")));
        }
        if transcript.paged_out(0).next().is_some() {
            self.print_line("Messages far back are not in memory and were not looked through: sayso sessions search finds in them.")?;
        }
        if needle.is_empty() || found.is_empty() {
            return self.print_line(&format!("No matches for {text}."));
        }
        let more = found.len().saturating_sub(MAX_LINES_SHOWN);
        for line in found.iter().take(MAX_LINES_SHOWN) {
            self.print_line(line)?;
        }
        if more > 0 { self.print_line(&format!("  and {more} more")) } else { Ok(()) }
    }

    /// Shows all output kept of the last run in the person's pager.
    fn page_output(&mut self) -> io::Result<()> {
        let blocks = self.driver.state().transcript.blocks.values();
        let runs = blocks.filter_map(|item| item.runs.last()).filter(|run| run.ended.is_some());
        let Some(run) = runs.max_by_key(|run| run.ended.as_ref().map(|(at, _)| *at)) else {
            return self.print_line("Nothing has run yet.");
        };
        let what = match kept_output(run) {
            Ok(what) => what,
            Err(LoadState::Lost) => return self.print_line("Its output can't be read again."),
            Err(_) => {
                self.driver.send(Command::Load(vec![Body::Output(run.run)]));
                return self.print_line("Its output is being read from the session's file: try again.");
            }
        };
        let options = self.options;
        let page = || outside::page(&options.pager, &what, &options.launcher);
        match self.mode.signals.while_outside(page) {
            Ok(()) => Ok(()),
            Err(why) => self.print_line(&why.to_string()),
        }
    }

    /// Opens the message in the person's editor; the result is kept, and Enter sends it.
    fn edit_message(&mut self) -> io::Result<()> {
        let text = self.take_kept();
        let options = self.options;
        let edit = || outside::edit(&options.editor, &text, "md", &options.launcher);
        match self.mode.signals.while_outside(edit) {
            Ok(text) => self.keep(&text),
            Err(why) => {
                self.keep(&text);
                self.print_line(&why.to_string())?;
            }
        }
        Ok(())
    }
}

/// The output kept of a run; `Err`: it is only in the session file, with its loading state.
fn kept_output(run: &RunItem) -> Result<PagerText, LoadState> {
    let report = run.ended.as_ref().map(|(_, report)| report);
    match (report.and_then(|report| report.blob.clone()), run.unloaded_output()) {
        (Some(path), _) => Ok(PagerText::File(path)),
        (None, Some((_, away))) => Err(away.load),
        (None, None) => {
            let printed = report.map(|report| report.output.in_order()).unwrap_or_default();
            Ok(PagerText::Text(String::from_utf8_lossy(&printed).into_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Entry, Outcome, OutputBuffer, RunId, Stream};
    use crate::engine::Transcript;
    use crate::engine::dialogue::Dialogue;
    use crate::engine::transcript::PagedTranscript;

    /// With raised limits the last output may be so long that it is only in the session file.
    #[test]
    fn an_output_that_is_kept_in_part_is_not_paged_as_all_of_it() {
        let mut d = Dialogue::after_reply("```python\nprint(1)\n```\n");
        d.runs(1, 1, Outcome::Ok);
        d.reply("Done.");
        d.user("thanks");
        let mut entries = d.entries().to_vec();
        for (_, entry) in &mut entries {
            if let Entry::Ran { report, .. } = entry {
                report.output = OutputBuffer::new(8 << 20);
                report.output.push(Stream::Stdout, "x\n".repeat(3 << 20).as_bytes());
            }
        }
        let ran = entries.iter().position(|(_, entry)| matches!(entry, Entry::Ran { .. })).unwrap();
        let mut paged = PagedTranscript::default();
        paged.extend(entries.iter().cloned());
        let mut transcript = Transcript::from(paged);
        let kept = |transcript: &Transcript| kept_output(transcript.run(RunId(1)).unwrap().1);
        assert!(matches!(kept(&transcript), Err(LoadState::Away)));
        transcript.page_in(Body::Output(RunId(1)), entries[ran].1.clone()).unwrap();
        assert!(matches!(kept(&transcript), Ok(PagerText::Text(text)) if text.len() == 6 << 20));
    }
}
