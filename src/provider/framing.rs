//! Splits the bytes of a reply into pieces of JSON, whatever their framing: server-sent events, one piece per line,
//! one list over the whole body, or one value. The first byte decides; the format only says whether to expect lines.

use super::sse;

/// The most bytes of a body that is not a stream.
pub(super) const MAX_BODY_BYTES: usize = 16 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FramePiece {
    /// The name of a server-sent event; empty if it has none.
    pub(super) name: String,
    /// Usually JSON.
    pub(super) data: String,
    /// Whether this is the whole body: a web page, an error, a reply that was not streamed.
    pub(super) whole: bool,
}

impl FramePiece {
    fn of(data: String) -> Self {
        Self { name: String::new(), data, whole: false }
    }
}

/// How the bytes of a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The body ended as HTTP demands: nothing is missing.
    Closed,
    Cut,
}

/// Why nothing more can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FramingError {
    /// One piece is longer than allowed.
    Piece(sse::TooLong),
    /// The body is longer than allowed.
    Body,
}

/// The framing that the bytes turned out to have.
#[derive(Debug)]
enum FrameKind {
    /// Only white space so far.
    Unknown(Vec<u8>),
    Events(sse::SseParser),
    /// One piece per line. `first`: no line was read yet; a first line that is not JSON may start one large value.
    Lines {
        line: Vec<u8>,
        first: bool,
    },
    List(List),
    /// One value, read once it is complete.
    Whole(Vec<u8>),
}

/// A list whose elements are the pieces.
#[derive(Debug, Default)]
struct List {
    element: Vec<u8>,
    depth: usize,
    in_string: bool,
    escaped: bool,
}

#[derive(Debug)]
pub(super) struct Framing {
    form: FrameKind,
    lines: bool,
}

impl Framing {
    /// `lines`: the format sends one piece per line.
    pub(super) fn new(lines: bool) -> Self {
        Self { form: FrameKind::Unknown(Vec::new()), lines }
    }

    /// Reads more bytes and calls `each` for every piece that is complete.
    pub(super) fn feed(
        &mut self,
        bytes: &[u8],
        each: &mut impl FnMut(FramePiece),
    ) -> Result<(), FramingError> {
        let FrameKind::Unknown(before) = &mut self.form else { return self.read(bytes, each) };
        before.extend_from_slice(bytes);
        let mark = b"\xEF\xBB\xBF";
        let after_mark = before.strip_prefix(mark).unwrap_or(before);
        let first = after_mark.iter().find(|b| !b.is_ascii_whitespace()).copied();
        if mark.starts_with(before) || (first.is_none() && before.len() < 1024) {
            return Ok(());
        }
        let before = std::mem::take(before);
        self.form = match first {
            Some(b'{') if self.lines => FrameKind::Lines { line: Vec::new(), first: true },
            Some(b'[') => FrameKind::List(List::default()),
            Some(b'{' | b'<') => FrameKind::Whole(Vec::new()),
            _ => FrameKind::Events(sse::SseParser::default()),
        };
        let start = match &self.form {
            FrameKind::Events(_) => before.as_slice(),
            _ => before.strip_prefix(mark).unwrap_or(&before),
        };
        self.read(start, each)
    }

    fn read(&mut self, bytes: &[u8], each: &mut impl FnMut(FramePiece)) -> Result<(), FramingError> {
        match &mut self.form {
            FrameKind::Unknown(_) => Ok(()),
            FrameKind::Events(parser) => parser
                .feed(bytes, &mut |event| {
                    each(FramePiece { name: event.name, ..FramePiece::of(event.data) });
                })
                .map_err(FramingError::Piece),
            FrameKind::List(list) => list.feed(bytes, each),
            FrameKind::Whole(body) => {
                body.extend_from_slice(bytes);
                if body.len() > MAX_BODY_BYTES { Err(FramingError::Body) } else { Ok(()) }
            }
            FrameKind::Lines { line, first } => {
                let mut rest = bytes;
                while let Some(end) = rest.iter().position(|b| *b == b'\n') {
                    let (head, tail) = rest.split_at(end);
                    line.extend_from_slice(head);
                    rest = tail.get(1..).unwrap_or_default();
                    let data = text(line);
                    if std::mem::take(first) && !is_json(&data) {
                        let mut body = std::mem::take(line);
                        body.push(b'\n');
                        self.form = FrameKind::Whole(body);
                        return self.read(rest, each);
                    }
                    line.clear();
                    if !data.is_empty() {
                        each(FramePiece::of(data));
                    }
                }
                line.extend_from_slice(rest);
                check_length(line)
            }
        }
    }

