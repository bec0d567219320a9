//! The iteration log: every turn with its steps, blocks, decisions, outcomes, times, tokens and costs, the newest last.

use super::{Overlay, OverlayContext, OverlayProperties, OverlayResponse};
use crate::domain::{Grantor, RecipeEnd, TurnEnd};
use crate::engine::State;
use crate::engine::steps::{LastDecision, ModelStep, StepBlock, TurnLog, TurnTotals, turns};
use crate::text::number::dollars;
use crate::tui::keymap::Context;
use crate::tui::panes::Panes;
use crate::tui::panes::chat::verdict;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::sheet::Sheet;
use crate::tui::widgets::{safe, words};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// The log, as the number of rows scrolled up from its end.
#[derive(Debug, Default)]
pub(crate) struct Steps(usize);

impl Overlay for Steps {
    fn properties(&self) -> OverlayProperties {
        OverlayProperties { is_only_read: true, ..OverlayProperties::new(Context::Pane, 110) }
    }

    /// Scrolls, but not beyond the ends.
    fn step(&mut self, by: isize, ctx: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        let room = ctx.room(self.properties().width);
        let most = rows(ctx.state, room.width, ctx.draw).len();
        let most = most.saturating_sub(usize::from(room.height).saturating_sub(2).max(1));
        self.0 = self.0.saturating_add_signed(-by).min(most);
        Vec::new()
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some("What was done so far, step by step.".into())
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let draw = ctx.draw;
        let all = rows(ctx.state, room.width, draw);
        let mut sheet = Sheet::new("Steps");
        let height = usize::from(room.height).saturating_sub(2).max(1);
        let first = all.len().saturating_sub(height).saturating_sub(self.0);
        let more = all.len().saturating_sub(first + height);
        sheet.rows.extend(all.into_iter().skip(first).take(height));
        let foot = match (first, more) {
            (0, 0) => "Esc close".to_owned(),
            (above, 0) => format!("{} above   Up scroll   Esc close", words::count(above, "line")),
            (above, below) => format!("{above} above, {below} below   Up/Down scroll   Esc close"),
        };
        sheet.gap().dim(foot, draw);
        Some(sheet)
    }
}

fn rows(state: &State, width: u16, draw: DrawContext<'_>) -> Vec<Line<'static>> {
    let mut log = LogRows { state, width: width.into(), draw, rows: Vec::new() };
    for turn in turns(&state.transcript, &state.live.cost.of_steps) {
        if !log.rows.is_empty() {
            log.rows.push(Line::default());
        }
        log.add_turn(&turn);
    }
    if log.rows.is_empty() {
        log.rows.push(Line::styled("No step was taken yet.", draw.dim()));
    }
    log.rows
}

/// The rows of the log, while they are laid out.
struct LogRows<'a> {
    state: &'a State,
    width: usize,
    draw: DrawContext<'a>,
    rows: Vec<Line<'static>>,
}

