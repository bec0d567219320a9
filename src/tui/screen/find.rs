//! Searches from the panes: the search line, repeating the last search, and searching in portions between keys.

use super::{Ctx, Screen};
use crate::tui::overlays::find::{self, Find};
use crate::tui::widgets::layout::Pane;
use std::time::Duration;

/// The pause between two portions of work; keys are handled first anyway.
const WORK_INTERVAL: Duration = Duration::from_millis(1);

impl Screen {
    /// Opens the search line with a text in it.
    pub(super) fn open_find(&mut self, text: &str, ctx: Ctx<'_>) {
        let find = Find::new(text, &mut self.panes);
        self.open(find);
        self.pass(ctx, |top, ctx, panes| top.changed(ctx, panes));
    }

    /// Repeats the search: `n` and `N` in a pane.
    pub(super) fn find_again(&mut self, back: bool, ctx: Ctx<'_>) {
        let on_screen = |pane: &Pane| self.arrangement.slot(*pane).is_some();
        let shown: Vec<Pane> = [Pane::Chat, Pane::Code, Pane::Output].into_iter().filter(on_screen).collect();
        let counts = find::find_again(back, &mut self.panes, &shown, ctx.state, ctx.draw);
        self.inform(counts.unwrap_or_else(|| "/ looks for a text.".into()));
    }

    /// Does a portion of the search. Returns whether anything changed.
    pub(super) fn work(&mut self, ctx: Ctx<'_>) -> bool {
        let mut worked = false;
        self.pass(ctx, |top, ctx, panes| {
            worked = top.work(ctx, panes);
            Vec::new()
        });
        self.work_due = worked.then_some(ctx.at + WORK_INTERVAL);
        worked
    }
}
