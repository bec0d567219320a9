//! The status row. By precedence: a waiting block, a problem, a run, a reply, a result, idle. Anything else follows
//! the wait; only a note that has no room behind it takes its place, until the next key.

mod row;

use super::header::sandbox_is_off;
use super::problems;
use crate::domain::sentences::saving::SavingState;
use crate::domain::sentences::{running, sandbox};
use crate::domain::{BlockId, Level, Timestamp};
use crate::engine::always::START_DELAY_MS;
use crate::engine::approval::{Refusal, check};
use crate::engine::state::{Countdown, RuleMatch};
use crate::engine::transcript::{BlockItem, BlockStatus};
use crate::engine::{Phase, State};
use crate::tui::action::Action;
use crate::tui::editing::vim::Mode as VimMode;
use crate::tui::guard::RefusalReason;
use crate::tui::keymap::Context;
use crate::tui::note::{NO_BLOCK_WAITS, Note};
use crate::tui::overlays::welcome::source_text;
use crate::tui::paint::canvas::Canvas;
use crate::tui::panes::code::Mode;
use crate::tui::screen::Screen;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::layout::{Pane, SizeClass};
use crate::tui::widgets::safe;
use crate::tui::widgets::words;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use row::RowText;
use std::time::Instant;
use unicode_width::UnicodeWidthStr;

/// What the window shows when it is too small for anything else.
pub(crate) const TOO_SMALL: &str =
    "Window too small: 50x12 needed. Decisions are locked. sayso --plain works in a smaller one.";

pub(crate) fn draw(screen: &Screen, state: &State, now: Instant, buf: &mut Canvas, draw: DrawContext<'_>) {
    let area = screen.arrangement.status;
    let row = row(screen, state, now, draw);
    let is_off = sandbox_is_off(state) && screen.overlays.is_empty();
    let mark = if is_off { sandbox::OFF_MARK.width() + 3 } else { 0 };
    let room = usize::from(area.width.saturating_sub(1)).saturating_sub(mark);
    let mut spans = vec![Span::raw(" "), Span::styled(row.fitted(room), row.style)];
    if is_off {
        spans.push(Span::styled(format!("   {}", sandbox::OFF_MARK), draw.style(Slot::SandboxOff)));
    }
    buf.set_line(area.x, area.y, &Line::from(spans), area.width);
}

/// The text of the row, and its style.
fn row(screen: &Screen, state: &State, now: Instant, draw: DrawContext<'_>) -> RowText {
    if screen.arrangement.class == SizeClass::TooSmall {
        return (TOO_SMALL.to_owned(), draw.style(Slot::StatusWarn)).into();
    }
    if let Some(words) = screen.forwarding_words(state).filter(|_| screen.forwards_keys()) {
        return (words, draw.style(Slot::StatusWarn)).into();
    }
    if let Some(action) = screen.guard.held_action() {
        let of = match state.waiting() {
            Some(item) if screen.overlays.is_empty() && screen.panes.focus == Pane::Code => {
                format!("Block {}: ", item.block.id)
            }
            _ => String::new(),
        };
        let text = format!("{of}{}, any letter takes it back", action.words());
        return (text, draw.style(Slot::BlockPending)).into();
    }
    if let Some(text) = screen.overlays.last().and_then(|top| top.status(screen.overlay_context(state, draw)))
    {
        let note = screen.note.as_ref().filter(|note| note.explains_only().is_none());
        return match note {
            Some(note) => RowText::from((note_words(note, screen, state), level(note.level, draw))).marked(),
            None => (text, draw.style(Slot::StatusInfo)).into(),
        };
    }
    match screen.note.as_ref().filter(|note| !is_outranked(note, screen, state, now)) {
        Some(note) => note_row(note, screen, state, now, draw),
        None => wait_row(screen, state, now, draw).unwrap_or_else(|| going_on(screen, state, draw).into()),
    }
}

/// ` e edits it, r rejects.`: keys with what they do here.
fn keys(screen: &Screen, state: &State, keys: &[(Action, &str)]) -> String {
    screen.keymap.hints(screen.keymap_context(state), (" ", ", ", "."), keys)
}

/// `: l chooses one.`, the one key that continues here.
fn key(screen: &Screen, state: &State, action: Action, does: &str) -> String {
    let told = screen.keymap.hints(screen.keymap_context(state), (": ", "", "."), &[(action, does)]);
    if told.is_empty() { ".".into() } else { told }
}

