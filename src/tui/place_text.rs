//! What stands at a place of a session that one was opened at, and whether the words that were looked for stand there.

use super::setup::FoundPlace;
use crate::domain::BlockKind;
use crate::driver::{PlaceKind, SearchWords, SessionPlace};
use crate::engine::State;
use crate::engine::transcript::{BlockItem, Body, Item, LoadState};
use crate::text::escapes::without_escapes;

/// What stands at a place of a session.
pub(super) struct PlaceText {
    /// What it is.
    pub(super) head: String,
    pub(super) text: String,
    /// The names of files that belong to it.
    files: Vec<String>,
    /// What has to be loaded for the whole of it.
    pub(super) away: Option<(Body, LoadState)>,
}

impl PlaceText {
    /// `None`: the session has no such place.
    pub(super) fn at(state: &State, place: SessionPlace) -> Option<Self> {
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
        Some(Self { head, text: text.to_owned(), files, away })
    }

    fn of_block(item: &BlockItem, place: SessionPlace) -> Self {
        let head = place.to_string();
        let ran = item.runs.iter().rev().find_map(|run| Some((run, &run.ended.as_ref()?.1)));
        let files = ran.iter().flat_map(|(_, report)| &report.receipt.files).map(|file| file.path.clone());
        let loaded = match &item.block.kind {
            BlockKind::Load { path } => Some(path),
            _ => None,
        };
        let files = item.block.kind.writes().chain(loaded).cloned().chain(files).collect();
        match (place.kind, ran) {
            (PlaceKind::Output, Some((run, report))) => {
                let away = run.away().map(|(_, away)| (Body::Output(run.run), away.load));
                Self { head, text: without_escapes(&report.printed()).into_owned(), files, away }
            }
            (PlaceKind::Output, None) => Self { head, text: String::new(), files, away: None },
            _ => Self { head, text: item.block.current().source.to_string(), files, away: None },
        }
    }

    fn holds(&self, words: &SearchWords) -> bool {
        let mut texts = std::iter::once(&self.text).chain(&self.files);
        words.is_empty() || texts.any(|text| words.first_in(text).is_some())
    }
}

/// What is told where a place, or what was looked for at it, is not there.
pub(super) enum PlaceNews {
    /// All is there.
    Found,
    /// It is known once this was loaded.
    Away,
    /// In these words.
    Missing(String),
}

impl PlaceNews {
    /// Of a place of this session.
    pub(super) fn of(state: &State, found: &FoundPlace) -> Self {
        let SessionPlace { block, message, kind } = found.place;
        let words = SearchWords::read(&found.words);
        let Some(there) = PlaceText::at(state, found.place) else {
            return Self::Missing(match block {
                Some(block) => format!("There is no block {block} in this session."),
                None => format!("There is no message {message} in this session."),
            });
        };
        match (there.away.as_ref().map(|(_, load)| *load), block) {
            (Some(LoadState::Away | LoadState::Loading), _) if !there.holds(&words) => Self::Away,
            // What can't be read again may hold it.
            (Some(_), _) => Self::Found,
            (None, Some(block)) if kind == PlaceKind::Output && there.text.is_empty() => {
                Self::Missing(format!("Block {block} has no output."))
            }
            (None, _) if !there.holds(&words) => {
                Self::Missing(format!("Not found in {}: {}", there.head, found.words.trim()))
            }
            (None, _) => Self::Found,
        }
    }
}
