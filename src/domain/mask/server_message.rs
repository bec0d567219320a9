//! Masks keys in messages of servers: some repeat the key that they refuse, whole or half-masked (`sk-ab***yz`).

use super::Masker;
use super::own_keys::KnownKeys;

/// What replaces a key.
const KEY_MARK: &str = "[key]";

impl Masker {
    /// Masks keys in the text, also those that a server half-masked. Each becomes `[key]`, so positions change.
    pub(crate) fn mask_message(&self, text: &str) -> String {
        let known = self.known();
        let mut text = text.to_owned();
        for value in known.values() {
            for part in [value, value.rsplit(' ').next().unwrap_or(value)] {
                if part.len() >= 4 && text.contains(part) {
                    text = text.replace(part, KEY_MARK);
                }
            }
        }
        let mut text = mask_parts(&known, &text);
        for span in self.find(&text).into_iter().rev() {
            text.replace_range(span.range, KEY_MARK);
        }
        text
    }
}

/// Replaces words that hold the start or the end of a key beside masking characters, or most of a key.
fn mask_parts(known: &KnownKeys, text: &str) -> String {
    let starts: Vec<String> = known.values().filter_map(|value| part_of(value, true)).collect();
    let ends: Vec<String> = known.values().filter_map(|value| part_of(value, false)).collect();
    let mut out = String::with_capacity(text.len());
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '*' | '.' | '…' | '+' | '/');
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let masked = word.contains("**") || word.contains("...") || word.contains('…');
        // Servers that mask a key keep at least its first three letters or its last four.
        let begins = |start: &String| start.get(..3).is_some_and(|three| word.starts_with(three));
        let shows_key = (masked
            && (starts.iter().any(begins) || ends.iter().any(|end| word.contains(end.as_str()))))
            || starts.iter().any(|start| word.starts_with(start.as_str()));
        out.push_str(if shows_key { KEY_MARK } else { word });
        let next = after.chars().next().map_or(0, char::len_utf8);
        let (separator, tail) = after.split_at(next);
        out.push_str(separator);
        rest = tail;
    }
    out
}

/// The first eight or the last four letters of a key, if it is long enough to be recognized by them.
fn part_of(value: &str, start: bool) -> Option<String> {
    let value = value.rsplit(' ').next().unwrap_or(value);
    let letters = value.chars().count();
    (letters >= 16).then(|| {
        if start { value.chars().take(8).collect() } else { value.chars().skip(letters - 4).collect() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masker() -> Masker {
        Masker::knowing(["sk-proj-abcdefghijklmnop1234".into(), "Bearer zyxwvutsrqponm".into(), "x".into()])
    }

    #[test]
    fn keys_are_taken_out_whole_and_in_parts() {
        for text in [
            "Incorrect API key provided: sk-proj-abcdefghijklmnop1234.",
            "Incorrect API key provided: sk-proj-********1234. Look",
            "key sk-proj-...1234",
            "key 'sk-***' is wrong",
            "\"sk-proj-abcdefghijklm\" is cut off",
            "token zyxwvutsrqponm",
        ] {
            let told = masker().mask_message(text);
            assert!(told.contains("[key]"), "{told}");
            for part in ["abcdef", "1234", "zyxwv"] {
                assert!(!told.contains(part), "{told}");
            }
        }
    }

    #[test]
    fn other_texts_stay_as_they_are() {
        for text in ["", "model gpt-4o is overloaded…", "wait 1.5 s, see https://x.example/a?b=c", "a ** b"]
        {
            assert_eq!(masker().mask_message(text), text);
        }
    }

    #[test]
    fn secrets_do_not_show_in_debug() {
        assert_eq!(format!("{:?}", masker()), "Masker(2)");
    }
}
