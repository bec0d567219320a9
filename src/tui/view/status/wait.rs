//! Words that a block waits, or what the Code pane does meanwhile, with the keys that go on from here.

use super::row::RowText;
use crate::domain::{BlockId, Timestamp};
use crate::engine::State;
use crate::engine::always::START_DELAY_MS;
use crate::engine::approval::{Refusal, check};
use crate::engine::state::{Countdown, RuleMatch};
use crate::engine::transcript::BlockItem;
use crate::tui::action::Action;
use crate::tui::editing::vim::Mode as VimMode;
use crate::tui::guard::RefusalReason;
use crate::tui::keymap::Context;
use crate::tui::panes::code::Mode;
use crate::tui::screen::{Ctx, Screen};
use crate::tui::theme::Slot;
use crate::tui::widgets::layout::Pane;
use crate::tui::widgets::{safe, words};

/// That this block waits, in the shortest words.
pub(super) fn shortest_wait(screen: &Screen, state: &State, block: BlockId) -> String {
    let key = if screen.panes.focus == Pane::Code { ".".to_owned() } else { key_hint(screen, state) };
    format!("Block {block} waits{key}")
}

/// The row for a waiting block. While the session is not saved, it says why approving is paused.
pub(super) fn wait_row(screen: &Screen, ctx: Ctx<'_>) -> Option<RowText> {
    let block = ctx.state.waiting()?.block.id;
    let style = ctx.draw.style(Slot::BlockPending);
    // An open editor, and lists, say first how to leave them.
    let is_shown = screen.panes.focus != Pane::Code || matches!(screen.panes.code.mode, Mode::View);
    match ctx.state.unsaved().filter(|_| is_shown) {
        Some(why) => {
            let lead = shortest_wait(screen, ctx.state, block);
            Some(RowText { lead, text: safe::one_line(&why), style, is_marked: true })
        }
        None => wait(screen, ctx).map(|text| (text, style).into()),
    }
}

/// A waiting block, or what the Code pane does meanwhile.
pub(super) fn wait(screen: &Screen, ctx: Ctx<'_>) -> Option<String> {
    let state = ctx.state;
    let item = state.waiting()?;
    let block = item.block.id;
    if screen.panes.focus != Pane::Code {
        if let Some(matched) = screen.announced(state) {
            return Some(countdown(matched, &key(screen, state, Action::Stop, "stops it"), ctx.draw.now));
        }
        if let Some(matched) = unseen_match(screen, state) {
            let (rule, seconds) = (matched.rule, START_DELAY_MS / 1000);
            let key_hint = key_hint(screen, state);
            return Some(format!(
                "Rule {rule} covers block {block}, and starts it {seconds} s after it is shown{key_hint}"
            ));
        }
        return Some(format!("Block {block} waits{}", key_hint(screen, state)));
    }
    Some(match &screen.panes.code.mode {
        Mode::Edit(editor) => {
            let does = match editor.field.mode() {
                None | Some(VimMode::Normal) => "keeps the text and returns to review",
                Some(_) => "goes to normal mode, there back to the review",
            };
            format!("Editing. Nothing runs from here.{}", keys(screen, state, &[(Action::EditKeep, does)]))
        }
        Mode::Queue(_) => {
            let count = state.queue().count();
            let wait = if count == 1 { "waits" } else { "wait" };
            format!("{} {wait}. Deciding one never decides the next.", words::count(count, "block"))
        }
        Mode::Diff(_) => {
            let does = "goes on, then back to the block";
            format!("Block {block} waits.{}", keys(screen, state, &[(Action::Diff, does)]))
        }
        Mode::View if screen.panes.code.subject() != Some(block) => {
            let back = screen.keymap.hint(screen.keymap_context(state), Action::BlockPrevious);
            let does = if back.is_empty() { "goes to it".into() } else { format!("or {back} goes to it") };
            format!("Block {block} waits{}", key(screen, state, Action::BlockNext, &does))
        }
        Mode::View => review(screen, item, ctx),
    })
}

/// The rule that covers the waiting block, if no pane shows the block: the countdown runs only while it is visible.
pub(super) fn unseen_match<'a>(screen: &Screen, state: &'a State) -> Option<&'a RuleMatch> {
    let block = state.waiting()?.block.id;
    let matched = state.live.matched.as_ref().filter(|matched| matched.block == block)?;
    screen.arrangement.code.is_none().then_some(matched)
}

/// `: Ctrl-Y.`, the key that goes to the waiting block from here.
fn key_hint(screen: &Screen, state: &State) -> String {
    let context = screen.keymap_context(state);
    // From these panes the next pane is Code.
    let next = matches!(screen.panes.focus, Pane::Message | Pane::Chat) && screen.overlays.is_empty();
    let tab = screen.keymap.hint(context, Action::PaneNext);
    let key = screen.keymap.hint(context, Action::ToWaiting);
    match (key.is_empty(), next && !tab.is_empty()) {
        (false, _) => format!(": {key}."),
        (true, true) => format!(": {tab}."),
        (true, false) => ".".into(),
    }
}

/// ` e edits it, r rejects.`: keys with what they do here.
fn keys(screen: &Screen, state: &State, keys: &[(Action, &str)]) -> String {
    screen.keymap.hints(screen.keymap_context(state), (" ", ", ", "."), keys)
}

/// `: l chooses one.`, the one key that continues here.
fn key(screen: &Screen, state: &State, action: Action, does: &str) -> String {
    let hint = screen.keymap.hints(screen.keymap_context(state), (": ", "", "."), &[(action, does)]);
    if hint.is_empty() { ".".into() } else { hint }
}

/// In how many seconds, rounded up, a covered block starts, and the key that stops it.
fn countdown(matched: &RuleMatch, stop: &str, now: Timestamp) -> String {
    let seconds = match matched.countdown {
        Countdown::Since(since, _) => START_DELAY_MS.saturating_sub(now.since(since)).div_ceil(1000),
        Countdown::NotShown => START_DELAY_MS / 1000,
    };
    format!("Rule {} covers block {}. Starts in {seconds} s{stop}", matched.rule, matched.block)
}

fn review(screen: &Screen, item: &BlockItem, Ctx { state, draw, at }: Ctx<'_>) -> String {
    let block = item.block.id;
    match check(state, block, item.block.current().revision, true) {
        // The row says the first before anything else, and the rights say the second.
        Ok(()) | Err(Refusal::Unsaved(_) | Refusal::Impossible(..)) => {}
        Err(refusal) => return screen.approval_obstacle(state, &refusal),
    }
    if let Some(matched) = screen.announced(state) {
        return countdown(matched, &key(screen, state, Action::Skip, "stops it"), draw.now);
    }
    match screen.guard.approval_refusal(at) {
        // The time left is in the title.
        Some(RefusalReason::Appeared { block, .. }) => {
            RefusalReason::Appeared { block, left: None }.to_string()
        }
        Some(RefusalReason::Unseen { lines }) => unseen(screen, block, lines),
        _ => format!("Block {block} waits."),
    }
}

pub(super) fn unseen(screen: &Screen, block: BlockId, lines: usize) -> String {
    let lines = words::count(lines, "line");
    let page = screen.keymap.hint(Context::Review, Action::ScrollPageDown);
    let page = if page.is_empty() { page } else { format!(": {page}") };
    format!("Block {block} waits. {lines} not shown yet{page}. Approve is locked until then.")
}
