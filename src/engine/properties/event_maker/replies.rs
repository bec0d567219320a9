//! Makes what a model's streamed reply brings: text, tool calls, reports, an end.

use super::EventMaker;
use crate::domain::{FailureKind, FinishReason, OpaqueItem, ReplyEvent, StepId, ToolCall, Usage};
use crate::engine::Event;
use crate::engine::dialogue::failure;

const CALLS: &[(&str, &str)] = &[
    ("run_code", r#"{"language": "python", "code": "print(1)"}"#),
    ("write_file", r#"{"path": "a.txt", "content": "x\n"}"#),
    ("read_file", r#"{"path": "a.txt"}"#),
    ("run_code", r#"{"code": "ls"}"#),
    ("run_code", r#"{"code": "#),
    ("list_files", "{}"),
    ("rm", "{}"),
];

impl EventMaker<'_> {
    pub(super) fn reply(&self, event: ReplyEvent) -> Event {
        let off = u32::from(self.a.is_multiple_of(16));
        Event::Reply(StepId(self.watched.last_step.0.saturating_sub(off)), event)
    }

    pub(super) fn reason(&self) -> FinishReason {
        let reasons =
            [FinishReason::Stop, FinishReason::Stop, FinishReason::Length, FinishReason::Incomplete];
        reasons[self.b % 4]
    }

    /// A tool call, valid or not; two in eight have the same id, and one has none.
    pub(super) fn call(&self) -> ReplyEvent {
        let (name, arguments) = CALLS[self.b / 4 % CALLS.len()];
        let id = match self.a % 8 {
            0 => String::new(),
            n => format!("c{}", n / 2),
        };
        ReplyEvent::ToolCall(ToolCall { id, name: name.into(), arguments: arguments.into(), signature: None })
    }

    pub(super) fn other_reply(&self) -> ReplyEvent {
        match self.b % 6 {
            4 => self.call(),
            5 => ReplyEvent::Kept(OpaqueItem { kind: "p".into(), json: "{}".into() }),
            0 => ReplyEvent::Sent,
            1 => ReplyEvent::Reasoning("hm".into()),
            2 if self.a.is_multiple_of(2) => ReplyEvent::Usage(Usage { output: Some(7), ..Usage::default() }),
            2 => ReplyEvent::Usage(Usage { input: Some(40), output: Some(7), ..Usage::default() }),
            _ => {
                ReplyEvent::Retrying { attempt: 1, of: 5, wait_ms: 9, failure: failure(FailureKind::Server) }
            }
        }
    }
}
