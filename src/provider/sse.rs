//! Parses server-sent events: bytes in, events out, however the bytes are split. Follows the HTML standard's "event
//! stream" with one difference: an event at the end without a blank line is returned too, and the caller learns
//! whether its last line was complete. Does not know what the events mean.
//!
//! It is written by hand because streams of models are often cut or mixed: crates for this format drop the event that
//! a cut left unfinished, limit no event's size and don't know the error objects that some servers write between two
//! events.

#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct SseEvent {
    /// The `event` field; empty if it was missing.
    pub(super) name: String,
    /// The `data` lines, joined by line feeds.
    pub(super) data: String,
}

/// A line or an event is longer than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is longer than {MAX_EVENT_BYTES} bytes")]
pub(super) struct TooLong;

/// The most bytes of one event.
pub(super) const MAX_EVENT_BYTES: usize = 16 << 20;

#[derive(Debug, Default)]
pub(super) struct SseParser {
    /// The unfinished line.
    line: Vec<u8>,
    event: SseEvent,
    has_data: bool,
    /// Whether the last byte was a CR: an LF that follows belongs to it.
    after_cr: bool,
    /// Whether a line was read: a byte order mark may only precede the first.
    begun: bool,
    /// The start of an object between the events, outside any field: some servers send errors like this.
    stray: Vec<u8>,
    /// How often it was parsed and was not complete.
    stray_attempts: u32,
}

/// The most bytes of such an object; a longer one is ignored.
const MAX_STRAY_BYTES: usize = 64 << 10;

/// How often such an object may look complete without being so: each time it is parsed from its start.
const MAX_STRAY_ATTEMPTS: u32 = 32;

impl SseParser {
    /// Reads more bytes and calls `each` for every event that is complete.
    pub(super) fn feed(&mut self, mut bytes: &[u8], each: &mut impl FnMut(SseEvent)) -> Result<(), TooLong> {
        while !bytes.is_empty() {
            if std::mem::take(&mut self.after_cr)
                && let Some((b'\n', rest)) = bytes.split_first()
            {
                bytes = rest;
                continue;
            }
            let Some(end) = bytes.iter().position(|b| matches!(b, b'\n' | b'\r')) else {
                return self.append(bytes);
            };
            let (line, rest) = bytes.split_at(end);
            self.after_cr = rest.first() == Some(&b'\r');
            bytes = rest.get(1..).unwrap_or_default();
            if self.line.is_empty() {
                self.end_line(line, each)?;
            } else {
                self.append(line)?;
                let mut whole = std::mem::take(&mut self.line);
                self.end_line(&whole, each)?;
                whole.clear();
                self.line = whole;
            }
        }
        Ok(())
    }

    /// Ends the stream: returns an unfinished event, and whether its last line was complete.
    pub(super) fn end(mut self) -> Option<(SseEvent, bool)> {
        let whole = self.line.is_empty();
        let rest = std::mem::take(&mut self.line);
        if let Some(event) = self.take_stray(&rest) {
            return Some((event, whole));
        }
        self.field(&rest);
        self.has_data.then_some((self.event, whole))
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        if self.line.len() + bytes.len() > MAX_EVENT_BYTES {
            return Err(TooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self, line: &[u8], each: &mut impl FnMut(SseEvent)) -> Result<(), TooLong> {
        if let Some(event) = self.take_stray(line) {
            each(event);
        }
        if !self.stray.is_empty() {
            return Ok(());
        }
        let is_blank = self.without_mark(line).is_empty();
        if is_blank {
            self.begun = true;
            let event = std::mem::take(&mut self.event);
            if std::mem::take(&mut self.has_data) {
                each(event);
            }
            return Ok(());
        }
        if self.event.data.len() + line.len() > MAX_EVENT_BYTES {
            return Err(TooLong);
        }
        self.field(line);
        Ok(())
    }

    /// Takes a line of an object between the events; returns it as an event once it is complete, if it is an error.
    fn take_stray(&mut self, line: &[u8]) -> Option<SseEvent> {
        if self.stray.is_empty() && (self.has_data || !self.without_mark(line).starts_with(b"{")) {
            return None;
        }
        if self.stray.len() + line.len() > MAX_STRAY_BYTES || self.stray_attempts > MAX_STRAY_ATTEMPTS {
            self.stray.clear();
            self.stray_attempts = 0;
            return None;
        }
        self.stray.extend_from_slice(line);
        self.stray.push(b'\n');
        if !line.trim_ascii_end().ends_with(b"}") {
            return None;
        }
        self.stray_attempts += 1;
        let value: serde_json::Value = serde_json::from_slice(&self.stray).ok()?;
        self.stray_attempts = 0;
        let data = String::from_utf8_lossy(&self.stray).trim().to_owned();
        self.stray.clear();
        self.begun = true;
        value
            .get("error")
            .is_some_and(|error| !error.is_null())
            .then(|| SseEvent { name: "error".into(), data })
    }

    fn without_mark<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        if self.begun { line } else { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) }
    }

