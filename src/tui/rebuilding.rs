//! Writes a plan for rebuilding a kernel as lines of text, for panes and the line mode: what becomes of its
//! variables, and what each block took and touched.

use super::widgets::{safe, words};
use crate::engine::rebuild::{RebuildPlan, RebuildStep, StepState};
use crate::text::names::first_names;

/// How many steps are listed one by one.
const MAX_STEPS_SHOWN: usize = 10;
/// How many names are listed of each kind.
const MAX_NAMES_SHOWN: usize = 6;
/// The most columns of a line.
const MAX_LINE_COLUMNS: usize = 58;

/// Returns the plan, one line a row.
pub(super) fn lines(plan: &RebuildPlan) -> Vec<String> {
    let variables = plan.variables();
    let kinds = [
        ("live", &variables.live),
        ("restorable", &variables.restorable),
        ("run again", &variables.again),
        ("left out", &variables.lost),
    ];
    let rows = kinds.into_iter().filter(|(_, names)| !names.is_empty());
    let mut lines: Vec<String> =
        rows.map(|(kind, of)| safe::cut(&format!("{kind:<12}{}", names(of)), MAX_LINE_COLUMNS)).collect();
    if !lines.is_empty() {
        lines.insert(0, "Variables of the earlier kernel:".into());
        lines.push(String::new());
    }
    lines.extend(plan.steps.iter().take(MAX_STEPS_SHOWN).map(line));
    if plan.steps.len() > MAX_STEPS_SHOWN {
        lines.push(format!("and {} more", plan.steps.len() - MAX_STEPS_SHOWN));
    }
    lines
}

/// What carrying out the plan means: how many blocks and decisions, and how long the blocks took.
pub(super) fn offer(plan: &RebuildPlan) -> String {
    let offered = plan.offered_runs();
    let took: u64 = plan.steps.iter().filter(|step| step.is_offered()).map(|step| step.wall_us).sum();
    let decisions = plan.decisions(&offered).len();
    format!(
        "{}, {}; they took {}",
        words::count(offered.len(), "block"),
        words::count(decisions, "decision"),
        words::duration(took / 1_000)
    )
}

/// Why there is nothing to rebuild.
pub(super) fn nothing(plan: &RebuildPlan) -> &'static str {
    if plan.steps.iter().any(|step| step.state == StepState::Live) {
        "All that could be run again of the earlier kernel was."
    } else {
        "Nothing ran in an earlier kernel that could be run again."
    }
}

/// How a plan is carried out.
pub(super) const EXPLANATION: &str = "Blocks that touch nothing but the kernel come together, all others one by one. \
    The first that does something else than before ends it.";

/// Formats one step: `block 3    6.1 s  restorable  reads sales.csv   df = load()`
fn line(step: &RebuildStep) -> String {
    let state = match &step.state {
        StepState::Live => "live".into(),
        StepState::Restorable => "restorable".into(),
        // `touched` already names the reason.
        StepState::RunAgain(why) if step.touched.contains(why) => "run again".into(),
        StepState::RunAgain(why) => format!("run again: {why}"),
        StepState::LeftOut(why) => format!("left out: {why}"),
    };
    let took = words::duration(step.wall_us / 1_000);
    let touched = step.touched.join(", ");
    let parts = [touched.as_str(), step.first_line.as_str()];
    let rest = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("   ");
    safe::cut(
        &safe::one_line(&format!("block {:<4}{took:<8}{state:<10}  {rest}", step.block.0)),
        MAX_LINE_COLUMNS,
    )
}

fn names(all: &[String]) -> String {
    let safe: Vec<String> = all.iter().map(|name| safe::one_line(name)).collect();
    first_names(&safe, MAX_NAMES_SHOWN)
}
