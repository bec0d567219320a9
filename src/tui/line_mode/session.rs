//! One session in line mode: waits for events, prints them, asks questions, handles the answers.

use super::ask::{Ask, OpenQuestion};
use super::awaited_jobs::{AwaitedJob, AwaitedJobs};
use super::changes::UndoTarget;
use super::page::OpenLine;
use super::provider::ProviderQuestion;
use super::reporter::LineReporter;
use super::{LineMode, SignalRequest};
use crate::domain::sentences::running;
use crate::driver::reminder::{Reminder, wait_until};
use crate::driver::{Driver, Job, JobResult, Notification, SessionHit};
use crate::engine::{Command, Phase};
use crate::tui::Options;
use crate::tui::keymap::Keymap;
use crate::tui::screen::{KILL_DELAY, QUIT_TIMEOUT};
use crate::tui::setup::{FoundLocation, SessionPick};
use crate::tui::theme::{Depth, Theme};
use crate::tui::ui_command::Exit;
use crate::tui::widgets::draw_context::DrawContext;
use std::io;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// The next message is asked for after a command's result, but at the latest after this long.
pub(super) const LISTING_TIMEOUT: Duration = Duration::from_secs(5);

/// Printed when an answer decided nothing.
pub(super) const NOTHING_DECIDED: &str = "Nothing was decided.";

pub(super) struct Session<'a> {
    pub(super) mode: &'a mut LineMode,
    pub(super) driver: &'a mut Driver,
    pub(super) options: &'a Options,
    pub(super) reporter: LineReporter,
    pub(super) asked: OpenQuestion,
    /// The jobs that the person asked for.
    pub(super) awaited: AwaitedJobs,
    /// Until when the question for a message waits for the result of a job.
    pub(super) question_after: Option<Instant>,
    /// How many providers are being asked for their models.
    pub(super) asking: usize,
    /// The recipe to start, and the words typed after it, until the recipes were read.
    pub(super) named_recipe: Option<(String, String)>,
    /// The matches of the last search, by their numbers.
    pub(super) hits: Vec<SessionHit>,
    /// The words of that search.
    pub(super) hit_words: String,
    /// The run whose changes are being looked up.
    pub(super) wanted_changes: Option<UndoTarget>,
    /// The place at which the session was opened, until its text was printed.
    pub(super) place: Option<FoundLocation>,
    pub(super) exit: Option<Exit>,
    /// The failure that was already printed.
    pub(super) told_failure: Option<String>,
    /// The messages whose files are being read, oldest first. Until they are sent they belong to the draft.
    pub(super) reading: Vec<String>,
    /// The message whose `@` words name no files: sent again, they are sent as words.
    pub(super) words: Option<String>,
    interrupted: Option<Instant>,
    pub(super) quits: Option<Instant>,
    pub(super) last_line: Option<Instant>,
    /// Reports work in progress again when nothing else is printed.
    reminder: Reminder,
}

impl<'a> Session<'a> {
    pub(super) fn new(mode: &'a mut LineMode, driver: &'a mut Driver, options: &'a Options) -> Self {
        Self {
            mode,
            driver,
            options,
            reporter: LineReporter::default(),
            asked: OpenQuestion::nothing(),
            awaited: AwaitedJobs::default(),
            question_after: None,
            asking: 0,
            named_recipe: None,
            hits: Vec::new(),
            hit_words: String::new(),
            wanted_changes: None,
            place: options.setup.place.clone(),
            exit: None,
            told_failure: None,
            reading: Vec::new(),
            words: None,
            interrupted: None,
            quits: None,
            last_line: None,
            reminder: Reminder::default(),
        }
    }

