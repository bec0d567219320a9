//! Calls of tools that a model printed as text, in the forms that models have for them: JSON (alone, in a fence, in
//! `<tool_call>`, behind `[TOOL_CALLS]`), and tags (`<function=run_code>`, `<invoke name="run_code">`).
//!
//! Only what names a tool that there is counts; all else is prose. Each form is looked for at the start of a line. What
//! was looked at in vain is counted, so that a text that is built to be slow is left alone.

use super::{Proposed, call, json};
use crate::domain::Languages;
use serde_json::{Map, Value};
use std::ops::Range;

/// Calls of one reply that are read; those behind them stay text.
pub(super) const MOST: usize = 64;
/// Bytes that may be looked at in vain, beside four times the length of the text.
const ADVANCE: usize = 1 << 20;

/// Calls that stand in a stretch of a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Printed {
    /// The stretch.
    pub(super) range: Range<usize>,
    /// What the calls propose, in their order; never empty.
    pub(super) blocks: Vec<Proposed>,
}

/// A call as it was found: the tool's name and its arguments.
type Found = (String, String);

/// Where to look, and whether the reply was whole.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    pub(super) languages: &'a Languages,
    pub(super) complete: bool,
}

impl Reading<'_> {
    /// The calls in `text`, which is the stretch of the reply that begins at `from`.
    pub(super) fn calls(self, text: &str, from: usize) -> Vec<Printed> {
        let mut found = Vec::new();
        let mut credit = ADVANCE.saturating_add(text.len().saturating_mul(4));
        let (mut at, mut count) = (0, 0);
        while let (Some(rest), true) = (text.get(at..).filter(|rest| !rest.is_empty()), count < MOST) {
            let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            let line = rest.get(blank..).unwrap_or("");
            let next = rest.find('\n').map_or(rest.len(), |end| end + 1);
            let Some(form) = Form::of(line) else {
                at += next;
                continue;
            };
            let (calls, length, cost) = form.read(line);
            credit = credit.saturating_sub(cost);
            match self.blocks(&calls) {
                Some(blocks) if credit > 0 => {
                    count += blocks.len();
                    let start = from + at;
                    at += blank + length;
                    let line_end =
                        text.get(at..).map_or(0, |t| t.len() - t.trim_start_matches([' ', '\t', '\r']).len());
                    if text.get(at + line_end..).is_some_and(|t| t.starts_with('\n')) {
                        at += line_end + 1;
                    }
                    found.push(Printed { range: start..from + at, blocks });
                }
                _ if credit == 0 => break,
                _ => at += next,
            }
        }
        found
    }

    /// The calls that a fence holds, where it holds nothing else.
    pub(super) fn fenced(self, source: &str) -> Option<Vec<Proposed>> {
        let mut rest = source.trim();
        let mut calls = Vec::new();
        while !rest.is_empty() && calls.len() < MOST {
            let (more, length, _) = Form::of(rest)?.read(rest);
            if more.is_empty() || length == 0 {
                return None;
            }
            calls.extend(more);
            rest = rest.get(length..)?.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        }
        self.blocks(&calls)
    }

    /// What the calls propose; `None` where there is none, or one of them can't be read.
    fn blocks(self, calls: &[Found]) -> Option<Vec<Proposed>> {
        let read = |(name, arguments): &Found| {
            let mut block = call::read(name, arguments, self.languages, self.complete).ok()?;
            block.remark("read from a tool call printed as text");
            Some(block)
        };
        let blocks: Option<Vec<Proposed>> = calls.iter().map(read).collect();
        blocks.filter(|blocks| !blocks.is_empty())
    }
}

/// The forms.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// JSON.
    Json,
    /// A tag around JSON or another form; how it opens and closes.
    Around(&'static str, &'static str),
    /// `<function=NAME>…</function>`.
    Function,
    /// `<invoke name="NAME">…</invoke>`.
    Invoke,
    /// `[TOOL_CALLS]`.
    Mistral,
}

const AROUND: [(&str, &str); 6] = [
    ("<tool_call>", "</tool_call>"),
    ("<tool_calls>", "</tool_calls>"),
    ("<function_call>", "</function_call>"),
    ("<function_calls>", "</function_calls>"),
    ("<|tool_call|>", "<|/tool_call|>"),
    ("<|python_tag|>", "<|eom_id|>"),
];
const MISTRAL: &str = "[TOOL_CALLS]";

