//! What the review has to say of a text, before its place is counted in lines and columns.

use super::rules::Effect;
use super::wording::list;
use crate::domain::Severity;
use std::collections::HashMap;
use std::ops::Range;

/// A finding before its place is counted in lines and columns.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Diagnostic {
    pub(super) rule: String,
    pub(super) severity: Severity,
    pub(super) span: Range<usize>,
    pub(super) message: String,
    /// What it is about, to drop a milder remark on the same.
    pub(super) effect: Option<Effect>,
    /// Whether the person forbids it.
    pub(super) forbidden: bool,
    /// What the message names, and the words around it: other ways to mean the same call name more.
    pub(super) names: Option<(String, Vec<String>)>,
}

/// Joins remarks of one rule on one place: a call that may be meant in several ways is told once, with all that it names.
/// What is only known at run time is not named beside what is known.
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
                more.iter()
                    .filter(|name| !shown.contains(name))
                    .cloned()
                    .collect::<Vec<_>>()
                    .into_iter()
                    .for_each(|name| {
                        if shown.len() < 64 {
                            shown.push(name);
                        }
                    });
            }
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
            diagnostic.message = template.replace("{target}", &list(shown));
        }
    }
    *diagnostics = joined;
}
