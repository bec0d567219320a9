//! Checks that the tree has each here-document where bash has it. The grammar reads a delimiter up to white space, and
//! takes a line that only begins with it for the end; it also ends a document at the end of the text without an error.

use crate::review::cover::{Cover, CoverKind};
use crate::review::syntax::each;
use std::ops::Range;
use tree_sitter::Node;

/// The most here-documents of which it may be uncertain where they end: for each, all the text behind it is searched.
const MAX_UNCERTAIN: usize = 256;

/// The first here-document that bash would read in another way than the tree has it, by the place of its delimiter.
/// From there on, the tree may take commands for text.
pub(in crate::review) fn first_misread(root: Node<'_>, source: &str) -> Option<usize> {
    let mut documents = Documents { source, line_end: 0, next: 0 };
    let mut misread = None;
    each(root, |node, _| {
        if misread.is_none() && node.kind() == "heredoc_start" && documents.read(node).is_none() {
            misread = Some(node.start_byte());
        }
        misread.is_none()
    });
    misread
}

/// Letters for what the grammar misreads in here-documents: a backslash with which one begins, which it takes for an
/// argument, and the beginnings of lines that only begin with the delimiter. In order.
pub(in crate::review) fn letters(root: Node<'_>, source: &str) -> Vec<Cover> {
    let mut documents = Documents { source, line_end: 0, next: 0 };
    let (mut covers, mut uncertain) = (Vec::new(), 0);
    each(root, |node, _| {
        if node.kind() == "heredoc_start" && uncertain < MAX_UNCERTAIN {
            uncertain += usize::from(documents.cover(node, &mut covers).is_none());
        }
        true
    });
    covers
}

/// The here-documents of a text, which are read in order.
struct Documents<'a> {
    source: &'a str,
    /// The end of the line that holds the last delimiter.
    line_end: usize,
    /// Where the document after the last one begins.
    next: usize,
}

impl Documents<'_> {
    /// Reads the document of a delimiter; `None` if the tree has it elsewhere, or if that is not certain.
    fn read(&mut self, start: Node<'_>) -> Option<()> {
        let redirect = start.parent().filter(|parent| parent.kind() == "heredoc_redirect")?;
        let delimiter = Delimiter::at(self.source, start.start_byte())?;
        if delimiter.end != start.end_byte() {
            return None;
        }
        if start.start_byte() >= self.line_end {
            self.begin_line(&delimiter)?;
        }
        let mut cursor = redirect.walk();
        let (mut body, mut end, mut strips_tabs) = (None, None, false);
        for child in redirect.children(&mut cursor) {
            match child.kind() {
                "<<-" => strips_tabs = true,
                "heredoc_body" => body = Some(child.byte_range()),
                "heredoc_end" => end = Some(child.byte_range()),
                _ => {}
            }
        }
        let (body, end) = (body?, end?);
        let is_blank = |span: Range<usize>| self.source.get(span).is_some_and(|gap| gap.trim().is_empty());
        let fits = end == delimiter.closing(self.source, self.next, strips_tabs)?
            && is_blank(self.next..body.start)
            && is_blank(body.end..end.start);
        self.next = end.end + 1;
        fits.then_some(())
    }

    /// Adds the letters for the document of a delimiter, and goes on behind it; `None` if it is not certain where it is.
    fn cover(&mut self, start: Node<'_>, covers: &mut Vec<Cover>) -> Option<()> {
        let delimiter = Delimiter::at(self.source, start.start_byte())?;
        if start.start_byte() >= self.line_end {
            self.begin_line(&delimiter)?;
        }
        let strips_tabs = self.source.get(..start.start_byte())?.ends_with("<<-");
        let end = delimiter.closing(self.source, self.next, strips_tabs)?;
        let mut at = self.next;
        let mut is_first = true;
        for line in self.source.get(self.next..end.start)?.split_inclusive('\n') {
            let shown = line.trim_start();
            let from = at + line.len() - shown.len();
            let mut signs = shown.chars();
            let length = match (signs.next(), signs.next()) {
                (Some('\\'), Some(escaped)) if is_first && escaped != '\n' => 1 + escaped.len_utf8(),
                (Some(first), _) if shown.starts_with(&delimiter.text) => first.len_utf8(),
                _ => 0,
            };
            if length > 0 {
                covers.push(Cover { span: from..from + length, kind: CoverKind::Letter });
            }
            is_first &= shown.is_empty();
            at += line.len();
        }
        self.next = end.end + 1;
        Some(())
    }

    /// The documents of this line begin behind it.
    fn begin_line(&mut self, delimiter: &Delimiter) -> Option<()> {
        if delimiter.end < self.next {
            // It stands in the text of another document.
            return None;
        }
        let mut end = delimiter.end;
        loop {
            let rest = self.source.get(end..)?;
            let line = rest.get(..rest.find('\n')?)?;
            let backslashes = line.len() - line.trim_end_matches('\\').len();
            end += line.len();
            if backslashes.is_multiple_of(2) {
                break;
            }
            // The command goes on behind the end of the line.
            end += 1;
        }
        self.line_end = end;
        self.next = end + 1;
        Some(())
    }
}

/// The word behind `<<`.
struct Delimiter {
    /// The word without its quotes.
    text: String,
    /// Whether a part of it is quoted: then nothing in the document is expanded.
    is_raw: bool,
    end: usize,
}

impl Delimiter {
    /// Reads a delimiter; `None` where it is not certain what bash makes of it.
    fn at(source: &str, from: usize) -> Option<Self> {
        let (mut text, mut is_raw) = (String::new(), false);
        let mut signs = source.get(from..)?.char_indices();
        while let Some((at, sign)) = signs.next() {
            match sign {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => {
                    return Some(Self { text, is_raw, end: from + at });
                }
                '$' | '`' => return None,
                '\\' => {
                    is_raw = true;
                    text.push(signs.next().map(|(_, escaped)| escaped).filter(|escaped| *escaped != '\n')?);
                }
                '\'' | '"' => {
                    is_raw = true;
                    loop {
                        match signs.next()?.1 {
                            end if end == sign => break,
                            '\\' | '\n' | '$' | '`' => return None,
                            inner => text.push(inner),
                        }
                    }
                }
                _ => text.push(sign),
            }
        }
        Some(Self { text, is_raw, end: source.len() })
    }

    /// The delimiter at the end of the document that begins at `from`; `None` if the document is not closed.
    fn closing(&self, source: &str, from: usize, strips_tabs: bool) -> Option<Range<usize>> {
        let mut at = from;
        let mut continues = false;
        for line in source.get(from..)?.split_inclusive('\n') {
            let line_end = at + line.trim_end_matches('\n').len();
            let line = source.get(at..line_end)?;
            let shown = if strips_tabs { line.trim_start_matches('\t') } else { line };
            if !continues && shown == self.text {
                return Some(line_end - shown.len()..line_end);
            }
            let backslashes = shown.len() - shown.trim_end_matches('\\').len();
            let goes_on = !self.is_raw && !backslashes.is_multiple_of(2);
            if goes_on && !continues && self.text.starts_with(shown.strip_suffix('\\')?) {
                // The delimiter may be written on two lines.
                return None;
            }
            continues = goes_on;
            at = line_end + 1;
        }
        None
    }
}
