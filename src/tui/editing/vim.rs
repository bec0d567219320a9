//! Vim keys for people who set `editor.vim`: a state machine that turns strokes into moves and changes of a
//! text.
//!
//! It can only move in the text and change it. There is no command line: `:` only asks for a line number, and
//! no stroke approves, runs, sends, quits or writes anything. `ZZ` and macros are not supported.

mod change;
mod keys;
mod motion;
mod object;
mod operation;
mod visual;

use super::Edit;
use super::buffer::Pos;
use super::cluster;
use super::text::{SelectionShape, Text};
use keys::{LetterSearch, ParseResult};

/// Strokes that are no letters.
pub(crate) const ESC: char = '\u{1b}';
pub(crate) const ENTER: char = '\r';
pub(crate) const BACKSPACE: char = '\u{8}';
pub(crate) const HALF_DOWN: char = '\u{4}';
pub(crate) const HALF_UP: char = '\u{15}';
pub(crate) const REDO: char = '\u{12}';

/// The largest count; line numbers have a limit of their own.
const MAX_COUNT: usize = 10_000;
/// The most bytes that one stroke may insert, repetitions included.
pub(crate) const MAX_INSERTED_BYTES: usize = 16 << 20;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Strokes insert text.
    #[default]
    Insert,
    /// Strokes move and change.
    Normal,
    /// Strokes move the end of the selection.
    Visual,
    /// Like `Visual`, in whole lines.
    VisualLine,
}

impl Mode {
    /// The name in the title of the pane.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Mode::Insert => "INSERT",
            Mode::Normal => "NORMAL",
            Mode::Visual => "VISUAL",
            Mode::VisualLine => "VISUAL LINE",
        }
    }

    /// How far a selection reaches in this mode.
    fn shape(self) -> SelectionShape {
        if self == Mode::VisualLine { SelectionShape::Lines } else { SelectionShape::Inclusive }
    }
}

/// What the caller has to do after a stroke.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StrokeResult {
    /// Nothing.
    Done,
    /// Handle the key as without vim.
    Pass,
    /// Ask for a search term.
    Find,
    /// Ask for a line number.
    GoToLine,
    /// Copy a text to the clipboard.
    Copy(String),
    /// A move goes beyond the first line (`true`) or the last (`false`).
    Beyond(bool),
    /// Report that the search found nothing.
    NoMatch,
    /// Report that nothing was inserted because it would be too much.
    TooMuch,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Vim {
    pub(crate) mode: Mode,
    /// The strokes of an incomplete command.
    pending: String,
    /// The last search on a line.
    sought: Option<LetterSearch>,
    /// The strokes of the last change, for `.`.
    last: String,
    /// The strokes of the command that began the present insertion.
    current: String,
    /// The text typed since the insertion began, and how often it is to be inserted.
    typed: String,
    times: usize,
    /// Whether each repetition begins a line of its own, as after `o`.
    opens_lines: bool,
    replaying: bool,
    /// How many bytes this stroke inserted.
    inserted_bytes: usize,
    /// Half a page, in rows.
    pub(crate) half_page: usize,
}

impl Vim {
    pub(crate) fn new(mode: Mode) -> Self {
        Self { mode, half_page: 10, ..Self::default() }
    }

    /// Whether Esc would end something here.
    pub(crate) fn takes_esc(&self) -> bool {
        self.mode != Mode::Normal || !self.pending.is_empty()
    }

    /// Changes the mode without a stroke, for example when the text was replaced.
    pub(crate) fn set_mode(&mut self, mode: Mode, text: &mut Text) {
        self.pending.clear();
        self.typed.clear();
        self.current.clear();
        self.times = 0;
        self.opens_lines = false;
        text.ungroup();
        text.select_from(None, SelectionShape::Between);
        self.mode = mode;
        self.settle(text);
    }

    /// Call this after something else moved the cursor or changed the text.
    pub(crate) fn settle(&mut self, text: &mut Text) {
        if self.mode == Mode::Insert {
            return;
        }
        if matches!(self.mode, Mode::Visual | Mode::VisualLine) && text.anchor().is_none() {
            self.mode = Mode::Normal;
        }
        // A selection by the mouse or by Shift keys starts visual mode.
        if let (Mode::Normal, Some((from, to))) = (self.mode, text.selection()) {
            let last = if to.byte > 0 {
                Pos::new(to.line, cluster::previous(text.line(to.line), to.byte))
            } else {
                to
            };
            let forward = text.cursor() == to;
            self.mode = Mode::Visual;
            text.put_cursor(if forward { last } else { from });
            return text.select_from(Some(if forward { from } else { last }), SelectionShape::Inclusive);
        }
        let at = text.cursor();
        let line = text.line(at.line);
        if self.mode == Mode::Normal && at.byte >= line.len() && at.byte > 0 {
            let last = cluster::previous(line, line.len());
            text.step_onto(Pos::new(at.line, last));
        }
    }

