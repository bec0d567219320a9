//! The undo history: steps of changes that can be undone and redone. Consecutive typed letters are one step,
//! and so are consecutive deleted ones; a step ends with the word and with every move of the cursor.

use super::buffer::{Buffer, Fragment, Pos};

/// The limits of the history, in steps and in approximate bytes: the oldest steps are dropped.
const MAX_STEPS: usize = 2_000;
const MAX_BYTES: usize = 64 << 20;

/// The kind of a change: only `Typed` and `Erased` changes join the step before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeKind {
    Typed,
    Erased,
    /// Anything else is a step of its own.
    Other,
}

/// One change: a text replaced another, or the byte order mark was added or removed.
#[derive(Clone, Debug)]
struct TextChange {
    at: Pos,
    removed: Fragment,
    inserted: Fragment,
    turns_mark: bool,
}

impl TextChange {
    /// Replaces one of its texts by the other.
    fn apply(&self, buffer: &mut Buffer, old: &Fragment, new: &Fragment) {
        if self.turns_mark {
            buffer.turn_mark();
        } else {
            buffer.replace(self.at, old.end_from(self.at), new);
        }
    }
}

/// The changes that are undone together.
#[derive(Clone, Debug)]
struct UndoStep {
    changes: Vec<TextChange>,
    kind: ChangeKind,
    before: Pos,
    after: Pos,
}

impl UndoStep {
    fn weight(&self) -> usize {
        self.changes.iter().map(|change| change.removed.weight() + change.inserted.weight()).sum()
    }
}

/// The steps of a text.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    done: std::collections::VecDeque<UndoStep>,
    undone: Vec<UndoStep>,
    /// Whether the next change may join the last step.
    open: bool,
    /// Set while all changes belong to one step; `true` once that step exists.
    group: Option<bool>,
    weight: usize,
}

impl History {
    /// Makes the following changes one step, until [`History::ungroup`]. Returns `false` if they are one already.
    pub(crate) fn group(&mut self) -> bool {
        let begins = self.group.is_none();
        self.group = self.group.or(Some(false));
        begins
    }

    pub(crate) fn ungroup(&mut self) {
        self.group = None;
        self.open = false;
    }

    /// The next change begins a new step.
    pub(crate) fn seal(&mut self) {
        self.open = false;
    }

    /// Makes a change and records it for undo. Returns where the new text ends.
    pub(crate) fn change(
        &mut self,
        buffer: &mut Buffer,
        (from, to): (Pos, Pos),
        inserted: Fragment,
        kind: ChangeKind,
        cursor: Pos,
    ) -> Pos {
        let from = buffer.at(from);
        let removed = buffer.replace(from, to, &inserted);
        let end = inserted.end_from(from);
        self.record(TextChange { at: from, removed, inserted, turns_mark: false }, kind, cursor, end);
        end
    }

    /// Adds the byte order mark, or removes it.
    pub(crate) fn turn_mark(&mut self, buffer: &mut Buffer, cursor: Pos) {
        buffer.turn_mark();
        let (removed, inserted) = (Fragment::default(), Fragment::default());
        self.record(
            TextChange { at: cursor, removed, inserted, turns_mark: true },
            ChangeKind::Other,
            cursor,
            cursor,
        );
    }

    fn record(&mut self, change: TextChange, kind: ChangeKind, cursor: Pos, end: Pos) {
        self.undone.clear();
        self.weight += change.removed.weight() + change.inserted.weight();
        let joins = self.group == Some(true) || (self.group.is_none() && self.continues_last(&change, kind));
        match self.done.back_mut().filter(|_| joins) {
            Some(step) => {
                step.after = end;
                match step
                    .changes
                    .last_mut()
                    .filter(|_| kind == ChangeKind::Typed && change.removed.is_empty())
                {
                    Some(last) if !last.turns_mark && last.inserted.end_from(last.at) == change.at => {
                        extend(&mut last.inserted, change.inserted);
                    }
                    _ => step.changes.push(change),
                }
            }
            None => self.done.push_back(UndoStep { changes: vec![change], kind, before: cursor, after: end }),
        }
        if self.group.is_some() {
            self.group = Some(true);
        }
        self.open = kind != ChangeKind::Other;
        self.forget_oldest();
    }

    /// Records where a change has moved the cursor to: redo puts it there.
    pub(crate) fn set_cursor_after(&mut self, cursor: Pos) {
        if let Some(step) = self.done.back_mut() {
            step.after = cursor;
        }
    }

    /// Whether a change continues the word of the last step.
    fn continues_last(&self, change: &TextChange, kind: ChangeKind) -> bool {
        let Some(step) = self.done.back().filter(|step| self.open && step.kind == kind) else { return false };
        let Some(last) = step.changes.last() else { return false };
        match kind {
            ChangeKind::Other => false,
            ChangeKind::Typed => {
                let goes_on = last.inserted.end_from(last.at) == change.at && change.removed.is_empty();
                goes_on && (begins_blank(&change.inserted) || !ends_blank(&last.inserted))
            }
            ChangeKind::Erased => {
                let one_line = change.removed.ends.is_empty() && last.removed.ends.is_empty();
                let near = change.removed.end_from(change.at) == last.at || change.at == last.at;
                one_line && near && (begins_blank(&last.removed) || !begins_blank(&change.removed))
            }
        }
    }

    fn forget_oldest(&mut self) {
        while self.done.len() > 1 && (self.done.len() > MAX_STEPS || self.weight > MAX_BYTES) {
            if let Some(step) = self.done.pop_front() {
                self.weight = self.weight.saturating_sub(step.weight());
            }
        }
    }

    /// Undoes the last step; returns the cursor before it.
    pub(crate) fn undo(&mut self, buffer: &mut Buffer) -> Option<Pos> {
        self.ungroup();
        let step = self.done.pop_back()?;
        self.weight = self.weight.saturating_sub(step.weight());
        for change in step.changes.iter().rev() {
            change.apply(buffer, &change.inserted, &change.removed);
        }
        let before = step.before;
        self.undone.push(step);
        Some(before)
    }

    /// Redoes the step that was undone last; returns the cursor after it.
    pub(crate) fn redo(&mut self, buffer: &mut Buffer) -> Option<Pos> {
        self.ungroup();
        let step = self.undone.pop()?;
        for change in &step.changes {
            change.apply(buffer, &change.removed, &change.inserted);
        }
        self.weight += step.weight();
        let after = step.after;
        self.done.push_back(step);
        Some(after)
    }
}

/// Appends typed text.
fn extend(text: &mut Fragment, more: Fragment) {
    let mut lines = more.lines.into_iter();
    if let (Some(last), Some(first)) = (text.lines.last_mut(), lines.next()) {
        last.push_str(&first);
    }
    text.lines.extend(lines);
    text.ends.extend(more.ends);
}

fn ends_blank(text: &Fragment) -> bool {
    text.lines.last().and_then(|line| line.chars().next_back()).is_none_or(char::is_whitespace)
}

fn begins_blank(text: &Fragment) -> bool {
    text.lines.first().and_then(|line| line.chars().next()).is_none_or(char::is_whitespace)
}
