//! Runs commands in visual mode.

use super::change;
use super::keys::{Operator, VimAction, VimCommand};
use super::motion::MotionKind;
use super::operation::operate;
use super::{Mode, StrokeResult, Vim, object};
use crate::tui::editing::buffer::Pos;
use crate::tui::editing::cluster;
use crate::tui::editing::text::Text;
use unicode_segmentation::UnicodeSegmentation as _;

/// Runs a command in visual mode.
pub(super) fn run(vim: &mut Vim, command: &VimCommand, text: &mut Text) -> StrokeResult {
    match command.what {
        VimAction::Move(found) => change::move_cursor(vim, found, command.count, text),
        VimAction::Operate(operator, _) => over_selection(vim, operator, command.clipboard, false, text),
        VimAction::Object(thing) => {
            if let Some((from, to, reach)) =
                object::range(text, thing, command.times()).filter(|(from, to, _)| from < to)
            {
                let linewise = reach == MotionKind::Linewise;
                vim.mode = if linewise { Mode::VisualLine } else { vim.mode };
                text.put_cursor(Pos::new(to.line, cluster::previous(text.line(to.line), to.byte)));
                text.select_from(Some(from), vim.mode.shape());
            }
            StrokeResult::Done
        }
        VimAction::Replace(letter) => {
            if let Some((from, to)) = text.selection() {
                let old = text.selected().unwrap_or_default();
                let new: String = old.chars().map(|c| if c == '\n' { c } else { letter }).collect();
                let letters = old.graphemes(true).count();
                let is_repeatable = from.line == to.line && vim.mode == Mode::Visual;
                vim.remember(&if is_repeatable { format!("{letters}r{letter}") } else { String::new() });
                text.replace(from, to, &new);
                leave(vim, from, text);
            }
            StrokeResult::Done
        }
        VimAction::GoToLine => StrokeResult::GoToLine,
        VimAction::Key(key) => press(vim, key, command, text),
    }
}

fn leave(vim: &mut Vim, at: Pos, text: &mut Text) {
    text.put_cursor(at);
    vim.mode = Mode::Normal;
}

fn press(vim: &mut Vim, key: char, command: &VimCommand, text: &mut Text) -> StrokeResult {
    let clipboard = command.clipboard;
    match key {
        'x' => return over_selection(vim, Operator::Delete, clipboard, false, text),
        'X' | 'D' => return over_selection(vim, Operator::Delete, clipboard, true, text),
        's' => return over_selection(vim, Operator::Change, clipboard, false, text),
        'S' | 'C' => return over_selection(vim, Operator::Change, clipboard, true, text),
        'Y' => return over_selection(vim, Operator::Yank, clipboard, true, text),
        'u' => return over_selection(vim, Operator::Lower, clipboard, false, text),
        'U' => return over_selection(vim, Operator::Upper, clipboard, false, text),
        '~' => return over_selection(vim, Operator::Swap, clipboard, false, text),
        'v' | 'V' => {
            let wanted = if key == 'v' { Mode::Visual } else { Mode::VisualLine };
            if vim.mode == wanted {
                leave(vim, text.cursor(), text);
            } else {
                vim.mode = wanted;
                text.select_from(text.anchor(), wanted.shape());
            }
        }
        'o' | 'O' => {
            if let Some(anchor) = text.anchor() {
                let cursor = text.cursor();
                text.put_cursor(anchor);
                text.select_from(Some(cursor), vim.mode.shape());
            }
        }
        'J' => {
            let (first, last) = text.selected_lines();
            leave(vim, Pos::new(first, 0), text);
            vim.remember(&format!("{}J", (last - first + 1).max(2)));
            text.group_changes(|text| (first..last.max(first + 1)).for_each(|_| text.join_line(first)));
        }
        'p' | 'P' if !vim.may_insert(text.yanked().text.len() + 1, command.times()) => {
            return StrokeResult::TooMuch;
        }
        'p' | 'P' => put_over(vim, key == 'p', command.times(), text),
        'A' | 'I' => {
            if let Some((from, to)) = text.selection() {
                leave(vim, if key == 'A' { to } else { from }, text);
                vim.remember("");
                vim.begin_insert("", 1, text);
            }
        }
        '/' | '?' => return StrokeResult::Find,
        _ => {}
    }
    StrokeResult::Done
}

/// Replaces the selection by the yanked text; with `yanks`, the replaced text becomes the yanked one.
fn put_over(vim: &mut Vim, yanks: bool, times: usize, text: &mut Text) {
    let Some((from, to)) = text.selection() else { return };
    let (kept, linewise) = (text.yanked().clone(), vim.mode == Mode::VisualLine);
    let old = text.selected().unwrap_or_default();
    let new = vec![kept.text.as_str(); times].join(if kept.lines { "\n" } else { "" });
    // Yanked whole lines stay whole lines, even in place of a part of a line.
    let new = if kept.lines && !linewise { format!("\n{new}\n") } else { new };
    text.replace(from, to, &new);
    let end = text.cursor();
    if yanks {
        text.set_yanked(old, linewise);
    }
    vim.remember("");
    let is_of_one_line = !linewise && !new.contains('\n') && !new.is_empty();
    let last = Pos::new(end.line, cluster::previous(text.line(end.line), end.byte));
    leave(vim, if is_of_one_line { last } else { from }, text);
}

/// Applies an operator to the selection; `linewise`: to its whole lines. Remembers strokes with which `.` does the
/// same to as much text elsewhere; where there are none, `.` does nothing, rather than what an earlier change did.
fn over_selection(
    vim: &mut Vim,
    operator: Operator,
    clipboard: bool,
    linewise: bool,
    text: &mut Text,
) -> StrokeResult {
    let Some((from, to)) = text.selection() else { return StrokeResult::Done };
    let linewise = linewise
        || vim.mode == Mode::VisualLine
        || matches!(operator, Operator::In | Operator::Out | Operator::Comment);
    let keys = as_keys(operator, (from, to), linewise, text);
    let reach = if linewise { MotionKind::Linewise } else { MotionKind::Exclusive };
    let last = text.line(to.line).len();
    // A selection that includes the end of a line deletes the line end too.
    let whole = !linewise && operator == Operator::Delete && to.byte == last && to.line < text.last_line();
    let whole = whole && text.cursor().max(text.anchor().unwrap_or_default()).byte == last;
    let to = if whole { Pos::new(to.line + 1, 0) } else { to };
    if operator != Operator::Yank {
        vim.remember(&keys);
    }
    operate(vim, operator, (from, to, reach), clipboard, &keys, text)
}

/// The strokes that do the same without a selection; empty for a part of several lines.
fn as_keys(operator: Operator, (from, to): (Pos, Pos), linewise: bool, text: &Text) -> String {
    let key = operator.strokes();
    if linewise {
        let again = key.chars().next_back().unwrap_or_default();
        return format!("{}{key}{again}", to.line - from.line + 1);
    }
    if from.line != to.line {
        return String::new();
    }
    let line = text.line(from.line);
    let letters = line.get(from.byte..to.byte).unwrap_or_default().graphemes(true).count();
    format!("{key}{letters}l")
}
