//! Turns the events of the Markdown parser into rows, in one pass; a stack of prefixes holds the surrounding
//! quotes and lists.

mod inline_text;

use super::MarkdownStyle;
use super::table::TableLayout;
use crate::tui::paint::glyphs;
use crate::tui::paint::hyperlinks::Hyperlinks;
use crate::tui::paint::strokes::Strokes;
use crate::tui::paint::wrap::{self, WrapOptions};
use crate::tui::theme::{Slot, Syntax, Theme};
use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

/// A text gets at least so many columns, however deeply it is nested.
const MIN_COLUMNS: usize = 8;

/// What a quote or list item puts before its rows: on the first row, and on the rows below.
struct Prefix {
    first: Option<String>,
    rest: String,
    style: Style,
}

pub(super) struct Layout<'t> {
    theme: &'t Theme,
    strokes: &'static Strokes,
    links: &'t Hyperlinks,
    width: usize,
    rows: Vec<Line<'static>>,
    prefixes: Vec<Prefix>,
    /// For each list the number of its next item, or none for bullets.
    lists: Vec<Option<u64>>,
    /// The text of the paragraph (or heading, or cell) so far, and its styles as (end byte, style).
    text: String,
    looks: Vec<(usize, Style)>,
    styles: Vec<Style>,
    open_links: Vec<(String, usize)>,
    code: Option<String>,
    table: Option<TableLayout>,
    /// A blank row is due before the next block.
    gap: bool,
    /// That blank row; it is drawn only together with the next row of content.
    due: Option<Line<'static>>,
}

impl<'t> Layout<'t> {
    pub(super) fn new(width: u16, style: MarkdownStyle<'t>, links: &'t Hyperlinks) -> Self {
        Self {
            theme: style.theme,
            strokes: style.strokes,
            links,
            width: usize::from(width).max(MIN_COLUMNS),
            rows: Vec::new(),
            prefixes: Vec::new(),
            lists: Vec::new(),
            text: String::new(),
            looks: Vec::new(),
            styles: Vec::new(),
            open_links: Vec::new(),
            code: None,
            table: None,
            gap: false,
            due: None,
        }
    }

