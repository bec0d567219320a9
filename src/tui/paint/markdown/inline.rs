//! Inline text of a paragraph, heading or cell: runs of styled text with line breaks, wrapped to a width.

use super::super::plain::Spans;
use super::super::wrap;
use ratatui::style::Style;
use ratatui::text::Line;

/// Styled text that is collected before it is wrapped.
#[derive(Clone, Debug, Default)]
pub struct Inline {
    text: String,
    /// Runs as (end byte, look).
    runs: Vec<(usize, Style)>,
}

impl Inline {
    /// Adds text; a line feed in it is a line break.
    pub fn push(&mut self, text: &str, style: Style) {
        if text.is_empty() {
            return;
        }
        self.text.push_str(text);
        match self.runs.last_mut() {
            Some((end, look)) if *look == style => *end = self.text.len(),
            _ => self.runs.push((self.text.len(), style)),
        }
    }

    /// Adds what another one holds.
    pub fn append(&mut self, other: &Inline) {
        let mut from = 0;
        for (end, style) in &other.runs {
            self.push(other.text.get(from..*end).unwrap_or_default(), *style);
            from = *end;
        }
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The text that is not styled.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its rows.
    pub fn rows(&self, options: wrap::Options) -> Vec<Line<'static>> {
        let mut out = Vec::new();
        let mut at = 0;
        for part in self.text.split('\n') {
            let end = at + part.len();
            let runs: Vec<(usize, Style)> = self
                .runs
                .iter()
                .filter(|(e, _)| *e > at)
                .map(|(e, style)| ((*e).min(end) - at, *style))
                .collect();
            out.extend(wrap::rows(part, &runs, options).into_iter().map(|row| row.line));
            at = end + 1;
        }
        out
    }
}

/// Puts a prefix in front of a line.
pub fn prefixed(prefix: &[(String, Style)], line: Line<'static>) -> Line<'static> {
    let mut spans = Spans::default();
    for (text, style) in prefix {
        spans.push(text, *style);
    }
    let mut whole = spans.finish();
    whole.spans.extend(line.spans);
    whole
}
