//! Encodes and decodes frames, the units in which the helper, the bridge and the kernel are spoken to. Pure.
//!
//! A frame is its length (4 bytes, big-endian), a byte for its kind, and fields, each with its own length.
//! `helper_wire`, `kernel_wire` and the `bridge_wire` of containers define the fields.

use std::ops::Range;

/// The most fields of a frame, many more than any message has. Even an empty field costs memory.
const MAX_FIELDS: usize = 4096;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WireFrame {
    pub(crate) kind: u8,
    body: Vec<u8>,
    /// The place of each field in the body.
    fields: Vec<Range<usize>>,
}

/// Why bytes are not a frame. Nothing more can be read from the channel after that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The length is 0 or over the limit.
    #[error("a message of {0} bytes was announced")]
    Length(u64),
    /// It has more fields than any message.
    #[error("a message has more than {} fields", MAX_FIELDS)]
    Fields,
    /// A field extends beyond the end of its frame.
    #[error("a message is torn inside")]
    Torn,
    /// The kind is unknown, or the number or form of the fields is wrong.
    #[error("a message of unknown form (kind {0})")]
    Unknown(u8),
}

impl WireFrame {
    /// The field at this index.
    ///
    /// # Errors
    /// When there are fewer fields.
    pub(super) fn field(&self, at: usize) -> Result<&[u8], FrameError> {
        self.fields_from(at).next().ok_or(FrameError::Unknown(self.kind))
    }

    /// All fields from this index on.
    pub(super) fn fields_from(&self, at: usize) -> impl ExactSizeIterator<Item = &[u8]> {
        let fields = self.fields.get(at..).unwrap_or_default();
        fields.iter().map(|field| self.body.get(field.clone()).unwrap_or_default())
    }

    /// The field at this index, without a copy of it.
    ///
    /// # Errors
    /// When there are fewer fields.
    pub(super) fn into_field(mut self, at: usize) -> Result<Vec<u8>, FrameError> {
        let field = self.fields.get(at).cloned().ok_or(FrameError::Unknown(self.kind))?;
        self.body.truncate(field.end);
        self.body.drain(..field.start);
        Ok(self.body)
    }

    /// A field that is UTF-8 text.
    ///
    /// # Errors
    /// When it is missing or something else.
    pub(super) fn text(&self, at: usize) -> Result<String, FrameError> {
        String::from_utf8(self.field(at)?.to_vec()).map_err(|_| FrameError::Unknown(self.kind))
    }

    /// A field that is a number in decimal digits.
    ///
    /// # Errors
    /// When it is missing or something else.
    pub(super) fn number<N: std::str::FromStr>(&self, at: usize) -> Result<N, FrameError> {
        self.text(at)?.parse().map_err(|_| FrameError::Unknown(self.kind))
    }
}

pub(super) fn encode<'a>(kind: u8, fields: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut bytes = vec![0, 0, 0, 0, kind];
    for field in fields {
        bytes.extend_from_slice(&u32::try_from(field.len()).unwrap_or(u32::MAX).to_be_bytes());
        bytes.extend_from_slice(field);
    }
    let length = u32::try_from(bytes.len() - 4).unwrap_or(u32::MAX).to_be_bytes();
    if let Some(start) = bytes.get_mut(..4) {
        start.copy_from_slice(&length);
    }
    bytes
}

/// Assembles frames from bytes that arrive in pieces of any size.
#[derive(Debug)]
pub(super) struct FrameDecoder {
    buffer: Vec<u8>,
    /// How many bytes of the buffer belong to frames that were already returned.
    given: usize,
    limit: usize,
    /// The one kind of frame that may be larger, and how large.
    larger: Option<(u8, usize)>,
}

