//! Finds the text at the place at which a session was opened, and whether it contains the words that were
//! searched for.

use super::setup::FoundLocation;
use crate::domain::BlockKind;
use crate::driver::{LocationKind, SearchWords, SessionLocation};
use crate::engine::State;
use crate::engine::transcript::{BlockItem, Body, Item, LoadState};
use crate::text::escapes::without_escapes;

pub(super) struct PlaceText {
    pub(super) head: String,
    /// Empty while it is not loaded.
    pub(super) text: String,
    /// The names of the files that belong to it.
    files: Vec<String>,
    /// The part that has to be loaded before the text is complete.
    pub(super) unloaded: Option<(Body, LoadState)>,
}

impl PlaceText {
    /// Returns `None` if the session has no such place.
    pub(super) fn at(state: &State, place: SessionLocation) -> Option<Self> {
        if let Some(block) = place.block {
            return Some(Self::of_block(state.transcript.blocks.get(&block)?, place));
        }
        let mut messages = state.transcript.items.iter().enumerate().filter_map(|(at, item)| match item {
            Item::Prompt { text, files, .. } => Some((at, &**text, &**files)),
            Item::Reply(reply) => Some((at, reply.text(), &[][..])),
            _ => None,
        });
        let before = usize::try_from(place.message).ok()?.checked_sub(1)?;
        let (at, text, files) = messages.nth(before)?;
        let away = state.transcript.message_away(at).map(|(_, out)| (Body::Message(at), out.load));
        let head = format!("message {}, a {place}", place.message);
        let files = files.iter().map(|file| file.path.clone()).collect();
        let text = if is_coming(away.as_ref()) { String::new() } else { text.to_owned() };
        Some(Self { head, text, files, unloaded: away })
    }

    fn of_block(item: &BlockItem, place: SessionLocation) -> Self {
        let ran = item.runs.iter().rev().find_map(|run| Some((run, &run.ended.as_ref()?.1)));
        let files = ran.iter().flat_map(|(_, report)| &report.receipt.files).map(|file| file.path.clone());
        let loaded = match &item.block.kind {
            BlockKind::Load { path } => Some(path),
            _ => None,
        };
        let files = item.block.kind.writes().chain(loaded).cloned().chain(files).collect();
        let (text, unloaded) = match (place.kind, ran) {
            (LocationKind::Output, Some((run, report))) => {
                let away = run.unloaded_output().map(|(_, away)| (Body::Output(run.run), away.load));
                let text = if is_coming(away.as_ref()) {
                    String::new()
                } else {
                    without_escapes(&report.printed()).into_owned()
                };
                (text, away)
            }
            (LocationKind::Output, None) => (String::new(), None),
            _ => (item.block.current().source.to_string(), None),
        };
        Self { head: place.to_string(), text, files, unloaded }
    }

    fn contains(&self, words: &SearchWords) -> bool {
        let mut texts = std::iter::once(&self.text).chain(&self.files);
        words.is_empty() || texts.any(|text| words.first_in(text).is_some())
    }
}

/// Whether the text is still to be loaded; it is not searched before.
fn is_coming(away: Option<&(Body, LoadState)>) -> bool {
    away.is_some_and(|(_, load)| matches!(load, LoadState::Away | LoadState::Loading))
}

/// Whether the place, and the words searched for, were found.
pub(super) enum PlaceSearch {
    Found,
    /// Not known before the rest of the text is loaded.
    Away,
    /// Something is missing; this is the text for the person.
    Missing(String),
}

impl PlaceSearch {
    /// Checks the text at the place; `None`: the session has no such place.
    pub(super) fn of(there: Option<&PlaceText>, found: &FoundLocation) -> Self {
        let SessionLocation { block, message, kind } = found.place;
        let Some(there) = there else {
            return Self::Missing(match block {
                Some(block) => format!("There is no block {block} in this session."),
                None => format!("There is no message {message} in this session."),
            });
        };
        match (&there.unloaded, block) {
            (Some(_), _) if is_coming(there.unloaded.as_ref()) => Self::Away,
            // The part that can't be read may contain the words.
            (Some(_), _) => Self::Found,
            (None, Some(block)) if kind == LocationKind::Output && there.text.is_empty() => {
                Self::Missing(format!("Block {block} has no output."))
            }
            (None, _) if !there.contains(&SearchWords::read(&found.words)) => {
                Self::Missing(format!("Not found in {}: {}", there.head, found.words.trim()))
            }
            (None, _) => Self::Found,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::BlockId;

    #[test]
    fn what_is_missing_is_told_once_all_of_it_is_there() {
        let told = |kind: LocationKind, block: Option<u32>, there: Option<(&str, Option<LoadState>)>| {
            let place = SessionLocation { block: block.map(BlockId), message: 1, kind };
            let there = there.map(|(text, load)| PlaceText {
                head: "message 1".into(),
                text: text.into(),
                files: vec!["plan.md".into()],
                unloaded: load.map(|load| (Body::Message(0), load)),
            });
            match PlaceSearch::of(there.as_ref(), &FoundLocation { place, words: "notes words".into() }) {
                PlaceSearch::Found => "found".to_owned(),
                PlaceSearch::Away => "away".into(),
                PlaceSearch::Missing(told) => told,
            }
        };
        let prompt = |text, load| told(LocationKind::Prompt, None, Some((text, load)));
        assert_eq!(prompt("", Some(LoadState::Away)), "away");
        assert_eq!(prompt("", Some(LoadState::Loading)), "away");
        assert_eq!(prompt("all but", Some(LoadState::Lost)), "found");
        assert_eq!(prompt("these words of notes", None), "found");
        assert_eq!(prompt("none", None), "Not found in message 1: notes words");
        assert_eq!(told(LocationKind::Output, Some(2), Some(("", None))), "Block 2 has no output.");
        assert_eq!(told(LocationKind::Prompt, None, None), "There is no message 1 in this session.");
        assert_eq!(told(LocationKind::Output, Some(2), None), "There is no block 2 in this session.");
    }
}
