//! The keys of vim over a text, for whoever set `editor.vim`: a machine of modes that turns strokes into moves and changes.
//!
//! It can do nothing but move in the text and change it. There is no command line: `:` only asks for a line to go to, and no
//! stroke approves, runs, sends, leaves or writes anything. `ZZ` and macros are not here.

mod change;
mod keys;
mod motion;
mod object;
mod visual;

use super::Edit;
use super::buffer::Pos;
use super::cluster;
use super::text::{SelectionShape, Text};
use keys::{ParseResult, VimCommand};

/// Strokes that are no letters.
pub(crate) const ESC: char = '\u{1b}';
pub(crate) const ENTER: char = '\r';
pub(crate) const BACKSPACE: char = '\u{8}';
pub(crate) const HALF_DOWN: char = '\u{4}';
pub(crate) const HALF_UP: char = '\u{15}';
pub(crate) const REDO: char = '\u{12}';

/// A count is never taken for more than this; the number of a line is.
const MAX_COUNT: usize = 10_000;
/// Bytes that one stroke puts in at the most, however often it is repeated.
pub(crate) const MAX_INSERTED_BYTES: usize = 16 << 20;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    /// They are text.
    #[default]
    Insert,
    /// They move and change.
    Normal,
    /// They move the end of what is selected.
    Visual,
    /// The same, in whole lines.
    VisualLine,
}

impl Mode {
    /// The word in the title.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Mode::Insert => "INSERT",
            Mode::Normal => "NORMAL",
            Mode::Visual => "VISUAL",
            Mode::VisualLine => "VISUAL LINE",
        }
    }
}

/// What is left to do for whoever gave the stroke.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StrokeResult {
    /// Nothing.
    Done,
    /// The key means here what it means without vim.
    Pass,
    /// A text is asked for that is looked for.
    Find,
    /// A line is asked for.
    GoToLine,
    /// A text goes to the clipboard.
    Copy(String),
    /// A move leads beyond the first line, or (`false`) beyond the last.
    Beyond(bool),
    /// What was looked for is nowhere.
    NoMatch,
    /// It would have put in too much at once, and did not.
    TooMuch,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Vim {
    mode: Mode,
    /// The strokes of a command that is not whole.
    pending: String,
    /// The last search on a line: the letter, backwards, in front of it.
    sought: Option<(char, bool, bool)>,
    /// The strokes of the last change, for `.`.
    last: String,
    /// The strokes of the change that an insertion belongs to.
    current: String,
    /// What was typed since the insertion began, and how often it is wanted.
    typed: String,
    times: usize,
    replaying: bool,
    /// Bytes that this stroke put in.
    put_in: usize,
    /// Rows of half a page.
    pub(crate) half_page: usize,
}

impl Vim {
    /// A machine in this mode.
    pub(crate) fn new(mode: Mode) -> Self {
        Self { mode, half_page: 10, ..Self::default() }
    }

    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether Esc has something to end here.
    pub(crate) fn takes_esc(&self) -> bool {
        self.mode != Mode::Normal || !self.pending.is_empty()
    }

    /// Goes to a mode without a stroke, as when the text is another now.
    pub(crate) fn set_mode(&mut self, mode: Mode, text: &mut Text) {
        self.pending.clear();
        self.typed.clear();
        self.current.clear();
        self.times = 0;
        text.ungroup();
        text.select_from(None, SelectionShape::Between);
        self.mode = mode;
        self.settle(text);
    }

    /// Something else moved the cursor or changed the text.
    pub(crate) fn settle(&mut self, text: &mut Text) {
        if self.mode == Mode::Insert {
            return;
        }
        if matches!(self.mode, Mode::Visual | Mode::VisualLine) && text.anchor().is_none() {
            self.mode = Mode::Normal;
        }
        // What the mouse selects, or keys with Shift, is selected in visual mode from then on.
        if let (Mode::Normal, Some((from, to))) = (self.mode, text.selection()) {
            let last =
                if to.byte > 0 { Pos::new(to.row, cluster::previous(text.row(to.row), to.byte)) } else { to };
            let forward = text.cursor() == to;
            self.mode = Mode::Visual;
            text.put_cursor(if forward { last } else { from });
            return text.select_from(Some(if forward { from } else { last }), SelectionShape::Inclusive);
        }
        let at = text.cursor();
        let line = text.row(at.row);
        if self.mode == Mode::Normal && at.byte >= line.len() && at.byte > 0 {
            let last = cluster::previous(line, line.len());
            text.step_onto(Pos::new(at.row, last));
        }
    }

    pub(crate) fn stroke(&mut self, stroke: char, text: &mut Text) -> StrokeResult {
        if !self.replaying {
            self.put_in = 0;
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
                let answer = self.run(command, &keys, text);
                self.settle(text);
                answer
            }
        }
    }

    /// A stroke while letters are text.
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
        let fits = self.may_put_in(typed.len(), more);
        for _ in 0..if fits { more } else { 0 } {
            typed.chars().for_each(|stroke| type_in(stroke, text));
        }
        if !self.replaying {
            let mut keys = std::mem::take(&mut self.current);
            if !keys.is_empty() {
                keys.push_str(&typed);
                keys.push(ESC);
                self.last = keys;
            }
        }
        // What is made again is taken back as one with what else is.
        if !self.replaying {
            text.ungroup();
        }
        self.mode = Mode::Normal;
        let at = text.cursor();
        let left = cluster::previous(text.row(at.row), at.byte);
        text.put_cursor(Pos::new(at.row, left));
        if fits { StrokeResult::Done } else { StrokeResult::TooMuch }
    }

    /// Whether so many bytes, so often, may be put in by this stroke beside what it did.
    fn may_put_in(&mut self, bytes: usize, times: usize) -> bool {
        let sum = self.put_in.saturating_add(bytes.saturating_mul(times));
        if sum <= MAX_INSERTED_BYTES {
            self.put_in = sum;
        }
        sum <= MAX_INSERTED_BYTES
    }

    /// Letters are text from here on; what is typed belongs to these strokes.
    fn begin_insert(&mut self, keys: &str, times: usize, text: &mut Text) {
        self.mode = Mode::Insert;
        self.typed.clear();
        self.times = times;
        if !self.replaying {
            keys.clone_into(&mut self.current);
        }
        text.select_from(None, SelectionShape::Between);
        text.group();
    }

    /// A change is whole: `.` makes it again.
    fn remember(&mut self, keys: &str) {
        if !self.replaying {
            keys.clone_into(&mut self.last);
        }
    }

    /// Makes the last change again, as often as there is room for.
    fn repeat_last(&mut self, times: usize, text: &mut Text) -> StrokeResult {
        let keys = self.last.clone();
        let mut answer = StrokeResult::Done;
        self.replaying = true;
        text.group_changes(|text| {
            for _ in 0..times {
                let fits = self.may_put_in(keys.len(), 1);
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

    fn run(&mut self, command: VimCommand, keys: &str, text: &mut Text) -> StrokeResult {
        if self.mode == Mode::Normal {
            change::run(self, &command, keys, text)
        } else {
            visual::run(self, &command, text)
        }
    }
}

/// What a stroke types.
fn type_in(stroke: char, text: &mut Text) {
    text.apply(match stroke {
        ENTER => Edit::Newline,
        BACKSPACE => Edit::Backspace,
        letter => Edit::Insert(letter),
    });
}

#[cfg(test)]
mod tests;
