//! Vim's text objects: a word, a text in quotes or brackets, a paragraph.

use super::keys::Object;
use super::motion::{self, MotionKind};
use crate::tui::editing::buffer::Pos;
use crate::tui::editing::cluster::{self, ClusterKind};
use crate::tui::editing::search;
use crate::tui::editing::text::Text;

/// The range of this many objects from the cursor on, end excluded; brackets are counted outward from the cursor.
pub(super) fn range(text: &Text, object: Object, times: usize) -> Option<(Pos, Pos, MotionKind)> {
    let at = text.cursor();
    match object.kind {
        'w' | 'W' => words(text, at, object, times),
        'p' => paragraphs(text, at, object.around, times),
        '"' | '\'' | '`' => quoted(text, at, object),
        '<' => angled(text, at, object.around),
        open => bracketed(text, at, open, object.around, times),
    }
}

/// The range of so many words; none where the line has fewer.
fn words(text: &Text, at: Pos, object: Object, times: usize) -> Option<(Pos, Pos, MotionKind)> {
    let line = text.line(at.line);
    let kind = |at: usize| motion::kind(line, at, object.kind == 'W');
    let on = |at: usize, wanted: ClusterKind| cluster::skip(line, at, |at| kind(at) == wanted);
    let back = |at: usize, wanted: ClusterKind| cluster::skip_back(line, at, |at| kind(at) == wanted);
    let (mut from, mut to, mut has_spaces) = (back(at.byte, kind(at.byte)), at.byte, true);
    for turn in 0..times {
        if turn > 0 && to >= line.len() {
            return None;
        }
        let here = kind(to);
        to = on(to, here);
        if object.around {
            let end = to;
            to = if here == ClusterKind::Space { on(end, kind(end)) } else { on(end, ClusterKind::Space) };
            has_spaces = to > end;
        }
    }
    // Without spaces behind them, those before the words belong to them, but never the indent of the line.
    let before = back(from, ClusterKind::Space);
    if object.around && !has_spaces && before > 0 {
        from = before;
    }
    Some((Pos::new(at.line, from), Pos::new(at.line, to), MotionKind::Exclusive))
}

/// The range of so many paragraphs; none where the text has fewer.
fn paragraphs(text: &Text, at: Pos, around: bool, times: usize) -> Option<(Pos, Pos, MotionKind)> {
    let blank = |index: usize| text.line(index).trim().is_empty();
    let here = blank(at.line);
    let (mut first, mut last, mut has_blanks) = (at.line, at.line, true);
    while first > 0 && blank(first - 1) == here {
        first -= 1;
    }
    for turn in 0..times {
        if turn > 0 {
            if last == text.last_line() {
                return None;
            }
            last += 1;
        }
        let here = blank(last);
        while last < text.last_line() && blank(last + 1) == here {
            last += 1;
        }
        let end = last;
        while around && last < text.last_line() && blank(last + 1) != here {
            last += 1;
        }
        has_blanks = last > end;
    }
    // Without blank lines behind them, those before the paragraphs belong to them.
    while around && !here && !has_blanks && first > 0 && blank(first - 1) {
        first -= 1;
    }
    Some((Pos::new(first, 0), Pos::new(last, text.line(last).len()), MotionKind::Linewise))
}

/// The first quoted text on the line that does not end before the cursor.
fn quoted(text: &Text, at: Pos, object: Object) -> Option<(Pos, Pos, MotionKind)> {
    let line = text.line(at.line);
    let (open, close) = quotes(line, at.byte, object.kind)?;
    let quote_bytes = object.kind.len_utf8();
    let (from, to) = if object.around {
        with_spaces(line, open, close + quote_bytes)
    } else {
        (open + quote_bytes, close)
    };
    Some((Pos::new(at.line, from), Pos::new(at.line, to), MotionKind::Exclusive))
}

/// Where the first pair of quotes on a line is that does not end before a position.
fn quotes(line: &str, at: usize, quote: char) -> Option<(usize, usize)> {
    let (mut open, mut escaped) = (None, false);
    for (byte, c) in line.char_indices() {
        if escaped || c == '\\' {
            escaped = !escaped && c == '\\';
        } else if c == quote {
            match open {
                None => open = Some(byte),
                Some(open) if byte >= at => return Some((open, byte)),
                Some(_) => open = None,
            }
        }
    }
    None
}

/// The range with the spaces after it; if there are none, with those before it.
fn with_spaces(line: &str, from: usize, to: usize) -> (usize, usize) {
    let rest = line.get(to..).unwrap_or_default();
    match rest.len() - rest.trim_start_matches([' ', '\t']).len() {
        0 => (line.get(..from).unwrap_or_default().trim_end_matches([' ', '\t']).len(), to),
        spaces => (from, to + spaces),
    }
}

/// The text in a pair of brackets around the cursor: 1 is the innermost.
fn bracketed(text: &Text, at: Pos, open: char, around: bool, times: usize) -> Option<(Pos, Pos, MotionKind)> {
    let close = match open {
        '(' => ')',
        '[' => ']',
        _ => '}',
    };
    let line = text.line(at.line);
    let under = line.get(at.byte..).and_then(|rest| rest.chars().next());
    let mut start = match under {
        Some(c) if c == open => at,
        Some(c) if c == close => search::bracket(text.lines(), at, usize::MAX)?,
        _ => enclosing(text, at, open, close)?,
    };
    for _ in 1..times {
        start = enclosing(text, start, open, close)?;
    }
    let end = search::bracket(text.lines(), start, usize::MAX).filter(|end| *end >= at)?;
    if around {
        return Some((start, Pos::new(end.line, end.byte + 1), MotionKind::Exclusive));
    }
    let inner = Pos::new(start.line, start.byte + 1);
    let alone = text.line(inner.line).get(inner.byte..).is_some_and(|rest| rest.trim().is_empty())
        && text.line(end.line).get(..end.byte).is_some_and(|before| before.trim().is_empty());
    // If nothing follows the opening bracket and nothing precedes the closing one on its line, the object is
    // the whole lines in between.
    if alone && end.line > start.line + 1 {
        let last = end.line - 1;
        return Some((
            Pos::new(start.line + 1, 0),
            Pos::new(last, text.line(last).len()),
            MotionKind::Linewise,
        ));
    }
    Some((inner, end, MotionKind::Exclusive))
}

/// The opening bracket before a position that is not closed before it.
fn enclosing(text: &Text, at: Pos, open: char, close: char) -> Option<Pos> {
    let mut depth = 0usize;
    for index in (0..=at.line).rev() {
        let line = text.line(index);
        let end = if index == at.line { at.byte } else { line.len() };
        for (byte, c) in line.get(..end)?.char_indices().rev() {
            if c == close {
                depth += 1;
            } else if c == open {
                if depth == 0 {
                    return Some(Pos::new(index, byte));
                }
                depth -= 1;
            }
        }
    }
    None
}

/// A text in `<...>` on one line.
fn angled(text: &Text, at: Pos, around: bool) -> Option<(Pos, Pos, MotionKind)> {
    let line = text.line(at.line);
    let upto = cluster::next(line, at.byte);
    let open = line.get(..upto)?.rfind('<')?;
    let close = open + line.get(open..)?.find('>').filter(|end| open + end >= at.byte)?;
    let (from, to) = if around { (open, close + 1) } else { (open + 1, close) };
    Some((Pos::new(at.line, from), Pos::new(at.line, to), MotionKind::Exclusive))
}
