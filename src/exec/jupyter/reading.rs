//! Collects the messages about one block: its output, and how it ended. Pure.
//!
//! The reply may come before the last output, and either the reply or the idle status may never come: a kernel that
//! dies sends no reply, and a flooded channel drops messages. So both are waited for, and when one has come, the other
//! a while longer.

use super::html;
use super::message::{Channel, JupyterMessage};
use crate::domain::{RunError, RunEvent, Stream};
use crate::exec::backend::BackendEvent;
use crate::exec::kernel_wire::{BlockEnd, RunSummary, cut};
use crate::text::escapes::without_escapes;
use base64::Engine as _;
use serde_json::Value;

const MAX_VALUE_BYTES: usize = 256 << 10;

#[derive(Debug, Default)]
pub(super) struct ReplyReader {
    request: String,
    started: bool,
    idle: bool,
    reply: Option<(BlockEnd, i32)>,
    value: Option<String>,
    error: Option<RunError>,
    figures: u32,
    interrupted: bool,
}

/// What is still missing of the end of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AwaitedReply {
    Both,
    /// The reply has arrived; output may still follow.
    Idle,
    /// The kernel is idle; the reply has to follow.
    Reply,
    /// Nothing: the block has ended.
    Nothing,
}

impl ReplyReader {
    /// A reader of the messages about the block that this request sent.
    pub(super) fn new(request: String) -> Self {
        Self { request, ..Self::default() }
    }

    /// Notes an interrupt. If it hits the kernel's own code, the kernel sends no reply, and the block did not end well.
    pub(super) fn interrupt(&mut self) {
        self.interrupted = true;
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted
    }

    pub(super) fn missing(&self) -> AwaitedReply {
        match (self.reply.is_some(), self.idle) {
            (true, true) => AwaitedReply::Nothing,
            (true, false) => AwaitedReply::Idle,
            (false, true) => AwaitedReply::Reply,
            (false, false) => AwaitedReply::Both,
        }
    }

    /// How the block ended, as far as messages said it.
    pub(super) fn done(self) -> RunSummary {
        let known = match &self.error {
            _ if self.interrupted => (BlockEnd::Interrupted, 1),
            Some(_) => (BlockEnd::Error, 1),
            None => (BlockEnd::Ok, 0),
        };
        let (how, code) = self.reply.unwrap_or(known);
        RunSummary { how, code, value: self.value, error: self.error, ..RunSummary::default() }
    }

    /// Takes a message. Returns the events that it causes.
    pub(super) fn take(&mut self, message: &JupyterMessage) -> Vec<BackendEvent> {
        if message.parent_id() != self.request {
            return Vec::new();
        }
        let mut events = Vec::new();
        match (message.channel, message.kind()) {
            (Channel::Iopub, "status") => match message.text("execution_state") {
                "busy" => self.start(&mut events),
                "idle" => self.idle = true,
                _ => {}
            },
            (Channel::Iopub, "execute_input") => self.start(&mut events),
            (Channel::Iopub, "stream") => {
                self.start(&mut events);
                let stream = if message.text("name") == "stderr" { Stream::Stderr } else { Stream::Stdout };
                events.push(BackendEvent::printed(stream, message.text("text").as_bytes().to_vec()));
            }
            (Channel::Iopub, "display_data" | "update_display_data") => {
                if let Some(text) = self.show(message, &mut events) {
                    events.push(BackendEvent::printed(Stream::Stdout, (text + "\n").into_bytes()));
                }
            }
            (Channel::Iopub, "execute_result") => {
                self.value = self
                    .show(message, &mut events)
                    .map(|text| cut(text, MAX_VALUE_BYTES))
                    .or(self.value.take());
            }
            (Channel::Iopub, "error") => self.error = self.error.take().or_else(|| error(&message.content)),
            (Channel::Shell, "execute_reply") => self.reply(message, &mut events),
            _ => {}
        }
        events
    }

    fn start(&mut self, events: &mut Vec<BackendEvent>) {
        if !self.started {
            self.started = true;
            events.push(RunEvent::Started.into());
        }
    }

