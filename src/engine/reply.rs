//! A streamed reply, taken apart into prose and blocks.
//!
//! Segments tile the text: each byte belongs to exactly one, in order. A fence is what CommonMark says it is (the
//! Markdown parser decides, also in lists and quotes), but that of an edit ends behind its edit; an `<execute>` tag counts where Markdown lets HTML stand. What
//! is not to be run is prose. Whether a block may run is not decided here.
//!
//! When the reply is whole, [`reread`] looks once more at what a model may have meant by it: calls printed as text
//! (`printed`, `json`) and edits that stand in no fence (`unfenced`), both found by `outside`, prompts in front of code (`prompts`), words for languages that are a little off. What it makes of
//! them waits like every other block, and says how it was read. `call` reads the arguments of tool calls, `think` takes
//! printed thinking out of the text before anything else sees it.

pub(crate) mod call;
mod edit_fence;
mod edits;
mod info;
mod json;
mod markdown;
mod outside;
mod parser;
mod printed;
mod prompts;
mod reread;
mod tag;
pub(crate) mod think;
mod tiling;
mod unfenced;

pub use parser::Parser;
pub use reread::reread;

use crate::domain::{BlockKind, Dialect, Language, Languages};
use std::ops::Range;

/// A stretch of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// Markdown that is only shown; the range points into the reply's text.
    Prose(Range<usize>),
    /// Something that could be run.
    Block(Proposal),
}

impl Segment {
    /// Its bytes in the reply's text.
    pub(crate) fn range(&self) -> &Range<usize> {
        match self {
            Segment::Prose(range) => range,
            Segment::Block(block) => &block.range,
        }
    }
}

/// A block as it stands in a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The dialect it is written in.
    pub(crate) dialect: Dialect,
    /// The info string of the fence (escapes resolved), or the attributes of the tag.
    pub(crate) info: String,
    /// What it is, where it is more than code: an act on a file, a call of a function. `None`: it is code.
    pub file: Option<BlockKind>,
    /// Its language; `None`: the fence named none. Of a file that would be written, what it is coloured as.
    pub(crate) language: Option<Language>,
    /// Its text: the exact bytes that would run. Line ends are those of the reply.
    pub source: String,
    /// The bytes of the whole block in the reply's text, to behind the line end of a closing fence.
    pub(crate) range: Range<usize>,
    /// Lines in the reply's text, from 1: its first and its last.
    pub(crate) lines: (u32, u32),
    /// Whether its end was seen: its closing fence or tag. A fence that only ends with its quote or list item was not
    /// closed by the model.
    pub closed: bool,
    /// How it was read, where that took more than reading. One line.
    pub(crate) note: Option<String>,
}

impl Proposal {
    /// Adds to what is told of how it was read.
    pub(super) fn remark(&mut self, text: &str) {
        match &mut self.note {
            Some(note) => {
                note.push_str("; ");
                note.push_str(text);
            }
            None => self.note = Some(text.to_owned()),
        }
    }

    /// What kind of block it makes.
    pub fn kind(&self) -> BlockKind {
        self.file.clone().unwrap_or_else(|| BlockKind::Code { language: self.language.clone() })
    }
}

/// Whether sayso itself has a tool of this name.
pub(crate) fn is_tool(name: &str) -> bool {
    call::is_known(name)
}

/// Takes a whole reply apart. `complete` tells whether the model said all that it wanted to say.
pub fn parse(text: &str, dialect: Dialect, languages: &Languages, complete: bool) -> Vec<Segment> {
    let mut parser = Parser::new(dialect, languages);
    parser.push(text);
    parser.finish(complete).1
}

#[cfg(test)]
mod tests;
