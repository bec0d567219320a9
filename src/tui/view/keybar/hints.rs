//! Which keys the key bar offers where, most important first.

use crate::domain::Review;
use crate::engine::state::Question;
use crate::engine::transcript::{BlockStatus, RunItem};
use crate::engine::{Phase, State, rules};
use crate::tui::action::Action;
use crate::tui::editing::vim::Mode as VimMode;
use crate::tui::keymap::Context;
use crate::tui::panes::code::Mode;
use crate::tui::panes::output;
use crate::tui::problem_keys::{FailureKey, failure_keys, question_keys};
use crate::tui::screen::{Ctx, Screen, has_failed};
use crate::tui::widgets::hints::{Hint, Hints};
use crate::tui::widgets::layout::Pane;

pub(super) fn hints(screen: &Screen, ctx: Ctx<'_>) -> Vec<Hint> {
    let state = ctx.state;
    let context = screen.keymap_context(state);
    let mut hints = Hints::new(&screen.keymap, context);
    if screen.forwards_keys() {
        // Every other key is sent to the program.
        hints.key(Action::ForwardKeys, "take the keys back", "keys back", 0);
        return hints.list;
    }
    if let Some(overlay) = screen.overlays.last() {
        overlay.hints(screen.overlay_context(ctx), &mut hints);
        return hints.list;
    }
    match context {
        Context::Message => of_message(screen, state, &mut hints),
        Context::Review => of_review(screen, state, &mut hints),
        Context::Edit => {
            let other = match &screen.panes.code.mode {
                Mode::Edit(editor) => editor.field.mode().is_some_and(|mode| mode != VimMode::Normal),
                _ => false,
            };
            let esc = if other { "normal mode" } else { "keep and review" };
            hints
                .word(Action::EditKeep, esc, 0)
                .key(Action::TextEditor, "open in $EDITOR", "$EDITOR", 2)
                .word(Action::TextUndo, "undo", 1)
                .word(Action::TextRedo, "redo", 3)
                .word(Action::TextFind, "find", 3);
        }
        Context::Queue => {
            if state.waiting().is_some() {
                hints.word(Action::ListAccept, "show block", 0).plain("[ ]", "prev/next", 2);
                hints.word(Action::QueueSkipAll, "skip all (asks)", 1);
            }
            hints.word(Action::Back, "back", 0).word(Action::Help, "more", 0);
        }
        Context::Problems => of_problems(state, &mut hints),
        Context::Vars => {
            hints
                .word(Action::VarsInspect, "inspect", 0)
                .word(Action::VarsSort, "sort", 1)
                .word(Action::Copy, "copy name", 2)
                .word(Action::Vars, "output", 1)
                .word(Action::Back, "back", 0);
        }
        _ => of_pane(screen, state, &mut hints),
    }
    hints.list
}

fn of_message(screen: &Screen, state: &State, hints: &mut Hints<'_>) {
    let busy = !matches!(state.phase, Phase::Idle | Phase::Stuck(_));
    // An empty message is not sent.
    if !screen.panes.composer.is_empty() {
        let send = if busy { "queue message" } else { "send" };
        hints.word(Action::MessageSend, send, 0).word(Action::TextNewline, "newline", 2);
    }
    if state.live.run.is_some() {
        hints.word(Action::Stop, "interrupt", 1);
    } else if state.live.summary.is_some() {
        hints.key(Action::Stop, "stop summing up", "stop", 1);
    } else if let Some(reply) = &state.live.reply {
        let what = if reply.has_left() { "stop answer" } else { "stop waiting" };
        hints.word(Action::Stop, what, 1);
    } else {
        hints.plain("/", "commands", 2);
    }
    if state.waiting().is_some() {
        hints.key(Action::ToWaiting, "the block that waits", "the block", 1);
    }
    if screen.suggestion(state).is_some() {
        hints.key(Action::PaneNext, "take the prompt", "take it", 0).word(Action::TextDown, "another", 1);
    } else if matches!(state.phase, Phase::Asking(Question::Form(_))) {
        hints.key(Action::PaneNext, "open the form", "the form", 0);
    } else if matches!(state.phase, Phase::Stuck(_) | Phase::Asking(_)) {
        hints.key(Action::PaneNext, "what can be done", "what to do", 0);
    } else {
        hints.word(Action::PaneNext, "panes", 1);
    }
    hints.word(Action::Help, "help", 0);
    if !busy {
        hints.word(Action::Stop, "twice quit", 3);
    }
}

fn of_review(screen: &Screen, state: &State, hints: &mut Hints<'_>) {
    if screen.announced(state).is_some() {
        hints
            .key(Action::Skip, "stop it: wait for me", "stop it", 0)
            .key(Action::Approve, "approve once", "approve", 1)
            .word(Action::Edit, "edit", 1)
            .key(Action::Reject, "reject+reason", "reject", 1)
            .word(Action::Help, "more", 0);
        return;
    }
    if matches!(screen.panes.code.mode, Mode::Diff(_)) {
        hints.word(Action::Diff, "next view", 0).key(Action::Back, "back to the block", "back", 0);
        hints.word(Action::Help, "more", 0);
        return;
    }
    if !review(state).is_some_and(Review::forbidden) {
        hints.key(Action::Approve, "approve once", "approve", 0);
    }
    hints.word(Action::Edit, "edit", 0).key(Action::Reject, "reject+reason", "reject", 0);
    hints.word(Action::Skip, "skip", 1);
    if screen.panes.code.has_diff(state) {
        hints.word(Action::Diff, "diff", 2);
    }
    if offers_always(state) {
        hints.key(Action::Always, "always...", "always", 2);
    }
    if let Some(is_dropped) = screen.panes.code.is_hunk_dropped() {
        let (label, short) = if is_dropped { ("keep hunk", "keep") } else { ("drop hunk", "drop") };
        hints.word(Action::HunkNext, "hunk", 1).key(Action::HunkDrop, label, short, 1);
    }
    if screen.panes.code.has_findings() {
        hints.word(Action::FindingNext, "finding", 2);
    }
    if screen.panes.code.scrolls() {
        hints.word(Action::ScrollPageDown, "page", 3);
    }
    // Words of the block came from outside.
    if review(state).is_some_and(|review| !review.traces.is_empty()) {
        hints.word(Action::Provenance, "from where", 1);
    }
    hints.word(Action::Help, "more", 0);
}

