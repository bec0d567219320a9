//! Asks questions: decides which one is due in the present state, and prints it.

use super::ask::{AnswerKind, Ask, OpenQuestion, PrintedBlock, question_text};
use super::awaited_jobs::AwaitedJob;
use super::block;
use super::form::FormFill;
use super::instructions;
use super::page::LinePage;
use super::session::Session;
use crate::domain::Answers;
use crate::domain::sentences::sending;
use crate::driver::Job;
use crate::engine::always::START_DELAY_MS;
use crate::engine::state::Question;
use crate::engine::{Command, Phase, WorkflowContext, answers, rules};
use crate::tui::widgets::words;
use std::io;
use std::time::Instant;

/// How many lines of kept text are shown.
const MAX_KEPT_LINES_SHOWN: usize = 6;

impl Session<'_> {
    /// Asks the question that is now due, unless it is on the page already.
    pub(super) fn ask_anew(&mut self) -> io::Result<()> {
        let state = self.driver.state();
        if self.asked.holds(state) || self.question_after.is_some() && state.phase == Phase::Idle {
            return Ok(());
        }
        self.take_question();
        let ask = match &self.driver.state().phase {
            Phase::Idle if !self.driver.has_provider() => {
                // Without a provider a message can't be sent: first let the person choose one, from the servers
                // that answer.
                if !self.awaited.contains(&AwaitedJob::Servers) {
                    self.start(AwaitedJob::Servers, Job::Servers);
                }
                return Ok(());
            }
            Phase::Idle => Ask::Message,
            Phase::Deciding(_) => match PrintedBlock::of(self.driver.state()) {
                Some(shown) => Ask::Block(Box::new(shown), AnswerKind::Decision),
                None => return Ok(()),
            },
            Phase::Asking(Question::Form(form)) => {
                let inputs = WorkflowContext::of(self.driver.state());
                let inputs = inputs.map_or(&[][..], |context| context.start.inputs.as_slice());
                let given = self.options.first_recipe.as_ref().map(|first| first.answers.clone());
                let given = form.answers_for(&given.unwrap_or_default(), inputs);
                Ask::Form(Box::new(FormFill::new((**form).clone(), None, given)))
            }
            Phase::Asking(question) => Ask::GoOn(question.clone()),
            Phase::Stuck(failure) => Ask::Stuck(failure.message.clone()),
            Phase::Replying(_) | Phase::Running(_) | Phase::Compacting(_) => return Ok(()),
        };
        self.put(ask)
    }

    /// Removes the question. Its block then counts as no longer seen, so that no rule starts it. A partly typed
    /// key is discarded, and input is shown again.
    pub(super) fn take_question(&mut self) -> OpenQuestion {
        let asked = std::mem::replace(&mut self.asked, OpenQuestion::nothing());
        if let Ask::Block(shown, _) = &asked.ask {
            self.on_screen(shown, false);
        }
        if asked.ask.is_secret() {
            drop(self.mode.lines.take_typed());
            self.mode.lines.set_echo(true);
        }
        asked
    }

    fn on_screen(&mut self, shown: &PrintedBlock, seen: bool) {
        self.driver.send(Command::OnScreen { block: shown.block, revision: shown.revision, seen });
    }

    /// Asks a question. Text typed before it is kept for the next message.
    pub(super) fn put(&mut self, ask: Ask) -> io::Result<()> {
        self.take_question();
        self.question_after = None;
        let typed = self.mode.lines.take_typed();
        self.keep(&typed);
        self.mode.lines.set_echo(!ask.is_secret());
        self.asked = OpenQuestion::of(ask);
        self.print_question()?;
        if let Ask::Block(shown, _) = &self.asked.ask {
            let shown = (**shown).clone();
            // Printing a long block takes a while: text typed meanwhile was typed before the block could be
            // read.
            let typed = self.mode.lines.take_typed();
            if !typed.is_empty() {
                self.hold_back();
            }
            self.keep(&typed);
            self.on_screen(&shown, true);
        }
        self.asked.since = Instant::now();
        Ok(())
    }

    /// Prints the question again after other output: the same question, without the block.
    pub(super) fn put_again(&mut self) -> io::Result<()> {
        match &self.asked.ask {
            Ask::Block(_, AnswerKind::Decision) => {
                if let Some((item, inspected)) = block::waiting(self.driver.state()) {
                    self.mode.page.ask(&block::question(item, inspected, self.driver.state()))?;
                }
            }
            Ask::Nothing => return self.ask_anew(),
            _ => self.print_question()?,
        }
        self.asked.since = Instant::now();
        Ok(())
    }

    /// Stops rules from starting the waiting block: the person is here.
    pub(super) fn hold_back(&mut self) {
        if self.driver.state().live.matched.is_some() {
            self.driver.send(Command::StopCountdown);
        }
    }

    fn print_question(&mut self) -> io::Result<()> {
        let state = self.driver.state();
        let draw = self.draw();
        let page = &mut self.mode.page;
        match &self.asked.ask {
            Ask::Nothing => Ok(()),
            Ask::Message => ask_for_message(&self.mode.kept, page),
            Ask::Block(_, AnswerKind::Decision) => {
                let Some((item, inspected)) = block::waiting(state) else { return Ok(()) };
                block::show(item, inspected, false, page, draw)?;
                if let Some(matched) = &state.live.matched {
                    let seconds = START_DELAY_MS / 1000;
                    page.line(&format!(
                        "Rule {} matches. It starts in {seconds} s; Enter stops it.",
                        matched.rule
                    ))?;
                }
                page.ask(&block::question(item, inspected, self.driver.state()))
            }
            Ask::Block(_, AnswerKind::TypedWord) => {
                let Some((item, inspected)) = block::waiting(state) else { return Ok(()) };
                block::why_typed(item, inspected, page)?;
                page.ask("Type run and press Enter to run it once. Anything else goes back:")
            }
            Ask::Block(_, AnswerKind::Reason) => page.ask("Why? The model is told (Enter: no reason):"),
            Ask::Block(_, AnswerKind::Rule(offers)) => {
                page.line("Approve this block, and from now on in this session also:")?;
                for (number, offer) in (1..).zip(offers) {
                    let refused = offer.refused.as_ref().map(|_| " (not for this block)").unwrap_or_default();
                    page.line(&format!("  {number}  {}{refused}", rules::describe(&offer.rule)))?;
                }
                page.ask("Type always and its number. Anything else goes back:")
            }
            Ask::GoOn(question) => {
                page.line(&question_text(question))?;
                page.ask("Type continue or end:")
            }
            Ask::Stuck(why) => {
                if self.told_failure.as_ref() != Some(why) {
                    page.line(&format!("Error: {why}"))?;
                    self.told_failure = Some(why.clone());
                }
                page.ask(sending::RETRY_OR_END)
            }
            Ask::Form(form) => form.begin(page),
            Ask::Provider(question) => question.ask(page),
            Ask::Changes(listed) => listed.ask(page),
            Ask::Instructions(held) => instructions::ask(held, page),
        }
    }

    /// Starts a recipe, or first asks for its inputs.
    pub(super) fn begin_recipe(&mut self, name: &str, given: Answers, shown: bool) -> io::Result<()> {
        let Some(card) = self.driver.recipes().iter().find(|card| card.name == name).cloned() else {
            self.mode.page.line(&format!("There is no recipe {name}. /recipe lists all of them."))?;
            return self.put_again();
        };
        if self.driver.state().phase != Phase::Idle {
            self.mode.page.line("A recipe begins between turns: ask again when this one is over.")?;
            return self.put_again();
        }
        if !shown && answers::check(&card.inputs, &given).is_ok() {
            self.driver.start_job(Job::BeginRecipe(card.name, given));
            return Ok(());
        }
        self.put(Ask::Form(Box::new(FormFill::new(card.inputs, Some(card.name), given))))
    }
}

/// Asks for a message, after the text that is kept for it.
fn ask_for_message(kept: &str, page: &mut LinePage) -> io::Result<()> {
    if !kept.is_empty() {
        page.line(sending::KEPT)?;
        let lines = kept.lines().count();
        let shown: Vec<&str> = kept.lines().take(MAX_KEPT_LINES_SHOWN).collect();
        page.lines_behind("  > ", &shown.join("\n"))?;
        if lines > MAX_KEPT_LINES_SHOWN {
            page.line(&format!("  {} in all", words::count(lines, "line")))?;
        }
        page.line("Enter sends it, words are added to it, /drop forgets it.")?;
    }
    page.ask("You:")
}