    /// One line that is not blank: `name: value`, `name:value`, `name` or `: comment`.
    fn field(&mut self, line: &[u8]) {
        let line = self.without_mark(line);
        self.begun = true;
        let (name, value) = match line.iter().position(|b| *b == b':') {
            Some(at) => (line.get(..at).unwrap_or_default(), line.get(at + 1..).unwrap_or_default()),
            None => (line, &b""[..]),
        };
        let value = String::from_utf8_lossy(value.strip_prefix(b" ").unwrap_or(value));
        match name {
            b"data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.has_data = true;
                self.event.data.push_str(&value);
            }
            b"event" => self.event.name = value.into_owned(),
            // `id` and `retry` are for reconnecting, which replies don't support; everything else is a comment.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn events(pieces: &[&[u8]]) -> (Vec<SseEvent>, Option<(SseEvent, bool)>) {
        let mut parser = SseParser::default();
        let mut all = Vec::new();
        for piece in pieces {
            parser.feed(piece, &mut |e| all.push(e)).unwrap();
        }
        let rest = parser.end();
        (all, rest)
    }

    fn data(text: &str) -> Vec<String> {
        events(&[text.as_bytes()]).0.into_iter().map(|e| e.data).collect()
    }

    #[test]
    fn fields_comments_and_line_ends() {
        assert_eq!(data("data: a\n\ndata:b\n\n"), ["a", "b"]);
        assert_eq!(data("data: a\r\n\r\ndata: b\r\rdata: c\n\n"), ["a", "b", "c"]);
        assert_eq!(data(": OPENROUTER PROCESSING\n\ndata: a\n: ping\ndata: b\n\n"), ["a\nb"]);
        assert_eq!(data("data\n\n"), [""]);
        assert_eq!(data("data:  two blanks\n\n"), [" two blanks"]);
        assert_eq!(data("\u{feff}data: a\n\n"), ["a"]);
        assert_eq!(data("\u{feff}\ndata: a\n\n"), ["a"]);
        assert_eq!(data("id: 7\nretry: 10\nother: x\n\n"), Vec::<String>::new());
    }

    #[test]
    fn an_error_without_a_field_is_an_event() {
        let error = "{\n  \"error\": {\n    \"code\": 503,\n    \"message\": \"overloaded\"\n  }\n}";
        for text in [format!("data: a\n\n{error}\n"), format!("data: a\n\n{error}"), error.to_owned()] {
            let (mut all, rest) = events(&[text.as_bytes()]);
            all.extend(rest.map(|(event, _)| event));
            let last = all.last().expect("an event");
            assert_eq!(last.name, "error");
            assert!(last.data.contains("overloaded"), "{text}");
        }
        assert_eq!(data("{\"other\": 1}\ndata: a\n\n"), ["a"]);
    }

    #[test]
    fn what_never_becomes_an_object_is_parsed_a_few_times_only() {
        let mut parser = SseParser::default();
        parser.feed(b"{\n", &mut |_| {}).unwrap();
        for _ in 0..MAX_STRAY_ATTEMPTS {
            parser.feed(b"}}\n", &mut |_| {}).unwrap();
        }
        assert!(!parser.stray.is_empty());
        parser.feed(b"}}\n}}\ndata: a\n\n", &mut |event| assert_eq!(event.data, "a")).unwrap();
        assert!(parser.stray.is_empty());
    }

    #[test]
    fn names_belong_to_their_event_only() {
        let (all, _) = events(&[b"event: error\ndata: a\n\ndata: b\n\n"]);
        let names: Vec<_> = all.iter().map(|e| e.name.as_str()).collect();
        assert_eq!(names, ["error", ""]);
    }

    #[test]
    fn what_is_left_at_the_end_is_told_with_its_state() {
        let left = |text: &str| events(&[text.as_bytes()]).1.map(|(e, whole)| (e.data, whole));
        assert_eq!(left("data: a\n\n"), None);
        assert_eq!(left("data: a\n"), Some(("a".into(), true)));
        assert_eq!(left("data: a\r"), Some(("a".into(), true)));
        assert_eq!(left("data: {\"cho"), Some(("{\"cho".into(), false)));
        assert_eq!(left("dat"), None);
    }

    #[test]
    fn an_endless_line_is_an_error_and_no_memory() {
        let mut parser = SseParser::default();
        let block = vec![b'x'; 1 << 20];
        let mut fed = 0;
        while parser.feed(&block, &mut |_| {}).is_ok() {
            fed += block.len();
            assert!(fed <= MAX_EVENT_BYTES);
        }
    }

    proptest! {
        #[test]
        fn any_split_gives_the_same(
            lines in prop::collection::vec(
                prop::sample::select(vec![
                    "data: a", "{\"error\":", "1}", "data:", "data: {\"x\":1}", "event: error", ": c", "", "", "id: 1", "data: é\u{1F600}", "dat",
                ]), 0..24),
            ends in prop::collection::vec(prop::sample::select(vec!["\n", "\r\n", "\r"]), 24),
            cuts in prop::collection::vec(0usize..400, 0..12),
        ) {
            let text: String = lines.iter().zip(&ends).flat_map(|(l, e)| [*l, *e]).collect();
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c.min(bytes.len())).chain([0, bytes.len()]).collect();
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|w| &bytes[w[0]..w[1]]).collect();
            prop_assert_eq!(events(&pieces), events(&[bytes]));
        }
    }
}
