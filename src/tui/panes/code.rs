//! The code pane: shows a block while it is written, waits, runs or after it ran; its rights, findings and changes; the
//! editor.
//!
//! It owns the layout and the scroll position. It decides nothing.

mod detail;
pub(crate) mod diff;
pub(crate) mod doc;
mod draw;
mod edit;
mod effects;
mod guard_subject;
pub(crate) mod highlight;
mod hunks;
pub(crate) mod layout;
mod opinion;
mod rights;
mod scroll;
mod subject;
mod target;
mod text;
mod writing;

pub(crate) use guard_subject::subject_of;
pub use opinion::line as opinion_line;
pub(in crate::tui) use rights::lines as rights_lines;
pub(crate) use subject::{PaneSubject, being_written, subject};

use crate::domain::{BlockId, Revision, Trace};
use crate::engine::State;
use crate::engine::transcript::BlockItem;
use crate::tui::guard;
use crate::tui::panes::editor::Editor;
use crate::tui::widgets::draw_context::DrawContext;
use diff::DiffBase;
use highlight::Colours;
use layout::Layout;
use ratatui::layout::Rect;
use ratatui::text::Line;
use rights::SeenRights;
pub(crate) use scroll::CodePlace;
use scroll::ScrollTarget;
use std::ops::Range;

/// What the pane is used for.
#[derive(Debug, Default)]
pub enum Mode {
    /// Viewing a block; the only mode in which decisions are made.
    #[default]
    View,
    /// Viewing what changed in the block.
    Diff(DiffBase),
    /// The list of waiting blocks; the chosen row.
    Queue(usize),
    /// Editing the block.
    Edit(Box<Editor>),
}

impl Mode {
    /// The same mode; viewing the block instead of editing it.
    fn without_editor(&self) -> Self {
        match self {
            Mode::Diff(base) => Mode::Diff(*base),
            Mode::Queue(chosen) => Mode::Queue(*chosen),
            Mode::View | Mode::Edit(_) => Mode::View,
        }
    }
}

/// What a comparison was laid out for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DiffStamp {
    block: BlockId,
    revision: Revision,
    base: DiffBase,
    /// The columns of the pane.
    width: u16,
}

/// The code pane.
#[derive(Debug, Default)]
pub struct CodePane {
    /// What the pane is used for.
    pub mode: Mode,
    /// Whether the rights are shown in full.
    pub(crate) full_rights: bool,
    subject: Option<BlockId>,
    layout: Option<Layout>,
    /// The laid out comparison, and what it was made for.
    diff: Option<(DiffStamp, Vec<Line<'static>>)>,
    /// The first row of the scrolling part that is on screen.
    top: usize,
    /// The first line on screen of the text being edited.
    edit_top: usize,
    /// Which of the words from outside was visited last.
    trace: Option<usize>,
    /// The chosen hunk.
    hunk: usize,
    /// Whether to scroll to that hunk once the block has been inspected again.
    show_hunk: bool,
    area: Rect,
    /// Rights that were seen in full, of all blocks so far.
    seen_rights: SeenRights,
    /// `seen_rights` as it was when the block came on screen: the block's rights are compared with it.
    seen_before: (Option<BlockId>, SeenRights),
    /// The rows below the code: a second opinion, and the chosen hunk.
    footer: Vec<Line<'static>>,
    /// Colours of the code, as last received from the highlighter.
    pub colours: Colours,
    /// Where to scroll as soon as the block is laid out.
    target: Option<ScrollTarget>,
}

impl CodePane {
    /// The block that the pane shows.
    pub fn subject(&self) -> Option<BlockId> {
        self.subject
    }

    /// Shows a block from its start.
    pub fn show(&mut self, block: BlockId) {
        if self.subject != Some(block) {
            self.top = 0;
            self.trace = None;
            self.hunk = 0;
            self.full_rights = false;
        }
        self.subject = Some(block);
        if !matches!(self.mode, Mode::Edit(_)) {
            self.mode = Mode::View;
        }
    }

    /// Whether `block` can be decided about here: the pane shows it, in the view mode.
    pub(crate) fn reviews(&self, block: BlockId) -> bool {
        self.subject == Some(block) && matches!(self.mode, Mode::View)
    }

    /// Whether an older text of the block exists to compare it with.
    pub(crate) fn has_diff(&self, state: &State) -> bool {
        let item = self.subject.and_then(|id| state.transcript.blocks.get(&id));
        let bases = [DiffBase::Model, DiffBase::LastRun];
        item.is_some_and(|item| bases.into_iter().any(|base| diff::older(item, base).is_some()))
    }

