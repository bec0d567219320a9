//! A block with everything that was decided and done about it: the current decision, the runs, and the results that
//! the model is told.

use super::{OpinionItem, RunPaging};
use crate::domain::{
    Block, BlockId, Grantor, Review, Revision, RunId, RunReport, Sha256, SharedValue, Terms, Timestamp,
    UndoKind, UndoNote,
};

/// A run of a block.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RunItem {
    /// Its id, given by its approval.
    pub(crate) run: RunId,
    /// The version of the block that ran.
    pub(crate) revision: Revision,
    /// The hash of the approved bytes.
    pub(crate) sha256: Sha256,
    /// The terms that the approval covers besides the bytes.
    pub(crate) terms: SharedValue<Terms>,
    /// Who granted the approval.
    pub(crate) by: Grantor,
    pub(crate) approved_at: Timestamp,
    /// When it ended, and how. `None`: it is running, or LOST.
    pub(crate) ended: Option<(Timestamp, Box<RunReport>)>,
    /// Whether the process that ran it is gone without reporting its end.
    pub(crate) lost: bool,
    /// The paths of files whose changes were undone.
    pub(crate) taken_back: Vec<String>,
    /// How many more such files there are.
    pub(crate) more_taken_back: u32,
    /// Where its output is, if it may be only in the file.
    pub(crate) paging: Option<RunPaging>,
}

/// The approval of a run, without its terms.
pub(super) struct RunApproval {
    pub(super) run: RunId,
    /// The approved version of the block.
    pub(super) revision: Revision,
    /// The hash of its bytes.
    pub(super) sha256: Sha256,
    pub(super) by: Grantor,
    pub(super) at: Timestamp,
}

impl RunItem {
    /// A run that was approved under these terms and has not ended.
    pub(super) fn approved(approval: RunApproval, terms: SharedValue<Terms>) -> Self {
        let RunApproval { run, revision, sha256, by, at: approved_at } = approval;
        Self {
            run,
            revision,
            sha256,
            terms,
            by,
            approved_at,
            ended: None,
            lost: false,
            taken_back: Vec::new(),
            more_taken_back: 0,
            paging: None,
        }
    }

    /// What is known about undoing its changes.
    pub(crate) fn undo(&self) -> Option<&UndoNote> {
        self.ended.as_ref().and_then(|(_, report)| report.receipt.undo.as_ref())
    }

    /// Notes which of its changes were undone or redone.
    pub(super) fn note_taken_back(&mut self, files: &[String], more: u32, kind: UndoKind) {
        let named = self.taken_back.len();
        self.taken_back.retain(|known| !files.contains(known));
        // These were undone together with others, and only counted then.
        let unnamed = files.len().saturating_sub(named - self.taken_back.len());
        match kind {
            UndoKind::Undo => {
                self.taken_back.extend(files.iter().cloned());
                self.more_taken_back = self.more_taken_back.saturating_add(more);
            }
            UndoKind::Redo => {
                let made_again = more.saturating_add(unnamed as u32);
                self.more_taken_back = self.more_taken_back.saturating_sub(made_again);
            }
        }
    }

    /// Whether all of its recorded changes were undone, and none of them redone since.
    pub(crate) fn is_taken_back(&self) -> bool {
        let taken_back = u64::from(self.more_taken_back) + self.taken_back.len() as u64;
        self.undo().is_some_and(|undo| taken_back >= u64::from(undo.changes))
    }

    /// Whether it changed files that programs obey by themselves, and nothing of the run was undone yet.
    pub(crate) fn can_be_taken_back(&self) -> bool {
        let files = self.ended.iter().flat_map(|(_, report)| &report.receipt.files);
        self.taken_back.is_empty() && files.into_iter().any(|file| file.obeyed().is_some())
    }
}

/// The current decision about a block.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) enum BlockStatus {
    /// It waits for a decision, or will wait after another.
    #[default]
    Open,
    /// It runs, ran or was lost: its last run says which.
    Approved,
    /// It was rejected with these words.
    Rejected(String),
    /// It was not offered (recipe, a named file that can't run, an edit that does not fit); the reason.
    Declined(String),
    /// It was skipped: the model is not told.
    Skipped,
}

/// A block with everything that was decided and done about it.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockItem {
    /// The block with its versions.
    pub block: Block,
    /// The newest recorded review, and of which revision.
    pub(crate) review: Option<(Revision, Box<Review>)>,
    /// The second opinions on it, oldest first.
    pub(crate) opinions: Vec<OpinionItem>,
    /// The current decision about it.
    pub(crate) status: BlockStatus,
    /// When it was settled last.
    pub(crate) settled_at: Option<Timestamp>,
    /// Its runs, oldest first.
    pub(crate) runs: Vec<RunItem>,
}

/// A result that the model is told, and where it belongs in the conversation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SettledEvent {
    /// How many items came before it.
    pub(crate) after: usize,
    /// The block that was settled.
    pub(crate) block: BlockId,
    /// The result.
    pub(crate) what: Settlement,
}

/// The result of a block. A block that is put back gets another one later.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Settlement {
    /// This run ended, or was lost.
    Ran(RunId),
    /// It was rejected with these words.
    Rejected(String),
    /// It was not offered to the person; the reason.
    Declined(String),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::samples;

    #[test]
    fn a_change_that_was_only_counted_is_no_longer_counted_when_it_is_made_again() {
        let (run, revision, sha256) = (RunId(1), Revision(1), Sha256::of(b"1"));
        let approval = RunApproval { run, revision, sha256, by: samples::BY_PERSON, at: Timestamp(0) };
        let mut run = RunItem::approved(approval, samples::terms().into());
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        run.note_taken_back(&names(&["a", "b"]), 10, UndoKind::Undo);
        run.note_taken_back(&names(&["b", "unnamed"]), 0, UndoKind::Redo);
        assert_eq!((run.taken_back.clone(), run.more_taken_back), (names(&["a"]), 9));
        run.note_taken_back(&names(&["a"]), 20, UndoKind::Redo);
        assert_eq!((run.taken_back, run.more_taken_back), (Vec::new(), 0));
    }
}
