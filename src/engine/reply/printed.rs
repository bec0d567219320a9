//! Calls of tools that a model printed as text, in the forms that models have for them: JSON (alone, in a fence, in
//! `<tool_call>`, behind `[TOOL_CALLS]`), and tags (`<function=run_code>`, `<invoke name="run_code">`).
//!
//! Only what names a tool that there is counts; all else is prose. Each form is looked for at the start of a line. What
//! was looked at in vain is counted, so that a text that is built to be slow is left alone.

mod tags;
mod value;

use super::{Proposal, call, json};
use crate::domain::Languages;
use std::ops::Range;
use tags::{attribute, tagged};
use value::{cut_call, of_value};

/// Calls of one reply that are read; those behind them stay text.
pub(super) const MOST: usize = 64;
/// Bytes that may be looked at in vain, beside four times the length of the text.
const ADVANCE: usize = 1 << 20;

/// Calls that stand in a stretch of a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PrintedCalls {
    pub(super) range: Range<usize>,
    /// What the calls propose, in their order; never empty.
    pub(super) blocks: Vec<Proposal>,
}

/// A call as it was found: the tool's name and its arguments.
type PrintedCall = (String, String);

/// Where to look, and whether the reply was whole.
#[derive(Clone, Copy)]
pub(super) struct CallScanner<'a> {
    pub(super) languages: &'a Languages,
    pub(super) complete: bool,
}

impl CallScanner<'_> {
    /// The calls in `text`, which is the stretch of the reply that begins at `from`.
    pub(super) fn calls(self, text: &str, from: usize) -> Vec<PrintedCalls> {
        let mut found = Vec::new();
        let mut credit = ADVANCE.saturating_add(text.len().saturating_mul(4));
        let (mut at, mut count) = (0, 0);
        while let (Some(rest), true) = (text.get(at..).filter(|rest| !rest.is_empty()), count < MOST) {
            let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            let line = rest.get(blank..).unwrap_or("");
            let next = rest.find('\n').map_or(rest.len(), |end| end + 1);
            let Some(form) = PrintedForm::of(line) else {
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
                    found.push(PrintedCalls { range: start..from + at, blocks });
                }
                _ if credit == 0 => break,
                _ => at += next,
            }
        }
        found
    }

    /// The calls that a fence holds, where it holds nothing else.
    pub(super) fn fenced(self, source: &str) -> Option<Vec<Proposal>> {
        let mut rest = source.trim();
        let mut calls = Vec::new();
        while !rest.is_empty() && calls.len() < MOST {
            let (more, length, _) = PrintedForm::of(rest)?.read(rest);
            if more.is_empty() || length == 0 {
                return None;
            }
            calls.extend(more);
            rest = rest.get(length..)?.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        }
        self.blocks(&calls)
    }

    /// What the calls propose; `None` where there is none, or one of them can't be read.
    fn blocks(self, calls: &[PrintedCall]) -> Option<Vec<Proposal>> {
        let read = |(name, arguments): &PrintedCall| {
            let mut block = call::read(name, arguments, self.languages, self.complete).ok()?;
            block.remark("read from a tool call printed as text");
            Some(block)
        };
        let blocks: Option<Vec<Proposal>> = calls.iter().map(read).collect();
        blocks.filter(|blocks| !blocks.is_empty())
    }
}

#[derive(Clone, Copy, Debug)]
enum PrintedForm {
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

impl PrintedForm {
    /// The form that may begin here.
    fn of(line: &str) -> Option<Self> {
        if let Some((open, close)) = AROUND.iter().find(|(open, _)| line.starts_with(open)) {
            return Some(PrintedForm::Around(open, close));
        }
        if line.starts_with(MISTRAL) {
            return Some(PrintedForm::Mistral);
        }
        if line.starts_with("<function=") {
            return Some(PrintedForm::Function);
        }
        if line.starts_with("<invoke ") {
            return Some(PrintedForm::Invoke);
        }
        let inner =
            line.strip_prefix('{').or_else(|| line.strip_prefix('[')?.trim_start().strip_prefix('{'))?;
        inner.trim_start().starts_with('"').then_some(PrintedForm::Json)
    }

    /// The calls, how many bytes they take, and how many were looked at.
    fn read(self, text: &str) -> (Vec<PrintedCall>, usize, usize) {
        match self {
            PrintedForm::Json => match json::read(text) {
                Some(found) => (of_value(&found.value), found.length, found.length),
                None => {
                    // A call that was cut off reaches to the end.
                    let cut = json::broken_off(text).and_then(|fields| cut_call(&fields, text));
                    (cut.into_iter().collect(), text.len(), text.len())
                }
            },
            PrintedForm::Around(open, close) => {
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
            PrintedForm::Function => {
                tagged(text, "</function>", |head| head.strip_prefix("<function=").map(str::to_owned))
            }
            PrintedForm::Invoke => tagged(text, "</invoke>", |head| attribute(head, "name")),
            PrintedForm::Mistral => mistral(text),
        }
    }
}

/// The calls inside of a tag, one form behind the other, and how many bytes they take.
fn inside(text: &str) -> (Vec<PrintedCall>, usize) {
    let mut rest = text.trim_start();
    let mut taken = text.len() - rest.len();
    let mut calls = Vec::new();
    while let (Some(form), true) = (PrintedForm::of(rest), calls.len() < MOST) {
        if matches!(form, PrintedForm::Around(..) | PrintedForm::Mistral) {
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

/// `[TOOL_CALLS] [{…}]`, `[TOOL_CALLS]run_code{…}`, `[TOOL_CALLS]run_code[ARGS]{…}`.
fn mistral(text: &str) -> (Vec<PrintedCall>, usize, usize) {
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
