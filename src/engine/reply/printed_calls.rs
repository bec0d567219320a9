//! Reads tool calls that a model printed as text, in the forms that models use: JSON (alone, in a fence, in
//! `<tool_call>`), tags (`<function=run_code>`, `<invoke name="run_code">`, `<arg_key>`), the tokens of their templates
//! (`[TOOL_CALLS]`, `<|tool_call_begin|>`, `<|channel|>commentary to=…`), Python in a fence `tool_code`.
//!
//! Only calls of existing tools count; everything else is prose. Each form is searched for at the start of a line,
//! those that begin with a token also within a line. The bytes read in vain are limited, so that a text made to be slow
//! is left alone.

mod python;
mod tags;
mod tokens;
mod value;

use super::markdown::Fence;
use super::tiling::Replacement;
use super::{Proposal, call, info, json};
use crate::domain::Languages;
use std::ops::Range;
use tags::{OpenTag, TagKind};
use value::{cut_call, of_value};

/// The most calls that are read in the prose of a reply, and in a fence; later ones stay text.
const MAX_CALLS: usize = 64;
/// How many bytes may be read in vain, besides four times the length of the text.
const FREE_SEARCH_BYTES: usize = 1 << 20;
/// The most bytes between calls and the tag that closes them.
const MAX_BYTES_BETWEEN: usize = 64;

/// Info words of fences that may contain tool calls.
const FENCE_WORDS: [&str; 10] =
    ["", "json", "jsonc", "tool", "tool_call", "tool_calls", "tool_code", "function_call", "xml", "text"];

/// Whether a fence with this info word may contain calls.
pub(super) fn may_hold_calls(word: &str) -> bool {
    FENCE_WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// A call as it was printed.
#[derive(Debug)]
struct PrintedCall {
    /// The name of the tool.
    name: String,
    /// Its arguments, in JSON.
    arguments: String,
}

impl PrintedCall {
    fn new(name: &str, arguments: &str) -> Self {
        Self { name: name.to_owned(), arguments: arguments.to_owned() }
    }
}

/// The calls at the start of a text, how many bytes they have, and how many bytes were read to find them. A call that
/// is cut off takes everything that may belong to it.
#[derive(Debug, Default)]
struct LeadingCalls {
    calls: Vec<PrintedCall>,
    length: usize,
    cost: usize,
    /// Whether the last one is cut off.
    is_cut: bool,
}

impl LeadingCalls {
    fn none(cost: usize) -> Self {
        Self { cost, ..Self::default() }
    }

    /// Calls that took no more reading than their own bytes.
    fn new(calls: Vec<PrintedCall>, length: usize) -> Self {
        Self { calls, length, cost: length, is_cut: false }
    }

    /// The calls with the cost of having read this many bytes.
    fn that_cost(self, looked: usize) -> Self {
        Self { cost: self.cost.max(looked), ..self }
    }

    /// A call that is cut off; none if it names no existing tool.
    fn cut(name: &str, arguments: &str, length: usize) -> Self {
        let is_known = call::is_known(name);
        let calls = if is_known { vec![PrintedCall::new(name, arguments)] } else { Vec::new() };
        Self { calls, length, cost: length, is_cut: true }
    }
}

/// How many bytes may still be read, and how many calls were found.
pub(super) struct CallBudget {
    credit: usize,
    count: usize,
}

impl CallBudget {
    pub(super) fn new(text: &str) -> Self {
        Self { credit: FREE_SEARCH_BYTES.saturating_add(text.len().saturating_mul(4)), count: 0 }
    }
}

/// Settings of the search: the languages, and whether the reply is complete.
#[derive(Clone, Copy)]
pub(super) struct CallScanner<'a> {
    pub(super) languages: &'a Languages,
    pub(super) complete: bool,
}