/// Whether something more urgent has to replace this note.
fn is_outranked(note: &Note, screen: &Screen, state: &State, now: Instant) -> bool {
    let goes_on = state.live.run.is_some() || state.live.reply.is_some();
    let asks = state.terminal().is_some() && state.live.run.as_ref().is_some_and(|run| run.asks);
    let waiting = state.waiting().map(|item| item.block.id);
    goes_on && note.is_stale(now)
        || asks && note.level == Level::Info
        || note.text == NO_BLOCK_WAITS && waiting.is_some()
        || note.explains_only().is_some() && (note.explains_only() != waiting || !screen.overlays.is_empty())
        || note.about_lock && !is_locked_for_a_time(screen, now)
}

/// The words of a note. What it says about a key that approves is what the key does now.
fn note_words(note: &Note, screen: &Screen, state: &State) -> String {
    // Over an open overlay that key does nothing.
    let waiting = state.waiting().filter(|_| screen.overlays.is_empty());
    // The row itself says what is hidden if the note says nothing else.
    let is_hidden = note.explains_only().is_none() && screen.guard.rows().has_hidden();
    let hint = note.approving.as_ref().zip(waiting);
    let hint = hint.filter(|(hint, item)| !is_hidden && hint.block == item.block.id);
    let told = hint.map(|(hint, item)| {
        obstacle(screen, state, item).unwrap_or_else(|| hint.sentence(state.needs_typed(hint.block)))
    });
    match told {
        Some(told) => safe::one_line(format!("{} {told}", note.text).trim_start()),
        None => safe::one_line(&note.text),
    }
}

/// Why the waiting block can't be approved now, and the keys that change that.
fn obstacle(screen: &Screen, state: &State, item: &BlockItem) -> Option<String> {
    let refusal = check(state, item.block.id, item.block.current().revision, true).err()?;
    Some(screen.approval_obstacle(state, &refusal))
}

/// The row for a note; where a block waits, that comes first.
fn note_row(note: &Note, screen: &Screen, state: &State, now: Instant, draw: DrawContext<'_>) -> RowText {
    let text = note_words(note, screen, state);
    let pending = draw.style(Slot::BlockPending);
    match state.waiting() {
        // What is about to start by itself precedes everything else.
        Some(_) if screen.announced(state).or_else(|| unseen_match(screen, state)).is_some() => {
            (wait(screen, state, now, draw).unwrap_or(text), pending).into()
        }
        Some(item)
            if note.explains_only().is_some()
                && screen.guard.rows().has_hidden()
                && obstacle(screen, state, item).is_none() =>
        {
            (unseen(screen, item.block.id, screen.guard.rows().unseen_count()), pending).into()
        }
        Some(_) if note.about_waiting_block => (text, level(note.level, draw)).into(),
        // Everything else follows the wait in its shortest words.
        Some(item) => {
            let lead = shortest_wait(screen, state, item.block.id);
            // Don't name the block twice.
            let own = text.strip_prefix(&format!("Block {} would ", item.block.id));
            let text = own.map_or(text.clone(), |rest| format!("It would {rest}"));
            RowText { lead, text, style: pending, is_marked: true }
        }
        None if crate::tui::screen::has_problem(state) && note.level == Level::Error => {
            going_on(screen, state, draw).into()
        }
        None => RowText::from((text, level(note.level, draw))).marked(),
    }
}

/// That this block waits, in the shortest words.
fn shortest_wait(screen: &Screen, state: &State, block: BlockId) -> String {
    let key = if screen.panes.focus == Pane::Code { ".".to_owned() } else { key_hint(screen, state) };
    format!("Block {block} waits{key}")
}

/// Whether decisions are locked only until some time has passed.
fn is_locked_for_a_time(screen: &Screen, now: Instant) -> bool {
    let why = screen.guard.approval_refusal(now);
    matches!(why, Some(RefusalReason::Appeared { .. } | RefusalReason::Quiet { .. }))
}

fn level(level: Level, draw: DrawContext<'_>) -> Style {
    draw.style(match level {
        Level::Info => Slot::StatusInfo,
        Level::Warn => Slot::StatusWarn,
        Level::Error => Slot::StatusError,
    })
}

/// The row for a waiting block. While the session is not saved, it says why approving is paused.
fn wait_row(screen: &Screen, state: &State, now: Instant, draw: DrawContext<'_>) -> Option<RowText> {
    let block = state.waiting()?.block.id;
    let style = draw.style(Slot::BlockPending);
    // An open editor, and lists, say first how to leave them.
    let is_shown = screen.panes.focus != Pane::Code || matches!(screen.panes.code.mode, Mode::View);
    match state.unsaved().filter(|_| is_shown) {
        Some(why) => {
            let lead = shortest_wait(screen, state, block);
            Some(RowText { lead, text: safe::one_line(&why), style, is_marked: true })
        }
        None => wait(screen, state, now, draw).map(|text| (text, style).into()),
    }
}

