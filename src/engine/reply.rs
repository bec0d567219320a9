//! Splits a streamed reply into prose and blocks.
//!
//! Segments tile the text: each byte belongs to exactly one, in order. A fence is what CommonMark calls one (the
//! Markdown parser decides, also in lists and quotes), but the fence around an edit ends after its edit. An `<execute>`
//! tag counts where Markdown allows HTML. Everything that is not to be run is prose. Whether a block may run is not
//! decided here.
//!
//! When the reply is complete, [`reread`] checks it again for what the model may have meant as a block: calls printed
//! as text (`printed_calls`, `json`) and edits outside of fences (`unfenced_edits`), both found by `outside`; code
//! behind prompts (`prompts`); and language names that are slightly wrong (`info`). Blocks made from these wait like
//! every other block, with a note on how they were read. `call` reads the arguments of tool calls; `think` removes
//! printed thinking from the text before anything else sees it.

pub(crate) mod call;
mod edit_fence;
mod edits;
mod info;
pub(super) mod json;
mod markdown;
mod outside;
mod parser;
mod printed_calls;
mod prompts;
mod reread;
mod tag;
pub(crate) mod think;
mod tiling;
mod unfenced_edits;

pub use parser::Parser;
pub use reread::reread;

use crate::domain::{BlockKind, Dialect, Language, Languages};
use std::ops::Range;

/// A part of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// Markdown that is only shown; the range points into the reply's text.
    Prose(Range<usize>),
    /// Something that could be run.
    Block(Proposal),
}

impl Segment {
    /// Its byte range in the reply's text.
    pub(crate) fn range(&self) -> &Range<usize> {
        match self {
            Segment::Prose(range) => range,
            Segment::Block(block) => &block.range,
        }
    }
}

/// A block in a reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proposal {
    /// The dialect it is written in.
    pub(crate) dialect: Dialect,
    /// The info string of the fence (escapes resolved), or the attributes of the tag.
    pub(crate) info: String,
    /// What it is if not plain code: an action on a file, or a call of a function. `None`: it is code.
    pub special_kind: Option<BlockKind>,
    /// Its language; `None`: the fence named none. For a file to be written, the language for highlighting.
    pub(crate) language: Option<Language>,
    /// Its text: the exact bytes that would run, with the line ends of the reply.
    pub source: String,
    /// The byte range of the whole block in the reply's text, including the line end after the closing fence.
    pub(crate) range: Range<usize>,
    /// Its first and last line in the reply's text, from 1.
    pub(crate) lines: (u32, u32),
    /// Whether the model closed it with a fence or tag. A fence that only ends with its quote or list item was not
    /// closed.
    pub closed: bool,
    /// Whether it counts as not closed because a fence inside of a fence tore the text that it is in.
    pub(crate) torn: bool,
    /// How it was interpreted, if it was not plainly a block. One line.
    pub(crate) note: Option<String>,
}

impl Proposal {
    /// Adds to the note.
    pub(super) fn remark(&mut self, text: &str) {
        match &mut self.note {
            Some(note) => {
                note.push_str("; ");
                note.push_str(text);
            }
            None => self.note = Some(text.to_owned()),
        }
    }

    /// The kind of block that it becomes.
    pub fn kind(&self) -> BlockKind {
        self.special_kind.clone().unwrap_or_else(|| BlockKind::Code { language: self.language.clone() })
    }
}

/// Splits a whole reply. `complete`: whether the model finished its reply.
pub fn parse(text: &str, dialect: Dialect, languages: &Languages, complete: bool) -> Vec<Segment> {
    let mut parser = Parser::new(dialect, languages);
    parser.push(text);
    parser.finish(complete).1
}

#[cfg(test)]
mod tests;
