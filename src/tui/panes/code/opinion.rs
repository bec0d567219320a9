//! The second opinion below the code of the block on screen: which model gave it, how risky it considers the block, and
//! why. It is advice: it need not be seen before a decision, and it changes no finding.

use crate::domain::BlockId;
use crate::engine::State;
use crate::engine::transcript::OpinionItem;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::{safe, words};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// The label before the opinion.
const LABEL: &str = "Opinion    ";

/// The rows for a block; none if no model was asked. At most `most`; the last one then says how many more there are.
pub(super) fn rows(
    state: &State,
    block: BlockId,
    width: u16,
    most: usize,
    draw: DrawContext<'_>,
) -> Vec<Line<'static>> {
    let (text, style) = match (state.awaited_opinion(block), state.opinion(block)) {
        (Some(since), _) => {
            let seconds = draw.now.since(since) / 1000;
            (format!("asking a model, {seconds} s. Decisions don't wait for it."), draw.dim())
        }
        (None, Some(opinion)) => answer_text(opinion, draw),
        (None, None) => return Vec::new(),
    };
    let mut rows = vec![Line::styled(
        draw.glyphs.border.horizontal.repeat(usize::from(width)),
        draw.style(Slot::UiBorder),
    )];
    rows.extend(safe::hanging(Span::styled(LABEL, draw.dim()), &text, width.into(), style));
    let most = most.max(2);
    if rows.len() > most {
        let more = words::count(rows.len() + 1 - most, "more line");
        rows.truncate(most - 1);
        rows.push(Line::styled(format!("{}({more}: /status)", " ".repeat(LABEL.len())), draw.dim()));
    }
    rows
}

fn answer_text(item: &OpinionItem, draw: DrawContext<'_>) -> (String, Style) {
    let model = safe::one_line(&item.model.to_string());
    match &item.answer {
        Ok(opinion) => {
            let lines: Vec<String> = opinion.lines.iter().take(12).map(u32::to_string).collect();
            let lines = match lines.as_slice() {
                [] => String::new(),
                [one] => format!(" Line {one}."),
                more => format!(" Lines {}.", more.join(", ")),
            };
            let reason = safe::one_line(opinion.reason.trim());
            let text = format!("risk {}, says {model} (advice): {reason}{lines}", opinion.risk.as_str());
            (text, draw.text())
        }
        Err(why) => (format!("none from {model}: {}", safe::one_line(why)), draw.style(Slot::StatusWarn)),
    }
}

/// The whole second opinion in one line.
pub fn line(item: &OpinionItem, draw: DrawContext<'_>) -> String {
    answer_text(item, draw).0
}
