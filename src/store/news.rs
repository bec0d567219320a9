//! Queues reports for the person on what was masked in what was written: what and where, never the value.

use crate::domain::Entry;
use crate::domain::sentences::saving;
use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Sentences that wait to be shown. Cheap to clone; each sentence is returned once.
#[derive(Clone, Debug, Default)]
pub(super) struct MaskReports(Arc<NewsInner>);

#[derive(Debug, Default)]
struct NewsInner {
    waiting: Mutex<(VecDeque<String>, BTreeSet<String>)>,
    bell: Notify,
}

impl MaskReports {
    /// Adds a sentence, unless it was added before.
    pub(super) fn add(&self, sentence: String) {
        let mut waiting = self.waiting();
        if waiting.1.insert(sentence.clone()) {
            waiting.0.push_back(sentence);
            self.0.bell.notify_one();
        }
    }

    /// Waits for the next sentence. Cancel-safe.
    pub(super) async fn next(&self) -> String {
        loop {
            let next = self.waiting().0.pop_front();
            match next {
                Some(sentence) => return sentence,
                None => self.0.bell.notified().await,
            }
        }
    }

    pub(super) fn take(&self) -> Vec<String> {
        self.waiting().0.drain(..).collect()
    }

    fn waiting(&self) -> MutexGuard<'_, (VecDeque<String>, BTreeSet<String>)> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Says what was masked and where: `A GitHub token in your prompt was masked when it was saved.`
pub(super) fn masked_message(entry: &Entry, kinds: &BTreeSet<&'static str>) -> String {
    let place = match entry {
        Entry::Block(block) => {
            format!("block {}, which can't be run any more once the session was closed", block.id)
        }
        other => place_name(other),
    };
    let kinds: Vec<&str> = kinds.iter().copied().collect();
    saving::masked_in(&kinds, &place)
}

/// Describes where the text of an entry comes from.
pub(super) fn place_name(entry: &Entry) -> String {
    match entry {
        Entry::Prompt(_) => "your prompt".into(),
        Entry::Reply { .. } => "a reply".into(),
        Entry::Block(block) => format!("block {}", block.id),
        Entry::Edited { block, .. } => format!("your text of block {block}"),
        Entry::Placed { block, .. } => format!("the text of block {block}"),
        Entry::Ran { block, .. } => format!("the output of block {block}"),
        Entry::Renamed(_) => "the name of the session".into(),
        _ => "the session".into(),
    }
}
