//! Calls printed as tags, with JSON or a tag for each argument inside.

use super::PrintedCall;
use crate::engine::reply::call;
use serde_json::Value;

/// `<function=NAME>` or `<invoke name="NAME">` with JSON or `<parameter…>` tags inside.
pub(super) fn tagged(
    text: &str,
    close: &str,
    name: impl Fn(&str) -> Option<String>,
) -> (Vec<PrintedCall>, usize, usize) {
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
pub(super) fn attribute(head: &str, name: &str) -> Option<String> {
    let behind = head.split_once(&format!("{name}="))?.1;
    let quote = behind.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    behind.get(1..)?.split_once(quote).map(|(value, _)| value.to_owned())
}
