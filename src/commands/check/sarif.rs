//! Writes findings as SARIF 2.1.0, which code hosts and editors read. Written piece by piece, so that memory does not
//! grow with the number of files.

use super::work::{CheckOutcome, CheckedFile};
use crate::commands::input::is_stdin;
use crate::domain::{Finding, Severity};
use crate::headless::json;
use crate::review::{RuleInfo, RuleRegistry};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::Path;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The most notes about files that were not checked.
const MAX_NOTES: usize = 1000;

/// Writes the head of the log: the tool and its rules, up to the list of results.
pub(super) fn begin(book: &RuleRegistry, out: &mut dyn Write) -> io::Result<()> {
    let rules: Value = book.rules().iter().map(rule_json).collect();
    let tool = json!({ "driver": {
        "name": "sayso",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    } });
    write!(out, "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\"runs\":[{{\"tool\":")?;
    json::write_fragment(out, &tool)?;
    write!(out, ",\"columnKind\":\"unicodeCodePoints\",\"results\":[")
}

/// Writes the end of the log: what was not checked.
pub(super) fn end(notes: &[Value], out: &mut dyn Write) -> io::Result<()> {
    let invocation = json!({ "executionSuccessful": true, "toolExecutionNotifications": notes });
    write!(out, "],\"invocations\":[")?;
    json::write_fragment(out, &invocation)?;
    writeln!(out, "]}}]}}")
}

fn rule_json(rule: &RuleInfo<'_>) -> Value {
    let mut tags = vec!["security".to_owned(), rule.language.to_owned()];
    if let Some(number) = rule.reference.strip_prefix("CWE-") {
        tags.push(format!("external/cwe/cwe-{number:0>3}"));
    }
    let mut row = json!({
        "id": rule.id,
        "shortDescription": { "text": rule.message },
        "fullDescription": { "text": rule.reason },
        "help": { "text": rule.reason },
        "defaultConfiguration": { "level": level(rule.severity) },
        "properties": { "tags": tags, "security-severity": security_severity(rule.severity) },
    });
    if let (Some(number), Some(row)) = (rule.reference.strip_prefix("CWE-"), row.as_object_mut()) {
        row.insert("helpUri".into(), json!(format!("https://cwe.mitre.org/data/definitions/{number}.html")));
    }
    row
}

pub(super) fn results(checked: &CheckedFile, book: &RuleRegistry) -> Vec<Value> {
    let CheckOutcome::Reviewed { review, cells, .. } = &checked.outcome else { return Vec::new() };
    let rules = book.rules();
    let cells = cells.iter().copied().chain(std::iter::repeat(None));
    let placed = review.findings.iter().zip(cells);
    placed.map(|(finding, cell)| result_json(finding, cell, &checked.path, &rules)).collect()
}

fn result_json(finding: &Finding, cell: Option<u32>, path: &Path, rules: &[RuleInfo<'_>]) -> Value {
    let place = finding.place;
    let mut result = json!({
        "ruleId": finding.rule,
        "level": level(finding.severity),
        "message": { "text": finding.message },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri(path) },
            "region": {
                "startLine": place.line,
                "startColumn": place.column,
                "endLine": place.end_line,
                "endColumn": place.end_column,
            },
        } }],
    });
    if let (Some(cell), Some(location)) = (cell, result.pointer_mut("/locations/0")) {
        // Line numbers of a notebook's file would be those of its JSON, so the place names the cell.
        let name = format!("cell {cell}, line {}, column {}", place.line, place.column);
        *location = json!({
            "physicalLocation": { "artifactLocation": { "uri": uri(path) } },
            "logicalLocations": [{ "name": name, "kind": "module" }],
        });
    }
    let index = rules.iter().position(|rule| rule.id == finding.rule);
    if let (Some(index), Some(result)) = (index, result.as_object_mut()) {
        result.insert("ruleIndex".into(), json!(index));
    }
    if let (true, Some(result)) = (finding.forbidden, result.as_object_mut()) {
        result.insert("properties".into(), json!({ "forbidden": true }));
    }
    result
}

/// Adds a note about a file that was not checked, or not in full.
pub(super) fn add_note(checked: &CheckedFile, notes: &mut Vec<Value>) {
    let why = match &checked.outcome {
        CheckOutcome::Unread(why) => Some(format!("it can't be read: {why}")),
        CheckOutcome::Reviewed { review, .. } => review.unchecked.clone(),
    };
    if let Some(why) = why.filter(|_| notes.len() < MAX_NOTES) {
        notes.push(json!({
            "level": "warning",
            "message": { "text": format!("not checked: {why}") },
            "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(&checked.path) } } }],
        }));
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::High => "error",
        Severity::Medium => "warning",
        Severity::Info => "note",
    }
}

/// The number by which code hosts sort findings.
fn security_severity(severity: Severity) -> &'static str {
    match severity {
        Severity::High => "8.0",
        Severity::Medium => "5.0",
        Severity::Info => "1.0",
    }
}

/// Every character but letters, digits and those without a meaning in a URI.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// A path as a URI reference, percent-encoded.
fn uri(path: &Path) -> String {
    if is_stdin(path) {
        return "stdin".to_owned();
    }
    let scheme = if path.is_absolute() { "file://" } else { "" };
    format!("{scheme}{}", utf8_percent_encode(&path.to_string_lossy(), ESCAPED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_references() {
        assert_eq!(uri(Path::new("a b/ü:#.py")), "a%20b/%C3%BC%3A%23.py");
        assert_eq!(uri(Path::new("/tmp/a.py")), "file:///tmp/a.py");
    }
}
