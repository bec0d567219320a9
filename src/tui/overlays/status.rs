//! The status: the model and its context, the cost of the session, which instructions are sent, which project settings
//! were ignored, what confines a block.

use super::{Overlay, OverlayContext, OverlayProperties, OverlayResponse};
use crate::domain::ModelName;
use crate::domain::sentences::{saving, sending};
use crate::driver::catalogue;
use crate::engine::MAX_TOKENS_OF_UNKNOWN;
use crate::engine::State;
use crate::engine::cost::PriceSource;
use crate::text::number::dollars;
use crate::tui::keymap::Context;
use crate::tui::panes::Panes;
use crate::tui::panes::code::opinion_line;
use crate::tui::setup::Setup;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::sheet::Sheet;
use crate::tui::widgets::{safe, words};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use std::path::{Path, PathBuf};

/// Columns of a label.
const LABEL_COLUMNS: usize = 14;

/// The list, as its first row on screen.
#[derive(Debug, Default)]
pub struct Status(pub usize);

impl Overlay for Status {
    fn properties(&self) -> OverlayProperties {
        OverlayProperties { is_only_read: true, ..OverlayProperties::new(Context::Pane, 82) }
    }

    /// Scrolls, but not beyond the ends.
    fn step(&mut self, by: isize, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        let room = ctx.room(self.properties().width);
        let most = rows(ctx, panes, room.width).len().saturating_sub(shown_rows(room));
        self.0 = self.0.saturating_add_signed(by).min(most);
        Vec::new()
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some("How things stand in this session.".into())
    }

    fn sheet(&self, ctx: OverlayContext<'_>, panes: &Panes, room: Rect) -> Option<Sheet> {
        let rows = rows(ctx, panes, room.width);
        let shown = shown_rows(room);
        let first = self.0.min(rows.len().saturating_sub(shown));
        let more = rows.len().saturating_sub(first + shown);
        let mut sheet = Sheet::new("Status");
        sheet.rows.extend(rows.into_iter().skip(first).take(shown));
        let foot = if more > 0 {
            format!("{}   Down scroll   Esc close", words::count(more, "more line"))
        } else {
            "Esc close".into()
        };
        sheet.gap().dim(foot, ctx.draw);
        Some(sheet)
    }
}

/// How many rows of facts there is room for.
fn shown_rows(room: Rect) -> usize {
    usize::from(room.height.saturating_sub(2)).max(1)
}

