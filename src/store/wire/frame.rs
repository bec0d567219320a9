//! What every line has around its entry: version, number, time, link and checksum.

use super::VERSION;
use super::fields::{Fields, Reader};
use super::json::Json;
use crate::domain::{Masked, Moment};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;

/// The checksum of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Crc(pub(crate) u32);

impl fmt::Display for Crc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

impl Crc {
    fn parse(hex: &str) -> Option<Self> {
        let plain = hex.len() == 8 && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        plain.then(|| u32::from_str_radix(hex, 16).ok().map(Crc)).flatten()
    }
}

/// Where the next line stands: its number, and the checksum of the line before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) seq: u64,
    pub(crate) prev: Crc,
}

impl Link {
    /// The first line of a file.
    pub(crate) const FIRST: Link = Link { seq: 1, prev: Crc(0) };
}

/// The bytes that stand behind what the checksum covers: `,"crc":"01234567"}`.
const TAIL: usize = 18;
const TAIL_OPEN: &[u8] = b",\"crc\":\"";

/// A line as it is written: made of masked fields only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sealed(Vec<u8>);

impl Sealed {
    /// Its bytes, its newline included.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Makes a line, and the link for the line after it. `redacted`: something was masked in the entry.
pub(crate) fn seal(link: Link, at: Moment, fields: &Masked<Fields>, redacted: bool) -> (Sealed, Link) {
    let mut head = Map::new();
    head.insert("v".into(), VERSION.into());
    head.insert("seq".into(), link.seq.into());
    head.insert("at".into(), time_text(at).into());
    head.extend(fields.0.clone());
    if redacted {
        head.insert("redacted".into(), true.into());
    }
    head.insert("prev".into(), link.prev.to_string().into());
    // Covered is the line without its crc field: everything up to here, and the brace that closes it.
    let mut line = Value::Object(head).to_string().into_bytes();
    let crc = Crc(crc32fast::hash(&line));
    line.pop();
    line.extend_from_slice(TAIL_OPEN);
    line.extend_from_slice(crc.to_string().as_bytes());
    line.extend_from_slice(b"\"}\n");
    (Sealed(line), Link { seq: link.seq.saturating_add(1), prev: crc })
}

/// A line, taken apart.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) seq: u64,
    pub(crate) at: Moment,
    pub(crate) kind: Cow<'a, str>,
    pub(crate) prev: Option<Crc>,
    pub(crate) redacted: bool,
    pub(crate) fields: Reader<'a>,
}

/// Why a line can't be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LineFault {
    /// Not what was written.
    Checksum,
    /// Not a line of this format, and why.
    Unreadable(String),
    /// Of a newer version.
    Newer(u64),
}

/// The checksum that a line says of itself.
pub(crate) fn stored_crc(line: &[u8]) -> Option<Crc> {
    let tail = line.get(line.len().checked_sub(TAIL)?..)?;
    let hex = tail.strip_prefix(TAIL_OPEN)?.strip_suffix(b"\"}")?;
    Crc::parse(std::str::from_utf8(hex).ok()?)
}

/// Takes a line apart, its newline left out.
pub(crate) fn open(line: &[u8]) -> Result<Frame<'_>, LineFault> {
    if !intact(line) {
        // Without a checksum it can't be one of our lines: say what is wrong with it as text, where that is told.
        return Err(match serde_json::from_slice::<serde::de::IgnoredAny>(line) {
            Err(error) => LineFault::Unreadable(format!("not JSON, column {}", error.column())),
            Ok(_) => LineFault::Checksum,
        });
    }
    let text = std::str::from_utf8(line).map_err(|_| LineFault::Unreadable("not UTF-8".into()))?;
    let mut fields = match serde_json::from_str(text) {
        Ok(Json::Object(fields)) => Reader::new(fields),
        Ok(_) => return Err(LineFault::Unreadable("not an object".into())),
        Err(error) => return Err(LineFault::Unreadable(format!("not JSON, column {}", error.column()))),
    };
    let version = fields.number("v").map_err(LineFault::Unreadable)?;
    if version > VERSION {
        return Err(LineFault::Newer(version));
    }
    let at = fields.word("at").map_err(LineFault::Unreadable)?;
    Ok(Frame {
        seq: fields.number("seq").map_err(LineFault::Unreadable)?,
        at: parse_time(&at).ok_or_else(|| LineFault::Unreadable("its time is not RFC 3339".into()))?,
        kind: fields.word("kind").map_err(LineFault::Unreadable)?,
        prev: fields.word("prev").ok().as_deref().and_then(Crc::parse),
        redacted: fields.flag("redacted"),
        fields,
    })
}

/// The version that a line claims, whatever else is wrong with it.
pub(crate) fn peek_version(line: &[u8]) -> Option<u64> {
    #[derive(serde::Deserialize)]
    struct Versioned {
        v: u64,
    }
    serde_json::from_slice::<Versioned>(line).ok().map(|line| line.v)
}

fn intact(line: &[u8]) -> bool {
    let Some(stored) = stored_crc(line) else { return false };
    let covered = line.get(..line.len().saturating_sub(TAIL)).unwrap_or_default();
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(covered);
    hasher.update(b"}");
    hasher.finalize() == stored.0
}

/// A moment as RFC 3339 in UTC with milliseconds. Moments beyond the year 9999 are told as the last one before it.
pub(crate) fn time_text(at: Moment) -> String {
    use jiff::Timestamp;
    let ts =
        Timestamp::from_millisecond(at.0).unwrap_or(if at.0 < 0 { Timestamp::MIN } else { Timestamp::MAX });
    format!("{ts:.3}")
}

/// Reads what [`time_text`] wrote.
pub(crate) fn parse_time(text: &str) -> Option<Moment> {
    text.parse::<jiff::Timestamp>().ok().map(|ts| Moment(ts.as_millisecond()))
}
