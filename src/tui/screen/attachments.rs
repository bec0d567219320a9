//! Sends a message with the files that it names: they are read on another thread, and the message is sent once
//! all of them were. If one can't be attached, a note says so and the message stays in the box.

use super::Screen;
use crate::domain::sentences::sending;
use crate::domain::{AttachedFile, Prompt};
use crate::driver::{AttachedFileError, Job};
use crate::engine::Command;
use crate::text::at_words::at_words;

/// The state of reading the files that the message names.
#[derive(Debug, Default)]
pub(super) enum FileReading {
    /// Nothing is being read.
    #[default]
    Nothing,
    /// The files of this message are being read.
    Reads(String),
    /// The `@` words of this message name no files. If the same message is sent again, they are sent as words.
    Words(String),
}

impl Screen {
    /// Sends the message, or starts reading its files first.
    pub(in crate::tui) fn read_files_or_send(&mut self, text: String) {
        match &self.file_reading {
            // Enter came twice.
            FileReading::Reads(reading) if *reading == text => return,
            FileReading::Words(words) if *words == text => {}
            _ if !at_words(&text).is_empty() => {
                self.file_reading = FileReading::Reads(text.clone());
                return self.start(Job::AttachedFiles(text));
            }
            _ => {}
        }
        self.send_message(Vec::new());
    }

    fn send_message(&mut self, files: Vec<AttachedFile>) {
        self.file_reading = FileReading::Nothing;
        let text = self.panes.composer.send();
        self.panes.chat.follow();
        self.send(Command::Submit(Prompt { text, files }));
    }

    /// Handles the files that were read for a message.
    pub(super) fn files_read(
        &mut self,
        text: &str,
        files: Result<Vec<AttachedFile>, Vec<AttachedFileError>>,
    ) {
        if !matches!(&self.file_reading, FileReading::Reads(reading) if reading == text) {
            return;
        }
        self.file_reading = FileReading::Nothing;
        if self.panes.composer.full_text() != text {
            if !self.panes.composer.is_empty() {
                self.warn(sending::CHANGED_MEANWHILE);
            }
            return;
        }
        match files {
            Ok(files) => self.send_message(files),
            Err(errors) => {
                if errors.iter().all(AttachedFileError::may_be_a_word) {
                    self.file_reading = FileReading::Words(text.to_owned());
                }
                self.warn(refusal(&errors));
            }
        }
    }
}

/// Why files can't be attached, and what the person can do.
pub(in crate::tui) fn refusal(errors: &[AttachedFileError]) -> String {
    let why = errors.first().map(ToString::to_string).unwrap_or_default();
    let more = errors.len().saturating_sub(1);
    let more = if more > 0 { format!(" And {more} more.") } else { String::new() };
    let words = errors.iter().all(AttachedFileError::may_be_a_word);
    let then = if words { sending::AS_WORDS } else { sending::WITHOUT_FILE };
    format!("{why}{more} {then}")
}