fn rows(ctx: OverlayContext<'_>, panes: &Panes, width: u16) -> Vec<Line<'static>> {
    let label = |name: &str| Span::styled(format!("{name:<LABEL_COLUMNS$}"), ctx.draw.style(Slot::UiTitle));
    let rows_of =
        |(name, text): (&str, String)| safe::hanging(label(name), &text, width.into(), ctx.draw.text());
    facts(ctx, panes).into_iter().flat_map(rows_of).collect()
}

/// The facts for lines mode, where no pane shows them, by label.
pub(in crate::tui) fn lines(
    state: &State,
    setup: &Setup,
    draw: DrawContext<'_>,
) -> Vec<(&'static str, String)> {
    let mut label = "";
    let labelled = |(own, text): (&'static str, String)| {
        if !own.is_empty() {
            label = own;
        }
        (label, text)
    };
    facts_of(state, setup, draw, Vec::new()).into_iter().map(labelled).collect()
}

/// The facts by label; each label is shown once.
fn facts(ctx: OverlayContext<'_>, panes: &Panes) -> Vec<(&'static str, String)> {
    let OverlayContext { state, draw, setup, .. } = ctx;
    let item = panes.code.subject().and_then(|id| state.transcript.blocks.get(&id));
    let opinions = item.into_iter().flat_map(|item| item.opinions.iter().map(move |opinion| (item, opinion)));
    let opinions = opinions.map(|(item, opinion)| {
        let said = opinion_line(opinion, draw);
        ("Opinion", format!("block {}, version {}: {said}", item.block.id, opinion.revision.0))
    });
    facts_of(state, setup, draw, opinions.collect())
}

/// The facts of the session, with the second opinions on the block that is on screen.
fn facts_of(
    state: &State,
    setup: &Setup,
    draw: DrawContext<'_>,
    opinions: Vec<(&'static str, String)>,
) -> Vec<(&'static str, String)> {
    let mut facts = vec![("Model", model(state)), ("Context", context(state))];
    facts.extend(under("Cost", cost(state)));
    facts.extend(instructions(state, draw));
    facts.extend(opinions);
    if let Some(of) = state.transcript.header.as_ref().and_then(|header| header.branch_of.as_ref()) {
        facts.push(("Branch", safe::one_line(&saving::branch_of(&of.session.0))));
    }
    facts.push(("Folder", safe::one_line(&draw.locale.path(&setup.cwd))));
    facts.extend(setup.foreign.iter().map(|text| ("Foreign", safe::one_line(text))));
    facts.extend(under("Damage", setup.damage.iter().map(|text| safe::one_line(text))));
    if setup.ignored.is_empty() {
        facts.push(("Project", "no setting of the project was ignored".into()));
    }
    facts.extend(under("Ignored", setup.ignored.iter().map(|text| safe::one_line(text))));
    facts
}

/// Facts under one label, which only the first of them shows.
fn under(
    label: &'static str,
    texts: impl IntoIterator<Item = String>,
) -> impl Iterator<Item = (&'static str, String)> {
    std::iter::once(label).chain(std::iter::repeat("")).zip(texts)
}

fn model(state: &State) -> String {
    let Some(name) = &state.transcript.model else {
        return "none is chosen: /provider".into();
    };
    let mut text = safe::one_line(&name.to_string());
    let info = state.live.model.as_ref().filter(|info| info.name == *name);
    if let Some(info) = info {
        let can = [(info.tools, "tools"), (info.images, "images")];
        let words: Vec<String> = can
            .into_iter()
            .filter_map(|(has, what)| has.map(|has| format!("{}{what}", if has { "" } else { "no " })))
            .collect();
        if !words.is_empty() {
            text.push_str(&format!(" ({})", words.join(", ")));
        }
        if name.is_story() {
            text.push_str(&format!(", {}", sending::SCRIPTED_REPLIES));
        } else if info.local {
            text.push_str(&format!(", {}", sending::HERE));
        }
    }
    text
}

/// Whether a story answers, which has no server.
fn is_story(state: &State) -> bool {
    state.transcript.model.as_ref().is_some_and(ModelName::is_story)
}

/// `12,400 of 32,768 tokens (38%), as the provider counts`
fn context(state: &State) -> String {
    let share = &state.live.context;
    let how = match (share.at_least, share.estimated) {
        (true, _) => "estimated, without results: those are not counted where it is too long as it is",
        (false, true) => "estimated",
        (false, false) => "as the provider counts",
    };
    let least = if share.at_least { share.about() } else { "" };
    let mut text = match (share.of, share.percent()) {
        (Some(of), Some(percent)) => {
            format!(
                "{least}{} of {} tokens ({percent}%), {how}",
                words::grouped(share.used),
                words::grouped(of)
            )
        }
        _ => format!(
            "{least}{} tokens, {how}; {}",
            words::grouped(share.used),
            sending::context_unknown(&words::grouped(MAX_TOKENS_OF_UNKNOWN))
        ),
    };
    if share.shortened > 0 {
        text.push_str(&format!("; {} told shorter than usual", words::count(share.shortened, "result")));
    }
    if share.summarised_upto > 0 {
        text.push_str(&format!(
            "; a summary stands for the first {}",
            words::count(share.summarised_upto, "item")
        ));
    }
    text
}

/// The cost of the session, as far as it is known, and where its prices come from.
pub fn cost(state: &State) -> Vec<String> {
    let cost = &state.live.cost;
    let unknown = cost.unknown as usize;
    let known = match (cost.nanos, unknown) {
        (0, 0) if is_story(state) => sending::STORY_COSTS_NOTHING.into(),
        (0, 0) if matches!(cost.price, Some(PriceSource::Local)) => sending::COSTS_NOTHING.into(),
        (0, 0) => "nothing yet".to_owned(),
        (0, n) => format!("not known of {}", words::count(n, "request")),
        (nanos, 0) => dollars(nanos),
        (nanos, n) => format!("{} and more: not known of {}", dollars(nanos), words::count(n, "request")),
    };
    let last =
        cost.last.filter(|last| *last > 0).map(|last| format!(", {} for the newest reply", dollars(last)));
    let mut lines = vec![format!("{known}{}.", last.unwrap_or_default())];
    let price = state.live.model.as_ref().and_then(|info| info.price.as_ref()).map(catalogue::price);
    match &cost.price {
        Some(PriceSource::Provider) => {
            let price = price.map(|price| format!(" ({price} for a million tokens)")).unwrap_or_default();
            lines.push(format!("The provider tells its prices{price}."));
        }
        Some(PriceSource::Table(Some(date))) => {
            lines.push(format!("Prices are those of the shipped table, as of {date}."));
        }
        Some(PriceSource::Table(None)) => lines.push("Prices are those of your configuration.".into()),
        Some(PriceSource::Local) => {}
        None if state.transcript.model.is_some() => {
            lines.push("No price is known of the model in use: [prices] sets one.".into());
        }
        None => {}
    }
    if let Some(budget) = cost.budget {
        lines.push(format!("It asks at {}.", dollars(budget)));
    }
    lines
}

/// The files with instructions, their sizes, and whether they are sent.
fn instructions(state: &State, draw: DrawContext<'_>) -> Vec<(&'static str, String)> {
    let live = &state.live;
    let shown = |path: &Path| safe::one_line(&draw.locale.path(path));
    let found = |file: &crate::domain::Instructions| {
        let use_text = match (file.own, live.use_instructions) {
            (true, _) => "yours",
            (false, true) => "the project's words, told to the model (/instructions off)",
            (false, false) => "the project's words, not told (/instructions on)",
        };
        let left = match file.left_out() {
            0 => String::new(),
            bytes => format!(", its last {} left out", words::size(bytes)),
        };
        format!("{}, {}{left}: {use_text}", shown(&file.path), words::size(file.bytes))
    };
    let held = |path: &PathBuf| {
        format!("{}: changed since a run began, the change is not told: /instructions changes", shown(path))
    };
    let none = match (live.instructions.is_empty(), live.held_instructions.is_empty()) {
        (true, true) => Some("none: no AGENTS.md here"),
        (true, false) => Some("none is told"),
        (false, _) => None,
    };
    let files = live.instructions.iter().map(found).chain(live.held_instructions.iter().map(held));
    under("Instructions", none.map(str::to_owned).into_iter().chain(files)).collect()
}
