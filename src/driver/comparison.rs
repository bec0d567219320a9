//! Compares two sessions by their files, and lists the sessions to compare with.

use super::newest::{NewestOnly, RequestTicket};
use crate::engine::State;
use crate::engine::session_comparison::{ComparedSession, Comparison};
use crate::store::index::{self, SessionTree, Summary, TreeSigns};
use crate::store::{self, LoadedSession, Seal, StoreError};
use crate::text::number::size;
use std::path::Path;
use tokio::sync::Mutex;

/// The most bytes of two files that are compared while a session is open: they take up to sixteen times as much memory.
const MAX_BYTES: u64 = 64_000_000;

/// A session to compare with, as an entry of the list.
#[derive(Debug)]
pub(crate) struct ComparableSession {
    /// What is drawn before it (the lines of a tree).
    pub(crate) lead: String,
    pub(crate) session: Summary,
}

/// The sessions of the tree that contains this session, with it; if it has no relatives, all other sessions. The flag
/// says whether it has none.
pub(crate) fn comparable(all: &[Summary], own: &str, signs: TreeSigns) -> (Vec<ComparableSession>, bool) {
    let tree = SessionTree::of(all, |_| true);
    let place = all.iter().position(|one| one.id == own);
    let family = place.map_or(&[][..], |own| tree.family(own));
    let is_alone = family.len() < 2;
    let rows = if is_alone { tree.rows() } else { family };
    let listed = rows.iter().filter(|row| !is_alone || Some(row.at) != place).filter_map(|row| {
        let lead = if is_alone { String::new() } else { row.lead(signs) };
        Some(ComparableSession { lead, session: all.get(row.at)?.clone() })
    });
    (listed.collect(), is_alone)
}

/// The id of the open session.
pub(crate) fn own_id(state: &State) -> &str {
    state.transcript.header.as_ref().map_or("", |header| &header.id.0)
}

/// The result of comparing two sessions.
#[derive(Clone, Debug, Default)]
pub struct SessionComparison {
    /// The names of the two.
    pub labels: [String; 2],
    /// Where they diverge, and what follows on each side.
    pub comparison: Comparison,
    /// What is damaged in their files, one line each.
    pub damage: Vec<String>,
}

/// Why a session is not compared with the one that is open.
#[derive(Debug, thiserror::Error)]
pub(super) enum ComparisonError {
    #[error("nothing was said in this session yet")]
    NothingSaid,
    #[error("the other session is gone")]
    Gone,
    /// Both files together have this many bytes, which is too much.
    #[error("they hold {}. sayso sessions compare does it", size(*.0))]
    Large(u64),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Worker(#[from] tokio::task::JoinError),
}

pub(crate) fn compare_sessions(
    left: &Summary,
    right: &Summary,
    seal: Option<&Seal>,
) -> Result<SessionComparison, StoreError> {
    let mut damage = Vec::new();
    let mut read = |of: &Summary| -> Result<LoadedSession, StoreError> {
        let loaded = store::read_with(&of.path, seal)?;
        let summary = store::damage_summary(&loaded.damage);
        damage.extend(summary.iter().map(|damage| format!("{}: {damage}", of.label())));
        Ok(loaded)
    };
    let (ours, theirs) = (read(left)?, read(right)?);
    let comparison = Comparison::of(compared_session(left, &ours), compared_session(right, &theirs));
    Ok(SessionComparison { labels: [left, right].map(|of| of.label().to_owned()), comparison, damage })
}

fn compared_session<'a>(of: &'a Summary, loaded: &'a LoadedSession) -> ComparedSession<'a> {
    ComparedSession {
        label: of.label(),
        id: &of.id,
        branch_of: of.branch_of.as_deref(),
        entries: &loaded.entries,
    }
}

/// Compares the files of the open session (first) and another one.
pub(super) fn compare_files(
    own: &Path,
    other: &Path,
    seal: Option<&Seal>,
) -> Result<SessionComparison, ComparisonError> {
    let own = index::of(own).ok_or(ComparisonError::NothingSaid)?;
    let other = index::of(other).ok_or(ComparisonError::Gone)?;
    let bytes = own.bytes.saturating_add(other.bytes);
    if bytes > MAX_BYTES {
        return Err(ComparisonError::Large(bytes));
    }
    Ok(compare_sessions(&own, &other, seal)?)
}

/// The comparisons that a front end requested. Only one runs at a time, to bound the memory; of those that wait, only
/// the newest will run.
#[derive(Debug, Default)]
pub(super) struct ComparisonQueue {
    asked: NewestOnly,
    /// Held by the comparison that runs.
    running: Mutex<()>,
}

impl ComparisonQueue {
    /// Requests one more.
    pub(super) fn join(&self) -> RequestTicket {
        self.asked.ask()
    }

    /// Compares as soon as no other comparison runs. `None`: a newer one was requested.
    pub(super) async fn compare<T: Send + 'static>(
        &self,
        own: &RequestTicket,
        compare: impl FnOnce() -> Result<T, ComparisonError> + Send + 'static,
    ) -> Option<Result<T, ComparisonError>> {
        let _running = self.running.lock().await;
        if !own.is_newest() {
            return None;
        }
        let compared = tokio::task::spawn_blocking(compare).await;
        let compared = compared.unwrap_or_else(|error| Err(error.into()));
        own.is_newest().then_some(compared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, mpsc};

    #[test]
    fn one_is_compared_at_a_time_and_of_those_that_wait_only_the_newest() {
        let queue = Arc::new(ComparisonQueue::default());
        let (began, begins) = mpsc::channel();
        let (go_on, waits) = mpsc::channel::<()>();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut waits = Some(waits);
        let asked: Vec<_> = (1..=10)
            .map(|number| {
                let (queue, own, began) = (queue.clone(), queue.join(), began.clone());
                let waits = waits.take();
                let compare = move || {
                    began.send(number).unwrap();
                    // The first one runs until it is released.
                    if let Some(waits) = waits {
                        waits.recv().unwrap();
                    }
                    Ok(number)
                };
                // The first one is running before the others come.
                let task = runtime.spawn(async move { queue.compare(&own, compare).await });
                if number == 1 {
                    runtime.block_on(async {
                        while begins.try_recv().is_err() {
                            tokio::task::yield_now().await;
                        }
                    });
                }
                task
            })
            .collect();
        for _ in 0..100 {
            runtime.block_on(tokio::task::yield_now());
        }
        assert!(begins.try_recv().is_err(), "a second one is at it");
        go_on.send(()).unwrap();
        let told: Vec<_> =
            asked.into_iter().map(|task| runtime.block_on(task).unwrap().and_then(Result::ok)).collect();
        assert_eq!(told[9], Some(10));
        assert!(told[..9].iter().all(Option::is_none), "{told:?}");
        assert_eq!(begins.try_iter().collect::<Vec<_>>(), [10], "none that is not wanted any more is read");
    }

    #[test]
    fn what_is_too_large_is_told_as_it_is() {
        let told = include_str!("../../docs/sessions.md");
        assert!(told.contains(&format!("for two that hold more than {}.", size(MAX_BYTES))));
    }
}
