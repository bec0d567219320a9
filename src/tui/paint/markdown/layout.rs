//! The events of the Markdown parser → lines. Block structure is a stack of prefixes: quotes and lists put theirs in
//! front of every line inside them.

use super::super::plain;
use super::super::wrap;
use super::inline::{Inline, prefixed};
use super::table::Table;
use crate::tui::theme::{Slot, Syntax, Theme};
use pulldown_cmark::{Event, Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;

/// Narrower than this (or a third of the width) nothing is indented any more.
pub const NARROWEST: usize = 4;
/// Deeper than this, quotes and lists add no more prefix: hostile nesting must not eat the width.
const DEEPEST: usize = 8;

/// A quote or list item around what comes.
#[derive(Clone, Debug)]
struct Level {
    /// In front of its first line: a bullet or number.
    first: String,
    /// In front of the others.
    rest: String,
    style: Style,
    /// Whether its first line was written.
    begun: bool,
}

/// Lays out one text.
pub struct Layout<'a> {
    theme: &'a Theme,
    width: usize,
    out: Vec<Line<'static>>,
    levels: Vec<Level>,
    /// Numbers of the lists that are open; `None` for bullets.
    lists: Vec<Option<u64>>,
    /// The number with which the first list begins, whatever it says itself.
    continued: Option<u64>,
    /// The number that the next item of the last top-level list would have.
    next_number: Option<u64>,
    inline: Inline,
    styles: Vec<Style>,
    link: Vec<(String, usize)>,
    table: Option<Table>,
    code: Option<String>,
    /// A blank line is due before the next block.
    gap: bool,
}

impl<'a> Layout<'a> {
    /// For lines of this width.
    pub fn new(width: usize, theme: &'a Theme) -> Self {
        Self {
            theme,
            width: width.max(2),
            out: Vec::new(),
            levels: Vec::new(),
            lists: Vec::new(),
            continued: None,
            next_number: None,
            inline: Inline::default(),
            styles: Vec::new(),
            link: Vec::new(),
            table: None,
            code: None,
            gap: false,
        }
    }

    /// The text begins inside a list, with an item of this number.
    pub fn continue_list(&mut self, number: Option<u64>) {
        self.continued = number;
    }

    /// The number that the next item of the last top-level list would have.
    pub fn next_number(&self) -> Option<u64> {
        self.next_number
    }

