//! A small validator for JSON schemas: the part of draft 7 that the SARIF schema uses; anything else is an error.

use serde_json::Value;

/// The problems of a value against a schema, with their paths.
pub fn problems(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    fit(schema, schema, value, "$", &mut found);
    found
}

fn fit(root: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    for (word, rule) in schema.as_object().into_iter().flatten() {
        match word.as_str() {
            "title" | "description" | "default" | "$schema" | "$id" | "definitions" | "format" => {}
            "$ref" => {
                let pointer = rule.as_str().unwrap().trim_start_matches('#');
                fit(root, root.pointer(pointer).unwrap(), value, at, found);
            }
            "type" => check(is(value, rule.as_str().unwrap()), at, &format!("is no {rule}"), found),
            "enum" => {
                check(rule.as_array().unwrap().contains(value), at, &format!("is not in {rule}"), found);
            }
            "minimum" => check(value.as_f64() >= rule.as_f64(), at, &format!("is below {rule}"), found),
            "maximum" => check(value.as_f64() <= rule.as_f64(), at, &format!("is above {rule}"), found),
            "minItems" => {
                let few = value.as_array().is_some_and(|items| (items.len() as u64) < rule.as_u64().unwrap());
                check(!few, at, "has too few items", found);
            }
            "uniqueItems" if rule == true => {
                let items = value.as_array().map_or(&[][..], Vec::as_slice);
                let twice = items.iter().enumerate().any(|(n, item)| items[..n].contains(item));
                check(!twice, at, "has an item twice", found);
            }
            "uniqueItems" => {}
            // The schema's patterns are for identifiers, versions and media types.
            "pattern" => check(value.as_str().is_some_and(|t| !t.is_empty()), at, "is empty", found),
            "anyOf" | "oneOf" => {
                let fits = |one: &&Value| {
                    let mut inner = Vec::new();
                    fit(root, one, value, at, &mut inner);
                    inner.is_empty()
                };
                let count = rule.as_array().unwrap().iter().filter(fits).count();
                let good = if word == "oneOf" { count == 1 } else { count > 0 };
                check(good, at, &format!("fits {count} of {word}"), found);
            }
            "items" => {
                for (n, item) in value.as_array().into_iter().flatten().enumerate() {
                    fit(root, rule, item, &format!("{at}[{n}]"), found);
                }
            }
            "required" => {
                for name in rule.as_array().unwrap().iter().filter_map(Value::as_str) {
                    check(value.get(name).is_some(), at, &format!("has no {name}"), found);
                }
            }
            "properties" | "additionalProperties" => {}
            other => panic!("the schema uses {other}, which is not judged here"),
        }
    }
    members(root, schema, value, at, found);
}

fn members(root: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    let others = schema.get("additionalProperties");
    for (name, inner) in value.as_object().into_iter().flatten() {
        let at = format!("{at}.{name}");
        match (schema.get("properties").and_then(|all| all.get(name)), others) {
            (Some(rule), _) => fit(root, rule, inner, &at, found),
            (None, Some(Value::Bool(false))) => found.push(format!("{at} is not known")),
            (None, Some(rule @ Value::Object(_))) => fit(root, rule, inner, &at, found),
            _ => {}
        }
    }
}

fn check(good: bool, at: &str, what: &str, found: &mut Vec<String>) {
    if !good {
        found.push(format!("{at} {what}"));
    }
}

fn is(value: &Value, kind: &str) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("no type {other}"),
    }
}
