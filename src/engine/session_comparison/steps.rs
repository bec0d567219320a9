//! The steps of a session for a comparison: its prompts, its blocks with what became of them, and these as text.

use crate::domain::visible::{visible, visible_line};
use crate::domain::{BlockId, Entry};
use std::collections::BTreeSet;

/// A prompt, or a block and what became of it.
#[derive(Debug, PartialEq)]
pub(super) enum SessionStep {
    Prompt(String),
    Block(BlockSteps),
}

#[derive(Debug, PartialEq)]
pub(super) struct BlockSteps {
    id: BlockId,
    /// What it is: its language as it was chosen last, or what it does with which file.
    label: String,
    /// Its final text.
    source: String,
    /// What was decided, in a few words.
    decided: String,
    /// How its last run ended, and what it printed.
    outcome: Option<(String, Vec<String>)>,
}

/// The prompts and blocks after the common beginning. A block of the beginning is included if either side has an entry
/// about it after that (`touched`).
pub(super) fn steps(facts: &[&Entry], same: usize, touched: &BTreeSet<BlockId>) -> Vec<SessionStep> {
    let mut steps: Vec<SessionStep> = Vec::new();
    for (at, entry) in facts.iter().enumerate() {
        match entry {
            Entry::Prompt(prompt) if at >= same => steps.push(SessionStep::Prompt(prompt.text.clone())),
            Entry::Block(block) => steps.push(SessionStep::Block(BlockSteps {
                id: block.id,
                label: block.label(),
                source: block.current().source.to_string(),
                decided: "waits".into(),
                outcome: None,
            })),
            _ => {
                if let Some(block) = block_of(entry) {
                    apply(&mut steps, block, entry);
                }
            }
        }
    }
    steps.retain(|step| match step {
        SessionStep::Prompt(_) => true,
        SessionStep::Block(block) => touched.contains(&block.id),
    });
    steps
}

/// The block whose text, language, decision or run an entry tells of.
pub(super) fn block_of(entry: &Entry) -> Option<BlockId> {
    match entry {
        Entry::Block(block) => Some(block.id),
        Entry::Edited { block, .. }
        | Entry::Placed { block, .. }
        | Entry::LanguageChosen { block, .. }
        | Entry::Approved { block, .. }
        | Entry::Rejected { block, .. }
        | Entry::Skipped { block, .. }
        | Entry::Declined { block, .. }
        | Entry::Reopened(block)
        | Entry::Ran { block, .. } => Some(*block),
        _ => None,
    }
}

/// Applies an entry to the step of its block.
fn apply(steps: &mut [SessionStep], block: BlockId, entry: &Entry) {
    let found = steps.iter_mut().rev().find_map(|step| match step {
        SessionStep::Block(one) if one.id == block => Some(one),
        _ => None,
    });
    let Some(one) = found else { return };
    match entry {
        Entry::Edited { source, .. } | Entry::Placed { source, .. } => one.source = source.to_string(),
        Entry::LanguageChosen { language, .. } => language.as_str().clone_into(&mut one.label),
        Entry::Approved { .. } => one.decided = "approved".into(),
        Entry::Rejected { reason, .. } if reason.is_empty() => one.decided = "rejected".into(),
        Entry::Rejected { reason, .. } => one.decided = format!("rejected: {}", visible_line(reason)),
        Entry::Skipped { .. } => one.decided = "skipped".into(),
        Entry::Declined { why, .. } => one.decided = format!("not offered: {}", visible_line(why)),
        Entry::Reopened(_) => one.decided = "waits".into(),
        Entry::Ran { report, .. } => {
            let mut lines: Vec<String> = String::from_utf8_lossy(&report.output.in_order())
                .lines()
                .map(|line| format!("| {line}"))
                .collect();
            lines.extend(report.value.iter().flat_map(|value| value.lines()).map(|line| format!("= {line}")));
            lines.extend(report.error.iter().map(|error| format!("! {}", error.message)));
            one.outcome = Some((report.end_words().join(", "), lines));
        }
        _ => {}
    }
}

/// A step as lines of text.
#[derive(Default)]
pub(super) struct StepText {
    pub(super) head: String,
    pub(super) text: Vec<String>,
    pub(super) ended: Option<String>,
    pub(super) printed: Vec<String>,
}

impl StepText {
    pub(super) fn of(step: &SessionStep) -> Self {
        let indented = |text: &str| -> Vec<String> {
            visible(text.trim_end()).lines().map(|line| format!("  {line}")).collect()
        };
        match step {
            SessionStep::Prompt(text) => Self { head: "you".into(), text: indented(text), ..Self::default() },
            SessionStep::Block(block) => {
                let (ended, printed) = block.outcome.clone().unzip();
                Self {
                    head: format!("block {} ({}), {}", block.id, block.label, block.decided),
                    text: indented(&block.source),
                    ended,
                    printed: printed.unwrap_or_default(),
                }
            }
        }
    }
}
