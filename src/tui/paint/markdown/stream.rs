//! A text that grows, laid out incrementally.
//!
//! What lies before the last top-level block, and before the last item of a top-level list, can't change by more text:
//! its lines are kept. Inside an open fence lines are added as they come. Only the open end is parsed again. (A link
//! definition far below its use is seen only when the text is laid out as a whole, which is what happens when the
//! reply is finished.)

use super::super::wrap;
use super::inline::prefixed;
use super::layout::{self, Layout};
use super::OPTIONS;
use crate::tui::theme::{Slot, Syntax, Theme};
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use ratatui::text::Line;
use std::borrow::Cow;

/// What the kept lines were made for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    text: (u32, usize),
    width: u16,
    theme: (String, crate::tui::theme::Depth),
}

/// An open fence at the top level.
#[derive(Clone, Debug)]
struct Fence {
    /// Its character and how many of them open it.
    sign: u8,
    length: usize,
    /// Spaces in front of it; as many are taken off each line.
    indent: usize,
}

/// A growing text with its lines.
#[derive(Debug, Default)]
pub struct Stream {
    key: Option<Key>,
    rows: Vec<Line<'static>>,
    /// Lines of what can't change any more: so many of `rows`.
    settled: usize,
    /// The text behind this byte is still open.
    pub(super) open_at: usize,
    /// Whether a list goes on at `open_at`: its next item stands close to the one before.
    in_list: bool,
    /// The number of that item, where they are numbered.
    number: Option<u64>,
    fence: Option<Fence>,
    /// The blank line in front of the open fence is still to be written.
    gap_due: bool,
    /// How much of the text is in `rows`.
    length: usize,
    /// Whether something at all was settled (a blank line is due before the next block).
    begun: bool,
}

impl Stream {
    /// The text has grown (or is another one: `key` tells which text it is). Only what is new is looked at.
    pub fn update(&mut self, key: (u32, usize), text: &str, width: u16, theme: &Theme) {
        let key = Key { text: key, width, theme: (theme.name().to_string(), theme.depth()) };
        if self.key.as_ref() != Some(&key) || text.len() < self.length || !text.is_char_boundary(self.open_at) {
            *self = Self { key: Some(key), ..Self::default() };
        } else if text.len() == self.length {
            return;
        }
        self.length = text.len();
        self.rows.truncate(self.settled);
        let width = usize::from(width);
        loop {
            let before = self.open_at;
            if self.fence.is_some() {
                self.fenced_lines(text, width, theme);
            } else {
                self.settle_blocks(text, width, theme);
            }
            if self.open_at == before {
                break;
            }
        }
        self.settled = self.rows.len();
        self.open_end(text, width, theme);
    }

    /// The lines so far.
    pub fn rows(&self) -> &[Line<'static>] {
        &self.rows
    }

    /// Lays out and keeps what can't change any more; leaves `open_at` at what can.
    fn settle_blocks(&mut self, text: &str, width: usize, theme: &Theme) {
        // An unfinished line may still become anything: only whole lines tell where a block has ended.
        let open = text.get(self.open_at..).unwrap_or_default();
        let open = open.rfind('\n').and_then(|i| open.get(..=i)).unwrap_or_default();
        let parts = top_level(open);
        let Some(last) = parts.last() else { return };
        if let Some(fence) = open_fence(open.get(last.start..).unwrap_or_default()) {
            // The fence itself is settled: what comes inside it is added line by line.
            let head_end = open.get(last.start..).and_then(|s| s.find('\n')).map(|i| last.start + i + 1);
            if let Some(head_end) = head_end {
                self.settle(open.get(..last.start).unwrap_or_default(), width, theme, false);
                self.gap_due = true;
                self.in_list = false;
                self.number = None;
                self.fence = Some(fence);
                self.open_at += head_end;
                return;
            }
        }
        if last.start == 0 {
            return;
        }
        self.settle(open.get(..last.start).unwrap_or_default(), width, theme, last.in_list);
        self.open_at += last.start;
    }

    /// Lays out closed text and keeps its lines.
    fn settle(&mut self, closed: &str, width: usize, theme: &Theme, list_goes_on: bool) {
        let (new, number) = self.lay_out(closed, width, theme);
        if !new.is_empty() {
            self.gap();
            self.rows.extend(new);
            self.begun = true;
        }
        self.in_list = list_goes_on;
        self.number = number.filter(|_| list_goes_on);
    }

    /// The blank line between what is kept and what comes.
    fn gap(&mut self) {
        if self.begun && !self.in_list {
            self.rows.push(Line::default());
        }
    }

