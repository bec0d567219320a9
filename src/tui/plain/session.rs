//! One session as lines: waits for what happens, tells it, asks what is to be asked, and takes the answers.

use super::ask::{About, Ask, Asked, READING, Shown};
use super::block;
use super::form::FormFill;
use super::lines::Line;
use super::page::OpenLine;
use super::provider::{Next, ProviderQuestion};
use super::teller::Teller;
use super::words::{self, Answer};
use super::{Plain, Signalled};
use crate::domain::{Decision, Language, RuleScope, Timestamp};
use crate::driver::{Driver, Job, JobResult, Notification};
use crate::engine::always::PAUSE_MS;
use crate::engine::state::Question;
use crate::engine::{Command, Phase, WorkflowContext, answers, rules};
use crate::tui::theme::{Depth, Theme};
use crate::tui::ui_command::{Exit, UiCommand};
use crate::tui::widgets::look::{Glyphs, Look};
use crate::tui::{Options, outside};
use std::io;
use std::time::{Duration, Instant};

/// What is typed within so short a time of a line belongs to it: a person is slower, a paste is not.
const BURST: Duration = Duration::from_millis(30);

/// Two Ctrl-C within this time quit.
const QUIT: Duration = Duration::from_secs(2);

/// A second Ctrl-C kills only after this long: the first may still be at work.
const AGAIN: Duration = Duration::from_millis(500);

/// The message where nothing was decided.
const NOTHING: &str = "Nothing was decided.";

/// One session.
pub(super) struct Session<'a> {
    pub(super) plain: &'a mut Plain,
    pub(super) driver: &'a mut Driver,
    pub(super) options: &'a Options,
    pub(super) teller: Teller,
    pub(super) theme: Theme,
    pub(super) asked: Asked,
    /// What a job is told for, where the person asked for it.
    pub(super) awaited: Vec<Awaited>,
    /// The session that is to be opened, once the list of them is there.
    pub(super) wanted_session: Option<String>,
    pub(super) exit: Option<Exit>,
    interrupted: Option<Instant>,
    quits: Option<Instant>,
    last_line: Option<Instant>,
}

/// A job whose result is told when it comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Awaited {
    Models,
    Sessions,
    Sandbox,
    Servers,
}

impl<'a> Session<'a> {
    pub(super) fn new(plain: &'a mut Plain, driver: &'a mut Driver, options: &'a Options) -> Self {
        Self {
            plain,
            driver,
            options,
            teller: Teller::default(),
            theme: Theme::terminal(Depth::Mono),
            asked: Asked::nothing(),
            awaited: Vec::new(),
            wanted_session: None,
            exit: None,
            interrupted: None,
            quits: None,
            last_line: None,
        }
    }

    pub(super) async fn go(mut self) -> io::Result<Exit> {
        self.begin()?;
        loop {
            if let Some(exit) = self.exit.take() {
                return Ok(exit);
            }
            self.ask_anew()?;
            tokio::select! {
                biased;
                signalled = self.plain.signals.next() => self.signalled(&signalled)?,
                update = self.driver.next() => {
                    for told in update.told {
                        self.news(&told)?;
                    }
                }
                line = self.plain.lines.next() => match line {
                    Some(line) => self.line(line).await?,
                    None => self.exit = Some(Exit::Quit { now: false }),
                },
            }
        }
    }

    fn begin(&mut self) -> io::Result<()> {
        for notice in &self.options.notices {
            self.plain.page.line(&format!("Note: {}", notice.text))?;
        }
        for damage in &self.options.setup.damage {
            self.plain.page.line(&format!("Warning: {damage}"))?;
        }
        self.teller.again(self.driver.state(), &mut self.plain.page)?;
        self.plain.page.line("Nothing runs without your say-so. /help lists the words and commands.")?;
        if let Some(draft) = self.driver.take_draft() {
            self.keep(&draft);
        }
        let setup = &self.options.setup;
        if setup.pick_session {
            self.awaited.push(Awaited::Sessions);
            self.driver.start_job(Job::Sessions);
        } else if setup.welcome {
            self.awaited.push(Awaited::Servers);
            self.driver.start_job(Job::Servers);
        } else if self.driver.state().transcript.items.is_empty() {
            if let Some(first) = self.options.first_recipe.clone() {
                self.begin_recipe(&first.name, first.answers, first.shown)?;
            } else if let Some(prompt) = self.options.first_prompt.clone() {
                self.plain.page.behind("You: ", &prompt)?;
                self.driver.send(Command::Submit(prompt));
            }
        }
        Ok(())
    }