    pub(crate) fn stroke(&mut self, stroke: char, text: &mut Text) -> StrokeResult {
        if !self.replaying {
            self.inserted_bytes = 0;
        }
        if self.mode == Mode::Insert {
            return self.insert(stroke, text);
        }
        if stroke == ESC {
            self.pending.clear();
            if self.mode == Mode::Normal {
                return StrokeResult::Pass;
            }
            self.set_mode(Mode::Normal, text);
            return StrokeResult::Done;
        }
        self.pending.push(stroke);
        let visual = self.mode != Mode::Normal;
        match keys::parse(&self.pending, visual) {
            ParseResult::More => StrokeResult::Done,
            ParseResult::Nothing => {
                self.pending.clear();
                StrokeResult::Done
            }
            ParseResult::Whole(command) => {
                let keys = std::mem::take(&mut self.pending);
                let answer = if visual {
                    visual::run(self, &command, text)
                } else {
                    change::run(self, &command, &keys, text)
                };
                self.settle(text);
                answer
            }
        }
    }

    /// Handles a stroke in insert mode.
    fn insert(&mut self, stroke: char, text: &mut Text) -> StrokeResult {
        if stroke == ESC {
            return self.leave_insert(text);
        }
        self.typed.push(stroke);
        if !self.replaying {
            return StrokeResult::Pass;
        }
        type_in(stroke, text);
        StrokeResult::Done
    }

    fn leave_insert(&mut self, text: &mut Text) -> StrokeResult {
        let typed = std::mem::take(&mut self.typed);
        let more = std::mem::take(&mut self.times).max(1) - 1;
        let opens_lines = std::mem::take(&mut self.opens_lines);
        let fits = self.may_insert(typed.len() + usize::from(opens_lines), more);
        for _ in 0..if fits { more } else { 0 } {
            if opens_lines {
                type_in(ENTER, text);
            }
            typed.chars().for_each(|stroke| type_in(stroke, text));
        }
        if !self.replaying {
            let mut keys = std::mem::take(&mut self.current);
            if !keys.is_empty() {
                keys.push_str(&typed);
                keys.push(ESC);
                self.last = keys;
            }
            // While `.` repeats a change, all of it stays one undo step.
            text.ungroup();
        }
        self.mode = Mode::Normal;
        let at = text.cursor();
        let left = cluster::previous(text.line(at.line), at.byte);
        text.put_cursor(Pos::new(at.line, left));
        if fits { StrokeResult::Done } else { StrokeResult::TooMuch }
    }

    /// Whether this stroke may insert so many bytes so many times, in addition to what it has inserted already.
    fn may_insert(&mut self, bytes: usize, times: usize) -> bool {
        let sum = self.inserted_bytes.saturating_add(bytes.saturating_mul(times));
        if sum <= MAX_INSERTED_BYTES {
            self.inserted_bytes = sum;
        }
        sum <= MAX_INSERTED_BYTES
    }

    /// Starts insert mode; the typed text belongs to the command with these strokes.
    fn begin_insert(&mut self, keys: &str, times: usize, text: &mut Text) {
        self.mode = Mode::Insert;
        self.typed.clear();
        self.times = times;
        self.opens_lines = false;
        if !self.replaying {
            keys.clone_into(&mut self.current);
        }
        text.select_from(None, SelectionShape::Between);
        text.group();
    }

    /// Stores a complete change for `.`.
    fn remember(&mut self, keys: &str) {
        if !self.replaying {
            keys.clone_into(&mut self.last);
        }
    }

    /// Repeats the last change, as often as it may.
    fn repeat_last(&mut self, times: usize, text: &mut Text) -> StrokeResult {
        let keys = self.last.clone();
        let mut answer = StrokeResult::Done;
        self.replaying = true;
        text.group_changes(|text| {
            for _ in 0..times {
                let fits = self.may_insert(keys.len(), 1);
                if !fits || keys.chars().any(|stroke| self.stroke(stroke, text) == StrokeResult::TooMuch) {
                    answer = StrokeResult::TooMuch;
                }
                if self.mode == Mode::Insert {
                    self.leave_insert(text);
                }
                if answer == StrokeResult::TooMuch {
                    break;
                }
            }
        });
        self.replaying = false;
        answer
    }
}

/// Applies one stroke of typed text.
fn type_in(stroke: char, text: &mut Text) {
    text.apply(match stroke {
        ENTER => Edit::Newline,
        BACKSPACE => Edit::Backspace,
        letter => Edit::Insert(letter),
    });
}

#[cfg(test)]
mod tests;
