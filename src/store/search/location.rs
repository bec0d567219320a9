//! Extracts the searchable texts of an entry, and names the places in a session where they are. Pure.

use crate::domain::word::words;
use crate::domain::{BlockId, BlockKind, Entry};
use crate::text::escapes::without_escapes;
use std::fmt;
use std::str::FromStr;
use strum::VariantArray as _;

/// The most bytes of a text that are stored: half from its beginning, half from its end.
pub(super) const MAX_TEXT_BYTES: usize = 64 << 10;

/// What kind of text it is. The numbers stand in databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum LocationKind {
    /// What the person said.
    Prompt = 0,
    /// What the model said.
    Reply = 1,
    /// The text of a block.
    Block = 2,
    /// What a run of a block printed, its value or its error.
    Output = 3,
    /// The names of files: attached to a message, written by a block, or changed by a run.
    File = 4,
    /// The name of the session.
    Name = 5,
}

words!(LocationKind);

impl LocationKind {
    /// Its number in the database.
    pub(super) fn number(self) -> i64 {
        self as i64
    }

    pub(super) fn of_number(number: i64) -> Option<Self> {
        Self::VARIANTS.iter().copied().find(|kind| kind.number() == number)
    }
}

/// A place in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionLocation {
    /// The kind of text.
    pub kind: LocationKind,
    /// The number of its block, if it belongs to one.
    pub block: Option<BlockId>,
    /// The number of the prompt or reply that it is or follows; the first is 1.
    pub message: u64,
}

impl fmt::Display for SessionLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind, self.block) {
            (LocationKind::Block, Some(block)) => write!(f, "block {block}"),
            (kind, Some(block)) => write!(f, "{} of block {block}", kind.as_str()),
            (kind, None) => f.write_str(kind.as_str()),
        }
    }
}

/// The text names no place in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a place: block:3, output:3 or message:2")]
pub struct LocationError;

/// Parses `block:3`, `output:3` or `message:2`.
impl FromStr for SessionLocation {
    type Err = LocationError;

    fn from_str(text: &str) -> Result<Self, LocationError> {
        let (what, number) = text.split_once(':').ok_or(LocationError)?;
        let number: u32 = number.trim().parse().map_err(|_| LocationError)?;
        let of_block = |kind| Self { kind, block: Some(BlockId(number)), message: 0 };
        match what.trim().to_lowercase().as_str() {
            "block" => Ok(of_block(LocationKind::Block)),
            "output" => Ok(of_block(LocationKind::Output)),
            "message" => Ok(Self { kind: LocationKind::Prompt, block: None, message: number.into() }),
            _ => Err(LocationError),
        }
    }
}

impl SessionLocation {
    /// The text to type to open a session at this place, which [`SessionLocation::from_str`] parses; `None` for the
    /// session's name.
    pub(crate) fn typed(self) -> Option<String> {
        match (self.kind, self.block) {
            (LocationKind::Name, _) => None,
            (LocationKind::Output, Some(block)) => Some(format!("output:{block}")),
            (_, Some(block)) => Some(format!("block:{block}")),
            (_, None) => Some(format!("message:{}", self.message)),
        }
    }
}

/// A searchable text of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) kind: LocationKind,
    pub(super) block: Option<u32>,
    pub(super) text: String,
}

/// What is stored about the block of a text.
#[derive(Clone, Copy, Debug)]
pub(super) enum BlockFact {
    Language,
    Outcome,
}

/// The texts of an entry; always the same for the same entry.
pub(super) fn pieces(entry: &Entry) -> Vec<Piece> {
    let mut all = Vec::new();
    let mut add = |kind, block, text: String| {
        if !text.trim().is_empty() {
            all.push(Piece { kind, block, text });
        }
    };
    match entry {
        Entry::Prompt(prompt) => {
            add(LocationKind::Prompt, None, prompt.text.clone());
            let files: Vec<&str> = prompt.files.iter().map(|file| file.path.as_str()).collect();
            add(LocationKind::File, None, files.join("\n"));
        }
        Entry::Reply { text, .. } => add(LocationKind::Reply, None, text.clone()),
        Entry::Block(block) => {
            let number = Some(block.id.0);
            add(LocationKind::Block, number, block.current().source.to_string());
            let files = match &block.kind {
                BlockKind::Edit { paths } => paths.join("\n"),
                BlockKind::Write { path } | BlockKind::Load { path } => path.clone(),
                _ => String::new(),
            };
            add(LocationKind::File, number, files);
        }
        Entry::Edited { block, source, .. } | Entry::Placed { block, source, .. } => {
            add(LocationKind::Block, Some(block.0), source.to_string());
        }
        Entry::Ran { block, report, .. } => {
            // Without escape codes, as it is shown: a colour is not part of the word after it.
            add(LocationKind::Output, Some(block.0), without_escapes(&report.printed()).into_owned());
            let files: Vec<&str> = report.receipt.files.iter().map(|file| file.path.as_str()).collect();
            add(LocationKind::File, Some(block.0), files.join("\n"));
        }
        _ => {}
    }
    all
}