/// A waiting block, or what the Code pane does meanwhile.
fn wait(screen: &Screen, state: &State, now: Instant, draw: DrawContext<'_>) -> Option<String> {
    let item = state.waiting()?;
    let block = item.block.id;
    if screen.panes.focus != Pane::Code {
        if let Some(matched) = screen.announced(state) {
            let (rule, seconds) = (matched.rule, rule_seconds(matched, draw.now));
            let stop = key(screen, state, Action::Stop, "stops it");
            return Some(format!("Rule {rule} covers block {block}. Starts in {seconds} s{stop}"));
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
        Mode::Edit(editor) if editor.mode().is_some_and(|mode| mode != VimMode::Normal) => {
            let does = "goes to normal mode, there back to the review";
            format!("Editing. Nothing runs from here.{}", keys(screen, state, &[(Action::EditKeep, does)]))
        }
        Mode::Edit(_) => {
            let does = "keeps the text and returns to review";
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
        Mode::View => review(screen, state, item, now, draw),
    })
}

/// The rule that covers the waiting block, if no pane shows the block: the countdown runs only while it is visible.
fn unseen_match<'a>(screen: &Screen, state: &'a State) -> Option<&'a RuleMatch> {
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

/// Seconds until a covered block starts, rounded up.
pub(super) fn rule_seconds(matched: &RuleMatch, now: Timestamp) -> u64 {
    match matched.countdown {
        Countdown::Since(since, _) => START_DELAY_MS.saturating_sub(now.since(since)).div_ceil(1000),
        Countdown::NotShown => START_DELAY_MS / 1000,
    }
}

fn review(screen: &Screen, state: &State, item: &BlockItem, now: Instant, draw: DrawContext<'_>) -> String {
    let block = item.block.id;
    match check(state, block, item.block.current().revision, true) {
        // The row says the first before anything else, and the rights say the second.
        Ok(()) | Err(Refusal::Unsaved(_) | Refusal::Impossible(..)) => {}
        Err(refusal) => return screen.approval_obstacle(state, &refusal),
    }
    if let Some(matched) = screen.announced(state) {
        let seconds = rule_seconds(matched, draw.now);
        let stop = key(screen, state, Action::Skip, "stops it");
        return format!("Rule {} covers block {block}. Starts in {seconds} s{stop}", matched.rule);
    }
    match screen.guard.approval_refusal(now) {
        Some(why @ RefusalReason::Appeared { .. }) => {
            let text = why.to_string();
            // The time left is in the title.
            text.split(" ignored.").next().map_or(text.clone(), |t| format!("{t} ignored."))
        }
        Some(RefusalReason::Unseen { lines }) => unseen(screen, block, lines),
        _ => format!("Block {block} waits."),
    }
}

fn unseen(screen: &Screen, block: BlockId, lines: usize) -> String {
    let lines = words::count(lines, "line");
    let page = screen.keymap.hint(Context::Review, Action::ScrollPageDown);
    let page = if page.is_empty() { page } else { format!(": {page}") };
    format!("Block {block} waits. {lines} not shown yet{page}. Approve is locked until then.")
}

/// What is going on.
fn going_on(screen: &Screen, state: &State, draw: DrawContext<'_>) -> (String, Style) {
    if let Some(problem) = problem_text(screen, state, draw) {
        return (problem, draw.style(Slot::StatusError));
    }
    let stop = screen.keymap.hints(screen.keymap_context(state), ("", "", ""), &[(Action::Stop, "stop")]);
    let text = run_text(screen, state, draw, &stop)
        .or_else(|| summary_text(state, draw, &stop))
        .or_else(|| reply_text(screen, state, draw, &stop));
    match text {
        Some(text) => (text, draw.style(Slot::StatusInfo)),
        None => (idle(screen, state, draw), draw.dim()),
    }
}

/// The first problem, and the key that goes on from here.
fn problem_text(screen: &Screen, state: &State, draw: DrawContext<'_>) -> Option<String> {
    let problem = problems::problems(screen, state, draw).into_iter().next()?;
    let go = if screen.panes.focus == Pane::Output || matches!(state.phase, Phase::Replying(_)) {
        String::new()
    } else {
        let key = screen.keymap.hint(screen.keymap_context(state), Action::PaneNext);
        if key.is_empty() { key } else { format!("   {key}: what can be done") }
    };
    Some(format!("{}{go}", problem.text))
}

