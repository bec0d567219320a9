//! The first row: the session, its folder, its model; where there is room for one pane only, the tabs.

use crate::domain::Terms;
use crate::engine::kernels;
use crate::engine::transcript::BlockStatus;
use crate::engine::{Phase, State};
use crate::text::number::dollars;
use crate::tui::paint::canvas::Canvas;
use crate::tui::panes::recipe::Stage;
use crate::tui::screen::{Ctx, Screen};
use crate::tui::theme::Slot;
use crate::tui::widgets::hits::ClickTarget;
use crate::tui::widgets::layout::{Pane, SizeClass};
use crate::tui::widgets::safe;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// What the row begins with.
const APP: &str = " sayso";

/// Draws the row; returns the clickable tabs in it.
pub(crate) fn draw(screen: &Screen, ctx: Ctx<'_>, buf: &mut Canvas) -> Vec<ClickTarget<char>> {
    match screen.arrangement.class {
        SizeClass::Narrow => tabs(screen, ctx, buf),
        _ => {
            wide(screen, ctx, buf);
            Vec::new()
        }
    }
}

/// The current recipe, the cost, the model, the share of the context; the most important last, because it is dropped
/// last. A model's name takes at most a third of the row; its end tells more than its beginning, as in a path.
fn right(screen: &Screen, state: &State) -> Vec<String> {
    let third = usize::from(screen.arrangement.header.width) / 3;
    let mut parts = Vec::new();
    parts.extend(screen.recipe.stage.as_ref().map(Stage::short));
    parts.extend(cost(state));
    if let Some(model) = &state.transcript.model {
        parts.push(safe::cut_start(&safe::one_line(&model.model), third));
    }
    parts.extend(context_share(state));
    parts
}

/// The cost of the session; a `+` says that a part of it is unknown.
fn cost(state: &State) -> Option<String> {
    let cost = &state.live.cost;
    let more = if cost.unknown > 0 { "+" } else { "" };
    (cost.nanos > 0).then(|| format!("{}{more}", dollars(cost.nanos)))
}

/// The part of the model's context that the next request fills; `~` marks an estimate, `>` a lower bound, `?` an
/// unknown size of the context.
fn context_share(state: &State) -> Option<String> {
    let share = &state.live.context;
    let about = match (share.at_least, share.estimated) {
        (true, _) => ">",
        (false, true) => "~",
        (false, false) => "",
    };
    match share.percent() {
        Some(percent) => Some(format!("ctx {about}{}%", percent.min(999))),
        // A story (a scripted model) has no context to fill.
        None if share.used > 0 && state.transcript.model.as_ref().is_some_and(|m| !m.is_story()) => {
            Some("ctx ?".into())
        }
        None => None,
    }
}

fn kernel(state: &State) -> Option<String> {
    let live = &state.live;
    // A process of its own leaves the kernel as it is.
    let run = live.run.as_ref().and_then(|run| state.transcript.run(run.run));
    let busy = if run.is_some_and(|(_, run)| run.terms.kernel.is_some()) { "busy" } else { "ready" };
    (!live.kernels.is_empty()).then(|| format!("{} {busy}", kernels::names(&live.kernels)))
}

fn wide(screen: &Screen, Ctx { state, draw, .. }: Ctx<'_>, buf: &mut Canvas) {
    let area = screen.arrangement.header;
    let width = usize::from(area.width);
    let mut parts = right(screen, state);
    parts.extend(kernel(state));
    let right = last_parts(&parts, width.saturating_sub(APP.len() + 4));
    let name = safe::one_line(&state.transcript.name);
    let cwd = safe::one_line(&draw.locale.path(&screen.setup.cwd));
    let room = width.saturating_sub(right.width() + 4);
    let left = safe::cut(&format!("{APP}  {name}   {cwd}"), room);
    let (app, rest) = left.split_at(APP.len().min(left.len()));
    let spans = vec![Span::styled(app, draw.style(Slot::UiTitle)), Span::styled(rest, draw.text())];
    buf.set_line(area.x, area.y, &Line::from(spans), area.width);
    let x = width.saturating_sub(right.width() + 1);
    buf.set_stringn(u16::try_from(x).unwrap_or(0), area.y, &right, right.width(), draw.dim());
}

