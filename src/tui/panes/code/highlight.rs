//! Colours of code lines, as the highlighter on its worker told them last. Lines that changed since are plain until
//! it answers: a colour never sits on a text that it was not made for.

use super::doc::LineStyles;
use super::subject::{PaneSubject, subject};
use super::{CodePane, Mode};
use crate::domain::Language;
use crate::engine::State;
use std::hash::{DefaultHasher, Hasher as _};
use std::sync::Arc;

/// A text whose colours are wanted.
pub struct ColourRequest<'a> {
    /// The same for a text that only grew, or is being edited.
    pub(crate) key: u64,
    /// Another one for each text of that key.
    pub(crate) print: u64,
    pub(crate) language: String,
    pub text: SourceText<'a>,
}

/// Where a text stands; it is put together only where it is asked for.
pub enum SourceText<'a> {
    /// The text; while it grows, its whole lines.
    Whole(&'a str),
    /// Lines without their ends.
    Lines(&'a [String]),
}

impl SourceText<'_> {
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            SourceText::Whole(text) => text.is_empty(),
            SourceText::Lines(lines) => lines.len() < 2 && lines.iter().all(String::is_empty),
        }
    }

    /// All of it.
    pub fn whole(&self) -> Arc<str> {
        match self {
            SourceText::Whole(text) => Arc::from(*text),
            SourceText::Lines(lines) => lines.join("\n").into(),
        }
    }
}

impl CodePane {
    /// The code that the pane shows, if it is in a language. That costs the same however long the code is.
    pub fn wants_colours<'a>(&'a self, state: &'a State) -> Option<ColourRequest<'a>> {
        let (key, print, language, text): (u64, u64, Option<&Language>, SourceText<'a>) =
            match (subject(self, state), &self.mode) {
                (PaneSubject::Block(item), Mode::Edit(editor)) => {
                    let print = key_of(&(editor.revision(), editor.generation()));
                    let language = item.block.current().language.as_ref();
                    (key_of(&(2, item.block.id)), print, language, SourceText::Lines(editor.field().rows()))
                }
                (PaneSubject::Writing(id, proposed), _) => {
                    let end = proposed.source.rfind('\n').map_or(0, |at| at + 1);
                    let whole = if proposed.closed { proposed.source.len() } else { end };
                    let text = proposed.source.get(..whole).unwrap_or_default();
                    // It only grows.
                    let print = key_of(&whole);
                    (key_of(&(1, id)), print, proposed.language.as_ref(), SourceText::Whole(text))
                }
                (PaneSubject::Block(item), _) => {
                    let version = item.block.current();
                    let key = key_of(&(0, item.block.id, version.revision));
                    (key, 0, version.language.as_ref(), SourceText::Whole(&version.source))
                }
                (PaneSubject::Nothing, _) => return None,
            };
        Some(ColourRequest { key, print, language: language?.as_str().to_owned(), text })
    }
}

fn key_of(what: &impl std::hash::Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

/// Colours of one text.
#[derive(Debug, Default)]
pub struct Colours {
    lines: Vec<(u64, LineStyles)>,
    /// Whether more was told since it was last asked.
    news: bool,
}

impl Colours {
    /// The colours of a line, if they were made for this text.
    pub fn for_line(&self, line: usize, text: &str) -> Option<LineStyles> {
        self.lines.get(line).filter(|(hash, _)| *hash == fingerprint(text)).map(|(_, styles)| styles.clone())
    }

    /// Takes colours for the lines from `first` on. Behind them go on the lines that had colours from `goes_on` on; where
    /// that is none, what is behind them has none.
    pub(crate) fn set<'a>(
        &mut self,
        first: usize,
        lines: impl IntoIterator<Item = (&'a str, LineStyles)>,
        goes_on: Option<usize>,
    ) {
        self.news = true;
        let end = goes_on.unwrap_or(self.lines.len()).max(first);
        if self.lines.len() < end {
            self.lines.resize_with(end, Default::default);
        }
        let lines = lines.into_iter().map(|(text, styles)| (fingerprint(text), styles));
        self.lines.splice(first..end, lines);
    }

    /// Whether colours came since the last time that this was asked.
    pub(super) fn take_news(&mut self) -> bool {
        std::mem::take(&mut self.news)
    }
}

fn fingerprint(text: &str) -> u64 {
    key_of(&text)
}
