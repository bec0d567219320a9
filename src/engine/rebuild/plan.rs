//! Plans a rebuild: the runs of the previous kernel, what each took and touched, and what becomes of its variables.

use super::merged_block;
use super::side_effects::TouchedPaths;
use super::step::{RebuildStep, StepState};
use crate::domain::{BlockKind, ExecutorKind, KernelFate, Language, Outcome, RunId, Sha256};
use crate::engine::State;
use crate::engine::transcript::{BlockItem, BlockStatus, Item, RunItem, Settlement, Transcript};
use crate::python::names::{Names, names};
use crate::text::line::one_line;
use std::collections::BTreeSet;

/// All runs that made the previous kernel, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RebuildPlan {
    pub(crate) steps: Vec<RebuildStep>,
    /// The variables in the current kernel.
    pub(crate) live: Vec<String>,
}

/// What becomes of the variables of the previous kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PlannedNames {
    /// They are in the current kernel.
    pub(crate) live: Vec<String>,
    /// Blocks that touch nothing but the kernel bring them back.
    pub(crate) restorable: Vec<String>,
    /// They need a block that takes a decision of its own.
    pub(crate) again: Vec<String>,
    /// They need a block that can't be repeated.
    pub(crate) lost: Vec<String>,
}

impl RebuildPlan {
    /// The plan for this state; without steps if there is nothing to rebuild.
    pub(crate) fn of(state: &State) -> Self {
        let transcript = &state.transcript;
        let kernels = Kernels::of(transcript, state.live.python_kernel().is_some());
        let before: Vec<(&BlockItem, &RunItem)> =
            kernels.before.iter().filter_map(|run| transcript.run(*run)).collect();
        let now: Vec<(&BlockItem, &RunItem)> =
            kernels.now.iter().filter_map(|run| transcript.run(*run)).collect();
        // Variables that other blocks set in the current kernel stay as they are.
        let others = now.iter().filter(|other| !before.iter().any(|step| covers(**other, *step)));
        let taken: BTreeSet<String> =
            others.filter_map(|other| names(source(*other)?)).flat_map(|names| names.set).collect();
        let steps = before
            .iter()
            .enumerate()
            // Of a block that ran several times only the last run is repeated.
            .filter(|(at, (item, _))| {
                !before.iter().skip(at + 1).any(|(later, _)| later.block.id == item.block.id)
            })
            .filter_map(|(_, (item, run))| {
                let not_run = |of: &(_, &RunItem)| state.live.not_run.contains(&(of.1.run, item.block.id));
                let live = state.live.ran_within.contains(&item.block.id)
                    || now.iter().any(|other| covers(*other, (item, run)) && !not_run(other));
                step(item, run, live, &taken)
            });
        let steps = steps.collect();
        Self { steps, live: state.variables().map(|variable| variable.name.clone()).collect() }
    }

    /// The runs that can be repeated.
    pub(crate) fn offered_runs(&self) -> Vec<RunId> {
        self.steps.iter().filter(|step| step.is_offered()).map(|step| step.run).collect()
    }

    /// Those of these runs that can be repeated, grouped by decision.
    pub(crate) fn decisions(&self, wanted: &[RunId]) -> Vec<Vec<RunId>> {
        let mut decisions: Vec<Vec<&RebuildStep>> = Vec::new();
        for step in self.steps.iter().filter(|step| step.is_offered() && wanted.contains(&step.run)) {
            match decisions.last_mut() {
                Some(last) if merged_block::can_join(last, step) => last.push(step),
                _ => decisions.push(vec![step]),
            }
        }
        decisions.into_iter().map(|steps| steps.iter().map(|step| step.run).collect()).collect()
    }

    /// What becomes of the variables.
    pub(crate) fn variables(&self) -> PlannedNames {
        let (mut again, mut lost) = (BTreeSet::new(), BTreeSet::new());
        let mut order: Vec<&String> = Vec::new();
        for step in &self.steps {
            let needs = |names: &BTreeSet<&String>| names.iter().any(|name| step.used.contains(*name));
            let is_lost = matches!(step.state, StepState::LeftOut(_)) || needs(&lost);
            let is_again = matches!(step.state, StepState::RunAgain(_)) || needs(&again);
            for name in &step.names {
                order.retain(|known| *known != name);
                order.push(name);
                again.remove(name);
                lost.remove(name);
                if is_lost {
                    lost.insert(name);
                } else if is_again {
                    again.insert(name);
                }
            }
        }
        let mut planned = PlannedNames { live: self.live.clone(), ..PlannedNames::default() };
        for name in order.into_iter().filter(|name| !self.live.contains(name)) {
            let of = if lost.contains(name) {
                &mut planned.lost
            } else if again.contains(name) {
                &mut planned.again
            } else {
                &mut planned.restorable
            };
            of.push(name.clone());
        }
        planned
    }
}

