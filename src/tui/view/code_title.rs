//! The title of the code pane.

use crate::domain::Readiness;
use crate::engine::BlockState;
use crate::engine::transcript::{BlockItem, BlockStatus};
use crate::tui::action::Action;
use crate::tui::guard::{RefusalReason, Seconds, Verb};
use crate::tui::keymap::Context;
use crate::tui::panes::code::{Mode, PaneSubject, subject};
use crate::tui::screen::{Ctx, Screen};
use crate::tui::widgets::frame::Title;
use crate::tui::widgets::layout::Pane;
use crate::tui::widgets::{safe, words};
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation as _;

/// Which block, its state, what is locked.
pub(super) fn title(screen: &Screen, ctx: Ctx<'_>) -> Title {
    let Ctx { state, draw, .. } = ctx;
    let pane = &screen.panes.code;
    let waiting = state.queue().count();
    let (left, right, style) = match (subject(pane, state), &pane.mode) {
        (_, Mode::Queue(_)) => {
            (format!("Blocks waiting {waiting}"), "list: no approve here".to_owned(), None)
        }
        (PaneSubject::Nothing, _) => ("Code".into(), String::new(), None),
        (PaneSubject::Writing(id, proposed), _) => {
            let language = proposed.language.as_ref().map_or("text", |l| l.as_str());
            let style = Some(draw.block(BlockState::Writing));
            (format!("Block {id} {language}: WRITING"), "not runnable yet".into(), style)
        }
        (PaneSubject::Block(item), Mode::Edit(editor)) => {
            let at = editor.field.cursor();
            let before =
                editor.field.lines().get(at.line).and_then(|line| line.get(..at.byte)).unwrap_or_default();
            let column = before.graphemes(true).count() + 1;
            let mode = editor.field.mode().map(|mode| format!(" {}", mode.word())).unwrap_or_default();
            let left = format!("Block {} {}: EDITING{mode}", item.block.id, words::language_of(item));
            (left, format!("line {} col {column}", at.line + 1), Some(draw.block(BlockState::Edited)))
        }
        (PaneSubject::Block(item), Mode::Diff(_)) => (
            format!("Block {} {}: CHANGES", item.block.id, words::language_of(item)),
            draw.keymap.hints(Context::Review, ("", "", ""), &[(Action::Diff, "goes on")]),
            None,
        ),
        (PaneSubject::Block(item), Mode::View) => of_block(screen, item, ctx),
    };
    Title { left, right, focused: screen.panes.focus == Pane::Code, style }
}

fn of_block(screen: &Screen, item: &BlockItem, ctx: Ctx<'_>) -> (String, String, Option<Style>) {
    let Ctx { state, draw, .. } = ctx;
    let block_state = state.block_state(item);
    let (id, language) = (item.block.id, words::language_of(item));
    let style = Some(draw.block(block_state));
    if item.status == BlockStatus::Open {
        let lines = words::count(words::line_count(&item.block.current().source), "line");
        let left = match item.block.origin.note.as_deref().filter(|_| item.block.is_own()) {
            Some(note) => {
                let note = safe::cut(&safe::one_line(note), 44);
                format!("Block {id} {language} {lines}: {block_state}, {note}")
            }
            None => format!("Block {id} {language} {lines}: {block_state}"),
        };
        let right = match (block_state, screen.announced(state)) {
            (BlockState::Queued, _) => "waits behind another block".into(),
            (_, Some(matched)) => format!("rule {} starts it", matched.rule),
            (_, None) => lock(screen, item, ctx),
        };
        return (left, right, style);
    }
    let run = item.runs.last();
    let rule = run.and_then(|run| run.by.rule()).map(|rule| format!("rule {rule}"));
    let right = match (block_state, run) {
        (BlockState::Running, Some(run)) => {
            let by = rule.map_or_else(|| "approved".to_owned(), |rule| rule + " ");
            format!("{by} {}", draw.locale.second(run.approved_at))
        }
        (BlockState::Rejected | BlockState::Declined | BlockState::Skipped, _) => "not run".into(),
        _ => rule.unwrap_or_default(),
    };
    (format!("Block {id} {language}: {block_state}"), right, style)
}

/// `seen 11/24  a locked`; `seen 24/24, 2 rows not  a locked` for unseen rows of rights and findings. The quiet time
/// locks letters only: the key that goes to the block approves without it.
fn lock(screen: &Screen, item: &BlockItem, Ctx { state, draw, at }: Ctx<'_>) -> String {
    if state.inspected(item.block.id).is_none() {
        return "checking".into();
    }
    let approve = |word| draw.keymap.hints(Context::Review, ("", "", ""), &[(Action::Approve, word)]);
    let guard = &screen.guard;
    let (seen, of) = guard.seen_lines();
    let locked = match guard.decision_refusal(Verb::Reject, at) {
        Some(RefusalReason::Appeared { left: Some(left), .. } | RefusalReason::Quiet { left }) => {
            format!("letters locked {}", Seconds(left))
        }
        Some(_) => "all keys locked".into(),
        None if state.inspected(item.block.id).is_some_and(|i| i.review.forbidden()) => approve("DENIED"),
        None if guard.approval_refusal(at).is_some() || item.block.readiness() != Readiness::Ready => {
            approve("locked")
        }
        None if screen.in_review(state) => "keys open".into(),
        // Outside of the review, letters are text or do something else.
        None => String::new(),
    };
    let others = if seen == of { guard.rows().unseen_count() } else { 0 };
    let others = if others > 0 { format!(", {} not", words::count(others, "row")) } else { String::new() };
    format!("seen {seen}/{of}{others}  {locked}").trim_end().to_owned()
}
