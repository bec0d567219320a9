//! Searches from the panes: the search line, repeating the last search, and searching in portions between keys.

use super::{Ctx, Screen};
use crate::tui::overlays::find::{self, Find};
use crate::tui::panes::search::PaneSearch;
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

    /// Repeats the search: `n` and `N` in a pane. One that was left unfinished goes on first, until another key comes.
    pub(super) fn find_again(&mut self, back: bool, ctx: Ctx<'_>) {
        if self.panes.search.as_ref().and_then(PaneSearch::pattern).is_none() {
            return self.inform("/ looks for a text.");
        }
        self.repeated_find = Some(back);
        self.work(ctx);
        if self.repeated_find.is_some() {
            self.inform(find::counts_text(ctx.state, &self.panes, ctx.draw));
        }
    }

    /// Searches the next portion for a repeated search, and goes to its hit once all was searched. Returns whether
    /// anything changed.
    fn go_on_finding(&mut self, back: bool, ctx: Ctx<'_>) -> bool {
        let worked = self.panes.search_on(ctx.state, ctx.draw);
        if find::is_unfinished(ctx.state, &self.panes) {
            return worked;
        }
        self.repeated_find = None;
        let arrangement = &self.arrangement;
        let shown = |pane| arrangement.slot(pane).is_some();
        find::find_again(back, &mut self.panes, shown, ctx.state, ctx.draw);
        self.inform(find::counts_text(ctx.state, &self.panes, ctx.draw));
        true
    }

    /// Does a portion of the search. Returns whether anything changed.
    pub(super) fn work(&mut self, ctx: Ctx<'_>) -> bool {
        let mut worked = self.repeated_find.is_some_and(|back| self.go_on_finding(back, ctx));
        self.pass(ctx, |top, ctx, panes| {
            worked |= top.work(ctx, panes);
            Vec::new()
        });
        self.work_due = worked.then_some(ctx.at + WORK_INTERVAL);
        worked
    }
}
