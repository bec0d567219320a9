//! Masks the texts of a line that come from somebody, but not the words of the format: a line whose format words were
//! masked could not be read again. Which strings are words of the format is not listed but tested with the types that
//! read the line: if a word is replaced by a placeholder, reading and writing the line does not return the
//! placeholder.

use super::entry::{LineContent, encode, read};
use super::fields::Fields;
use crate::domain::Maskable;
use crate::domain::mask::MaskPen;
use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;

/// Not a word of the format, a number, a time or a checksum.
const PLACEHOLDER: &str = "AAAA";

impl Maskable for Fields {
    fn mask_with(&mut self, pen: &mut MaskPen) {
        let mut line = Value::Object(std::mem::take(&mut self.0));
        let mut places = Vec::new();
        masked_places(&line, "", pen, &mut places);
        // All strings are tested on the unmasked line, because a partly masked one may not be readable any more.
        let mut somebodys = HashSet::new();
        places.retain(|place| {
            let shape = shape(place);
            if !somebodys.contains(&shape) && is_word(&line, place) {
                return false;
            }
            somebodys.insert(shape);
            true
        });
        for place in places {
            if let Some(Value::String(text)) = line.pointer_mut(&place) {
                pen.text(text);
            }
        }
        if let Value::Object(fields) = line {
            self.0 = fields;
        }
    }
}

/// The places of strings that contain something to mask, as JSON pointers.
fn masked_places(value: &Value, place: &str, pen: &MaskPen, places: &mut Vec<String>) {
    match value {
        Value::String(text) if pen.touches(text) => places.push(place.to_owned()),
        Value::Array(items) => {
            let each = items.iter().enumerate();
            each.for_each(|(at, item)| masked_places(item, &format!("{place}/{at}"), pen, places));
        }
        Value::Object(fields) => {
            fields
                .iter()
                .for_each(|(key, value)| masked_places(value, &format!("{place}/{key}"), pen, places));
        }
        _ => {}
    }
}

/// A place without its positions in lists: if one item of a list contains somebody's text, so do the others.
fn shape(place: &str) -> String {
    let part =
        |part: &str| if part.bytes().all(|b| b.is_ascii_digit()) { "*".into() } else { part.to_owned() };
    place.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// Whether the string at a place of a line is a word of the format. If that can't be found out, it counts as
/// somebody's text.
fn is_word(line: &Value, place: &str) -> bool {
    let mut changed = line.clone();
    if let Some(text) = changed.pointer_mut(place) {
        *text = PLACEHOLDER.into();
    }
    match read_and_written(&changed) {
        Some(again) => again.pointer(place).is_some_and(|text| text != PLACEHOLDER),
        None => read_and_written(line).is_some(),
    }
}

fn read_and_written(line: &Value) -> Option<Value> {
    let blobs = Path::new("/");
    match read(line.get("kind")?.as_str()?, &line.to_string(), blobs) {
        Ok(LineContent::Entry(entry, _)) => {
            encode(&entry, blobs, None).ok().map(|fields| Value::Object(fields.0))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{
        BlockId, Entry, Finish, FinishReason, Grantor, Masker, Revision, RunId, Sha256, StepId, ToolCall,
        Usage,
    };
    use crate::store::samples::terms;

    fn masked(key: &str, entry: &Entry) -> String {
        let fields = encode(entry, Path::new("/"), None).unwrap().with("session", key);
        let masked = Masker::knowing([key.into()]).mask(fields);
        assert_eq!(masked.kinds().len(), 1);
        Value::Object(masked.into_inner().0).to_string()
    }

    #[test]
    fn words_of_the_format_stay_and_all_others_are_masked() {
        let (block, revision) = (BlockId(1), Revision(1));
        let reason = "decision".into();
        assert_eq!(
            masked("decision", &Entry::Rejected { block, revision, reason }),
            r#"{"kind":"decision","decision":"reject","block":1,"revision":1,"reason":"********","session":"********"}"#
        );
        let call = ToolCall {
            id: "1".into(),
            name: "tool_calls".into(),
            arguments: "{\"a\":\"tool_calls\"}".into(),
            signature: None,
        };
        let reply = Entry::Reply {
            step: StepId(1),
            text: "a tool_calls of mine".into(),
            reasoning: String::new(),
            tool_calls: vec![call],
            kept: Vec::new(),
            finish: Finish { reason: FinishReason::ToolCalls, word: Some("tool_calls".into()) },
            usage: Usage::default(),
        };
        assert_eq!(
            masked("tool_calls", &reply),
            r#"{"kind":"reply","step":1,"text":"a [redacted] of mine","reasoning":"","tool_calls":[{"id":"1","name":"[redacted]","arguments":"{\"a\":\"[redacted]\"}"}],"finish":{"reason":"tool_calls","word":"[redacted]"},"usage":{},"session":"[redacted]"}"#
        );
    }

    #[test]
    fn checksums_times_and_terms_stay() {
        let (run, block, revision, sha256) = (RunId(1), BlockId(1), Revision(1), Sha256::of(b"x"));
        let by = Grantor::Person { typed: true };
        let approved = Entry::Approved { run, block, revision, sha256, terms: terms(), by };
        let hash = sha256.to_string();
        for word in [hash.as_str(), "person-typed", "workspace"] {
            let line = masked(word, &approved);
            assert!(matches!(read("decision", &line, Path::new("/")), Ok(LineContent::Entry(..))), "{line}");
        }
        assert!(masked("landlock", &approved).contains(r#""name":"********""#));
    }
}