    /// The format for text: the person's times and paths, no colours, no animations.
    pub(super) fn draw(&self) -> DrawContext<'a> {
        let draw = self.options.draw_context(&NO_COLOURS, &NO_KEYS, self.driver.now());
        DrawContext { motion: false, ..draw }
    }

    pub(super) async fn go(mut self) -> io::Result<Exit> {
        self.begin()?;
        loop {
            if let Some(exit) = self.exit.take() {
                self.leave_page(&exit);
                return Ok(exit);
            }
            self.ask_anew()?;
            tokio::select! {
                biased;
                signalled = self.mode.signals.next() => self.signalled(&signalled)?,
                update = self.driver.next() => {
                    let is_printed = update.notifications.iter().any(is_printed);
                    let was_asked = self.mode.page.asks();
                    for notification in update.notifications {
                        self.news(&notification)?;
                    }
                    // Output that began and ended in this update was printed below the question.
                    let is_above = was_asked
                        && !self.mode.page.asks()
                        && matches!(self.asked.ask, Ask::Message)
                        && self.asked.holds(self.driver.state());
                    if self.print_place()? || is_above {
                        self.put_again()?;
                    }
                    self.reminder.follow(Instant::now(), self.driver.state().activity().is_some(), is_printed);
                }
                () = wait_until(self.reminder.due()) => self.remind()?,
                () = wait_until(self.question_after) => self.question_after = None,
                line = self.mode.lines.next() => match line {
                    Some(line) => self.line(line).await?,
                    None => self.exit = Some(Exit::Quit),
                },
            }
        }
    }

    /// Leaves the page to whatever comes next. If the terminal is closed, an unfinished line is kept: nobody could send
    /// it, and otherwise the shell would get it.
    fn leave_page(&mut self, exit: &Exit) {
        let is_last = matches!(exit, Exit::Quit | Exit::Hangup);
        if is_last {
            self.mode.lines.end();
        }
        let asked = self.take_question();
        // Nobody sends the messages any more whose files are being read: they come before what was typed after them.
        self.mode.kept = self.unsent_text();
        self.reading.clear();
        if !is_last {
            // The next session has this text.
            return self.driver.keep_draft("");
        }
        if matches!(exit, Exit::Hangup) {
            let typed = self.mode.lines.take_typed();
            match asked.ask {
                ask if typed.is_empty() || ask.is_secret() => {}
                Ask::Nothing | Ask::Message => self.keep(&typed),
                _ => self.keep_sentence(&typed),
            }
            if !typed.is_empty() {
                self.mode.page.typed_on();
            }
        }
        // If nothing can be printed any more, nobody reads it.
        let _ = self.mode.page.go_on(OpenLine::None);
    }

    fn begin(&mut self) -> io::Result<()> {
        for notice in &self.options.notices {
            self.mode.page.line(&format!("Note: {}", notice.text))?;
        }
        for damage in &self.options.setup.damage {
            self.mode.page.line(&format!("Warning: {damage}"))?;
        }
        LineReporter::print_history(self.driver.state(), &mut self.mode.page)?;
        self.print_place()?;
        self.mode.page.line("Nothing runs without your say-so. /help lists the words and commands.")?;
        if self.driver.state().transcript.items.is_empty() && self.driver.has_provider() {
            self.open()?;
        }
        // What was typed in this process comes behind what was kept for this session.
        let typed = std::mem::take(&mut self.mode.kept);
        if let Some(draft) = self.driver.take_draft() {
            self.keep(&draft);
        }
        self.keep(&typed);
        if let Some(file) = self.options.first_file.clone() {
            self.mode.page.lines_behind("You: ", &file.text)?;
            self.driver.send(Command::OpenFile(file));
            return Ok(());
        }
        let setup = &self.options.setup;
        if setup.pick_session == Some(SessionPick::Newest) {
            self.start(AwaitedJob::Sessions(None), Job::Sessions);
        } else if let (true, Some(model)) = (setup.try_provider, self.driver.state().transcript.model.clone())
        {
            self.start(AwaitedJob::Trial, Job::TestModel(model));
        } else if self.driver.state().transcript.items.is_empty() {
            if let Some(first) = self.options.first_recipe.clone() {
                self.begin_recipe(&first.name, first.answers, first.shown)?;
            } else if let Some(prompt) = self.options.first_prompt.clone() {
                self.mode.page.lines_behind("You: ", &prompt)?;
                self.submit(prompt)?;
            }
        }
        Ok(())
    }

    /// Prints that something is still in progress.
    fn remind(&mut self) -> io::Result<()> {
        self.reminder.reminded(Instant::now());
        let Some(going_on) = self.driver.state().activity() else { return Ok(()) };
        self.mode.page.line(&running::still(&going_on.what, &going_on.time(self.driver.now())))
    }

    /// Prints what can be asked first. In line mode words decide, so the introduction differs from that of the
    /// panes.
    fn open(&mut self) -> io::Result<()> {
        let prompts = &self.options.setup.opening.prompts;
        if prompts.is_empty() {
            return Ok(());
        }
        let page = &mut self.mode.page;
        page.line(
            "Code that the model writes is printed whole and waits; the word approve runs it once. To begin:",
        )?;
        prompts.iter().try_for_each(|prompt| page.line(&format!("  {prompt}")))
    }

    fn news(&mut self, notification: &Notification) -> io::Result<()> {
        if let Notification::Job(result) = notification {
            return self.job_done(result);
        }
        let draw = self.draw();
        self.reporter.report(notification, self.driver.state(), &mut self.mode.page, draw)
    }

    fn job_done(&mut self, result: &JobResult) -> io::Result<()> {
        match result {
            JobResult::Servers(offers) if self.awaited.take(&AwaitedJob::Servers) => {
                let question = ProviderQuestion::new(offers, &self.options.setup.clouds);
                self.put(Ask::Provider(question))
            }
            JobResult::RecipeRefused { name, misfits } => {
                if let Ask::Form(form) = &mut self.asked.ask {
                    return form.refuse(misfits, &mut self.mode.page);
                }
                for misfit in misfits {
                    self.mode.page.line(&format!("The recipe was not begun: {misfit}"))?;
                }
                // The recipe was to start without its form.
                let first = self.options.first_recipe.as_ref().filter(|first| first.name == *name);
                let given = first.map(|first| first.answers.clone()).unwrap_or_default();
                self.begin_recipe(name, given, true)
            }
            JobResult::AttachedFiles(text, files) => self.files_read(text, files.clone()),
            other => self.print_job_result(other),
        }
    }

    pub(super) fn send(&mut self, command: Command) {
        self.told_failure = None;
        self.driver.send(command);
    }

    /// Takes the kept text, and removes it from the disk.
    pub(super) fn take_kept(&mut self) -> String {
        let kept = std::mem::take(&mut self.mode.kept);
        self.keep_draft();
        kept
    }

    /// What was typed and is not sent: the messages whose files are being read, then the kept text.
    fn unsent_text(&self) -> String {
        let kept = Some(&self.mode.kept).filter(|kept| !kept.is_empty());
        self.reading.iter().chain(kept).map(String::as_str).collect::<Vec<_>>().join("\n")
    }

    /// Saves what is not sent, so that it outlives this process.
    pub(super) fn keep_draft(&mut self) {
        let unsent = self.unsent_text();
        self.driver.keep_draft(&unsent);
    }

    /// Keeps a sentence, which was meant for the model, but not a single word, which was probably a mistyped
    /// answer.
    pub(super) fn keep_sentence(&mut self, text: &str) {
        if is_sentence(text) {
            self.keep(text);
        }
    }

    /// Keeps a text for the next message.
    pub(super) fn keep(&mut self, text: &str) {
        let text = text.trim_end_matches('\n');
        if text.trim().is_empty() {
            return;
        }
        if !self.mode.kept.is_empty() {
            self.mode.kept.push('\n');
        }
        self.mode.kept.push_str(text);
        self.keep_draft();
    }

    /// Ctrl-C stops what is in progress; twice within 2 s while nothing is, it quits. After a suspension, a key is
    /// typed without echo again.
    fn signalled(&mut self, signalled: &SignalRequest) -> io::Result<()> {
        match signalled {
            SignalRequest::Interrupt => {}
            SignalRequest::Leave => {
                self.exit = Some(Exit::Hangup);
                return Ok(());
            }
            SignalRequest::Continue => {
                if self.asked.ask.is_secret() {
                    self.mode.lines.set_echo(false);
                }
                return Ok(());
            }
        }
        self.mode.page.go_on(OpenLine::None)?;
        let now = Instant::now();
        let state = self.driver.state();
        if state.live.run.is_some() {
            if self.interrupted.is_some_and(|at| now.duration_since(at) >= KILL_DELAY) {
                return self.mode.page.line("/kernel ends it by force; its variables are lost.");
            }
            self.interrupted = Some(now);
            self.send(Command::Stop);
            return Ok(());
        }
        self.interrupted = None;
        if matches!(state.phase, Phase::Replying(_) | Phase::Compacting(_)) || state.live.awaits_summary {
            self.mode.page.line("Stopped.")?;
            self.send(Command::Stop);
            return Ok(());
        }
        self.hold_back();
        if self.quits.is_some_and(|at| now.duration_since(at) < QUIT_TIMEOUT) {
            self.exit = Some(Exit::Quit);
            return Ok(());
        }
        self.quits = Some(now);
        self.mode.page.line("Ctrl-C again within 2 s quits.")?;
        // The question's line is gone: it is asked again. The question for a key is not: this Ctrl-C cancels
        // it.
        self.take_question();
        Ok(())
    }
}

/// Whether a text is more than one word, whether or not its line was ended.
fn is_sentence(text: &str) -> bool {
    text.trim().contains(char::is_whitespace)
}

fn is_printed(notification: &Notification) -> bool {
    !matches!(notification, Notification::Reasoning(..) | Notification::Job(_))
}

/// No keys: the person types words.
static NO_KEYS: LazyLock<Keymap> = LazyLock::new(Keymap::default);

static NO_COLOURS: LazyLock<Theme> = LazyLock::new(|| Theme::terminal(Depth::Mono));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_no_sentence_when_its_line_was_ended() {
        assert!(is_sentence("half a thought\n") && is_sentence("approve\nit"));
        assert!(!is_sentence("approve\n") && !is_sentence("approve"));
    }
}
