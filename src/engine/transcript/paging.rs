//! Long replies that are far back in a large session: they stand in its file, and come into memory when they are looked at.
//!
//! A transcript that is read through [`PagedTranscript`] keeps the newest ones. Of the others it keeps their length, what they
//! cost in tokens, a short form for summaries, and which entry of the file they are. Which of them are looked at is the
//! engine's business (`engine/loading.rs`).

use super::{Item, ReplyItem, Transcript};
use crate::domain::{Entry, Timestamp};
use crate::engine::context::{shortened, tokens};
use std::collections::VecDeque;

/// The newest long replies of so many bytes together stay: about four million tokens, more than models take.
const NEWEST: usize = 16 << 20;

/// What is kept of the text of a reply that does not stay.
const KEPT: usize = 512;

/// What is known of a reply whose text is not in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PagedOut {
    /// Bytes of its text and reasoning.
    pub bytes: usize,
    /// About how many tokens its text has.
    pub(crate) tokens: u64,
    pub(crate) load: LoadState,
}

/// Whether a reply that is not in memory comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum LoadState {
    /// Nobody has asked for it.
    Away,
    /// It was asked for.
    Loading,
    /// It can't be read again.
    Lost,
}

impl ReplyItem {
    /// Bytes of its text and reasoning.
    pub(crate) fn bytes(&self) -> usize {
        self.paged_out.map_or(self.text.len() + self.reasoning.len(), |out| out.bytes)
    }

    /// About how many tokens its text has.
    pub(crate) fn tokens(&self) -> u64 {
        self.paged_out.map_or_else(|| tokens(&self.text), |out| out.tokens)
    }

    /// Keeps a short form in place of its text, where the file has it.
    pub(in crate::engine) fn page_out(&mut self) {
        if self.paged_out.is_some() || self.entry.is_none() {
            return;
        }
        self.paged_out = Some(PagedOut { bytes: self.bytes(), tokens: self.tokens(), load: LoadState::Away });
        self.text = shortened(&self.text, KEPT);
        self.reasoning = String::new();
    }
}

impl Transcript {
    /// The replies from this item on that are not in memory: the place of each among the items, and which entry of the file
    /// it is.
    pub(crate) fn paged_out(&self, from: usize) -> impl Iterator<Item = (usize, u64)> {
        self.items.iter().enumerate().skip(from).filter_map(|(at, item)| match item {
            Item::Reply(reply) => reply.paged_out.and(reply.entry).map(|entry| (at, entry)),
            _ => None,
        })
    }

    /// Whether a reply that would be told to the model is not in memory.
    pub(in crate::engine) fn is_told_in_part(&self) -> bool {
        self.paged_out(self.summary().map_or(0, |summary| summary.upto)).next().is_some()
    }

    /// Takes the text of a reply in again. Gives its bytes; `None`: that entry is not this reply.
    pub(crate) fn page_in(&mut self, item: usize, entry: Entry) -> Option<usize> {
        let (Item::Reply(reply), Entry::Reply { step, text, reasoning, .. }) =
            (self.items.get_mut(item)?, entry)
        else {
            return None;
        };
        if step != reply.step {
            return None;
        }
        (reply.text, reply.reasoning, reply.paged_out) = (text, reasoning, None);
        Some(reply.bytes())
    }
}

/// A transcript that is put together while its file is read, and keeps the newest of the long replies.
#[derive(Debug, Default)]
pub(crate) struct PagedTranscript {
    transcript: Transcript,
    /// Entries so far.
    entries: u64,
    /// The places of long replies that stay so far, the oldest first, and their bytes together.
    newest: VecDeque<usize>,
    bytes: usize,
}

impl PagedTranscript {
    /// The last of what was put in is a long reply, which the file has as this entry.
    fn reply(&mut self, entry: u64) {
        let place = self.transcript.items.len().saturating_sub(1);
        let Some(Item::Reply(reply)) = self.transcript.items.last_mut() else { return };
        reply.entry = Some(entry);
        self.newest.push_back(place);
        self.bytes += reply.bytes();
        while self.bytes > NEWEST && self.newest.len() > 1 {
            let Some(Item::Reply(oldest)) =
                self.newest.pop_front().and_then(|place| self.transcript.items.get_mut(place))
            else {
                return;
            };
            self.bytes = self.bytes.saturating_sub(oldest.bytes());
            oldest.page_out();
        }
    }
}

impl Extend<(Timestamp, Entry)> for PagedTranscript {
    fn extend<I: IntoIterator<Item = (Timestamp, Entry)>>(&mut self, entries: I) {
        for (at, entry) in entries {
            let is_long = entry.is_long_reply();
            self.transcript.apply(entry, at);
            if is_long {
                self.reply(self.entries);
            }
            self.entries += 1;
        }
    }
}

impl From<PagedTranscript> for Transcript {
    fn from(paged: PagedTranscript) -> Self {
        paged.transcript
    }
}