/// As many of the last parts as fit into so many columns.
fn last_parts(parts: &[String], room: usize) -> String {
    let mut texts = (0..parts.len()).map(|from| parts.get(from..).unwrap_or_default().join("  "));
    texts.find(|text| text.width() <= room).unwrap_or_default()
}

struct Tab {
    digit: char,
    name: String,
    is_active: bool,
}

fn all_tabs(screen: &Screen, state: &State) -> [Tab; 4] {
    let waiting = state.transcript.blocks.values().filter(|b| b.status == BlockStatus::Open).count();
    let decides = waiting > 0 && matches!(state.phase, Phase::Deciding(_));
    let code = if decides { format!("Code !{waiting}") } else { "Code".into() };
    let output = if crate::tui::screen::has_problem(state) { "Output !" } else { "Output" };
    let (focus, shows_vars) = (screen.panes.focus, screen.shows_vars());
    let tab = |digit, name: &str, is_active| Tab { digit, name: name.to_owned(), is_active };
    [
        tab('1', "Chat", matches!(focus, Pane::Chat | Pane::Message)),
        tab('2', &code, focus == Pane::Code),
        tab('3', output, focus == Pane::Output && !shows_vars),
        tab('4', "Vars", focus == Pane::Output && shows_vars),
    ]
}

fn tabs(screen: &Screen, Ctx { state, draw, .. }: Ctx<'_>, buf: &mut Canvas) -> Vec<ClickTarget<char>> {
    let area = screen.arrangement.header;
    let mut x = area.x + 1;
    let mut hits = Vec::new();
    for Tab { digit, name, is_active } in all_tabs(screen, state) {
        let text = if is_active { format!("[{digit} {name}]") } else { format!(" {digit} {name} ") };
        let style = draw.style(if is_active { Slot::UiTabActive } else { Slot::UiTab });
        let style = if name.contains('!') { draw.style(Slot::BlockPending) } else { style };
        let width = u16::try_from(text.width()).unwrap_or(0);
        if x + width > area.right() {
            break;
        }
        buf.set_stringn(x, area.y, &text, width.into(), style);
        hits.push(ClickTarget { row: area.y, columns: x..x + width, what: digit });
        x += width + 1;
    }
    let room = usize::from(area.right().saturating_sub(x + 2));
    // What doesn't fit is dropped as a whole, the share of the context last.
    let text = last_parts(&right(screen, state), room);
    if !text.is_empty() {
        let at = area.right().saturating_sub(u16::try_from(text.width()).unwrap_or(0) + 1);
        buf.set_stringn(at, area.y, &text, text.width(), draw.dim());
    }
    hits
}

/// The title of the terminal window; contains no code and no path.
pub(crate) fn window_title(state: &State) -> String {
    match &state.phase {
        Phase::Deciding(block) => format!("sayso ! block {block} waits"),
        Phase::Running(_) => match &state.live.run {
            Some(run) => format!("sayso - block {} runs", run.block),
            None => "sayso".into(),
        },
        Phase::Stuck(_) | Phase::Asking(_) => "sayso ! needs you".into(),
        Phase::Replying(_) => "sayso - answering".into(),
        Phase::Compacting(_) => "sayso - summing up".into(),
        Phase::Idle => format!("sayso {}", safe::one_line(&state.transcript.name)).trim_end().to_owned(),
    }
}

/// Whether nothing confines what would run, as far as is known.
pub(crate) fn sandbox_is_off(state: &State) -> bool {
    let waiting = state.waiting().and_then(|item| state.inspected(item.block.id)?.terms.as_ref().ok());
    let running = state.live.run.as_ref().and_then(|run| state.transcript.run(run.run));
    waiting.is_some_and(Terms::is_unconfined) || running.is_some_and(|(_, run)| run.terms.is_unconfined())
}