/// The run that goes on: its time, and what it uses or reports.
fn run_text(screen: &Screen, state: &State, draw: DrawContext<'_>, stop: &str) -> Option<String> {
    let (run, going_on) = (state.live.run.as_ref()?, state.activity()?);
    let mut parts = vec![going_on.what.clone(), going_on.time(draw.now)];
    if let Some(words) = screen.forwarding_words(state).filter(|_| run.interrupted.is_none()) {
        parts.push(words);
        return Some(parts.join("   "));
    }
    if run.interrupted.is_none() && !stop.is_empty() {
        parts.push(stop.to_owned());
    }
    // A program that fetches reports its progress itself; for one that computes, show the resources it uses.
    let fetches = state.transcript.blocks.get(&run.block).is_some_and(|item| item.block.kind.prepares());
    if let Some(line) = screen.panes.output.last_line().filter(|_| fetches) {
        parts.push(safe::one_line(&line));
        return Some(parts.join("   "));
    }
    if run.cpu_ms > 0 {
        parts.push(format!("cpu {}", words::duration(run.cpu_ms)));
    }
    if run.rss_bytes > 0 {
        parts.push(format!("mem {}", words::memory(run.rss_bytes)));
    }
    let printed = screen.panes.output.printed_lines().filter(|lines| *lines > 0);
    parts.extend(printed.map(|lines| words::count(lines, "line")));
    Some(parts.join("   "))
}

/// The summary that is being written.
fn summary_text(state: &State, draw: DrawContext<'_>, stop: &str) -> Option<String> {
    let summary = state.live.summary.as_ref()?;
    let seconds = draw.now.since(summary.since) / 1000;
    let about = words::grouped(summary.text.len() as u64 / 4);
    let what = running::SUMMING_UP;
    Some(format!("{what} {seconds} s   about {about} tokens   {stop}"))
}

/// The reply that is being written.
fn reply_text(screen: &Screen, state: &State, draw: DrawContext<'_>, stop: &str) -> Option<String> {
    let reply = state.live.reply.as_ref()?;
    let stage = screen.recipe.stage().map(|stage| stage.parts().join(", "));
    let mut parts: Vec<String> = stage.into_iter().collect();
    parts.push(format!("{} {} s", reply.doing(), draw.now.since(reply.since) / 1000));
    if let Some(tokens) = reply.usage.and_then(|u| u.output) {
        parts.push(format!("{} tokens", words::grouped(tokens)));
    } else if !reply.text.is_empty() {
        // The provider reported no count: four bytes per token is close enough to show progress.
        parts.push(format!("about {} tokens", words::grouped(reply.text.len() as u64 / 4)));
    }
    if !screen.panes.composer.is_empty() {
        parts.push("Your next message will be queued.".into());
    }
    if !stop.is_empty() {
        parts.push(stop.to_owned());
    }
    Some(parts.join("   "))
}

/// How much of the session is on disk.
fn saved(state: &State) -> SavingState<'_> {
    match (&state.transcript.header, &state.live.store_failure) {
        (_, Some(why)) => SavingState::Failing(why),
        // The session file is created with the first prompt.
        (Some(_), None) if state.transcript.items.is_empty() => SavingState::Nothing,
        (Some(_), None) if state.live.saved < state.live.recorded => SavingState::Writing,
        (Some(_), None) => SavingState::Well,
        (_, None) => SavingState::Nothing,
    }
}

fn idle(screen: &Screen, state: &State, draw: DrawContext<'_>) -> String {
    if screen.setup.welcome {
        return source_text(screen.overlay_context(state, draw));
    }
    let blocks = &state.transcript.blocks;
    let run = blocks.values().filter(|b| b.status == BlockStatus::Approved).count();
    let waiting = blocks.values().filter(|b| b.status == BlockStatus::Open).count();
    let saved = saved(state).mark();
    let idle = format!("Idle.  {} run, {waiting} waiting{saved}.", words::count(run, "block"));
    let told: Vec<_> = state.live.used_instructions().collect();
    match told.as_slice() {
        [] => idle,
        [file] if file.own => {
            let name = file.path.file_name().unwrap_or_default().to_string_lossy();
            format!("{idle}  Your file {} is told to the model.", safe::one_line(&name))
        }
        [_] => format!("{idle}  AGENTS.md is told to the model."),
        files => format!("{idle}  {} files of instructions are told to the model.", files.len()),
    }
}