/// The runs that ended well in the previous and in the current kernel.
#[derive(Debug, Default)]
struct Kernels {
    before: Vec<RunId>,
    now: Vec<RunId>,
}

impl Kernels {
    fn of(transcript: &Transcript, alive: bool) -> Self {
        let mut kernels = Self::default();
        let mut settled = transcript.settled.iter().peekable();
        for (at, item) in transcript.items.iter().enumerate() {
            while let Some(one) = settled.next_if(|one| one.after <= at) {
                kernels.take_run(transcript, &one.what);
            }
            if matches!(item, Item::Resumed { .. } | Item::KernelRestarted { .. }) {
                kernels.ends(transcript);
            }
        }
        for one in settled {
            kernels.take_run(transcript, &one.what);
        }
        if !alive {
            kernels.ends(transcript);
        }
        kernels
    }

    fn take_run(&mut self, transcript: &Transcript, what: &Settlement) {
        let Settlement::Ran(id) = what else { return };
        let Some((_, run)) = transcript.run(*id) else { return };
        let kernel = run.ended.as_ref().filter(|_| run.terms.executor == ExecutorKind::Kernel);
        let Some((_, report)) = kernel else { return };
        if report.outcome == Outcome::Ok {
            self.now.push(*id);
        }
        if let KernelFate::Lost(_) = report.kernel {
            self.ends(transcript);
        }
    }

    /// A kernel ended. If it had nothing but a part of the previous kernel's runs, the previous one stays the one to
    /// rebuild.
    fn ends(&mut self, transcript: &Transcript) {
        let now = std::mem::take(&mut self.now);
        let run = |id: &RunId| transcript.run(*id);
        let before: Vec<_> = self.before.iter().filter_map(run).collect();
        let is_part = now.iter().filter_map(run).all(|other| before.iter().any(|step| covers(other, *step)));
        if !is_part {
            self.before = now;
        }
    }
}

/// The source of a run, from its block.
fn source<'t>((item, run): (&'t BlockItem, &RunItem)) -> Option<&'t str> {
    item.block.version(run.revision).map(|version| version.source.as_ref())
}

/// Whether a run repeated a step: it has the step's text, or is a merged text that contains it.
fn covers(run: (&BlockItem, &RunItem), step: (&BlockItem, &RunItem)) -> bool {
    let (Some(text), Some(part)) = (source(run), source(step)) else { return false };
    text == part || merged_block::is_merged(&run.0.block) && text.contains(part)
}

fn step(item: &BlockItem, run: &RunItem, live: bool, taken: &BTreeSet<String>) -> Option<RebuildStep> {
    let report = &run.ended.as_ref()?.1;
    let version = item.block.version(run.revision)?;
    let review =
        item.review.as_ref().filter(|(of, _)| *of == run.revision).map(|(_, review)| review.as_ref());
    let python = version.language == Some(Language::python());
    let read = names(&version.source).filter(|_| python);
    let Names { set, used } = read.clone().unwrap_or_default();
    let touched = TouchedPaths::of(review, report);
    let state = match why_left_out(item, run) {
        _ if live => StepState::Live,
        Some(why) => StepState::LeftOut(why.into()),
        None => match set.iter().find(|name| taken.contains(*name)) {
            Some(name) => StepState::LeftOut(format!("it would set {} anew", one_line(name))),
            None if read.is_none() || !matches!(item.block.kind, BlockKind::Code { .. }) => {
                StepState::RunAgain("what it sets is not known".into())
            }
            None => match touched.beyond_kernel() {
                Some(why) => StepState::RunAgain(why),
                None if !merged_block::is_mergeable(&version.source) => {
                    StepState::RunAgain("it begins a file".into())
                }
                None => StepState::Restorable,
            },
        },
    };
    let first = version.source.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    Some(RebuildStep {
        run: run.run,
        block: item.block.id,
        first_line: one_line(first),
        wall_us: report.receipt.wall_us,
        touched: touched.describe(),
        names: set,
        state,
        used,
        size: version.source.len(),
        wall_ms: run.terms.limits.wall_ms,
    })
}

fn why_left_out(item: &BlockItem, run: &RunItem) -> Option<&'static str> {
    let version = item.block.version(run.revision)?;
    if Sha256::of(version.source.as_bytes()) != run.sha256 {
        Some("its text is not the one that was approved")
    } else if item.block.current().revision != run.revision {
        Some("its text was changed since")
    } else if item.status == BlockStatus::Open {
        Some("it waits for a decision")
    } else {
        None
    }
}
