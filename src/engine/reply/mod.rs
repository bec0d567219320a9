//! A streamed reply, taken apart into prose and blocks.

use crate::domain::{Dialect, Language};
use std::ops::Range;

/// A stretch of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// Markdown that is only shown; the range points into the reply's text.
    Prose(Range<usize>),
    /// Something that could be run.
    Block(Proposed),
}

/// A block as it stands in a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposed {
    /// The dialect it is written in.
    pub dialect: Dialect,
    /// The info string, as written.
    pub info: String,
    /// Its language; `None`: the fence named none.
    pub language: Option<Language>,
    /// Its text: the exact bytes that would run.
    pub source: String,
    /// The bytes of the whole block in the reply's text.
    pub range: Range<usize>,
    /// Lines in the reply's text, from 1: its first and its last.
    pub lines: (u32, u32),
    /// Whether its end was seen.
    pub closed: bool,
}
