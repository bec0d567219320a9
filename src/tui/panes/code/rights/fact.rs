//! A fact about the rights of a block: its label, its text, its style, and the rows that they take.

use super::super::detail::key_for_all;
use crate::domain::Severity;
use crate::tui::keymap::Key;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::safe;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::ops::Range;

/// The label of the fact about findings.
pub(super) const CHECK_LABEL: &str = "Check";

/// Replaces a space at which no row may be broken, while rows are made.
pub(super) const HELD_SPACE: char = '¤';

/// The columns of the label before each fact.
const LABEL_COLUMNS: usize = 11;

/// Facts that may share a row where rows are few. Their text is written by sayso, except for names of environment
/// variables and of layers, in which blanks are shown as a number; effects, refusals and the target always have rows of
/// their own.
const ROW_SHARING_LABELS: [&str; 4] = ["Network", "Limits", "Sandbox", CHECK_LABEL];

/// A fact: its label, its text, its style.
pub(super) struct Fact {
    pub(super) label: &'static str,
    pub(super) text: String,
    pub(super) style: Style,
    /// Whether it may share a row.
    pub(super) shares_row: bool,
    /// The text without the hint at the next key, which the key bar shows too.
    pub(super) without_key_hint: Option<String>,
    /// For two facts on one row: each of them.
    pub(super) parts: Vec<(&'static str, String)>,
}

impl Fact {
    pub(super) fn new(label: &'static str, text: String, style: Style) -> Self {
        Self {
            label,
            text,
            style,
            shares_row: ROW_SHARING_LABELS.contains(&label),
            without_key_hint: None,
            parts: Vec::new(),
        }
    }

    /// Two facts on one row, the second after `gap`, with its label.
    pub(super) fn two(
        first: (&'static str, String),
        gap: &str,
        second: (&'static str, String),
        style: Style,
    ) -> Self {
        let text = format!("{}{gap}{}  {}", first.1, second.0, second.1);
        Self { parts: vec![first.clone(), second], ..Self::new(first.0, text, style) }
    }

    /// Lays `text` out on rows, after the fact's label.
    pub(super) fn rows(&self, text: &str, width: usize, draw: DrawContext<'_>) -> Vec<Line<'static>> {
        let label =
            if self.label.is_empty() { String::new() } else { format!("{:<LABEL_COLUMNS$}", self.label) };
        // Never break before the key that shows the rest of a list.
        let kept = !text.contains(HELD_SPACE);
        let held = |text: &str, key: Key| {
            let text = text.replace(&format!(": {key}"), &format!(":{HELD_SPACE}{key}"));
            text.replace(&format!("; {key} all"), &format!("; {key}{HELD_SPACE}all"))
        };
        let text = key_for_all(draw).filter(|_| kept).map_or(text.to_owned(), |key| held(text, key));
        let mut rows = safe::hanging(Span::styled(label, draw.dim()), &text, width, self.style);
        for row in rows.iter_mut().filter(|_| kept) {
            row.spans.iter_mut().for_each(|span| span.content = span.content.replace(HELD_SPACE, " ").into());
        }
        let is_count = self.label == CHECK_LABEL && text.starts_with(|c: char| c.is_ascii_digit());
        if is_count { rows.into_iter().map(|row| with_severities(row, draw)).collect() } else { rows }
    }
}

/// Colours counts such as `1 high` by their severity.
fn with_severities(row: Line<'static>, draw: DrawContext<'_>) -> Line<'static> {
    let mut spans = Vec::new();
    for span in row.spans {
        let (text, mut from) = (span.content.as_ref(), 0);
        for severity in [Severity::High, Severity::Medium, Severity::Info] {
            let rest = text.get(from..).unwrap_or_default();
            let Some(at) = rest.find(severity.as_str()) else { continue };
            let before = rest.get(..at).unwrap_or_default().trim_end();
            let digits = before.bytes().rev().take_while(u8::is_ascii_digit).count();
            if digits == 0 {
                continue;
            }
            let (start, end) = (from + before.len() - digits, from + at + severity.as_str().len());
            let part = |range: Range<usize>| text.get(range).unwrap_or_default().to_owned();
            spans.push(Span::styled(part(from..start), span.style));
            spans.push(Span::styled(part(start..end), draw.severity(severity)));
            from = end;
        }
        spans.push(Span::styled(text.get(from..).unwrap_or_default().to_owned(), span.style));
    }
    Line::from(spans)
}
