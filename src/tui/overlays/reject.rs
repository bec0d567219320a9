//! Asks for the reason of a rejection.

use super::{Overlay, OverlayContext, OverlayProperties, OverlayResponse, nothing_decided};
use crate::domain::sentences::sending;
use crate::domain::{BlockId, Decision, Revision};
use crate::engine::{Command, State};
use crate::tui::keymap::Context;
use crate::tui::panes::Panes;
use crate::tui::widgets::field::{Edit, Field, Motion};
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::layout::Pane;
use crate::tui::widgets::sheet::Sheet;
use ratatui::layout::Rect;

/// The box for a reason.
#[derive(Debug)]
pub(crate) struct Reject {
    pub(crate) block: BlockId,
    /// The version on screen.
    pub(crate) revision: Revision,
    pub(crate) field: Field,
}

impl Overlay for Reject {
    fn properties(&self) -> OverlayProperties {
        OverlayProperties::new(Context::Message, 72)
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.field)
    }

    fn accept(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        let decision = Decision::Reject(self.field.take().trim().to_owned());
        let decided = Command::Decide { block: self.block, revision: self.revision, decision };
        vec![OverlayResponse::Close, OverlayResponse::Focus(Pane::Message), OverlayResponse::send(decided)]
    }

    fn step(&mut self, by: isize, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        self.field.apply(Edit::Move(if by < 0 { Motion::Up } else { Motion::Down }, false));
        Vec::new()
    }

    fn back(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        nothing_decided()
    }

    fn is_stale(&self, state: &State) -> bool {
        let waiting = state.waiting().map(|item| (item.block.id, item.block.current().revision));
        waiting != Some((self.block, self.revision))
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        hints.plain("Enter", "reject and send", 0).plain("Ctrl-J", "newline", 1);
        hints.plain("Esc", "back, no decision", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some(sending::REASON_OPEN.into())
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let (width, draw) = (room.width, ctx.draw);
        let block = self.block;
        let mut sheet = Sheet::new(format!("Reject block {block}"));
        let text = format!("Block {block} will not run. Tell the model why (may be empty):");
        sheet.words(&text, width, draw.text()).gap().field("> ", &self.field, width, draw);
        Some(sheet)
    }
}
