//! The message that is being written: its text, pastes held back as chips, older messages.
//!
//! It decides nothing about sending; it hands the finished text over.

use crate::tui::editing::vim::{Mode, Vim};
use crate::tui::widgets::field::{Edit, Field, Motion};

/// A paste longer than this many characters, or of more lines than [`CHIP_LINES`], becomes a chip.
const CHIP_CHARACTERS: usize = 800;
/// See [`CHIP_CHARACTERS`].
const CHIP_LINES: usize = 3;

/// A paste that stands in the text as a short mark and is sent in full.
#[derive(Debug)]
struct Chip {
    mark: String,
    text: String,
}

/// Where the person stands among older messages.
#[derive(Debug)]
struct Past {
    /// Which message, counted from the newest.
    back: usize,
    /// What was written before.
    draft: String,
}

/// The message that is being written.
#[derive(Debug)]
pub struct Composer {
    field: Field,
    chips: Vec<Chip>,
    pastes: usize,
    history: Vec<String>,
    past: Option<Past>,
    /// The keys of vim, where they were asked for.
    vim: Option<Vim>,
}

impl Default for Composer {
    fn default() -> Self {
        Self {
            field: Field::lines(),
            chips: Vec::new(),
            pastes: 0,
            history: Vec::new(),
            past: None,
            vim: None,
        }
    }
}

impl Composer {
    /// The text as it stands in the box.
    pub fn field(&self) -> &Field {
        &self.field
    }

    /// The field, for whoever selects in it.
    pub(crate) fn field_mut(&mut self) -> &mut Field {
        &mut self.field
    }

    /// Takes the keys of vim; letters are text at first.
    pub fn use_vim(&mut self) {
        self.vim = Some(Vim::new(Mode::Insert));
    }

    /// The keys of vim and what they work on.
    pub(crate) fn vim(&mut self) -> Option<(&mut Vim, &mut Field)> {
        self.vim.as_mut().map(|vim| (vim, &mut self.field))
    }

    /// What letters mean.
    pub fn mode(&self) -> Option<Mode> {
        self.vim.as_ref().map(Vim::mode)
    }

    /// Letters are text from here on.
    pub fn to_insert(&mut self) {
        if let Some(vim) = &mut self.vim {
            vim.set_mode(Mode::Insert, self.field.engine());
        }
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.field.is_empty()
    }

    /// The text with all pastes in full.
    pub fn full_text(&self) -> String {
        let mut text = self.field.text();
        for chip in &self.chips {
            text = text.replacen(&chip.mark, &chip.text, 1);
        }
        text
    }

    /// Hands over the text with all pastes in full, and starts anew; it is remembered among the older messages.
    pub fn send(&mut self) -> String {
        let text = self.full_text();
        self.remember(text.clone());
        self.field = Field::lines();
        self.to_insert();
        self.chips.clear();
        self.past = None;
        text
    }

    /// Empties the box; what was there can be brought back by undo.
    pub fn clear(&mut self) {
        let _ = self.field.take();
        self.past = None;
    }

    /// Replaces the text, as an external editor or a message taken back from the queue does.
    pub fn set(&mut self, text: &str) {
        self.chips.clear();
        self.past = None;
        self.field.set(text);
    }

    /// Adds to the older messages; the same message twice in a row is kept once.
    pub fn remember(&mut self, text: String) {
        if !text.trim().is_empty() && self.history.last() != Some(&text) {
            self.history.push(text);
        }
    }

    /// The older messages, oldest first.
    pub fn history(&self) -> &[String] {
        &self.history
    }

    /// Takes a pasted text: short ones as they are, long ones as a chip.
    pub fn paste(&mut self, text: &str) {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let lines = text.lines().count();
        if text.chars().count() <= CHIP_CHARACTERS && lines <= CHIP_LINES {
            self.field.apply(Edit::Paste(text));
            return;
        }
        self.pastes += 1;
        let mark = format!("[paste {}: {lines} lines]", self.pastes);
        self.field.apply(Edit::Paste(mark.clone()));
        self.chips.push(Chip { mark, text });
    }

    /// Puts the chip under the cursor into the text in full; `false`: there is none.
    pub fn open_chip(&mut self) -> bool {
        let at = self.field.cursor();
        let Some(line) = self.field.rows().get(at.row) else { return false };
        let found = self.chips.iter().position(|chip| {
            line.find(&chip.mark).is_some_and(|from| (from..from + chip.mark.len()).contains(&at.byte))
        });
        let Some(found) = found else { return false };
        let chip = self.chips.remove(found);
        let text = self.field.text().replacen(&chip.mark, &chip.text, 1);
        self.field.set(&text);
        true
    }

