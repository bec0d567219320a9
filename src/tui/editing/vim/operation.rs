//! Finds the range of an operator, and applies the operator to it.

use super::keys::{Move, Operator, OperatorRange};
use super::motion::{self, MotionKind};
use super::{Mode, StrokeResult, Vim, object};
use crate::tui::editing::buffer::Pos;
use crate::tui::editing::cluster::{self, ClusterKind};
use crate::tui::editing::text::{SelectionShape, Text};

/// The range of an operator, end excluded.
pub(super) fn range_of(
    vim: &mut Vim,
    operator: Operator,
    over: OperatorRange,
    count: Option<usize>,
    text: &mut Text,
) -> Option<(Pos, Pos, MotionKind)> {
    let at = text.cursor();
    match over {
        OperatorRange::Rows => {
            let last = (at.line + count.unwrap_or(1) - 1).min(text.last_line());
            Some((Pos::new(at.line, 0), Pos::new(last, text.line(last).len()), MotionKind::Linewise))
        }
        OperatorRange::Object(thing) => object::range(text, thing, count.unwrap_or(1)),
        OperatorRange::Move(found) => range_along(vim, operator, found, count, text),
    }
}

/// The range of an operator along a move.
fn range_along(
    vim: &mut Vim,
    operator: Operator,
    found: Move,
    count: Option<usize>,
    text: &mut Text,
) -> Option<(Pos, Pos, MotionKind)> {
    let at = text.cursor();
    // `cw` on a word keeps the spaces after it.
    if let Move::Word(big) = found
        && operator == Operator::Change
        && cluster::kind(text.line(at.line), at.byte) != ClusterKind::Space
    {
        return Some(to_word_ends(vim, text, big, count));
    }
    let (target, reach) = motion::target(vim, text, found, count)?;
    let (from, to) = (at.min(target), at.max(target));
    let is_in_line = from.line == to.line;
    match reach {
        MotionKind::Linewise if is_in_line && matches!(found, Move::Up | Move::Down) => return None,
        MotionKind::Linewise => return Some((from, to, reach)),
        MotionKind::Inclusive => {
            let end = Pos::new(to.line, cluster::next(text.line(to.line), to.byte));
            return Some((from, end, MotionKind::Exclusive));
        }
        MotionKind::Exclusive if is_in_line => return Some((from, to, reach)),
        MotionKind::Exclusive => {}
    }
    let is_from_start = from.byte <= motion::first_text(text, from.line).byte;
    if found == Move::LineEnd {
        // From the beginning of a line to the end of another, the whole lines are deleted.
        let is_whole = operator == Operator::Delete && is_from_start;
        return Some((from, to, if is_whole { MotionKind::Linewise } else { reach }));
    }
    let into = text.line(to.line).get(..to.byte).unwrap_or_default();
    let is_word = matches!(found, Move::Word(_));
    // From the start of a line to the start of another, the range is the whole lines between.
    let is_whole = to.byte == 0 && !is_word && is_from_start;
    // Deleting the last word of a line keeps the line end.
    let keeps_end = into.trim().is_empty() && (to.byte == 0 || is_word);
    let end = if keeps_end { Pos::new(to.line - 1, text.line(to.line - 1).len()) } else { to };
    Some((from, end, if is_whole { MotionKind::Linewise } else { reach }))
}

/// The range to the end of so many words. Unlike `e`, it stays on a word of one letter.
fn to_word_ends(vim: &mut Vim, text: &mut Text, big: bool, count: Option<usize>) -> (Pos, Pos, MotionKind) {
    let from = text.cursor();
    let (_, end) = if big {
        let thing = super::keys::Object { around: false, kind: 'W' };
        object::range(text, thing, 1).map_or((from, from), |(from, to, _)| (from, to))
    } else {
        text.word_at(from)
    };
    let more = count.unwrap_or(1) - 1;
    let mut to = end;
    if more > 0 {
        text.extend_selection(Pos::new(end.line, cluster::previous(text.line(end.line), end.byte)));
        if let Some((last, _)) = motion::target(vim, text, Move::WordEnd(big), Some(more)) {
            to = Pos::new(last.line, cluster::next(text.line(last.line), last.byte));
        }
        text.extend_selection(from);
    }
    (from, to, MotionKind::Exclusive)
}

/// Applies an operator to a range.
pub(super) fn operate(
    vim: &mut Vim,
    operator: Operator,
    (from, to, reach): (Pos, Pos, MotionKind),
    clipboard: bool,
    keys: &str,
    text: &mut Text,
) -> StrokeResult {
    let linewise = reach == MotionKind::Linewise;
    let (from, to) = if linewise {
        (Pos::new(from.line, 0), Pos::new(to.line, text.line(to.line).len()))
    } else {
        (from, to)
    };
    let mut answer = StrokeResult::Done;
    if matches!(operator, Operator::Delete | Operator::Change | Operator::Yank) {
        let kept = text.between(from, to);
        if clipboard {
            answer = StrokeResult::Copy(if linewise { format!("{kept}\n") } else { kept.clone() });
        }
        text.set_yanked(kept, linewise);
    }
    text.select_from(None, SelectionShape::Between);
    vim.mode = Mode::Normal;
    match operator {
        Operator::Yank => {
            text.put_cursor(if linewise { Pos::new(from.line, text.cursor().byte) } else { from });
        }
        Operator::Delete if linewise => delete_lines(text, from.line, to.line),
        Operator::Delete => text.replace(from, to, ""),
        Operator::Change => {
            vim.begin_insert(keys, 1, text);
            let indent = if linewise { cluster::indent_of(text.line(from.line)).len() } else { from.byte };
            let from = Pos::new(from.line, indent);
            text.put_cursor(from);
            text.replace(from, to, "");
        }
        Operator::In | Operator::Out => {
            text.shift_lines(from.line, to.line, operator == Operator::In);
            text.put_cursor(motion::first_text(text, from.line));
        }
        Operator::Comment => {
            text.comment_lines(from.line, to.line);
            text.put_cursor(motion::first_text(text, from.line));
        }
        Operator::Lower | Operator::Upper | Operator::Swap => {
            let new = change_case(&text.between(from, to), operator);
            text.replace(from, to, &new);
            text.put_cursor(from);
        }
    }
    answer
}

pub(super) fn change_case(text: &str, operator: Operator) -> String {
    match operator {
        Operator::Lower => text.to_lowercase(),
        Operator::Upper => text.to_uppercase(),
        _ => text
            .chars()
            .flat_map(|c| -> Vec<char> {
                if c.is_uppercase() { c.to_lowercase().collect() } else { c.to_uppercase().collect() }
            })
            .collect(),
    }
}

/// Deletes lines with their ends.
fn delete_lines(text: &mut Text, first: usize, last: usize) {
    let end = Pos::new(last, text.line(last).len());
    let (from, to) = if last < text.last_line() {
        (Pos::new(first, 0), Pos::new(last + 1, 0))
    } else if let Some(above) = first.checked_sub(1) {
        (Pos::new(above, text.line(above).len()), end)
    } else {
        (Pos::default(), end)
    };
    text.replace(from, to, "");
    text.put_cursor(motion::first_text(text, first));
}