    fn reply(&mut self, message: &JupyterMessage, events: &mut Vec<BackendEvent>) {
        self.start(events);
        let content = &message.content;
        // Help texts and the like arrive with the reply.
        for page in content.get("payload").and_then(Value::as_array).into_iter().flatten().take(20) {
            if let Some(text) = page.pointer("/data/text~1plain").and_then(Value::as_str) {
                events.push(BackendEvent::printed(Stream::Stdout, (plain(text) + "\n").into_bytes()));
            }
        }
        self.reply = Some(match message.text("status") {
            "ok" => (BlockEnd::Ok, 0),
            "error" => {
                let (kind, value) = (message.text("ename"), message.text("evalue"));
                let status = value.trim().parse::<i32>();
                match (kind, status) {
                    ("KeyboardInterrupt", _) => (BlockEnd::Interrupted, 1),
                    ("SystemExit", status) => {
                        self.error = None;
                        (BlockEnd::Exit, status.unwrap_or(i32::from(!matches!(value, "" | "None"))))
                    }
                    // A shell's kernel reports the status of its last command, without an error name.
                    ("", Ok(status)) => {
                        self.error = None;
                        (BlockEnd::Error, status)
                    }
                    _ => {
                        self.error = self.error.take().or_else(|| error(content));
                        (BlockEnd::Error, 1)
                    }
                }
            }
            // `abort` and `aborted`: it was interrupted, or queued behind a block that failed.
            _ => (BlockEnd::Interrupted, 1),
        });
    }

    /// Handles a display: emits its picture, or returns its text if it has no picture.
    fn show(&mut self, message: &JupyterMessage, events: &mut Vec<BackendEvent>) -> Option<String> {
        self.start(events);
        let data = message.content.get("data")?;
        let text = |mime: &str| match data.get(mime)? {
            Value::String(text) => Some(text.clone()),
            // The older form of a notebook: a list of lines.
            Value::Array(lines) => Some(lines.iter().filter_map(Value::as_str).collect()),
            other => serde_json::to_string_pretty(other).ok(),
        };
        for (mime, extension) in [("image/png", "png"), ("image/jpeg", "jpg"), ("image/svg+xml", "svg")] {
            let Some(text) = text(mime) else { continue };
            let bytes = if extension == "svg" {
                text.into_bytes()
            } else {
                let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
                match base64::engine::general_purpose::STANDARD.decode(plain) {
                    Ok(bytes) => bytes,
                    Err(_) => continue,
                }
            };
            self.figures += 1;
            events.push(BackendEvent::Image(format!("figure-{}.{extension}", self.figures), mime, bytes));
            return None;
        }
        let shown = text("text/plain").map(|text| plain(&text));
        // A text such as `<IPython.core.display.HTML object>` is useless; another form may be better.
        let says = shown.as_ref().is_some_and(|text| !(text.starts_with('<') && text.ends_with('>')));
        if says {
            return shown;
        }
        let rich = text("text/html").map(|html| plain(&html::text(&html))).filter(|text| !text.is_empty());
        let other = ["text/markdown", "text/latex", "application/json"];
        rich.or_else(|| other.iter().find_map(|mime| text(mime)).map(|text| plain(&text))).or(shown)
    }
}

/// The text without colours and other control sequences.
fn plain(text: &str) -> String {
    without_escapes(text).into_owned()
}

fn error(content: &Value) -> Option<RunError> {
    let text = |name: &str| content.get(name).and_then(Value::as_str).map(plain).unwrap_or_default();
    let lines = content.get("traceback").and_then(Value::as_array).cloned().unwrap_or_default();
    let traceback: Vec<String> = lines.iter().filter_map(Value::as_str).map(plain).collect();
    let (kind, message) = (text("ename"), text("evalue"));
    (!kind.is_empty()).then(|| RunError {
        kind: cut(kind, MAX_VALUE_BYTES),
        message: cut(message, MAX_VALUE_BYTES),
        traceback: cut(traceback.join("\n"), MAX_VALUE_BYTES),
    })
}

#[cfg(test)]
mod tests;
