//! Decodes a stream of bytes to text, piece by piece: keeps an incomplete character until its rest arrives, and
//! replaces invalid UTF-8 by U+FFFD.

/// The state of one stream.
#[derive(Clone, Debug, Default)]
pub(crate) struct Utf8Decoder {
    rest: Vec<u8>,
}

impl Utf8Decoder {
    /// Adds bytes; returns the text that is complete.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        self.rest.extend_from_slice(bytes);
        let whole = self.rest.len() - unfinished(&self.rest);
        let text = String::from_utf8_lossy(self.rest.get(..whole).unwrap_or(&[])).into_owned();
        self.rest.drain(..whole);
        text
    }

    /// Ends the stream; returns what is left.
    pub(crate) fn finish(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.rest)).into_owned()
    }
}

/// How many bytes at the end belong to an incomplete character.
fn unfinished(bytes: &[u8]) -> usize {
    let last = bytes.utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
    match std::str::from_utf8(last) {
        Err(error) if error.error_len().is_none() => last.len(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_cut_character_waits_and_rubbish_does_not() {
        let mut decoder = Utf8Decoder::default();
        assert_eq!(decoder.push(b"a\xe2\x82"), "a");
        assert_eq!(decoder.push(b"\xac\xff"), "€\u{fffd}");
        assert_eq!(decoder.push(b"\xf0\x9f"), "");
        assert_eq!(decoder.finish(), "\u{fffd}");
    }

    proptest! {
        #[test]
        fn any_split_gives_the_same(bytes in proptest::collection::vec(any::<u8>(), 0..40), at in 0usize..40) {
            let at = at.min(bytes.len());
            let mut decoder = Utf8Decoder::default();
            let split = decoder.push(&bytes[..at]) + &decoder.push(&bytes[at..]) + &decoder.finish();
            prop_assert_eq!(split, String::from_utf8_lossy(&bytes));
        }

        #[test]
        fn text_is_never_broken(text in any::<String>(), at in 0usize..60) {
            let at = at.min(text.len());
            let mut decoder = Utf8Decoder::default();
            let split = decoder.push(&text.as_bytes()[..at]) + &decoder.push(&text.as_bytes()[at..]);
            prop_assert_eq!(split, text);
        }
    }
}
