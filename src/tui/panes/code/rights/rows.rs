//! Closes up the rights where rows are few: short facts share a row, and nothing is left out.

use super::{FactStart, Rights};
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use ratatui::text::{Line, Span};

/// The gap between two facts on a row. No name can contain it: `safe::name` shows several blanks as a number.
const GAP: &str = "     ";

impl Rights {
    /// Puts each short fact on the row of the one before it, if both fit, and the rule after the last one. Effects,
    /// refusals and the target keep rows of their own.
    pub(in crate::tui::panes::code) fn compact(&mut self, width: u16, draw: DrawContext<'_>) {
        let width = usize::from(width);
        let rule = self.rows.pop().zip(self.subject_rows.pop());
        let ends: Vec<usize> =
            self.starts.iter().skip(1).map(|fact| fact.row).chain([self.rows.len()]).collect();
        let facts = std::mem::take(&mut self.starts);
        let (rows, subject_rows) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.subject_rows));
        let mut laid = rows.into_iter().zip(subject_rows);
        // Whether the fact before has a single row, and whether that may be shared with another.
        let (mut was_single, mut was_shareable) = (false, false);
        for (fact, end) in facts.into_iter().zip(ends) {
            let count = end - fact.row;
            let joins = was_single && was_shareable && count == 1 && fact.shares_row;
            for (row, subject_row) in laid.by_ref().take(count) {
                let last = self.rows.last_mut().zip(self.subject_rows.last_mut());
                match last.filter(|_| joins) {
                    Some((before, seen)) if let Some(joined) = fact.beside(before, &row, width) => {
                        *before = joined;
                        seen.beside.push(subject_row.extent);
                    }
                    _ => {
                        self.rows.push(row);
                        self.subject_rows.push(subject_row);
                    }
                }
            }
            (was_single, was_shareable) = (count == 1, fact.shares_row);
        }
        let Some((rule, subject_row)) = rule else { return };
        match self.rows.last_mut().zip(self.subject_rows.last_mut()) {
            Some((last, seen)) if was_shareable && last.width() + 3 < width => {
                let left = draw.glyphs.border.horizontal.repeat(width - last.width() - 1);
                last.spans.extend([Span::raw(" "), Span::styled(left, draw.style(Slot::UiBorder))]);
                seen.beside.push(subject_row.extent);
            }
            _ => {
                self.rows.push(rule);
                self.subject_rows.push(subject_row);
            }
        }
    }
}

impl FactStart {
    /// The fact appended to the row of the one before it, if both fit; without the hint at the next key if they only
    /// fit so.
    fn beside(&self, before: &Line<'static>, row: &Line<'static>, width: usize) -> Option<Line<'static>> {
        [Some(row), self.without_key_hint.as_ref()].into_iter().flatten().find_map(|row| {
            let (first, text) = row.spans.split_first()?;
            let label = Span::styled(format!("{}  ", self.label), first.style);
            let mut joined = before.clone();
            joined.spans.extend([Span::raw(GAP), label]);
            joined.spans.extend(text.iter().cloned());
            (joined.width() <= width).then_some(joined)
        })
    }
}