    /// The lines.
    pub fn finish(mut self) -> Vec<Line<'static>> {
        self.flush_inline();
        self.out
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_else(|| self.theme.style(Slot::UiText))
    }

    fn push_style(&mut self, change: impl FnOnce(Style) -> Style) {
        self.styles.push(change(self.style()));
    }

    fn target(&mut self) -> &mut Inline {
        match self.table.as_mut().and_then(Table::cell) {
            Some(cell) => cell,
            None => &mut self.inline,
        }
    }

    fn text(&mut self, text: &str, style: Style) {
        // Items of close lists hold text without a paragraph around it.
        if self.gap && self.table.is_none() && self.inline.is_empty() {
            self.block();
        }
        self.target().push(text, style);
    }

    /// Takes the next event.
    pub fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.text(&text, self.style()),
            },
            Event::Code(text) => {
                let style = self.style().patch(self.theme.syntax(Syntax::String));
                self.text(&text, style);
            }
            Event::SoftBreak => self.text(" ", self.style()),
            Event::HardBreak => self.text("\n", self.style()),
            Event::Html(text) => {
                for line in text.lines() {
                    self.text(line, self.style());
                    self.flush_inline();
                }
            }
            Event::InlineHtml(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.text(&text, self.style());
            }
            Event::Rule => {
                self.block();
                let columns = self.room().min(self.width);
                let rule = Line::styled("\u{2500}".repeat(columns), self.theme.style(Slot::UiBorder));
                self.line(rule);
                self.gap = true;
            }
            Event::TaskListMarker(done) => self.text(if done { "[x] " } else { "[ ] " }, self.style()),
            Event::FootnoteReference(name) => self.text(&format!("[{name}]"), self.style()),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.block(),
            Tag::Heading { level, .. } => {
                self.block();
                let title = self.theme.style(Slot::UiTitle);
                self.push_style(|style| style.patch(title));
                // The sign stays: headings differ without colours too.
                let sign = format!("{} ", "#".repeat(level as usize));
                self.text(&sign, self.style());
            }
            Tag::BlockQuote(_) => {
                self.block();
                let bar = self.theme.style(Slot::UiBorder);
                self.level("\u{2502} ".into(), "\u{2502} ".into(), bar);
                let dim = self.theme.style(Slot::UiDim);
                self.push_style(|style| style.patch(dim));
            }
            Tag::CodeBlock(_) => {
                self.flush_inline();
                self.code = Some(String::new());
            }
            Tag::List(start) => {
                self.flush_inline();
                if self.lists.is_empty() {
                    self.block();
                }
                // A list inside an item stands close, whether there is a blank line or not.
                self.gap = false;
                let continued = self.continued.take();
                self.lists.push(start.map(|number| continued.unwrap_or(number)));
            }
            Tag::Item => self.item(),
            Tag::Table(alignments) => {
                self.block();
                self.table = Some(Table::new(alignments));
            }
            Tag::TableHead => {
                if let Some(table) = &mut self.table {
                    table.row();
                }
                let title = self.theme.style(Slot::UiTitle);
                self.push_style(|style| style.patch(title));
            }
            Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.row();
                }
            }
            Tag::TableCell => {
                if let Some(table) = &mut self.table {
                    table.next_cell();
                }
            }
            Tag::Emphasis => self.push_style(|style| style.add_modifier(Modifier::ITALIC)),
            Tag::Strong => self.push_style(|style| style.add_modifier(Modifier::BOLD)),
            Tag::Strikethrough => self.push_style(|style| style.add_modifier(Modifier::CROSSED_OUT)),
            Tag::Link { dest_url, .. } => {
                let look = self.theme.style(Slot::ChatLink);
                let from = self.target().text().len();
                self.link.push((dest_url.into_string(), from));
                self.push_style(|style| style.patch(look));
            }
            Tag::Image { dest_url, .. } => {
                self.text("image ", self.style());
                let from = self.target().text().len();
                self.link.push((dest_url.into_string(), from));
                self.push_style(|style| style);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => {
                self.flush_inline();
                self.gap = true;
            }
            TagEnd::Heading(_) => {
                self.flush_inline();
                self.styles.pop();
                self.gap = true;
            }
            TagEnd::BlockQuote(_) => {
                self.flush_inline();
                self.levels.pop();
                self.styles.pop();
                self.gap = true;
            }
            TagEnd::CodeBlock => self.code_block(),
            TagEnd::List(_) => {
                self.flush_inline();
                let number = self.lists.pop().flatten();
                self.gap = self.lists.is_empty();
                if self.gap {
                    self.next_number = number;
                }
            }
            TagEnd::Item => {
                self.flush_inline();
                if self.levels.last().is_some_and(|level| !level.begun) {
                    self.line(Line::default());
                }
                self.levels.pop();
                // Items stand close together, loose lists too: a pane is small.
                self.gap = false;
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    let border = self.theme.style(Slot::UiBorder);
                    let mark = self.theme.mark();
                    for line in table.lines(self.room(), border, mark) {
                        self.line(line);
                    }
                }
                self.gap = true;
            }
            TagEnd::TableHead => {
                self.styles.pop();
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.styles.pop();
            }
            TagEnd::Link | TagEnd::Image => {
                self.styles.pop();
                self.end_link();
            }
            _ => {}
        }
    }

    /// Where a link leads is shown behind it, unless its text says the same.
    fn end_link(&mut self) {
        let Some((url, from)) = self.link.pop() else { return };
        let shown = self.target().text().get(from..).unwrap_or_default();
        if shown != url && format!("mailto:{shown}") != url {
            let look = self.theme.style(Slot::UiDim);
            self.text(&format!(" ({url})"), look);
        }
    }

    fn item(&mut self) {
        self.flush_inline();
        let marker = match self.lists.last_mut() {
            Some(Some(number)) => {
                let text = format!("{number}. ");
                *number = number.saturating_add(1);
                text
            }
            _ => "- ".into(),
        };
        let rest = " ".repeat(marker.len());
        let style = self.style();
        self.block();
        self.level(marker, rest, style);
    }

    fn level(&mut self, first: String, rest: String, style: Style) {
        let left = self.room().saturating_sub(plain::columns(&rest));
        let deep = self.levels.len() >= DEEPEST || left < NARROWEST.max(self.width / 3);
        let (first, rest) = if deep { (String::new(), String::new()) } else { (first, rest) };
        self.levels.push(Level { first, rest, style, begun: false });
    }

    /// Columns left for text inside the quotes and lists.
    fn room(&self) -> usize {
        let used: usize = self.levels.iter().map(|level| plain::columns(&level.rest)).sum();
        self.width.saturating_sub(used).max(2)
    }

    /// A block begins: what was before it ends, and the blank line that is due is written.
    fn block(&mut self) {
        self.flush_inline();
        if std::mem::take(&mut self.gap) && !self.out.is_empty() {
            let prefix = self.levels.iter().all(|level| level.begun);
            let line = if prefix { self.prefix_line(Line::default(), true) } else { Line::default() };
            self.out.push(line);
        }
    }

    fn line(&mut self, line: Line<'static>) {
        let line = self.prefix_line(line, false);
        self.out.push(line);
    }

    fn prefix_line(&mut self, line: Line<'static>, blank: bool) -> Line<'static> {
        if self.levels.is_empty() {
            return line;
        }
        let mut prefix = Vec::with_capacity(self.levels.len());
        for level in &mut self.levels {
            let text = if level.begun || blank { &level.rest } else { &level.first };
            level.begun |= !blank;
            prefix.push((text.clone(), level.style));
        }
        prefixed(&prefix, line)
    }

    fn flush_inline(&mut self) {
        if self.inline.is_empty() {
            return;
        }
        let inline = std::mem::take(&mut self.inline);
        for row in inline.rows(wrap::Options::prose(self.room(), self.theme.mark())) {
            self.line(row);
        }
    }

    /// Code that is only shown: indented, as it is, wrapped anywhere.
    fn code_block(&mut self) {
        let Some(code) = self.code.take().filter(|code| !code.is_empty()) else { return };
        self.block();
        self.gap = true;
        let style = self.theme.style(Slot::UiText).patch(self.theme.syntax(Syntax::Plain));
        let indent = if self.room() > NARROWEST { "  " } else { "" };
        let room = self.room() - indent.len();
        let indent = [(indent.to_string(), style)];
        let code = code.strip_suffix('\n').unwrap_or(&code);
        for text in code.split('\n') {
            for row in wrap::rows(text, &[(text.len(), style)], wrap::Options::code(room, self.theme.mark())) {
                self.line(prefixed(&indent, row.line));
            }
        }
    }
}
