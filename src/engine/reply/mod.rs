//! A streamed reply, taken apart into prose and blocks.
//!
//! Segments tile the text: each byte belongs to exactly one, in order. A fence is what CommonMark says it is (the
//! Markdown parser decides, also in lists and quotes); an `<execute>` tag counts where Markdown lets HTML stand. What
//! is not to be run is prose. Whether a block may run is not decided here.

mod info;
mod markdown;
mod parser;
mod tag;

pub use parser::Parser;

use crate::domain::{Dialect, Language, Languages};
use std::ops::Range;

/// A stretch of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// Markdown that is only shown; the range points into the reply's text.
    Prose(Range<usize>),
    /// Something that could be run.
    Block(Proposed),
}

impl Segment {
    /// Its bytes in the reply's text.
    pub fn range(&self) -> &Range<usize> {
        match self {
            Segment::Prose(range) => range,
            Segment::Block(block) => &block.range,
        }
    }
}

/// A block as it stands in a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposed {
    /// The dialect it is written in.
    pub dialect: Dialect,
    /// The info string of the fence (escapes resolved), or the attributes of the tag.
    pub info: String,
    /// Its language; `None`: the fence named none.
    pub language: Option<Language>,
    /// Its text: the exact bytes that would run. Line ends are those of the reply.
    pub source: String,
    /// The bytes of the whole block in the reply's text, to behind the line end of a closing fence.
    pub range: Range<usize>,
    /// Lines in the reply's text, from 1: its first and its last.
    pub lines: (u32, u32),
    /// Whether its end was seen: its closing fence or tag. A fence that only ends with its quote or list item was not
    /// closed by the model.
    pub closed: bool,
}

/// Takes a whole reply apart. `complete` tells whether the model said all that it wanted to say.
pub fn parse(text: &str, dialect: Dialect, languages: &Languages, complete: bool) -> Vec<Segment> {
    let mut parser = Parser::new(dialect, languages);
    parser.push(text);
    parser.finish(complete).1
}

#[cfg(test)]
mod tests;
