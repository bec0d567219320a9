//! The layout of a block: its rights, its code with the remarks and its hunks, and what they were made for. A layout is
//! replaced when something that it was made for changes.

use super::detail::{Detail, key_for_all};
use super::doc::{Doc, remark};
use super::guard_subject::guard_terms;
use super::hunks::HunkSelection;
use super::rights::{Rights, Wording};
use super::{CodePane, Mode};
use crate::domain::{BlockId, Revision, file_texts};
use crate::engine::State;
use crate::engine::transcript::{BlockItem, BlockStatus};
use crate::tui::widgets::draw_context::DrawContext;

/// The rights leave at least this many rows to the code, if it has as many.
const MIN_CODE_ROWS: usize = 14;

/// The layout, and what it was made for.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) stamp: LayoutStamp,
    theme: String,
    pub(super) rights: Rights,
    /// The rows of the rights when they are not crowded.
    pub(super) wide_rights: usize,
    pub(super) doc: Doc,
    /// The change in hunks, if the block is one and waits.
    pub(super) hunks: Option<HunkSelection>,
    /// Whether the block is a waiting change of only one hunk, so that there is nothing to decide piece by piece.
    pub(super) one_hunk: bool,
}

/// What the rows that have to be seen depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LayoutStamp {
    version: (BlockId, Revision),
    /// Columns of the pane.
    pub(crate) width: u16,
    /// A hash of what an inspection shows, including whether one exists.
    terms_stamp: u64,
    /// Whether all rights are shown.
    pub(crate) full_rights: bool,
    /// Whether the rights were closed up because rows are few.
    compacted: bool,
}

impl Layout {
    /// The block that was laid out.
    pub(super) fn block(&self) -> BlockId {
        self.stamp.version.0
    }
}

impl LayoutStamp {
    /// Whether the rows differ only in how closely facts are set.
    pub(crate) fn differs_only_in_compaction(self, other: Self) -> bool {
        self == Self { compacted: self.compacted, ..other }
    }
}

impl CodePane {
    /// Whether the layout is that of this block in its current state; `terms_stamp` is that of its rights.
    fn is_laid_out(&self, item: &BlockItem, terms_stamp: u64, draw: DrawContext<'_>) -> bool {
        self.layout.as_ref().is_some_and(|l| {
            let height = self.height_beside(l.hunks.as_ref());
            let compacted = !self.full_rights && leaves_too_few_rows(l.wide_rights, &l.doc, height);
            l.stamp == self.stamp(item, terms_stamp, compacted) && l.theme == draw.theme.name()
        })
    }

    fn stamp(&self, item: &BlockItem, terms_stamp: u64, compacted: bool) -> LayoutStamp {
        LayoutStamp {
            version: (item.block.id, item.block.current().revision),
            width: self.area.width,
            terms_stamp,
            full_rights: self.full_rights,
            compacted,
        }
    }

    /// The rights of a waiting block, with a note on how the block was read.
    fn rights_of(&self, state: &State, item: &BlockItem, draw: DrawContext<'_>) -> Rights {
        let session = state.transcript.header.as_ref().map(|header| header.id.0.as_str());
        let detail = if self.full_rights { Detail::Full } else { Detail::ShortKeys(key_for_all(draw)) };
        let wording = Wording { detail, session, here: None, draw };
        let inspected = state.inspected(item.block.id);
        Rights::new(inspected, &item.block, &self.seen_before.1, self.area.width, wording)
    }

    /// Lays the block out if its layout is out of date; returns whether it was.
    pub(super) fn lay_out(&mut self, state: &State, item: &BlockItem, draw: DrawContext<'_>) -> bool {
        let version = item.block.current();
        let open = item.status == BlockStatus::Open;
        let inspected = state.inspected(item.block.id);
        let terms = if open { guard_terms(state, item) } else { 0 };
        let terms_stamp = terms ^ u64::from(inspected.is_some()) << 63;
        if self.is_laid_out(item, terms_stamp, draw) {
            return false;
        }
        // The diff contains colours of the theme.
        self.diff = None;
        if self.seen_before.0 != Some(item.block.id) {
            self.seen_before = (Some(item.block.id), self.seen_rights.clone());
        }
        let review = match (inspected, &item.review) {
            (Some(inspected), _) => Some(&inspected.review),
            (None, Some((revision, review))) if *revision == version.revision => Some(review.as_ref()),
            _ => None,
        };
        let remarks = review.map(|r| remark::all(&r.findings, &r.traces)).unwrap_or_default();
        let source = &version.source;
        let before = inspected.and_then(|inspected| inspected.before.clone());
        let hunks = before.as_ref().filter(|_| open).and_then(|before| HunkSelection::new(item, before));
        let changes = before.as_ref().is_some_and(|before| open && before != source);
        let one_hunk = changes && hunks.is_none();
        let doc = Doc::new(source.clone(), remarks, self.area.width);
        let doc = match before {
            Some(before) => {
                let dropped = hunks.as_ref().map(HunkSelection::dropped).unwrap_or_default();
                let files = file_texts::pairs_of(&item.block.kind, &before, source);
                doc.with_diff(before, &dropped, files)
            }
            None => doc.with_files(file_texts::parts_of(&item.block.kind, source)),
        };
        let mut rights = if open { self.rights_of(state, item, draw) } else { Rights::default() };
        let wide_rights = rights.rows().len();
        let height = self.height_beside(hunks.as_ref());
        let compacted = !self.full_rights && leaves_too_few_rows(wide_rights, &doc, height);
        if compacted {
            rights.compact(self.area.width, draw);
        }
        self.layout = Some(Layout {
            stamp: self.stamp(item, terms_stamp, compacted),
            theme: draw.theme.name().to_owned(),
            rights,
            wide_rights,
            doc,
            hunks,
            one_hunk,
        });
        true
    }

    /// The rows for rights and code before the row of hunks, which is drawn below the code, was laid out.
    fn height_beside(&self, hunks: Option<&HunkSelection>) -> usize {
        let is_told = hunks.is_some() && matches!(self.mode, Mode::View);
        self.height().saturating_sub(is_told.into())
    }

    /// What [`CodePane::subject_rows`] depends on; as long as it is equal, the rows are.
    pub(crate) fn layout_stamp(&self) -> Option<LayoutStamp> {
        self.layout.as_ref().map(|l| l.stamp)
    }
}

/// Whether this many rows of rights leave too few to the code on a pane of this height.
pub(super) fn leaves_too_few_rows(rights: usize, doc: &Doc, height: usize) -> bool {
    rights > 0 && rights + doc.len().min(MIN_CODE_ROWS) > height
}
