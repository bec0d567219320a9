//! Words the engine's messages to the person: what happened, then what to press.

use super::changes;
use super::kernels;
use super::run_comparison::Difference;
use super::state::{LiveRun, Question};
use crate::domain::FileChange;
use crate::domain::sentences::{running, saving, sending};
use crate::domain::{
    AnswerError, Block, BlockId, ExecutorKind, FinishReason, KernelFate, KernelRef, Language, ModelName,
    Notice, Outcome, ReplyFailure, Review, RuleId, RunReport, SessionNameError, Severity, Terms, UndoKind,
};
use crate::text::line::one_line;
use crate::text::names::{and_more, first_names};
use crate::text::number::{counted, dollars, duration, limit};
use std::collections::BTreeMap;

const MAX_LINE_CHARS: usize = 60;

pub(super) fn queued() -> Notice {
    Notice::info(sending::QUEUED)
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
    Notice::warn(format!(
        "The reply ended early: it may not be whole. {what} skipped; /rerun {which} puts it back."
    ))
}

pub(super) fn empty_reply() -> Notice {
    Notice::warn("The model answered with nothing. Ask again in other words, or take another model: /model.")
}

pub(super) fn model(model: &ModelName) -> Notice {
    Notice::info(format!("Replies come from {} from here on.", one_line(&model.to_string())))
}

pub(super) fn same_model(model: &ModelName) -> Notice {
    Notice::info(format!("Replies come from {} already.", one_line(&model.to_string())))
}

pub(super) fn no_tools(model: &ModelName) -> Notice {
    let name = match model.model.as_str() {
        "" => "This model".into(),
        _ => one_line(&model.to_string()),
    };
    Notice::info(format!("{name} takes no tools: it is asked for fenced blocks instead."))
}

