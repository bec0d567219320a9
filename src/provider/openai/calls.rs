//! Assembles tool calls from their pieces. Groq, xAI and z.ai send a call in one piece, OpenAI token by token; some
//! servers leave out the index, or give every call the index 0.

use super::chunk::{CallPiece, ChunkFunction};
use crate::domain::ToolCall;
use crate::provider::accumulator::ENTRY_BYTES;
use serde_json::Value;
use std::collections::HashMap;

/// The calls of one reply so far.
#[derive(Debug, Default)]
pub(super) struct Calls {
    calls: Vec<ToolCall>,
    /// The position of the newest call of each index; a hostile reply has a great many.
    newest: HashMap<u64, usize>,
    bytes: usize,
}

impl Calls {
    pub(super) fn add(&mut self, piece: CallPiece) {
        let id = piece.id.unwrap_or_default();
        let function = piece.function.unwrap_or(ChunkFunction { name: None, arguments: None });
        let place = self.find_or_begin(piece.index, &id, function.name.as_deref().unwrap_or_default());
        let Some(call) = self.calls.get_mut(place) else { return };
        let bytes = |call: &ToolCall| call.id.len() + call.name.len() + call.arguments.len();
        let before = bytes(call);
        if call.id.is_empty() {
            call.id = id;
        }
        if let Some(name) = function.name.filter(|name| *name != call.name) {
            call.name.push_str(&name);
        }
        match function.arguments {
            Some(Value::String(text)) => call.arguments.push_str(&text),
            None | Some(Value::Null) => {}
            Some(other) => call.arguments.push_str(&other.to_string()),
        }
        self.bytes += bytes(call) - before;
    }

    /// The position of the call to which a piece belongs; begins a new call if it belongs to none.
    fn find_or_begin(&mut self, index: Option<u64>, id: &str, name: &str) -> usize {
        let open = match index {
            Some(index) => self.newest.get(&index).copied(),
            None => self.calls.len().checked_sub(1),
        };
        let same = |call: &ToolCall| {
            let is_another = !id.is_empty() && !call.id.is_empty() && call.id != id;
            // Without an index, a name begins a new call unless the piece has the id of the last call.
            let begins = index.is_none() && !name.is_empty() && (id.is_empty() || call.id != id);
            !is_another && !begins
        };
        match open {
            Some(place) if self.calls.get(place).is_some_and(same) => place,
            _ => {
                self.bytes += ENTRY_BYTES;
                let place = self.calls.len();
                self.calls.push(ToolCall::default());
                if let Some(index) = index {
                    self.newest.insert(index, place);
                }
                place
            }
        }
    }

    /// How many bytes the calls take.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    pub(super) fn take(&mut self) -> impl Iterator<Item = ToolCall> + use<> {
        std::mem::take(self).calls.into_iter()
    }
}
