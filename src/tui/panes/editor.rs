//! Edit mode of the code pane: a block's text under the person's hands, with undo, redo, selection, indent and find.
//!
//! It knows nothing of decisions: leaving it hands the text back, and nothing runs from here. What was not touched
//! stays as it was, byte for byte: the marks at the start of the text, the ends of its lines, a missing last newline.

mod endings;

use crate::domain::{BlockId, Revision};
use crate::tui::widgets::field::{Edit, Motion};
use endings::Lines;
use ratatui_textarea::{CursorMove, TextArea};
use std::sync::Arc;

/// How many steps can be undone.
const UNDO_STEPS: usize = 2_000;

/// A block's text while it is edited.
#[derive(Debug)]
pub struct Editor {
    block: BlockId,
    revision: Revision,
    original: Lines,
    area: TextArea<'static>,
    /// Grows with each change, so that views can keep what they derived.
    generation: u64,
    /// The lines changed against the text at the start, as of a generation.
    changed: Option<(u64, Vec<bool>)>,
    find: Option<String>,
}

impl Editor {
    /// Opens a text for editing, with the cursor at the start of a line (counted from 0).
    pub fn open(block: BlockId, revision: Revision, source: &Arc<str>, line: usize) -> Self {
        let original = Lines::of(source);
        let mut area = TextArea::new(original.texts.clone());
        area.set_max_histories(UNDO_STEPS);
        area.set_tab_length(4);
        area.set_hard_tab_indent(original.texts.iter().any(|l| l.starts_with('\t')));
        area.move_cursor(CursorMove::Jump(u16::try_from(line).unwrap_or(u16::MAX), 0));
        Self { block, revision, original, area, generation: 0, changed: None, find: None }
    }

    /// The block whose text this is.
    pub fn block(&self) -> BlockId {
        self.block
    }

    /// The version that was opened.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// Grows with each change of the text.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The lines as they are now, without their ends.
    pub fn lines(&self) -> &[String] {
        self.area.lines()
    }

    /// The cursor: line and column in characters, from 0.
    pub fn cursor(&self) -> (usize, usize) {
        let at = self.area.cursor();
        (at.0, at.1)
    }

    /// What is selected: from and to, line and column in characters, from 0; the end is exclusive.
    pub fn selection(&self) -> Option<((usize, usize), (usize, usize))> {
        self.area.selection_range()
    }

    /// The whole text, with the line ends that it had; lines that are new get the ends of their neighbours.
    pub fn text(&self) -> String {
        self.original.join(self.area.lines())
    }

    /// Whether the text is another than the one that was opened.
    pub fn is_changed(&self) -> bool {
        self.area.lines() != self.original.texts
    }

    /// For each line whether it is new or changed against the text that was opened.
    pub fn changed_lines(&self) -> &[bool] {
        self.changed.as_ref().map_or(&[], |c| c.1.as_slice())
    }

    /// Finds out which lines are changed, where that is not known of the text as it is now.
    pub fn compare(&mut self) {
        if self.changed.as_ref().map(|c| c.0) != Some(self.generation) {
            let marks = self.original.changed(self.area.lines());
            self.changed = Some((self.generation, marks));
        }
    }

    /// How many lines are new or changed, or, where lines were only taken away, how many those are.
    pub fn changed_count(&self) -> usize {
        let (now, before) = (self.area.lines().len(), self.original.texts.len());
        let marked = self.changed_lines().iter().filter(|c| **c).count();
        marked.max(before.saturating_sub(now))
    }

    /// Replaces the whole text, as an external editor does; it can be undone.
    pub fn replace(&mut self, text: &str) {
        let lines = Lines::of(text);
        self.area.select_all();
        self.area.cut();
        self.area.insert_str(lines.texts.join("\n"));
        // What came back brings its own line ends; they count as the ends of lines that were not there before.
        self.original.adopt(&lines);
        self.touched();
    }

    /// Makes one change or move.
    pub fn apply(&mut self, edit: Edit) {
        match edit {
            Edit::Insert(c) => self.insert(c),
            Edit::Paste(text) => self.insert_text(&text),
            Edit::Newline => self.newline(),
            Edit::Backspace => self.backspace(),
            Edit::Delete => self.delete(),
            Edit::DeleteWord => self.delete_word(),
            Edit::KillToEnd => self.kill_to_end(),
            Edit::KillToStart => self.kill_to_start(),
            Edit::Yank => self.yank(),
            Edit::Undo => {
                self.undo();
            }
            Edit::Redo => {
                self.redo();
            }
            Edit::Move(motion, select) => self.motion(motion, select),
        }
    }

    pub fn insert(&mut self, c: char) {
        self.area.insert_char(c);
        self.touched();
    }

    /// Puts in a text, as a paste does; line ends of any kind begin a new line.
    pub fn insert_text(&mut self, text: &str) {
        self.area.insert_str(text.replace("\r\n", "\n").replace('\r', "\n"));
        self.touched();
    }

    /// Begins a line with the indent of the one before it.
    pub fn newline(&mut self) {
        let (row, column) = self.cursor();
        let indent: String = self
            .area
            .lines()
            .get(row)
            .map(|l| l.chars().take(column).take_while(|c| matches!(c, ' ' | '\t')).collect())
            .unwrap_or_default();
        self.area.insert_newline();
        if !indent.is_empty() {
            self.area.insert_str(indent);
        }
        self.touched();
    }

