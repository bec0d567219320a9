//! What every line has besides its entry: version, number, time, link, seal and checksum.

use super::VERSION;
use super::fields::Fields;
use crate::domain::{MaskedValue, Sha256, Timestamp};
use crate::store::seal::{Mac, SealState};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;

/// The checksum of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
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

impl From<Crc> for String {
    fn from(crc: Crc) -> String {
        crc.to_string()
    }
}

impl TryFrom<String> for Crc {
    type Error = &'static str;

    fn try_from(hex: String) -> Result<Self, Self::Error> {
        Crc::parse(&hex).ok_or("not a checksum")
    }
}

/// The state for the next line: its number, the checksum of the line before, and the seal.
#[derive(Clone, Debug)]
pub(crate) struct ChainLink {
    pub(crate) seq: u64,
    pub(crate) prev: Crc,
    /// The state of the seal; `None` if lines are not sealed.
    pub(crate) sealing: Option<SealState>,
}

impl ChainLink {
    /// For the first line of a file.
    pub(crate) const FIRST: ChainLink = ChainLink { seq: 1, prev: Crc(0), sealing: None };
}

/// The length of what follows the bytes that the checksum covers: `,"crc":"01234567"}`.
const TAIL_LENGTH: usize = 18;
const TAIL_OPEN: &[u8] = b",\"crc\":\"";
/// What precedes a MAC, and the length of that, the MAC and the closing quote.
const MAC_OPEN: &[u8] = b",\"mac\":\"";
const MAC_LENGTH: usize = 8 + 64 + 1;

/// A line ready to be written. It can only be made from masked fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SealedLine(Vec<u8>);

impl SealedLine {
    /// The bytes of the line, including its newline.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Makes a line, and the link for the next one. `redacted` says that something in the entry was masked.
pub(crate) fn seal(
    link: ChainLink,
    at: Timestamp,
    fields: &MaskedValue<Fields>,
    redacted: bool,
) -> (SealedLine, ChainLink) {
    let mut head = Map::new();
    head.insert("v".into(), VERSION.into());
    head.insert("seq".into(), link.seq.into());
    head.insert("at".into(), String::from(at).into());
    head.extend(fields.0.clone());
    if redacted {
        head.insert("redacted".into(), true.into());
    }
    head.insert("prev".into(), link.prev.to_string().into());
    let mut line = Value::Object(head).to_string().into_bytes();
    line.pop();
    // The MAC covers everything before it in the line.
    let sealing = link.sealing.map(|sealing| {
        let (mac, next) = sealing.next(&line);
        line.extend_from_slice(MAC_OPEN);
        line.extend_from_slice(Sha256(mac.0).to_string().as_bytes());
        line.push(b'"');
        next
    });
    let crc = checksum(&line);
    line.extend_from_slice(TAIL_OPEN);
    line.extend_from_slice(crc.to_string().as_bytes());
    line.extend_from_slice(b"\"}\n");
    (SealedLine(line), ChainLink { seq: link.seq.saturating_add(1), prev: crc, sealing })
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "an object")]
pub(crate) struct Frame<'a> {
    v: u64,
    pub(crate) seq: u64,
    pub(crate) at: Timestamp,
    #[serde(borrow)]
    pub(crate) kind: Cow<'a, str>,
    pub(crate) prev: Option<String>,
    #[serde(default)]
    pub(crate) redacted: bool,
    /// The whole line, which includes the fields of its entry.
    #[serde(skip)]
    pub(crate) json: &'a str,
}

impl Frame<'_> {
    /// The checksum of the line before, as this line contains it.
    pub(crate) fn link(&self) -> Option<Crc> {
        self.prev.as_deref().and_then(Crc::parse)
    }
}

/// Why a line can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LineFault {
    /// The line is not what was written.
    Checksum,
    /// The line is not of this format; the text says why.
    Unreadable(String),
    /// The line is of a newer version.
    Newer(u64),
}

pub(crate) fn stored_crc(line: &[u8]) -> Option<Crc> {
    let tail = line.get(line.len().checked_sub(TAIL_LENGTH)?..)?;
    let hex = tail.strip_prefix(TAIL_OPEN)?.strip_suffix(b"\"}")?;
    Crc::parse(std::str::from_utf8(hex).ok()?)
}

/// Checks and parses a line without its newline.
pub(crate) fn open(line: &[u8]) -> Result<Frame<'_>, LineFault> {
    if !is_intact(line) {
        // A line without a valid checksum is not one of ours. If it is not even JSON, say so.
        return Err(match serde_json::from_slice::<serde::de::IgnoredAny>(line) {
            Err(error) => LineFault::Unreadable(format!("not JSON, column {}", error.column())),
            Ok(_) => LineFault::Checksum,
        });
    }
    let json = std::str::from_utf8(line).map_err(|_| LineFault::Unreadable("not UTF-8".into()))?;
    match serde_json::from_str::<Frame<'_>>(json) {
        Ok(frame) if frame.v <= VERSION => Ok(Frame { json, ..frame }),
        Ok(frame) => Err(LineFault::Newer(frame.v)),
        Err(error) => Err(match peek_version(line).filter(|version| *version > VERSION) {
            Some(newer) => LineFault::Newer(newer),
            None if error.is_data() => LineFault::Unreadable(without_place(&error)),
            None => LineFault::Unreadable(format!("not JSON, column {}", error.column())),
        }),
    }
}

/// The message of an error without its position, shortened: it may contain long text from the line.
pub(super) fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what).chars().take(200).collect()
}

/// The version that a line contains, whatever else is wrong with it.
pub(crate) fn peek_version(line: &[u8]) -> Option<u64> {
    #[derive(Deserialize)]
    struct VersionField {
        v: u64,
    }
    serde_json::from_slice::<VersionField>(line).ok().map(|line| line.v)
}

fn is_intact(line: &[u8]) -> bool {
    let Some(stored) = stored_crc(line) else { return false };
    checksum(line.get(..line.len().saturating_sub(TAIL_LENGTH)).unwrap_or_default()) == stored
}

/// The checksum of a line up to its `crc` field, with the closing brace added.
fn checksum(line: &[u8]) -> Crc {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(line);
    hasher.update(b"}");
    Crc(hasher.finalize())
}

/// The MAC that a line contains, and the bytes that it covers.
pub(crate) fn stored_mac(line: &[u8]) -> Option<(&[u8], Mac)> {
    let body = line.get(..line.len().checked_sub(TAIL_LENGTH)?)?;
    let (covered, tail) = body.split_at_checked(body.len().checked_sub(MAC_LENGTH)?)?;
    let hex = tail.strip_prefix(MAC_OPEN)?.strip_suffix(b"\"")?;
    Some((covered, Mac(Sha256::parse(std::str::from_utf8(hex).ok()?)?.0)))
}
