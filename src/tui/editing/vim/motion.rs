//! The targets of vim's moves, and how far an operator reaches along them.

use super::Vim;
use super::keys::{LetterSearch, Move};
use crate::tui::editing::Motion;
use crate::tui::editing::buffer::Pos;
use crate::tui::editing::cluster::{self, ClusterKind};
use crate::tui::editing::search::{self, Needle};
use crate::tui::editing::text::Text;

/// How far an operator reaches along a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MotionKind {
    /// Up to the target.
    Exclusive,
    /// Up to and including the character at the target.
    Inclusive,
    /// Whole lines.
    Linewise,
}

/// The target of a move from the cursor; `None`: there is none.
pub(super) fn target(
    vim: &mut Vim,
    text: &mut Text,
    found: Move,
    count: Option<usize>,
) -> Option<(Pos, MotionKind)> {
    let at = text.cursor();
    let times = count.unwrap_or(1);
    let repeat = |step: &dyn Fn(Pos) -> Pos| (0..times).fold(at, |at, _| step(at));
    let by = isize::try_from(times).unwrap_or(1);
    let half = isize::try_from(vim.half_page.max(1)).unwrap_or(1);
    Some(match found {
        Move::Left => {
            let line = text.line(at.line);
            (repeat(&|at| Pos::new(at.line, cluster::previous(line, at.byte))), MotionKind::Exclusive)
        }
        Move::Right => {
            let line = text.line(at.line);
            (repeat(&|at| Pos::new(at.line, cluster::next(line, at.byte))), MotionKind::Exclusive)
        }
        Move::Up => (text.lines_away(at, -by), MotionKind::Linewise),
        Move::Down => (text.lines_away(at, by), MotionKind::Linewise),
        Move::RowUp => (text.rows_away(at, -by), MotionKind::Exclusive),
        Move::RowDown => (text.rows_away(at, by), MotionKind::Exclusive),
        Move::HalfUp => (text.lines_away(at, -half), MotionKind::Linewise),
        Move::HalfDown => (text.lines_away(at, half), MotionKind::Linewise),
        Move::FirstBelow => (first_text(text, at.line.saturating_add(times)), MotionKind::Linewise),
        Move::FirstAbove => (first_text(text, at.line.saturating_sub(times)), MotionKind::Linewise),
        Move::Word(big) => (repeat(&|at| word(text, at, big)), MotionKind::Exclusive),
        Move::WordEnd(big) => (repeat(&|at| word_end(text, at, big)), MotionKind::Inclusive),
        Move::WordBack(big) => (repeat(&|at| word_back(text, at, big)), MotionKind::Exclusive),
        Move::WordEndBack(big) => (repeat(&|at| word_end_back(text, at, big)), MotionKind::Inclusive),
        Move::LineStart => (Pos::new(at.line, 0), MotionKind::Exclusive),
        Move::FirstText => (first_text(text, at.line), MotionKind::Exclusive),
        Move::LineEnd => {
            let index = (at.line + times - 1).min(text.last_line());
            (Pos::new(index, text.line(index).len()), MotionKind::Exclusive)
        }
        Move::Top => (first_text(text, count.unwrap_or(1) - 1), MotionKind::Linewise),
        Move::Bottom => {
            (first_text(text, count.map_or(usize::MAX, |number| number - 1)), MotionKind::Linewise)
        }
        Move::Bracket => (search::bracket(text.lines(), at, usize::MAX)?, MotionKind::Inclusive),
        Move::ParagraphUp => (repeat(&|at| paragraph(text, at, true)), MotionKind::Exclusive),
        Move::ParagraphDown => (repeat(&|at| paragraph(text, at, false)), MotionKind::Exclusive),
        Move::Seek(search) => {
            vim.sought = Some(search);
            seek(text, at, search, times, false)?
        }
        Move::SeekAgain(reverse) => {
            let search = vim.sought?;
            seek(text, at, LetterSearch { back: search.back != reverse, ..search }, times, true)?
        }
        Move::Match(reverse) => {
            (nth_match(text, at, text.seeks_back != reverse, times)?, MotionKind::Exclusive)
        }
        Move::Star(back) => {
            let begins = search_for_word(text, at);
            text.seeks_back = back;
            // Backward from within a word, the word itself is no match.
            let from = if back { begins } else { at };
            (nth_match(text, from, back, times)?, MotionKind::Exclusive)
        }
    })
}

/// The first position in a line that is not white space.
pub(super) fn first_text(text: &Text, index: usize) -> Pos {
    let index = index.min(text.last_line());
    Pos::new(index, cluster::indent_of(text.line(index)).len())
}

/// Makes the word at a position the search term. Returns where the word begins.
fn search_for_word(text: &mut Text, at: Pos) -> Pos {
    let (from, to) = text.word_at(at);
    let word = text.line(at.line).get(from.byte..to.byte).unwrap_or_default().to_owned();
    let whole = format!(r"\b{}\b", regex::escape(&word));
    let is_word = cluster::kind(&word, 0) == ClusterKind::Word;
    let needle = if is_word { Needle::new(&whole, true) } else { Needle::new(word.trim(), false) };
    text.set_needle(needle.ok());
    from
}

