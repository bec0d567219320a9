//! Messages and outputs that are far back in a large session: they stand in its file, and come into memory when they are
//! looked at, or when a request tells them.
//!
//! A transcript that is read through [`PagedTranscript`] keeps the newest ones. Of other replies and long prompts it keeps
//! their length, what they cost in tokens, a short form of long ones, and which entry of the file they are ([`messages`]); of
//! other outputs a form that is short and that a model is told as it would be told the whole ([`runs`]). Which of them are
//! needed is the engine's business (`engine/loading.rs`).

mod messages;
mod runs;
#[cfg(test)]
mod tests;

use super::{Item, Transcript};
use crate::domain::{Entry, RunId, Timestamp};
use messages::bytes_of_prompt;
use runs::Outputs;
pub(crate) use runs::{OutputAway, RunPaging};
use std::collections::VecDeque;

/// The newest messages of so many bytes together stay: more than a million tokens, which is what most models take at most.
const MAX_NEWEST_BYTES: usize = 5 << 20;

/// Of a reply of fewer bytes nothing is kept; a prompt of fewer always stays.
pub(in crate::engine) const LONG: usize = 2 << 10;
/// What is kept of a long one that does not stay.
const KEPT_BYTES: usize = 512;

/// Why what was read is not taken in.
pub(crate) const OTHER_ENTRY: &str = "another entry stands in its place";

/// Something of a conversation whose text may be in its file alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Body {
    /// The prompt or reply that is this item.
    Message(usize),
    /// The output of this run.
    Output(RunId),
}

/// What is known of a message whose text is not in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PagedOut {
    /// About how many bytes it has.
    pub(crate) bytes: u32,
    /// About how many tokens its text has.
    pub(crate) tokens: u32,
    pub(crate) load: LoadState,
}

impl PagedOut {
    fn new(bytes: usize, tokens: u64) -> Self {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        Self { bytes, tokens: u32::try_from(tokens).unwrap_or(u32::MAX), load: LoadState::Away }
    }
}

/// Whether a message or an output that is not in memory comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum LoadState {
    /// Nobody has asked for it.
    Away,
    /// It was asked for.
    Loading,
    /// It can't be read again.
    Lost,
}

/// Which entry of the file a long prompt is, and what is known of it while its text is there alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PromptPaging {
    entry: u32,
    out: Option<PagedOut>,
}

/// A transcript that is put together while its file is read, and keeps the newest of the messages and long outputs.
#[derive(Debug)]
pub(crate) struct PagedTranscript {
    transcript: Transcript,
    /// Entries so far.
    entries: u64,
    /// The places of messages that stay so far and need not, the oldest first, each with its bytes.
    newest: VecDeque<(usize, usize)>,
    bytes: usize,
    /// Bytes of messages that stay.
    most: usize,
    outputs: Outputs,
}

impl Default for PagedTranscript {
    fn default() -> Self {
        Self::with(MAX_NEWEST_BYTES, Outputs::default())
    }
}

impl PagedTranscript {
    fn with(most: usize, outputs: Outputs) -> Self {
        let transcript = Transcript::default();
        Self { transcript, entries: 0, newest: VecDeque::new(), bytes: 0, most, outputs }
    }

    /// The last of what was put in is a message, which the file has as this entry.
    fn message(&mut self, entry: u32) {
        let place = self.transcript.items.len().saturating_sub(1);
        let bytes = match self.transcript.items.last_mut() {
            Some(Item::Reply(reply)) => {
                reply.entry = Some(entry);
                reply.bytes()
            }
            Some(Item::Prompt { text, files, .. }) => {
                let bytes = bytes_of_prompt(text, files);
                if bytes >= LONG {
                    self.transcript.long_prompts.insert(place, PromptPaging { entry, out: None });
                }
                bytes
            }
            _ => return,
        };
        self.newest.push_back((place, bytes));
        self.bytes += bytes;
        while self.bytes > self.most && self.newest.len() > 2 {
            let Some((oldest, bytes)) = self.newest.pop_front() else { return };
            self.bytes = self.bytes.saturating_sub(bytes);
            self.transcript.page_out(oldest);
        }
    }
}

impl Extend<(Timestamp, Entry)> for PagedTranscript {
    fn extend<I: IntoIterator<Item = (Timestamp, Entry)>>(&mut self, entries: I) {
        for (at, entry) in entries {
            let ended = match &entry {
                Entry::Ran { run, block, .. } if entry.is_long() => Some((*block, *run)),
                _ => None,
            };
            let is_message = matches!(entry, Entry::Prompt(_) | Entry::Reply { .. });
            if matches!(entry, Entry::Prompt(_)) {
                self.outputs.turn_begins(&mut self.transcript);
            }
            self.transcript.apply(entry, at);
            if let (true, Ok(entry)) = (is_message, u32::try_from(self.entries)) {
                self.message(entry);
            }
            if let Some(run) = ended {
                self.outputs.note_end(&mut self.transcript, run, self.entries);
            }
            self.entries += 1;
        }
    }
}

impl From<PagedTranscript> for Transcript {
    fn from(paged: PagedTranscript) -> Self {
        let mut transcript = paged.transcript;
        transcript.items.shrink_to_fit();
        transcript
    }
}
