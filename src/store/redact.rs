//! Known secrets never reach the disk: each is masked, at its length, so that places in a text stay what they were.

use super::wire::Fields;
use crate::domain::{Captured, Entry, Stream};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value};

/// Shorter values (`none`, `ollama`) are placeholders, and would mask ordinary words.
const SHORTEST: usize = 8;

/// Fields whose words belong to the format.
const STRUCTURE: [&str; 21] = [
    "kind", "decision", "outcome", "executor", "by", "dialect", "what", "reason", "end", "severity", "fate",
    "level", "stream", "sha256", "crc", "pieces", "revision", "created", "risk", "scope", "from",
];

/// Masks what it knows.
#[derive(Default)]
pub(super) struct Redactor {
    secrets: Vec<SecretString>,
}

impl Redactor {
    /// Learns more secrets; longer ones are masked first, for one may hold another.
    pub(super) fn learn(&mut self, secrets: Vec<SecretString>) {
        self.secrets.extend(secrets.into_iter().filter(|s| s.expose_secret().len() >= SHORTEST));
        self.secrets.sort_by_key(|s| std::cmp::Reverse(s.expose_secret().len()));
    }

    /// Masks the output of a run, also where a secret came in several chunks; tells whether there was one.
    pub(super) fn output(&self, entry: &mut Entry) -> bool {
        let Entry::Ran { report, .. } = entry else { return false };
        if self.secrets.is_empty() || report.output.is_empty() {
            return false;
        }
        let mut hit = false;
        let mut streams = [Stream::Stdout, Stream::Stderr].map(|stream| {
            let mut bytes = report.output.bytes(stream);
            hit |= self.bytes(&mut bytes);
            bytes
        });
        if hit {
            // Masks keep the length: the stretches of the pieces still fit.
            let pieces: Vec<(Stream, Vec<u8>)> = report
                .output
                .pieces()
                .map(|piece| {
                    let rest = match piece.stream {
                        Stream::Stdout => &mut streams[0],
                        Stream::Stderr => &mut streams[1],
                    };
                    let behind = rest.split_off(piece.bytes.len().min(rest.len()));
                    (piece.stream, std::mem::replace(rest, behind))
                })
                .collect();
            let old = &report.output;
            let dropped = (old.dropped(Stream::Stdout), old.dropped(Stream::Stderr));
            report.output = Captured::restore(old.limit() as u64, pieces, dropped);
        }
        hit
    }

    /// Masks the texts of a line; tells whether there was something to mask.
    pub(super) fn fields(&self, fields: &mut Fields) -> bool {
        if self.secrets.is_empty() {
            return false;
        }
        // `reason` is a word of the format in a reply's finish, and the person's own in a rejection.
        let own_words = fields.0.contains_key("decision");
        self.map(&mut fields.0, |key| !STRUCTURE.contains(&key) || (own_words && key == "reason"))
    }

    /// Every value is looked at, whatever was found before it.
    fn map(&self, map: &mut Map<String, Value>, free: impl Fn(&str) -> bool) -> bool {
        let mut hit = false;
        for (key, value) in map {
            hit |= free(key) && self.value(value);
        }
        hit
    }

    fn value(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => self.text(text),
            Value::Array(items) => {
                let mut hit = false;
                for item in items {
                    hit |= self.value(item);
                }
                hit
            }
            Value::Object(map) => self.map(map, |key| !STRUCTURE.contains(&key)),
            _ => false,
        }
    }

    fn text(&self, text: &mut String) -> bool {
        let mut hit = false;
        for secret in self.secrets.iter().map(ExposeSecret::expose_secret) {
            if text.contains(secret) {
                *text = text.replace(secret, &mask(secret.len()));
                hit = true;
            }
        }
        hit
    }

    fn bytes(&self, bytes: &mut [u8]) -> bool {
        let mut hit = false;
        for secret in self.secrets.iter().map(|s| s.expose_secret().as_bytes()) {
            let mut from = 0;
            while let Some(at) = find(bytes.get(from..).unwrap_or_default(), secret) {
                let start = from + at;
                from = start + secret.len();
                if let Some(place) = bytes.get_mut(start..from) {
                    place.copy_from_slice(mask(secret.len()).as_bytes());
                }
                hit = true;
            }
        }
        hit
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// `[redacted]`, filled up or cut to so many bytes.
fn mask(len: usize) -> String {
    let mut mask = String::from("[redacted]");
    if len < mask.len() {
        return "*".repeat(len);
    }
    mask.push_str(&"*".repeat(len - mask.len()));
    mask
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn redactor(secrets: &[&str]) -> Redactor {
        let mut redactor = Redactor::default();
        redactor.learn(secrets.iter().map(|s| SecretString::from((*s).to_owned())).collect());
        redactor
    }

    #[test]
    fn a_mask_keeps_the_length() {
        let mut text = "key sk-abcdefghij and sk-abcdefghij.".to_owned();
        let before = text.len();
        assert!(redactor(&["sk-abcdefghij"]).text(&mut text));
        assert_eq!(text, "key [redacted]*** and [redacted]***.");
        assert_eq!(text.len(), before);
        assert_eq!(mask(8), "********");
    }

    #[test]
    fn words_of_the_format_stay() {
        let mut fields = Fields::of("decision")
            .with("decision", "reject")
            .with("reason", "contains decision, and a secret: decision");
        assert!(redactor(&["decision"]).fields(&mut fields));
        assert_eq!(fields.0.get("kind").and_then(Value::as_str), Some("decision"));
        assert_eq!(fields.0.get("decision").and_then(Value::as_str), Some("reject"));
        assert_eq!(
            fields.0.get("reason").and_then(Value::as_str),
            Some("contains ********, and a secret: ********")
        );
    }

    #[test]
    fn short_values_are_no_secrets() {
        let mut text = "none ollama".to_owned();
        assert!(!redactor(&["none", "ollama", ""]).text(&mut text));
        assert_eq!(text, "none ollama");
    }

    proptest! {
        #[test]
        fn a_secret_in_bytes_is_found_wherever_it_stands(
            before in proptest::collection::vec(any::<u8>(), 0..50),
            after in proptest::collection::vec(any::<u8>(), 0..50),
        ) {
            let secret = "s3cret-value";
            let mut bytes = [before.as_slice(), secret.as_bytes(), after.as_slice()].concat();
            let len = bytes.len();
            prop_assert!(redactor(&[secret]).bytes(&mut bytes));
            prop_assert_eq!(bytes.len(), len);
            prop_assert!(find(&bytes, secret.as_bytes()).is_none());
        }
    }
}
