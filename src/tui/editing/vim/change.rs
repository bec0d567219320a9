//! Runs commands in normal mode, and moves the cursor in all modes.

use super::keys::{Move, Operator, VimAction, VimCommand};
use super::motion;
use super::operation::{change_case, operate, range_of};
use super::{Mode, REDO, StrokeResult, Vim};
use crate::tui::editing::Edit;
use crate::tui::editing::buffer::Pos;
use crate::tui::editing::cluster;
use crate::tui::editing::text::Text;

/// Runs a command in normal mode; `keys` are its strokes.
pub(super) fn run(vim: &mut Vim, command: &VimCommand, keys: &str, text: &mut Text) -> StrokeResult {
    match command.what {
        VimAction::Move(found) => move_cursor(vim, found, command.count, text),
        VimAction::Operate(operator, over) => {
            let Some(range) = range_of(vim, operator, over, command.count, text) else {
                return StrokeResult::Done;
            };
            if operator != Operator::Yank {
                vim.remember(keys);
            }
            operate(vim, operator, range, command.clipboard, keys, text)
        }
        VimAction::Replace(letter) => {
            replace_letters(text, letter, command.times());
            vim.remember(keys);
            StrokeResult::Done
        }
        VimAction::GoToLine => StrokeResult::GoToLine,
        VimAction::Key(key) => press(vim, key, command, keys, text),
        VimAction::Object(_) => StrokeResult::Done,
    }
}

/// Moves the cursor, and with it the end of the selection.
pub(super) fn move_cursor(vim: &mut Vim, found: Move, count: Option<usize>, text: &mut Text) -> StrokeResult {
    let by = isize::try_from(count.unwrap_or(1)).unwrap_or(1);
    match found {
        // These moves keep their column over shorter lines.
        Move::Up if text.cursor().line == 0 => return StrokeResult::Beyond(true),
        Move::Down if text.cursor().line == text.last_line() => return StrokeResult::Beyond(false),
        Move::Up => text.go(-by, false),
        Move::Down => text.go(by, false),
        Move::RowUp => text.go(-by, true),
        Move::RowDown => text.go(by, true),
        found => match motion::target(vim, text, found, count) {
            Some((to, _)) => {
                let line = text.line(to.line);
                let last = vim.mode == Mode::Normal && to.byte >= line.len();
                let to = if last { Pos::new(to.line, cluster::previous(line, to.byte)) } else { to };
                if vim.mode == Mode::Normal {
                    text.put_cursor(to);
                } else {
                    text.extend_selection(to);
                }
                // From the end of a line, moves up and down lead to the ends of lines.
                if found == Move::LineEnd {
                    text.keep_line_end();
                }
            }
            None if matches!(found, Move::Match(_) | Move::Star(_)) => return StrokeResult::NoMatch,
            None => {}
        },
    }
    StrokeResult::Done
}

fn replace_letters(text: &mut Text, letter: char, times: usize) {
    let at = text.cursor();
    let line = text.line(at.line);
    let mut end = at.byte;
    for _ in 0..times {
        if end >= line.len() {
            return;
        }
        end = cluster::next(line, end);
    }
    let new = if letter == super::ENTER { "\n".to_owned() } else { letter.to_string().repeat(times) };
    text.replace(at, Pos::new(at.line, end), &new);
    let behind = text.cursor();
    text.put_cursor(Pos::new(behind.line, cluster::previous(text.line(behind.line), behind.byte)));
}

