//! Texts of a definition with places for values: `{spec}`, `{data:error}`, `{file:code}`, `{fact:tests}`, `{note}`. A
//! doubled brace stands for one. Inserted values are not searched for places again.

const MAX_VALUE_BYTES: usize = 64 << 10;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text(Vec<TextPart>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum TextPart {
    Words(String),
    Place(String),
}

impl Text {
    /// Parses a text. A brace that begins no place stands for itself, because code has many.
    pub(crate) fn parse(text: &str) -> Self {
        let (mut parts, mut words, mut rest) = (Vec::new(), String::new(), text);
        while let Some(at) = rest.find(['{', '}']) {
            let (before, from) = rest.split_at(at);
            words.push_str(before);
            if let Some(behind) = from.strip_prefix("{{") {
                words.push('{');
                rest = behind;
            } else if let Some(behind) = from.strip_prefix("}}") {
                words.push('}');
                rest = behind;
            } else if let Some((name, behind)) = from.strip_prefix('{').and_then(place) {
                parts.push(TextPart::Words(std::mem::take(&mut words)));
                parts.push(TextPart::Place(name.to_owned()));
                rest = behind;
            } else {
                words.extend(from.chars().next());
                rest = from.get(1..).unwrap_or_default();
            }
        }
        words.push_str(rest);
        parts.push(TextPart::Words(words));
        parts.retain(|part| *part != TextPart::Words(String::new()));
        Self(parts)
    }

    /// A text without places, whatever braces it has.
    pub(crate) fn words(words: &str) -> Self {
        Self(vec![TextPart::Words(words.to_owned())])
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            TextPart::Place(name) => Some(name.as_str()),
            TextPart::Words(_) => None,
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Fills in the values. A line whose places are all empty is dropped if nothing but a label (`Files:`) is left of
    /// it; if nothing at all is left, a label alone on the line above is dropped, too.
    pub(crate) fn fill(&self, value: impl Fn(&str) -> String) -> String {
        let (mut lines, mut line) = (Vec::new(), TextLine::default());
        for part in &self.0 {
            match part {
                TextPart::Words(words) => {
                    for (at, words) in words.split('\n').enumerate() {
                        if at > 0 {
                            lines.push(std::mem::take(&mut line));
                        }
                        line.text.push_str(words);
                    }
                }
                TextPart::Place(name) => {
                    let value = value(name);
                    // Fenced values were truncated before, so that the fence stays closed.
                    let is_data = name.starts_with("file:") || name.starts_with("data:");
                    let value = if is_data { value } else { bounded(value) };
                    line.empty = Some(value.trim().is_empty() && line.empty != Some(false));
                    line.text.push_str(&value);
                }
            }
        }
        lines.push(line);
        let mut text: Vec<String> = Vec::new();
        for line in lines {
            let bare = line.text.trim();
            if line.empty != Some(true) || !(bare.is_empty() || bare.ends_with(':')) {
                text.push(line.text);
            } else if bare.is_empty() && text.last().is_some_and(|above| above.ends_with(':')) {
                text.pop();
            }
        }
        text.join("\n").trim().to_owned()
    }
}

#[derive(Default)]
struct TextLine {
    text: String,
    /// Whether all places of the line have empty values; `None` if it has no place.
    empty: Option<bool>,
}

/// The name of a place, and the text after its brace.
fn place(text: &str) -> Option<(&str, &str)> {
    let (name, behind) = text.split_once('}')?;
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | ':' | '-');
    (name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(fits)).then_some((name, behind))
}

/// A value, truncated if too long.
pub(crate) fn bounded(mut value: String) -> String {
    if value.len() > MAX_VALUE_BYTES {
        value.truncate(value.floor_char_boundary(MAX_VALUE_BYTES));
        value.push_str("\n… (the rest is left out)");
    }
    value
}

/// A text fit for a line: without control characters, at most this many characters.
pub(crate) fn printable(text: &str, most: usize) -> String {
    text.chars().filter(|c| !c.is_control()).take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn places_are_filled_once() {
        let text = Text::parse("{{x}} {spec}, {a b} {} {X}: {fact:tests}}");
        assert_eq!(text.names().collect::<Vec<_>>(), ["spec", "fact:tests"]);
        assert_eq!(
            text.fill(|name| format!("<{{spec}} {name}>")),
            "{x} <{spec} spec>, {a b} {} {X}: <{spec} fact:tests>}"
        );
    }

    #[test]
    fn lines_without_their_values_go() {
        let text =
            Text::parse("A\n{none}\n\nB {none}\n{x}\nFile: {none}\nFiles:\n{none}\nC: {none}{x}\nD:\n{x}");
        let value = |name: &str| if name == "x" { "1".to_owned() } else { String::new() };
        assert_eq!(text.fill(value), "A\n\nB \n1\nC: 1\nD:\n1");
        assert!(Text::parse("").is_empty());
    }

    #[test]
    fn a_value_is_bounded() {
        assert!(bounded("é".repeat(MAX_VALUE_BYTES)).len() < MAX_VALUE_BYTES + 64);
    }

    proptest! {
        #[test]
        fn any_text_without_braces_stays(text in "[^{}]{0,80}") {
            prop_assert_eq!(Text::parse(&text).fill(|_| String::new()), text.trim());
        }

        #[test]
        fn any_text_can_be_taken_apart(text in ".{0,80}") {
            Text::parse(&text).fill(|name| name.to_owned());
        }
    }
}
