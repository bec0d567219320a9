//! Calls between tokens of a model's chat template, which a server should have parsed but did not.

use super::value::of_value;
use super::{LeadingCalls, MAX_CALLS, PrintedCall, PrintedForm};
use crate::engine::reply::{call, json};

/// The most bytes between two tokens before the arguments.
const MAX_HEAD_BYTES: usize = 256;

const MISTRAL: &str = "[TOOL_CALLS]";
/// The tokens that open and close several calls, and one call.
const SECTION: [(&str, &str); 2] =
    [("tool_calls_section_begin", "tool_calls_section_end"), ("tool_calls_begin", "tool_calls_end")];
const CALL: (&str, &str) = ("tool_call_begin", "tool_call_end");

/// The text after a token `<|NAME|>`; other templates have other characters for `|` and `_`.
fn after_token<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    const BARS: [char; 2] = ['|', '｜'];
    let mut rest = text.strip_prefix('<')?.strip_prefix(BARS)?;
    for sign in name.chars() {
        rest = rest.strip_prefix(|c| c == sign || sign == '_' && c == '▁')?;
    }
    rest.strip_prefix(BARS)?.strip_prefix('>')
}

/// The form that begins with a token.
pub(super) fn form(text: &str) -> Option<PrintedForm> {
    if text.starts_with(MISTRAL) {
        return Some(PrintedForm::Mistral);
    }
    if !text.starts_with(['<']) {
        return None;
    }
    if SECTION.iter().any(|(open, _)| after_token(text, open).is_some())
        || after_token(text, CALL.0).is_some()
    {
        return Some(PrintedForm::Section);
    }
    ["channel", "start"].iter().any(|name| after_token(text, name).is_some()).then_some(PrintedForm::Channel)
}

/// The offsets of such tokens in a line, except quoted ones: those are mentions.
pub(super) fn positions(line: &str) -> impl Iterator<Item = usize> {
    let (mut ticks, mut before) = (0usize, ' ');
    line.char_indices().filter_map(move |(at, sign)| {
        ticks += usize::from(sign == '`');
        let is_quoted =
            !ticks.is_multiple_of(2) || matches!(std::mem::replace(&mut before, sign), '"' | '\'' | '`');
        let may = !is_quoted && matches!(sign, '<' | '[');
        may.then_some(at).filter(|at| line.get(*at..).is_some_and(|rest| form(rest).is_some()))
    })
}

/// The JSON at the start of a text, perhaps in a fence, and the text after it; `None`: it is incomplete.
fn arguments(text: &str) -> (&str, Option<&str>) {
    let trimmed = text.trim_start();
    let in_fence =
        trimmed.strip_prefix("```json").or_else(|| trimmed.strip_prefix("```")).map(str::trim_start);
    let inner = in_fence.unwrap_or(trimmed);
    let Some(found) = json::read(inner) else { return (inner, None) };
    let (arguments, rest) = inner.split_at(found.length);
    let closed = in_fence.and_then(|_| rest.trim_start().strip_prefix("```"));
    (arguments, Some(closed.unwrap_or(rest)))
}

/// `<|tool_calls_section_begin|><|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{…}<|tool_call_end|>…`,
/// or with `<｜tool▁sep｜>` between name and arguments, or between the word `function` and the name.
pub(super) fn section(text: &str) -> LeadingCalls {
    let opened = SECTION.iter().find_map(|(open, close)| Some((after_token(text, open)?, *close)));
    let (mut rest, section_end) = opened.map_or((text, None), |(rest, close)| (rest, Some(close)));
    let mut calls = Vec::new();
    while let (Some(inner), true) = (after_token(rest.trim_start(), CALL.0), calls.len() < MAX_CALLS) {
        let Some((name, inner)) = name(inner) else { break };
        let (json, Some(after)) = arguments(inner) else {
            let cut = LeadingCalls::cut(name, inner, text.len());
            calls.extend(cut.calls);
            return LeadingCalls { calls, ..cut };
        };
        calls.push(PrintedCall::new(name, json));
        rest = after_token(after.trim_start(), CALL.1).unwrap_or(after);
    }
    if let Some(end) = section_end {
        rest = after_token(rest.trim_start(), end).unwrap_or(rest);
    }
    if calls.is_empty() {
        LeadingCalls::none(MAX_HEAD_BYTES)
    } else {
        LeadingCalls::new(calls, text.len() - rest.len())
    }
}