fn press(vim: &mut Vim, key: char, command: &VimCommand, keys: &str, text: &mut Text) -> StrokeResult {
    let times = command.times();
    let at = text.cursor();
    if let super::keys::ParseResult::Whole(whole) = super::keys::parse(long_form(key), false) {
        let whole = VimCommand { count: command.count, clipboard: command.clipboard, ..whole };
        return run(vim, &whole, keys, text);
    }
    match key {
        'i' | 'a' | 'I' | 'A' | 'o' | 'O' => insert(vim, key, times, keys, text),
        'p' | 'P' => {
            vim.remember(keys);
            if !vim.may_insert(text.yanked().text.len() + 1, times) {
                return StrokeResult::TooMuch;
            }
            put(text, key == 'p', times);
        }
        'J' => {
            text.group_changes(|text| (1..times.max(2)).for_each(|_| text.join_line(at.line)));
            vim.remember(keys);
        }
        '~' => {
            let line = text.line(at.line);
            let end = (0..times).fold(at.byte, |end, _| cluster::next(line, end));
            let new = change_case(line.get(at.byte..end).unwrap_or_default(), Operator::Swap);
            text.replace(at, Pos::new(at.line, end), &new);
            vim.remember(keys);
        }
        'u' | REDO => (0..times).for_each(|_| {
            text.apply(if key == REDO { Edit::Redo } else { Edit::Undo });
        }),
        '.' => return vim.repeat_last(times, text),
        'v' | 'V' => {
            vim.mode = if key == 'v' { Mode::Visual } else { Mode::VisualLine };
            text.select_from(Some(at), vim.mode.shape());
        }
        '/' | '?' => return StrokeResult::Find,
        _ => {}
    }
    StrokeResult::Done
}

/// The command that a key is short for; empty for the other keys.
fn long_form(key: char) -> &'static str {
    match key {
        'x' => "dl",
        'X' => "dh",
        'D' => "d$",
        's' => "cl",
        'S' => "cc",
        'C' => "c$",
        'Y' => "yy",
        _ => "",
    }
}

/// Begins insert mode where the key says: at the cursor or after it, at an end of the line, on a new line.
fn insert(vim: &mut Vim, key: char, times: usize, keys: &str, text: &mut Text) {
    let at = text.cursor();
    let line_end = Pos::new(at.line, text.line(at.line).len());
    match key {
        'a' => {
            text.put_cursor(Pos::new(at.line, cluster::next(text.line(at.line), at.byte)));
            vim.begin_insert(keys, times, text);
        }
        'I' | 'A' => {
            text.put_cursor(if key == 'A' { line_end } else { motion::first_text(text, at.line) });
            vim.begin_insert(keys, times, text);
        }
        'o' => {
            text.put_cursor(line_end);
            vim.begin_insert(keys, times, text);
            text.apply(Edit::Newline);
        }
        'O' => {
            let indent = cluster::indent_of(text.line(at.line)).to_owned();
            vim.begin_insert(keys, times, text);
            text.put_cursor(Pos::new(at.line, 0));
            text.replace(Pos::new(at.line, 0), Pos::new(at.line, 0), &format!("{indent}\n"));
            text.put_cursor(Pos::new(at.line, indent.len()));
        }
        _ => vim.begin_insert(keys, times, text),
    }
    vim.opens_lines = matches!(key, 'o' | 'O');
}

/// Inserts what was cut or copied: whole lines below or above, other text after or before the cursor.
pub(super) fn put(text: &mut Text, behind: bool, times: usize) {
    let kept = text.yanked().clone();
    let at = text.cursor();
    let line = text.line(at.line);
    if kept.text.is_empty() && !kept.lines {
        return;
    }
    if kept.lines {
        let lines = vec![kept.text.as_str(); times].join("\n");
        if behind {
            let end = Pos::new(at.line, line.len());
            text.replace(end, end, &format!("\n{lines}"));
        } else {
            text.replace(Pos::new(at.line, 0), Pos::new(at.line, 0), &format!("{lines}\n"));
        }
        return text.put_cursor(motion::first_text(text, at.line + usize::from(behind)));
    }
    let from = Pos::new(at.line, if behind { cluster::next(line, at.byte) } else { at.byte });
    text.replace(from, from, &kept.text.repeat(times));
    let end = text.cursor();
    let last = Pos::new(end.line, cluster::previous(text.line(end.line), end.byte));
    text.put_cursor(if kept.text.contains('\n') { from } else { last });
}
