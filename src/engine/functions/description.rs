//! Describes the person's functions to the model: as text for the system prompt, and as tools.

use crate::domain::{Function, ParameterKind, Tool};
use crate::engine::reply::call;
use crate::python::schema;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// The most bytes of the functions' description in the system prompt.
const MAX_DESCRIPTION_BYTES: usize = 16 << 10;

/// The description of the functions for the model; empty if there are none.
pub(super) fn describe_functions(functions: &[Function]) -> String {
    if functions.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "The person has loaded functions of their own into the Python kernel. Call them in Python blocks by name, \
         without an import:",
    );
    for (at, function) in functions.iter().enumerate() {
        let mut one = format!("\n- {}", function.signature);
        for line in function.doc.lines().map(str::trim_end).filter(|line| !line.trim().is_empty()) {
            let _ = write!(one, "\n    {line}");
        }
        if text.len() + one.len() > MAX_DESCRIPTION_BYTES {
            let _ = write!(text, "\n- and {} more", functions.len() - at);
            break;
        }
        text.push_str(&one);
    }
    text
}

/// The functions as tools that the model may call.
pub(in crate::engine) fn tools(functions: &[Function]) -> Vec<Tool> {
    functions.iter().filter(|function| is_offered(&function.name)).map(tool).collect()
}

/// Whether a function is offered as a tool: not if a tool of sayso has its name. Tool names have ASCII letters, digits,
/// `_` and `-` only; Python names may have others.
pub(super) fn is_offered(name: &str) -> bool {
    let is_tool_name = name.len() <= 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_tool_name && !call::is_known(name)
}

fn tool(function: &Function) -> Tool {
    let (mut properties, mut required, mut open) = (Map::new(), Vec::new(), false);
    for parameter in &function.parameters {
        let mut schema = schema::of(&parameter.annotation);
        if parameter.kind == ParameterKind::Options {
            open = true;
            continue;
        }
        if parameter.kind == ParameterKind::Rest {
            schema = json!({ "type": "array", "items": schema });
        }
        if let (Some(default), Some(schema)) = (&parameter.default, schema.as_object_mut()) {
            let known = schema.get("description").and_then(Value::as_str).map(|known| format!("{known}; "));
            schema.insert(
                "description".into(),
                json!(format!("{}default {default}", known.unwrap_or_default())),
            );
        }
        if parameter.required {
            required.push(parameter.name.clone());
        }
        properties.insert(parameter.name.clone(), schema);
    }
    let parameters = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": open,
    });
    let doc =
        if function.doc.trim().is_empty() { "A function of the person's own." } else { function.doc.trim() };
    Tool {
        name: function.name.clone(),
        description: format!("{}\n\n{doc}", function.signature),
        parameters: parameters.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::dialogue::TextChecks as _;
    use crate::engine::functions::tests::function;

    #[test]
    fn functions_are_tools_too() {
        let tools = tools(&[function("area"), function("größe")]);
        assert_eq!(tools.len(), 1);
        assert_eq!(tools[0].name, "area");
        assert_eq!(
            tools[0].parameters,
            r#"{"type":"object","properties":{"r":{"type":"number"}},"required":["r"],"additionalProperties":false}"#
        );
        tools[0].description.has("area(r: float)").has("Its area.");
    }

    #[test]
    fn what_is_told_is_bounded() {
        let many: Vec<Function> = (0..2_000).map(|n| function(&format!("f{n}"))).collect();
        let text = describe_functions(&many);
        assert!(
            text.len() <= MAX_DESCRIPTION_BYTES + 40 && text.lines().last().unwrap().contains("more"),
            "{}",
            text.len()
        );
    }
}
