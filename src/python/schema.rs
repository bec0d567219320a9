//! Makes the JSON schema of a parameter from its annotation. A type that JSON can't express becomes a string with a
//! description that names the type.

use super::annotation::Annotation;
use super::literal::Literal;
use serde_json::{Map, Value, json};

/// The schema of a parameter with this annotation.
pub(crate) fn of(annotation: &str) -> Value {
    schema(&Annotation::read(annotation)).unwrap_or_else(|| described(annotation.trim()))
}

/// `None` where the annotation allows a value that JSON does not have.
fn schema(annotation: &Annotation) -> Option<Value> {
    Some(match annotation {
        Annotation::Any => json!({}),
        Annotation::None => json!({ "type": "null" }),
        Annotation::Bool => json!({ "type": "boolean" }),
        Annotation::Int => json!({ "type": "integer" }),
        Annotation::Float => json!({ "type": "number" }),
        Annotation::Str => json!({ "type": "string" }),
        Annotation::Bytes => described("bytes"),
        Annotation::Foreign(name) | Annotation::Made(_, name) => described(name),
        Annotation::List(of) | Annotation::Sequence(of) | Annotation::Tuples(of) => {
            of_each("array", "items", of)?
        }
        Annotation::Set(of) | Annotation::Frozen(of) => {
            let mut set = of_each("array", "items", of)?;
            set["uniqueItems"] = json!(true);
            set
        }
        Annotation::Dict(_, of) => of_each("object", "additionalProperties", of)?,
        Annotation::Tuple(parts) if parts.is_empty() => json!({ "type": "array", "maxItems": 0 }),
        Annotation::Tuple(parts) => {
            let count = parts.len();
            json!({ "type": "array", "prefixItems": all(parts)?, "minItems": count, "maxItems": count })
        }
        Annotation::Union(of) => one_of(all(of)?),
        Annotation::Values(values) => {
            json!({ "enum": values.iter().map(plain_json).collect::<Option<Vec<_>>>()? })
        }
    })
}

fn all(of: &[Annotation]) -> Option<Vec<Value>> {
    of.iter().map(schema).collect()
}

/// A list or an object; the schema of its values is left out where they may be anything.
fn of_each(kind: &str, key: &str, of: &Annotation) -> Option<Value> {
    let values = schema(of)?;
    Some(match of {
        Annotation::Any => json!({ "type": kind }),
        _ => json!({ "type": kind, key: values }),
    })
}

/// The JSON of a string, an integer, `True`, `False` or `None`.
fn plain_json(value: &Literal) -> Option<Value> {
    match value {
        Literal::Text(text) => Some(json!(text)),
        Literal::Int(digits) => digits.parse::<i64>().ok().map(Value::from),
        Literal::Bool(truth) => Some(json!(truth)),
        Literal::None => Some(Value::Null),
        _ => None,
    }
}

/// The schema of an annotation that JSON can't express.
fn described(text: &str) -> Value {
    let shown: String = text.chars().filter(|c| !c.is_control()).take(120).collect();
    json!({ "type": "string", "description": format!("of the Python type {shown}, written as text") })
}

/// A union; several plain types become a list of types, which every server understands.
fn one_of(all: Vec<Value>) -> Value {
    let mut kinds: Vec<Value> = Vec::new();
    for one in &all {
        if one.as_object().is_some_and(Map::is_empty) {
            return json!({});
        }
        match one.as_object().filter(|map| map.len() == 1).and_then(|map| map.get("type")) {
            Some(kind) if !kinds.contains(kind) => kinds.push(kind.clone()),
            _ => {}
        }
    }
    match <[Value; 1]>::try_from(all) {
        Ok([only]) => only,
        Err(all) if kinds.len() == all.len() => json!({ "type": kinds }),
        Err(all) => json!({ "anyOf": all }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn annotations_and_their_schemas() {
        let text = |annotation| of(annotation).to_string();
        assert_eq!(text("int"), r#"{"type":"integer"}"#);
        assert_eq!(text("typing.List[float]"), r#"{"type":"array","items":{"type":"number"}}"#);
        assert_eq!(text("Optional[str]"), r#"{"type":["string","null"]}"#);
        assert_eq!(text("int | None"), r#"{"type":["integer","null"]}"#);
        assert_eq!(text("Literal['a', \"b\", 3, True]"), r#"{"enum":["a","b",3,true]}"#);
        let scores =
            r#"{"type":"object","additionalProperties":{"type":"array","items":{"type":"integer"}}}"#;
        assert_eq!(text("dict[str, list[int]]"), scores);
        assert_eq!(text("tuple[int, ...]"), r#"{"type":"array","items":{"type":"integer"}}"#);
        assert_eq!(
            text("Union[int, list[int]]"),
            r#"{"anyOf":[{"type":"integer"},{"type":"array","items":{"type":"integer"}}]}"#
        );
        assert_eq!(text("Annotated[int, Gt(3)]"), r#"{"type":"integer"}"#);
        assert_eq!(text("'list[int]'"), r#"{"type":"array","items":{"type":"integer"}}"#);
        assert_eq!(text("dict"), r#"{"type":"object"}"#);
        assert_eq!(text("tuple[()]"), r#"{"type":"array","maxItems":0}"#);
        assert_eq!(text("Any"), "{}");
        assert_eq!(text(""), "{}");
    }

    #[test]
    fn what_is_not_known_is_a_text_with_a_note() {
        for annotation in [
            "pd.DataFrame",
            "np.ndarray[int]",
            "list[",
            "list[int",
            "int]",
            "]]",
            "Callable[[int], str]",
            "Literal[b'a']",
        ] {
            let schema = of(annotation);
            assert_eq!(schema["type"], "string", "{annotation}");
            assert!(schema["description"].as_str().unwrap().contains("Python type"), "{annotation}");
        }
        let deep = format!("{}int{}", "list[".repeat(100), "]".repeat(100));
        assert_eq!(of(&deep)["type"], "string");
    }

    proptest! {
        #[test]
        fn any_text(text in any::<String>(), like in "[a-zA-Z_.\\[\\]'\"|, 0-9]{0,40}") {
            let _ = (of(&text), of(&like));
        }
    }
}
