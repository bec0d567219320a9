//! Shows where words of the block on screen came from.

use super::{Ctx, LowerPane, Screen};
use crate::tui::panes::output::PendingTarget;
use crate::tui::pattern::Pattern;
use crate::tui::widgets::layout::Pane;
use crate::tui::widgets::safe;

impl Screen {
    /// `P`: shows where a word of the block came from; repeated, the next one.
    pub(super) fn show_source(&mut self, ctx: Ctx<'_>) {
        let Some((at, of, trace)) = self.panes.code.next_trace(ctx.state) else {
            return self.tell_of_block("No word of this block came from an output, a file or the project.");
        };
        let text = safe::cut(&safe::one_line(&trace.text), 40);
        let Some(block) = trace.from.block() else {
            // The instructions are part of every request; there is no output that shows them.
            let place = "the project's instructions (AGENTS.md)";
            return self.tell_of_block(format!("{} of {of}: {text} is in {place}. P next.", at + 1));
        };
        self.source = Some(block);
        self.panes.lower = LowerPane::Output;
        if let Ok(pattern) = Pattern::text(&trace.text) {
            self.panes.marked = Some(pattern.clone());
            self.panes.output.seek(block, PendingTarget::Pattern(pattern));
        }
        self.move_focus(Pane::Output);
        self.tell_of_block(format!("{} of {of}: {text} is in block {block}. P next, Esc back.", at + 1));
    }

    /// Returns from the source of a word to the code; `false`: no source was shown.
    pub(super) fn leave_source(&mut self) -> bool {
        let left = self.source.take().is_some();
        if left {
            self.panes.marked = None;
            self.panes.focus = Pane::Code;
        }
        left
    }
}