impl Form {
    /// The form that may begin here.
    fn of(line: &str) -> Option<Self> {
        if let Some((open, close)) = AROUND.iter().find(|(open, _)| line.starts_with(open)) {
            return Some(Form::Around(open, close));
        }
        if line.starts_with(MISTRAL) {
            return Some(Form::Mistral);
        }
        if line.starts_with("<function=") {
            return Some(Form::Function);
        }
        if line.starts_with("<invoke ") {
            return Some(Form::Invoke);
        }
        let inner =
            line.strip_prefix('{').or_else(|| line.strip_prefix('[')?.trim_start().strip_prefix('{'))?;
        inner.trim_start().starts_with('"').then_some(Form::Json)
    }

    /// The calls, how many bytes they take, and how many were looked at.
    fn read(self, text: &str) -> (Vec<Found>, usize, usize) {
        match self {
            Form::Json => match json::read(text) {
                Some(found) => (of_value(&found.value), found.length, found.length),
                None => {
                    // A call that was cut off reaches to the end.
                    let cut = json::broken_off(text).and_then(|fields| cut_call(&fields, text));
                    (cut.into_iter().collect(), text.len(), text.len())
                }
            },
            Form::Around(open, close) => {
                let body = text.get(open.len()..).unwrap_or("");
                match body.find(close) {
                    Some(end) => {
                        let length = open.len() + end + close.len();
                        (inside(body.get(..end).unwrap_or("")).0, length, length)
                    }
                    None => {
                        let (calls, length) = inside(body);
                        (calls, open.len() + length, text.len())
                    }
                }
            }
            Form::Function => {
                tagged(text, "</function>", |head| head.strip_prefix("<function=").map(str::to_owned))
            }
            Form::Invoke => tagged(text, "</invoke>", |head| attribute(head, "name")),
            Form::Mistral => mistral(text),
        }
    }
}

/// The calls inside of a tag, one form behind the other, and how many bytes they take.
fn inside(text: &str) -> (Vec<Found>, usize) {
    let mut rest = text.trim_start();
    let mut taken = text.len() - rest.len();
    let mut calls = Vec::new();
    while let (Some(form), true) = (Form::of(rest), calls.len() < MOST) {
        if matches!(form, Form::Around(..) | Form::Mistral) {
            break;
        }
        let (more, length, _) = form.read(rest);
        if more.is_empty() || length == 0 {
            break;
        }
        calls.extend(more);
        let behind = rest.get(length..).unwrap_or("");
        taken = text.len() - behind.len();
        rest = behind.trim_start();
    }
    (calls, taken)
}

const NAMES: [&str; 6] = ["name", "tool", "tool_name", "function", "action", "recipient_name"];
const ARGUMENTS: [&str; 7] =
    ["arguments", "parameters", "args", "input", "action_input", "tool_input", "params"];

/// The calls that a value of JSON makes; none where it makes others, or none.
fn of_value(value: &Value) -> Vec<Found> {
    match value {
        Value::Array(items) => {
            let calls: Vec<Vec<Found>> = items.iter().map(of_value).collect();
            if calls.iter().any(Vec::is_empty) { Vec::new() } else { calls.into_iter().flatten().collect() }
        }
        Value::Object(fields) => of_object(fields),
        _ => Vec::new(),
    }
}

fn of_object(fields: &Map<String, Value>) -> Vec<Found> {
    if let Some(Value::Array(calls)) = fields.get("tool_calls") {
        return of_value(&Value::Array(calls.clone()));
    }
    for wrapper in ["function", "function_call", "tool_call"] {
        if let Some(Value::Object(inner)) = fields.get(wrapper) {
            return of_object(inner);
        }
    }
    let named = NAMES.iter().find_map(|key| fields.get(*key).and_then(Value::as_str).map(|name| (key, name)));
    let Some((key, name)) = named.filter(|(_, name)| call::known(name)) else { return Vec::new() };
    let arguments = match ARGUMENTS.iter().find_map(|key| fields.get(*key)) {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        // The arguments beside the name.
        None => {
            let rest = fields.iter().filter(|(k, _)| k != key).map(|(k, v)| (k.clone(), v.clone()));
            Value::Object(rest.collect()).to_string()
        }
    };
    vec![(name.to_owned(), arguments)]
}

/// The call of an object that breaks off inside of its arguments.
fn cut_call(fields: &Map<String, Value>, text: &str) -> Option<Found> {
    let name = NAMES.iter().find_map(|key| fields.get(*key)?.as_str()).filter(|name| call::known(name))?;
    let at = ARGUMENTS.iter().find_map(|key| {
        let marked = format!("\"{key}\"");
        let behind = text.get(text.find(&marked)? + marked.len()..)?;
        behind.trim_start().strip_prefix(':').map(str::trim_start)
    })?;
    at.starts_with('{').then(|| (name.to_owned(), at.to_owned()))
}

