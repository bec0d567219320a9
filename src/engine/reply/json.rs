//! Reads JSON as models print it: complete, cut off, or with unescaped line breaks in strings. Each takes one pass.

use serde_json::{Map, Value};

/// A JSON value at the start of a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LeadingValue {
    pub(super) value: Value,
    /// How many bytes it has.
    pub(super) length: usize,
    /// Whether line breaks had to be escaped to parse it.
    pub(super) repaired: bool,
}

/// The object or list at the start of `text`; `None` if it is incomplete or not JSON.
pub(super) fn read(text: &str) -> Option<LeadingValue> {
    let length = end(text)?;
    let whole = text.get(..length)?;
    if let Ok(value) = serde_json::from_str(whole) {
        return Some(LeadingValue { value, length, repaired: false });
    }
    let value = serde_json::from_str(&escaped(whole)).ok()?;
    Some(LeadingValue { value, length, repaired: true })
}

/// Where the object or list at the start of `text` ends.
pub(in crate::engine) fn end(text: &str) -> Option<usize> {
    let (mut depth, mut in_text, mut escape) = (0u32, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escape => escape = false,
            b'\\' if in_text => escape = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => depth += 1,
            b'}' | b']' if !in_text => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The JSON with control characters inside of strings escaped.
fn escaped(json: &str) -> String {
    let (mut in_text, mut escape) = (false, false);
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        match c {
            '\n' if in_text => out.push_str("\\n"),
            '\r' if in_text => out.push_str("\\r"),
            '\t' if in_text => out.push_str("\\t"),
            _ => out.push(c),
        }
        match c {
            _ if escape => escape = false,
            '\\' if in_text => escape = true,
            '"' => in_text = !in_text,
            _ => {}
        }
    }
    out
}

/// The fields of an object that is cut off: the complete ones, and the string that is cut. Only strings and numbers are
/// read.
pub(super) fn broken_off(text: &str) -> Option<Map<String, Value>> {
    let mut rest = text.trim_start().strip_prefix('{')?;
    let mut fields = Map::new();
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        let Some((key, true, behind)) = string(rest) else { return Some(fields) };
        let Some(behind) = behind.trim_start().strip_prefix(':') else { return Some(fields) };
        let behind = behind.trim_start();
        if let Some((value, _, behind)) = string(behind) {
            fields.insert(key, Value::String(value));
            rest = behind;
            continue;
        }
        let number = behind.split(|c: char| !c.is_ascii_digit()).next().unwrap_or("");
        // A number at the very end may be cut off.
        let Some(behind) = behind.get(number.len()..).filter(|b| !number.is_empty() && !b.is_empty()) else {
            return Some(fields);
        };
        if let Ok(number) = number.parse::<u64>() {
            fields.insert(key, number.into());
        }
        rest = behind;
    }
}

/// The string at the start of `json`, whether it is complete, and the rest.
fn string(json: &str) -> Option<(String, bool, &str)> {
    let inner = json.strip_prefix('"')?;
    let mut escape = false;
    let end = inner.bytes().position(|byte| match byte {
        _ if escape => {
            escape = false;
            false
        }
        b'\\' => {
            escape = true;
            false
        }
        byte => byte == b'"',
    });
    let (body, behind) = match end {
        Some(end) => (inner.get(..end)?, inner.get(end + 1..)?),
        None => (inner, ""),
    };
    let decode = |body: &str| serde_json::from_str::<String>(&escaped(&format!("\"{body}\""))).ok();
    // Drop an escape that is cut in two (`\`, `\u00`, half of a surrogate pair).
    let cuts = if end.is_some() { 0..=0 } else { 0..=11 };
    let text =
        cuts.into_iter().filter_map(|cut| body.get(..body.len().checked_sub(cut)?)).find_map(decode)?;
    Some((text, end.is_some(), behind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_value_is_read_up_to_its_end() {
        let found = read("{\"a\": \"}\\\"{\"} and more").expect("found");
        assert_eq!((found.value, found.length, found.repaired), (json!({ "a": "}\"{" }), 13, false));
        assert_eq!(read("{\"a\": 1"), None);
        assert_eq!(read("a {}"), None);
        assert_eq!(read("}"), None);
    }

    #[test]
    fn line_breaks_in_texts_are_read() {
        let found = read("{\"code\": \"a\n\tb\\n\"}").expect("found");
        assert_eq!((found.value, found.repaired), (json!({ "code": "a\n\tb\n" }), true));
    }

    #[test]
    fn what_came_of_a_cut_object_is_known() {
        let fields =
            broken_off("{\"language\": \"python\", \"n\": 12, \"code\": \"print(1)\\npri").expect("fields");
        assert_eq!(Value::Object(fields), json!({ "language": "python", "n": 12, "code": "print(1)\npri" }));
        assert_eq!(broken_off("{\"code\": \"a\\").map(Value::Object), Some(json!({ "code": "a" })));
        assert_eq!(broken_off("{\"code\": \"a\\ud83d\\u").map(Value::Object), Some(json!({ "code": "a" })));
        assert_eq!(broken_off("[1"), None);
    }

    proptest! {
        #[test]
        fn any_cut_of_an_object_is_read(code in any::<String>(), cut in 0usize..400) {
            let whole = json!({ "language": "python", "code": code }).to_string();
            let cut = whole.floor_char_boundary(cut.min(whole.len()));
            if let Some(Value::String(text)) = broken_off(&whole[..cut]).and_then(|f| f.get("code").cloned()) {
                prop_assert!(code.starts_with(&text), "{text:?} of {code:?}");
            }
        }

        #[test]
        fn anything_is_read_without_harm(text in any::<String>()) {
            let _ = (read(&text), broken_off(&text));
        }
    }
}
