//! Computes what the layout depends on: the state of the block, which panes have content, and where the person puts the
//! borders between panes, by keys and by the mouse.

use super::{Ctx, Screen};
use crate::domain::BlockId;
use crate::engine::transcript::BlockStatus;
use crate::engine::{Phase, State};
use crate::tui::action::Action;
use crate::tui::panes::code::{Mode, being_written};
use crate::tui::panes::{LowerPane, output};
use crate::tui::widgets::layout::{Arrangement, Border, LayoutActivity, LayoutRequest, Pane, SizeClass};
use crate::tui::widgets::typed_text::TypedText;

impl Screen {
    /// The layout request for the next frame.
    pub(super) fn layout_request(&self, state: &State) -> LayoutRequest {
        LayoutRequest {
            activity: self.activity(state),
            focus: self.panes.focus,
            // A focused pane is shown even if it is empty: it says so.
            code: self.has_content(Pane::Code, state) || self.panes.focus == Pane::Code,
            code_rows: None,
            output_rows: None,
            output: self.has_content(Pane::Output, state) || self.panes.focus == Pane::Output,
            borders: self.borders,
            message_rows: self.message_rows(),
            bare: self.bare_pane,
            zoomed: self.zoomed.is_some(),
            field: self.overlays.last().is_some_and(|top| top.in_message().is_some()),
        }
    }

    fn message_rows(&self) -> u16 {
        let width = self.arrangement.message.map_or(60, |s| s.inner.width).saturating_sub(2).max(10);
        let rows = TypedText::of(&self.panes.composer.field).count(width.into(), 10);
        u16::try_from(rows).unwrap_or(u16::MAX).clamp(1, 10)
    }

    /// The layout of the next frame. How many rows a block needs is only known once it is laid out for its
    /// width.
    pub(super) fn arrangement(&mut self, ctx: Ctx<'_>) -> Arrangement {
        let (width, height) = self.size;
        let request = self.layout_request(ctx.state);
        let arrangement = Arrangement::of(width, height, request);
        let rows_matter =
            arrangement.class != SizeClass::Narrow && request.activity == LayoutActivity::Waiting;
        let Some(slot) = arrangement.code.filter(|_| rows_matter) else { return arrangement };
        self.panes.code.arrange(ctx.state, slot.inner, ctx.draw);
        let code_rows = self.panes.code.rows_needed().and_then(|rows| u16::try_from(rows).ok());
        let output_rows = self.output_rows(ctx).and_then(|rows| u16::try_from(rows).ok());
        Arrangement::of(width, height, LayoutRequest { code_rows, output_rows, ..request })
    }

    /// The rows that the output needs, if it has the focus beside a waiting block.
    fn output_rows(&mut self, ctx: Ctx<'_>) -> Option<usize> {
        if self.panes.focus != Pane::Output || self.panes.lower != LowerPane::Output {
            return None;
        }
        let chosen = self.output_block();
        // The rows are those of the last layout. A pane without a row would never be laid out again.
        self.panes.output.rows_needed(ctx.state, chosen, ctx.draw).map(|rows| rows.max(1))
    }

    /// Whether the layout must be repeated after the output was laid out: the rows that it needs influence the
    /// layout.
    pub(super) fn shares_with_output(&self, state: &State) -> bool {
        let arrangement = &self.arrangement;
        arrangement.class == SizeClass::Medium
            && arrangement.code.is_some()
            && arrangement.output.is_some()
            && self.activity(state) == LayoutActivity::Waiting
    }

    pub(super) fn has_content(&self, pane: Pane, state: &State) -> bool {
        match pane {
            Pane::Chat | Pane::Message => true,
            Pane::Code => {
                !matches!(self.panes.code.mode, Mode::View)
                    || being_written(state).is_some()
                    || self.panes.code.subject().is_some_and(|id| state.transcript.blocks.contains_key(&id))
            }
            Pane::Output => {
                self.panes.lower != LowerPane::Output || output::has_any(state, self.output_block())
            }
        }
    }

    /// The block whose output is to be shown.
    pub(super) fn output_block(&self) -> Option<BlockId> {
        self.source.or(match self.panes.kept_output {
            Some(kept) => kept.0,
            None => self.panes.code.subject(),
        })
    }

    pub(super) fn activity(&self, state: &State) -> LayoutActivity {
        if being_written(state).is_some() && !self.panes.code.edits() {
            return LayoutActivity::Writing;
        }
        match state.phase {
            Phase::Deciding(_) => LayoutActivity::Waiting,
            Phase::Running(_) => LayoutActivity::Running,
            _ if self.panes.lower != LowerPane::Output => LayoutActivity::Below,
            _ => match self.panes.code.subject().and_then(|id| state.transcript.blocks.get(&id)) {
                Some(item) if item.status != BlockStatus::Open => LayoutActivity::Done,
                _ => LayoutActivity::Even,
            },
        }
    }

    /// Moves a border by one step of its key.
    pub(super) fn move_border(&mut self, action: Action, state: &State) {
        let (border, more) = match action {
            Action::ChatLess => (Border::Chat, false),
            Action::ChatMore => (Border::Chat, true),
            Action::CodeLess => (Border::Code, false),
            _ => (Border::Code, true),
        };
        let columns = border == Border::Chat && self.arrangement.class == SizeClass::Wide;
        let step = if columns { 2 } else { 1 };
        match self.arrangement.border(border) {
            Some(at) if more => self.move_border_to(border, at.saturating_add(step), state),
            Some(at) => self.move_border_to(border, at.saturating_sub(step), state),
            None => self.inform("That border is not on screen now."),
        }
    }

    /// Moves a border to a column or row of the screen, or as near as possible.
    pub(super) fn move_border_to(&mut self, border: Border, at: u16, state: &State) {
        self.borders = self.borders.move_to(border, at, self.activity(state), &self.arrangement);
    }
}
