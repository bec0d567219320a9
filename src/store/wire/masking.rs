//! Which texts of a line are masked: all of them but the words of the format itself.

use super::fields::Fields;
use crate::domain::Maskable;
use crate::domain::mask::Pen;
use serde_json::{Map, Value};

/// Fields whose values are words of the format, where they are one word.
const WORDS: [&str; 20] = [
    "kind", "decision", "outcome", "executor", "by", "dialect", "what", "reason", "end", "severity", "fate",
    "level", "stream", "pieces", "revision", "created", "risk", "scope", "from", "language",
];

/// Fields that hold checksums.
const SUMS: [&str; 3] = ["sha256", "crc", "prev"];

impl Maskable for Fields {
    fn mask_with(&mut self, pen: &mut Pen) {
        // `reason` is a word of the format in a reply's finish, and the person's own in a rejection.
        let own_words = self.0.contains_key("decision");
        for (key, value) in &mut self.0 {
            if !belongs_to_format(key, value) || (own_words && key == "reason") {
                mask(value, pen);
            }
        }
    }
}

fn mask(value: &mut Value, pen: &mut Pen) {
    match value {
        Value::String(text) => pen.text(text),
        Value::Array(items) => items.iter_mut().for_each(|item| mask(item, pen)),
        Value::Object(map) => mask_map(map, pen),
        _ => {}
    }
}

fn mask_map(map: &mut Map<String, Value>, pen: &mut Pen) {
    for (key, value) in map {
        if !belongs_to_format(key, value) {
            mask(value, pen);
        }
    }
}

/// A text in one of these fields that is more than a word is somebody's own, whatever the field is called.
fn belongs_to_format(key: &str, value: &Value) -> bool {
    let Value::String(text) = value else { return false };
    let word = |b: u8| b.is_ascii_lowercase() || matches!(b, b'_' | b'-');
    (WORDS.contains(&key) && text.len() <= 24 && text.bytes().all(word))
        || (SUMS.contains(&key) && text.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Masker;

    #[test]
    fn words_of_the_format_stay_and_all_others_are_masked() {
        let fields = Fields::of("decision")
            .with("decision", "reject")
            .with("reason", "decision")
            .with("from", "a decision of mine");
        let masked = Masker::knowing(["decision".into()]).mask(fields);
        let text = |key: &str| masked.0.get(key).and_then(Value::as_str);
        assert_eq!(text("kind"), Some("decision"));
        assert_eq!(text("decision"), Some("reject"));
        assert_eq!(text("reason"), Some("********"));
        assert_eq!(text("from"), Some("a ******** of mine"));
    }
}
