//! `sayso check --rules`: lists all rules in force, shipped and the person's own, and what is forbidden.

use crate::domain::visible::visible_line;
use crate::headless::json;
use crate::report::Failure;
use crate::review::{RuleInfo, RuleRegistry};
use serde_json::{Value, json};
use std::io::Write;

pub(super) fn list(book: &RuleRegistry, as_json: bool, out: &mut dyn Write) -> Result<(), Failure> {
    let rules = book.rules();
    if as_json {
        let rules: Value = rules.iter().map(rule_json).collect();
        json::write_line(out, &json!({ "rules": rules, "forbid": book.forbid().names() }))?;
        return Ok(());
    }
    let mut language = "";
    for rule in &rules {
        if rule.language != language {
            language = rule.language;
            writeln!(out, "{language}")?;
        }
        let severity = rule.severity.as_str().to_uppercase();
        writeln!(out, "  {severity:6} {:24} {}", visible_line(rule.id), visible_line(rule.message))?;
        let reference = if rule.reference.is_empty() {
            String::new()
        } else {
            format!(" ({})", visible_line(rule.reference))
        };
        writeln!(out, "         {}{reference}", visible_line(rule.reason))?;
        if let Some(example) = rule.matches.first() {
            writeln!(out, "         as in: {}", visible_line(example))?;
        }
    }
    writeln!(out, "{} rules", rules.len())?;
    if !book.forbid().is_empty() {
        writeln!(out, "forbidden: {}", visible_line(&book.forbid().names().join(", ")))?;
    }
    Ok(())
}

fn rule_json(rule: &RuleInfo<'_>) -> Value {
    json!({
        "id": rule.id,
        "language": rule.language,
        "severity": rule.severity.as_str(),
        "matcher": rule.matcher,
        "message": rule.message,
        "reason": rule.reason,
        "reference": rule.reference,
        "matches": rule.matches,
        "near_misses": rule.near_misses,
    })
}
