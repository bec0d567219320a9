//! Words the messages about the end of runs and kernels: asked for by the person, or by itself.

use crate::domain::sentences::{running, sending};
use crate::domain::{BlockId, KernelFate, KernelRef, Language, Notice, Outcome, RunReport, Terms};
use crate::engine::kernels;
use crate::engine::state::LiveRun;
use crate::text::line::one_line;
use crate::text::number::{duration, limit};
use std::collections::BTreeMap;

pub(in crate::engine) fn interrupt_sent(terms: Option<&Terms>) -> Notice {
    Notice::info(sending::interrupt(terms))
}

pub(in crate::engine) fn kill_asked(block: BlockId, kernel: Option<(Language, KernelRef)>) -> Notice {
    Notice::warn(match kernel {
        Some((language, kernel)) => kernels::kill_asked(&language, kernel),
        None => format!("Kill block {block}? k kill  Enter wait"),
    })
}

/// How a run in this language ended.
pub(in crate::engine) fn ended(run: &LiveRun, language: &Language, report: &RunReport) -> Notice {
    let block = run.block;
    let time = duration(report.receipt.wall_us / 1000);
    let exit = report.receipt.exit_code.map(|code| format!("exit {code}, ")).unwrap_or_default();
    let why = one_line(report.outcome.detail().unwrap_or_default().trim_end_matches('.'));
    let pane = if report.outcome == Outcome::Failed { running::ERROR_IN_OUTPUT } else { "" };
    let text = match &report.outcome {
        Outcome::Ok => format!("Block {block} done: {exit}{time}."),
        Outcome::Failed => format!("Block {block} failed: {exit}{time}."),
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
            let gone = format!(" Kernel {name} is gone{lost}.");
            Notice::warn(format!("{text}{pane}{gone}")).headless(format!("{text}{gone}"))
        }
        _ if report.outcome == Outcome::Ok => Notice::info(text),
        _ => Notice::warn(format!("{text}{pane}")).headless(text),
    }
}

/// A kernel ended by itself. The consequence comes before the cause, which can be longer than a row.
pub(in crate::engine) fn kernel_died(kernel: Option<KernelRef>, language: &Language, cause: &str) -> Notice {
    let cause = one_line(cause.trim_end().trim_end_matches('.'));
    let which = match kernel {
        Some(kernel) => format!("Kernel {}", kernels::name(language, kernel)),
        None => format!("The kernel{}", kernels::of(language)),
    };
    let lost = kernels::lost(kernel.iter().map(|kernel| (language, kernel)), (", ", ""));
    Notice::error(format!("{which} died{lost}, nothing was rerun: {cause}."))
}

pub(in crate::engine) fn restart_refused() -> Notice {
    Notice::warn("A block runs: Ctrl-C interrupts it, then the kernel can be restarted.")
}

/// Something is not as it was when the person approved the block: it is asked about again.
pub(in crate::engine) fn asked_again(block: BlockId, why: &str) -> Notice {
    Notice::warn(running::asked_again(block, &one_line(why)))
}

pub(in crate::engine) fn restarted(ended: &BTreeMap<Language, KernelRef>) -> Notice {
    if ended.is_empty() {
        return Notice::info("The next block starts a new kernel.");
    }
    let (names, lost) = (kernels::names(ended), kernels::lost(ended, (": ", "")));
    Notice::info(format!("Kernel {names} ended{lost}. Nothing was rerun."))
}
