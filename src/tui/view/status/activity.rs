//! Words what goes on while no block waits: a problem, a run, a summary, a reply, or nothing.

use super::super::problems;
use crate::domain::sentences::running;
use crate::domain::sentences::saving::SavingState;
use crate::engine::transcript::BlockStatus;
use crate::engine::{Phase, State};
use crate::tui::action::Action;
use crate::tui::overlays::welcome::source_text;
use crate::tui::screen::{Ctx, Screen};
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::layout::Pane;
use crate::tui::widgets::{safe, words};
use ratatui::style::Style;

/// What is going on.
pub(super) fn going_on(screen: &Screen, ctx: Ctx<'_>) -> (String, Style) {
    let Ctx { state, draw, .. } = ctx;
    if let Some(problem) = problem_text(screen, state, draw) {
        return (problem, draw.style(Slot::StatusError));
    }
    let stop = screen.keymap.hints(screen.keymap_context(state), ("", "", ""), &[(Action::Stop, "stop")]);
    let text = run_text(screen, state, draw, &stop)
        .or_else(|| summary_text(state, draw, &stop))
        .or_else(|| reply_text(screen, state, draw, &stop));
    match text {
        Some(text) => (text, draw.style(Slot::StatusInfo)),
        None => (idle(screen, ctx), draw.dim()),
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
    let stage = screen.recipe.stage.as_ref().map(|stage| stage.parts().join(", "));
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

fn idle(screen: &Screen, ctx: Ctx<'_>) -> String {
    if screen.setup.welcome {
        return source_text(screen.overlay_context(ctx));
    }
    let state = ctx.state;
    let blocks = &state.transcript.blocks;
    let run = blocks.values().filter(|b| b.status == BlockStatus::Approved).count();
    let waiting = blocks.values().filter(|b| b.status == BlockStatus::Open).count();
    let saved = saved(state).mark();
    let idle = format!("Idle.  {} run, {waiting} waiting{saved}.", words::count(run, "block"));
    let files: Vec<_> = state.live.used_instructions().collect();
    match files.as_slice() {
        [] => idle,
        [file] if file.own => {
            let name = file.path.file_name().unwrap_or_default().to_string_lossy();
            format!("{idle}  Your file {} is told to the model.", safe::one_line(&name))
        }
        [_] => format!("{idle}  AGENTS.md is told to the model."),
        files => format!("{idle}  {} files of instructions are told to the model.", files.len()),
    }
}
