//! Putting questions: which one is due as the session stands, and how it reads.

use super::ask::{About, Ask, Asked, Shown, question_text};
use super::block;
use super::form::FormFill;
use super::session::{Awaited, Session, look};
use crate::domain::Answers;
use crate::domain::sentences::sending;
use crate::driver::Job;
use crate::engine::always::PAUSE_MS;
use crate::engine::state::Question;
use crate::engine::{Command, Phase, WorkflowContext, answers, rules};
use std::io;
use std::time::Instant;

impl Session<'_> {
    /// Asks what is to be asked now, where that is another question than the one on the page.
    pub(super) fn ask_anew(&mut self) -> io::Result<()> {
        if self.asked.holds(self.driver.state()) {
            return Ok(());
        }
        if let Ask::Block(shown, _) = &self.asked.ask {
            let on_screen = Command::OnScreen { block: shown.block, revision: shown.revision, seen: false };
            self.driver.send(on_screen);
        }
        self.asked = Asked::nothing();
        let ask = match &self.driver.state().phase {
            Phase::Idle if !self.driver.has_provider() => {
                // Without one a message leads nowhere: first the choice, with the servers that answer.
                if !self.awaited.contains(&Awaited::Servers) {
                    self.start(Awaited::Servers, Job::Servers);
                }
                return Ok(());
            }
            Phase::Idle => Ask::Message,
            Phase::Deciding(_) => match Shown::of(self.driver.state()) {
                Some(shown) => Ask::Block(Box::new(shown), About::Decision),
                None => return Ok(()),
            },
            Phase::Asking(Question::Form(form)) => {
                let inputs = WorkflowContext::of(self.driver.state());
                let inputs = inputs.map_or(&[][..], |context| context.start.inputs.as_slice());
                let given = self.options.first_recipe.as_ref().map(|first| first.answers.clone());
                let given = form.meant(&given.unwrap_or_default(), inputs);
                Ask::Form(Box::new(FormFill::new((**form).clone(), None, given)))
            }
            Phase::Asking(question) => Ask::GoOn(question.clone()),
            Phase::Stuck(failure) => Ask::Stuck(failure.message.clone()),
            Phase::Replying(_) | Phase::Running(_) | Phase::Compacting(_) => return Ok(()),
        };
        self.put(ask)
    }

    /// Puts a question on the page. What was typed before it is kept for the next message.
    pub(super) fn put(&mut self, ask: Ask) -> io::Result<()> {
        let typed = self.plain.lines.take_typed();
        self.keep(&typed);
        self.asked = Asked { ask, since: Instant::now() };
        self.print_question()?;
        if matches!(self.asked.ask, Ask::Block(..)) {
            // A long block takes a while to be printed: what was typed meanwhile was typed before it could be read.
            let typed = self.plain.lines.take_typed();
            self.keep(&typed);
        }
        self.asked.since = Instant::now();
        Ok(())
    }

    fn print_question(&mut self) -> io::Result<()> {
        let state = self.driver.state();
        let look = look(&self.theme, self.options, self.driver.now());
        let page = &mut self.plain.page;
        match &self.asked.ask {
            Ask::Nothing => Ok(()),
            Ask::Message => {
                if !self.plain.kept.is_empty() {
                    page.line(sending::KEPT)?;
                    page.behind("  > ", &self.plain.kept)?;
                    page.line("Enter sends it, words are added to it, /drop forgets it.")?;
                }
                page.ask("You:")
            }
            Ask::Block(shown, About::Decision) => {
                let Some((item, inspected)) = block::waiting(state) else { return Ok(()) };
                block::show(item, inspected, false, page, look)?;
                if let Some(matched) = &state.live.matched {
                    let seconds = PAUSE_MS / 1000;
                    page.line(&format!(
                        "Rule {} matches. It starts in {seconds} s; Enter stops it.",
                        matched.rule
                    ))?;
                }
                let seen = Command::OnScreen { block: shown.block, revision: shown.revision, seen: true };
                page.ask(&block::question(item, inspected))?;
                self.driver.send(seen);
                Ok(())
            }
            Ask::Block(_, About::TypedWord) => {
                let Some((item, inspected)) = block::waiting(state) else { return Ok(()) };
                block::why_typed(item, inspected, page)?;
                page.ask("Type run and press Enter to run it once. Anything else goes back:")
            }
            Ask::Block(_, About::Reason) => page.ask("Why? The model is told (Enter: no reason):"),
            Ask::Block(_, About::Rule(offers)) => {
                page.line("Approve this block, and from now on in this session also:")?;
                for (number, offer) in (1..).zip(offers) {
                    let refused = offer.refused.as_ref().map(|_| " (not for this block)").unwrap_or_default();
                    page.line(&format!("  {number}  {}{refused}", rules::words(&offer.rule)))?;
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
            Ask::Provider(question) => {
                question.ask(page)?;
                self.plain.lines.set_echo(!question.is_secret());
                Ok(())
            }
        }
    }

    /// Begins a recipe, or asks for what it needs first.
    pub(super) fn begin_recipe(&mut self, name: &str, given: Answers, shown: bool) -> io::Result<()> {
        let Some(card) = self.driver.recipes().iter().find(|card| card.name == name).cloned() else {
            return self.plain.page.line(&format!("There is no recipe {name}. /recipe lists all of them."));
        };
        if !shown && answers::check(&card.inputs, &given).is_ok() {
            self.driver.start_job(Job::BeginRecipe(card.name, given));
            return Ok(());
        }
        self.put(Ask::Form(Box::new(FormFill::new(card.inputs, Some(card.name), given))))
    }
}
