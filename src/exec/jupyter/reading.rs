//! What the messages about one block amount to. Pure.
//!
//! The reply may come before the last output, and either of reply and idle may never come: a kernel that dies sends no
//! reply, and a flooded channel drops what it likes. So both are waited for, each a while longer than the other.

use super::html;
use super::message::{Channel, JupyterMessage};
use crate::domain::{RunError, RunEvent, Stream};
use crate::exec::backend::BackendEvent;
use crate::exec::kernel_wire::{BlockEnd, RunSummary};
use base64::Engine as _;
use serde_json::Value;

const MAX_VALUE_BYTES: usize = 256 << 10;

/// A block whose messages are read.
#[derive(Debug)]
pub(super) struct ReplyReader {
    request: String,
    started: bool,
    idle: bool,
    reply: Option<(BlockEnd, i32)>,
    value: Option<String>,
    error: Option<RunError>,
    figures: u32,
    /// It was interrupted.
    interrupted: bool,
}

/// What is still missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AwaitedReply {
    Both,
    /// The reply is here: output may follow.
    Idle,
    /// It is idle: the reply has to follow.
    Reply,
    /// Nothing: it is over.
    Nothing,
}

impl ReplyReader {
    /// The block that this request handed over.
    pub(super) fn new(request: String) -> Self {
        Self {
            request,
            started: false,
            idle: false,
            reply: None,
            value: None,
            error: None,
            figures: 0,
            interrupted: false,
        }
    }

    /// It is interrupted: a kernel whose own code the interrupt meets sends no reply, and did not end well then.
    pub(super) fn interrupt(&mut self) {
        self.interrupted = true;
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted
    }

    /// What is still missing.
    pub(super) fn missing(&self) -> AwaitedReply {
        match (self.reply.is_some(), self.idle) {
            (true, true) => AwaitedReply::Nothing,
            (true, false) => AwaitedReply::Idle,
            (false, true) => AwaitedReply::Reply,
            (false, false) => AwaitedReply::Both,
        }
    }

    /// How it ended, as far as it was told.
    pub(super) fn done(self) -> RunSummary {
        let known = match &self.error {
            _ if self.interrupted => (BlockEnd::Interrupted, 1),
            Some(_) => (BlockEnd::Error, 1),
            None => (BlockEnd::Ok, 0),
        };
        let (how, code) = self.reply.unwrap_or(known);
        RunSummary {
            how,
            code,
            value: self.value,
            error: self.error,
            cwd: None,
            variables: 0,
            changes: None,
            module_path: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Takes a message; what is to be told of it.
    pub(super) fn take(&mut self, message: &JupyterMessage) -> Vec<BackendEvent> {
        if message.parent_id() != self.request {
            return Vec::new();
        }
        let mut heard = Vec::new();
        match (message.channel, message.kind()) {
            (Channel::Iopub, "status") => match message.text("execution_state") {
                "busy" => self.start(&mut heard),
                "idle" => self.idle = true,
                _ => {}
            },
            (Channel::Iopub, "execute_input") => self.start(&mut heard),
            (Channel::Iopub, "stream") => {
                self.start(&mut heard);
                let stream = if message.text("name") == "stderr" { Stream::Stderr } else { Stream::Stdout };
                heard.push(BackendEvent::printed(stream, message.text("text").as_bytes().to_vec()));
            }
            (Channel::Iopub, "display_data" | "update_display_data") => {
                if let Some(text) = self.show(message, &mut heard) {
                    heard.push(BackendEvent::printed(Stream::Stdout, (text + "\n").into_bytes()));
                }
            }
            (Channel::Iopub, "execute_result") => {
                self.value = self.show(message, &mut heard).map(|text| truncate(&text)).or(self.value.take());
            }
            (Channel::Iopub, "error") => self.error = self.error.take().or_else(|| error(&message.content)),
            (Channel::Shell, "execute_reply") => self.reply(message, &mut heard),
            _ => {}
        }
        heard
    }

    fn start(&mut self, heard: &mut Vec<BackendEvent>) {
        if !self.started {
            self.started = true;
            heard.push(RunEvent::Started.into());
        }
    }

    fn reply(&mut self, message: &JupyterMessage, heard: &mut Vec<BackendEvent>) {
        self.start(heard);
        let content = &message.content;
        // Help texts and the like come with the reply.
        for page in content.get("payload").and_then(Value::as_array).into_iter().flatten().take(20) {
            if let Some(text) = page.pointer("/data/text~1plain").and_then(Value::as_str) {
                heard.push(BackendEvent::printed(
                    Stream::Stdout,
                    format!("{}\n", strip_colours(text)).into_bytes(),
                ));
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
                    // A shell's kernel tells the status of its last command, and no name.
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
            // `abort` and `aborted`: it was interrupted, or was behind one that failed.
            _ => (BlockEnd::Interrupted, 1),
        });
    }

    /// Shows a display: its pictures go to files; its text, unless a picture stands for it.
    fn show(&mut self, message: &JupyterMessage, heard: &mut Vec<BackendEvent>) -> Option<String> {
        self.start(heard);
        let data = message.content.get("data")?;
        let text = |mime: &str| match data.get(mime)? {
            Value::String(text) => Some(text.clone()),
            // The older form of a notebook: lines.
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
            heard.push(BackendEvent::Image(format!("figure-{}.{extension}", self.figures), mime, bytes));
            return None;
        }
        let shown = text("text/plain").map(|text| strip_colours(&text));
        // `<IPython.core.display.HTML object>` says nothing; the other forms do.
        let says = shown.as_ref().is_some_and(|text| !(text.starts_with('<') && text.ends_with('>')));
        if says {
            return shown;
        }
        let rich =
            text("text/html").map(|html| strip_colours(&html::text(&html))).filter(|text| !text.is_empty());
        let other = ["text/markdown", "text/latex", "application/json"];
        rich.or_else(|| other.iter().find_map(|mime| text(mime)).map(|text| strip_colours(&text))).or(shown)
    }
}

fn error(content: &Value) -> Option<RunError> {
    let text = |name: &str| content.get(name).and_then(Value::as_str).map(strip_colours).unwrap_or_default();
    let lines = content.get("traceback").and_then(Value::as_array).cloned().unwrap_or_default();
    let traceback: Vec<String> = lines.iter().filter_map(Value::as_str).map(strip_colours).collect();
    let (kind, message) = (text("ename"), text("evalue"));
    (!kind.is_empty()).then(|| RunError {
        kind: truncate(&kind),
        message: truncate(&message),
        traceback: truncate(&traceback.join("\n")),
    })
}

/// Text without the sequences that colour it.
fn strip_colours(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' && chars.peek() == Some(&'[') {
            chars.next();
            while chars.next_if(|c| ('\u{20}'..='\u{3f}').contains(c)).is_some() {}
            chars.next_if(|c| ('\u{40}'..='\u{7e}').contains(c));
        } else {
            out.push(c);
        }
    }
    out
}

fn truncate(text: &str) -> String {
    if text.len() <= MAX_VALUE_BYTES {
        return text.to_owned();
    }
    format!(
        "{}… ({} bytes)",
        text.get(..text.floor_char_boundary(MAX_VALUE_BYTES)).unwrap_or_default(),
        text.len()
    )
}

#[cfg(test)]
mod tests;