/// The match so many matches away from a position.
fn nth_match(text: &Text, from: Pos, back: bool, times: usize) -> Option<Pos> {
    let needle = text.needle()?;
    let mut at = from;
    for _ in 0..times.min(1_000) {
        let from = if back { at } else { text.target(Motion::Right, at) };
        at = needle.next(text.lines(), from, back)?.0;
    }
    Some(at)
}

/// Finds a letter on the line; with `till`, stops beside it. A repeated search first steps past the letter it
/// stopped at.
fn seek(
    text: &Text,
    at: Pos,
    LetterSearch { letter, back, till }: LetterSearch,
    times: usize,
    again: bool,
) -> Option<(Pos, MotionKind)> {
    let line = text.line(at.line);
    let mut here = at.byte;
    for turn in 0..times {
        let past = till && (again || turn > 0);
        here = if back {
            let upto = if past { cluster::previous(line, here) } else { here };
            line.get(..upto)?.rfind(letter)?
        } else {
            let mut from = cluster::next(line, here);
            if past {
                from = cluster::next(line, from);
            }
            from + line.get(from..)?.find(letter)?
        };
        if till {
            here = if back { cluster::next(line, here) } else { cluster::previous(line, here) };
        }
    }
    Some((Pos::new(at.line, here), if back { MotionKind::Exclusive } else { MotionKind::Inclusive }))
}

pub(super) fn kind(line: &str, at: usize, big: bool) -> ClusterKind {
    match cluster::kind(line, at) {
        ClusterKind::Sign if big => ClusterKind::Word,
        kind => kind,
    }
}

/// The start of the next word; an empty line counts as a word.
fn word(text: &Text, from: Pos, big: bool) -> Pos {
    let (mut index, line) = (from.line, text.line(from.line));
    let here = kind(line, from.byte, big);
    let mut at =
        cluster::skip(line, from.byte, |at| here != ClusterKind::Space && kind(line, at, big) == here);
    loop {
        let line = text.line(index);
        at = cluster::skip(line, at, |at| kind(line, at, big) == ClusterKind::Space);
        if at < line.len() || index == text.last_line() {
            return Pos::new(index, at);
        }
        index += 1;
        at = 0;
        if text.line(index).is_empty() {
            return Pos::new(index, 0);
        }
    }
}

/// The last letter of this word; if the cursor is on it already, that of the next word.
fn word_end(text: &Text, from: Pos, big: bool) -> Pos {
    let (mut index, mut at) = (from.line, cluster::next(text.line(from.line), from.byte));
    loop {
        let line = text.line(index);
        at = cluster::skip(line, at, |at| kind(line, at, big) == ClusterKind::Space);
        if at < line.len() {
            let here = kind(line, at, big);
            let end = cluster::skip(line, at, |at| kind(line, at, big) == here);
            return Pos::new(index, cluster::previous(line, end));
        }
        if index == text.last_line() {
            return Pos::new(index, cluster::previous(line, line.len()));
        }
        (index, at) = (index + 1, 0);
    }
}

/// The start of this word; if the cursor is on it already, that of the word before.
fn word_back(text: &Text, from: Pos, big: bool) -> Pos {
    let end = end_of_word_before(text, from, big);
    let line = text.line(end.line);
    let here = kind(line, cluster::previous(line, end.byte), big);
    Pos::new(end.line, cluster::skip_back(line, end.byte, |at| kind(line, at, big) == here))
}

/// The last letter of the word before.
fn word_end_back(text: &Text, from: Pos, big: bool) -> Pos {
    let line = text.line(from.line);
    let here = kind(line, from.byte, big);
    let start =
        cluster::skip_back(line, from.byte, |at| here != ClusterKind::Space && kind(line, at, big) == here);
    let end = end_of_word_before(text, Pos::new(from.line, start), big);
    Pos::new(end.line, cluster::previous(text.line(end.line), end.byte))
}

/// The end of the last word before a position, or the start of an empty line or of the text before that.
fn end_of_word_before(text: &Text, from: Pos, big: bool) -> Pos {
    let (mut index, mut at) = (from.line, from.byte);
    loop {
        let line = text.line(index);
        at = cluster::skip_back(line, at, |at| kind(line, at, big) == ClusterKind::Space);
        let above = index.checked_sub(1).filter(|_| at == 0);
        let Some(above) = above else { return Pos::new(index, at) };
        (index, at) = (above, text.line(above).len());
        if at == 0 {
            return Pos::new(index, 0);
        }
    }
}

/// The next or previous empty line; else the end or start of the text.
fn paragraph(text: &Text, from: Pos, back: bool) -> Pos {
    let blank = |index: &usize| text.line(*index).is_empty();
    let found = if back {
        (0..from.line).rev().skip_while(blank).find(blank)
    } else {
        (from.line + 1..=text.last_line()).skip_while(blank).find(blank)
    };
    match (found, back) {
        (Some(index), _) => Pos::new(index, 0),
        (None, true) => Pos::default(),
        (None, false) => Pos::new(text.last_line(), text.line(text.last_line()).len()),
    }
}
