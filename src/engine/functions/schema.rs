//! From an annotation of Python, as text, to the JSON schema of a parameter. Pure.
//!
//! Known are `int`, `float`, `str`, `bool`, `list[…]`, `tuple[…]`, `set[…]`, `dict[…]`, `Optional[…]`, `Union[…]`,
//! `a | b`, `Literal[…]` and `Any`; everything else is a text with a note that names it.

use serde_json::{Map, Value, json};

/// How deep an annotation may be nested.
const DEEPEST: usize = 8;

/// The schema of a parameter with this annotation.
pub fn of(annotation: &str) -> Value {
    let text = annotation.trim();
    if text.is_empty() {
        return json!({});
    }
    let mut reader = Reader { rest: text, depth: 0 };
    match reader.union() {
        Some(schema) if reader.rest.trim().is_empty() => schema,
        _ => foreign(text),
    }
}

/// What is known of an annotation that can't be told in JSON.
fn foreign(text: &str) -> Value {
    let shown: String = text.chars().filter(|c| !c.is_control()).take(120).collect();
    json!({ "type": "string", "description": format!("of the Python type {shown}, written as text") })
}

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> Reader<'a> {
    /// `a | b | None`
    fn union(&mut self) -> Option<Value> {
        let mut all = vec![self.atom()?];
        while self.take("|") {
            all.push(self.atom()?);
        }
        Some(one_of(all))
    }

    fn atom(&mut self) -> Option<Value> {
        if self.depth >= DEEPEST {
            return None;
        }
        self.depth += 1;
        let found = self.named();
        self.depth -= 1;
        found
    }

    fn named(&mut self) -> Option<Value> {
        let name = self.name()?;
        let short = name.rsplit('.').next().unwrap_or(name);
        let arguments = self.take("[");
        let schema = match (short, arguments) {
            ("Literal", true) => self.literals()?,
            ("Optional", true) => one_of(vec![self.union()?, json!({ "type": "null" })]),
            ("Union", true) => one_of(self.unions()?),
            ("Annotated" | "Final" | "Required" | "NotRequired", true) => {
                let first = self.union()?;
                self.skip_to_end()?;
                return Some(first);
            }
            ("list" | "List" | "Sequence" | "Iterable" | "Collection" | "MutableSequence", true) => {
                json!({ "type": "array", "items": self.union()? })
            }
            ("set" | "Set" | "frozenset" | "FrozenSet", true) => {
                json!({ "type": "array", "items": self.union()?, "uniqueItems": true })
            }
            ("tuple" | "Tuple", true) => self.tuple()?,
            ("dict" | "Dict" | "Mapping" | "MutableMapping", true) => {
                let mut both = self.unions()?;
                let value = if both.len() == 2 { both.pop()? } else { return None };
                json!({ "type": "object", "additionalProperties": value })
            }
            (_, true) => {
                self.skip_to_end()?;
                return Some(foreign(name));
            }
            (plain, false) => return Some(self::plain(plain, name)),
        };
        self.take("]").then_some(schema)
    }

    fn unions(&mut self) -> Option<Vec<Value>> {
        let mut all = vec![self.union()?];
        while self.take(",") {
            all.push(self.union()?);
        }
        Some(all)
    }

    /// `tuple[int, str]` or `tuple[int, ...]`
    fn tuple(&mut self) -> Option<Value> {
        let mut all = vec![self.union()?];
        while self.take(",") {
            if self.take("...") {
                return Some(json!({ "type": "array", "items": all.pop()? }));
            }
            all.push(self.union()?);
        }
        let count = all.len();
        Some(json!({ "type": "array", "prefixItems": all, "minItems": count, "maxItems": count }))
    }

    fn literals(&mut self) -> Option<Value> {
        let mut all = vec![self.literal()?];
        while self.take(",") {
            all.push(self.literal()?);
        }
        Some(json!({ "enum": all }))
    }

    /// A text in quotes, a whole number, `True`, `False` or `None`.
    fn literal(&mut self) -> Option<Value> {
        let rest = self.rest.trim_start();
        if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '\'' | '"')) {
            let (text, after) = quoted(rest.get(1..)?, quote)?;
            self.rest = after;
            return Some(Value::String(text));
        }
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_')).unwrap_or(rest.len());
        let (word, after) = rest.split_at_checked(end)?;
        self.rest = after;
        match word {
            "True" => Some(Value::Bool(true)),
            "False" => Some(Value::Bool(false)),
            "None" => Some(Value::Null),
            number => number.parse::<i64>().ok().map(Value::from),
        }
    }

    /// A name with dots.
    fn name(&mut self) -> Option<&'a str> {
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
        let (name, after) = rest.split_at_checked(end)?;
        let sound = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        self.rest = after;
        sound.then_some(name)
    }

    fn take(&mut self, sign: &str) -> bool {
        match self.rest.trim_start().strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Behind the bracket that closes the one that is open.
    fn skip_to_end(&mut self) -> Option<()> {
        let mut open = 1usize;
        for (at, c) in self.rest.char_indices() {
            match c {
                '[' => open += 1,
                ']' => open -= 1,
                _ => {}
            }
            if open == 0 {
                self.rest = self.rest.get(at + 1..)?;
                return Some(());
            }
        }
        None
    }
}

/// The text up to the quote that closes it, and what stands behind.
fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut out = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => out.push(match chars.next()?.1 {
                'n' => '\n',
                't' => '\t',
                other => other,
            }),
            c if c == quote => return Some((out, text.get(at + 1..)?)),
            c => out.push(c),
        }
    }
    None
}

fn plain(short: &str, name: &str) -> Value {
    match short {
        "int" => json!({ "type": "integer" }),
        "float" => json!({ "type": "number" }),
        "str" => json!({ "type": "string" }),
        "bool" => json!({ "type": "boolean" }),
        "None" | "NoneType" => json!({ "type": "null" }),
        "Any" | "object" => json!({}),
        "list" | "List" | "tuple" | "Tuple" | "set" | "Set" | "frozenset" | "Sequence" | "Iterable" => {
            json!({ "type": "array" })
        }
        "dict" | "Dict" | "Mapping" => json!({ "type": "object" }),
        _ => foreign(name),
    }
}

/// One of several; several plain types are told as a list of types, which every server reads.
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
        assert_eq!(text("Any"), "{}");
        assert_eq!(text(""), "{}");
    }

    #[test]
    fn what_is_not_known_is_a_text_with_a_note() {
        for annotation in
            ["pd.DataFrame", "np.ndarray[int]", "list[", "list[int", "int]", "]]", "Callable[[int], str]"]
        {
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
