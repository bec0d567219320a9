//! The rules of this session, and removing one. Removing asks no question: blocks that the rule covered will only be
//! asked about again.

use super::{LetterEffect, Overlay, OverlayContext, OverlayProperties, OverlayResponse, scope_of};
use crate::domain::sentences::running;
use crate::engine::transcript::{RuleItem, RuleOver};
use crate::engine::{Command, State, rules};
use crate::tui::action::Action;
use crate::tui::panes::Panes;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::filter::Cursor;
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::sheet::{Sheet, entry, scrolled};
use crate::tui::widgets::{safe, words};
use ratatui::layout::Rect;
use ratatui::text::Line;

/// The list, as the chosen row.
#[derive(Debug, Default)]
pub struct Rules(pub Cursor);

impl Rules {
    fn revoke(&self, state: &State) -> Vec<OverlayResponse> {
        match state.transcript.rules.get(self.0.0) {
            Some(item) if item.over.is_none() => {
                vec![OverlayResponse::send(Command::RevokeRule(item.rule.id))]
            }
            Some(item) => {
                vec![OverlayResponse::info(format!("Rule {} is no longer in force.", item.rule.id))]
            }
            None => Vec::new(),
        }
    }
}

impl Overlay for Rules {
    fn properties(&self) -> OverlayProperties {
        OverlayProperties { width: 72, list_actions: &[Action::ListDelete], ..OverlayProperties::default() }
    }

    fn action(&mut self, action: Action, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        match action {
            Action::ListDelete => self.revoke(ctx.state),
            other => self.common(other, ctx, panes),
        }
    }

    fn step(&mut self, by: isize, ctx: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        self.0.step(by, ctx.state.transcript.rules.len());
        Vec::new()
    }

    fn letter(&mut self, letter: char, ctx: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        match letter {
            'x' => self.revoke(ctx.state),
            'q' => vec![OverlayResponse::Close],
            _ => Vec::new(),
        }
    }

    fn letter_effect(&self, letter: char) -> LetterEffect {
        match letter {
            'x' => LetterEffect::Acts,
            'q' => LetterEffect::Harmless,
            _ => LetterEffect::Nothing,
        }
    }

    fn scope(&self) -> Option<u64> {
        Some(scope_of("rules"))
    }

    fn hints(&self, ctx: OverlayContext<'_>, hints: &mut Hints<'_>) {
        let rules = &ctx.state.transcript.rules;
        if rules.len() > 1 {
            hints.plain("Up/Down", "", 2);
        }
        if rules.iter().any(|item| item.over.is_none()) {
            hints.plain("x", "remove", 0);
        }
        hints.plain("Esc", "close", 0);
    }

    fn status(&self, ctx: OverlayContext<'_>) -> Option<String> {
        let count = ctx.state.transcript.rules_in_force().count();
        Some(format!("{} in force. Rules end when the session is opened again.", words::count(count, "rule")))
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let (state, cursor, draw, width) = (ctx.state, self.0, ctx.draw, room.width);
        let mut sheet = Sheet::new("Rules");
        let items = &state.transcript.rules;
        if items.is_empty() {
            sheet.words(running::NO_RULES, width, draw.text());
        }
        // Each rule has two rows. In a list of three rows, those that tell what is hidden would hide one of them.
        let rows = match room.height.saturating_sub(5) {
            ..=3 => 2,
            more => usize::from(more),
        };
        let chosen = cursor.0 * 2;
        sheet.rows.extend(scrolled(items.len() * 2, chosen..chosen + 2, rows, draw, |at| {
            let item = items.get(at / 2)?;
            if at.is_multiple_of(2) {
                let text = format!("{}  {}", item.rule.id, rules::describe(&item.rule));
                return Some(entry(&text, at == chosen, width, draw));
            }
            let text = format!("       {}", safe::one_line(&state_text(state, item, draw)));
            Some(Line::styled(safe::cut(&text, width.into()), draw.dim()))
        }));
        sheet.gap();
        let foot = if items.iter().any(|item| item.over.is_none()) {
            "Del or x removes a rule   Esc close"
        } else {
            "A on a block that waits makes one   Esc close"
        };
        sheet.dim(foot, draw);
        Some(sheet)
    }
}

fn state_text(state: &State, item: &RuleItem, draw: DrawContext<'_>) -> String {
    let rule = &item.rule;
    let runs = state.transcript.blocks.values().flat_map(|block| &block.runs);
    let runs = words::count(runs.filter(|run| run.by.rule() == Some(rule.id)).count(), "run");
    let granted = format!("granted on block {} at {}, {runs}", rule.block, draw.locale.hour(item.at));
    match item.over {
        None => granted,
        Some(RuleOver::Revoked(at)) => format!("removed at {}; {granted}", draw.locale.hour(at)),
        Some(RuleOver::Reopened) => format!("ended when the session was opened again; {granted}"),
    }
}