pub(super) fn call_refused(why: &str) -> Notice {
    Notice::warn(format!("A tool call came to no block: {}. The model is told.", one_line(why)))
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

pub(super) fn unchanged(block: BlockId) -> Notice {
    Notice::info(format!("Block {block} is unchanged."))
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

pub(super) fn interrupt_sent(terms: Option<&Terms>) -> Notice {
    Notice::info(sending::interrupt(terms))
}

pub(super) fn kill_asked(block: BlockId, kernel: Option<(Language, KernelRef)>) -> Notice {
    Notice::warn(match kernel {
        Some((language, kernel)) => kernels::kill_asked(&language, kernel),
        None => format!("Kill block {block}? k kill  Enter wait"),
    })
}

/// Nothing is undone while a run goes on.
pub(super) fn not_while_a_run_goes_on() -> Notice {
    Notice::warn("A run goes on: what it did can be taken back once it has ended.")
}

pub(super) fn nothing_to_take_back(block: BlockId) -> Notice {
    Notice::info(format!(
        "There is nothing of block {block} to take back: it changed no name that programs obey by themselves."
    ))
}

/// Nothing is undone in a session that another installation wrote.
pub(super) fn foreign_is_not_taken_back() -> Notice {
    Notice::warn("This session is foreign: nothing that it tells of is taken back.")
}

/// Nothing is undone in a session opened for reading only: as it can't be recorded, whoever has the session open would
/// take it for the work of a run.
pub(super) fn reading_only_takes_nothing_back() -> Notice {
    Notice::warn(crate::domain::sentences::undo::READING_ONLY)
}

pub(super) fn no_record() -> Notice {
    Notice::info("Nothing is known of changes of this run that could be taken back.")
}

const MAX_FILES_SHOWN: usize = 3;

pub(super) fn taken_back(block: BlockId, files: &[String], kind: UndoKind) -> Notice {
    let files = one_line(&first_names(files, MAX_FILES_SHOWN));
    Notice::info(match kind {
        UndoKind::Undo => format!("Block {block}: taken back: {files}."),
        UndoKind::Redo => format!("Block {block}: made again: {files}."),
    })
}

/// Some changes could not be undone or redone.
pub(super) fn not_taken_back(block: BlockId, done: &[String], kind: UndoKind, why: &str) -> Notice {
    let (files, why) = (one_line(&first_names(done, MAX_FILES_SHOWN)), one_line(why));
    Notice::warn(match (done.is_empty(), kind) {
        (true, UndoKind::Undo) => format!("Block {block}: nothing was taken back: {why}."),
        (true, UndoKind::Redo) => format!("Block {block}: nothing was made again: {why}."),
        (false, UndoKind::Undo) => format!("Taken back: {files}. Not {why}."),
        (false, UndoKind::Redo) => format!("Made again: {files}. Not {why}."),
    })
}

/// Something other than a run changed files that programs obey by themselves.
pub(super) fn changed_meanwhile(changes: &[FileChange]) -> Option<Notice> {
    let first = changes.first()?;
    let more = and_more(changes.len() - 1);
    let path = one_line(&first.path);
    Some(Notice::info(format!(
        "Since the last run {path}{more} was {}, by no block of this session.",
        first.change
    )))
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

/// How a run in this language ended.
pub(super) fn ended(run: &LiveRun, language: &Language, report: &RunReport) -> Notice {
    let block = run.block;
    let time = duration(report.receipt.wall_us / 1000);
    let exit = report.receipt.exit_code.map(|code| format!("exit {code}, ")).unwrap_or_default();
    let why = one_line(report.outcome.detail().unwrap_or_default().trim_end_matches('.'));
    let text = match &report.outcome {
        Outcome::Ok => format!("Block {block} done: {exit}{time}."),
        Outcome::Failed => format!("Block {block} failed: {exit}{time}. The error is in Output."),
        Outcome::Crashed(cause) => match report.kernel {
            KernelFate::Lost(kernel) => return kernel_died(Some(kernel), language, cause),
            _ => format!("Block {block} died: {why}."),
        },
        Outcome::TimedOut => format!("Stopped at the {} limit.", limit(run.wall_ms)),
        Outcome::Limit(_) => format!("Stopped at a limit: {why}."),
        Outcome::Interrupted => format!("Block {block} interrupted after {time}."),
        Outcome::Refused(_) => running::refused(block, &why),
        Outcome::NotStarted(_) => {
            format!("Block {block} did not start: {why}. Nothing ran. It can be put back for review.")
        }
    };
    match report.kernel {
        KernelFate::Lost(kernel) => {
            let (name, lost) =
                (kernels::name(language, kernel), kernels::lost([(language, &kernel)], (": ", "")));
            Notice::warn(format!("{text} Kernel {name} is gone{lost}."))
        }
        _ if report.outcome == Outcome::Ok => Notice::info(text),
        _ => Notice::warn(text),
    }
}

/// A kernel ended by itself. The consequence comes before the cause, which can be longer than a row.
pub(super) fn kernel_died(kernel: Option<KernelRef>, language: &Language, cause: &str) -> Notice {
    let cause = one_line(cause.trim_end().trim_end_matches('.'));
    let which = match kernel {
        Some(kernel) => format!("Kernel {}", kernels::name(language, kernel)),
        None => format!("The kernel{}", kernels::of(language)),
    };
    let lost = kernels::lost(kernel.iter().map(|kernel| (language, kernel)), (", ", ""));
    Notice::error(format!("{which} died{lost}, nothing was rerun: {cause}."))
}

pub(super) fn restart_refused() -> Notice {
    Notice::warn("A block runs: Ctrl-C interrupts it, then the kernel can be restarted.")
}

pub(super) fn files_not_now() -> Notice {
    Notice::warn("Files are run between turns: end this one first.")
}

/// A command was typed while a turn goes on.
pub(super) fn queued_command() -> Notice {
    Notice::info("Queued. It waits for your decision when this turn ends.")
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

/// Something is not as it was when the person approved the block: it is asked about again.
pub(super) fn asked_again(block: BlockId, why: &str) -> Notice {
    Notice::warn(running::asked_again(block, &one_line(why)))
}

pub(super) fn no_rebuild() -> Notice {
    Notice::warn("A kernel is rebuilt between turns.")
}

pub(super) fn nothing_to_rebuild() -> Notice {
    Notice::info("Nothing ran in an earlier kernel that could be run again.")
}

pub(super) fn rebuilt(blocks: usize, gap: Option<&str>) -> Notice {
    let gap = gap.map(|gap| format!(" Not all was compared: {gap}.")).unwrap_or_default();
    Notice::info(format!("The kernel is rebuilt: {} ran again.{gap}", counted(blocks, "block")))
}

pub(super) fn rebuild_broke(block: BlockId, left: usize) -> Notice {
    Notice::warn(format!("Block {block} did not end well: {} not run again.", counted(left, "block")))
}

pub(super) fn rebuild_elsewhere(block: BlockId, left: usize) -> Notice {
    let left = counted(left, "block");
    Notice::warn(format!("Block {block} ran in another kernel than those before it: {left} not run again."))
}

pub(super) fn rebuild_differs(block: BlockId, difference: &Difference, left: usize) -> Notice {
    Notice::warn(format!("{}{}", differs(block, difference), not_again(left)))
}

/// The line in the output of a run that is ended because of a difference.
pub(super) fn run_ends_at(block: BlockId, difference: &Difference) -> String {
    format!("{} The run was ended here.", differs(block, difference))
}

fn differs(block: BlockId, difference: &Difference) -> String {
    let text = |of: &Option<String>| match of {
        Some(text) => one_line(&text.chars().take(MAX_LINE_CHARS).collect::<String>()),
        None => "nothing".into(),
    };
    let (then, now) = (text(&difference.then), text(&difference.now));
    format!("Block {block} differs in {}: then {then}; now {now}.", difference.describe_place())
}

pub(super) fn rebuild_unread(block: BlockId, left: usize) -> Notice {
    let left = not_again(left);
    Notice::warn(format!(
        "Block {block} ran, and was not compared: what it printed before was not read again.{left}"
    ))
}

fn not_again(left: usize) -> String {
    match left {
        0 => String::new(),
        left => format!(" {} not run again.", counted(left, "block")),
    }
}

pub(super) fn restarted(ended: &BTreeMap<Language, KernelRef>) -> Notice {
    if ended.is_empty() {
        return Notice::info("The next block starts a new kernel.");
    }
    let (names, lost) = (kernels::names(ended), kernels::lost(ended, (": ", "")));
    Notice::info(format!("Kernel {names} ended{lost}. Nothing was rerun."))
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