impl LogRows<'_> {
    fn add_turn(&mut self, turn: &TurnLog<'_>) {
        let recipe = turn.recipe.map(|name| format!("  recipe {}", safe::one_line(name))).unwrap_or_default();
        let head = format!("Turn {}  {}{recipe}  ", turn.number, self.draw.locale.hour(turn.at));
        let mut prompt = safe::one_line(words::first_line(turn.prompt));
        if turn.is_part {
            // The rest of the message is only in the session file.
            prompt.push_str(" …");
        }
        let room = self.width.saturating_sub(head.chars().count());
        self.rows.push(Line::from(vec![
            Span::styled(head, self.draw.style(Slot::UiTitle)),
            Span::styled(safe::cut(&prompt, room), self.draw.style(Slot::ChatUser)),
        ]));
        for step in &turn.steps {
            self.add_step(step);
        }
        let sum = sum_text(&turn.sum(), turn.steps.len());
        let end = match (turn.recipe_end, turn.end) {
            (Some(RecipeEnd::Done), _) => "   recipe done",
            (Some(RecipeEnd::GaveUp), _) => "   recipe gave up",
            (Some(RecipeEnd::Limit), _) => "   recipe ended at its limit",
            (Some(RecipeEnd::Stopped), _) => "   recipe stopped",
            (None, None) => "   goes on",
            (None, Some(TurnEnd::Answered)) => "",
            (None, Some(TurnEnd::Stopped)) => "   stopped",
            (None, Some(TurnEnd::StepLimit)) => "   step limit",
            (None, Some(TurnEnd::Repeated)) => "   repeated itself",
            (None, Some(TurnEnd::Budget)) => "   session budget",
            (None, Some(TurnEnd::Failed(_))) => "   failed",
        };
        self.rows.extend(safe::wrap_words(&format!("  {sum}{end}"), self.width, self.draw.dim()));
    }

    fn add_step(&mut self, step: &ModelStep<'_>) {
        let mut parts = Vec::new();
        if let Some(round) = step.round {
            let times = if round.round > 1 { format!(", round {}", round.round) } else { String::new() };
            parts.push(format!("{}{times}", safe::one_line(round.title)));
        }
        match step.reply {
            Some(reply) => {
                parts.push(format!("reply {}", words::duration(step.reply_ms().unwrap_or(0))));
                let tokens = [(reply.usage.input, "in"), (reply.usage.output, "out")];
                let tokens: Vec<_> = tokens
                    .into_iter()
                    .filter_map(|(count, what)| Some(format!("{} {what}", words::grouped(count?))))
                    .collect();
                parts.push(if tokens.is_empty() { "tokens not told".into() } else { tokens.join(", ") });
                parts.extend(step.cost.filter(|cost| *cost > 0).map(dollars));
            }
            None => parts.push("no reply: sayso's own".into()),
        }
        let head = Span::styled(format!("  step {:<3}", step.number), self.draw.style(Slot::ChatModel));
        self.rows.extend(safe::hanging(head, &parts.join("   "), self.width, self.draw.text()));
        for block in &step.blocks {
            self.add_block(*block);
        }
        if let Some(outcome) = step.judged {
            for mut row in verdict(outcome, self.width.saturating_sub(2), self.draw) {
                row.spans.insert(0, Span::raw("  "));
                self.rows.push(row);
            }
        }
    }

    /// `block 3   python [FAILED 1]  by you, edited   1.2 s   run the tests`
    fn add_block(&mut self, block: StepBlock<'_>) {
        let item = block.item;
        let block_state = self.state.block_state(item);
        let head = format!("    block {:<4}{:<11}", block.id().0, safe::cut(words::language_of(item), 10));
        let word = format!("{:<14}", format!("[{block_state}]"));
        let mut parts = vec![decision_text(block.decided())];
        if item.block.is_edited() {
            parts.push("edited".into());
        }
        let runs: Vec<_> = block.runs().collect();
        if let Some((_, _, Some(took))) = runs.last() {
            parts.push(words::duration(*took));
        }
        let earlier = runs.iter().rev().skip(1).rev();
        let earlier: Vec<_> = earlier.map(|(_, state, _)| state.to_string()).collect();
        if !earlier.is_empty() {
            parts.push(format!("before: {}", earlier.join(", ")));
        }
        let first = words::first_line(&item.block.current().source);
        parts.push(safe::one_line(block.note().unwrap_or(first)));
        parts.retain(|part| !part.is_empty());
        let room = self.width.saturating_sub(head.len() + word.len());
        self.rows.push(Line::from(vec![
            Span::styled(head, self.draw.text()),
            Span::styled(word, self.draw.block(block_state)),
            Span::styled(safe::cut(&parts.join("   "), room), self.draw.dim()),
        ]));
    }
}

/// `3 steps   2,400 in, 310 out   $0.0123   4 runs, 6.1 s`
fn sum_text(sum: &TurnTotals, steps: usize) -> String {
    let mut parts = vec![words::count(steps, "step")];
    if sum.input + sum.output > 0 {
        parts.push(format!("{} in, {} out", words::grouped(sum.input), words::grouped(sum.output)));
    }
    if sum.cost > 0 {
        parts.push(format!("{}{}", dollars(sum.cost), if sum.unknown > 0 { "+" } else { "" }));
    }
    if sum.runs > 0 {
        parts.push(format!("{}, {}", words::count(sum.runs as usize, "run"), words::duration(sum.run_ms)));
    }
    parts.join("   ")
}

fn decision_text(decided: LastDecision<'_>) -> String {
    match decided {
        LastDecision::Open => "not decided".into(),
        LastDecision::Approved(grantor) => match grantor {
            Grantor::Person { typed: false } => "by you".into(),
            Grantor::Person { typed: true } => "by you, typed".into(),
            Grantor::CommandLine => "named".into(),
            Grantor::Flag => "by --approve".into(),
            Grantor::Rule(rule) => format!("by rule {rule}"),
            Grantor::Before => "as before".into(),
            Grantor::Plan => "in a plan".into(),
        },
        LastDecision::Rejected("") => "rejected".into(),
        LastDecision::Rejected(why) => format!("rejected: {}", safe::one_line(words::first_line(why))),
        LastDecision::Declined(why) => format!("not offered: {}", safe::one_line(why)),
        LastDecision::Skipped => "skipped".into(),
    }
}