    /// Makes one change. A chip is deleted as a whole.
    pub fn apply(&mut self, edit: Edit) {
        if edit == Edit::Backspace {
            let before = self.field.before_cursor();
            if let Some(at) = self.chips.iter().position(|c| before.ends_with(&c.mark)) {
                let chip = self.chips.remove(at);
                return self.field.delete_before(chip.mark.len());
            }
        }
        if self.field.apply(edit) {
            self.past = None;
        }
        self.settle();
    }

    /// What other keys did counts for those of vim.
    pub(crate) fn settle(&mut self) {
        if let Some(vim) = &mut self.vim {
            vim.settle(self.field.engine());
        }
    }

    /// Puts a text in the place of so many bytes before the cursor.
    pub fn replace_before(&mut self, bytes: usize, text: &str) {
        self.field.delete_before(bytes);
        self.field.apply(Edit::Paste(text.to_owned()));
        self.past = None;
    }

    /// Whether a backslash stands before the cursor at the end of its line: Enter then begins a new line.
    pub fn continues(&self) -> bool {
        let at = self.field.cursor();
        self.field.rows().get(at.row).is_some_and(|l| l.ends_with('\\') && l.len() == at.byte)
    }

    /// Replaces that backslash by a new line.
    pub fn continue_line(&mut self) {
        self.field.apply(Edit::Backspace);
        self.field.apply(Edit::Newline);
    }

    /// One row up; on the first row, to the message before.
    pub fn up(&mut self) {
        let before = self.field.cursor();
        self.field.apply(Edit::Move(Motion::Up, false));
        if self.field.cursor() != before {
            return;
        }
        let back = self.past.as_ref().map_or(0, |p| p.back + 1);
        let Some(text) = self.history.iter().rev().nth(back).cloned() else { return };
        let draft = self.past.take().map_or_else(|| self.full_text(), |p| p.draft);
        self.set(&text);
        self.past = Some(Past { back, draft });
    }

    /// One row down; on the last row, to the message after.
    pub fn down(&mut self) {
        let before = self.field.cursor();
        self.field.apply(Edit::Move(Motion::Down, false));
        if self.field.cursor() != before {
            return;
        }
        let Some(past) = self.past.take() else { return };
        match past.back.checked_sub(1) {
            None => self.set(&past.draft),
            Some(back) => {
                let text = self.history.iter().rev().nth(back).cloned().unwrap_or_default();
                self.set(&text);
                self.past = Some(Past { back, draft: past.draft });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str) -> Composer {
        let mut composer = Composer::default();
        text.chars().for_each(|c| composer.apply(Edit::Insert(c)));
        composer
    }

    #[test]
    fn a_long_paste_is_a_chip_and_is_sent_in_full() {
        let mut composer = typed("look: ");
        let long = "line\n".repeat(214);
        composer.paste(&long);
        composer.paste("a\nb\nc\nd");
        assert_eq!(composer.field().text(), "look: [paste 1: 214 lines][paste 2: 4 lines]");
        composer.apply(Edit::Backspace);
        assert_eq!(composer.field().text(), "look: [paste 1: 214 lines]");
        assert_eq!(composer.send(), format!("look: {long}"));
        assert!(composer.is_empty());
    }

    #[test]
    fn a_chip_opens_under_the_cursor() {
        let mut composer = Composer::default();
        composer.paste("a\nb\nc\nd");
        assert!(!composer.open_chip(), "the cursor stands behind it");
        composer.apply(Edit::Move(Motion::Left, false));
        assert!(composer.open_chip());
        assert_eq!(composer.field().text(), "a\nb\nc\nd");
    }

    #[test]
    fn older_messages_come_and_the_draft_comes_back() {
        let mut composer = typed("one");
        composer.send();
        "two".chars().for_each(|c| composer.apply(Edit::Insert(c)));
        composer.send();
        "draft".chars().for_each(|c| composer.apply(Edit::Insert(c)));
        composer.up();
        assert_eq!(composer.field().text(), "two");
        composer.up();
        assert_eq!(composer.field().text(), "one");
        composer.up();
        assert_eq!(composer.field().text(), "one");
        composer.down();
        composer.down();
        assert_eq!(composer.field().text(), "draft");
    }

    #[test]
    fn a_backslash_before_enter_begins_a_line() {
        let mut composer = typed("one\\");
        assert!(composer.continues());
        composer.continue_line();
        assert_eq!(composer.field().text(), "one\n");
    }

    #[test]
    fn cleared_text_comes_back() {
        let mut composer = typed("precious");
        composer.clear();
        assert!(composer.is_empty());
        composer.apply(Edit::Undo);
        assert_eq!(composer.field().text(), "precious");
    }
}
