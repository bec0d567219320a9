//! Makes the guard's id of a block: what an approval would cover, as it is on screen.

use crate::engine::transcript::BlockItem;
use crate::engine::{Inspection, State};
use crate::tui::guard;
use std::fmt::{self, Write as _};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// A hash of what an approval would cover besides the text, as it is on screen; another hash makes another subject.
pub(super) fn guard_terms(state: &State, item: &BlockItem) -> u64 {
    hash_of_shown(state.inspected(item.block.id)) >> 1
}

/// A hash of everything that is shown of an inspection. The struct is destructured, so that no field can be forgotten.
fn hash_of_shown(inspected: Option<&Inspection>) -> u64 {
    let mut hasher = DefaultHasher::new();
    if let Some(inspected) = inspected {
        let Inspection {
            review,
            terms,
            reach,
            refused,
            before,
            lacking: _, // What is lacking is proposed as a block of its own.
            image: _,   // An image that is lacking is fetched by a block of its own.
            venv,
            edit: _, // It is in no inspection that counts.
            undo,
            links,
        } = inspected;
        // The reach is by far the largest part, and this is computed for every frame.
        (before, reach, refused, venv, links).hash(&mut hasher);
        // Hashing can't fail.
        let _ = write!(HashedText(&mut hasher), "{review:?}{terms:?}{undo:?}");
    }
    hasher.finish()
}

/// Hashes what is formatted into it, so that no text of all findings is built for every frame.
struct HashedText<'h>(&'h mut DefaultHasher);

impl fmt::Write for HashedText<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

/// The guard's id of a block in its current state.
pub(crate) fn subject_of(state: &State, item: &BlockItem) -> guard::SubjectId {
    guard::SubjectId {
        block: item.block.id,
        revision: item.block.current().revision,
        terms: guard_terms(state, item),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{
        BlockId, Finding, HardLinks, ImageName, KernelRef, Reach, Review, Severity, SharedState, Terms,
        UndoCover,
    };
    use crate::engine::dialogue::terms;

    fn inspected() -> Inspection {
        Inspection::new(Review::default(), Ok(terms()))
    }

    fn changed(change: impl FnOnce(&mut Inspection)) -> Inspection {
        let mut inspected = inspected();
        change(&mut inspected);
        inspected
    }

    fn with_terms(change: impl FnOnce(&mut Terms)) -> Inspection {
        changed(|inspected| {
            let Ok(terms) = &mut inspected.terms else { return };
            change(terms);
        })
    }

    #[test]
    fn whatever_is_shown_of_an_inspection_makes_it_another_subject() {
        let shared = |blocks: &[u32], changed: &[&str]| SharedState {
            blocks: blocks.iter().copied().map(BlockId).collect(),
            changed: changed.iter().map(ToString::to_string).collect(),
        };
        let subjects = vec![
            inspected(),
            changed(|i| i.terms = Err("no interpreter".into())),
            with_terms(|t| t.shared = Some(shared(&[1], &[]))),
            with_terms(|t| t.shared = Some(shared(&[1, 2], &[]))),
            with_terms(|t| t.shared = Some(shared(&[1], &["builtins replaced: open"]))),
            with_terms(|t| t.version = Some("3.13".into())),
            with_terms(|t| t.kernel = Some(KernelRef { generation: 1, variables: 3, keeps_running: false })),
            with_terms(|t| t.cwd = "/else".into()),
            with_terms(|t| t.rights.network = true),
            with_terms(|t| t.limits.wall_ms += 1),
            changed(|i| i.reach = Reach::open()),
            changed(|i| i.reach.home = Some("/home/none".into())),
            changed(|i| i.refused.push("writes /etc/hosts".into())),
            changed(|i| i.before = Some("".into())),
            changed(|i| i.venv = Some("/work/.venv".into())),
            changed(|i| i.undo = Some(UndoCover::default())),
            changed(|i| i.links = HardLinks { files: 1, all_seen: true }),
            changed(|i| i.undo = Some(UndoCover::none("the folder is too large"))),
            changed(|i| i.review.unchecked = Some("it is too large".into())),
            changed(|i| i.review.effects.unknown = true),
            changed(|i| i.review.findings.push(Finding::new("a", Severity::Info, "b"))),
            changed(|i| i.review.findings.push(Finding::new("a", Severity::High, "b"))),
        ];
        let all = subjects.iter().map(Some).chain([None]);
        let hashes: std::collections::BTreeSet<u64> = all.map(hash_of_shown).collect();
        assert_eq!(hashes.len(), subjects.len() + 1);
    }

    #[test]
    fn a_text_is_hashed_whatever_pieces_it_comes_in() {
        let hash = |pieces: &[&str]| {
            let mut hasher = DefaultHasher::new();
            for piece in pieces {
                write!(HashedText(&mut hasher), "{piece}").unwrap();
            }
            hasher.finish()
        };
        assert_eq!(hash(&["a long text of findings"]), hash(&["a ", "", "long text of find", "ings"]));
        assert_ne!(hash(&["a long text of findings"]), hash(&["a long text of finding", "z"]));
    }

    #[test]
    fn what_is_not_shown_of_it_leaves_the_subject() {
        let lacking = changed(|i| i.lacking.push("pandas".into()));
        let image = changed(|i| i.image = Some(ImageName::parse("python:3.13").unwrap()));
        for inspection in [lacking, image] {
            assert_eq!(hash_of_shown(Some(&inspection)), hash_of_shown(Some(&inspected())));
        }
    }
}
