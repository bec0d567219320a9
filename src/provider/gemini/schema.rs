//! Converts JSON schemas to the subset that Google understands; anything else makes Google refuse the whole request.

use serde_json::{Map, Value};

/// Fields that are copied unchanged.
const COPIED_FIELDS: &str = "\
     format title description nullable enum required minimum maximum minItems maxItems minLength \
     maxLength minProperties maxProperties pattern propertyOrdering";

/// How deep a schema is converted; deeper parts become `object`.
const MAX_DEPTH: usize = 32;

/// How many parts of a schema are converted, counting what a reference names each time; more become `object`.
const MAX_PARTS: usize = 4096;

/// How many bytes of fields are copied, counting what a reference names each time; more fields are left out.
const MAX_COPIED_BYTES: usize = 1 << 20;

/// What may still be converted.
struct SchemaBudget {
    parts: usize,
    bytes: usize,
}

impl SchemaBudget {
    fn copy(&mut self, value: &Value) -> Option<Value> {
        self.bytes = self.bytes.checked_sub(size(value))?;
        Some(value.clone())
    }
}

/// The schema in Google's subset. References within the schema are replaced by their targets.
pub(super) fn subset(schema: &Value) -> Value {
    subset_at(schema, schema, 0, &mut SchemaBudget { parts: MAX_PARTS, bytes: MAX_COPIED_BYTES })
}

fn subset_at(schema: &Value, root: &Value, depth: usize, left: &mut SchemaBudget) -> Value {
    let fields = schema.as_object().filter(|_| depth < MAX_DEPTH && left.parts > 0);
    left.parts = left.parts.saturating_sub(1);
    let Some(fields) = fields else { return serde_json::json!({ "type": "object" }) };
    if let Some(target) =
        fields.get("$ref").and_then(Value::as_str).and_then(|path| root.pointer(path.strip_prefix('#')?))
    {
        return subset_at(target, root, depth + 1, left);
    }
    let mut out = Map::new();
    types(fields, &mut out);
    for (name, value) in fields {
        match name.as_str() {
            name if COPIED_FIELDS.split_whitespace().any(|field| field == name) => {
                out.extend(left.copy(value).map(|value| (name.to_owned(), value)));
            }
            "const" => {
                out.extend(left.copy(value).map(|value| ("enum".to_owned(), Value::Array(vec![value]))));
            }
            "items" => {
                out.insert("items".into(), subset_at(value, root, depth + 1, left));
            }
            "properties" => {
                let each = |(name, value): (&String, &Value)| {
                    (name.clone(), subset_at(value, root, depth + 1, left))
                };
                let properties: Map<String, Value> =
                    value.as_object().into_iter().flatten().map(each).collect();
                out.insert("properties".into(), properties.into());
            }
            "anyOf" | "oneOf" => {
                let all = value.as_array().into_iter().flatten();
                let each = all.map(|value| subset_at(value, root, depth + 1, left));
                out.insert("anyOf".into(), each.collect());
            }
            _ => {}
        }
    }
    // Google allows only strings in `enum`.
    if out.get("enum").and_then(Value::as_array).is_some_and(|all| !all.iter().all(Value::is_string)) {
        out.remove("enum");
    }
    out.into()
}

/// About how many bytes a value takes.
fn size(value: &Value) -> usize {
    8 + match value {
        Value::String(text) => text.len(),
        Value::Array(all) => all.iter().map(size).sum(),
        Value::Object(all) => all.iter().map(|(name, value)| name.len() + size(value)).sum(),
        _ => 0,
    }
}

/// Converts the type. A list of types becomes one type that may be null, or `anyOf`.
fn types(fields: &Map<String, Value>, out: &mut Map<String, Value>) {
    match fields.get("type") {
        Some(Value::Array(all)) => {
            let named: Vec<&Value> = all.iter().filter(|t| t.as_str() != Some("null")).collect();
            if named.len() < all.len() {
                out.insert("nullable".into(), true.into());
            }
            match named.as_slice() {
                [one] => {
                    out.insert("type".into(), (*one).clone());
                }
                several => {
                    let each = several.iter().map(|t| serde_json::json!({ "type": t }));
                    out.insert("anyOf".into(), each.collect());
                }
            }
        }
        Some(one) => {
            out.insert("type".into(), one.clone());
        }
        None if fields.contains_key("const") || fields.contains_key("enum") => {
            out.insert("type".into(), "string".into());
        }
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_google_does_not_know_is_left_out_or_said_otherwise() {
        let given = json!({
            "$schema": "x", "type": "object", "additionalProperties": false, "required": ["a"],
            "$defs": { "d": { "type": "string", "examples": [1] } },
            "properties": {
                "a": { "type": ["string", "null"], "default": "x" },
                "b": { "$ref": "#/$defs/d" },
                "c": { "const": "yes" },
                "d": { "type": "array", "items": { "type": "integer", "exclusiveMinimum": 1 } },
                "e": { "enum": [1, 2] },
                "f": { "oneOf": [{ "type": "string" }, { "type": "number" }] },
            },
        });
        let expected = json!({
            "type": "object", "required": ["a"],
            "properties": {
                "a": { "type": "string", "nullable": true },
                "b": { "type": "string" },
                "c": { "type": "string", "enum": ["yes"] },
                "d": { "type": "array", "items": { "type": "integer" } },
                "e": { "type": "string" },
                "f": { "anyOf": [{ "type": "string" }, { "type": "number" }] },
            },
        });
        assert_eq!(subset(&given), expected);
    }

    #[test]
    fn a_schema_that_holds_itself_ends() {
        let given = json!({ "type": "object", "properties": { "a": { "$ref": "#" } } });
        assert!(subset(&given).to_string().len() < 10_000);
    }

    #[test]
    fn a_schema_that_holds_itself_many_times_is_bounded() {
        let properties: Map<String, Value> =
            (0..5).map(|n| (n.to_string(), json!({ "$ref": "#" }))).collect();
        let given = json!({ "type": "object", "properties": properties });
        assert!(subset(&given).to_string().len() < 1 << 20);
    }

    #[test]
    fn parts_that_are_named_again_and_again_are_bounded() {
        let leaves: Map<String, Value> = (0..2_000).map(|n| (n.to_string(), json!(true))).collect();
        let choices = json!({ "enum": vec!["x".repeat(1_000); 100] });
        let names =
            |target: &str| -> Vec<Value> { vec![json!({ "$ref": format!("#/$defs/{target}") }); 1_000] };
        for target in ["leaves", "choices"] {
            let given = json!({ "$defs": { "leaves": { "properties": leaves }, "choices": choices }, "anyOf": names(target) });
            assert!(subset(&given).to_string().len() < 2 << 20, "{target}");
        }
    }
}