impl FrameDecoder {
    /// A decoder that refuses frames of more than `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self { buffer: Vec::new(), given: 0, limit, larger: None }
    }

    /// The same decoder, for which frames of this kind may be as large as this.
    #[must_use]
    pub(super) fn with_larger(self, kind: u8, limit: usize) -> Self {
        Self { larger: Some((kind, limit)), ..self }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        // Returned bytes are dropped once they are half of the buffer, so that each byte is moved at most once on
        // average.
        if self.given * 2 >= self.buffer.len() {
            self.buffer.drain(..self.given);
            self.given = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next complete frame, or `None` if it has not arrived yet.
    ///
    /// # Errors
    /// When the bytes are not a frame; nothing more can be read after that.
    pub(super) fn next_frame(&mut self) -> Result<Option<WireFrame>, FrameError> {
        let rest = self.buffer.get(self.given..).unwrap_or_default();
        let Some(length) = read_length(rest) else { return Ok(None) };
        let limit = match (self.larger, rest.get(4)) {
            (Some((kind, limit)), Some(is)) if *is == kind => limit,
            // The kind is not known yet.
            (Some((_, limit)), None) => limit,
            _ => self.limit,
        };
        if length == 0 || length > limit {
            return Err(FrameError::Length(length as u64));
        }
        let Some(body) = rest.get(4..4 + length) else { return Ok(None) };
        self.given += 4 + length;
        parse(body).map(Some)
    }
}

fn parse(body: &[u8]) -> Result<WireFrame, FrameError> {
    let (kind, mut rest) = body.split_first().ok_or(FrameError::Torn)?;
    let (mut fields, mut at) = (Vec::new(), 1);
    while !rest.is_empty() {
        if fields.len() == MAX_FIELDS {
            return Err(FrameError::Fields);
        }
        let length = read_length(rest).ok_or(FrameError::Torn)?;
        rest = rest.get(4..).and_then(|rest| rest.get(length..)).ok_or(FrameError::Torn)?;
        fields.push(at + 4..at + 4 + length);
        at += 4 + length;
    }
    Ok(WireFrame { kind: *kind, body: body.to_vec(), fields })
}

fn read_length(bytes: &[u8]) -> Option<usize> {
    let four: [u8; 4] = bytes.get(..4)?.try_into().ok()?;
    usize::try_from(u32::from_be_bytes(four)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Any split of the bytes gives the same frames.
        #[test]
        fn any_split(
            frames in prop::collection::vec((any::<u8>(), prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..5)), 0..8),
            cuts in prop::collection::vec(1usize..50, 1..60),
        ) {
            let bytes: Vec<u8> = frames.iter().flat_map(|(k, f)| encode(*k, f.iter().map(Vec::as_slice))).collect();
            let mut decoder = FrameDecoder::new(1 << 20);
            let mut got = Vec::new();
            let (mut rest, mut cuts) = (bytes.as_slice(), cuts.iter().cycle());
            while !rest.is_empty() {
                let (piece, after) = rest.split_at((*cuts.next().unwrap()).min(rest.len()));
                decoder.push(piece);
                rest = after;
                while let Some(frame) = decoder.next_frame().unwrap() {
                    got.push((frame.kind, frame.fields_from(0).map(<[u8]>::to_vec).collect::<Vec<_>>()));
                }
            }
            prop_assert_eq!(got, frames);
        }

        /// No bytes make it panic or buffer more than it was given.
        #[test]
        fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut decoder = FrameDecoder::new(64);
            decoder.push(&bytes);
            while let Ok(Some(_)) = decoder.next_frame() {}
        }
    }

    #[test]
    fn what_follows_a_frame_is_not_moved_for_it_and_what_was_given_does_not_stay() {
        let mut decoder = FrameDecoder::new(64);
        let frames = encode(b'x', []).repeat(1000);
        decoder.push(&frames);
        let first = decoder.buffer.as_ptr();
        while decoder.next_frame().unwrap().is_some() {
            assert_eq!((decoder.buffer.as_ptr(), decoder.buffer.len()), (first, frames.len()));
        }
        decoder.push(&[0]);
        assert_eq!((decoder.buffer.len(), decoder.given), (1, 0));
    }

    #[test]
    fn a_length_over_the_limit_is_refused_before_its_bytes_come() {
        let mut decoder = FrameDecoder::new(8);
        decoder.push(&[0, 0, 0, 9]);
        assert_eq!(decoder.next_frame(), Err(FrameError::Length(9)));
    }

    #[test]
    fn empty_fields_do_not_make_a_frame_grow_in_memory() {
        let decoded = |fields: usize| {
            let bytes = encode(b'V', vec![&b""[..]; fields]);
            let mut decoder = FrameDecoder::new(bytes.len());
            decoder.push(&bytes);
            decoder.next_frame().map(|frame| frame.unwrap().fields_from(0).len())
        };
        assert_eq!(decoded(MAX_FIELDS), Ok(MAX_FIELDS));
        assert_eq!(decoded(MAX_FIELDS + 1), Err(FrameError::Fields));
        assert_eq!(decoded(1 << 20), Err(FrameError::Fields));
    }

    #[test]
    fn only_one_kind_may_be_large() {
        let decoded = |kind: u8, bytes: &[u8]| {
            let mut decoder = FrameDecoder::new(16).with_larger(b'I', 64);
            let frame = encode(kind, [bytes]);
            let (length, rest) = frame.split_at(4);
            decoder.push(length);
            decoder.next_frame()?;
            decoder.push(rest);
            decoder.next_frame().map(|frame| frame.unwrap().into_field(0).unwrap())
        };
        assert_eq!(decoded(b'I', &[7; 30]), Ok(vec![7; 30]));
        assert_eq!(decoded(b'V', &[7; 30]), Err(FrameError::Length(35)));
        assert_eq!(decoded(b'V', &[7; 5]), Ok(vec![7; 5]));
        assert_eq!(decoded(b'I', &[7; 99]), Err(FrameError::Length(104)));
    }

    #[test]
    fn a_field_that_reaches_over_the_end_is_told() {
        let mut decoder = FrameDecoder::new(64);
        decoder.push(&[0, 0, 0, 6, 1, 0, 0, 0, 9, 7]);
        assert_eq!(decoder.next_frame(), Err(FrameError::Torn));
    }
}
