//! Puts the messages of a request into an order that every format can encode: results directly behind the calls that
//! they answer, no call without a result, no result without a call, nothing empty.
//!
//! Servers refuse a conversation that breaks these rules, and a change of the model or a stopped turn can leave such
//! a one. Each format decides how to encode the parts, and whether to join neighbours.

use super::opaque_items::{self, MessagePart};
use crate::config::Effort;
use crate::domain::{Message, MessageImage, ModelRequest, Role, ToolCall};
use serde_json::{Map, Value, json};

/// The result sent for a call that has none.
const UNANSWERED_MESSAGE: &str = "This call was not carried out.";

/// The person's message put before a conversation that begins with the model, which some servers refuse.
pub(super) const CONTINUE_MESSAGE: &str = "(The conversation goes on.)";

#[derive(Debug, PartialEq)]
pub(super) enum Utterance<'a> {
    System(&'a str),
    /// A message of the person, or a result in a dialect without tools.
    User {
        text: &'a str,
        images: &'a [MessageImage],
    },
    Model(Vec<MessagePart<'a>>),
    /// The results of the calls in the model's message before, in the order of the calls.
    Results(Vec<CallResult<'a>>),
}

#[derive(Debug, PartialEq)]
pub(super) struct CallResult<'a> {
    pub(super) call: &'a ToolCall,
    pub(super) text: &'a str,
    pub(super) images: &'a [MessageImage],
}

/// The conversation of a request. `kind`: the format whose kept items are sent back; `None`: no kept items.
pub(super) fn utterances<'a>(request: &'a ModelRequest, kind: Option<&str>) -> Vec<Utterance<'a>> {
    // A server refuses calls in a request without tools: the calls are left out, and their results become text.
    let with_calls = !request.tools.is_empty();
    let messages = &request.messages;
    let mut all = Vec::new();
    let mut taken = vec![false; messages.len()];
    for (at, message) in messages.iter().enumerate() {
        if taken.get(at).copied().unwrap_or(false) {
            continue;
        }
        match message.role {
            Role::System if message.text.trim().is_empty() => {}
            Role::System => all.push(Utterance::System(&message.text)),
            Role::User | Role::Tool => {
                if !message.text.trim().is_empty() || !message.images.is_empty() {
                    all.push(Utterance::User { text: &message.text, images: &message.images });
                }
            }
            Role::Assistant => {
                let calls: &[ToolCall] = if with_calls { &message.tool_calls } else { &[] };
                let kept = kind.map(|kind| (kind, message.kept.as_slice()));
                let parts = opaque_items::parts(&message.text, calls, kept);
                if parts.iter().any(|part| !matches!(part, MessagePart::Item(_))) {
                    all.push(Utterance::Model(parts));
                }
                if !calls.is_empty() {
                    all.push(Utterance::Results(outcomes(calls, messages, at, &mut taken)));
                }
            }
        }
    }
    all
}

/// The results of these calls: the tool messages before the model speaks again.
fn outcomes<'a>(
    calls: &'a [ToolCall],
    messages: &'a [Message],
    at: usize,
    taken: &mut [bool],
) -> Vec<CallResult<'a>> {
    let behind: Vec<(usize, &Message)> = messages
        .iter()
        .enumerate()
        .skip(at + 1)
        .take_while(|(_, m)| m.role != Role::Assistant)
        .filter(|(_, m)| m.role == Role::Tool)
        .collect();
    let mut outcome = |call: &'a ToolCall| {
        let answers = |(place, m): &&(usize, &'a Message)| {
            m.answers.as_deref() == Some(call.id.as_str()) && !taken.get(*place).copied().unwrap_or(true)
        };
        match behind.iter().find(answers) {
            Some((place, message)) => {
                if let Some(mark) = taken.get_mut(*place) {
                    *mark = true;
                }
                CallResult { call, text: &message.text, images: &message.images }
            }
            None => CallResult { call, text: UNANSWERED_MESSAGE, images: &[] },
        }
    };
    calls.iter().map(&mut outcome).collect()
}

/// Removes and returns the instructions at the start of the conversation.
pub(super) fn take_system<'a>(said: &mut Vec<Utterance<'a>>) -> Vec<&'a str> {
    let texts =
        said.iter().map_while(|said| if let Utterance::System(text) = said { Some(*text) } else { None });
    let texts: Vec<&str> = texts.collect();
    said.drain(..texts.len());
    texts
}

/// The conversation as turns of the person and the model, the person first; neighbours of one role are joined.
/// `opening_message` makes the person's message for a conversation that begins with the model.
pub(super) fn turns<'a>(
    parts: impl IntoIterator<Item = (&'a str, Vec<Value>)>,
    opening_message: impl Fn() -> Value,
) -> Vec<(&'a str, Vec<Value>)> {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for (role, parts) in parts {
        match turns.last_mut() {
            Some((last, before)) if *last == role => before.extend(parts),
            None if role != "user" => turns.extend([("user", vec![opening_message()]), (role, parts)]),
            _ => turns.push((role, parts)),
        }
    }
    turns
}

/// The arguments of a call as the object that servers demand. Arguments that are not a JSON object are sent as text,
/// so that the model sees what it wrote.
pub(super) fn arguments(call: &ToolCall) -> Value {
    if call.arguments.trim().is_empty() {
        return Value::Object(Map::new());
    }
    object(&call.arguments).unwrap_or_else(|| json!({ "not_valid_json": call.arguments }))
}

