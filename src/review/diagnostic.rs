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
    /// The targets that the message names.
    pub(super) names: Option<NamedTargets>,
}

/// The targets of a diagnostic. A variant of the same call may add some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedTargets {
    /// The message, with `{what}` and `{target}` unfilled.
    pub(super) template: String,
    /// What the sensitive places among the targets are, each once.
    pub(super) kinds: Vec<String>,
    pub(super) targets: Vec<String>,
}

impl NamedTargets {
    /// The message, with the first of the targets.
    pub(super) fn message(&self) -> String {
        let what = if self.kinds.is_empty() { "a secret".to_owned() } else { first_names(&self.kinds, 3) };
        self.template.replace("{what}", &what).replace("{target}", &first_names(&self.targets, 3))
    }

    fn add(&mut self, other: &Self) {
        for (known, more) in [(&mut self.kinds, &other.kinds), (&mut self.targets, &other.targets)] {
            let new: Vec<String> = more.iter().filter(|name| !known.contains(name)).cloned().collect();
            known.extend(new.into_iter().take(64_usize.saturating_sub(known.len())));
        }
    }
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
            (Some(Diagnostic { names: Some(known), severity, .. }), Some(more))
                if known.template == more.template && *severity == diagnostic.severity =>
            {
                known.add(more);
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
        let Some(named) = &mut diagnostic.names else { continue };
        let known = |name: &String| !name.ends_with("(known only at run time)");
        if named.targets.iter().any(known) {
            named.targets.retain(known);
        }
        diagnostic.message = named.message();
    }
    *diagnostics = joined;
}