/// What an entry says about an earlier block, or about its own.
pub(super) fn news(entry: &Entry) -> Option<(u32, BlockFact, &str)> {
    match entry {
        Entry::LanguageChosen { block, language, .. } => {
            Some((block.0, BlockFact::Language, language.as_str()))
        }
        Entry::Rejected { block, .. } => Some((block.0, BlockFact::Outcome, "rejected")),
        Entry::Skipped { block, .. } => Some((block.0, BlockFact::Outcome, "skipped")),
        Entry::Declined { block, .. } => Some((block.0, BlockFact::Outcome, "declined")),
        Entry::Ran { block, report, .. } => Some((block.0, BlockFact::Outcome, report.outcome.as_str())),
        _ => None,
    }
}

/// Shortens a text that is too long to its beginning and its end.
pub(super) fn bounded(text: String) -> String {
    if text.len() <= MAX_TEXT_BYTES {
        return text;
    }
    let head = text.get(..text.floor_char_boundary(MAX_TEXT_BYTES / 2)).unwrap_or_default();
    let tail = text.get(text.ceil_char_boundary(text.len() - MAX_TEXT_BYTES / 2)..).unwrap_or_default();
    format!("{head}\n…\n{tail}")
}

/// A reply with its fenced blocks replaced by blanks, so that the rest keeps its position.
pub(in crate::store) fn prose(text: &str) -> String {
    let mut inside = false;
    let mut left = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        if inside || fence {
            left.extend(line.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        } else {
            left.push_str(line);
        }
        inside ^= fence;
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::samples;

    #[test]
    fn every_kind_of_place_has_texts() {
        assert_eq!((LocationKind::Prompt.number(), LocationKind::Name.number()), (0, 5));
        let all: Vec<Piece> = samples::each_kind().iter().flat_map(pieces).collect();
        for kind in LocationKind::VARIANTS {
            assert_eq!(LocationKind::of_number(kind.number()), Some(*kind));
            let has = |piece: &Piece| piece.kind == *kind;
            // Names are in no stored text: they are searched in the list of sessions.
            let is_elsewhere = matches!(kind, LocationKind::File | LocationKind::Name);
            assert!(is_elsewhere || all.iter().any(has), "{kind:?}");
        }
        assert!(samples::each_kind().iter().filter_map(news).count() > 1);
        assert!(samples::about_files().iter().flat_map(pieces).any(|piece| piece.kind == LocationKind::File));
    }

    #[test]
    fn a_place_is_typed_and_read() {
        let place =
            |kind, block: Option<u32>| SessionLocation { kind, block: block.map(BlockId), message: 7 };
        for (place, typed) in [
            (place(LocationKind::Block, Some(3)), "block:3"),
            (place(LocationKind::Output, Some(3)), "output:3"),
            (place(LocationKind::File, Some(3)), "block:3"),
            (place(LocationKind::Reply, None), "message:7"),
        ] {
            assert_eq!(place.typed().as_deref(), Some(typed));
            let parsed = typed.parse::<SessionLocation>().map(SessionLocation::typed);
            assert_eq!(parsed, Ok(Some(typed.to_owned())));
        }
        for text in ["", "3", "block", "line:3", "block:x"] {
            assert!(text.parse::<SessionLocation>().is_err(), "{text}");
        }
    }

    #[test]
    fn long_texts_keep_their_ends() {
        let text = format!("first{}last", "é".repeat(MAX_TEXT_BYTES));
        let kept = bounded(text);
        assert!(kept.starts_with("first") && kept.ends_with("last") && kept.len() <= MAX_TEXT_BYTES + 5);
        assert_eq!(bounded("short".into()), "short");
    }

    #[test]
    fn prose_is_what_is_not_fenced() {
        let text = "See é:\n```python\nprint(1)\n```\nDone.\n";
        let left = prose(text);
        assert_eq!(left.len(), text.len());
        assert_eq!(left.split_whitespace().collect::<Vec<_>>(), ["See", "é:", "Done."]);
    }
}
