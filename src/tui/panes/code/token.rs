//! A block as the guard knows it: what an approval would cover, as it is on screen.

use crate::engine::State;
use crate::engine::transcript::BlockItem;
use crate::tui::guard;

/// A hash of what an approval would cover beside the text, as it is on screen: another hash is another subject.
pub(super) fn guard_terms(state: &State, item: &BlockItem) -> u64 {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    match state.inspected(item.block.id) {
        None => 0u8.hash(&mut hasher),
        Some(inspected) => {
            match &inspected.terms {
                Ok(terms) => {
                    terms.language.hash(&mut hasher);
                    terms.executor.hash(&mut hasher);
                    terms.interpreter.hash(&mut hasher);
                    terms.kernel.map(|k| k.generation).hash(&mut hasher);
                    terms.cwd.hash(&mut hasher);
                    format!("{:?}{:?}{:?}", terms.rights, terms.limits, terms.target).hash(&mut hasher);
                }
                Err(why) => why.hash(&mut hasher),
            }
            inspected.before.hash(&mut hasher);
            inspected.refused.hash(&mut hasher);
            format!("{:?}", inspected.review.effects).hash(&mut hasher);
            for trace in &inspected.review.traces {
                (trace.place.line, &trace.text, trace.from).hash(&mut hasher);
            }
            for finding in &inspected.review.findings {
                (&finding.rule, finding.place.line, &finding.message).hash(&mut hasher);
            }
        }
    }
    hasher.finish() >> 1
}

/// A block as it stands, for the guard.
pub fn token_of(state: &State, item: &BlockItem) -> guard::SubjectId {
    guard::SubjectId {
        block: item.block.id,
        revision: item.block.current().revision,
        terms: guard_terms(state, item),
    }
}