/// Whether a rule may cover the waiting block; otherwise the key is not offered.
fn offers_always(state: &State) -> bool {
    let Some(block) = state.waiting().map(|item| item.block.id) else { return false };
    // A block that takes a typed word each time is never covered by a rule.
    let is_plain = review(state).is_some_and(|review| !review.needs_typed_word() && !review.forbidden());
    is_plain && rules::is_offered(state, block)
}

/// The review of the waiting block.
fn review(state: &State) -> Option<&Review> {
    Some(&state.inspected(state.waiting()?.block.id)?.review)
}

fn of_problems(state: &State, hints: &mut Hints<'_>) {
    match &state.phase {
        Phase::Asking(question) => {
            for (key, does) in question_keys(question) {
                hints.plain(key, does, 0);
            }
        }
        Phase::Stuck(failure) => {
            for (rank, (way, label)) in (0..).zip(failure_keys(failure.kind)) {
                match way {
                    FailureKey::Action(action) => hints.word(*action, label, rank),
                    FailureKey::Letter(letter) => hints.plain(letter, label, rank),
                };
            }
        }
        // For a session that is only read, trying again cannot save anything.
        _ if state.live.reads_only => {}
        _ => {
            hints.word(Action::ProblemRetry, "retry", 0);
        }
    }
    hints.key(Action::Back, "keep message and go back", "back", 0);
}

fn of_pane(screen: &Screen, state: &State, hints: &mut Hints<'_>) {
    if state.live.run.is_some() {
        hints.word(Action::Stop, "interrupt", 0);
        // The conversation names this key itself.
        if screen.panes.focus != Pane::Chat {
            hints.word(Action::ScrollEnd, "follow", 2);
        }
    } else if screen.panes.focus == Pane::Output {
        of_output(screen, state, hints);
    }
    if screen.panes.focus == Pane::Chat {
        of_chat(screen, hints);
    }
    hints.word(Action::SearchStart, "search", 3).word(Action::Copy, "copy", 2);
    let settled = matches!(screen.panes.focus, Pane::Code | Pane::Output) && state.can_reopen_block();
    if settled && screen.block_on_screen(state).is_some_and(|item| item.status != BlockStatus::Open) {
        hints.word(Action::ReopenBlock, "review again", 2);
    }
    hints.word(Action::MessageFocus, "message", 1).word(Action::PaneNext, "panes", 1);
    hints.word(Action::Help, "help", 0);
}

/// The keys for the run in the output.
fn of_output(screen: &Screen, state: &State, hints: &mut Hints<'_>) {
    let run = screen.panes.output.run(state).map(|(_, run)| run);
    if run.is_some_and(has_failed) && screen.setup.recipes.iter().any(|card| card.name == "debug") {
        hints.word(Action::Debug, "debug it", 0);
    }
    let has_record = |run: &RunItem| run.undo().is_some_and(|undo| undo.record.is_some());
    if run.is_some_and(|run| run.can_be_taken_back() || has_record(run)) {
        hints.word(Action::TakeBack, "take back", 0);
    }
    match screen.panes.output.table_goes_on() {
        Some(true) => drop(hints.key(Action::TableRight, "more columns", "columns", 0)),
        Some(false) => drop(hints.key(Action::TableLeft, "more columns", "columns", 0)),
        None => {}
    }
    let has_images = !screen.panes.output.images(state).is_empty();
    if has_images {
        if screen.panes.output.shows_image() {
            hints.word(Action::OutputImage, "back", 0);
            let (previous, next) = screen.panes.output.image_neighbours(state);
            if next {
                hints.key(Action::ScrollDown, "next image", "next", 0);
            }
            if previous {
                hints.key(Action::ScrollUp, "previous image", "previous", 0);
            }
        } else {
            hints.key(Action::OutputImage, "image alone", "image", 0);
        }
    }
    let can_open = screen.panes.output.image(state).is_some_and(|image| image.mime != output::SVG);
    if has_images && can_open {
        hints.word(Action::OutputOpen, "open image", 0);
    }
    // With several images on screen, "it" would be ambiguous.
    let is_one = screen.panes.output.shows_image() || screen.panes.output.images(state).len() == 1;
    match screen.panes.output.unsaved(state).len() {
        0 => {}
        1 if is_one => drop(hints.word(Action::OutputWrite, "save it", 1)),
        1 => drop(hints.key(Action::OutputWrite, "save image", "save", 1)),
        _ => drop(hints.key(Action::OutputWrite, "save images", "save", 1)),
    }
    if screen.panes.output.printed_lines() != Some(0) {
        hints.word(Action::OutputPager, "all output", 1 + u8::from(has_images));
    }
}

fn of_chat(screen: &Screen, hints: &mut Hints<'_>) {
    if screen.panes.chat.marked_block().is_some() {
        hints.word(Action::BlockOpen, "show block", 0);
    }
    hints.word(Action::ScrollEnd, "follow", 1).word(Action::BlockBranch, "branch", 3);
}
