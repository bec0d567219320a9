//! Calls printed as tags, with JSON or one tag for each argument inside. Tag names may have a namespace
//! (`<seed:tool_call>`).

use super::{LeadingCalls, PrintedCall};
use crate::engine::reply::{call, json};
use serde_json::Value;

const MAX_HEAD_BYTES: usize = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TagKind {
    /// It wraps calls.
    Around,
    /// `<function=NAME>`.
    Function,
    /// `<invoke name="NAME">`.
    Invoke,
}

/// The tag that opens a call.
#[derive(Clone, Debug)]
pub(super) struct OpenTag {
    pub(super) kind: TagKind,
    /// The length of the whole tag in bytes.
    pub(super) length: usize,
    /// Its closing tag.
    pub(super) close: String,
    /// The namespace before its name.
    space: String,
}

impl OpenTag {
    /// The tag at the start of a text.
    pub(super) fn of(text: &str) -> Option<Self> {
        let head = text.get(..text.floor_char_boundary(MAX_HEAD_BYTES))?.strip_prefix('<')?;
        let full = head.get(..head.find(['>', ' ', '=', '\n', '<', '/', '"'])?)?;
        let name = full.rsplit([':', '｜']).next()?;
        let kind = match name {
            "tool_call" | "tool_calls" | "function_call" | "function_calls" | "TOOLCALL" => TagKind::Around,
            "function" => TagKind::Function,
            "invoke" => TagKind::Invoke,
            _ => return None,
        };
        let sign = match kind {
            TagKind::Around => '>',
            TagKind::Function => '=',
            TagKind::Invoke => ' ',
        };
        let length =
            head.find('>').filter(|_| head.get(full.len()..).is_some_and(|t| t.starts_with(sign)))? + 2;
        let space = full.get(..full.len() - name.len())?.to_owned();
        Some(Self { kind, length, close: format!("</{full}>"), space })
    }

    /// The call that it opens.
    pub(super) fn read(&self, text: &str) -> LeadingCalls {
        let head = text.get(..self.length - 1).unwrap_or_default();
        let name = match self.kind {
            TagKind::Function => {
                head.split_once('=').map(|(_, name)| name.trim().trim_matches('"').to_owned())
            }
            _ => attribute(head, "name"),
        };
        let (Some(name), Some(body)) = (name, text.get(self.length..)) else {
            return LeadingCalls::none(self.length);
        };
        let trimmed = body.trim_start();
        if trimmed.starts_with('{') {
            return self.with_json(text, &name, trimmed);
        }
        let mut looked = 0;
        self.with_parameters(text, name, body, &mut looked).that_cost(looked)
    }

    /// The call if its arguments are the JSON with which `body` begins.
    fn with_json(&self, text: &str, name: &str, body: &str) -> LeadingCalls {
        let Some(found) = json::read(body) else {
            let (arguments, behind) = body.split_at(body.find(&self.close).unwrap_or(body.len()));
            let behind = behind.strip_prefix(&*self.close).unwrap_or(behind);
            return LeadingCalls::cut(name, arguments, text.len() - behind.len());
        };
        let (arguments, behind) = body.split_at(found.length);
        match behind.trim_start().strip_prefix(&*self.close) {
            Some(behind) => {
                LeadingCalls::new(vec![PrintedCall::new(name, arguments)], text.len() - behind.len())
            }
            None => LeadingCalls::cut(name, arguments, text.len() - behind.len()),
        }
    }

