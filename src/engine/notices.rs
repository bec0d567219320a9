//! Words the engine's messages to the person: what happened, then what to press.
//!
//! - `runs`: the end of runs and kernels
//! - `undo`: changes that are undone
//! - `rebuild`: blocks that are run again in a new kernel

pub(super) mod rebuild;
pub(super) mod runs;
pub(super) mod undo;

use super::changes;
use super::kernels;
use super::state::{Phase, Question};
use crate::domain::sentences::{saving, sending};
use crate::domain::{
    AnswerError, Block, BlockId, ExecutorKind, FinishReason, KernelRef, Language, ModelName, Notice,
    ReplyFailure, Review, RuleId, SessionNameError, Severity,
};
use crate::text::line::one_line;
use crate::text::number::{counted, dollars};

pub(super) fn queued(leaves: bool) -> Notice {
    Notice::info(if leaves { sending::NOT_SENT_ON_LEAVING } else { sending::QUEUED })
}

pub(super) fn stopped(kept: bool) -> Notice {
    Notice::info(sending::stopped(kept))
}

pub(super) fn question(question: &Question) -> Notice {
    match question {
        Question::StepLimit(steps) => {
            Notice::warn(format!("{} taken in this turn. Go on?", counted(*steps as usize, "step")))
        }
        Question::Repeated(block, times) => {
            Notice::warn(format!("Block {block} was proposed {times} times in this turn. Go on?"))
        }
        Question::Form(form) => Notice::info(one_line(&form.title)),
        Question::Budget { spent, limit } => {
            Notice::warn(sending::over_budget(&dollars(*spent), &dollars(*limit)))
        }
    }
}

/// Whether a notice says why the engine stopped in this phase. Who reports the end of the turn leaves it out.
pub(crate) fn tells_phase(notice: &Notice, phase: &Phase) -> bool {
    match phase {
        Phase::Asking(asked) => *notice == question(asked),
        Phase::Stuck(why) => *notice == failure(why),
        _ => false,
    }
}

pub(super) fn failure(failure: &ReplyFailure) -> Notice {
    Notice::error(one_line(&failure.message))
}

pub(super) fn finish(reason: FinishReason) -> Option<Notice> {
    Some(Notice::warn(match reason {
        FinishReason::Stop | FinishReason::ToolCalls => return None,
        FinishReason::Length => "The reply was cut at the model's length limit.",
        FinishReason::Filter => "The provider's filter ended the reply.",
        FinishReason::Incomplete => "The reply ended early: it may not be whole.",
    }))
}

pub(super) fn ended_early(blocks: &[BlockId]) -> Notice {
    let which = blocks.first().map(ToString::to_string).unwrap_or_default();
    let what = if blocks.len() == 1 { format!("Block {which} was") } else { "Its blocks were".into() };
    let told = format!("The reply ended early: it may not be whole. {what} skipped");
    Notice::warn(format!("{told}; /rerun {which} puts it back.")).headless(format!("{told}."))
}

pub(super) fn empty_reply() -> Notice {
    let told = sending::ANSWERED_NOTHING;
    Notice::warn(format!("{told} Ask again in other words, or take another model: /model.")).headless(told)
}

pub(super) fn model(model: &ModelName) -> Notice {
    Notice::info(format!("Replies come from {} from here on.", one_line(&model.to_string())))
}

/// Whether the model can be asked is not known here: in a reopened session it may not be connected.
pub(super) fn same_model(model: &ModelName) -> Notice {
    Notice::info(format!("The model of this chat is {} already.", one_line(&model.to_string())))
}

pub(super) fn no_tools(model: &ModelName) -> Notice {
    let name = match model.model.as_str() {
        "" => "This model".into(),
        _ => one_line(&model.to_string()),
    };
    Notice::info(format!("{name} takes no tools: it is asked for fenced blocks instead."))
}

pub(super) fn call_refused(why: &str, is_model_told: bool) -> Notice {
    let ending = if is_model_told { " The model is told." } else { "" };
    Notice::warn(format!("A tool call came to no block: {}.{ending}", one_line(why)))
}

pub(super) fn lacks_elsewhere(block: BlockId, package: &str, executor: ExecutorKind) -> Notice {
    let package = one_line(package);
    Notice::warn(match executor {
        ExecutorKind::Container => {
            format!("Block {block} needs {package}, which its image does not have: name another.")
        }
        _ => format!("Block {block} needs {package}: install it into the environment of its kernel."),
    })
}

pub(super) fn rule_added(rule: RuleId, words: &str) -> Notice {
    Notice::info(format!("Rule {rule} holds from now on: {words}. /rules lists and removes it."))
}

pub(super) fn rule_revoked(rule: RuleId) -> Notice {
    Notice::info(format!("Rule {rule} removed. What it covered is asked about again."))
}

pub(super) fn held_back(rule: RuleId, block: BlockId) -> Notice {
    Notice::info(format!("Rule {rule} stopped for block {block}. Nothing ran: it waits for your decision."))
}

pub(super) fn rejected(block: BlockId) -> Notice {
    Notice::info(format!("Block {block} rejected. Nothing ran."))
}

pub(super) fn skipped(block: BlockId) -> Notice {
    Notice::info(format!("Block {block} skipped. Nothing ran."))
}

pub(super) fn all_skipped(count: usize) -> Notice {
    Notice::info(format!("{} skipped. Nothing ran.", counted(count, "block")))
}

