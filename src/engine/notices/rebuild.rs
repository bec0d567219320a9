//! Words the messages about running blocks again in a new kernel: what is compared, and why that ends early.

use crate::domain::{BlockId, Notice};
use crate::engine::run_comparison::Difference;
use crate::text::line::one_line;
use crate::text::number::counted;

const MAX_LINE_CHARS: usize = 60;

pub(in crate::engine) fn no_rebuild() -> Notice {
    Notice::warn("A kernel is rebuilt between turns.")
}

pub(in crate::engine) fn nothing_to_rebuild() -> Notice {
    Notice::info("Nothing ran in an earlier kernel that could be run again.")
}

pub(in crate::engine) fn rebuilt(blocks: usize, gap: Option<&str>) -> Notice {
    let gap = gap.map(|gap| format!(" Not all was compared: {gap}.")).unwrap_or_default();
    Notice::info(format!("The kernel is rebuilt: {} ran again.{gap}", counted(blocks, "block")))
}

pub(in crate::engine) fn rebuild_broke(block: BlockId, left: usize) -> Notice {
    Notice::warn(format!("Block {block} did not end well: {} not run again.", counted(left, "block")))
}

pub(in crate::engine) fn rebuild_elsewhere(block: BlockId, left: usize) -> Notice {
    let left = counted(left, "block");
    Notice::warn(format!("Block {block} ran in another kernel than those before it: {left} not run again."))
}

pub(in crate::engine) fn rebuild_differs(block: BlockId, difference: &Difference, left: usize) -> Notice {
    Notice::warn(format!("{}{}", differs(block, difference), not_again(left)))
}

/// The line in the output of a run that is ended because of a difference.
pub(in crate::engine) fn run_ends_at(block: BlockId, difference: &Difference) -> String {
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

pub(in crate::engine) fn rebuild_unread(block: BlockId, left: usize) -> Notice {
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
