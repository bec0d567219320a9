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

/// Stand-in until the parser arrives: one fence a block, parsed from the start each time.
#[derive(Debug)]
pub struct Parser {
    text: String,
    segments: Vec<Segment>,
    dialect: Dialect,
    languages: crate::domain::Languages,
}

impl Parser {
    /// A parser for one reply.
    pub fn new(dialect: Dialect, languages: &crate::domain::Languages) -> Self {
        Self { text: String::new(), segments: Vec::new(), dialect, languages: languages.clone() }
    }

    /// Takes a piece of the reply.
    pub fn push(&mut self, delta: &str) {
        self.text.push_str(delta);
        self.segments = parse(&self.text, self.dialect, &self.languages, false);
    }

    /// The segments so far.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The text so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The whole, parsed once.
    pub fn finish(self, complete: bool) -> Vec<Segment> {
        parse(&self.text, self.dialect, &self.languages, complete)
    }
}

/// Takes a whole reply apart.
pub fn parse(
    text: &str,
    dialect: Dialect,
    languages: &crate::domain::Languages,
    complete: bool,
) -> Vec<Segment> {
    let _ = complete;
    let mut segments = Vec::new();
    let mut open: Option<Proposed> = None;
    let (mut at, mut prose, mut line) = (0, 0, 0);
    for piece in text.split_inclusive('\n') {
        line += 1;
        let end = at + piece.len();
        let trimmed = piece.trim_end();
        match &mut open {
            Some(block) if trimmed == "```" => {
                block.closed = true;
                block.range.end = end;
                block.lines.1 = line;
                segments.extend(open.take().map(Segment::Block));
                prose = end;
            }
            Some(block) => {
                block.source.push_str(piece);
                block.range.end = end;
                block.lines.1 = line;
            }
            None => {
                if let Some(info) = trimmed.strip_prefix("```") {
                    let language = languages.find(info).map(|l| l.name.clone());
                    if info.is_empty() || language.is_some() {
                        if prose < at {
                            segments.push(Segment::Prose(prose..at));
                        }
                        open = Some(Proposed {
                            dialect,
                            info: info.into(),
                            language,
                            source: String::new(),
                            range: at..end,
                            lines: (line, line),
                            closed: false,
                        });
                    }
                }
            }
        }
        at = end;
    }
    match open {
        Some(block) => segments.push(Segment::Block(block)),
        None if prose < at => segments.push(Segment::Prose(prose..at)),
        None => {}
    }
    segments
}
