//! Keeps old messages and outputs of a large session only in its file, and loads them when they are shown or a request
//! needs them.
//!
//! A transcript that is read through [`PagedTranscript`] keeps the newest ones in memory. Of older replies and long
//! prompts it keeps their length, their size in tokens, the number of their entry in the file and, if they are long, a
//! shortened text ([`messages`]). Of older outputs it keeps a short form that looks to a model like the whole output
//! ([`runs`]). The engine decides which of them have to be loaded (`engine/loading.rs`).

mod load_state;
mod messages;
mod runs;
#[cfg(test)]
mod tests;

use super::{Item, Transcript};
use crate::domain::{Entry, RunId, Timestamp};
pub(crate) use load_state::{LoadState, MessageAway, OutputAway, PromptPaging, RunPaging};
use messages::bytes_of_prompt;
use runs::Outputs;
use std::collections::VecDeque;

/// How many bytes of the newest messages stay: more than a million tokens, which is the most that most models take.
const MAX_NEWEST_BYTES: usize = 5 << 20;

/// Shorter replies are dropped completely; shorter prompts always stay.
pub(in crate::engine) const LONG: usize = 2 << 10;
/// How many bytes are kept of a longer message that does not stay.
const KEPT_BYTES: usize = 512;

/// Why an entry that was read is refused.
pub(crate) const OTHER_ENTRY: &str = "another entry stands in its place";

/// A text of a conversation that may be only in the session file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Body {
    /// The prompt or reply with this index among the items.
    Message(usize),
    /// The output of this run.
    Output(RunId),
}

/// A transcript under construction while its file is read; it keeps only the newest messages and long outputs.
#[derive(Debug)]
pub(crate) struct PagedTranscript {
    transcript: Transcript,
    /// The number of entries so far.
    entries: u64,
    /// The indices of messages that could still be dropped, the oldest first, each with its size in bytes.
    newest: VecDeque<(usize, usize)>,
    bytes: usize,
    /// How many bytes of messages stay.
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

    /// Registers the last item if it is a message; `entry` is its number in the file.
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