/// `<function=NAME>` or `<invoke name="NAME">` with JSON or `<parameter…>` tags inside.
fn tagged(text: &str, close: &str, name: impl Fn(&str) -> Option<String>) -> (Vec<Found>, usize, usize) {
    let nothing = |cost| (Vec::new(), 0, cost);
    let Some(head_end) = text.get(..text.floor_char_boundary(256)).and_then(|head| head.find('>')) else {
        return nothing(256);
    };
    let Some(name) = text.get(..head_end).and_then(name).filter(|name| call::known(name)) else {
        return nothing(head_end);
    };
    let body = text.get(head_end + 1..).unwrap_or("");
    let (inner, length) = match body.find(close) {
        Some(end) => (body.get(..end).unwrap_or(""), head_end + 1 + end + close.len()),
        None => (body, text.len()),
    };
    let inner_trimmed = inner.trim();
    let arguments = if inner_trimmed.starts_with('{') {
        inner_trimmed.to_owned()
    } else {
        let whole = length < text.len() || text.ends_with(close);
        parameters(inner, whole)
    };
    (vec![(name, arguments)], length, length)
}

/// The values of `<parameter=KEY>…</parameter>` or `<parameter name="KEY">…</parameter>` as JSON; of a call that is not
/// `whole` the JSON breaks off where the text does.
fn parameters(text: &str, whole: bool) -> String {
    const CLOSE: &str = "</parameter>";
    let mut out = String::from("{");
    let mut rest = text;
    let mut cut = !whole;
    while let Some(start) = rest.find("<parameter") {
        let tag = rest.get(start..).unwrap_or("");
        let Some(head_end) = tag.find('>') else { break };
        let head = tag.get(..head_end).unwrap_or("");
        let key = head.strip_prefix("<parameter=").map(str::to_owned).or_else(|| attribute(head, "name"));
        let Some(key) = key else { break };
        let body = tag.get(head_end + 1..).unwrap_or("");
        let (value, behind) = match body.find(CLOSE) {
            Some(end) => (body.get(..end).unwrap_or(""), body.get(end + CLOSE.len()..)),
            None => (body, None),
        };
        let value = value.strip_prefix('\n').unwrap_or(value);
        let value = if behind.is_some() { value.strip_suffix('\n').unwrap_or(value) } else { value };
        if out.len() > 1 {
            out.push(',');
        }
        let value = Value::String(value.to_owned()).to_string();
        out.push_str(&Value::String(key.trim().to_owned()).to_string());
        out.push(':');
        match behind {
            Some(behind) => {
                out.push_str(&value);
                rest = behind;
            }
            None => {
                out.push_str(value.strip_suffix('"').unwrap_or(&value));
                cut = true;
                break;
            }
        }
    }
    if !cut {
        out.push('}');
    }
    out
}

/// The value of an attribute in the head of a tag.
fn attribute(head: &str, name: &str) -> Option<String> {
    let behind = head.split_once(&format!("{name}="))?.1;
    let quote = behind.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    behind.get(1..)?.split_once(quote).map(|(value, _)| value.to_owned())
}

/// `[TOOL_CALLS] [{…}]`, `[TOOL_CALLS]run_code{…}`, `[TOOL_CALLS]run_code[ARGS]{…}`.
fn mistral(text: &str) -> (Vec<Found>, usize, usize) {
    let mut calls = Vec::new();
    let mut rest = text;
    while let Some(body) = rest.strip_prefix(MISTRAL) {
        let body = body.trim_start();
        let name_end =
            body.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))).unwrap_or(body.len());
        let name = body.get(..name_end).unwrap_or("");
        let behind = body.get(name_end..).unwrap_or("");
        let behind = behind.strip_prefix("[ARGS]").unwrap_or(behind).trim_start();
        let Some(found) = json::read(behind) else {
            if call::known(name) && behind.starts_with('{') {
                calls.push((name.to_owned(), behind.to_owned()));
                return (calls, text.len(), text.len());
            }
            break;
        };
        match name {
            "" => calls.extend(of_value(&found.value)),
            name if call::known(name) => calls.push((name.to_owned(), found.value.to_string())),
            _ => break,
        }
        rest = behind.get(found.length..).unwrap_or("");
        let next = rest.trim_start();
        if next.starts_with(MISTRAL) && calls.len() < MOST {
            rest = next;
        }
    }
    let length = text.len() - rest.len();
    (calls, length, length.max(MISTRAL.len()))
}
