//! Calls in Python syntax, `run_code(language="bash", code="ls")`, also several in a list, as some models were trained
//! to write them. Arguments have to be named literals; anything else is code and not a call.

use super::{LeadingCalls, MAX_CALLS, PrintedCall};
use crate::engine::reply::call;
use serde_json::{Map, Value};

/// How deep lists and dictionaries may be nested.
const MAX_DEPTH: usize = 8;

/// The calls at the start of a text.
pub(super) fn calls(text: &str) -> LeadingCalls {
    let (list, mut rest) = match text.strip_prefix('[') {
        Some(inner) => (true, inner.trim_start()),
        None => (false, text),
    };
    let mut calls = Vec::new();
    while calls.len() < MAX_CALLS {
        let Some((call, behind)) = call(rest) else {
            return LeadingCalls::none(leading_name(rest).map_or(0, |_| text.len()));
        };
        calls.push(call);
        rest = behind;
        if !list {
            break;
        }
        let next = rest.trim_start();
        if let Some(end) = next.strip_prefix(']') {
            rest = end;
            break;
        }
        rest = next.strip_prefix(',').unwrap_or(next).trim_start();
    }
    LeadingCalls::new(calls, text.len() - rest.len())
}

/// The tool name at the start of a text, the rest, and whether the call is inside of `print(…)`.
fn leading_name(text: &str) -> Option<(&str, &str, bool)> {
    let inner = text.strip_prefix("print(");
    let text = inner.unwrap_or(text);
    let (name, rest) = text.split_at(text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')))?);
    let name = name.strip_prefix("default_api.").unwrap_or(name);
    let name = name.strip_suffix(".call").unwrap_or(name);
    call::is_known(name).then_some((name, rest, inner.is_some()))
}

fn call(text: &str) -> Option<(PrintedCall, &str)> {
    let (name, rest, is_printed) = leading_name(text)?;
    let mut rest = rest.strip_prefix('(')?.trim_start();
    let mut arguments = Map::new();
    let behind = loop {
        if let Some(behind) = rest.strip_prefix(')') {
            break behind;
        }
        let (key, behind) = rest.split_once('=')?;
        let key = key.trim_end();
        if key.is_empty() || !key.chars().all(|c| c.is_alphanumeric() || c == '_') {
            return None;
        }
        let (value, behind) = literal(behind.trim_start(), MAX_DEPTH)?;
        arguments.insert(key.to_owned(), value);
        let next = behind.trim_start();
        rest = match next.strip_prefix(',') {
            Some(next) => next.trim_start(),
            None if next.starts_with(')') => next,
            None => return None,
        };
    };
    let behind = if is_printed { behind.trim_start().strip_prefix(')')? } else { behind };
    Some((PrintedCall::new(name, &Value::Object(arguments).to_string()), behind))
}

/// The literal at the start of a text, and the rest.
fn literal(text: &str, depth: usize) -> Option<(Value, &str)> {
    if let Some(inner) = text.strip_prefix('[') {
        return list(inner, depth.checked_sub(1)?);
    }
    if let Some(inner) = text.strip_prefix('{') {
        return dictionary(inner, depth.checked_sub(1)?);
    }
    if let Some((first, mut rest)) = string(text) {
        // Adjacent strings are joined.
        let mut whole = first;
        while let Some((more, behind)) = string(rest.trim_start()) {
            whole.push_str(&more);
            rest = behind;
        }
        return Some((Value::String(whole), rest));
    }
    let (word, rest) =
        text.split_at(text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-' | '_')))?);
    let value = match word {
        "True" | "true" => Value::Bool(true),
        "False" | "false" => Value::Bool(false),
        "None" | "null" => Value::Null,
        number => serde_json::from_str::<serde_json::Number>(number).ok()?.into(),
    };
    Some((value, rest))
}

fn list(text: &str, depth: usize) -> Option<(Value, &str)> {
    let (mut items, mut rest) = (Vec::new(), text.trim_start());
    loop {
        if let Some(behind) = rest.strip_prefix(']') {
            return Some((Value::Array(items), behind));
        }
        let (item, behind) = literal(rest, depth)?;
        items.push(item);
        rest = separated(behind, ']')?;
    }
}

fn dictionary(text: &str, depth: usize) -> Option<(Value, &str)> {
    let (mut fields, mut rest) = (Map::new(), text.trim_start());
    loop {
        if let Some(behind) = rest.strip_prefix('}') {
            return Some((Value::Object(fields), behind));
        }
        let (key, behind) = string(rest)?;
        let behind = behind.trim_start().strip_prefix(':')?;
        let (value, behind) = literal(behind.trim_start(), depth)?;
        fields.insert(key, value);
        rest = separated(behind, '}')?;
    }
}

/// The text after a comma, or from the closing sign on.
fn separated(text: &str, close: char) -> Option<&str> {
    let text = text.trim_start();
    text.strip_prefix(',').map(str::trim_start).or(Some(text).filter(|text| text.starts_with(close)))
}

/// The string at the start of a text, and the rest.
fn string(text: &str) -> Option<(String, &str)> {
    let raw = text.strip_prefix(['r', 'R']);
    let text = raw.unwrap_or(text);
    let sign = text.chars().next().filter(|sign| matches!(sign, '"' | '\''))?;
    let triple = if sign == '"' { "\"\"\"" } else { "\'\'\'" };
    let quote = if text.starts_with(triple) { triple } else { triple.get(..1)? };
    let mut rest = text.get(quote.len()..)?;
    let mut out = String::new();
    loop {
        if let Some(behind) = rest.strip_prefix(quote) {
            return Some((out, behind));
        }
        let sign = rest.chars().next()?;
        rest = rest.get(sign.len_utf8()..)?;
        match sign {
            '\n' if quote.len() == 1 => return None,
            '\\' if raw.is_none() => rest = escape(rest, &mut out)?,
            '\\' => {
                let next = rest.chars().next()?;
                out.extend(['\\', next]);
                rest = rest.get(next.len_utf8()..)?;
            }
            sign => out.push(sign),
        }
    }
}

/// Adds the character that an escape means; returns the rest.
fn escape<'t>(text: &'t str, out: &mut String) -> Option<&'t str> {
    let sign = text.chars().next()?;
    let rest = text.get(sign.len_utf8()..)?;
    let digits = match sign {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => 0,
    };
    match sign {
        'n' => out.push('\n'),
        't' => out.push('\t'),
        'r' => out.push('\r'),
        '0' => out.push('\0'),
        '\n' => {}
        '\\' | '\'' | '"' => out.push(sign),
        _ if digits > 0 => {
            out.push(char::from_u32(u32::from_str_radix(rest.get(..digits)?, 16).ok()?)?);
            return rest.get(digits..);
        }
        // An unknown escape stays as it is.
        sign => out.extend(['\\', sign]),
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::calls;
    use proptest::prelude::*;

    #[test]
    fn literals_are_read_and_code_is_none() {
        let text = "[run_code(language='bash', code=r\"\"\"echo \"a\\n\"\n\"\"\"), edit_file(path=\"a\" \"b\", edits=[{'search': 'x\\u00e9\\n', \"replace\": None,},])] x";
        let found = calls(text);
        let told: Vec<&str> = found.calls.iter().map(|call| call.arguments.as_str()).collect();
        assert_eq!(told[0], r#"{"language":"bash","code":"echo \"a\\n\"\n"}"#);
        assert_eq!(told[1], "{\"path\":\"ab\",\"edits\":[{\"search\":\"xé\\n\",\"replace\":null}]}");
        assert_eq!(&text[found.length..], " x");
        for code in [
            "run_code(\"ls\")",
            "run_code(code=x)",
            "run_code(code=f'a')",
            "rm(a='b')",
            "run_code",
            "run_code(code='a' + 'b')",
            "x = run_code(code='a')",
        ] {
            assert!(calls(code).calls.is_empty(), "{code}");
        }
    }

    proptest! {
        #[test]
        fn anything_is_read_without_harm(text in "(run_code\\(|code=|[\"'\\\\rxnU{}\\[\\](),:é \n]){0,24}") {
            let found = calls(&text);
            prop_assert!(found.calls.is_empty() || text.is_char_boundary(found.length));
        }
    }
}
