//! The gap between the kept ends of a stream, and the output with a line in its place: what would be joined there never
//! was one line.

use super::{OutputBuffer, OutputPiece, Stream, StreamBuffer};
use crate::domain::sentences::saving;
use std::borrow::Cow;

/// A part of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputPart<'a> {
    Kept(&'a OutputPiece),
    /// So many bytes of this stream are missing here.
    Missing(Stream, u64),
}

impl Stream {
    /// What the person reads of it: `error output`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Stream::Stdout => "output",
            Stream::Stderr => "error output",
        }
    }
}

impl OutputBuffer {
    /// Notes that so many bytes of a stream came here that nobody took. Of what came before them only the head stays,
    /// so that each stream has one gap.
    pub(crate) fn skip(&mut self, stream: Stream, bytes: u64) {
        if bytes == 0 {
            return;
        }
        let kept = self.kept_mut(stream);
        kept.total = kept.total.saturating_add(bytes);
        kept.dropped = kept.dropped.saturating_add(kept.tail_len as u64).saturating_add(bytes);
        kept.tail.clear();
        kept.tail_len = 0;
    }

    /// The pieces of both streams in their order, and where bytes are missing between them.
    pub(crate) fn parts(&self) -> impl Iterator<Item = OutputPart<'_>> {
        let parts = self.pieces().flat_map(move |piece| {
            let gap =
                self.kept(piece.stream).gap_before(piece).map(|of| OutputPart::Missing(piece.stream, of));
            gap.into_iter().chain([OutputPart::Kept(piece)])
        });
        let at_end = [Stream::Stdout, Stream::Stderr].into_iter().filter_map(move |stream| {
            let kept = self.kept(stream);
            (kept.tail.is_empty() && kept.dropped > 0).then_some(OutputPart::Missing(stream, kept.dropped))
        });
        parts.chain(at_end)
    }

    /// The pieces of both streams in their order; where bytes are missing, a line of its own says how many.
    pub(crate) fn marked_pieces(&self) -> impl Iterator<Item = (Stream, Cow<'_, [u8]>)> {
        let mut begins_line = true;
        self.parts().map(move |part| {
            let (stream, bytes) = match part {
                OutputPart::Kept(piece) => (piece.stream, Cow::Borrowed(piece.bytes.as_slice())),
                OutputPart::Missing(stream, of) => {
                    let end = if begins_line { "" } else { "\n" };
                    let line = format!("{end}{}\n", saving::bytes_missing(of, stream.name()));
                    (stream, Cow::Owned(line.into_bytes()))
                }
            };
            begins_line = bytes.last().map_or(begins_line, |last| *last == b'\n');
            (stream, bytes)
        })
    }

    /// What is kept of both streams, in the order in which it came; where bytes are missing, a line of its own says how
    /// many.
    pub(crate) fn in_order(&self) -> Vec<u8> {
        let mut all = Vec::with_capacity(self.kept_bytes());
        for (_, bytes) in self.marked_pieces() {
            all.extend_from_slice(&bytes);
        }
        all
    }
}

impl StreamBuffer {
    /// How many bytes are missing directly before a piece, if some are.
    fn gap_before(&self, piece: &OutputPiece) -> Option<u64> {
        let begins_tail = self.tail.front().is_some_and(|first| first.seq == piece.seq);
        (begins_tail && self.dropped > 0).then_some(self.dropped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::StreamEnds;

    fn text(captured: &OutputBuffer) -> String {
        String::from_utf8(captured.in_order()).unwrap()
    }

    #[test]
    fn where_bytes_are_missing_a_line_says_how_many() {
        let mut captured = OutputBuffer::new(16);
        captured.push(Stream::Stdout, b"12\n4554");
        assert_eq!(text(&captured), "12\n4554");
        captured.push(Stream::Stderr, b"oops\n");
        captured.push(Stream::Stdout, b"x\n45543\nend\n");
        assert_eq!(text(&captured), "12\n4oops\n... 3 bytes of output left out here ...\nx\n45543\nend\n");
        assert_eq!(captured.bytes(Stream::Stdout), b"12\n4x\n45543\nend\n", "the bytes alone stay what came");
        let only = captured.only_stream(Stream::Stdout);
        assert_eq!(text(&only), "12\n4\n... 3 bytes of output left out here ...\nx\n45543\nend\n");

        let dropped = (0, 1_234_567);
        let all = OutputBuffer::restore(16, [(Stream::Stdout, b"a\n".to_vec())], dropped);
        assert_eq!(text(&all), "a\n... 1,234,567 bytes of error output left out here ...\n");
        let one = OutputBuffer::of_ends(
            16,
            StreamEnds { head: b"head".to_vec(), tail: b"tail".to_vec(), dropped: 1 },
            StreamEnds::default(),
        );
        assert_eq!(text(&one), "head\n... 1 byte of output left out here ...\ntail");
    }

    #[test]
    fn what_nobody_took_is_missing_where_it_came() {
        let mut captured = OutputBuffer::new(1 << 20);
        captured.push(Stream::Stdout, b"first\n4554");
        captured.skip(Stream::Stdout, 0);
        assert_eq!(captured.dropped(Stream::Stdout), 0);
        captured.skip(Stream::Stdout, 7);
        captured.push(Stream::Stdout, b"lost\n");
        captured.skip(Stream::Stdout, 10);
        captured.push(Stream::Stdout, b"3\n");
        assert_eq!(text(&captured), "first\n4554\n... 22 bytes of output left out here ...\n3\n");
        assert_eq!((captured.total(Stream::Stdout), captured.dropped(Stream::Stdout)), (34, 22));
    }
}
