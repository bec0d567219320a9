//! Turns a program's output into text while it arrives. Standard output and standard error are decoded separately.

use crate::domain::Stream;
use crate::text::rewritten::LineCollapser;
use crate::text::utf8::Utf8Decoder;

/// The decoders of both streams of a run.
#[derive(Debug, Default)]
pub(crate) struct PrintedText {
    stdout: StreamText,
    stderr: StreamText,
}

#[derive(Debug, Default)]
struct StreamText {
    decoder: Utf8Decoder,
    lines: LineCollapser,
}

impl PrintedText {
    /// The text of these bytes. With `now_ms` (milliseconds) it is for a display that can only append: a line that the
    /// program overwrites (a progress bar) is given when it ends, or now and then. Without it, it is exactly what was
    /// printed.
    pub(crate) fn push(&mut self, stream: Stream, bytes: &[u8], now_ms: Option<u64>) -> String {
        let of_stream = self.of(stream);
        let text = of_stream.decoder.push(bytes);
        of_stream.lines_of(text, now_ms)
    }

    /// The rest of the text at the end of the stream.
    pub(crate) fn finish(&mut self, stream: Stream, now_ms: Option<u64>) -> String {
        let of_stream = self.of(stream);
        let rest = of_stream.decoder.finish();
        of_stream.lines_of(rest, now_ms) + &of_stream.lines.finish()
    }

    fn of(&mut self, stream: Stream) -> &mut StreamText {
        match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        }
    }
}

impl StreamText {
    fn lines_of(&mut self, text: String, now_ms: Option<u64>) -> String {
        match now_ms {
            Some(now_ms) => self.lines.push(&text, now_ms),
            None => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stream_is_decoded_by_itself_and_its_rest_stands_in_its_last_line() {
        let (out, err) = (Stream::Stdout, Stream::Stderr);
        for now in [None, Some(0)] {
            let mut printed = PrintedText::default();
            assert_eq!(printed.push(out, b"a\xc3", now) + &printed.push(err, b"b", now), "ab");
            assert_eq!(printed.push(out, b"\xa9\n", now), "é\n");
            assert_eq!(printed.finish(err, now), "");
        }
        let bar = b"1 %\r2 %\r3 %\xe2\x82";
        let mut printed = PrintedText::default();
        assert_eq!(printed.push(out, bar, None) + &printed.finish(out, None), "1 %\r2 %\r3 %\u{fffd}");
        let mut printed = PrintedText::default();
        assert_eq!(printed.push(out, bar, Some(0)) + &printed.finish(out, Some(0)), "1 %\n3 %\u{fffd}\n");
    }
}