    fn news(&mut self, told: &Notification) -> io::Result<()> {
        if let Notification::Job(result) = told {
            return self.job_done(result);
        }
        let look = look(&self.theme, self.options, self.driver.now());
        self.teller.tell(told, self.driver.state(), &mut self.plain.page, look)
    }

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
                    page.line("Kept, not sent:")?;
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
                page.line(&super::commands::question_text(question))?;
                page.ask("Type continue or end:")
            }
            Ask::Stuck(why) => {
                page.line(&format!("Error: {why}"))?;
                page.ask("Your message is kept. Type retry or end, or /model NAME:")
            }
            Ask::Form(form) => form.begin(page),
            Ask::Provider(question) => {
                question.ask(page)?;
                self.plain.lines.set_echo(!question.is_secret());
                Ok(())
            }
        }
    }

    /// A line of the person.
    async fn line(&mut self, line: Line) -> io::Result<()> {
        self.plain.page.answered();
        self.quits = None;
        let Line { text, at } = line;
        let before = self.last_line.replace(at);
        tokio::time::sleep(BURST).await;
        let more = self.plain.lines.take_typed();
        let pasted = !more.is_empty() || before.is_some_and(|before| at.duration_since(before) < BURST);
        if text.trim_start().starts_with('/') && !pasted {
            self.plain.lines.set_echo(true);
            return self.command(text.trim());
        }
        let asked = std::mem::replace(&mut self.asked, Asked::nothing());
        let hasty = at.saturating_duration_since(asked.since) < READING;
        match asked.ask {
            Ask::Nothing => self.message(&text, &more),
            Ask::Message => self.message(&text, &more),
            Ask::Block(shown, about) => {
                if pasted || hasty {
                    self.keep(&format!("{text}\n{more}"));
                    let why = if pasted {
                        "That looked like a paste."
                    } else {
                        "That was typed before the question."
                    };
                    self.plain.page.line(&format!("{why} {NOTHING}"))?;
                    return self.reask(*shown);
                }
                self.about_block(*shown, about, text.trim())
            }
            Ask::GoOn(question) => match text.trim() {
                "continue" if !pasted => self.send(Command::Continue),
                "end" if !pasted => self.send(Command::EndTurn),
                _ => self.put(Ask::GoOn(question)),
            },
            Ask::Stuck(why) => match text.trim() {
                "retry" if !pasted => self.send(Command::Retry),
                "end" if !pasted => self.send(Command::EndTurn),
                _ => self.put(Ask::Stuck(why)),
            },
            Ask::Form(mut form) => {
                let done = form.take(text.trim_end(), &mut self.plain.page)?;
                self.keep(&more);
                match done {
                    Some(UiCommand::Send(command)) => self.send(command),
                    Some(UiCommand::Job(job)) => {
                        self.driver.start_job(job);
                        self.asked = Asked { ask: Ask::Form(form), since: Instant::now() };
                        Ok(())
                    }
                    _ => {
                        self.asked = Asked { ask: Ask::Form(form), since: Instant::now() };
                        Ok(())
                    }
                }
            }
            Ask::Provider(mut question) => {
                self.plain.lines.set_echo(true);
                match question.take(&text, &mut self.plain.page)? {
                    Next::Leave(exit) => self.exit = Some(exit),
                    Next::Ask { hidden } => {
                        self.plain.lines.set_echo(!hidden);
                        self.asked = Asked { ask: Ask::Provider(question), since: Instant::now() };
                    }
                }
                Ok(())
            }
        }
    }

    /// A message: sent, or put aside where it was a paste, or goes on in the next line.
    fn message(&mut self, text: &str, more: &str) -> io::Result<()> {
        let idle = self.driver.state().phase == Phase::Idle;
        if let Some(begun) = text.strip_suffix('\\') {
            self.keep(begun);
            return if idle { self.plain.page.ask("...") } else { Ok(()) };
        }
        if !more.is_empty() {
            self.keep(&format!("{text}\n{more}"));
            return Ok(());
        }
        if text.trim().is_empty() && self.plain.kept.is_empty() {
            return Ok(());
        }
        self.keep(text);
        let text = std::mem::take(&mut self.plain.kept);
        self.driver.keep_draft("");
        if !idle {
            self.plain.page.line("Queued: it is sent when this turn ends.")?;
        }
        self.send(Command::Submit(text))
    }

    fn about_block(&mut self, shown: Shown, about: About, text: &str) -> io::Result<()> {
        if Shown::of(self.driver.state()).as_ref() != Some(&shown) {
            self.plain.page.line(&format!("The block has changed. {NOTHING}"))?;
            return Ok(());
        }
        let again = |session: &mut Self, why: &str| {
            session.plain.page.line(why)?;
            session.reask(shown.clone())
        };
        if self.driver.state().live.matched.is_some() {
            // Whatever was typed, the person is there: nothing starts by itself.
            self.driver.send(Command::HoldBack);
        }
        let (block, revision) = (shown.block, shown.revision);
        let decide = |decision| Command::Decide { block, revision, decision };
        match about {
            About::TypedWord if text == "run" => self.send(decide(Decision::Approve { typed: true })),
            About::TypedWord => again(self, &format!("That was not the word. {NOTHING}")),
            About::Reason => self.send(decide(Decision::Reject(text.to_owned()))),
            About::Rule(offers) => match words::answer(text) {
                Answer::Always(Some(number)) => match scope(&offers, number) {
                    Some(scope) => self.send(decide(Decision::Always(scope))),
                    None => again(self, &format!("That rule can't be granted here. {NOTHING}")),
                },
                _ => again(self, NOTHING),
            },
            About::Decision => self.decide(shown, text),
        }
    }

    fn decide(&mut self, shown: Shown, text: &str) -> io::Result<()> {
        let (block, revision) = (shown.block, shown.revision);
        let decide = |decision| Command::Decide { block, revision, decision };
        match words::answer(text) {
            Answer::Approve if self.driver.state().needs_typed(block) => {
                self.put(Ask::Block(Box::new(shown), About::TypedWord))
            }
            Answer::Approve => self.send(decide(Decision::Approve { typed: false })),
            Answer::Always(_) => {
                let offers = rules::offers(self.driver.state(), block);
                if offers.is_empty() || self.driver.state().needs_typed(block) {
                    self.plain.page.line("No rule can be granted on this block.")?;
                    return self.reask(shown);
                }
                self.put(Ask::Block(Box::new(shown), About::Rule(offers)))
            }
            Answer::Reject(Some(why)) => self.send(decide(Decision::Reject(why))),
            Answer::Reject(None) => self.put(Ask::Block(Box::new(shown), About::Reason)),
            Answer::Skip => self.send(decide(Decision::Skip)),
            Answer::Edit => self.edit(shown),
            Answer::Opinion => {
                self.driver.send(Command::Consult(block));
                self.reask(shown)
            }
            Answer::Language(name) => self.send(Command::ChooseLanguage { block, language: Language(name) }),
            Answer::Diff | Answer::Show => {
                self.compare_or_show(words::answer(text) == Answer::Diff)?;
                self.reask(shown)
            }
            Answer::Unknown => {
                self.plain.page.line(&format!("That is none of the words. {NOTHING}"))?;
                self.reask(shown)
            }
        }
    }

    fn compare_or_show(&mut self, compare: bool) -> io::Result<()> {
        let Some((item, inspected)) = block::waiting(self.driver.state()) else { return Ok(()) };
        let look = look(&self.theme, self.options, self.driver.now());
        let page = &mut self.plain.page;
        if compare {
            block::diff(item, inspected, page)
        } else {
            block::show(item, inspected, true, page, look)
        }
    }

    /// Asks for the words once more, without the block.
    fn reask(&mut self, shown: Shown) -> io::Result<()> {
        if let Some((item, inspected)) = block::waiting(self.driver.state()) {
            self.plain.page.ask(&block::question(item, inspected))?;
        }
        self.asked = Asked { ask: Ask::Block(Box::new(shown), About::Decision), since: Instant::now() };
        Ok(())
    }

    fn edit(&mut self, shown: Shown) -> io::Result<()> {
        let Some(item) = self.driver.state().waiting() else { return Ok(()) };
        let current = item.block.current();
        let entry = current.language.as_ref().and_then(|l| self.options.setup.languages.find(l.as_str()));
        let extension = entry.and_then(|e| e.extensions.first().cloned()).unwrap_or_else(|| "txt".into());
        let source = current.source.clone();
        match outside::edit(&self.options.editor, &source, &extension, &self.options.launcher) {
            Ok(text) if *text == *source => {
                self.plain.page.line("Nothing was changed.")?;
                self.reask(shown)
            }
            Ok(text) => {
                let (block, revision) = (shown.block, shown.revision);
                self.send(Command::Decide { block, revision, decision: Decision::Edit(text) })
            }
            Err(why) => {
                self.plain.page.line(&why.to_string())?;
                self.reask(shown)
            }
        }
    }

    /// Begins a recipe, or asks for what it needs first.
    pub(super) fn begin_recipe(
        &mut self,
        name: &str,
        given: crate::domain::Answers,
        shown: bool,
    ) -> io::Result<()> {
        let Some(card) = self.options.setup.recipes.iter().find(|card| card.name == name).cloned() else {
            return self.plain.page.line(&format!("There is no recipe {name}. /recipe lists all of them."));
        };
        if !shown && answers::check(&card.inputs, &given).is_ok() {
            self.driver.start_job(Job::BeginRecipe(card.name, given));
            return Ok(());
        }
        self.put(Ask::Form(Box::new(FormFill::new(card.inputs, Some(card.name), given))))
    }

    fn job_done(&mut self, result: &JobResult) -> io::Result<()> {
        match result {
            JobResult::Servers(offers) if self.take_awaited(Awaited::Servers) => {
                let question = ProviderQuestion::new(offers, &self.options.setup.clouds);
                self.put(Ask::Provider(question))
            }
            JobResult::RecipeRefused { misfits, .. } => {
                match std::mem::replace(&mut self.asked, Asked::nothing()).ask {
                    Ask::Form(mut form) => {
                        form.refuse(misfits, &mut self.plain.page)?;
                        self.asked = Asked { ask: Ask::Form(form), since: Instant::now() };
                        Ok(())
                    }
                    _ => {
                        for misfit in misfits {
                            self.plain.page.line(&format!("The recipe was not begun: {misfit}"))?;
                        }
                        Ok(())
                    }
                }
            }
            other => self.tell_job(other),
        }
    }

    pub(super) fn take_awaited(&mut self, wanted: Awaited) -> bool {
        let before = self.awaited.len();
        self.awaited.retain(|awaited| *awaited != wanted);
        self.awaited.len() < before
    }

    pub(super) fn send(&mut self, command: Command) -> io::Result<()> {
        self.driver.send(command);
        Ok(())
    }

    /// Keeps a text for the next message.
    pub(super) fn keep(&mut self, text: &str) {
        let text = text.trim_end_matches('\n');
        if text.trim().is_empty() {
            return;
        }
        if !self.plain.kept.is_empty() {
            self.plain.kept.push('\n');
        }
        self.plain.kept.push_str(text);
        self.driver.keep_draft(&self.plain.kept);
    }

    /// Ctrl-C stops what goes on; twice while nothing does, it leaves.
    fn signalled(&mut self, signalled: &Signalled) -> io::Result<()> {
        if matches!(signalled, Signalled::Leave) {
            self.exit = Some(Exit::Hangup);
            return Ok(());
        }
        self.plain.page.go_on(OpenLine::None)?;
        let now = Instant::now();
        let state = self.driver.state();
        if state.live.run.is_some() {
            if self.interrupted.is_some_and(|at| now.duration_since(at) >= AGAIN) {
                self.plain.page.line("Killed.")?;
                return self.send(Command::Kill);
            }
            self.interrupted = Some(now);
            self.plain.page.line("Interrupt sent. Still running: Ctrl-C again kills it.")?;
            return self.send(Command::Stop);
        }
        self.interrupted = None;
        if matches!(state.phase, Phase::Replying(_) | Phase::Compacting(_)) {
            self.plain.page.line("Stopped.")?;
            return self.send(Command::Stop);
        }
        if state.live.matched.is_some() {
            self.send(Command::HoldBack)?;
        }
        if self.quits.is_some_and(|at| now.duration_since(at) < QUIT) {
            self.exit = Some(Exit::Quit { now: false });
            return Ok(());
        }
        self.quits = Some(now);
        self.plain.lines.set_echo(true);
        self.plain.page.line("Ctrl-C again within 2 s quits.")?;
        // The question is asked once more: its line is gone.
        self.asked = Asked::nothing();
        Ok(())
    }
}

/// The scope of the offer with this number, where it can be granted.
fn scope(offers: &[rules::Offer], number: usize) -> Option<RuleScope> {
    let offer = offers.get(number.checked_sub(1)?)?;
    offer.refused.is_none().then_some(offer.rule.scope)
}

/// What words are written with: times and paths of the person, no colours, nothing that moves.
pub(super) fn look<'a>(theme: &'a Theme, options: &'a Options, now: Timestamp) -> Look<'a> {
    let glyphs = if options.ascii { Glyphs::ASCII } else { Glyphs::LINES };
    Look { theme, glyphs, place: &options.place, now, motion: false }
}
