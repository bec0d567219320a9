//! Renders the model's Markdown as HTML. HTML tags in it are shown as text; links and pictures become plain words
//! followed by their address, which is not clickable.

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
    /// The language and text of the code block that is open.
    code: Option<(String, String)>,
    /// The addresses of the links and pictures that are open.
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
            // Headings of level 1 and 2 belong to the page, so those of a reply start at level 3.
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
                // If the link's text is the address itself, the address is not repeated.
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
            // No line end here: what follows an inline element may directly touch it.
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

/// The HTML elements that need only their name, no attributes.
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