    /// Deletes the selection or the character before the cursor.
    pub fn backspace(&mut self) {
        self.area.delete_char();
        self.touched();
    }

    /// Deletes the selection or the character under the cursor.
    pub fn delete(&mut self) {
        self.area.delete_next_char();
        self.touched();
    }

    /// Deletes the word before the cursor.
    pub fn delete_word(&mut self) {
        self.area.delete_word();
        self.touched();
    }

    /// Deletes to the end of the line.
    pub fn kill_to_end(&mut self) {
        self.area.delete_line_by_end();
        self.touched();
    }

    /// Deletes to the start of the line.
    pub fn kill_to_start(&mut self) {
        self.area.delete_line_by_head();
        self.touched();
    }

    /// Puts in what was deleted or copied last.
    pub fn yank(&mut self) {
        self.area.paste();
        self.touched();
    }

    /// Copies the selection and returns it.
    pub fn copy(&mut self) -> Option<String> {
        self.area.selection_range()?;
        self.area.copy();
        Some(self.area.yank_text())
    }

    /// Cuts the selection out and returns it.
    pub fn cut(&mut self) -> Option<String> {
        self.area.selection_range()?;
        self.area.cut();
        self.touched();
        Some(self.area.yank_text())
    }

    /// Takes the last change back.
    pub fn undo(&mut self) -> bool {
        let done = self.area.undo();
        self.touched();
        done
    }

    /// Makes a change again that was taken back.
    pub fn redo(&mut self) -> bool {
        let done = self.area.redo();
        self.touched();
        done
    }

    pub fn select_all(&mut self) {
        self.area.select_all();
    }

    /// Moves the cursor; `select` keeps or begins a selection.
    pub fn motion(&mut self, motion: Motion, select: bool) {
        if select && !self.area.is_selecting() {
            self.area.start_selection();
        } else if !select {
            self.area.cancel_selection();
        }
        let (row, column) = self.cursor();
        match motion {
            Motion::Left => self.area.move_cursor(CursorMove::Back),
            Motion::Right => self.area.move_cursor(CursorMove::Forward),
            Motion::Up => self.area.move_cursor(CursorMove::Up),
            Motion::Down => self.area.move_cursor(CursorMove::Down),
            Motion::WordLeft => self.area.move_cursor(CursorMove::WordBack),
            Motion::WordRight => self.area.move_cursor(CursorMove::WordForward),
            Motion::Home => self.jump(row, 0),
            Motion::End => self.jump(row, usize::from(u16::MAX)),
            Motion::Top => self.area.move_cursor(CursorMove::Top),
            Motion::Bottom => self.area.move_cursor(CursorMove::Bottom),
            Motion::PageUp(rows) => self.jump(row.saturating_sub(rows.into()), column),
            Motion::PageDown(rows) => self.jump(row.saturating_add(rows.into()), column),
        }
    }

    /// Puts the cursor somewhere, as a click does.
    pub fn jump(&mut self, row: usize, column: usize) {
        let row = u16::try_from(row).unwrap_or(u16::MAX);
        self.area.move_cursor(CursorMove::Jump(row, u16::try_from(column).unwrap_or(u16::MAX)));
    }

    /// Moves the selected lines (or this one) one indent in or out.
    pub fn indent(&mut self, inwards: bool) {
        let unit = self.area.indent().to_owned();
        let (row, column) = self.cursor();
        let (first, last) = match self.area.selection_range() {
            Some(((first, _), (last, 0))) if last > first => (first, last - 1),
            Some(((first, _), (last, _))) => (first, last),
            None if inwards => {
                self.area.insert_tab();
                return self.touched();
            }
            None => (row, row),
        };
        self.area.cancel_selection();
        for line in first..=last {
            self.jump(line, 0);
            if inwards {
                self.area.insert_str(&unit);
            } else {
                let text = self.area.lines().get(line).map_or("", String::as_str);
                let spaces = text.chars().take(unit.chars().count()).take_while(|c| *c == ' ').count();
                let outwards = if text.starts_with('\t') { 1 } else { spaces };
                self.area.delete_str(outwards);
            }
        }
        self.jump(row, column);
        self.touched();
    }

    /// Looks for a text (not a pattern), from the cursor on; `false`: it is nowhere.
    pub fn find(&mut self, needle: &str, back: bool, from_here: bool) -> bool {
        if needle.is_empty() || self.area.set_search_pattern(escaped(needle)).is_err() {
            return false;
        }
        self.find = Some(needle.to_owned());
        if back { self.area.search_back(false) } else { self.area.search_forward(from_here) }
    }

    /// What was looked for last.
    pub fn needle(&self) -> Option<&str> {
        self.find.as_deref()
    }

    fn touched(&mut self) {
        self.generation += 1;
    }
}

/// A pattern that stands for exactly this text, in any case of letters.
fn escaped(text: &str) -> String {
    let mut pattern = String::from("(?i)");
    for c in text.chars() {
        if c.is_ascii_punctuation() {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

#[cfg(test)]
mod tests;