    /// Ends the input and returns the last piece if it is complete. `finished`: the model had given its reason for
    /// ending.
    pub(super) fn end(&mut self, end: End, finished: bool) -> Option<FramePiece> {
        let closed = end == End::Closed;
        match std::mem::replace(&mut self.form, FrameKind::Unknown(Vec::new())) {
            FrameKind::Unknown(_) => None,
            FrameKind::Whole(body) => Some(FramePiece { whole: true, ..FramePiece::of(text(&body)) }),
            // A last line without its line break counts if it is readable; otherwise it was cut off and is dropped.
            FrameKind::Events(parser) => parser.end().and_then(|(event, ended)| {
                let readable = ended || event.data == "[DONE]" || is_json(&event.data);
                let piece = FramePiece { name: event.name, ..FramePiece::of(event.data) };
                (readable && (ended || closed || finished)).then_some(piece)
            }),
            FrameKind::Lines { line, first } => {
                let data = text(&line);
                // A single line is the whole body, readable or not.
                let counts = if is_json(&data) { closed || finished } else { first };
                counts.then_some(FramePiece { whole: first, ..FramePiece::of(data) })
            }
            FrameKind::List(list) => {
                // An element that was cut off is dropped; the reader of the piece reports one that is not JSON.
                let data = text(&list.element);
                (closed && list.depth <= 1 && !data.is_empty()).then_some(FramePiece::of(data))
            }
        }
    }
}

impl List {
    fn feed(&mut self, bytes: &[u8], each: &mut impl FnMut(FramePiece)) -> Result<(), FramingError> {
        for byte in bytes {
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                self.element.push(*byte);
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'[' | b'{' => {
                    self.depth += 1;
                    if self.depth == 1 {
                        continue;
                    }
                }
                b']' | b'}' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        self.over(each);
                        continue;
                    }
                }
                b',' if self.depth <= 1 => {
                    self.over(each);
                    continue;
                }
                _ => {}
            }
            self.element.push(*byte);
        }
        check_length(&self.element)
    }

    fn over(&mut self, each: &mut impl FnMut(FramePiece)) {
        let data = text(&self.element);
        self.element.clear();
        if !data.is_empty() {
            each(FramePiece::of(data));
        }
    }
}

fn check_length(piece: &[u8]) -> Result<(), FramingError> {
    if piece.len() > sse::MAX_EVENT_BYTES { Err(FramingError::Piece(sse::TooLong)) } else { Ok(()) }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces of a body, the same wherever its bytes are split in two; the last is the one from `end`.
    fn pieces(body: &str, lines: bool, end: End) -> Vec<(String, bool)> {
        let at = |pieces: Vec<&[u8]>| {
            let (mut framing, mut all) = (Framing::new(lines), Vec::new());
            for piece in pieces {
                framing.feed(piece, &mut |piece| all.push((piece.data, piece.whole))).unwrap();
            }
            all.extend(framing.end(end, false).map(|piece| (piece.data, piece.whole)));
            all
        };
        let whole = at(vec![body.as_bytes()]);
        for split in 0..body.len() {
            let (left, right) = body.as_bytes().split_at(split);
            assert_eq!(at(vec![left, right]), whole, "{body} at {split}");
        }
        whole
    }

    fn told(body: &str, lines: bool) -> Vec<String> {
        pieces(body, lines, End::Closed).into_iter().map(|(data, _)| data).collect()
    }

    #[test]
    fn every_framing_is_known_by_its_first_byte() {
        assert_eq!(told("data: {\"a\":1}\n\ndata: 2\n\n", false), ["{\"a\":1}", "2"]);
        assert_eq!(
            told("\u{feff} [{\"a\":\"],}\\\"\"}\r\n,\r\n{\"b\":[1,2]}]\n", false),
            ["{\"a\":\"],}\\\"\"}", "{\"b\":[1,2]}"]
        );
        assert_eq!(told("{\"a\":1}\n\n{\"b\":2}", true), ["{\"a\":1}", "{\"b\":2}"]);
        assert_eq!(pieces("{\n \"a\": 1\n}", true, End::Closed), [("{\n \"a\": 1\n}".to_owned(), true)]);
        assert_eq!(pieces("<html>", true, End::Closed), [("<html>".to_owned(), true)]);
        assert_eq!(pieces("{broken", true, End::Closed), [("{broken".to_owned(), true)]);
        assert_eq!(told("[]", false), Vec::<String>::new());
    }

    #[test]
    fn what_is_torn_is_missing() {
        assert_eq!(told("{\"a\":1}\n{\"b\":", true), ["{\"a\":1}"]);
        assert_eq!(told("[{\"a\":1},{\"b\":[", false), ["{\"a\":1}"]);
        assert_eq!(pieces("{\"a\":1}\n{\"b\":2}", true, End::Cut).len(), 1);
    }

    #[test]
    fn endless_pieces_are_an_error_and_no_memory() {
        for (start, lines) in [("{\"a\":1}\n{", true), ("[\"", false), ("{", false)] {
            let mut framing = Framing::new(lines);
            framing.feed(start.as_bytes(), &mut |_| {}).unwrap();
            let block = vec![b'x'; 1 << 20];
            let fed = (0..64).take_while(|_| framing.feed(&block, &mut |_| {}).is_ok()).count();
            assert!(fed <= 16, "{start}");
        }
    }
}
