//! Gives the results of JavaScript functions that make a text from texts or bytes, or take a text apart.

use crate::review::escapes;
use crate::review::value::{Act, Argument, Taint, Value, ValueKind};

/// Longest list that a split gives.
const MAX_ITEMS: usize = 256;

/// The result of a function on texts or bytes; `None` for others.
pub(super) fn result_of_text(act: &Act) -> Option<Value> {
    let first = act.value(0);
    let receiver = act.receiver.as_ref();
    Some(match act.name.as_str() {
        "atob" => base64(first?.as_whole_text()?),
        "Buffer.from" => match act.value(1).and_then(Value::as_whole_text) {
            Some("base64") => {
                let text =
                    first?.as_whole_text().map_or_else(|| Value::unknown().tainted(Taint::DECODED), base64);
                Value::name_about("Buffer()", text)
            }
            Some("hex") => Value::name_about("Buffer()", Value::unknown().tainted(Taint::DECODED)),
            _ => Value::name_about("Buffer()", first?.clone()),
        },
        "Buffer().toString" | "string.toString" => receiver?.clone(),
        "string.trim" | "string.trimStart" | "string.trimEnd" => trimmed(&act.name, receiver?)?,
        "string.replace" | "string.replaceAll" => replaced(act)?,
        "string.toLowerCase" => {
            Value::text(receiver?.as_whole_text()?.to_lowercase()).tainted(receiver?.taint)
        }
        "string.toUpperCase" => {
            Value::text(receiver?.as_whole_text()?.to_uppercase()).tainted(receiver?.taint)
        }
        "String.fromCharCode" => {
            let letter = |a: &Argument| match a.value.kind {
                ValueKind::Number(n) => u32::try_from(n).ok().and_then(char::from_u32),
                _ => None,
            };
            Value::text(act.arguments.iter().map(letter).collect::<Option<String>>()?).tainted(Taint::DECODED)
        }
        "string.split" => {
            let text = receiver?.as_whole_text()?;
            let by = first.and_then(Value::as_whole_text)?;
            let items: Vec<Value> = if by.is_empty() {
                text.chars().take(MAX_ITEMS).map(|c| Value::text(c.to_string())).collect()
            } else {
                text.split(by).take(MAX_ITEMS).map(Value::text).collect()
            };
            Value::list(items)
        }
        "string.concat" => {
            let mut parts = vec![receiver?.clone()];
            parts.extend(act.values());
            Value::join(&parts, "")
        }
        // Only matters whether all of it is known, not its text.
        "JSON.stringify" if first?.is_constant() => Value::text("{}").tainted(first?.all_taint()),
        "JSON.stringify" => first?.to_unknown(),
        "Boolean" => Value::unknown(),
        _ => return None,
    })
}

/// A text without the spaces at its ends.
fn trimmed(method: &str, receiver: &Value) -> Option<Value> {
    let (text, whole) = receiver.as_text()?;
    let text = if method == "string.trimEnd" { text } else { text.trim_start() };
    let text = if method == "string.trimStart" { text } else { text.trim_end() };
    Some(Value::of_text(text, whole).tainted(receiver.taint))
}

/// `text.replace(from, to)`; `None` if the result is not known.
fn replaced(act: &Act) -> Option<Value> {
    let from = act.value(0)?.as_whole_text()?;
    let to = act.value(1)?.as_whole_text()?;
    let text = act.receiver.as_ref()?.as_whole_text()?;
    // `$&` and the like stand for what was found.
    if from.is_empty() || to.contains('$') || text.len().saturating_mul(to.len().max(1)) > 64 * 1024 {
        return None;
    }
    let most = if act.name == "string.replace" { 1 } else { usize::MAX };
    Some(Value::text(text.replacen(from, to, most)))
}

/// Decoded base64, if it is text; always marked as decoded.
fn base64(text: &str) -> Value {
    escapes::base64(text).map_or_else(Value::unknown, Value::text).tainted(Taint::DECODED)
}