impl CallScanner<'_> {
    /// The calls that begin in this part of a line. Calls that can't be read, or are too many, give no block, and
    /// nothing inside of them does.
    pub(super) fn calls_in_line(
        self,
        text: &str,
        line: Range<usize>,
        budget: &mut CallBudget,
    ) -> Option<Replacement> {
        if budget.credit == 0 {
            return None;
        }
        let here = text.get(line.clone())?;
        let blank = here.len() - here.trim_start_matches([' ', '\t']).len();
        let inside = tokens::positions(here).filter(|at| *at > blank).map(|at| (at, at));
        for (from, at) in std::iter::once((0, blank)).chain(inside) {
            let rest = text.get(line.start + at..)?;
            let Some(form) = PrintedForm::of(rest) else { continue };
            let LeadingCalls { calls, length, cost, .. } = form.read(rest);
            budget.credit = budget.credit.saturating_sub(cost);
            if budget.credit == 0 {
                return None;
            }
            if calls.is_empty() || length == 0 {
                continue;
            }
            let behind = rest.get(length..).unwrap_or_default();
            let line_end = behind.trim_start_matches([' ', '\t', '\r']);
            let line_end = if line_end.starts_with('\n') { behind.len() - line_end.len() + 1 } else { 0 };
            let end = line.start + at + length + line_end;
            return Some(self.replacement(line.start + from..end, &calls, budget));
        }
        None
    }

    /// The calls of a fence that Markdown ends too early, because their strings contain what looks like its end.
    pub(super) fn calls_in_torn_fence(
        self,
        text: &str,
        fence: &Fence,
        budget: &mut CallBudget,
    ) -> Option<Replacement> {
        let is_shown = !may_hold_calls(info::language_word(&fence.info)) || info::has_norun(&fence.info);
        if is_shown || budget.credit == 0 {
            return None;
        }
        let rest = text.get(fence.body..)?.trim_start();
        let LeadingCalls { calls, length, cost, is_cut } =
            PrintedForm::of(rest).filter(PrintedForm::may_be_fenced)?.read(rest);
        budget.credit = budget.credit.saturating_sub(cost);
        let behind = rest.get(length..)?;
        if is_cut || calls.is_empty() || text.len() - behind.len() <= fence.range.end {
            return None;
        }
        let close = behind.trim_start();
        let bare = close.trim_start_matches(['`', '~']);
        let rest = if close.len() >= bare.len() + 3 { bare } else { behind };
        let rest = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')).unwrap_or(rest);
        Some(self.replacement(fence.range.start..text.len() - rest.len(), &calls, budget))
    }

    /// The blocks of calls, and the range of text that they replace.
    fn replacement(self, range: Range<usize>, calls: &[PrintedCall], budget: &mut CallBudget) -> Replacement {
        let mut blocks = self.blocks(calls).unwrap_or_default();
        blocks.truncate(MAX_CALLS.saturating_sub(budget.count));
        budget.count += blocks.len();
        Replacement { range, blocks }
    }

    /// The calls in a fence with this info word, if it contains nothing else.
    pub(super) fn fenced(self, source: &str, word: &str) -> Option<Vec<Proposal>> {
        let mut rest = source.trim();
        let mut calls = Vec::new();
        let is_for_calls = word.to_ascii_lowercase().starts_with("tool");
        while !rest.is_empty() && calls.len() < MAX_CALLS {
            let more = match PrintedForm::of(rest) {
                Some(form) => Some(form).filter(PrintedForm::may_be_fenced)?.read(rest),
                None if is_for_calls => python::calls(rest),
                None => return None,
            };
            if more.calls.is_empty() || more.length == 0 {
                return None;
            }
            calls.extend(more.calls);
            rest = rest.get(more.length..)?.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        }
        calls.truncate(MAX_CALLS);
        self.blocks(&calls)
    }

    /// The blocks that calls propose; `None` if there is no call, or one of them can't be read.
    fn blocks(self, calls: &[PrintedCall]) -> Option<Vec<Proposal>> {
        let read = |call: &PrintedCall| {
            let mut block = call::read(&call.name, &call.arguments, self.languages, self.complete).ok()?;
            block.remark("read from a tool call printed as text");
            Some(block)
        };
        let blocks: Option<Vec<Proposal>> = calls.iter().map(read).collect();
        blocks.filter(|blocks| !blocks.is_empty())
    }
}

/// A form in which models print calls.
#[derive(Clone, Debug)]
enum PrintedForm {
    /// JSON: `{"name": …}`, or a list of such.
    Json,
    /// A wrapper around JSON or another form: the length of its opening, and its closing text.
    Around(usize, String),
    /// `<function=NAME>…</function>` or `<invoke name="NAME">…</invoke>`.
    Tag(OpenTag),
    /// `[TOOL_CALLS]`.
    Mistral,
    /// `<|tool_call_begin|>`, or the token that opens several such calls.
    Section,
    /// `<|channel|>` or `<|start|>`.
    Channel,
}

