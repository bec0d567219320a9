//! Handles the person's lines: as an answer to the present question, or as a message.

use super::ask::{Ask, OpenQuestion, READING_DELAY};
use super::form::FormFill;
use super::lines::TypedLine;
use super::session::{NOTHING_DECIDED, Session};
use crate::domain::sentences::saving::KEPT_FOR_MESSAGE;
use crate::engine::{Command, Phase};
use crate::tui::slash::{Slash, SlashLine, parse};
use crate::tui::ui_command::UiCommand;
use std::io;
use std::time::Duration;

/// Input within this time after a line belongs to the same paste: no person types that fast.
const BURST_INTERVAL: Duration = Duration::from_millis(30);

impl Session<'_> {
    /// Handles a line of the person.
    pub(super) async fn line(&mut self, line: TypedLine) -> io::Result<()> {
        // The line end of hidden input is hidden too.
        if !self.asked.ask.is_secret() {
            self.mode.page.answered();
        }
        self.quits = None;
        let TypedLine { text, at } = line;
        let before = self.last_line.replace(at);
        tokio::time::sleep(BURST_INTERVAL).await;
        let more = self.mode.lines.take_typed();
        let pasted =
            !more.is_empty() || before.is_some_and(|before| at.duration_since(before) < BURST_INTERVAL);
        // The person is here: nothing may start by itself, whatever was typed.
        self.hold_back();
        if self.asked.ask.is_secret() {
            return self.provider(&text);
        }
        if !pasted && (text.trim_start().starts_with('/') || self.says_to_leave(&text)) {
            return self.command(text.trim());
        }
        let asked = std::mem::replace(&mut self.asked, OpenQuestion::nothing());
        let hasty = at.saturating_duration_since(asked.since) < READING_DELAY;
        match asked.ask {
            Ask::Nothing | Ask::Message => self.message(&text, &more),
            Ask::Block(shown, about) => {
                if pasted || hasty {
                    self.keep(&format!("{text}\n{more}"));
                    self.mode.page.line(&format!("{} {NOTHING_DECIDED}", unread(pasted)))?;
                    return self.reask(*shown);
                }
                self.about_block(*shown, about, text.trim())
            }
            Ask::Changes(_) | Ask::Instructions(_) if pasted || hasty => {
                self.keep(&format!("{text}\n{more}"));
                self.mode.page.line(&format!("{} {NOTHING_DECIDED}", unread(pasted)))
            }
            Ask::Changes(listed) => self.about_changes(&listed, text.trim()),
            Ask::Instructions(held) => self.about_instructions(held, text.trim()),
            ask @ (Ask::GoOn(_) | Ask::Stuck(_)) if pasted => {
                let all = format!("{text}\n{more}");
                self.keep(&all);
                if !all.trim().is_empty() {
                    self.mode.page.line(&format!("{} {KEPT_FOR_MESSAGE}", unread(true)))?;
                }
                self.put(ask)
            }
            ask @ (Ask::GoOn(_) | Ask::Stuck(_)) => self.go_on(ask, &text),
            Ask::Form(form) => self.answer_form(form, &text, &more),
            ask @ Ask::Provider(_) => {
                self.asked = OpenQuestion::of(ask);
                self.provider(&text)
            }
        }
    }

    /// Whether this line is the word alone that leaves, as in the panes. As a line of a longer message it belongs to
    /// that, and where something else is asked it is an answer.
    fn says_to_leave(&self, text: &str) -> bool {
        matches!(self.asked.ask, Ask::Nothing | Ask::Message)
            && self.mode.kept.is_empty()
            && parse(text) == SlashLine::Command(Slash::Quit, "")
    }

    /// Handles a line as the answer to the present field of a form.
    fn answer_form(&mut self, mut form: Box<FormFill>, text: &str, more: &str) -> io::Result<()> {
        if form.is_filled() {
            // The form is being checked; keep the input for later.
            self.keep(&format!("{text}\n{more}"));
        } else {
            let done = form.take(text.trim_end(), &mut self.mode.page)?;
            self.keep(more);
            match done {
                Some(UiCommand::Send(command)) => {
                    self.send(command);
                    return Ok(());
                }
                Some(UiCommand::Job(job)) => self.driver.start_job(job),
                _ => {}
            }
        }
        self.asked = OpenQuestion::of(Ask::Form(form));
        Ok(())
    }

    /// Handles a line for the question about the provider. A key is never kept as text.
    fn provider(&mut self, text: &str) -> io::Result<()> {
        let Ask::Provider(question) = &mut self.asked.ask else { return Ok(()) };
        if text.trim().is_empty() && self.driver.has_provider() {
            self.take_question();
            return Ok(());
        }
        let exit = question.take(text, &mut self.mode.page)?;
        self.mode.lines.set_echo(!question.is_secret());
        if exit.is_some() {
            self.exit = exit;
        }
        Ok(())
    }

    /// Handles the answer whether to continue the turn.
    fn go_on(&mut self, ask: Ask, line: &str) -> io::Result<()> {
        let command = match (&ask, line.trim()) {
            (Ask::GoOn(_), "continue") => Command::Continue,
            (Ask::Stuck(_), "retry") => Command::Retry,
            (_, "end") => Command::EndTurn,
            (_, "") => return self.put(ask),
            _ => {
                self.keep(line);
                self.mode.page.line(&format!("That is none of the words. {KEPT_FOR_MESSAGE}"))?;
                return self.put(ask);
            }
        };
        self.send(command);
        Ok(())
    }

    /// Handles a message: sends it, keeps it if it was a paste, or waits for its next line.
    fn message(&mut self, text: &str, more: &str) -> io::Result<()> {
        let idle = self.driver.state().phase == Phase::Idle;
        if !more.is_empty() {
            self.keep(&format!("{text}\n{more}"));
            return Ok(());
        }
        if let Some(begun) = text.strip_suffix('\\') {
            self.keep(begun);
            if idle {
                // The question stays open: its next line belongs to the same message.
                self.asked = OpenQuestion::of(Ask::Message);
                self.mode.page.ask("...")?;
            }
            return Ok(());
        }
        if text.trim().is_empty() && self.mode.kept.is_empty() {
            return Ok(());
        }
        self.keep(text);
        let text = self.take_kept();
        self.submit(text)
    }
}

/// Why a line decides nothing that was not typed after reading the question.
fn unread(pasted: bool) -> &'static str {
    if pasted { "That looked like a paste." } else { "That was typed before the question." }
}