    /// The call if each of its arguments has a tag of its own. Adds the bytes that were read to `looked`.
    fn with_parameters(&self, text: &str, name: String, body: &str, looked: &mut usize) -> LeadingCalls {
        let sign = if self.kind == TagKind::Function { '=' } else { ' ' };
        let open = format!("<{}parameter{sign}", self.space);
        let close = format!("</{}parameter>", self.space);
        let call = if self.kind == TagKind::Function { "function=" } else { "invoke " };
        let call = format!("<{}{call}", self.space);
        let end = ValueEnd { close: &close, next: &open, around: (&call, &self.close) };
        let mut out = String::from("{");
        let mut rest = body.trim_start();
        while let Some(tag) = rest.strip_prefix(&*open) {
            let head = tag.get(..tag.floor_char_boundary(MAX_HEAD_BYTES)).unwrap_or_default();
            let Some((head, _)) = head.split_once('>') else {
                return LeadingCalls::cut(&name, &out, text.len());
            };
            let key =
                if self.kind == TagKind::Function { Some(head.to_owned()) } else { attribute(head, "name") };
            let (Some(key), Some(value)) = (key, tag.get(head.len() + 1..)) else {
                return LeadingCalls::cut(&name, &out, text.len());
            };
            let Some((value, behind)) = end.split_value(value, looked) else {
                // The value has no end: everything after it may belong to it.
                push(&mut out, &key, value.strip_prefix('\n').unwrap_or(value), false);
                return LeadingCalls::cut(&name, &out, text.len());
            };
            push(&mut out, &key, value, true);
            rest = behind.trim_start();
        }
        let Some(behind) = rest.strip_prefix(&*self.close) else {
            return LeadingCalls::cut(&name, &out, text.len() - rest.len());
        };
        out.push('}');
        LeadingCalls::new(vec![PrintedCall { name, arguments: out }], text.len() - behind.len())
    }
}

/// Finds the end of a value that may contain what looks like its end, by what has to follow the real one.
struct ValueEnd<'a> {
    close: &'a str,
    /// The opening of the next argument.
    next: &'a str,
    /// The opening and closing of calls in the same form, which the value may contain.
    around: (&'a str, &'a str),
}

impl ValueEnd<'_> {
    /// The value without a line end on either side, and the text after its end; `None` if no end is certain. Adds the
    /// bytes it read to `looked`: those up to the next argument or call, or all.
    fn split_value<'t>(&self, text: &'t str, looked: &mut usize) -> Option<(&'t str, &'t str)> {
        let (mut end, mut depth, mut upto) = (None, 0usize, text.len());
        for (at, _) in text.match_indices('<') {
            let rest = text.get(at..)?;
            if rest.starts_with(self.around.0) && (depth > 0 || self.begins_call(rest)) {
                if end.is_some() {
                    upto = at;
                    break;
                }
                depth += 1;
            } else if depth > 0 {
                depth -= usize::from(rest.starts_with(self.around.1));
            } else if let Some(behind) = rest.strip_prefix(self.close).map(str::trim_start) {
                if behind.starts_with(self.next) {
                    (end, upto) = (Some(at), at);
                    break;
                }
                if behind.is_empty() || behind.strip_prefix(self.around.1).is_some_and(may_follow) {
                    // An earlier end was text of the value, as no call began after it.
                    end = Some(at);
                }
            }
        }
        *looked += upto;
        let (value, behind) = text.split_at_checked(end?)?;
        let value = value.strip_prefix('\n').unwrap_or(value);
        Some((value.strip_suffix('\n').unwrap_or(value), behind.get(self.close.len()..)?))
    }

    /// Whether a text begins with a call that has arguments.
    fn begins_call(&self, text: &str) -> bool {
        text.strip_prefix(self.around.0).is_some_and(|inner| {
            let near = inner.get(..inner.floor_char_boundary(MAX_HEAD_BYTES)).unwrap_or_default();
            near.find('<').and_then(|at| inner.get(at..)).is_some_and(|rest| rest.starts_with(self.next))
        })
    }
}

/// Whether this text may follow a call: the end of the line, the end of what surrounds the call, a token, or another
/// call. Anything else means that the call continues and the end was part of its text.
fn may_follow(behind: &str) -> bool {
    let next = behind.trim_start_matches([' ', '\t', '\r']);
    let is_end = next.is_empty() || ["\n", "</", "<|", "<｜"].iter().any(|end| next.starts_with(end));
    is_end || OpenTag::of(next).is_some()
}

