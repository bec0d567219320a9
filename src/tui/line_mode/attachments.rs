//! Sends a message with the files that it names: the files are read first, and a line lists them when the
//! message is sent.

use super::session::Session;
use crate::domain::sentences::sending;
use crate::domain::{AttachedFile, Prompt};
use crate::driver::{AttachedFileError, Job};
use crate::engine::{Command, Phase};
use crate::text::at_words::at_words;
use crate::text::number::size;
use crate::tui::screen::refusal;
use crate::tui::slash::typed_command;
use std::io;

impl Session<'_> {
    /// Sends the message, or starts reading its files first.
    pub(super) fn submit(&mut self, text: String) -> io::Result<()> {
        if let Some(command) = typed_command(&text) {
            return self.typed_command(command);
        }
        let are_words = self.words.take().is_some_and(|words| words == text);
        if !are_words && !at_words(&text).is_empty() {
            self.reading.push(text.clone());
            self.keep_draft();
            self.start_job(Job::AttachedFiles(text));
            return Ok(());
        }
        self.send_message(text.into())
    }

    /// Makes a block of the person's own shell command, or queues it until the turn ends.
    fn typed_command(&mut self, command: &str) -> io::Result<()> {
        if command.is_empty() {
            return self.mode.page.line("Warning: A command follows the !, as in !ls.");
        }
        self.send(Command::TypedCommand(command.to_owned()));
        Ok(())
    }

    fn send_message(&mut self, prompt: Prompt) -> io::Result<()> {
        if !prompt.files.is_empty() {
            self.mode.page.line(&format!("  {}", sending::with_files(&prompt.files, size)))?;
        }
        if self.driver.state().phase != Phase::Idle {
            self.mode.page.line(sending::QUEUED)?;
        }
        self.send(Command::Submit(prompt));
        Ok(())
    }

    /// Handles the files that were read for a message.
    pub(super) fn files_read(
        &mut self,
        text: &str,
        files: Result<Vec<AttachedFile>, Vec<AttachedFileError>>,
    ) -> io::Result<()> {
        self.question_after = None;
        if let Some(at) = self.reading.iter().position(|reading| reading == text) {
            self.reading.remove(at);
        }
        match files {
            Ok(files) => {
                self.send_message(Prompt { text: text.to_owned(), files })?;
                self.keep_draft();
                Ok(())
            }
            Err(errors) => {
                self.mode.page.line(&format!("Warning: {}", refusal(&errors)))?;
                self.mode.page.line("/edit changes the message, /drop drops it.")?;
                self.keep(text);
                if errors.iter().all(AttachedFileError::may_be_a_word) {
                    self.words = Some(text.to_owned());
                }
                self.ask_again()
            }
        }
    }
}
