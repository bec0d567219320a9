//! A finding while the review is being built, with a byte span instead of a line and column.

use super::rules::EffectKind;
use crate::domain::Severity;
use crate::text::names::first_names;
use std::collections::HashMap;
use std::ops::Range;

/// A finding before its span is turned into a line and column.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Diagnostic {
    pub(super) rule: String,
    pub(super) severity: Severity,
    pub(super) span: Range<usize>,
    pub(super) message: String,
    /// The effect it is about, so that milder diagnostics on the same effect can be dropped.
    pub(super) effect: Option<EffectKind>,
    /// Whether the person forbids it.
    pub(super) forbidden: bool,
    /// The message with `{target}` unfilled, and the targets. A variant of the same call may add targets.
    pub(super) names: Option<(String, Vec<String>)>,
}

impl Diagnostic {
    pub(super) fn new(rule: &str, severity: Severity, span: Range<usize>, message: String) -> Self {
        Self { rule: rule.to_owned(), severity, span, message, ..Self::default() }
    }
}

/// Merges diagnostics of one rule on one span: a call with several variants is reported once, with all its targets.
/// Targets known only at run time are left out if others are known. Of equal diagnostics that name no targets, the first
/// one stays.
pub(super) fn join(diagnostics: &mut Vec<Diagnostic>) {
    let mut first: HashMap<(String, usize, usize), usize> = HashMap::new();
    let mut joined: Vec<Diagnostic> = Vec::with_capacity(diagnostics.len());
    for diagnostic in diagnostics.drain(..) {
        let key = (diagnostic.rule.clone(), diagnostic.span.start, diagnostic.span.end);
        let same = first.get(&key).copied().and_then(|at| joined.get_mut(at));
        match (same, &diagnostic.names) {
            (Some(Diagnostic { names: Some((template, shown)), severity, .. }), Some((other, more)))
                if template == other && *severity == diagnostic.severity =>
            {
                let new: Vec<String> = more.iter().filter(|name| !shown.contains(name)).cloned().collect();
                shown.extend(new.into_iter().take(64_usize.saturating_sub(shown.len())));
            }
            (Some(known), None)
                if known.message == diagnostic.message && known.severity == diagnostic.severity => {}
            _ => {
                first.insert(key, joined.len());
                joined.push(diagnostic);
            }
        }
    }
    for diagnostic in &mut joined {
        let Some((template, shown)) = &mut diagnostic.names else { continue };
        if shown.len() > 1 {
            let known = |name: &String| !name.ends_with("(known only at run time)");
            if shown.iter().any(known) {
                shown.retain(known);
            }
            diagnostic.message = template.replace("{target}", &first_names(shown, 3));
        }
    }
    *diagnostics = joined;
}
