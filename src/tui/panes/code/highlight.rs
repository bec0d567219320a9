//! Colours of code lines, as the highlighter on its worker told them last. Lines that changed since are plain until
//! it answers: a colour never sits on a text that it was not made for.

use super::doc::LineStyles;
use super::shown::{PaneSubject, shown};
use super::{CodePane, Mode};
use crate::domain::Language;
use crate::engine::State;
use std::borrow::Cow;
use std::hash::{DefaultHasher, Hasher as _};

/// A text whose colours are wanted.
pub struct ColourRequest<'a> {
    /// The same for a text that only grew.
    pub key: u64,
    pub language: String,
    /// The text; while it grows, its whole lines.
    pub text: Cow<'a, str>,
}

impl ColourRequest<'_> {
    /// The same for the same text only.
    pub fn fingerprint(&self) -> u64 {
        key_of(&self.text)
    }
}

impl CodePane {
    /// The code that the pane shows, if it is in a language.
    pub fn wants_colours<'a>(&'a self, state: &'a State) -> Option<ColourRequest<'a>> {
        let (key, language, text): (u64, Option<&Language>, Cow<'a, str>) =
            match (shown(self, state), &self.mode) {
                (PaneSubject::Block(item), Mode::Edit(editor)) => {
                    let text = editor.field().rows().join("\n");
                    (key_of(&(2, item.block.id)), item.block.current().language.as_ref(), text.into())
                }
                (PaneSubject::Writing(id, proposed), _) => {
                    let end = proposed.source.rfind('\n').map_or(0, |at| at + 1);
                    let whole = if proposed.closed { proposed.source.len() } else { end };
                    let text = proposed.source.get(..whole).unwrap_or_default();
                    (key_of(&(1, id)), proposed.language.as_ref(), text.into())
                }
                (PaneSubject::Block(item), _) => {
                    let version = item.block.current();
                    (
                        key_of(&(0, item.block.id, version.revision)),
                        version.language.as_ref(),
                        version.source.as_ref().into(),
                    )
                }
                (PaneSubject::Nothing, _) => return None,
            };
        Some(ColourRequest { key, language: language?.as_str().to_owned(), text })
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

    /// Takes colours for the lines from `first` on.
    pub fn set<'a>(&mut self, first: usize, lines: impl IntoIterator<Item = (&'a str, LineStyles)>) {
        self.news = true;
        self.lines.truncate(first);
        self.lines.resize_with(first, Default::default);
        self.lines.extend(lines.into_iter().map(|(text, styles)| (fingerprint(text), styles)));
    }

    /// Whether colours came since the last time that this was asked.
    pub(super) fn take_news(&mut self) -> bool {
        std::mem::take(&mut self.news)
    }

    pub fn clear(&mut self) {
        self.lines.clear();
    }
}

fn fingerprint(text: &str) -> u64 {
    key_of(&text)
}