    /// Adds whole lines of an open fence; closes it when its end has come.
    fn fenced_lines(&mut self, text: &str, width: usize, theme: &Theme) {
        let Some(fence) = self.fence.clone() else { return };
        while let Some(line) = text.get(self.open_at..).and_then(|open| open.find('\n').and_then(|i| open.get(..i))) {
            self.open_at += line.len() + 1;
            if fence.is_closed_by(line) {
                self.fence = None;
                self.in_list = false;
                return;
            }
            if std::mem::take(&mut self.gap_due) {
                self.gap();
            }
            self.begun = true;
            code_rows(&fence.content(line), width, theme, &mut self.rows);
        }
    }

    /// Lays out what may still change.
    fn open_end(&mut self, text: &str, width: usize, theme: &Theme) {
        let open = text.get(self.open_at..).unwrap_or_default();
        if let Some(fence) = self.fence.clone() {
            if !open.is_empty() && !fence.is_closed_by(open) {
                if self.gap_due {
                    self.gap();
                }
                code_rows(&fence.content(open), width, theme, &mut self.rows);
            }
            return;
        }
        let (new, _) = self.lay_out(open, width, theme);
        if !new.is_empty() {
            self.gap();
            self.rows.extend(new);
        }
    }

    /// The lines of a part, and the number that the next item of its last list would have.
    fn lay_out(&self, text: &str, width: usize, theme: &Theme) -> (Vec<Line<'static>>, Option<u64>) {
        let mut layout = Layout::new(width, theme);
        layout.continue_list(self.number);
        for event in Parser::new_ext(text, OPTIONS) {
            layout.event(event);
        }
        let number = layout.next_number();
        (layout.finish(), number)
    }
}

/// A line of code that is only shown, as `Layout` shows it.
fn code_rows(text: &str, width: usize, theme: &Theme, rows: &mut Vec<Line<'static>>) {
    let style = theme.style(Slot::UiText).patch(theme.syntax(Syntax::Plain));
    let indent = if width > layout::NARROWEST { "  " } else { "" };
    let text = text.strip_suffix('\r').unwrap_or(text);
    let options = wrap::Options::code(width.saturating_sub(indent.len()), theme.mark());
    let indent = [(indent.to_string(), style)];
    rows.extend(wrap::rows(text, &[(text.len(), style)], options).into_iter().map(|r| prefixed(&indent, r.line)));
}

/// A part of a text that stands for itself: a top-level block, or an item of a top-level list.
struct Part {
    start: usize,
    /// An item that is not the first of its list.
    in_list: bool,
}

/// The parts of a text, in order.
fn top_level(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let (mut depth, mut list, mut items) = (0usize, false, 0usize);
    for (event, range) in Parser::new_ext(text, OPTIONS).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0 {
                    list = matches!(tag, Tag::List(_));
                    items = 0;
                }
                if (depth == 0 && !list) || (depth == 1 && list && matches!(tag, Tag::Item)) {
                    // The start of the line: an indent belongs to the block.
                    let start = text.get(..range.start).and_then(|t| t.rfind('\n')).map_or(0, |i| i + 1);
                    parts.push(Part { start, in_list: list && items > 0 });
                    items += 1;
                }
                depth += 1;
            }
            Event::End(TagEnd::MetadataBlock(_)) => {}
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::Rule if depth == 0 => parts.push(Part { start: range.start, in_list: false }),
            _ => {}
        }
    }
    parts
}

/// The fence at the start of a text, if one is there and not closed again.
fn open_fence(text: &str) -> Option<Fence> {
    let first = text.split('\n').next()?;
    let trimmed = first.trim_start_matches(' ');
    let indent = first.len() - trimmed.len();
    let sign = trimmed.bytes().next().filter(|b| *b == b'`' || *b == b'~')?;
    let length = trimmed.bytes().take_while(|b| *b == sign).count();
    let info = trimmed.get(length..)?;
    if indent > 3 || length < 3 || (sign == b'`' && info.contains('`')) {
        return None;
    }
    let fence = Fence { sign, length, indent };
    let closed = text.split('\n').skip(1).any(|line| fence.is_closed_by(line));
    (!closed).then_some(fence)
}

impl Fence {
    fn is_closed_by(&self, line: &str) -> bool {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let trimmed = line.trim_start_matches(' ');
        let signs = trimmed.bytes().take_while(|b| *b == self.sign).count();
        line.len() - trimmed.len() <= 3
            && signs >= self.length
            && trimmed.get(signs..).is_some_and(|rest| rest.trim_matches([' ', '\t']).is_empty())
    }

    /// The line without the indent of the fence; a tab that reaches beyond it leaves its rest as spaces.
    fn content<'a>(&self, line: &'a str) -> Cow<'a, str> {
        let spaces = line.bytes().take(self.indent).take_while(|b| *b == b' ').count();
        let rest = line.get(spaces..).unwrap_or(line);
        match rest.strip_prefix('\t') {
            Some(behind) if spaces < self.indent => {
                let over = 4 - self.indent;
                Cow::Owned(format!("{}{behind}", " ".repeat(over)))
            }
            _ => Cow::Borrowed(rest),
        }
    }
}