/// Adds a field to an object; if the value is cut off, the object ends within it.
fn push(object: &mut String, key: &str, value: &str, whole: bool) {
    if object.len() > 1 {
        object.push(',');
    }
    object.push_str(&Value::String(key.trim().to_owned()).to_string());
    object.push(':');
    let value = Value::String(value.to_owned()).to_string();
    object.push_str(if whole { &value } else { value.strip_suffix('"').unwrap_or(&value) });
}

/// `NAME` followed by `<arg_key>KEY</arg_key><arg_value>VALUE</arg_value>` for each argument, between the two tags
/// `around` them.
pub(super) fn arguments(text: &str, around: (&str, &str)) -> LeadingCalls {
    let mut looked = 0;
    with_arguments(text, around, &mut looked).that_cost(looked)
}

fn with_arguments(text: &str, around: (&str, &str), looked: &mut usize) -> LeadingCalls {
    const KEY: (&str, &str) = ("<arg_key>", "</arg_key>");
    const VALUE: (&str, &str) = ("<arg_value>", "</arg_value>");
    let head = text.get(..text.floor_char_boundary(MAX_HEAD_BYTES)).unwrap_or_default();
    let name = head.split(['<', '\n']).next().unwrap_or_default();
    let mut rest = text.get(name.len()..).unwrap_or_default().trim_start();
    let name = name.trim();
    if !call::is_known(name) || !rest.starts_with(KEY.0) {
        return LeadingCalls::none(name.len());
    }
    let end = ValueEnd { close: VALUE.1, next: KEY.0, around };
    let mut out = String::from("{");
    while let Some(tag) = rest.strip_prefix(KEY.0) {
        let key = tag.get(..tag.floor_char_boundary(MAX_HEAD_BYTES)).and_then(|head| head.split_once(KEY.1));
        let value = key.and_then(|(key, _)| {
            let behind = tag.get(key.len() + KEY.1.len()..)?;
            Some((key, behind.trim_start().strip_prefix(VALUE.0)?))
        });
        let Some((key, value)) = value else { return LeadingCalls::cut(name, &out, text.len()) };
        let Some((value, behind)) = end.split_value(value, looked) else {
            push(&mut out, key, value, false);
            return LeadingCalls::cut(name, &out, text.len());
        };
        push(&mut out, key, value, true);
        rest = behind.trim_start();
    }
    out.push('}');
    let call = PrintedCall { name: name.to_owned(), arguments: out };
    LeadingCalls::new(vec![call], text.len() - rest.len())
}

/// The value of an attribute in a tag.
fn attribute(head: &str, name: &str) -> Option<String> {
    let behind = head.split_once(&format!("{name}="))?.1;
    let quote = behind.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    behind.get(1..)?.split_once(quote).map(|(value, _)| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_of_very_many_arguments_is_looked_at_a_few_times() {
        for argument in [
            "<parameter=a><function=</parameter>\n",
            "<parameter=a><function=x><parameter=b></parameter>\n",
            "<parameter=a></parameter></function></parameter>\n",
            "<parameter=a></parameter>\n</function>\n</parameter>\n",
            "<parameter=a><function=x><parameter=b>1</parameter></function></parameter>\n",
        ] {
            let text = format!("<function=run_code>\n{}</function>\n", argument.repeat(4_000));
            let found = OpenTag::of(&text).expect("a tag").read(&text);
            assert!(found.cost <= 3 * text.len(), "{argument}: {} of {}", found.cost, text.len());
        }
        // Bytes read after a call count as its cost.
        let text =
            format!("<function=run_code>\n<parameter=a>1</parameter>\n</function>\n{}", "x\n".repeat(999));
        let found = OpenTag::of(&text).expect("a tag").read(&text);
        assert!(found.length < 99 && found.cost > 1_000, "{found:?}");
        for value in ["<tool_call>", "<tool_call>x<arg_key>", "</arg_value></tool_call>\n"] {
            let argument = format!("<arg_key>a</arg_key><arg_value>{value}</arg_value>");
            let text = format!("run_code{}</tool_call>", argument.repeat(4_000));
            let found = arguments(&text, ("<tool_call>", "</tool_call>"));
            assert!(found.cost <= 3 * text.len(), "{value}: {} of {}", found.cost, text.len());
        }
    }
}
