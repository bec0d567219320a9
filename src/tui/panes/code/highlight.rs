//! The colours of code lines, as last received from the highlighter on its worker. Lines that changed since are plain
//! until it answers: a colour is never shown on a text that it was not made for.

use super::doc::LineStyles;
use super::subject::{PaneSubject, subject};
use super::{CodePane, Mode};
use crate::domain::Language;
use crate::engine::State;
use std::hash::{DefaultHasher, Hasher as _};
use std::sync::Arc;

/// A text to be highlighted.
pub struct ColourRequest<'a> {
    /// The same for all states of a growing or edited text.
    pub(crate) key: u64,
    /// Differs for each state of that text.
    pub(crate) fingerprint: u64,
    pub(crate) language: String,
    pub text: SourceText<'a>,
}

/// A reference to a text, which is only joined when it is needed.
pub enum SourceText<'a> {
    /// The text; while it grows, only its complete lines.
    Whole(&'a str),
    /// Lines without line ends.
    Lines(&'a [String]),
}

impl SourceText<'_> {
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            SourceText::Whole(text) => text.is_empty(),
            SourceText::Lines(lines) => lines.len() < 2 && lines.iter().all(String::is_empty),
        }
    }

    /// The whole text.
    pub fn whole(&self) -> Arc<str> {
        match self {
            SourceText::Whole(text) => Arc::from(*text),
            SourceText::Lines(lines) => lines.join("\n").into(),
        }
    }
}

impl CodePane {
    /// The code that the pane shows, if it has a language. The cost does not depend on the length of the code.
    pub fn wants_colours<'a>(&'a self, state: &'a State) -> Option<ColourRequest<'a>> {
        let (key, fingerprint, language, text): (u64, u64, Option<&Language>, SourceText<'a>) =
            match (subject(self, state), &self.mode) {
                (PaneSubject::Block(item), Mode::Edit(editor)) => {
                    let fingerprint = key_of(&(editor.revision, editor.generation()));
                    let language = item.block.current().language.as_ref();
                    (
                        key_of(&("edited", item.block.id)),
                        fingerprint,
                        language,
                        SourceText::Lines(editor.field.lines()),
                    )
                }
                (PaneSubject::Writing(id, proposed), _) => {
                    let end = proposed.source.rfind('\n').map_or(0, |at| at + 1);
                    let whole = if proposed.closed { proposed.source.len() } else { end };
                    let text = proposed.source.get(..whole).unwrap_or_default();
                    // The text only grows, so its length identifies it.
                    let fingerprint = key_of(&whole);
                    (
                        key_of(&("written", id)),
                        fingerprint,
                        proposed.language.as_ref(),
                        SourceText::Whole(text),
                    )
                }
                (PaneSubject::Block(item), _) => {
                    let version = item.block.current();
                    let key = key_of(&("shown", item.block.id, version.revision));
                    (key, 0, version.language.as_ref(), SourceText::Whole(&version.source))
                }
                (PaneSubject::Nothing, _) => return None,
            };
        Some(ColourRequest { key, fingerprint, language: language?.as_str().to_owned(), text })
    }
}

fn key_of(what: &impl std::hash::Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

/// The colours of a text, line by line.
#[derive(Debug, Default)]
pub struct Colours {
    lines: Vec<(u64, LineStyles)>,
    /// Whether colours arrived since the pane last took notice of it.
    pub(super) are_new: bool,
}

impl Colours {
    /// The colours of a line, if they were made for this text.
    pub fn for_line(&self, line: usize, text: &str) -> Option<LineStyles> {
        self.lines.get(line).filter(|(hash, _)| *hash == key_of(&text)).map(|(_, styles)| styles.clone())
    }

    /// Sets the colours of the lines from `first` on. After them follow the present colours from line `goes_on` on;
    /// without it, the lines after them have none.
    pub(crate) fn set<'a>(
        &mut self,
        first: usize,
        lines: impl IntoIterator<Item = (&'a str, LineStyles)>,
        goes_on: Option<usize>,
    ) {
        self.are_new = true;
        let end = goes_on.unwrap_or(self.lines.len()).max(first);
        if self.lines.len() < end {
            self.lines.resize_with(end, Default::default);
        }
        let lines = lines.into_iter().map(|(text, styles)| (key_of(&text), styles));
        self.lines.splice(first..end, lines);
    }
}
