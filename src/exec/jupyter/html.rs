//! Converts HTML to text: paragraphs, lists, and tables with aligned columns. Pure. It is no browser: unknown elements
//! are left out or shown as their text, scripts and styles never.
//!
//! It is written by hand because its input is hostile: it makes one pass over the text, and nesting only increments a
//! counter. The library that was tried (html2text, on html5ever) did not finish 1 MiB of `<div>` within a minute, and
//! draws borders that cost the columns of a wide table.

const MAX_BYTES: usize = 1 << 20;
/// Maximum width of a cell; longer ones are cut.
const MAX_CELL_COLUMNS: usize = 60;
const MAX_ROWS: usize = 2000;

/// The text of a piece of HTML.
pub(super) fn text(html: &str) -> String {
    let mut page = HtmlText::default();
    let mut rest = html.get(..html.floor_char_boundary(MAX_BYTES)).unwrap_or_default();
    while let Some(at) = rest.find('<') {
        page.text(rest.get(..at).unwrap_or_default());
        let tag = rest.get(at..).unwrap_or_default();
        let (name, after) = take_tag(tag);
        rest = after;
        if let Some(raw) = ["script", "style", "head", "template"].iter().find(|raw| name == **raw) {
            rest = behind(rest, raw);
        } else if name.is_empty() {
            page.text("<");
        } else {
            page.tag(&name);
        }
    }
    page.text(rest);
    page.finish()
}

/// The name of the tag at the start of `tag` (with `/` before that of an end tag; `!` for a comment or declaration,
/// which is skipped), and the rest.
fn take_tag(tag: &str) -> (String, &str) {
    let inner = tag.get(1..).unwrap_or_default();
    if let Some(comment) = inner.strip_prefix("!--") {
        let after = comment.split_once("-->").map_or("", |(_, after)| after);
        return ("!".into(), after);
    }
    if !inner.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!' || c == '?') {
        return (String::new(), inner);
    }
    let mut quote = None;
    let end = inner.char_indices().find(|(_, c)| match (quote, c) {
        (Some(open), c) => {
            if open == *c {
                quote = None;
            }
            false
        }
        (None, '"' | '\'') => {
            quote = Some(*c);
            false
        }
        (None, c) => *c == '>',
    });
    let end = end.map_or(inner.len(), |(at, _)| at);
    let head = inner.get(..end).unwrap_or_default();
    let name: String = head
        .chars()
        .enumerate()
        .take_while(|(i, c)| c.is_ascii_alphanumeric() || (*i == 0))
        .map(|(_, c)| c)
        .collect();
    (name.to_ascii_lowercase(), inner.get(end + 1..).unwrap_or_default())
}

/// The rest after the end of an element whose content is not text.
fn behind<'a>(rest: &'a str, name: &str) -> &'a str {
    let named = |at: &usize| {
        rest.get(at + 2..at + 2 + name.len()).is_some_and(|there| there.eq_ignore_ascii_case(name))
    };
    let Some(at) = rest.match_indices("</").map(|(at, _)| at).find(named) else { return "" };
    let rest = rest.get(at..).unwrap_or_default();
    rest.find('>').and_then(|end| rest.get(end + 1..)).unwrap_or_default()
}

#[derive(Default)]
struct HtmlText {
    out: String,
    line: String,
    /// How many tables are open. Only the outermost is laid out.
    depth: usize,
    rows: Vec<Vec<String>>,
    cell: Option<String>,
    preformatted: usize,
}

impl HtmlText {
    fn text(&mut self, text: &str) {
        let text = unescape(text);
        if self.depth > 0 {
            // Text between cells is not shown.
            if let Some(cell) = &mut self.cell {
                add_words(cell, &text);
            }
        } else if self.preformatted > 0 {
            self.line.push_str(&text);
        } else {
            add_words(&mut self.line, &text);
        }
    }