/// Tokens that wrap JSON or another form.
const WRAPPING_TOKENS: [(&str, &str); 6] = [
    ("<|tool_call|>", "<|/tool_call|>"),
    ("<|python_tag|>", "<|eom_id|>"),
    ("<|python_start|>", "<|python_end|>"),
    ("<|tool_call_start|>", "<|tool_call_end|>"),
    ("<|START_ACTION|>", "<|END_ACTION|>"),
    ("<|action_start|><|plugin|>", "<|action_end|>"),
];

impl PrintedForm {
    /// The form that may begin here.
    fn of(text: &str) -> Option<Self> {
        if let Some((open, close)) = WRAPPING_TOKENS.iter().find(|(open, _)| text.starts_with(open)) {
            return Some(PrintedForm::Around(open.len(), (*close).to_owned()));
        }
        if let Some(form) = tokens::form(text) {
            return Some(form);
        }
        if let Some(tag) = OpenTag::of(text) {
            return Some(match tag.kind {
                TagKind::Around => PrintedForm::Around(tag.length, tag.close),
                _ => PrintedForm::Tag(tag),
            });
        }
        let inner =
            text.strip_prefix('{').or_else(|| text.strip_prefix('[')?.trim_start().strip_prefix('{'))?;
        inner.trim_start().starts_with('"').then_some(PrintedForm::Json)
    }

    /// Whether models mean a call when they put this form in a fence.
    fn may_be_fenced(&self) -> bool {
        !matches!(self, PrintedForm::Section | PrintedForm::Channel)
    }

    /// The calls at the start of this text.
    fn read(&self, text: &str) -> LeadingCalls {
        match self {
            PrintedForm::Json => in_json(text),
            PrintedForm::Around(open, close) => calls_to_close(text, *open, close),
            PrintedForm::Tag(tag) => tag.read(text),
            PrintedForm::Mistral => tokens::mistral(text),
            PrintedForm::Section => tokens::section(text),
            PrintedForm::Channel => tokens::channel(text),
        }
    }
}

fn in_json(text: &str) -> LeadingCalls {
    if let Some(found) = json::read(text) {
        return LeadingCalls::new(of_value(&found.value), found.length);
    }
    // A call that is cut off or unreadable reaches to the end, as nothing shows where another one begins.
    match json::broken_off(text).and_then(|fields| cut_call(&fields, text)) {
        Some(call) => LeadingCalls::cut(&call.name, &call.arguments, text.len()),
        None => LeadingCalls::none(text.len()),
    }
}

/// The calls inside of a wrapper, up to its closing text.
fn calls_to_close(text: &str, open: usize, close: &str) -> LeadingCalls {
    let (open, body) = text.split_at_checked(open).unwrap_or_default();
    let LeadingCalls { calls, mut length, cost, is_cut } = calls_between(body, (open, close));
    // If a call in tags is cut off, everything may be its text, even the closing text of the wrapper.
    let (open, is_json) = (open.len(), body.trim_start().starts_with(['{', '[']));
    if calls.is_empty() {
        return LeadingCalls::none(cost.max(open));
    }
    let behind = body.get(length..).unwrap_or("");
    let near = behind.get(..behind.floor_char_boundary(MAX_BYTES_BETWEEN)).unwrap_or("");
    if let Some(at) = near.find(close) {
        length += at + close.len();
    } else if is_cut
        && is_json
        && let Some(at) = body.find(close)
    {
        length = at + close.len();
    }
    LeadingCalls { calls, length: open + length, cost: cost.max(open + length), is_cut }
}

/// The calls between the two texts of the wrapper `around` them.
fn calls_between(text: &str, around: (&str, &str)) -> LeadingCalls {
    let mut rest = text.trim_start();
    let mut found = LeadingCalls::none(text.len() - rest.len());
    while found.calls.len() < MAX_CALLS {
        let more = match PrintedForm::of(rest) {
            Some(form @ (PrintedForm::Json | PrintedForm::Tag(_))) => form.read(rest),
            Some(_) => break,
            None => Some(tags::arguments(rest, around))
                .filter(|found| !found.calls.is_empty())
                .unwrap_or_else(|| python::calls(rest)),
        };
        found.cost += more.cost;
        found.is_cut = more.is_cut;
        if more.calls.is_empty() || more.length == 0 {
            break;
        }
        found.calls.extend(more.calls);
        let behind = rest.get(more.length..).unwrap_or("");
        found.length = text.len() - behind.len();
        rest = behind.trim_start();
    }
    found
}
