//! What changed in a block, line by line, since the model wrote it or since it ran last.

use super::doc::changed_words::{DiffLook, WORDS_TIMEOUT, marked};
use super::doc::{self, Gutter};
use super::highlight::Colours;
use crate::domain::file_texts;
use crate::domain::visible::visible_line;
use crate::engine::transcript::BlockItem;
use crate::text::diff::{ChangeTag, DiffOp, LineComparison};
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::safe;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::time::Instant;

/// What a block is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffBase {
    /// The text that the model wrote.
    Model,
    LastRun,
}

/// The older text to compare with, if it differs.
pub(crate) fn older(item: &BlockItem, against: DiffBase) -> Option<&str> {
    let now = &item.block.current().source;
    let old = match against {
        DiffBase::Model => &item.block.original().source,
        DiffBase::LastRun => &item.block.version(item.runs.last()?.revision)?.source,
    };
    (old != now).then_some(old.as_ref())
}

/// Compares the texts and lays the result out.
pub(super) fn rows(
    item: &BlockItem,
    against: DiffBase,
    width: u16,
    colours: &Colours,
    draw: DrawContext<'_>,
) -> Vec<Line<'static>> {
    let old = older(item, against).unwrap_or_else(|| item.block.current().source.as_ref());
    let new = item.block.current().source.as_ref();
    let what = match against {
        DiffBase::Model => "- what the model wrote   + yours",
        DiffBase::LastRun => "- what ran last   + now",
    };
    let mut rows = vec![Line::styled(what, draw.dim()), Line::default()];
    let lines = doc::split(old).len().max(doc::split(new).len());
    let room = usize::from(width).saturating_sub(doc::gutter_width(lines)).max(1);
    let layout = DiffLayout { colours, lines, room, width, draw };
    let until = Instant::now() + doc::DIFF_TIMEOUT;
    for (before, after) in file_texts::pairs_of(&item.block.kind, old, new) {
        let (old, new) = (before.text(old), after.text(new));
        if let Some(path) = after.path.as_ref().filter(|_| old != new) {
            let head = file_texts::head(&visible_line(path));
            rows.push(Line::styled(head.trim_end().to_owned(), draw.style(Slot::UiTitle)));
        }
        rows.extend(layout.file_rows(old, new, after.first(), until));
    }
    rows
}

/// How the rows of a comparison are laid out.
#[derive(Clone, Copy)]
struct DiffLayout<'a> {
    colours: &'a Colours,
    /// The line count of the longer text, which determines the width of the numbers.
    lines: usize,
    /// The columns beside the gutter.
    room: usize,
    /// The columns of the pane.
    width: u16,
    draw: DrawContext<'a>,
}

impl DiffLayout<'_> {
    /// The rows of one file, whose lines start at `from` in the whole text. After `until`, no more time is spent on
    /// looking for shorter changes.
    fn file_rows(self, old: &str, new: &str, from: usize, until: Instant) -> Vec<Line<'static>> {
        let DiffLayout { colours, lines, room, width, draw } = self;
        let mut rows = Vec::new();
        let compared = LineComparison::new(old, new, Some(until));
        let words = |op: &DiffOp| compared.lines_with_words(op, Some(Instant::now() + WORDS_TIMEOUT));
        for (number, group) in compared.hunks(3).iter().enumerate() {
            if number > 0 {
                rows.push(Line::styled("...", draw.dim()));
            }
            for change in group.iter().flat_map(words) {
                let index = change.new.or(change.old).unwrap_or(0);
                // Colours exist for the text that the pane shows, which is the newer one.
                let syntax = change
                    .new
                    .and_then(|line| colours.for_line(from + line, change.text()))
                    .unwrap_or_default();
                let (sign, diff) = match change.tag {
                    ChangeTag::Delete => ("-", Some(DiffLook::of(Slot::DiffDel, draw))),
                    ChangeTag::Insert => ("+", Some(DiffLook::of(Slot::DiffAdd, draw))),
                    ChangeTag::Equal => (" ", None),
                };
                let (styles, base, tint) = match &diff {
                    Some(diff) => (marked(&syntax, &change.words, diff.word), diff.text, diff.tint),
                    None => (syntax, draw.text(), Style::new()),
                };
                let laid = safe::code(change.text(), &styles, base, room, draw.theme.mark());
                for (part, row) in laid.into_iter().enumerate() {
                    let gutter = Gutter { goes_on: part > 0, ..Gutter::new(index, lines) };
                    let mut spans = gutter.spans(draw);
                    if let Some(first) = spans.first_mut() {
                        let style = diff.as_ref().map_or(draw.text(), |diff| diff.sign);
                        *first = Span::styled(format!("{sign} "), style);
                    }
                    spans.extend(row.line.spans);
                    rows.push(doc::tinted(spans, tint, width));
                }
                if !change.is_ended() {
                    rows.push(Line::styled("        (no newline at the end)", draw.dim()));
                }
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::theme::{Depth, Theme};
    use crate::tui::widgets::draw_context::with_draw_context;
    use std::time::Duration;

    #[test]
    fn behind_its_time_a_comparison_looks_into_nothing() {
        let text = |ends: &str| format!("{ends}\n1\n2\n{ends}\n");
        let rows = |until: Instant| {
            let (old, new, colours) = (text("x"), text("y"), Colours::default());
            with_draw_context(&Theme::terminal(Depth::Mono), |draw| {
                let layout = DiffLayout { colours: &colours, lines: 4, room: 80, width: 90, draw };
                layout.file_rows(&old, &new, 0, until).len()
            })
        };
        let now = Instant::now();
        assert_eq!(rows(now + Duration::from_secs(60)), 6);
        assert_eq!(rows(now), 8);
    }
}
