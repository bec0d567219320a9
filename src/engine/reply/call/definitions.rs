//! The tool definitions for models: names, descriptions and schemas.

use super::ToolName;
use crate::domain::{Language, Tool};
use serde_json::Value;
use std::sync::LazyLock;

/// The tools; those that run code are left out if no language is offered.
pub(crate) fn definitions(languages: &[&Language]) -> Vec<Tool> {
    let names: Vec<&str> = languages.iter().map(|name| name.as_str()).collect();
    // An empty list of values is not a valid schema: servers that check it refuse the request.
    let code = (!names.is_empty()).then(|| code_tool(&names));
    code.into_iter().chain(FILE_TOOLS.iter().cloned()).collect()
}

fn tool(name: ToolName, description: &str, properties: Value, required: &[&str]) -> Tool {
    Tool {
        name: name.as_str().to_owned(),
        description: description.to_owned(),
        parameters: serde_json::json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
        .to_string(),
    }
}

fn text(about: &str) -> Value {
    serde_json::json!({ "type": "string", "description": about })
}

fn number(about: &str) -> Value {
    serde_json::json!({ "type": "integer", "minimum": 1, "description": about })
}

fn code_tool(names: &[&str]) -> Tool {
    tool(
        ToolName::RunCode,
        "Proposes code. It runs when the person approves it; the result has its output.",
        serde_json::json!({
            "language": { "type": "string", "enum": names, "description": "What the code is written in." },
            "code": text("The code, whole."),
            "packages": {
                "type": "array",
                "items": { "type": "string" },
                "description": "Packages that the code needs beside the standard library; what is missing is offered for installation.",
            },
        }),
        &["language", "code"],
    )
}

/// The tools for files. They are the same in each request, and each measurement of a request needs them.
static FILE_TOOLS: LazyLock<[Tool; 4]> = LazyLock::new(|| {
    [
        tool(
            ToolName::ReadFile,
            "Proposes to read lines of a text file.",
            serde_json::json!({
                "path": text("The file, from the working folder."),
                "from_line": number("The first line; 1 where it is left out."),
                "lines": number("How many lines; 400 where it is left out."),
            }),
            &["path"],
        ),
        tool(
            ToolName::EditFile,
            "Proposes to change places of text files; prefer it to write_file for files that are there. All changes of a call are made together or not at all.",
            serde_json::json!({
                "path": text("The file, from the working folder."),
                "edits": changes(),
            }),
            &["path", "edits"],
        ),
        tool(
            ToolName::WriteFile,
            "Proposes to write a whole file: a new one, or one of which nearly all changes. The person sees the changes and may edit them first.",
            serde_json::json!({
                "path": text("The file, from the working folder."),
                "content": text("The whole new content."),
            }),
            &["path", "content"],
        ),
        tool(
            ToolName::ListFiles,
            "Proposes to list a folder.",
            serde_json::json!({
                "path": text("The folder, from the working folder; `.` is the working folder."),
                "depth": number("How many levels; 2 where it is left out."),
            }),
            &["path"],
        ),
    ]
});

/// The schema of the changes in an edit.
fn changes() -> Value {
    serde_json::json!({
        "type": "array",
        "minItems": 1,
        "description": "The changes, in their order.",
        "items": {
            "type": "object",
            "properties": {
                "search": text("Whole lines exactly as they stand in the file, enough of them to be there only once."),
                "replace": text("The lines that come in their place; empty to delete them."),
                "path": text("Another file than the one of the call."),
            },
            "required": ["search", "replace"],
            "additionalProperties": false,
        },
    })
}
