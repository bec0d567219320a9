//! Python texts: escapes in literals, and functions and operators that make a text from a text.

use crate::review::escapes;
use crate::review::value::{Act, Taint, Value, ValueKind};

/// The result of a function or method that makes a text from a text; `None` for others.
pub(super) fn result_of_text(act: &Act) -> Option<Value> {
    result_of_decoding(act).or_else(|| result_of_str(act))
}

/// The result of a function that makes a text from bytes, numbers or an encoding.
fn result_of_decoding(act: &Act) -> Option<Value> {
    let first = act.arguments.first().map(|a| &a.value);
    Some(match act.name.as_str() {
        "chr" => match first?.kind {
            ValueKind::Number(n) => Value::text(u32::try_from(n).ok().and_then(char::from_u32)?.to_string()),
            _ => Value::unknown().tainted(Taint::DECODED),
        },
        "reversed" => {
            Value::text(first?.as_whole_text()?.chars().rev().collect::<String>()).tainted(Taint::DECODED)
        }
        "bytes" | "bytearray" => match &first?.kind {
            ValueKind::List(items) => {
                let byte = |v: &Value| match v.kind {
                    ValueKind::Number(n) => u8::try_from(n).ok().map(char::from),
                    _ => None,
                };
                Value::text(items.iter().map(byte).collect::<Option<String>>()?).tainted(Taint::DECODED)
            }
            ValueKind::Text { .. } => first?.clone(),
            _ => return None,
        },
        "bytes.fromhex" | "bytearray.fromhex" | "binascii.unhexlify" => {
            decoded(unhex(first?.as_whole_text()?))
        }
        "base64.b64decode"
        | "base64.standard_b64decode"
        | "base64.decodebytes"
        | "base64.urlsafe_b64decode" => decoded(escapes::base64(first?.as_whole_text()?)),
        "codecs.decode" => {
            let how = act.arguments.get(1).and_then(|a| a.value.as_whole_text()).unwrap_or_default();
            match how.replace(['-', '_'], "").as_str() {
                "rot13" => Value::text(rot13(first?.as_whole_text()?)).tainted(Taint::DECODED),
                "hex" => decoded(unhex(first?.as_whole_text()?)),
                _ => return None,
            }
        }
        _ => return None,
    })
}

/// The result of a text's method.
fn result_of_str(act: &Act) -> Option<Value> {
    let first = act.arguments.first().map(|a| &a.value);
    let receiver = act.receiver.as_ref();
    Some(match act.name.as_str() {
        "str.join" => match &first?.kind {
            ValueKind::List(items) => Value::join(items, receiver?.as_whole_text()?),
            ValueKind::Text { text, whole: true } => {
                let letters: Vec<Value> = text.chars().map(|c| Value::text(c.to_string())).collect();
                Value::join(&letters, receiver?.as_whole_text()?).tainted(first?.taint)
            }
            _ => Value::unknown().tainted(first?.all_taint()),
        },
        "str.format" => format(receiver?, act),
        "str.replace" => {
            let from = first?.as_whole_text()?;
            let to = act.arguments.get(1)?.value.as_whole_text()?;
            let text = receiver?.as_whole_text()?;
            if from.is_empty() || text.len().saturating_mul(to.len().max(1)) > 64 * 1024 {
                return None;
            }
            Value::text(text.replace(from, to)).tainted(receiver?.taint)
        }
        "str.encode" | "str.decode" | "str.rstrip" | "str.lstrip" | "str.strip"
            if act.arguments.is_empty() || !act.name.ends_with("strip") =>
        {
            receiver?.clone()
        }
        "str.lower" => Value::text(receiver?.as_whole_text()?.to_lowercase()),
        "str.upper" => Value::text(receiver?.as_whole_text()?.to_uppercase()),
        "str.split" | "shlex.split" => {
            let text =
                if act.name == "shlex.split" { first?.as_text()?.0 } else { receiver?.as_whole_text()? };
            let separator =
                if act.name == "shlex.split" { None } else { first.and_then(Value::as_whole_text) };
            let words: Vec<Value> = match separator {
                Some(s) if !s.is_empty() => text.split(s).take(256).map(Value::text).collect(),
                _ => text.split_whitespace().take(256).map(Value::text).collect(),
            };
            Value::new(ValueKind::List(words))
        }
        _ => return None,
    })
}

/// `'…%s…' % values`.
pub(super) fn percent(left: &Value, right: &Value) -> Value {
    let Some(text) = left.as_whole_text() else {
        return Value::unknown().tainted(right.all_taint());
    };
    let values = match &right.kind {
        ValueKind::List(items) => items.clone(),
        _ => vec![right.clone()],
    };
    let mut values = values.into_iter();
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((head, tail)) = rest.split_once('%') {
        parts.push(Value::text(head));
        let mut chars = tail.chars();
        match chars.next() {
            Some('s' | 'd') => parts.push(values.next().unwrap_or_else(Value::unknown)),
            Some('%') => parts.push(Value::text("%")),
            _ => {
                parts.push(Value::unknown());
                chars = tail.trim_start_matches(|c: char| !c.is_ascii_alphabetic()).chars();
                chars.next();
                values.next();
            }
        }
        rest = chars.as_str();
    }
    parts.push(Value::text(rest));
    Value::join(&parts, "")
}

/// `'…{}…'.format(values)`.
fn format(receiver: &Value, act: &Act) -> Value {
    let Some(text) = receiver.as_whole_text() else { return Value::unknown() };
    let mut parts = Vec::new();
    let mut next = 0;
    let mut rest = text;
    while let Some((head, tail)) = rest.split_once('{') {
        parts.push(Value::text(head));
        let Some((field, after)) = tail.split_once('}') else { break };
        let found = if field.is_empty() {
            next += 1;
            act.select(&(next - 1).to_string())
        } else {
            act.select(field)
        };
        parts.push(found.first().map_or_else(Value::unknown, |(v, _)| (*v).clone()));
        rest = after;
    }
    parts.push(Value::text(rest));
    Value::join(&parts, "")
}

/// The text of a piece of a string literal, with escapes resolved.
pub(super) fn content(piece: &str, raw: bool, format: bool) -> Value {
    let piece = if format { piece.replace("{{", "{").replace("}}", "}") } else { piece.to_owned() };
    if raw || !piece.contains('\\') {
        return Value::text(piece);
    }
    Value::text(escapes::python(&piece))
}

fn unhex(text: &str) -> Option<String> {
    let digits: Vec<u8> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16).map(|d| d as u8))
        .collect::<Option<_>>()?;
    String::from_utf8(digits.chunks(2).map(|pair| pair.iter().fold(0, |v, d| v << 4 | d)).collect()).ok()
}

/// Decoded text, unknown if it was none; always marked as decoded.
fn decoded(text: Option<String>) -> Value {
    text.map_or_else(Value::unknown, Value::text).tainted(Taint::DECODED)
}

fn rot13(text: &str) -> String {
    let turn = |c: char, base: u8| char::from(base + (c as u8 - base + 13) % 26);
    text.chars()
        .map(|c| match c {
            'a'..='z' => turn(c, b'a'),
            'A'..='Z' => turn(c, b'A'),
            _ => c,
        })
        .collect()
}
