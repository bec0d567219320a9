//! Python texts: escapes in literals, and functions and operators that make a text from a text.

use crate::review::escapes;
use crate::review::value::{Act, Taint, Value, ValueKind};

/// The result of a function or method that makes a text from a text; `None` for others.
pub(super) fn result_of_text(act: &Act) -> Option<Value> {
    result_of_decoding(act).or_else(|| result_of_str(act))
}

/// The result of a function that makes a text from bytes, numbers or an encoding.
fn result_of_decoding(act: &Act) -> Option<Value> {
    let first = act.value(0);
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
            let how = act.value(1).and_then(Value::as_whole_text).unwrap_or_default();
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
    let first = act.value(0);
    let receiver = act.receiver.as_ref();
    Some(match act.name.as_str() {
        "str.join" => match &first?.kind {
            ValueKind::List(items) => Value::join(items, receiver?.as_whole_text()?),
            ValueKind::Text { text, whole: true } => {
                let letters: Vec<Value> = text.chars().map(|c| Value::text(c.to_string())).collect();
                Value::join(&letters, receiver?.as_whole_text()?).tainted(first?.taint)
            }
            _ => first?.to_unknown(),
        },
        "str.format" => format(receiver?, act),
        "str.replace" => {
            let from = first?.as_whole_text()?;
            let to = act.value(1)?.as_whole_text()?;
            let text = receiver?.as_whole_text()?;
            if from.is_empty() || text.len().saturating_mul(to.len().max(1)) > 64 * 1024 {
                return None;
            }
            Value::text(text.replacen(from, to, limit(act, 2, "count")?)).tainted(receiver?.taint)
        }
        "str.encode" | "str.decode" => receiver?.clone(),
        "str.rstrip" | "str.lstrip" | "str.strip" => stripped(&act.name, receiver?, first)?,
        "str.lower" => Value::text(receiver?.as_whole_text()?.to_lowercase()),
        "str.upper" => Value::text(receiver?.as_whole_text()?.to_uppercase()),
        "shlex.split" => words_of(first?.as_text()?.0),
        "str.split" => split(act, receiver?.as_whole_text()?)?,
        _ => return None,
    })
}

/// `text.split(separator, most)`; `None` if the separator or the limit is not known.
fn split(act: &Act, text: &str) -> Option<Value> {
    let separator = act.first_of(&["0".to_owned(), "sep".to_owned()]).first().map(|(value, _)| *value);
    let separator = separator.filter(|value| value.kind != ValueKind::Nothing);
    let most = limit(act, 1, "maxsplit")?;
    let Some(separator) = separator else { return (most == usize::MAX).then(|| words_of(text)) };
    let separator = separator.as_whole_text().filter(|separator| !separator.is_empty())?;
    let parts = text.splitn(most.saturating_add(1), separator).take(256).map(Value::text);
    Some(Value::list(parts.collect()))
}

/// The words of a text, between spaces.
fn words_of(text: &str) -> Value {
    Value::list(text.split_whitespace().take(256).map(Value::text).collect())
}

/// How many times a method may replace or split, as an argument says, otherwise `usize::MAX`; `None` if not known.
fn limit(act: &Act, at: usize, name: &str) -> Option<usize> {
    let given = act.first_of(&[at.to_string(), name.to_owned()]).first().map(|(value, _)| value.kind.clone());
    match given {
        None => Some(usize::MAX),
        Some(ValueKind::Number(count)) => Some(usize::try_from(count).unwrap_or(usize::MAX)),
        Some(_) => None,
    }
}

/// The most bytes that are compared to take letters off the ends of a text.
const MAX_STRIP_WORK: usize = 64 * 1024;

/// A text without the spaces, or without the given letters, at its ends; `None` if it is not known.
fn stripped(method: &str, receiver: &Value, letters: Option<&Value>) -> Option<Value> {
    let (text, whole) = receiver.as_text()?;
    let letters = letters.filter(|letters| letters.kind != ValueKind::Nothing);
    let given = match letters {
        Some(letters) if whole => Some(letters.as_whole_text()?),
        Some(_) => return None,
        None => None,
    };
    // Each letter of the text is looked for in the others.
    if given.is_some_and(|letters| letters.len().saturating_mul(text.len()) > MAX_STRIP_WORK) {
        return None;
    }
    let goes = |c: char| given.map_or_else(|| c.is_whitespace(), |letters| letters.contains(c));
    let left = if method == "str.rstrip" { text } else { text.trim_start_matches(goes) };
    let left = if method == "str.lstrip" { left } else { left.trim_end_matches(goes) };
    Some(Value::of_text(left, whole).tainted(receiver.taint))
}

/// `'…%s…' % values`.
pub(super) fn percent(left: &Value, right: &Value) -> Value {
    let Some(text) = left.as_whole_text() else {
        return right.to_unknown();
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

#[cfg(test)]
mod tests {
    use crate::domain::Language;
    use crate::review::{Scope, review};

    #[test]
    fn methods_give_the_texts_that_python_gives() {
        for (expression, path) in [
            ("' a '.strip()", "a"),
            ("' a'.lstrip()", "a"),
            ("'xxax'.strip('x')", "a"),
            ("'b/a/'.rstrip('/')", "b/a"),
            ("'aba'.replace('a', 'c', 1)", "cba"),
            ("'aba'.replace('a', 'c', -1)", "cbc"),
            ("'a,b,c'.split(',', 1)[1]", "b,c"),
            ("'a,b,c'.split(sep=',', maxsplit=1)[1]", "b,c"),
            ("sorted(['b', 'a'])[0]", "a"),
            ("list(reversed(['b', 'a']))[0]", "a"),
        ] {
            let source = format!("import os\nos.remove({expression})\n");
            let effects = review(&source, Some(&Language("python".to_owned())), &Scope::default()).effects;
            assert_eq!((effects.deletes, effects.unknown), (vec![path.to_owned()], false), "{expression}");
        }
        for expression in
            ["'a b c'.split(None, 1)[1]", "'a'.replace('a', 'b', n)", "'a'.strip(x)", "'a', dir_fd=d"]
        {
            let source = format!("import os\nos.remove({expression})\n");
            let review = review(&source, Some(&Language("python".to_owned())), &Scope::default());
            assert!(review.effects.unknown, "{expression}");
        }
    }
}