/// The schema of a tool's parameters or of an answer; a text that is not a schema of an object becomes one that
/// allows any object.
pub(super) fn schema(text: &str) -> Value {
    object(text).unwrap_or_else(|| json!({ "type": "object" }))
}

fn object(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().filter(Value::is_object)
}

/// The thinking budget of an effort, for servers that take tokens.
pub(super) fn thinking_tokens(effort: Effort) -> u64 {
    match effort {
        Effort::Low => 2_048,
        Effort::Medium => 8_192,
        Effort::High => 24_576,
    }
}

/// Text and images as the parts of a message; blank text gives no part.
pub(super) fn parts(
    words: &str,
    images: &[MessageImage],
    text: fn(&str) -> Value,
    image: fn(&MessageImage) -> Value,
) -> Vec<Value> {
    let first = (!words.trim().is_empty()).then(|| text(words));
    first.into_iter().chain(images.iter().map(image)).collect()
}

/// An image as base64; `None` if its bytes are missing.
pub(super) fn base64(image: &MessageImage) -> Option<String> {
    use base64::Engine as _;
    image.data.as_ref().map(|bytes| base64::engine::general_purpose::STANDARD.encode(bytes))
}

/// An image as a `data:` URL.
pub(super) fn data_url(image: &MessageImage) -> Option<String> {
    base64(image).map(|data| format!("data:{};base64,{data}", image.image.mime))
}

/// The text sent in place of an image whose bytes are missing.
pub(super) fn missing_image(image: &MessageImage) -> String {
    format!("[The image {} can't be read any more.]", image.image.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Purpose, StepId, Tool};

    fn call(id: &str) -> ToolCall {
        ToolCall { id: id.into(), name: "f".into(), arguments: "{}".into(), signature: None }
    }

    fn request(messages: Vec<Message>, tools: bool) -> ModelRequest {
        let tool = Tool { name: "f".into(), description: String::new(), parameters: "{}".into() };
        let tools = if tools { vec![tool] } else { vec![] };
        ModelRequest { tools, ..ModelRequest::new(StepId(1), Purpose::Answer, messages) }
    }

    fn model(text: &str, calls: &[&str]) -> Message {
        Message {
            tool_calls: calls.iter().map(|id| call(id)).collect(),
            ..Message::new(Role::Assistant, text)
        }
    }

    /// One short text for each utterance.
    fn told(messages: Vec<Message>, tools: bool) -> Vec<String> {
        let request = request(messages, tools);
        utterances(&request, None)
            .iter()
            .map(|said| match said {
                Utterance::System(text) => format!("s:{text}"),
                Utterance::User { text, .. } => format!("u:{text}"),
                Utterance::Model(parts) => format!("m:{}", parts.len()),
                Utterance::Results(all) => {
                    let all: Vec<_> = all.iter().map(|o| format!("{}={}", o.call.id, o.text)).collect();
                    format!("r:{}", all.join(","))
                }
            })
            .collect()
    }

    #[test]
    fn results_stand_behind_their_calls_in_their_order() {
        let messages = vec![
            Message::new(Role::User, "go"),
            model("two", &["1", "2"]),
            Message::result("2", "b"),
            Message::new(Role::User, "and"),
            Message::result("1", "a"),
            model("done", &[]),
        ];
        assert_eq!(told(messages, true), ["u:go", "m:3", "r:1=a,2=b", "u:and", "m:1"]);
    }

    #[test]
    fn calls_without_results_and_results_without_calls_are_made_good() {
        let messages = vec![
            model("", &["1"]),
            Message::new(Role::User, "x"),
            model("y", &[]),
            Message::result("1", "late"),
        ];
        assert_eq!(
            told(messages, true),
            ["m:1", "r:1=This call was not carried out.", "u:x", "m:1", "u:late"]
        );
        let twice = vec![model("", &["1"]), Message::result("1", "a"), Message::result("1", "b")];
        assert_eq!(told(twice, true), ["m:1", "r:1=a", "u:b"]);
    }

    #[test]
    fn without_tools_there_are_no_calls() {
        let messages = vec![model("I look", &["1"]), Message::result("1", "a"), model("", &["2"])];
        assert_eq!(told(messages, false), ["m:1", "u:a"]);
    }

    #[test]
    fn nothing_empty_is_said() {
        let messages = vec![
            Message::new(Role::System, " "),
            Message::new(Role::User, ""),
            model("\n", &[]),
            model("a", &[]),
        ];
        assert_eq!(told(messages, true), ["m:1"]);
    }

    #[test]
    fn broken_arguments_are_an_object_too() {
        for (text, expected) in [
            ("", "{}"),
            (r#"{"a":1}"#, r#"{"a":1}"#),
            (r#"{"a":"#, r#"{"not_valid_json":"{\"a\":"}"#),
            ("[1]", r#"{"not_valid_json":"[1]"}"#),
        ] {
            let call = ToolCall { arguments: text.into(), ..call("1") };
            assert_eq!(arguments(&call).to_string(), expected);
        }
        assert_eq!(schema("nonsense").to_string(), r#"{"type":"object"}"#);
    }
}
