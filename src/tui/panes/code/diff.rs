//! What changed in a block, line by line: against what the model wrote, or against what ran last.

use super::doc;
use crate::engine::transcript::BlockItem;
use crate::tui::theme::Slot;
use crate::tui::widgets::look::Look;
use crate::tui::widgets::safe;
use ratatui::text::{Line, Span};
use similar::{ChangeTag, TextDiff};

/// What a block is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffBase {
    /// What the model wrote.
    Model,
    LastRun,
}

/// The comparison on rows.
#[derive(Debug)]
pub(crate) struct Diff {
    rows: Vec<Line<'static>>,
}

/// The older text to compare with, where it is another.
pub(crate) fn older(item: &BlockItem, against: DiffBase) -> Option<&str> {
    let now = &item.block.current().source;
    let old = match against {
        DiffBase::Model => &item.block.original().source,
        DiffBase::LastRun => &item.block.version(item.runs.last()?.revision)?.source,
    };
    (old != now).then_some(old.as_ref())
}

impl Diff {
    /// Compares and lays out for so many columns.
    pub(crate) fn new(item: &BlockItem, against: DiffBase, width: u16, look: Look<'_>) -> Self {
        let old = older(item, against).unwrap_or_else(|| item.block.current().source.as_ref());
        let new = item.block.current().source.as_ref();
        let compared = TextDiff::from_lines(old, new);
        let what = match against {
            DiffBase::Model => "- what the model wrote   + yours",
            DiffBase::LastRun => "- what ran last   + now",
        };
        let mut rows = vec![Line::styled(what, look.dim()), Line::default()];
        let lines = doc::split(old).len().max(doc::split(new).len());
        let room = usize::from(width).saturating_sub(doc::gutter(lines)).max(1);
        for (number, group) in compared.grouped_ops(3).iter().enumerate() {
            if number > 0 {
                rows.push(Line::styled("...", look.dim()));
            }
            for change in group.iter().flat_map(|op| compared.iter_changes(op)) {
                let (sign, style) = match change.tag() {
                    ChangeTag::Delete => ("-", look.style(Slot::DiffDel)),
                    ChangeTag::Insert => ("+", look.style(Slot::DiffAdd)),
                    ChangeTag::Equal => (" ", look.text()),
                };
                let index = change.new_index().or(change.old_index()).unwrap_or(0);
                let text = change.value();
                let text = text.strip_suffix('\n').unwrap_or(text);
                for (part, row) in
                    safe::code(text, &[], style, room, look.theme.mark()).into_iter().enumerate()
                {
                    let mut spans = doc::gutter_of(index, lines, part > 0, None, false, look);
                    if let Some(first) = spans.first_mut() {
                        *first = Span::styled(format!("{sign} "), style);
                    }
                    spans.extend(row.line.spans);
                    rows.push(Line::from(spans));
                }
                if change.missing_newline() {
                    rows.push(Line::styled("        (no newline at the end)", look.dim()));
                }
            }
        }
        Self { rows }
    }

    pub(crate) fn rows(&self) -> &[Line<'static>] {
        &self.rows
    }
}