/// An edit changed nothing. What may be only a part of a text can't be approved before it was changed.
pub(super) fn unchanged(block: BlockId, is_whole: bool) -> Notice {
    let needs = if is_whole { "" } else { " It can be approved once its text was changed." };
    Notice::info(format!("Block {block} is unchanged.{needs}"))
}

pub(super) fn not_now(block: BlockId) -> Notice {
    Notice::warn(format!("Block {block} can be put back when this step is over."))
}

pub(super) fn unknown_language(language: &Language) -> Notice {
    Notice::warn(format!("No interpreter is configured for {}.", one_line(language.as_str())))
}

pub(super) fn no_time() -> Notice {
    Notice::warn("The time limit has to be longer than 0 s.")
}

/// The result of the checks of a text that the person has just edited.
pub(super) fn edited(block: &Block, review: &Review) -> Notice {
    let findings = findings(review);
    Notice::info(match changes::count_changed_lines(&block.original().source, &block.current().source) {
        Some(0) => format!("Back to the model's text. Checks ran again: {findings}."),
        Some(lines) => format!("Edited by you: {}. Checks ran again: {findings}.", counted(lines, "line")),
        None => format!("Edited by you. Checks ran again: {findings}."),
    })
}

fn findings(review: &Review) -> String {
    if review.findings.is_empty() {
        return "no findings".into();
    }
    [Severity::High, Severity::Medium, Severity::Info]
        .into_iter()
        .filter_map(|severity| match review.count(severity) {
            0 => None,
            count => Some(format!("{count} {}", severity.as_str())),
        })
        .collect::<Vec<_>>()
        .join(", ")
}

/// The person switched a new kernel for a block on or off; says what becomes of the current one.
pub(super) fn new_kernel_toggled(
    block: BlockId,
    new_kernel: bool,
    kernel: Option<(Language, KernelRef)>,
) -> Notice {
    Notice::info(match &kernel {
        Some((language, kernel)) if new_kernel => format!(
            "Block {block} would run in a new kernel: {} ends then{}. K goes back.",
            kernels::name(language, *kernel),
            kernels::lost([(language, kernel)], (", ", ""))
        ),
        Some((language, kernel)) => {
            format!("Block {block} would run in kernel {}.", kernels::name(language, *kernel))
        }
        None if new_kernel => format!("Block {block} would run in a new kernel. K goes back."),
        None => format!("Block {block} would run in the kernel that is there."),
    })
}

/// The person switched a terminal for a block on or off. A kernel has no terminal: Python then runs outside of it.
pub(super) fn terminal(block: BlockId, terminal: bool, leaves_kernel: bool) -> Notice {
    Notice::info(match (terminal, leaves_kernel) {
        (true, true) => format!("Block {block} would have its own terminal, and no kernel. T goes back."),
        (true, false) => format!("Block {block} would have its own terminal. T goes back."),
        (false, _) => {
            format!("Block {block} would have no terminal: who reads its input finds the end of it.")
        }
    })
}

/// The block's executor has no terminal.
pub(super) fn no_terminal(block: BlockId) -> Notice {
    Notice::info(format!(
        "Block {block} can't have a terminal of its own here: only programs of this machine can, no container and no \
         Jupyter kernel."
    ))
}

pub(super) fn files_not_now() -> Notice {
    Notice::warn("Files are run between turns: end this one first.")
}

/// A command was typed while a turn goes on.
pub(super) fn queued_command(leaves: bool) -> Notice {
    let waits = "Queued. It waits for your decision when this turn ends.";
    Notice::info(if leaves { sending::NOT_SENT_ON_LEAVING } else { waits })
}

pub(super) fn recipe_not_now() -> Notice {
    Notice::warn("A recipe begins between turns: end this one first.")
}

pub(super) fn recipe_refused(name: &str, why: &str) -> Notice {
    Notice::error(format!("The recipe {} can't be used: {}", one_line(name), one_line(why)))
}

pub(super) fn declined(block: BlockId, why: &str) -> Notice {
    Notice::warn(format!("Block {block} is not offered: {}", one_line(why)))
}

pub(super) fn not_placed(block: BlockId, why: &str) -> Notice {
    Notice::warn(format!("Block {block} goes back to the model: {}", one_line(why)))
}

pub(super) fn misfit(misfit: &AnswerError) -> Notice {
    Notice::warn(format!("{} needs another answer: {}.", one_line(&misfit.field), one_line(&misfit.why)))
}

pub(super) fn store_recovered() -> Notice {
    Notice::info(saving::AGAIN)
}

/// The session keeps its name.
pub(super) fn no_name(why: SessionNameError) -> Notice {
    Notice::warn(format!("Not renamed: {why}."))
}

/// What a session that is opened again has lost: runs, variables, and the rules that were in force.
pub(super) fn resumed(lost: &[BlockId], rules: usize) -> Notice {
    let kept = saving::not_kept(rules);
    match lost {
        [] => Notice::info(format!("{kept}: the kernel is new.")),
        [block] => Notice::warn(format!(
            "Block {block} ran when the session was closed: LOST. Nothing was rerun. {kept}."
        )),
        more => Notice::warn(format!(
            "{} ran when the session was closed: LOST. Nothing was rerun. {kept}.",
            counted(more.len(), "block")
        )),
    }
}
