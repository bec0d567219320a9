//! Draws the content of each mode of the code pane.

use super::subject::{PaneSubject, subject};
use super::{CodePane, Mode, writing};
use crate::domain::Grantor;
use crate::engine::transcript::{BlockItem, BlockStatus, RunItem};
use crate::engine::{BlockState, State};
use crate::tui::paint::canvas::Canvas;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::{safe, words};
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use std::collections::HashSet;

fn nothing(area: Rect, buf: &mut Canvas, draw: DrawContext<'_>) {
    let text =
        "No block waits. Code that the model proposes is shown here. Nothing runs until you approve it.";
    let text =
        if area.height >= 4 { text.replace(". ", ".\n").replacen('\n', "\n\n", 1) } else { text.to_owned() };
    buf.set_lines(area, &safe::wrap_words(&text, area.width.into(), draw.dim()));
}

impl CodePane {
    /// Draws the pane; returns where to put the cursor, if it has one.
    pub(crate) fn draw(&self, state: &State, buf: &mut Canvas, draw: DrawContext<'_>) -> Option<Position> {
        let area = self.area;
        match (&self.mode, subject(self, state)) {
            (Mode::Edit(_), _) => return self.draw_editor(buf, draw),
            (Mode::Queue(chosen), _) => queue(*chosen, state, area, buf, draw),
            (_, PaneSubject::Nothing) => nothing(area, buf, draw),
            (_, PaneSubject::Writing(_, proposed)) => writing::draw(buf, area, proposed, &self.colours, draw),
            (Mode::Diff(_), PaneSubject::Block(_)) => self.draw_diff(buf),
            (Mode::View, PaneSubject::Block(item)) => self.draw_block(item, state, buf, draw),
        }
        None
    }

    fn draw_diff(&self, buf: &mut Canvas) {
        let Some((_, diff)) = &self.diff else { return };
        buf.set_lines(self.area, diff.iter().skip(self.top));
    }

    fn draw_block(&self, item: &BlockItem, state: &State, buf: &mut Canvas, draw: DrawContext<'_>) {
        let Some(laid) = &self.layout else { return };
        let division = self.division();
        let code_end = self.area.bottom().saturating_sub(u16::try_from(self.footer.len()).unwrap_or(0));
        let below = Rect { y: code_end, height: self.area.bottom() - code_end, ..self.area };
        buf.set_lines(below, &self.footer);
        let mut y = self.area.y;
        let mut put = |row: &Line<'_>| {
            if y < code_end {
                buf.set_line(self.area.x, y, row, self.area.width);
                y += 1;
            }
        };
        if laid.rights.rows().is_empty() {
            put(&summary(item, state, draw));
        }
        let rights = laid.rights.rows();
        let (shown_rights, from) = if division.pinned > 0 {
            (rights, self.top)
        } else {
            (rights.get(self.top.min(rights.len())..).unwrap_or(&[]), self.top.saturating_sub(rights.len()))
        };
        shown_rights.iter().for_each(&mut put);
        let height = usize::from(self.area.height);
        let styles = |line: usize| self.colours.for_line(line, laid.doc.line(line));
        let edited = item.block.is_edited();
        let original: HashSet<&str> =
            if edited { item.block.original().source.lines().collect() } else { HashSet::default() };
        let changed = |line: usize| edited && !original.contains(laid.doc.line(line));
        for row in laid.doc.paint(from..from + height, draw, &styles, &changed) {
            put(&row);
        }
    }
}

/// The row above the code of a settled block that tells the outcome.
fn summary(item: &BlockItem, state: &State, draw: DrawContext<'_>) -> Line<'static> {
    let lines = words::count(words::line_count(&item.block.current().source), "line");
    let text = match (&item.status, item.runs.last()) {
        (BlockStatus::Approved, Some(run)) => approved(run, &lines, state.block_state(item), draw),
        (BlockStatus::Rejected(_) | BlockStatus::Declined(_) | BlockStatus::Skipped, _) => {
            format!("{lines}, not run")
        }
        _ => lines,
    };
    Line::styled(format!("  {text}"), draw.dim())
}

fn approved(run: &RunItem, lines: &str, state: BlockState, draw: DrawContext<'_>) -> String {
    let by = match run.by {
        Grantor::Person { typed: false } => "by you once".to_owned(),
        Grantor::Person { typed: true } => "by you once, with the word run".to_owned(),
        Grantor::CommandLine => "by being named".to_owned(),
        Grantor::Flag => "by --approve".to_owned(),
        Grantor::Rule(rule) => format!("by rule {rule}"),
        Grantor::Before => "by you, the same text before".to_owned(),
        Grantor::Plan => "by you, in a plan".to_owned(),
    };
    if state == BlockState::Running {
        return format!("{lines}, approved {by} at {}", draw.locale.second(run.approved_at));
    }
    let hash = run.sha256.to_string();
    let (head, tail) = (hash.get(..4).unwrap_or_default(), hash.get(62..).unwrap_or_default());
    format!("{lines}, approved {by}, text sha256 {head}..{tail}")
}

/// The list of waiting blocks.
fn queue(chosen: usize, state: &State, area: Rect, buf: &mut Canvas, draw: DrawContext<'_>) {
    let mut rows: Vec<Line<'static>> = Vec::new();
    let items: Vec<&BlockItem> = state.queue().collect();
    for (at, item) in items.iter().enumerate() {
        let mark = if at == chosen { "> " } else { "  " };
        let block_state = state.block_state(item);
        let source = &item.block.current().source;
        let gravest = state
            .inspected(item.block.id)
            .and_then(|i| i.review.gravest().map(|s| format!("{} {}", i.review.count(s), s.as_str())))
            .unwrap_or_default();
        let first = format!(
            "{mark}{}  {:<10} {:>3} {:<6} {gravest:<10} ",
            item.block.id,
            words::language_of(item),
            words::line_count(source),
            if words::line_count(source) == 1 { "line" } else { "lines" },
        );
        rows.push(Line::from(vec![
            Span::styled(first, draw.text()),
            Span::styled(format!("{:<12}", format!("[{block_state}]")), draw.block(block_state)),
            Span::styled(safe::one_line(words::first_line(source)), draw.dim()),
        ]));
    }
    if items.is_empty() {
        rows.push(Line::styled("No block waits.", draw.dim()));
    } else {
        rows.push(Line::default());
        rows.push(Line::styled("One block at a time, in order. Each needs its own decision.", draw.dim()));
        if let [first, second, ..] = items.as_slice() {
            let (a, b) = (first.block.id, second.block.id);
            let text = format!("Block {b} was written to follow block {a}: it may make no sense alone.");
            rows.push(Line::styled(text, draw.dim()));
        }
    }
    let from = crate::tui::widgets::filter::Cursor(chosen).window(usize::from(area.height));
    buf.set_lines(area, rows.iter().skip(from));
}
