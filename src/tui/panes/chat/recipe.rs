//! Lays out what a recipe did: its beginning, its rounds with their verdicts, answers, its end.

use super::head::{gap, speaker};
use crate::domain::{Answers, RecipeEnd, RecipeFact, RoundOutcome, Timestamp};
use crate::engine::State;
use crate::tui::paint::markdown;
use crate::tui::panes::recipe;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::{safe, words};
use ratatui::text::{Line, Span};

/// How many columns of an answer are shown.
const ANSWER_COLUMNS: usize = 60;

/// The rows of a fact; none if it tells the person nothing.
pub(super) fn rows(
    state: &State,
    at: usize,
    when: Timestamp,
    fact: &RecipeFact,
    width: u16,
    draw: DrawContext<'_>,
) -> Vec<Line<'static>> {
    let mut rows = Vec::new();
    let (note, width_of) = (draw.style(Slot::ChatNote), usize::from(width));
    match fact {
        RecipeFact::Began(start) => {
            gap(&mut rows, at);
            rows.push(speaker("recipe", when, Slot::ChatNote, draw));
            let head = Span::styled(format!("{}  ", safe::one_line(&start.name)), draw.style(Slot::UiTitle));
            rows.extend(safe::hanging(head, &in_short(&start.inputs), width_of, note));
        }
        RecipeFact::Said { .. } => {
            let Some(stage) = recipe::said_at(state, at) else { return rows };
            gap(&mut rows, at);
            let separator = format!(" {} ", draw.glyphs.dot);
            rows.extend(safe::wrap_words(
                &stage.parts().join(&separator),
                width_of,
                draw.style(Slot::UiTitle),
            ));
        }
        RecipeFact::Judged(outcome) => rows.extend(verdict(outcome, width_of, draw)),
        RecipeFact::Answered { answers, .. } => {
            gap(&mut rows, at);
            rows.extend(safe::hanging(Span::styled("  you: ", note), &in_short(answers), width_of, note));
        }
        RecipeFact::Ended { end, summary } => {
            gap(&mut rows, at);
            let (text, slot) = ended(*end);
            rows.extend(safe::wrap_words(text, width_of, draw.style(slot)));
            if !summary.trim().is_empty() {
                rows.extend(markdown::lines(summary, width, draw.markdown(), draw.links));
            }
        }
    }
    rows
}

/// `spec: a function that ...   runner: pytest`
fn in_short(answers: &Answers) -> String {
    let answered = answers.iter().filter(|(_, text)| !text.trim().is_empty());
    let texts = answered.map(|(name, text)| {
        let lines = words::line_count(text.trim());
        let more = if lines > 1 { format!(" ({lines} lines)") } else { String::new() };
        let first = safe::cut(&safe::one_line(words::first_line(text)), ANSWER_COLUMNS);
        format!("{}: {first}{more}", safe::one_line(name))
    });
    texts.collect::<Vec<_>>().join("   ")
}

/// `  - red: 2 failed, 1 passed`
pub(in crate::tui) fn verdict(
    outcome: &RoundOutcome,
    width: usize,
    draw: DrawContext<'_>,
) -> Vec<Line<'static>> {
    let (sign, style) = match outcome.verdict.as_str() {
        "green" | "ok" | "good" | "same" | "done" | "faster" | "passed" | "fixed" | "answered"
        | "written" => ("+", draw.style(Slot::BlockDone)),
        "red" | "broken" | "failed" | "slower" | "timed_out" | "nothing" | "nothing_shown" | "wrong" => {
            ("-", draw.style(Slot::BlockFailed))
        }
        _ => ("=", draw.style(Slot::ChatNote)),
    };
    let head = Span::styled(format!("  {sign} {}", safe::one_line(&outcome.verdict)), style);
    let note = safe::one_line(outcome.note.trim());
    if note.is_empty() {
        return vec![Line::from(head)];
    }
    let head = Span::styled(format!("{}: ", head.content), style);
    safe::hanging(head, &note, width, draw.text())
}

fn ended(end: RecipeEnd) -> (&'static str, Slot) {
    match end {
        RecipeEnd::Done => ("The recipe is done.", Slot::BlockDone),
        RecipeEnd::GaveUp => ("The recipe gave up.", Slot::StatusWarn),
        RecipeEnd::Limit => ("The recipe ended at its limit.", Slot::StatusWarn),
        RecipeEnd::Stopped => ("The recipe was stopped.", Slot::ChatNote),
    }
}
