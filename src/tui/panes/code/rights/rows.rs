//! Rights on fewer rows, where rows are few: short facts in sayso's own words share one, and nothing is left out.

use super::{NEXT_FINDING, Rights};
use crate::tui::theme::Slot;
use crate::tui::widgets::look::DrawStyle;
use ratatui::text::{Line, Span};

/// Between two facts on a row. No name holds as many blanks, and no fact stands behind a name.
const GAP: &str = "     ";

impl Rights {
    /// Lays them out on fewer rows: a short fact beside the one before it, and the rule behind the last one. What was
    /// worded by others has its rows for itself.
    pub(in crate::tui::panes::code) fn close_up(&mut self, width: u16, look: DrawStyle<'_>) {
        let width = usize::from(width);
        let rule = self.rows.pop().zip(self.see.pop());
        let ends = self.starts.iter().skip(1).map(|(start, ..)| *start).chain([self.rows.len()]);
        let facts: Vec<(usize, &str, bool)> = self
            .starts
            .iter()
            .zip(ends)
            .map(|((start, label, own), end)| (end - start, *label, *own))
            .collect();
        let (rows, see) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.see));
        let mut laid = rows.into_iter().zip(see);
        let (mut is_one, mut is_own) = (false, false);
        for (count, label, own) in facts {
            let joins = is_one && is_own && count == 1 && own;
            for (row, see) in laid.by_ref().take(count) {
                let last = self.rows.last_mut().zip(self.see.last_mut());
                match last.filter(|_| joins) {
                    Some((before, seen)) if let Some(joined) = beside(before, &row, label, width) => {
                        *before = joined;
                        seen.beside.push(see.extent);
                    }
                    _ => {
                        self.rows.push(row);
                        self.see.push(see);
                    }
                }
            }
            (is_one, is_own) = (count == 1, own);
        }
        let Some((rule, see)) = rule else { return };
        match self.rows.last_mut().zip(self.see.last_mut()) {
            Some((last, seen)) if is_own && last.width() + 3 < width => {
                let left = look.glyphs.horizontal.repeat(width - last.width() - 1);
                last.spans.extend([Span::raw(" "), Span::styled(left, look.style(Slot::UiBorder))]);
                seen.beside.push(see.extent);
            }
            _ => {
                self.rows.push(rule);
                self.see.push(see);
            }
        }
    }
}

/// A fact on the row of the one before it, where both fit.
fn beside(before: &Line<'static>, row: &Line<'static>, label: &str, width: usize) -> Option<Line<'static>> {
    let (first, text) = row.spans.split_first()?;
    let label = Span::styled(format!("{label}  "), first.style);
    let mut joined = before.clone();
    joined.spans.extend([Span::raw(GAP), label]);
    joined.spans.extend(text.iter().cloned());
    // The last row of the screen tells the key as well.
    if joined.width() > width {
        joined.spans.iter_mut().for_each(|span| span.content = span.content.replace(NEXT_FINDING, "").into());
    }
    (joined.width() <= width).then_some(joined)
}