    fn tag(&mut self, name: &str) {
        match name {
            "table" => {
                self.end_line();
                self.depth += 1;
            }
            "/table" => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    self.end_cell();
                    self.end_table();
                } else {
                    self.text(" ");
                }
            }
            "tr" if self.depth == 1 => {
                self.end_cell();
                self.rows.push(Vec::new());
            }
            "td" | "th" if self.depth == 1 => {
                self.end_cell();
                self.cell = Some(String::new());
            }
            "/td" | "/th" | "/tr" if self.depth == 1 => self.end_cell(),
            _ if self.depth > 0 => self.text(" "),
            "pre" => {
                self.end_line();
                self.preformatted += 1;
            }
            "/pre" => {
                self.end_line();
                self.preformatted = self.preformatted.saturating_sub(1);
            }
            "br" => {
                self.out.push_str(self.line.trim_end());
                self.out.push('\n');
                self.line.clear();
            }
            "li" => {
                self.end_line();
                self.line.push_str("- ");
            }
            "p" | "/p" | "div" | "/div" | "ul" | "/ul" | "ol" | "/ol" | "/li" | "hr" | "h1" | "h2" | "h3"
            | "h4" | "/h1" | "/h2" | "/h3" | "/h4" | "section" | "/section" | "details" | "/details"
            | "summary" | "/summary" | "dt" | "dd" | "blockquote" => self.end_line(),
            _ => {}
        }
    }

    fn end_line(&mut self) {
        let line = if self.preformatted > 0 { self.line.as_str() } else { self.line.trim() };
        if !line.trim().is_empty() {
            self.out.push_str(line.trim_end());
            self.out.push('\n');
        }
        self.line.clear();
    }

    fn end_cell(&mut self) {
        let Some(cell) = self.cell.take() else { return };
        let cell = cell.trim();
        let cell = if cell.chars().count() > MAX_CELL_COLUMNS {
            let head: String = cell.chars().take(MAX_CELL_COLUMNS - 1).collect();
            head + "…"
        } else {
            cell.to_owned()
        };
        if self.rows.is_empty() {
            self.rows.push(Vec::new());
        }
        if let Some(row) = self.rows.last_mut().filter(|row| row.len() < 200) {
            row.push(cell);
        }
    }

    fn end_table(&mut self) {
        let mut rows = std::mem::take(&mut self.rows);
        rows.retain(|row| !row.is_empty());
        let left_out = rows.len().saturating_sub(MAX_ROWS);
        rows.truncate(MAX_ROWS);
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |cell: &String| unicode_width::UnicodeWidthStr::width(cell.as_str());
        let widths: Vec<usize> = (0..columns)
            .map(|at| rows.iter().filter_map(|row| row.get(at)).map(width).max().unwrap_or(0))
            .collect();
        for row in &rows {
            let cells: Vec<String> = row
                .iter()
                .zip(&widths)
                .map(|(cell, column)| {
                    let pad = " ".repeat(column.saturating_sub(width(cell)));
                    if is_number(cell) { pad + cell } else { cell.clone() + &pad }
                })
                .collect();
            self.out.push_str(cells.join("  ").trim_end());
            self.out.push('\n');
        }
        if left_out > 0 {
            self.out.push_str(&format!("… {left_out} rows left out\n"));
        }
    }

    fn finish(mut self) -> String {
        self.end_cell();
        if self.depth > 0 {
            self.end_table();
        }
        self.end_line();
        self.out.trim_end().to_owned()
    }
}

/// Appends text as HTML does: any run of white space becomes one space.
fn add_words(into: &mut String, text: &str) {
    for c in text.chars() {
        if !c.is_whitespace() || c == '\u{a0}' {
            into.push(if c == '\u{a0}' { ' ' } else { c });
        } else if !into.is_empty() && !into.ends_with(' ') {
            into.push(' ');
        }
    }
}

fn is_number(cell: &str) -> bool {
    !cell.is_empty() && cell.chars().all(|c| c.is_ascii_digit() || ".,-+%e".contains(c))
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at..).unwrap_or_default();
        let end = rest.char_indices().take(12).find(|(_, c)| *c == ';').map(|(end, _)| end);
        let named = end.and_then(|end| Some((entity(rest.get(1..end)?)?, end)));
        match named {
            Some((c, end)) => {
                out.push(c);
                rest = rest.get(end + 1..).unwrap_or_default();
            }
            None => {
                out.push('&');
                rest = rest.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    out
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code);
    }
    Some(match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => '\u{a0}',
        "times" => '×',
        "hellip" => '…',
        "ndash" => '–',
        "mdash" => '—',
        "minus" => '−',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_table_has_aligned_columns() {
        let html = "<div><style scoped>.x { a: b > c }</style><table border=\"1\"><thead><tr><th></th><th>name</th>\
            <th>sales</th></tr></thead><tbody><tr><th>0</th><td>a &amp; b</td><td>7</td></tr><tr><th>1</th>\
            <td><b>long</b> name</td><td>1234.5</td></tr></tbody></table><p>2 rows &times; 2 columns</p></div>";
        let lines =
            ["   name       sales", "0  a & b           7", "1  long name  1234.5", "2 rows × 2 columns"];
        assert_eq!(text(html), lines.join("\n"));
    }

    #[test]
    fn a_table_inside_a_cell_is_text_of_the_cell() {
        let html = "<table><tr><td>a<table><tr><td>b</td></tr></table>c</td><td>d</td></tr></table>";
        assert_eq!(text(html), "a b c  d");
    }

    #[test]
    fn prose_and_lists() {
        let html = "<h1>Title</h1>\n<p>One <i>two</i>\n three.</p><ul><li>a<li>b</ul><pre>  x\n    y</pre>4 < 5<br>&lt;b&gt; &#65;&#x42; &zzz;";
        assert_eq!(text(html), "Title\nOne two three.\n- a\n- b\n  x\n    y\n4 < 5\n<b> AB &zzz;");
    }

    #[test]
    fn scripts_are_never_shown() {
        assert_eq!(text("a<script>alert('<b>')</script>b<!-- c -->d"), "abd");
        assert_eq!(text("a<script>never closed"), "a");
        assert_eq!(text("a<STYLE>é</b></sTyLe >b<style></style></style>c"), "abc");
        assert_eq!(text("<a href='x>y'>link</a>"), "link");
    }

    proptest! {
        #[test]
        fn any_text(html in "[<>a-z/&;#!\"'\u{1b}\u{fc} \n-]{0,200}", any in ".{0,100}") {
            let _ = text(&html);
            let _ = text(&any);
        }

        #[test]
        fn any_table(cells in prop::collection::vec(prop::collection::vec("[<a-z ]{0,5}", 0..4), 0..5)) {
            let rows: String = cells.iter().map(|row| {
                let row: String = row.iter().map(|cell| format!("<td>{cell}")).collect();
                format!("<tr>{row}")
            }).collect();
            let _ = text(&format!("<table>{rows}"));
        }
    }
}
