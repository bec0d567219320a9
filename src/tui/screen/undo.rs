//! Undoing what a run changed: opens the list of its changes. Opening the list undoes nothing yet.

use super::{Ctx, Screen};
use crate::domain::BlockId;
use crate::engine::Command;
use crate::engine::transcript::{BlockItem, RunItem};
use crate::tui::overlays::undo::UndoList;

impl Screen {
    /// Lists what the run on screen changed.
    pub(super) fn take_back(&mut self, ctx: Ctx<'_>) {
        if self.waits_for_run(ctx) {
            return;
        }
        match self.run_on_screen(ctx.state) {
            Some((item, run)) => self.open_changes(item, run),
            None => self.inform("No run is on screen."),
        }
    }

    /// Lists the changes of a block, or of the last run that changed anything.
    pub(super) fn undo_last(&mut self, argument: &str, ctx: Ctx<'_>) {
        if self.waits_for_run(ctx) {
            return;
        }
        let block = match argument.parse().map(BlockId) {
            Ok(block) => Some(block),
            Err(_) if argument.is_empty() => None,
            Err(_) => return self.inform("/undo, or /undo BLOCK with its number."),
        };
        if let Some((item, run, _)) = ctx.state.transcript.last_recorded(block) {
            return self.open_changes(item, run);
        }
        // A typed command undoes nothing by itself: only say why there is no list to choose from.
        self.inform(ctx.state.why_not_recorded(block));
    }

    /// Whether a run is in progress, in which case a note says so: a list of changes would be closed at once.
    fn waits_for_run(&mut self, ctx: Ctx<'_>) -> bool {
        let why = ctx.state.live.run.is_some().then(|| ctx.state.undo_refused()).flatten();
        why.map(|why| self.warn(why.text)).is_some()
    }

    fn open_changes(&mut self, item: &BlockItem, run: &RunItem) {
        if let Some(record) = run.undo().and_then(|undo| undo.record) {
            let (list, then) = UndoList::of(run.run, item.block.id, record);
            self.open(list);
            return self.commands.push(then);
        }
        if run.can_be_taken_back() {
            return self.send(Command::UndoAutoRun(item.block.id));
        }
        self.inform(run.why_not_recorded(item.block.id));
    }
}
