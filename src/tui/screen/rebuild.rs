//! Asks whether to rebuild an earlier kernel from its blocks: shows what becomes of its variables, and what
//! each block took and touched. This runs nothing: the blocks are then shown in Code with their whole texts,
//! for a decision each.

use super::{Ctx, Note, Screen, UiCommand};
use crate::engine::rebuild::RebuildPlan;
use crate::engine::{Command, Phase};
use crate::tui::overlays::ask::Ask;
use crate::tui::rebuilding;

impl Screen {
    /// Asks, if there is something to rebuild.
    pub(super) fn ask_rebuild(&mut self, ctx: Ctx<'_>) {
        if ctx.state.phase != Phase::Idle {
            return self.show_note(Note::info("A kernel is rebuilt between turns."));
        }
        let plan = RebuildPlan::of(ctx.state);
        let offered = plan.offered_runs();
        if offered.is_empty() {
            return self.show_note(Note::info(rebuilding::nothing(&plan)));
        }
        let label = format!("go through {}", rebuilding::offer(&plan));
        let ask = Ask::new("Rebuild the kernel?", rebuilding::lines(&plan), 'w', "leave it as it is")
            .or_command('n', label, UiCommand::Send(Command::Rebuild(offered)))
            .foot(rebuilding::EXPLANATION);
        self.open(ask);
    }
}
