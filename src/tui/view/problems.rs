//! What went wrong and what can be done about it; shown in the lower pane instead of the output.

use crate::domain::sentences::{network, sending};
use crate::domain::{FailureKind, ReplyFailure};
use crate::engine::state::Question;
use crate::engine::{Phase, State};
use crate::text::number::dollars;
use crate::tui::action::Action;
use crate::tui::keymap::{Context, Keymap};
use crate::tui::paint::canvas::Canvas;
use crate::tui::problem_keys::{FailureKey, failure_keys, question_keys};
use crate::tui::screen::Screen;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::{safe, words};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// One or two words.
    pub(crate) name: &'static str,
    pub(crate) text: String,
    /// What can be done, as keys.
    pub(crate) keys: String,
}

/// `r retry   m model   e end here`, with the keys that are bound.
fn keys_text(bound: &[(FailureKey, &str)], keymap: &Keymap) -> String {
    let keys = bound.iter().filter_map(|(way, label)| {
        let key = match way {
            FailureKey::Action(action) => keymap.hint(Context::Problems, *action),
            FailureKey::Letter(letter) => (*letter).to_owned(),
        };
        (!key.is_empty()).then(|| format!("{key} {label}"))
    });
    keys.collect::<Vec<_>>().join("   ")
}

/// All current problems, the newest first.
pub(crate) fn problems(screen: &Screen, state: &State, draw: DrawContext<'_>) -> Vec<Problem> {
    let mut list = Vec::new();
    match &state.phase {
        Phase::Stuck(failure) => {
            list.push(of_failure(failure, screen.place_of_message(state), &screen.keymap));
        }
        Phase::Asking(question) => list.push(of_question(question)),
        Phase::Replying(_) | Phase::Compacting(_) => list.extend(retry(state, draw)),
        _ => {}
    }
    if let Some(text) = state.unsaved() {
        let (name, keys) = if state.live.reads_only {
            ("reading only", String::new())
        } else {
            ("disk", keys_text(&[(FailureKey::Action(Action::ProblemRetry), "retry")], &screen.keymap))
        };
        list.push(Problem { name, text: safe::one_line(&text), keys });
    }
    list
}

/// The wait before a request is sent again.
pub(crate) fn retry(state: &State, draw: DrawContext<'_>) -> Option<Problem> {
    let live = &state.live;
    let of_reply = live.reply.as_ref().and_then(|reply| reply.retry.as_ref());
    let of_summary = live.summary.as_ref().and_then(|summary| summary.retry.as_ref());
    let retry = of_reply.or(of_summary)?;
    let seconds = retry.due.since(draw.now).div_ceil(1000);
    let what = match retry.failure.kind {
        FailureKind::RateLimit => "Rate limit.".to_owned(),
        _ => safe::one_line(&retry.failure.message),
    };
    Some(Problem {
        name: name(retry.failure.kind),
        text: format!(
            "{what} Next try in {seconds} s ({} of {}). Ctrl-C stops waiting.",
            retry.attempt, retry.of
        ),
        keys: String::new(),
    })
}

fn of_failure(failure: &ReplyFailure, place: Option<&str>, keymap: &Keymap) -> Problem {
    let keys = keys_text(failure_keys(failure.kind), keymap);
    let hint = safe::one_line(&failure.hint);
    let said = safe::one_line(&failure.message);
    // After a partial reply, the failure's message is about that; where the prompt is does not matter then.
    let place = place.filter(|_| failure.kind != FailureKind::Cut).map(|place| format!(" {place}"));
    let text = format!("{said}{}", place.unwrap_or_default());
    Problem {
        name: name(failure.kind),
        text: if hint.is_empty() || text.contains(&hint) { text } else { format!("{text} {hint}") },
        keys,
    }
}

fn of_question(question: &Question) -> Problem {
    let (name, text) = match question {
        Question::StepLimit(steps) => {
            ("steps", format!("{} taken for this message. Go on?", words::count(*steps as usize, "step")))
        }
        Question::Repeated(block, times) => {
            ("repeated", format!("The model proposed block {block} {times} times. Go on?"))
        }
        Question::Form(form) => {
            let title = safe::one_line(form.title.trim());
            ("recipe asks", if title.is_empty() { "It waits for your answers.".into() } else { title })
        }
        Question::Budget { spent, limit } => {
            ("budget", sending::over_budget(&dollars(*spent), &dollars(*limit)))
        }
    };
    let keys = question_keys(question).map(|(key, does)| format!("{key} {does}")).join("   ");
    Problem { name, text, keys }
}

fn name(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::NameNotFound | FailureKind::Unreachable | FailureKind::Tls => network::NO_NETWORK,
        FailureKind::TimedOut => "no answer",
        FailureKind::NoKey => "no key",
        FailureKind::Refused => "401",
        FailureKind::NotFound => "404",
        FailureKind::RateLimit => "429",
        FailureKind::Overflow => "context full",
        FailureKind::NoTools => "no tools",
        FailureKind::Server => "server",
        FailureKind::BadRequest => "400",
        FailureKind::Cut => "cut",
        FailureKind::Malformed | FailureKind::NotAModel => "not a model",
        FailureKind::NoReply => "no reply",
        FailureKind::SessionUnreadable => "not read",
    }
}

pub(crate) fn draw(screen: &Screen, state: &State, area: Rect, buf: &mut Canvas, draw: DrawContext<'_>) {
    let chosen = screen.problem;
    let mut rows: Vec<Line<'static>> = Vec::new();
    let list = problems(screen, state, draw);
    for (at, problem) in list.iter().enumerate() {
        let mark = match (list.len() > 1, at == chosen.min(list.len() - 1)) {
            (true, true) => "> ",
            (true, false) => "  ",
            (false, _) => "",
        };
        let head = Span::styled(format!("{mark}{:<13}", problem.name), draw.style(Slot::StatusError));
        rows.extend(safe::hanging(head, &problem.text, area.width.into(), draw.text()));
        if !problem.keys.is_empty() {
            let indent = mark.len() + 13;
            rows.push(Line::styled(
                format!("{:indent$}{}", "", problem.keys),
                draw.style(Slot::UiKeybarText),
            ));
        }
    }
    if list.is_empty() {
        rows.push(Line::styled("No problems.", draw.dim()));
    }
    buf.set_lines(area, &rows);
}
