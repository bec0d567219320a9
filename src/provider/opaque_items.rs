//! Stores items that came with a reply and that the provider wants back unchanged and at their place: thinking
//! blocks, encrypted reasoning, signatures. The place of an item is the bytes of text and the number of calls before
//! it.

use crate::domain::{OpaqueItem, ToolCall};
use serde_json::{Value, json};

/// A part of the model's message, in the order of the reply.
#[derive(Debug, PartialEq)]
pub(super) enum MessagePart<'a> {
    Text(&'a str),
    Call(&'a ToolCall),
    /// An item as the provider sent it.
    Item(Value),
}

/// An item at a place.
pub(super) fn new_item(kind: &str, text: usize, calls: usize, item: Value) -> OpaqueItem {
    let json = json!({ "text": text, "calls": calls, "item": item });
    OpaqueItem { kind: kind.to_owned(), json: json.to_string() }
}

/// The parts of the model's message with the kept items of one kind at their places. An item whose place is gone
/// because the text changed is put at the nearest earlier place.
pub(super) fn parts<'a>(
    text: &'a str,
    calls: &'a [ToolCall],
    kept: Option<(&str, &[OpaqueItem])>,
) -> Vec<MessagePart<'a>> {
    let mut parts = Vec::new();
    let (mut at, mut called) = (0, 0);
    if let Some((kind, kept)) = kept {
        for item in kept.iter().filter(|item| item.kind == kind) {
            let Some((place, calls_before, item)) = read(&item.json) else { continue };
            if place > at && text.is_char_boundary(place) {
                push_text(&mut parts, text.get(at..place));
                at = place;
            }
            while called < calls_before.min(calls.len()) {
                // Calls before the item are put behind the text before it.
                parts.extend(calls.get(called).map(MessagePart::Call));
                called += 1;
            }
            parts.push(MessagePart::Item(item));
        }
    }
    push_text(&mut parts, text.get(at..));
    parts.extend(calls.iter().skip(called).map(MessagePart::Call));
    parts
}

fn push_text<'a>(parts: &mut Vec<MessagePart<'a>>, text: Option<&'a str>) {
    parts.extend(text.filter(|text| !text.trim().is_empty()).map(MessagePart::Text));
}

fn read(json: &str) -> Option<(usize, usize, Value)> {
    let mut value: Value = serde_json::from_str(json).ok()?;
    let number = |name: &str| usize::try_from(value.get(name)?.as_u64()?).ok();
    let (text, calls) = (number("text")?, number("calls")?);
    Some((text, calls, value.get_mut("item")?.take()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> ToolCall {
        ToolCall { id: id.into(), name: "f".into(), arguments: "{}".into(), signature: None }
    }

    #[test]
    fn items_stand_where_they_stood() {
        let calls = [call("1"), call("2")];
        let kept = [
            new_item("k", 0, 0, json!("a")),
            new_item("other", 0, 0, json!("x")),
            new_item("k", 5, 1, json!("b")),
            new_item("k", 11, 2, json!("c")),
        ];
        let parts = parts("Hello world", &calls, Some(("k", &kept)));
        let expected = [
            MessagePart::Item(json!("a")),
            MessagePart::Text("Hello"),
            MessagePart::Call(&calls[0]),
            MessagePart::Item(json!("b")),
            MessagePart::Text(" world"),
            MessagePart::Call(&calls[1]),
            MessagePart::Item(json!("c")),
        ];
        assert_eq!(parts, expected);
    }

    #[test]
    fn places_that_are_gone_and_items_that_are_broken_do_no_harm() {
        let kept = [
            new_item("k", 900, 7, json!("a")),
            new_item("k", 1, 0, json!("b")),
            OpaqueItem { kind: "k".into(), json: "{".into() },
            OpaqueItem { kind: "k".into(), json: "{\"text\":-1}".into() },
        ];
        let found = parts("é", &[], Some(("k", &kept)));
        assert_eq!(
            found,
            [MessagePart::Item(json!("a")), MessagePart::Item(json!("b")), MessagePart::Text("é")]
        );
        assert_eq!(parts("", &[], Some(("k", &[]))), []);
    }
}
