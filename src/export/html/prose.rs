//! The model's Markdown as HTML. Tags that it wrote are shown as text; links and pictures are words with their address
//! behind them, which leads nowhere by itself.

use super::code::Colours;
use super::escaped;
use crate::domain::visible::visible;
use pulldown_cmark::{Alignment, CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::fmt::Write as _;

pub(super) fn html(text: &str, colours: &mut Colours) -> String {
    let text = visible(text);
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut page = ProsePage {
        html: String::new(),
        colours,
        code: None,
        addresses: Vec::new(),
        table: HtmlTable::default(),
    };
    for event in Parser::new_ext(&text, options) {
        page.add(event);
    }
    page.html
}

struct ProsePage<'a> {
    html: String,
    colours: &'a mut Colours,
    /// The language and text of the code that goes on.
    code: Option<(String, String)>,
    /// Of the links and pictures that are open.
    addresses: Vec<String>,
    table: HtmlTable,
}

#[derive(Default)]
struct HtmlTable {
    columns: Vec<Alignment>,
    in_head: bool,
    cell: usize,
}

impl ProsePage<'_> {
    fn add(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.html.push_str(&escaped(&text)),
            },
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                let _ = write!(self.html, "<code>{}</code>", escaped(&text));
            }
            Event::Html(text) | Event::InlineHtml(text) | Event::FootnoteReference(text) => {
                self.html.push_str(&escaped(&text));
            }
            Event::SoftBreak => self.html.push('\n'),
            Event::HardBreak => self.html.push_str("<br>\n"),
            Event::Rule => self.html.push_str("<hr>\n"),
            Event::TaskListMarker(done) => self.html.push_str(if done { "☑ " } else { "☐ " }),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::CodeBlock(kind) => {
                let language = match kind {
                    CodeBlockKind::Fenced(info) => {
                        info.split([' ', ',']).next().unwrap_or_default().to_owned()
                    }
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.addresses.push(dest_url.to_string());
            }
            Tag::Table(columns) => {
                self.table = HtmlTable { columns, ..HtmlTable::default() };
                self.html.push_str("<table>\n");
            }
            Tag::TableHead => {
                self.table.in_head = true;
                self.row();
            }
            Tag::TableRow => self.row(),
            Tag::TableCell => self.cell(),
            Tag::List(Some(first)) => {
                let _ = writeln!(self.html, "<ol start=\"{first}\">");
            }
            Tag::HtmlBlock => self.html.push_str("<p class=\"text\">"),
            // The headings of the page stand above those of its parts.
            Tag::Heading { level, .. } => {
                let _ = write!(self.html, "<h{}>", (level as u8).saturating_add(2).min(6));
            }
            tag => {
                if let Some(name) = name(tag.to_end()) {
                    let _ = write!(self.html, "<{name}>");
                }
            }
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::CodeBlock => {
                if let Some((language, code)) = self.code.take() {
                    let code = self.colours.html(&language, &code);
                    let _ = writeln!(self.html, "<pre class=\"code\"><code>{code}</code></pre>");
                }
            }
            TagEnd::Link | TagEnd::Image => {
                let address = self.addresses.pop().unwrap_or_default();
                // An address that is its own words is told once.
                if !address.is_empty() && !self.html.ends_with(&escaped(&address)) {
                    let _ = write!(self.html, " <span class=\"address\">({})</span>", escaped(&address));
                }
            }
            TagEnd::Table => self.html.push_str("</table>\n"),
            TagEnd::TableHead => {
                self.html.push_str("</tr>\n");
                self.table.in_head = false;
            }
            TagEnd::TableRow => self.html.push_str("</tr>\n"),
            TagEnd::TableCell => self.html.push_str(if self.table.in_head { "</th>" } else { "</td>" }),
            TagEnd::List(true) => self.html.push_str("</ol>\n"),
            TagEnd::Heading(level) => {
                let _ = writeln!(self.html, "</h{}>", (level as u8).saturating_add(2).min(6));
            }
            // What follows a word may stand right at it.
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                let _ = write!(self.html, "</{}>", name(tag).unwrap_or_default());
            }
            tag => {
                if let Some(name) = name(tag) {
                    let _ = writeln!(self.html, "</{name}>");
                }
            }
        }
    }

    fn row(&mut self) {
        self.table.cell = 0;
        self.html.push_str("<tr>");
    }

    fn cell(&mut self) {
        let tag = if self.table.in_head { "th" } else { "td" };
        let side = match self.table.columns.get(self.table.cell) {
            Some(Alignment::Right) => " class=\"right\"",
            Some(Alignment::Center) => " class=\"center\"",
            _ => "",
        };
        self.table.cell += 1;
        let _ = write!(self.html, "<{tag}{side}>");
    }
}

/// The elements that need nothing but their name.
fn name(tag: TagEnd) -> Option<&'static str> {
    Some(match tag {
        TagEnd::Paragraph | TagEnd::HtmlBlock => "p",
        TagEnd::BlockQuote(_) => "blockquote",
        TagEnd::List(false) => "ul",
        TagEnd::Item => "li",
        TagEnd::Emphasis => "em",
        TagEnd::Strong => "strong",
        TagEnd::Strikethrough => "del",
        _ => return None,
    })
}