    pub(super) fn finish(mut self) -> Vec<Line<'static>> {
        self.flush();
        self.rows
    }

    pub(super) fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.push(&text, self.style()),
            },
            Event::Code(text) => self.push(&text, self.style().patch(self.theme.syntax(Syntax::String))),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::InlineHtml(text) => {
                self.push(&text, self.style());
            }
            Event::Html(text) => self.push(&text, self.dim()),
            Event::SoftBreak => self.push(" ", self.style()),
            Event::HardBreak => self.push("\n", self.style()),
            Event::Rule => {
                self.block();
                let rule = self.strokes.horizontal.repeat(self.room());
                self.row(Line::styled(rule, self.theme.style(Slot::UiBorder)));
                self.gap = true;
            }
            Event::TaskListMarker(done) => self.push(if done { "[x] " } else { "[ ] " }, self.style()),
            Event::FootnoteReference(name) => self.push(&format!("[{name}]"), self.style()),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.block(),
            Tag::Heading { level, .. } => {
                self.block();
                self.styles.push(self.heading(level));
            }
            Tag::BlockQuote(_) => {
                self.block();
                let style = self.theme.style(Slot::UiBorder);
                let rest = format!("{} ", self.strokes.vertical);
                self.prefixes.push(Prefix { first: None, rest, style });
            }
            Tag::CodeBlock(kind) => {
                self.block();
                self.code = Some(String::new());
                if let CodeBlockKind::Fenced(info) = kind
                    && !info.trim().is_empty()
                {
                    self.row(Line::styled(glyphs::clean(info.trim()).into_owned(), self.dim()));
                }
            }
            Tag::List(first) => {
                if self.lists.is_empty() {
                    self.block();
                } else {
                    self.flush();
                }
                self.lists.push(first);
            }
            Tag::Item => self.item(),
            Tag::Table(alignments) => {
                self.block();
                self.table = Some(TableLayout::with(alignments));
            }
            Tag::TableRow | Tag::TableHead => self.table.iter_mut().for_each(TableLayout::begin_row),
            Tag::Emphasis => self.styles.push(Style::new().add_modifier(Modifier::ITALIC)),
            Tag::Strong => self.styles.push(Style::new().add_modifier(Modifier::BOLD)),
            Tag::Strikethrough => self.styles.push(Style::new().add_modifier(Modifier::CROSSED_OUT)),
            Tag::Link { link_type, dest_url, .. } | Tag::Image { link_type, dest_url, .. } => {
                self.begin_link(link_type, &dest_url);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.close(),
            TagEnd::Heading(_) => {
                self.close();
                self.styles.pop();
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.prefixes.pop();
                self.gap = true;
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
                self.gap = self.lists.is_empty();
            }
            TagEnd::Item => {
                self.flush();
                self.prefixes.pop();
                self.gap = false;
            }
            TagEnd::TableCell => self.end_cell(),
            TagEnd::Table => self.end_table(),
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.styles.pop();
            }
            TagEnd::Link | TagEnd::Image => self.end_link(),
            _ => {}
        }
    }

    fn item(&mut self) {
        self.flush();
        let depth = self.lists.len();
        let marker = match self.lists.last_mut() {
            Some(Some(number)) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            _ if depth.is_multiple_of(2) => "* ".into(),
            _ => "- ".into(),
        };
        let rest = " ".repeat(marker.len());
        self.prefixes.push(Prefix { first: Some(marker), rest, style: self.theme.style(Slot::UiText) });
    }

    fn end_code(&mut self) {
        let code = self.code.take().unwrap_or_default();
        let options = WrapOptions::code(self.room().saturating_sub(2), self.theme.mark());
        let style = self.theme.style(Slot::UiText).patch(self.theme.syntax(Syntax::String));
        let bar = Span::styled("  ", self.theme.style(Slot::UiBorder));
        for line in code.lines() {
            for row in wrap::rows(line, &[(line.len(), style)], options) {
                let mut line = row.line;
                line.spans.insert(0, bar.clone());
                self.row(line);
            }
        }
        self.gap = true;
    }

    fn end_cell(&mut self) {
        let text = std::mem::take(&mut self.text);
        let looks = self.take_looks(&text);
        if let Some(table) = &mut self.table {
            table.cell(text, looks);
        }
    }

    fn end_table(&mut self) {
        let Some(table) = self.table.take() else { return };
        let room = self.room();
        for row in table.rows(room, self.strokes.horizontal, self.theme) {
            self.row(row);
        }
        self.gap = true;
    }

    /// Begins a block: ends the one before, with a blank row between them.
    fn block(&mut self) {
        self.flush();
        if std::mem::take(&mut self.gap) && !self.rows.is_empty() {
            let blank = self.prefixed(Line::default(), false);
            // If nothing was drawn since the last blank row became due, keep the one with the fewer prefixes:
            // it belongs outside the quotes and lists entered since.
            let outer = self.due.take().filter(|due| due.spans.len() <= blank.spans.len());
            self.due = Some(outer.unwrap_or(blank));
        }
    }

    fn close(&mut self) {
        self.flush();
        self.gap = true;
    }

    /// Lays out the text so far.
    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        let looks = self.take_looks(&text);
        let options = WrapOptions::prose(self.room(), self.theme.mark());
        let mut start = 0;
        // A line break at the end starts no new line.
        for line in text.strip_suffix('\n').unwrap_or(&text).split('\n') {
            if text.is_empty() {
                break;
            }
            let end = start + line.len();
            let runs: Vec<(usize, Style)> = looks
                .iter()
                .filter(|(to, _)| *to > start)
                .map(|(to, style)| (to.min(&end) - start, *style))
                .collect();
            for row in wrap::rows(line, &runs, options) {
                self.row(row.line);
            }
            start = end + 1;
        }
    }

    /// The columns left for a text inside all quotes and lists.
    fn room(&self) -> usize {
        let taken: usize = self.prefixes.iter().map(|p| p.rest.chars().count()).sum();
        self.width.saturating_sub(taken).max(MIN_COLUMNS.min(self.width))
    }

    fn row(&mut self, line: Line<'static>) {
        let line = self.prefixed(line, true);
        self.rows.extend(self.due.take());
        self.rows.push(line);
    }

    /// Puts the prefixes before a row; the marker of an item only before its first row.
    fn prefixed(&mut self, mut line: Line<'static>, text: bool) -> Line<'static> {
        let mut spans = Vec::with_capacity(self.prefixes.len() + line.spans.len());
        for prefix in &mut self.prefixes {
            let marker = if text { prefix.first.take() } else { None };
            spans.push(Span::styled(marker.unwrap_or_else(|| prefix.rest.clone()), prefix.style));
        }
        spans.append(&mut line.spans);
        Line { spans, ..line }
    }
}
