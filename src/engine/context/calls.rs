//! Tool calls and their answers. An API demands exactly one answer for each call, directly after the reply with the
//! calls. The answer is the result of its block at the time when somebody speaks again; what is settled later is sent
//! later, as text.

use crate::domain::{Block, BlockKind, Dialect, Language, Message, Role, ToolCall};
use crate::engine::transcript::{ReplyItem, Transcript};
use crate::text::fence::fenced;

/// The whole answer to a call that was skipped or is undecided.
const NOT_RUN: &str = "not run";

/// The reply as a message with its calls.
pub(super) fn reply(reply: &ReplyItem) -> Message {
    // Arguments that are not JSON can't be sent back, as most servers refuse them. The answer says what was wrong.
    let sound = |call: &ToolCall| {
        serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&call.arguments).is_ok()
    };
    let calls = reply.tool_calls().iter().map(|call| ToolCall {
        arguments: if sound(call) { call.arguments.clone() } else { "{}".into() },
        ..call.clone()
    });
    Message {
        tool_calls: calls.collect(),
        kept: reply.opaque_items().to_vec(),
        ..Message::new(Role::Assistant, reply.text())
    }
}

/// The answer to a call; `told` is the text of its results.
pub(super) fn answer(reply: &ReplyItem, call: &ToolCall, told: String) -> Message {
    let text = match refusal(reply, call) {
        Some(why) => format!("{NOT_RUN}: {why}"),
        None if told.is_empty() => NOT_RUN.to_owned(),
        None => told,
    };
    Message::result(call.id.clone(), text)
}

/// The reply for a dialect without tools: its calls follow its text, written as the model would have written them.
pub(super) fn as_text(reply: &ReplyItem, transcript: &Transcript, dialect: Dialect) -> String {
    let mut parts: Vec<String> = Vec::new();
    if !reply.text().is_empty() {
        parts.push(reply.text().to_owned());
    }
    // Uses the blocks of the calls, which are in memory even if the reply is only in the file.
    let blocks = reply.blocks.iter().filter_map(|id| transcript.blocks.get(id)).map(|item| &item.block);
    let called = blocks.filter(|block| block.origin.call.is_some());
    parts.extend(called.map(|block| written(block, dialect)));
    parts.join("\n\n")
}

/// What the model is told of calls that became no block, in a dialect without tools.
pub(super) fn refused(reply: &ReplyItem) -> String {
    let lines: Vec<String> = reply
        .refused
        .iter()
        .map(|refused| format!("A tool call of yours was {NOT_RUN}: {}", refused.why))
        .collect();
    lines.join("\n")
}

fn refusal<'a>(reply: &'a ReplyItem, call: &ToolCall) -> Option<&'a str> {
    reply.refused.iter().find(|refused| refused.call == call.id).map(|refused| refused.why.as_str())
}

/// The block that a call became.
pub(super) fn block_of<'a>(
    reply: &ReplyItem,
    transcript: &'a Transcript,
    call: &ToolCall,
) -> Option<&'a Block> {
    let blocks = reply.blocks.iter().filter_map(|id| transcript.blocks.get(id)).map(|item| &item.block);
    blocks.into_iter().find(|block| block.origin.call.as_ref() == Some(&call.id))
}

/// A block as it would have been written without tools.
fn written(block: &Block, dialect: Dialect) -> String {
    let original = block.original();
    match &block.kind {
        BlockKind::Code { language } => {
            let language = language.as_ref().map_or("", Language::as_str);
            match dialect {
                Dialect::ExecuteTags => {
                    format!(
                        "<execute lang=\"{language}\">\n{}\n</execute>",
                        original.source.trim_end_matches('\n')
                    )
                }
                _ => fenced(language, &original.source),
            }
        }
        BlockKind::Write { path } => {
            format!("[write_file {path}]\n{}", fenced("text norun", &original.source))
        }
        BlockKind::Edit { .. } => {
            let written = block.versions.first().map_or("", |version| &version.source);
            fenced(&format!("edit path={}", block.path().unwrap_or_default()), written)
        }
        kind => format!("[{} {}]", kind.as_str(), block.path().unwrap_or_default()),
    }
}