/// The name of a tool, and the text after the token that separates it from its arguments.
fn name(text: &str) -> Option<(&str, &str)> {
    let head = text.get(..text.floor_char_boundary(MAX_HEAD_BYTES))?;
    let (before, rest) = text.split_at(head.find('<')?);
    let rest = after_token(rest, "tool_sep").or_else(|| after_token(rest, "tool_call_argument_begin"))?;
    let before = before.trim();
    if before != "function" {
        return Some((before.split(':').next().unwrap_or(before), rest));
    }
    let head = rest.get(..rest.floor_char_boundary(MAX_HEAD_BYTES))?;
    let (name, arguments) = rest.split_at(head.find(['\n', '`', '{'])?);
    Some((name.trim(), arguments))
}

/// `<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{…}<|call|>`.
pub(super) fn channel(text: &str) -> LeadingCalls {
    const MESSAGE: &str = "<|message|>";
    let head = text.get(..text.floor_char_boundary(MAX_HEAD_BYTES)).and_then(|head| head.split_once(MESSAGE));
    let to = head.and_then(|(head, _)| Some((head, head.split_once(" to=")?.1)));
    let Some((head, to)) = to.filter(|(head, _)| !head.contains('\n')) else {
        return LeadingCalls::none(MAX_HEAD_BYTES);
    };
    let name = to.split(|c: char| c.is_whitespace() || c == '<').next().unwrap_or_default();
    let inner = text.get(head.len() + MESSAGE.len()..).unwrap_or_default();
    match arguments(inner) {
        (json, Some(after)) => {
            let rest =
                ["call", "end"].iter().find_map(|end| after_token(after.trim_start(), end)).unwrap_or(after);
            LeadingCalls::new(vec![PrintedCall::new(name, json)], text.len() - rest.len())
        }
        (cut, None) if cut.starts_with('{') => LeadingCalls::cut(name, cut, text.len()),
        _ => LeadingCalls::none(text.len()),
    }
}

/// `[TOOL_CALLS] [{…}]`, `[TOOL_CALLS]run_code{…}`, `[TOOL_CALLS]run_code[CALL_ID]1[ARGS]{…}`.
pub(super) fn mistral(text: &str) -> LeadingCalls {
    let (mut calls, mut rest, mut vain) = (Vec::new(), text, 0);
    while let Some(body) = rest.strip_prefix(MISTRAL) {
        let body = body.trim_start();
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
        let (name, behind) = body.split_at(body.find(|c| !is_name(c)).unwrap_or(body.len()));
        let identity = behind.strip_prefix("[CALL_ID]").map(|id| id.trim_start_matches(is_name));
        let behind = identity.unwrap_or(behind);
        let behind = behind.strip_prefix("[ARGS]").unwrap_or(behind).trim_start();
        let Some(found) = json::read(behind) else {
            if call::is_known(name) && behind.starts_with('{') {
                calls.push(PrintedCall::new(name, behind));
                return LeadingCalls::new(calls, text.len());
            }
            vain = behind.len();
            break;
        };
        match name {
            "" => calls.extend(of_value(&found.value)),
            name if call::is_known(name) => calls.push(PrintedCall::new(name, &found.value.to_string())),
            _ => break,
        }
        rest = behind.get(found.length..).unwrap_or("");
        let next = rest.trim_start();
        if next.starts_with(MISTRAL) && calls.len() < MAX_CALLS {
            rest = next;
        }
    }
    let length = text.len() - rest.len();
    LeadingCalls { cost: length.max(MISTRAL.len()) + vain, ..LeadingCalls::new(calls, length) }
}
