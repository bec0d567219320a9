//! Asks whether to go through the blocks of an earlier kernel: which ones, how long each took, what each touched. Nothing
//! runs by that: each of them then waits in Code with its whole text, and is decided for itself.

use super::{Ctx, Note, Screen, UiCommand};
use crate::engine::rebuild::{self, RebuildStep};
use crate::engine::{Command, Phase};
use crate::tui::overlays::ask::Ask;
use crate::tui::widgets::{safe, words};

/// Steps that are listed one by one.
const LISTED: usize = 12;

impl Screen {
    /// Asks, where there is something to rebuild and an empty kernel to do it in.
    pub(super) fn ask_rebuild(&mut self, ctx: Ctx<'_>) {
        let live = ctx.state.live.kernel.is_some_and(|kernel| kernel.variables > 0);
        if ctx.state.phase != Phase::Idle || live {
            return self.say(Note::info("A kernel is rebuilt between turns, while it has no variables."));
        }
        let steps = rebuild::plan(&ctx.state.transcript);
        let wanted: Vec<_> =
            steps.iter().filter(|step| step.left_out.is_none()).map(|step| step.run).collect();
        if wanted.is_empty() {
            return self.say(Note::info("Nothing ran in an earlier kernel that could be run again."));
        }
        let mut lines: Vec<String> = steps.iter().take(LISTED).map(line).collect();
        if steps.len() > LISTED {
            lines.push(format!("and {} more", steps.len() - LISTED));
        }
        let took = words::duration(steps.iter().map(|step| step.wall_us).sum::<u64>() / 1000);
        let label = format!("go through {}, which took {took}", words::count(wanted.len(), "block"));
        let ask = Ask::new("Rebuild the kernel?", lines, 'w', "leave it empty")
            .or_command('n', label, UiCommand::Send(Command::Rebuild(wanted)))
            .foot("Each one waits in Code for your decision. The first that fails ends it.");
        self.open(ask);
    }
}

/// `block 3    6.1 s  files  network  df = load()`
fn line(step: &RebuildStep) -> String {
    let files = if step.files > 0 { words::count(step.files, "file") } else { String::new() };
    let network = if step.network { "network" } else { "" };
    let left_out = step.left_out.map(|why| format!("left out: {why}   ")).unwrap_or_default();
    let touched =
        [files.as_str(), network].into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(", ");
    let touched = if touched.is_empty() { touched } else { format!("touched {touched}   ") };
    let took = words::duration(step.wall_us / 1000);
    let first = safe::cut(&safe::one_line(&step.first_line), 40);
    format!("block {:<4}{took:<8}{left_out}{touched}{first}", step.block.0)
}