    /// The editor, if a text is being edited.
    pub fn editor(&mut self) -> Option<&mut Editor> {
        match &mut self.mode {
            Mode::Edit(editor) => Some(editor),
            _ => None,
        }
    }

    /// Whether a text is being edited.
    pub fn edits(&self) -> bool {
        matches!(self.mode, Mode::Edit(_))
    }

    /// Lays out what the next frame shows.
    pub(crate) fn arrange(&mut self, state: &State, area: Rect, draw: DrawContext<'_>) {
        // The position has to be taken before anything changes.
        let held = self.held_place();
        self.area = area;
        self.footer.clear();
        let Some(item) = self.subject.and_then(|id| state.transcript.blocks.get(&id)) else {
            self.layout = None;
            return;
        };
        if matches!(self.mode, Mode::View) {
            let most = usize::from(area.height) / 3;
            self.footer = opinion::rows(state, item.block.id, area.width, most, draw);
        }
        let is_anew = self.lay_out(state, item, draw);
        self.lay_out_hunks(draw);
        self.hold_place(held, is_anew);
        self.lay_out_diff(item, draw);
        self.reach_target();
        self.clamp();
        self.follow_cursor();
    }

    /// The rows of the pane for rights and code.
    fn height(&self) -> usize {
        usize::from(self.area.height).saturating_sub(self.footer.len())
    }

    fn lay_out_diff(&mut self, item: &BlockItem, draw: DrawContext<'_>) {
        let Mode::Diff(base) = self.mode else { return };
        let width = self.area.width;
        let wanted = DiffStamp { block: item.block.id, revision: item.block.current().revision, base, width };
        let fits = self.diff.as_ref().is_some_and(|(stamp, _)| *stamp == wanted);
        if !fits || std::mem::take(&mut self.colours.are_new) {
            self.diff = Some((wanted, diff::rows(item, base, width, &self.colours, draw)));
        }
    }

    /// All rows that have to be seen before an approval: rights, code and findings.
    pub(crate) fn subject_rows(&self) -> Vec<guard::SubjectRow> {
        self.layout.as_ref().map_or_else(Vec::new, |l| {
            l.rights.subject_rows().iter().cloned().chain(l.doc.subject_rows()).collect()
        })
    }

    /// The rows of rights among [`CodePane::subject_rows`].
    pub(crate) fn rights_rows(&self) -> Range<usize> {
        0..self.layout.as_ref().map_or(0, |l| l.rights.subject_rows().len())
    }

    /// Notes that all rights rows were on screen long enough: the rights of the next blocks are compared with these.
    pub(crate) fn note_rights_seen(&mut self, state: &State) {
        let inspected = self.subject.and_then(|block| state.inspected(block));
        if let Some((terms, reach)) = inspected.and_then(|i| Some((i.terms.as_ref().ok()?, &i.reach))) {
            self.seen_rights.note(terms, reach);
        }
    }

    /// The rows (indexes into [`CodePane::subject_rows`]) that the frame shows.
    pub(crate) fn on_screen(&self) -> Vec<Range<usize>> {
        let Some(laid) = &self.layout else { return Vec::new() };
        if !matches!(self.mode, Mode::View) {
            return Vec::new();
        }
        let division = self.division();
        let rights = laid.rights.rows().len();
        let all = rights + laid.doc.len();
        if division.pinned > 0 {
            let from = rights + self.top;
            vec![0..rights, from..(from + division.height).min(all)]
        } else {
            vec![self.top..(self.top + division.height).min(all)]
        }
    }

    /// Scrolls to the next words in the block that came from outside; returns their index, how many there are, and the
    /// trace.
    pub(crate) fn next_trace<'a>(&mut self, state: &'a State) -> Option<(usize, usize, &'a Trace)> {
        let item = state.transcript.blocks.get(&self.subject?)?;
        let current = item.block.current().revision;
        let recorded =
            item.review.as_ref().filter(|(of, _)| *of == current).map(|(_, review)| review.as_ref());
        let traces = &state.inspected(item.block.id).map(|i| &i.review).or(recorded)?.traces;
        let at = self.trace.map_or(0, |at| at + 1) % traces.len().max(1);
        let trace = traces.get(at)?;
        self.trace = Some(at);
        self.show_line((trace.place.line as usize).saturating_sub(1));
        Some((at, traces.len(), trace))
    }

    /// The text of the block or of the editor, for copying.
    pub(crate) fn text(&self) -> Option<String> {
        match &self.mode {
            Mode::Edit(editor) => Some(editor.text()),
            _ => self.layout.as_ref().map(|l| l.doc.source().to_string()),
        }
    }
}
