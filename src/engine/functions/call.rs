//! Turns a call of one of the person's functions, with JSON arguments, into Python source. Pure.
//!
//! This source is what is shown, approved and run, so every value is written out as a literal.

use crate::domain::{Function, ParameterKind};
use crate::engine::call_error::CallError;
use crate::python::Literal;
use serde_json::{Map, Value};

const MAX_TEXT_BYTES: usize = 256 << 10;

/// The source of the call: `name(a=1, b='x')`. `arguments` is JSON.
///
/// # Errors
/// Why the call is not possible.
pub(super) fn source(function: &Function, arguments: &str) -> Result<String, CallError> {
    let name = &function.name;
    let unfit = |why: String| CallError::Arguments { function: name.clone(), why };
    let needs = |what: String| CallError::Needs { function: name.clone(), what };
    let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
    let given: Value =
        serde_json::from_str(arguments).map_err(|error| unfit(format!("are no JSON: {error}")))?;
    let Value::Object(mut given) = given else {
        return Err(unfit("have to be a JSON object".into()));
    };
    let mut parts = Vec::new();
    let mut skipped = false;
    for parameter in &function.parameters {
        let value = given.shift_remove(&parameter.name);
        match (parameter.kind, value) {
            (ParameterKind::Rest, Some(Value::Array(all))) => {
                if skipped && !all.is_empty() {
                    return Err(needs(format!("all parameters before *{}", parameter.name)));
                }
                for value in &all {
                    parts.push(literal(value)?.to_string());
                }
            }
            (ParameterKind::Rest, Some(_)) => {
                return Err(CallError::NoList { function: name.clone(), rest: parameter.name.clone() });
            }
            (ParameterKind::Options, Some(Value::Object(all))) => collect_named(&all, name, &mut parts)?,
            (ParameterKind::Options, Some(value)) => {
                given.insert(parameter.name.clone(), value);
            }
            (ParameterKind::Positional, Some(_)) if skipped => {
                return Err(needs(format!("all parameters before {}", parameter.name)));
            }
            (ParameterKind::Positional, Some(value)) => parts.push(literal(&value)?.to_string()),
            (ParameterKind::Named, Some(value)) => {
                parts.push(format!("{}={}", parameter.name, literal(&value)?));
            }
            (_, None) if parameter.required => {
                return Err(needs(format!("the parameter {}", parameter.name)));
            }
            (_, None) => skipped |= parameter.kind == ParameterKind::Positional,
        }
    }
    let options = function.parameters.iter().any(|p| p.kind == ParameterKind::Options);
    match given.keys().next() {
        Some(unknown) if !options => {
            return Err(CallError::NoParameter { function: name.clone(), name: cut_name(unknown) });
        }
        _ => collect_named(&given, name, &mut parts)?,
    }
    let call = format!("{name}({})", parts.join(", "));
    if call.len() > MAX_TEXT_BYTES { Err(CallError::Long(name.clone())) } else { Ok(call) }
}

fn collect_named(all: &Map<String, Value>, function: &str, parts: &mut Vec<String>) -> Result<(), CallError> {
    for (key, value) in all {
        if !is_identifier(key) {
            return Err(CallError::Name { function: function.to_owned(), name: cut_name(key) });
        }
        parts.push(format!("{key}={}", literal(value)?));
    }
    Ok(())
}

/// A name shortened for a message, which quotes it.
fn cut_name(name: &str) -> String {
    name.chars().take(60).collect()
}

const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

fn is_identifier(name: &str) -> bool {
    name.len() <= 200
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !KEYWORDS.contains(&name)
}

/// A value as a literal of Python.
fn literal(value: &Value) -> Result<Literal, CallError> {
    Literal::of_json(value).ok_or(CallError::Deep)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Parameter;
    use proptest::prelude::*;

    fn parameter(name: &str, kind: ParameterKind, required: bool) -> Parameter {
        Parameter { name: name.into(), kind, annotation: String::new(), required, default: None }
    }

    fn function(parameters: Vec<Parameter>) -> Function {
        Function { name: "rate".into(), signature: String::new(), doc: String::new(), parameters }
    }

    #[test]
    fn a_call_is_written_out() {
        use ParameterKind::{Named, Positional};
        let rate = function(vec![
            parameter("a", Positional, true),
            parameter("b", Named, false),
            parameter("c", Named, false),
        ]);
        let call = |arguments| source(&rate, arguments);
        assert_eq!(call(r#"{"a": 1}"#).unwrap(), "rate(1)");
        let all = r#"{"c": {"k": [true, null, 2.5]}, "b": "it's\n\u202e", "a": -1}"#;
        assert_eq!(call(all).unwrap(), r#"rate(-1, b="it's\n\u202e", c={'k': [True, None, 2.5]})"#);
        for (arguments, why) in [
            ("{}", "needs the parameter a"),
            (r#"{"a": 1, "d": 2}"#, "has no parameter \"d\""),
            ("[1]", "has to be a JSON object"),
            ("{\"a\": 1", "are no JSON"),
        ] {
            let told = call(arguments).unwrap_err().to_string();
            assert!(told.contains(why) || told.replace("have", "has").contains(why), "{told}");
        }
    }

    #[test]
    fn further_arguments_go_where_the_function_takes_them() {
        use ParameterKind::{Named, Options, Rest};
        let open = function(vec![
            parameter("first", Named, false),
            parameter("rest", Rest, false),
            parameter("options", Options, false),
        ]);
        assert_eq!(source(&open, r#"{"x": 1}"#).unwrap(), "rate(x=1)");
        assert_eq!(source(&open, r#"{"options": {"x": 1}}"#).unwrap(), "rate(x=1)");
        assert_eq!(source(&open, r#"{"rest": [1, 2]}"#).unwrap(), "rate(1, 2)");
        assert!(source(&open, r#"{"x y": 1}"#).is_err());
        assert!(source(&open, r#"{"import": 1}"#).is_err());
        assert!(source(&open, r#"{"x=exec('y'), z": 1}"#).is_err());
    }

    proptest! {
        /// No string breaks out of its quotes, and the call has no invisible characters.
        #[test]
        fn texts_stay_in_their_quotes(text in any::<String>()) {
            let one = function(vec![parameter("a", ParameterKind::Named, true)]);
            let arguments = serde_json::json!({ "a": text }).to_string();
            let call = source(&one, &arguments).unwrap();
            prop_assert!(!call.chars().any(|c| c.is_control()));
            let inner = call.strip_prefix("rate(a=").and_then(|c| c.strip_suffix(')')).unwrap();
            let quote = inner.chars().next().unwrap();
            let body = &inner[1..inner.len() - 1];
            let mut escaped = false;
            for c in body.chars() {
                prop_assert!(escaped || c != quote);
                escaped = !escaped && c == '\\';
            }
            prop_assert!(!escaped && inner.ends_with(quote));
        }

        #[test]
        fn any_arguments(text in any::<String>()) {
            let _ = source(&function(vec![parameter("a", ParameterKind::Rest, false)]), &text);
        }
    }
}
